//! What functions of arrays, maps and structs are made of: their elements by place, elements in a form that compares as Spark
//! compares them, and new arrays and maps from places of others.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int64Array, ListArray, MapArray, StructArray, UInt32Array, new_null_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{SortOptions, interleave, take};
use arrow::datatypes::{DataType as ArrowType, Int64Type};
use arrow::row::{Row, Rows, SortField};

use super::Operand;
use super::scalar::equal_values;
use super::typed::Columns;
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::exec::sort::{converter, normalize_floats};
use crate::types::DataType;
use crate::value::value_at;

/// The elements of an argument that holds arrays, or the entries of one that holds maps.
pub(super) struct Lists<'a> {
    offsets: &'a [i32],
    /// Elements of all rows; for a map its values.
    pub(super) values: &'a ArrayRef,
    /// Keys of a map.
    keys: Option<&'a ArrayRef>,
    nulls: Option<NullBuffer>,
    scalar: bool,
}

impl<'a> Lists<'a> {
    pub(super) fn of(operand: &'a Operand) -> Result<Lists<'a>> {
        let array = operand.array();
        let (offsets, values, keys) = match (array.as_list_opt::<i32>(), array.as_map_opt()) {
            (Some(list), _) => (list.value_offsets(), list.values(), None),
            (_, Some(map)) => (map.value_offsets(), map.values(), Some(map.keys())),
            // All null: nobody looks for elements.
            _ if *array.data_type() == ArrowType::Null => (&[][..], array, Some(array)),
            _ => return Err(SparkError::internal("elements of what is neither an array nor a map")),
        };
        Ok(Lists { offsets, values, keys, nulls: array.logical_nulls(), scalar: operand.is_scalar() })
    }

    fn index(&self, row: usize) -> usize {
        if self.scalar { 0 } else { row }
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|n| n.is_null(self.index(row)))
    }

    /// Places of a row's elements in `values`; none where the row is null.
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        let at = self.index(row);
        if self.nulls.as_ref().is_some_and(|n| n.is_null(at)) {
            return 0..0;
        }
        self.offsets[at] as usize..self.offsets[at + 1] as usize
    }

    pub(super) fn keys(&self) -> Result<&'a ArrayRef> {
        self.keys.ok_or_else(|| SparkError::internal("an array has no keys"))
    }
}

impl Columns<'_> {
    /// Argument `i`, a whole number of any width, as long numbers (one for a constant).
    pub(super) fn longs(&self, i: usize) -> Result<Int64Array> {
        let wide = arrow::compute::cast(self.operand(i)?.array(), &ArrowType::Int64)?;
        wide.as_primitive_opt::<Int64Type>().cloned().ok_or_else(|| SparkError::internal("a whole number"))
    }

    /// Rows where no argument is null; None: all.
    pub(super) fn present(&self) -> Option<NullBuffer> {
        self.args.iter().fold(None, |nulls, a| match a {
            Operand::Column(array) => NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref()),
            Operand::Scalar(array) if array.logical_null_count() > 0 => Some(NullBuffer::new_null(self.rows)),
            Operand::Scalar(_) => nulls,
        })
    }

    /// Argument `i`, arrays or maps.
    pub(super) fn lists(&self, i: usize) -> Result<Lists<'_>> {
        Lists::of(self.operand(i)?)
    }

    pub(super) fn operand(&self, i: usize) -> Result<&Operand> {
        self.args.get(i).ok_or_else(|| SparkError::internal(format!("argument {i} is missing")))
    }

    /// The rows of `lists`, cut out of a column beside its elements.
    pub(super) fn sliced(&self, lists: &Lists<'_>, values: &ArrayRef) -> Result<ArrayRef> {
        self.picked(values, self.present(), &mut |row, out| {
            out.extend(lists.range(row).map(|at| at as u32));
            Ok(())
        })
    }

    /// Arrays made of elements of `values`, picked row by row; null where `nulls` says so.
    pub(super) fn picked(
        &self,
        values: &ArrayRef,
        nulls: Option<NullBuffer>,
        pick: &mut dyn FnMut(usize, &mut Vec<u32>) -> Result<()>,
    ) -> Result<ArrayRef> {
        let (places, offsets) = pick_rows(self.rows, nulls.as_ref(), pick)?;
        list_array(self.result, take(values, &UInt32Array::from(places), None)?, offsets, nulls)
    }
}

/// Places picked row by row for rows that are not null, and where each row's begin.
pub(super) fn pick_rows(
    rows: usize,
    nulls: Option<&NullBuffer>,
    pick: &mut dyn FnMut(usize, &mut Vec<u32>) -> Result<()>,
) -> Result<(Vec<u32>, Vec<i32>)> {
    let mut places = Vec::new();
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    for row in 0..rows {
        if nulls.is_none_or(|n| n.is_valid(row)) {
            pick(row, &mut places)?;
        }
        offsets.push(places.len() as i32);
    }
    Ok((places, offsets))
}

