//! `sources/N`: which files each batch read (Spark's FileStreamSourceLog).

use serde_json::{Value, json};
use tidemark_sql::error::Result;

use crate::checkpoint::{CompactSettings, CompactibleLog, illegal_state, parse_json};
use crate::sources::SourceEnv;

/// A file of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// URI.
    pub(super) path: String,
    pub(super) modified_ms: i64,
    pub(super) batch: i64,
}

pub(super) struct SourceLog {
    log: CompactibleLog,
}

fn parse(line: &str) -> Result<Entry> {
    let json = parse_json(line)?;
    let number = |key: &str| json.get(key).and_then(Value::as_i64).unwrap_or(0);
    let path = json.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Entry { path, modified_ms: number("timestamp"), batch: number("batchId") })
}

impl SourceLog {
    pub(super) fn open(env: &SourceEnv) -> Result<Self> {
        let setting = "spark.sql.streaming.fileSource.log.compactInterval";
        let settings = CompactSettings {
            setting,
            interval: env.settings.long(setting, 10),
            delete_expired: env.settings.flag("spark.sql.streaming.fileSource.log.deletion", true),
            cleanup_delay_ms: env.settings.duration_ms("spark.sql.streaming.fileSource.log.cleanupDelay", 600_000),
            min_batches: env.settings.long("spark.sql.streaming.minBatchesToRetain", 100),
        };
        let log = CompactibleLog::open(env.fs.clone(), env.log.clone(), settings, env.clock.now_ms())?;
        Ok(Self { log })
    }

    pub(super) fn latest_id(&self) -> Option<i64> {
        self.log.latest_id()
    }

    pub(super) fn all(&self) -> Result<Vec<Entry>> {
        self.log.all_lines()?.iter().map(|line| parse(line)).collect()
    }

    pub(super) fn add(&self, batch: i64, files: impl Iterator<Item = (String, i64)>, now_ms: i64) -> Result<bool> {
        let lines = files
            .map(|(path, modified)| json!({ "path": path, "timestamp": modified, "batchId": batch }).to_string())
            .collect();
        self.log.add(batch, lines, |all| all, now_ms)
    }

    /// Files of the batches `first` to `last`. Entries whose own file is gone come from the latest compaction.
    pub(super) fn range(&self, first: i64, last: i64) -> Result<Vec<Entry>> {
        let mut files = Vec::new();
        let mut found = Vec::new();
        for batch in first..=last {
            let own = self.log.get(batch)?;
            let is_there = own.is_some();
            let lines = match own {
                Some(lines) => Some(lines),
                None => match self.log.latest_id() {
                    Some(latest) => self.log.get(self.log.first_valid(latest))?,
                    None => None,
                },
            };
            let entries: Vec<Entry> =
                lines.unwrap_or_default().iter().map(|line| parse(line)).collect::<Result<Vec<_>>>()?;
            let own: Vec<Entry> = entries.into_iter().filter(|entry| entry.batch == batch).collect();
            // A file without entries is a batch without files.
            if is_there || !own.is_empty() {
                found.push(batch);
                files.extend(own);
            }
        }
        verify(&found, first, last)?;
        Ok(files)
    }
}

/// HDFSMetadataLog.verifyBatchIds.
fn verify(found: &[i64], first: i64, last: i64) -> Result<()> {
    if first > last {
        return Ok(());
    }
    let list = |from: i64, to: i64| (from..=to).map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
    let (Some(min), Some(max)) = (found.first().copied(), found.last().copied()) else {
        return Err(illegal_state(format!("batch {first} doesn't exist")));
    };
    let range = format!("(startId: Some({first}), endId: Some({last}))");
    if min != first {
        return Err(illegal_state(format!("batches ({}) don't exist {range}", list(first, min))));
    }
    if max != last {
        return Err(illegal_state(format!("batches ({}) don't  exist {range}", list(max, last))));
    }
    let missing: Vec<String> = (min..=max).filter(|id| !found.contains(id)).map(|id| id.to_string()).collect();
    if !missing.is_empty() {
        return Err(illegal_state(format!("batches ({}) don't exist {range}", missing.join(", "))));
    }
    Ok(())
}
