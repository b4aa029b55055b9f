//! `commits/N`: batch N is done (Spark's CommitLog, version 1).

use serde_json::{Value, json};
use tidemark_sql::error::Result;
use tidemark_vfs::SharedFs;

use super::metadata_log::{MetadataLog, check_version, illegal_state, lines};
use super::parse_json;

pub(crate) struct CommitLog {
    log: MetadataLog,
}

impl CommitLog {
    pub(crate) fn open(fs: SharedFs, checkpoint: &str, now_ms: i64) -> Result<Self> {
        Ok(Self { log: MetadataLog::open(fs, format!("{checkpoint}/commits"), now_ms)? })
    }

    /// The log of a checkpoint that is only read.
    pub(crate) fn existing(fs: SharedFs, checkpoint: &str) -> Self {
        Self { log: MetadataLog::existing(fs, format!("{checkpoint}/commits")) }
    }

    /// Committed batches, ascending.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.log.batch_ids()
    }

    /// Id and watermark (ms) of the newest commit.
    pub(crate) fn latest(&self) -> Result<Option<(i64, i64)>> {
        let Some(id) = self.log.batch_ids().last().copied() else { return Ok(None) };
        Ok(self.log.get(&id.to_string(), parse)?.map(|watermark| (id, watermark)))
    }

    pub(crate) fn add(&self, batch_id: i64, next_watermark_ms: i64, now_ms: i64) -> Result<bool> {
        let text = format!("v1\n{}", json!({ "nextBatchWatermarkMs": next_watermark_ms }));
        self.log.add(&batch_id.to_string(), &text, now_ms)
    }

    pub(crate) fn purge(&self, threshold: i64) {
        self.log.purge(threshold);
    }
}

fn parse(text: &str) -> Result<i64> {
    let mut lines = lines(text);
    let Some(version) = lines.next() else {
        return Err(illegal_state("Incomplete log file in the offset commit log"));
    };
    check_version(version.trim(), 3)?;
    let metadata = parse_json(lines.next().unwrap_or("{}"))?;
    Ok(metadata.get("nextBatchWatermarkMs").and_then(Value::as_i64).unwrap_or(0))
}
