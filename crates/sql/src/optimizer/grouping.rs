//! Rules on the grouping expressions of aggregates.

use std::sync::Arc;

use super::operators::as_expressions;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::Expr;
use crate::plan::LogicalPlan;
use crate::types::DataType;
use crate::value::Value;

/// PullOutGroupingExpressions: a grouping expression that is more than a column becomes a column below, and stands for itself
/// in the list. The keys of a streaming aggregation's state have that column's name.
pub(super) fn pull_out(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| {
        let LogicalPlan::Aggregate { grouping, list, child } = node else { return node };
        let mut pulled: Vec<(Expr, Expr)> = Vec::new();
        let grouping = grouping
            .into_iter()
            .map(|key| {
                if key.unaliased().foldable() || key.unaliased().children().is_empty() {
                    return key;
                }
                let canonical = key.unaliased().canonical();
                let known = pulled.iter().position(|(known, _)| *known == canonical).unwrap_or_else(|| {
                    pulled.push((canonical, key.unaliased().clone().alias("_groupingexpression")));
                    pulled.len() - 1
                });
                Expr::Attribute(pulled[known].1.to_attribute())
            })
            .collect();
        if pulled.is_empty() {
            return LogicalPlan::Aggregate { grouping, list, child };
        }
        let list = list.into_iter().map(|e| outside_functions(e, &pulled)).collect();
        let mut below = as_expressions(&child);
        below.extend(pulled.into_iter().map(|(_, alias)| alias));
        LogicalPlan::Aggregate { grouping, list, child: Arc::new(LogicalPlan::Project { list: below, child }) }
    }))
}

/// `expr` with the columns of pulled expressions in their places, but for the arguments of aggregate functions.
fn outside_functions(expr: Expr, pulled: &[(Expr, Expr)]) -> Expr {
    if matches!(expr, Expr::Aggregate(_)) || expr.foldable() {
        return expr;
    }
    // A name around an expression is part of the list, not of the expression.
    if !matches!(expr, Expr::Alias(_)) {
        let canonical = expr.canonical();
        if let Some((_, alias)) = pulled.iter().find(|(known, _)| *known == canonical) {
            return Expr::Attribute(alias.to_attribute());
        }
    }
    expr.map_children(&mut |child| outside_functions(child, pulled))
}

/// RemoveLiteralFromGroupExpressions and RemoveRepetitionFromGroupExpressions. One constant stays where there is nothing else:
/// without any key an aggregate of no rows has one.
pub(super) fn remove_idle_keys(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| {
        let LogicalPlan::Aggregate { grouping, list, child } = node else { return node };
        let all = grouping.len();
        let mut keys: Vec<Expr> = Vec::with_capacity(all);
        for key in grouping {
            let repeated = key.deterministic() && keys.iter().any(|known| known.canonical() == key.canonical());
            if !key.foldable() && !repeated {
                keys.push(key);
            }
        }
        if keys.is_empty() && all > 0 {
            keys.push(Expr::literal(Value::Integer(0), DataType::Integer));
        }
        LogicalPlan::Aggregate { grouping: keys, list, child }
    }))
}

/// ExtractGroupingPythonUDFFromAggregate: the script's functions among the grouping expressions are columns below.
pub(super) fn script_functions(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| {
        let LogicalPlan::Aggregate { grouping, list, child } = node else { return node };
        let of_script = |e: &Expr| e.any(&|inner| matches!(inner, Expr::PythonUdf(_)));
        if !grouping.iter().any(of_script) {
            return LogicalPlan::Aggregate { grouping, list, child };
        }
        let mut below = as_expressions(&child);
        let mut known: Vec<(Expr, Expr)> = Vec::new();
        for key in grouping.iter().filter(|key| of_script(key)) {
            let alias = key.unaliased().clone().alias("groupingPythonUDF");
            known.push((key.unaliased().clone(), Expr::Attribute(alias.to_attribute())));
            below.push(alias);
        }
        let mut swap = |e: Expr| match known.iter().find(|(udf, _)| udf.semantic_eq(&e)) {
            // A name that the list gives to the key stays around it.
            Some((_, column)) if !matches!(e, Expr::Alias(_)) => column.clone(),
            _ => e,
        };
        let grouping = grouping.into_iter().map(|e| e.transform_down(&mut swap)).collect();
        let list = list.into_iter().map(|e| e.transform_down(&mut swap)).collect();
        let child = Arc::new(LogicalPlan::Project { list: below, child });
        LogicalPlan::Aggregate { grouping, list, child }
    }))
}
