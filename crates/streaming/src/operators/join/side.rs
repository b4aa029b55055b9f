//! The buffered rows of one side of a stream-stream join (SymmetricHashJoinStateManager, state format 2).
//!
//! Two stores: key -> number of rows, and (key, index) -> (row, matched). The rows of a key have the indexes from 0; a hole is
//! filled with the last row.

use std::rc::Rc;

use tidemark_sql::types::{DataType, StructField, StructType};

use crate::state::unsafe_row::{append_long, long_at, set_long};
use crate::state::{StateSchema, StateStore};

/// Names and schemas of a side's stores: counts, rows.
#[derive(Clone, Debug)]
pub(super) struct SideStores {
    pub(super) counts: (String, Rc<StateSchema>),
    pub(super) rows: (String, Rc<StateSchema>),
}

impl SideStores {
    /// `side`: "left" or "right"; `keys`: types and nullability of the join keys; `input`: the side's columns.
    pub(super) fn new(side: &str, keys: &[(DataType, bool)], input: StructType) -> Self {
        let fields: Vec<StructField> = keys
            .iter()
            .enumerate()
            .map(|(i, (data_type, nullable))| StructField::new(format!("field{i}"), data_type.clone(), *nullable))
            .collect();
        let count = StructType::new(vec![StructField::new("value", DataType::Long, true)]);
        let mut with_index = fields.clone();
        with_index.push(StructField::new("index", DataType::Long, true));
        let mut value = input;
        value.fields.push(StructField::new("matched", DataType::Boolean, true));
        Self {
            counts: (format!("{side}-keyToNumValues"), Rc::new(StateSchema::new(StructType::new(fields), count))),
            rows: (
                format!("{side}-keyWithIndexToValue"),
                Rc::new(StateSchema::new(StructType::new(with_index), value)),
            ),
        }
    }
}

/// One partition of one side.
#[derive(Debug)]
pub(super) struct SideState {
    pub(super) counts: StateStore,
    pub(super) rows: StateStore,
    key_types: Vec<DataType>,
    /// Fields of a value row: the side's columns and "matched".
    value_fields: usize,
}

/// A buffered row.
#[derive(Clone, Debug)]
pub(super) struct Buffered {
    pub(super) index: i64,
    /// The side's columns and "matched".
    pub(super) value: Vec<u8>,
    pub(super) matched: bool,
}

fn count_row(count: i64) -> [u8; 16] {
    let mut row = [0; 16];
    row[8..].copy_from_slice(&count.to_le_bytes());
    row
}

impl SideState {
    pub(super) fn new(counts: StateStore, rows: StateStore) -> Self {
        let key_types = counts.schema().key_types();
        let value_fields = rows.schema().value.fields.len();
        Self { counts, rows, key_types, value_fields }
    }

    fn count(&self, key: &[u8]) -> i64 {
        self.counts.get(key).and_then(|row| long_at(row, 1, 0)).unwrap_or(0)
    }

    fn key_with_index(&self, key: &[u8], index: i64) -> Vec<u8> {
        append_long(&self.key_types, key, index).unwrap_or_default()
    }

    fn buffered(&self, key: &[u8], index: i64) -> Option<Buffered> {
        let value = self.rows.get(&self.key_with_index(key, index))?.to_vec();
        let matched = long_at(&value, self.value_fields, self.value_fields - 1).is_some_and(|word| word & 1 == 1);
        Some(Buffered { index, value, matched })
    }

    /// The rows of a key by index.
    pub(super) fn rows_of(&self, key: &[u8]) -> Vec<Buffered> {
        (0..self.count(key)).filter_map(|index| self.buffered(key, index)).collect()
    }

    fn put_value(&mut self, key: &[u8], index: i64, mut value: Vec<u8>, matched: bool) {
        set_long(&mut value, self.value_fields, self.value_fields - 1, i64::from(matched));
        let key = self.key_with_index(key, index);
        self.rows.put(&key, &value);
    }

    /// Adds a row; `value` has room for "matched".
    pub(super) fn append(&mut self, key: &[u8], value: &[u8], matched: bool) {
        let count = self.count(key);
        self.put_value(key, count, value.to_vec(), matched);
        self.counts.put(key, &count_row(count + 1));
    }

    pub(super) fn mark_matched(&mut self, key: &[u8], row: &Buffered) {
        self.put_value(key, row.index, row.value.clone(), true);
    }

    /// Whether the row of this index is marked by now.
    pub(super) fn is_matched(&self, key: &[u8], index: i64) -> bool {
        self.buffered(key, index).is_some_and(|row| row.matched)
    }

    /// removeByKeyCondition: all rows of the keys that `gone` holds for, in the order of the counts.
    pub(super) fn remove_keys(&mut self, gone: impl Fn(&[u8]) -> bool) -> Vec<Buffered> {
        let keys: Vec<Vec<u8>> =
            self.counts.iter().map(|(key, _)| key).filter(|key| gone(key)).map(<[u8]>::to_vec).collect();
        let mut removed = Vec::new();
        for key in keys {
            let rows = self.rows_of(&key);
            self.counts.remove(&key);
            for row in rows {
                let key = self.key_with_index(&key, row.index);
                self.rows.remove(&key);
                removed.push(row);
            }
        }
        removed
    }

    /// removeByValueCondition: the rows that `gone` holds for; holes are filled from the end.
    pub(super) fn remove_values(&mut self, gone: impl Fn(&[u8]) -> bool) -> Vec<Buffered> {
        let keys: Vec<(Vec<u8>, i64)> =
            self.counts.iter().map(|(key, count)| (key.to_vec(), long_at(count, 1, 0).unwrap_or(0))).collect();
        let mut removed = Vec::new();
        for (key, before) in keys {
            let (mut count, mut index) = (before, 0);
            while index < count {
                let Some(row) = self.buffered(&key, index).filter(|row| gone(&row.value)) else {
                    index += 1;
                    continue;
                };
                if index != count - 1
                    && let Some(last) = self.buffered(&key, count - 1)
                {
                    self.put_value(&key, index, last.value, last.matched);
                }
                let last = self.key_with_index(&key, count - 1);
                self.rows.remove(&last);
                count -= 1;
                removed.push(row);
            }
            if count == before {
                continue;
            }
            if count > 0 {
                self.counts.put(&key, &count_row(count));
            } else {
                self.counts.remove(&key);
            }
        }
        removed
    }
}
