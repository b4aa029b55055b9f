//! Versions of a store for people: what it holds, and what the last step to it changed.

use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_sql::error::Result;

use super::contents::Contents;
use super::schema::StateSchema;
use super::store::StoreId;
use super::stores::StateStores;

/// What a version did to one of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Held,
    Added,
    /// The value before.
    Changed(Vec<u8>),
}

/// A row that a version took out.
pub(crate) type Gone = (Vec<u8>, Vec<u8>);

/// A store in one version, beside the version before.
pub(crate) struct StoreVersion {
    contents: Rc<Contents>,
    /// Keys that the version put anew or over another value.
    touched: BTreeMap<Vec<u8>, Step>,
    /// In the order of their keys' bytes.
    pub(crate) removed: Vec<Gone>,
    /// The version before could be read.
    pub(crate) compared: bool,
}

impl StoreVersion {
    pub(crate) fn len(&self) -> usize {
        self.contents.len()
    }

    /// Key, value and what happened to the row, in the store's order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&[u8], &[u8], &Step)> {
        self.contents.iter().map(|(key, value)| (key, value, self.touched.get(key).unwrap_or(&Step::Held)))
    }

    /// Rows that the version added or changed.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &Step> {
        self.touched.values()
    }
}

impl StateStores {
    /// Version `version` of a store. What `self` has in memory is used; what has to be read from files is not kept, so that
    /// looking leaves no trace in the figures of the query. The files must be there.
    pub(crate) fn version(&self, id: &StoreId, schema: &Rc<StateSchema>, version: i64) -> Result<StoreVersion> {
        let mut aside = self.aside();
        let mut contents = |version: i64| match self.in_memory(id, version) {
            Some(contents) => Ok(contents),
            None => aside.peek(id, schema, version),
        };
        // The older one first: the newer one is then one step from it.
        let before = contents((version - 1).max(0)).ok();
        let contents = contents(version)?;
        let changes = match version {
            ..=0 => Ok(Vec::new()),
            _ => aside.changes(id, version, version),
        };
        let mut found =
            StoreVersion { contents, touched: BTreeMap::new(), removed: Vec::new(), compared: before.is_some() };
        let (Some(before), Ok(changes)) = (before, changes) else {
            found.compared = false;
            return Ok(found);
        };
        let mut removed = BTreeMap::new();
        for (_, key, _) in changes {
            match (before.get(&key), found.contents.get(&key)) {
                (None, Some(_)) => drop(found.touched.insert(key, Step::Added)),
                (Some(old), Some(new)) if old != new => drop(found.touched.insert(key, Step::Changed(old.to_vec()))),
                (Some(old), None) => drop(removed.insert(key, old.to_vec())),
                // Put and taken out again, or put as it was.
                _ => {}
            }
        }
        found.removed = removed.into_iter().collect();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidemark_sql::types::{DataType, StructField, StructType};
    use tidemark_vfs::MemoryFs;

    use super::*;
    use crate::operators::StreamingConf;

    fn row(n: i64) -> Vec<u8> {
        [0, n].iter().flat_map(|word: &i64| word.to_le_bytes()).collect()
    }

    fn schema() -> Rc<StateSchema> {
        let long = |name: &str| StructType::new(vec![StructField::new(name, DataType::Long, true)]);
        Rc::new(StateSchema::new(long("k"), long("v")))
    }

    /// Three versions: {1: 10, 2: 20}, {1: 11, 2: 20, 3: 30}, {3: 30}.
    fn stores(fs: &Arc<MemoryFs>) -> (StateStores, StoreId) {
        let mut stores = StateStores::new(fs.clone(), "/state", "run", StreamingConf::default());
        let id = StoreId::new(0, 0);
        type Act = (i64, Option<i64>);
        let steps: [&[Act]; 3] =
            [&[(1, Some(10)), (2, Some(20))], &[(1, Some(11)), (2, Some(20)), (3, Some(30))], &[(1, None), (2, None)]];
        for (version, acts) in steps.into_iter().enumerate() {
            let mut store = stores.open(&id, &schema(), version as i64).unwrap();
            for (key, value) in acts {
                match value {
                    Some(value) => store.put(&row(*key), &row(*value)),
                    None => store.remove(&row(*key)),
                }
            }
            stores.commit(store, 0).unwrap();
        }
        (stores, id)
    }

    fn steps(version: &StoreVersion) -> Vec<(Vec<u8>, Step)> {
        let mut rows: Vec<_> = version.rows().map(|(key, _, step)| (key.to_vec(), step.clone())).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    }

    #[test]
    fn a_version_knows_what_it_added_changed_and_removed() {
        let fs = Arc::new(MemoryFs::new());
        let (stores, id) = stores(&fs);
        let second = stores.version(&id, &schema(), 2).unwrap();
        let expected = vec![(row(1), Step::Changed(row(10))), (row(2), Step::Held), (row(3), Step::Added)];
        assert_eq!(steps(&second), expected);
        let third = stores.version(&id, &schema(), 3).unwrap();
        assert_eq!((third.len(), third.removed.len(), third.touched().count()), (1, 2, 0));
        assert_eq!(third.removed[0], (row(1), row(11)));
    }

    #[test]
    fn old_versions_come_from_their_files_and_are_not_kept() {
        let fs = Arc::new(MemoryFs::new());
        let (stores, id) = stores(&fs);
        // Two versions are in memory; the first is not.
        let first = stores.version(&id, &schema(), 1).unwrap();
        assert!(first.compared && first.rows().all(|(_, _, step)| *step == Step::Added));
        assert!(stores.in_memory(&id, 1).is_none());
        assert!(stores.version(&id, &schema(), 9).is_err());
    }
}
