//! array_contains, array_position, array_remove: a value among the elements; array_append, array_prepend, array_insert.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, new_null_array};

use super::element_type;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::nested::{Lists, Mixed, Needle};
use crate::functions::registry::Build;
use crate::functions::typed::{ColumnEval, Columns, column_call};
use crate::types::DataType;

/// array_contains, array_position, array_remove, array_append, array_prepend: an array and an element.
pub(super) fn search(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if b.name == "array_contains" && args.iter().any(|a| a.data_type() == DataType::Null) {
        return Err(null_type(b, &args));
    }
    let DataType::Array { element, contains_null } = args[0].data_type() else {
        let sql = describe::call_text(b.name, &args);
        return Err(unexpected_input(&sql, 0, "\"ARRAY\"", &args[0]));
    };
    let given = args[1].data_type();
    // array_contains takes decimals of another scale too (findWiderTypeWithoutStringPromotion).
    let find = if b.name == "array_contains" { coercion::wider_without_string } else { coercion::tightest_common };
    let Some(t) = find(&element, &given, ansi) else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("functionName", &format!("`{}`", b.name)),
                ("dataType", "\"ARRAY\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &given.quoted_sql()),
            ],
        ));
    };
    if !element.same_type(&t) {
        args[0] = cast_to(args[0].clone(), &DataType::array(t.clone(), contains_null), ansi);
    }
    if !given.same_type(&t) {
        args[1] = cast_to(args[1].clone(), &t, ansi);
    }
    let any = args.iter().any(Expr::nullable);
    let list = args[0].data_type();
    let grown = DataType::array(t, contains_null || args[1].nullable());
    let (result, nullable, strict, eval): (DataType, bool, bool, ColumnEval) = match b.name {
        "array_contains" => (DataType::Boolean, any || contains_null, true, contains),
        "array_position" => (DataType::Long, any, true, position),
        "array_remove" => (list, any, true, remove),
        "array_append" => (grown, args[0].nullable(), false, |c| grow(c, false)),
        _ => (grown, args[0].nullable(), false, |c| grow(c, true)),
    };
    Ok(column_call(b.name, args, result, nullable, strict, ansi, eval))
}

/// The arrays, and the value beside them.
fn searched<'a>(c: &'a Columns<'_>) -> Result<(Lists<'a>, Needle)> {
    let DataType::Array { element, .. } = &c.types[0] else { return Err(SparkError::internal("array type")) };
    let lists = c.lists(0)?;
    let needle = Needle::of(lists.values, &c.args[1], element)?;
    Ok((lists, needle))
}

fn contains(c: &Columns<'_>) -> Result<ArrayRef> {
    let (lists, needle) = searched(c)?;
    let there = c.present();
    let found: BooleanArray = (0..c.rows)
        .map(|row| {
            if there.as_ref().is_some_and(|n| n.is_null(row)) {
                return None;
            }
            let mut unknown = false;
            for at in lists.range(row) {
                match needle.equals(row, at) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => unknown = true,
                }
            }
            (!unknown).then_some(false)
        })
        .collect();
    Ok(Arc::new(found))
}

fn position(c: &Columns<'_>) -> Result<ArrayRef> {
    let (lists, needle) = searched(c)?;
    let place =
        |row: usize| lists.range(row).position(|at| needle.equals(row, at) == Some(true)).map_or(0, |at| at as i64 + 1);
    let there = c.present();
    let places: Vec<i64> =
        (0..c.rows).map(|row| if there.as_ref().is_some_and(|n| n.is_null(row)) { 0 } else { place(row) }).collect();
    Ok(Arc::new(Int64Array::new(places.into(), there)))
}

fn remove(c: &Columns<'_>) -> Result<ArrayRef> {
    let (lists, needle) = searched(c)?;
    c.picked(lists.values, c.present(), &mut |row, out| {
        let kept = lists.range(row).filter(|at| needle.equals(row, *at) != Some(true));
        out.extend(kept.map(|at| at as u32));
        Ok(())
    })
}

/// The arrays with the value beside them as last or first element.
fn grow(c: &Columns<'_>, first: bool) -> Result<ArrayRef> {
    let (lists, value) = (c.lists(0)?, c.operand(1)?);
    let mut out = Mixed::new(vec![lists.values.as_ref(), value.array().as_ref()]);
    for row in 0..c.rows {
        let there = !lists.is_null(row);
        if there && first {
            out.push(1, value.index(row));
        }
        out.extend(0, lists.range(row));
        if there && !first {
            out.push(1, value.index(row));
        }
        out.end_row(there);
    }
    out.finish(c.result)
}

/// DATATYPE_MISMATCH.NULL_TYPE: an argument that is nothing but null.
fn null_type(b: &Build<'_>, args: &[Expr]) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.NULL_TYPE",
        &[
            ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
            ("functionName", &format!("`{}`", b.name)),
        ],
    )
}

pub(super) fn insert(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let DataType::Array { element, .. } = args[0].data_type() else {
        let sql = describe::call_text("array_insert", &args);
        return Err(unexpected_input(&sql, 0, "\"ARRAY\"", &args[0]));
    };
    let Some(t) = coercion::tightest_common(&element, &args[2].data_type(), ansi) else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("array_insert", &args))),
                ("functionName", "`array_insert`"),
                ("dataType", "\"ARRAY\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &args[2].data_type().quoted_sql()),
            ],
        ));
    };
    args[0] = cast_to(args[0].clone(), &DataType::array(t.clone(), true), ansi);
    args[2] = cast_to(args[2].clone(), &t, ansi);
    let args = b.inputs(args, &[In::Arr, In::Int, In::Any])?;
    let t = DataType::array(element_type(&args), true);
    let nullable = args[0].nullable() || args[1].nullable();
    Ok(column_call("array_insert", args, t, nullable, false, ansi, inserted))
}

fn inserted(c: &Columns<'_>) -> Result<ArrayRef> {
    let (lists, places, value) = (c.lists(0)?, c.longs(1)?, c.operand(2)?);
    let null = new_null_array(lists.values.data_type(), 1);
    let mut out = Mixed::new(vec![lists.values.as_ref(), value.array().as_ref(), null.as_ref()]);
    for row in 0..c.rows {
        let at = c.args[1].index(row);
        if lists.is_null(row) || places.is_null(at) {
            out.end_row(false);
            continue;
        }
        let (elements, place) = (lists.range(row), places.value(at));
        let count = elements.len() as i64;
        if place == 0 {
            return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[]));
        }
        // Where the value comes to stand; before the first: so many places are filled with nulls.
        let index = if place > 0 { place - 1 } else { count + place + 1 };
        if index < 0 {
            out.push(1, value.index(row));
            (0..-index).for_each(|_| out.push(2, 0));
            out.extend(0, elements);
        } else {
            let cut = elements.start + index.min(count) as usize;
            out.extend(0, elements.start..cut);
            (count..index).for_each(|_| out.push(2, 0));
            out.push(1, value.index(row));
            out.extend(0, cut..elements.end);
        }
        out.end_row(true);
    }
    out.finish(c.result)
}
