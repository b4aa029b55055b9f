//! PushDownPredicates: filters move towards the leaves.

use std::sync::Arc;

use super::joins;
use super::{join_conjuncts, split_conjuncts};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{Attribute, Expr};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::value::Value;

/// Replaces attributes by what the aliases of `list` stand for.
pub(super) fn substitute(expr: &Expr, list: &[Expr]) -> Expr {
    expr.clone().transform_up(&mut |e| match &e {
        Expr::Attribute(a) => list
            .iter()
            .find_map(|named| match named {
                Expr::Alias(alias) if alias.id == a.id => Some(alias.child.clone()),
                _ => None,
            })
            .unwrap_or(e),
        _ => e,
    })
}

/// Whether all attributes of `expr` are among these columns.
pub(super) fn covered(expr: &Expr, columns: &[Arc<Attribute>]) -> bool {
    expr.references().iter().all(|id| columns.iter().any(|a| a.id == *id))
}

/// `child` under a filter of these terms.
pub(super) fn filtered(terms: Vec<Expr>, child: PlanRef) -> PlanRef {
    match join_conjuncts(terms) {
        Some(condition) => Arc::new(LogicalPlan::Filter { condition, child }),
        None => child,
    }
}

/// A filter over a plan, with these terms left above it.
fn left_above(stay: Vec<Expr>, plan: LogicalPlan) -> LogicalPlan {
    match join_conjuncts(stay) {
        Some(condition) => LogicalPlan::Filter { condition, child: Arc::new(plan) },
        None => plan,
    }
}

fn has_udf(e: &Expr) -> bool {
    e.any(&|x| matches!(x, Expr::PythonUdf(_)))
}

/// Moves every filter and join condition one step as far down as it may go, top down.
pub(super) fn push_down(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(push(plan))
}

fn push(plan: LogicalPlan) -> LogicalPlan {
    let moved = match plan {
        LogicalPlan::Filter { condition, child } => push_filter(condition, child),
        LogicalPlan::Join(join) => joins::push_condition(join),
        other => other,
    };
    moved.map_children(&mut |c| Arc::new(push(Arc::unwrap_or_clone(c))))
}

