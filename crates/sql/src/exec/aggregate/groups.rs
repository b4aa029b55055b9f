//! Group numbers for key rows: dense, in order of first appearance.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::{concat, take};
use arrow::datatypes::TimestampMicrosecondType;
use arrow::datatypes::{ArrowPrimitiveType, DataType as ArrowType, Int32Type, Int64Type, TimeUnit};
use arrow::row::{RowConverter, Rows, SortField};
use hashbrown::HashTable;

use crate::error::{Result, SparkError};
use crate::exec::sort::{converter, normalize_floats};

/// Multiplicative hashing of words; fixed, so that a run is reproducible.
#[derive(Default, Clone, Copy)]
struct WordHasher(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_u64(bytes.len() as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(MULTIPLIER).rotate_left(29);
    }
    fn finish(&self) -> u64 {
        let h = self.0;
        (h ^ (h >> 32)).wrapping_mul(MULTIPLIER)
    }
}

/// Hash of a key's bytes; the same in every run.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = BuildHasherDefault::<WordHasher>::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

fn hash_word(word: u64) -> u64 {
    let h = word.wrapping_mul(MULTIPLIER);
    (h ^ (h >> 32)).wrapping_mul(MULTIPLIER)
}

/// How keys are told apart.
enum Keys {
    /// No grouping columns: one group.
    None,
    /// One integer-like column; `null` is the group of the null key.
    Word { table: HashTable<(u64, u32)>, null: Option<u32> },
    /// One string column.
    Text { table: HashTable<(u64, u32)>, bytes: Vec<u8>, ends: Vec<usize>, null: Option<u32> },
    /// Anything else, as comparable rows of bytes.
    Rows { converter: RowConverter, table: HashTable<(u64, u32)>, rows: Rows },
}

/// The groups of one task.
pub struct GroupTable {
    keys: Keys,
    groups: usize,
    /// Key columns of the groups, in chunks as they came.
    chunks: Vec<Vec<ArrayRef>>,
    width: usize,
}

/// The values of a column that fits a word.
fn words(column: &dyn Array) -> Option<Vec<u64>> {
    fn of<T: ArrowPrimitiveType>(column: &dyn Array, f: impl Fn(T::Native) -> u64) -> Vec<u64> {
        column.as_primitive::<T>().values().iter().map(|v| f(*v)).collect()
    }
    match column.data_type() {
        ArrowType::Int64 => Some(of::<Int64Type>(column, |v| v as u64)),
        ArrowType::Int32 => Some(of::<Int32Type>(column, |v| v as u64)),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => Some(of::<TimestampMicrosecondType>(column, |v| v as u64)),
        _ => None,
    }
}

impl GroupTable {
    /// For keys of these Arrow types.
    pub fn new(types: &[ArrowType]) -> Result<Self> {
        let keys = match types {
            [] => Keys::None,
            [ArrowType::Int64 | ArrowType::Int32 | ArrowType::Timestamp(TimeUnit::Microsecond, _)] => {
                Keys::Word { table: HashTable::new(), null: None }
            }
            [ArrowType::Utf8] => Keys::Text { table: HashTable::new(), bytes: Vec::new(), ends: vec![0], null: None },
            _ => {
                let converter = converter(types.iter().cloned().map(SortField::new).collect())?;
                let rows = converter.empty_rows(0, 0);
                Keys::Rows { converter, table: HashTable::new(), rows }
            }
        };
        let groups = usize::from(types.is_empty());
        Ok(Self { keys, groups, chunks: Vec::new(), width: types.len() })
    }

    /// Groups seen so far; without grouping columns always one.
    pub fn len(&self) -> usize {
        self.groups
    }

    pub fn is_empty(&self) -> bool {
        self.groups == 0
    }

