//! from_json: values by schema (JacksonParser, with partial results).

use super::{bare, items, members, quote, raw, root};
use crate::datasource::json_scan::{Kind, Lenience, Span, unquote};
use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::cast::parse::{
    fit_decimal, parse_date, parse_decimal, parse_time, parse_timestamp, parse_timestamp_ntz,
};
use crate::functions::datetime::interval;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructType};
use crate::value::Value;

/// How a text is read.
#[derive(Debug)]
pub(super) struct Reader {
    pub schema: DataType,
    pub lenience: Lenience,
    /// None: the session's.
    pub zone: Option<Zone>,
    pub timestamp: Option<Pattern>,
    pub timestamp_ntz: Option<Pattern>,
    pub date: Option<Pattern>,
    pub fail_fast: bool,
    /// Position of the column for malformed records in the schema.
    pub corrupt: Option<usize>,
}

/// A value that does not fit; what could be read of it stays (PartialResultException).
pub(super) struct Partial(pub(super) Value);

pub(super) type Read = std::result::Result<Value, Partial>;

impl Reader {
    /// The value of one text.
    pub(super) fn read(&self, text: &str, session: &Zone) -> Result<Value> {
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        let zone = self.zone.as_ref().unwrap_or(session);
        let (value, whole) = match root(text, self.lenience) {
            None => (self.nothing(), false),
            Some(span) => match self.root_value(text.as_bytes(), span, zone) {
                Ok(v) => (v, true),
                Err(Partial(v)) => (v, false),
            },
        };
        if whole {
            return Ok(value);
        }
        if self.fail_fast {
            let list = root(text, self.lenience).is_some_and(|span| span.kind == Kind::Array);
            if list && matches!(self.schema, DataType::Struct(_)) {
                return Err(SparkError::runtime(
                    "MALFORMED_RECORD_IN_PARSING.CANNOT_PARSE_JSON_ARRAYS_AS_STRUCTS",
                    &[("badRecord", text)],
                ));
            }
            let shown = match &value {
                Value::Struct(fields) => {
                    let parts: Vec<String> =
                        fields.iter().map(|v| crate::functions::cast::to_text(v, &DataType::Null, zone)).collect();
                    format!("[{}]", parts.join(","))
                }
                _ => "[null]".to_owned(),
            };
            return Err(SparkError::new(
                ErrorClass::Java("org.apache.spark.SparkException"),
                "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                &[("badRecord", &shown), ("failFastMode", "FAILFAST")],
            ));
        }
        match (value, self.corrupt) {
            (Value::Struct(fields), Some(at)) => {
                let mut fields = fields.to_vec();
                fields[at] = Value::from(text);
                Ok(Value::structure(fields))
            }
            (value, _) => Ok(value),
        }
    }

    /// What a malformed text gives: a struct of nulls, else null.
    fn nothing(&self) -> Value {
        match &self.schema {
            DataType::Struct(s) => Value::structure(vec![Value::Null; s.fields.len()]),
            _ => Value::Null,
        }
    }

    fn root_value(&self, bytes: &[u8], span: Span, zone: &Zone) -> Read {
        match (&self.schema, span.kind) {
            (DataType::Variant, _) => variant(bytes, span),
            (DataType::Struct(_), Kind::Null) => Err(Partial(self.nothing())),
            (_, Kind::Null) => Ok(Value::Null),
            (DataType::Struct(s), Kind::Object) => self.object(bytes, span, s, zone),
            // One object stands for an array of one.
            (DataType::Array { element, .. }, Kind::Object) => match &**element {
                DataType::Struct(s) => match self.object(bytes, span, s, zone) {
                    Ok(v) => Ok(Value::array(vec![v])),
                    Err(Partial(v)) => Err(Partial(Value::array(vec![v]))),
                },
                _ => Err(Partial(Value::Null)),
            },
            (DataType::Array { .. }, Kind::Array) | (DataType::Map { .. }, Kind::Object) => {
                match self.value(bytes, span, &self.schema, zone) {
                    Ok(v) => Ok(v),
                    // Rows of structs keep what fits; anything else is lost as a whole.
                    Err(Partial(v)) if self.keeps_partial() => Err(Partial(v)),
                    Err(_) => Err(Partial(Value::Null)),
                }
            }
            _ => Err(Partial(self.nothing())),
        }
    }

