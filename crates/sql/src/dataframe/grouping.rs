//! groupBy, rollup, cube, groupingSets, pivot.

use super::{Grouping, node};
use crate::analyzer::Analyzer;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Expr, SortOrder};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::DataType;
use crate::value::{Value, value_at};

/// groupBy(...).agg(...): the grouping columns come first (spark.sql.retainGroupColumns).
pub fn aggregate(session: &SqlSession, plan: &PlanRef, grouping: Grouping, aggregates: Vec<Expr>) -> Result<PlanRef> {
    let retain = session.conf.borrow().bool("spark.sql.retainGroupColumns");
    let list = |by: &[Expr]| {
        let mut list = if retain { by.to_vec() } else { Vec::new() };
        list.extend(aggregates.iter().cloned());
        list
    };
    let child = plan.clone();
    let plan = match grouping {
        Grouping::By(by) => LogicalPlan::Aggregate { list: list(&by), grouping: by, child },
        Grouping::Rollup(by) => {
            let sets = (0..=by.len()).rev().map(|n| (0..n).collect()).collect();
            LogicalPlan::GroupingSets { list: list(&by), sets, by, child }
        }
        Grouping::Cube(by) => LogicalPlan::GroupingSets { list: list(&by), sets: cube_sets(by.len()), by, child },
        Grouping::Sets(by, sets) => LogicalPlan::GroupingSets { list: list(&by), sets, by, child },
    };
    node(session, plan)
}

/// All subsets in the order that Spark makes them: with the first key before without it.
pub(crate) fn cube_sets(n: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for key in (0..n).rev() {
        let mut with: Vec<Vec<usize>> =
            sets.iter().map(|set| [key].into_iter().chain(set.iter().copied()).collect()).collect();
        with.extend(sets);
        sets = with;
    }
    sets
}

/// groupBy(...).pivot(column, values).agg(...); without values they are collected (refused on streams).
pub fn pivot(
    session: &SqlSession,
    plan: &PlanRef,
    grouping: Vec<Expr>,
    column: Expr,
    values: Option<Vec<Expr>>,
    aggregates: Vec<Expr>,
) -> Result<PlanRef> {
    let column = match column {
        Expr::UnresolvedAttribute(parts) => {
            let name: Vec<String> = parts.iter().map(|part| crate::types::quote_if_needed(part)).collect();
            super::column(session, plan, &name.join("."))?
        }
        other => other,
    };
    let column = super::lineage::plain(column);
    let values = match values {
        Some(values) => values,
        None => pivot_values(session, plan, &column)?,
    };
    node(session, LogicalPlan::Pivot { grouping, column, values, aggregates, child: plan.clone() })
}

/// The values that the pivot column has, sorted (RelationalGroupedDataset.collectPivotValues).
fn pivot_values(session: &SqlSession, plan: &PlanRef, column: &Expr) -> Result<Vec<Expr>> {
    if plan.is_streaming() {
        return Err(SparkError::new(ErrorClass::Analysis, "_LEGACY_ERROR_TEMP_3063", &[]));
    }
    let max = session.conf.borrow().int("spark.sql.pivotMaxValues");
    let mut analyzer = Analyzer::new(session);
    let child = analyzer.node(LogicalPlan::Project { list: vec![column.clone()], child: plan.clone() })?;
    let distinct = super::distinct(session, &child)?;
    let limited = super::limit(session, &distinct, i32::try_from(max + 1).unwrap_or(i32::MAX))?;
    let key = limited.output().first().cloned().ok_or_else(|| SparkError::internal("a pivot column"))?;
    let data_type: DataType = key.data_type.clone();
    let order = vec![SortOrder { child: Expr::Attribute(key), ascending: true, nulls_first: true }];
    let sorted = analyzer.node(LogicalPlan::Sort { order, global: true, child: limited })?;
    let mut values: Vec<Value> = Vec::new();
    for batch in super::collect(session, &sorted)? {
        for row in 0..batch.num_rows() {
            values.push(value_at(&**batch.column(0), row, &data_type));
        }
    }
    if i64::try_from(values.len()).unwrap_or(i64::MAX) > max {
        let conf = "spark.sql.pivotMaxValues";
        return Err(SparkError::analysis(
            "_LEGACY_ERROR_TEMP_1324",
            &[("pivotColumn", &column.pretty_sql()), ("maxValues", &max.to_string()), ("conf", conf)],
        ));
    }
    Ok(values.into_iter().map(|value| Expr::literal(value, data_type.clone())).collect())
}
