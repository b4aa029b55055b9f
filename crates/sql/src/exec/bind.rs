//! Binding expressions to the columns of their input, and evaluating them over batches.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::record_batch::RecordBatch;

use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr};
use crate::functions::EvalContext;
use crate::functions::eval::evaluate;

/// The expression with every attribute replaced by its position in `input` (BindReferences).
pub fn bind(expr: &Expr, input: &[Arc<Attribute>]) -> Result<Expr> {
    expr.clone().try_transform_up(&mut |e| match e {
        Expr::Attribute(a) => match input.iter().position(|i| i.id == a.id) {
            Some(ordinal) => Ok(Expr::Bound {
                ordinal,
                data_type: input[ordinal].data_type.clone(),
                nullable: input[ordinal].nullable,
            }),
            None => {
                let names: Vec<String> = input.iter().map(|i| format!("{}#{}", i.name, i.id.0)).collect();
                Err(SparkError::internal(format!("Couldn't find {}#{} in [{}]", a.name, a.id.0, names.join(","))))
            }
        },
        Expr::Alias(alias) => Ok(alias.child),
        other => Ok(other),
    })
}

pub fn bind_all(list: &[Expr], input: &[Arc<Attribute>]) -> Result<Vec<Expr>> {
    list.iter().map(|e| bind(e, input)).collect()
}

/// Columns of bound expressions over one batch.
pub fn eval_all(list: &[Expr], batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<Vec<ArrayRef>> {
    list.iter().map(|e| eval_one(e, batch, ctx)).collect()
}

/// One column; a plain column reference costs nothing.
pub fn eval_one(expr: &Expr, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    match expr {
        Expr::Bound { ordinal, .. } => {
            batch.columns().get(*ordinal).cloned().ok_or_else(|| {
                SparkError::internal(format!("no column {ordinal} in a batch of {}", batch.num_columns()))
            })
        }
        other => evaluate(other, batch, ctx),
    }
}

/// A condition over one batch; null counts as false.
pub fn eval_condition(expr: &Expr, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<BooleanArray> {
    let column = eval_one(expr, batch, ctx)?;
    let Some(mask) = column.as_boolean_opt() else {
        // An untyped NULL literal as condition.
        return Ok(BooleanArray::from(vec![false; batch.num_rows()]));
    };
    Ok(if mask.null_count() == 0 { mask.clone() } else { arrow::compute::prep_null_mask_filter(mask) })
}
