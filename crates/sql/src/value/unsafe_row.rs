//! Values as Spark's UnsafeRow bytes: buffers of object aggregates are rows of one column (TypedImperativeAggregate).

use super::Value;
use crate::functions::hash::big_integer_bytes;
use crate::types::DataType;

/// An UnsafeRow of these values.
pub fn encode_row(values: &[Value], types: &[DataType]) -> Vec<u8> {
    let bitset = values.len().div_ceil(64) * 8;
    let mut out = vec![0u8; bitset + values.len() * 8];
    for (i, (v, t)) in values.iter().zip(types).enumerate() {
        let slot = bitset + i * 8;
        if v.is_null() {
            out[i / 8] |= 1 << (i % 8);
            reserve_null(&mut out, slot, t);
            continue;
        }
        put(&mut out, 0, slot, 8, v, t);
    }
    out
}

/// Values of fixed but long types keep their place when null.
fn reserve_null(out: &mut Vec<u8>, slot: usize, t: &DataType) {
    let wide = matches!(t, DataType::Decimal { precision, .. } if *precision > 18) || *t == DataType::CalendarInterval;
    if wide {
        let offset = out.len() as u64;
        out.resize(out.len() + 16, 0);
        let word = if *t == DataType::CalendarInterval { (offset << 32) | 16 } else { offset << 32 };
        out[slot..slot + 8].copy_from_slice(&word.to_le_bytes());
    }
}

/// Bytes of an element in the fixed part of an array.
fn width(t: &DataType) -> usize {
    match t {
        DataType::Boolean | DataType::Byte => 1,
        DataType::Short => 2,
        DataType::Integer | DataType::Float | DataType::Date | DataType::YearMonthInterval { .. } => 4,
        _ => 8,
    }
}

/// Writes a value into the slot; `base` is where the enclosing row or array starts.
fn put(out: &mut Vec<u8>, base: usize, slot: usize, width: usize, v: &Value, t: &DataType) {
    let fixed = |out: &mut Vec<u8>, bits: u64| {
        out[slot..slot + width].copy_from_slice(&bits.to_le_bytes()[..width]);
    };
    match v {
        Value::Boolean(b) => fixed(out, u64::from(*b)),
        Value::Float(x) => fixed(out, u64::from(if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() })),
        Value::Double(x) => fixed(out, if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }),
        Value::Decimal(n, precision, _) if *precision <= 18 => fixed(out, *n as i64 as u64),
        Value::Decimal(n, ..) => {
            let bytes = big_integer_bytes(*n);
            let offset = (out.len() - base) as u64;
            let word = (offset << 32) | bytes.len() as u64;
            let start = out.len();
            out.resize(start + 16, 0);
            out[start..start + bytes.len()].copy_from_slice(&bytes);
            fixed(out, word);
        }
        Value::CalendarInterval { months, days, micros } => {
            let offset = (out.len() - base) as u64;
            out.extend_from_slice(&months.to_le_bytes());
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&micros.to_le_bytes());
            fixed(out, (offset << 32) | 16);
        }
        Value::String(s) => variable(out, base, slot, s.as_bytes()),
        Value::Binary(b) => variable(out, base, slot, b),
        Value::Struct(items) => {
            let types: Vec<DataType> = match t {
                DataType::Struct(s) => s.fields.iter().map(|f| f.data_type.clone()).collect(),
                _ => Vec::new(),
            };
            let row = encode_row(items, &types);
            variable(out, base, slot, &row);
        }
        Value::Array(items) => {
            if let DataType::Array { element, .. } = t {
                let bytes = encode_array(items, element);
                variable(out, base, slot, &bytes);
            }
        }
        Value::Map(items) => {
            if let DataType::Map { key, value, .. } = t {
                let keys: Vec<Value> = items.iter().map(|(k, _)| k.clone()).collect();
                let values: Vec<Value> = items.iter().map(|(_, v)| v.clone()).collect();
                let keys = encode_array(&keys, key);
                let mut bytes = (keys.len() as u64).to_le_bytes().to_vec();
                bytes.extend(keys);
                bytes.extend(encode_array(&values, value));
                variable(out, base, slot, &bytes);
            }
        }
        Value::Variant { value, metadata } => {
            let mut bytes = (value.len() as u32).to_le_bytes().to_vec();
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(metadata);
            variable(out, base, slot, &bytes);
        }
        other => fixed(out, other.as_i64().unwrap_or(0) as u64),
    }
}

fn variable(out: &mut Vec<u8>, base: usize, slot: usize, bytes: &[u8]) {
    let word = (((out.len() - base) as u64) << 32) | bytes.len() as u64;
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(8), 0);
    out[slot..slot + 8].copy_from_slice(&word.to_le_bytes());
}

