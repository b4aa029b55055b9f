//! Aggregation in stages, as Catalyst's AggUtils plans it: rows to partial buffers, merging of buffers, results.
//!
//! A stage is an [`AggregateExec`]. What travels between stages are rows of grouping columns followed by the buffer columns
//! of each function in order ([`AggregatePieces::partial_output`]); the streaming planner puts its state operators between
//! two merging stages.

mod groups;
mod pieces;
mod stage;

pub use groups::GroupTable;
pub(crate) use groups::hash_bytes;
pub use pieces::{AggregatePieces, plan_aggregate_pieces, result_attribute};
pub use stage::{AggregateExec, AggregateFunctionCall};

/// What a stage does with the rows that come in (AggregateMode).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateStage {
    /// Input rows in, buffers out.
    Partial,
    /// Buffers in, buffers out.
    PartialMerge,
    /// Buffers in, results out.
    Final,
    /// Input rows in, results out.
    Complete,
}

impl AggregateStage {
    /// Reads input rows, not buffers.
    pub fn updates(self) -> bool {
        matches!(self, Self::Partial | Self::Complete)
    }

    /// Gives results, not buffers.
    pub fn finishes(self) -> bool {
        matches!(self, Self::Final | Self::Complete)
    }
}

/// Which operator Spark would use; it decides the order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    /// First appearance; in a partial stage that has the fast first-level map, keys with a null come last.
    Hash,
    /// First appearance, until too many keys make it sort (TypedImperativeAggregate buffers).
    Object,
    /// Sorted by key, nulls first (buffers that are not mutable in place, such as strings).
    Sort,
}
