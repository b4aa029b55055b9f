//! GROUP BY and groupBy().agg(): grouping by position, by alias, ALL; the checks of aggregations.

use std::sync::Arc;

use super::functions::strip_origin;
use super::names::{trim_all_aliases, trim_inner_aliases};
use super::project::has_plain_aggregate;
use super::{Analyzer, checks};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, UdfKind, quoted_sql};
use crate::plan::{LogicalPlan, PlanRef};
use crate::value::Value;

impl Analyzer<'_> {
    pub(super) fn aggregate(&mut self, grouping: Vec<Expr>, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
        let resolved = match self.select_list(list.clone(), child) {
            Ok(resolved) => resolved,
            Err(error) if names_window(&grouping) => return self.aggregate_by_window(grouping, list, child, error),
            Err(error) => return Err(error),
        };
        let grouping = self.grouping_expressions(grouping, &resolved, child)?;
        self.finish_aggregate(grouping, resolved, child)
    }

    /// GROUP BY window(...): the list may name the column `window` that the grouping makes.
    fn aggregate_by_window(
        &mut self,
        grouping: Vec<Expr>,
        list: Vec<Expr>,
        child: &PlanRef,
        error: SparkError,
    ) -> Result<PlanRef> {
        let place = self.origin.clone();
        let scope = self.scope(child);
        let mut keys = Vec::new();
        for key in grouping {
            keys.push(trim_all_aliases(self.expr(key, &scope)?));
        }
        let (columns, below) = self.extract_time_windows(keys.clone(), child)?;
        let Ok(list) = self.select_list(list, &below) else {
            self.origin = place;
            return Err(error);
        };
        // window(...) written out again in the list is the same column.
        let list = list
            .into_iter()
            .map(|item| {
                item.transform_down(&mut |expr| match keys.iter().position(|key| key.semantic_eq(&expr)) {
                    Some(i) if matches!(expr, Expr::TimeWindow(_) | Expr::SessionWindow(_)) => columns[i].clone(),
                    _ => expr,
                })
            })
            .collect();
        self.finish_aggregate(columns, list, &below)
    }

    /// Grouping expressions resolved: positions and aliases of the list, ALL, and columns of the child.
    pub(super) fn grouping_expressions(
        &mut self,
        grouping: Vec<Expr>,
        list: &[Expr],
        child: &PlanRef,
    ) -> Result<Vec<Expr>> {
        if let [only] = grouping.as_slice()
            && let Expr::At { .. } = only
            && let Expr::UnresolvedAttribute(parts) = strip_origin(only)
            && parts.len() == 1
            && parts[0].eq_ignore_ascii_case("all")
            && self.try_column(&child.output(), parts)?.is_none()
        {
            return Ok(list
                .iter()
                .filter(|item| !has_plain_aggregate(item))
                .map(|item| trim_all_aliases(item.clone()))
                .collect());
        }
        let scope = self.scope(child);
        let mut out = Vec::new();
        for item in grouping {
            if let Expr::Literal { value: Value::Integer(position), .. } = strip_origin(&item)
                && self.conf.bool("spark.sql.groupByOrdinal")
            {
                out.push(self.by_position(*position, &item, list)?);
                continue;
            }
            let name = match strip_origin(&item) {
                Expr::UnresolvedAttribute(parts) if parts.len() == 1 => Some(parts[0].clone()),
                _ => None,
            };
            match self.expr(item, &scope) {
                Ok(expr) => out.push(trim_all_aliases(expr)),
                Err(error) => {
                    let aliased = name.and_then(|name| {
                        list.iter().find_map(|expr| match expr {
                            Expr::Alias(alias)
                                if alias.names.len() == 1 && self.conf.same_name(&alias.names[0], &name) =>
                            {
                                Some(alias.child.clone())
                            }
                            _ => None,
                        })
                    });
                    match aliased {
                        Some(expr) => out.push(trim_all_aliases(expr)),
                        None => return Err(error),
                    }
                }
            }
        }
        Ok(out)
    }

    fn by_position(&mut self, position: i32, item: &Expr, list: &[Expr]) -> Result<Expr> {
        if let Expr::At { origin, .. } = item {
            self.origin = Some(origin.clone());
        }
        let found = usize::try_from(position).ok().filter(|p| *p >= 1).and_then(|p| list.get(p - 1));
        let Some(found) = found else {
            let error = SparkError::analysis(
                "GROUP_BY_POS_OUT_OF_RANGE",
                &[("index", &position.to_string()), ("size", &list.len().to_string())],
            );
            return Err(self.at_place(error));
        };
        if has_plain_aggregate(found) {
            let error = SparkError::analysis(
                "GROUP_BY_POS_AGGREGATE",
                &[("index", &position.to_string()), ("aggExpr", &named_sql(found))],
            );
            return Err(self.at_place(error));
        }
        self.origin = None;
        Ok(trim_all_aliases(found.clone()))
    }

    /// An aggregation whose expressions are resolved: time windows, generators and window functions are taken out of it.
    pub(super) fn finish_aggregate(
        &mut self,
        grouping: Vec<Expr>,
        list: Vec<Expr>,
        child: &PlanRef,
    ) -> Result<PlanRef> {
        let split = grouping.len();
        let mut all = grouping;
        all.extend(list);
        let (mut all, child) = self.extract_time_windows(all, child)?;
        let list: Vec<Expr> = all.split_off(split).into_iter().map(trim_inner_aliases).collect();
        let grouping = all;
        if let Some(window) = grouping.iter().find(|item| item.any(&|expr| matches!(expr, Expr::Window(_)))) {
            // The window is taken out of the aggregation, which then lacks the columns that it reads.
            let mut read = None;
            window.visit(&mut |expr| {
                if let Expr::Attribute(_) = expr {
                    read.get_or_insert_with(|| expr.clone());
                }
            });
            let error = match read {
                Some(column) => missing_aggregation_error(&column, &grouping),
                None => SparkError::analysis(
                    "UNSUPPORTED_EXPR_FOR_OPERATOR",
                    &[("operator", "Aggregate"), ("invalidExprSqls", &crate::expr::quoted_sql(window))],
                ),
            };
            return Err(self.failed_aggregate(error, LogicalPlan::Aggregate { grouping, list, child }));
        }
        checks::no_grouping_functions(&list)?;
        super::windows::check_no_bare_windows(&list)?;
        if list.iter().any(|item| item.any(&|expr| matches!(expr, Expr::Window(_) | Expr::Generator(_)))) {
            return self.aggregate_then(grouping, list, &child);
        }
        let plan = LogicalPlan::Aggregate { grouping, list, child };
        match checks::aggregate(self, &plan) {
            Ok(()) => Ok(Arc::new(plan)),
            Err(error) => Err(self.failed_aggregate(error, plan)),
        }
    }

    /// What Spark finds in the resolved aggregation shows it.
    fn failed_aggregate(&mut self, error: SparkError, plan: LogicalPlan) -> SparkError {
        match error.condition.as_deref() {
            Some("MISSING_GROUP_BY" | "MISSING_AGGREGATION" | "GROUP_BY_AGGREGATE" | "NESTED_AGGREGATE_FUNCTION") => {
                self.failed(error, plan)
            }
            _ => error,
        }
    }

    /// An aggregation with window functions or generators in its list: aggregate first, then the rest over its columns.
    fn aggregate_then(&mut self, grouping: Vec<Expr>, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
        for item in &list {
            if let Expr::Generator(call) = item.unaliased()
                && let Some(missing) = call.args.iter().find_map(|arg| missing_aggregation(arg, &grouping))
            {
                return Err(missing_aggregation_error(&missing, &grouping));
            }
        }
        let mut inner: Vec<Expr> = Vec::new();
        let outer: Vec<Expr> = list.into_iter().map(|item| lift(item, &grouping, &mut inner)).collect();
        let made: Vec<_> = inner.iter().map(Expr::to_attribute).collect();
        let below = child.output();
        let mut missing = None;
        for item in &outer {
            item.visit(&mut |expr| {
                if let Expr::Attribute(column) = expr
                    && !made.iter().any(|known| known.id == column.id)
                    && below.iter().any(|known| known.id == column.id)
                {
                    missing.get_or_insert_with(|| expr.clone());
                }
            });
        }
        if let Some(column) = missing {
            let error = missing_aggregation_error(&column, &grouping);
            let plan = LogicalPlan::Aggregate { grouping, list: inner, child: child.clone() };
            return Err(self.failed_aggregate(error, plan));
        }
        let aggregate = LogicalPlan::Aggregate { grouping, list: inner, child: child.clone() };
        checks::aggregate(self, &aggregate)?;
        self.finish_project(outer, &Arc::new(aggregate))
    }
}

