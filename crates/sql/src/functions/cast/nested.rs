//! Casts of arrays, maps and structs: those of what they hold.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StructArray, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::compute::{nullif, take};
use arrow::datatypes::DataType as ArrowType;

use super::{CastContext, cast_array};
use crate::error::{Result, SparkError};
use crate::functions::nested::{list_array, map_array, pick_rows};
use crate::types::DataType;

pub(super) fn cast(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    let wrong = || SparkError::internal(format!("no cast from {from:?} to {to:?}"));
    match (from, to, to.to_arrow()) {
        (DataType::Array { element: f, .. }, DataType::Array { element: t, .. }, _) => {
            let list = array.as_list_opt::<i32>().ok_or_else(wrong)?;
            let (offsets, chosen) = owned(list.offsets(), list.nulls(), list.values().len())?;
            let values = cast_array(&picked(list.values(), chosen.as_ref())?, f, t, ctx)?;
            list_array(to, values, offsets, list.nulls().cloned())
        }
        (DataType::Map { key: fk, value: fv, .. }, DataType::Map { key: tk, value: tv, .. }, _) => {
            let map = array.as_map_opt().ok_or_else(wrong)?;
            let (mut offsets, chosen) = owned(map.offsets(), map.nulls(), map.keys().len())?;
            let keys = picked(map.keys(), chosen.as_ref())?;
            let values = picked(map.values(), chosen.as_ref())?;
            let mut entries = side_by_side(&[(keys, fk, tk), (values, fv, tv)], ctx)?;
            let mut nulls = map.nulls().cloned();
            if entries[0].null_count() > 0 {
                // A map whose key try_cast cannot make is none.
                let kept = |row: usize| {
                    let entries_of = offsets[row] as usize..offsets[row + 1] as usize;
                    map.is_valid(row) && entries_of.into_iter().all(|entry| entries[0].is_valid(entry))
                };
                let kept: NullBuffer = (0..map.len()).map(kept).collect::<Vec<bool>>().into();
                let (rest, chosen) = owned(&offsets, Some(&kept), entries[0].len())?;
                for column in &mut entries {
                    *column = picked(column, chosen.as_ref())?;
                }
                (offsets, nulls) = (rest, Some(kept));
            }
            map_array(to, &entries[0], &entries[1], offsets, nulls)
        }
        (DataType::Struct(fs), DataType::Struct(ts), ArrowType::Struct(fields)) => {
            let rows = array.as_struct_opt().ok_or_else(wrong)?;
            // What lies below a null is no value.
            let absent = rows.nulls().filter(|n| n.null_count() > 0).map(|n| BooleanArray::new(!n.inner(), None));
            let columns = rows
                .columns()
                .iter()
                .zip(fs.fields.iter().zip(&ts.fields))
                .map(|(column, (f, t))| {
                    let column = match &absent {
                        Some(absent) => nullif(column, absent)?,
                        None => column.clone(),
                    };
                    Ok((column, &f.data_type, &t.data_type))
                })
                .collect::<Result<Vec<_>>>()?;
            let columns = side_by_side(&columns, ctx)?;
            Ok(Arc::new(StructArray::try_new_with_length(fields, columns, rows.nulls().cloned(), rows.len())?))
        }
        _ => Err(wrong()),
    }
}

/// Offsets over the elements that rows have, one row's after the other's, and which they are; None: all as they lie.
fn owned(offsets: &[i32], nulls: Option<&NullBuffer>, elements: usize) -> Result<(Vec<i32>, Option<UInt32Array>)> {
    let rows = offsets.len() - 1;
    let of = |row: usize| {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) { 0..0 } else { offsets[row]..offsets[row + 1] }
    };
    let count: usize = (0..rows).map(|row| of(row).len()).sum();
    if count == elements {
        return Ok((offsets.to_vec(), None));
    }
    let (chosen, offsets) = pick_rows(rows, nulls, &mut |row, out| {
        out.extend(of(row).map(|at| at as u32));
        Ok(())
    })?;
    Ok((offsets, Some(chosen.into())))
}

fn picked(values: &ArrayRef, chosen: Option<&UInt32Array>) -> Result<ArrayRef> {
    Ok(match chosen {
        Some(chosen) => take(values, chosen, None)?,
        None => values.clone(),
    })
}

/// Casts of columns side by side; of several failures that of the first row, there of the first column.
fn side_by_side(columns: &[(ArrayRef, &DataType, &DataType)], ctx: CastContext<'_>) -> Result<Vec<ArrayRef>> {
    let done = columns.iter().map(|(column, from, to)| cast_array(column, from, to, ctx)).collect::<Result<Vec<_>>>();
    if done.is_err() && columns.len() > 1 {
        for row in 0..columns[0].0.len() {
            for (column, from, to) in columns {
                cast_array(&column.slice(row, 1), from, to, ctx)?;
            }
        }
    }
    done
}
