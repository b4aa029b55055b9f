//! Kernels as typed loops over columns: a function says what it does with the plain values of a row, and the loops here
//! read them from Arrow arrays and build the result. One loop stands for each combination of types, not for each function.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, BinaryBuilder, BooleanArray, BooleanBuilder,
    Float32Array, Float64Array, Float64Builder, Int64Array, Int64Builder, ListBuilder, PrimitiveArray,
    PrimitiveBuilder, StringArray, StringBuilder,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes as at;

use super::datetime::zone::Zone;
use super::row::call;
use super::{EvalContext, Kernel, NullOrder, Operand};
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::types::DataType;

/// A function over whole columns.
pub type ColumnEval = fn(&Columns<'_>) -> Result<ArrayRef>;

/// What a function over columns works on.
pub struct Columns<'a> {
    pub args: &'a [Operand],
    /// Types of the arguments.
    pub types: &'a [DataType],
    pub result: &'a DataType,
    pub rows: usize,
    /// ANSI mode as it was when the query was analysed.
    pub ansi: bool,
    pub ctx: &'a EvalContext<'a>,
}

impl<'a> Columns<'a> {
    pub fn zone(&self) -> &Zone {
        self.ctx.conf.time_zone()
    }

    pub fn conf(&self) -> &SqlConf {
        self.ctx.conf
    }

    /// Argument `i`, read as `A`.
    pub fn open<A: Read>(&self, i: usize) -> Result<Opened<'a, A>> {
        let operand = self.args.get(i).ok_or_else(|| SparkError::internal("a kernel lacks an argument"))?;
        Opened::new(operand.array(), operand.is_scalar())
    }

    /// Argument `i` as it is.
    pub fn same(&self, i: usize) -> Result<ArrayRef> {
        let operand = self.args.get(i).ok_or_else(|| SparkError::internal("a kernel lacks an argument"))?;
        operand.to_array(self.rows)
    }

    /// [`plain`] over argument 0.
    pub fn plain(&self, f: &dyn Fn(i64) -> i64) -> Result<ArrayRef> {
        plain(&self.same(0)?, self.result, f)
    }

    /// The constant in argument `i` when it is one and not null.
    pub fn constant<A: Read>(&self, i: usize) -> Option<A::Item<'a>> {
        match self.args.get(i)? {
            Operand::Scalar(array) => A::get(A::open(array)?, 0),
            Operand::Column(_) => None,
        }
    }
}

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

/// A column, or one value for all rows, that is read as `A`.
pub struct Opened<'a, A: Read> {
    /// None: a column of nulls.
    column: Option<A::Column<'a>>,
    scalar: bool,
}

impl<'a, A: Read> Opened<'a, A> {
    pub fn new(array: &'a dyn Array, scalar: bool) -> Result<Self> {
        let column = A::open(array);
        if column.is_none() && *array.data_type() != at::DataType::Null {
            return Err(SparkError::internal(format!("a kernel does not read {}", array.data_type())));
        }
        Ok(Self { column, scalar })
    }

    /// None: the row is null.
    pub fn get(&self, row: usize) -> Option<A::Item<'a>> {
        match self.column {
            Some(column) => A::get(column, if self.scalar { 0 } else { row }),
            None => A::null(),
        }
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
fn narrowed(longs: Int64Array, result: &DataType) -> ArrayRef {
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

/// What a function makes of a row.
pub type Output<'a, R> = Result<Option<<R as Write>::Item<'a>>>;

/// `f` of each value of a column; of what is stored as whole numbers, where `f` never fails: over the numbers as they lie, also
/// those below nulls.
pub fn plain(array: &dyn Array, result: &DataType, f: &dyn Fn(i64) -> i64) -> Result<ArrayRef> {
    let longs = longs(array)?;
    Ok(narrowed(longs.unary(f), result))
}

/// The same over arguments 0 and 1.
pub fn plain_two(c: &Columns<'_>, f: &dyn Fn(i64, i64) -> i64) -> Result<ArrayRef> {
    let [a, b] = c.args else { return Err(SparkError::internal("a kernel of two arguments")) };
    let (x, y) = (longs(a.array())?, longs(b.array())?);
    let made: Int64Array = match (a.is_scalar(), b.is_scalar()) {
        (false, true) if y.is_valid(0) => x.unary(|x| f(x, y.value(0))),
        (true, false) if x.is_valid(0) => y.unary(|y| f(x.value(0), y)),
        (false, false) | (true, true) if x.len() == c.rows => arrow::compute::binary(&x, &y, f)?,
        _ => return two::<Whole, Whole, Whole>(c, &|x, y| Ok(Some(f(x, y)))),
    };
    Ok(narrowed(made, c.result))
}

/// Whole numbers of any width as longs.
fn longs(array: &dyn Array) -> Result<Int64Array> {
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

/// `f` of argument 0 of each row.
pub fn one<'a, A: Read, R: Write>(c: &Columns<'a>, f: &dyn Fn(A::Item<'a>) -> Output<'a, R>) -> Result<ArrayRef> {
    let a = c.open::<A>(0)?;
    each::<R>(c, &|row| match a.get(row) {
        Some(a) => f(a),
        None => Ok(None),
    })
}

/// `f` of arguments 0 and 1 of each row.
pub fn two<'a, A: Read, B: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>, B::Item<'a>) -> Output<'a, R>,
) -> Result<ArrayRef> {
    let (a, b) = (c.open::<A>(0)?, c.open::<B>(1)?);
    each::<R>(c, &|row| match (a.get(row), b.get(row)) {
        (Some(a), Some(b)) => f(a, b),
        _ => Ok(None),
    })
}

/// `f` of the first three arguments of each row.
pub fn three<'a, A: Read, B: Read, C: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>, B::Item<'a>, C::Item<'a>) -> Output<'a, R>,
) -> Result<ArrayRef> {
    let (a, b, d) = (c.open::<A>(0)?, c.open::<B>(1)?, c.open::<C>(2)?);
    each::<R>(c, &|row| match (a.get(row), b.get(row), d.get(row)) {
        (Some(a), Some(b), Some(d)) => f(a, b, d),
        _ => Ok(None),
    })
}

