//! Values in and out of Arrow arrays.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder,
    DurationMicrosecondBuilder, Float32Builder, Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder,
    IntervalMonthDayNanoBuilder, IntervalYearMonthBuilder, ListArray, MapArray, NullArray, StringBuilder, StructArray,
    Time64NanosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes as at;
use arrow::datatypes::DataType as ArrowType;

use super::Value;
use crate::error::{Result, SparkError};
use crate::types::{DataType, StructType};

/// Appends values of one type to an Arrow array.
pub enum ValueBuilder {
    Null(usize),
    Boolean(BooleanBuilder),
    Byte(Int8Builder),
    Short(Int16Builder),
    Integer(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Decimal(Decimal128Builder, u8, i8),
    String(StringBuilder),
    Binary(BinaryBuilder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder),
    TimestampNtz(TimestampMicrosecondBuilder),
    Time(Time64NanosecondBuilder),
    YearMonth(IntervalYearMonthBuilder),
    DayTime(DurationMicrosecondBuilder),
    Calendar(IntervalMonthDayNanoBuilder),
    List { element: Box<ValueBuilder>, offsets: Vec<i32>, nulls: Vec<bool>, data_type: DataType },
    Map { key: Box<ValueBuilder>, value: Box<ValueBuilder>, offsets: Vec<i32>, nulls: Vec<bool>, data_type: DataType },
    Struct { fields: Vec<ValueBuilder>, nulls: Vec<bool>, schema: Arc<StructType> },
    Variant { value: BinaryBuilder, metadata: BinaryBuilder, nulls: Vec<bool> },
}

impl ValueBuilder {
    pub fn new(data_type: &DataType, capacity: usize) -> ValueBuilder {
        match data_type {
            DataType::Null => ValueBuilder::Null(0),
            DataType::Boolean => ValueBuilder::Boolean(BooleanBuilder::with_capacity(capacity)),
            DataType::Byte => ValueBuilder::Byte(Int8Builder::with_capacity(capacity)),
            DataType::Short => ValueBuilder::Short(Int16Builder::with_capacity(capacity)),
            DataType::Integer => ValueBuilder::Integer(Int32Builder::with_capacity(capacity)),
            DataType::Long => ValueBuilder::Long(Int64Builder::with_capacity(capacity)),
            DataType::Float => ValueBuilder::Float(Float32Builder::with_capacity(capacity)),
            DataType::Double => ValueBuilder::Double(Float64Builder::with_capacity(capacity)),
            DataType::Decimal { precision, scale } => {
                ValueBuilder::Decimal(Decimal128Builder::with_capacity(capacity), *precision, *scale)
            }
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                ValueBuilder::String(StringBuilder::with_capacity(capacity, capacity * 8))
            }
            DataType::Binary => ValueBuilder::Binary(BinaryBuilder::with_capacity(capacity, capacity * 8)),
            DataType::Date => ValueBuilder::Date(Date32Builder::with_capacity(capacity)),
            DataType::Timestamp => ValueBuilder::Timestamp(TimestampMicrosecondBuilder::with_capacity(capacity)),
            DataType::TimestampNtz => ValueBuilder::TimestampNtz(TimestampMicrosecondBuilder::with_capacity(capacity)),
            DataType::Time(_) => ValueBuilder::Time(Time64NanosecondBuilder::with_capacity(capacity)),
            DataType::YearMonthInterval { .. } => {
                ValueBuilder::YearMonth(IntervalYearMonthBuilder::with_capacity(capacity))
            }
            DataType::DayTimeInterval { .. } => {
                ValueBuilder::DayTime(DurationMicrosecondBuilder::with_capacity(capacity))
            }
            DataType::CalendarInterval => ValueBuilder::Calendar(IntervalMonthDayNanoBuilder::with_capacity(capacity)),
            DataType::Array { element, .. } => ValueBuilder::List {
                element: Box::new(ValueBuilder::new(element, capacity)),
                offsets: vec![0],
                nulls: Vec::with_capacity(capacity),
                data_type: data_type.clone(),
            },
            DataType::Map { key, value, .. } => ValueBuilder::Map {
                key: Box::new(ValueBuilder::new(key, capacity)),
                value: Box::new(ValueBuilder::new(value, capacity)),
                offsets: vec![0],
                nulls: Vec::with_capacity(capacity),
                data_type: data_type.clone(),
            },
            DataType::Struct(s) => ValueBuilder::Struct {
                fields: s.fields.iter().map(|f| ValueBuilder::new(&f.data_type, capacity)).collect(),
                nulls: Vec::with_capacity(capacity),
                schema: s.clone(),
            },
            DataType::Variant => ValueBuilder::Variant {
                value: BinaryBuilder::new(),
                metadata: BinaryBuilder::new(),
                nulls: Vec::with_capacity(capacity),
            },
        }
    }

