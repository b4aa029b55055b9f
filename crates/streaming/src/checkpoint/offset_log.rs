//! `offsets/N`: the plan of batch N (Spark's OffsetSeqLog and OffsetSeqMetadata, version 1).

use serde_json::{Map, Value};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::SharedFs;

use super::metadata_log::{MetadataLog, check_version, illegal_state, lines};
use super::parse_json;

/// Settings that stay with a checkpoint, with their default, in the order in which Spark 4.3.0 writes them.
pub(crate) const LOGGED_CONF: [(&str, &str); 17] = [
    (
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    ),
    ("spark.sql.dropDuplicates.deterministicKeyOrder.enabled", "true"),
    ("spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion", "2"),
    ("spark.sql.streaming.stateStore.rocksdb.formatVersion", "5"),
    ("spark.sql.streaming.queryEvolution.enableSourceEvolution", "false"),
    ("spark.sql.streaming.stateStore.encodingFormat", "unsaferow"),
    ("spark.sql.streaming.statefulOperator.useStrictDistribution", "true"),
    ("spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", "2"),
    ("spark.sql.streaming.multipleWatermarkPolicy", "min"),
    ("spark.sql.streaming.stateStore.rowChecksum.enabled", "false"),
    ("spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled", "true"),
    ("spark.sql.streaming.aggregation.stateFormatVersion", "2"),
    ("spark.sql.function.protobufExtensions.enabled", "false"),
    ("spark.sql.shuffle.partitions", "200"),
    ("spark.sql.streaming.join.stateFormatVersion", "2"),
    ("spark.sql.streaming.stateStore.compression.codec", "lz4"),
    ("spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan", "false"),
];

/// One planned batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OffsetEntry {
    /// False: the entry had an empty metadata line (Spark before 2.1).
    pub(crate) has_metadata: bool,
    pub(crate) watermark_ms: i64,
    pub(crate) timestamp_ms: i64,
    /// Settings of the batch, by key.
    pub(crate) conf: Vec<(String, String)>,
    /// End offset of each source as JSON text; None: the source had nothing yet.
    pub(crate) offsets: Vec<Option<String>>,
}

impl OffsetEntry {
    fn to_text(&self) -> String {
        let conf: Map<String, Value> = self.conf.iter().map(|(k, v)| (k.clone(), Value::from(v.as_str()))).collect();
        let mut metadata = Map::new();
        metadata.insert("batchWatermarkMs".into(), self.watermark_ms.into());
        metadata.insert("batchTimestampMs".into(), self.timestamp_ms.into());
        metadata.insert("conf".into(), Value::Object(conf));
        let mut text = format!("v1\n{}", Value::Object(metadata));
        for offset in &self.offsets {
            text.push('\n');
            text.push_str(offset.as_deref().unwrap_or("-"));
        }
        text
    }

    fn parse(text: &str) -> Result<Self> {
        let mut lines = lines(text);
        let Some(version) = lines.next() else { return Err(illegal_state("Incomplete log file")) };
        check_version(version, 2)?;
        let Some(metadata) = lines.next() else {
            return Err(SparkError::plain(ErrorClass::NoSuchElement, "next on empty iterator"));
        };
        let mut entry = Self::default();
        if !metadata.trim().is_empty() {
            let metadata = parse_json(metadata.trim())?;
            let number = |key: &str| metadata.get(key).and_then(Value::as_i64).unwrap_or(0);
            entry.has_metadata = true;
            entry.watermark_ms = number("batchWatermarkMs");
            entry.timestamp_ms = number("batchTimestampMs");
            if let Some(Value::Object(conf)) = metadata.get("conf") {
                entry.conf = conf.iter().filter_map(|(k, v)| v.as_str().map(|v| (k.clone(), v.to_owned()))).collect();
            }
        }
        entry.offsets = lines.map(|line| (line != "-").then(|| line.to_owned())).collect();
        Ok(entry)
    }
}

pub(crate) struct OffsetLog {
    log: MetadataLog,
}

impl OffsetLog {
    pub(crate) fn open(fs: SharedFs, checkpoint: &str, now_ms: i64) -> Result<Self> {
        Ok(Self { log: MetadataLog::open(fs, format!("{checkpoint}/offsets"), now_ms)? })
    }

    /// The log of a checkpoint that is only read.
    pub(crate) fn existing(fs: SharedFs, checkpoint: &str) -> Self {
        Self { log: MetadataLog::existing(fs, format!("{checkpoint}/offsets")) }
    }

    pub(crate) fn latest(&self) -> Result<Option<(i64, OffsetEntry)>> {
        let Some(id) = self.log.batch_ids().last().copied() else { return Ok(None) };
        Ok(self.get(id)?.map(|entry| (id, entry)))
    }

    pub(crate) fn get(&self, batch_id: i64) -> Result<Option<OffsetEntry>> {
        self.log.get(&batch_id.to_string(), OffsetEntry::parse)
    }

    pub(crate) fn add(&self, batch_id: i64, entry: &OffsetEntry, now_ms: i64) -> Result<bool> {
        self.log.add(&batch_id.to_string(), &entry.to_text(), now_ms)
    }

    pub(crate) fn purge(&self, threshold: i64) {
        self.log.purge(threshold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_written_as_spark_writes_them_and_read_back() {
        let entry = OffsetEntry {
            has_metadata: true,
            watermark_ms: 5,
            timestamp_ms: 1_795_965_231_590,
            conf: vec![("spark.sql.shuffle.partitions".into(), "2".into())],
            offsets: vec![None, Some("{\"logOffset\":0}".into())],
        };
        let text = entry.to_text();
        assert_eq!(
            text,
            "v1\n{\"batchWatermarkMs\":5,\"batchTimestampMs\":1795965231590,\"conf\":{\"spark.sql.shuffle.partitions\":\"2\"}}\n-\n{\"logOffset\":0}"
        );
        assert_eq!(OffsetEntry::parse(&text).ok(), Some(entry));
    }
}