/// Arrays made of elements of several columns.
pub(super) struct Mixed<'a> {
    sources: Vec<&'a dyn Array>,
    picked: Vec<(usize, usize)>,
    offsets: Vec<i32>,
    nulls: Vec<bool>,
}

impl<'a> Mixed<'a> {
    pub(super) fn new(sources: Vec<&'a dyn Array>) -> Self {
        Self { sources, picked: Vec::new(), offsets: vec![0], nulls: Vec::new() }
    }

    /// The next element of the current row.
    pub(super) fn push(&mut self, source: usize, place: usize) {
        self.picked.push((source, place));
    }

    pub(super) fn extend(&mut self, source: usize, places: Range<usize>) {
        self.picked.extend(places.map(|place| (source, place)));
    }

    /// The current row is done; `there`: it is not null.
    pub(super) fn end_row(&mut self, there: bool) {
        self.offsets.push(self.picked.len() as i32);
        self.nulls.push(there);
    }

    pub(super) fn finish(self, t: &DataType) -> Result<ArrayRef> {
        let DataType::Array { element, .. } = t else { return Err(SparkError::internal("array type")) };
        let values = interleaved(&self.sources, &self.picked, &element.to_arrow())?;
        list_array(t, values, self.offsets, Some(NullBuffer::from(self.nulls)))
    }
}

/// Values picked from several columns, as a column of the type.
pub(super) fn interleaved(sources: &[&dyn Array], picked: &[(usize, usize)], t: &ArrowType) -> Result<ArrayRef> {
    if sources.is_empty() || picked.is_empty() {
        return Ok(arrow::array::new_empty_array(t));
    }
    if sources.iter().all(|s| s.data_type() == sources[0].data_type()) {
        return relabelled(&interleave(sources, picked)?, t);
    }
    let alike: Vec<ArrayRef> = sources.iter().map(|s| relabelled(&s.slice(0, s.len()), t)).collect::<Result<_>>()?;
    let alike: Vec<&dyn Array> = alike.iter().map(AsRef::as_ref).collect();
    Ok(interleave(&alike, picked)?)
}

/// The same values under a type whose field names may be others.
pub(super) fn relabelled(array: &ArrayRef, t: &ArrowType) -> Result<ArrayRef> {
    if array.data_type() == t {
        return Ok(Arc::clone(array));
    }
    if *array.data_type() == ArrowType::Null {
        return Ok(new_null_array(t, array.len()));
    }
    Ok(match (t, array.data_type()) {
        (ArrowType::List(field), ArrowType::List(_)) => {
            let list = array.as_list::<i32>();
            let values = relabelled(list.values(), field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), list.offsets().clone(), values, list.nulls().cloned())?)
        }
        (ArrowType::Map(field, sorted), ArrowType::Map(..)) => {
            let map = array.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = relabelled(&entries, field.data_type())?.as_struct().clone();
            Arc::new(MapArray::try_new(field.clone(), map.offsets().clone(), entries, map.nulls().cloned(), *sorted)?)
        }
        (ArrowType::Struct(fields), ArrowType::Struct(own)) if own.len() == fields.len() => {
            let structs = array.as_struct();
            let columns = structs
                .columns()
                .iter()
                .zip(fields.iter())
                .map(|(c, f)| relabelled(c, f.data_type()))
                .collect::<Result<Vec<_>>>()?;
            let nulls = structs.nulls().cloned();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, structs.len())?)
        }
        _ => arrow::compute::cast(array, t)?,
    })
}

/// A column of arrays over values.
pub(super) fn list_array(
    t: &DataType,
    values: ArrayRef,
    offsets: Vec<i32>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let ArrowType::List(field) = t.to_arrow() else { return Err(SparkError::internal("array type")) };
    let values = relabelled(&values, field.data_type())?;
    Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, nulls)?))
}

/// A column of maps over keys and values that lie side by side.
pub(super) fn map_array(
    t: &DataType,
    keys: &ArrayRef,
    values: &ArrayRef,
    offsets: Vec<i32>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let ArrowType::Map(field, sorted) = t.to_arrow() else { return Err(SparkError::internal("map type")) };
    let ArrowType::Struct(pair) = field.data_type() else { return Err(SparkError::internal("map type")) };
    let [k, v] = &pair[..] else { return Err(SparkError::internal("map type")) };
    let columns = vec![relabelled(keys, k.data_type())?, relabelled(values, v.data_type())?];
    let entries = StructArray::try_new_with_length(pair.clone(), columns, None, keys.len())?;
    Ok(Arc::new(MapArray::try_new(field, OffsetBuffer::new(offsets.into()), entries, nulls, sorted)?))
}

