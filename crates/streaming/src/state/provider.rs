//! The files and loaded versions of one store: Spark's HDFSBackedStateStoreProvider.
//!
//! Version N is the snapshot nearest below N and the deltas after it. Loaded versions stay in memory (two by default), so
//! a batch that is run again starts from the same version without reading. The RocksDB provider's order is kept by the same
//! code over a sorted map; it writes these files too, not RocksDB's own, so Spark cannot read such a checkpoint.

use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::{FileSystem, FsErrorKind};

use super::contents::Contents;
use super::records::{self, Record, RecordError, RecordWriter};
use super::schema::StateSchema;
use super::store::{Fresh, StateStore, StoreId};
use crate::operators::StreamingConf;

/// What the files of a provider need besides themselves.
pub(super) struct ProviderContext<'a> {
    pub(super) fs: &'a dyn FileSystem,
    pub(super) conf: &'a StreamingConf,
    pub(super) run_id: &'a str,
    pub(super) sorted: bool,
}

#[derive(Debug)]
pub(super) struct Provider {
    id: StoreId,
    /// Absolute.
    folder: String,
    schema: Rc<StateSchema>,
    loaded: BTreeMap<i64, Loaded>,
    cache_hits: i64,
    cache_misses: i64,
    /// -1: none written by this run.
    last_snapshot: i64,
    snapshot_repaired: bool,
}

#[derive(Clone, Debug)]
struct Loaded {
    contents: Rc<Contents>,
    fresh: Fresh,
    /// See [`StateStore::oldest`].
    oldest: Option<i64>,
    /// Somebody has gone over all entries: Java's map keeps the view it did that by.
    viewed: bool,
}

impl Loaded {
    /// What SizeEstimator says of the version's map.
    fn size(&self) -> i64 {
        let (table, key_bytes, value_bytes) = self.contents.sizes();
        let table = if table == 0 { 0 } else { (16 + 4 * table as i64 + 7) / 8 * 8 };
        let rows = self.contents.len() as i64 * (NODE + KEY_ROW + VALUE_ROW) + key_bytes as i64 + value_bytes as i64;
        MAP + if self.viewed { VIEW } else { 0 } + table + rows
    }
}

/// What a store tells after its commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    pub num_keys: i64,
    pub memory_used_bytes: i64,
    /// Names of the provider's custom metrics and their values, to be added over stores.
    pub custom: Vec<(&'static str, i64)>,
    /// Version of the last snapshot written, -1 for none.
    pub last_snapshot: i64,
}

impl Provider {
    pub(super) fn new(id: StoreId, folder: String, schema: Rc<StateSchema>) -> Self {
        Self {
            id,
            folder,
            schema,
            loaded: BTreeMap::new(),
            cache_hits: 0,
            cache_misses: 0,
            last_snapshot: -1,
            snapshot_repaired: false,
        }
    }

    fn delta_file(&self, version: i64) -> String {
        format!("{}/{version}.delta", self.folder)
    }

    fn snapshot_file(&self, version: i64) -> String {
        format!("{}/{version}.snapshot", self.folder)
    }

    /// As messages name the provider.
    fn describe(&self, run_id: &str) -> String {
        format!(
            "HDFSStateStoreProvider[stateStoreProviderId=StateStoreProviderId[ storeId=StateStoreId[ operatorId={}, \
             partitionId={}, storeName={} ], queryRunId={run_id} ]]",
            self.id.operator, self.id.partition, self.id.name
        )
    }

    /// The store to make version + 1 from `version`.
    pub(super) fn open(&mut self, ctx: &ProviderContext<'_>, version: i64) -> Result<StateStore> {
        if version < 0 {
            let version = version.to_string();
            return Err(SparkError::new(
                ErrorClass::Spark,
                "CANNOT_LOAD_STATE_STORE.UNEXPECTED_VERSION",
                &[("version", &version)],
            ));
        }
        self.snapshot_repaired = false;
        let contents = if version == 0 {
            Contents::new(ctx.sorted, &self.schema)
        } else {
            let contents = self.load(ctx, version)?.next_version();
            // Copying it went over all entries.
            if let Some(loaded) = self.loaded.get_mut(&version) {
                loaded.viewed = true;
            }
            contents
        };
        Ok(StateStore {
            id: self.id.clone(),
            version,
            schema: self.schema.clone(),
            contents,
            delta: RecordWriter::default(),
            fresh: Fresh::default(),
            oldest: if version == 0 { Some(i64::MAX) } else { self.loaded.get(&version).and_then(|l| l.oldest) },
            iterated: true,
        })
    }

