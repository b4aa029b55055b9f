//! Kernels as typed loops over columns: a function says what it does with the plain values of a row, and the loops here
//! read them from Arrow arrays and build the result. One loop stands for each combination of types, not for each function.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, BinaryBuilder, BooleanArray, BooleanBuilder, Int8Array,
    Int16Array, Int32Array, Int64Array, PrimitiveArray, PrimitiveBuilder, StringArray, StringBuilder,
};
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
    fn open<A: Read>(&self, i: usize) -> Result<Opened<'a, A>> {
        let operand = self.args.get(i).ok_or_else(|| SparkError::internal("a kernel lacks an argument"))?;
        let array = operand.array();
        let column = A::open(array);
        if column.is_none() && *array.data_type() != at::DataType::Null {
            return Err(SparkError::internal(format!("a kernel does not read {}", array.data_type())));
        }
        Ok(Opened { column, scalar: operand.is_scalar() })
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

struct Opened<'a, A: Read> {
    /// None: a column of nulls.
    column: Option<A::Column<'a>>,
    scalar: bool,
}

impl<'a, A: Read> Opened<'a, A> {
    fn get(&self, row: usize) -> Option<A::Item<'a>> {
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
pub type Calendar = at::IntervalMonthDayNanoType;

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

/// Any of the four integral types, widened.
pub struct Whole;

#[derive(Clone, Copy)]
pub enum WholeColumn<'a> {
    Byte(&'a Int8Array),
    Short(&'a Int16Array),
    Int(&'a Int32Array),
    Long(&'a Int64Array),
}

impl Read for Whole {
    type Column<'a> = WholeColumn<'a>;
    type Item<'a> = i64;

    fn open(array: &dyn Array) -> Option<Self::Column<'_>> {
        Some(match array.data_type() {
            at::DataType::Int8 => WholeColumn::Byte(array.as_primitive_opt()?),
            at::DataType::Int16 => WholeColumn::Short(array.as_primitive_opt()?),
            at::DataType::Int32 => WholeColumn::Int(array.as_primitive_opt()?),
            _ => WholeColumn::Long(array.as_primitive_opt()?),
        })
    }

    fn get(column: Self::Column<'_>, row: usize) -> Option<Self::Item<'_>> {
        match column {
            WholeColumn::Byte(a) => a.is_valid(row).then(|| a.value(row).into()),
            WholeColumn::Short(a) => a.is_valid(row).then(|| a.value(row).into()),
            WholeColumn::Int(a) => a.is_valid(row).then(|| a.value(row).into()),
            WholeColumn::Long(a) => a.is_valid(row).then(|| a.value(row)),
        }
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

/// `f` of argument 0 of each row.
pub fn one<'a, A: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>) -> Result<Option<R::Item<'a>>>,
) -> Result<ArrayRef> {
    let a = c.open::<A>(0)?;
    each::<R>(c, &|row| match a.get(row) {
        Some(a) => f(a),
        None => Ok(None),
    })
}

/// `f` of arguments 0 and 1 of each row.
pub fn two<'a, A: Read, B: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>, B::Item<'a>) -> Result<Option<R::Item<'a>>>,
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
    f: &dyn Fn(A::Item<'a>, B::Item<'a>, C::Item<'a>) -> Result<Option<R::Item<'a>>>,
) -> Result<ArrayRef> {
    let (a, b, d) = (c.open::<A>(0)?, c.open::<B>(1)?, c.open::<C>(2)?);
    each::<R>(c, &|row| match (a.get(row), b.get(row), d.get(row)) {
        (Some(a), Some(b), Some(d)) => f(a, b, d),
        _ => Ok(None),
    })
}

/// `f` of the first four arguments of each row.
pub fn four<'a, A: Read, B: Read, C: Read, D: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(A::Item<'a>, B::Item<'a>, C::Item<'a>, D::Item<'a>) -> Result<Option<R::Item<'a>>>,
) -> Result<ArrayRef> {
    let (a, b, d, e) = (c.open::<A>(0)?, c.open::<B>(1)?, c.open::<C>(2)?, c.open::<D>(3)?);
    each::<R>(c, &|row| match (a.get(row), b.get(row), d.get(row), e.get(row)) {
        (Some(a), Some(b), Some(d), Some(e)) => f(a, b, d, e),
        _ => Ok(None),
    })
}

/// `f` of all arguments of each row, which are of one type.
pub fn all<'a, A: Read, R: Write>(
    c: &Columns<'a>,
    f: &dyn Fn(&[A::Item<'a>]) -> Result<Option<R::Item<'a>>>,
) -> Result<ArrayRef> {
    let columns = (0..c.args.len()).map(|i| c.open::<A>(i)).collect::<Result<Vec<_>>>()?;
    each::<R>(c, &|row| match columns.iter().map(|a| a.get(row)).collect::<Option<Vec<_>>>() {
        Some(values) => f(&values),
        None => Ok(None),
    })
}

/// A result of its row's number alone.
pub fn each<'a, R: Write>(c: &Columns<'_>, f: &dyn Fn(usize) -> Result<Option<R::Item<'a>>>) -> Result<ArrayRef> {
    let mut out = R::builder(c.result, c.rows);
    for row in 0..c.rows {
        R::push(&mut out, f(row)?);
    }
    Ok(R::finish(out))
}

/// Something costly made from a text (a compiled pattern), kept while a batch is evaluated.
pub struct Memo<T>(RefCell<HashMap<String, Rc<T>>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T> Memo<T> {
    pub fn get(&self, key: &str, make: impl FnOnce(&str) -> Result<T>) -> Result<Rc<T>> {
        if let Some(known) = self.0.borrow().get(key) {
            return Ok(known.clone());
        }
        let made = Rc::new(make(key)?);
        self.0.borrow_mut().insert(key.to_owned(), made.clone());
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
        if self.strict && args.iter().any(|a| a.is_scalar() && a.array().is_null(0)) {
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
