//! Times, counts and sizes as the page writes them. Times are in the zone that the page shows (see [`crate::zone`]).

use crate::zone;
use chrono::{DateTime, Utc};

/// The wall clock of the shown zone, as if it were UTC.
fn at_us(us: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(us.checked_add(zone::offset_us(us))?)
}

fn fraction(us: i64) -> String {
    match us.rem_euclid(1_000_000) {
        0 => String::new(),
        rest if rest % 1000 == 0 => format!(".{:03}", rest / 1000),
        rest => format!(".{rest:06}"),
    }
}

/// "10:01:05", with milliseconds or microseconds where there are any.
pub fn time(us: i64) -> String {
    at_us(us).map_or_else(|| "out of range".to_owned(), |at| format!("{}{}", at.format("%H:%M:%S"), fraction(us)))
}

/// "2026-02-14 10:01:05", as [`time`].
pub fn date_time(us: i64) -> String {
    at_us(us)
        .map_or_else(|| "out of range".to_owned(), |at| format!("{}{}", at.format("%Y-%m-%d %H:%M:%S"), fraction(us)))
}

/// "2026-02-14T10:01:05" in the session's zone: what its JSON reader takes for this time, whatever zone the page shows.
pub fn iso(us: i64) -> String {
    let wall = us.checked_add(zone::session_offset_us(us)).and_then(DateTime::from_timestamp_micros);
    wall.map_or_else(|| "out of range".to_owned(), |at| format!("{}{}", at.format("%Y-%m-%dT%H:%M:%S"), fraction(us)))
}

/// "2026-02-14".
pub fn date(us: i64) -> String {
    at_us(us).map_or_else(String::new, |at| at.format("%Y-%m-%d").to_string())
}

/// A watermark in ms; the epoch, which Spark starts from, means that there is none yet.
pub fn watermark(ms: Option<i64>) -> String {
    match ms {
        None => "–".to_owned(),
        Some(0) => "not set yet".to_owned(),
        Some(ms) => date_time(ms.saturating_mul(1000)),
    }
}

/// "2 min", "1 h 30 min", "10.5 s", "250 ms", "1 d".
pub fn span(us: i64) -> String {
    let sign = if us < 0 { "−" } else { "" };
    let us = us.unsigned_abs();
    let text = match us {
        0 => "0 s".to_owned(),
        1..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", decimal(us, 1_000)),
        1_000_000..60_000_000 => format!("{} s", decimal(us, 1_000_000)),
        _ => parts(us / 1_000_000),
    };
    format!("{sign}{text}")
}

fn decimal(value: u64, unit: u64) -> String {
    let text = format!("{}.{:03}", value / unit, value % unit * 1000 / unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn parts(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let mut words = Vec::new();
    for (size, name) in units {
        if rest >= size {
            words.push(format!("{} {name}", rest / size));
            rest %= size;
        }
    }
    words.truncate(2);
    words.join(" ")
}

/// "1,234".
pub fn count(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("−{text}") } else { text }
}

/// "812 B", "1.5 kB", "4.2 MB".
pub fn bytes(value: u64) -> String {
    match value {
        0..1_000 => format!("{value} B"),
        1_000..1_000_000 => format!("{}.{} kB", value / 1_000, value % 1_000 / 100),
        1_000_000..1_000_000_000 => format!("{}.{} MB", value / 1_000_000, value % 1_000_000 / 100_000),
        _ => format!("{}.{} GB", value / 1_000_000_000, value % 1_000_000_000 / 100_000_000),
    }
}

/// "1 row", "2 rows".
pub fn plural(value: i64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_precision() {
        let us = 1_771_063_265_000_000;
        assert_eq!(date_time(us), "2026-02-14 10:01:05");
        assert_eq!(time(us + 250_000), "10:01:05.250");
        assert_eq!(time(us + 1), "10:01:05.000001");
        assert_eq!(iso(us), "2026-02-14T10:01:05");
    }

    #[test]
    fn spans_and_counts_read_well() {
        let spans = [120_000_000, 5_400_000_000, 10_500_000, 250_000, -1_000_000];
        assert_eq!(spans.map(span), ["2 min", "1 h 30 min", "10.5 s", "250 ms", "−1 s"]);
        assert_eq!([count(7), count(1_234_567), bytes(1536)], ["7", "1,234,567", "1.5 kB"]);
    }
}
