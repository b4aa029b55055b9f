//! The bytes of a variant (the Variant binary encoding of Parquet and Spark), as a tree and back.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes as at;

use crate::types::DataType;
use crate::value::Value;

/// A variant as a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Boolean(bool),
    Long(i64),
    Double(f64),
    Float(f32),
    /// Unscaled value and scale.
    Decimal(i128, i8),
    Date(i32),
    Timestamp(i64),
    TimestampNtz(i64),
    Binary(Vec<u8>),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

// Numbers of the primitive types.
const NULL: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT1: u8 = 3;
const INT2: u8 = 4;
const INT4: u8 = 5;
const INT8: u8 = 6;
const DOUBLE: u8 = 7;
const DECIMAL4: u8 = 8;
const DECIMAL8: u8 = 9;
const DECIMAL16: u8 = 10;
const DATE: u8 = 11;
const TIMESTAMP: u8 = 12;
const TIMESTAMP_NTZ: u8 = 13;
const FLOAT: u8 = 14;
const BINARY: u8 = 15;
const LONG_TEXT: u8 = 16;

/// Whether the bytes can be read.
pub(in crate::functions) fn is_valid(value: &[u8], metadata: &[u8]) -> bool {
    Node::decode(value, metadata).is_some()
}

fn unsigned(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(size)?)?;
    Some(part.iter().rev().fold(0usize, |n, byte| (n << 8) | usize::from(*byte)))
}

fn signed(bytes: &[u8], at: usize, size: usize) -> Option<i128> {
    let part = bytes.get(at..at.checked_add(size)?)?;
    let n = part.iter().rev().fold(0u128, |n, byte| (n << 8) | u128::from(*byte));
    let unused = 128 - 8 * size as u32;
    Some(((n << unused) as i128) >> unused)
}

/// The key dictionary.
fn keys(metadata: &[u8]) -> Option<Vec<String>> {
    let size = usize::from(*metadata.first()? >> 6) + 1;
    if metadata[0] & 0xf != 1 {
        return None;
    }
    let count = unsigned(metadata, 1, size)?;
    let offsets = 1 + size;
    let data = offsets + (count + 1) * size;
    (0..count)
        .map(|i| {
            let from = unsigned(metadata, offsets + i * size, size)?;
            let to = unsigned(metadata, offsets + (i + 1) * size, size)?;
            String::from_utf8(metadata.get(data + from..data + to)?.to_vec()).ok()
        })
        .collect()
}

/// Bytes that hold numbers up to `most`.
fn width(most: usize) -> usize {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

fn push(out: &mut Vec<u8>, n: usize, size: usize) {
    out.extend_from_slice(&(n as u64).to_le_bytes()[..size]);
}

/// The two parts of a variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Encoded {
    pub value: Vec<u8>,
    pub metadata: Vec<u8>,
}

impl From<Encoded> for Value {
    fn from(encoded: Encoded) -> Self {
        Value::Variant { value: encoded.value.into(), metadata: encoded.metadata.into() }
    }
}

impl Node {
    pub(super) fn decode(value: &[u8], metadata: &[u8]) -> Option<Node> {
        Self::at(value, 0, &keys(metadata)?)
    }

