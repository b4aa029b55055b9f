//! Casts between numbers, truth values, dates, moments and intervals.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use arrow::array::{Array, ArrayRef, new_null_array};

use super::CastContext;
use super::failures::{decimal_overflow, invalid_moment, lost, overflow, unscientific};
use super::parse::{fit_decimal, parse_decimal};
use crate::error::{Result, SparkError};
use crate::expr::EvalMode;
use crate::functions::datetime::interval::day_time_unit;
use crate::functions::typed::{Bytes, Decimal, Real, Whole, map, plain};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{
    MICROS_PER_DAY, MICROS_PER_SECOND, decimal_to_f64, decimal_to_string, double_to_string, pow10, rescale,
};

const NANOS_PER_MICRO: i64 = 1000;

/// What an integral type holds.
pub(super) fn range(t: &DataType) -> Option<RangeInclusive<i64>> {
    Some(match t {
        DataType::Byte => i8::MIN.into()..=i8::MAX.into(),
        DataType::Short => i16::MIN.into()..=i16::MAX.into(),
        DataType::Integer => i32::MIN.into()..=i32::MAX.into(),
        DataType::Long => i64::MIN..=i64::MAX,
        _ => return None,
    })
}

/// Casts a column of a type that is neither text nor nested.
pub(super) fn cast(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    match from {
        DataType::Float | DataType::Double => reals(array, from, to, ctx),
        DataType::Decimal { scale, .. } => decimals(array, from, *scale, to, ctx),
        _ => wholes(array, from, to, ctx),
    }
}

fn impossible(from: &DataType, to: &DataType) -> SparkError {
    SparkError::internal(format!("no cast from {from:?} to {to:?}"))
}

/// A number that stands for a value of a type: as the value, for messages.
fn value_of(n: i64, t: &DataType) -> Value {
    match t {
        DataType::Boolean => Value::Boolean(n != 0),
        DataType::Byte => Value::Byte(n as i8),
        DataType::Short => Value::Short(n as i16),
        DataType::Integer => Value::Integer(n as i32),
        DataType::Timestamp => Value::Timestamp(n),
        DataType::Time(_) => Value::Time(n),
        DataType::YearMonthInterval { .. } => Value::YearMonthInterval(n as i32),
        DataType::DayTimeInterval { .. } => Value::DayTimeInterval(n),
        _ => Value::Long(n),
    }
}

