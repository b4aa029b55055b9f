//! Filters that a source of the script's is asked to take over (PythonScanBuilder.pushFilters), as JSON: comparisons of a
//! column with constants, each alone or negated.

use serde_json::{Value as Json, json};

use crate::expr::Expr;
use crate::value::Value;
use crate::value::text::{date_to_string, decimal_to_string, local_timestamp_to_string};

/// `{"name": "EqualTo", "path": ["a"], "value": 1, "negated": false}`; None: the source is not asked.
pub(super) fn described(filter: &Expr) -> Option<Json> {
    let Expr::Call(call) = filter else {
        // A condition that is a column itself.
        return Some(json!({"name": "EqualTo", "path": path(filter)?, "value": true, "negated": false}));
    };
    if let ("not" | "!", [inner]) = (&*call.name, call.args.as_slice()) {
        let mut inner = described(inner).filter(|inner| inner.get("negated") == Some(&Json::Bool(false)))?;
        inner.as_object_mut()?.insert("negated".to_owned(), true.into());
        return Some(inner);
    }
    let (name, column, value) = match (&*call.name, call.args.as_slice()) {
        ("isnull", [column]) => ("IsNull", column, None),
        ("isnotnull", [column]) => ("IsNotNull", column, None),
        ("in", [column, list @ ..]) => ("In", column, Some(list.iter().map(constant).collect::<Option<Json>>()?)),
        ("like", [column, Expr::Literal { value: Value::String(pattern), .. }]) => {
            let (name, text) = simplified(pattern)?;
            (name, column, Some(json!(text)))
        }
        ("startswith", [column, text]) => ("StringStartsWith", column, Some(constant(text)?)),
        ("endswith", [column, text]) => ("StringEndsWith", column, Some(constant(text)?)),
        ("contains", [column, text]) => ("StringContains", column, Some(constant(text)?)),
        (operator, [left, right]) => {
            let turned = path(left).is_none();
            let (column, other) = if turned { (right, left) } else { (left, right) };
            (comparison(operator, turned)?, column, Some(constant(other)?))
        }
        _ => return None,
    };
    Some(json!({"name": name, "path": path(column)?, "value": value, "negated": false}))
}

/// A pattern with nothing but a text and a `%` at its ends (LikeSimplification).
fn simplified(pattern: &str) -> Option<(&'static str, &str)> {
    let after = pattern.strip_prefix('%');
    let inner = after.unwrap_or(pattern);
    let before = inner.strip_suffix('%');
    let text = before.unwrap_or(inner);
    if text.is_empty() || text.contains(['%', '_', '\\']) {
        return None;
    }
    Some(match (after.is_some(), before.is_some()) {
        (false, false) => ("EqualTo", text),
        (false, true) => ("StringStartsWith", text),
        (true, false) => ("StringEndsWith", text),
        (true, true) => ("StringContains", text),
    })
}

fn comparison(operator: &str, turned: bool) -> Option<&'static str> {
    Some(match (operator, turned) {
        ("=" | "==", _) => "EqualTo",
        ("<=>", _) => "EqualNullSafe",
        (">", false) | ("<", true) => "GreaterThan",
        (">=", false) | ("<=", true) => "GreaterThanOrEqual",
        ("<", false) | (">", true) => "LessThan",
        ("<=", false) | (">=", true) => "LessThanOrEqual",
        _ => return None,
    })
}

/// The names of a column, or of a field in it.
fn path(column: &Expr) -> Option<Vec<String>> {
    match column {
        Expr::Attribute(attribute) => Some(vec![attribute.name.to_string()]),
        Expr::GetField { child, name, .. } => {
            let mut path = path(child)?;
            path.push(name.clone());
            Some(path)
        }
        _ => None,
    }
}

/// A constant that JSON has, or its kind and text.
fn constant(expr: &Expr) -> Option<Json> {
    let Expr::Literal { value, .. } = expr else { return None };
    Some(match value {
        Value::Boolean(value) => json!(value),
        Value::Byte(value) => json!(value),
        Value::Short(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Long(value) => json!(value),
        Value::Float(value) if value.is_finite() => json!(value),
        Value::Double(value) if value.is_finite() => json!(value),
        Value::String(text) => json!(&**text),
        Value::Decimal(unscaled, _, scale) => json!({"decimal": decimal_to_string(*unscaled, *scale)}),
        Value::Date(days) => json!({"date": date_to_string(*days)}),
        Value::Timestamp(micros) => json!({"timestamp": local_timestamp_to_string(*micros)}),
        Value::TimestampNtz(micros) => json!({"timestamp_ntz": local_timestamp_to_string(*micros)}),
        _ => return None,
    })
}
