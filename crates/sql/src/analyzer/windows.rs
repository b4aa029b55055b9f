//! Window functions: frames, their checks, and the Window nodes below the select list (ExtractWindowExpressions).

use std::sync::Arc;

use super::{Analyzer, checks};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, ExprId, FrameBound, WindowCall, WindowFrame, WindowSpec, quoted_sql};
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

/// Functions that exist as window functions only.
const RANKING: [&str; 7] = ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "counter_diff"];
const OFFSETS: [&str; 2] = ["lag", "lead"];

/// "first", "second" ... as error texts count parameters.
pub(super) fn ordinal_word(n: usize) -> &'static str {
    const WORDS: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    WORDS.get(n.saturating_sub(1)).copied().unwrap_or("next")
}

fn function_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Call(call) => Some(call.name.to_lowercase()),
        Expr::Aggregate(call) => Some(call.name.to_lowercase()),
        _ => None,
    }
}

pub(super) fn is_window_only(expr: &Expr) -> bool {
    function_name(expr).is_some_and(|name| {
        matches!(expr, Expr::Call(_))
            && (RANKING.contains(&name.as_str()) || OFFSETS.contains(&name.as_str()) || name == "nth_value")
    })
}

pub(super) fn window_expression(analyzer: &Analyzer<'_>, function: Expr, mut spec: WindowSpec) -> Result<Expr> {
    let name = function_name(&function).unwrap_or_default();
    let is_udf = matches!(function, Expr::PythonUdf(_));
    if !(matches!(function, Expr::Aggregate(_)) || is_window_only(&function) || is_udf) {
        return Err(SparkError::analysis("UNSUPPORTED_EXPR_FOR_WINDOW", &[("sqlExpr", &quoted_sql(&function))]));
    }
    check_arguments(&name, &function)?;
    // cume_dist looks at peers.
    let rows = name != "cume_dist";
    let unbounded = WindowFrame { rows, start: FrameBound::UnboundedPreceding, end: FrameBound::CurrentRow };
    let required = if RANKING.contains(&name.as_str()) {
        Some(unbounded)
    } else if OFFSETS.contains(&name.as_str()) {
        let offset = match &function {
            Expr::Call(call) => call.args.get(1).cloned(),
            _ => None,
        };
        let offset = offset.unwrap_or_else(|| Expr::literal(Value::Integer(1), DataType::Integer));
        let number = super::coercion::constant(analyzer, &offset)?.as_i64().unwrap_or(1);
        let shift = if name == "lag" { -number } else { number } as i32;
        let bound = FrameBound::Offset(Box::new(Expr::literal(Value::Integer(shift), DataType::Integer)));
        Some(WindowFrame { rows: true, start: bound.clone(), end: bound })
    } else {
        None
    };
    if let Some(required) = required {
        if let Some(given) = &spec.frame
            && *given != required
        {
            if OFFSETS.contains(&name.as_str()) {
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1035", &[("prettyName", &name)]));
            }
            let shown = |frame: &WindowFrame| {
                let spec = WindowSpec { frame: Some(frame.clone()), ..WindowSpec::default() };
                let text = Expr::Window(Box::new(WindowCall { function: Expr::bool(true), spec })).plan_string();
                let start = text.find("specifiedwindowframe").unwrap_or(0);
                text[start..text.len().saturating_sub(1)].to_owned()
            };
            return Err(SparkError::analysis(
                "_LEGACY_ERROR_TEMP_1036",
                &[("wf", &shown(given)), ("required", &shown(&required))],
            ));
        }
        if spec.order_by.is_empty() {
            // Columns show where they are from.
            let named = function.transform_up(&mut |expr| match expr {
                Expr::Attribute(column) => {
                    let name = column.name.to_string();
                    Expr::UnresolvedAttribute(column.qualifier.iter().cloned().chain([name]).collect())
                }
                other => other,
            });
            let example = named.pretty_sql();
            return Err(SparkError::analysis(
                "WINDOW_FUNCTION_FRAME_NOT_ORDERED",
                &[("wf_name", &name), ("wf_expr", &example)],
            ));
        }
        spec.frame = Some(required);
    }
    if matches!(name.as_str(), "median" | "percentile_cont" | "percentile_disc")
        && (!spec.order_by.is_empty() || spec.frame.is_some())
    {
        return Err(SparkError::analysis(
            "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
            &[("aggFunc", &quoted_sql(&function))],
        ));
    }
    if spec.frame.is_none() {
        spec.frame = Some(if spec.order_by.is_empty() {
            WindowFrame { rows: true, start: FrameBound::UnboundedPreceding, end: FrameBound::UnboundedFollowing }
        } else {
            WindowFrame { rows: false, start: FrameBound::UnboundedPreceding, end: FrameBound::CurrentRow }
        });
    }
    check_frame(analyzer, &mut spec)?;
    let window = Expr::Window(Box::new(WindowCall { function, spec }));
    if let Expr::Window(call) = &window
        && let Expr::Aggregate(aggregate) = &call.function
        && aggregate.distinct
    {
        return Err(SparkError::analysis(
            "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED",
            &[("windowExpr", &quoted_sql(&window))],
        ));
    }
    Ok(window)
}