/// Casts of what is stored as whole numbers.
fn wholes(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    use DataType as T;
    let zone = ctx.zone;
    // A function that never fails.
    let plainly = |f: &dyn Fn(i64) -> i64| plain(array, to, f);
    let too_large = |n: i64| overflow(&value_of(n, from), from, to);
    match (from, to) {
        // Casts that only the legacy mode has, and that give nothing.
        (T::Date, t) if t.is_numeric() || *t == T::Boolean => Ok(new_null_array(&to.to_arrow(), array.len())),
        (T::Date, T::Timestamp) => plainly(&|d| zone.to_utc(d.saturating_mul(MICROS_PER_DAY))),
        (T::Date, T::TimestampNtz) => plainly(&|d| d.saturating_mul(MICROS_PER_DAY)),
        (T::Timestamp, T::Date) => plainly(&|us| zone.to_local(us).div_euclid(MICROS_PER_DAY)),
        (T::TimestampNtz, T::Date) => plainly(&|us| us.div_euclid(MICROS_PER_DAY)),
        (T::Timestamp, T::TimestampNtz) => plainly(&|us| zone.to_local(us)),
        (T::TimestampNtz, T::Timestamp) => plainly(&|us| zone.to_utc(us)),
        (T::Time(_), T::Time(precision)) => plainly(&|t| cut_time(t, *precision)),
        (T::Timestamp, T::Time(precision)) => {
            plainly(&|us| cut_time(zone.to_local(us).rem_euclid(MICROS_PER_DAY) * NANOS_PER_MICRO, *precision))
        }
        (T::TimestampNtz, T::Time(precision)) => {
            plainly(&|us| cut_time(us.rem_euclid(MICROS_PER_DAY) * NANOS_PER_MICRO, *precision))
        }
        (T::Time(_), T::Timestamp) => {
            let today = ctx.today();
            plainly(&|t| zone.to_utc(today + t / NANOS_PER_MICRO))
        }
        (T::Time(_), T::TimestampNtz) => {
            let today = ctx.today();
            plainly(&|t| today + t / NANOS_PER_MICRO)
        }
        (T::Boolean, T::Timestamp) => plainly(&|b| b),
        (f, T::Timestamp) if f.is_integral() => plainly(&|s| s.saturating_mul(MICROS_PER_SECOND)),
        (_, T::Boolean) => plainly(&|n| i64::from(n != 0)),
        (T::YearMonthInterval { .. }, T::YearMonthInterval { end, .. }) => {
            plainly(&|months| if *end == 0 { months / 12 * 12 } else { months })
        }
        (T::DayTimeInterval { .. }, T::DayTimeInterval { end, .. }) => {
            let unit = day_time_unit(*end);
            plainly(&|us| us / unit * unit)
        }
        (_, T::YearMonthInterval { .. } | T::DayTimeInterval { .. }) => {
            let unit = interval_unit(to);
            map::<Whole, Whole>(array, to, &|n| in_interval(Some(i128::from(n) * unit), to, || too_large(n)))
        }
        (f, T::Binary) => {
            let width = f.default_size();
            map::<Whole, Bytes>(array, to, &|n| Ok(Some(Cow::Owned(n.to_be_bytes()[8 - width..].to_vec()))))
        }
        (T::Timestamp, T::Float | T::Double) => map::<Whole, Real>(array, to, &|us| Ok(Some(us as f64 / 1e6))),
        (_, T::Float | T::Double) => map::<Whole, Real>(array, to, &|n| Ok(Some(n as f64))),
        (_, T::Decimal { precision, scale }) => {
            // A count of parts of a second has their digits; other intervals count their last field.
            let (unit, digits, exact) = match from {
                T::Timestamp => (1, 6, true),
                T::Time(_) => (1, 9, true),
                T::DayTimeInterval { end: 3, .. } => (1, 6, true),
                f => (counted(f), 0, f.is_integral()),
            };
            map::<Whole, Decimal>(array, to, &|n| {
                let counted = i128::from(n / unit);
                match fit_decimal(counted, digits.into(), *precision, *scale) {
                    None if exact => {
                        lost(ctx, || decimal_overflow(&decimal_to_string(counted, digits), *precision, *scale))
                    }
                    None => lost(ctx, || too_large(n)),
                    fitted => Ok(fitted),
                }
            })
        }
        (f, t) => {
            let fits = range(t).ok_or_else(|| impossible(from, to))?;
            // Java narrows whole numbers by their low bits.
            let wraps = f.is_integral() && ctx.mode == EvalMode::Legacy;
            let unit = counted(f);
            map::<Whole, Whole>(array, to, &|n| {
                let counted = if *f == T::Timestamp { n.div_euclid(unit) } else { n / unit };
                if wraps || fits.contains(&counted) { Ok(Some(counted)) } else { lost(ctx, || too_large(n)) }
            })
        }
    }
}

/// How many of the stored numbers a whole number of the type is cast from: an interval's last field says what is counted.
fn counted(t: &DataType) -> i64 {
    match t {
        DataType::Timestamp | DataType::DayTimeInterval { end: 3, .. } => MICROS_PER_SECOND,
        DataType::Time(_) => MICROS_PER_SECOND * NANOS_PER_MICRO,
        DataType::YearMonthInterval { end: 0, .. } => 12,
        DataType::DayTimeInterval { end, .. } => day_time_unit(*end),
        _ => 1,
    }
}

/// Months or microseconds of one of what an interval's last field counts.
fn interval_unit(to: &DataType) -> i128 {
    match to {
        DataType::YearMonthInterval { end: 0, .. } => 12,
        DataType::DayTimeInterval { end: 3, .. } => MICROS_PER_SECOND.into(),
        DataType::DayTimeInterval { end, .. } => day_time_unit(*end).into(),
        _ => 1,
    }
}

/// What does not fit an interval fails whatever the mode.
fn in_interval(n: Option<i128>, to: &DataType, error: impl FnOnce() -> SparkError) -> Result<Option<i64>> {
    let fits = match to {
        DataType::YearMonthInterval { .. } => n.and_then(|n| i32::try_from(n).ok()).map(i64::from),
        _ => n.and_then(|n| i64::try_from(n).ok()),
    };
    fits.map(Some).ok_or_else(error)
}

/// DateTimeUtils.truncateTimeToPrecision: digits past the type's precision are cut off.
pub(super) fn cut_time(nanos: i64, precision: u8) -> i64 {
    let unit = 10i64.pow(9 - u32::from(precision.min(9)));
    nanos / unit * unit
}