fn push_filter(condition: Expr, child: PlanRef) -> LogicalPlan {
    use LogicalPlan as P;
    let keep = |condition: Expr, child: PlanRef| P::Filter { condition, child };
    match (*child).clone() {
        // CombineFilters: the inner terms first, the outer ones that are not among them after.
        P::Filter { condition: inner, child } => {
            let mut terms = split_conjuncts(&inner);
            let outer: Vec<Expr> = split_conjuncts(&condition)
                .into_iter()
                .filter(|t| !t.deterministic() || !terms.iter().any(|known| known.semantic_eq(t)))
                .collect();
            terms.extend(outer);
            match join_conjuncts(terms) {
                Some(condition) => push_filter(condition, child),
                None => (*child).clone(),
            }
        }
        P::Project { list, child: below } => {
            if !list.iter().all(Expr::deterministic) || list.iter().any(|e| has_udf(e) && uses(&condition, e)) {
                return keep(condition, child);
            }
            let condition = substitute(&condition, &list);
            P::Project { list, child: Arc::new(push_filter(condition, below)) }
        }
        P::Aggregate { grouping, list, child: below } => {
            if grouping.is_empty() || !list.iter().all(Expr::deterministic) {
                return keep(condition, child);
            }
            let plain: Vec<Expr> = list.iter().filter(|e| !e.is_aggregate()).cloned().collect();
            let input = below.output();
            let (down, stay): (Vec<Expr>, Vec<Expr>) = split_conjuncts(&condition).into_iter().partition(|t| {
                t.deterministic()
                    && !t.has_subquery()
                    && !t.references().is_empty()
                    && covered(&substitute(t, &plain), &input)
                    && t.references().iter().all(|id| plain.iter().any(|p| p.expr_id() == Some(*id)))
            });
            if down.is_empty() {
                return keep(condition, child);
            }
            let down = down.iter().map(|t| substitute(t, &plain)).collect();
            left_above(stay, P::Aggregate { grouping, list, child: filtered(down, below) })
        }
        P::Window { list, partition_by, order_by, child: below } => {
            let keys: Vec<_> = partition_by
                .iter()
                .filter_map(|e| match e {
                    Expr::Attribute(a) => Some(Arc::clone(a)),
                    _ => None,
                })
                .collect();
            let (down, stay): (Vec<Expr>, Vec<Expr>) = split_conjuncts(&condition)
                .into_iter()
                .partition(|t| t.deterministic() && !t.references().is_empty() && covered(t, &keys));
            if down.is_empty() {
                return keep(condition, child);
            }
            left_above(stay, P::Window { list, partition_by, order_by, child: filtered(down, below) })
        }
        P::Union { children, by_name, allow_missing } => {
            let output = child.output();
            let (down, stay): (Vec<Expr>, Vec<Expr>) =
                split_conjuncts(&condition).into_iter().partition(|t| t.deterministic() && !t.has_subquery());
            if down.is_empty() {
                return keep(condition, child);
            }
            let children = children
                .into_iter()
                .map(|c| {
                    let own = c.output();
                    let terms = down.iter().map(|t| renamed(t, &output, &own)).collect();
                    filtered(terms, c)
                })
                .collect();
            left_above(stay, P::Union { children, by_name, allow_missing })
        }
        // Terms that do not look at the event time may drop rows before the watermark sees them.
        P::EventTimeWatermark { column, delay, child: below } => {
            let event_time = column.references();
            let (down, stay): (Vec<Expr>, Vec<Expr>) = split_conjuncts(&condition)
                .into_iter()
                .partition(|t| t.deterministic() && t.references().is_disjoint(&event_time));
            if down.is_empty() {
                return keep(condition, child);
            }
            left_above(stay, P::EventTimeWatermark { column, delay, child: filtered(down, below) })
        }
        P::Sort { order, global, child: below } => {
            through(condition, child, below.clone(), |below| P::Sort { order, global, child: below })
        }
        P::Repartition { partitions, shuffle, by, spread, child: below } => {
            through(condition, child, below.clone(), |below| P::Repartition {
                partitions,
                shuffle,
                by,
                spread,
                child: below,
            })
        }
        P::Generate { generator, outer, qualifier, output, child: below } if generator.deterministic() => {
            through(condition, child, below.clone(), |below| P::Generate {
                generator,
                outer,
                qualifier,
                output,
                child: below,
            })
        }
        P::Expand { projections, output, child: below } => {
            through(condition, child, below.clone(), |below| P::Expand { projections, output, child: below })
        }
        P::Distinct { child: below } => through(condition, child, below.clone(), |below| P::Distinct { child: below }),
        P::Hint { name, parameters, child: below } => {
            through(condition, child, below.clone(), |below| P::Hint { name, parameters, child: below })
        }
        P::Join(join) => joins::push_filter(condition, join),
        _ => keep(condition, child),
    }
}

/// Whether `condition` looks at the column that `named` makes.
fn uses(condition: &Expr, named: &Expr) -> bool {
    named.expr_id().is_some_and(|id| condition.references().contains(&id))
}

/// Attributes of `from` as those at the same places of `to`.
pub(super) fn renamed(expr: &Expr, from: &[Arc<Attribute>], to: &[Arc<Attribute>]) -> Expr {
    expr.clone().transform_up(&mut |e| match &e {
        Expr::Attribute(a) => match from.iter().position(|f| f.id == a.id) {
            Some(i) => to.get(i).map_or(e, |t| Expr::Attribute(Arc::clone(t))),
            None => e,
        },
        _ => e,
    })
}

/// Terms over the grandchild's columns go below a node that keeps them.
fn through(
    condition: Expr,
    child: PlanRef,
    below: PlanRef,
    rebuild: impl FnOnce(PlanRef) -> LogicalPlan,
) -> LogicalPlan {
    let input = below.output();
    let (down, stay): (Vec<Expr>, Vec<Expr>) =
        split_conjuncts(&condition).into_iter().partition(|t| t.deterministic() && covered(t, &input));
    if down.is_empty() {
        return LogicalPlan::Filter { condition, child };
    }
    left_above(stay, rebuild(filtered(down, below)))
}

/// PruneFilters: conditions that are always true go, and what can never hold leaves no rows. A stream is left as it is, so that
/// its operators run (spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan is off).
pub(super) fn prune(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Filter { condition, child } if condition.is_literal_bool(true) => Arc::unwrap_or_clone(child),
        LogicalPlan::Filter { condition, child } if never(&condition) && !child.is_streaming() => {
            LogicalPlan::LocalRelation(LocalRelation {
                output: child.output(),
                partitions: Arc::new(Vec::new()),
                from_rdd: false,
            })
        }
        other => other,
    }))
}

fn never(condition: &Expr) -> bool {
    condition.is_literal_bool(false) || matches!(condition, Expr::Literal { value: Value::Null, .. })
}