    fn load(&mut self, ctx: &ProviderContext<'_>, version: i64) -> Result<Rc<Contents>> {
        if let Some(loaded) = self.loaded.get(&version) {
            self.cache_hits += 1;
            return Ok(loaded.contents.clone());
        }
        self.cache_misses += 1;
        let (base, contents) = self.load_snapshot(ctx, version)?;
        let contents = if base == version {
            contents
        } else {
            let mut contents = contents.next_version();
            for delta in base + 1..=version {
                self.apply_delta(ctx, delta, &mut contents)?;
            }
            Rc::new(contents)
        };
        let (_, key_bytes, value_bytes) = contents.sizes();
        let fresh = Fresh { keys: contents.len(), key_bytes, values: contents.len(), value_bytes };
        self.keep(ctx.conf, version, Loaded { contents: contents.clone(), fresh, oldest: None, viewed: true });
        Ok(contents)
    }

    /// The newest snapshot or loaded version up to `version`; version 0 is empty. A damaged snapshot is passed over for an
    /// older one (spark.sql.streaming.stateStore.autoSnapshotRepair).
    fn load_snapshot(&mut self, ctx: &ProviderContext<'_>, version: i64) -> Result<(i64, Rc<Contents>)> {
        let mut eligible: Vec<i64> = self.files(ctx)?.iter().filter(|f| f.snapshot).map(|f| f.version).collect();
        eligible.extend(self.loaded.keys());
        eligible.push(0);
        eligible.retain(|candidate| *candidate <= version);
        eligible.sort_unstable_by_key(|candidate| -candidate);
        eligible.dedup();
        let mut failure = None;
        for (position, candidate) in eligible.iter().enumerate() {
            if position > 0 && version - candidate > AUTO_REPAIR_MAX_REPLAY {
                break;
            }
            let loaded = if *candidate == 0 {
                Ok(Rc::new(Contents::new(ctx.sorted, &self.schema)))
            } else if let Some(loaded) = self.loaded.get(candidate) {
                Ok(loaded.contents.clone())
            } else {
                self.read_snapshot(ctx, *candidate).map(Rc::new)
            };
            match loaded {
                Ok(contents) => {
                    self.snapshot_repaired = position > 0;
                    return Ok((*candidate, contents));
                }
                Err(error) => failure = Some(error),
            }
        }
        let latest = eligible.first().copied().unwrap_or(0).to_string();
        let list = |versions: &[i64]| versions.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let rest = list(eligible.get(1..).unwrap_or_default());
        let store =
            format!("StateStoreId(opId={},partId={},name={})", self.id.operator, self.id.partition, self.id.name);
        let error = SparkError::new(
            ErrorClass::Spark,
            "CANNOT_LOAD_STATE_STORE.AUTO_SNAPSHOT_REPAIR_FAILED",
            &[
                ("latestSnapshot", &latest),
                ("stateStoreId", &store),
                ("selectedSnapshots", &rest),
                ("eligibleSnapshots", &rest),
            ],
        );
        Err(match failure {
            Some(cause) => error.with_cause(cause),
            None => error,
        })
    }

    fn read_snapshot(&self, ctx: &ProviderContext<'_>, version: i64) -> Result<Contents> {
        let path = self.snapshot_file(version);
        let file = ctx.fs.read(&path).map_err(|error| load_failed(&plain_io(&error.to_string())))?;
        let mut contents = Contents::new(ctx.sorted, &self.schema);
        let read = records::read(&file, true, &mut |record| {
            if let Record::Put(key, value) = record {
                contents.put(&self.schema, key, value);
            }
        });
        read.map(|()| contents).map_err(|error| self.record_error(ctx, &path, "SNAPSHOT", &error))
    }

