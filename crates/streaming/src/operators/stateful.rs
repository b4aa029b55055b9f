//! What the stateful operators share: their identity, their stores, their counters.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::expr::Attribute;

use super::batch::{DroppedRow, StatefulBatch};
use super::columns::EventTime;
use crate::state::{DEFAULT_STORE, StateSchema, StateStore, StoreId, StoreMetrics};

/// One stateful operator of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Stateful {
    pub(super) batch: Rc<StatefulBatch>,
    pub(super) operator: usize,
    /// Name in the progress report and in the operator metadata.
    pub(super) name: &'static str,
    pub(super) schema: Rc<StateSchema>,
    /// Event time among the input columns.
    pub(super) event_time: Option<EventTime>,
}

impl Stateful {
    /// Its number in the plan and in the checkpoint.
    pub(crate) fn operator(&self) -> usize {
        self.operator
    }

    /// Registers the operator, so that it is reported whatever happens. `counters`: its custom metrics.
    pub(super) fn new(
        batch: &Rc<StatefulBatch>,
        operator: usize,
        name: &'static str,
        schema: StateSchema,
        input: &[Arc<Attribute>],
        counters: &[&str],
    ) -> Result<Self> {
        let event_time = batch.event_time_of(input, batch.query.conf.allow_multiple);
        batch.count(operator, |metrics| {
            metrics.operator_name = name.to_owned();
            metrics.num_shuffle_partitions = batch.shuffle_partitions as i64;
            let provider: &[&str] = if batch.query.conf.is_rocks_db() { &ROCKSDB_METRICS } else { &HDFS_METRICS };
            for name in provider.iter().chain(counters) {
                metrics.add(name, 0);
            }
        });
        Ok(Self { batch: batch.clone(), operator, name, schema: Rc::new(schema), event_time })
    }

    pub(super) fn open(&self, partition: usize) -> Result<StateStore> {
        self.open_named(partition, DEFAULT_STORE, &self.schema)
    }

    pub(super) fn open_named(&self, partition: usize, store: &str, schema: &Rc<StateSchema>) -> Result<StateStore> {
        let id = StoreId::named(self.operator, partition, store);
        self.batch.query.stores.borrow_mut().open(&id, schema, self.batch.batch_id)
    }

    /// Commits the store of a partition and counts it.
    pub(super) fn commit(&self, partition: usize, store: StateStore) -> Result<()> {
        let metrics = self.commit_store(store)?;
        self.count_store(partition, DEFAULT_STORE, &metrics);
        Ok(())
    }

    pub(super) fn commit_store(&self, store: StateStore) -> Result<StoreMetrics> {
        self.batch.query.stores.borrow_mut().commit(store, self.batch.now_ms)
    }

    /// StateStoreWriter.setStoreMetrics and setOperatorMetrics.
    pub(super) fn count_store(&self, partition: usize, store: &str, metrics: &StoreMetrics) {
        self.batch.count(self.operator, |total| {
            total.num_rows_total += metrics.num_keys;
            total.memory_used_bytes += metrics.memory_used_bytes;
            total.num_state_store_instances += 1;
            for (name, value) in &metrics.custom {
                total.add(name, *value);
            }
            total.snapshot_uploaded(partition, store, metrics.last_snapshot);
        });
    }

    /// The rows that the late-row watermark lets pass; the others are counted. Null times are not late.
    pub(super) fn drop_late(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.drop_late_by(self.event_time, batch)
    }

    /// [`Self::drop_late`] by the event time of one input among several.
    pub(super) fn drop_late_by(&self, event_time: Option<EventTime>, batch: &RecordBatch) -> Result<RecordBatch> {
        let Some(event_time) = event_time else { return Ok(batch.clone()) };
        let watermark = self.batch.late(self.operator);
        let boundary = watermark.micros();
        let times = event_time.times(batch);
        let late = times.iter().flatten().filter(|time| **time <= boundary).count();
        if late == 0 {
            return Ok(batch.clone());
        }
        self.batch.count(self.operator, |metrics| metrics.num_rows_dropped_by_watermark += late as i64);
        if self.batch.observe {
            let starts = event_time.starts(batch);
            let rows = times.iter().zip(starts).filter_map(|(time, start_us)| {
                let boundary_us = time.filter(|time| *time <= boundary)?;
                Some(DroppedRow { operator: self.operator, start_us, boundary_us, watermark })
            });
            self.batch.dropped.borrow_mut().extend(rows);
        }
        let kept: BooleanArray = times.iter().map(|time| Some(time.is_none_or(|time| time > boundary))).collect();
        Ok(filter_record_batch(batch, &kept)?)
    }

    /// For the page: the windows in the keys of a store after the batch, and those that the batch took out.
    pub(super) fn observe_windows<'a>(
        &self,
        left: impl Iterator<Item = &'a [u8]>,
        closed: impl Iterator<Item = &'a [u8]>,
        window_of: impl Fn(&[u8]) -> Option<(i64, i64)>,
    ) {
        if !self.batch.observe {
            return;
        }
        let mut windows = self.batch.windows.borrow_mut();
        for (key, closed) in left.map(|key| (key, false)).chain(closed.map(|key| (key, true))) {
            if let Some((start_us, end_us)) = window_of(key) {
                *windows.entry((self.operator, start_us, end_us, closed)).or_insert(0) += 1;
            }
        }
    }
}

/// Custom metrics of HDFSBackedStateStoreProvider.
const HDFS_METRICS: [&str; 5] = [
    "forceSnapshotCount",
    "loadedMapCacheHitCount",
    "loadedMapCacheMissCount",
    "numSnapshotsAutoRepaired",
    "stateOnCurrentVersionSizeBytes",
];

/// Custom metrics of RocksDBStateStoreProvider. What the files of its own say has no counterpart here and stays 0.
const ROCKSDB_METRICS: [&str; 36] = [
    "rocksdbBytesCopied",
    "rocksdbChangeLogWriterCommitLatencyMs",
    "rocksdbCommitCheckpointLatency",
    "rocksdbCommitCompactLatency",
    "rocksdbCommitFileSyncLatencyMs",
    "rocksdbCommitFlushLatency",
    "rocksdbFilesCopied",
    "rocksdbFilesReused",
    "rocksdbForceSnapshotCount",
    "rocksdbGetCount",
    "rocksdbGetLatency",
    "rocksdbLoadFromSnapshotLatencyMs",
    "rocksdbLoadLatencyMs",
    "rocksdbNumExternalColumnFamilies",
    "rocksdbNumInternalColFamiliesKeys",
    "rocksdbNumInternalColumnFamilies",
    "rocksdbNumLoadedFromDfs",
    "rocksdbNumReplayChangelogFiles",
    "rocksdbNumSnapshotsAutoRepaired",
    "rocksdbPinnedBlocksMemoryUsage",
    "rocksdbPutCount",
    "rocksdbPutLatency",
    "rocksdbReadBlockCacheHitCount",
    "rocksdbReadBlockCacheMissCount",
    "rocksdbReplayChangeLogLatencyMs",
    "rocksdbSaveZipFilesLatencyMs",
    "rocksdbSstFileSize",
    "rocksdbTotalBytesRead",
    "rocksdbTotalBytesReadByCompaction",
    "rocksdbTotalBytesReadThroughIterator",
    "rocksdbTotalBytesWritten",
    "rocksdbTotalBytesWrittenByCompaction",
    "rocksdbTotalBytesWrittenByFlush",
    "rocksdbTotalCompactionLatencyMs",
    "rocksdbWriterStallLatencyMs",
    "rocksdbZipFileBytesUncompressed",
];
