//! Walking and rebuilding logical plans, and their output columns.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use super::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::expr::tree::{map_orders, map_vec};
use crate::expr::{Attribute, Expr, ExprId, merge_nullability};

fn nullable(list: &[Arc<Attribute>]) -> impl Iterator<Item = Arc<Attribute>> + '_ {
    list.iter()
        .map(|a| if a.nullable { Arc::clone(a) } else { Arc::new(Attribute { nullable: true, ..(**a).clone() }) })
}

/// The parts of a relation's name: those of the catalog's tables are given in full.
fn qualifier(name: &str) -> Vec<String> {
    match name.strip_prefix("spark_catalog.").and_then(|rest| rest.split_once('.')) {
        Some((database, table)) => ["spark_catalog", database, table].map(str::to_owned).to_vec(),
        None => vec![name.to_owned()],
    }
}

impl LogicalPlan {
    /// Direct children, left to right.
    pub fn children(&self) -> Vec<&PlanRef> {
        use LogicalPlan as P;
        match self {
            P::UnresolvedRelation { .. }
            | P::LocalRelation(_)
            | P::Range { .. }
            | P::OneRow
            | P::FileRelation(_)
            | P::MemoryTable { .. }
            | P::StreamingRelation(_)
            | P::StreamingBatch { .. }
            | P::Extension(_) => Vec::new(),
            P::Project { child, .. }
            | P::Filter { child, .. }
            | P::Aggregate { child, .. }
            | P::GroupingSets { child, .. }
            | P::Pivot { child, .. }
            | P::Sort { child, .. }
            | P::Limit { child, .. }
            | P::Offset { child, .. }
            | P::Tail { child, .. }
            | P::Distinct { child }
            | P::Deduplicate { child, .. }
            | P::SubqueryAlias { child, .. }
            | P::View { child, .. }
            | P::EventTimeWatermark { child, .. }
            | P::Expand { child, .. }
            | P::Generate { child, .. }
            | P::Window { child, .. }
            | P::Repartition { child, .. }
            | P::Sample { child, .. }
            | P::CollectMetrics { child, .. }
            | P::Hint { child, .. } => vec![child],
            P::Join(join) => vec![&join.left, &join.right],
            P::Union { children, .. } => children.iter().collect(),
            P::SetOperation { left, right, .. } => vec![left, right],
            P::With { ctes, child } => ctes.iter().map(|(_, p)| p).chain([child]).collect(),
        }
    }

    /// Direct children of any node, those of extension nodes too.
    pub fn child_plans(&self) -> Vec<PlanRef> {
        match self {
            LogicalPlan::Extension(node) => node.children(),
            other => other.children().into_iter().cloned().collect(),
        }
    }

    /// The same node over other children.
    pub fn try_map_children<E>(self, f: &mut dyn FnMut(PlanRef) -> Result<PlanRef, E>) -> Result<LogicalPlan, E> {
        let mut plan = self;
        {
            use LogicalPlan as P;
            let mut put = |slot: &mut PlanRef| -> Result<(), E> {
                *slot = f(Arc::clone(slot))?;
                Ok(())
            };
            match &mut plan {
                P::Project { child, .. }
                | P::Filter { child, .. }
                | P::Aggregate { child, .. }
                | P::GroupingSets { child, .. }
                | P::Pivot { child, .. }
                | P::Sort { child, .. }
                | P::Limit { child, .. }
                | P::Offset { child, .. }
                | P::Tail { child, .. }
                | P::Distinct { child }
                | P::Deduplicate { child, .. }
                | P::SubqueryAlias { child, .. }
                | P::View { child, .. }
                | P::EventTimeWatermark { child, .. }
                | P::Expand { child, .. }
                | P::Generate { child, .. }
                | P::Window { child, .. }
                | P::Repartition { child, .. }
                | P::Sample { child, .. }
                | P::CollectMetrics { child, .. }
                | P::Hint { child, .. } => put(child)?,
                P::Join(join) => {
                    put(&mut join.left)?;
                    put(&mut join.right)?;
                }
                P::Union { children, .. } => children.iter_mut().try_for_each(&mut put)?,
                P::SetOperation { left, right, .. } => {
                    put(left)?;
                    put(right)?;
                }
                P::With { ctes, child } => {
                    ctes.iter_mut().try_for_each(|(_, p)| put(p))?;
                    put(child)?;
                }
                P::Extension(node) => {
                    let mut children = node.children();
                    children.iter_mut().try_for_each(&mut put)?;
                    let rebuilt = node.rebuild(children, node.expressions());
                    *node = rebuilt;
                }
                P::UnresolvedRelation { .. }
                | P::LocalRelation(_)
                | P::Range { .. }
                | P::OneRow
                | P::FileRelation(_)
                | P::MemoryTable { .. }
                | P::StreamingRelation(_)
                | P::StreamingBatch { .. } => {}
            }
        }
        Ok(plan)
    }

