//! How columns are read value by value, and how they are built.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, BinaryBuilder, BooleanArray, BooleanBuilder,
    Float32Array, Float64Array, Float64Builder, Int64Array, Int64Builder, ListBuilder, PrimitiveArray,
    PrimitiveBuilder, StringArray, StringBuilder,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes as at;

use crate::error::{Result, SparkError};
use crate::types::DataType;

/// How the values of a column are read. `Maybe<A>` hands nulls to the function; with the others a null makes the row null.
pub trait Read: 'static {
    type Column<'a>: Copy;
    type Item<'a>;

    /// None: the array is of another type.
    fn open(array: &dyn Array) -> Option<Self::Column<'_>>;

    /// None: the row is null without a call of the function.
    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>>;

    /// A row of a column of nulls.
    fn null<'a>() -> Option<Self::Item<'a>> {
        None
    }
}

pub type Byte = at::Int8Type;
pub type Short = at::Int16Type;
pub type Int = at::Int32Type;
pub type Long = at::Int64Type;
pub type Float = at::Float32Type;
pub type Double = at::Float64Type;
/// Unscaled.
pub type Decimal = at::Decimal128Type;
/// Days since the epoch.
pub type Day = at::Date32Type;
/// µs since the epoch; of both timestamp types.
pub type Moment = at::TimestampMicrosecondType;
/// ns of the day.
pub type Clock = at::Time64NanosecondType;
/// Months.
pub type YearMonth = at::IntervalYearMonthType;
/// µs.
pub type DayTime = at::DurationMicrosecondType;

impl<T: ArrowPrimitiveType> Read for T {
    type Column<'a> = &'a PrimitiveArray<T>;
    type Item<'a> = T::Native;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        array.as_primitive_opt()
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        column.is_valid(row).then(|| column.value(row))
    }
}

pub struct Bool;

impl Read for Bool {
    type Column<'a> = &'a BooleanArray;
    type Item<'a> = bool;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        array.as_boolean_opt()
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        column.is_valid(row).then(|| column.value(row))
    }
}

pub struct Text;

impl Read for Text {
    type Column<'a> = &'a StringArray;
    type Item<'a> = &'a str;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        array.as_string_opt()
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        column.is_valid(row).then(|| column.value(row))
    }
}

/// Bytes of a binary column or of a text's UTF-8.
pub struct Bytes;

#[derive(Clone, Copy)]
pub enum BytesColumn<'a> {
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
}

impl Read for Bytes {
    type Column<'a> = BytesColumn<'a>;
    type Item<'a> = &'a [u8];

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        let texts = array.as_string_opt().map(BytesColumn::Text);
        texts.or_else(|| array.as_binary_opt().map(BytesColumn::Binary))
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        match column {
            BytesColumn::Text(a) => a.is_valid(row).then(|| a.value(row).as_bytes()),
            BytesColumn::Binary(a) => a.is_valid(row).then(|| a.value(row)),
        }
    }
}

/// Whatever is stored as whole numbers of at most 64 bits: integers, days, moments, clocks, months, truth values (0 and 1).
pub struct Whole;

#[derive(Clone, Copy)]
pub struct WholeColumn<'a> {
    numbers: Numbers<'a>,
    nulls: Option<&'a NullBuffer>,
}

