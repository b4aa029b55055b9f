//! Parsing by a pattern: case-insensitive, strict.

use super::super::calendar::{checked_days, days_from_civil, days_in_month, is_leap};
use super::super::zone::Zone;
use super::{DAYS, Element, MONTHS, month_name};
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

/// Why a text is refused, in Java's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
}

/// Fields read from a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    year: Option<i64>,
    bc: bool,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: Option<i64>,
    /// K and h, 0-11.
    half_day_hour: Option<i64>,
    pm: Option<bool>,
    minute: Option<i64>,
    second: Option<i64>,
    nanos: Option<i64>,
    zone: Option<Zone>,
    /// The first value out of its range, in the order in which Java looks at the fields, and what it says.
    out_of_range: Option<(usize, String)>,
}

fn at_index(text: &str, index: usize) -> Failure {
    let chars = text.get(..index).map_or(index, |t| t.encode_utf16().count());
    Failure { message: format!("Text '{text}' could not be parsed at index {chars}") }
}

fn invalid(text: &str, reason: &str) -> Failure {
    Failure { message: format!("Text '{text}' could not be parsed: {reason}") }
}

pub(super) fn parse(elements: &[Element], variable_fraction: bool, text: &str) -> Result<Parsed, Failure> {
    let mut reader = Reader { text, at: 0, fields: Parsed::default(), variable_fraction };
    reader.run(elements).map_err(|at| at_index(text, at))?;
    if reader.at < text.len() {
        let chars = text[..reader.at].encode_utf16().count();
        return Err(Failure {
            message: format!("Text '{text}' could not be parsed, unparsed text found at index {chars}"),
        });
    }
    match reader.fields.out_of_range.take() {
        Some((_, reason)) => Err(invalid(text, &reason)),
        None => Ok(reader.fields),
    }
}

/// Fields of a range of their own: letter, Java's name, range. Dates are resolved before times.
const RANGES: &[(char, &str, i64, i64)] = &[
    ('M', "MonthOfYear", 1, 12),
    ('d', "DayOfMonth", 1, 31),
    ('k', "ClockHourOfDay", 1, 24),
    ('K', "HourOfAmPm", 0, 11),
    ('h', "ClockHourOfAmPm", 1, 12),
    ('H', "HourOfDay", 0, 23),
    ('m', "MinuteOfHour", 0, 59),
    ('s', "SecondOfMinute", 0, 59),
];