    /// [`Self::try_map_children`] for what cannot fail.
    pub fn map_children(self, f: &mut dyn FnMut(PlanRef) -> PlanRef) -> LogicalPlan {
        match self.try_map_children::<Infallible>(&mut |p| Ok(f(p))) {
            Ok(p) => p,
            Err(never) => match never {},
        }
    }

    /// Children first, then the node.
    pub fn transform_up(self, f: &mut dyn FnMut(LogicalPlan) -> LogicalPlan) -> LogicalPlan {
        let mapped = self.map_children(&mut |p| Arc::new(Arc::unwrap_or_clone(p).transform_up(f)));
        f(mapped)
    }

    /// Children first, then the node; the first error ends it.
    pub fn try_transform_up<E>(
        self,
        f: &mut dyn FnMut(LogicalPlan) -> Result<LogicalPlan, E>,
    ) -> Result<LogicalPlan, E> {
        let mapped = self.try_map_children(&mut |p| Ok(Arc::new(Arc::unwrap_or_clone(p).try_transform_up(f)?)))?;
        f(mapped)
    }

    /// The node first, then the children of what it became.
    pub fn transform_down(self, f: &mut dyn FnMut(LogicalPlan) -> LogicalPlan) -> LogicalPlan {
        let mapped = f(self);
        mapped.map_children(&mut |p| Arc::new(Arc::unwrap_or_clone(p).transform_down(f)))
    }

    /// Whether the node or any below it satisfies `test`.
    pub fn any(&self, test: &dyn Fn(&LogicalPlan) -> bool) -> bool {
        test(self) || self.child_plans().iter().any(|c| c.any(test))
    }

    /// Calls `f` on the expressions of this node.
    pub fn for_each_expression(&self, f: &mut dyn FnMut(&Expr)) {
        use LogicalPlan as P;
        match self {
            P::Project { list, .. } => list.iter().for_each(f),
            P::Filter { condition, .. } => f(condition),
            P::Aggregate { grouping, list, .. } => grouping.iter().chain(list).for_each(f),
            P::GroupingSets { by, list, .. } => by.iter().chain(list).for_each(f),
            P::Pivot { grouping, column, values, aggregates, .. } => {
                grouping.iter().chain([column]).chain(values).chain(aggregates).for_each(f);
            }
            P::Sort { order, .. } => order.iter().for_each(|o| f(&o.child)),
            P::Limit { limit: e, .. } | P::Offset { offset: e, .. } | P::Tail { limit: e, .. } => f(e),
            P::Deduplicate { columns, .. } => columns.iter().for_each(f),
            P::EventTimeWatermark { column, .. } => f(column),
            P::Expand { projections, .. } => projections.iter().flatten().for_each(f),
            P::Generate { generator, .. } => f(generator),
            P::Window { list, partition_by, order_by, .. } => {
                list.iter().chain(partition_by).for_each(&mut *f);
                order_by.iter().for_each(|o| f(&o.child));
            }
            P::Repartition { by, .. } => by.iter().for_each(f),
            P::CollectMetrics { metrics, .. } => metrics.iter().for_each(f),
            P::Hint { parameters, .. } => parameters.iter().for_each(f),
            P::Join(Join { condition: JoinCondition::On(e), .. }) => f(e),
            P::Extension(node) => node.expressions().iter().for_each(f),
            _ => {}
        }
    }