/// Constants that ranking and offset functions want.
fn check_arguments(name: &str, function: &Expr) -> Result<()> {
    let Expr::Call(call) = function else { return Ok(()) };
    let (at, parameter) = match name {
        "ntile" => (0, "buckets"),
        "nth_value" | "lag" | "lead" => (1, "offset"),
        _ => return Ok(()),
    };
    let Some(arg) = call.args.get(at) else { return Ok(()) };
    let sql = match function {
        Expr::Call(call) if name == "nth_value" => {
            quoted_sql(&Expr::Call(Box::new(crate::expr::Call { args: call.args[..2].to_vec(), ..(**call).clone() })))
        }
        _ => quoted_sql(function),
    };
    if !arg.foldable() {
        // lag is lead the other way.
        let shown = if name == "lag" { format!("\"(- {})\"", arg.pretty_sql()) } else { quoted_sql(arg) };
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &sql),
                ("inputName", &format!("`{parameter}`")),
                ("inputType", "\"INT\""),
                ("inputExpr", &shown),
            ],
        ));
    }
    match (name, arg) {
        ("nth_value", Expr::Literal { value, .. }) if value.as_i64().is_some_and(|n| n <= 0) => {
            Err(SparkError::analysis(
                "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                &[
                    ("sqlExpr", &sql),
                    ("exprName", "offset"),
                    ("valueRange", "(0, 9223372036854775807]"),
                    ("currentValue", &format!("{}L", value.as_i64().unwrap_or(0))),
                ],
            ))
        }
        _ => Ok(()),
    }
}

fn frame_sql(spec: &WindowSpec, whole: bool) -> String {
    let shown = if whole { spec.clone() } else { WindowSpec { frame: spec.frame.clone(), ..WindowSpec::default() } };
    let text = Expr::Window(Box::new(WindowCall { function: Expr::bool(true), spec: shown })).pretty_sql();
    let start = text.find("OVER (").map_or(0, |at| at + "OVER (".len());
    let inner = text[start..text.len().saturating_sub(1)].to_owned();
    if whole { format!("\"({inner})\"") } else { format!("\"{inner}\"") }
}

