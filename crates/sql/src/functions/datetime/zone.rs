//! Time zones as java.time.ZoneId names them, with Java's rules for gaps and overlaps.

use chrono::{Offset, TimeZone};

use crate::error::{ErrorClass, Result, SparkError};
use crate::value::text::MICROS_PER_SECOND;

#[derive(Clone, Debug, PartialEq)]
pub enum Zone {
    /// Seconds east of UTC.
    Fixed(i32),
    Region(chrono_tz::Tz),
}

impl Zone {
    pub const UTC: Zone = Zone::Fixed(0);

    /// SparkDateTimeUtils.getZoneId: offsets ("+1", "-08:30", "UTC+2", "GMT-3:00"), "Z", and region names.
    pub fn parse(name: &str) -> Option<Zone> {
        let name = name.trim();
        if matches!(name, "Z" | "z" | "UTC" | "GMT" | "UT") {
            return Some(Zone::UTC);
        }
        let offset = name
            .strip_prefix("UTC")
            .or_else(|| name.strip_prefix("GMT"))
            .or_else(|| name.strip_prefix("UT"))
            .filter(|rest| rest.starts_with(['+', '-']))
            .unwrap_or(name);
        if offset.starts_with(['+', '-']) {
            return parse_offset(offset).map(Zone::Fixed);
        }
        let short = match name {
            "EST" => return Some(Zone::Fixed(-5 * 3600)),
            "MST" => return Some(Zone::Fixed(-7 * 3600)),
            "HST" => return Some(Zone::Fixed(-10 * 3600)),
            "ACT" => "Australia/Darwin",
            "AET" => "Australia/Sydney",
            "AGT" => "America/Argentina/Buenos_Aires",
            "ART" => "Africa/Cairo",
            "AST" => "America/Anchorage",
            "BET" => "America/Sao_Paulo",
            "BST" => "Asia/Dhaka",
            "CAT" => "Africa/Harare",
            "CNT" => "America/St_Johns",
            "CST" => "America/Chicago",
            "CTT" => "Asia/Shanghai",
            "EAT" => "Africa/Addis_Ababa",
            "ECT" => "Europe/Paris",
            "IET" => "America/Indiana/Indianapolis",
            "IST" => "Asia/Kolkata",
            "JST" => "Asia/Tokyo",
            "MIT" => "Pacific/Apia",
            "NET" => "Asia/Yerevan",
            "NST" => "Pacific/Auckland",
            "PLT" => "Asia/Karachi",
            "PNT" => "America/Phoenix",
            "PRT" => "America/Puerto_Rico",
            "PST" => "America/Los_Angeles",
            "SST" => "Pacific/Guadalcanal",
            "VST" => "Asia/Ho_Chi_Minh",
            other => other,
        };
        short.parse::<chrono_tz::Tz>().ok().map(Zone::Region)
    }

    /// Parses or fails with INVALID_TIMEZONE.
    pub fn of(name: &str) -> Result<Zone> {
        Zone::parse(name)
            .ok_or_else(|| SparkError::new(ErrorClass::DateTime, "INVALID_TIMEZONE", &[("timeZone", name)]))
    }

    /// Offset at an instant, seconds east.
    pub fn offset_at(&self, micros: i64) -> i64 {
        match self {
            Zone::Fixed(seconds) => i64::from(*seconds),
            // The usual zone of servers: no table to search.
            Zone::Region(chrono_tz::Tz::Etc__UTC | chrono_tz::Tz::UTC) => 0,
            Zone::Region(tz) => {
                let seconds = with_known_rules(micros.div_euclid(MICROS_PER_SECOND));
                chrono::DateTime::from_timestamp(seconds, 0)
                    .map_or(0, |t| i64::from(tz.offset_from_utc_datetime(&t.naive_utc()).fix().local_minus_utc()))
            }
        }
    }

    /// Instant to wall clock, both in microseconds.
    pub fn to_local(&self, micros: i64) -> i64 {
        micros.wrapping_add(self.offset_at(micros) * MICROS_PER_SECOND)
    }