    /// replayReadStateFromSnapshot: the snapshot of `snapshot` and the deltas after it up to `version`. A snapshot that is
    /// not there is an error, whatever deltas could stand in for it.
    pub(super) fn replay(&self, ctx: &ProviderContext<'_>, snapshot: i64, version: i64) -> Result<Contents> {
        if snapshot < 1 || version < snapshot {
            let version = if snapshot < 1 { snapshot } else { version }.to_string();
            let condition = "CANNOT_LOAD_STATE_STORE.UNEXPECTED_VERSION";
            return Err(SparkError::new(ErrorClass::Spark, condition, &[("version", &version)]));
        }
        let path = self.snapshot_file(snapshot);
        if !ctx.fs.is_file(&path) {
            let condition = "CANNOT_LOAD_STATE_STORE.CANNOT_READ_MISSING_SNAPSHOT_FILE";
            let parameters = [("fileToRead", &*uri(&path)), ("clazz", &self.describe(ctx.run_id))];
            return Err(load_failed(&SparkError::new(ErrorClass::Spark, condition, &parameters)));
        }
        let mut contents = self.read_snapshot(ctx, snapshot)?.next_version();
        for delta in snapshot + 1..=version {
            self.apply_delta(ctx, delta, &mut contents)?;
        }
        Ok(contents)
    }

    /// The records of the delta files of these versions.
    pub(super) fn changes(
        &self,
        ctx: &ProviderContext<'_>,
        first: i64,
        last: i64,
    ) -> Result<Vec<super::stores::Change>> {
        let mut changes = Vec::new();
        for version in first..=last {
            self.read_delta(ctx, version, &mut |record| {
                changes.push(match record {
                    Record::Put(key, value) => (version, key.to_vec(), Some(value.to_vec())),
                    Record::Remove(key) => (version, key.to_vec(), None),
                });
            })?;
        }
        Ok(changes)
    }

    fn apply_delta(&self, ctx: &ProviderContext<'_>, version: i64, contents: &mut Contents) -> Result<()> {
        self.read_delta(ctx, version, &mut |record| match record {
            Record::Put(key, value) => drop(contents.put(&self.schema, key, value)),
            Record::Remove(key) => drop(contents.remove(&self.schema, key)),
        })
    }

