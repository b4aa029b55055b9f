//! Values from text, as Cast reads them (UTF8String, SparkDateTimeUtils).

use crate::functions::datetime::calendar::checked_days;
use crate::functions::datetime::zone::Zone;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, digits, pow10};

/// UTF8String.trimAll: white space and ISO control characters.
pub(crate) fn trim_all(s: &str) -> &str {
    s.trim_matches(|c: char| c <= ' ' || c.is_control())
}

/// UTF8String.toLong: an optional sign and digits; `decimals` lets a fraction stand (cut off).
pub fn parse_integral(s: &str, decimals: bool) -> Option<i128> {
    let s = trim_all(s).as_bytes();
    let (negative, body) = match s.first()? {
        b'-' => (true, &s[1..]),
        b'+' => (false, &s[1..]),
        _ => (false, s),
    };
    if body.is_empty() {
        return None;
    }
    let mut n: i128 = 0;
    let mut i = 0;
    while i < body.len() && body[i] != b'.' {
        let d = body[i].wrapping_sub(b'0');
        if d > 9 || n > i128::MAX / 16 {
            return None;
        }
        n = n * 10 + i128::from(d);
        i += 1;
    }
    if i < body.len() && (!decimals || !body[i + 1..].iter().all(u8::is_ascii_digit)) {
        return None;
    }
    let n = if negative { -n } else { n };
    i64::try_from(n).ok().map(i128::from)
}

/// java.lang.Double.parseDouble and the special words that Cast takes.
pub fn parse_double(s: &str) -> Option<f64> {
    let t = s.trim_matches(|c: char| c <= ' ');
    java_float(t, str::parse::<f64>).or_else(|| special(t))
}

pub fn parse_float(s: &str) -> Option<f32> {
    let t = s.trim_matches(|c: char| c <= ' ');
    java_float(t, str::parse::<f32>).or_else(|| special(t).map(|x| x as f32))
}

fn java_float<T>(t: &str, parse: impl Fn(&str) -> Result<T, std::num::ParseFloatError>) -> Option<T> {
    match t.as_bytes().last()? {
        b'd' | b'D' | b'f' | b'F' if t.len() > 1 => {
            let body = &t[..t.len() - 1];
            plain_number(body).then(|| parse(body).ok()).flatten()
        }
        _ => plain_number(t).then(|| parse(t).ok()).flatten(),
    }
}

/// Digits, one point, an exponent: what Java's grammar and Rust's have in common.
fn plain_number(t: &str) -> bool {
    t.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'))
        && t.bytes().any(|b| b.is_ascii_digit())
}