    /// The same node with other expressions.
    pub fn try_map_expressions<E>(self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<LogicalPlan, E> {
        use LogicalPlan as P;
        Ok(match self {
            P::Project { list, child } => P::Project { list: map_vec(list, f)?, child },
            P::Filter { condition, child } => P::Filter { condition: f(condition)?, child },
            P::Aggregate { grouping, list, child } => {
                P::Aggregate { grouping: map_vec(grouping, f)?, list: map_vec(list, f)?, child }
            }
            P::GroupingSets { by, sets, list, child } => {
                P::GroupingSets { by: map_vec(by, f)?, sets, list: map_vec(list, f)?, child }
            }
            P::Pivot { grouping, column, values, aggregates, child } => P::Pivot {
                grouping: map_vec(grouping, f)?,
                column: f(column)?,
                values: map_vec(values, f)?,
                aggregates: map_vec(aggregates, f)?,
                child,
            },
            P::Sort { order, global, child } => P::Sort { order: map_orders(order, f)?, global, child },
            P::Limit { limit, child } => P::Limit { limit: f(limit)?, child },
            P::Offset { offset, child } => P::Offset { offset: f(offset)?, child },
            P::Tail { limit, child } => P::Tail { limit: f(limit)?, child },
            P::Deduplicate { columns, within_watermark, child } => {
                P::Deduplicate { columns: map_vec(columns, f)?, within_watermark, child }
            }
            P::EventTimeWatermark { column, delay, child } => {
                P::EventTimeWatermark { column: f(column)?, delay, child }
            }
            P::Expand { projections, output, child } => P::Expand {
                projections: projections.into_iter().map(|p| map_vec(p, f)).collect::<Result<_, E>>()?,
                output,
                child,
            },
            P::Generate { generator, outer, qualifier, output, child } => {
                P::Generate { generator: f(generator)?, outer, qualifier, output, child }
            }
            P::Window { list, partition_by, order_by, child } => P::Window {
                list: map_vec(list, f)?,
                partition_by: map_vec(partition_by, f)?,
                order_by: map_orders(order_by, f)?,
                child,
            },
            P::Repartition { partitions, shuffle, by, spread, child } => {
                P::Repartition { partitions, shuffle, by: map_vec(by, f)?, spread, child }
            }
            P::CollectMetrics { name, metrics, child } => {
                P::CollectMetrics { name, metrics: map_vec(metrics, f)?, child }
            }
            P::Hint { name, parameters, child } => P::Hint { name, parameters: map_vec(parameters, f)?, child },
            P::Join(Join { left, right, kind, condition: JoinCondition::On(e) }) => {
                P::Join(Join { left, right, kind, condition: JoinCondition::On(f(e)?) })
            }
            P::Extension(node) => {
                let expressions = map_vec(node.expressions(), f)?;
                P::Extension(node.rebuild(node.children(), expressions))
            }
            other => other,
        })
    }

    /// [`Self::try_map_expressions`] for what cannot fail.
    pub fn map_expressions(self, f: &mut dyn FnMut(Expr) -> Expr) -> LogicalPlan {
        match self.try_map_expressions::<Infallible>(&mut |e| Ok(f(e))) {
            Ok(p) => p,
            Err(never) => match never {},
        }
    }

    /// The columns that the node gives.
    pub fn output(&self) -> Vec<Arc<Attribute>> {
        use LogicalPlan as P;
        match self {
            P::UnresolvedRelation { .. } | P::OneRow => Vec::new(),
            P::LocalRelation(r) => r.output.clone(),
            P::Range { output, .. } | P::StreamingBatch { output, .. } | P::MemoryTable { output, .. } => {
                output.clone()
            }
            P::FileRelation(r) => r.output.clone(),
            P::StreamingRelation(r) => r.output.clone(),
            P::Project { list, .. } | P::GroupingSets { list, .. } => list.iter().map(Expr::to_attribute).collect(),
            P::Aggregate { list, child, .. } => {
                let streaming = child.is_streaming();
                // What comes out of state may be null, whatever went in (WidenStatefulOpNullability).
                let widened = |a: Arc<Attribute>| match streaming {
                    true => {
                        let data_type = a.data_type.as_nullable();
                        Arc::new(Attribute { nullable: true, data_type, ..(*a).clone() })
                    }
                    false => a,
                };
                list.iter().map(|expr| widened(expr.to_attribute())).collect()
            }
            P::Pivot { grouping, .. } => grouping.iter().map(Expr::to_attribute).collect(),
            P::SubqueryAlias { name, child } => child
                .output()
                .into_iter()
                .filter(|a| !a.metadata.hidden || a.is_file_metadata())
                .map(|a| Arc::new(Attribute { qualifier: qualifier(name), ..(*a).clone() }))
                .collect(),
            P::EventTimeWatermark { column, delay, child } => {
                let id = column.expr_id();
                child
                    .output()
                    .into_iter()
                    .map(|a| {
                        // Another column's mark goes: one event-time column per node (EventTimeWatermark.output).
                        let mark = (Some(a.id) == id).then(|| delay.millis());
                        if a.metadata.watermark_delay_ms == mark {
                            return a;
                        }
                        let mut marked = (*a).clone();
                        marked.metadata.watermark_delay_ms = mark;
                        Arc::new(marked)
                    })
                    .collect()
            }
            P::Expand { output, .. } => output.clone(),
            P::Generate { output, child, outer, qualifier, .. } => {
                let mut all = child.output();
                all.extend(output.iter().map(|a| {
                    let mut a = (**a).clone();
                    a.nullable |= *outer;
                    a.qualifier = qualifier.iter().cloned().collect();
                    Arc::new(a)
                }));
                all
            }
            P::Window { list, child, .. } => {
                let mut all = child.output();
                all.extend(list.iter().map(Expr::to_attribute));
                all
            }
            P::Join(join) => {
                let (left, right) = (join.left.output(), join.right.output());
                match join.kind {
                    JoinKind::Inner | JoinKind::Cross => left.into_iter().chain(right).collect(),
                    JoinKind::LeftOuter | JoinKind::LeftSingle => {
                        left.iter().cloned().chain(nullable(&right)).collect()
                    }
                    JoinKind::RightOuter => nullable(&left).chain(right.iter().cloned()).collect(),
                    JoinKind::FullOuter => nullable(&left).chain(nullable(&right)).collect(),
                    JoinKind::LeftSemi | JoinKind::LeftAnti => left,
                }
            }
            P::Union { children, .. } => {
                let outputs: Vec<_> = children.iter().map(|c| c.output()).collect();
                let Some(first) = outputs.first() else { return Vec::new() };
                first
                    .iter()
                    .enumerate()
                    .map(|(i, a)| {
                        let mut merged = (**a).clone();
                        for other in outputs.iter().skip(1).filter_map(|o| o.get(i)) {
                            merged.nullable |= other.nullable;
                            merged.data_type = merge_nullability(merged.data_type, &other.data_type);
                        }
                        Arc::new(merged)
                    })
                    .collect()
            }
            P::SetOperation { kind, left, right, .. } => {
                let right = right.output();
                left.output()
                    .into_iter()
                    .enumerate()
                    .map(|(i, a)| {
                        let both = a.nullable && right.get(i).is_none_or(|r| r.nullable);
                        let null = if *kind == super::SetOperation::Intersect { both } else { a.nullable };
                        Arc::new(Attribute { nullable: null, ..(*a).clone() })
                    })
                    .collect()
            }
            P::Extension(node) => node.output(),
            P::Filter { child, .. }
            | P::Sort { child, .. }
            | P::Limit { child, .. }
            | P::Offset { child, .. }
            | P::Tail { child, .. }
            | P::Distinct { child }
            | P::Deduplicate { child, .. }
            | P::View { child, .. }
            | P::Repartition { child, .. }
            | P::Sample { child, .. }
            | P::CollectMetrics { child, .. }
            | P::Hint { child, .. }
            | P::With { child, .. } => child.output(),
        }
    }

    /// Ids of [`Self::output`].
    pub fn output_ids(&self) -> BTreeSet<ExprId> {
        self.output().iter().map(|a| a.id).collect()
    }

    /// Whether a streaming source is in it (LogicalPlan.isStreaming).
    pub fn is_streaming(&self) -> bool {
        self.any(&|p| {
            matches!(
                p,
                LogicalPlan::StreamingRelation(_)
                    | LogicalPlan::StreamingBatch { .. }
                    | LogicalPlan::UnresolvedRelation { streaming: true, .. }
            )
        })
    }
}

impl super::Delay {
    /// Milliseconds, a month as 31 days (EventTimeWatermark.getDelayMs).
    pub fn millis(&self) -> i64 {
        const DAY: i64 = 24 * 60 * 60 * 1000;
        self.micros.div_euclid(1000) + (i64::from(self.days) + i64::from(self.months) * 31) * DAY
    }
}
