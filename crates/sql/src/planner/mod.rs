//! Logical to physical plans, as SparkPlanner's strategies and EnsureRequirements do.

pub mod aggregation;
mod joins;
mod limits;
mod python;
mod python_filters;
mod python_sources;
mod python_tables;
mod scans;
mod subqueries;
pub mod text;

pub use joins::{equi_keys, size_in_bytes};
pub(crate) use limits::row_number;
pub use python_tables::{BatchProcessors, has_pandas_aggregate, python_operator};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{Result, SparkError};
use crate::exec::aggregate::plan_aggregate_pieces;
use crate::exec::coalesce::CoalesceExec;
use crate::exec::exchange::{Distribution, ExchangeExec};
use crate::exec::expand::ExpandExec;
use crate::exec::filter::FilterExec;
use crate::exec::generate::GenerateExec;
use crate::exec::layout::is_sorted_by;
use crate::exec::leaf::{OneRowExec, RangeExec};
use crate::exec::metrics::CollectMetricsExec;
use crate::exec::project::ProjectExec;
use crate::exec::sample::SampleExec;
use crate::exec::sort::SortExec;
use crate::exec::union::UnionExec;
use crate::exec::window::WindowExec;
use crate::exec::{ExecContext, ExecRef, Partition, Partitioning, PlannerExtension};
use crate::expr::{Expr, ExprId, SortOrder};
use crate::plan::{LogicalPlan, PlanRef, Spread};
use crate::session::SqlSession;

/// Plans one query.
pub struct Planner<'a> {
    pub ctx: &'a ExecContext<'a>,
    /// Asked first for every node.
    pub extension: Option<&'a dyn PlannerExtension>,
}

/// Optimizes, plans and runs an analysed batch plan: its rows, partition by partition.
pub fn execute(session: &SqlSession, plan: &PlanRef) -> Result<Vec<Partition>> {
    execute_with(&ExecContext::new(session), None, plan)
}

/// [`execute`] in a context and with an extension of the caller's.
pub fn execute_with(
    ctx: &ExecContext<'_>,
    extension: Option<&dyn PlannerExtension>,
    plan: &PlanRef,
) -> Result<Vec<Partition>> {
    let bound = crate::catalog::bind_memory_tables(ctx.session, plan, false)?;
    let optimized = crate::optimizer::optimize(ctx, &bound)?;
    Planner::new(ctx, extension).plan(&optimized)?.execute(ctx)
}

/// The physical plan of an analysed plan, to be shown.
pub fn shown(ctx: &ExecContext<'_>, extension: Option<&dyn PlannerExtension>, plan: &PlanRef) -> Result<ExecRef> {
    let bound = crate::catalog::bind_memory_tables(ctx.session, plan, true)?;
    let optimized = crate::optimizer::optimize(ctx, &bound)?;
    Planner::new(ctx, extension).plan(&optimized)
}

impl<'a> Planner<'a> {
    pub fn new(ctx: &'a ExecContext<'a>, extension: Option<&'a dyn PlannerExtension>) -> Self {
        Self { ctx, extension }
    }

    /// Plans the root of a query, whose rows go to the caller (ReturnAnswer).
    pub fn plan(&self, plan: &PlanRef) -> Result<ExecRef> {
        if let Some(done) = self.plan_root_limit(plan)? {
            return Ok(done);
        }
        self.plan_child(plan)
    }

