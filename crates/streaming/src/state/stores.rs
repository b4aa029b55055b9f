//! All state stores of one query run.

use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::types::StructType;
use tidemark_vfs::{FileSystem, SharedFs};

use super::contents::Contents;
use super::metadata::OperatorMetadata;
use super::provider::{Provider, ProviderContext, StoreMetrics, write_atomic};
use super::schema::{self, StateSchema};
use super::store::{DEFAULT_STORE, StateStore, StoreId};
use crate::operators::StreamingConf;

/// A change of a store: version, key, and the new value or None.
pub(crate) type Change = (i64, Vec<u8>, Option<Vec<u8>>);

/// The providers by store, and the folder they write to.
pub struct StateStores {
    fs: SharedFs,
    /// Absolute; `checkpoint/state`.
    root: String,
    run_id: String,
    conf: StreamingConf,
    providers: BTreeMap<StoreId, Provider>,
    last_maintenance_ms: Option<i64>,
}

impl std::fmt::Debug for StateStores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateStores").field("root", &self.root).finish_non_exhaustive()
    }
}

impl StateStores {
    pub fn new(fs: SharedFs, root: &str, run_id: &str, conf: StreamingConf) -> Self {
        Self {
            fs,
            root: root.to_owned(),
            run_id: run_id.to_owned(),
            conf,
            providers: BTreeMap::new(),
            last_maintenance_ms: None,
        }
    }

    fn sorted(&self) -> bool {
        self.conf.is_rocks_db()
    }

    fn store_folder(&self, id: &StoreId) -> String {
        let folder = format!("{}/{}/{}", self.root, id.operator, id.partition);
        if id.name == DEFAULT_STORE { folder } else { format!("{folder}/{}", id.name) }
    }

    fn with_provider<T>(
        &mut self,
        id: &StoreId,
        schema: &Rc<StateSchema>,
        act: impl FnOnce(&mut Provider, &ProviderContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let sorted = self.sorted();
        if !sorted && !self.conf.provider_class.ends_with(".HDFSBackedStateStoreProvider") {
            return Err(SparkError::not_yet(&format!("State store provider {}", self.conf.provider_class)));
        }
        if self.conf.compression_codec != "lz4" {
            return Err(SparkError::not_yet(&format!("State compression codec {}", self.conf.compression_codec)));
        }
        let folder = self.store_folder(id);
        let provider =
            self.providers.entry(id.clone()).or_insert_with(|| Provider::new(id.clone(), folder, schema.clone()));
        let ctx = ProviderContext { fs: &*self.fs, conf: &self.conf, run_id: &self.run_id, sorted };
        act(provider, &ctx)
    }

    /// StateStore.get: the store that turns `version` into the next.
    pub fn open(&mut self, id: &StoreId, schema: &Rc<StateSchema>, version: i64) -> Result<StateStore> {
        self.with_provider(id, schema, |provider, ctx| provider.open(ctx, version))
    }

    /// Writes the changes; the next version is there from then on.
    pub fn commit(&mut self, store: StateStore, now_ms: i64) -> Result<StoreMetrics> {
        let (id, schema) = (store.id.clone(), store.schema.clone());
        self.with_provider(&id, &schema, |provider, ctx| provider.commit(ctx, store, now_ms))
    }

    /// Stores over the same files with an empty memory.
    pub(super) fn aside(&self) -> Self {
        Self::new(self.fs.clone(), &self.root, &self.run_id, self.conf.clone())
    }

    /// A version that is in memory.
    pub(super) fn in_memory(&self, id: &StoreId, version: i64) -> Option<Rc<Contents>> {
        self.providers.get(id)?.in_memory(version)
    }

    pub(super) fn peek(&mut self, id: &StoreId, schema: &Rc<StateSchema>, version: i64) -> Result<Rc<Contents>> {
        self.with_provider(id, schema, |provider, ctx| provider.peek(ctx, version))
    }

    /// Rows of a version without counting in the metrics: for the state reader. Keys and values, in the store's order.
    pub fn rows(&mut self, id: &StoreId, schema: &Rc<StateSchema>, version: i64) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let contents = self.with_provider(id, schema, |provider, ctx| provider.peek(ctx, version))?;
        Ok(contents.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect())
    }

    /// [`Self::rows`] of a version that is built from the snapshot of another, which must be there.
    pub(crate) fn rows_from_snapshot(
        &mut self,
        id: &StoreId,
        schema: &Rc<StateSchema>,
        snapshot: i64,
        version: i64,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let contents = self.with_provider(id, schema, |provider, ctx| provider.replay(ctx, snapshot, version))?;
        Ok(contents.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect())
    }

