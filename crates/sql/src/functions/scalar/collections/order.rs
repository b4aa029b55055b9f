//! array_max, array_min, sort_array, array_sort.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::take;

use super::{ARR, element_type};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::describe;
use crate::functions::nested::{comparable, relabelled};
use crate::functions::registry::Build;
use crate::functions::typed::{ColumnEval, Columns, column_call};
use crate::types::DataType;

/// DATATYPE_MISMATCH.INVALID_ORDERING_TYPE unless values of the type, as `shown`, have an order.
fn require_order(b: &Build<'_>, args: &[Expr], shown: &DataType) -> Result<()> {
    if element_type(args).is_orderable() {
        return Ok(());
    }
    Err(SparkError::analysis(
        "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        &[
            ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
            ("functionName", &format!("`{}`", b.name)),
            ("dataType", &shown.quoted_sql()),
        ],
    ))
}

/// array_max, array_min.
pub(super) fn extreme(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, ARR)?;
    let t = element_type(&args);
    require_order(b, &args, &t)?;
    let eval: ColumnEval =
        if b.name == "array_max" { |c| best(c, Ordering::Greater) } else { |c| best(c, Ordering::Less) };
    Ok(column_call(b.name, args, t, true, true, b.ansi(), eval))
}

fn best(c: &Columns<'_>, wanted: Ordering) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let [rows] = comparable([lists.values])?;
    let absent = lists.values.logical_nulls();
    let found: UInt32Array = (0..c.rows)
        .map(|row| {
            let present = lists.range(row).filter(|at| absent.as_ref().is_none_or(|n| n.is_valid(*at)));
            present.reduce(|a, b| if rows.row(b).cmp(&rows.row(a)) == wanted { b } else { a }).map(|at| at as u32)
        })
        .collect();
    relabelled(&take(lists.values, &found, None)?, &c.result.to_arrow())
}

/// The arrays sorted; `descending` may differ from row to row. Nulls stand first when ascending, or at the end where said so.
fn sorted(c: &Columns<'_>, descending: &dyn Fn(usize) -> bool, nulls_last: bool) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let [rows] = comparable([lists.values])?;
    let absent = lists.values.logical_nulls().filter(|_| nulls_last);
    c.picked(lists.values, c.present(), &mut |row, out| {
        let from = out.len();
        out.extend(lists.range(row).map(|at| at as u32));
        let order = |a: &u32, b: &u32| rows.row(*a as usize).cmp(&rows.row(*b as usize));
        if descending(row) {
            out[from..].sort_by(|a, b| order(b, a));
        } else if let Some(nulls) = &absent {
            out[from..].sort_by(|a, b| {
                let missing = |at: &u32| nulls.is_null(*at as usize);
                missing(a).cmp(&missing(b)).then_with(|| order(a, b))
            });
        } else {
            out[from..].sort_by(order);
        }
        Ok(())
    })
}

pub(super) fn sort_array(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Arr, In::Bool])?;
    let t = args[0].data_type();
    require_order(b, &args, &t)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("sort_array", args, t, nullable, true, b.ansi(), |c| {
        let ascending = c.operand(1)?;
        let flags = ascending.array().as_boolean();
        sorted(c, &|row| !flags.value(ascending.index(row)), false)
    }))
}

pub(super) fn array_sort(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        return super::super::higher_order::higher_order(b, args);
    }
    let args = b.inputs(args, ARR)?;
    let t = args[0].data_type();
    let nullable = args[0].nullable();
    Ok(column_call("array_sort", args, t, nullable, true, b.ansi(), |c| sorted(c, &|_| false, true)))
}