    /// The group of each of `rows` rows; new keys get the next numbers.
    pub fn assign(&mut self, columns: &[ArrayRef], rows: usize) -> Result<Vec<u32>> {
        if matches!(self.keys, Keys::None) {
            return Ok(vec![0; rows]);
        }
        let columns: Vec<ArrayRef> = columns.iter().map(normalize_floats).collect();
        let mut out = Vec::with_capacity(rows);
        let mut fresh: Vec<u32> = Vec::new();
        let mut next = self.groups as u32;
        let mut add = |row: usize| {
            fresh.push(row as u32);
            next += 1;
            next - 1
        };
        match (&mut self.keys, columns.as_slice()) {
            (Keys::Word { table, null }, [column]) => {
                let values = words(column).ok_or_else(|| SparkError::internal("key column changed its type"))?;
                for (row, word) in values.into_iter().enumerate() {
                    if column.is_null(row) {
                        out.push(*null.get_or_insert_with(|| add(row)));
                        continue;
                    }
                    let group = table
                        .entry(hash_word(word), |(w, _)| *w == word, |(w, _)| hash_word(*w))
                        .or_insert_with(|| (word, add(row)))
                        .get()
                        .1;
                    out.push(group);
                }
            }
            (Keys::Text { table, bytes, ends, null }, [column]) => {
                let values = column.as_string::<i32>();
                // Position of a group's text: null takes a number but no text.
                let slot =
                    |group: u32, null: Option<u32>| group as usize - usize::from(null.is_some_and(|n| n < group));
                for row in 0..rows {
                    if values.is_null(row) {
                        out.push(*null.get_or_insert_with(|| add(row)));
                        continue;
                    }
                    let text = values.value(row).as_bytes();
                    let hash = hash_bytes(text);
                    let found = table.find(hash, |(h, group)| {
                        let at = slot(*group, *null);
                        *h == hash && &bytes[ends[at]..ends[at + 1]] == text
                    });
                    let group = match found {
                        Some((_, group)) => *group,
                        None => {
                            let group = add(row);
                            bytes.extend_from_slice(text);
                            ends.push(bytes.len());
                            table.insert_unique(hash, (hash, group), |(h, _)| *h);
                            group
                        }
                    };
                    out.push(group);
                }
            }
            (Keys::Rows { converter, table, rows: known }, columns) => {
                let keys = converter.convert_columns(columns)?;
                for (row, key) in keys.iter().enumerate() {
                    let hash = hash_bytes(key.data());
                    let found = table.find(hash, |(h, g)| *h == hash && known.row(*g as usize).data() == key.data());
                    let group = match found {
                        Some((_, group)) => *group,
                        None => {
                            let group = add(row);
                            known.push(key);
                            table.insert_unique(hash, (hash, group), |(h, _)| *h);
                            group
                        }
                    };
                    out.push(group);
                }
            }
            _ => return Err(SparkError::internal("grouping columns changed their number")),
        }
        self.groups = next as usize;
        if !fresh.is_empty() {
            let fresh = UInt32Array::from(fresh);
            let chunk = columns.iter().map(|c| take(c, &fresh, None)).collect::<Result<Vec<_>, _>>()?;
            self.chunks.push(chunk);
        }
        Ok(out)
    }

    /// The key columns, a row a group.
    pub fn key_columns(&self, types: &[ArrowType]) -> Result<Vec<ArrayRef>> {
        (0..self.width)
            .map(|i| {
                let pieces: Vec<&dyn Array> = self.chunks.iter().map(|c| &*c[i]).collect();
                if pieces.is_empty() { Ok(arrow::array::new_empty_array(&types[i])) } else { Ok(concat(&pieces)?) }
            })
            .collect()
    }
}

/// Groups with a null in any of these key columns go after the others (the fast map of a partial hash aggregate holds no
/// nulls); None when no group has one.
pub(super) fn nulls_last(keys: &[ArrayRef], groups: usize) -> Option<UInt32Array> {
    let is_null = |g: usize| keys.iter().any(|k| k.is_null(g));
    if keys.iter().all(|k| k.null_count() == 0) {
        return None;
    }
    let (with, without): (Vec<u32>, Vec<u32>) = (0..groups as u32).partition(|g| is_null(*g as usize));
    Some(UInt32Array::from_iter_values(without.into_iter().chain(with)))
}

/// Groups sorted by key, nulls first.
pub(super) fn sorted_by_key(keys: &[ArrayRef], groups: usize) -> Result<UInt32Array> {
    let options = vec![arrow::compute::SortOptions { descending: false, nulls_first: true }; keys.len()];
    crate::exec::sort::sort_permutation(keys.to_vec(), &options, groups)
}
