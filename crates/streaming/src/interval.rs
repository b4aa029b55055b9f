//! The interval texts of triggers (IntervalUtils.stringToInterval, whose complaints these are).

use tidemark_sql::error::{ErrorClass, Result, SparkError};

/// Months, days and microseconds of a text such as "interval 1 hour 30 minutes".
pub(crate) fn parse(text: &str) -> Result<(i64, i64, i64)> {
    let refuse = |condition: &str, name: &str, value: &str| {
        SparkError::new(
            ErrorClass::IllegalArgument,
            &format!("INVALID_INTERVAL_FORMAT.{condition}"),
            &[("input", text), (name, value)],
        )
    };
    let lower = text.trim().to_lowercase();
    let body = match lower.strip_prefix("interval") {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest,
        Some("") => return Err(refuse("INPUT_IS_EMPTY", "input", text)),
        _ => &lower,
    };
    let words: Vec<&str> = body.split_whitespace().collect();
    if words.is_empty() {
        return Err(refuse("INPUT_IS_EMPTY", "input", text));
    }
    let (mut months, mut days, mut micros) = (0_i64, 0_i64, 0_i64);
    let mut at = 0;
    while at < words.len() {
        let mut number = words[at].to_owned();
        at += 1;
        if matches!(number.as_str(), "+" | "-") {
            let Some(next) = words.get(at) else { return Err(refuse("MISSING_NUMBER", "word", &number)) };
            number.push_str(next);
            at += 1;
        }
        let (whole, fraction) = match number.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (number.as_str(), None),
        };
        let negative = whole.starts_with('-');
        let digits = whole.trim_start_matches(['+', '-']);
        let valid = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if !valid(digits) || (digits.is_empty() && fraction.is_none_or(str::is_empty)) || !fraction.is_none_or(valid) {
            return Err(refuse("UNRECOGNIZED_NUMBER", "number", &number));
        }
        let Some(unit) = words.get(at) else { return Err(refuse("MISSING_UNIT", "word", &number)) };
        at += 1;
        let value: i64 = if digits.is_empty() {
            0
        } else {
            digits.parse().map_err(|_| refuse("UNRECOGNIZED_NUMBER", "number", &number))?
        };
        let value = if negative { -value } else { value };
        let singular = unit.strip_suffix('s').unwrap_or(unit);
        if fraction.is_some() && singular != "second" {
            return Err(refuse("INVALID_FRACTION", "unit", unit));
        }
        let overflow = || refuse("ARITHMETIC_EXCEPTION", "input", text);
        let add =
            |sum: i64, factor: i64| value.checked_mul(factor).and_then(|v| sum.checked_add(v)).ok_or_else(overflow);
        match singular {
            "year" => months = add(months, 12)?,
            "month" => months = add(months, 1)?,
            "week" => days = add(days, 7)?,
            "day" => days = add(days, 1)?,
            "hour" => micros = add(micros, 3_600_000_000)?,
            "minute" => micros = add(micros, 60_000_000)?,
            "second" => {
                micros = add(micros, 1_000_000)?;
                if let Some(fraction) = fraction {
                    let six: String = fraction.chars().chain(std::iter::repeat('0')).take(6).collect();
                    let part: i64 = six.parse().map_err(|_| refuse("UNRECOGNIZED_NUMBER", "number", &number))?;
                    micros = micros.checked_add(if negative { -part } else { part }).ok_or_else(overflow)?;
                }
            }
            "millisecond" => micros = add(micros, 1000)?,
            "microsecond" => micros = add(micros, 1)?,
            "nanosecond" => micros = micros.checked_add(value / 1000).ok_or_else(overflow)?,
            _ => return Err(refuse("INVALID_UNIT", "unit", unit)),
        }
        // CalendarInterval counts both in 32 bits.
        if i32::try_from(months).is_err() || i32::try_from(days).is_err() {
            return Err(overflow());
        }
    }
    Ok((months, days, micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_triggers() {
        assert_eq!(parse("interval 1 hour 30 minutes").ok(), Some((0, 0, 5_400_000_000)));
        assert_eq!(parse("250 milliseconds").ok(), Some((0, 0, 250_000)));
        assert_eq!(parse("-1 second").ok(), Some((0, 0, -1_000_000)));
        assert_eq!(parse("1 month 2 weeks").ok(), Some((1, 14, 0)));
        assert_eq!(parse("1.5 seconds").ok(), Some((0, 0, 1_500_000)));
        let condition = |text: &str| parse(text).err().and_then(|e| e.condition);
        assert_eq!(condition("soon").as_deref(), Some("INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER"));
        assert_eq!(condition("5").as_deref(), Some("INVALID_INTERVAL_FORMAT.MISSING_UNIT"));
        assert_eq!(condition("5 parsecs").as_deref(), Some("INVALID_INTERVAL_FORMAT.INVALID_UNIT"));
    }
}
