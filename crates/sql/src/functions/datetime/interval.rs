//! Interval texts (IntervalUtils).

use crate::error::{ErrorClass, Result, SparkError};
use crate::types::DataType;
use crate::value::Value;

/// Microseconds of a day-time field: 0 day, 1 hour, 2 minute; a second counts as one microsecond (it has a fraction).
pub fn day_time_unit(field: u8) -> i64 {
    match field {
        0 => 86_400_000_000,
        1 => 3_600_000_000,
        2 => 60_000_000,
        _ => 1,
    }
}

fn invalid(text: &str, reason: &str) -> SparkError {
    // IntervalUtils.stringToInterval raises one condition per reason.
    SparkError::new(ErrorClass::IllegalArgument, &format!("INVALID_INTERVAL_FORMAT.{reason}"), &[("input", text)])
}

/// IntervalUtils.stringToInterval: "[interval] 1 day -2 hours 3.5 seconds".
pub fn parse_calendar(input: &str) -> Result<Value> {
    let (months, days, micros) = calendar_parts(input)?;
    Ok(Value::CalendarInterval { months, days, micros })
}

/// The same as months, days and microseconds.
pub fn calendar_parts(input: &str) -> Result<(i32, i32, i64)> {
    let text = input.trim().to_lowercase();
    if text.is_empty() {
        return Err(invalid(input, "INPUT_IS_EMPTY"));
    }
    let mut rest = text.as_str();
    if let Some(after) = rest.strip_prefix("interval") {
        if after.is_empty() {
            return Err(invalid(input, "INPUT_IS_EMPTY"));
        }
        if !after.starts_with(char::is_whitespace) {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.INVALID_PREFIX",
                &[("input", input), ("prefix", rest.split_whitespace().next().unwrap_or(rest))],
            ));
        }
        rest = after.trim_start();
    }
    let (mut months, mut days, mut micros) = (0i32, 0i32, 0i64);
    let overflow = || SparkError::new(ErrorClass::Arithmetic, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", &[]);
    while !rest.is_empty() {
        let mut negative = false;
        if let Some(after) = rest.strip_prefix(['+', '-']) {
            negative = rest.starts_with('-');
            rest = after.trim_start();
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = &rest[..end];
        let word_of = |s: &str| s.split_whitespace().next().unwrap_or("").to_owned();
        if number.is_empty() || number == "." {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.INVALID_VALUE",
                &[("input", input), ("value", &word_of(rest))],
            ));
        }
        let after = &rest[end..];
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.INVALID_VALUE",
                &[("input", input), ("value", &word_of(rest))],
            ));
        }
        rest = after.trim_start();
        let unit_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let unit = &rest[..unit_end];
        if unit.is_empty() {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.MISSING_UNIT",
                &[("input", input), ("word", number)],
            ));
        }
        rest = rest[unit_end..].trim_start();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_second = matches!(unit, "second" | "seconds");
        if number.contains('.') && !is_second {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.INVALID_FRACTION",
                &[("input", input), ("unit", unit)],
            ));
        }
        if fraction.len() > 9 {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_FORMAT.INVALID_PRECISION",
                &[("input", input), ("value", number)],
            ));
        }
        let n: i64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| overflow())? };
        let n = if negative { -n } else { n };
        let narrow = |n: i64| i32::try_from(n).map_err(|_| overflow());
        match unit {
            "year" | "years" => {
                let m = narrow(n)?.checked_mul(12).ok_or_else(overflow)?;
                months = months.checked_add(m).ok_or_else(overflow)?;
            }
            "month" | "months" => months = months.checked_add(narrow(n)?).ok_or_else(overflow)?,
            "week" | "weeks" => {
                let d = narrow(n)?.checked_mul(7).ok_or_else(overflow)?;
                days = days.checked_add(d).ok_or_else(overflow)?;
            }
            "day" | "days" => days = days.checked_add(narrow(n)?).ok_or_else(overflow)?,
            _ => {
                let factor = match unit {
                    "hour" | "hours" => 3_600_000_000,
                    "minute" | "minutes" => 60_000_000,
                    "second" | "seconds" => 1_000_000,
                    "millisecond" | "milliseconds" => 1000,
                    "microsecond" | "microseconds" => 1,
                    _ => {
                        return Err(SparkError::new(
                            ErrorClass::IllegalArgument,
                            "INVALID_INTERVAL_FORMAT.INVALID_UNIT",
                            &[("input", input), ("unit", unit)],
                        ));
                    }
                };
                let mut us = n.checked_mul(factor).ok_or_else(overflow)?;
                if !fraction.is_empty() {
                    let padded = format!("{fraction:0<9}");
                    let nanos: i64 = padded.parse().unwrap_or(0);
                    us += if negative { -(nanos / 1000) } else { nanos / 1000 };
                }
                micros = micros.checked_add(us).ok_or_else(overflow)?;
            }
        }
    }
    Ok((months, days, micros))
}