    /// Wall clock to instant: the earlier offset in an overlap, moved forward by the gap in a gap (ZonedDateTime.of).
    pub fn to_utc(&self, local: i64) -> i64 {
        match self {
            Zone::Fixed(seconds) => local.wrapping_sub(i64::from(*seconds) * MICROS_PER_SECOND),
            Zone::Region(_) => {
                // Offsets a day before and after enclose any transition nearby.
                let day = 86_400 * MICROS_PER_SECOND;
                let before = self.offset_at(local.saturating_sub(day)) * MICROS_PER_SECOND;
                let after = self.offset_at(local.saturating_add(day)) * MICROS_PER_SECOND;
                if before == after {
                    return local.wrapping_sub(before);
                }
                let first = local.wrapping_sub(before);
                if self.offset_at(first) * MICROS_PER_SECOND == before {
                    return first;
                }
                let second = local.wrapping_sub(after);
                if self.offset_at(second) * MICROS_PER_SECOND == after {
                    return second;
                }
                // In the gap: the old offset gives the time moved forward.
                first
            }
        }
    }

    /// ZoneId.getId.
    pub fn id(&self) -> String {
        match self {
            Zone::Fixed(0) => "Z".into(),
            Zone::Fixed(s) => offset_text(i64::from(*s)),
            Zone::Region(tz) => tz.name().to_owned(),
        }
    }
}

/// The last rules of a zone hold for ever: a second of a far year as that of a year alike (in leap day and weekdays)
/// for which the zone tables still have them.
fn with_known_rules(seconds: i64) -> i64 {
    use super::calendar::{civil_from_days, days_from_civil, iso_day_of_week};
    let (year, ..) = civil_from_days(seconds.div_euclid(86_400));
    if year <= 2037 {
        return seconds;
    }
    let starts =
        |y: i64| (iso_day_of_week(days_from_civil(y, 1, 1)), days_from_civil(y, 3, 1) - days_from_civil(y, 2, 1));
    let alike = (2010..=2037).find(|y| starts(*y) == starts(year)).unwrap_or(2037);
    seconds + (days_from_civil(alike, 1, 1) - days_from_civil(year, 1, 1)) * 86_400
}

/// "+01:00", with seconds when there are some.
pub fn offset_text(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let s = seconds.abs();
    let base = format!("{sign}{:02}:{:02}", s / 3600, s / 60 % 60);
    if s % 60 != 0 { format!("{base}:{:02}", s % 60) } else { base }
}

/// "+H", "+HH", "+HH:mm", "+H:m", "+HHmm", "+HH:mm:ss", "+HHmmss"; at most 18 hours.
fn parse_offset(text: &str) -> Option<i32> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let body = &text[1..];
    let parts: Vec<&str> = if body.contains(':') {
        body.split(':').collect()
    } else {
        match body.len() {
            1 | 2 => vec![body],
            4 => vec![&body[..2], &body[2..]],
            6 => vec![&body[..2], &body[2..4], &body[4..]],
            _ => return None,
        }
    };
    if parts.len() > 3 {
        return None;
    }
    let mut total = 0;
    for (i, p) in parts.iter().enumerate() {
        if p.is_empty() || p.len() > 2 || !p.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let n: i32 = p.parse().ok()?;
        if (i == 0 && n > 18) || (i > 0 && n > 59) {
            return None;
        }
        total += n * [3600, 60, 1][i];
    }
    (total <= 18 * 3600).then_some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_overlaps() {
        let zone = Zone::parse("America/New_York").unwrap();
        let at = |h: i64, m: i64, days: i64| (days * 86_400 + h * 3600 + m * 60) * MICROS_PER_SECOND;
        // 2026-03-08 02:30 does not exist: 03:30 EDT.
        let spring = super::super::calendar::days_from_civil(2026, 3, 8);
        assert_eq!(zone.to_local(zone.to_utc(at(2, 30, spring))), at(3, 30, spring));
        // 2026-11-01 01:30 happens twice: the first is EDT (-4).
        let autumn = super::super::calendar::days_from_civil(2026, 11, 1);
        assert_eq!(zone.to_utc(at(1, 30, autumn)), at(5, 30, autumn));
        assert_eq!(Zone::parse("+02:00"), Some(Zone::Fixed(7200)));
        assert_eq!(Zone::parse("Nowhere/Land"), None);
    }
}
