//! Datetime patterns: java.time's DateTimeFormatter with Spark's limits (DateTimeFormatterHelper).

mod parsing;
mod printing;

pub use self::parsing::{Failure, Parsed};

use super::zone::Zone;
use crate::error::{ErrorClass, Result, SparkError};

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Element {
    Literal(String),
    /// A letter and how often it stands.
    Field(char, usize),
    OptionalStart,
    OptionalEnd,
}

/// A checked pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    elements: Vec<Element>,
    /// For parsing, a run of S reads one up to that many digits.
    variable_fraction: bool,
}

impl Pattern {
    /// Checks a pattern as Spark does before it formats or parses with it.
    pub fn new(pattern: &str, parsing: bool) -> Result<Pattern> {
        let converted =
            check_letters(pattern, parsing).and_then(|()| elements(pattern, parsing).map_err(Refusal::Java));
        match converted {
            Ok(elements) => Ok(Pattern { variable_fraction: parsing && pattern.contains('S'), elements }),
            Err(refusal) => {
                if legacy_accepts(pattern) {
                    let mut error = SparkError::new(
                        ErrorClass::Runtime,
                        "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
                        &[
                            ("pattern", &format!("'{pattern}'")),
                            ("config", "\"spark.sql.legacy.timeParserPolicy\""),
                            ("docroot", "https://spark.apache.org/docs/latest"),
                        ],
                    );
                    error.java_class = Some("org.apache.spark.SparkUpgradeException".into());
                    return Err(error);
                }
                Err(match refusal {
                    Refusal::Spark(e) => e,
                    Refusal::Java(()) => SparkError::runtime(
                        "INVALID_DATETIME_PATTERN.WITH_SUGGESTION",
                        &[
                            ("pattern", &format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"))),
                            ("docroot", "https://spark.apache.org/docs/latest"),
                        ],
                    ),
                })
            }
        }
    }

    /// A pattern to read data by: data sources make theirs while they read, so one that is refused reads nothing.
    pub fn reading(pattern: &str) -> Pattern {
        let nothing = || Pattern { elements: vec![Element::Literal("\u{0}".into())], variable_fraction: false };
        Pattern::new(pattern, true).unwrap_or_else(|_| nothing())
    }

    /// The text of an instant on the wall clock of `zone`.
    pub fn format(&self, micros: i64, zone: &Zone) -> String {
        let mut out = String::new();
        self.write(micros, zone, &mut out);
        out
    }

    /// The same at the end of a text.
    pub fn write(&self, micros: i64, zone: &Zone, out: &mut String) {
        printing::print(&self.elements, micros, zone, out);
    }

    /// What a text says; the whole text must be read.
    pub fn parse(&self, text: &str) -> std::result::Result<Parsed, Failure> {
        parsing::parse(&self.elements, self.variable_fraction, text)
    }

    /// The instant, in microseconds, that a text names; texts without a zone are in `zone`.
    pub fn parse_instant(&self, text: &str, zone: &Zone) -> std::result::Result<i64, Failure> {
        self.parse(text)?.instant(text, zone)
    }
}

enum Refusal {
    Spark(SparkError),
    Java(()),
}

/// convertIncompatiblePattern.
fn check_letters(pattern: &str, parsing: bool) -> std::result::Result<(), Refusal> {
    let illegal = |condition: &str, c: char| {
        Refusal::Spark(SparkError::new(
            ErrorClass::IllegalArgument,
            condition,
            // Only the message about changed letters quotes the pattern.
            &[
                ("c", &c.to_string()),
                (
                    "pattern",
                    &if condition.starts_with("INVALID") { pattern.to_owned() } else { format!("'{pattern}'") },
                ),
            ],
        ))
    };
    for (i, part) in pattern.split('\'').enumerate() {
        if i % 2 == 1 {
            continue;
        }
        if let Some(c) = part.chars().find(|c| "YWwuec".contains(*c)) {
            return Err(illegal("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", c));
        }
        if let Some(c) = part.chars().find(|c| "ABnNp".contains(*c) || (parsing && "EFqQ".contains(*c))) {
            return Err(illegal("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", c));
        }
        for style in ["GGGGG", "MMMMM", "LLLLL", "EEEEE", "QQQQQ", "qqqqq"] {
            if part.contains(style) {
                return Err(illegal("INVALID_DATETIME_PATTERN.LENGTH", style.chars().next().unwrap_or(' ')));
            }
        }
    }
    Ok(())
}

/// DateTimeFormatterBuilder.appendPattern.
fn elements(pattern: &str, _parsing: bool) -> std::result::Result<Vec<Element>, ()> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out: Vec<Element> = Vec::new();
    let literal = |out: &mut Vec<Element>, c: char| match out.last_mut() {
        Some(Element::Literal(text)) => text.push(c),
        _ => out.push(Element::Literal(c.to_string())),
    };
    let mut i = 0;
    let mut depth = 0;
    while i < chars.len() {
        let c = chars[i];
        if c.is_ascii_alphabetic() {
            let mut n = 1;
            while chars.get(i + n) == Some(&c) {
                n += 1;
            }
            let fits = match c {
                'G' | 'M' | 'L' | 'Q' | 'q' | 'E' => n <= 5,
                'y' => n <= 6,
                'd' | 'h' | 'K' | 'k' | 'H' | 'm' | 's' => n <= 2,
                'D' => n <= 3,
                'F' | 'a' => n == 1,
                'S' => n <= 9,
                'V' => n == 2,
                'z' => n <= 4,
                'O' => n == 1 || n == 4,
                'X' | 'x' | 'Z' => n <= 5,
                _ => false,
            };
            if !fits {
                return Err(());
            }
            out.push(Element::Field(c, n));
            i += n;
            continue;
        }
        match c {
            '\'' => {
                let mut j = i + 1;
                let mut text = String::new();
                let mut closed = false;
                while j < chars.len() {
                    if chars[j] == '\'' {
                        if chars.get(j + 1) == Some(&'\'') {
                            text.push('\'');
                            j += 2;
                            continue;
                        }
                        closed = true;
                        break;
                    }
                    text.push(chars[j]);
                    j += 1;
                }
                if !closed {
                    return Err(());
                }
                if text.is_empty() {
                    text.push('\'');
                }
                text.chars().for_each(|c| literal(&mut out, c));
                i = j + 1;
                continue;
            }
            '[' => {
                depth += 1;
                out.push(Element::OptionalStart);
            }
            ']' => {
                if depth == 0 {
                    return Err(());
                }
                depth -= 1;
                out.push(Element::OptionalEnd);
            }
            '{' | '}' | '#' => return Err(()),
            c => literal(&mut out, c),
        }
        i += 1;
    }
    Ok(out)
}

