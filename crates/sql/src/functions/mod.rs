//! Functions: the registry by name, and their vectorised kernels.

pub mod aggregate;
pub mod datetime;
pub mod eval;
pub mod generator;
pub mod hash;
pub mod registry;

use arrow::array::ArrayRef;

use crate::conf::SqlConf;
use crate::error::Result;
use crate::expr::UdfHost;

/// Evaluates one scalar function over columns of `rows` values each.
///
/// Short-circuiting ("and", "or", "coalesce", "if" ...) is the evaluator's affair ([`eval`]): it evaluates an argument
/// only for the rows that need it, because under ANSI the others could raise.
pub trait Kernel: std::fmt::Debug + Send + Sync {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef>;
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