/// An UnsafeArrayData.
pub fn encode_array(items: &[Value], element: &DataType) -> Vec<u8> {
    let w = width(element);
    let header = 8 + items.len().div_ceil(64) * 8;
    let mut out = vec![0u8; header + (items.len() * w).next_multiple_of(8)];
    out[..8].copy_from_slice(&(items.len() as u64).to_le_bytes());
    for (i, v) in items.iter().enumerate() {
        if v.is_null() {
            out[8 + i / 8] |= 1 << (i % 8);
        } else {
            put(&mut out, 0, header + i * w, w, v, element);
        }
    }
    out
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The values of an UnsafeRow; None when the bytes do not hold one.
pub fn decode_row(bytes: &[u8], types: &[DataType]) -> Option<Vec<Value>> {
    let bitset = types.len().div_ceil(64) * 8;
    types
        .iter()
        .enumerate()
        .map(|(i, t)| {
            if bytes.get(i / 8)? & (1 << (i % 8)) != 0 {
                return Some(Value::Null);
            }
            get(bytes, bitset + i * 8, 8, t)
        })
        .collect()
}

/// The elements of an UnsafeArrayData.
pub fn decode_array(bytes: &[u8], element: &DataType) -> Option<Vec<Value>> {
    let len = usize::try_from(word(bytes, 0)?).ok()?;
    if len > bytes.len() * 8 {
        return None;
    }
    let w = width(element);
    let header = 8 + len.div_ceil(64) * 8;
    (0..len)
        .map(|i| {
            if bytes.get(8 + i / 8)? & (1 << (i % 8)) != 0 {
                return Some(Value::Null);
            }
            get(bytes, header + i * w, w, element)
        })
        .collect()
}

fn get(bytes: &[u8], slot: usize, width: usize, t: &DataType) -> Option<Value> {
    let mut raw = [0u8; 8];
    raw[..width].copy_from_slice(bytes.get(slot..slot + width)?);
    let bits = u64::from_le_bytes(raw);
    let slice = || -> Option<&[u8]> {
        let (offset, size) = ((bits >> 32) as usize, (bits & 0xffff_ffff) as usize);
        bytes.get(offset..offset + size)
    };
    Some(match t {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Boolean(bits & 1 != 0),
        DataType::Byte => Value::Byte(bits as i8),
        DataType::Short => Value::Short(bits as i16),
        DataType::Integer => Value::Integer(bits as i32),
        DataType::Date => Value::Date(bits as i32),
        DataType::YearMonthInterval { .. } => Value::YearMonthInterval(bits as i32),
        DataType::Long => Value::Long(bits as i64),
        DataType::Timestamp => Value::Timestamp(bits as i64),
        DataType::TimestampNtz => Value::TimestampNtz(bits as i64),
        DataType::Time(_) => Value::Time(bits as i64),
        DataType::DayTimeInterval { .. } => Value::DayTimeInterval(bits as i64),
        DataType::Float => Value::Float(f32::from_bits(bits as u32)),
        DataType::Double => Value::Double(f64::from_bits(bits)),
        DataType::Decimal { precision, scale } if *precision <= 18 => {
            Value::Decimal(i128::from(bits as i64), *precision, *scale)
        }
        DataType::Decimal { precision, scale } => {
            let b = slice()?;
            let mut n: i128 = if b.first().is_some_and(|b| b & 0x80 != 0) { -1 } else { 0 };
            for byte in b {
                n = (n << 8) | i128::from(*byte);
            }
            Value::Decimal(n, *precision, *scale)
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => Value::from(std::str::from_utf8(slice()?).ok()?),
        DataType::Binary => Value::binary(slice()?),
        DataType::CalendarInterval => {
            let b = slice()?;
            let micros = word(b, 8)? as i64;
            let head = word(b, 0)?;
            Value::CalendarInterval { months: head as i32, days: (head >> 32) as i32, micros }
        }
        DataType::Struct(s) => {
            let types: Vec<DataType> = s.fields.iter().map(|f| f.data_type.clone()).collect();
            Value::structure(decode_row(slice()?, &types)?)
        }
        DataType::Array { element, .. } => Value::array(decode_array(slice()?, element)?),
        DataType::Map { key, value, .. } => {
            let b = slice()?;
            let size = usize::try_from(word(b, 0)?).ok()?;
            let keys = decode_array(b.get(8..8 + size)?, key)?;
            let values = decode_array(b.get(8 + size..)?, value)?;
            Value::map(keys.into_iter().zip(values).collect())
        }
        DataType::Variant => {
            let b = slice()?;
            let size = u32::from_le_bytes(b.get(..4)?.try_into().ok()?) as usize;
            Value::Variant { value: b.get(4..4 + size)?.into(), metadata: b.get(4 + size..)?.into() }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let types = [
            DataType::Integer,
            DataType::String,
            DataType::array(DataType::Long, true),
            DataType::decimal(38, 2),
            DataType::map(DataType::String, DataType::Double, true),
        ];
        let values = [
            Value::Integer(-3),
            Value::from("wörd"),
            Value::array(vec![Value::Long(1), Value::Null, Value::Long(-9)]),
            Value::Decimal(-12_345, 38, 2),
            Value::map(vec![(Value::from("a"), Value::Double(1.5))]),
        ];
        let bytes = encode_row(&values, &types);
        assert_eq!(decode_row(&bytes, &types).unwrap(), values);
        // The key rows of ROW_ORDER.md: a string row.
        assert_eq!(
            encode_row(&[Value::from("ann")], &[DataType::String]),
            b"\0\0\0\0\0\0\0\0\x03\0\0\0\x10\0\0\0ann\0\0\0\0\0"
        );
    }
}
