//! One store in the hands of a task: reads the version it came from, collects changes for the next.

use std::rc::Rc;

use super::contents::Contents;
use super::records::RecordWriter;
use super::schema::StateSchema;

/// Identity of a store within a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreId {
    pub operator: usize,
    pub partition: usize,
    /// "default", or a name of the operator's own.
    pub name: String,
}

impl StoreId {
    pub fn new(operator: usize, partition: usize) -> Self {
        Self::named(operator, partition, DEFAULT_STORE)
    }

    pub fn named(operator: usize, partition: usize, name: &str) -> Self {
        Self { operator, partition, name: name.to_owned() }
    }
}

/// StateStoreId.DEFAULT_STORE_NAME
pub const DEFAULT_STORE: &str = "default";

/// A version for reading, or a version that becomes the next one by commit. Dropping it without a commit aborts it.
#[derive(Clone, Debug)]
pub struct StateStore {
    pub(super) id: StoreId,
    /// The version it came from.
    pub(super) version: i64,
    pub(super) schema: Rc<StateSchema>,
    pub(super) contents: Contents,
    pub(super) delta: RecordWriter,
    /// Bytes of rows that the version before does not share: keys put anew, and values put.
    pub(super) fresh: Fresh,
    /// No row has an event time below this, µs; None: not known. Kept by [`StateStore::put_timed`] and
    /// [`StateStore::evict`], so that a batch whose watermark reaches no row need not look at all of them.
    pub(super) oldest: Option<i64>,
    /// Whether Spark's operator looks at all of its rows.
    pub(super) iterated: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fresh {
    pub(super) keys: usize,
    pub(super) key_bytes: usize,
    pub(super) values: usize,
    pub(super) value_bytes: usize,
}

impl StateStore {
    pub fn schema(&self) -> &StateSchema {
        &self.schema
    }

    pub fn len(&self) -> usize {
        self.contents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.contents.get(key)
    }

    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        if self.contents.put(&self.schema, key, value) {
            self.fresh.keys += 1;
            self.fresh.key_bytes += key.len();
        }
        self.fresh.values += 1;
        self.fresh.value_bytes += value.len();
        self.delta.put(key, value);
    }

    /// A key that is not there leaves no trace in the delta file.
    pub fn remove(&mut self, key: &[u8]) {
        if self.contents.remove(&self.schema, key) {
            self.delta.remove(key);
        }
    }

    /// Keys and values in the provider's order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.contents.iter()
    }

    /// Keys and values of the rows whose key's bytes start with `prefix`, in the provider's order.
    pub fn starting_with<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.contents.starting_with(prefix)
    }

    /// Rows by the leading key columns that the schema names.
    pub fn prefix_scan(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.contents.prefix_scan(prefix)
    }

    /// [`Self::put`] of a row whose event time (µs) [`Self::evict`] will go by; None: it has none.
    pub fn put_timed(&mut self, key: &[u8], value: &[u8], time: Option<i64>) {
        self.note_time(time);
        self.put(key, value);
    }

    /// Notes the event time (µs) of a row that [`Self::put`] puts; None: it has none.
    pub(crate) fn note_time(&mut self, time: Option<i64>) {
        if let (Some(oldest), Some(time)) = (&mut self.oldest, time) {
            *oldest = time.min(*oldest);
        }
    }

    /// Whether it is known that no row has an event time at or before `boundary`, µs.
    pub(crate) fn is_younger(&self, boundary: i64) -> bool {
        self.oldest.is_some_and(|oldest| oldest > boundary)
    }

    /// Notes that Spark's operator only asks for single keys: its map then has no view of all entries, which SizeEstimator would
    /// count.
    pub(crate) fn asked_by_key(&mut self) {
        self.iterated = false;
    }

    /// After a look at all rows: none has an event time before this, µs.
    pub(crate) fn set_oldest(&mut self, oldest: i64) {
        self.oldest = Some(oldest);
    }

    /// Removes the rows whose event time, as `time_of` finds it in key and value, is at or before `boundary`; gives them
    /// back in the provider's order. All rows must have come by [`Self::put_timed`] (or from files).
    pub fn evict(&mut self, boundary: i64, time_of: impl Fn(&[u8], &[u8]) -> Option<i64>) -> Vec<(Vec<u8>, Vec<u8>)> {
        if self.is_younger(boundary) {
            return Vec::new();
        }
        let mut oldest = i64::MAX;
        let mut removed = Vec::new();
        for (key, value) in self.iter() {
            let Some(time) = time_of(key, value) else { continue };
            if time <= boundary {
                removed.push((key.to_vec(), value.to_vec()));
            } else {
                oldest = oldest.min(time);
            }
        }
        for (key, _) in &removed {
            self.remove(key);
        }
        self.oldest = Some(oldest);
        removed
    }
}
