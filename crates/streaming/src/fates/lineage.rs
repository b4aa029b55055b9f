//! The stateless parts of a plan, over rows in hand that carry a number: which rows come out where.

use std::collections::BTreeSet;
use std::sync::Arc;

use tidemark_sql::error::Result;
use tidemark_sql::expr::{Alias, Attribute, Expr, ExprId, Metadata};
use tidemark_sql::optimizer::split_conjuncts;
use tidemark_sql::plan::{Join, LogicalPlan, PlanRef};
use tidemark_sql::types::DataType;
use tidemark_sql::value::Value;

use super::follow::Follower;

/// Rows on their way from sources or operators to the next operator or the output.
pub(super) struct Lowered {
    pub(super) plan: LogicalPlan,
    /// The column of the rows' numbers.
    pub(super) id: Arc<Attribute>,
    /// Columns that only a function of the script, or chance, could give: null here.
    pub(super) opaque: BTreeSet<ExprId>,
    /// Conditions on the way, first met first.
    pub(super) probes: Vec<Probe>,
    /// Rows may have become several, or none, by a join with rows that are no stream or by a generator.
    pub(super) multiplied: bool,
    /// Why the rows cannot be followed; the plan is of no use then.
    pub(super) blind: Option<String>,
    /// The numbers that went in.
    pub(super) roots: Vec<usize>,
}

/// A filter: its input and its terms.
pub(super) struct Probe {
    pub(super) plan: LogicalPlan,
    pub(super) terms: Vec<Expr>,
}

impl Lowered {
    pub(super) fn new(plan: LogicalPlan, id: Arc<Attribute>, roots: Vec<usize>) -> Self {
        Self { plan, id, opaque: BTreeSet::new(), probes: Vec::new(), multiplied: false, blind: None, roots }
    }

    /// Rows that come from nowhere that can be told.
    pub(super) fn nowhere(reason: &str) -> Self {
        let lowered = Self::new(LogicalPlan::OneRow, id_column(), Vec::new());
        Self { blind: Some(reason.to_owned()), ..lowered }
    }

    fn blinded(self, reason: impl Into<String>) -> Self {
        Self { plan: LogicalPlan::OneRow, blind: Some(reason.into()), ..self }
    }

    /// Whether an expression cannot be worked out again.
    pub(super) fn hides(&self, expr: &Expr) -> bool {
        !can_repeat(expr) || expr.references().iter().any(|id| self.opaque.contains(id))
    }

    fn id_expr(&self) -> Expr {
        Expr::Attribute(self.id.clone())
    }
}

/// Whether an expression gives the same when it is worked out once more, and nobody notices.
fn can_repeat(expr: &Expr) -> bool {
    expr.deterministic() && !expr.has_subquery() && !expr.any(&|e| matches!(e, Expr::PythonUdf(_)))
}

fn can_repeat_plan(plan: &LogicalPlan) -> bool {
    !plan.any(&|node| {
        let mut calls = matches!(node, LogicalPlan::Extension(_) | LogicalPlan::Sample { .. });
        node.for_each_expression(&mut |expr| calls |= !can_repeat(expr));
        calls
    })
}

/// The column of the rows' numbers, new for each set of rows.
pub(super) fn id_column() -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: "row number".into(),
        data_type: DataType::Long,
        nullable: false,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    })
}

fn null(data_type: DataType) -> Expr {
    Expr::Literal { value: Value::Null, data_type }
}

const CHANCE: &str = "it depends on a function of the script, or on chance, and is not worked out a second time";

