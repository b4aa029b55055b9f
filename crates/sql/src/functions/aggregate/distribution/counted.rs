//! The values of a distribution with their counts, and what is read off them.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, StructArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes as at;

use super::{Distribution, Kind, Pick};
use crate::error::{Result, SparkError};
use crate::functions::aggregate::cells::{Stack, element_groups, list_buffers, read_lists};
use crate::functions::aggregate::{Accumulator, passes};
use crate::functions::hash::{murmur3_bytes, murmur3_int};
use crate::functions::integers::{Numbers, as_doubles, from_numbers};
use crate::functions::nested::{comparable, list_array, relabelled};
use crate::types::DataType;

/// Keys, by number, and counts in the order of org.apache.spark.util.collection.OpenHashMap.
#[derive(Clone, Debug)]
struct OpenHashMap {
    /// Positions hold indexes of entries.
    table: Vec<Option<usize>>,
    entries: Vec<Entry>,
    /// Entries by the comparable form of their key.
    index: HashMap<Box<[u8]>, usize>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u32,
    hash: i32,
    count: i64,
}

impl Default for OpenHashMap {
    fn default() -> Self {
        Self { table: vec![None; 64], entries: Vec::new(), index: HashMap::new() }
    }
}

impl OpenHashMap {
    /// Whether the key is new.
    fn add(&mut self, entry: Entry, comparable: &[u8]) -> bool {
        if let Some(i) = self.index.get(comparable) {
            self.entries[*i].count += entry.count;
            return false;
        }
        let i = self.entries.len();
        self.index.insert(comparable.into(), i);
        place(&mut self.table, i, entry.hash);
        self.entries.push(entry);
        if self.entries.len() as f64 > 0.7 * self.table.len() as f64 {
            let mut grown = vec![None; self.table.len() * 2];
            for i in self.table.iter().flatten() {
                place(&mut grown, *i, self.entries[*i].hash);
            }
            self.table = grown;
        }
        true
    }

    fn in_order(&self) -> impl Iterator<Item = &Entry> {
        self.table.iter().flatten().map(|i| &self.entries[*i])
    }
}

fn place(table: &mut [Option<usize>], i: usize, hash: i32) {
    let mask = table.len() - 1;
    // Hashing.murmur3_32_fixed().hashInt.
    let mut at = murmur3_int(hash, 0) as u32 as usize & mask;
    let mut step = 1;
    while table[at].is_some() {
        at = (at + step) & mask;
        step += 1;
    }
    table[at] = Some(i);
}

/// Object.hashCode of the objects that Spark holds for values.
fn java_hashes(array: &ArrayRef, t: &DataType) -> Result<Vec<i32>> {
    let wrong = || SparkError::internal("a hash of a value of another type");
    let fold = |bits: u64| (bits ^ (bits >> 32)) as i32;
    let rows = 0..array.len();
    Ok(match t {
        DataType::Boolean => {
            let flags = array.as_boolean_opt().ok_or_else(wrong)?;
            rows.map(|i| if flags.value(i) { 1231 } else { 1237 }).collect()
        }
        DataType::Float => {
            let numbers = array.as_primitive_opt::<at::Float32Type>().ok_or_else(wrong)?;
            numbers.values().iter().map(|x| x.to_bits() as i32).collect()
        }
        DataType::Double => {
            let numbers = array.as_primitive_opt::<at::Float64Type>().ok_or_else(wrong)?;
            numbers.values().iter().map(|x| fold(x.to_bits())).collect()
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            let texts = array.as_string_opt::<i32>().ok_or_else(wrong)?;
            rows.map(|i| murmur3_bytes(texts.value(i).as_bytes(), 42)).collect()
        }
        DataType::Decimal { scale, .. } => {
            let numbers = Numbers::of(array)?;
            let hash = |n: i128| i32::from(*scale).wrapping_add(31i32.wrapping_mul(fold(n as u64)));
            rows.map(|i| hash(numbers.value(i))).collect()
        }
        DataType::Byte | DataType::Short | DataType::Integer | DataType::Date | DataType::YearMonthInterval { .. } => {
            let numbers = Numbers::of(array)?;
            rows.map(|i| numbers.value(i) as i32).collect()
        }
        _ => match Numbers::of(array) {
            Ok(numbers) => rows.map(|i| fold(numbers.value(i) as u64)).collect(),
            Err(_) => vec![0; array.len()],
        },
    })
}

