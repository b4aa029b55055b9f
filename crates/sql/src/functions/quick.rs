//! Whole columns at a time for the functions that queries use most. Each stands beside the value-by-value form of its function,
//! which is the reference (see the properties) and takes over where a column form gives up: for constants, errors, odd types.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int32Array, StringArray, StringBuilder};
use arrow::datatypes as at;

use super::Operand;
use super::scalar::{Like, java_regex, substring_range};
use super::typed::Columns;
use crate::error::Result;
use crate::types::DataType;

/// A function over columns; None: it does not take these.
pub(super) type Quick = fn(&Columns<'_>) -> Result<Option<ArrayRef>>;

impl Columns<'_> {
    /// Argument `i` when it is a column.
    fn column(&self, i: usize) -> Option<&ArrayRef> {
        match self.args.get(i)? {
            Operand::Column(array) => Some(array),
            Operand::Scalar(_) => None,
        }
    }

    fn texts(&self, i: usize) -> Option<&StringArray> {
        self.column(i)?.as_string_opt::<i32>()
    }

    /// The text of a constant argument that is not null.
    fn constant_text(&self, i: usize) -> Option<&str> {
        match self.args.get(i)? {
            Operand::Scalar(array) if array.is_valid(0) => Some(array.as_string_opt::<i32>()?.value(0)),
            _ => None,
        }
    }

    fn constant_int(&self, i: usize) -> Option<i64> {
        match self.args.get(i)? {
            Operand::Scalar(array) if array.is_valid(0) => {
                array.as_primitive_opt::<at::Int32Type>().map(|a| i64::from(a.value(0)))
            }
            _ => None,
        }
    }
}

/// The column form of a function over these types.
pub(super) fn of(name: &str, types: &[DataType]) -> Option<Quick> {
    use DataType as T;
    Some(match (name, types) {
        ("length" | "len" | "char_length" | "character_length", [T::String]) => {
            |c| Ok(c.texts(0).map(|a| counts(a, |s| if s.is_ascii() { s.len() } else { s.chars().count() })))
        }
        ("octet_length", [T::String]) => |c| Ok(c.texts(0).map(|a| counts(a, str::len))),
        ("trim", [T::String]) => |c| Ok(c.texts(0).map(|a| sliced(a, |s| s.trim_matches(' ')))),
        ("ltrim", [T::String]) => |c| Ok(c.texts(0).map(|a| sliced(a, |s| s.trim_start_matches(' ')))),
        ("rtrim", [T::String]) => |c| Ok(c.texts(0).map(|a| sliced(a, |s| s.trim_end_matches(' ')))),
        ("substring" | "substr", [T::String, T::Integer, T::Integer]) => substring,
        ("startswith", [T::String, T::String]) => |c| Ok(tested(c, |s, part| s.starts_with(part))),
        ("endswith", [T::String, T::String]) => |c| Ok(tested(c, |s, part| s.ends_with(part))),
        ("contains", [T::String, T::String]) => |c| Ok(tested(c, |s, part| s.contains(part))),
        ("like", [T::String, T::String]) => |c| {
            let like = c.constant_text(1).and_then(|pattern| Like::new(pattern, '\\').ok());
            Ok(like.and_then(|like| tested(c, |s, _| like.matches(s))))
        },
        ("rlike" | "regexp" | "regexp_like", [T::String, T::String]) => |c| {
            let pattern = c.constant_text(1).and_then(|pattern| java_regex(pattern).ok());
            Ok(pattern.and_then(|pattern| tested(c, |s, _| pattern.is_match(s).unwrap_or(false))))
        },
        ("concat", all) if !all.is_empty() && all.iter().all(|t| *t == T::String) => concat,
        ("concat_ws", all) if all.len() > 1 && all.iter().all(|t| *t == T::String) => concat_ws,
        _ => return None,
    })
}

fn counts(array: &StringArray, f: impl Fn(&str) -> usize) -> ArrayRef {
    let values: Vec<i32> = (0..array.len()).map(|i| f(array.value(i)) as i32).collect();
    Arc::new(Int32Array::new(values.into(), array.nulls().cloned()))
}

fn sliced(array: &StringArray, f: impl Fn(&str) -> &str) -> ArrayRef {
    let mut out = StringBuilder::with_capacity(array.len(), array.value_data().len());
    for text in array.iter() {
        out.append_option(text.map(&f));
    }
    Arc::new(out.finish())
}

fn substring(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let (Some(array), Some(start), Some(count)) = (c.texts(0), c.constant_int(1), c.constant_int(2)) else {
        return Ok(None);
    };
    Ok(Some(sliced(array, |text| {
        if text.is_ascii() {
            let (from, to) = substring_range(text.len(), start, count);
            return &text[from..to];
        }
        let (from, to) = substring_range(text.chars().count(), start, count);
        let byte = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        &text[byte(from)..byte(to)]
    })))
}

fn tested(c: &Columns<'_>, f: impl Fn(&str, &str) -> bool) -> Option<ArrayRef> {
    let (array, part) = (c.texts(0)?, c.constant_text(1)?);
    let values: Vec<bool> = (0..array.len()).map(|i| f(array.value(i), part)).collect();
    Some(Arc::new(BooleanArray::new(values.into(), array.nulls().cloned())))
}

/// Text arguments with the row that stands for a row of the result.
fn all_texts<'a>(c: &'a Columns<'_>) -> Option<Vec<(&'a StringArray, bool)>> {
    c.args.iter().map(|a| Some((a.array().as_string_opt::<i32>()?, a.is_scalar()))).collect()
}

fn concat(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    use std::fmt::Write;
    let Some(texts) = all_texts(c) else { return Ok(None) };
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        let at = |scalar: bool| if scalar { 0 } else { row };
        if texts.iter().any(|(a, scalar)| a.is_null(at(*scalar))) {
            out.append_null();
            continue;
        }
        for (array, scalar) in &texts {
            // Writing into a builder in memory cannot fail.
            let _ = out.write_str(array.value(at(*scalar)));
        }
        out.append_value("");
    }
    Ok(Some(Arc::new(out.finish())))
}

fn concat_ws(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    use std::fmt::Write;
    let (Some(texts), Some(separator)) = (all_texts(c), c.constant_text(0)) else { return Ok(None) };
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        let mut first = true;
        for (array, scalar) in &texts[1..] {
            let at = if *scalar { 0 } else { row };
            if array.is_valid(at) {
                if !std::mem::take(&mut first) {
                    let _ = out.write_str(separator);
                }
                let _ = out.write_str(array.value(at));
            }
        }
        out.append_value("");
    }
    Ok(Some(Arc::new(out.finish())))
}
