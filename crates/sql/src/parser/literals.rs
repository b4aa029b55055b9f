//! Literals: numbers with their suffixes, strings, typed literals, intervals.

use super::Parser;
use super::errors::Place;
use super::tokens::{Kind, Token};
use crate::analyzer::interval;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::parse;
use crate::types::DataType;
use crate::value::Value;

/// Interval units from the coarsest: year, month | day, hour, minute, second.
const UNITS: [&str; 9] = ["year", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"];

fn unit_name(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let single = lower.strip_suffix('s').unwrap_or(&lower);
    UNITS.iter().find(|unit| **unit == single).copied()
}

/// Position of a day-time unit in DayTimeIntervalType; weeks are days, milliseconds are seconds.
fn day_time_field(unit: &str) -> Option<u8> {
    Some(match unit {
        "week" | "day" => 0,
        "hour" => 1,
        "minute" => 2,
        "second" | "millisecond" | "microsecond" => 3,
        _ => return None,
    })
}

fn year_month_field(unit: &str) -> Option<u8> {
    match unit {
        "year" => Some(0),
        "month" => Some(1),
        _ => None,
    }
}

impl Parser<'_> {
    /// A number by its suffix and form.
    pub(super) fn number(&self, token: &Token, negative: bool) -> Result<Expr> {
        let text = token.text.to_uppercase();
        let sign = if negative { "-" } else { "" };
        let (digits, suffix) = match text.strip_suffix("BD") {
            Some(digits) => (digits, "BD"),
            None => match text.strip_suffix(['L', 'S', 'Y', 'F', 'D']) {
                Some(digits) => (digits, &text[digits.len()..]),
                None => (text.as_str(), ""),
            },
        };
        let signed = format!("{sign}{digits}");
        let out_of_range = |low: &str, high: &str, name: &str| {
            self.parse_error(
                "INVALID_NUMERIC_LITERAL_RANGE",
                &[("rawStrippedQualifier", &signed), ("minValue", low), ("maxValue", high), ("typeName", name)],
                token.place,
            )
        };
        Ok(match suffix {
            "L" => {
                let value = signed
                    .parse::<i64>()
                    .map_err(|_| out_of_range("-9223372036854775808", "9223372036854775807", "bigint"))?;
                Expr::literal(Value::Long(value), DataType::Long)
            }
            "S" => {
                let value = signed.parse::<i16>().map_err(|_| out_of_range("-32768", "32767", "smallint"))?;
                Expr::literal(Value::Short(value), DataType::Short)
            }
            "Y" => {
                let value = signed.parse::<i8>().map_err(|_| out_of_range("-128", "127", "tinyint"))?;
                Expr::literal(Value::Byte(value), DataType::Byte)
            }
            "F" => {
                let value = signed.parse::<f32>().map_err(|_| self.unexpected())?;
                Expr::literal(Value::Float(value), DataType::Float)
            }
            _ if suffix == "D" || (digits.contains('E') && suffix.is_empty()) => {
                let value = signed.parse::<f64>().map_err(|_| self.unexpected())?;
                if value.is_infinite() {
                    let shown = if suffix.is_empty() { token.text.as_str() } else { digits };
                    return Err(self.parse_error(
                        "INVALID_NUMERIC_LITERAL_RANGE",
                        &[
                            ("rawStrippedQualifier", &format!("{sign}{shown}")),
                            ("minValue", "-1.7976931348623157E+308"),
                            ("maxValue", "1.7976931348623157E+308"),
                            ("typeName", "double"),
                        ],
                        token.place,
                    ));
                }
                Expr::literal(Value::Double(value), DataType::Double)
            }
            _ if suffix.is_empty() && !digits.contains('.') => {
                if let Ok(value) = signed.parse::<i32>() {
                    Expr::literal(Value::Integer(value), DataType::Integer)
                } else if let Ok(value) = signed.parse::<i64>() {
                    Expr::literal(Value::Long(value), DataType::Long)
                } else {
                    self.decimal(&signed)?
                }
            }
            _ => self.decimal(&signed)?,
        })
    }

    fn decimal(&self, text: &str) -> Result<Expr> {
        // 1.5E2BD is 150: an exponent moves the point.
        if let Some((mantissa, exponent)) = text.split_once('E') {
            let exponent: i32 = exponent.parse().map_err(|_| self.unexpected())?;
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let mut digits = format!("{whole}{fraction}");
            let scale = i32::try_from(fraction.len()).unwrap_or(0) - exponent;
            if scale < 0 {
                digits.push_str(&"0".repeat(usize::try_from(-scale).unwrap_or(0).min(64)));
            }
            let scale = usize::try_from(scale.max(0)).unwrap_or(0);
            let negative = digits.starts_with('-');
            let bare = digits.trim_start_matches('-');
            let padded = format!("{}{bare}", "0".repeat((scale + 1).saturating_sub(bare.len())));
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            let point = if scale > 0 { "." } else { "" };
            return self.decimal(&format!("{}{whole}{point}{fraction}", if negative { "-" } else { "" }));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('-').trim_start_matches('0').len();
        let scale = fraction.len();
        let precision = significant.max(scale).max(1);
        let unscaled = digits.parse::<i128>().ok().filter(|_| precision <= 38);
        let Some(unscaled) = unscaled else {
            return Err(SparkError::new(
                ErrorClass::Arithmetic,
                "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                &[("precision", &precision.to_string()), ("maxPrecision", "38")],
            ));
        };
        let (precision, scale) = (u8::try_from(precision).unwrap_or(38), i8::try_from(scale).unwrap_or(0));
        Ok(Expr::literal(Value::Decimal(unscaled, precision, scale), DataType::Decimal { precision, scale }))
    }

    /// String literals side by side are one.
    pub(super) fn string_literal(&mut self) -> Expr {
        let mut text = String::new();
        while let Kind::Text(part) = &self.peek().kind {
            text.push_str(part);
            self.next();
        }
        Expr::literal(Value::from(text.as_str()), DataType::String)
    }

    /// DATE '...', TIMESTAMP '...', X'...'; None when the word is none of them.
    pub(super) fn typed_literal(&mut self) -> Result<Option<Expr>> {
        let word = self.peek().text.to_lowercase();
        let Kind::Text(text) = self.peek_at(1).kind.clone() else { return Ok(None) };
        let place = self.peek().place;
        let zone = self.session.conf.borrow().time_zone().clone();
        let invalid = |parser: &Self, name: &str| {
            parser.parse_error(
                "INVALID_TYPED_LITERAL",
                &[("valueType", &format!("\"{name}\"")), ("value", &format!("'{text}'"))],
                place,
            )
        };
        let own = matches!(self.peek().kind, Kind::Word)
            && crate::types::parse_data_type(&self.peek().text).is_ok_and(|t| !matches!(t, DataType::String));
        self.next();
        self.next();
        let ntz = self.session.conf.borrow().timestamp_is_ntz();
        let literal = match word.as_str() {
            "timestamp" if ntz && parse::parse_timestamp_ntz(&text, false).is_some() => {
                let micros = parse::parse_timestamp_ntz(&text, false).ok_or_else(|| invalid(self, "TIMESTAMP"))?;
                Expr::literal(Value::TimestampNtz(micros), DataType::TimestampNtz)
            }
            "date" => {
                let today = zone.to_local(self.session.clock.now_us()).div_euclid(crate::value::text::MICROS_PER_DAY);
                let special = || parse::special_day(&text, today).and_then(|(_, day)| i32::try_from(day).ok());
                let days = parse::parse_date(&text).or_else(special).ok_or_else(|| invalid(self, "DATE"))?;
                Expr::literal(Value::Date(days), DataType::Date)
            }
            "timestamp" | "timestamp_ltz" => {
                let special = || parse::special_timestamp(&text, &zone, self.session.clock.now_us());
                let micros = parse::parse_timestamp(&text, &zone)
                    .or_else(special)
                    .ok_or_else(|| invalid(self, &word.to_uppercase()))?;
                Expr::literal(Value::Timestamp(micros), DataType::Timestamp)
            }
            "timestamp_ntz" => {
                let micros = parse::parse_timestamp_ntz(&text, true).ok_or_else(|| invalid(self, "TIMESTAMP_NTZ"))?;
                Expr::literal(Value::TimestampNtz(micros), DataType::TimestampNtz)
            }
            "time" => {
                let nanos = parse::parse_time(&text).ok_or_else(|| invalid(self, "TIME"))?;
                let precision = if nanos % 1000 == 0 { 6 } else { 9 };
                Expr::literal(Value::Time(nanos), DataType::Time(precision))
            }
            "x" => {
                let padded = if text.len() % 2 == 1 { format!("0{text}") } else { text.clone() };
                let bytes: Option<Vec<u8>> = (0..padded.len() / 2)
                    .map(|i| padded.get(i * 2..i * 2 + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
                    .collect();
                let bytes = bytes.ok_or_else(|| invalid(self, "X"))?;
                Expr::literal(Value::Binary(bytes.into()), DataType::Binary)
            }
            _ if own => {
                return Err(self.unknown_literal(&word.to_uppercase(), place));
            }
            _ => {
                self.at -= 2;
                return Ok(None);
            }
        };
        Ok(Some(literal))
    }

    /// UNSUPPORTED_TYPED_LITERAL.
    pub(super) fn unknown_literal(&self, word: &str, place: Place) -> SparkError {
        let known = "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"";
        let parameters = [("unsupportedType", format!("\"{word}\"")), ("supportedTypes", known.to_owned())];
        let parameters = parameters.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.parse_error("UNSUPPORTED_TYPED_LITERAL", &parameters, place)
    }

    /// INTERVAL '...', INTERVAL n UNIT ..., INTERVAL '...' UNIT TO UNIT. The word is consumed.
    pub(super) fn interval_literal(&mut self) -> Result<Expr> {
        let place = self.tokens[self.at.saturating_sub(1)].place;
        let mut text = String::new();
        let mut units: Vec<&'static str> = Vec::new();
        loop {
            let negative = self.is_symbol("-") || self.is_symbol("+");
            let ahead = usize::from(negative);
            let value = match &self.peek_at(ahead).kind {
                Kind::Text(value) => value.clone(),
                Kind::Number => self.peek_at(ahead).text.clone(),
                _ => break,
            };
            let unit_token = self.peek_at(ahead + 1).clone();
            let unit = if unit_token.kind == Kind::Word { unit_name(&unit_token.text) } else { None };
            let sign = if self.is_symbol("-") { "-" } else { "" };
            match unit {
                Some(unit) => {
                    let value_place = self.peek_at(ahead).place;
                    self.at += ahead + 2;
                    if self.is_word("to") && self.peek_at(1).kind == Kind::Word {
                        self.next();
                        let last = self.next().text.to_lowercase();
                        return self.unit_to_unit(&format!("{sign}{value}"), unit, &last, place);
                    }
                    if value.contains(char::is_alphabetic) {
                        return Err(self.parse_error("_LEGACY_ERROR_TEMP_0026", &[("value", &value)], value_place));
                    }
                    text.push_str(&format!(" {sign}{} {unit}", value.trim()));
                    units.push(unit);
                }
                None if units.is_empty() && matches!(self.peek_at(ahead).kind, Kind::Text(_)) => {
                    self.at += ahead + 1;
                    units.extend(value.split_whitespace().filter_map(unit_name));
                    text = format!("{sign}{value}");
                    break;
                }
                // A number wants its unit.
                None if units.is_empty() => {
                    self.at += ahead + 1;
                    return Err(self.unexpected());
                }
                None => break,
            }
        }
        let parsed = if units.is_empty() { None } else { interval::parse(&text) };
        let Some(parsed) = parsed else {
            if text.is_empty() {
                return Err(self.unexpected());
            }
            // A word after the text is its alias: what comes then is judged first.
            if self.peek().kind == Kind::Word && self.word_at(1, "as") {
                self.next();
                return Err(self.unexpected());
            }
            return Err(self.parse_error(
                "INVALID_TYPED_LITERAL",
                &[("valueType", "\"INTERVAL\""), ("value", &format!("'{}'", text.trim()))],
                place,
            ));
        };
        let months: Vec<u8> = units.iter().filter_map(|unit| year_month_field(unit)).collect();
        let times: Vec<u8> = units.iter().filter_map(|unit| day_time_field(unit)).collect();
        if !months.is_empty() && !times.is_empty() {
            if !self.session.conf.borrow().bool("spark.sql.legacy.interval.enabled") {
                let end = self.tokens[self.at.saturating_sub(1)].end;
                let literal = self.sql.get(place.offset..end).unwrap_or("").to_owned();
                return Err(self.parse_error("_LEGACY_ERROR_TEMP_0029", &[("literal", &literal)], place));
            }
            return Ok(Expr::literal(
                Value::CalendarInterval { months: parsed.months, days: parsed.days, micros: parsed.micros },
                DataType::CalendarInterval,
            ));
        }
        let range =
            |fields: &[u8]| (fields.iter().copied().min().unwrap_or(0), fields.iter().copied().max().unwrap_or(0));
        if !months.is_empty() {
            let (start, end) = range(&months);
            return Ok(Expr::literal(
                Value::YearMonthInterval(parsed.months),
                DataType::YearMonthInterval { start, end },
            ));
        }
        let (start, end) = range(&times);
        let micros = i64::from(parsed.days)
            .checked_mul(86_400_000_000)
            .and_then(|days| days.checked_add(parsed.micros))
            .ok_or_else(|| crate::functions::interval_overflow(""))?;
        Ok(Expr::literal(Value::DayTimeInterval(micros), DataType::DayTimeInterval { start, end }))
    }

    /// '1-2' YEAR TO MONTH, '1 02:03:04.5' DAY TO SECOND and what lies between.
    fn unit_to_unit(&self, value: &str, from: &str, to: &str, place: Place) -> Result<Expr> {
        let invalid = || {
            self.parse_error(
                "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING",
                &[
                    ("input", value),
                    ("typeName", &format!("interval {from} to {to}")),
                    ("intervalStr", "interval"),
                    ("supportedFormat", ""),
                ],
                place,
            )
        };
        let trimmed = value.trim();
        let (negative, body) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let sign = if negative { -1 } else { 1 };
        if from == "year" && to == "month" {
            let (years, months) = body.split_once('-').ok_or_else(invalid)?;
            let years: i32 = years.trim().parse().map_err(|_| invalid())?;
            let months: i32 = months.trim().parse().map_err(|_| invalid())?;
            return Ok(Expr::literal(
                Value::YearMonthInterval(sign * (years * 12 + months)),
                DataType::YearMonthInterval { start: 0, end: 1 },
            ));
        }
        let (Some(start), Some(end)) = (day_time_field(from), day_time_field(to)) else { return Err(invalid()) };
        let mut parts: Vec<&str> = Vec::new();
        let clock = if start == 0 {
            let (days, clock) = body.split_once([' ', 'T']).ok_or_else(invalid)?;
            parts.push(days);
            clock
        } else {
            body
        };
        parts.extend(clock.split(':'));
        if parts.len() != usize::from(end - start) + 1 {
            return Err(invalid());
        }
        let mut micros = 0_i64;
        for (i, part) in parts.iter().enumerate() {
            let unit = ["day", "hour", "minute", "second"][usize::from(start) + i];
            let parsed = interval::parse(&format!("{} {unit}", part.trim())).ok_or_else(invalid)?;
            micros += i64::from(parsed.days) * 86_400_000_000 + parsed.micros;
        }
        Ok(Expr::literal(Value::DayTimeInterval(i64::from(sign) * micros), DataType::DayTimeInterval { start, end }))
    }
}
