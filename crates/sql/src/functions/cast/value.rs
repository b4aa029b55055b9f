//! Cast of one value.

use super::CastContext;
use super::parse::{
    fit_decimal, parse_date, parse_decimal, parse_double, parse_float, parse_integral, parse_time, parse_timestamp,
    parse_timestamp_ntz, trim_all,
};
use super::text::{literal_sql, to_text};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::EvalMode;
use crate::functions::datetime::interval;
use crate::functions::datetime::zone::Zone;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, decimal_to_f64, pow10, rescale};

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

fn overflow(value: &Value, from: &DataType, to: &DataType) -> SparkError {
    SparkError::new(
        ErrorClass::Arithmetic,
        "CAST_OVERFLOW",
        &[("value", &shown(value, from)), ("sourceType", &from.quoted_sql()), ("targetType", &to.quoted_sql())],
    )
}

/// QueryErrorsBase.toSQLValue: a literal's text, but plain where a floating number is none.
fn shown(value: &Value, t: &DataType) -> String {
    match value {
        Value::Double(x) if !x.is_finite() => crate::value::text::double_to_string(*x),
        Value::Float(x) if !x.is_finite() => crate::value::text::float_to_string(*x),
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

/// Casts one value.
pub fn cast_value(value: &Value, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    use DataType as T;
    if value.is_null() || from == to {
        return Ok(value.clone());
    }
    let ansi = ctx.mode == EvalMode::Ansi;
    let legacy = ctx.mode == EvalMode::Legacy;
    // A text that does not read.
    let malformed = || match value {
        Value::String(s) if ansi => Err(invalid_input(s, to)),
        _ => Ok(Value::Null),
    };
    let too_large = || if ansi { Err(overflow(value, from, to)) } else { Ok(Value::Null) };
    match (value, to) {
        (Value::Variant { value: v, metadata }, _) => {
            return crate::functions::variant::cast(v, metadata, to, ctx);
        }
        (_, T::Variant) => return crate::functions::variant::from_value(value, from),
        (_, t) if t.is_string() => {
            let text = to_text(value, from, ctx.zone);
            return Ok(match t {
                // Too long a text is cut only on write; a cast keeps what fits (charTypeWriteSideCheck is the writer's).
                T::Varchar(_) | T::Char(_) => Value::from(text),
                _ => Value::from(text),
            });
        }
        (Value::String(s), T::Binary) => return Ok(Value::binary(s.as_bytes())),
        (Value::String(s), T::Boolean) => {
            return match trim_all(s).to_ascii_lowercase().as_str() {
                "t" | "true" | "y" | "yes" | "1" => Ok(Value::Boolean(true)),
                "f" | "false" | "n" | "no" | "0" => Ok(Value::Boolean(false)),
                _ => malformed(),
            };
        }
        (Value::String(s), T::Date) => return parse_date(s).map_or_else(malformed, |d| Ok(Value::Date(d))),
        (Value::String(s), T::Timestamp) => {
            let moment = parse_timestamp(s, ctx.zone).or_else(|| time_of_today(s, ctx));
            return moment.map_or_else(malformed, |t| Ok(Value::Timestamp(t)));
        }
        (Value::String(s), T::TimestampNtz) => {
            return parse_timestamp_ntz(s, true).map_or_else(malformed, |t| Ok(Value::TimestampNtz(t)));
        }
        (Value::String(s), T::Time(precision)) => {
            return parse_time(s).map_or_else(malformed, |t| Ok(Value::Time(cut_time(t, *precision))));
        }
        (Value::String(s), T::Float) => return parse_float(s).map_or_else(malformed, |x| Ok(Value::Float(x))),
        (Value::String(s), T::Double) => return parse_double(s).map_or_else(malformed, |x| Ok(Value::Double(x))),
        (Value::String(s), T::Decimal { precision, scale }) => {
            let Some((n, at)) = parse_decimal(s) else { return malformed() };
            return match fit_decimal(n, at, *precision, *scale) {
                Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
                None if ansi => Err(decimal_overflow(&plain(trim_all(s)), *precision, *scale)),
                None => Ok(Value::Null),
            };
        }
        (Value::String(s), t) if t.is_integral() => {
            let parsed = parse_integral(s, legacy).and_then(|n| integral(n, t));
            return parsed.map_or_else(malformed, Ok);
        }
        (Value::String(s), T::CalendarInterval) => {
            return Ok(interval::parse_calendar(s).unwrap_or(Value::Null));
        }
        (Value::String(s), T::YearMonthInterval { start, end }) => {
            return interval::parse_year_month(s, *start, *end)
                .map_or_else(malformed_interval(s, to, ctx), |m| Ok(Value::YearMonthInterval(m)));
        }
        (Value::String(s), T::DayTimeInterval { start, end }) => {
            return interval::parse_day_time(s, *start, *end)
                .map_or_else(malformed_interval(s, to, ctx), |us| Ok(Value::DayTimeInterval(us)));
        }
        (Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_), T::Binary) => {
            let n = value.as_i64().unwrap_or(0).to_be_bytes();
            let width = from.default_size();
            return Ok(Value::binary(&n[8 - width..]));
        }
        (Value::Array(items), T::Array { element: te, .. }) => {
            let T::Array { element: fe, .. } = from else { return Ok(Value::Null) };
            return items.iter().map(|v| cast_value(v, fe, te, ctx)).collect::<Result<Vec<_>>>().map(Value::array);
        }
        (Value::Map(items), T::Map { key: tk, value: tv, .. }) => {
            let T::Map { key: fk, value: fv, .. } = from else { return Ok(Value::Null) };
            let cast = |(k, v): &(Value, Value)| Ok((cast_value(k, fk, tk, ctx)?, cast_value(v, fv, tv, ctx)?));
            let entries = items.iter().map(cast).collect::<Result<Vec<_>>>()?;
            // A map whose key try_cast cannot make is none.
            let lost = entries.iter().any(|(key, _)| key.is_null());
            return Ok(if lost { Value::Null } else { Value::map(entries) });
        }
        (Value::Struct(items), T::Struct(ts)) => {
            let T::Struct(fs) = from else { return Ok(Value::Null) };
            return items
                .iter()
                .zip(fs.fields.iter().zip(&ts.fields))
                .map(|(v, (f, t))| cast_value(v, &f.data_type, &t.data_type, ctx))
                .collect::<Result<Vec<_>>>()
                .map(Value::structure);
        }
        // ---- dates and times
        (Value::Date(d), T::Timestamp) => {
            return Ok(Value::Timestamp(ctx.zone.to_utc(i64::from(*d).saturating_mul(MICROS_PER_DAY))));
        }
        (Value::Date(d), T::TimestampNtz) => {
            return Ok(Value::TimestampNtz(i64::from(*d).saturating_mul(MICROS_PER_DAY)));
        }
        (Value::Timestamp(t), T::Date) => {
            return Ok(Value::Date(ctx.zone.to_local(*t).div_euclid(MICROS_PER_DAY) as i32));
        }
        (Value::TimestampNtz(t), T::Date) => return Ok(Value::Date(t.div_euclid(MICROS_PER_DAY) as i32)),
        (Value::Timestamp(t), T::TimestampNtz) => return Ok(Value::TimestampNtz(ctx.zone.to_local(*t))),
        (Value::TimestampNtz(t), T::Timestamp) => return Ok(Value::Timestamp(ctx.zone.to_utc(*t))),
        (Value::Timestamp(t), T::Boolean) => return Ok(Value::Boolean(*t != 0)),
        (Value::Timestamp(t), T::Float) => return Ok(Value::Float((*t as f64 / 1e6) as f32)),
        (Value::Timestamp(t), T::Double) => return Ok(Value::Double(*t as f64 / 1e6)),
        (Value::Timestamp(t), T::Decimal { precision, scale }) => {
            return match fit_decimal(i128::from(*t), 6, *precision, *scale) {
                Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
                None if ansi => {
                    Err(decimal_overflow(&crate::value::text::decimal_to_string(i128::from(*t), 6), *precision, *scale))
                }
                None => Ok(Value::Null),
            };
        }
        (Value::Timestamp(t), to) if to.is_integral() => {
            let seconds = i128::from(t.div_euclid(MICROS_PER_SECOND));
            return match integral(seconds, to) {
                Some(v) => Ok(v),
                None if ansi => Err(overflow(value, from, to)),
                None => Ok(Value::Null),
            };
        }
        // ---- time of day
        (Value::Time(t), T::Time(precision)) => return Ok(Value::Time(cut_time(*t, *precision))),
        (Value::Timestamp(t), T::Time(precision)) => {
            let micros = ctx.zone.to_local(*t).rem_euclid(MICROS_PER_DAY);
            return Ok(Value::Time(cut_time(micros * NANOS_PER_MICRO, *precision)));
        }
        (Value::TimestampNtz(t), T::Time(precision)) => {
            return Ok(Value::Time(cut_time(t.rem_euclid(MICROS_PER_DAY) * NANOS_PER_MICRO, *precision)));
        }
        (Value::Time(t), T::Timestamp) => {
            return Ok(Value::Timestamp(ctx.zone.to_utc(ctx.today() + t / NANOS_PER_MICRO)));
        }
        (Value::Time(t), T::TimestampNtz) => return Ok(Value::TimestampNtz(ctx.today() + t / NANOS_PER_MICRO)),
        (Value::Time(t), T::Decimal { precision, scale }) => {
            return match fit_decimal(i128::from(*t), 9, *precision, *scale) {
                Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
                None if ansi => {
                    Err(decimal_overflow(&crate::value::text::decimal_to_string(i128::from(*t), 9), *precision, *scale))
                }
                None => Ok(Value::Null),
            };
        }
        (Value::Time(t), to) => {
            return integral(i128::from(*t / (MICROS_PER_SECOND * NANOS_PER_MICRO)), to).map_or_else(too_large, Ok);
        }
        (Value::Date(_), _) => return Ok(Value::Null),
        // ---- intervals
        (Value::YearMonthInterval(m), T::YearMonthInterval { end, .. }) => {
            return Ok(Value::YearMonthInterval(if *end == 0 { m / 12 * 12 } else { *m }));
        }
        (Value::DayTimeInterval(us), T::DayTimeInterval { end, .. }) => {
            let unit = interval::day_time_unit(*end);
            return Ok(Value::DayTimeInterval(us / unit * unit));
        }
        (Value::YearMonthInterval(m), to) => {
            // The last field says what is counted.
            let unit = if matches!(from, T::YearMonthInterval { end: 0, .. }) { 12 } else { 1 };
            return number(i128::from(m / unit), to).map_or_else(too_large, Ok);
        }
        (Value::DayTimeInterval(us), to) => {
            let T::DayTimeInterval { end, .. } = from else { return Ok(Value::Null) };
            if let T::Decimal { precision, scale } = to
                && *end == 3
            {
                return match fit_decimal(i128::from(*us), 6, *precision, *scale) {
                    Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
                    None if ansi => {
                        let text = crate::value::text::decimal_to_string(i128::from(*us), 6);
                        Err(decimal_overflow(&text, *precision, *scale))
                    }
                    None => Ok(Value::Null),
                };
            }
            let unit = if *end == 3 { MICROS_PER_SECOND } else { interval::day_time_unit(*end) };
            return number(i128::from(us / unit), to).map_or_else(too_large, Ok);
        }
        (v, T::YearMonthInterval { end, .. }) => {
            let Some(n) = exact_integral(v) else { return Err(overflow(value, from, to)) };
            let months = n.checked_mul(if *end == 0 { 12 } else { 1 }).and_then(|n| i32::try_from(n).ok());
            return months.map_or_else(|| Err(overflow(value, from, to)), |m| Ok(Value::YearMonthInterval(m)));
        }
        (v, T::DayTimeInterval { end, .. }) => {
            let unit = i128::from(if *end == 3 { MICROS_PER_SECOND } else { interval::day_time_unit(*end) });
            let micros = match v {
                Value::Decimal(n, _, s) => rescale(n.checked_mul(unit).unwrap_or(i128::MAX), *s, 0),
                v => v.as_i64().map(|n| i128::from(n) * unit),
            };
            return micros
                .and_then(|n| i64::try_from(n).ok())
                .map_or_else(|| Err(overflow(value, from, to)), |us| Ok(Value::DayTimeInterval(us)));
        }
        // ---- numbers
        (Value::Boolean(b), T::Timestamp) => return Ok(Value::Timestamp(i64::from(*b))),
        (Value::Boolean(b), to) => return number(i128::from(*b), to).map_or_else(too_large, Ok),
        (Value::Float(_) | Value::Double(_), _) => {
            let x = value.as_f64().unwrap_or(f64::NAN);
            return cast_double(x, value, from, to, ctx);
        }
        (Value::Decimal(n, _, s), _) => return cast_decimal(*n, *s, value, from, to, ctx),
        _ => {}
    }
    let Some(n) = value.as_i64() else { return Ok(Value::Null) };
    match to {
        T::Boolean => Ok(Value::Boolean(n != 0)),
        T::Timestamp => Ok(Value::Timestamp(n.saturating_mul(MICROS_PER_SECOND))),
        T::Decimal { precision, scale } => match fit_decimal(i128::from(n), 0, *precision, *scale) {
            Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
            None if ansi => Err(decimal_overflow(&n.to_string(), *precision, *scale)),
            None => Ok(Value::Null),
        },
        _ => match number(i128::from(n), to) {
            Some(v) => Ok(v),
            None if legacy => Ok(wrap(n, to)),
            None => too_large(),
        },
    }
}

const NANOS_PER_MICRO: i64 = 1000;

/// A text of a time alone is a moment of the current date.
pub(super) fn time_of_today(text: &str, ctx: CastContext<'_>) -> Option<i64> {
    let (micros, zone) = super::parse::time_alone(text)?;
    match zone {
        None => Some(ctx.zone.to_utc(ctx.today() + micros)),
        Some(zone) => Some(zone.to_utc(CastContext { zone: &zone, ..ctx }.today() + micros)),
    }
}

/// DateTimeUtils.truncateTimeToPrecision: digits past the type's precision are cut off.
fn cut_time(nanos: i64, precision: u8) -> i64 {
    let unit = 10i64.pow(9 - u32::from(precision.min(9)));
    nanos / unit * unit
}

/// Whatever the mode, but for try_cast.
fn malformed_interval<'a>(text: &'a str, to: &'a DataType, ctx: CastContext<'a>) -> impl Fn() -> Result<Value> + 'a {
    move || {
        if ctx.mode == EvalMode::Try {
            return Ok(Value::Null);
        }
        Err(interval::unmatched_format(text, to))
    }
}

