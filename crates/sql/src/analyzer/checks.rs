//! Checks of resolved nodes (CheckAnalysis).

use super::Analyzer;
use super::aggregate::{missing_aggregation, missing_aggregation_error};
use super::functions::GROUPING;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder, quoted_sql};
use crate::plan::{LogicalPlan, PlanRef, Spread};
use crate::types::DataType;
use crate::value::Value;

/// Aggregations: no aggregate in a key, none inside another, every column grouped or aggregated, keys that can be compared.
pub(super) fn aggregate(analyzer: &Analyzer<'_>, plan: &LogicalPlan) -> Result<()> {
    let LogicalPlan::Aggregate { grouping, list, .. } = plan else { return Ok(()) };
    for key in grouping {
        if key.any(&|expr| matches!(expr, Expr::Aggregate(_))) {
            return Err(SparkError::analysis("GROUP_BY_AGGREGATE", &[("sqlExpr", &qualified(key).pretty_sql())]));
        }
        // Maps are compared by their sorted entries (InsertMapSortInGroupingExpressions).
        if !can_group(&key.data_type()) {
            return Err(SparkError::analysis(
                "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                &[("sqlExpr", &quoted_sql(key)), ("dataType", &key.data_type().quoted_sql())],
            ));
        }
    }
    for item in list {
        let mut nested = false;
        let mut nondeterministic = None;
        item.visit(&mut |expr| {
            if let Expr::Aggregate(call) = expr {
                nested |= call.args.iter().any(|arg| arg.any(&|inner| matches!(inner, Expr::Aggregate(_))));
                nondeterministic =
                    nondeterministic.take().or_else(|| call.args.iter().find(|arg| !arg.deterministic()).cloned());
            }
        });
        if nested {
            return Err(SparkError::analysis("NESTED_AGGREGATE_FUNCTION", &[]));
        }
        if let Some(arg) = nondeterministic {
            return Err(SparkError::analysis(
                "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
                &[("sqlExpr", &quoted_sql(&arg))],
            ));
        }
        if let Some(part) = missing_aggregation(item, grouping) {
            return Err(missing_aggregation_error(&part, grouping));
        }
    }
    inputs_present(analyzer, plan)
}

/// Every column that the node reads is given by a child (missing attributes of df["x"] from another DataFrame).
pub(super) fn inputs_present(analyzer: &Analyzer<'_>, plan: &LogicalPlan) -> Result<()> {
    let children = plan.child_plans();
    let input: Vec<_> = children.iter().flat_map(|child| child.output()).collect();
    let mut missing: Vec<std::sync::Arc<crate::expr::Attribute>> = Vec::new();
    plan.for_each_expression(&mut |expr| {
        expr.visit(&mut |inner| {
            if let Expr::Attribute(attribute) = inner
                && !input.iter().any(|column| column.id == attribute.id)
                && !analyzer.outer.iter().flatten().any(|column| column.id == attribute.id)
                && !missing.iter().any(|known| known.id == attribute.id)
            {
                missing.push(attribute.clone());
            }
        });
    });
    if missing.is_empty() {
        return Ok(());
    }
    let list = |columns: &[std::sync::Arc<crate::expr::Attribute>]| {
        let names: Vec<String> = columns.iter().map(|column| super::quoted(&column.name)).collect();
        names.join(", ").replace('`', "\"")
    };
    let line = crate::explain::node_line(plan);
    let operator = if line.starts_with(['\'', '!']) { line } else { format!("!{line}") };
    let same: Vec<String> = missing
        .iter()
        .filter(|attribute| input.iter().any(|column| analyzer.conf.same_name(&column.name, &attribute.name)))
        .map(|attribute| format!("\"{}\"", attribute.name))
        .collect();
    let parameters = [("missingAttributes", list(&missing)), ("input", list(&input)), ("operator", operator)];
    let mut parameters: Vec<(&str, &str)> = parameters.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let repeated = same.join(", ");
    let condition = if same.is_empty() {
        "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT"
    } else {
        parameters.push(("operation", &repeated));
        "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_APPEAR_IN_OPERATION"
    };
    Err(SparkError::analysis(condition, &parameters))
}

/// INVALID_WHERE_CONDITION for aggregates outside of HAVING.
pub(super) fn invalid_where(condition: &Expr, expressions: &str) -> SparkError {
    SparkError::analysis(
        "INVALID_WHERE_CONDITION",
        &[("condition", &quoted_sql(condition)), ("expressionList", expressions)],
    )
}

