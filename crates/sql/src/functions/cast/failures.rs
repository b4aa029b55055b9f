//! What casts say of values that have no place in the target.

use super::CastContext;
use super::parse::parse_decimal;
use super::text::literal_sql;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::EvalMode;
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{decimal_to_string, double_to_string, float_to_string};

/// Null, or the error under ANSI.
pub(super) fn lost<T>(ctx: CastContext<'_>, error: impl FnOnce() -> SparkError) -> Result<Option<T>> {
    if ctx.mode == EvalMode::Ansi { Err(error()) } else { Ok(None) }
}

/// CAST_INVALID_INPUT for a text.
pub(super) fn invalid_input(text: &str, to: &DataType) -> SparkError {
    let class = match to {
        t if t.is_numeric() => ErrorClass::NumberFormat,
        t if t.is_datetime() || matches!(t, DataType::Time(_)) => ErrorClass::DateTime,
        _ => ErrorClass::Runtime,
    };
    SparkError::new(
        class,
        "CAST_INVALID_INPUT",
        &[
            ("expression", &literal_sql(&Value::from(text), &DataType::String, &Zone::UTC)),
            ("sourceType", "\"STRING\""),
            ("targetType", &to.quoted_sql()),
        ],
    )
}

/// The same for a double that is no moment.
pub(super) fn invalid_moment(x: f64) -> SparkError {
    SparkError::new(
        ErrorClass::DateTime,
        "CAST_INVALID_INPUT",
        &[
            ("expression", &shown(&Value::Double(x), &DataType::Double)),
            ("sourceType", "\"DOUBLE\""),
            ("targetType", "\"TIMESTAMP\""),
        ],
    )
}

/// CAST_OVERFLOW.
pub(super) fn overflow(value: &Value, from: &DataType, to: &DataType) -> SparkError {
    SparkError::new(
        ErrorClass::Arithmetic,
        "CAST_OVERFLOW",
        &[("value", &shown(value, from)), ("sourceType", &from.quoted_sql()), ("targetType", &to.quoted_sql())],
    )
}

/// QueryErrorsBase.toSQLValue: a literal's text, but plain where a floating number is none.
fn shown(value: &Value, t: &DataType) -> String {
    match value {
        Value::Double(x) if !x.is_finite() => double_to_string(*x),
        Value::Float(x) if !x.is_finite() => float_to_string(*x),
        _ => literal_sql(value, t, &Zone::UTC),
    }
}

/// NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION: a decimal that the type cannot hold.
pub(crate) fn decimal_overflow(text: &str, precision: u8, scale: i8) -> SparkError {
    SparkError::new(
        ErrorClass::Arithmetic,
        "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
        &[
            ("value", text),
            ("precision", &precision.to_string()),
            ("scale", &scale.to_string()),
            ("config", "\"spark.sql.ansi.enabled\""),
        ],
    )
}

/// A number's text without an exponent.
pub(super) fn unscientific(text: &str) -> String {
    match parse_decimal(text) {
        Some((n, s)) if (0..=127).contains(&s) => decimal_to_string(n, s as i8),
        Some((n, s)) if s < 0 => format!("{n}{}", "0".repeat(s.unsigned_abs() as usize)),
        _ => text.to_owned(),
    }
}
