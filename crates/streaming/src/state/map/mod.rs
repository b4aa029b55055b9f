//! The map behind a state store: the contents and the iteration order of java.util.concurrent.ConcurrentHashMap.
//!
//! Spark's HDFS-backed provider keeps each version of a store in such a map keyed by UnsafeRow, and complete and append
//! mode print its iteration order. So the table's size, the order within a bucket, the splits of a resize and the tree bins
//! are reproduced; hashes are [`super::unsafe_row::hash_code`].
//!
//! A new version is a *new* Java map filled by `putAll`. Where that leaves the order as it is (same table size, no long
//! bucket), [`ConcurrentHashMap::next_version`] shares the old version's leaves: a batch costs what it touches, and two
//! versions in memory share what did not change.

mod leaves;
#[cfg(test)]
mod tests;
mod tree_bin;

use std::collections::BTreeMap;
use std::rc::Rc;

use leaves::{Entry, Leaves};
use tree_bin::TreeBin;

use super::unsafe_row::hash_code;

/// TREEIFY_THRESHOLD: a bucket that has as many nodes before another comes becomes a tree.
const TREEIFY: usize = 8;
/// UNTREEIFY_THRESHOLD: a half of a split bucket with at most as many nodes is a list again.
const UNTREEIFY: usize = 6;
/// MIN_TREEIFY_CAPACITY: smaller tables grow instead of making a tree.
const MIN_TREEIFY_TABLE: usize = 64;
/// DEFAULT_CAPACITY
const DEFAULT_TABLE: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct ConcurrentHashMap {
    /// Length of Java's table; 0 while there is none.
    table: usize,
    /// sizeCtl: number of entries at which the table doubles.
    threshold: usize,
    len: usize,
    leaves: Leaves,
    /// Buckets that are trees; their entries lie in `leaves` in the order of the bin's `next` chain.
    trees: BTreeMap<usize, Rc<TreeBin>>,
    /// A bucket was once so long that copying must go entry by entry.
    long_bucket: bool,
    key_bytes: usize,
    value_bytes: usize,
}

/// ConcurrentHashMap.spread
fn spread(hash: u32) -> u32 {
    (hash ^ (hash >> 16)) & 0x7fff_ffff
}

/// ConcurrentHashMap.tableSizeFor
fn table_size_for(capacity: usize) -> usize {
    capacity.max(1).next_power_of_two()
}

