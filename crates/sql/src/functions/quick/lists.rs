//! Arrays and maps, whole columns at a time. Two shapes: lists made of elements of other lists, named by position; and all
//! elements compared with one value a list.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int32Array, Int64Array, ListArray, MapArray, UInt32Array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{SortOptions, interleave, take};
use arrow::datatypes as at;
use arrow::row::{Rows, SortField};

use super::{Columns, Quick};
use crate::error::Result;
use crate::exec::sort::{converter, normalize_floats};
use crate::functions::Operand;
use crate::functions::scalar::equal_values;
use crate::types::DataType;

/// The column form of a function over these types.
pub(super) fn of(name: &str, types: &[DataType]) -> Option<Quick> {
    use DataType as T;
    let plain = |t: &DataType| matches!(t, T::Array { element, .. } if is_plain(element));
    Some(match (name, types) {
        ("size" | "cardinality", [T::Array { .. } | T::Map { .. }]) => size,
        ("get" | "[]", [T::Array { .. }, _]) => |c| element(c, 0),
        ("element_at" | "try_element_at", [T::Array { .. }, T::Integer]) => |c| element(c, 1),
        ("[]" | "element_at" | "try_element_at", [T::Map { key, .. }, _]) if is_plain(key) => entry,
        ("array_contains", [list, _]) if plain(list) => contains,
        ("array_position", [list, _]) if plain(list) => position,
        ("array_remove", [list, _]) if plain(list) => remove,
        ("array_compact", [T::Array { .. }]) => |c| {
            let Some(list) = list(c, 0) else { return Ok(None) };
            let values = list.values().clone();
            from_one(c, list, |_, range, out| out.extend(range.filter(|i| values.is_valid(*i)).map(|i| i as u32)))
        },
        ("array_distinct", [list]) if plain(list) => distinct,
        ("array_union", [l, r]) if plain(l) && plain(r) => union,
        ("array_intersect", [l, r]) if plain(l) && plain(r) => |c| shared(c, true),
        ("array_except", [l, r]) if plain(l) && plain(r) => |c| shared(c, false),
        ("arrays_overlap", [l, r]) if plain(l) && plain(r) => overlap,
        ("array_sort", [list]) if plain(list) => |c| sorted(c, false, false),
        ("sort_array", [list, T::Boolean]) if plain(list) => |c| match c.constant_bool(1) {
            Some(ascending) => sorted(c, !ascending, ascending),
            None => Ok(None),
        },
        ("slice", [T::Array { .. }, T::Integer, T::Integer]) => slice,
        ("reverse", [T::Array { .. }]) => |c| {
            let Some(list) = list(c, 0) else { return Ok(None) };
            from_one(c, list, |_, range, out| out.extend(range.rev().map(|i| i as u32)))
        },
        ("concat", all) if all.len() > 1 && all.iter().all(|t| matches!(t, T::Array { .. })) => concat,
        ("array", all) if !all.is_empty() => array,
        _ => return None,
    })
}

/// Types whose values Arrow compares as Spark does, once floating zeros and NaNs are made alike.
fn is_plain(t: &DataType) -> bool {
    t.is_atomic() && !matches!(t, DataType::Variant | DataType::Null)
}

fn list<'a>(c: &'a Columns<'_>, i: usize) -> Option<&'a ListArray> {
    c.column(i)?.as_list_opt::<i32>()
}

/// Positions of the elements of a row.
fn range(offsets: &[i32], row: usize) -> Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}

/// An array column of these lengths over values; None: the values' type is not that of the result.
fn lists(c: &Columns<'_>, values: ArrayRef, offsets: Vec<i32>, nulls: Option<NullBuffer>) -> Result<Option<ArrayRef>> {
    let at::DataType::List(field) = c.result.to_arrow() else { return Ok(None) };
    if field.data_type() != values.data_type() || !field.is_nullable() && values.null_count() > 0 {
        return Ok(None);
    }
    Ok(Some(Arc::new(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, nulls)?)))
}

/// Lists made of elements of the one list argument; null where that is.
fn from_one(
    c: &Columns<'_>,
    list: &ListArray,
    mut pick: impl FnMut(usize, Range<usize>, &mut Vec<u32>),
) -> Result<Option<ArrayRef>> {
    let mut picked = Vec::with_capacity(list.values().len());
    let mut offsets = Vec::with_capacity(c.rows + 1);
    offsets.push(0);
    for row in 0..c.rows {
        if list.is_valid(row) {
            pick(row, range(list.value_offsets(), row), &mut picked);
        }
        offsets.push(picked.len() as i32);
    }
    lists(c, take(list.values(), &UInt32Array::from(picked), None)?, offsets, list.nulls().cloned())
}

