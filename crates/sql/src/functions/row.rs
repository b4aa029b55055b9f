//! Scalar functions written value by value, and the calls that hold them.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::ArrayRef;

use super::datetime::zone::Zone;
use super::quick::Quick;
use super::typed::Columns;
use super::{EvalContext, Kernel, NullOrder, Operand};
use crate::conf::SqlConf;
use crate::error::Result;
use crate::expr::{Call, Expr};
use crate::types::DataType;
use crate::value::{Value, ValueBuilder, value_at};

/// What a value-wise function may know.
pub struct RowContext<'a> {
    pub eval: &'a EvalContext<'a>,
    /// Types of the arguments.
    pub types: &'a [DataType],
    pub result: &'a DataType,
    /// ANSI mode as it was when the query was analysed.
    pub ansi: bool,
    /// Row within the batch.
    pub row: usize,
    cache: RefCell<HashMap<String, Rc<dyn Any>>>,
}

impl RowContext<'_> {
    pub fn zone(&self) -> &Zone {
        self.eval.conf.time_zone()
    }

    pub fn conf(&self) -> &SqlConf {
        self.eval.conf
    }

    /// Something costly made from a text (a compiled pattern), kept for the batch.
    pub fn cached<T: 'static>(&self, key: &str, make: impl FnOnce(&str) -> Result<T>) -> Result<Rc<T>> {
        if let Some(known) = self.cache.borrow().get(key)
            && let Ok(known) = known.clone().downcast::<T>()
        {
            return Ok(known);
        }
        let made = Rc::new(make(key)?);
        self.cache.borrow_mut().insert(key.to_owned(), made.clone());
        Ok(made)
    }
}

pub type RowEval = fn(&RowContext<'_>, &[Value]) -> Result<Value>;

/// A function of values.
#[derive(Clone)]
pub struct RowKernel {
    pub types: Vec<DataType>,
    pub result: DataType,
    /// Any null argument gives null without a call (NullIntolerant).
    pub strict: bool,
    pub ansi: bool,
    pub eval: RowEval,
    /// The form over whole columns, which may give up.
    pub(super) quick: Option<Quick>,
}

impl std::fmt::Debug for RowKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowKernel").field("result", &self.result).finish_non_exhaustive()
    }
}

impl Kernel for RowKernel {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let operands: Vec<Operand> = args.iter().map(|a| Operand::Column(a.clone())).collect();
        self.evaluate_operands(&operands, rows, ctx)
    }

    fn nulls(&self) -> NullOrder {
        if self.strict { NullOrder::Forward } else { NullOrder::Seen }
    }

    fn evaluate_operands(&self, args: &[Operand], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        if let Some(quick) = self.quick {
            let columns = Columns { args, types: &self.types, result: &self.result, rows, ansi: self.ansi, ctx };
            if let Some(done) = quick(&columns)? {
                return Ok(done);
            }
        }
        let mut out = ValueBuilder::new(&self.result, rows);
        let mut context = RowContext {
            eval: ctx,
            types: &self.types,
            result: &self.result,
            ansi: self.ansi,
            row: 0,
            cache: RefCell::default(),
        };
        let mut values: Vec<Value> = args
            .iter()
            .zip(&self.types)
            .map(|(a, t)| if a.is_scalar() { value_at(a.array(), 0, t) } else { Value::Null })
            .collect();
        'rows: for row in 0..rows {
            for (i, a) in args.iter().enumerate() {
                if !a.is_scalar() {
                    values[i] = value_at(a.array(), row, &self.types[i]);
                }
            }
            if self.strict {
                for v in &values {
                    if v.is_null() {
                        out.append_null();
                        continue 'rows;
                    }
                }
            }
            context.row = row;
            out.append(&(self.eval)(&context, &values)?)?;
        }
        out.finish()
    }
}

/// A call of a kernel.
pub fn call(name: &str, args: Vec<Expr>, data_type: DataType, nullable: bool, kernel: impl Kernel + 'static) -> Expr {
    Expr::Call(Box::new(Call {
        name: name.into(),
        args,
        data_type,
        nullable,
        deterministic: true,
        kernel: Arc::new(kernel),
        seed: None,
        site: crate::expr::Site::default(),
    }))
}

/// A call of a value-wise function.
pub fn row_call(
    name: &str,
    args: Vec<Expr>,
    data_type: DataType,
    nullable: bool,
    strict: bool,
    ansi: bool,
    eval: RowEval,
) -> Expr {
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let quick = super::quick::of(name, &types);
    let kernel = RowKernel { types, result: data_type.clone(), strict, ansi, eval, quick };
    call(name, args, data_type, nullable, kernel)
}

/// Stands in calls that the evaluator runs itself (and, or, if, coalesce, higher-order functions).
#[derive(Debug)]
pub struct Special;

impl Kernel for Special {
    fn evaluate(&self, _: &[ArrayRef], _: usize, _: &EvalContext<'_>) -> Result<ArrayRef> {
        Err(crate::error::SparkError::internal("a special form has no kernel"))
    }
}
