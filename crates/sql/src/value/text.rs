//! The texts of values (Cast to STRING), and decimal arithmetic on unscaled integers.

pub use super::java_double::{double_to_string, float_to_string};
use crate::types::DataType;

pub const MICROS_PER_SECOND: i64 = 1_000_000;
pub const MICROS_PER_DAY: i64 = 86_400_000_000;

/// 10^n.
pub fn pow10(n: u32) -> Option<i128> {
    10i128.checked_pow(n)
}

/// Decimal digits of an unscaled value; 1 for zero.
pub fn digits(n: i128) -> u32 {
    n.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
}

/// The unscaled value at another scale, rounded half up; None when it leaves 128 bits.
pub fn rescale(unscaled: i128, from: i8, to: i8) -> Option<i128> {
    if from == to {
        return Some(unscaled);
    }
    let by = (i32::from(to) - i32::from(from)).unsigned_abs();
    if to > from {
        return unscaled.checked_mul(pow10(by)?);
    }
    let Some(divisor) = pow10(by) else { return Some(0) };
    let (quotient, remainder) = (unscaled / divisor, unscaled % divisor);
    let up = remainder.unsigned_abs() >= divisor.unsigned_abs().div_ceil(2);
    Some(if up { quotient + unscaled.signum() } else { quotient })
}

/// BigDecimal.doubleValue.
pub fn decimal_to_f64(unscaled: i128, scale: i8) -> f64 {
    if scale == 0 {
        return unscaled as f64;
    }
    // Through text: correctly rounded, as Java's is.
    format!("{unscaled}e{}", -i32::from(scale)).parse().unwrap_or(f64::NAN)
}

/// BigDecimal.toPlainString.
pub fn decimal_to_string(unscaled: i128, scale: i8) -> String {
    if scale <= 0 {
        let mut out = unscaled.to_string();
        if unscaled != 0 {
            out.extend(std::iter::repeat_n('0', usize::from(scale.unsigned_abs())));
        }
        return out;
    }
    let scale = scale as usize;
    let mut text = unscaled.unsigned_abs().to_string();
    if text.len() <= scale {
        text.insert_str(0, &"0".repeat(scale + 1 - text.len()));
    }
    text.insert(text.len() - scale, '.');
    if unscaled < 0 {
        text.insert(0, '-');
    }
    text
}

/// BigDecimal.toString: scientific where the adjusted exponent is below -6 or the scale is negative.
pub fn decimal_to_scientific(unscaled: i128, scale: i8) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let adjusted = -i32::from(scale) + (digits.len() as i32 - 1);
    if scale >= 0 && adjusted >= -6 {
        return decimal_to_string(unscaled, scale);
    }
    let mut out = String::new();
    if unscaled < 0 {
        out.push('-');
    }
    out.push_str(&digits[..1]);
    if digits.len() > 1 {
        out.push('.');
        out.push_str(&digits[1..]);
    }
    if adjusted != 0 {
        out.push('E');
        if adjusted > 0 {
            out.push('+');
        }
        out.push_str(&adjusted.to_string());
    }
    out
}

/// IntervalUtils.toYearMonthIntervalString, ANSI style: "INTERVAL '1-2' YEAR TO MONTH".
pub fn year_month_to_string(months: i32, start: u8, end: u8) -> String {
    let sign = if months < 0 { "-" } else { "" };
    let months = i64::from(months).abs();
    let (body, unit) = match (start, end) {
        (0, 0) => (format!("{sign}{}", months / 12), "YEAR"),
        (1, 1) => (format!("{sign}{months}"), "MONTH"),
        _ => (format!("{sign}{}-{}", months / 12, months % 12), "YEAR TO MONTH"),
    };
    format!("INTERVAL '{body}' {unit}")
}