/// Which elements (of all rows) equal the value beside their list; null where either is.
fn equal_to_needle(values: &ArrayRef, offsets: &[i32], needle: &Operand, t: &DataType) -> Result<BooleanArray> {
    let values = Operand::Column(values.clone());
    if needle.is_scalar() {
        return equal_values(&values, needle, t, values.array().len());
    }
    let mut rows = vec![0u32; values.array().len()];
    for (row, ends) in offsets.windows(2).enumerate() {
        rows[ends[0] as usize..ends[1] as usize].fill(row as u32);
    }
    let needles = take(needle.array(), &UInt32Array::from(rows), None)?;
    equal_values(&values, &Operand::Column(needles), t, values.array().len())
}

/// The list argument and which of its elements equal the second argument.
fn searched<'a>(c: &'a Columns<'_>) -> Result<Option<(&'a ListArray, BooleanArray)>> {
    let (Some(list), DataType::Array { element, .. }) = (list(c, 0), &c.types[0]) else { return Ok(None) };
    if list.is_empty() || c.types[1] != **element {
        return Ok(None);
    }
    Ok(Some((list, equal_to_needle(list.values(), list.value_offsets(), &c.args[1], element)?)))
}

/// Rows where the list and the value to be found are both there.
fn both(c: &Columns<'_>, list: &ListArray) -> Option<NullBuffer> {
    let needle = &c.args[1];
    let own = match needle {
        Operand::Column(array) => array.nulls().cloned(),
        Operand::Scalar(array) => array.is_null(0).then(|| NullBuffer::new_null(c.rows)),
    };
    NullBuffer::union(list.nulls(), own.as_ref())
}

fn contains(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some((list, equal)) = searched(c)? else { return Ok(None) };
    let there = both(c, list);
    let found: BooleanArray = (0..c.rows)
        .map(|row| {
            if there.as_ref().is_some_and(|n| n.is_null(row)) {
                return None;
            }
            let mut unknown = false;
            for i in range(list.value_offsets(), row) {
                if equal.is_null(i) {
                    unknown = true;
                } else if equal.value(i) {
                    return Some(true);
                }
            }
            (!unknown).then_some(false)
        })
        .collect();
    Ok(Some(Arc::new(found)))
}

fn position(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some((list, equal)) = searched(c)? else { return Ok(None) };
    let places: Vec<i64> = (0..c.rows)
        .map(|row| {
            let mut elements = range(list.value_offsets(), row);
            elements.position(|i| equal.is_valid(i) && equal.value(i)).map_or(0, |at| at as i64 + 1)
        })
        .collect();
    Ok(Some(Arc::new(Int64Array::new(places.into(), both(c, list)))))
}

fn remove(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some((list, equal)) = searched(c)? else { return Ok(None) };
    if both(c, list).as_ref().map(NullBuffer::null_count) != list.nulls().map(NullBuffer::null_count) {
        return Ok(None);
    }
    from_one(c, list, |_, range, out| {
        out.extend(range.filter(|i| equal.is_null(*i) || !equal.value(*i)).map(|i| i as u32));
    })
}

/// The value that belongs to a key of a map.
fn entry(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let (Some(map), DataType::Map { key, .. }) = (c.column(0).and_then(|a| a.as_map_opt()), &c.types[0]) else {
        return Ok(None);
    };
    let map: &MapArray = map;
    if c.types[1] != **key || map.values().data_type() != &c.result.to_arrow() {
        return Ok(None);
    }
    let equal = equal_to_needle(map.keys(), map.value_offsets(), &c.args[1], key)?;
    let found: UInt32Array = (0..c.rows)
        .map(|row| {
            if map.is_null(row) {
                return None;
            }
            range(map.value_offsets(), row).find(|i| equal.is_valid(*i) && equal.value(*i)).map(|i| i as u32)
        })
        .collect();
    Ok(Some(take(map.values(), &found, None)?))
}

fn size(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some(column) = c.column(0) else { return Ok(None) };
    let (offsets, nulls) = match (column.as_list_opt::<i32>(), column.as_map_opt()) {
        (Some(list), _) => (list.value_offsets(), list.nulls()),
        (_, Some(map)) => (map.value_offsets(), map.nulls()),
        _ => return Ok(None),
    };
    // Without ANSI the size of null is -1.
    if !c.ansi && nulls.is_some_and(|n| n.null_count() > 0) {
        return Ok(None);
    }
    let values: Vec<i32> = offsets.windows(2).map(|w| w[1] - w[0]).collect();
    Ok(Some(Arc::new(Int32Array::new(values.into(), nulls.cloned()))))
}

