//! UnsafeRows to Arrow columns.

use std::sync::Arc;

use crate::error::{Result, SparkError};
use crate::types::DataType;
use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Decimal128Array, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, IntervalMonthDayNanoArray, ListArray, MapArray, NullArray, StringBuilder, StructArray,
    make_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType as ArrowType, Fields, IntervalMonthDayNano};

use super::{bit_set_width, element_width, is_small_decimal, word};

/// A field or element that is not null: its fixed part, and the row or array that an offset in it counts from.
#[derive(Clone, Copy)]
struct Cell<'a> {
    base: &'a [u8],
    word: u64,
}

impl<'a> Cell<'a> {
    fn bytes(&self) -> Result<&'a [u8]> {
        let offset = (self.word >> 32) as usize;
        self.base.get(offset..offset + (self.word & 0xffff_ffff) as usize).ok_or_else(damaged)
    }
}

fn damaged() -> SparkError {
    SparkError::internal("a state row is shorter than its fields say")
}

/// One Arrow column a field. Every row has exactly these fields.
pub fn decode_rows(types: &[DataType], rows: &[&[u8]]) -> Result<Vec<ArrayRef>> {
    let rows: Vec<Option<&[u8]>> = rows.iter().map(|row| Some(*row)).collect();
    fields(types, &rows)
}

fn fields(types: &[DataType], rows: &[Option<&[u8]>]) -> Result<Vec<ArrayRef>> {
    let bits = bit_set_width(types.len());
    let mut cells = Vec::with_capacity(rows.len());
    types
        .iter()
        .enumerate()
        .map(|(ordinal, data_type)| {
            cells.clear();
            for row in rows {
                cells.push(match row {
                    Some(row) if !super::is_null(row, ordinal) => {
                        Some(Cell { base: row, word: word(row, bits + 8 * ordinal).ok_or_else(damaged)? })
                    }
                    _ => None,
                });
            }
            column(data_type, &cells)
        })
        .collect()
}

