//! Interval texts of window(), session_window() and withWatermark (IntervalUtils.fromIntervalString).

use crate::error::{ErrorClass, Result, SparkError};
use crate::plan::Delay;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

enum Unit {
    Months(i32),
    Days(i32),
    Micros(i64),
}

fn unit(word: &str) -> Option<Unit> {
    let lower = word.to_lowercase();
    Some(match lower.strip_suffix('s').unwrap_or(&lower) {
        "year" => Unit::Months(12),
        "month" => Unit::Months(1),
        "week" => Unit::Days(7),
        "day" => Unit::Days(1),
        "hour" => Unit::Micros(3600 * SECOND),
        "minute" => Unit::Micros(60 * SECOND),
        "second" => Unit::Micros(SECOND),
        "millisecond" => Unit::Micros(1000),
        "microsecond" => Unit::Micros(1),
        _ => return None,
    })
}

/// Whole part and nanoseconds of a number such as "-1.5"; None when it is no number.
fn number(text: &str) -> Option<(i64, Option<i64>)> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !fraction.is_none_or(all_digits) {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction = match fraction {
        None => None,
        Some(digits) if digits.len() > 9 => return None,
        Some(digits) => Some(format!("{digits:0<9}").parse::<i64>().ok()?),
    };
    let sign = if negative { -1 } else { 1 };
    Some((sign * whole, fraction.map(|nanos| sign * nanos)))
}

/// An interval text; None when Spark does not understand it.
pub(crate) fn parse(text: &str) -> Option<Delay> {
    let trimmed = text.trim();
    let head = trimmed.get(..8).filter(|head| head.eq_ignore_ascii_case("interval"));
    let body = match head {
        Some(_) => trimmed[8..].replace('\'', " "),
        None => trimmed.to_owned(),
    };
    let mut words = body.split_whitespace().peekable();
    words.peek()?;
    let (mut months, mut days, mut micros) = (0_i32, 0_i32, 0_i64);
    while let Some(word) = words.next() {
        // A sign may stand alone before its number.
        let joined = if matches!(word, "-" | "+") { format!("{word}{}", words.next()?) } else { word.to_owned() };
        let (whole, nanos) = number(&joined)?;
        match unit(words.next()?)? {
            Unit::Months(factor) if nanos.is_none() => {
                months = months.checked_add(i32::try_from(whole).ok()?.checked_mul(factor)?)?;
            }
            Unit::Days(factor) if nanos.is_none() => {
                days = days.checked_add(i32::try_from(whole).ok()?.checked_mul(factor)?)?;
            }
            Unit::Micros(factor) if nanos.is_none() || factor == SECOND => {
                micros = micros.checked_add(whole.checked_mul(factor)?)?.checked_add(nanos.unwrap_or(0) / 1000)?;
            }
            _ => return None,
        }
    }
    Some(Delay { months, days, micros })
}

/// [`parse`] with Spark's error.
pub(crate) fn parse_or_error(text: &str) -> Result<Delay> {
    parse(text)
        .ok_or_else(|| SparkError::analysis("CANNOT_PARSE_INTERVAL", &[("intervalString", &format!("'{text}'"))]))
}

/// A window length in microseconds; months have none (TimeWindow.getIntervalInMicroSeconds).
pub(crate) fn window_micros(text: &str) -> Result<i64> {
    let delay = parse_or_error(text)?;
    if delay.months != 0 {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_3231", &[("interval", text)]));
    }
    Ok(i64::from(delay.days).wrapping_mul(DAY).wrapping_add(delay.micros))
}

/// Below zero as a whole, a month counting 31 days (IntervalUtils.isNegative).
pub(crate) fn is_negative(delay: &Delay) -> bool {
    let days = i128::from(delay.months) * 31 + i128::from(delay.days);
    days * i128::from(DAY) + i128::from(delay.micros) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_spark_takes() {
        let micros = |text: &str| parse(text).map(|delay| delay.micros);
        assert_eq!(micros("1.5 seconds"), Some(1_500_000));
        assert_eq!(micros("2 minutes -30 seconds"), Some(90_000_000));
        assert_eq!(micros("INTERVAL '5' MINUTE"), Some(300_000_000));
        assert_eq!(parse("1 week").map(|delay| delay.days), Some(7));
        for text in ["5min", "10 min", "0:05:00", "10", "soon", "", "1.5 hours"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
