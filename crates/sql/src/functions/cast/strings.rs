//! Casts of texts.

use std::borrow::Cow;

use arrow::array::ArrayRef;

use super::CastContext;
use super::failures::{decimal_overflow, invalid_input, lost, unscientific};
use super::numbers::{cut_time, range};
use super::parse::{
    fit_decimal, parse_date, parse_decimal, parse_double, parse_float, parse_integral, parse_time, parse_timestamp,
    parse_timestamp_ntz, time_alone, trim_all,
};
use crate::error::{Result, SparkError};
use crate::expr::EvalMode;
use crate::functions::datetime::interval;
use crate::functions::typed::{Bytes, Calendar, Decimal, Real, Text, Whole, map};
use crate::types::DataType;

pub(super) fn cast(array: &ArrayRef, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    use DataType as T;
    let legacy = ctx.mode == EvalMode::Legacy;
    match to {
        T::Binary => map::<Text, Bytes>(array, to, &|s| Ok(Some(Cow::Borrowed(s.as_bytes())))),
        T::CalendarInterval => map::<Text, Calendar>(array, to, &|s| Ok(interval::calendar_parts(s).ok())),
        T::Float => map::<Text, Real>(array, to, &|s| read(parse_float(s).map(f64::from), s, to, ctx)),
        T::Double => map::<Text, Real>(array, to, &|s| read(parse_double(s), s, to, ctx)),
        T::Decimal { precision, scale } => map::<Text, Decimal>(array, to, &|s| {
            let Some((n, at)) = parse_decimal(s) else { return read(None, s, to, ctx) };
            match fit_decimal(n, at, *precision, *scale) {
                None => lost(ctx, || decimal_overflow(&unscientific(trim_all(s)), *precision, *scale)),
                fitted => Ok(fitted),
            }
        }),
        T::Boolean => wholes(array, to, ctx, &truth),
        T::Date => wholes(array, to, ctx, &|s| parse_date(s).map(i64::from)),
        T::Timestamp => wholes(array, to, ctx, &|s| parse_timestamp(s, ctx.zone).or_else(|| time_of_today(s, ctx))),
        T::TimestampNtz => wholes(array, to, ctx, &|s| parse_timestamp_ntz(s, true)),
        T::Time(precision) => wholes(array, to, ctx, &|s| parse_time(s).map(|t| cut_time(t, *precision))),
        T::YearMonthInterval { start, end } => {
            intervals(array, to, ctx, &|s| interval::parse_year_month(s, *start, *end).map(i64::from))
        }
        T::DayTimeInterval { start, end } => intervals(array, to, ctx, &|s| interval::parse_day_time(s, *start, *end)),
        t => {
            let fits = range(t).ok_or_else(|| SparkError::internal(format!("a text is no {t:?}")))?;
            wholes(array, to, ctx, &|s| {
                parse_integral(s, legacy).and_then(|n| i64::try_from(n).ok()).filter(|n| fits.contains(n))
            })
        }
    }
}

fn wholes(
    array: &ArrayRef,
    to: &DataType,
    ctx: CastContext<'_>,
    parse: &dyn Fn(&str) -> Option<i64>,
) -> Result<ArrayRef> {
    map::<Text, Whole>(array, to, &|s| read(parse(s), s, to, ctx))
}

/// What does not read fails whatever the mode, but for try_cast.
fn intervals(
    array: &ArrayRef,
    to: &DataType,
    ctx: CastContext<'_>,
    parse: &dyn Fn(&str) -> Option<i64>,
) -> Result<ArrayRef> {
    map::<Text, Whole>(array, to, &|s| match parse(s) {
        None if ctx.mode != EvalMode::Try => Err(interval::unmatched_format(s, to)),
        parsed => Ok(parsed),
    })
}

/// A malformed text: null, or CAST_INVALID_INPUT under ANSI.
fn read<T>(parsed: Option<T>, text: &str, to: &DataType, ctx: CastContext<'_>) -> Result<Option<T>> {
    if parsed.is_some() { Ok(parsed) } else { lost(ctx, || invalid_input(text, to)) }
}

fn truth(text: &str) -> Option<i64> {
    match trim_all(text).to_ascii_lowercase().as_str() {
        "t" | "true" | "y" | "yes" | "1" => Some(1),
        "f" | "false" | "n" | "no" | "0" => Some(0),
        _ => None,
    }
}

/// A text of a time alone is a moment of the current date.
fn time_of_today(text: &str, ctx: CastContext<'_>) -> Option<i64> {
    let (micros, zone) = time_alone(text)?;
    match zone {
        None => Some(ctx.zone.to_utc(ctx.today() + micros)),
        Some(zone) => Some(zone.to_utc(CastContext { zone: &zone, ..ctx }.today() + micros)),
    }
}
