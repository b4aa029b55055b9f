//! Arrow rows to UnsafeRows.

use crate::error::{Result, SparkError};
use crate::types::DataType;
use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, IntervalMonthDayNanoArray, ListArray, MapArray, StringArray,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    Date32Type, Decimal128Type, DurationMicrosecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
};

use super::{bit_set_width, element_width, is_small_decimal, round_to_word};

/// Rows one after the other in one buffer.
#[derive(Clone, Debug, Default)]
pub struct RowArena {
    bytes: Vec<u8>,
    /// End of each row in `bytes`.
    ends: Vec<usize>,
}

impl RowArena {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Row `index`, which must exist.
    pub fn row(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.row(index))
    }
}

/// The rows that an UnsafeProjection over these columns gives. `rows` counts also where there is no column.
pub fn encode_rows(types: &[DataType], columns: &[ArrayRef], rows: usize) -> Result<RowArena> {
    let columns: Vec<Column<'_>> =
        types.iter().zip(columns).map(|(t, array)| Column::of(t, array)).collect::<Result<_>>()?;
    let fixed = bit_set_width(columns.len()) + 8 * columns.len();
    let variable: Vec<&Column<'_>> = columns.iter().filter(|c| !c.is_fixed()).collect();
    let mut ends = Vec::with_capacity(rows);
    let mut total = 0;
    for row in 0..rows {
        total += fixed + variable.iter().map(|c| c.field_size(row)).sum::<usize>();
        ends.push(total);
    }
    let mut bytes = vec![0; total];
    let mut start = 0;
    for (row, end) in ends.iter().enumerate() {
        write_row(&columns, row, &mut bytes[start..*end]);
        start = *end;
    }
    Ok(RowArena { bytes, ends })
}