/// Replaces what the aggregation computes (aggregates and grouping expressions) by its columns, which go to `inner`.
/// The function of a window stays in place; only what is inside it is lifted.
pub(super) fn lift(expr: Expr, grouping: &[Expr], inner: &mut Vec<Expr>) -> Expr {
    match expr {
        Expr::Window(mut call) => {
            call.function = call.function.map_children(&mut |child| lift(child, grouping, inner));
            let spec = call.spec.clone();
            call.spec.partition_by = spec.partition_by.into_iter().map(|child| lift(child, grouping, inner)).collect();
            for (order, old) in call.spec.order_by.iter_mut().zip(spec.order_by) {
                order.child = lift(old.child, grouping, inner);
            }
            Expr::Window(call)
        }
        Expr::Alias(mut alias) => {
            let is_key = grouping.iter().any(|key| key.semantic_eq(&alias.child));
            if is_key || matches!(alias.child, Expr::Aggregate(_)) {
                let item = Expr::Alias(alias);
                let column = item.to_attribute();
                inner.push(item);
                return Expr::Attribute(column);
            }
            alias.child = lift(alias.child, grouping, inner);
            Expr::Alias(alias)
        }
        other => {
            let is_key = grouping.iter().any(|key| key.semantic_eq(&other));
            if is_key || matches!(other, Expr::Aggregate(_)) {
                if let Some(known) = inner.iter().find(|item| item.unaliased().semantic_eq(&other)) {
                    return Expr::Attribute(known.to_attribute());
                }
                let item = super::names::named(other);
                let column = item.to_attribute();
                inner.push(item);
                return Expr::Attribute(column);
            }
            other.map_children(&mut |child| lift(child, grouping, inner))
        }
    }
}

