//! The buckets of a map in a shared tree of leaves: 64 buckets a leaf, 64 leaves a node, copied when they are written.

use std::rc::Rc;

const LEAF_BITS: usize = 6;
const NODE_BITS: usize = 6;

/// A key and its value, in one allocation.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Spread hash.
    pub(super) hash: u32,
    /// Length of the key, key, value.
    row: Rc<[u8]>,
}

impl Entry {
    pub(super) fn new(hash: u32, key: &[u8], value: &[u8]) -> Self {
        let mut row = Vec::with_capacity(4 + key.len() + value.len());
        row.extend_from_slice(&(key.len() as u32).to_le_bytes());
        row.extend_from_slice(key);
        row.extend_from_slice(value);
        Self { hash, row: row.into() }
    }

    fn split(&self) -> (&[u8], &[u8]) {
        let len = u32::from_le_bytes([self.row[0], self.row[1], self.row[2], self.row[3]]) as usize;
        self.row[4..].split_at(len)
    }

    pub(super) fn key(&self) -> &[u8] {
        self.split().0
    }

    pub(super) fn value(&self) -> &[u8] {
        self.split().1
    }
}

/// Entries by bucket, and in the order of its chain within a bucket.
#[derive(Clone, Debug, Default)]
struct Leaf {
    entries: Vec<Entry>,
}

type Node = Vec<Rc<Leaf>>;

#[derive(Clone, Debug, Default)]
pub(super) struct Leaves {
    nodes: Vec<Rc<Node>>,
}

fn leaf_of(bucket: usize) -> usize {
    bucket >> LEAF_BITS
}

impl Leaves {
    /// An empty table of `table` buckets (a power of two). All leaves are one until they are written.
    pub(super) fn empty(table: usize) -> Self {
        let leaves = leaf_of(table - 1) + 1;
        let leaf = Rc::new(Leaf::default());
        let node = Rc::new(vec![leaf; leaves.min(1 << NODE_BITS)]);
        Self { nodes: vec![node; ((leaves - 1) >> NODE_BITS) + 1] }
    }

    /// A table of `table` buckets with entries already sorted by bucket.
    pub(super) fn from_sorted(entries: impl Iterator<Item = Entry>, table: usize) -> Self {
        let mut result = Self::empty(table);
        let mut pending: Vec<Entry> = Vec::new();
        let mut current = 0;
        for entry in entries {
            let leaf = leaf_of(entry.hash as usize & (table - 1));
            if leaf != current {
                result.set_leaf(current, std::mem::take(&mut pending));
                current = leaf;
            }
            pending.push(entry);
        }
        result.set_leaf(current, pending);
        result
    }

    fn set_leaf(&mut self, leaf: usize, mut entries: Vec<Entry>) {
        if !entries.is_empty() {
            entries.shrink_to_fit();
            let node = Rc::make_mut(&mut self.nodes[leaf >> NODE_BITS]);
            node[leaf & ((1 << NODE_BITS) - 1)] = Rc::new(Leaf { entries });
        }
    }

    fn leaf(&self, bucket: usize) -> &Leaf {
        let leaf = leaf_of(bucket);
        &self.nodes[leaf >> NODE_BITS][leaf & ((1 << NODE_BITS) - 1)]
    }

    pub(super) fn find(&self, bucket: usize, hash: u32, key: &[u8]) -> Option<&Entry> {
        self.leaf(bucket).entries.iter().find(|entry| entry.hash == hash && entry.key() == key)
    }

    /// The entries of a bucket in a table of `table` buckets.
    pub(super) fn chain(&self, bucket: usize, table: usize) -> &[Entry] {
        let entries = &self.leaf(bucket).entries;
        let (start, end) = range(entries, bucket, table);
        &entries[start..end]
    }

    pub(super) fn chain_len(&self, bucket: usize, table: usize) -> usize {
        self.chain(bucket, table).len()
    }

    /// Copies the bucket's leaf where it is shared.
    pub(super) fn chain_mut(&mut self, bucket: usize, table: usize) -> ChainMut<'_> {
        let leaf = leaf_of(bucket);
        let node = Rc::make_mut(&mut self.nodes[leaf >> NODE_BITS]);
        let entries = &mut Rc::make_mut(&mut node[leaf & ((1 << NODE_BITS) - 1)]).entries;
        let (start, end) = range(entries, bucket, table);
        ChainMut { entries, start, end }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.nodes.iter().flat_map(|node| node.iter()).flat_map(|leaf| leaf.entries.iter())
    }

    /// Calls `visit` with every bucket that has entries, in order.
    pub(super) fn for_each_chain(&self, table: usize, mut visit: impl FnMut(usize, &[Entry])) {
        for leaf in self.nodes.iter().flat_map(|node| node.iter()) {
            for chain in leaf.entries.chunk_by(|a, b| (a.hash ^ b.hash) as usize & (table - 1) == 0) {
                visit(chain[0].hash as usize & (table - 1), chain);
            }
        }
    }
}

/// Where a bucket's entries are (or would be) in its leaf.
fn range(entries: &[Entry], bucket: usize, table: usize) -> (usize, usize) {
    let bucket_of = |entry: &Entry| entry.hash as usize & (table - 1);
    let start = entries.partition_point(|entry| bucket_of(entry) < bucket);
    let len = entries[start..].iter().take_while(|entry| bucket_of(entry) == bucket).count();
    (start, start + len)
}

/// One bucket, to be changed.
pub(super) struct ChainMut<'a> {
    entries: &'a mut Vec<Entry>,
    start: usize,
    end: usize,
}

impl ChainMut<'_> {
    /// Position within the chain of the entry with the same key.
    pub(super) fn position(&self, wanted: &Entry) -> Option<usize> {
        let chain = &self.entries[self.start..self.end];
        chain.iter().position(|entry| entry.hash == wanted.hash && entry.key() == wanted.key())
    }

    pub(super) fn replace(&mut self, position: usize, entry: Entry) -> Entry {
        std::mem::replace(&mut self.entries[self.start + position], entry)
    }

    pub(super) fn push_back(self, entry: Entry) {
        self.entries.insert(self.end, entry);
    }

    pub(super) fn push_front(self, entry: Entry) {
        self.entries.insert(self.start, entry);
    }

    pub(super) fn remove(&mut self, hash: u32, key: &[u8]) -> Option<Entry> {
        let chain = &self.entries[self.start..self.end];
        let position = chain.iter().position(|entry| entry.hash == hash && entry.key() == key)?;
        Some(self.entries.remove(self.start + position))
    }
}