/// IntervalUtils.toDayTimeIntervalString, ANSI style: "INTERVAL '1 02:03:04.5' DAY TO SECOND".
pub fn day_time_to_string(micros: i64, start: u8, end: u8) -> String {
    let names = ["DAY", "HOUR", "MINUTE", "SECOND"];
    let at = |i: u8| names.get(i as usize).copied().unwrap_or("");
    let unit = if start == end { at(start).to_owned() } else { format!("{} TO {}", at(start), at(end)) };
    let negative = micros < 0;
    let rest = micros.unsigned_abs();
    let sign = if negative { "-" } else { "" };
    let seconds = |rest: u64, pad: bool| {
        let (s, us) = (rest / 1_000_000, rest % 1_000_000);
        let whole = if pad { format!("{s:02}") } else { s.to_string() };
        if us == 0 { whole } else { format!("{whole}.{}", format!("{us:06}").trim_end_matches('0')) }
    };
    const HOUR: u64 = 3_600_000_000;
    const MINUTE: u64 = 60_000_000;
    const DAY: u64 = 24 * HOUR;
    let body = match (start, end) {
        (0, 0) => format!("{}", rest / DAY),
        (0, 1) => format!("{} {:02}", rest / DAY, rest % DAY / HOUR),
        (0, 2) => format!("{} {:02}:{:02}", rest / DAY, rest % DAY / HOUR, rest % HOUR / MINUTE),
        (0, _) => format!(
            "{} {:02}:{:02}:{}",
            rest / DAY,
            rest % DAY / HOUR,
            rest % HOUR / MINUTE,
            seconds(rest % MINUTE, true)
        ),
        (1, 1) => format!("{:02}", rest / HOUR),
        (1, 2) => format!("{:02}:{:02}", rest / HOUR, rest % HOUR / MINUTE),
        (1, _) => format!("{:02}:{:02}:{}", rest / HOUR, rest % HOUR / MINUTE, seconds(rest % MINUTE, true)),
        (2, 2) => format!("{:02}", rest / MINUTE),
        (2, _) => format!("{:02}:{}", rest / MINUTE, seconds(rest % MINUTE, true)),
        _ => seconds(rest, true),
    };
    format!("INTERVAL '{sign}{body}' {unit}")
}

/// CalendarInterval.toString: "1 years 2 months 3 days 4 hours".
pub fn calendar_interval_to_string(months: i32, days: i32, micros: i64) -> String {
    if months == 0 && days == 0 && micros == 0 {
        return "0 seconds".into();
    }
    let mut parts = Vec::new();
    let mut unit = |n: i64, name: &str| {
        if n != 0 {
            parts.push(format!("{n} {name}"));
        }
    };
    unit(i64::from(months / 12), "years");
    unit(i64::from(months % 12), "months");
    unit(i64::from(days), "days");
    unit(micros / 3_600_000_000, "hours");
    unit(micros % 3_600_000_000 / 60_000_000, "minutes");
    let rest = micros % 60_000_000;
    if rest != 0 {
        let sign = if rest < 0 { "-" } else { "" };
        let rest = rest.unsigned_abs();
        let (s, us) = (rest / 1_000_000, rest % 1_000_000);
        let fraction = if us == 0 { String::new() } else { format!(".{}", format!("{us:06}").trim_end_matches('0')) };
        parts.push(format!("{sign}{s}{fraction} seconds"));
    }
    parts.join(" ")
}

/// Days since the epoch as "2026-02-14"; years past 9999 carry a sign.
pub fn date_to_string(days: i32) -> String {
    let (y, m, d) = crate::functions::datetime::calendar::civil_from_days(i64::from(days));
    let mut out = String::with_capacity(10);
    push_year(&mut out, y);
    out.push_str(&format!("-{m:02}-{d:02}"));
    out
}

fn push_year(out: &mut String, year: i64) {
    if year > 9999 {
        out.push('+');
    } else if year < 0 {
        out.push('-');
    }
    out.push_str(&format!("{:04}", year.unsigned_abs()));
}

/// Microseconds on a local calendar as "2026-02-14 10:00:05.12": trailing zeros of the fraction are left out.
pub fn local_timestamp_to_string(micros: i64) -> String {
    let days = micros.div_euclid(MICROS_PER_DAY);
    let rest = micros.rem_euclid(MICROS_PER_DAY);
    let (y, m, d) = crate::functions::datetime::calendar::civil_from_days(days);
    let mut out = String::with_capacity(26);
    push_year(&mut out, y);
    let two = |out: &mut String, n: i64| {
        out.push(char::from(b'0' + (n / 10) as u8));
        out.push(char::from(b'0' + (n % 10) as u8));
    };
    out.push('-');
    two(&mut out, i64::from(m));
    out.push('-');
    two(&mut out, i64::from(d));
    out.push(' ');
    let seconds = rest / MICROS_PER_SECOND;
    two(&mut out, seconds / 3600);
    out.push(':');
    two(&mut out, seconds / 60 % 60);
    out.push(':');
    two(&mut out, seconds % 60);
    let fraction = rest % MICROS_PER_SECOND;
    if fraction != 0 {
        out.push('.');
        out.push_str(format!("{fraction:06}").trim_end_matches('0'));
    }
    out
}

/// Nanoseconds since midnight as "12:30:45.5": trailing zeros of the fraction are left out.
pub fn time_to_string(nanos: i64) -> String {
    let seconds = nanos / 1_000_000_000;
    let mut out = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = nanos % 1_000_000_000;
    if fraction != 0 {
        out.push('.');
        out.push_str(format!("{fraction:09}").trim_end_matches('0'));
    }
    out
}

/// An interval type's bounds; (0, 0) for other types.
pub fn interval_bounds(data_type: &DataType) -> (u8, u8) {
    match data_type {
        DataType::YearMonthInterval { start, end } | DataType::DayTimeInterval { start, end } => (*start, *end),
        _ => (0, 0),
    }
}
