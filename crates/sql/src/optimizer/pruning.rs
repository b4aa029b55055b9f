//! ColumnPruning: no node gives columns that nothing above it looks at.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{Expr, ExprId};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

type Ids = BTreeSet<ExprId>;

pub(super) fn prune_columns(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    let all = plan.output_ids();
    Ok(Arc::unwrap_or_clone(prune(&Arc::new(plan), &all)))
}

fn refs<'e>(list: impl IntoIterator<Item = &'e Expr>) -> Ids {
    list.into_iter().flat_map(|e| e.references()).collect()
}

/// A projection to the columns in `needed`, where there are more.
fn narrow(plan: PlanRef, needed: &Ids) -> PlanRef {
    let output = plan.output();
    if output.iter().all(|a| needed.contains(&a.id)) {
        return plan;
    }
    let list = output.into_iter().filter(|a| needed.contains(&a.id)).map(Expr::Attribute).collect();
    Arc::new(LogicalPlan::Project { list, child: plan })
}

/// Whether this is a chain of filters over a leaf; the scan takes projection and filters in together.
fn over_leaf(plan: &PlanRef) -> bool {
    match &**plan {
        LogicalPlan::Filter { child, .. } => over_leaf(child),
        other => other.child_plans().is_empty(),
    }
}

/// The plan with only what is needed computed below it; it may still give more columns than `needed`.
fn prune(plan: &PlanRef, needed: &Ids) -> PlanRef {
    use LogicalPlan as P;
    let with = |ids: &Ids| -> Ids { needed.union(ids).copied().collect() };
    if over_leaf(plan) {
        return narrow(Arc::clone(plan), needed);
    }
    Arc::new(match &**plan {
        P::Project { list, child } => {
            let list: Vec<Expr> =
                list.iter().filter(|e| e.expr_id().is_none_or(|id| needed.contains(&id))).cloned().collect();
            let below = refs(&list);
            // Filters over a leaf keep their place: projection, filters and scan become one.
            let child = if over_leaf(child) { Arc::clone(child) } else { prune(child, &below) };
            P::Project { list, child }
        }
        P::Filter { condition, child } => {
            P::Filter { condition: condition.clone(), child: prune(child, &with(&condition.references())) }
        }
        P::Aggregate { grouping, list, child } => {
            let list: Vec<Expr> =
                list.iter().filter(|e| e.expr_id().is_none_or(|id| needed.contains(&id))).cloned().collect();
            let below = refs(grouping.iter().chain(&list));
            P::Aggregate { grouping: grouping.clone(), list, child: narrow(prune(child, &below), &below) }
        }
        P::Sort { order, global, child } => {
            let below = with(&refs(order.iter().map(|o| &o.child)));
            P::Sort { order: order.clone(), global: *global, child: narrow(prune(child, &below), &below) }
        }
        P::Window { list, partition_by, order_by, child } => {
            let below = with(&refs(list.iter().chain(partition_by).chain(order_by.iter().map(|o| &o.child))));
            P::Window {
                list: list.clone(),
                partition_by: partition_by.clone(),
                order_by: order_by.clone(),
                child: narrow(prune(child, &below), &below),
            }
        }
        P::Expand { projections, output, child } => {
            let keep: Vec<bool> = output.iter().map(|a| needed.contains(&a.id)).collect();
            let kept = |row: &Vec<Expr>| -> Vec<Expr> {
                row.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(e, _)| e.clone()).collect()
            };
            let projections: Vec<Vec<Expr>> = projections.iter().map(kept).collect();
            let below = refs(projections.iter().flatten());
            P::Expand {
                output: output.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(a, _)| a.clone()).collect(),
                projections,
                child: narrow(prune(child, &below), &below),
            }
        }
        P::Generate { generator, outer, qualifier, output, child } => {
            let below = with(&generator.references());
            P::Generate {
                generator: generator.clone(),
                outer: *outer,
                qualifier: qualifier.clone(),
                output: output.clone(),
                child: narrow(prune(child, &below), &below),
            }
        }
        P::EventTimeWatermark { column, delay, child } => {
            let below = with(&column.references());
            P::EventTimeWatermark { column: column.clone(), delay: *delay, child: narrow(prune(child, &below), &below) }
        }
        P::Limit { .. } | P::Offset { .. } | P::Tail { .. } | P::Sample { .. } | P::Hint { .. } => {
            (**plan).clone().map_children(&mut |c| narrow(prune(&c, needed), needed))
        }
        P::Repartition { by, .. } => {
            let below = with(&refs(by));
            (**plan).clone().map_children(&mut |c| narrow(prune(&c, &below), &below))
        }
        P::CollectMetrics { metrics, .. } => {
            let below = with(&refs(metrics));
            (**plan).clone().map_children(&mut |c| narrow(prune(&c, &below), &below))
        }
        P::Union { children, by_name, allow_missing } => {
            let keep: Vec<bool> = plan.output().iter().map(|a| needed.contains(&a.id)).collect();
            if keep.iter().all(|k| *k) {
                let children = children.iter().map(prune_all).collect();
                P::Union { children, by_name: *by_name, allow_missing: *allow_missing }
            } else {
                let children = children
                    .iter()
                    .map(|c| {
                        let own: Vec<_> =
                            c.output().into_iter().zip(&keep).filter(|(_, k)| **k).map(|(a, _)| a).collect();
                        let ids: Ids = own.iter().map(|a| a.id).collect();
                        let below = prune(c, &ids);
                        let list: Vec<Expr> = own.into_iter().map(Expr::Attribute).collect();
                        Arc::new(P::Project { list, child: below })
                    })
                    .collect();
                P::Union { children, by_name: *by_name, allow_missing: *allow_missing }
            }
        }
        P::Join(join) => {
            let mut below = needed.clone();
            if let JoinCondition::On(e) = &join.condition {
                below.extend(e.references());
            }
            let right = if matches!(join.kind, JoinKind::LeftSemi | JoinKind::LeftAnti) {
                match &join.condition {
                    JoinCondition::On(e) => e.references(),
                    _ => Ids::new(),
                }
            } else {
                below.clone()
            };
            P::Join(Join {
                left: narrow(prune(&join.left, &below), &below),
                right: narrow(prune(&join.right, &right), &right),
                kind: join.kind,
                condition: join.condition.clone(),
            })
        }
        // Nodes that look at whole rows: nothing is taken from them.
        _ => (**plan).clone().map_children(&mut |c| prune_all(&c)),
    })
}

fn prune_all(plan: &PlanRef) -> PlanRef {
    prune(plan, &plan.output_ids())
}
