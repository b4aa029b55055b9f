//! Aggregate functions as grouped, vectorised accumulators with Spark's buffer layouts.

use arrow::array::{ArrayRef, BooleanArray};

use crate::error::Result;
use crate::types::DataType;

/// An aggregate function with its argument types fixed (Catalyst's AggregateFunction).
///
/// The buffer is what travels between partial and final aggregation and what a streaming state row holds, so its columns,
/// types and order are Spark's `aggBufferAttributes` (avg: sum, count; stddev: n, avg, m2; collect_list: one BINARY column
/// serialised as Spark's TypedImperativeAggregate does).
pub trait AggregateFunction: std::fmt::Debug + Send + Sync {
    /// Name, type and nullability of each buffer column.
    fn buffer(&self) -> Vec<(String, DataType, bool)>;
    /// Catalyst's TypedImperativeAggregate: planned as ObjectHashAggregate.
    fn is_object(&self) -> bool {
        false
    }
    fn accumulator(&self) -> Box<dyn Accumulator>;
}

/// Buffers of many groups at once. Group indexes are dense from 0.
pub trait Accumulator {
    /// Makes room for `groups` groups; new ones start from the function's initial buffer.
    fn resize(&mut self, groups: usize);
    /// `update`: row `i` goes to group `groups[i]` where `filter` is absent or true.
    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()>;
    /// `merge`: row `i` of the buffer columns is merged into group `groups[i]`.
    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()>;
    /// The buffer columns of all groups.
    fn buffers(&self) -> Result<Vec<ArrayRef>>;
    /// The results of all groups.
    fn evaluate(&self) -> Result<ArrayRef>;
}

mod average;
mod best;
mod bits;
mod cells;
mod collect;
mod count;
mod count_min;
mod distribution;
mod extremes;
mod first_last;
mod gathered;
mod hyperloglog;
mod moments;
mod scala_hash;
mod sum;

use std::sync::Arc;

use super::registry::{Build, FunctionEntry};
use crate::expr::{AggregateCall, Expr, ExprId};

/// The tables of this module.
pub(super) fn tables() -> &'static [&'static [FunctionEntry]] {
    &[
        average::FUNCTIONS,
        bits::FUNCTIONS,
        collect::FUNCTIONS,
        count::FUNCTIONS,
        count_min::FUNCTIONS,
        distribution::FUNCTIONS,
        extremes::FUNCTIONS,
        first_last::FUNCTIONS,
        gathered::FUNCTIONS,
        hyperloglog::FUNCTIONS,
        moments::FUNCTIONS,
        sum::FUNCTIONS,
    ]
}

/// An aggregate expression of what the builder holds.
fn aggregate(
    b: &mut Build<'_>,
    name: &str,
    args: Vec<Expr>,
    data_type: DataType,
    nullable: bool,
    function: impl AggregateFunction + 'static,
) -> Expr {
    Expr::Aggregate(Box::new(AggregateCall {
        name: name.into(),
        args,
        distinct: b.distinct,
        filter: b.filter.take(),
        data_type,
        nullable,
        function: Arc::new(function),
        id: ExprId::fresh(),
    }))
}

/// Whether row `row` passes the FILTER clause.
fn passes(filter: Option<&BooleanArray>, row: usize) -> bool {
    use arrow::array::Array;
    filter.is_none_or(|f| f.is_valid(row) && f.value(row))
}
