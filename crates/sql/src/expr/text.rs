//! Expressions as text: names of unnamed columns and error texts (Catalyst's toPrettySQL), and plan lines (toString).

use super::{AggregateCall, Call, Expr, FrameBound, LATERAL_REFERENCE, PythonUdf, SortOrder, WindowFrame, WindowSpec};
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::types::quote_if_needed;
use crate::value::Value;

/// Which of Catalyst's texts is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// toPrettySQL: no ids, no implicit casts, strings without quotes.
    Pretty,
    /// toString: with ids, as plans print.
    Plan,
}

impl Expr {
    /// toPrettySQL: the name that an expression without an alias gets, and its form in error texts.
    pub fn pretty_sql(&self) -> String {
        text(self, Style::Pretty)
    }

    /// The form that plans print, with ids: `sum(amount#3) AS total#7`.
    pub fn plan_string(&self) -> String {
        text(self, Style::Plan)
    }
}

/// `"expr"` as error texts quote it (toSQLExpr).
pub fn quoted_sql(expr: &Expr) -> String {
    format!("\"{}\"", expr.pretty_sql())
}

fn join(list: &[Expr], style: Style) -> String {
    list.iter().map(|expr| text(expr, style)).collect::<Vec<_>>().join(", ")
}

fn text(expr: &Expr, style: Style) -> String {
    match expr {
        Expr::UnresolvedAttribute(parts) => {
            let name = parts.iter().map(|part| quote_if_needed(part)).collect::<Vec<_>>().join(".");
            if style == Style::Plan { format!("'{name}") } else { name }
        }
        Expr::UnresolvedStar(target) if target.is_empty() => "*".to_owned(),
        Expr::UnresolvedStar(target) => format!("{}.*", target.join(".")),
        Expr::UnresolvedRegex(pattern) => pattern.clone(),
        Expr::UnresolvedFunction(call) => {
            let distinct = if call.distinct { "DISTINCT " } else { "" };
            let body = operator_text(&call.name, &call.args, style)
                .unwrap_or_else(|| format!("{}({distinct}{})", call.name, join(&call.args, style)));
            let body = match &call.over {
                Some(spec) => format!("{body} OVER ({})", spec_text(spec, style)),
                None => body,
            };
            if style == Style::Plan { format!("'{body}") } else { body }
        }
        Expr::UnresolvedExtract { child, extraction } => {
            format!("{}[{}]", text(child, style), text(extraction, style))
        }
        Expr::UnresolvedAlias(child) => match style {
            Style::Pretty => text(child, style),
            Style::Plan => format!("unresolvedalias({})", text(child, style)),
        },
        Expr::UnresolvedLambda { params, body } => {
            format!("lambdafunction({}, {})", text(body, style), params.join(", "))
        }
        Expr::Literal { value, data_type } => literal_text(value, data_type, style),
        Expr::Attribute(attribute) => match style {
            Style::Pretty if attribute.qualifier.first().is_some_and(|mark| mark == LATERAL_REFERENCE) => {
                format!("lateralAliasReference({})", attribute.name)
            }
            Style::Pretty => attribute.name.to_string(),
            Style::Plan => {
                let suffix = crate::planner::text::delay(&attribute.metadata);
                let long = if attribute.data_type == DataType::Long { "L" } else { "" };
                format!("{}#{}{long}{suffix}", attribute.name, attribute.id.0)
            }
        },
        Expr::Bound { ordinal, .. } => format!("input[{ordinal}]"),
        Expr::Alias(alias) => {
            let name = match alias.names.as_slice() {
                [name] => name.clone(),
                names => format!("({})", names.join(", ")),
            };
            match style {
                Style::Pretty => format!("{} AS {}", text(&alias.child, style), quote_if_needed(&name)),
                Style::Plan => {
                    let long = if alias.child.data_type() == DataType::Long { "L" } else { "" };
                    let suffix = crate::planner::text::delay(&expr.metadata());
                    format!("{} AS {name}#{}{long}{suffix}", text(&alias.child, style), alias.id.0)
                }
            }
        }
        Expr::Cast { child, to, mode, implicit, .. } => match style {
            Style::Pretty if *implicit => text(child, style),
            // Cast.sql leaves casts to nested types out.
            Style::Pretty if matches!(to, DataType::Array { .. } | DataType::Map { .. } | DataType::Struct(_)) => {
                text(child, style)
            }
            Style::Pretty => {
                let word = if *mode == super::EvalMode::Try { "TRY_CAST" } else { "CAST" };
                format!("{word}({} AS {})", text(child, style), to.sql())
            }
            Style::Plan => {
                let word = if *mode == super::EvalMode::Try { "try_cast" } else { "cast" };
                format!("{word}({} as {})", text(child, style), to.simple_string())
            }
        },
        Expr::Call(call) => call_text(call, style),
        Expr::CaseWhen { branches, otherwise } => {
            let mut out = "CASE".to_owned();
            for (condition, value) in branches {
                out += &format!(" WHEN {} THEN {}", text(condition, style), text(value, style));
            }
            if let Some(value) = otherwise {
                out += &format!(" ELSE {}", text(value, style));
            }
            out + " END"
        }
        Expr::GetField { child, name, .. } | Expr::GetArrayStructFields { child, name, .. } => {
            format!("{}.{name}", text(child, style))
        }
        Expr::Lambda { params, body } => {
            let names: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
            lambda_text(&names, body, style)
        }
        Expr::LambdaVariable(variable) => match style {
            Style::Pretty => "namedlambdavariable()".to_owned(),
            Style::Plan => format!("lambda {}#{}", variable.name, variable.id.0),
        },
        Expr::Aggregate(call) => aggregate_text(call, style),
        Expr::Generator(call) => format!("{}({})", call.name, join(&call.args, style)),
        Expr::Window(call) => {
            let function = text(&call.function, style);
            match style {
                Style::Pretty => format!("{function} OVER ({})", spec_text(&call.spec, style)),
                Style::Plan => format!("{function} windowspecdefinition({})", spec_text(&call.spec, style)),
            }
        }
        Expr::TimeWindow(window) => match style {
            Style::Pretty => {
                format!("window({}, {}, {}, {})", text(&window.time, style), window.window, window.slide, window.start)
            }
            Style::Plan => {
                format!("window({}, {}, {}, {})", text(&window.time, style), window.window, window.slide, window.start)
            }
        },
        Expr::SessionWindow(window) => {
            format!("session_window({}, {})", text(&window.time, style), text(&window.gap, style))
        }
        Expr::SortOrder(order) => order_text(order, style),
        Expr::PythonUdf(udf) => match style {
            Style::Pretty => format!("{}({})", udf.name, named_arguments(udf, style)),
            Style::Plan => format!("{}({})#{}", udf.name, named_arguments(udf, style), udf.handle),
        },
        Expr::ScalarSubquery(_) => match style {
            Style::Pretty => "scalarsubquery()".to_owned(),
            Style::Plan => "scalar-subquery#0 []".to_owned(),
        },
        Expr::Exists { negated, .. } => {
            let body = if style == Style::Pretty { "exists()" } else { "exists#0 []" };
            if *negated { format!("(NOT {body})") } else { body.to_owned() }
        }
        Expr::InSubquery { child, negated, .. } => {
            let body = format!("({} IN (listquery()))", text(child, style));
            if *negated { format!("(NOT {body})") } else { body }
        }
        Expr::At { child, .. } => text(child, style),
    }
}