pub(super) struct Distributions {
    function: Distribution,
    /// Different keys of all groups.
    keys: Stack,
    maps: Vec<OpenHashMap>,
}

impl Distributions {
    pub(super) fn new(function: &Distribution) -> Self {
        Self { function: function.clone(), keys: Stack::default(), maps: Vec::new() }
    }

    /// Row by row: a key that is not null, as often as `count` says (not at all for none).
    fn add(&mut self, groups: &[u32], keys: &ArrayRef, count: &dyn Fn(usize) -> Result<Option<i64>>) -> Result<()> {
        let input = &self.function.input;
        let keys = relabelled(keys, &input.to_arrow())?;
        let hashes = java_hashes(&keys, input)?;
        let [rows] = comparable([&keys])?;
        let nulls = keys.logical_nulls();
        let mut fresh = Vec::new();
        for (row, g) in groups.iter().enumerate() {
            let count = count(row)?.filter(|n| *n > 0 && nulls.as_ref().is_none_or(|n| n.is_valid(row)));
            if let Some(count) = count {
                let key = (self.keys.len() + fresh.len()) as u32;
                let entry = Entry { key, hash: hashes[row], count };
                if self.maps[*g as usize].add(entry, rows.row(row).as_ref()) {
                    fresh.push(row as u32);
                }
            }
        }
        self.keys.add(std::slice::from_ref(input), &[keys], fresh)
    }
}

impl Accumulator for Distributions {
    fn resize(&mut self, groups: usize) {
        self.maps.resize_with(groups, OpenHashMap::default);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let weights = args.get(2).filter(|_| self.function.weighted);
        let weights = weights.and_then(|w| w.as_primitive_opt::<at::Int64Type>()).cloned();
        let frequency = self.function.frequency.clone();
        self.add(groups, arg, &|row| {
            if !passes(filter, row) {
                return Ok(None);
            }
            let weight = weights.as_ref().map_or(1, |w| if w.is_valid(row) { w.value(row) } else { 0 });
            if weight < 0 {
                return Err(SparkError::new(
                    crate::error::ErrorClass::IllegalArgument,
                    "NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION",
                    &[("frequencyExpression", frequency.as_str()), ("negativeValue", &format!("{weight}L"))],
                ));
            }
            Ok(Some(weight))
        })
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let (groups, lists) = read_lists(&self.function.entries_type(), groups, buffer)?;
        let broken = || SparkError::internal("a broken buffer of a distribution");
        let entries = lists.values().as_struct_opt().ok_or_else(broken)?;
        let [keys, counts] = entries.columns() else { return Err(broken()) };
        let counts = counts.as_primitive_opt::<at::Int64Type>().ok_or_else(broken)?;
        self.add(&element_groups(&groups, &lists), keys, &|row| Ok(Some(counts.value(row))))
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let t = self.function.entries_type();
        let entries: Vec<&Entry> = self.maps.iter().flat_map(OpenHashMap::in_order).collect();
        let mut offsets = vec![0];
        let mut end = 0;
        for map in &self.maps {
            end += map.entries.len() as i32;
            offsets.push(end);
        }
        let order = UInt32Array::from_iter_values(entries.iter().map(|e| e.key));
        let keys = take(&self.keys.column(0, &self.function.input)?, &order, None)?;
        let counts: ArrayRef = Arc::new(Int64Array::from_iter_values(entries.iter().map(|e| e.count)));
        let at::DataType::List(field) = t.to_arrow() else { return Err(SparkError::internal("entries are a list")) };
        let at::DataType::Struct(fields) = field.data_type() else { return Err(SparkError::internal("an entry")) };
        let entries = StructArray::try_new(fields.clone(), vec![keys, counts], None)?;
        let lists = list_array(&t, Arc::new(entries), offsets, None)?;
        Ok(vec![list_buffers(&t, &lists)?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let function = &self.function;
        let keys = self.keys.column(0, &function.input)?;
        let [rows] = comparable([&keys])?;
        let order = |a: &Entry, b: &Entry| rows.row(a.key as usize).cmp(&rows.row(b.key as usize));
        if let Kind::Mode(pick) = function.kind {
            let found = self.maps.iter().map(|map| most_frequent(map, pick, &order).map(|e| e.key));
            return Ok(take(&keys, &found.collect::<UInt32Array>(), None)?);
        }
        let mut read = Reading { function, keys: &keys, doubles: Vec::new(), picked: Vec::new(), numbers: Vec::new() };
        if read.computes() {
            read.doubles = as_doubles(&keys, &function.input)?;
        }
        let mut offsets = vec![0];
        let mut there = Vec::with_capacity(self.maps.len());
        for map in &self.maps {
            let mut sorted = map.entries.clone();
            sorted.sort_by(&order);
            if function.kind == Kind::Discrete(true) {
                sorted.reverse();
            }
            there.push(!sorted.is_empty());
            let wanted = if sorted.is_empty() { &[][..] } else { &function.percentages[..] };
            match wanted.first() {
                _ if function.many => wanted.iter().for_each(|p| read.percentile(&sorted, *p)),
                Some(p) => read.percentile(&sorted, *p),
                None => read.nothing(),
            }
            offsets.push(read.len() as i32);
        }
        let values = read.finish()?;
        if function.many { list_array(&function.result, values, offsets, Some(there.into())) } else { Ok(values) }
    }
}

/// The first of the most frequent entries, or the lowest or greatest of them.
fn most_frequent<'m>(
    map: &'m OpenHashMap,
    pick: Pick,
    order: &dyn Fn(&Entry, &Entry) -> Ordering,
) -> Option<&'m Entry> {
    map.in_order().reduce(|best, entry| {
        let wanted = match pick {
            Pick::First => false,
            Pick::Lowest => order(entry, best).is_lt(),
            Pick::Greatest => order(entry, best).is_gt(),
        };
        if entry.count > best.count || entry.count == best.count && wanted { entry } else { best }
    })
}