struct Reader<'a> {
    text: &'a str,
    at: usize,
    fields: Parsed,
    variable_fraction: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Err: the index where the text fails.
    fn run(&mut self, elements: &[Element]) -> Result<(), usize> {
        let mut i = 0;
        while i < elements.len() {
            match &elements[i] {
                Element::Literal(wanted) => {
                    for c in wanted.chars() {
                        match self.rest().chars().next() {
                            Some(found) if found == c || found.to_lowercase().eq(c.to_lowercase()) => {
                                self.at += found.len_utf8();
                            }
                            _ => return Err(self.at),
                        }
                    }
                }
                Element::OptionalStart => {
                    let mut depth = 1;
                    let mut end = i + 1;
                    while end < elements.len() {
                        match elements[end] {
                            Element::OptionalStart => depth += 1,
                            Element::OptionalEnd => depth -= 1,
                            _ => {}
                        }
                        if depth == 0 {
                            break;
                        }
                        end += 1;
                    }
                    let (at, fields) = (self.at, self.fields.clone());
                    if self.run(&elements[i + 1..end]).is_err() {
                        self.at = at;
                        self.fields = fields;
                    }
                    i = end;
                }
                Element::OptionalEnd => {}
                Element::Field(c, n) => {
                    // Adjacent value parsing: fixed-width numbers that follow directly keep their digits.
                    let mut reserved = 0;
                    for e in &elements[i + 1..] {
                        match e {
                            Element::Field(c, 2) if "MdHhKkms".contains(*c) => reserved += 2,
                            Element::Field('y', 2) => reserved += 2,
                            Element::Field('D', 3) => reserved += 3,
                            Element::Field('S', n) if !self.variable_fraction => reserved += n,
                            _ => break,
                        }
                    }
                    self.field(*c, *n, reserved)?;
                }
            }
            i += 1;
        }
        Ok(())
    }

    /// Digits, at least `min` and at most `max`, leaving `reserved` for what follows.
    fn number(&mut self, min: usize, max: usize, reserved: usize) -> Result<i64, usize> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let take = if digits > min { digits.saturating_sub(reserved).clamp(min, max) } else { digits.min(max) };
        if take < min || take == 0 {
            return Err(self.at);
        }
        let value = self.rest()[..take].parse().map_err(|_| self.at)?;
        self.at += take;
        Ok(value)
    }

    /// A number of pattern width: one letter reads any width, two exactly two. Its range matters once the whole text is read.
    fn plain(&mut self, letter: char, n: usize, reserved: usize) -> Result<i64, usize> {
        let value = if n == 1 { self.number(1, 19, reserved)? } else { self.number(n, n, 0)? };
        let range = RANGES.iter().enumerate().find(|(_, (own, ..))| *own == letter);
        let Some((place, (_, name, low, high))) = range else { return Ok(value) };
        if (low..=high).contains(&&value) {
            return Ok(value);
        }
        if self.fields.out_of_range.as_ref().is_none_or(|(other, _)| place < *other) {
            let high = if letter == 'd' { "28/31".to_owned() } else { high.to_string() };
            let reason = format!("Invalid value for {name} (valid values {low} - {high}): {value}");
            self.fields.out_of_range = Some((place, reason));
        }
        Ok(*low)
    }

    fn name(&mut self, names: &[&str], short: bool) -> Result<usize, usize> {
        for (i, name) in names.iter().enumerate() {
            let name = if short { &name[..3] } else { name };
            if let Some(head) = self.rest().get(..name.len())
                && head.eq_ignore_ascii_case(name)
            {
                self.at += name.len();
                return Ok(i);
            }
        }
        Err(self.at)
    }

    fn field(&mut self, c: char, n: usize, reserved: usize) -> Result<(), usize> {
        match c {
            'G' => {
                let i = if n == 4 {
                    self.name(&["Anno Domini", "Before Christ"], false)?
                } else {
                    let head = self.rest().get(..2).map(str::to_ascii_uppercase);
                    let i = match head.as_deref() {
                        Some("AD") => 0,
                        Some("BC") => 1,
                        _ => return Err(self.at),
                    };
                    self.at += 2;
                    i
                };
                self.fields.bc = i == 1;
            }
            'y' => {
                let start = self.at;
                if n == 2 {
                    self.fields.year = Some(2000 + self.number(2, 2, 0)?);
                    return Ok(());
                }
                let signed = match self.rest().bytes().next() {
                    Some(b'+') => 1,
                    Some(b'-') => -1,
                    _ => 0,
                };
                self.at += usize::from(signed != 0);
                let digits_at = self.at;
                let value = self.number(n, 19, reserved).map_err(|_| start)?;
                let width = self.at - digits_at;
                // EXCEEDS_PAD: more digits than letters need a plus sign, and only then may it stand.
                if n >= 4 && ((width > n && signed == 0) || (width <= n && signed == 1)) {
                    return Err(start);
                }
                self.fields.year = Some(if signed == -1 { -value } else { value });
            }
            'M' | 'L' => {
                self.fields.month = Some(match n {
                    1 | 2 => self.plain('M', n, reserved)?,
                    3 => self.name(&MONTHS, true)? as i64 + 1,
                    _ => self.name(&MONTHS, false)? as i64 + 1,
                });
            }
            'd' => self.fields.day = Some(self.plain(c, n, reserved)?),
            'D' => {
                self.fields.day_of_year = Some(match n {
                    3 => self.number(3, 3, 0)?,
                    n => self.number(n, 3, reserved)?,
                });
            }
            'E' => {
                self.name(&DAYS, n <= 3)?;
            }
            'a' => {
                let head = self.rest().get(..2).map(str::to_ascii_uppercase);
                self.fields.pm = Some(match head.as_deref() {
                    Some("AM") => false,
                    Some("PM") => true,
                    _ => return Err(self.at),
                });
                self.at += 2;
            }
            'h' => self.fields.half_day_hour = Some(self.plain(c, n, reserved)? % 12),
            'K' => self.fields.half_day_hour = Some(self.plain(c, n, reserved)?),
            'k' => self.fields.hour = Some(self.plain(c, n, reserved)? % 24),
            'H' => self.fields.hour = Some(self.plain(c, n, reserved)?),
            'm' => self.fields.minute = Some(self.plain(c, n, reserved)?),
            's' => self.fields.second = Some(self.plain(c, n, reserved)?),
            'S' => {
                let start = self.at;
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                let least = if self.variable_fraction { 1 } else { n };
                let take = digits.min(n);
                if take < least {
                    return Err(start);
                }
                let padded = format!("{:0<9}", &self.rest()[..take]);
                self.fields.nanos = padded.parse().ok();
                self.at += take;
            }
            'V' | 'z' => self.zone()?,
            'X' | 'x' | 'Z' | 'O' => self.offset(c, n)?,
            _ => return Err(self.at),
        }
        Ok(())
    }

    fn zone(&mut self) -> Result<(), usize> {
        let end = self
            .rest()
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-' | ':')))
            .unwrap_or(self.rest().len());
        // The longest prefix that names a zone.
        for len in (1..=end).rev() {
            if let Some(zone) = self.rest().get(..len).and_then(Zone::parse) {
                self.fields.zone = Some(zone);
                self.at += len;
                return Ok(());
            }
        }
        Err(self.at)
    }

    fn offset(&mut self, c: char, n: usize) -> Result<(), usize> {
        let start = self.at;
        if c == 'O' {
            if self.rest().get(..3).is_some_and(|h| h.eq_ignore_ascii_case("GMT")) {
                self.at += 3;
            } else {
                return Err(start);
            }
        }
        let zulu = c == 'X' || (c == 'Z' && n == 5);
        if zulu && self.rest().starts_with(['Z', 'z']) {
            self.at += 1;
            self.fields.zone = Some(Zone::UTC);
            return Ok(());
        }
        let sign = match self.rest().bytes().next() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ if c == 'O' => {
                self.fields.zone = Some(Zone::UTC);
                return Ok(());
            }
            _ => return Err(start),
        };
        self.at += 1;
        let two = |r: &mut Self| r.number(2, 2, 0);
        let colon = matches!((c, n), ('X' | 'x', 3 | 5) | ('Z', 5) | ('O', _));
        let hours = if c == 'O' { self.number(1, 2, 0)? } else { two(self).map_err(|_| start)? };
        let mut minutes = 0;
        let optional = matches!((c, n), ('X' | 'x', 1)) || c == 'O';
        let next_is_minutes = if colon {
            self.rest().starts_with(':')
        } else {
            self.rest().bytes().take(2).filter(u8::is_ascii_digit).count() == 2
        };
        if next_is_minutes {
            self.at += usize::from(colon);
            minutes = two(self).map_err(|_| start)?;
        } else if !optional {
            return Err(start);
        }
        let seconds = i32::try_from(hours * 3600 + minutes * 60).map_err(|_| start)?;
        self.fields.zone = Some(Zone::Fixed(sign * seconds));
        Ok(())
    }
}

