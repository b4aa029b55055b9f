//! Builders that take JSON values by their place in the text (JacksonParser.makeConverter).

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Decimal128Builder, Float32Builder, Float64Builder, Int8Builder,
    Int16Builder, Int32Builder, Int64Builder, ListArray, MapArray, NullBufferBuilder, StringBuilder, StructArray,
    TimestampMicrosecondBuilder, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType as ArrowType, Field};

use super::json_scan::{Kind, Lenience, Malformed, Scanner, Span, plain, unquote};
use super::times::Times;
use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::cast::parse::{fit_decimal, parse_decimal};
use crate::types::{DataType, StructType};
use crate::value::{Value, ValueBuilder};

/// What conversions need besides the text.
pub struct Conversion<'a> {
    pub times: &'a Times,
    pub lenience: Lenience,
}

/// A value does not fit its column: the column gets null and the record counts as malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit;

impl From<Malformed> for Unfit {
    fn from(_: Malformed) -> Self {
        Unfit
    }
}

/// One column being built.
pub enum Node {
    Boolean(BooleanBuilder),
    Byte(Int8Builder),
    Short(Int16Builder),
    Integer(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Decimal(Decimal128Builder, u8, i8),
    Text(StringBuilder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder),
    TimestampNtz(TimestampMicrosecondBuilder),
    Struct(StructNode),
    List {
        element: Box<Node>,
        field: Arc<Field>,
        offsets: Vec<i32>,
        valid: NullBufferBuilder,
    },
    Map {
        keys: StringBuilder,
        values: Box<Node>,
        entries: ArrowType,
        offsets: Vec<i32>,
        valid: NullBufferBuilder,
    },
    /// Types that are read through single values.
    Other(ValueBuilder, DataType),
    Null(usize),
}

/// Columns of an object's fields.
pub struct StructNode {
    pub names: Vec<String>,
    pub nodes: Vec<Node>,
    spans: Vec<Option<Span>>,
    fields: arrow::datatypes::Fields,
    valid: NullBufferBuilder,
}

/// What became of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The first field that did not fit, and its value.
    pub unfit: Option<(usize, Span)>,
}

impl StructNode {
    pub fn new(schema: &StructType) -> Result<Self> {
        Ok(Self {
            names: schema.fields.iter().map(|f| f.name.clone()).collect(),
            nodes: schema.fields.iter().map(|f| Node::new(&f.data_type)).collect::<Result<_>>()?,
            spans: vec![None; schema.fields.len()],
            fields: schema.to_arrow_fields(),
            valid: NullBufferBuilder::new(0),
        })
    }

    /// Reads the object that begins at `at`; nothing is appended when it is malformed. `set` is told which fields were
    /// there and fit. Returns where it ends.
    pub fn object(
        &mut self,
        bytes: &[u8],
        at: usize,
        how: &Conversion<'_>,
        set: &mut dyn FnMut(usize, bool),
    ) -> Result<(usize, Outcome), Malformed> {
        let mut scanner = Scanner::new(bytes, how.lenience);
        scanner.at = at;
        self.spans.fill(None);
        let (names, spans) = (&self.names, &mut self.spans);
        scanner.members(&mut |name, value| {
            let found = match plain(bytes, name) {
                Some(shown) => names.iter().position(|n| n.as_bytes() == shown),
                None => {
                    let shown = unquote(bytes, name)?;
                    names.iter().position(|n| *n == shown)
                }
            };
            if let Some(i) = found {
                // A later member of the same name wins.
                spans[i] = Some(value);
            }
            Ok(())
        })?;
        let mut outcome = Outcome::default();
        for (i, (node, span)) in self.nodes.iter_mut().zip(&self.spans).enumerate() {
            match span {
                None => node.append_null(),
                Some(span) => {
                    let fits = node.append(bytes, *span, how).is_ok();
                    set(i, fits);
                    if !fits && outcome.unfit.is_none() {
                        outcome.unfit = Some((i, *span));
                    }
                }
            }
        }
        Ok((scanner.at, outcome))
    }

    /// A row of nulls.
    pub fn nulls(&mut self) {
        self.nodes.iter_mut().for_each(Node::append_null);
    }
}