    pub fn append_null(&mut self) {
        match self {
            ValueBuilder::Null(n) => *n += 1,
            ValueBuilder::Boolean(b) => b.append_null(),
            ValueBuilder::Byte(b) => b.append_null(),
            ValueBuilder::Short(b) => b.append_null(),
            ValueBuilder::Integer(b) => b.append_null(),
            ValueBuilder::Long(b) => b.append_null(),
            ValueBuilder::Float(b) => b.append_null(),
            ValueBuilder::Double(b) => b.append_null(),
            ValueBuilder::Decimal(b, ..) => b.append_null(),
            ValueBuilder::String(b) => b.append_null(),
            ValueBuilder::Binary(b) => b.append_null(),
            ValueBuilder::Date(b) => b.append_null(),
            ValueBuilder::Timestamp(b) | ValueBuilder::TimestampNtz(b) => b.append_null(),
            ValueBuilder::Time(b) => b.append_null(),
            ValueBuilder::YearMonth(b) => b.append_null(),
            ValueBuilder::DayTime(b) => b.append_null(),
            ValueBuilder::Calendar(b) => b.append_null(),
            ValueBuilder::List { offsets, nulls, .. } | ValueBuilder::Map { offsets, nulls, .. } => {
                offsets.push(offsets.last().copied().unwrap_or(0));
                nulls.push(false);
            }
            ValueBuilder::Struct { fields, nulls, .. } => {
                fields.iter_mut().for_each(ValueBuilder::append_null);
                nulls.push(false);
            }
            ValueBuilder::Variant { value, metadata, nulls } => {
                value.append_null();
                metadata.append_null();
                nulls.push(false);
            }
        }
    }

