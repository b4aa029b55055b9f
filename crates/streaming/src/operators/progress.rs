//! Counters of one stateful operator, and their place in the progress report.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What one stateful operator did in one batch (Spark's StateOperatorProgress). A plan that is executed again (several
/// actions in foreachBatch) adds to the same counters, as Spark's SQLMetrics do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorMetrics {
    /// "stateStoreSave", "dedupe" ...
    pub operator_name: String,
    pub num_rows_total: i64,
    pub num_rows_updated: i64,
    pub all_updates_time_ms: i64,
    pub num_rows_removed: i64,
    pub all_removals_time_ms: i64,
    pub commit_time_ms: i64,
    pub memory_used_bytes: i64,
    /// Rows after partial aggregation, where there is one.
    pub num_rows_dropped_by_watermark: i64,
    pub num_shuffle_partitions: i64,
    pub num_state_store_instances: i64,
    /// Sorted by name, as the JSON lists them.
    pub custom: BTreeMap<String, i64>,
    /// Version of the last snapshot by partition and store; -1 for none.
    snapshots: BTreeMap<(usize, String), i64>,
}

/// spark.sql.streaming.stateStore.numStateStoreInstanceMetricsToReport
const INSTANCE_METRICS: usize = 5;

impl OperatorMetrics {
    /// The entry of `stateOperators`, fields in Spark's order.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("operatorName".into(), self.operator_name.clone().into());
        for (name, value) in [
            ("numRowsTotal", self.num_rows_total),
            ("numRowsUpdated", self.num_rows_updated),
            ("allUpdatesTimeMs", self.all_updates_time_ms),
            ("numRowsRemoved", self.num_rows_removed),
            ("allRemovalsTimeMs", self.all_removals_time_ms),
            ("commitTimeMs", self.commit_time_ms),
            ("memoryUsedBytes", self.memory_used_bytes),
            ("numRowsDroppedByWatermark", self.num_rows_dropped_by_watermark),
            ("numShufflePartitions", self.num_shuffle_partitions),
            ("numStateStoreInstances", self.num_state_store_instances),
        ] {
            json.insert(name.into(), value.into());
        }
        let mut custom = self.custom.clone();
        // The stores that are furthest behind are named.
        let mut snapshots: Vec<_> = self.snapshots.iter().collect();
        snapshots.sort_by_key(|(_, version)| **version);
        for ((partition, store), version) in snapshots.into_iter().take(INSTANCE_METRICS) {
            custom.insert(format!("SnapshotLastUploaded.partition_{partition}_{store}"), *version);
        }
        let custom = custom.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        json.insert("customMetrics".into(), Value::Object(custom));
        Value::Object(json)
    }

    /// Notes the last snapshot of a store.
    pub(crate) fn snapshot_uploaded(&mut self, partition: usize, store: &str, version: i64) {
        let known = self.snapshots.entry((partition, store.to_owned())).or_insert(version);
        *known = version.max(*known);
    }

    /// Adds to a custom counter.
    pub(crate) fn add(&mut self, name: &str, value: i64) {
        *self.custom.entry(name.to_owned()).or_insert(0) += value;
    }
}