impl Node {
    pub fn new(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Null => Node::Null(0),
            DataType::Boolean => Node::Boolean(BooleanBuilder::new()),
            DataType::Byte => Node::Byte(Int8Builder::new()),
            DataType::Short => Node::Short(Int16Builder::new()),
            DataType::Integer => Node::Integer(Int32Builder::new()),
            DataType::Long => Node::Long(Int64Builder::new()),
            DataType::Float => Node::Float(Float32Builder::new()),
            DataType::Double => Node::Double(Float64Builder::new()),
            DataType::Decimal { precision, scale } => {
                let builder = Decimal128Builder::new().with_precision_and_scale(*precision, *scale)?;
                Node::Decimal(builder, *precision, *scale)
            }
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => Node::Text(StringBuilder::new()),
            DataType::Date => Node::Date(Date32Builder::new()),
            DataType::Timestamp => {
                Node::Timestamp(TimestampMicrosecondBuilder::new().with_data_type(data_type.to_arrow()))
            }
            DataType::TimestampNtz => Node::TimestampNtz(TimestampMicrosecondBuilder::new()),
            DataType::Struct(schema) => Node::Struct(StructNode::new(schema)?),
            DataType::Array { element, .. } => {
                let ArrowType::List(field) = data_type.to_arrow() else {
                    return Err(SparkError::internal("an array that is no list"));
                };
                Node::List {
                    element: Box::new(Node::new(element)?),
                    field,
                    offsets: vec![0],
                    valid: NullBufferBuilder::new(0),
                }
            }
            DataType::Map { value, .. } => Node::Map {
                keys: StringBuilder::new(),
                values: Box::new(Node::new(value)?),
                entries: data_type.to_arrow(),
                offsets: vec![0],
                valid: NullBufferBuilder::new(0),
            },
            DataType::Binary
            | DataType::Variant
            | DataType::Time(_)
            | DataType::YearMonthInterval { .. }
            | DataType::DayTimeInterval { .. } => Node::Other(ValueBuilder::new(data_type, 0), data_type.clone()),
            other => return Err(SparkError::not_yet(&format!("Reading JSON into {}", other.simple_string()))),
        })
    }

    pub fn append_null(&mut self) {
        match self {
            Node::Boolean(b) => b.append_null(),
            Node::Byte(b) => b.append_null(),
            Node::Short(b) => b.append_null(),
            Node::Integer(b) => b.append_null(),
            Node::Long(b) => b.append_null(),
            Node::Float(b) => b.append_null(),
            Node::Double(b) => b.append_null(),
            Node::Decimal(b, ..) => b.append_null(),
            Node::Text(b) => b.append_null(),
            Node::Date(b) => b.append_null(),
            Node::Timestamp(b) | Node::TimestampNtz(b) => b.append_null(),
            Node::Struct(s) => {
                s.nulls();
                s.valid.append_null();
            }
            Node::List { offsets, valid, .. } | Node::Map { offsets, valid, .. } => {
                offsets.push(offsets.last().copied().unwrap_or(0));
                valid.append_null();
            }
            Node::Other(b, _) => b.append_null(),
            Node::Null(n) => *n += 1,
        }
    }

    /// Appends the value at `span`; null when it does not fit.
    pub fn append(&mut self, bytes: &[u8], span: Span, how: &Conversion<'_>) -> Result<(), Unfit> {
        if span.kind == Kind::Null && !matches!(self, Node::Other(_, DataType::Variant)) {
            self.append_null();
            return Ok(());
        }
        let done = self.append_value(bytes, span, how);
        if let Err(Some(Unfit)) = done {
            self.append_null();
        }
        match done {
            Ok(()) => Ok(()),
            Err(_) => Err(Unfit),
        }
    }

    /// Err(Some): nothing was appended; Err(None): something was, with a part that did not fit.
    fn append_value(&mut self, bytes: &[u8], span: Span, how: &Conversion<'_>) -> Result<(), Option<Unfit>> {
        let raw = &bytes[span.start..span.end];
        let unfit = Some(Unfit);
        let integer = || -> Result<i64, Option<Unfit>> {
            if span.kind != Kind::Integer {
                return Err(unfit);
            }
            integer_of(raw).ok_or(unfit)
        };
        let text = || unquote(bytes, span).map_err(|_| unfit);
        let is_text = matches!(span.kind, Kind::Text { .. });
        match self {
            Node::Boolean(b) => match span.kind {
                Kind::True => b.append_value(true),
                Kind::False => b.append_value(false),
                _ => return Err(unfit),
            },
            Node::Byte(b) => b.append_value(i8::try_from(integer()?).map_err(|_| unfit)?),
            Node::Short(b) => b.append_value(i16::try_from(integer()?).map_err(|_| unfit)?),
            Node::Integer(b) => b.append_value(i32::try_from(integer()?).map_err(|_| unfit)?),
            Node::Long(b) => b.append_value(integer()?),
            Node::Float(b) => b.append_value(match span.kind {
                Kind::Integer | Kind::Float => ascii(raw).parse().map_err(|_| unfit)?,
                _ => special(&special_text(bytes, span)?).ok_or(unfit)? as f32,
            }),
            Node::Double(b) => b.append_value(match span.kind {
                Kind::Integer | Kind::Float => ascii(raw).parse().map_err(|_| unfit)?,
                _ => special(&special_text(bytes, span)?).ok_or(unfit)?,
            }),
            Node::Decimal(b, precision, scale) => {
                let shown = match span.kind {
                    Kind::Integer | Kind::Float => std::borrow::Cow::Borrowed(ascii(raw)),
                    Kind::Text { .. } => text()?,
                    _ => return Err(unfit),
                };
                let (unscaled, from) = parse_decimal(&shown).ok_or(unfit)?;
                b.append_value(fit_decimal(unscaled, from, *precision, *scale).ok_or(unfit)?);
            }
            Node::Text(b) => match span.kind {
                Kind::Text { .. } => b.append_value(text()?),
                // Anything else is kept as it is written.
                _ => b.append_value(std::str::from_utf8(raw).map_err(|_| unfit)?),
            },
            Node::Date(b) => match span.kind {
                Kind::Text { .. } => b.append_value(how.times.date_or_days(&text()?).ok_or(unfit)?),
                _ => return Err(unfit),
            },
            Node::Timestamp(b) => match span.kind {
                Kind::Integer => b.append_value(integer()?.checked_mul(1_000_000).ok_or(unfit)?),
                Kind::Text { .. } => b.append_value(how.times.timestamp(&text()?).ok_or(unfit)?),
                _ => return Err(unfit),
            },
            Node::TimestampNtz(b) if is_text => {
                b.append_value(how.times.timestamp_ntz(&text()?).ok_or(unfit)?);
            }
            Node::TimestampNtz(_) => return Err(unfit),
            Node::Struct(s) => {
                if span.kind != Kind::Object {
                    return Err(unfit);
                }
                let (_, outcome) = s.object(bytes, span.start, how, &mut |_, _| {}).map_err(|_| unfit)?;
                s.valid.append_non_null();
                if outcome.unfit.is_some() {
                    return Err(None);
                }
            }
            Node::List { element, offsets, valid, .. } => {
                if span.kind != Kind::Array {
                    return Err(unfit);
                }
                let mut count = offsets.last().copied().unwrap_or(0);
                let mut all_fit = true;
                let mut scanner = Scanner::new(bytes, how.lenience);
                scanner.at = span.start;
                scanner
                    .items(&mut |item| {
                        all_fit &= element.append(bytes, item, how).is_ok();
                        count += 1;
                        Ok(())
                    })
                    .map_err(|_| unfit)?;
                offsets.push(count);
                valid.append_non_null();
                if !all_fit {
                    return Err(None);
                }
            }
            Node::Map { keys, values, offsets, valid, .. } => {
                if span.kind != Kind::Object {
                    return Err(unfit);
                }
                let mut count = offsets.last().copied().unwrap_or(0);
                let mut all_fit = true;
                let mut scanner = Scanner::new(bytes, how.lenience);
                scanner.at = span.start;
                scanner
                    .members(&mut |name, value| {
                        keys.append_value(unquote(bytes, name)?);
                        all_fit &= values.append(bytes, value, how).is_ok();
                        count += 1;
                        Ok(())
                    })
                    .map_err(|_| unfit)?;
                offsets.push(count);
                valid.append_non_null();
                if !all_fit {
                    return Err(None);
                }
            }
            Node::Other(b, DataType::Binary) if is_text => {
                let decoded = base64(text()?.as_bytes()).ok_or(unfit)?;
                b.append(&Value::binary(decoded)).map_err(|_| unfit)?;
            }
            Node::Other(b, DataType::Variant) => {
                let shown = std::str::from_utf8(raw).map_err(|_| unfit)?;
                b.append(&crate::functions::variant::parse(shown).ok_or(unfit)?.into()).map_err(|_| unfit)?;
            }
            Node::Other(b, data_type) if is_text => {
                let shown = text()?;
                let value = match data_type {
                    DataType::YearMonthInterval { start, end } => {
                        crate::functions::datetime::interval::parse_year_month(&shown, *start, *end)
                            .map(Value::YearMonthInterval)
                    }
                    DataType::DayTimeInterval { start, end } => {
                        crate::functions::datetime::interval::parse_day_time(&shown, *start, *end)
                            .map(Value::DayTimeInterval)
                    }
                    _ => None,
                };
                b.append(&value.ok_or(unfit)?).map_err(|_| unfit)?;
            }
            Node::Other(..) => return Err(unfit),
            Node::Null(n) => *n += 1,
        }
        Ok(())
    }

    pub fn finish(&mut self) -> Result<ArrayRef> {
        Ok(match self {
            Node::Boolean(b) => Arc::new(b.finish()),
            Node::Byte(b) => Arc::new(b.finish()),
            Node::Short(b) => Arc::new(b.finish()),
            Node::Integer(b) => Arc::new(b.finish()),
            Node::Long(b) => Arc::new(b.finish()),
            Node::Float(b) => Arc::new(b.finish()),
            Node::Double(b) => Arc::new(b.finish()),
            Node::Decimal(b, ..) => Arc::new(b.finish()),
            Node::Text(b) => Arc::new(b.finish()),
            Node::Date(b) => Arc::new(b.finish()),
            Node::Timestamp(b) | Node::TimestampNtz(b) => Arc::new(b.finish()),
            Node::Struct(s) => {
                let valid = s.valid.finish();
                let columns = s.nodes.iter_mut().map(Node::finish).collect::<Result<Vec<_>>>()?;
                if columns.is_empty() {
                    let rows = valid.as_ref().map_or(0, arrow::buffer::NullBuffer::len);
                    return Ok(Arc::new(StructArray::new_empty_fields(rows, valid)));
                }
                Arc::new(StructArray::try_new(s.fields.clone(), columns, valid)?)
            }
            Node::List { element, field, offsets, valid } => {
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, element.finish()?, valid.finish())?)
            }
            Node::Map { keys, values, entries, offsets, valid } => {
                let ArrowType::Map(entry_field, sorted) = &*entries else {
                    return Err(SparkError::internal("a map that is no map"));
                };
                let ArrowType::Struct(fields) = entry_field.data_type() else {
                    return Err(SparkError::internal("a map without entries"));
                };
                let mut names = Arc::new(keys.finish()) as ArrayRef;
                if let Some(key) = fields.first().filter(|key| *key.data_type() != ArrowType::Utf8) {
                    // Spark leaves texts where the type says otherwise, which fails when they are used.
                    names = arrow::compute::cast(&names, key.data_type())?;
                    if names.null_count() > 0 {
                        let class = ErrorClass::Java("java.lang.ClassCastException");
                        return Err(SparkError::plain(class, "a key of a map is no such value"));
                    }
                }
                let pairs = StructArray::try_new(fields.clone(), vec![names, values.finish()?], None)?;
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(MapArray::try_new(Arc::clone(entry_field), offsets, pairs, valid.finish(), *sorted)?)
            }
            Node::Other(b, _) => b.finish()?,
            Node::Null(n) => new_null_array(&ArrowType::Null, std::mem::take(n)),
        })
    }
}

/// Digits with an optional minus; None when it does not fit 64 bits.
fn integer_of(raw: &[u8]) -> Option<i64> {
    let (negative, digits) = match raw.first() {
        Some(b'-') => (true, &raw[1..]),
        _ => (false, raw),
    };
    if digits.len() > 18 {
        return ascii(raw).parse().ok();
    }
    let n = digits.iter().fold(0_i64, |n, b| n * 10 + i64::from(b - b'0'));
    Some(if negative { -n } else { n })
}

/// Numbers are plain ASCII.
fn ascii(raw: &[u8]) -> &str {
    std::str::from_utf8(raw).unwrap_or("")
}

fn special_text(bytes: &[u8], span: Span) -> Result<String, Option<Unfit>> {
    match span.kind {
        Kind::NonNumeric => Ok(ascii(&bytes[span.start..span.end]).to_owned()),
        Kind::Text { .. } => Ok(unquote(bytes, span).map_err(|_| Some(Unfit))?.into_owned()),
        _ => Err(Some(Unfit)),
    }
}

/// The names of doubles that are no numbers, quoted or not.
fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "+INF" | "INF" | "+Infinity" | "Infinity" => Some(f64::INFINITY),
        "-INF" | "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.iter().filter(|b| **b != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
