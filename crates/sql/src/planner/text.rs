//! Expressions as plans print them (Catalyst's toString): `name#12L`, `(a#1 > 5) AS b#3`.

use std::sync::Arc;

use crate::expr::{AggregateCall, Attribute, Expr, FrameBound, Metadata, SortOrder, WindowFrame, string_predicate};
use crate::types::DataType;
use crate::value::{Value, text as value_text};

fn suffix(data_type: &DataType) -> &'static str {
    if *data_type == DataType::Long { "L" } else { "" }
}

pub fn attribute(a: &Attribute) -> String {
    format!("{}#{}{}{}", a.name, a.id.0, suffix(&a.data_type), delay(&a.metadata))
}

/// The mark of an event time column (NamedExpression.delaySuffix).
pub(crate) fn delay(metadata: &Metadata) -> String {
    metadata.watermark_delay_ms.map_or_else(String::new, |ms| format!("-T{ms}ms"))
}

/// What repartitionById makes of the column that holds the partition's number.
pub(crate) fn direct_id(column: &str) -> String {
    format!("direct_shuffle_partition_id({column})")
}

/// `[a#1, b#2L]`.
pub fn attributes(list: &[Arc<Attribute>]) -> String {
    let list: Vec<String> = list.iter().map(|a| attribute(a)).collect();
    format!("[{}]", list.join(", "))
}

/// `[expression, expression]`.
pub fn expressions(list: &[Expr]) -> String {
    format!("[{}]", join(list))
}

fn join(list: &[Expr]) -> String {
    list.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// `a#1 ASC NULLS FIRST`.
pub fn order(o: &SortOrder) -> String {
    let direction = if o.ascending { "ASC" } else { "DESC" };
    let nulls = if o.nulls_first { "NULLS FIRST" } else { "NULLS LAST" };
    format!("{} {direction} {nulls}", expression(&o.child))
}

pub fn orders(list: &[SortOrder]) -> String {
    let list: Vec<String> = list.iter().map(order).collect();
    format!("[{}]", list.join(", "))
}

/// `sum(distinct x#1) FILTER (WHERE ...)`.
pub fn aggregate(call: &AggregateCall) -> String {
    let distinct = if call.distinct { "distinct " } else { "" };
    let filter = call.filter.as_ref().map_or_else(String::new, |f| format!(" FILTER (WHERE {})", expression(f)));
    // Functions show their fields: places in a buffer, what they do about nulls, the precision.
    let (args, fields) = match (&*call.name, call.args.as_slice()) {
        ("collect_list" | "collect_set", [_]) => (&call.args[..], ", 0, 0, true"),
        ("first" | "last", [_]) => (&call.args[..], ", false"),
        ("approx_count_distinct", [_]) => (&call.args[..], ", 0.05, 0, 0"),
        (_, args) => (args, ""),
    };
    format!("{}({distinct}{}{fields}){filter}", call.name, join(args))
}

/// Literal.toString: strings without quotes, times in UTC.
fn literal(value: &Value, data_type: &DataType) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Boolean(b) => b.to_string(),
        Value::Byte(n) => n.to_string(),
        Value::Short(n) => n.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Long(n) => n.to_string(),
        Value::Float(x) => value_text::float_to_string(*x),
        Value::Double(x) => value_text::double_to_string(*x),
        Value::Decimal(unscaled, _, scale) => value_text::decimal_to_string(*unscaled, *scale),
        Value::String(s) => s.to_string(),
        Value::Date(days) => value_text::date_to_string(*days),
        Value::Timestamp(us) | Value::TimestampNtz(us) => value_text::local_timestamp_to_string(*us),
        Value::Time(nanos) => value_text::time_to_string(*nanos),
        Value::YearMonthInterval(months) => {
            let (start, end) = value_text::interval_bounds(data_type);
            value_text::year_month_to_string(*months, start, end)
        }
        Value::DayTimeInterval(us) => {
            let (start, end) = value_text::interval_bounds(data_type);
            value_text::day_time_to_string(*us, start, end)
        }
        Value::CalendarInterval { months, days, micros } => {
            value_text::calendar_interval_to_string(*months, *days, *micros)
        }
        Value::Binary(bytes) => {
            let hex: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
            format!("0x{hex}")
        }
        other => format!("{other:?}"),
    }
}