    /// Appends a value of the builder's type; integers and floats of other widths are taken when they fit.
    pub fn append(&mut self, v: &Value) -> Result<()> {
        let wrong = || Err(SparkError::internal(format!("value {v:?} does not have the column's type")));
        match (&mut *self, v) {
            (_, Value::Null) => self.append_null(),
            (ValueBuilder::Boolean(b), Value::Boolean(x)) => b.append_value(*x),
            (ValueBuilder::Byte(b), Value::Byte(x)) => b.append_value(*x),
            (ValueBuilder::Short(b), Value::Short(x)) => b.append_value(*x),
            (ValueBuilder::Integer(b), Value::Integer(x)) => b.append_value(*x),
            (ValueBuilder::Long(b), Value::Long(x)) => b.append_value(*x),
            (ValueBuilder::Float(b), Value::Float(x)) => b.append_value(*x),
            (ValueBuilder::Float(b), Value::Double(x)) => b.append_value(*x as f32),
            (ValueBuilder::Double(b), Value::Double(x)) => b.append_value(*x),
            (ValueBuilder::Double(b), Value::Float(x)) => b.append_value(f64::from(*x)),
            (ValueBuilder::Decimal(b, p, s), Value::Decimal(x, _, scale)) => {
                match super::text::rescale(*x, *scale, *s) {
                    Some(x) if super::text::digits(x) <= u32::from(*p) => b.append_value(x),
                    _ => return wrong(),
                }
            }
            (ValueBuilder::String(b), Value::String(x)) => b.append_value(x),
            (ValueBuilder::Binary(b), Value::Binary(x)) => b.append_value(x),
            (ValueBuilder::Date(b), Value::Date(x)) => b.append_value(*x),
            (ValueBuilder::Timestamp(b), Value::Timestamp(x)) => b.append_value(*x),
            (ValueBuilder::TimestampNtz(b), Value::TimestampNtz(x)) => b.append_value(*x),
            (ValueBuilder::Time(b), Value::Time(x)) => b.append_value(*x),
            (ValueBuilder::YearMonth(b), Value::YearMonthInterval(x)) => b.append_value(*x),
            (ValueBuilder::DayTime(b), Value::DayTimeInterval(x)) => b.append_value(*x),
            (ValueBuilder::Calendar(b), Value::CalendarInterval { months, days, micros }) => {
                b.append_value(at::IntervalMonthDayNano::new(*months, *days, micros.wrapping_mul(1000)));
            }
            (ValueBuilder::List { element, offsets, nulls, .. }, Value::Array(items)) => {
                for item in items.iter() {
                    element.append(item)?;
                }
                offsets.push(offsets.last().copied().unwrap_or(0) + items.len() as i32);
                nulls.push(true);
            }
            (ValueBuilder::Map { key, value, offsets, nulls, .. }, Value::Map(items)) => {
                for (k, v) in items.iter() {
                    key.append(k)?;
                    value.append(v)?;
                }
                offsets.push(offsets.last().copied().unwrap_or(0) + items.len() as i32);
                nulls.push(true);
            }
            (ValueBuilder::Struct { fields, nulls, .. }, Value::Struct(items)) => {
                if items.len() != fields.len() {
                    return wrong();
                }
                for (b, item) in fields.iter_mut().zip(items.iter()) {
                    b.append(item)?;
                }
                nulls.push(true);
            }
            (ValueBuilder::Variant { value, metadata, nulls }, Value::Variant { value: v, metadata: m }) => {
                value.append_value(v);
                metadata.append_value(m);
                nulls.push(true);
            }
            (b, v) => {
                // Narrow integers stand for wide ones (literals of the front ends).
                match (b, v.as_i64()) {
                    (ValueBuilder::Long(b), Some(n)) => b.append_value(n),
                    (ValueBuilder::Integer(b), Some(n)) => match i32::try_from(n) {
                        Ok(n) => b.append_value(n),
                        Err(_) => return wrong(),
                    },
                    (ValueBuilder::Short(b), Some(n)) => match i16::try_from(n) {
                        Ok(n) => b.append_value(n),
                        Err(_) => return wrong(),
                    },
                    (ValueBuilder::Byte(b), Some(n)) => match i8::try_from(n) {
                        Ok(n) => b.append_value(n),
                        Err(_) => return wrong(),
                    },
                    (ValueBuilder::Double(b), Some(n)) => b.append_value(n as f64),
                    (ValueBuilder::Float(b), Some(n)) => b.append_value(n as f32),
                    _ => return wrong(),
                }
            }
        }
        Ok(())
    }

