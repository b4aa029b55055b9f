//! Rules within expressions: constants, booleans, casts that do nothing.

use std::sync::Arc;

use arrow::array::Array;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::error::Result;
use crate::exec::ExecContext;
use crate::exec::bind::eval_one;
use crate::expr::Expr;
use crate::functions::cast::parse;
use crate::plan::LogicalPlan;
use crate::types::DataType;
use crate::value::text::MICROS_PER_DAY;
use crate::value::{Value, value_at};

/// A constant expression as a literal.
pub fn fold(ctx: &ExecContext<'_>, expr: Expr) -> Result<Expr> {
    if matches!(expr, Expr::Literal { .. }) {
        return Ok(expr);
    }
    let data_type = expr.data_type();
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let one = RecordBatch::try_new_with_options(Arc::new(arrow::datatypes::Schema::empty()), Vec::new(), &options)?;
    let column = eval_one(&expr, &one, &ctx.eval(0, 0))?;
    let value = if column.is_null(0) { Value::Null } else { value_at(&column, 0, &data_type) };
    Ok(Expr::literal(value, data_type))
}

/// Applies a rewriting to every expression of a plan, children first.
fn everywhere(plan: LogicalPlan, f: &mut dyn FnMut(Expr) -> Expr) -> LogicalPlan {
    plan.transform_up(&mut |node| node.map_expressions(&mut |e| e.transform_up(f)))
}

/// ConstantFolding. What raises an error is left for the execution to raise.
pub(super) fn constant_folding(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| node.map_expressions(&mut |e| fold_within(ctx, e))))
}

fn fold_within(ctx: &ExecContext<'_>, e: Expr) -> Expr {
    match e {
        Expr::Literal { .. } | Expr::Lambda { .. } => e,
        // The generator's own call stays; so do window frames, which must remain what they are.
        Expr::Window(_) => e,
        e if e.foldable() && !matches!(e, Expr::Alias(_)) => fold(ctx, e.clone()).unwrap_or(e),
        other => other.map_children(&mut |c| fold_within(ctx, c)),
    }
}

/// BooleanSimplification, the part of it that changes what filters look at.
pub(super) fn boolean_simplification(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(everywhere(plan, &mut |e| {
        let Expr::Call(call) = &e else { return e };
        match (&*call.name, call.args.as_slice()) {
            ("and", [a, b]) if a.is_literal_bool(true) => b.clone(),
            ("and", [a, b]) if b.is_literal_bool(true) => a.clone(),
            ("and", [a, b]) if a.is_literal_bool(false) || b.is_literal_bool(false) => Expr::bool(false),
            ("and" | "or", [a, b]) if a.semantic_eq(b) => a.clone(),
            ("or", [a, b]) if a.is_literal_bool(false) => b.clone(),
            ("or", [a, b]) if b.is_literal_bool(false) => a.clone(),
            ("or", [a, b]) if a.is_literal_bool(true) || b.is_literal_bool(true) => Expr::bool(true),
            ("not", [a]) if a.is_literal_bool(true) => Expr::bool(false),
            ("not", [a]) if a.is_literal_bool(false) => Expr::bool(true),
            ("not", [Expr::Call(inner)]) if &*inner.name == "not" && inner.args.len() == 1 => inner.args[0].clone(),
            ("isnotnull", [a]) if !a.nullable() && a.deterministic() => Expr::bool(true),
            ("isnull", [a]) if !a.nullable() && a.deterministic() => Expr::bool(false),
            _ => e,
        }
    }))
}

/// SpecialDatetimeValues: constants 'epoch', 'now', 'today', 'tomorrow' and 'yesterday' that are cast to a date or moment.
pub(super) fn special_datetimes(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    let eval = ctx.eval(0, 0);
    let (zone, now) = (eval.conf.time_zone().clone(), eval.now_us);
    let local = zone.to_local(now);
    let today = local.div_euclid(MICROS_PER_DAY);
    Ok(everywhere(plan, &mut |e| {
        let Expr::Cast { child, to, .. } = &e else { return e };
        let Expr::Literal { value: Value::String(text), .. } = child.unaliased() else { return e };
        let Some((word, day)) = parse::special_day(text, today) else { return e };
        let value = match to {
            DataType::Date => i32::try_from(day).map_or(Value::Null, Value::Date),
            DataType::Timestamp => parse::special_timestamp(&word, &zone, now).map_or(Value::Null, Value::Timestamp),
            DataType::TimestampNtz if word == "now" => Value::TimestampNtz(local),
            DataType::TimestampNtz => Value::TimestampNtz(day * MICROS_PER_DAY),
            _ => return e,
        };
        Expr::literal(value, to.clone())
    }))
}

/// SimplifyCasts: to the type that it has.
pub(super) fn simplify_casts(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(everywhere(plan, &mut |e| match e {
        Expr::Cast { child, to, .. } if child.data_type() == to => *child,
        other => other,
    }))
}
