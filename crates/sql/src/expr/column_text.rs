//! Columns as Python prints them (`Column<'...'>`).

use super::text::{plain_value, pretty_spec};
use super::{EvalMode, Expr};
use crate::types::quote_if_needed;
use crate::value::Value;

/// The text of a Column in Python (ColumnNode.sql): operators stand before their operands, as functions do.
pub fn column_node_text(expr: &Expr) -> String {
    let join = |args: &[Expr]| args.iter().map(column_node_text).collect::<Vec<_>>().join(", ");
    match expr {
        Expr::At { origin, .. } if origin.text.is_some() => origin.text.as_deref().unwrap_or_default().to_owned(),
        Expr::At { child, .. } | Expr::UnresolvedAlias(child) => column_node_text(child),
        // Only dots inside a part need backticks here.
        Expr::UnresolvedAttribute(parts) => {
            let shown = |part: &String| if part.contains('.') { format!("`{part}`") } else { part.clone() };
            parts.iter().map(shown).collect::<Vec<_>>().join(".")
        }
        Expr::UnresolvedFunction(call) => {
            // DISTINCT is not shown.
            let body = format!("{}({})", call.name, join(&call.args));
            match &call.over {
                Some(spec) => format!("{body} OVER ({})", pretty_spec(spec)),
                None => body,
            }
        }
        Expr::Literal { value: Value::String(text), .. } => {
            format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        // Dates, times and durations are what Java's objects say of themselves.
        Expr::Literal { value: value @ Value::Date(_), data_type } => plain_value(value, data_type),
        Expr::Literal { value: value @ (Value::Timestamp(_) | Value::TimestampNtz(_)), data_type } => {
            let text = plain_value(value, data_type);
            if text.contains('.') { text } else { format!("{text}.0") }
        }
        Expr::Literal { value: Value::DayTimeInterval(micros), .. } => java_duration(*micros),
        Expr::Literal { value: Value::Long(n), .. } => format!("{n}L"),
        Expr::Alias(alias) => {
            let name = match alias.names.as_slice() {
                [name] => quote_if_needed(name),
                names => format!("({})", names.join(", ")),
            };
            format!("{} AS {name}", column_node_text(&alias.child))
        }
        Expr::Cast { child, to, mode, .. } => {
            let word = if *mode == EvalMode::Try { "TRY_CAST" } else { "CAST" };
            format!("{word}({} AS {})", column_node_text(child), to.sql())
        }
        Expr::CaseWhen { branches, otherwise } => {
            let mut out = "CASE".to_owned();
            for (condition, value) in branches {
                out += &format!(" WHEN {} THEN {}", column_node_text(condition), column_node_text(value));
            }
            if let Some(value) = otherwise {
                out += &format!(" ELSE {}", column_node_text(value));
            }
            out + " END"
        }
        Expr::SortOrder(order) => format!(
            "{} {} NULLS {}",
            column_node_text(&order.child),
            if order.ascending { "ASC" } else { "DESC" },
            if order.nulls_first { "FIRST" } else { "LAST" }
        ),
        Expr::UnresolvedExtract { child, extraction } => {
            format!("{}[{}]", column_node_text(child), column_node_text(extraction))
        }
        Expr::UnresolvedLambda { params, body } => {
            let params = if let [only] = params.as_slice() { only.clone() } else { format!("({})", params.join(", ")) };
            format!("{params} -> {}", column_node_text(body))
        }
        Expr::PythonUdf(udf) => format!("{}({})", udf.name, join(&udf.args)),
        Expr::GetField { child, name, .. } => format!("{}.{name}", column_node_text(child)),
        other => other.pretty_sql(),
    }
}

/// java.time.Duration.toString of microseconds.
fn java_duration(micros: i64) -> String {
    if micros == 0 {
        return "PT0S".to_owned();
    }
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut out = "PT".to_owned();
    if hours != 0 {
        out += &format!("{hours}H");
    }
    if minutes != 0 {
        out += &format!("{minutes}M");
    }
    if seconds != 0 || rest != 0 {
        let sign = if micros < 0 { "-" } else { "" };
        let fraction = format!("{:06}", rest.abs());
        let fraction = fraction.trim_end_matches('0');
        let dot = if fraction.is_empty() { "" } else { "." };
        out += &format!("{sign}{}{dot}{fraction}S", seconds.abs());
    }
    out
}