    /// Plans a node below the root.
    pub fn plan_child(&self, plan: &PlanRef) -> Result<ExecRef> {
        if let Some(extension) = self.extension
            && let Some(done) = extension.plan(plan, self)
        {
            return done;
        }
        use LogicalPlan as P;
        match &**plan {
            P::LocalRelation(_) | P::FileRelation(_) | P::StreamingBatch { .. } => self.plan_scan(plan),
            P::Project { list, child } => {
                if let Some(done) = self.plan_scan_operation(plan)? {
                    return Ok(done);
                }
                if let Some(done) = self.plan_python_scan(plan)? {
                    return Ok(done);
                }
                let mut needed: BTreeSet<_> = list.iter().flat_map(Expr::references).collect();
                match &**child {
                    P::Generate { .. } => {
                        return self.project(list.clone(), self.plan_generate(child, Some(&needed))?);
                    }
                    P::Filter { condition, child } if matches!(**child, P::Generate { .. }) => {
                        needed.extend(condition.references());
                        let generated = self.plan_generate(child, Some(&needed))?;
                        return self.project(list.clone(), self.filter(condition.clone(), generated)?);
                    }
                    _ => {}
                }
                self.project(list.clone(), self.plan_child(child)?)
            }
            P::Filter { condition, child } => {
                if let Some(done) = self.plan_scan_operation(plan)? {
                    return Ok(done);
                }
                if let Some(done) = self.plan_python_scan(plan)? {
                    return Ok(done);
                }
                self.filter(condition.clone(), self.plan_child(child)?)
            }
            P::Range { start, end, step, partitions, output } => Ok(Arc::new(RangeExec {
                start: *start,
                end: *end,
                step: *step,
                partitions: partitions.unwrap_or(self.ctx.default_parallelism).max(1),
                output: output.clone(),
            })),
            P::OneRow => Ok(Arc::new(OneRowExec)),
            P::Aggregate { grouping, list, child } => self.plan_aggregate(grouping, list, child),
            P::Join(join) => self.plan_join(plan, join),
            P::Sort { order, global, child } => self.plan_sort(order, *global, self.plan_child(child)?),
            P::Limit { .. } | P::Offset { .. } | P::Tail { .. } => self.plan_limit(plan),
            P::Union { children, .. } => {
                let inputs = children.iter().map(|c| self.plan_child(c)).collect::<Result<Vec<_>>>()?;
                Ok(Arc::new(UnionExec { output: plan.output(), inputs }))
            }
            P::Expand { projections, output, child } => {
                let child = self.plan_child(child)?;
                Ok(Arc::new(ExpandExec::new(projections.clone(), output.clone(), child)?))
            }
            P::Generate { .. } => self.plan_generate(plan, None),
            P::Window { list, partition_by, order_by, child } => {
                let child = self.plan_child(child)?;
                let (list, child) = self.extract_python(list.clone(), child)?;
                let child = self.clustered(partition_by, child)?;
                let output = plan.output();
                Ok(Arc::new(WindowExec::new(list, partition_by.clone(), order_by.clone(), output, child)?))
            }
            P::Repartition { partitions, shuffle, by, spread, child } => {
                let child = self.plan_child(child)?;
                self.plan_repartition(*partitions, *shuffle, by, *spread, child)
            }
            P::Sample { lower, fraction, seed, with_replacement, child } => {
                let child = self.plan_child(child)?;
                Ok(Arc::new(SampleExec {
                    lower: *lower,
                    fraction: *fraction,
                    seed: *seed,
                    with_replacement: *with_replacement,
                    output: child.output().to_vec(),
                    child,
                }))
            }
            P::CollectMetrics { name, metrics, child } => {
                let child = self.plan_child(child)?;
                Ok(Arc::new(CollectMetricsExec {
                    metric: name.clone(),
                    pieces: plan_aggregate_pieces(&[], metrics)?,
                    output: child.output().to_vec(),
                    child,
                }))
            }
            P::SubqueryAlias { child, .. } | P::View { child, .. } | P::Hint { child, .. } => self.plan_child(child),
            P::Extension(node) => match python_operator(node) {
                Some(operator) => self.plan_python_operator(operator),
                None => match self.plan_python_scan(plan)? {
                    Some(scan) => Ok(scan),
                    None => Err(SparkError::not_yet(&format!("Execution of {}", node.name()))),
                },
            },
            // A batch query has no use for watermarks (EliminateEventTimeWatermark).
            P::EventTimeWatermark { child, .. } if !child.is_streaming() => self.plan_child(child),
            other => Err(SparkError::not_yet(&format!("Execution of {}", node_name(other)))),
        }
    }

    pub fn project(&self, list: Vec<Expr>, child: ExecRef) -> Result<ExecRef> {
        let list = self.scalar_subqueries(list)?;
        let (list, child) = self.extract_python(list, child)?;
        let same = list.len() == child.output().len()
            && list
                .iter()
                .zip(child.output())
                .all(|(e, a)| matches!(e, Expr::Attribute(x) if x.id == a.id && x.name == a.name));
        if same {
            return Ok(child);
        }
        Ok(Arc::new(ProjectExec::new(list, child)?))
    }

    /// A Generate with those of its child's columns that are needed; None: all.
    fn plan_generate(&self, plan: &PlanRef, needed: Option<&BTreeSet<ExprId>>) -> Result<ExecRef> {
        let LogicalPlan::Generate { generator, outer, output, child, .. } = &**plan else {
            return self.plan_child(plan);
        };
        let Expr::Generator(call) = generator.unaliased() else {
            return Err(SparkError::internal("a Generate without a generator"));
        };
        let mut kept = child.output();
        kept.retain(|column| needed.is_none_or(|needed| needed.contains(&column.id)));
        let (args, child) = self.extract_python(call.args.clone(), self.plan_child(child)?)?;
        let call = crate::expr::GeneratorCall { args, ..(**call).clone() };
        Ok(Arc::new(GenerateExec::new(call, *outer, kept, output.clone(), child)?))
    }

    pub(crate) fn filter(&self, condition: Expr, child: ExecRef) -> Result<ExecRef> {
        let condition = self.scalar_subqueries(vec![condition])?;
        // Terms that call the script come last, over the rows that the others leave.
        let (calling, plain): (Vec<Expr>, Vec<Expr>) = condition
            .iter()
            .flat_map(crate::optimizer::split_conjuncts)
            .partition(|t| t.any(&|e| matches!(e, Expr::PythonUdf(_))));
        let child = match crate::optimizer::join_conjuncts(plain) {
            Some(condition) => Arc::new(FilterExec::new(condition, child)?),
            None => child,
        };
        let output: Vec<Expr> = child.output().iter().cloned().map(Expr::Attribute).collect();
        match crate::optimizer::join_conjuncts(calling) {
            None => Ok(child),
            Some(condition) => {
                let (list, child) = self.extract_python(vec![condition], child)?;
                let Some(condition) = crate::optimizer::join_conjuncts(list) else { return Ok(child) };
                let filtered: ExecRef = Arc::new(FilterExec::new(condition, child)?);
                Ok(Arc::new(ProjectExec::new(output, filtered)?))
            }
        }
    }

