//! The order against recorded Spark output and a plain model of Java's table.

use super::*;

/// A key row with one string.
fn string_row(text: &str) -> Vec<u8> {
    let mut row = 0u64.to_le_bytes().to_vec();
    row.extend_from_slice(&((16u64 << 32) | text.len() as u64).to_le_bytes());
    row.extend_from_slice(text.as_bytes());
    row.resize(row.len().div_ceil(8) * 8, 0);
    row
}

fn long_row(number: i64) -> Vec<u8> {
    let mut row = 0u64.to_le_bytes().to_vec();
    row.extend_from_slice(&number.to_le_bytes());
    row
}

/// Buckets as lists of (spread hash, key); no trees.
#[derive(Default)]
struct Model {
    table: Vec<Vec<(u32, Vec<u8>)>>,
    control: usize,
    len: usize,
}

impl Model {
    fn presize(&mut self, size: usize) {
        let capacity = table_size_for(size + (size >> 1) + 1);
        loop {
            if self.table.is_empty() {
                let n = self.control.max(capacity);
                self.table = vec![Vec::new(); n];
                self.control = n - (n >> 2);
            } else if capacity <= self.control {
                return;
            } else {
                self.resize();
            }
        }
    }

    fn resize(&mut self) {
        let n = self.table.len();
        let mut table = vec![Vec::new(); 2 * n];
        for (i, bucket) in self.table.iter().enumerate().filter(|(_, bucket)| !bucket.is_empty()) {
            let bit = |entry: &(u32, Vec<u8>)| entry.0 as usize & n;
            let mut j = bucket.len() - 1;
            while j > 0 && bit(&bucket[j - 1]) == bit(&bucket[bucket.len() - 1]) {
                j -= 1;
            }
            table[i + bit(&bucket[j])] = bucket[j..].to_vec();
            for entry in &bucket[..j] {
                table[i + bit(entry)].insert(0, entry.clone());
            }
        }
        self.table = table;
        self.control = 2 * n - ((2 * n) >> 2);
    }

    fn put(&mut self, row: &[u8]) {
        if self.table.is_empty() {
            self.table = vec![Vec::new(); 16];
            self.control = 12;
        }
        let hash = spread(hash_code(row));
        let slot = hash as usize & (self.table.len() - 1);
        if self.table[slot].iter().any(|entry| entry.1 == row) {
            return;
        }
        self.table[slot].push((hash, row.to_vec()));
        self.len += 1;
        while self.len >= self.control {
            self.resize();
        }
    }

    fn remove(&mut self, row: &[u8]) {
        for bucket in &mut self.table {
            let before = bucket.len();
            bucket.retain(|entry| entry.1 != row);
            self.len -= before - bucket.len();
        }
    }

    fn keys(&self) -> Vec<Vec<u8>> {
        self.table.iter().flatten().map(|entry| entry.1.clone()).collect()
    }

    fn next_version(&self) -> Self {
        let mut next = Self::default();
        next.presize(self.len);
        for key in self.keys() {
            next.put(&key);
        }
        next
    }
}

#[test]
fn follows_the_model_over_versions() {
    let mut state = 1u64;
    let mut next = move |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    for (inserts, removes) in [(3, 0), (17, 4), (200, 30), (5, 60), (900, 100)] {
        let (mut map, mut model) = (ConcurrentHashMap::new(), Model::default());
        for version in 0..14 {
            if version > 0 {
                map = map.next_version();
                model = model.next_version();
            }
            for _ in 0..inserts {
                let key = long_row(next(5000) as i64);
                map.put(&key, b"value");
                model.put(&key);
            }
            for _ in 0..removes {
                let key = long_row(next(5000) as i64);
                map.remove(&key);
                model.remove(&key);
            }
            assert_eq!(map.len(), model.len);
            assert_eq!(map.table_len(), model.table.len());
            assert_eq!(map.iter().map(|(key, _)| key.to_vec()).collect::<Vec<_>>(), model.keys());
        }
    }
}

#[test]
fn versions_do_not_touch_each_other() {
    let mut first = ConcurrentHashMap::new();
    for n in 0..1000 {
        first.put(&long_row(n), b"old");
    }
    let first = first.next_version();
    let mut second = first.next_version();
    assert!(!second.put(&long_row(7), b"new"));
    assert!(second.remove(&long_row(8)));
    assert_eq!(first.get(&long_row(7)), Some(&b"old"[..]));
    assert_eq!(second.get(&long_row(7)), Some(&b"new"[..]));
    assert_eq!((first.len(), second.len()), (1000, 999));
    assert!(first.contains_key(&long_row(8)) && !second.contains_key(&long_row(8)));
}

#[test]
fn a_long_bucket_becomes_a_tree_and_takes_new_nodes_in_front() {
    // Keys that meet in one bucket of a table of 1024.
    let same: Vec<Vec<u8>> = (0..).map(long_row).filter(|row| spread(hash_code(row)) & 1023 == 5).take(12).collect();
    let mut map = ConcurrentHashMap::new();
    // More than 384 and fewer than 768 entries: a table of 1024.
    for n in 0..500 {
        map.put(&string_row(&format!("filler {n}")), b"");
    }
    assert_eq!(map.table_len(), 1024);
    let others = |map: &ConcurrentHashMap| -> Vec<Vec<u8>> {
        map.iter().map(|(key, _)| key.to_vec()).filter(|key| same.contains(key)).collect()
    };
    let first = same[0].clone();
    for key in &same {
        map.put(key, b"");
    }
    let order = others(&map);
    assert_eq!(map.trees.len(), 1);
    // The fillers of the bucket count as nodes too, so the tree came at nine of all; what came later stands in front.
    let before: Vec<_> = order.iter().skip_while(|key| **key != first).cloned().collect();
    let after: Vec<_> = order.iter().take_while(|key| **key != first).cloned().collect();
    assert!(!after.is_empty() && after.iter().rev().eq(same[before.len()..].iter()));
    assert!(before.iter().eq(same[..before.len()].iter()));
    for key in &same[2..] {
        map.remove(key);
    }
    assert!(map.trees.is_empty());
}

#[test]
fn bytes_are_counted() {
    let mut map = ConcurrentHashMap::new();
    map.put(&string_row("a"), &[0; 16]);
    map.put(&string_row("b"), &[0; 16]);
    map.put(&string_row("a"), &[0; 24]);
    assert_eq!((map.key_bytes(), map.value_bytes()), (48, 40));
    map.remove(&string_row("a"));
    assert_eq!((map.key_bytes(), map.value_bytes()), (24, 16));
}