#[derive(Clone, Copy)]
enum Numbers<'a> {
    Bits(&'a BooleanBuffer),
    Bytes(&'a [i8]),
    Shorts(&'a [i16]),
    Ints(&'a [i32]),
    Longs(&'a [i64]),
}

impl Read for Whole {
    type Column<'a> = WholeColumn<'a>;
    type Item<'a> = i64;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
            array.as_primitive_opt::<T>().map(|a| &**a.values())
        }
        let numbers = match array.data_type() {
            at::DataType::Boolean => Numbers::Bits(array.as_boolean_opt()?.values()),
            at::DataType::Int8 => Numbers::Bytes(values::<Byte>(array)?),
            at::DataType::Int16 => Numbers::Shorts(values::<Short>(array)?),
            at::DataType::Int32 => Numbers::Ints(values::<Int>(array)?),
            at::DataType::Int64 => Numbers::Longs(values::<Long>(array)?),
            at::DataType::Date32 => Numbers::Ints(values::<Day>(array)?),
            at::DataType::Timestamp(..) => Numbers::Longs(values::<Moment>(array)?),
            at::DataType::Time64(_) => Numbers::Longs(values::<Clock>(array)?),
            at::DataType::Duration(_) => Numbers::Longs(values::<DayTime>(array)?),
            _ => Numbers::Ints(values::<YearMonth>(array)?),
        };
        Some(WholeColumn { numbers, nulls: array.nulls() })
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        if column.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        Some(match column.numbers {
            Numbers::Bits(a) => a.value(row).into(),
            Numbers::Bytes(a) => a[row].into(),
            Numbers::Shorts(a) => a[row].into(),
            Numbers::Ints(a) => a[row].into(),
            Numbers::Longs(a) => a[row],
        })
    }
}

/// Either floating type, widened.
pub struct Real;

#[derive(Clone, Copy)]
pub enum RealColumn<'a> {
    Float(&'a Float32Array),
    Double(&'a Float64Array),
}

impl Read for Real {
    type Column<'a> = RealColumn<'a>;
    type Item<'a> = f64;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        let floats = array.as_primitive_opt().map(RealColumn::Float);
        floats.or_else(|| array.as_primitive_opt().map(RealColumn::Double))
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        match column {
            RealColumn::Float(a) => a.is_valid(row).then(|| a.value(row).into()),
            RealColumn::Double(a) => a.is_valid(row).then(|| a.value(row)),
        }
    }
}

/// A calendar interval: months, days, µs.
pub struct Calendar;

impl Read for Calendar {
    type Column<'a> = &'a PrimitiveArray<at::IntervalMonthDayNanoType>;
    type Item<'a> = (i32, i32, i64);

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        array.as_primitive_opt()
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        let interval = column.is_valid(row).then(|| column.value(row))?;
        Some((interval.months, interval.days, interval.nanoseconds / 1000))
    }
}

/// An argument whose nulls the function sees.
pub struct Maybe<A>(std::marker::PhantomData<A>);

impl<A: Read> Read for Maybe<A> {
    type Column<'a> = A::Column<'a>;
    type Item<'a> = Option<A::Item<'a>>;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        A::open(array)
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        Some(A::get(column, row))
    }

    fn null<'a>() -> Option<Self::Item<'a>> {
        Some(None)
    }
}

/// How a result column is built.
pub trait Write: 'static {
    type Item<'a>;
    type Builder;

    fn builder(result: &DataType, rows: usize) -> Self::Builder;
    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>);
    fn finish(builder: Self::Builder) -> ArrayRef;
}

impl<T: ArrowPrimitiveType> Write for T {
    type Item<'a> = T::Native;
    type Builder = PrimitiveBuilder<T>;

    fn builder(result: &DataType, rows: usize) -> Self::Builder {
        let builder = PrimitiveBuilder::with_capacity(rows);
        let stored = result.to_arrow();
        // A time zone or a decimal's precision and scale.
        if PrimitiveArray::<T>::is_compatible(&stored) { builder.with_data_type(stored) } else { builder }
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.append_option(value);
    }

