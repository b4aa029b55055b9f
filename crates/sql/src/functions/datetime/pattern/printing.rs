//! Formatting by a pattern.

use chrono::TimeZone;

use super::super::calendar::{civil_from_days, day_of_year, iso_day_of_week};
use super::super::zone::{Zone, offset_text};
use super::{DAYS, Element, MONTHS};
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

pub(super) fn print(elements: &[Element], micros: i64, zone: &Zone, out: &mut String) {
    let offset = zone.offset_at(micros);
    let local = micros.wrapping_add(offset * MICROS_PER_SECOND);
    let days = local.div_euclid(MICROS_PER_DAY);
    let rest = local.rem_euclid(MICROS_PER_DAY);
    let (year, month, day) = civil_from_days(days);
    let second = rest / MICROS_PER_SECOND;
    let hour = second / 3600;
    for e in elements {
        let (c, n) = match e {
            Element::Literal(text) => {
                out.push_str(text);
                continue;
            }
            Element::Field(c, n) => (*c, *n),
            _ => continue,
        };
        match c {
            'G' => out.push_str(match (n == 4, year > 0) {
                (true, true) => "Anno Domini",
                (true, false) => "Before Christ",
                (false, true) => "AD",
                (false, false) => "BC",
            }),
            'y' if n == 2 => number(out, year.rem_euclid(100), 2),
            'y' => {
                if n == 4 && year > 9999 {
                    out.push('+');
                } else if year < 0 {
                    out.push('-');
                }
                number(out, year.abs(), n);
            }
            'M' | 'L' => match n {
                1 | 2 => number(out, i64::from(month), n),
                3 => out.push_str(&MONTHS[month as usize - 1][..3]),
                _ => out.push_str(MONTHS[month as usize - 1]),
            },
            'd' => number(out, i64::from(day), n),
            'D' => number(out, day_of_year(days), n),
            'Q' | 'q' => {
                let quarter = i64::from((month - 1) / 3 + 1);
                match n {
                    1 | 2 => number(out, quarter, n),
                    3 => out.push_str(&format!("Q{quarter}")),
                    4 => {
                        out.push_str(["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"][quarter as usize - 1])
                    }
                    _ => number(out, quarter, 1),
                }
            }
            'E' => {
                let name = DAYS[iso_day_of_week(days) as usize - 1];
                out.push_str(if n <= 3 { &name[..3] } else { name });
            }
            // ALIGNED_WEEK_OF_MONTH's sibling: the day within the aligned week.
            'F' => number(out, (i64::from(day) - 1) % 7 + 1, 1),
            'a' => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            'h' => number(out, if hour % 12 == 0 { 12 } else { hour % 12 }, n),
            'K' => number(out, hour % 12, n),
            'k' => number(out, if hour == 0 { 24 } else { hour }, n),
            'H' => number(out, hour, n),
            'm' => number(out, second / 60 % 60, n),
            's' => number(out, second % 60, n),
            'S' => out.push_str(&format!("{:09}", rest % MICROS_PER_SECOND * 1000)[..n]),
            'V' => out.push_str(&zone_id(zone)),
            'z' => out.push_str(&zone_name(zone, micros, n == 4)),
            'O' => out.push_str(&localized(offset, n == 4)),
            'X' | 'x' => out.push_str(&iso_offset(offset, n, c == 'X')),
            'Z' => out.push_str(&match n {
                1..=3 => iso_offset(offset, 2, false),
                4 => localized(offset, true),
                _ => iso_offset(offset, 3, true),
            }),
            _ => {}
        }
    }
}

/// A number that is not negative, with zeros before it up to a width.
fn number(out: &mut String, value: i64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    while rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let first = at.min(digits.len().saturating_sub(width));
    out.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

/// ZoneId.getId; a session in UTC has the region "UTC".
fn zone_id(zone: &Zone) -> String {
    match zone {
        Zone::Fixed(0) => "UTC".into(),
        other => other.id(),
    }
}

fn localized(offset: i64, full: bool) -> String {
    if offset == 0 {
        return "GMT".into();
    }
    if full {
        return format!("GMT{}", offset_text(offset));
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let s = offset.abs();
    let minutes = s / 60 % 60;
    if minutes == 0 { format!("GMT{sign}{}", s / 3600) } else { format!("GMT{sign}{}:{minutes:02}", s / 3600) }
}

/// +HHmm for X (+HH, minutes when there are some), +HHMM, +HH:MM, and with seconds.
fn iso_offset(offset: i64, n: usize, zulu: bool) -> String {
    if offset == 0 && zulu {
        return "Z".into();
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let a = offset.abs();
    let (h, m, s) = (a / 3600, a / 60 % 60, a % 60);
    match n {
        1 if m == 0 => format!("{sign}{h:02}"),
        1 | 2 => format!("{sign}{h:02}{m:02}"),
        3 => format!("{sign}{h:02}:{m:02}"),
        4 if s == 0 => format!("{sign}{h:02}{m:02}"),
        4 => format!("{sign}{h:02}{m:02}{s:02}"),
        _ if s == 0 => format!("{sign}{h:02}:{m:02}"),
        _ => format!("{sign}{h:02}:{m:02}:{s:02}"),
    }
}

/// Names of the zones that have well-known English names; others show their offset, as Java does for zones without a name.
fn zone_name(zone: &Zone, micros: i64, full: bool) -> String {
    let Zone::Region(tz) = zone else {
        return match zone {
            Zone::Fixed(0) if full => "Coordinated Universal Time".into(),
            Zone::Fixed(0) => "UTC".into(),
            other => other.id(),
        };
    };
    let abbreviation = chrono::DateTime::from_timestamp(micros.div_euclid(MICROS_PER_SECOND), 0)
        .map_or_else(String::new, |t| tz.from_utc_datetime(&t.naive_utc()).format("%Z").to_string());
    if !full {
        return if abbreviation.starts_with(['+', '-']) { zone.id() } else { abbreviation };
    }
    match abbreviation.as_str() {
        "UTC" => "Coordinated Universal Time".into(),
        "GMT" => "Greenwich Mean Time".into(),
        "EST" => "Eastern Standard Time".into(),
        "EDT" => "Eastern Daylight Time".into(),
        "CST" => "Central Standard Time".into(),
        "CDT" => "Central Daylight Time".into(),
        "MST" => "Mountain Standard Time".into(),
        "MDT" => "Mountain Daylight Time".into(),
        "PST" => "Pacific Standard Time".into(),
        "PDT" => "Pacific Daylight Time".into(),
        "CET" => "Central European Standard Time".into(),
        "CEST" => "Central European Summer Time".into(),
        "EET" => "Eastern European Standard Time".into(),
        "EEST" => "Eastern European Summer Time".into(),
        "WET" => "Western European Standard Time".into(),
        "WEST" => "Western European Summer Time".into(),
        "BST" => "British Summer Time".into(),
        "JST" => "Japan Standard Time".into(),
        "IST" => "India Standard Time".into(),
        _ => zone.id(),
    }
}