    pub fn finish(&mut self) -> Result<ArrayRef> {
        fn bitmap(nulls: &mut Vec<bool>) -> Option<NullBuffer> {
            let nulls = std::mem::take(nulls);
            if nulls.iter().all(|v| *v) { None } else { Some(NullBuffer::from(nulls)) }
        }
        Ok(match self {
            ValueBuilder::Null(n) => Arc::new(NullArray::new(std::mem::take(n))),
            ValueBuilder::Boolean(b) => Arc::new(b.finish()),
            ValueBuilder::Byte(b) => Arc::new(b.finish()),
            ValueBuilder::Short(b) => Arc::new(b.finish()),
            ValueBuilder::Integer(b) => Arc::new(b.finish()),
            ValueBuilder::Long(b) => Arc::new(b.finish()),
            ValueBuilder::Float(b) => Arc::new(b.finish()),
            ValueBuilder::Double(b) => Arc::new(b.finish()),
            ValueBuilder::Decimal(b, p, s) => Arc::new(b.finish().with_precision_and_scale(*p, *s)?),
            ValueBuilder::String(b) => Arc::new(b.finish()),
            ValueBuilder::Binary(b) => Arc::new(b.finish()),
            ValueBuilder::Date(b) => Arc::new(b.finish()),
            ValueBuilder::Timestamp(b) => Arc::new(b.finish().with_timezone("UTC")),
            ValueBuilder::TimestampNtz(b) => Arc::new(b.finish()),
            ValueBuilder::Time(b) => Arc::new(b.finish()),
            ValueBuilder::YearMonth(b) => Arc::new(b.finish()),
            ValueBuilder::DayTime(b) => Arc::new(b.finish()),
            ValueBuilder::Calendar(b) => Arc::new(b.finish()),
            ValueBuilder::List { element, offsets, nulls, data_type } => {
                let ArrowType::List(field) = data_type.to_arrow() else {
                    return Err(SparkError::internal("list type"));
                };
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(ListArray::try_new(field, offsets, element.finish()?, bitmap(nulls))?)
            }
            ValueBuilder::Map { key, value, offsets, nulls, data_type } => {
                let ArrowType::Map(field, sorted) = data_type.to_arrow() else {
                    return Err(SparkError::internal("map type"));
                };
                let ArrowType::Struct(fields) = field.data_type() else {
                    return Err(SparkError::internal("map entries type"));
                };
                let entries = StructArray::try_new(fields.clone(), vec![key.finish()?, value.finish()?], None)?;
                let offsets = OffsetBuffer::new(std::mem::replace(offsets, vec![0]).into());
                Arc::new(MapArray::try_new(field, offsets, entries, bitmap(nulls), sorted)?)
            }
            ValueBuilder::Struct { fields, nulls, schema } => {
                let len = nulls.len();
                let columns = fields.iter_mut().map(ValueBuilder::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(schema.to_arrow_fields(), columns, bitmap(nulls), len)?)
            }
            ValueBuilder::Variant { value, metadata, nulls } => {
                let ArrowType::Struct(fields) = DataType::Variant.to_arrow() else {
                    return Err(SparkError::internal("variant type"));
                };
                let columns: Vec<ArrayRef> = vec![Arc::new(value.finish()), Arc::new(metadata.finish())];
                Arc::new(StructArray::try_new(fields, columns, bitmap(nulls))?)
            }
        })
    }
}

/// An array of the type's Arrow form.
pub fn array_from_values(data_type: &DataType, values: &[Value]) -> Result<ArrayRef> {
    let mut builder = ValueBuilder::new(data_type, values.len());
    for v in values {
        builder.append(v)?;
    }
    builder.finish()
}

/// `rows` times the same value.
pub fn repeat_value(data_type: &DataType, value: &Value, rows: usize) -> Result<ArrayRef> {
    match (data_type, value) {
        (_, Value::Null) => Ok(arrow::array::new_null_array(&data_type.to_arrow(), rows)),
        (DataType::String, Value::String(s)) => {
            Ok(Arc::new(arrow::array::StringArray::from_iter_values(std::iter::repeat_n(&**s, rows))))
        }
        _ if rows == 1 => array_from_values(data_type, std::slice::from_ref(value)),
        _ => {
            let one = array_from_values(data_type, std::slice::from_ref(value))?;
            let indexes = arrow::array::UInt32Array::from(vec![0u32; rows]);
            Ok(arrow::compute::take(&one, &indexes, None)?)
        }
    }
}

