//! Arrays in another shape: joined, flattened, sliced, zipped, repeated, put together, turned round.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder, StructArray, UInt32Array};
use arrow::compute::take;

use super::{ARR, element_type};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, unexpected_input};
use crate::functions::describe;
use crate::functions::nested::{Lists, Mixed, list_array, relabelled};
use crate::functions::registry::Build;
use crate::functions::scalar::structs::field_name;
use crate::functions::typed::{Columns, column_call};
use crate::types::{DataType, StructField};

pub(super) fn join(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::ArrOf(&In::Str), In::Str, In::Str])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("array_join", args, DataType::String, nullable, true, b.ansi(), joined))
}

fn joined(c: &Columns<'_>) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let there = c.present();
    let text = |i: usize, row: usize| c.args.get(i).map(|a| a.array().as_string::<i32>().value(a.index(row)));
    let elements = lists.values.as_string_opt::<i32>();
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        if there.as_ref().is_some_and(|n| n.is_null(row)) {
            out.append_null();
            continue;
        }
        let (separator, replacement) = (text(1, row).unwrap_or(""), text(2, row));
        let mut first = true;
        for at in lists.range(row) {
            let element = elements.filter(|e| e.is_valid(at)).map(|e| e.value(at));
            if let Some(part) = element.or(replacement) {
                // Writing into a builder in memory cannot fail.
                if !std::mem::take(&mut first) {
                    let _ = out.write_str(separator);
                }
                let _ = out.write_str(part);
            }
        }
        out.append_value("");
    }
    Ok(Arc::new(out.finish()))
}

/// array_repeat(value, count).
pub(super) fn repeat(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let t = DataType::array(args[0].data_type(), args[0].nullable());
    let args = b.inputs(args, &[In::Any, In::Int])?;
    let nullable = args[1].nullable();
    Ok(column_call("array_repeat", args, t, nullable, false, b.ansi(), |c| {
        let (value, counts) = (c.operand(0)?, c.longs(1)?);
        let nulls = c.operand(1)?.to_array(c.rows)?.logical_nulls();
        c.picked(value.array(), nulls, &mut |row, out| {
            let count = usize::try_from(counts.value(c.args[1].index(row))).unwrap_or(0);
            out.extend(std::iter::repeat_n(value.index(row) as u32, count));
            Ok(())
        })
    }))
}

pub(super) fn compact(c: &Columns<'_>) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let absent = lists.values.logical_nulls();
    c.picked(lists.values, c.present(), &mut |row, out| {
        let present = |at: &usize| absent.as_ref().is_none_or(|n| n.is_valid(*at));
        out.extend(lists.range(row).filter(present).map(|at| at as u32));
        Ok(())
    })
}

/// The arrays of a row, one after the other.
pub(in crate::functions) fn concat(c: &Columns<'_>) -> Result<ArrayRef> {
    let all = (0..c.args.len()).map(|i| c.lists(i)).collect::<Result<Vec<Lists<'_>>>>()?;
    let there = c.present();
    let mut out = Mixed::new(all.iter().map(|l| l.values.as_ref()).collect());
    for row in 0..c.rows {
        let whole = there.as_ref().is_none_or(|n| n.is_valid(row));
        if whole {
            all.iter().enumerate().for_each(|(i, lists)| out.extend(i, lists.range(row)));
        }
        out.end_row(whole);
    }
    out.finish(c.result)
}

pub(in crate::functions) fn reverse(c: &Columns<'_>) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    c.picked(lists.values, c.present(), &mut |row, out| {
        out.extend(lists.range(row).rev().map(|at| at as u32));
        Ok(())
    })
}

