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