/// Percentiles of sorted entries, as keys or as numbers.
struct Reading<'a> {
    function: &'a Distribution,
    keys: &'a ArrayRef,
    doubles: Vec<f64>,
    picked: Vec<Option<u32>>,
    numbers: Vec<Option<f64>>,
}

impl Reading<'_> {
    fn single(&self) -> &DataType {
        match &self.function.result {
            DataType::Array { element, .. } if self.function.many => element,
            other => other,
        }
    }

    /// Whether the result is not one of the keys as it is.
    fn computes(&self) -> bool {
        match self.function.kind {
            Kind::Exact => true,
            Kind::Discrete(_) => *self.single() == DataType::Double,
            Kind::Ranked | Kind::Mode(_) => false,
        }
    }

    fn len(&self) -> usize {
        self.picked.len().max(self.numbers.len())
    }

    fn nothing(&mut self) {
        if self.computes() { self.numbers.push(None) } else { self.picked.push(None) }
    }

    fn percentile(&mut self, sorted: &[Entry], p: f64) {
        let total: i64 = sorted.iter().map(|e| e.count).sum();
        let at = |rank: i64| -> u32 {
            let mut seen = 0;
            for entry in sorted {
                seen += entry.count;
                if seen > rank {
                    return entry.key;
                }
            }
            sorted.last().map_or(0, |e| e.key)
        };
        if self.function.kind != Kind::Exact {
            let key = at(((p * total as f64).ceil() as i64 - 1).clamp(0, total - 1));
            if self.computes() {
                self.numbers.push(Some(self.doubles[key as usize]));
            } else {
                self.picked.push(Some(key));
            }
            return;
        }
        let position = (total - 1) as f64 * p;
        let (low, high) = (position.floor() as i64, position.ceil() as i64);
        let (a, b) = (self.doubles[at(low) as usize], self.doubles[at(high) as usize]);
        let between = (high as f64 - position) * a + (position - low as f64) * b;
        self.numbers.push(Some(if low == high || a == b { a } else { between }));
    }

    fn finish(self) -> Result<ArrayRef> {
        if !self.computes() {
            return Ok(take(self.keys, &UInt32Array::from(self.picked), None)?);
        }
        match self.single() {
            DataType::Double => Ok(Arc::new(Float64Array::from(self.numbers))),
            // Intervals are cut to whole months and microseconds.
            t => from_numbers(t, &mut self.numbers.iter().map(|x| x.map(|x| i128::from(x as i64)))),
        }
    }
}