fn nulls(cells: &[Option<Cell<'_>>]) -> Option<NullBuffer> {
    if cells.iter().all(Option::is_some) { None } else { Some(cells.iter().map(Option::is_some).collect()) }
}

fn column(data_type: &DataType, cells: &[Option<Cell<'_>>]) -> Result<ArrayRef> {
    macro_rules! numbers {
        ($array:ty, $convert:expr) => {{
            let convert = $convert;
            let values = cells.iter().map(|cell| cell.map_or_else(Default::default, |cell| convert(cell.word)));
            <$array>::new(values.collect::<Vec<_>>().into(), nulls(cells))
        }};
    }
    Ok(match data_type {
        DataType::Null => Arc::new(NullArray::new(cells.len())),
        DataType::Boolean => {
            let mut builder = BooleanBuilder::with_capacity(cells.len());
            for cell in cells {
                builder.append_option(cell.map(|cell| cell.word & 1 == 1));
            }
            Arc::new(builder.finish())
        }
        DataType::Byte => Arc::new(numbers!(Int8Array, |w: u64| w as i8)),
        DataType::Short => Arc::new(numbers!(Int16Array, |w: u64| w as i16)),
        DataType::Integer | DataType::Date | DataType::YearMonthInterval { .. } => {
            retype(numbers!(Int32Array, |w: u64| w as i32), data_type)?
        }
        DataType::Long
        | DataType::Timestamp
        | DataType::TimestampNtz
        | DataType::Time(_)
        | DataType::DayTimeInterval { .. } => retype(numbers!(Int64Array, |w: u64| w as i64), data_type)?,
        DataType::Float => Arc::new(numbers!(Float32Array, |w: u64| f32::from_bits(w as u32))),
        DataType::Double => Arc::new(numbers!(Float64Array, f64::from_bits)),
        DataType::Decimal { precision, scale } => {
            let values = if is_small_decimal(*precision) {
                numbers!(Decimal128Array, |w: u64| i128::from(w as i64))
            } else {
                let mut values = Vec::with_capacity(cells.len());
                for cell in cells {
                    values.push(cell.map_or(Ok(0), |cell| cell.bytes().map(decimal))?);
                }
                Decimal128Array::new(values.into(), nulls(cells))
            };
            Arc::new(values.with_precision_and_scale(*precision, *scale)?)
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            let mut builder = StringBuilder::with_capacity(cells.len(), 8 * cells.len());
            for cell in cells {
                match cell {
                    Some(cell) => builder.append_value(String::from_utf8_lossy(cell.bytes()?)),
                    None => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::Binary => {
            let mut builder = BinaryBuilder::with_capacity(cells.len(), 8 * cells.len());
            for cell in cells {
                builder.append_option(cell.map(|cell| cell.bytes()).transpose()?);
            }
            Arc::new(builder.finish())
        }
        DataType::CalendarInterval => {
            let mut values = Vec::with_capacity(cells.len());
            for cell in cells {
                values.push(match cell {
                    Some(cell) => {
                        let bytes = cell.bytes()?;
                        let (head, micros) = (word(bytes, 0).ok_or_else(damaged)?, word(bytes, 8).ok_or_else(damaged)?);
                        let nanos = (micros as i64).saturating_mul(1000);
                        IntervalMonthDayNano::new(head as i32, (head >> 32) as i32, nanos)
                    }
                    None => IntervalMonthDayNano::default(),
                });
            }
            Arc::new(IntervalMonthDayNanoArray::new(values.into(), nulls(cells)))
        }
        DataType::Struct(s) => {
            let rows: Vec<Option<&[u8]>> =
                cells.iter().map(|cell| cell.map(|cell| cell.bytes()).transpose()).collect::<Result<_>>()?;
            let types: Vec<DataType> = s.fields.iter().map(|f| f.data_type.clone()).collect();
            if types.is_empty() {
                return Ok(Arc::new(StructArray::new_empty_fields(cells.len(), nulls(cells))));
            }
            Arc::new(StructArray::try_new(struct_fields(data_type)?, fields(&types, &rows)?, nulls(cells))?)
        }
        DataType::Array { element, .. } => {
            let arrays = cells.iter().map(|cell| cell.map(|cell| cell.bytes()).transpose());
            let (offsets, elements) = elements(element, arrays)?;
            let ArrowType::List(field) = data_type.to_arrow() else { return Err(damaged()) };
            Arc::new(ListArray::try_new(field, offsets, elements, nulls(cells))?)
        }
        DataType::Map { key, value, .. } => {
            let mut keys = Vec::with_capacity(cells.len());
            let mut values = Vec::with_capacity(cells.len());
            for cell in cells {
                let Some(cell) = cell else {
                    keys.push(Ok(None));
                    values.push(Ok(None));
                    continue;
                };
                let map = cell.bytes()?;
                let size = word(map, 0).ok_or_else(damaged)? as usize;
                keys.push(Ok(Some(map.get(8..8 + size).ok_or_else(damaged)?)));
                values.push(Ok(Some(map.get(8 + size..).ok_or_else(damaged)?)));
            }
            let (offsets, keys) = elements(key, keys.into_iter())?;
            let (_, values) = elements(value, values.into_iter())?;
            let ArrowType::Map(field, sorted) = data_type.to_arrow() else { return Err(damaged()) };
            let ArrowType::Struct(entry) = field.data_type() else { return Err(damaged()) };
            let entries = StructArray::try_new(entry.clone(), vec![keys, values], None)?;
            Arc::new(MapArray::try_new(field, offsets, entries, nulls(cells), sorted)?)
        }
        DataType::Variant => {
            let (mut values, mut metadata) = (BinaryBuilder::new(), BinaryBuilder::new());
            for cell in cells {
                let Some(cell) = cell else {
                    values.append_null();
                    metadata.append_null();
                    continue;
                };
                let bytes = cell.bytes()?;
                let size =
                    bytes.get(..4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or_else(damaged)?;
                values.append_value(bytes.get(4..4 + size as usize).ok_or_else(damaged)?);
                metadata.append_value(bytes.get(4 + size as usize..).ok_or_else(damaged)?);
            }
            let parts: Vec<ArrayRef> = vec![Arc::new(values.finish()), Arc::new(metadata.finish())];
            Arc::new(StructArray::try_new(struct_fields(data_type)?, parts, nulls(cells))?)
        }
    })
}

fn struct_fields(data_type: &DataType) -> Result<Fields> {
    match data_type.to_arrow() {
        ArrowType::Struct(fields) => Ok(fields),
        _ => Err(damaged()),
    }
}

/// The same buffers under the Arrow type of `data_type`, which has the same width.
fn retype(array: impl arrow::array::Array, data_type: &DataType) -> Result<ArrayRef> {
    let data = array.to_data().into_builder().data_type(data_type.to_arrow()).build()?;
    Ok(make_array(data))
}

/// Offsets and values of a column of UnsafeArrayData.
fn elements<'a>(
    data_type: &DataType,
    arrays: impl Iterator<Item = Result<Option<&'a [u8]>>>,
) -> Result<(OffsetBuffer<i32>, ArrayRef)> {
    let width = element_width(data_type);
    let mut lengths = Vec::new();
    let mut cells = Vec::new();
    for array in arrays {
        let Some(array) = array? else {
            lengths.push(0);
            continue;
        };
        let count = word(array, 0).ok_or_else(damaged)? as usize;
        let header = 8 + bit_set_width(count);
        if array.len() < header.saturating_add(count.saturating_mul(width)) {
            return Err(damaged());
        }
        for index in 0..count {
            let null = array[8 + index / 8] & (1 << (index % 8)) != 0;
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(&array[header + width * index..header + width * (index + 1)]);
            cells.push((!null).then_some(Cell { base: array, word: u64::from_le_bytes(bytes) }));
        }
        lengths.push(count);
    }
    Ok((OffsetBuffer::from_lengths(lengths), column(data_type, &cells)?))
}

/// BigInteger of big-endian two's complement bytes.
fn decimal(bytes: &[u8]) -> i128 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |value, byte| value << 8 | i128::from(*byte))
}