/// Bounds: in order, and for RANGE of a type that can be added to the one sort key.
fn check_frame(analyzer: &Analyzer<'_>, spec: &mut WindowSpec) -> Result<()> {
    let Some(frame) = spec.frame.clone() else { return Ok(()) };
    let offset = |bound: &FrameBound| match bound {
        FrameBound::Offset(offset) => Some((**offset).clone()),
        _ => None,
    };
    let bounds = [("lower", offset(&frame.start)), ("upper", offset(&frame.end))];
    let numbers: Vec<Option<i64>> = bounds
        .iter()
        .map(|(_, bound)| {
            bound.as_ref().and_then(|expr| super::coercion::constant(analyzer, expr).ok()).and_then(|v| v.as_i64())
        })
        .collect();
    let position = |bound: &FrameBound, number: Option<i64>| match bound {
        FrameBound::UnboundedPreceding => Some(i64::MIN),
        FrameBound::UnboundedFollowing => Some(i64::MAX),
        FrameBound::CurrentRow => Some(0),
        FrameBound::Offset(_) => number,
    };
    // An offset may stand on either side of the current row.
    let beside_current = matches!(
        (&frame.start, &frame.end),
        (FrameBound::Offset(_), FrameBound::CurrentRow) | (FrameBound::CurrentRow, FrameBound::Offset(_))
    );
    if let (Some(start), Some(end)) = (position(&frame.start, numbers[0]), position(&frame.end, numbers[1]))
        && (start > end || start == i64::MAX || end == i64::MIN)
        && !beside_current
    {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
            &[("sqlExpr", &frame_sql(spec, false)), ("comparison", "less than or equal")],
        ));
    }
    if frame.rows || bounds.iter().all(|(_, bound)| bound.is_none()) {
        return Ok(());
    }
    if spec.order_by.is_empty() {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER",
            &[("sqlExpr", &frame_sql(spec, true))],
        ));
    }
    if spec.order_by.len() > 1 {
        let orders: Vec<String> =
            spec.order_by.iter().map(|order| Expr::SortOrder(Box::new(order.clone())).plan_string()).collect();
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
            &[("sqlExpr", &frame_sql(spec, true)), ("orderSpec", &orders.join(","))],
        ));
    }
    let key = spec.order_by[0].child.data_type();
    let time = key.is_datetime();
    for (location, bound) in bounds {
        let Some(bound) = bound else { continue };
        let given = bound.data_type();
        let fits = (key.is_numeric() && given.is_numeric())
            || (key == DataType::Date && given == DataType::Integer)
            || (time
                && matches!(
                    given,
                    DataType::DayTimeInterval { .. } | DataType::YearMonthInterval { .. } | DataType::CalendarInterval
                ));
        if !key.is_numeric() && !time {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
                &[
                    ("sqlExpr", &frame_sql(spec, false)),
                    ("location", location),
                    ("exprType", &key.quoted_sql()),
                    (
                        "expectedType",
                        "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")",
                    ),
                ],
            ));
        }
        if !fits {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
                &[
                    ("sqlExpr", &frame_sql(spec, true)),
                    ("orderSpecType", &key.quoted_sql()),
                    ("valueBoundaryType", &given.quoted_sql()),
                ],
            ));
        }
    }
    // The bounds are added to the key: they take its type.
    if key.is_numeric()
        && let Some(frame) = &mut spec.frame
    {
        for bound in [&mut frame.start, &mut frame.end] {
            if let FrameBound::Offset(offset) = bound
                && offset.data_type() != key
                && !matches!(key, DataType::Decimal { .. })
            {
                **offset = analyzer.implicit_cast((**offset).clone(), &key);
            }
        }
    }
    Ok(())
}

/// Window functions that stand without OVER.
pub(super) fn check_no_bare_windows(list: &[Expr]) -> Result<()> {
    fn bare(expr: &Expr) -> Option<&Expr> {
        match expr {
            Expr::Window(call) => call.function.children().into_iter().find_map(bare),
            other if is_window_only(other) => Some(other),
            other => other.children().into_iter().find_map(bare),
        }
    }
    match list.iter().find_map(bare) {
        Some(found) => {
            Err(SparkError::analysis("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", &[("funcName", &quoted_sql(found))]))
        }
        None => Ok(()),
    }
}

/// A select list with window functions: one Window node per specification below it, in order of appearance.
pub(super) fn extract_windows(analyzer: &mut Analyzer<'_>, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
    let mut groups: Vec<(WindowSpec, Vec<Expr>)> = Vec::new();
    let mut outer = Vec::new();
    for item in list {
        let whole = match &item {
            Expr::Alias(alias) => matches!(alias.child, Expr::Window(_)),
            _ => false,
        };
        if whole {
            let column = item.to_attribute();
            add_window(item, &mut groups);
            outer.push(Expr::Attribute(column));
            continue;
        }
        outer.push(item.transform_up(&mut |expr| match expr {
            Expr::Window(_) => {
                let named = expr.alias_with("_we0", ExprId::fresh());
                let column = named.to_attribute();
                add_window(named, &mut groups);
                Expr::Attribute(column)
            }
            other => other,
        }));
    }
    let mut plan = child.clone();
    for (spec, list) in groups {
        let node = LogicalPlan::Window { list, partition_by: spec.partition_by, order_by: spec.order_by, child: plan };
        checks::inputs_present(analyzer, &node)?;
        plan = Arc::new(node);
    }
    analyzer.finish_project(outer, &plan)
}

fn add_window(named: Expr, groups: &mut Vec<(WindowSpec, Vec<Expr>)>) {
    let Expr::Window(call) = named.unaliased().clone() else { return };
    let spec = WindowSpec { frame: None, ..call.spec };
    match groups.iter_mut().find(|(known, _)| *known == spec) {
        Some((_, list)) => list.push(named),
        None => groups.push((spec, vec![named])),
    }
}