/// Whether java.text.SimpleDateFormat takes the pattern.
fn legacy_accepts(pattern: &str) -> bool {
    let chars: Vec<char> = pattern.chars().collect();
    let mut i = 0;
    let mut quoted = false;
    while i < chars.len() {
        let c = chars[i];
        if c == '\'' {
            if chars.get(i + 1) == Some(&'\'') {
                i += 2;
                continue;
            }
            quoted = !quoted;
        } else if !quoted && c.is_ascii_alphabetic() {
            let mut n = 1;
            while chars.get(i + n) == Some(&c) {
                n += 1;
            }
            if !"GyYMLwWDdFEuaHkKhmsSzZX".contains(c) || (c == 'X' && n > 3) {
                return false;
            }
            i += n;
            continue;
        }
        i += 1;
    }
    !quoted
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// "FEBRUARY" as java.time names it.
pub fn month_name(month: u32) -> String {
    MONTHS.get((month as usize).wrapping_sub(1)).map_or_else(String::new, |m| m.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(pattern: &str) -> String {
        // 2026-02-04 03:07:09.012345
        let micros = super::super::calendar::days_from_civil(2026, 2, 4) * 86_400_000_000 + 11_229_012_345;
        Pattern::new(pattern, false).unwrap().format(micros, &Zone::UTC)
    }

    #[test]
    fn letters() {
        for (pattern, text) in [
            ("yyyyy", "02026"),
            ("yy", "26"),
            ("MMM d, h:mm a", "Feb 4, 3:07 AM"),
            ("QQQQ", "1st quarter"),
            ("F", "4"),
            ("SSS", "012"),
            ("zzzz", "Coordinated Universal Time"),
            ("XXX x Z O", "Z +00 +0000 GMT"),
            ("yyyy[-MM]", "2026-02"),
            ("''", "'"),
        ] {
            assert_eq!(formatted(pattern), text, "{pattern}");
        }
        let condition = |p: &str, parsing| Pattern::new(p, parsing).unwrap_err().condition.unwrap();
        assert_eq!(condition("V", false), "INVALID_DATETIME_PATTERN.WITH_SUGGESTION");
        assert_eq!(condition("e", false), "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN");
        assert_eq!(condition("HHH", false), "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION");
        assert_eq!(condition("EEE d", true), "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION");
    }

    #[test]
    fn texts() {
        let parse = |text: &str, pattern: &str| {
            Pattern::new(pattern, true)
                .unwrap()
                .parse_instant(text, &Zone::UTC)
                .map(crate::value::text::local_timestamp_to_string)
        };
        for (text, pattern, wanted) in [
            ("Feb 14, 2026 9:05 PM", "MMM d, yyyy h:mm a", "2026-02-14 21:05:00"),
            ("20260214102030", "yyyyMMddHHmmss", "2026-02-14 10:20:30"),
            ("2026-02-14T10:20:30.12", "yyyy-MM-dd'T'HH:mm:ss.SSS", "2026-02-14 10:20:30.12"),
            ("2026-02-14T10:20", "yyyy-MM-dd'T'HH:mm[:ss]", "2026-02-14 10:20:00"),
            ("2026-02-14T10:20:30+02:00", "yyyy-MM-dd'T'HH:mm:ssXXX", "2026-02-14 08:20:30"),
            ("2026-02-14 10:20:30 Europe/Rome", "yyyy-MM-dd HH:mm:ss VV", "2026-02-14 09:20:30"),
            ("10:20", "HH:mm", "1970-01-01 10:20:00"),
            ("99-02-14", "yy-MM-dd", "2099-02-14 00:00:00"),
            ("2026-045", "yyyy-DDD", "2026-02-14 00:00:00"),
            ("14.2.2026 24:00", "d.M.yyyy kk:mm", "2026-02-14 00:00:00"),
        ] {
            assert_eq!(parse(text, pattern).as_deref().ok(), Some(wanted), "{text} {pattern}");
        }
        let failure = |text: &str, pattern: &str| parse(text, pattern).unwrap_err().message;
        assert_eq!(failure("14/02/26", "yyyy-MM-dd"), "Text '14/02/26' could not be parsed at index 0");
        assert_eq!(
            failure("2026-02-30", "yyyy-MM-dd"),
            "Text '2026-02-30' could not be parsed: Invalid date 'FEBRUARY 30'"
        );
        assert_eq!(
            failure("2026-02-14 10", "yyyy-MM-dd"),
            "Text '2026-02-14 10' could not be parsed, unparsed text found at index 10"
        );
        assert!(parse("12026-01-01", "yyyy-MM-dd").is_err());
    }
}
