//! Evaluates bound expressions over batches.

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;

use super::EvalContext;
use crate::error::{Result, SparkError};
use crate::expr::Expr;

/// The column of a bound expression over a batch.
pub fn evaluate(expr: &Expr, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let _ = (batch, ctx);
    Err(SparkError::not_yet(&format!("Evaluation of {}", crate::planner::text::expression(expr))))
}