/// grouping() or grouping_id() is in it, not yet put over an aggregation of several sets.
pub(super) fn has_grouping_function(expr: &Expr) -> bool {
    expr.any(&|inner| matches!(inner, Expr::Call(call) if GROUPING.contains(&&*call.name)))
}

/// grouping() and grouping_id() need rollup, cube or grouping sets.
pub(super) fn no_grouping_functions(list: &[Expr]) -> Result<()> {
    if list.iter().any(has_grouping_function) {
        Err(SparkError::analysis("UNSUPPORTED_GROUPING_EXPRESSION", &[]))
    } else {
        Ok(())
    }
}

/// The columns of a text under their qualified names (Expression.sql).
pub(super) fn qualified(expr: &Expr) -> Expr {
    expr.clone().transform_up(&mut |inner| match inner {
        Expr::Attribute(attribute) if !attribute.qualifier.is_empty() => {
            let parts = attribute.qualifier.iter().cloned().chain([attribute.name.to_string()]).collect();
            Expr::UnresolvedAttribute(parts)
        }
        other => other,
    })
}

/// LIMIT, OFFSET and tail: a constant integer that is not negative.
pub(super) fn limit_like(analyzer: &Analyzer<'_>, name: &str, expr: Expr, child: &PlanRef) -> Result<Expr> {
    let failed = |condition: &str, extra: &[(&str, &str)]| {
        let sql = quoted_sql(&expr);
        let mut parameters = vec![("name", name), ("expr", sql.as_str())];
        parameters.extend_from_slice(extra);
        let error = SparkError::analysis(condition, &parameters);
        let node = LogicalPlan::Limit { limit: expr.clone(), child: child.clone() };
        analyzer.at_node(error, &node)
    };
    if !expr.foldable() {
        return Err(failed("INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", &[]));
    }
    let data_type = expr.data_type();
    if !matches!(data_type, DataType::Integer | DataType::Short | DataType::Byte) {
        return Err(failed("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", &[("dataType", &data_type.quoted_sql())]));
    }
    match super::coercion::constant(analyzer, &expr)? {
        Value::Null => Err(failed("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", &[])),
        value => match value.as_i64() {
            Some(v) if v < 0 => Err(failed("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", &[("v", &v.to_string())])),
            Some(v) => Ok(Expr::literal(Value::Integer(v as i32), DataType::Integer)),
            None => Err(failed("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", &[])),
        },
    }
}

/// Types that can be grouped by: those with an order, and maps of such.
fn can_group(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map { key, value, .. } => can_group(key) && can_group(value),
        DataType::Array { element, .. } => can_group(element),
        DataType::Struct(fields) => fields.fields.iter().all(|field| can_group(&field.data_type)),
        other => can_order(other),
    }
}

/// Types with an order: all but maps, variants, calendar intervals, and what contains them.
pub(super) fn can_order(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map { .. } | DataType::Variant | DataType::CalendarInterval => false,
        DataType::Array { element, .. } => can_order(element),
        DataType::Struct(fields) => fields.fields.iter().all(|field| can_order(&field.data_type)),
        _ => true,
    }
}

/// A sort key must have an order.
pub(super) fn orderable(order: &SortOrder) -> Result<()> {
    let key = &order.child;
    if can_order(&key.data_type()) {
        return Ok(());
    }
    let sql = quoted_sql(&Expr::SortOrder(Box::new(order.clone())));
    Err(SparkError::analysis(
        "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        &[("sqlExpr", &sql), ("functionName", "`sortorder`"), ("dataType", &key.data_type().quoted_sql())],
    ))
}

/// repartitionById: the partition's number is an INT and nothing else.
pub(super) fn partition_id(analyzer: &Analyzer<'_>, plan: &LogicalPlan) -> Result<()> {
    let LogicalPlan::Repartition { by, spread: Spread::Id, .. } = plan else { return Ok(()) };
    match by.iter().find(|id| id.data_type() != DataType::Integer) {
        Some(id) => {
            let sql = crate::planner::text::direct_id(&id.pretty_sql());
            let error = crate::functions::coercion::unexpected_input(&sql, 0, "\"INT\"", id);
            let tree = crate::explain::tree_string(plan);
            Err(error.with_context(format!("{};\n'{tree}", analyzer.place())))
        }
        None => Ok(()),
    }
}