    fn read_delta(&self, ctx: &ProviderContext<'_>, version: i64, visit: &mut dyn FnMut(Record<'_>)) -> Result<()> {
        let path = self.delta_file(version);
        let file = ctx.fs.read(&path).map_err(|error| match error.kind {
            FsErrorKind::NotFound => {
                let parameters = [("fileToRead", &*uri(&path)), ("clazz", &self.describe(ctx.run_id))];
                let condition = "CANNOT_LOAD_STATE_STORE.CANNOT_READ_DELTA_FILE_NOT_EXISTS";
                SparkError::new(ErrorClass::Spark, condition, &parameters)
            }
            _ => load_failed(&plain_io(&error.to_string())),
        })?;
        records::read(&file, false, visit).map_err(|error| self.record_error(ctx, &path, "DELTA", &error))
    }

    fn record_error(&self, ctx: &ProviderContext<'_>, path: &str, kind: &str, error: &RecordError) -> SparkError {
        let (what, name, size) = match error {
            RecordError::KeySize(size) => ("KEY", "keySize", size.to_string()),
            RecordError::ValueSize(size) => ("VALUE", "valueSize", size.to_string()),
            RecordError::Ended | RecordError::Corrupted => return load_failed(&error.cause()),
        };
        let parameters = [("fileToRead", &*uri(path)), ("clazz", &self.describe(ctx.run_id)), (name, &size)];
        let condition = format!("CANNOT_LOAD_STATE_STORE.CANNOT_READ_{kind}_FILE_{what}_SIZE");
        SparkError::new(ErrorClass::Spark, &condition, &parameters)
    }

    /// putStateIntoStateCacheMap
    fn keep(&mut self, conf: &StreamingConf, version: i64, loaded: Loaded) {
        let limit = usize::try_from(conf.max_versions_in_memory).unwrap_or(0);
        if limit == 0 {
            self.loaded.clear();
            return;
        }
        while self.loaded.len() > limit {
            self.loaded.pop_first();
        }
        if self.loaded.len() == limit
            && let Some(oldest) = self.loaded.keys().next().copied()
        {
            if oldest > version {
                return;
            }
            if oldest < version {
                self.loaded.remove(&oldest);
            }
        }
        self.loaded.insert(version, loaded);
    }

    /// Writes the delta file of the new version and keeps the version in memory.
    pub(super) fn commit(&mut self, ctx: &ProviderContext<'_>, store: StateStore, now_ms: i64) -> Result<StoreMetrics> {
        let version = store.version + 1;
        write_atomic(ctx.fs, &self.delta_file(version), &store.delta.finish(), now_ms).map_err(|error| {
            SparkError::new(
                ErrorClass::Spark,
                "CANNOT_WRITE_STATE_STORE.CANNOT_COMMIT",
                &[("providerClass", &self.describe(ctx.run_id))],
            )
            .with_cause(error)
        })?;
        let contents = Rc::new(store.contents);
        let viewed = store.iterated;
        let loaded = Loaded { contents: contents.clone(), fresh: store.fresh, oldest: store.oldest, viewed };
        let current = loaded.size();
        self.keep(ctx.conf, version, loaded);
        let memory = self.memory_used();
        Ok(StoreMetrics {
            num_keys: contents.len() as i64,
            memory_used_bytes: memory,
            custom: if ctx.sorted {
                Vec::new()
            } else {
                vec![
                    ("forceSnapshotCount", 0),
                    ("loadedMapCacheHitCount", self.cache_hits),
                    ("loadedMapCacheMissCount", self.cache_misses),
                    ("numSnapshotsAutoRepaired", i64::from(self.snapshot_repaired)),
                    ("stateOnCurrentVersionSizeBytes", current),
                ]
            },
            last_snapshot: self.last_snapshot,
        })
    }

    /// What SizeEstimator says of `loadedMaps`: rows that two versions share count once.
    fn memory_used(&self) -> i64 {
        let mut total = TREE_MAP + self.loaded.len() as i64 * TREE_MAP_ENTRY;
        let mut previous = false;
        for loaded in self.loaded.values() {
            let (_, key_bytes, value_bytes) = loaded.contents.sizes();
            let rows = loaded.contents.len();
            total += loaded.size();
            if previous {
                let keys = rows.saturating_sub(loaded.fresh.keys) as i64;
                let values = rows.saturating_sub(loaded.fresh.values) as i64;
                total -= keys * KEY_ROW + key_bytes.saturating_sub(loaded.fresh.key_bytes) as i64;
                total -= values * VALUE_ROW + value_bytes.saturating_sub(loaded.fresh.value_bytes) as i64;
            }
            previous = true;
        }
        total
    }

    pub(super) fn in_memory(&self, version: i64) -> Option<Rc<Contents>> {
        self.loaded.get(&version).map(|loaded| loaded.contents.clone())
    }

    /// The rows of a version for reading, without a place for changes. Does not count as a cache hit.
    pub(super) fn peek(&mut self, ctx: &ProviderContext<'_>, version: i64) -> Result<Rc<Contents>> {
        if version == 0 {
            return Ok(Rc::new(Contents::new(ctx.sorted, &self.schema)));
        }
        let (hits, misses) = (self.cache_hits, self.cache_misses);
        let contents = self.load(ctx, version);
        (self.cache_hits, self.cache_misses) = (hits, misses);
        contents
    }

    /// doMaintenance: a snapshot where enough deltas have gathered, and files that no retained version needs deleted.
    /// Failures are Spark's warnings: the next round tries again.
    pub(super) fn maintain(&mut self, ctx: &ProviderContext<'_>, now_ms: i64) {
        let Ok(files) = self.files(ctx) else { return };
        let Some(last) = files.last().map(|f| f.version) else { return };
        if let Some(loaded) = self.loaded.get(&last)
            && needed_for(&files, last).iter().filter(|f| !f.snapshot).count() > ctx.conf.min_deltas_for_snapshot
        {
            let mut writer = RecordWriter::default();
            for (key, value) in loaded.contents.iter() {
                writer.put(key, value);
            }
            if write_atomic(ctx.fs, &self.snapshot_file(last), &writer.finish(), now_ms).is_ok() {
                self.last_snapshot = self.last_snapshot.max(last);
            }
        }
        let Ok(files) = self.files(ctx) else { return };
        let retained = last - ctx.conf.min_versions_to_retain;
        if retained > 0
            && files.iter().any(|f| f.version == retained)
            && let Some(first) = needed_for(&files, retained).first().map(|f| f.version)
        {
            for file in files.iter().filter(|f| f.version < first) {
                let path = if file.snapshot { self.snapshot_file(file.version) } else { self.delta_file(file.version) };
                let _ = ctx.fs.remove_file(&path);
                remove_checksum(ctx.fs, &path);
            }
        }
    }

    /// Versions with a file, ascending; a snapshot hides the delta of its version.
    fn files(&self, ctx: &ProviderContext<'_>) -> Result<Vec<StoreFile>> {
        let entries = match ctx.fs.list(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind == FsErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(load_failed(&plain_io(&error.to_string()))),
        };
        let mut files: BTreeMap<i64, bool> = BTreeMap::new();
        for entry in entries {
            let Some((version, kind)) = entry.name.split_once('.') else { continue };
            let Ok(version) = version.parse::<i64>() else { continue };
            match kind {
                "snapshot" => drop(files.insert(version, true)),
                "delta" => drop(files.entry(version).or_insert(false)),
                _ => {}
            }
        }
        Ok(files.into_iter().map(|(version, snapshot)| StoreFile { version, snapshot }).collect())
    }
}