/// An element of each array by its place, counted from `first`; gives up where one is missing, as ANSI may make it an error.
fn element(c: &Columns<'_>, first: i64) -> Result<Option<ArrayRef>> {
    let (Some(list), Some(places)) = (list(c, 0), c.whole_numbers(1)?) else { return Ok(None) };
    if list.values().data_type() != &c.result.to_arrow() {
        return Ok(None);
    }
    let mut indices = Vec::with_capacity(c.rows);
    for row in 0..c.rows {
        let at = c.args[1].index(row);
        if list.is_null(row) || places.is_null(at) {
            indices.push(None);
            continue;
        }
        let elements = range(list.value_offsets(), row);
        let place = places.value(at);
        let from_end = if first == 1 && place < 0 { elements.len() as i64 + 1 } else { 0 };
        match usize::try_from(place + from_end - first) {
            Ok(at) if at < elements.len() => indices.push(Some((elements.start + at) as u32)),
            _ => return Ok(None),
        }
    }
    Ok(Some(take(list.values(), &UInt32Array::from(indices), None)?))
}

/// Values as bytes that compare as Spark compares them.
fn comparable(values: &ArrayRef, options: SortOptions) -> Result<Rows> {
    let values = normalize_floats(values);
    let converter = converter(vec![SortField::new_with_options(values.data_type().clone(), options)])?;
    Ok(converter.convert_columns(&[values])?)
}

fn distinct(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some(list) = list(c, 0) else { return Ok(None) };
    let rows = comparable(list.values(), SortOptions::default())?;
    let mut seen = HashSet::new();
    from_one(c, list, |_, range, out| {
        seen.clear();
        out.extend(range.filter(|i| seen.insert(rows.row(*i))).map(|i| i as u32));
    })
}

/// Two array arguments, their elements in one column: those of the second after those of the first.
struct Pair<'a> {
    c: &'a Columns<'a>,
    lists: [&'a ListArray; 2],
    values: ArrayRef,
    rows: Rows,
    nulls: Option<NullBuffer>,
}

impl<'a> Pair<'a> {
    fn of(c: &'a Columns<'a>) -> Result<Option<Self>> {
        let (Some(l), Some(r)) = (list(c, 0), list(c, 1)) else { return Ok(None) };
        if l.values().data_type() != r.values().data_type() {
            return Ok(None);
        }
        let values = arrow::compute::concat(&[l.values(), r.values()])?;
        let rows = comparable(&values, SortOptions::default())?;
        Ok(Some(Self { c, lists: [l, r], values, rows, nulls: NullBuffer::union(l.nulls(), r.nulls()) }))
    }

    /// Places of the elements of both lists of a row.
    fn ranges(&self, row: usize) -> (Range<usize>, Range<usize>) {
        let second = range(self.lists[1].value_offsets(), row);
        let shift = self.lists[0].values().len();
        (range(self.lists[0].value_offsets(), row), second.start + shift..second.end + shift)
    }

    fn there(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|n| n.is_valid(row))
    }

    fn picked(&self, mut pick: impl FnMut(Range<usize>, Range<usize>, &mut Vec<u32>)) -> Result<Option<ArrayRef>> {
        let mut picked = Vec::new();
        let mut offsets = vec![0];
        for row in 0..self.c.rows {
            if self.there(row) {
                let (l, r) = self.ranges(row);
                pick(l, r, &mut picked);
            }
            offsets.push(picked.len() as i32);
        }
        lists(self.c, take(&self.values, &UInt32Array::from(picked), None)?, offsets, self.nulls.clone())
    }
}

fn union(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some(pair) = Pair::of(c)? else { return Ok(None) };
    let mut seen = HashSet::new();
    pair.picked(|l, r, out| {
        seen.clear();
        out.extend(l.chain(r).filter(|i| seen.insert(pair.rows.row(*i))).map(|i| i as u32));
    })
}

