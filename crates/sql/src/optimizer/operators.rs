//! Rules on whole operators: aliases and watermarks that go, DISTINCT and set operations, sorts without effect, unions.

use std::sync::Arc;

use super::calls::{call, first};
use super::{equal_null_safe, join_conjuncts};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{Attribute, Expr, ExprId, Site, SortOrder};
use crate::functions::SQL_FUNCTION;
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef, SetOperation};
use crate::types::DataType;
use crate::value::Value;

/// EliminateSubqueryAliases, EliminateView, EliminateSQLFunctionNode, ReplaceExpressions (`between`); a batch query has no use for watermarks
/// (EliminateEventTimeWatermark).
pub(super) fn finish_analysis(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    let replaced = |expr: Expr| match expr {
        Expr::Call(mut call) if &*call.name == "between" && call.args.len() == 1 => {
            call.args.pop().unwrap_or_else(|| Expr::bool(true))
        }
        Expr::Call(call) if let Some(value) = call.kernel.replacement(&call.args) => at_site(value, &call.site),
        Expr::Call(mut call) if &*call.name == SQL_FUNCTION && call.args.len() > 1 => call.args.swap_remove(1),
        other => other,
    };
    let plan = plan.transform_up(&mut |node| node.map_expressions(&mut |expr| expr.transform_up(&mut { replaced })));
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => Arc::unwrap_or_clone(child),
        LogicalPlan::EventTimeWatermark { child, .. } if !child.is_streaming() => Arc::unwrap_or_clone(child),
        other => other,
    }))
}

/// Gives the parts of an expression that have none yet a zone and a place.
fn at_site(value: Expr, of_call: &Site) -> Expr {
    value.transform_up(&mut |mut expr| {
        let site = match &mut expr {
            Expr::Call(call) => Some(&mut call.site),
            Expr::Cast { site, .. } => Some(site),
            _ => None,
        };
        if let Some(site) = site.filter(|site| site.zone.is_none()) {
            *site = of_call.clone();
        }
        expr
    })
}

pub(super) fn as_expressions(plan: &PlanRef) -> Vec<Expr> {
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
        LogicalPlan::SetOperation { kind, all: true, left, right } => rewrite_all(ctx, kind, left, &right),
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

/// EXCEPT ALL and INTERSECT ALL: rows are counted on both sides and repeated as often as they are left over, or are on both
/// (RewriteExceptAll, RewriteIntersectAll).
fn rewrite_all(ctx: &ExecContext<'_>, kind: SetOperation, left: PlanRef, right: &PlanRef) -> Result<LogicalPlan> {
    let long = |n: i64| Expr::literal(Value::Long(n), DataType::Long);
    let sign = |plan: &PlanRef, values: &[Expr]| {
        let list = values.iter().cloned().chain(as_expressions(plan)).collect();
        Arc::new(LogicalPlan::Project { list, child: Arc::clone(plan) })
    };
    let null = || Expr::literal(Value::Null, DataType::Boolean);
    let (marks, others) = match kind {
        SetOperation::Except => (vec![long(1).alias("vcol")], vec![long(-1).alias("vcol")]),
        SetOperation::Intersect => (
            vec![Expr::bool(true).alias("vcol1"), null().alias("vcol2")],
            vec![null().alias("vcol1"), Expr::bool(true).alias("vcol2")],
        ),
    };
    let count = marks.len();
    let union = Arc::new(LogicalPlan::Union {
        children: vec![sign(&left, &marks), sign(right, &others)],
        by_name: false,
        allow_missing: false,
    });
    let columns = union.output();
    let keys: Vec<Expr> = columns[count..].iter().cloned().map(Expr::Attribute).collect();
    let mark = |i: usize| Expr::Attribute(columns[i].clone());
    let sums = match kind {
        SetOperation::Except => vec![call(ctx, "sum", vec![mark(0)])?.alias("sum")],
        SetOperation::Intersect => vec![
            call(ctx, "count", vec![mark(0)])?.alias("vcol1_count"),
            call(ctx, "count", vec![mark(1)])?.alias("vcol2_count"),
        ],
    };
    let list: Vec<Expr> = sums.into_iter().chain(keys.iter().cloned()).collect();
    let counted: PlanRef = Arc::new(LogicalPlan::Aggregate { grouping: keys, list, child: union });
    let totals = counted.output();
    let total = |i: usize| Expr::Attribute(totals[i].clone());
    let (condition, times) = match kind {
        SetOperation::Except => (call(ctx, ">", vec![total(0), long(0)])?, total(0)),
        SetOperation::Intersect => {
            let one = long(1);
            let both = [call(ctx, ">=", vec![total(0), one.clone()])?, call(ctx, ">=", vec![total(1), one])?];
            let least = call(ctx, "least", vec![total(0), total(1)])?;
            (super::join_conjuncts(both.into()).unwrap_or_else(|| Expr::bool(true)), least)
        }
    };
    let child: PlanRef = Arc::new(LogicalPlan::Filter { condition, child: counted });
    let rows: Vec<Expr> = totals[count..].iter().cloned().map(Expr::Attribute).collect();
    let output: Vec<_> =
        left.output().into_iter().map(|a| Arc::new(Attribute { id: ExprId::fresh(), ..(*a).clone() })).collect();
    let generator = crate::functions::generator::replicate_rows(times, rows);
    let generated =
        Arc::new(LogicalPlan::Generate { generator, outer: false, qualifier: None, output: output.clone(), child });
    let list = output
        .into_iter()
        .zip(left.output())
        .map(|(made, old)| Expr::Attribute(made).alias_with(&old.name, old.id))
        .collect();
    Ok(LogicalPlan::Project { list, child: generated })
}

fn distinct(child: PlanRef) -> LogicalPlan {
    LogicalPlan::Aggregate { grouping: as_expressions(&child), list: as_expressions(&child), child }
}

/// EliminateSorts: below another sort, and below aggregates that do not mind the order.
pub(super) fn eliminate_sorts(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(without_idle_sorts(plan))
}

/// A plan without the sorts that change nothing.
pub(crate) fn without_idle_sorts(plan: LogicalPlan) -> LogicalPlan {
    plan.transform_up(&mut |node| match node {
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
    })
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
                "sum" | "avg" | "mean" | "stddev" | "variance" => !floating,
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
