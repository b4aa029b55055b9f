//! Rows sorted by the bytes of their keys, as RocksDB keeps them, in shared chunks: a version copies the chunks that it
//! writes and shares the others with the version before, so a batch costs what it touches.

use std::rc::Rc;

/// A chunk with more rows is cut in two.
const CHUNK: usize = 128;

type Row = (Rc<[u8]>, Rc<[u8]>);

#[derive(Clone, Debug, Default)]
pub(super) struct SortedRows {
    /// None is empty; the keys of one lie below those of the next.
    chunks: Vec<Rc<Vec<Row>>>,
    len: usize,
    key_bytes: usize,
    value_bytes: usize,
}

impl SortedRows {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of all keys and of all values.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.key_bytes, self.value_bytes)
    }

    /// The chunk that has the key or would have it; 0 in an empty map.
    fn chunk_of(&self, key: &[u8]) -> usize {
        self.chunks.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| **first <= *key)).saturating_sub(1)
    }

    fn find(chunk: &[Row], key: &[u8]) -> Result<usize, usize> {
        chunk.binary_search_by(|(other, _)| (**other).cmp(key))
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let chunk = self.chunks.get(self.chunk_of(key))?;
        let at = Self::find(chunk, key).ok()?;
        chunk.get(at).map(|(_, value)| &**value)
    }

    /// Whether the key is new.
    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) -> bool {
        let at = self.chunk_of(key);
        self.value_bytes += value.len();
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(Rc::new(vec![(key.into(), value.into())]));
            self.len = 1;
            self.key_bytes = key.len();
            return true;
        };
        let rows = Rc::make_mut(chunk);
        match Self::find(rows, key) {
            Ok(place) => {
                let old = std::mem::replace(&mut rows[place].1, value.into());
                self.value_bytes -= old.len();
                return false;
            }
            Err(place) => rows.insert(place, (key.into(), value.into())),
        }
        // Keys that come in order fill their chunks.
        let cut = if rows.len() <= CHUNK {
            None
        } else if rows.last().is_some_and(|(last, _)| **last == *key) {
            Some(CHUNK)
        } else {
            Some(CHUNK / 2)
        };
        if let Some(cut) = cut {
            let rest = rows.split_off(cut);
            self.chunks.insert(at + 1, Rc::new(rest));
        }
        self.len += 1;
        self.key_bytes += key.len();
        true
    }

    /// Whether the key was there.
    pub(super) fn remove(&mut self, key: &[u8]) -> bool {
        let at = self.chunk_of(key);
        let Some(chunk) = self.chunks.get_mut(at) else { return false };
        let Ok(place) = Self::find(chunk, key) else { return false };
        let (_, value) = Rc::make_mut(chunk).remove(place);
        if chunk.is_empty() {
            self.chunks.remove(at);
        }
        self.len -= 1;
        self.key_bytes -= key.len();
        self.value_bytes -= value.len();
        true
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|(key, value)| (&**key, &**value))
    }

    /// The rows from `key` on.
    pub(super) fn from<'a>(&'a self, key: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let chunks = self.chunks.get(self.chunk_of(key)..).unwrap_or_default();
        let rows = chunks.iter().flat_map(|chunk| chunk.iter()).map(|(key, value)| (&**key, &**value));
        rows.skip_while(move |(other, _)| *other < key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The same as a map of the standard library's after many puts and removals, in an older version, too.
    #[test]
    fn agrees_with_a_plain_map() {
        let mut rows = SortedRows::default();
        let mut plain: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut old = None;
        for n in 0u32..5000 {
            let key = (n.wrapping_mul(2_654_435_761) % 2000).to_be_bytes();
            if n % 3 == 2 {
                assert_eq!(rows.remove(&key), plain.remove(&key[..]).is_some());
            } else {
                assert_eq!(
                    rows.put(&key, &n.to_le_bytes()),
                    plain.insert(key.to_vec(), n.to_le_bytes().to_vec()).is_none()
                );
            }
            if n == 2500 {
                old = Some((rows.clone(), plain.clone()));
            }
        }
        for (rows, plain) in [(rows, plain)].into_iter().chain(old) {
            let listed: Vec<(Vec<u8>, Vec<u8>)> = rows.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect();
            assert_eq!(listed, plain.clone().into_iter().collect::<Vec<_>>());
            assert_eq!(rows.len(), plain.len());
            assert_eq!(rows.sizes(), (plain.len() * 4, plain.len() * 4));
            let from = 1000u32.to_be_bytes();
            assert_eq!(rows.from(&from).count(), plain.range(from.to_vec()..).count());
            assert!(plain.iter().all(|(key, value)| rows.get(key) == Some(value)));
        }
    }

    #[test]
    fn keys_in_order_fill_their_chunks() {
        let mut rows = SortedRows::default();
        for n in 0u32..10_000 {
            rows.put(&n.to_be_bytes(), b"");
        }
        assert!(rows.chunks.len() <= 10_000 / CHUNK + 1);
    }
}