/// Writes a row (or nested struct) that fills `out` exactly; `out` is zeroed.
fn write_row(columns: &[Column<'_>], row: usize, out: &mut [u8]) {
    let bits = bit_set_width(columns.len());
    let mut cursor = bits + 8 * columns.len();
    for (ordinal, column) in columns.iter().enumerate() {
        let at = bits + 8 * ordinal;
        if column.is_null(row) {
            out[ordinal / 8] |= 1 << (ordinal % 8);
            // UnsafeRowWriter keeps room in a row for later updates of wide decimals and intervals.
            match column.kind {
                Kind::WideDecimal(_) => {
                    put_word(out, at, (cursor as u64) << 32);
                    cursor += 16;
                }
                Kind::CalendarInterval(_) => {
                    put_word(out, at, (cursor as u64) << 32 | 16);
                    cursor += 16;
                }
                _ => {}
            }
        } else {
            column.write(row, out, at, 8, &mut cursor, true);
        }
    }
}

fn put_word(out: &mut [u8], at: usize, word: u64) {
    out[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

struct Column<'a> {
    nulls: Option<&'a NullBuffer>,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Null,
    Boolean(&'a BooleanArray),
    Byte(&'a [i8]),
    Short(&'a [i16]),
    Int(&'a [i32]),
    Long(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    SmallDecimal(&'a [i128]),
    WideDecimal(&'a [i128]),
    String(&'a StringArray),
    Binary(&'a BinaryArray),
    CalendarInterval(&'a IntervalMonthDayNanoArray),
    Struct(Vec<Column<'a>>),
    List(&'a ListArray, Box<Elements<'a>>),
    Map(&'a MapArray, Box<Elements<'a>>, Box<Elements<'a>>),
    Variant(&'a BinaryArray, &'a BinaryArray),
}

/// The values of all lists of a column.
struct Elements<'a> {
    column: Column<'a>,
    width: usize,
}

impl<'a> Elements<'a> {
    fn of(data_type: &DataType, array: &'a ArrayRef) -> Result<Box<Self>> {
        Ok(Box::new(Self { column: Column::of(data_type, array)?, width: element_width(data_type) }))
    }

    fn fixed_size(&self, count: usize) -> usize {
        8 + bit_set_width(count) + round_to_word(self.width * count)
    }

    fn size(&self, from: usize, to: usize) -> usize {
        let variable = if self.column.is_fixed() { 0 } else { (from..to).map(|i| self.column.element_size(i)).sum() };
        self.fixed_size(to - from) + variable
    }

    /// Writes an UnsafeArrayData that fills `out` exactly.
    fn write(&self, from: usize, to: usize, out: &mut [u8]) {
        let count = to - from;
        put_word(out, 0, count as u64);
        let header = 8 + bit_set_width(count);
        let mut cursor = self.fixed_size(count);
        for index in 0..count {
            if self.column.is_null(from + index) {
                out[8 + index / 8] |= 1 << (index % 8);
            } else {
                self.column.write(from + index, out, header + self.width * index, self.width, &mut cursor, false);
            }
        }
    }
}

fn mismatch(data_type: &DataType, array: &dyn Array) -> SparkError {
    SparkError::internal(format!("a column of type {:?} holds {}", data_type, array.data_type()))
}

impl<'a> Column<'a> {
    fn of(data_type: &DataType, array: &'a ArrayRef) -> Result<Self> {
        let wrong = || mismatch(data_type, array);
        macro_rules! values {
            ($kind:ident, $($arrow:ty),+) => {{
                let mut found = None;
                $(if let Some(typed) = array.as_primitive_opt::<$arrow>() { found = Some(&typed.values()[..]); })+
                Kind::$kind(found.ok_or_else(wrong)?)
            }};
        }
        let kind = match data_type {
            DataType::Null => Kind::Null,
            DataType::Boolean => Kind::Boolean(array.as_boolean_opt().ok_or_else(wrong)?),
            DataType::Byte => values!(Byte, Int8Type),
            DataType::Short => values!(Short, Int16Type),
            DataType::Integer | DataType::Date | DataType::YearMonthInterval { .. } => {
                values!(Int, Int32Type, Date32Type, IntervalYearMonthType)
            }
            DataType::Long
            | DataType::Timestamp
            | DataType::TimestampNtz
            | DataType::Time(_)
            | DataType::DayTimeInterval { .. } => {
                values!(Long, Int64Type, TimestampMicrosecondType, Time64NanosecondType, DurationMicrosecondType)
            }
            DataType::Float => values!(Float, Float32Type),
            DataType::Double => values!(Double, Float64Type),
            DataType::Decimal { precision, .. } if is_small_decimal(*precision) => {
                values!(SmallDecimal, Decimal128Type)
            }
            DataType::Decimal { .. } => values!(WideDecimal, Decimal128Type),
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                Kind::String(array.as_string_opt().ok_or_else(wrong)?)
            }
            DataType::Binary => Kind::Binary(array.as_binary_opt().ok_or_else(wrong)?),
            DataType::CalendarInterval => {
                Kind::CalendarInterval(array.as_primitive_opt::<IntervalMonthDayNanoType>().ok_or_else(wrong)?)
            }
            DataType::Struct(fields) => {
                let structs = array.as_struct_opt().ok_or_else(wrong)?;
                let columns = fields.fields.iter().zip(structs.columns());
                Kind::Struct(columns.map(|(f, c)| Column::of(&f.data_type, c)).collect::<Result<_>>()?)
            }
            DataType::Array { element, .. } => {
                let list = array.as_list_opt::<i32>().ok_or_else(wrong)?;
                Kind::List(list, Elements::of(element, list.values())?)
            }
            DataType::Map { key, value, .. } => {
                let map = array.as_map_opt().ok_or_else(wrong)?;
                Kind::Map(map, Elements::of(key, map.keys())?, Elements::of(value, map.values())?)
            }
            DataType::Variant => {
                let structs = array.as_struct_opt().ok_or_else(wrong)?;
                let part = |i: usize| structs.columns().get(i).and_then(|c| c.as_binary_opt()).ok_or_else(wrong);
                Kind::Variant(part(0)?, part(1)?)
            }
        };
        Ok(Self { nulls: array.nulls(), kind })
    }

    fn is_null(&self, row: usize) -> bool {
        matches!(self.kind, Kind::Null) || self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    fn is_fixed(&self) -> bool {
        matches!(
            self.kind,
            Kind::Null
                | Kind::Boolean(_)
                | Kind::Byte(_)
                | Kind::Short(_)
                | Kind::Int(_)
                | Kind::Long(_)
                | Kind::Float(_)
                | Kind::Double(_)
                | Kind::SmallDecimal(_)
        )
    }

    /// Bytes in the variable part of a row.
    fn field_size(&self, row: usize) -> usize {
        match &self.kind {
            Kind::WideDecimal(_) | Kind::CalendarInterval(_) => 16,
            _ => self.element_size(row),
        }
    }

    /// Bytes in the variable part of an array.
    fn element_size(&self, row: usize) -> usize {
        if self.is_null(row) { 0 } else { round_to_word(self.value_size(row)) }
    }

    /// Bytes of a value that is not null, before padding.
    fn value_size(&self, row: usize) -> usize {
        match &self.kind {
            Kind::WideDecimal(values) => decimal_bytes(values[row]).1,
            Kind::CalendarInterval(_) => 16,
            Kind::String(array) => array.value_length(row) as usize,
            Kind::Binary(array) => array.value_length(row) as usize,
            Kind::Struct(columns) => {
                let fixed = bit_set_width(columns.len()) + 8 * columns.len();
                fixed + columns.iter().map(|c| c.field_size(row)).sum::<usize>()
            }
            Kind::List(list, elements) => {
                let (from, to) = bounds(list.value_offsets(), row);
                elements.size(from, to)
            }
            Kind::Map(map, keys, values) => {
                let (from, to) = bounds(map.value_offsets(), row);
                8 + keys.size(from, to) + values.size(from, to)
            }
            Kind::Variant(value, metadata) => 4 + (value.value_length(row) + metadata.value_length(row)) as usize,
            _ => 0,
        }
    }

    /// Writes a value that is not null: its fixed part (`width` bytes) at `at`, its variable part at `cursor`.
    fn write(&self, row: usize, out: &mut [u8], at: usize, width: usize, cursor: &mut usize, in_row: bool) {
        let word: u64 = match &self.kind {
            Kind::Null => return,
            Kind::Boolean(array) => u64::from(array.value(row)),
            Kind::Byte(values) => u64::from(values[row] as u8),
            Kind::Short(values) => u64::from(values[row] as u16),
            Kind::Int(values) => u64::from(values[row] as u32),
            Kind::Long(values) => values[row] as u64,
            Kind::Float(values) => u64::from(values[row].to_bits()),
            Kind::Double(values) => values[row].to_bits(),
            Kind::SmallDecimal(values) => values[row] as i64 as u64,
            _ => {
                let size = self.value_size(row);
                self.write_variable(row, &mut out[*cursor..*cursor + size]);
                let word = (*cursor as u64) << 32 | size as u64;
                *cursor += if in_row && matches!(self.kind, Kind::WideDecimal(_)) { 16 } else { round_to_word(size) };
                word
            }
        };
        out[at..at + width].copy_from_slice(&word.to_le_bytes()[..width]);
    }

    fn write_variable(&self, row: usize, out: &mut [u8]) {
        match &self.kind {
            Kind::WideDecimal(values) => {
                let (bytes, count) = decimal_bytes(values[row]);
                out.copy_from_slice(&bytes[16 - count..]);
            }
            Kind::CalendarInterval(array) => {
                let value = array.value(row);
                out[..4].copy_from_slice(&value.months.to_le_bytes());
                out[4..8].copy_from_slice(&value.days.to_le_bytes());
                out[8..].copy_from_slice(&(value.nanoseconds / 1000).to_le_bytes());
            }
            Kind::String(array) => out.copy_from_slice(array.value(row).as_bytes()),
            Kind::Binary(array) => out.copy_from_slice(array.value(row)),
            Kind::Struct(columns) => write_row(columns, row, out),
            Kind::List(list, elements) => {
                let (from, to) = bounds(list.value_offsets(), row);
                elements.write(from, to, out);
            }
            Kind::Map(map, keys, values) => {
                let (from, to) = bounds(map.value_offsets(), row);
                let size = keys.size(from, to);
                put_word(out, 0, size as u64);
                keys.write(from, to, &mut out[8..8 + size]);
                values.write(from, to, &mut out[8 + size..]);
            }
            Kind::Variant(value, metadata) => {
                let (value, metadata) = (value.value(row), metadata.value(row));
                out[..4].copy_from_slice(&(value.len() as u32).to_le_bytes());
                out[4..4 + value.len()].copy_from_slice(value);
                out[4 + value.len()..].copy_from_slice(metadata);
            }
            _ => {}
        }
    }
}

fn bounds(offsets: &[i32], row: usize) -> (usize, usize) {
    (offsets[row] as usize, offsets[row + 1] as usize)
}

/// BigInteger.toByteArray: big-endian two's complement in the last `count` of 16 bytes.
fn decimal_bytes(value: i128) -> ([u8; 16], usize) {
    let bytes = value.to_be_bytes();
    let sign: u8 = if value < 0 { 0xff } else { 0 };
    let mut start = 0;
    while start < 15 && bytes[start] == sign && (bytes[start + 1] ^ sign) & 0x80 == 0 {
        start += 1;
    }
    (bytes, 16 - start)
}
