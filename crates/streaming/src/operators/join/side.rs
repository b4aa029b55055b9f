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
    /// A row's value ends with whether it has found a partner.
    pub(super) with_matched: bool,
}

impl SideStores {
    /// `side`: "left" or "right"; `keys`: types and nullability of the join keys; `input`: the side's columns.
    pub(super) fn new(side: &str, keys: &[(DataType, bool)], input: StructType, with_matched: bool) -> Self {
        let fields: Vec<StructField> = keys
            .iter()
            .enumerate()
            .map(|(i, (data_type, nullable))| StructField::new(format!("field{i}"), data_type.clone(), *nullable))
            .collect();
        let count = StructType::new(vec![StructField::new("value", DataType::Long, true)]);
        let mut with_index = fields.clone();
        with_index.push(StructField::new("index", DataType::Long, true));
        let mut value = input;
        if with_matched {
            value.fields.push(StructField::new("matched", DataType::Boolean, true));
        }
        Self {
            with_matched,
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
    with_matched: bool,
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
    pub(super) fn new(counts: StateStore, rows: StateStore, with_matched: bool) -> Self {
        let key_types = counts.schema().key_types();
        let value_fields = rows.schema().value.fields.len();
        Self { counts, rows, key_types, value_fields, with_matched }
    }

    fn count(&self, key: &[u8]) -> i64 {
        self.counts.get(key).and_then(|row| long_at(row, 1, 0)).unwrap_or(0)
    }

    fn key_with_index(&self, key: &[u8], index: i64) -> Vec<u8> {
        append_long(&self.key_types, key, index).unwrap_or_default()
    }

    fn buffered(&self, key: &[u8], index: i64) -> Option<Buffered> {
        let value = self.rows.get(&self.key_with_index(key, index))?.to_vec();
        let matched = self.with_matched
            && long_at(&value, self.value_fields, self.value_fields - 1).is_some_and(|word| word & 1 == 1);
        Some(Buffered { index, value, matched })
    }

    /// The rows of a key by index.
    pub(super) fn rows_of(&self, key: &[u8]) -> Vec<Buffered> {
        (0..self.count(key)).filter_map(|index| self.buffered(key, index)).collect()
    }

    fn put_value(&mut self, key: &[u8], index: i64, mut value: Vec<u8>, matched: bool) {
        if self.with_matched {
            set_long(&mut value, self.value_fields, self.value_fields - 1, i64::from(matched));
        }
        let key = self.key_with_index(key, index);
        self.rows.put(&key, &value);
    }

    /// Adds a row; `value` has room for "matched". `time`: its event time that removals go by, µs.
    pub(super) fn append(&mut self, key: &[u8], value: &[u8], matched: bool, time: Option<i64>) {
        self.rows.note_time(time);
        let count = self.count(key);
        self.put_value(key, count, value.to_vec(), matched);
        self.counts.put(key, &count_row(count + 1));
    }

    /// Removes those of the rows of a key (as [`Self::rows_of`] gives them) that `matches` names; holes are filled from the
    /// end. The positions of the removed rows, in the order of their removal.
    pub(super) fn remove_matched(&mut self, key: &[u8], rows: &[Buffered], matches: &[bool]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..rows.len()).collect();
        let mut removed = Vec::new();
        let mut at = 0;
        while at < places.len() {
            if !matches[places[at]] {
                at += 1;
                continue;
            }
            removed.push(places.swap_remove(at));
            if let Some(last) = places.get(at) {
                self.put_value(key, at as i64, rows[*last].value.clone(), rows[*last].matched);
            }
            let end = self.key_with_index(key, places.len() as i64);
            self.rows.remove(&end);
        }
        if !removed.is_empty() {
            self.set_count(key, places.len() as i64);
        }
        removed
    }

    fn set_count(&mut self, key: &[u8], count: i64) {
        if count > 0 {
            self.counts.put(key, &count_row(count));
        } else {
            self.counts.remove(key);
        }
    }

    pub(super) fn mark_matched(&mut self, key: &[u8], row: &Buffered) {
        if self.with_matched {
            self.put_value(key, row.index, row.value.clone(), true);
        }
    }

    /// Whether the row of this index is marked by now.
    pub(super) fn is_matched(&self, key: &[u8], index: i64) -> bool {
        self.buffered(key, index).is_some_and(|row| row.matched)
    }

    /// removeByKeyCondition: all rows of the keys whose time is at or before `boundary` (µs), in the order of the counts. A
    /// batch whose boundary reaches no row does not look at them.
    pub(super) fn remove_keys(&mut self, boundary: i64, time_of: impl Fn(&[u8]) -> Option<i64>) -> Vec<Buffered> {
        if self.rows.is_younger(boundary) {
            return Vec::new();
        }
        let mut oldest = i64::MAX;
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for (key, _) in self.counts.iter() {
            match time_of(key) {
                Some(time) if time <= boundary => keys.push(key.to_vec()),
                Some(time) => oldest = oldest.min(time),
                None => {}
            }
        }
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
        self.rows.set_oldest(oldest);
        removed
    }

    /// removeByValueCondition: the rows whose time is at or before `boundary`, µs; holes are filled from the end.
    pub(super) fn remove_values(&mut self, boundary: i64, time_of: impl Fn(&[u8]) -> Option<i64>) -> Vec<Buffered> {
        if self.rows.is_younger(boundary) {
            return Vec::new();
        }
        let keys: Vec<(Vec<u8>, i64)> =
            self.counts.iter().map(|(key, count)| (key.to_vec(), long_at(count, 1, 0).unwrap_or(0))).collect();
        let mut oldest = i64::MAX;
        let mut removed = Vec::new();
        for (key, before) in keys {
            let (mut count, mut index) = (before, 0);
            while index < count {
                let row = self.buffered(&key, index);
                let time = row.as_ref().and_then(|row| time_of(&row.value));
                let Some(row) = row.filter(|_| time.is_some_and(|time| time <= boundary)) else {
                    oldest = time.map_or(oldest, |time| oldest.min(time));
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
            if count != before {
                self.set_count(&key, count);
            }
        }
        self.rows.set_oldest(oldest);
        removed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidemark_vfs::MemoryFs;

    use super::*;
    use crate::operators::StreamingConf;
    use crate::state::{StateStores, StoreId};

    fn row(words: &[i64]) -> Vec<u8> {
        [0].iter().chain(words).flat_map(|word| word.to_le_bytes()).collect()
    }

    fn state() -> SideState {
        let input = StructType::new(vec![StructField::new("v", DataType::Long, true)]);
        let stores = SideStores::new("left", &[(DataType::Long, true)], input, true);
        let mut all = StateStores::new(Arc::new(MemoryFs::new()), "/state", "run", StreamingConf::default());
        let mut open =
            |store: &(String, Rc<StateSchema>)| all.open(&StoreId::named(0, 0, &store.0), &store.1, 0).unwrap();
        let mut state = SideState::new(open(&stores.counts), open(&stores.rows), true);
        for (key, value) in [(1, 10), (2, 20), (1, 11), (1, 12), (1, 13)] {
            state.append(&row(&[key]), &row(&[value, 0]), false, Some(value));
        }
        state
    }

    fn values(rows: &[Buffered]) -> Vec<i64> {
        rows.iter().map(|buffered| long_at(&buffered.value, 2, 0).unwrap()).collect()
    }

    #[test]
    fn a_removed_row_is_replaced_by_the_last() {
        let mut state = state();
        // The times of the rows are their values but for two.
        let time = |value: &[u8]| long_at(value, 2, 0).map(|v| if matches!(v, 13 | 20) { 10 } else { v });
        assert!(state.remove_values(9, time).is_empty());
        let removed = state.remove_values(10, time);
        assert_eq!(state.rows.len(), 2);
        // 13 stands in the place of 10 when that is looked at again.
        let mut gone = values(&removed);
        gone.sort_unstable();
        assert_eq!(gone, [10, 13, 20]);
        assert_eq!(values(&state.rows_of(&row(&[1]))), [12, 11]);
        assert!(state.rows_of(&row(&[2])).is_empty() && state.counts.len() == 1);
    }

    #[test]
    fn a_matched_row_of_a_semi_join_leaves() {
        let mut state = state();
        let rows = state.rows_of(&row(&[1]));
        assert_eq!(state.remove_matched(&row(&[1]), &rows, &[true, false, true, true]), [0, 3, 2]);
        assert_eq!(values(&state.rows_of(&row(&[1]))), [11]);
    }

    #[test]
    fn rows_are_marked_and_go_with_their_key() {
        let mut state = state();
        let rows = state.rows_of(&row(&[1]));
        state.mark_matched(&row(&[1]), &rows[2]);
        assert!(state.is_matched(&row(&[1]), 2) && !state.is_matched(&row(&[1]), 1));
        state.rows.set_oldest(1);
        let removed = state.remove_keys(1, |key| long_at(key, 1, 0));
        assert_eq!(removed.iter().filter(|buffered| buffered.matched).count(), 1);
        assert_eq!((state.rows.len(), state.counts.len()), (1, 1));
    }
}
