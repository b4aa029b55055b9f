//! Numbers, intervals, dates and moments of any width as i128: unscaled, months, µs, days; and columns made of such.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Decimal128Array, DurationMicrosecondArray, Int8Array, Int16Array,
    Int32Array, Int64Array, IntervalYearMonthArray, Time64NanosecondArray, TimestampMicrosecondArray,
};
use arrow::datatypes as at;

use crate::error::{Result, SparkError};
use crate::types::DataType;
use crate::value::text::decimal_to_f64;

/// The values of a column.
pub(in crate::functions) enum Numbers<'a> {
    Byte(&'a [i8]),
    Short(&'a [i16]),
    Int(&'a [i32]),
    Long(&'a [i64]),
    Wide(&'a [i128]),
}

impl<'a> Numbers<'a> {
    pub(in crate::functions) fn of(array: &'a ArrayRef) -> Result<Numbers<'a>> {
        use at::DataType as A;
        let found = match array.data_type() {
            A::Int8 => array.as_primitive_opt::<at::Int8Type>().map(|a| Numbers::Byte(a.values())),
            A::Int16 => array.as_primitive_opt::<at::Int16Type>().map(|a| Numbers::Short(a.values())),
            A::Int32 => array.as_primitive_opt::<at::Int32Type>().map(|a| Numbers::Int(a.values())),
            A::Date32 => array.as_primitive_opt::<at::Date32Type>().map(|a| Numbers::Int(a.values())),
            A::Interval(_) => array.as_primitive_opt::<at::IntervalYearMonthType>().map(|a| Numbers::Int(a.values())),
            A::Int64 => array.as_primitive_opt::<at::Int64Type>().map(|a| Numbers::Long(a.values())),
            A::Timestamp(..) => {
                array.as_primitive_opt::<at::TimestampMicrosecondType>().map(|a| Numbers::Long(a.values()))
            }
            A::Time64(_) => array.as_primitive_opt::<at::Time64NanosecondType>().map(|a| Numbers::Long(a.values())),
            A::Duration(_) => {
                array.as_primitive_opt::<at::DurationMicrosecondType>().map(|a| Numbers::Long(a.values()))
            }
            A::Decimal128(..) => array.as_primitive_opt::<at::Decimal128Type>().map(|a| Numbers::Wide(a.values())),
            _ => None,
        };
        found.ok_or_else(|| SparkError::internal(format!("no whole numbers: {}", array.data_type())))
    }

    pub(in crate::functions) fn value(&self, row: usize) -> i128 {
        match self {
            Numbers::Byte(a) => a[row].into(),
            Numbers::Short(a) => a[row].into(),
            Numbers::Int(a) => a[row].into(),
            Numbers::Long(a) => a[row].into(),
            Numbers::Wide(a) => a[row],
        }
    }
}

/// The values of a column as doubles; whatever stands where one is null.
pub(in crate::functions) fn as_doubles(array: &ArrayRef, t: &DataType) -> Result<Vec<f64>> {
    if let Some(a) = array.as_primitive_opt::<at::Float64Type>() {
        return Ok(a.values().to_vec());
    }
    if let Some(a) = array.as_primitive_opt::<at::Float32Type>() {
        return Ok(a.values().iter().map(|x| f64::from(*x)).collect());
    }
    if *array.data_type() == at::DataType::Null {
        return Ok(vec![f64::NAN; array.len()]);
    }
    let numbers = Numbers::of(array)?;
    let double = |n: i128| match t {
        DataType::Decimal { scale, .. } => decimal_to_f64(n, *scale),
        _ => n as i64 as f64,
    };
    Ok((0..array.len()).map(|row| double(numbers.value(row))).collect())
}

/// A column of a type that [`Numbers`] reads; numbers that it does not hold are null.
pub(in crate::functions) fn from_numbers(
    t: &DataType,
    numbers: &mut dyn Iterator<Item = Option<i128>>,
) -> Result<ArrayRef> {
    fn narrow<T: TryFrom<i128>>(n: Option<i128>) -> Option<T> {
        n.and_then(|n| T::try_from(n).ok())
    }
    Ok(match t {
        DataType::Byte => Arc::new(Int8Array::from_iter(numbers.map(narrow::<i8>))),
        DataType::Short => Arc::new(Int16Array::from_iter(numbers.map(narrow::<i16>))),
        DataType::Integer => Arc::new(Int32Array::from_iter(numbers.map(narrow::<i32>))),
        DataType::Date => Arc::new(Date32Array::from_iter(numbers.map(narrow::<i32>))),
        DataType::YearMonthInterval { .. } => Arc::new(IntervalYearMonthArray::from_iter(numbers.map(narrow::<i32>))),
        DataType::Long => Arc::new(Int64Array::from_iter(numbers.map(narrow::<i64>))),
        DataType::Time(_) => Arc::new(Time64NanosecondArray::from_iter(numbers.map(narrow::<i64>))),
        DataType::DayTimeInterval { .. } => Arc::new(DurationMicrosecondArray::from_iter(numbers.map(narrow::<i64>))),
        DataType::TimestampNtz => Arc::new(TimestampMicrosecondArray::from_iter(numbers.map(narrow::<i64>))),
        DataType::Timestamp => {
            Arc::new(TimestampMicrosecondArray::from_iter(numbers.map(narrow::<i64>)).with_timezone("UTC"))
        }
        DataType::Decimal { precision, scale } => {
            let fits = |n: &i128| crate::value::text::digits(*n) <= u32::from(*precision);
            let made = Decimal128Array::from_iter(numbers.map(|n| n.filter(fits)));
            Arc::new(made.with_precision_and_scale(*precision, *scale)?)
        }
        other => return Err(SparkError::internal(format!("no column of {other:?} from numbers"))),
    })
}
