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

    /// Rows by the leading key columns that the schema names.
    pub fn prefix_scan(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.contents.prefix_scan(&self.schema, prefix)
    }

    /// Removes the rows that `gone` holds for (key, value), in the provider's order; gives them back.
    pub fn remove_where(&mut self, gone: impl Fn(&[u8], &[u8]) -> bool) -> Vec<(Vec<u8>, Vec<u8>)> {
        let removed: Vec<(Vec<u8>, Vec<u8>)> = self
            .iter()
            .filter(|(key, value)| gone(key, value))
            .map(|(key, value)| (key.to_vec(), value.to_vec()))
            .collect();
        for (key, _) in &removed {
            self.remove(key);
        }
        removed
    }
}