/// spark.sql.streaming.stateStore.autoSnapshotRepair.maxChangeFileReplay
const AUTO_REPAIR_MAX_REPLAY: i64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoreFile {
    version: i64,
    snapshot: bool,
}

/// filesForVersion
fn needed_for(files: &[StoreFile], version: i64) -> &[StoreFile] {
    let end = files.partition_point(|f| f.version <= version);
    let start = files[..end].iter().rposition(|f| f.snapshot).unwrap_or(0);
    &files[start..end]
}

// Sizes that SizeEstimator finds on a 64-bit JVM with compressed pointers, bytes.
/// TreeMap of versions with its comparator.
const TREE_MAP: i64 = 96;
/// Its entry and key.
const TREE_MAP_ENTRY: i64 = 48;
/// HDFSBackedStateStoreMap and ConcurrentHashMap.
const MAP: i64 = 104;
/// A map's view of its entries.
const VIEW: i64 = 16;
/// A node of the hash map.
const NODE: i64 = 32;
/// An UnsafeRow object and the head of its byte array.
const KEY_ROW: i64 = 56;
/// The same with its StateStoreRow.
const VALUE_ROW: i64 = 72;

/// A path as Hadoop prints it.
fn uri(path: &str) -> String {
    format!("file:{path}")
}

fn plain_io(text: &str) -> SparkError {
    SparkError::plain(ErrorClass::Java("java.io.IOException"), text)
}

/// StateStoreErrors.cannotLoadStore of an exception without a condition of its own.
fn load_failed(cause: &SparkError) -> SparkError {
    SparkError::new(ErrorClass::Spark, "CANNOT_LOAD_STATE_STORE.UNCATEGORIZED", &[]).with_cause(cause.clone())
}

/// Writes beside the target and renames, as CheckpointFileManager does. A checksum file that Hadoop left for an older
/// content would make the new one unreadable for Spark, so it goes.
pub(super) fn write_atomic(fs: &dyn FileSystem, path: &str, content: &[u8], now_ms: i64) -> Result<()> {
    let folder = tidemark_vfs::parent(path).unwrap_or("/");
    let temporary = format!("{folder}/.{}.tmp", tidemark_vfs::file_name(path));
    let written = match fs.write(&temporary, content, now_ms) {
        // The folder is there but for a store's first file.
        Err(error) if error.kind == FsErrorKind::NotFound => {
            fs.create_dir_all(folder, now_ms).and_then(|()| fs.write(&temporary, content, now_ms))
        }
        other => other,
    };
    written.and_then(|()| fs.rename(&temporary, path)).map_err(|error| plain_io(&error.to_string()))?;
    remove_checksum(fs, path);
    Ok(())
}

fn remove_checksum(fs: &dyn FileSystem, path: &str) {
    let folder = tidemark_vfs::parent(path).unwrap_or("/");
    let checksum = format!("{folder}/.{}.crc", tidemark_vfs::file_name(path));
    if fs.is_file(&checksum) {
        let _ = fs.remove_file(&checksum);
    }
}