    /// Key and value schema as a checkpoint has them.
    pub(crate) fn stored_schema(&self, operator: usize, store: &str) -> Result<StateSchema> {
        let path = format!("{}/_metadata/schema", self.store_folder(&StoreId::named(operator, 0, store)));
        let bytes = self.fs.read(&path).map_err(|e| SparkError::internal(e.to_string()))?;
        let (key, value) = schema::read(&bytes)?;
        Ok(StateSchema::new(key, value))
    }

    /// The changes of the versions from `first` to `last`: version, key, and the value, None where the row was removed.
    pub(crate) fn changes(&mut self, id: &StoreId, first: i64, last: i64) -> Result<Vec<Change>> {
        let schema = Rc::new(StateSchema::new(StructType::default(), StructType::default()));
        self.with_provider(id, &schema, |provider, ctx| provider.changes(ctx, first, last))
    }

    /// Runs the maintenance of all stores when its interval has passed since the first call or the last run. Spark has a
    /// thread for it; here it is due at a batch's start, by the session's clock, so that a run stays reproducible.
    pub fn maintain_if_due(&mut self, now_ms: i64) {
        let last = *self.last_maintenance_ms.get_or_insert(now_ms);
        if now_ms - last < self.conf.maintenance_interval_ms {
            return;
        }
        self.last_maintenance_ms = Some(now_ms);
        let ctx = ProviderContext { fs: &*self.fs, conf: &self.conf, run_id: &self.run_id, sorted: self.sorted() };
        for provider in self.providers.values_mut() {
            provider.maintain(&ctx, now_ms);
        }
    }

    /// StateSchemaCompatibilityChecker: writes the schema of an operator's store, or checks it against the one there.
    pub fn check_schema(&self, operator: usize, store: &str, schema: &StateSchema, now_ms: i64) -> Result<()> {
        let folder = self.store_folder(&StoreId::named(operator, 0, store));
        let path = format!("{folder}/_metadata/schema");
        let result = if self.fs.is_file(&path) {
            let bytes = self.fs.read(&path).map_err(|e| SparkError::internal(e.to_string()))?;
            schema::read(&bytes).and_then(|stored| schema::check(&stored, schema))
        } else {
            write_atomic(&*self.fs, &path, &schema::write(schema), now_ms)
        };
        if self.conf.state_schema_check { result } else { Ok(()) }
    }

    /// Writes the metadata of an operator unless it is there; that of version 2 has a file for each run's first batch.
    pub fn write_metadata(&self, metadata: &OperatorMetadata, batch: i64, now_ms: i64) -> Result<()> {
        let folder = metadata_folder(&self.root, metadata.operator_id);
        let path = match metadata.properties {
            Some(_) => format!("{folder}/v2/{batch}"),
            None => format!("{folder}/metadata"),
        };
        if self.fs.is_file(&path) {
            return Ok(());
        }
        write_atomic(&*self.fs, &path, &metadata.write(), now_ms)
    }

    /// The metadata of all operators in the checkpoint by id; empty where one cannot be read.
    pub fn all_metadata(&self) -> Vec<OperatorMetadata> {
        let operators = self.fs.list(&self.root).unwrap_or_default();
        let mut ids: Vec<usize> = operators.iter().filter_map(|entry| entry.name.parse().ok()).collect();
        ids.sort_unstable();
        let read = |id: &usize| read_metadata(&*self.fs, &self.root, *id);
        ids.iter().map(read).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// Whether the checkpoint has any state at all.
    pub fn has_state(&self) -> bool {
        self.fs.list(&self.root).is_ok_and(|entries| !entries.is_empty())
    }

    /// Partitions of an operator that have a folder.
    pub fn partitions(&self, operator: usize) -> Vec<usize> {
        let entries = self.fs.list(&format!("{}/{operator}", self.root)).unwrap_or_default();
        let mut partitions: Vec<usize> = entries.iter().filter_map(|entry| entry.name.parse().ok()).collect();
        partitions.sort_unstable();
        partitions
    }
}

fn metadata_folder(root: &str, operator: usize) -> String {
    format!("{root}/{operator}/_metadata")
}

/// The metadata of an operator below a `state` folder, the newest of version 2 where there are such; None where it cannot
/// be read.
pub(crate) fn read_metadata(fs: &dyn FileSystem, root: &str, operator: usize) -> Option<OperatorMetadata> {
    let folder = metadata_folder(root, operator);
    let batches = fs.list(&format!("{folder}/v2")).unwrap_or_default();
    let newest = batches.iter().filter_map(|entry| entry.name.parse::<i64>().ok()).max();
    let path = newest.map_or_else(|| format!("{folder}/metadata"), |batch| format!("{folder}/v2/{batch}"));
    OperatorMetadata::read(&fs.read(&path).ok()?)
}