impl Parsed {
    /// Days since the epoch: what is missing is 1970, January, the first.
    fn days(&self, text: &str) -> Result<i64, Failure> {
        let mut year = self.year.unwrap_or(1970);
        if self.bc {
            year = 1 - year;
        }
        if let Some(n) = self.day_of_year
            && self.month.is_none()
        {
            if n < 1 || n > 365 + i64::from(is_leap(year)) {
                return Err(invalid(text, &format!("Invalid date 'DayOfYear {n}' as '{year}' is not a leap year")));
            }
            return Ok(days_from_civil(year, 1, 1) + n - 1);
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        checked_days(year, month, day).ok_or_else(|| {
            let name = month_name(month as u32);
            if day == 29 && month == 2 {
                invalid(text, &format!("Invalid date 'February 29' as '{year}' is not a leap year"))
            } else if day > i64::from(days_in_month(year, month as u32)) {
                invalid(text, &format!("Invalid date '{name} {day}'"))
            } else {
                invalid(text, "Invalid date")
            }
        })
    }

    fn time_micros(&self) -> i64 {
        let hour = self
            .hour
            .or_else(|| self.half_day_hour.map(|h| h + if self.pm == Some(true) { 12 } else { 0 }))
            .unwrap_or(0);
        ((hour * 60 + self.minute.unwrap_or(0)) * 60 + self.second.unwrap_or(0)) * MICROS_PER_SECOND
            + self.nanos.unwrap_or(0) / 1000
    }

    /// Wall clock in microseconds.
    pub fn local(&self, text: &str) -> Result<i64, Failure> {
        Ok(self.days(text)? * MICROS_PER_DAY + self.time_micros())
    }

    pub fn has_zone(&self) -> bool {
        self.zone.is_some()
    }

    pub fn instant(&self, text: &str, zone: &Zone) -> Result<i64, Failure> {
        let local = self.local(text)?;
        Ok(self.zone.as_ref().unwrap_or(zone).to_utc(local))
    }
}