impl ConcurrentHashMap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length of Java's table, for the estimate of memory.
    pub fn table_len(&self) -> usize {
        self.table
    }

    /// Bytes of all key rows.
    pub fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    /// Bytes of all value rows.
    pub fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.table - 1)
    }

    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        if self.table == 0 {
            return None;
        }
        let hash = spread(hash_code(key));
        let entry = self.leaves.find(self.bucket(hash), hash, key)?;
        Some(entry.value())
    }

    pub fn contains_key(&self, key: &[u8]) -> bool {
        self.get(key).is_some()
    }

    /// putVal: whether the key is new.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.put_entry(Entry::new(spread(hash_code(key)), key, value))
    }

    fn put_entry(&mut self, entry: Entry) -> bool {
        if self.table == 0 {
            self.table = DEFAULT_TABLE;
            self.threshold = DEFAULT_TABLE - (DEFAULT_TABLE >> 2);
            self.leaves = Leaves::empty(DEFAULT_TABLE);
        }
        let bucket = self.bucket(entry.hash);
        let mut chain = self.leaves.chain_mut(bucket, self.table);
        let (key_len, value_len) = (entry.key().len(), entry.value().len());
        let hash = entry.hash;
        let found = chain.position(&entry);
        if let Some(position) = found {
            let old = chain.replace(position, entry);
            self.value_bytes = self.value_bytes - old.value().len() + value_len;
        } else if let Some(tree) = self.trees.get_mut(&bucket) {
            // TreeBin.putTreeVal links a new node before the others.
            Rc::make_mut(tree).insert(hash, entry.key());
            chain.push_front(entry);
        } else {
            chain.push_back(entry);
        }
        if found.is_none() {
            self.key_bytes += key_len;
            self.value_bytes += value_len;
        }
        if !self.trees.contains_key(&bucket) {
            // binCount: nodes passed on the way to the old node, or all nodes before the new one.
            let passed = found.map_or_else(|| self.leaves.chain_len(bucket, self.table) - 1, |position| position + 1);
            if passed >= TREEIFY {
                self.treeify(bucket);
            }
        }
        if found.is_some() {
            return false;
        }
        self.len += 1;
        while self.len >= self.threshold {
            self.resize();
        }
        true
    }

    /// treeifyBin
    fn treeify(&mut self, bucket: usize) {
        self.long_bucket = true;
        if self.table < MIN_TREEIFY_TABLE {
            self.presize(self.table << 1);
        } else {
            let tree = TreeBin::of(self.leaves.chain(bucket, self.table).iter().map(|e| (e.hash, e.key())));
            self.trees.insert(bucket, Rc::new(tree));
        }
    }

    /// tryPresize
    fn presize(&mut self, size: usize) {
        let capacity = table_size_for(size + (size >> 1) + 1);
        if self.table == 0 {
            self.table = self.threshold.max(capacity);
            self.threshold = self.table - (self.table >> 2);
            self.leaves = Leaves::empty(self.table);
        }
        while capacity > self.threshold {
            self.resize();
        }
    }

    /// The size of the table that tryPresize gives a new map.
    fn presized_table(size: usize) -> usize {
        let capacity = table_size_for(size + (size >> 1) + 1);
        // The first table's threshold is below the capacity asked for (but for the smallest), so it doubles at once.
        if capacity > capacity - (capacity >> 2) { capacity << 1 } else { capacity }
    }

    fn threshold_after_presize(table: usize, capacity_was_doubled: bool) -> usize {
        if capacity_was_doubled { Self::threshold_after_resize(table >> 1) } else { table - (table >> 2) }
    }

    /// transfer leaves `(n << 1) - (n >>> 1)`.
    fn threshold_after_resize(old_table: usize) -> usize {
        (old_table << 1) - (old_table >> 1)
    }

    /// transfer: every bucket is split in two by one more bit of the hash.
    fn resize(&mut self) {
        let old = self.table;
        let mut halves = [Vec::with_capacity(self.len), Vec::with_capacity(self.len / 2)];
        let mut trees = BTreeMap::new();
        self.leaves.for_each_chain(old, |bucket, chain| {
            let side = |entry: &Entry| usize::from(entry.hash as usize & old != 0);
            let Some(tree) = self.trees.get(&bucket) else {
                // The longest tail that goes to one side keeps its order; each node before it goes in front of its side.
                let last = side(&chain[chain.len() - 1]);
                let tail = chain.iter().rposition(|entry| side(entry) != last).map_or(0, |at| at + 1);
                for (half, entries) in halves.iter_mut().enumerate() {
                    entries.extend(chain[..tail].iter().rev().filter(|entry| side(entry) == half).cloned());
                }
                // What was put in front lies before the tail.
                halves[last].extend(chain[tail..].iter().cloned());
                return;
            };
            let counts = [0, 1].map(|half| chain.iter().filter(|entry| side(entry) == half).count());
            for half in 0..2 {
                halves[half].extend(chain.iter().filter(|entry| side(entry) == half).cloned());
                if counts[half] > UNTREEIFY {
                    let target = bucket + half * old;
                    if counts[1 - half] == 0 {
                        trees.insert(target, tree.clone());
                    } else {
                        let part = chain.iter().filter(|entry| side(entry) == half);
                        trees.insert(target, Rc::new(TreeBin::of(part.map(|e| (e.hash, e.key())))));
                    }
                }
            }
        });
        let [low, high] = halves;
        self.table = old << 1;
        self.threshold = Self::threshold_after_resize(old);
        self.leaves = Leaves::from_sorted(low.into_iter().chain(high), self.table);
        self.trees = trees;
    }

    /// Whether the key was there.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        if self.table == 0 {
            return false;
        }
        let hash = spread(hash_code(key));
        let bucket = self.bucket(hash);
        if self.leaves.find(bucket, hash, key).is_none() {
            return false;
        }
        let mut chain = self.leaves.chain_mut(bucket, self.table);
        let Some(removed) = chain.remove(hash, key) else { return false };
        if let Some(tree) = self.trees.get_mut(&bucket)
            && Rc::make_mut(tree).remove(hash, key)
        {
            self.trees.remove(&bucket);
        }
        self.key_bytes -= removed.key().len();
        self.value_bytes -= removed.value().len();
        self.len -= 1;
        true
    }

    /// `new ConcurrentHashMap().putAll(self)`: what the next version starts from.
    pub fn next_version(&self) -> Self {
        if self.long_bucket {
            let mut copy = Self::new();
            copy.presize(self.len);
            for entry in self.leaves.iter() {
                copy.put_entry(entry.clone());
            }
            return copy;
        }
        let table = Self::presized_table(self.len);
        let doubled = table > table_size_for(self.len + (self.len >> 1) + 1);
        let leaves = if table == self.table {
            self.leaves.clone()
        } else {
            // Entries are put in the old order, each at the end of its bucket: a stable sort by bucket.
            let mut entries: Vec<Entry> = self.leaves.iter().cloned().collect();
            entries.sort_by_key(|entry| entry.hash as usize & (table - 1));
            Leaves::from_sorted(entries.into_iter(), table)
        };
        Self {
            table,
            threshold: Self::threshold_after_presize(table, doubled),
            len: self.len,
            leaves,
            trees: BTreeMap::new(),
            long_bucket: false,
            key_bytes: self.key_bytes,
            value_bytes: self.value_bytes,
        }
    }

    /// Keys and values in Java's order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.leaves.iter().map(|entry| (entry.key(), entry.value()))
    }
}