/// The text inside `INTERVAL '...' UNIT`, or the text itself.
fn body(text: &str) -> (&str, bool, Option<String>) {
    let t = text.trim();
    let upper = t.to_ascii_uppercase();
    if !upper.starts_with("INTERVAL") {
        return (t, false, None);
    }
    let rest = t[8..].trim_start();
    let (rest, negative) = match rest.strip_prefix('-') {
        Some(r) => (r.trim_start(), true),
        None => (rest.strip_prefix('+').map_or(rest, str::trim_start), false),
    };
    if let Some(inner) = rest.strip_prefix('\'')
        && let Some(end) = inner.find('\'')
    {
        return (&inner[..end], negative, Some(inner[end + 1..].trim().to_ascii_uppercase()));
    }
    (t, false, None)
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(r) => (true, r),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// IntervalUtils.castStringToYMInterval: months.
pub fn parse_year_month(text: &str, start: u8, end: u8) -> Option<i32> {
    let (inner, outer_negative, unit) = body(text);
    let (negative, t) = sign(inner);
    let (mut from, mut to) = (start, end);
    if let Some(unit) = unit {
        (from, to) = match unit.as_str() {
            "YEAR" => (0, 0),
            "MONTH" => (1, 1),
            "YEAR TO MONTH" => (0, 1),
            _ => return None,
        };
        if (from, to) != (start, end) {
            return None;
        }
    }
    let digits = |s: &str| -> Option<i32> {
        (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok()).flatten()
    };
    let months = match (from, to) {
        (0, 0) => digits(t)?.checked_mul(12)?,
        (1, 1) => digits(t)?,
        _ => {
            let (y, m) = t.split_once('-')?;
            let m = digits(m)?;
            if m > 11 {
                return None;
            }
            digits(y)?.checked_mul(12)?.checked_add(m)?
        }
    };
    Some(if negative != outer_negative { -months } else { months })
}

/// IntervalUtils.castStringToDTInterval: microseconds.
pub fn parse_day_time(text: &str, start: u8, end: u8) -> Option<i64> {
    let (inner, outer_negative, unit) = body(text);
    if let Some(unit) = unit {
        let names = ["DAY", "HOUR", "MINUTE", "SECOND"];
        let wanted = if start == end {
            names.get(start as usize)?.to_string()
        } else {
            format!("{} TO {}", names.get(start as usize)?, names.get(end as usize)?)
        };
        if unit != wanted {
            return None;
        }
    }
    let (negative, t) = sign(inner);
    let mut total: i64 = 0;
    let number = |s: &str| -> Option<i64> {
        (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok()).flatten()
    };
    let seconds = |s: &str| -> Option<i64> {
        let (whole, fraction) = s.split_once('.').unwrap_or((s, ""));
        if fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let micros: i64 = format!("{fraction:0<9}").parse::<i64>().ok()? / 1000;
        number(whole)?.checked_mul(1_000_000)?.checked_add(micros)
    };
    let mut rest = t;
    let mut field = start;
    while field <= end {
        let last = field == end;
        let (piece, after) = if last {
            (rest, "")
        } else {
            let separator = if field == 0 { ' ' } else { ':' };
            rest.split_once(separator)?
        };
        let value = if field == 3 { seconds(piece)? } else { number(piece)? };
        let limit = match field {
            1 => 23,
            2 => 59,
            3 => 59_999_999,
            _ => i64::MAX,
        };
        if field != start && value > limit {
            return None;
        }
        let micros = if field == 3 { value } else { value.checked_mul(day_time_unit(field))? };
        total = total.checked_add(micros)?;
        rest = after;
        field += 1;
    }
    Some(if negative != outer_negative { -total } else { total })
}

/// The forms of a day-time interval between two fields, as error texts list them.
fn day_time_format(start: u8, end: u8) -> String {
    const NAMES: [&str; 4] = ["DAY", "HOUR", "MINUTE", "SECOND"];
    const LETTERS: [&str; 4] = ["d", "h", "m", "s.n"];
    let (from, to) = (usize::from(start).min(3), usize::from(end).min(3));
    let mut body = LETTERS[from].to_owned();
    for (i, letter) in LETTERS.iter().enumerate().take(to + 1).skip(from + 1) {
        body.push_str(if i == 1 { " " } else { ":" });
        body.push_str(letter);
    }
    let unit = if from == to { NAMES[from].to_owned() } else { format!("{} TO {}", NAMES[from], NAMES[to]) };
    format!("`[+|-]{body}`, `INTERVAL [+|-]'[+|-]{body}' {unit}`")
}

/// INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING.
pub fn unmatched_format(text: &str, to: &DataType) -> SparkError {
    let (kind, supported) = match to {
        DataType::YearMonthInterval { start, end } => (
            "year-month",
            match (start, end) {
                (0, 0) => "`[+|-]y`, `INTERVAL [+|-]'[+|-]y' YEAR`",
                (1, 1) => "`[+|-]m`, `INTERVAL [+|-]'[+|-]m' MONTH`",
                _ => "`[+|-]y-m`, `INTERVAL [+|-]'[+|-]y-m' YEAR TO MONTH`",
            }
            .to_owned(),
        ),
        DataType::DayTimeInterval { start, end } => ("day-time", day_time_format(*start, *end)),
        _ => ("day-time", String::new()),
    };
    // Day-time intervals had a laxer form once, to which the text points.
    let condition = match kind {
        "day-time" => "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE",
        _ => "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING",
    };
    SparkError::new(
        ErrorClass::IllegalArgument,
        condition,
        &[("input", text), ("intervalStr", kind), ("supportedFormat", &supported), ("typeName", &to.simple_string())],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(
            parse_calendar("1 day -2 hours 3.5 seconds").unwrap(),
            Value::CalendarInterval { months: 0, days: 1, micros: -7_200_000_000 + 3_500_000 }
        );
        assert_eq!(
            parse_calendar("2 minutes").unwrap(),
            Value::CalendarInterval { months: 0, days: 0, micros: 120_000_000 }
        );
        assert!(parse_calendar("5 fortnights").is_err());
        assert_eq!(parse_year_month("1-2", 0, 1), Some(14));
        assert_eq!(parse_day_time("INTERVAL '1 02:03:04.5' DAY TO SECOND", 0, 3), Some(93_784_500_000));
        assert_eq!(parse_day_time("-3", 0, 0), Some(-259_200_000_000));
    }
}
