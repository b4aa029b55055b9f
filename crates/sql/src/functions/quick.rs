//! Whole columns at a time for the functions that queries use most. Each stands beside the value-by-value form of its function,
//! which is the reference (see the properties) and takes over where a column form gives up: for constants, errors, odd types.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Int32Array, Int64Array, StringArray, StringBuilder,
    TimestampMicrosecondArray,
};
use arrow::buffer::{Buffer, NullBuffer};
use arrow::datatypes as at;

use super::Operand;
use super::datetime::calendar::{civil_from_days, day_of_year, iso_day_of_week, iso_week};
use super::datetime::pattern::Pattern;
use super::datetime::zone::Zone;
use super::scalar::{Like, TruncUnit, java_regex, substring_range};
use super::typed::Columns;
use crate::error::Result;
use crate::types::DataType;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

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

    fn days(&self, i: usize) -> Option<&Date32Array> {
        self.column(i)?.as_primitive_opt::<at::Date32Type>()
    }

    fn moments(&self, i: usize) -> Option<&TimestampMicrosecondArray> {
        self.column(i)?.as_primitive_opt::<at::TimestampMicrosecondType>()
    }

    /// Microseconds on the wall clock, a value a row (null rows too).
    fn clocks(&self, i: usize) -> Option<(Vec<i64>, Option<NullBuffer>)> {
        let array = self.moments(i)?;
        let values = array.values();
        let local = match (&self.types[i], self.zone()) {
            (DataType::TimestampNtz, _) | (_, Zone::Fixed(0)) => values.to_vec(),
            (_, Zone::Fixed(seconds)) => {
                let shift = i64::from(*seconds) * MICROS_PER_SECOND;
                values.iter().map(|v| v.wrapping_add(shift)).collect()
            }
            (_, zone) => values.iter().map(|v| zone.to_local(*v)).collect(),
        };
        Some((local, array.nulls().cloned()))
    }
}