/// ArrayBasedMapBuilder, all rows at once: entries lie row by row, cut by `offsets`. Null keys are refused, doubled keys by
/// spark.sql.mapKeyDedupPolicy.
pub(super) fn built_maps(
    t: &DataType,
    keys: ArrayRef,
    values: ArrayRef,
    offsets: Vec<i32>,
    nulls: Option<NullBuffer>,
    conf: &SqlConf,
) -> Result<ArrayRef> {
    let DataType::Map { key: key_type, .. } = t else { return Err(SparkError::internal("map type")) };
    // Floating keys are normalised: one zero, one NaN.
    let keys = if matches!(**key_type, DataType::Float | DataType::Double) { normalize_floats(&keys) } else { keys };
    let last_wins = conf.get("spark.sql.mapKeyDedupPolicy").is_some_and(|p| p.eq_ignore_ascii_case("LAST_WIN"));
    let [rows] = comparable([&keys])?;
    let absent = keys.logical_nulls();
    let mut kept_keys: Vec<u32> = Vec::with_capacity(keys.len());
    let mut kept_values: Vec<u32> = Vec::with_capacity(keys.len());
    let mut kept_offsets = vec![0];
    let mut seen: HashMap<Row<'_>, usize> = HashMap::new();
    for ends in offsets.windows(2) {
        seen.clear();
        for i in ends[0] as usize..ends[1] as usize {
            if absent.as_ref().is_some_and(|n| n.is_null(i)) {
                return Err(SparkError::runtime("NULL_MAP_KEY", &[]));
            }
            match seen.get(&rows.row(i)) {
                None => {
                    seen.insert(rows.row(i), kept_keys.len());
                    kept_keys.push(i as u32);
                    kept_values.push(i as u32);
                }
                Some(at) if last_wins => kept_values[*at] = i as u32,
                Some(_) => {
                    let key = super::scalar::text_of(&value_at(&keys, i, key_type));
                    return Err(SparkError::runtime(
                        "DUPLICATED_MAP_KEY",
                        &[("key", &key), ("mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\"")],
                    ));
                }
            }
        }
        kept_offsets.push(kept_keys.len() as i32);
    }
    if kept_keys.len() == keys.len() {
        return map_array(t, &keys, &values, offsets, nulls);
    }
    let keys = take(&keys, &UInt32Array::from(kept_keys), None)?;
    let values = take(&values, &UInt32Array::from(kept_values), None)?;
    map_array(t, &keys, &values, kept_offsets, nulls)
}

/// Columns of one type as bytes that compare as Spark compares their values, nulls first, those of one column with those of
/// another.
pub(super) fn comparable<const N: usize>(columns: [&ArrayRef; N]) -> Result<[Rows; N]> {
    let rows = all_comparable(&columns, SortOptions { descending: false, nulls_first: true })?;
    rows.try_into().map_err(|_| SparkError::internal("as many columns come out as went in"))
}

/// The same in any order, of any number of columns.
pub(super) fn all_comparable(columns: &[&ArrayRef], options: SortOptions) -> Result<Vec<Rows>> {
    let t = columns.iter().map(|c| c.data_type()).find(|t| **t != ArrowType::Null).unwrap_or(&ArrowType::Null);
    let converter = converter(vec![SortField::new_with_options(t.clone(), options)])?;
    columns.iter().map(|c| Ok(converter.convert_columns(&[normalize_floats(&relabelled(c, t)?)])?)).collect()
}

/// Elements beside a value to be found among them.
pub(super) enum Needle {
    /// By element: whether it equals the one value.
    One(BooleanArray),
    /// Elements, and the values by row.
    Each { elements: Rows, needles: Rows, there: Option<NullBuffer> },
}

impl Needle {
    /// `values`: elements of type `t`.
    pub(super) fn of(values: &ArrayRef, needle: &Operand, t: &DataType) -> Result<Needle> {
        if needle.is_scalar() {
            let elements = Operand::Column(values.clone());
            return Ok(Needle::One(equal_values(&elements, needle, t, values.len())?));
        }
        let [elements, needles] = comparable([values, needle.array()])?;
        Ok(Needle::Each { elements, needles, there: values.logical_nulls() })
    }

    /// Whether the element at a place equals the value of a row; None: the element is null.
    pub(super) fn equals(&self, row: usize, place: usize) -> Option<bool> {
        match self {
            Needle::One(equal) => equal.is_valid(place).then(|| equal.value(place)),
            Needle::Each { elements, needles, there } => {
                let there = there.as_ref().is_none_or(|n| n.is_valid(place));
                there.then(|| elements.row(place) == needles.row(row))
            }
        }
    }
}