pub(super) fn flatten(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let (inner, has_null) = match args[0].data_type() {
        DataType::Array { element, contains_null } => match &*element {
            DataType::Array { .. } => ((*element).clone(), contains_null),
            _ => {
                let sql = describe::call_text("flatten", &args);
                return Err(unexpected_input(&sql, 0, "\"ARRAY\" of \"ARRAY\"", &args[0]));
            }
        },
        _ => {
            let sql = describe::call_text("flatten", &args);
            return Err(unexpected_input(&sql, 0, "\"ARRAY\" of \"ARRAY\"", &args[0]));
        }
    };
    let nullable = args[0].nullable() || has_null;
    Ok(column_call("flatten", args, inner, nullable, true, b.ansi(), |c| {
        let outer = c.lists(0)?;
        let Some(inner) = outer.values.as_list_opt::<i32>() else { return Err(SparkError::internal("nested arrays")) };
        let mut out = Mixed::new(vec![inner.values().as_ref()]);
        for row in 0..c.rows {
            // An array that is null among them makes the whole null.
            let there = !outer.is_null(row) && outer.range(row).all(|at| inner.is_valid(at));
            if there {
                for at in outer.range(row) {
                    let ends = &inner.value_offsets()[at..at + 2];
                    out.extend(0, ends[0] as usize..ends[1] as usize);
                }
            }
            out.end_row(there);
        }
        out.finish(c.result)
    }))
}

pub(super) fn slice(c: &Columns<'_>) -> Result<ArrayRef> {
    let refuse = |condition: &str, name: &str, value: i64| {
        SparkError::runtime(
            condition,
            &[("parameter", &format!("`{name}`")), ("functionName", "`slice`"), (name, &value.to_string())],
        )
    };
    let (lists, starts, lengths) = (c.lists(0)?, c.longs(1)?, c.longs(2)?);
    c.picked(lists.values, c.present(), &mut |row, out| {
        let (start, length) = (starts.value(c.args[1].index(row)), lengths.value(c.args[2].index(row)));
        if start == 0 {
            return Err(refuse("INVALID_PARAMETER_VALUE.START", "start", start));
        }
        if length < 0 {
            return Err(refuse("INVALID_PARAMETER_VALUE.LENGTH", "length", length));
        }
        let elements = lists.range(row);
        let count = elements.len() as i64;
        let from = if start > 0 { start - 1 } else { count + start };
        if (0..count).contains(&from) {
            let to = from.saturating_add(length).min(count);
            out.extend((from..to).map(|i| (elements.start as i64 + i) as u32));
        }
        Ok(())
    })
}

pub(super) fn arrays_zip(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let fields: Vec<StructField> = args
        .iter()
        .enumerate()
        .map(|(i, a)| StructField::new(field_name(a, i), element_type(std::slice::from_ref(a)), true))
        .collect();
    let args = b.inputs(args, ARR)?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::array(DataType::structure(fields), false);
    Ok(column_call("arrays_zip", args, t, nullable, true, b.ansi(), zipped))
}

fn zipped(c: &Columns<'_>) -> Result<ArrayRef> {
    let DataType::Array { element, .. } = c.result else { return Err(SparkError::internal("array type")) };
    let DataType::Struct(schema) = &**element else { return Err(SparkError::internal("struct type")) };
    let all = (0..c.args.len()).map(|i| c.lists(i)).collect::<Result<Vec<Lists<'_>>>>()?;
    let nulls = c.present();
    // The longest array says how many structs there are; a shorter one gives nulls.
    let mut places: Vec<Vec<Option<u32>>> = vec![Vec::new(); all.len()];
    let mut offsets = vec![0];
    for row in 0..c.rows {
        if nulls.as_ref().is_none_or(|n| n.is_valid(row)) {
            let longest = all.iter().map(|l| l.range(row).len()).max().unwrap_or(0);
            for (lists, places) in all.iter().zip(&mut places) {
                let own = lists.range(row);
                places.extend((0..longest).map(|i| (i < own.len()).then(|| (own.start + i) as u32)));
            }
        }
        offsets.push(places.first().map_or(0, Vec::len) as i32);
    }
    let fields = schema.to_arrow_fields();
    let columns = all
        .iter()
        .zip(places)
        .zip(fields.iter())
        .map(|((lists, places), f)| relabelled(&take(lists.values, &UInt32Array::from(places), None)?, f.data_type()))
        .collect::<Result<Vec<_>>>()?;
    let count = columns.first().map_or(0, |c| c.len());
    let structs = StructArray::try_new_with_length(fields, columns, None, count)?;
    list_array(c.result, Arc::new(structs), offsets, nulls)
}
