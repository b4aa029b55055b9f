//! Kernels as typed loops over columns: a function says what it does with the plain values of a row, and the loops here
//! read them from Arrow arrays and build the result. One loop stands for each combination of types, not for each function.

mod stored;

pub use self::stored::*;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, StringBuilder};
use arrow::datatypes as at;

use self::stored::{longs, narrowed};
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
