//! Functions: the registry by name, and their vectorised kernels.

pub mod aggregate;
pub mod cast;
pub(crate) mod chance;
pub mod coercion;
mod csv;
pub mod datetime;
pub mod describe;
pub mod eval;
pub mod generator;
pub mod hash;
mod integers;
pub(crate) mod json;
mod nested;
#[cfg(test)]
mod properties;
pub(crate) mod python_table;
pub mod registry;
pub mod row;
mod sql_function;
pub use self::scalar::{JavaPattern, coerce_case};
pub(crate) use self::scalar::{
    VARIABLE_REFERENCE, add_interval, check_time_type, current_schema, interval_overflow, time_type_enabled,
    variable_of, variable_reference,
};
pub(crate) use self::sql_function::{SQL_FUNCTION, sql_function_body, sql_function_call, sql_function_of};
mod scalar;
pub mod typed;
pub mod variant;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::take;

use crate::catalog::SqlFunction;
use crate::conf::SqlConf;
use crate::error::Result;
use crate::expr::{Expr, UdfHost};

/// Evaluates one scalar function over columns of `rows` values each.
///
/// Short-circuiting ("and", "or", "coalesce", "if" ...) is the evaluator's affair ([`eval`]): it evaluates an argument
/// only for the rows that need it, because under ANSI the others could raise.
pub trait Kernel: std::fmt::Debug + Send + Sync {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef>;

    /// A call as plans print it, where that is not the function's name before its arguments.
    fn plan_text(&self, _args: &[String]) -> Option<String> {
        None
    }

    /// What the optimizer puts in the place of a call (RuntimeReplaceable).
    fn replacement(&self, _args: &[Expr]) -> Option<Expr> {
        None
    }

    /// The SQL function that is called, until its body is in the place of the call.
    fn sql_function(&self) -> Option<&Arc<SqlFunction>> {
        None
    }

    /// What null arguments do.
    fn nulls(&self) -> NullOrder {
        NullOrder::Seen
    }

    /// The same with constant arguments told apart; kernels that gain from it override this.
    fn evaluate_operands(&self, args: &[Operand], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let columns = args.iter().map(|a| a.to_array(rows)).collect::<Result<Vec<_>>>()?;
        self.evaluate(&columns, rows, ctx)
    }
}

/// What a function does about null arguments, and in which order it looks at them: the first null ends the looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullOrder {
    /// It sees all arguments.
    Seen,
    /// Any null makes the result null (Catalyst's NullIntolerant); from the first argument on.
    Forward,
    /// The same from the last argument on (DivModLike).
    Backward,
}

/// A column, or one value that stands for every row.
#[derive(Clone, Debug)]
pub enum Operand {
    Column(ArrayRef),
    /// An array of length 1.
    Scalar(ArrayRef),
}

impl Operand {
    /// As a column of `rows` values.
    pub fn to_array(&self, rows: usize) -> Result<ArrayRef> {
        match self {
            Operand::Column(a) => Ok(a.clone()),
            Operand::Scalar(a) if rows == 1 => Ok(a.clone()),
            Operand::Scalar(a) if a.is_null(0) => Ok(arrow::array::new_null_array(a.data_type(), rows)),
            Operand::Scalar(a) => {
                let zeros = arrow::array::UInt32Array::from(vec![0u32; rows]);
                Ok(take(a, &zeros, None)?)
            }
        }
    }

    pub fn array(&self) -> &ArrayRef {
        match self {
            Operand::Column(a) | Operand::Scalar(a) => a,
        }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Operand::Scalar(_))
    }

    /// Index into [`Operand::array`] for a row.
    pub fn index(&self, row: usize) -> usize {
        if self.is_scalar() { 0 } else { row }
    }
}

/// What an evaluation may know besides its rows.
pub struct EvalContext<'a> {
    pub conf: &'a SqlConf,
    /// current_timestamp of the query or micro-batch, µs.
    pub now_us: i64,
    /// Partition index (rand, spark_partition_id, monotonically_increasing_id).
    pub partition: usize,
    /// Rows of this partition that came before the batch being evaluated.
    pub row_base: i64,
    pub udfs: Option<&'a dyn UdfHost>,
}