/// A whole number as the integral type, when it fits.
fn integral(n: i128, to: &DataType) -> Option<Value> {
    Some(match to {
        DataType::Byte => Value::Byte(i8::try_from(n).ok()?),
        DataType::Short => Value::Short(i16::try_from(n).ok()?),
        DataType::Integer => Value::Integer(i32::try_from(n).ok()?),
        DataType::Long => Value::Long(i64::try_from(n).ok()?),
        _ => return None,
    })
}

fn number(n: i128, to: &DataType) -> Option<Value> {
    Some(match to {
        DataType::Float => Value::Float(n as f32),
        DataType::Double => Value::Double(n as f64),
        DataType::Decimal { precision, scale } => {
            Value::Decimal(fit_decimal(n, 0, *precision, *scale)?, *precision, *scale)
        }
        _ => return integral(n, to),
    })
}

/// The low bits, as Java narrows.
fn wrap(n: i64, to: &DataType) -> Value {
    match to {
        DataType::Byte => Value::Byte(n as i8),
        DataType::Short => Value::Short(n as i16),
        DataType::Integer => Value::Integer(n as i32),
        _ => Value::Long(n),
    }
}

fn exact_integral(v: &Value) -> Option<i64> {
    match v {
        Value::Decimal(n, _, s) => rescale(*n, *s, 0).and_then(|n| i64::try_from(n).ok()),
        v => v.as_i64(),
    }
}

