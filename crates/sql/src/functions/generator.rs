//! Generators: explode, posexplode, inline, stack, json_tuple.

use arrow::array::ArrayRef;

use super::EvalContext;
use crate::error::Result;

/// One input row to any number of output rows.
pub trait GeneratorFunction: std::fmt::Debug + Send + Sync {
    /// For `rows` input rows: for each output row the index of its input row (ascending), and the output columns.
    /// `outer` adds one all-null row for inputs that give none.
    fn generate(
        &self,
        args: &[ArrayRef],
        rows: usize,
        outer: bool,
        ctx: &EvalContext<'_>,
    ) -> Result<(Vec<u32>, Vec<ArrayRef>)>;
}
