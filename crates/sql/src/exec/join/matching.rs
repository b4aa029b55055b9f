//! The build side of a hash join, and the pairs that its lookups give.

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::compute::SortOptions;
use arrow::datatypes::DataType as ArrowType;
use arrow::row::{RowConverter, Rows, SortField};
use hashbrown::HashTable;

use crate::error::Result;
use crate::exec::aggregate::hash_bytes;
use crate::exec::sort::{converter, normalize_floats};

const NONE: u32 = u32::MAX;

/// Rows of the build side by key.
pub(super) struct HashSide {
    converter: Option<RowConverter>,
    keys: Option<Rows>,
    /// First row of each key's chain.
    table: HashTable<(u64, u32)>,
    /// Next row of the same key.
    next: Vec<u32>,
    null_safe: Vec<bool>,
}

/// Candidate pairs: for each streamed row, rows of the build side.
pub(super) enum Matches {
    /// Pairs in streamed order.
    Pairs { streamed: Vec<u32>, built: Vec<u32> },
    /// Every pair.
    All { build_rows: usize },
}

/// Whether a row has a null in a key that null cannot match.
pub(super) fn null_keys(columns: &[ArrayRef], null_safe: &[bool], rows: usize) -> BooleanArray {
    let mut out = vec![false; rows];
    for (column, safe) in columns.iter().zip(null_safe) {
        if *safe || (column.null_count() == 0 && *column.data_type() != ArrowType::Null) {
            continue;
        }
        for (row, flag) in out.iter_mut().enumerate() {
            *flag |= column.is_null(row) || *column.data_type() == ArrowType::Null;
        }
    }
    BooleanArray::from(out)
}

/// A converter for key columns, ascending with nulls first.
pub(super) fn key_converter(columns: &[ArrayRef]) -> Result<Option<RowConverter>> {
    if columns.is_empty() {
        return Ok(None);
    }
    let options = SortOptions { descending: false, nulls_first: true };
    let fields = columns.iter().map(|c| SortField::new_with_options(c.data_type().clone(), options)).collect();
    converter(fields).map(Some)
}

impl HashSide {
    /// `newest_first`: among rows of one key the last one comes first, as in Spark's hashed relations.
    pub(super) fn new(columns: Vec<ArrayRef>, rows: usize, null_safe: &[bool], newest_first: bool) -> Result<Self> {
        let columns: Vec<ArrayRef> = columns.iter().map(normalize_floats).collect();
        let converter = key_converter(&columns)?;
        let keys = converter.as_ref().map(|c| c.convert_columns(&columns)).transpose()?;
        let nulls = null_keys(&columns, null_safe, rows);
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let mut next = vec![NONE; rows];
        let order: Box<dyn Iterator<Item = usize>> =
            if newest_first { Box::new(0..rows) } else { Box::new((0..rows).rev()) };
        if let Some(keys) = &keys {
            for row in order {
                if nulls.value(row) {
                    continue;
                }
                let data = keys.row(row);
                let hash = hash_bytes(data.data());
                let found = table.find_mut(hash, |(h, r)| *h == hash && keys.row(*r as usize).data() == data.data());
                match found {
                    // The new row goes before those of its key that are there.
                    Some(entry) => {
                        next[row] = entry.1;
                        entry.1 = row as u32;
                    }
                    None => {
                        table.insert_unique(hash, (hash, row as u32), |(h, _)| *h);
                    }
                }
            }
        }
        Ok(Self { converter, keys, table, next, null_safe: null_safe.to_vec() })
    }

    pub(super) fn probe(&self, columns: &[ArrayRef], rows: usize) -> Result<Matches> {
        let (mut streamed, mut built) = (Vec::new(), Vec::new());
        if let (Some(converter), Some(keys)) = (&self.converter, &self.keys) {
            let columns: Vec<ArrayRef> = columns.iter().map(normalize_floats).collect();
            let nulls = null_keys(&columns, &self.null_safe, rows);
            let probes = converter.convert_columns(&columns)?;
            for row in 0..rows {
                if nulls.value(row) {
                    continue;
                }
                let data = probes.row(row);
                let hash = hash_bytes(data.data());
                let found = self.table.find(hash, |(h, r)| *h == hash && keys.row(*r as usize).data() == data.data());
                let mut at = found.map_or(NONE, |(_, r)| *r);
                while at != NONE {
                    streamed.push(row as u32);
                    built.push(at);
                    at = self.next[at as usize];
                }
            }
        }
        Ok(Matches::Pairs { streamed, built })
    }
}