fn cast_double(x: f64, value: &Value, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    use DataType as T;
    let ansi = ctx.mode == EvalMode::Ansi;
    match to {
        T::Boolean => Ok(Value::Boolean(x != 0.0)),
        T::Float => Ok(Value::Float(x as f32)),
        T::Double => Ok(Value::Double(x)),
        T::Timestamp => {
            if x.is_nan() || x.is_infinite() {
                return if ansi { Err(invalid_double_timestamp(x)) } else { Ok(Value::Null) };
            }
            let micros = x * 1e6;
            if ansi && (micros.floor() > i64::MAX as f64 || micros.ceil() < i64::MIN as f64) {
                return Err(overflow(&Value::Double(micros), &DataType::Double, &DataType::Long));
            }
            Ok(Value::Timestamp(micros as i64))
        }
        T::Decimal { precision, scale } => {
            if x.is_nan() || x.is_infinite() {
                return Ok(Value::Null);
            }
            // BigDecimal(x.toString): Scala's Decimal(double) goes through the text.
            let text = match value {
                Value::Float(f) => crate::value::text::double_to_string(f64::from(*f)),
                _ => crate::value::text::double_to_string(x),
            };
            let fitted = parse_decimal(&text).and_then(|(n, s)| fit_decimal(n, s, *precision, *scale));
            match fitted {
                Some(n) => Ok(Value::Decimal(n, *precision, *scale)),
                None if ansi => Err(decimal_overflow(&plain(&text), *precision, *scale)),
                None => Ok(Value::Null),
            }
        }
        t if t.is_integral() => {
            let (low, high) = match t {
                T::Byte => (f64::from(i8::MIN), f64::from(i8::MAX)),
                T::Short => (f64::from(i16::MIN), f64::from(i16::MAX)),
                T::Integer => (f64::from(i32::MIN), f64::from(i32::MAX)),
                _ => (i64::MIN as f64, i64::MAX as f64),
            };
            if ctx.mode == EvalMode::Legacy {
                return Ok(match t {
                    T::Long => Value::Long(x as i64),
                    T::Integer => Value::Integer(x as i32),
                    t => wrap(i64::from(x as i32), t),
                });
            }
            if x.floor() <= high && x.ceil() >= low {
                return Ok(integral(i128::from(x as i64), t).unwrap_or(Value::Null));
            }
            if ansi { Err(overflow(value, from, to)) } else { Ok(Value::Null) }
        }
        _ => Ok(Value::Null),
    }
}

