//! Arrays from values, and access to arrays and maps by place and key.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int32Array, UInt32Array};
use arrow::compute::take;

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::nested::{Mixed, Needle, relabelled};
use crate::functions::registry::Build;
use crate::functions::typed::{Columns, column_call};
use crate::types::DataType;

use super::element_type;

/// INVALID_ARRAY_INDEX.
pub(in crate::functions) fn invalid_index(index: i64, size: i64) -> SparkError {
    SparkError::new(
        ErrorClass::ArrayIndexOutOfBounds,
        "INVALID_ARRAY_INDEX",
        &[("indexValue", &index.to_string()), ("arraySize", &size.to_string())],
    )
}

pub(super) fn array(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let Some(t) = coercion::wider_common(&types, ansi) else {
        return Err(super::super::conditional::differing(
            &describe::call_text("array", &args),
            "array",
            &describe::type_list(&types, "(", " or ", ")"),
        ));
    };
    let args: Vec<Expr> =
        args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
    let element = if args.is_empty() { DataType::Null } else { super::super::conditional::merged_type(&args) };
    let contains_null = args.iter().any(Expr::nullable);
    let t = DataType::array(element, contains_null);
    Ok(column_call("array", args, t, false, false, ansi, |c| {
        let mut out = Mixed::new(c.args.iter().map(|a| a.array().as_ref()).collect());
        for row in 0..c.rows {
            for (i, arg) in c.args.iter().enumerate() {
                out.push(i, arg.index(row));
            }
            out.end_row(true);
        }
        out.finish(c.result)
    }))
}

/// `container[key]`: GetArrayItem or GetMapValue.
pub(super) fn item(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    match args[0].data_type() {
        DataType::Array { element, .. } => {
            let index = args[1].data_type();
            if !index.is_integral() {
                let to = In::Integral.implicit(&index, ansi);
                match to {
                    Some(to) => args[1] = cast_to(args[1].clone(), &to, ansi),
                    None => {
                        let sql = describe::call_text("[]", &args);
                        return Err(unexpected_input(&sql, 1, "\"INTEGRAL\"", &args[1]));
                    }
                }
            }
            let nullable = place_nullable(b, &args, ansi, 0);
            Ok(column_call("[]", args, (*element).clone(), nullable, true, ansi, |c| {
                by_place(c, &|index, length| match usize::try_from(index) {
                    Ok(at) if at < length => Ok(Some(at)),
                    _ if c.ansi => Err(invalid_index(index, length as i64)),
                    _ => Ok(None),
                })
            }))
        }
        DataType::Map { key, value, .. } => {
            args[1] = map_key(b, &args, &key)?;
            Ok(column_call("[]", args, (*value).clone(), true, true, ansi, by_key))
        }
        DataType::Variant => Err(SparkError::not_yet("Extraction from VARIANT")),
        other => Err(SparkError::analysis(
            "INVALID_EXTRACT_BASE_FIELD_TYPE",
            &[("base", &describe::quoted(&args[0])), ("other", &other.quoted_sql())],
        )),
    }
}

/// GetArrayItemUtil.computeNullabilityFromArray: whether the element at a place, counted from `first`, may be null.
fn place_nullable(b: &Build<'_>, args: &[Expr], fails: bool, first: i64) -> bool {
    let contains_null = matches!(args[0].data_type(), DataType::Array { contains_null: true, .. });
    let place = if args[1].nullable() { None } else { crate::functions::json::constant(b, &args[1]).ok().flatten() };
    let Some(place) = place.and_then(|v| v.as_i64()) else { return !fails || contains_null };
    let (made, field) = match args[0].unaliased() {
        fields @ Expr::GetArrayStructFields { child, .. } => {
            // An array without null elements: what may be null is the field.
            let nullable = matches!(fields.data_type(), DataType::Array { contains_null: true, .. });
            (child.unaliased(), nullable)
        }
        other => (other, false),
    };
    let Expr::Call(call) = made else { return true };
    if &*call.name != "array" {
        return true;
    }
    let at = if first == 1 && place < 0 { call.args.len() as i64 + place } else { place - first };
    match usize::try_from(at).ok().and_then(|at| call.args.get(at)) {
        Some(item) => item.nullable() || field,
        None => !fails,
    }
}

fn map_key(b: &Build<'_>, args: &[Expr], key: &DataType) -> Result<Expr> {
    let given = args[1].data_type();
    if given.same_type(key) {
        return Ok(args[1].clone());
    }
    match coercion::wider_type(&given, key, b.ansi()) {
        Some(t) if t.same_type(key) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ if coercion::can_ansi_store(&given, key) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        // A text becomes a key of any plain type.
        _ if given.is_string() && key.is_atomic() => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ => {
            let sql = describe::call_text(b.name, args);
            Err(unexpected_input(&sql, 1, &key.quoted_sql(), &args[1]))
        }
    }
}

