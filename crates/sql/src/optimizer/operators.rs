//! Rules on whole operators: aliases and watermarks that go, DISTINCT and set operations, sorts without effect, unions.

use std::sync::Arc;

use super::calls::first;
use super::{equal_null_safe, join_conjuncts};
use crate::error::{Result, SparkError};
use crate::exec::ExecContext;
use crate::expr::{Expr, SortOrder};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef, SetOperation};
use crate::types::DataType;
use crate::value::Value;

/// EliminateSubqueryAliases, EliminateView; a batch query has no use for watermarks (EliminateEventTimeWatermark).
pub(super) fn finish_analysis(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => Arc::unwrap_or_clone(child),
        LogicalPlan::EventTimeWatermark { child, .. } if !child.is_streaming() => Arc::unwrap_or_clone(child),
        other => other,
    }))
}

fn as_expressions(plan: &PlanRef) -> Vec<Expr> {
    plan.output().into_iter().map(Expr::Attribute).collect()
}

/// DISTINCT as an aggregate over all columns, dropDuplicates of a batch as one with first(), INTERSECT and EXCEPT as semi
/// and anti joins.
pub(super) fn replace_distinct(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.try_transform_up(&mut |node| match node {
        LogicalPlan::Distinct { child } => Ok(distinct(child)),
        LogicalPlan::Deduplicate { columns, within_watermark: false, child } if !child.is_streaming() => {
            let keys: Vec<_> = columns.iter().filter_map(Expr::expr_id).collect();
            let all = columns.is_empty();
            let list = child
                .output()
                .into_iter()
                .map(|a| {
                    if all || keys.contains(&a.id) {
                        Ok(Expr::Attribute(a))
                    } else {
                        let name = a.name.to_string();
                        let id = a.id;
                        Ok(first(ctx, Expr::Attribute(a))?.alias_with(&name, id))
                    }
                })
                .collect::<Result<Vec<_>>>()?;
            let mut grouping = if all { as_expressions(&child) } else { columns };
            if grouping.is_empty() {
                grouping.push(Expr::literal(Value::Integer(1), DataType::Integer));
            }
            Ok(LogicalPlan::Aggregate { grouping, list, child })
        }
        LogicalPlan::SetOperation { all: true, .. } => Err(SparkError::not_yet("INTERSECT ALL and EXCEPT ALL")),
        LogicalPlan::SetOperation { kind, all: false, left, right } => {
            let terms = left
                .output()
                .into_iter()
                .zip(right.output())
                .map(|(l, r)| equal_null_safe(Expr::Attribute(l), Expr::Attribute(r)))
                .collect();
            let kind = match kind {
                SetOperation::Intersect => JoinKind::LeftSemi,
                SetOperation::Except => JoinKind::LeftAnti,
            };
            let condition = join_conjuncts(terms).map_or(JoinCondition::None, JoinCondition::On);
            Ok(distinct(Arc::new(LogicalPlan::Join(Join { left, right, kind, condition }))))
        }
        other => Ok(other),
    })
}

fn distinct(child: PlanRef) -> LogicalPlan {
    LogicalPlan::Aggregate { grouping: as_expressions(&child), list: as_expressions(&child), child }
}

/// EliminateSorts: below another sort, and below aggregates that do not mind the order.
pub(super) fn eliminate_sorts(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Sort { order, global, child } => {
            let order: Vec<SortOrder> = order.into_iter().filter(|o| !o.child.foldable()).collect();
            if order.is_empty() {
                return Arc::unwrap_or_clone(child);
            }
            let child = if global { without_sort(child, true) } else { without_sort(child, false) };
            LogicalPlan::Sort { order, global, child }
        }
        LogicalPlan::Aggregate { grouping, list, child } if list.iter().all(order_irrelevant) => {
            LogicalPlan::Aggregate { grouping, list, child: without_sort(child, true) }
        }
        other => other,
    }))
}

/// Takes sorts away below nodes that pass the order on.
fn without_sort(plan: PlanRef, global_too: bool) -> PlanRef {
    match &*plan {
        LogicalPlan::Sort { child, global, .. } if global_too || !*global => {
            without_sort(Arc::clone(child), global_too)
        }
        LogicalPlan::Project { list, child } if list.iter().all(Expr::deterministic) => {
            Arc::new(LogicalPlan::Project { list: list.clone(), child: without_sort(Arc::clone(child), global_too) })
        }
        LogicalPlan::Filter { condition, child } if condition.deterministic() => Arc::new(LogicalPlan::Filter {
            condition: condition.clone(),
            child: without_sort(Arc::clone(child), global_too),
        }),
        _ => plan,
    }
}

fn order_irrelevant(e: &Expr) -> bool {
    let mut fine = true;
    e.visit(&mut |x| match x {
        Expr::Aggregate(call) => {
            let floating =
                call.args.first().is_some_and(|a| matches!(a.data_type(), DataType::Float | DataType::Double));
            fine &= match &*call.name {
                "min" | "max" | "count" | "bit_and" | "bit_or" | "bit_xor" | "bool_and" | "bool_or" | "count_if" => {
                    true
                }
                "sum" | "avg" | "stddev" | "variance" => !floating,
                _ => false,
            };
        }
        Expr::PythonUdf(_) => fine = false,
        _ => {}
    });
    fine
}

/// CombineUnions: a union of unions is one.
pub(super) fn combine_unions(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Union { children, by_name, allow_missing } => {
            let mut flat = Vec::new();
            for child in children {
                match &*child {
                    LogicalPlan::Union { children: inner, .. } => flat.extend(inner.iter().cloned()),
                    _ => flat.push(child),
                }
            }
            LogicalPlan::Union { children: flat, by_name, allow_missing }
        }
        other => other,
    }))
}
