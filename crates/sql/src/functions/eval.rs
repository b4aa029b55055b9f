//! Evaluates bound expressions over batches: constants stay single values, special forms evaluate an argument only for the
//! rows that need it.

mod lambda;
mod lazy;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray};
use arrow::compute::filter;
use arrow::datatypes::DataType as ArrowType;
use arrow::record_batch::RecordBatch;

use super::cast::{CastContext, cast_operand};
use super::{EvalContext, NullOrder, Operand};
use crate::error::{Result, SparkError};
use crate::expr::{Call, Expr, ExprId};
use crate::value::repeat_value;

/// A bound expression over a batch.
pub fn evaluate(expr: &Expr, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
    let frame = Frame { columns: batch.columns().to_vec(), rows: batch.num_rows(), vars: Vec::new() };
    eval(expr, &frame, ctx)?.to_array(frame.rows)
}

/// A bound condition over a batch; null counts as false.
pub fn evaluate_predicate(expr: &Expr, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<BooleanArray> {
    let array = evaluate(expr, batch, ctx)?;
    let Some(mask) = array.as_boolean_opt() else { return Ok(BooleanArray::from(vec![false; batch.num_rows()])) };
    Ok(if mask.null_count() == 0 { mask.clone() } else { arrow::compute::prep_null_mask_filter(mask) })
}

/// An expression without input columns (defaults, VALUES, foldable arguments).
pub fn evaluate_constant(expr: &Expr, ctx: &EvalContext<'_>) -> Result<crate::value::Value> {
    let frame = Frame { columns: Vec::new(), rows: 1, vars: Vec::new() };
    let array = eval(expr, &frame, ctx)?.to_array(1)?;
    Ok(crate::value::value_at(&array, 0, &expr.data_type()))
}

/// An expression over loose columns of `rows` values.
pub(crate) fn evaluate_columns(
    expr: &Expr,
    columns: Vec<ArrayRef>,
    rows: usize,
    ctx: &EvalContext<'_>,
) -> Result<ArrayRef> {
    eval(expr, &Frame { columns, rows, vars: Vec::new() }, ctx)?.to_array(rows)
}

/// Columns that an expression reads: those of the batch, and lambda variables.
struct Frame {
    columns: Vec<ArrayRef>,
    rows: usize,
    vars: Vec<(ExprId, ArrayRef)>,
}

impl Frame {
    /// The columns that `expr` reads, cut by `cut`; others are left as they are, for nobody looks at them.
    fn narrowed(&self, exprs: &[&Expr], rows: usize, cut: &dyn Fn(&ArrayRef) -> Result<ArrayRef>) -> Result<Frame> {
        let mut wanted = vec![false; self.columns.len()];
        let mut vars: Vec<ExprId> = Vec::new();
        for e in exprs {
            e.visit(&mut |e| match e {
                Expr::Bound { ordinal, .. } => {
                    if let Some(w) = wanted.get_mut(*ordinal) {
                        *w = true;
                    }
                }
                Expr::LambdaVariable(v) => vars.push(v.id),
                _ => {}
            });
        }
        let columns = self
            .columns
            .iter()
            .zip(&wanted)
            .map(|(c, w)| if *w { cut(c) } else { Ok(c.clone()) })
            .collect::<Result<Vec<_>>>()?;
        let vars = self
            .vars
            .iter()
            .filter(|(id, _)| vars.contains(id))
            .map(|(id, a)| Ok((*id, cut(a)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(Frame { columns, rows, vars })
    }

    /// The rows where `mask` is true.
    fn filtered(&self, expr: &Expr, mask: &BooleanArray) -> Result<Frame> {
        self.narrowed(&[expr], mask.true_count(), &|c| Ok(filter(c, mask)?))
    }
}

fn eval(expr: &Expr, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    match expr {
        Expr::Bound { ordinal, .. } => frame
            .columns
            .get(*ordinal)
            .map(|c| Operand::Column(c.clone()))
            .ok_or_else(|| SparkError::internal(format!("no column {ordinal}"))),
        Expr::Literal { value, data_type } => Ok(Operand::Scalar(repeat_value(data_type, value, 1)?)),
        Expr::Alias(a) => eval(&a.child, frame, ctx),
        Expr::At { child, .. } => eval(child, frame, ctx),
        Expr::SortOrder(s) => eval(&s.child, frame, ctx),
        Expr::Cast { child, to, mode, site, .. } => {
            let input = eval(child, frame, ctx)?;
            let zone = site.zone.as_ref().map_or(ctx.conf.time_zone(), |zone| &zone.1);
            cast_operand(&input, &child.data_type(), to, CastContext { mode: *mode, zone, now_us: ctx.now_us })
                .map_err(|e| site.locate(e))
        }
        Expr::Call(c) => call(c, frame, ctx),
        Expr::CaseWhen { branches, otherwise } => {
            lazy::case_when(branches, otherwise.as_deref(), &expr.data_type(), frame, ctx)
        }
        Expr::GetField { child, ordinal, .. } => {
            let input = eval(child, frame, ctx)?;
            let field = struct_field(input.array(), *ordinal)?;
            Ok(if input.is_scalar() { Operand::Scalar(field) } else { Operand::Column(field) })
        }
        Expr::GetArrayStructFields { child, ordinal, .. } => {
            let input = eval(child, frame, ctx)?;
            let list = input
                .array()
                .as_list_opt::<i32>()
                .ok_or_else(|| SparkError::internal("a field of the elements of what is no array"))?;
            let values = struct_field(list.values(), *ordinal)?;
            let ArrowType::List(field) = expr.data_type().to_arrow() else {
                return Err(SparkError::internal("array type"));
            };
            let out: ArrayRef =
                Arc::new(ListArray::try_new(field, list.offsets().clone(), values, list.nulls().cloned())?);
            Ok(if input.is_scalar() { Operand::Scalar(out) } else { Operand::Column(out) })
        }
        Expr::LambdaVariable(v) => frame
            .vars
            .iter()
            .rev()
            .find(|(id, _)| *id == v.id)
            .map(|(_, a)| Operand::Column(a.clone()))
            .ok_or_else(|| SparkError::internal(format!("lambda variable {} outside of its function", v.name))),
        Expr::PythonUdf(udf) => {
            let args =
                udf.args.iter().map(|a| eval(a, frame, ctx)?.to_array(frame.rows)).collect::<Result<Vec<_>>>()?;
            let host = ctx.udfs.ok_or_else(|| SparkError::internal("no host for user functions"))?;
            Ok(Operand::Column(host.call_scalar(udf, &args, frame.rows)?))
        }
        other => Err(SparkError::new(
            crate::error::ErrorClass::Spark,
            "INTERNAL_ERROR",
            &[("message", &format!("Cannot evaluate expression: {}", super::describe::pretty(other)))],
        )),
    }
}

/// Field `ordinal` of a struct column; null where the struct is.
fn struct_field(array: &ArrayRef, ordinal: usize) -> Result<ArrayRef> {
    let Some(structs) = array.as_struct_opt() else {
        return Err(SparkError::internal("a field of what is no struct"));
    };
    let field = structs
        .columns()
        .get(ordinal)
        .ok_or_else(|| SparkError::internal(format!("no field {ordinal} in a struct of {}", structs.num_columns())))?;
    match structs.nulls() {
        Some(nulls) if nulls.null_count() > 0 => {
            let absent = BooleanArray::new(!nulls.inner(), None);
            Ok(arrow::compute::nullif(field, &absent)?)
        }
        _ => Ok(field.clone()),
    }
}

fn call(call: &Call, frame: &Frame, ctx: &EvalContext<'_>) -> Result<Operand> {
    if let Some(done) = lazy::special(call, frame, ctx)? {
        return Ok(done);
    }
    if call.args.iter().any(|a| matches!(a, Expr::Lambda { .. })) {
        return lambda::higher_order(call, frame, ctx);
    }
    let nulls = if call.args.len() > 1 { call.kernel.nulls() } else { NullOrder::Seen };
    let args = match nulls {
        NullOrder::Seen => call.args.iter().map(|a| eval(a, frame, ctx)).collect::<Result<Vec<_>>>()?,
        NullOrder::Forward | NullOrder::Backward => {
            match lazy::strict_arguments(call, nulls == NullOrder::Backward, frame, ctx)? {
                Some(args) => args,
                None => return Ok(Operand::Scalar(arrow::array::new_null_array(&call.data_type.to_arrow(), 1))),
            }
        }
    };
    // Constants in, constant out: computed once, and not at all for no rows.
    let constant = call.deterministic && !args.is_empty() && args.iter().all(Operand::is_scalar);
    if frame.rows == 0 {
        return Ok(Operand::Column(arrow::array::new_empty_array(&call.data_type.to_arrow())));
    }
    // The zone of the analysis stays, whatever the session's has become.
    let conf = match &call.site.zone {
        Some(zone) if zone.0 != ctx.conf.time_zone_id() && &*call.name != "current_timezone" => {
            Some(ctx.conf.in_zone(&zone.0, &zone.1))
        }
        _ => None,
    };
    let own = conf.as_ref().map(|conf| EvalContext { conf, ..*ctx });
    let ctx = own.as_ref().unwrap_or(ctx);
    let rows = if constant { 1 } else { frame.rows };
    let done = call.kernel.evaluate_operands(&args, rows, ctx);
    // Without ANSI mode an expression has no place to show.
    let done = if ctx.conf.ansi() { done.map_err(|e| call.site.locate(e))? } else { done? };
    Ok(if constant { Operand::Scalar(done) } else { Operand::Column(done) })
}