/// `f` of the first four arguments of each row.
#[expect(clippy::type_complexity, reason = "a type each argument")]
pub fn four<'a, A: Read, B: Read, C: Read, D: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>, B::Item<'a>, C::Item<'a>, D::Item<'a>) -> Output<'a, R>,
) -> Result<ArrayRef> {
    let (a, b, d, e) = (c.open::<A>(0)?, c.open::<B>(1)?, c.open::<C>(2)?, c.open::<D>(3)?);
    each::<R>(c, &|row| match (a.get(row), b.get(row), d.get(row), e.get(row)) {
        (Some(a), Some(b), Some(d), Some(e)) => f(a, b, d, e),
        _ => Ok(None),
    })
}

/// `f` of all arguments of each row, which are of one type.
pub fn all<'a, A: Read, R: Write>(c: &Columns<'a>, f: &dyn Fn(&[A::Item<'a>]) -> Output<'a, R>) -> Result<ArrayRef> {
    let columns = (0..c.args.len()).map(|i| c.open::<A>(i)).collect::<Result<Vec<_>>>()?;
    each::<R>(c, &|row| match columns.iter().map(|a| a.get(row)).collect::<Option<Vec<_>>>() {
        Some(values) => f(&values),
        None => Ok(None),
    })
}

/// A result of its row's number alone.
pub fn each<'a, R: Write>(c: &Columns<'_>, f: &dyn Fn(usize) -> Output<'a, R>) -> Result<ArrayRef> {
    fill::<R>(c.result, c.rows, f)
}

/// The same without a call.
pub fn fill<'a, R: Write>(result: &DataType, rows: usize, f: &dyn Fn(usize) -> Output<'a, R>) -> Result<ArrayRef> {
    let mut out = R::builder(result, rows);
    for row in 0..rows {
        R::push(&mut out, f(row)?);
    }
    Ok(R::finish(out))
}

/// `f` of each value of a column.
pub fn map<'a, A: Read, R: Write>(
    array: &'a dyn Array,
    result: &DataType,
    f: &dyn Fn(A::Item<'a>) -> Output<'a, R>,
) -> Result<ArrayRef> {
    let a = Opened::<A>::new(array, false)?;
    fill::<R>(result, array.len(), &|row| match a.get(row) {
        Some(a) => f(a),
        None => Ok(None),
    })
}

/// Texts that `f` writes; a row is null where it says false.
pub fn written(rows: usize, f: &dyn Fn(usize, &mut String) -> Result<bool>) -> Result<ArrayRef> {
    let mut out = StringBuilder::with_capacity(rows, rows * 16);
    let mut text = String::new();
    for row in 0..rows {
        text.clear();
        if f(row, &mut text)? {
            out.append_value(&text);
        } else {
            out.append_null();
        }
    }
    Ok(Arc::new(out.finish()))
}

/// Something costly made from a text (a compiled pattern), kept while a batch is evaluated.
pub struct Memo<T> {
    known: RefCell<HashMap<Rc<str>, Rc<T>>>,
    last: RefCell<Option<(Rc<str>, Rc<T>)>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { known: RefCell::default(), last: RefCell::new(None) }
    }
}

impl<T> Memo<T> {
    pub fn get(&self, key: &str, make: impl FnOnce(&str) -> Result<T>) -> Result<Rc<T>> {
        if let Some((last, made)) = &*self.last.borrow()
            && **last == *key
        {
            return Ok(made.clone());
        }
        let known = self.known.borrow().get_key_value(key).map(|(key, made)| (key.clone(), made.clone()));
        let (key, made) = match known {
            Some(known) => known,
            None => {
                let (key, made) = (Rc::<str>::from(key), Rc::new(make(key)?));
                self.known.borrow_mut().insert(key.clone(), made.clone());
                (key, made)
            }
        };
        *self.last.borrow_mut() = Some((key, made.clone()));
        Ok(made)
    }
}

/// A function over columns as a call's kernel.
#[derive(Clone)]
pub struct ColumnKernel {
    pub types: Vec<DataType>,
    pub result: DataType,
    /// Any null argument gives null (NullIntolerant); a null constant without a call.
    pub strict: bool,
    pub ansi: bool,
    pub eval: ColumnEval,
}

impl std::fmt::Debug for ColumnKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ColumnKernel").field("result", &self.result).finish_non_exhaustive()
    }
}

impl Kernel for ColumnKernel {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn nulls(&self) -> NullOrder {
        if self.strict { NullOrder::Forward } else { NullOrder::Seen }
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let absent =
            |a: &Operand| *a.array().data_type() == at::DataType::Null || a.is_scalar() && a.array().is_null(0);
        if self.strict && args.iter().any(absent) {
            return Ok(arrow::array::new_null_array(&self.result.to_arrow(), rows));
        }
        (self.eval)(&Columns { args, types: &self.types, result: &self.result, rows, ansi: self.ansi, ctx })
    }
}

/// A call of a function over columns.
pub fn column_call(
    name: &str,
    args: Vec<Expr>,
    data_type: DataType,
    nullable: bool,
    strict: bool,
    ansi: bool,
    eval: ColumnEval,
) -> Expr {
    let types = args.iter().map(Expr::data_type).collect();
    let kernel = ColumnKernel { types, result: data_type.clone(), strict, ansi, eval };
    call(name, args, data_type, nullable, kernel)
}