fn special(t: &str) -> Option<f64> {
    match t.to_ascii_lowercase().as_str() {
        "inf" | "+inf" | "infinity" | "+infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// java.math.BigDecimal(text): unscaled value and scale; the scale may be negative. None when malformed or beyond 38 digits
/// before the point; digits past what 128 bits hold are rounded half up.
pub fn parse_decimal(s: &str) -> Option<(i128, i32)> {
    let t = trim_all(s).as_bytes();
    let mut i = 0;
    let negative = match t.first()? {
        b'-' => {
            i = 1;
            true
        }
        b'+' => {
            i = 1;
            false
        }
        _ => false,
    };
    let mut unscaled: i128 = 0;
    let mut scale: i32 = 0;
    let mut seen = false;
    let mut point = false;
    let mut dropped: Option<u8> = None;
    while i < t.len() {
        match t[i] {
            b'0'..=b'9' => {
                seen = true;
                let d = t[i] - b'0';
                if dropped.is_none() && digits(unscaled) < 38 {
                    unscaled = unscaled * 10 + i128::from(d);
                    scale += i32::from(point);
                } else {
                    dropped.get_or_insert(d);
                    scale -= i32::from(!point);
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' => break,
            _ => return None,
        }
        i += 1;
    }
    if !seen {
        return None;
    }
    if i < t.len() {
        let exponent: i32 = std::str::from_utf8(&t[i + 1..]).ok()?.parse().ok()?;
        scale = scale.checked_sub(exponent)?;
    }
    if dropped.is_some_and(|d| d >= 5) {
        unscaled += 1;
    }
    Some((if negative { -unscaled } else { unscaled }, scale))
}

/// Decimal.toPrecision: the value at this precision and scale, rounded half up; None when it does not fit.
pub fn fit_decimal(unscaled: i128, scale: i32, precision: u8, to: i8) -> Option<i128> {
    let by = i32::from(to) - scale;
    let n = if by >= 0 {
        if unscaled == 0 { 0 } else { unscaled.checked_mul(pow10(by as u32)?)? }
    } else {
        match pow10(by.unsigned_abs()) {
            None => 0,
            Some(divisor) => {
                let (q, r) = (unscaled / divisor, unscaled % divisor);
                if r.unsigned_abs() * 2 >= divisor.unsigned_abs() { q + unscaled.signum() } else { q }
            }
        }
    };
    (digits(n) <= u32::from(precision)).then_some(n)
}

/// SparkDateTimeUtils.stringToDate: [+-]yyyy*, yyyy*-[m]m, yyyy*-[m]m-[d]d, and anything after a blank or T.
pub fn parse_date(s: &str) -> Option<i32> {
    let bytes = trim_all(s).as_bytes();
    let mut segments = [1i64, 1, 1];
    let mut sign = 1;
    let mut i = 0;
    if matches!(bytes.first()?, b'-' | b'+') {
        sign = if bytes[0] == b'-' { -1 } else { 1 };
        i = 1;
    }
    let mut segment = 0;
    let mut value: i64 = 0;
    let mut count = 0;
    let valid =
        |segment: usize, count: usize| if segment == 0 { (4..=7).contains(&count) } else { (1..=2).contains(&count) };
    while i < bytes.len() && segment < 3 && !(segment == 2 && matches!(bytes[i], b' ' | b'T')) {
        let b = bytes[i];
        if segment < 2 && b == b'-' {
            if !valid(segment, count) {
                return None;
            }
            segments[segment] = value;
            value = 0;
            count = 0;
            segment += 1;
        } else {
            let d = b.wrapping_sub(b'0');
            if d > 9 {
                return None;
            }
            value = value * 10 + i64::from(d);
            count += 1;
            if count > 7 {
                return None;
            }
        }
        i += 1;
    }
    if !valid(segment, count) {
        return None;
    }
    // Only a whole date may be followed by more.
    if segment < 2 && i < bytes.len() {
        return None;
    }
    segments[segment] = value;
    i32::try_from(checked_days(sign * segments[0], segments[1], segments[2])?).ok()
}

/// The parts of a timestamp text (SparkDateTimeUtils.parseTimestampString).
struct Parts<'a> {
    /// None: only a time was given.
    days: Option<i64>,
    micros: i64,
    zone: Option<&'a str>,
}

fn parts(s: &str) -> Option<Parts<'_>> {
    let t = trim_all(s);
    let bytes = t.as_bytes();
    if bytes.is_empty() {
        return None;
    }
    let mut segments = [1i64, 1, 1, 0, 0, 0, 0, 0, 0];
    let mut i = 0usize;
    let mut value: i64 = 0;
    let mut count = 0usize;
    let mut digits_millis = 0usize;
    let mut just_time = false;
    let mut zone: Option<&str> = None;
    let mut sign = 1;
    let mut j = 0usize;
    if matches!(bytes[0], b'-' | b'+') {
        sign = if bytes[0] == b'-' { -1 } else { 1 };
        j = 1;
    }
    let valid = |segment: usize, count: usize| match segment {
        0 => (4..=6).contains(&count),
        6 => count > 0,
        7 | 8 => count > 0,
        _ => (1..=2).contains(&count),
    };
    while j < bytes.len() {
        let b = bytes[j];
        let d = b.wrapping_sub(b'0');
        if d <= 9 {
            if i == 6 {
                digits_millis += 1;
            }
            // Only six digits of the fraction count.
            if i != 6 || count < 6 {
                value = value * 10 + i64::from(d);
            }
            count += 1;
            if i != 6 && count > 7 {
                return None;
            }
        } else if j == 0 && b == b'T' {
            just_time = true;
            i += 3;
        } else if i < 2 {
            if b == b'-' {
                if !valid(i, count) {
                    return None;
                }
                segments[i] = value;
                value = 0;
                count = 0;
                i += 1;
            } else if i == 0 && b == b':' {
                just_time = true;
                if !valid(3, count) {
                    return None;
                }
                segments[3] = value;
                value = 0;
                count = 0;
                i = 4;
            } else {
                return None;
            }
        } else if i == 2 {
            if b == b' ' || b == b'T' {
                if !valid(i, count) {
                    return None;
                }
                segments[i] = value;
                value = 0;
                count = 0;
                i += 1;
            } else {
                return None;
            }
        } else if i == 3 || i == 4 {
            if b == b':' {
                if !valid(i, count) {
                    return None;
                }
                segments[i] = value;
                value = 0;
                count = 0;
                i += 1;
            } else {
                return None;
            }
        } else if i == 5 || i == 6 {
            if b == b'.' && i == 5 {
                if !valid(i, count) {
                    return None;
                }
                segments[i] = value;
                value = 0;
                count = 0;
                i += 1;
            } else {
                if !valid(i, count) {
                    return None;
                }
                segments[i] = value;
                value = 0;
                count = 0;
                i += 1;
                zone = Some(&t[j..]);
                j = bytes.len().saturating_sub(1);
            }
            if i == 6 && b != b'.' {
                i += 1;
            }
        } else {
            return None;
        }
        j += 1;
    }
    if zone.is_none() {
        if !valid(i, count) {
            return None;
        }
        segments[i] = value;
    }
    while digits_millis < 6 {
        segments[6] *= 10;
        digits_millis += 1;
    }
    let (h, m, sec) = (segments[3], segments[4], segments[5]);
    if h > 23 || m > 59 || sec > 59 {
        return None;
    }
    let micros = ((h * 60 + m) * 60 + sec) * MICROS_PER_SECOND + segments[6];
    let days = if just_time { None } else { Some(checked_days(sign * segments[0], segments[1], segments[2])?) };
    Some(Parts { days, micros, zone })
}

/// Wall clock of the usual form "2026-02-14 10:00:05[.123456][Z]", with a blank or a T, and whether the Z was there; None for
/// any other text, also for those that [`parts`] can read.
fn usual(text: &[u8]) -> Option<(i64, bool)> {
    let digits = |from: usize, to: usize| -> Option<i64> {
        text.get(from..to)?.iter().try_fold(0_i64, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
    };
    let fixed = text.len() >= 19
        && text[4] == b'-'
        && text[7] == b'-'
        && matches!(text[10], b' ' | b'T')
        && text[13] == b':'
        && text[16] == b':';
    if !fixed {
        return None;
    }
    let days = checked_days(digits(0, 4)?, digits(5, 7)?, digits(8, 10)?)?;
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (rest, utc) = match text[19..].split_last() {
        Some((b'Z', rest)) => (rest, true),
        _ => (&text[19..], false),
    };
    let fraction = match rest.split_first() {
        None => 0,
        Some((b'.', shown)) if (1..=6).contains(&shown.len()) => {
            let value = digits(20, 20 + shown.len())?;
            value * 10_i64.pow(6 - shown.len() as u32)
        }
        _ => return None,
    };
    Some((days * MICROS_PER_DAY + ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + fraction, utc))
}

/// SparkDateTimeUtils.stringToTimestamp; texts without a zone are in `zone`. A text of a time alone needs the current date
/// and is refused here.
pub fn parse_timestamp(s: &str, zone: &Zone) -> Option<i64> {
    if let Some((local, utc)) = usual(s.as_bytes()) {
        return Some(if utc { local } else { zone.to_utc(local) });
    }
    let p = parts(s)?;
    let local = p.days?.checked_mul(MICROS_PER_DAY)?.checked_add(p.micros)?;
    match p.zone {
        None => Some(zone.to_utc(local)),
        Some(name) => {
            let trimmed = name.trim();
            if trimmed.is_empty() {
                return None;
            }
            Some(Zone::parse(trimmed)?.to_utc(local))
        }
    }
}

/// A time of day without a date ("10:20", "T10:20:30.5+02:00"): microseconds and the zone that it names.
pub fn time_alone(s: &str) -> Option<(i64, Option<Zone>)> {
    let p = parts(s)?;
    if p.days.is_some() {
        return None;
    }
    let zone = match p.zone {
        None => None,
        Some(name) => Some(Zone::parse(name.trim())?),
    };
    Some((p.micros, zone))
}

/// 'epoch', 'now', 'today', 'tomorrow' or 'yesterday' of typed literals as the word and its day; `today` counts days.
pub fn special_day(text: &str, today: i64) -> Option<(String, i64)> {
    let word = text.trim().to_ascii_lowercase();
    let day = match word.as_str() {
        "epoch" => 0,
        "now" | "today" => today,
        "tomorrow" => today + 1,
        "yesterday" => today - 1,
        _ => return None,
    };
    Some((word, day))
}

/// A special text as a moment in a zone (convertSpecialTimestamp).
pub fn special_timestamp(text: &str, zone: &Zone, now_us: i64) -> Option<i64> {
    let (word, day) = special_day(text, zone.to_local(now_us).div_euclid(MICROS_PER_DAY))?;
    Some(match word.as_str() {
        "epoch" => 0,
        "now" => now_us,
        _ => zone.to_utc(day * MICROS_PER_DAY),
    })
}

/// SparkDateTimeUtils.stringToTimestampWithoutTimeZone; a zone is read over when `allow_zone`.
pub fn parse_timestamp_ntz(s: &str, allow_zone: bool) -> Option<i64> {
    let p = parts(s)?;
    if let Some(name) = p.zone
        && (!allow_zone || Zone::parse(name.trim()).is_none())
    {
        return None;
    }
    p.days?.checked_mul(MICROS_PER_DAY)?.checked_add(p.micros)
}

/// SparkDateTimeUtils.stringToTime: nanoseconds since midnight of "[T]h:m[:s[.fraction]]" with an optional AM or PM.
pub fn parse_time(s: &str) -> Option<i64> {
    let text = trim_all(s);
    let upper = text.to_ascii_uppercase();
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        _ => (upper.as_str(), None),
    };
    let clock = clock.strip_prefix('T').unwrap_or(clock);
    let number = |text: &str, longest: usize| -> Option<i64> {
        ((1..=longest).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let mut fields = clock.splitn(3, ':');
    let hour = number(fields.next()?, 2)?;
    let minute = number(fields.next()?, 2)?;
    let (second, nanos) = match fields.next() {
        None => (0, 0),
        Some(rest) => {
            let (second, fraction) = rest.split_once('.').map_or((rest, None), |(s, f)| (s, Some(f)));
            let nanos = match fraction {
                None => 0,
                Some(digits) => number(&format!("{:0<9}", digits.get(..9).unwrap_or(digits)), 9)?,
            };
            (number(second, 2)?, nanos)
        }
    };
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(half) => hour % 12 + half,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_timestamps() {
        assert_eq!(parse_date("2026-02-14"), Some(20_498));
        assert_eq!(parse_date("2026-2-14 junk"), Some(20_498));
        assert_eq!(parse_date("2026"), Some(20_454));
        assert_eq!(parse_date("2026-02-30"), None);
        assert_eq!(parse_date("26-02-14"), None);
        let base = 20_498 * MICROS_PER_DAY + 10 * 3_600_000_000;
        let at = |s: &str| parse_timestamp(s, &Zone::UTC);
        assert_eq!(at("2026-02-14T10:00:05"), Some(base + 5_000_000));
        assert_eq!(at("2026-02-14 10:00:05.12"), Some(base + 5_120_000));
        assert_eq!(at("2026-02-14 10:00:05.1234567"), Some(base + 5_123_456));
        assert_eq!(at("2026-02-14T10:00:05Z"), Some(base + 5_000_000));
        assert_eq!(at("2026-02-14T10:00:05+01:00"), Some(base + 5_000_000 - 3_600_000_000));
        assert_eq!(at("2026-02-14T10:00Z"), None);
        assert_eq!(at("2026-02-14T10:00"), Some(base));
        assert_eq!(at("2026-02-14"), Some(20_498 * MICROS_PER_DAY));
        assert_eq!(at("not a time"), None);
    }

    #[test]
    fn numbers() {
        assert_eq!(parse_integral(" -12 ", false), Some(-12));
        assert_eq!(parse_integral("1.5", false), None);
        assert_eq!(parse_integral("1.5", true), Some(1));
        assert_eq!(parse_double("1e3d"), Some(1000.0));
        assert_eq!(parse_double(" -Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_decimal("-1.50"), Some((-150, 2)));
        assert_eq!(parse_decimal("1e3"), Some((1, -3)));
        assert_eq!(fit_decimal(1005, 3, 10, 2), Some(101));
    }
}