    fn keeps_partial(&self) -> bool {
        matches!(&self.schema, DataType::Array { element, .. } if matches!(**element, DataType::Struct(_)))
    }

    fn object(&self, bytes: &[u8], span: Span, s: &StructType, zone: &Zone) -> Read {
        let mut fields = vec![Value::Null; s.fields.len()];
        let mut whole = true;
        for (name, value) in members(bytes, span, self.lenience) {
            let Some(i) = s.fields.iter().position(|f| f.name == name) else { continue };
            match self.value(bytes, value, &s.fields[i].data_type, zone) {
                Ok(v) => fields[i] = v,
                Err(Partial(v)) => {
                    fields[i] = v;
                    whole = false;
                }
            }
        }
        let value = Value::structure(fields);
        if whole { Ok(value) } else { Err(Partial(value)) }
    }

    pub(super) fn value(&self, bytes: &[u8], span: Span, t: &DataType, zone: &Zone) -> Read {
        let unfit = || Partial(Value::Null);
        if span.kind == Kind::Null {
            return Ok(Value::Null);
        }
        let text = || unquote(bytes, span).map_err(|_| unfit());
        let is_text = matches!(span.kind, Kind::Text { .. });
        let integer = || -> std::result::Result<i64, Partial> {
            if span.kind != Kind::Integer {
                return Err(unfit());
            }
            raw(bytes, span).parse().map_err(|_| unfit())
        };
        Ok(match t {
            DataType::Boolean => match span.kind {
                Kind::True => Value::Boolean(true),
                Kind::False => Value::Boolean(false),
                _ => return Err(unfit()),
            },
            // getByteValue takes unsigned bytes too.
            DataType::Byte => match integer()? {
                n @ -128..=255 => Value::Byte(n as i8),
                _ => return Err(unfit()),
            },
            DataType::Short => Value::Short(i16::try_from(integer()?).map_err(|_| unfit())?),
            DataType::Integer => Value::Integer(i32::try_from(integer()?).map_err(|_| unfit())?),
            DataType::Long => Value::Long(integer()?),
            DataType::Float | DataType::Double => {
                let x = match span.kind {
                    Kind::Integer | Kind::Float => raw(bytes, span).parse::<f64>().map_err(|_| unfit())?,
                    Kind::NonNumeric => special(raw(bytes, span)).ok_or_else(unfit)?,
                    Kind::Text { .. } => match &*text()? {
                        "NaN" => f64::NAN,
                        "Infinity" | "+Infinity" => f64::INFINITY,
                        "-Infinity" => f64::NEG_INFINITY,
                        "+INF" => f64::INFINITY,
                        "-INF" => f64::NEG_INFINITY,
                        _ => return Err(unfit()),
                    },
                    _ => return Err(unfit()),
                };
                if *t == DataType::Float { Value::Float(x as f32) } else { Value::Double(x) }
            }
            DataType::Decimal { precision, scale } => {
                let shown = match span.kind {
                    Kind::Integer | Kind::Float => raw(bytes, span).to_owned(),
                    Kind::Text { .. } => text()?.replace(',', ""),
                    _ => return Err(unfit()),
                };
                let (n, from) = parse_decimal(&shown).ok_or_else(unfit)?;
                Value::Decimal(fit_decimal(n, from, *precision, *scale).ok_or_else(unfit)?, *precision, *scale)
            }
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                Value::from(bare(bytes, span, self.lenience))
            }
            DataType::Binary if is_text => Value::binary(super::resolve::unbase64(&text()?).ok_or_else(unfit)?),
            DataType::Date => match span.kind {
                Kind::Text { .. } => self.date(&text()?, zone).ok_or_else(unfit)?,
                _ => return Err(unfit()),
            },
            DataType::Timestamp => match span.kind {
                Kind::Integer => Value::Timestamp(integer()?.checked_mul(1_000_000).ok_or_else(unfit)?),
                Kind::Text { .. } => {
                    let text = text()?;
                    let micros = match &self.timestamp {
                        Some(p) => p.parse_instant(&text, zone).ok(),
                        None => parse_timestamp(&text, zone),
                    };
                    Value::Timestamp(micros.ok_or_else(unfit)?)
                }
                _ => return Err(unfit()),
            },
            DataType::TimestampNtz if is_text => {
                let text = text()?;
                let micros = match &self.timestamp_ntz {
                    Some(p) => p.parse(&text).ok().filter(|p| !p.has_zone()).and_then(|p| p.local(&text).ok()),
                    None => parse_timestamp_ntz(&text, false),
                };
                Value::TimestampNtz(micros.ok_or_else(unfit)?)
            }
            DataType::Time(_) if is_text => Value::Time(parse_time(&text()?).ok_or_else(unfit)?),
            DataType::YearMonthInterval { start, end } if is_text => {
                Value::YearMonthInterval(interval::parse_year_month(&text()?, *start, *end).ok_or_else(unfit)?)
            }
            DataType::DayTimeInterval { start, end } if is_text => {
                Value::DayTimeInterval(interval::parse_day_time(&text()?, *start, *end).ok_or_else(unfit)?)
            }
            DataType::CalendarInterval if is_text => interval::parse_calendar(&text()?).map_err(|_| unfit())?,
            DataType::Struct(s) if span.kind == Kind::Object => return self.object(bytes, span, s, zone),
            DataType::Array { element, .. } if span.kind == Kind::Array => {
                let structs = matches!(**element, DataType::Struct(_));
                let mut list = Vec::new();
                let mut whole = true;
                for item in items(bytes, span, self.lenience) {
                    match self.value(bytes, item, element, zone) {
                        Ok(v) => list.push(v),
                        Err(Partial(v @ Value::Struct(_))) if structs => {
                            list.push(v);
                            whole = false;
                        }
                        // One bad element loses the array.
                        Err(_) => return Err(unfit()),
                    }
                }
                if !whole {
                    return Err(Partial(Value::array(list)));
                }
                Value::array(list)
            }
            DataType::Map { value, .. } if span.kind == Kind::Object => {
                let mut entries = Vec::new();
                for (name, item) in members(bytes, span, self.lenience) {
                    match self.value(bytes, item, value, zone) {
                        Ok(v) => entries.push((Value::from(&*name), v)),
                        Err(_) => return Err(unfit()),
                    }
                }
                Value::map(entries)
            }
            DataType::Variant => return variant(bytes, span),
            _ => return Err(unfit()),
        })
    }

    fn date(&self, text: &str, zone: &Zone) -> Option<Value> {
        match &self.date {
            Some(p) => {
                let micros = p.parse_instant(text, zone).ok()?;
                let days = zone.to_local(micros).div_euclid(crate::value::text::MICROS_PER_DAY);
                Some(Value::Date(days as i32))
            }
            // Without a pattern a number of days is read as well.
            None => parse_date(text).or_else(|| text.parse().ok()).map(Value::Date),
        }
    }
}

/// Whatever JSON stands there.
fn variant(bytes: &[u8], span: Span) -> Read {
    let mut quoted = String::new();
    let shown = match span.kind {
        Kind::Text { .. } => {
            let text = unquote(bytes, span).map_err(|_| Partial(Value::Null))?;
            quote(&text, &mut quoted);
            &quoted
        }
        _ => raw(bytes, span),
    };
    crate::functions::variant::parse(shown).map(Value::from).ok_or(Partial(Value::Null))
}

fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" | "+Infinity" | "INF" | "+INF" => Some(f64::INFINITY),
        "-Infinity" | "-INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}
