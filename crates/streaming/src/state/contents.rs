//! What one version of a store holds, in the order that its provider iterates.

use super::map::ConcurrentHashMap;
use super::schema::StateSchema;
use super::sorted::SortedRows;
use super::unsafe_row;

/// Rows of one version.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// HDFSBackedStateStoreMap: Java's hash map, and for prefix scans a second one from prefix to keys.
    Java { rows: ConcurrentHashMap, by_prefix: Option<ConcurrentHashMap> },
    /// RocksDB: sorted by the bytes of the key; for prefix scans, in the order of a second map from [`prefixed`] to the key.
    Sorted { rows: SortedRows, by_prefix: Option<SortedRows> },
}

impl Contents {
    pub(super) fn new(sorted: bool, schema: &StateSchema) -> Self {
        if sorted {
            return Self::Sorted {
                rows: SortedRows::default(),
                by_prefix: (schema.prefix > 0).then(SortedRows::default),
            };
        }
        Self::Java { rows: ConcurrentHashMap::new(), by_prefix: (schema.prefix > 0).then(ConcurrentHashMap::new) }
    }

    /// What the next version starts from.
    pub(super) fn next_version(&self) -> Self {
        match self {
            Self::Java { rows, by_prefix } => Self::Java {
                rows: rows.next_version(),
                by_prefix: by_prefix.as_ref().map(ConcurrentHashMap::next_version),
            },
            Self::Sorted { .. } => self.clone(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Java { rows, .. } => rows.len(),
            Self::Sorted { rows, .. } => rows.len(),
        }
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Java { rows, .. } => rows.get(key),
            Self::Sorted { rows, .. } => rows.get(key),
        }
    }

    /// Whether the key is new.
    pub(super) fn put(&mut self, schema: &StateSchema, key: &[u8], value: &[u8]) -> bool {
        match self {
            Self::Java { rows, by_prefix } => {
                let new = rows.put(key, value);
                if let Some(by_prefix) = by_prefix
                    && new
                    && let Some(prefix) = unsafe_row::prefix(&schema.key_types(), schema.prefix, key)
                {
                    let mut keys = by_prefix.get(&prefix).unwrap_or_default().to_vec();
                    keys.extend_from_slice(&(key.len() as u32).to_le_bytes());
                    keys.extend_from_slice(key);
                    by_prefix.put(&prefix, &keys);
                }
                new
            }
            Self::Sorted { rows, by_prefix } => {
                let new = rows.put(key, value);
                if let Some(by_prefix) = by_prefix
                    && new
                    && let Some(place) = prefixed(schema, key)
                {
                    by_prefix.put(&place, key);
                }
                new
            }
        }
    }

    /// Whether the key was there.
    pub(super) fn remove(&mut self, schema: &StateSchema, key: &[u8]) -> bool {
        match self {
            Self::Java { rows, by_prefix } => {
                let found = rows.remove(key);
                if let Some(by_prefix) = by_prefix
                    && found
                    && let Some(prefix) = unsafe_row::prefix(&schema.key_types(), schema.prefix, key)
                {
                    let mut left = Vec::new();
                    for other in split_keys(by_prefix.get(&prefix).unwrap_or_default()).filter(|other| *other != key) {
                        left.extend_from_slice(&(other.len() as u32).to_le_bytes());
                        left.extend_from_slice(other);
                    }
                    if left.is_empty() {
                        by_prefix.remove(&prefix);
                    } else {
                        by_prefix.put(&prefix, &left);
                    }
                }
                found
            }
            Self::Sorted { rows, by_prefix } => {
                let found = rows.remove(key);
                if let Some(by_prefix) = by_prefix
                    && found
                    && let Some(place) = prefixed(schema, key)
                {
                    by_prefix.remove(&place);
                }
                found
            }
        }
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (&[u8], &[u8])> + '_> {
        match self {
            Self::Java { rows, .. } => Box::new(rows.iter()),
            Self::Sorted { rows, by_prefix: None } => Box::new(rows.iter()),
            Self::Sorted { rows, by_prefix: Some(by_prefix) } => {
                Box::new(by_prefix.iter().filter_map(move |(_, key)| Some((key, rows.get(key)?))))
            }
        }
    }

    /// Keys and values of the rows whose key starts with the fields of `prefix`: in order of arrival, or sorted.
    pub(super) fn prefix_scan(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        match self {
            Self::Java { rows, by_prefix } => {
                let keys = by_prefix.as_ref().and_then(|map| map.get(prefix)).unwrap_or_default();
                split_keys(keys).filter_map(|key| Some((key.to_vec(), rows.get(key)?.to_vec()))).collect()
            }
            Self::Sorted { rows, by_prefix } => {
                let start = place_of(prefix);
                let keys = by_prefix
                    .iter()
                    .flat_map(|map| map.from(&start))
                    .map_while(|(place, key)| place.starts_with(&start).then_some(key));
                keys.filter_map(|key| Some((key.to_vec(), rows.get(key)?.to_vec()))).collect()
            }
        }
    }

    /// The rows whose key's bytes start with `prefix`, in the provider's order.
    pub(super) fn starting_with<'a>(&'a self, prefix: &'a [u8]) -> Box<dyn Iterator<Item = (&'a [u8], &'a [u8])> + 'a> {
        match self {
            Self::Java { .. } => Box::new(self.iter().filter(move |(key, _)| key.starts_with(prefix))),
            Self::Sorted { rows, .. } => {
                Box::new(rows.from(prefix).take_while(move |(key, _)| key.starts_with(prefix)))
            }
        }
    }

    /// Length of Java's table, and the bytes of all keys and of all values.
    pub(super) fn sizes(&self) -> (usize, usize, usize) {
        match self {
            Self::Java { rows, .. } => (rows.table_len(), rows.key_bytes(), rows.value_bytes()),
            Self::Sorted { rows, .. } => {
                let (keys, values) = rows.sizes();
                (0, keys, values)
            }
        }
    }
}

/// Where the rows of a prefix begin (PrefixKeyScanStateEncoder.encodePrefixKey): its length, least byte first, and itself.
fn place_of(prefix: &[u8]) -> Vec<u8> {
    let mut place = (prefix.len() as u32).to_le_bytes().to_vec();
    place.extend_from_slice(prefix);
    place
}

/// A key's place among all: by its prefix, then by the words of the other fields (PrefixKeyScanStateEncoder.encodeKey), then
/// by the whole key, for fields whose bytes are not in their words.
fn prefixed(schema: &StateSchema, key: &[u8]) -> Option<Vec<u8>> {
    let types = schema.key_types();
    let mut place = place_of(&unsafe_row::prefix(&types, schema.prefix, key)?);
    for ordinal in schema.prefix..types.len() {
        place.extend_from_slice(&unsafe_row::long_at(key, types.len(), ordinal).unwrap_or(0).to_le_bytes());
    }
    place.extend_from_slice(key);
    Some(place)
}

fn split_keys(mut keys: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (len, rest) = keys.split_first_chunk::<4>()?;
        let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        keys = rest;
        Some(key)
    })
}