/// The column form of a function over these types.
pub(super) fn of(name: &str, types: &[DataType]) -> Option<Quick> {
    use DataType as T;
    let timed = matches!(types.first(), Some(T::Timestamp | T::TimestampNtz));
    Some(match (name, types) {
        ("hour", [_]) if timed => |c| Ok(clock_part(c, |s| s / 3600)),
        ("minute", [_]) if timed => |c| Ok(clock_part(c, |s| s / 60 % 60)),
        ("second", [_]) if timed => |c| Ok(clock_part(c, |s| s % 60)),
        ("date_add", [T::Date, T::Integer]) => |c| Ok(days_moved(c, 1)),
        ("date_sub", [T::Date, T::Integer]) => |c| Ok(days_moved(c, -1)),
        ("datediff" | "date_diff", [T::Date, T::Date]) => days_between,
        ("unix_timestamp" | "to_unix_timestamp", [T::Timestamp, _]) => unix_seconds,
        ("unix_seconds", [T::Timestamp]) => unix_seconds,
        ("unix_millis", [T::Timestamp]) => |c| Ok(c.moments(0).map(|a| longs(a, |us| us.div_euclid(1000)))),
        ("unix_micros", [T::Timestamp]) => |c| Ok(c.moments(0).map(|a| longs(a, |us| us))),
        ("date_trunc", [T::String, T::Timestamp]) => date_trunc,
        ("date_format", [T::Timestamp, T::String]) => date_format,
        ("to_date" | "try_to_date", [T::String, T::String]) => |c| {
            let day = |us: i64| c.zone().to_local(us).div_euclid(MICROS_PER_DAY) as i32;
            let days = by_pattern(c)?;
            Ok(days.map(|d| Arc::new(Date32Array::from_iter(d.into_iter().map(|us| us.map(day)))) as ArrayRef))
        },
        ("to_timestamp" | "to_timestamp_ltz" | "try_to_timestamp", [T::String, T::String]) => |c| {
            if *c.result != T::Timestamp {
                return Ok(None);
            }
            let moments = by_pattern(c)?.map(TimestampMicrosecondArray::from);
            Ok(moments.map(|m| Arc::new(m.with_timezone("UTC")) as ArrayRef))
        },
        ("unix_timestamp" | "to_unix_timestamp", [T::String, T::String]) => |c| {
            let seconds = |us: i64| us.div_euclid(MICROS_PER_SECOND);
            let moments = by_pattern(c)?;
            Ok(moments.map(|m| Arc::new(Int64Array::from_iter(m.into_iter().map(|us| us.map(seconds)))) as ArrayRef))
        },
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

fn parts(array: &Date32Array, f: impl Fn(i64) -> i64) -> ArrayRef {
    let out: Int32Array = array.unary(|d| f(i64::from(d)) as i32);
    Arc::new(out)
}

fn longs(array: &TimestampMicrosecondArray, f: impl Fn(i64) -> i64) -> ArrayRef {
    let out: Int64Array = array.unary(f);
    Arc::new(out)
}

fn clock_part(c: &Columns<'_>, f: impl Fn(i64) -> i64) -> Option<ArrayRef> {
    let (local, nulls) = c.clocks(0)?;
    let values: Vec<i32> = local.iter().map(|us| f(us.rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND) as i32).collect();
    Some(Arc::new(Int32Array::new(values.into(), nulls)))
}

fn days_moved(c: &Columns<'_>, sign: i64) -> Option<ArrayRef> {
    let (days, by) = (c.days(0)?, c.constant_int(1)?);
    let out: Date32Array = days.unary(|d| (i64::from(d) + sign * by) as i32);
    Some(Arc::new(out))
}

fn days_between(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let date = |i: usize| c.args[i].array().as_primitive_opt::<at::Date32Type>();
    let (Some(a), Some(b)) = (date(0), date(1)) else { return Ok(None) };
    Ok(match (c.args[0].is_scalar(), c.args[1].is_scalar()) {
        (false, false) => {
            let out: Int32Array = arrow::compute::binary(a, b, |x, y| x.wrapping_sub(y))?;
            Some(Arc::new(out) as ArrayRef)
        }
        (true, false) if a.is_valid(0) => {
            let x = a.value(0);
            let out: Int32Array = b.unary(|y| x.wrapping_sub(y));
            Some(Arc::new(out))
        }
        (false, true) if b.is_valid(0) => {
            let y = b.value(0);
            let out: Int32Array = a.unary(|x| x.wrapping_sub(y));
            Some(Arc::new(out))
        }
        _ => None,
    })
}

fn unix_seconds(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    if c.args.len() == 2 && c.constant_text(1).is_none() {
        return Ok(None);
    }
    Ok(c.moments(0).map(|a| longs(a, |us| us.div_euclid(MICROS_PER_SECOND))))
}

fn date_trunc(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let (Some(unit), Some(array)) = (c.constant_text(0).and_then(TruncUnit::of), c.moments(1)) else { return Ok(None) };
    let zone = c.zone();
    let out: TimestampMicrosecondArray = array.unary(|us| unit.truncate(us, zone));
    Ok(Some(Arc::new(out.with_timezone("UTC"))))
}

/// What texts say by a constant pattern; None: the value-by-value form has to say what is wrong.
fn by_pattern(c: &Columns<'_>) -> Result<Option<Vec<Option<i64>>>> {
    let (Some(texts), Some(pattern)) = (c.texts(0), c.constant_text(1)) else { return Ok(None) };
    let Ok(pattern) = Pattern::new(pattern, true) else { return Ok(None) };
    let zone = c.zone();
    let mut out = Vec::with_capacity(texts.len());
    for text in texts.iter() {
        let Some(text) = text else {
            out.push(None);
            continue;
        };
        match pattern.parse_instant(text, zone) {
            Ok(micros) => out.push(Some(micros)),
            Err(_) if c.ansi => return Ok(None),
            Err(_) => out.push(None),
        }
    }
    Ok(Some(out))
}

fn date_format(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let (Some(pattern), Some(array)) = (c.constant_text(1), c.moments(0)) else { return Ok(None) };
    if array.null_count() == array.len() {
        return Ok(None);
    }
    let pattern = Pattern::new(pattern, false)?;
    let zone = c.zone();
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    let mut shown = String::new();
    for us in array.iter() {
        match us {
            Some(us) => {
                shown.clear();
                pattern.write(us, zone, &mut shown);
                out.append_value(&shown);
            }
            None => out.append_null(),
        }
    }
    Ok(Some(Arc::new(out.finish())))
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