/// The key of element_at: of the map's type, or of one that the map's type holds.
fn same_key(b: &Build<'_>, args: &[Expr], key: &DataType) -> Result<Expr> {
    let given = args[1].data_type();
    let wide = |t: &DataType| t.same_type(key) || coercion::can_ansi_store(&given, key);
    match coercion::tightest_common(&given, key, b.ansi()) {
        Some(t) if wide(&t) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ => Err(SparkError::analysis(
            "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
                ("functionName", &format!("`{}`", b.name)),
                ("dataType", "\"MAP\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &given.quoted_sql()),
            ],
        )),
    }
}

/// Elements of the arrays by the numbers beside them; `place` says which of so many elements a number means, if any.
fn by_place(c: &Columns<'_>, place: &dyn Fn(i64, usize) -> Result<Option<usize>>) -> Result<ArrayRef> {
    let (lists, numbers) = (c.lists(0)?, c.longs(1)?);
    let mut picked: Vec<Option<u32>> = Vec::with_capacity(c.rows);
    for row in 0..c.rows {
        let at = c.args[1].index(row);
        if lists.is_null(row) || numbers.is_null(at) {
            picked.push(None);
            continue;
        }
        let elements = lists.range(row);
        picked.push(place(numbers.value(at), elements.len())?.map(|i| (elements.start + i) as u32));
    }
    relabelled(&take(lists.values, &UInt32Array::from(picked), None)?, &c.result.to_arrow())
}

/// Values of the maps by the keys beside them.
fn by_key(c: &Columns<'_>) -> Result<ArrayRef> {
    let DataType::Map { key, .. } = &c.types[0] else { return Err(SparkError::internal("map type")) };
    let maps = c.lists(0)?;
    let needle = Needle::of(maps.keys()?, &c.args[1], key)?;
    let there = c.present();
    let picked: UInt32Array = (0..c.rows)
        .map(|row| {
            if there.as_ref().is_some_and(|n| n.is_null(row)) {
                return None;
            }
            maps.range(row).find(|at| needle.equals(row, *at) == Some(true)).map(|at| at as u32)
        })
        .collect();
    relabelled(&take(maps.values, &picked, None)?, &c.result.to_arrow())
}

pub(super) fn element_at(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi() && b.name == "element_at";
    match args[0].data_type() {
        DataType::Array { element, .. } => {
            // Whole numbers of other widths are cast, texts are not.
            let place = args[1].data_type();
            if place.is_string() || matches!(place, DataType::Long | DataType::Null) {
                return Err(unexpected_input(&describe::call_text(b.name, &args), 1, "\"INT\"", &args[1]));
            }
            args = b.inputs(args, &[In::Arr, In::Int])?;
            let nullable = place_nullable(b, &args, ansi, 1);
            Ok(column_call(b.name, args, (*element).clone(), nullable, true, ansi, |c| {
                by_place(c, &|index, length| {
                    if index == 0 {
                        return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[]));
                    }
                    match usize::try_from(if index > 0 { index - 1 } else { length as i64 + index }) {
                        Ok(at) if at < length => Ok(Some(at)),
                        _ if c.ansi => Err(SparkError::new(
                            ErrorClass::ArrayIndexOutOfBounds,
                            "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                            &[("indexValue", &index.to_string()), ("arraySize", &length.to_string())],
                        )),
                        _ => Ok(None),
                    }
                })
            }))
        }
        DataType::Map { key, value, .. } => {
            args[1] = same_key(b, &args, &key)?;
            Ok(column_call(b.name, args, (*value).clone(), true, true, ansi, by_key))
        }
        _ => {
            let sql = describe::call_text(b.name, &args);
            Err(unexpected_input(&sql, 0, "(\"ARRAY\" or \"MAP\")", &args[0]))
        }
    }
}

pub(super) fn get(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Arr, In::Int])?;
    let t = element_type(&args);
    let nullable = place_nullable(b, &args, false, 0);
    Ok(column_call("get", args, t, nullable, true, b.ansi(), |c| {
        by_place(c, &|index, length| Ok(usize::try_from(index).ok().filter(|at| *at < length)))
    }))
}

pub(super) fn size(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Either(&[In::Arr, In::Map])])?;
    // size(NULL) is -1 with ANSI off (legacy.sizeOfNull).
    let legacy = !b.ansi();
    let nullable = !legacy && args[0].nullable();
    Ok(column_call(b.name, args, DataType::Integer, nullable, false, b.ansi(), |c| {
        if c.ansi {
            return length(c);
        }
        let lists = c.lists(0)?;
        let size = |row| if lists.is_null(row) { -1 } else { lists.range(row).len() as i32 };
        Ok(Arc::new(Int32Array::from_iter_values((0..c.rows).map(size))))
    }))
}

/// array_size, and size with ANSI: null of null.
pub(super) fn length(c: &Columns<'_>) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let sizes: Vec<i32> = (0..c.rows).map(|row| lists.range(row).len() as i32).collect();
    Ok(Arc::new(Int32Array::new(sizes.into(), c.present())))
}