fn lambda_text(params: &[String], body: &Expr, style: Style) -> String {
    match style {
        Style::Pretty => {
            let mut parts = vec![text(body, style)];
            parts.extend(params.iter().map(|_| "namedlambdavariable()".to_owned()));
            format!("lambdafunction({})", parts.join(", "))
        }
        Style::Plan => format!("lambdafunction({}, {})", text(body, style), params.join(", ")),
    }
}

/// `a, name => b`.
fn named_arguments(udf: &PythonUdf, style: Style) -> String {
    let shown = udf.args.iter().enumerate().map(|(i, arg)| match udf.arg_names.get(i) {
        Some(Some(name)) => format!("{name} => {}", text(arg, style)),
        _ => text(arg, style),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Operators and functions that do not print as `name(args)`.
fn operator_text(name: &str, args: &[Expr], style: Style) -> Option<String> {
    let lower = name.to_lowercase();
    let arg = |i: usize| args.get(i).map(|expr| text(expr, style)).unwrap_or_default();
    let infix = |symbol: &str| Some(format!("({} {symbol} {})", arg(0), arg(1)));
    match (lower.as_str(), args.len()) {
        (
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" | ">>>" | "=" | "<=>" | "<" | "<=" | ">" | ">="
            | "div",
            2,
        ) => {
            let is_interval = |i: usize| {
                args.get(i).is_some_and(|expr| {
                    matches!(
                        expr.data_type(),
                        DataType::DayTimeInterval { .. }
                            | DataType::YearMonthInterval { .. }
                            | DataType::CalendarInterval
                    )
                })
            };
            let is_time = |i: usize| {
                args.get(i).is_some_and(|expr| {
                    matches!(
                        expr.data_type(),
                        DataType::Date | DataType::Timestamp | DataType::TimestampNtz | DataType::Time(_)
                    )
                })
            };
            // SubtractTimes.
            let is_clock = |expr: &Expr| matches!(expr.data_type(), DataType::Time(_));
            match lower.as_str() {
                // TimestampAddInterval and DateAddInterval print without parentheses.
                "+" if is_time(0) && is_interval(1) => Some(format!("{} + {}", arg(0), arg(1))),
                "+" if is_interval(0) && is_time(1) => Some(format!("{} + {}", arg(1), arg(0))),
                "-" if is_time(0) && is_interval(1) => Some(format!("{} - {}", arg(0), arg(1))),
                "-" if [0, 1].iter().all(|i| args.get(*i).is_some_and(is_clock)) => {
                    Some(format!("{} - {}", arg(0), arg(1)))
                }
                symbol => infix(symbol),
            }
        }
        ("==", 2) => infix("="),
        // Resolved, it holds the two comparisons that it stands for.
        ("between", 1) => {
            let Some(Expr::Call(both)) = args.first() else { return None };
            let [Expr::Call(from), Expr::Call(to)] = both.args.as_slice() else { return None };
            let bounds = [from.args.first(), from.args.get(1), to.args.get(1)];
            let bounds: Vec<String> = bounds.into_iter().flatten().map(|expr| text(expr, style)).collect();
            Some(format!("between({})", bounds.join(", ")))
        }
        ("!=" | "<>", 2) => Some(format!("(NOT ({} = {}))", arg(0), arg(1))),
        ("and", 2) => infix("AND"),
        ("or", 2) => infix("OR"),
        ("not" | "!", 1) if style == Style::Plan => Some(format!("NOT {}", arg(0))),
        ("not" | "!", 1) => Some(format!("(NOT {})", arg(0))),
        ("-", 1) if style == Style::Plan => Some(format!("-{}", arg(0))),
        ("-", 1) => Some(format!("(- {})", arg(0))),
        ("+", 1) => Some(format!("(+ {})", arg(0))),
        ("~", 1) => Some(format!("~{}", arg(0))),
        ("isnull", 1) => Some(match style {
            Style::Pretty => format!("({} IS NULL)", arg(0)),
            Style::Plan => format!("isnull({})", arg(0)),
        }),
        ("isnotnull", 1) => Some(match style {
            Style::Pretty => format!("({} IS NOT NULL)", arg(0)),
            Style::Plan => format!("isnotnull({})", arg(0)),
        }),
        ("in", n) if n >= 1 => {
            let list = args.iter().skip(1).map(|expr| text(expr, style)).collect::<Vec<_>>();
            Some(match style {
                Style::Pretty => format!("({} IN ({}))", arg(0), list.join(", ")),
                Style::Plan => format!("{} IN ({})", arg(0), list.join(",")),
            })
        }
        ("if", 3) => Some(match style {
            Style::Pretty => format!("(IF({}, {}, {}))", arg(0), arg(1), arg(2)),
            Style::Plan => format!("if ({}) {} else {}", arg(0), arg(1), arg(2)),
        }),
        ("trim", 2) => Some(format!("TRIM(BOTH {} FROM {})", arg(0), arg(1))),
        ("ltrim", 2) => Some(format!("TRIM(LEADING {} FROM {})", arg(0), arg(1))),
        ("rtrim", 2) => Some(format!("TRIM(TRAILING {} FROM {})", arg(0), arg(1))),
        ("like", 2) => Some(format!("{} LIKE {}", arg(0), arg(1))),
        ("like", 3) => Some(format!("{} LIKE {} ESCAPE '{}'", arg(0), arg(1), arg(2))),
        ("likeall" | "likeany" | "notlikeall" | "notlikeany", n) if n > 1 => Some(format!("{lower}({})", arg(0))),
        ("rlike" | "regexp" | "regexp_like", 2) => Some(format!("{}({}, {})", lower.to_uppercase(), arg(0), arg(1))),
        ("extract" | "datepart", 2) => Some(format!("{lower}({} FROM {})", arg(0), arg(1))),
        ("[]", 2) => Some(format!("{}[{}]", arg(0), arg(1))),
        // The zone does not show, nor does the database in use.
        ("try_make_timestamp", 7) => Some(format!("{lower}({})", join(&args[..6], style))),
        ("current_schema", 1) => Some("current_schema()".to_owned()),
        ("rank" | "dense_rank" | "percent_rank" | "cume_dist", 0) if style == Style::Pretty && lower != "cume_dist" => {
            Some(format!("{}()", lower.to_uppercase()))
        }
        _ => None,
    }
}

/// What plans call a StringPredicate.
pub(crate) fn string_predicate(name: &str) -> Option<&'static str> {
    match name {
        "startswith" => Some("StartsWith"),
        "endswith" => Some("EndsWith"),
        "contains" => Some("Contains"),
        _ => None,
    }
}

fn call_text(call: &Call, style: Style) -> String {
    // JsonToStructs.sql of a map.
    if style == Style::Pretty && &*call.name == "from_json" && matches!(call.data_type, DataType::Map { .. }) {
        return "entries".to_owned();
    }
    if let (
        crate::functions::VARIABLE_REFERENCE,
        [Expr::Literal { value: name, .. }, Expr::Literal { value, data_type }],
    ) = (&*call.name, call.args.as_slice())
    {
        let name = plain_value(name, &DataType::String);
        return format!("{}(system.session.{name}={})", call.name, sql_literal(value, data_type));
    }
    if let (crate::functions::SQL_FUNCTION, [Expr::Literal { value, .. }, _, inputs @ ..]) =
        (&*call.name, call.args.as_slice())
    {
        return format!("{}({})", plain_value(value, &DataType::String), join(inputs, style));
    }
    if let ("raise_error", [message]) = (&*call.name, call.args.as_slice()) {
        return format!("raise_error(USER_RAISED_EXCEPTION, map(errorMessage, {}))", text(message, style));
    }
    // ArraySort.defaultComparator.
    if let ("array_sort", Style::Pretty, [list]) = (&*call.name, style, call.args.as_slice()) {
        let x = "namedlambdavariable()";
        return format!(
            "array_sort({}, lambdafunction((IF((({x} IS NULL) AND ({x} IS NULL)), 0, (IF(({x} IS NULL), 1, \
             (IF(({x} IS NULL), -1, (IF(({x} < {x}), -1, (IF(({x} > {x}), 1, 0)))))))))), {x}, {x}))",
            text(list, style)
        );
    }
    // CreateNamedStruct has the names among its arguments.
    if let ("struct", Style::Plan, DataType::Struct(fields)) = (&*call.name, style, &call.data_type) {
        let parts =
            fields.fields.iter().zip(&call.args).map(|(f, value)| format!("{}, {}", f.name, text(value, style)));
        return format!("struct({})", parts.collect::<Vec<_>>().join(", "));
    }
    if style == Style::Plan
        && let Some(text) = call.kernel.plan_text(&call.args.iter().map(|arg| text(arg, style)).collect::<Vec<_>>())
    {
        return text.replace(" < 0) THEN", " < cast(0 as bigint)) THEN");
    }
    if style == Style::Plan
        && let Some(name) = string_predicate(&call.name)
    {
        return format!("{name}({})", join(&call.args, style));
    }
    operator_text(&call.name, &call.args, style)
        .unwrap_or_else(|| format!("{}({})", call.name, join(&call.args, style)))
}

fn aggregate_text(call: &AggregateCall, style: Style) -> String {
    let distinct = match (call.distinct, style) {
        (false, _) => "",
        (true, Style::Pretty) => "DISTINCT ",
        (true, Style::Plan) => "distinct ",
    };
    // Sort keys among the arguments are those of WITHIN GROUP.
    let (keys, args): (Vec<Expr>, Vec<Expr>) =
        call.args.iter().cloned().partition(|arg| matches!(arg, Expr::SortOrder(_)));
    // Percentiles show their share alone, and of the order only its direction (for mode the other one).
    if let ([Expr::SortOrder(key)], "percentile_cont" | "percentile_disc" | "mode") = (keys.as_slice(), &*call.name) {
        let share = args.get(1).map(|p| text(p, style)).unwrap_or_default();
        let descending = if key.ascending == (&*call.name == "mode") { " DESC" } else { "" };
        let order = text(&key.child, style);
        return format!("{}({distinct}{share}) WITHIN GROUP (ORDER BY {order}{descending})", call.name);
    }
    let mut out = format!("{}({distinct}{})", call.name, join(&args, style));
    if !keys.is_empty() {
        out += &format!(" WITHIN GROUP (ORDER BY {})", join(&keys, style));
    }
    if let Some(filter) = &call.filter {
        out += &format!(" FILTER (WHERE {})", text(filter, style));
    }
    out
}

fn order_text(order: &SortOrder, style: Style) -> String {
    format!(
        "{} {} NULLS {}",
        text(&order.child, style),
        if order.ascending { "ASC" } else { "DESC" },
        if order.nulls_first { "FIRST" } else { "LAST" }
    )
}

/// A window as headers print it.
pub(super) fn pretty_spec(spec: &WindowSpec) -> String {
    spec_text(spec, Style::Pretty)
}

/// A window as plans print it.
pub(crate) fn plan_spec(spec: &WindowSpec) -> String {
    spec_text(spec, Style::Plan)
}

fn spec_text(spec: &WindowSpec, style: Style) -> String {
    let mut parts = Vec::new();
    let orders = spec.order_by.iter().map(|order| order_text(order, style)).collect::<Vec<_>>().join(", ");
    match style {
        Style::Pretty => {
            if !spec.partition_by.is_empty() {
                parts.push(format!("PARTITION BY {}", join(&spec.partition_by, style)));
            }
            if !spec.order_by.is_empty() {
                parts.push(format!("ORDER BY {orders}"));
            }
            if let Some(frame) = &spec.frame {
                parts.push(frame_text(frame, style));
            }
            parts.join(" ")
        }
        Style::Plan => {
            parts.extend(spec.partition_by.iter().map(|expr| text(expr, style)));
            if !spec.order_by.is_empty() {
                parts.push(orders);
            }
            if let Some(frame) = &spec.frame {
                parts.push(frame_text(frame, style));
            }
            parts.join(", ")
        }
    }
}

fn frame_text(frame: &WindowFrame, style: Style) -> String {
    let kind = match (frame.rows, style) {
        (true, Style::Pretty) => "ROWS",
        (false, Style::Pretty) => "RANGE",
        (true, Style::Plan) => "RowFrame",
        (false, Style::Plan) => "RangeFrame",
    };
    let (start, end) = (bound_text(&frame.start, style), bound_text(&frame.end, style));
    match style {
        Style::Pretty => format!("{kind} BETWEEN {start} AND {end}"),
        Style::Plan => format!("specifiedwindowframe({kind}, {start}, {end})"),
    }
}

fn bound_text(bound: &FrameBound, style: Style) -> String {
    match (bound, style) {
        (FrameBound::UnboundedPreceding, Style::Pretty) => "UNBOUNDED PRECEDING".to_owned(),
        (FrameBound::UnboundedFollowing, Style::Pretty) => "UNBOUNDED FOLLOWING".to_owned(),
        (FrameBound::CurrentRow, Style::Pretty) => "CURRENT ROW".to_owned(),
        (FrameBound::UnboundedPreceding, Style::Plan) => "unboundedpreceding$()".to_owned(),
        (FrameBound::UnboundedFollowing, Style::Plan) => "unboundedfollowing$()".to_owned(),
        (FrameBound::CurrentRow, Style::Plan) => "currentrow$()".to_owned(),
        // SpecifiedWindowFrame prints any offset as "n FOLLOWING", also a negative one; SQL text says PRECEDING by a minus.
        (FrameBound::Offset(offset), Style::Pretty) => match &**offset {
            Expr::Call(call) if matches!(&*call.name, "negative" | "-") && call.args.len() == 1 => {
                format!("{} PRECEDING", join(&call.args, style))
            }
            other => format!("{} FOLLOWING", text(other, style)),
        },
        (FrameBound::Offset(offset), Style::Plan) => match &**offset {
            Expr::Call(call) if &*call.name == "negative" && call.args.len() == 1 => {
                format!("-{}", join(&call.args, style))
            }
            other => text(other, style),
        },
    }
}

thread_local! {
    /// Zone in which texts of expressions show moments: that of the session whose statement was analysed last, as Spark's
    /// Literal.toString asks the active session.
    static ZONE: std::cell::RefCell<Zone> = const { std::cell::RefCell::new(Zone::UTC) };
}

/// Sets the zone in which texts of expressions show moments.
pub(crate) fn show_moments_in(zone: &Zone) {
    ZONE.with_borrow_mut(|shown| {
        if shown != zone {
            *shown = zone.clone();
        }
    });
}

fn literal_text(value: &Value, data_type: &DataType, style: Style) -> String {
    if value.is_null() {
        return if style == Style::Pretty { "NULL".to_owned() } else { "null".to_owned() };
    }
    let plain = plain_value(value, data_type);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    match (value, data_type) {
        (Value::Binary(bytes), _) if style == Style::Plan => format!("0x{}", hex(bytes)),
        _ if style == Style::Plan => plain,
        (Value::Date(_), _) => format!("DATE '{plain}'"),
        (Value::Timestamp(_), _) => format!("TIMESTAMP '{plain}'"),
        (Value::TimestampNtz(_), _) => format!("TIMESTAMP_NTZ '{plain}'"),
        (Value::Time(_), _) => format!("TIME '{plain}'"),
        (Value::Binary(bytes), _) => format!("X'{}'", hex(bytes)),
        (Value::DayTimeInterval(_) | Value::YearMonthInterval(_), _) => plain,
        (Value::CalendarInterval { .. }, _) => format!("INTERVAL '{plain}'"),
        _ => plain,
    }
}

/// A constant as SQL text (Literal.sql).
fn sql_literal(value: &Value, data_type: &DataType) -> String {
    match value {
        Value::String(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Null => format!("CAST(NULL AS {})", data_type.sql()),
        _ => literal_text(value, data_type, Style::Pretty),
    }
}

/// A constant as its toString.
pub(super) fn plain_value(value: &Value, data_type: &DataType) -> String {
    use crate::value::text;
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Byte(v) => v.to_string(),
        Value::Short(v) => v.to_string(),
        Value::Integer(v) => v.to_string(),
        Value::Long(v) => v.to_string(),
        Value::Float(v) => text::float_to_string(*v),
        Value::Double(v) => text::double_to_string(*v),
        Value::Decimal(unscaled, _, scale) => text::decimal_to_string(*unscaled, *scale),
        Value::String(v) => v.to_string(),
        Value::Binary(bytes) => {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("[{}]", hex.join(" "))
        }
        Value::Date(days) => text::date_to_string(*days),
        Value::Timestamp(micros) => text::local_timestamp_to_string(ZONE.with_borrow(|zone| zone.to_local(*micros))),
        Value::TimestampNtz(micros) => text::local_timestamp_to_string(*micros),
        Value::Time(nanos) => text::time_to_string(*nanos),
        Value::YearMonthInterval(months) => {
            let (start, end) = text::interval_bounds(data_type);
            text::year_month_to_string(*months, start, end)
        }
        Value::DayTimeInterval(micros) => {
            let (start, end) = text::interval_bounds(data_type);
            text::day_time_to_string(*micros, start, end)
        }
        Value::CalendarInterval { months, days, micros } => text::calendar_interval_to_string(*months, *days, *micros),
        Value::Array(items) => {
            let element = match data_type {
                DataType::Array { element, .. } => (**element).clone(),
                _ => DataType::Null,
            };
            let items: Vec<String> = items.iter().map(|item| plain_value(item, &element)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Map(entries) => {
            let (key, value) = match data_type {
                DataType::Map { key, value, .. } => ((**key).clone(), (**value).clone()),
                _ => (DataType::Null, DataType::Null),
            };
            let entries: Vec<String> = entries
                .iter()
                .map(|(k, v)| format!("{} -> {}", plain_value(k, &key), plain_value(v, &value)))
                .collect();
            format!("keys: [{}]", entries.join(","))
        }
        Value::Struct(fields) => {
            let types: Vec<DataType> = match data_type {
                DataType::Struct(schema) => schema.fields.iter().map(|field| field.data_type.clone()).collect(),
                _ => Vec::new(),
            };
            let fields: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(i, field)| plain_value(field, types.get(i).unwrap_or(&DataType::Null)))
                .collect();
            format!("[{}]", fields.join(","))
        }
        Value::Variant { .. } => "variant".to_owned(),
    }
}