/// Casts of floats and doubles.
fn reals(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    use DataType as T;
    let too_large = |x: f64| {
        let value = if *from == T::Float { Value::Float(x as f32) } else { Value::Double(x) };
        overflow(&value, from, to)
    };
    match to {
        T::Boolean => map::<Real, Whole>(array, to, &|x| Ok(Some(i64::from(x != 0.0)))),
        T::Timestamp => map::<Real, Whole>(array, to, &|x| {
            if !x.is_finite() {
                return lost(ctx, || invalid_moment(x));
            }
            let micros = x * 1e6;
            let out = micros.floor() > i64::MAX as f64 || micros.ceil() < i64::MIN as f64;
            if out && ctx.mode == EvalMode::Ansi {
                return Err(overflow(&Value::Double(micros), &T::Double, &T::Long));
            }
            Ok(Some(micros as i64))
        }),
        T::Decimal { precision, scale } => map::<Real, Decimal>(array, to, &|x| {
            if !x.is_finite() {
                return Ok(None);
            }
            // BigDecimal(x.toString): Scala's Decimal(double) goes through the text.
            let text = double_to_string(x);
            match parse_decimal(&text).and_then(|(n, s)| fit_decimal(n, s, *precision, *scale)) {
                None => lost(ctx, || decimal_overflow(&unscientific(&text), *precision, *scale)),
                fitted => Ok(fitted),
            }
        }),
        t => {
            let fits = range(t).ok_or_else(|| impossible(from, to))?;
            let (low, high) = (*fits.start() as f64, *fits.end() as f64);
            if ctx.mode == EvalMode::Legacy {
                // Java goes by way of an int where the target is less than a long.
                let long = *t == T::Long;
                return map::<Real, Whole>(array, to, &|x| Ok(Some(if long { x as i64 } else { (x as i32).into() })));
            }
            map::<Real, Whole>(array, to, &|x| {
                if x.floor() <= high && x.ceil() >= low { Ok(Some(x as i64)) } else { lost(ctx, || too_large(x)) }
            })
        }
    }
}

/// Casts of decimals.
fn decimals(array: &ArrayRef, from: &DataType, scale: i8, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    use DataType as T;
    let precision = if let T::Decimal { precision, .. } = from { *precision } else { 38 };
    let too_large = |n: i128| overflow(&Value::Decimal(n, precision, scale), from, to);
    match to {
        T::Boolean => map::<Decimal, Whole>(array, to, &|n| Ok(Some(i64::from(n != 0)))),
        T::Float | T::Double => map::<Decimal, Real>(array, to, &|n| Ok(Some(decimal_to_f64(n, scale)))),
        T::Timestamp => map::<Decimal, Whole>(array, to, &|n| Ok(Some(decimal_moment(n, scale)))),
        T::Decimal { precision, scale: target } => {
            map::<Decimal, Decimal>(array, to, &|n| match fit_decimal(n, scale.into(), *precision, *target) {
                None => lost(ctx, || decimal_overflow(&decimal_to_string(n, scale), *precision, *target)),
                fitted => Ok(fitted),
            })
        }
        T::YearMonthInterval { .. } => map::<Decimal, Whole>(array, to, &|n| {
            let whole = rescale(n, scale, 0).and_then(|n| i64::try_from(n).ok());
            in_interval(whole.map(|n| i128::from(n) * interval_unit(to)), to, || too_large(n))
        }),
        T::DayTimeInterval { .. } => map::<Decimal, Whole>(array, to, &|n| {
            let micros = rescale(n.checked_mul(interval_unit(to)).unwrap_or(i128::MAX), scale, 0);
            in_interval(micros, to, || too_large(n))
        }),
        t => {
            let fits = range(t).ok_or_else(|| impossible(from, to))?;
            map::<Decimal, Whole>(array, to, &|n| {
                let whole = rescale_down(n, scale);
                match i64::try_from(whole).ok().filter(|n| fits.contains(n)) {
                    None if ctx.mode == EvalMode::Legacy => Ok(Some(whole as i64)),
                    None => lost(ctx, || too_large(n)),
                    fitted => Ok(fitted),
                }
            })
        }
    }
}

/// Microseconds of a decimal number of seconds, as Cast makes a TIMESTAMP of it.
pub(crate) fn decimal_moment(n: i128, scale: i8) -> i64 {
    rescale_down(n.saturating_mul(MICROS_PER_SECOND.into()), scale) as i64
}

/// The part before the point.
fn rescale_down(n: i128, scale: i8) -> i128 {
    if scale <= 0 {
        return n.saturating_mul(pow10(u32::from(scale.unsigned_abs())).unwrap_or(1));
    }
    pow10(scale as u32).map_or(0, |d| n / d)
}
