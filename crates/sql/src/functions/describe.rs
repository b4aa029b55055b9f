//! The text of expressions in error messages (toPrettySQL, QueryErrorsBase.toSQLExpr).

use super::cast::literal_sql;
use super::datetime::zone::Zone;
use crate::expr::{EvalMode, Expr};
use crate::types::DataType;
use crate::value::Value;

/// In double quotes.
pub fn quoted(expr: &Expr) -> String {
    format!("\"{}\"", pretty(expr))
}

/// `name(a, b)`, or the operator between its operands.
pub fn call_text(name: &str, args: &[Expr]) -> String {
    let texts: Vec<String> = args.iter().map(pretty).collect();
    form(name, &texts)
}

fn form(name: &str, args: &[String]) -> String {
    match (name, args) {
        ("not", [a]) => format!("(NOT {a})"),
        ("negative", [a]) => format!("negative({a})"),
        ("~", [a]) => format!("~{a}"),
        ("isnull", [a]) => format!("({a} IS NULL)"),
        ("isnotnull", [a]) => format!("({a} IS NOT NULL)"),
        ("and", [a, b]) => format!("({a} AND {b})"),
        ("or", [a, b]) => format!("({a} OR {b})"),
        ("if", [a, b, c]) => format!("(IF({a}, {b}, {c}))"),
        ("like", [a, b]) => format!("{a} LIKE {b}"),
        ("rlike", [a, b]) => format!("RLIKE({a}, {b})"),
        ("in", [a, rest @ ..]) => format!("({a} IN ({}))", rest.join(", ")),
        ("+" | "-" | "*" | "/" | "%" | "div" | "=" | "<=>" | "<" | "<=" | ">" | ">=" | "&" | "|" | "^", [a, b]) => {
            format!("({a} {name} {b})")
        }
        ("-", [a]) => format!("(- {a})"),
        ("+", [a]) => format!("(+ {a})"),
        _ => format!("{name}({})", args.join(", ")),
    }
}

/// toPrettySQL: names without ids, literals bare, implicit casts left out.
pub fn pretty(expr: &Expr) -> String {
    match expr {
        Expr::Literal { value, data_type } => match (value, data_type) {
            (Value::String(s), _) => s.to_string(),
            (Value::Null, _) => "NULL".into(),
            (Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_), _) => {
                value.as_i64().unwrap_or(0).to_string()
            }
            (
                Value::Float(_)
                | Value::Double(_)
                | Value::Decimal(..)
                | Value::Boolean(_)
                | Value::DayTimeInterval(_)
                | Value::YearMonthInterval(_),
                t,
            ) => super::cast::to_text(value, t, &Zone::UTC),
            (v, t) => literal_sql(v, t, &Zone::UTC),
        },
        Expr::Attribute(a) => a.name.to_string(),
        Expr::Alias(a) => pretty(&a.child),
        Expr::Cast { child, to, mode, implicit } => {
            if *implicit {
                pretty(child)
            } else {
                let word = if *mode == EvalMode::Try { "TRY_CAST" } else { "CAST" };
                format!("{word}({} AS {})", pretty(child), to.sql())
            }
        }
        Expr::Call(c) => call_text(&c.name, &c.args),
        Expr::CaseWhen { branches, otherwise } => {
            let mut out = String::from("CASE");
            for (c, v) in branches {
                out.push_str(&format!(" WHEN {} THEN {}", pretty(c), pretty(v)));
            }
            if let Some(o) = otherwise {
                out.push_str(&format!(" ELSE {}", pretty(o)));
            }
            out.push_str(" END");
            out
        }
        Expr::GetField { child, name, .. } => format!("{}.{name}", pretty(child)),
        Expr::GetArrayStructFields { child, name, .. } => format!("{}.{name}", pretty(child)),
        Expr::Aggregate(a) => {
            let args: Vec<String> = a.args.iter().map(pretty).collect();
            format!("{}({}{})", a.name, if a.distinct { "DISTINCT " } else { "" }, args.join(", "))
        }
        Expr::Generator(g) => call_text(&g.name, &g.args),
        Expr::SortOrder(s) => format!(
            "{} {} NULLS {}",
            pretty(&s.child),
            if s.ascending { "ASC" } else { "DESC" },
            if s.nulls_first { "FIRST" } else { "LAST" }
        ),
        Expr::PythonUdf(u) => call_text(&u.name, &u.args),
        Expr::LambdaVariable(v) => format!("namedlambdavariable({})", v.name).replace(&format!("({})", v.name), "()"),
        Expr::Lambda { body, params } => {
            let names: Vec<String> = params.iter().map(|_| "namedlambdavariable()".to_owned()).collect();
            format!("lambdafunction({}, {})", pretty(body), names.join(", "))
        }
        Expr::Bound { ordinal, .. } => format!("input[{ordinal}]"),
        Expr::Window(w) => pretty(&w.function),
        Expr::UnresolvedAttribute(parts) => parts.join("."),
        _ => String::new(),
    }
}

/// Types in a list as messages have them: `("INT" or "DATE")`, or in brackets.
pub fn type_list(types: &[DataType], open: &str, separator: &str, close: &str) -> String {
    let parts: Vec<String> = types.iter().map(DataType::quoted_sql).collect();
    format!("{open}{}{close}", parts.join(separator))
}