    fn finish(mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Write for Bool {
    type Item<'a> = bool;
    type Builder = BooleanBuilder;

    fn builder(_: &DataType, rows: usize) -> Self::Builder {
        BooleanBuilder::with_capacity(rows)
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.append_option(value);
    }

    fn finish(mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Write for Text {
    type Item<'a> = Cow<'a, str>;
    type Builder = StringBuilder;

    fn builder(_: &DataType, rows: usize) -> Self::Builder {
        StringBuilder::with_capacity(rows, rows * 8)
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.append_option(value);
    }

    fn finish(mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Write for Calendar {
    type Item<'a> = (i32, i32, i64);
    type Builder = PrimitiveBuilder<at::IntervalMonthDayNanoType>;

    fn builder(_: &DataType, rows: usize) -> Self::Builder {
        PrimitiveBuilder::with_capacity(rows)
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.append_option(
            value.map(|(months, days, micros)| at::IntervalMonthDayNano::new(months, days, micros.wrapping_mul(1000))),
        );
    }

    fn finish(mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// Of the result type, whose width the numbers must have.
impl Write for Whole {
    type Item<'a> = i64;
    type Builder = (DataType, Int64Builder);

    fn builder(result: &DataType, rows: usize) -> Self::Builder {
        (result.clone(), Int64Builder::with_capacity(rows))
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.1.append_option(value);
    }

    fn finish((result, mut builder): Self::Builder) -> ArrayRef {
        narrowed(builder.finish(), &result)
    }
}

/// Longs as whatever type they stand for.
pub(super) fn narrowed(longs: Int64Array, result: &DataType) -> ArrayRef {
    match result {
        DataType::Boolean => {
            let bits = BooleanBuffer::collect_bool(longs.len(), |row| longs.value(row) != 0);
            Arc::new(BooleanArray::new(bits, longs.nulls().cloned()))
        }
        DataType::Byte => Arc::new(longs.unary::<_, Byte>(|n| n as i8)),
        DataType::Short => Arc::new(longs.unary::<_, Short>(|n| n as i16)),
        DataType::Integer => Arc::new(longs.unary::<_, Int>(|n| n as i32)),
        DataType::Date => Arc::new(longs.unary::<_, Day>(|n| n as i32)),
        DataType::YearMonthInterval { .. } => Arc::new(longs.unary::<_, YearMonth>(|n| n as i32)),
        DataType::Timestamp => Arc::new(longs.reinterpret_cast::<Moment>().with_timezone("UTC")),
        DataType::TimestampNtz => Arc::new(longs.reinterpret_cast::<Moment>()),
        DataType::Time(_) => Arc::new(longs.reinterpret_cast::<Clock>()),
        DataType::DayTimeInterval { .. } => Arc::new(longs.reinterpret_cast::<DayTime>()),
        _ => Arc::new(longs),
    }
}

/// A float or a double, as the result type says.
impl Write for Real {
    type Item<'a> = f64;
    type Builder = (bool, Float64Builder);

    fn builder(result: &DataType, rows: usize) -> Self::Builder {
        (*result == DataType::Float, Float64Builder::with_capacity(rows))
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        builder.1.append_option(value);
    }

    fn finish((float, mut builder): Self::Builder) -> ArrayRef {
        let doubles = builder.finish();
        if float { Arc::new(doubles.unary::<_, Float>(|x| x as f32)) } else { Arc::new(doubles) }
    }
}

/// A text or a binary column, as the function's result type says; a text's bytes are UTF-8 (others are replaced).
impl Write for Bytes {
    type Item<'a> = Cow<'a, [u8]>;
    type Builder = BytesBuilder;

    fn builder(result: &DataType, rows: usize) -> Self::Builder {
        if result.is_string() {
            BytesBuilder::Text(StringBuilder::with_capacity(rows, rows * 8))
        } else {
            BytesBuilder::Binary(BinaryBuilder::with_capacity(rows, rows * 8))
        }
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        match builder {
            BytesBuilder::Text(b) => b.append_option(value.as_deref().map(String::from_utf8_lossy)),
            BytesBuilder::Binary(b) => b.append_option(value),
        }
    }

    fn finish(builder: Self::Builder) -> ArrayRef {
        match builder {
            BytesBuilder::Text(mut b) => Arc::new(b.finish()),
            BytesBuilder::Binary(mut b) => Arc::new(b.finish()),
        }
    }
}

pub enum BytesBuilder {
    Text(StringBuilder),
    Binary(BinaryBuilder),
}

/// A list of texts.
pub struct Texts;

impl Write for Texts {
    type Item<'a> = Vec<&'a str>;
    type Builder = ListBuilder<StringBuilder>;

    fn builder(result: &DataType, rows: usize) -> Self::Builder {
        let builder = ListBuilder::with_capacity(StringBuilder::with_capacity(rows, rows * 8), rows);
        match result.to_arrow() {
            at::DataType::List(field) => builder.with_field(field),
            _ => builder,
        }
    }

    fn push(builder: &mut Self::Builder, value: Option<Self::Item<'_>>) {
        for text in value.iter().flatten() {
            builder.values().append_value(text);
        }
        builder.append(value.is_some());
    }

    fn finish(mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// Whole numbers of any width as longs.
pub(super) fn longs(array: &dyn Array) -> Result<Int64Array> {
    let Some(column) = Whole::open(array) else {
        return match array.data_type() {
            at::DataType::Null => Ok(Int64Array::new_null(array.len())),
            other => Err(SparkError::internal(format!("a kernel does not read {other}"))),
        };
    };
    let values: Vec<i64> = match column.numbers {
        Numbers::Bits(a) => a.iter().map(i64::from).collect(),
        Numbers::Bytes(a) => a.iter().map(|n| i64::from(*n)).collect(),
        Numbers::Shorts(a) => a.iter().map(|n| i64::from(*n)).collect(),
        Numbers::Ints(a) => a.iter().map(|n| i64::from(*n)).collect(),
        Numbers::Longs(a) => a.to_vec(),
    };
    Ok(Int64Array::new(values.into(), column.nulls.cloned()))
}