/// array_intersect: distinct elements that the other list has; array_except: that it has not.
fn shared(c: &Columns<'_>, wanted: bool) -> Result<Option<ArrayRef>> {
    let Some(pair) = Pair::of(c)? else { return Ok(None) };
    let (mut seen, mut other) = (HashSet::new(), HashSet::new());
    pair.picked(|l, r, out| {
        seen.clear();
        other.clear();
        other.extend(r.map(|i| pair.rows.row(i)));
        let kept = l.filter(|i| other.contains(&pair.rows.row(*i)) == wanted && seen.insert(pair.rows.row(*i)));
        out.extend(kept.map(|i| i as u32));
    })
}

fn overlap(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some(pair) = Pair::of(c)? else { return Ok(None) };
    let mut other = HashSet::new();
    let found: BooleanArray = (0..c.rows)
        .map(|row| {
            if !pair.there(row) {
                return None;
            }
            let (l, r) = pair.ranges(row);
            let present = |i: &usize| pair.values.is_valid(*i);
            other.clear();
            other.extend(r.clone().filter(present).map(|i| pair.rows.row(i)));
            if l.clone().filter(present).any(|i| other.contains(&pair.rows.row(i))) {
                return Some(true);
            }
            let unknown = !l.is_empty() && !r.is_empty() && !l.chain(r).all(|i| present(&i));
            (!unknown).then_some(false)
        })
        .collect();
    Ok(Some(Arc::new(found)))
}

fn sorted(c: &Columns<'_>, descending: bool, nulls_first: bool) -> Result<Option<ArrayRef>> {
    let Some(list) = list(c, 0) else { return Ok(None) };
    let rows = comparable(list.values(), SortOptions { descending, nulls_first })?;
    from_one(c, list, |_, range, out| {
        let from = out.len();
        out.extend(range.map(|i| i as u32));
        out[from..].sort_by(|a, b| rows.row(*a as usize).cmp(&rows.row(*b as usize)));
    })
}

fn slice(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let (Some(list), Some(starts), Some(lengths)) = (list(c, 0), c.whole_numbers(1)?, c.whole_numbers(2)?) else {
        return Ok(None);
    };
    if starts.null_count() + lengths.null_count() > 0 {
        return Ok(None);
    }
    // A start of nothing and a negative length are errors.
    if starts.values().contains(&0) || lengths.values().iter().any(|n| *n < 0) {
        return Ok(None);
    }
    from_one(c, list, |row, range, out| {
        let (start, length) = (starts.value(c.args[1].index(row)), lengths.value(c.args[2].index(row)));
        let count = range.len() as i64;
        let from = if start > 0 { start - 1 } else { count + start };
        if (0..count).contains(&from) {
            let to = from.saturating_add(length).min(count);
            out.extend((range.start as i64 + from..range.start as i64 + to).map(|i| i as u32));
        }
    })
}

fn concat(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    let Some(all) = c.args.iter().map(|a| a.array().as_list_opt::<i32>()).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    if c.args.iter().all(Operand::is_scalar) {
        return Ok(None);
    }
    let values: Vec<&dyn Array> = all.iter().map(|list| list.values().as_ref()).collect();
    if values.windows(2).any(|pair| pair[0].data_type() != pair[1].data_type()) {
        return Ok(None);
    }
    let mut picked: Vec<(usize, usize)> = Vec::new();
    let mut offsets = vec![0];
    let mut there = Vec::with_capacity(c.rows);
    for row in 0..c.rows {
        let present = c.args.iter().zip(&all).all(|(a, list)| list.is_valid(a.index(row)));
        if present {
            for (i, (a, list)) in c.args.iter().zip(&all).enumerate() {
                picked.extend(range(list.value_offsets(), a.index(row)).map(|at| (i, at)));
            }
        }
        there.push(present);
        offsets.push(picked.len() as i32);
    }
    lists(c, interleave(&values, &picked)?, offsets, Some(NullBuffer::from(there)))
}

/// array(a, b, ...): the arguments of a row, one after the other.
fn array(c: &Columns<'_>) -> Result<Option<ArrayRef>> {
    if c.args.iter().all(Operand::is_scalar) {
        return Ok(None);
    }
    let values: Vec<&dyn Array> = c.args.iter().map(|a| a.array().as_ref()).collect();
    if values.windows(2).any(|pair| pair[0].data_type() != pair[1].data_type()) {
        return Ok(None);
    }
    let width = c.args.len();
    let picked: Vec<(usize, usize)> =
        (0..c.rows).flat_map(|row| c.args.iter().enumerate().map(move |(i, a)| (i, a.index(row)))).collect();
    let offsets = (0..=c.rows).map(|row| (row * width) as i32).collect();
    lists(c, interleave(&values, &picked)?, offsets, None)
}