/// A double's text without an exponent.
fn plain(text: &str) -> String {
    match parse_decimal(text) {
        Some((n, s)) if (0..=127).contains(&s) => crate::value::text::decimal_to_string(n, s as i8),
        Some((n, s)) if s < 0 => format!("{n}{}", "0".repeat(s.unsigned_abs() as usize)),
        _ => text.to_owned(),
    }
}

fn invalid_double_timestamp(x: f64) -> SparkError {
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

fn cast_decimal(
    n: i128,
    scale: i8,
    value: &Value,
    from: &DataType,
    to: &DataType,
    ctx: CastContext<'_>,
) -> Result<Value> {
    use DataType as T;
    let ansi = ctx.mode == EvalMode::Ansi;
    match to {
        T::Boolean => Ok(Value::Boolean(n != 0)),
        T::Float => Ok(Value::Float(decimal_to_f64(n, scale) as f32)),
        T::Double => Ok(Value::Double(decimal_to_f64(n, scale))),
        T::Timestamp => {
            let micros = rescale_down(n.saturating_mul(1_000_000), scale);
            Ok(Value::Timestamp(micros as i64))
        }
        T::Decimal { precision, scale: target } => match fit_decimal(n, i32::from(scale), *precision, *target) {
            Some(n) => Ok(Value::Decimal(n, *precision, *target)),
            None if ansi => {
                Err(decimal_overflow(&crate::value::text::decimal_to_string(n, scale), *precision, *target))
            }
            None => Ok(Value::Null),
        },
        t if t.is_integral() => {
            let whole = rescale_down(n, scale);
            match integral(whole, t) {
                Some(v) => Ok(v),
                None if ctx.mode == EvalMode::Legacy => Ok(wrap(whole as i64, t)),
                None if ansi => Err(overflow(value, from, to)),
                None => Ok(Value::Null),
            }
        }
        _ => Ok(Value::Null),
    }
}

/// The part before the point.
fn rescale_down(n: i128, scale: i8) -> i128 {
    if scale <= 0 {
        return n.saturating_mul(pow10(u32::from(scale.unsigned_abs())).unwrap_or(1));
    }
    pow10(scale as u32).map_or(0, |d| n / d)
}