    fn at(bytes: &[u8], at: usize, keys: &[String]) -> Option<Node> {
        let header = *bytes.get(at)?;
        let info = header >> 2;
        let body = at + 1;
        Some(match header & 3 {
            0 => Self::primitive(bytes, info, body)?,
            1 => {
                let end = body + usize::from(info);
                Node::Text(String::from_utf8(bytes.get(body..end)?.to_vec()).ok()?)
            }
            2 => {
                let (offset_size, id_size) = (usize::from(info & 3) + 1, usize::from((info >> 2) & 3) + 1);
                let size_bytes = if info & 16 != 0 { 4 } else { 1 };
                let count = unsigned(bytes, body, size_bytes)?;
                let ids = body + size_bytes;
                let offsets = ids + count * id_size;
                let data = offsets + (count + 1) * offset_size;
                let fields = (0..count)
                    .map(|i| {
                        let id = unsigned(bytes, ids + i * id_size, id_size)?;
                        let offset = unsigned(bytes, offsets + i * offset_size, offset_size)?;
                        Some((keys.get(id)?.clone(), Self::at(bytes, data + offset, keys)?))
                    })
                    .collect::<Option<_>>()?;
                Node::Object(fields)
            }
            _ => {
                let offset_size = usize::from(info & 3) + 1;
                let size_bytes = if info & 4 != 0 { 4 } else { 1 };
                let count = unsigned(bytes, body, size_bytes)?;
                let offsets = body + size_bytes;
                let data = offsets + (count + 1) * offset_size;
                let items = (0..count)
                    .map(|i| {
                        let offset = unsigned(bytes, offsets + i * offset_size, offset_size)?;
                        Self::at(bytes, data + offset, keys)
                    })
                    .collect::<Option<_>>()?;
                Node::Array(items)
            }
        })
    }

    fn primitive(bytes: &[u8], kind: u8, at: usize) -> Option<Node> {
        let long = |size: usize| signed(bytes, at, size).map(|n| n as i64);
        let decimal = |size: usize| {
            let scale = i8::try_from(*bytes.get(at)?).ok()?;
            Some(Node::Decimal(signed(bytes, at + 1, size)?, scale))
        };
        let block = || {
            let length = unsigned(bytes, at, 4)?;
            bytes.get(at + 4..at + 4 + length).map(<[u8]>::to_vec)
        };
        Some(match kind {
            NULL => Node::Null,
            TRUE => Node::Boolean(true),
            FALSE => Node::Boolean(false),
            INT1 => Node::Long(long(1)?),
            INT2 => Node::Long(long(2)?),
            INT4 => Node::Long(long(4)?),
            INT8 => Node::Long(long(8)?),
            DOUBLE => Node::Double(f64::from_bits(long(8)? as u64)),
            FLOAT => Node::Float(f32::from_bits(long(4)? as u32)),
            DECIMAL4 => decimal(4)?,
            DECIMAL8 => decimal(8)?,
            DECIMAL16 => decimal(16)?,
            DATE => Node::Date(long(4)? as i32),
            TIMESTAMP => Node::Timestamp(long(8)?),
            TIMESTAMP_NTZ => Node::TimestampNtz(long(8)?),
            BINARY => Node::Binary(block()?),
            LONG_TEXT => Node::Text(String::from_utf8(block()?).ok()?),
            _ => return None,
        })
    }

    pub(super) fn encode(&self) -> Encoded {
        let mut keys: Vec<&str> = Vec::new();
        let mut value = Vec::new();
        self.append(&mut value, &mut keys);
        let text: usize = keys.iter().map(|key| key.len()).sum();
        let size = width(text.max(keys.len()));
        let mut metadata = vec![1 | (((size - 1) as u8) << 6)];
        push(&mut metadata, keys.len(), size);
        let mut offset = 0;
        push(&mut metadata, 0, size);
        for key in &keys {
            offset += key.len();
            push(&mut metadata, offset, size);
        }
        keys.iter().for_each(|key| metadata.extend_from_slice(key.as_bytes()));
        Encoded { value, metadata }
    }