fn names_window(grouping: &[Expr]) -> bool {
    grouping.iter().any(|key| match strip_origin(key) {
        Expr::UnresolvedFunction(call) => {
            ["window", "session_window"].iter().any(|name| call.name.eq_ignore_ascii_case(name))
        }
        _ => false,
    })
}

/// Whether the expression can be computed from grouping expressions and aggregates alone; the offending part otherwise.
pub(super) fn missing_aggregation(expr: &Expr, grouping: &[Expr]) -> Option<Expr> {
    match expr {
        Expr::Aggregate(_) => None,
        Expr::PythonUdf(udf) if udf.kind == UdfKind::PandasAggregate => None,
        _ if grouping.iter().any(|key| key.semantic_eq(expr)) => None,
        Expr::Attribute(_) => Some(expr.clone()),
        other => other.children().into_iter().find_map(|child| missing_aggregation(child, grouping)),
    }
}

/// MISSING_AGGREGATION or, without any grouping, MISSING_GROUP_BY.
pub(super) fn missing_aggregation_error(expr: &Expr, grouping: &[Expr]) -> SparkError {
    if grouping.is_empty() {
        return SparkError::analysis("MISSING_GROUP_BY", &[]);
    }
    SparkError::analysis(
        "MISSING_AGGREGATION",
        &[("expression", &quoted_sql(expr)), ("expressionAnyValue", &format!("\"any_value({})\"", expr.pretty_sql()))],
    )
}

/// A named expression as SQL text (Alias.sql).
fn named_sql(expr: &Expr) -> String {
    let sql = checks::qualified(expr.unaliased()).pretty_sql();
    match expr {
        Expr::Alias(alias) => format!("{sql} AS {}", super::quote_parts(&alias.names)),
        _ => sql,
    }
}
