//! The optimizer rules that a user can notice.

use std::sync::Arc;

use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::error::Result;
use crate::exec::ExecContext;
use crate::exec::bind::eval_one;
use crate::expr::Expr;
use crate::plan::PlanRef;
use crate::value::Value;

/// Optimizes an analysed plan.
pub fn optimize(_ctx: &ExecContext<'_>, plan: &PlanRef) -> Result<PlanRef> {
    Ok(Arc::clone(plan))
}

/// A constant expression as a literal.
pub fn fold(ctx: &ExecContext<'_>, expr: Expr) -> Result<Expr> {
    if matches!(expr, Expr::Literal { .. }) {
        return Ok(expr);
    }
    let data_type = expr.data_type();
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let one = RecordBatch::try_new_with_options(Arc::new(arrow::datatypes::Schema::empty()), Vec::new(), &options)?;
    let column = eval_one(&expr, &one, &ctx.eval(0, 0))?;
    let value = if column.is_null(0) { Value::Null } else { crate::value::value_at(&column, 0, &data_type) };
    Ok(Expr::literal(value, data_type))
}