pub fn expression(e: &Expr) -> String {
    match e {
        Expr::Attribute(a) => attribute(a),
        Expr::Bound { ordinal, .. } => format!("input[{ordinal}]"),
        Expr::Literal { value, data_type } => literal(value, data_type),
        Expr::Alias(a) => {
            let names = match a.names.as_slice() {
                [one] => one.clone(),
                several => format!("[{}]", several.join(",")),
            };
            let delay = delay(&e.metadata());
            format!("{} AS {names}#{}{}{delay}", expression(&a.child), a.id.0, suffix(&a.child.data_type()))
        }
        Expr::Cast { child, to, .. } => format!("cast({} as {})", expression(child), to.simple_string()),
        // CreateNamedStruct has the names among its arguments.
        Expr::Call(c)
            if &*c.name == "struct"
                && let DataType::Struct(fields) = &c.data_type =>
        {
            let parts =
                fields.fields.iter().zip(&c.args).map(|(f, value)| format!("{}, {}", f.name, expression(value)));
            format!("struct({})", parts.collect::<Vec<_>>().join(", "))
        }
        Expr::Call(c) => c
            .kernel
            .plan_text(&c.args.iter().map(expression).collect::<Vec<_>>())
            .unwrap_or_else(|| call(&c.name, &c.args)),
        Expr::CaseWhen { branches, otherwise } => {
            let whens: Vec<String> =
                branches.iter().map(|(c, v)| format!("WHEN {} THEN {}", expression(c), expression(v))).collect();
            let other = otherwise.as_ref().map_or_else(String::new, |e| format!(" ELSE {}", expression(e)));
            format!("CASE {}{other} END", whens.join(" "))
        }
        Expr::GetField { child, name, .. } | Expr::GetArrayStructFields { child, name, .. } => {
            format!("{}.{name}", expression(child))
        }
        Expr::Lambda { params, body } => {
            let names: Vec<String> = params.iter().map(|p| format!("lambda {}#{}", p.name, p.id.0)).collect();
            format!("lambdafunction({}, {}, false)", expression(body), names.join(", "))
        }
        Expr::LambdaVariable(v) => format!("lambda {}#{}{}", v.name, v.id.0, suffix(&v.data_type)),
        Expr::Aggregate(a) => aggregate(a),
        Expr::Generator(g) => format!("{}({})", g.name, join(&g.args)),
        Expr::Window(w) => {
            let spec = &w.spec;
            let mut parts = Vec::new();
            parts.extend(spec.partition_by.iter().map(expression));
            parts.extend(spec.order_by.iter().map(order));
            parts.extend(spec.frame.as_ref().map(frame));
            // Ranks have the order among their arguments.
            let function = match &w.function {
                Expr::Call(c) if matches!(&*c.name, "rank" | "dense_rank" | "percent_rank") && c.args.is_empty() => {
                    let order: Vec<String> = spec.order_by.iter().map(|o| expression(&o.child)).collect();
                    format!("{}({})", c.name, order.join(", "))
                }
                other => expression(other),
            };
            format!("{function} windowspecdefinition({})", parts.join(", "))
        }
        Expr::SortOrder(o) => order(o),
        Expr::PythonUdf(u) => format!("{}({})", u.name, join(&u.args)),
        Expr::ScalarSubquery(_) => "scalar-subquery#0 []".into(),
        Expr::Exists { negated, .. } => if *negated { "NOT exists#0 []" } else { "exists#0 []" }.into(),
        Expr::InSubquery { child, negated, .. } => {
            format!("{}{} IN (list#0 [])", if *negated { "NOT " } else { "" }, expression(child))
        }
        other => format!("{other:?}"),
    }
}

/// SpecifiedWindowFrame.toString.
fn frame(frame: &WindowFrame) -> String {
    let bound = |bound: &FrameBound| match bound {
        FrameBound::UnboundedPreceding => "unboundedpreceding$()".to_owned(),
        FrameBound::UnboundedFollowing => "unboundedfollowing$()".to_owned(),
        FrameBound::CurrentRow => "currentrow$()".to_owned(),
        FrameBound::Offset(offset) => expression(offset),
    };
    let kind = if frame.rows { "RowFrame" } else { "RangeFrame" };
    format!("specifiedwindowframe({kind}, {}, {})", bound(&frame.start), bound(&frame.end))
}

fn is_time(e: &Expr) -> bool {
    matches!(e.data_type(), DataType::Date | DataType::Timestamp | DataType::TimestampNtz)
}

fn is_length(e: &Expr) -> bool {
    matches!(
        e.data_type(),
        DataType::CalendarInterval | DataType::DayTimeInterval { .. } | DataType::YearMonthInterval { .. }
    )
}

fn call(name: &str, args: &[Expr]) -> String {
    match (name, args) {
        ("and" | "or", [a, b]) => format!("({} {} {})", expression(a), name.to_uppercase(), expression(b)),
        ("not" | "!", [a]) => format!("NOT {}", expression(a)),
        ("+", [time, length]) if is_time(time) && is_length(length) => {
            format!("{} + {}", expression(time), expression(length))
        }
        ("negative", [a]) => format!("-{}", expression(a)),
        ("[]", [of, at]) => format!("{}[{}]", expression(of), expression(at)),
        ("==", [a, b]) => format!("({} = {})", expression(a), expression(b)),
        ("+" | "-" | "*" | "/" | "%" | "=" | "<" | "<=" | ">" | ">=" | "<=>" | "&" | "|" | "^", [a, b]) => {
            format!("({} {name} {})", expression(a), expression(b))
        }
        ("in", [value, list @ ..]) => {
            let list: Vec<String> = list.iter().map(expression).collect();
            format!("{} IN ({})", expression(value), list.join(","))
        }
        _ => format!("{}({})", string_predicate(name).unwrap_or(name), join(args)),
    }
}