    fn plan_sort(&self, order: &[SortOrder], global: bool, child: ExecRef) -> Result<ExecRef> {
        let child = if global && !child.partitioning().orders(order) {
            let distribution = Distribution::Range { order: order.to_vec(), partitions: self.ctx.shuffle_partitions };
            self.exchange(distribution, child)?
        } else {
            child
        };
        if is_sorted_by(&child.ordering(), order) {
            return Ok(child);
        }
        Ok(Arc::new(SortExec::new(order.to_vec(), global, child)?))
    }

    /// repartition(n), repartition(n, keys), repartitionByRange, coalesce(n).
    fn plan_repartition(
        &self,
        partitions: Option<usize>,
        shuffle: bool,
        by: &[Expr],
        spread: Spread,
        child: ExecRef,
    ) -> Result<ExecRef> {
        let n = partitions.unwrap_or(self.ctx.shuffle_partitions);
        if !shuffle {
            return Ok(Arc::new(CoalesceExec { partitions: n, output: child.output().to_vec(), child }));
        }
        let (by, child) = self.extract_python(by.to_vec(), child)?;
        let order = || -> Vec<SortOrder> {
            by.iter()
                .map(|e| match e {
                    Expr::SortOrder(o) => (**o).clone(),
                    other => SortOrder { child: other.clone(), ascending: true, nulls_first: true },
                })
                .collect()
        };
        let distribution = if n == 1 {
            Distribution::Single
        } else if by.is_empty() {
            Distribution::RoundRobin { partitions: n }
        } else {
            match spread {
                Spread::Hash => Distribution::Hash { keys: by.clone(), partitions: n },
                Spread::Range => Distribution::Range { order: order(), partitions: n },
                Spread::Id => Distribution::Id { key: by[0].clone(), partitions: n },
            }
        };
        // A number given by the user is kept; without one adaptive execution may put partitions together.
        let (coalesce, origin) = match (partitions, by.is_empty()) {
            (Some(_), _) => (false, "REPARTITION_BY_NUM"),
            (None, _) => (self.ctx.adaptive, "REPARTITION_BY_COL"),
        };
        Ok(Arc::new(ExchangeExec::new(distribution, coalesce, origin, child)?))
    }

    /// An exchange that the plan needs, open to coalescing where execution is adaptive.
    pub(crate) fn exchange(&self, distribution: Distribution, child: ExecRef) -> Result<ExecRef> {
        Ok(Arc::new(ExchangeExec::new(distribution, self.ctx.adaptive, "ENSURE_REQUIREMENTS", child)?))
    }

    /// `child` with rows of equal keys in one partition (ClusteredDistribution); no keys: all rows in one partition.
    pub fn clustered(&self, keys: &[Expr], child: ExecRef) -> Result<ExecRef> {
        let ids: Vec<_> = keys
            .iter()
            .filter_map(|k| match k {
                Expr::Attribute(a) => Some(a.id),
                _ => None,
            })
            .collect();
        if child.partitioning().clusters(&ids) {
            return Ok(child);
        }
        if keys.is_empty() {
            return self.exchange(Distribution::Single, child);
        }
        self.exchange(Distribution::Hash { keys: keys.to_vec(), partitions: self.ctx.shuffle_partitions }, child)
    }

    /// `child` laid out exactly as a stateful operator stores its keys (StatefulOpClusteredDistribution): by the hash of
    /// all keys over the query's own number of partitions; no keys: one partition.
    pub fn stateful_clustered(&self, keys: &[Expr], child: ExecRef) -> Result<ExecRef> {
        let partitions = self.ctx.shuffle_partitions;
        if keys.is_empty() {
            return match child.partitioning() {
                Partitioning::Single => Ok(child),
                _ => Ok(Arc::new(ExchangeExec::new(Distribution::Single, false, "ENSURE_REQUIREMENTS", child)?)),
            };
        }
        let exchange = ExchangeExec::new(
            Distribution::Hash { keys: keys.to_vec(), partitions },
            false,
            "REQUIRED_BY_STATEFUL_OPERATOR",
            Arc::clone(&child),
        )?;
        use crate::exec::ExecNode;
        let wanted = exchange.partitioning();
        if wanted != Partitioning::Unknown && wanted == child.partitioning() {
            return Ok(child);
        }
        Ok(Arc::new(exchange))
    }
}

fn node_name(plan: &LogicalPlan) -> String {
    let debug = format!("{plan:?}");
    debug.split([' ', '(', '{']).next().unwrap_or("").to_owned()
}