/// One cell. `data_type` tells apart what Arrow does not (TIMESTAMP and its kin are told by the array itself).
pub fn value_at(array: &dyn Array, row: usize, data_type: &DataType) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    macro_rules! primitive {
        ($t:ty, $v:expr) => {
            array.as_primitive_opt::<$t>().map_or(Value::Null, |a| $v(a.value(row)))
        };
    }
    match data_type {
        DataType::Null => Value::Null,
        DataType::Boolean => array.as_boolean_opt().map_or(Value::Null, |a| Value::Boolean(a.value(row))),
        DataType::Byte => primitive!(at::Int8Type, Value::Byte),
        DataType::Short => primitive!(at::Int16Type, Value::Short),
        DataType::Integer => primitive!(at::Int32Type, Value::Integer),
        DataType::Long => primitive!(at::Int64Type, Value::Long),
        DataType::Float => primitive!(at::Float32Type, Value::Float),
        DataType::Double => primitive!(at::Float64Type, Value::Double),
        DataType::Decimal { precision, scale } => {
            primitive!(at::Decimal128Type, |x| Value::Decimal(x, *precision, *scale))
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            array.as_string_opt::<i32>().map_or(Value::Null, |a| Value::String(a.value(row).into()))
        }
        DataType::Binary => array.as_binary_opt::<i32>().map_or(Value::Null, |a| Value::Binary(a.value(row).into())),
        DataType::Date => primitive!(at::Date32Type, Value::Date),
        DataType::Timestamp => primitive!(at::TimestampMicrosecondType, Value::Timestamp),
        DataType::TimestampNtz => primitive!(at::TimestampMicrosecondType, Value::TimestampNtz),
        DataType::Time(_) => primitive!(at::Time64NanosecondType, Value::Time),
        DataType::YearMonthInterval { .. } => primitive!(at::IntervalYearMonthType, Value::YearMonthInterval),
        DataType::DayTimeInterval { .. } => primitive!(at::DurationMicrosecondType, Value::DayTimeInterval),
        DataType::CalendarInterval => {
            primitive!(at::IntervalMonthDayNanoType, |i: at::IntervalMonthDayNano| Value::CalendarInterval {
                months: i.months,
                days: i.days,
                micros: i.nanoseconds / 1000,
            })
        }
        DataType::Array { element, .. } => array.as_list_opt::<i32>().map_or(Value::Null, |a| {
            let (start, end) = (a.value_offsets()[row] as usize, a.value_offsets()[row + 1] as usize);
            Value::Array((start..end).map(|i| value_at(a.values(), i, element)).collect())
        }),
        DataType::Map { key, value, .. } => array.as_map_opt().map_or(Value::Null, |a| {
            let (start, end) = (a.value_offsets()[row] as usize, a.value_offsets()[row + 1] as usize);
            Value::Map((start..end).map(|i| (value_at(a.keys(), i, key), value_at(a.values(), i, value))).collect())
        }),
        DataType::Struct(s) => array.as_struct_opt().map_or(Value::Null, |a| {
            Value::Struct(s.fields.iter().zip(a.columns()).map(|(f, c)| value_at(c, row, &f.data_type)).collect())
        }),
        DataType::Variant => array.as_struct_opt().map_or(Value::Null, |a| {
            match (a.column(0).as_binary_opt::<i32>(), a.column(1).as_binary_opt::<i32>()) {
                (Some(v), Some(m)) => Value::Variant { value: v.value(row).into(), metadata: m.value(row).into() },
                _ => Value::Null,
            }
        }),
    }
}

/// Literal.default: zero, empty, epoch.
pub fn default_value(data_type: &DataType) -> Value {
    match data_type {
        DataType::Null | DataType::Variant => Value::Null,
        DataType::Boolean => Value::Boolean(false),
        DataType::Byte => Value::Byte(0),
        DataType::Short => Value::Short(0),
        DataType::Integer => Value::Integer(0),
        DataType::Long => Value::Long(0),
        DataType::Float => Value::Float(0.0),
        DataType::Double => Value::Double(0.0),
        DataType::Decimal { precision, scale } => Value::Decimal(0, *precision, *scale),
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => Value::from(""),
        DataType::Binary => Value::binary(Vec::new()),
        DataType::Date => Value::Date(0),
        DataType::Timestamp => Value::Timestamp(0),
        DataType::TimestampNtz => Value::TimestampNtz(0),
        DataType::Time(_) => Value::Time(0),
        DataType::YearMonthInterval { .. } => Value::YearMonthInterval(0),
        DataType::DayTimeInterval { .. } => Value::DayTimeInterval(0),
        DataType::CalendarInterval => Value::CalendarInterval { months: 0, days: 0, micros: 0 },
        DataType::Array { .. } => Value::array(Vec::new()),
        DataType::Map { .. } => Value::map(Vec::new()),
        DataType::Struct(s) => Value::structure(s.fields.iter().map(|f| default_value(&f.data_type)).collect()),
    }
}