impl Follower<'_> {
    /// `plan` over numbered rows.
    pub(super) fn lower(&mut self, plan: &PlanRef) -> Result<Lowered> {
        if let LogicalPlan::StreamingBatch { source, data, output } = &**plan {
            return self.source(*source, data, output);
        }
        if super::follow::is_stateful(plan, self.mode()) {
            return self.operator(plan);
        }
        match &**plan {
            LogicalPlan::SubqueryAlias { child, .. }
            | LogicalPlan::View { child, .. }
            | LogicalPlan::Hint { child, .. }
            | LogicalPlan::CollectMetrics { child, .. }
            | LogicalPlan::Repartition { child, .. } => self.lower(child),
            LogicalPlan::EventTimeWatermark { column, delay, child } => {
                self.mark(column, delay.millis(), plan);
                let mut below = self.lower(child)?;
                if below.blind.is_none() {
                    self.note_event_times(&below, column)?;
                    let child = Arc::new(below.plan);
                    below.plan = LogicalPlan::EventTimeWatermark { column: column.clone(), delay: *delay, child };
                }
                Ok(below)
            }
            LogicalPlan::Union { children, by_name, allow_missing } => self.union(children, *by_name, *allow_missing),
            LogicalPlan::Join(join) => self.static_join(join),
            LogicalPlan::Extension(_) => {
                let mut roots = Vec::new();
                for child in plan.child_plans().iter().filter(|child| child.is_streaming()) {
                    roots.extend(self.lower(child)?.roots);
                }
                Ok(Lowered {
                    roots,
                    ..Lowered::nowhere("a function of the script makes new rows of whole tables here")
                })
            }
            other => {
                let Some(child) = other.child_plans().into_iter().next() else {
                    return Ok(Lowered::nowhere("its source is not known"));
                };
                let below = self.lower(&child)?;
                Ok(if below.blind.is_some() { below } else { above(other, below) })
            }
        }
    }

    fn union(&mut self, children: &[PlanRef], by_name: bool, allow_missing: bool) -> Result<Lowered> {
        let mut all: Option<Lowered> = None;
        let mut inputs = Vec::new();
        let mut blind = None;
        for child in children {
            if !child.is_streaming() {
                // Rows of a batch beside the stream: they are nobody's.
                continue;
            }
            let below = self.lower(child)?;
            blind = blind.or(below.blind.clone());
            let list = child.output().into_iter().map(Expr::Attribute).chain([below.id_expr()]).collect();
            let plan = Arc::new(LogicalPlan::Project { list, child: Arc::new(below.plan.clone()) });
            inputs.push(plan);
            match &mut all {
                None => all = Some(below),
                Some(all) => {
                    // Columns of the first child name those of all.
                    let names: Vec<ExprId> =
                        children.first().map_or_else(Vec::new, |c| c.output().iter().map(|a| a.id).collect());
                    let hidden = child.output().into_iter().zip(names).filter(|(a, _)| below.opaque.contains(&a.id));
                    all.opaque.extend(hidden.map(|(_, first)| first));
                    all.probes.extend(
                        below.probes.into_iter().map(|probe| Probe {
                            plan: renumbered(probe.plan, &below.id, &all.id),
                            terms: probe.terms,
                        }),
                    );
                    all.multiplied |= below.multiplied;
                    all.roots.extend(below.roots);
                }
            }
        }
        let Some(all) = all else { return Ok(Lowered::nowhere("its source is not known")) };
        if let Some(reason) = blind {
            return Ok(all.blinded(reason));
        }
        Ok(Lowered { plan: LogicalPlan::Union { children: inputs, by_name, allow_missing }, ..all })
    }

    /// A join with rows that are no stream.
    fn static_join(&mut self, join: &Join) -> Result<Lowered> {
        let left = join.left.is_streaming();
        let (stream, rest) = if left { (&join.left, &join.right) } else { (&join.right, &join.left) };
        let below = self.lower(stream)?;
        if below.blind.is_some() {
            return Ok(below);
        }
        let hidden = match &join.condition {
            tidemark_sql::plan::JoinCondition::On(condition) => below.hides(condition),
            _ => false,
        };
        if hidden || !can_repeat_plan(rest) {
            return Ok(below.blinded(format!("it is joined here, and {CHANCE}")));
        }
        let mut joined = join.clone();
        *(if left { &mut joined.left } else { &mut joined.right }) = Arc::new(below.plan.clone());
        Ok(Lowered { plan: LogicalPlan::Join(joined), multiplied: true, ..below })
    }
}

/// The same rows under another column of numbers.
fn renumbered(plan: LogicalPlan, from: &Arc<Attribute>, to: &Arc<Attribute>) -> LogicalPlan {
    let list = plan
        .output()
        .into_iter()
        .map(|a| if a.id == from.id { Expr::Attribute(a).alias_with(&to.name, to.id) } else { Expr::Attribute(a) });
    LogicalPlan::Project { list: list.collect(), child: Arc::new(plan) }
}

/// A node with one child that keeps nothing.
fn above(node: &LogicalPlan, mut below: Lowered) -> Lowered {
    match node {
        LogicalPlan::Project { list, .. } => {
            let mut hidden = Vec::new();
            let mut kept: Vec<Expr> = list
                .iter()
                .map(|expr| match expr {
                    Expr::Alias(alias) if below.hides(expr) => {
                        hidden.push(alias.id);
                        let child = null(alias.child.data_type());
                        Expr::Alias(Box::new(Alias { child, ..(**alias).clone() }))
                    }
                    other => other.clone(),
                })
                .collect();
            kept.push(below.id_expr());
            below.opaque.extend(hidden);
            let child = Arc::new(below.plan);
            Lowered { plan: LogicalPlan::Project { list: kept, child }, ..below }
        }
        LogicalPlan::Filter { condition, .. } => {
            if below.hides(condition) {
                let text = condition.pretty_sql();
                return below.blinded(format!("the filter {text} comes here, and {CHANCE}"));
            }
            below.probes.push(Probe { plan: below.plan.clone(), terms: split_conjuncts(condition) });
            let plan = LogicalPlan::Filter { condition: condition.clone(), child: Arc::new(below.plan) };
            Lowered { plan, ..below }
        }
        LogicalPlan::Expand { projections, output, .. } => {
            let hidden: Vec<bool> = (0..output.len())
                .map(|at| projections.iter().any(|list| list.get(at).is_some_and(|expr| below.hides(expr))))
                .collect();
            let hide = |(at, expr): (usize, &Expr)| {
                if hidden.get(at) == Some(&true) { null(expr.data_type()) } else { expr.clone() }
            };
            let projections = projections
                .iter()
                .map(|list| list.iter().enumerate().map(hide).chain([below.id_expr()]).collect())
                .collect();
            below.opaque.extend(output.iter().zip(&hidden).filter(|(_, hidden)| **hidden).map(|(a, _)| a.id));
            let output = output.iter().cloned().chain([below.id.clone()]).collect();
            Lowered { plan: LogicalPlan::Expand { projections, output, child: Arc::new(below.plan) }, ..below }
        }
        LogicalPlan::Generate { generator, .. } if below.hides(generator) => {
            below.blinded(format!("{} makes rows here, and {CHANCE}", generator.pretty_sql()))
        }
        LogicalPlan::Generate { .. } => with_child(node, below, true),
        LogicalPlan::Sort { .. } | LogicalPlan::Limit { .. } | LogicalPlan::Offset { .. } => {
            with_child(node, below, false)
        }
        _ => below.blinded("this part of the plan is not followed"),
    }
}

fn with_child(node: &LogicalPlan, below: Lowered, multiplied: bool) -> Lowered {
    let child = Arc::new(below.plan.clone());
    let plan = node.clone().map_children(&mut |_| child.clone());
    Lowered { plan, multiplied: below.multiplied || multiplied, ..below }
}