    fn append<'a>(&'a self, out: &mut Vec<u8>, keys: &mut Vec<&'a str>) {
        let primitive = |kind: u8| kind << 2;
        match self {
            Node::Null => out.push(primitive(NULL)),
            Node::Boolean(b) => out.push(primitive(if *b { TRUE } else { FALSE })),
            Node::Long(n) => {
                let (kind, size) = match n {
                    -0x80..=0x7f => (INT1, 1),
                    -0x8000..=0x7fff => (INT2, 2),
                    -0x8000_0000..=0x7fff_ffff => (INT4, 4),
                    _ => (INT8, 8),
                };
                out.push(primitive(kind));
                out.extend_from_slice(&n.to_le_bytes()[..size]);
            }
            Node::Double(x) => {
                out.push(primitive(DOUBLE));
                out.extend_from_slice(&x.to_le_bytes());
            }
            Node::Float(x) => {
                out.push(primitive(FLOAT));
                out.extend_from_slice(&x.to_le_bytes());
            }
            Node::Decimal(n, scale) => {
                let digits = crate::value::text::digits(*n).max(u32::from(scale.unsigned_abs()));
                let (kind, size) = match digits {
                    0..=9 => (DECIMAL4, 4),
                    10..=18 => (DECIMAL8, 8),
                    _ => (DECIMAL16, 16),
                };
                out.push(primitive(kind));
                out.push(*scale as u8);
                out.extend_from_slice(&n.to_le_bytes()[..size]);
            }
            Node::Date(days) => {
                out.push(primitive(DATE));
                out.extend_from_slice(&days.to_le_bytes());
            }
            Node::Timestamp(us) => {
                out.push(primitive(TIMESTAMP));
                out.extend_from_slice(&us.to_le_bytes());
            }
            Node::TimestampNtz(us) => {
                out.push(primitive(TIMESTAMP_NTZ));
                out.extend_from_slice(&us.to_le_bytes());
            }
            Node::Binary(bytes) => {
                out.push(primitive(BINARY));
                push(out, bytes.len(), 4);
                out.extend_from_slice(bytes);
            }
            Node::Text(text) if text.len() < 64 => {
                out.push(1 | ((text.len() as u8) << 2));
                out.extend_from_slice(text.as_bytes());
            }
            Node::Text(text) => {
                out.push(primitive(LONG_TEXT));
                push(out, text.len(), 4);
                out.extend_from_slice(text.as_bytes());
            }
            Node::Array(items) => {
                let mut data = Vec::new();
                let mut offsets = Vec::with_capacity(items.len() + 1);
                for item in items {
                    offsets.push(data.len());
                    item.append(&mut data, keys);
                }
                offsets.push(data.len());
                let (size, large) = (width(data.len()), items.len() > 255);
                out.push(3 | (((size - 1) as u8) << 2) | (u8::from(large) << 4));
                push(out, items.len(), if large { 4 } else { 1 });
                offsets.iter().for_each(|offset| push(out, *offset, size));
                out.extend_from_slice(&data);
            }
            Node::Object(fields) => {
                let mut data = Vec::new();
                let mut entries: Vec<(&str, usize, usize)> = Vec::with_capacity(fields.len());
                for (name, item) in fields {
                    let id = keys.iter().position(|key| key == name).unwrap_or_else(|| {
                        keys.push(name);
                        keys.len() - 1
                    });
                    entries.push((name, id, data.len()));
                    item.append(&mut data, keys);
                }
                entries.sort_by(|a, b| a.0.cmp(b.0));
                let most = entries.iter().map(|entry| entry.1).max().unwrap_or(0);
                let (size, id_size, large) = (width(data.len()), width(most), fields.len() > 255);
                let info = ((size - 1) as u8) | (((id_size - 1) as u8) << 2) | (u8::from(large) << 4);
                out.push(2 | (info << 2));
                push(out, fields.len(), if large { 4 } else { 1 });
                entries.iter().for_each(|entry| push(out, entry.1, id_size));
                entries.iter().for_each(|entry| push(out, entry.2, size));
                push(out, data.len(), size);
                out.extend_from_slice(&data);
            }
        }
    }

    /// A cell of a column; None for null.
    pub(super) fn of(array: &dyn Array, row: usize, from: &DataType) -> Option<Node> {
        if array.is_null(row) {
            return None;
        }
        let inner = |array: &ArrayRef, row: usize, t: &DataType| Self::of(array, row, t).unwrap_or(Node::Null);
        macro_rules! cell {
            ($t:ty) => {
                array.as_primitive_opt::<$t>()?.value(row)
            };
        }
        Some(match from {
            DataType::Boolean => Node::Boolean(array.as_boolean_opt()?.value(row)),
            DataType::Byte => Node::Long(cell!(at::Int8Type).into()),
            DataType::Short => Node::Long(cell!(at::Int16Type).into()),
            DataType::Integer => Node::Long(cell!(at::Int32Type).into()),
            DataType::YearMonthInterval { .. } => Node::Long(cell!(at::IntervalYearMonthType).into()),
            DataType::Long => Node::Long(cell!(at::Int64Type)),
            DataType::DayTimeInterval { .. } => Node::Long(cell!(at::DurationMicrosecondType)),
            DataType::Time(_) => Node::Long(cell!(at::Time64NanosecondType)),
            DataType::Float => Node::Float(cell!(at::Float32Type)),
            DataType::Double => Node::Double(cell!(at::Float64Type)),
            DataType::Decimal { scale, .. } => Node::Decimal(cell!(at::Decimal128Type), *scale),
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                Node::Text(array.as_string_opt::<i32>()?.value(row).to_owned())
            }
            DataType::Binary => Node::Binary(array.as_binary_opt::<i32>()?.value(row).to_vec()),
            DataType::Date => Node::Date(cell!(at::Date32Type)),
            DataType::Timestamp => Node::Timestamp(cell!(at::TimestampMicrosecondType)),
            DataType::TimestampNtz => Node::TimestampNtz(cell!(at::TimestampMicrosecondType)),
            DataType::Variant => {
                let parts = array.as_struct_opt()?;
                let part = |i: usize| Some(parts.column(i).as_binary_opt::<i32>()?.value(row));
                Self::decode(part(0)?, part(1)?)?
            }
            DataType::Array { element, .. } => {
                let list = array.as_list_opt::<i32>()?;
                let ends = &list.value_offsets()[row..row + 2];
                Node::Array((ends[0]..ends[1]).map(|at| inner(list.values(), at as usize, element)).collect())
            }
            DataType::Map { value, .. } => {
                let map = array.as_map_opt()?;
                let ends = &map.value_offsets()[row..row + 2];
                let keys = map.keys().as_string_opt::<i32>();
                let key = |at: usize| keys.map_or("", |keys| keys.value(at)).to_owned();
                let entries = ends[0] as usize..ends[1] as usize;
                Node::Object(entries.map(|at| (key(at), inner(map.values(), at, value))).collect())
            }
            DataType::Struct(schema) => {
                let columns = array.as_struct_opt()?.columns();
                let fields = schema.fields.iter().zip(columns);
                Node::Object(fields.map(|(f, c)| (f.name.clone(), inner(c, row, &f.data_type))).collect())
            }
            DataType::Null | DataType::CalendarInterval => return None,
        })
    }

    /// A leaf as a value of Spark with its type; None for arrays and objects.
    pub(super) fn value(&self) -> Option<(Value, DataType)> {
        Some(match self {
            Node::Null => (Value::Null, DataType::Null),
            Node::Boolean(b) => (Value::Boolean(*b), DataType::Boolean),
            Node::Long(n) => (Value::Long(*n), DataType::Long),
            Node::Double(x) => (Value::Double(*x), DataType::Double),
            Node::Float(x) => (Value::Float(*x), DataType::Float),
            Node::Decimal(n, scale) => {
                let precision = crate::value::text::digits(*n).max(u32::from(scale.unsigned_abs())).min(38) as u8;
                (Value::Decimal(*n, precision, *scale), DataType::decimal(precision, *scale))
            }
            Node::Date(days) => (Value::Date(*days), DataType::Date),
            Node::Timestamp(us) => (Value::Timestamp(*us), DataType::Timestamp),
            Node::TimestampNtz(us) => (Value::TimestampNtz(*us), DataType::TimestampNtz),
            Node::Binary(bytes) => (Value::binary(bytes.clone()), DataType::Binary),
            Node::Text(text) => (Value::from(text.as_str()), DataType::String),
            Node::Array(_) | Node::Object(_) => return None,
        })
    }
}
