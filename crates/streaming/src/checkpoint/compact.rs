//! Logs that fold their past into one file every few batches (Spark's CompactibleFileStreamLog): the file source's and
//! the file sink's.

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::SharedFs;

use super::metadata_log::{MetadataLog, check_version, illegal_state, lines};

const COMPACT: &str = ".compact";

/// Settings of one log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactSettings {
    /// Name of the setting of `interval`.
    pub(crate) setting: &'static str,
    /// spark.sql.streaming.file{Source,Sink}.log.compactInterval
    pub(crate) interval: i64,
    /// spark.sql.streaming.file{Source,Sink}.log.deletion
    pub(crate) delete_expired: bool,
    /// spark.sql.streaming.file{Source,Sink}.log.cleanupDelay, ms
    pub(crate) cleanup_delay_ms: i64,
    /// spark.sql.streaming.minBatchesToRetain
    pub(crate) min_batches: i64,
}

/// A log of lines, one JSON document each.
pub(crate) struct CompactibleLog {
    log: MetadataLog,
    settings: CompactSettings,
    interval: i64,
}

impl CompactibleLog {
    pub(crate) fn open(fs: SharedFs, folder: String, settings: CompactSettings, now_ms: i64) -> Result<Self> {
        if settings.interval <= 0 {
            let (setting, was) = (settings.setting, settings.interval);
            let text = format!("requirement failed: Please set {setting} (was {was}) to a positive value.");
            return Err(SparkError::plain(ErrorClass::IllegalArgument, text));
        }
        Ok(Self::over(MetadataLog::open(fs, folder, now_ms)?, settings))
    }

    /// A log that is only read.
    pub(crate) fn existing(fs: SharedFs, folder: String, settings: CompactSettings) -> Self {
        Self::over(MetadataLog::existing(fs, folder), settings)
    }

    fn over(log: MetadataLog, settings: CompactSettings) -> Self {
        let interval = interval(&log, settings.interval.max(1));
        Self { log, settings, interval }
    }

    fn is_compaction(&self, batch: i64) -> bool {
        (batch + 1) % self.interval == 0
    }

    fn file(&self, batch: i64) -> String {
        if self.is_compaction(batch) { format!("{batch}{COMPACT}") } else { batch.to_string() }
    }

    fn ids(log: &MetadataLog) -> Vec<i64> {
        let mut ids: Vec<i64> =
            log.names().iter().filter_map(|name| name.strip_suffix(COMPACT).unwrap_or(name).parse().ok()).collect();
        ids.sort_unstable();
        ids
    }

    pub(crate) fn latest_id(&self) -> Option<i64> {
        Self::ids(&self.log).into_iter().rev().find(|id| self.log.modified_ms(&self.file(*id)).is_some())
    }

    /// The lines of one file, without the version.
    pub(crate) fn get(&self, batch: i64) -> Result<Option<Vec<String>>> {
        self.log.get(&self.file(batch), |text| {
            let mut lines = lines(text);
            let Some(version) = lines.next() else { return Err(illegal_state("Incomplete log file")) };
            check_version(version, 1)?;
            Ok(lines.map(str::to_owned).collect())
        })
    }

    fn required(&self, batch: i64, what: &str) -> Result<Vec<String>> {
        self.get(batch)?
            .ok_or_else(|| illegal_state(format!("file:{} doesn't exist {what}", self.log.path(&self.file(batch)))))
    }

    /// All lines that are in force, oldest first, before the log's own rules drop any.
    pub(crate) fn all_lines(&self) -> Result<Vec<String>> {
        let Some(latest) = self.latest_id() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for batch in self.first_valid(latest)..=latest {
            let what = format!("(latestId: {latest}, compactInterval: {})", self.interval);
            all.extend(self.required(batch, &what)?);
        }
        Ok(all)
    }

    /// First batch of those that hold everything up to `batch` (getAllValidBatches).
    pub(crate) fn first_valid(&self, batch: i64) -> i64 {
        ((batch + 1) / self.interval * self.interval - 1).max(0)
    }

    /// Writes batch `batch`; `compact` drops lines that a compaction leaves out. False: it was there already.
    pub(crate) fn add(
        &self,
        batch: i64,
        new: Vec<String>,
        compact: impl FnOnce(Vec<String>) -> Vec<String>,
        now_ms: i64,
    ) -> Result<bool> {
        let lines = if self.is_compaction(batch) {
            let mut all = Vec::new();
            for earlier in (batch - self.interval).max(0)..batch {
                let what = format!("when compacting batch {batch} (compactInterval: {})", self.interval);
                all.extend(self.required(earlier, &what)?);
            }
            all.extend(new);
            compact(all)
        } else {
            new
        };
        let mut text = String::from("v1");
        for line in &lines {
            text.push('\n');
            text.push_str(line);
        }
        let added = self.log.add(&self.file(batch), &text, now_ms)?;
        if added && self.settings.delete_expired {
            self.delete_expired(batch, now_ms);
        }
        Ok(added)
    }

    fn delete_expired(&self, current: i64, now_ms: i64) {
        let oldest_kept = current + 1 - self.settings.min_batches;
        if self.interval > oldest_kept {
            return;
        }
        let compaction = oldest_kept - oldest_kept % self.interval - 1;
        let expired = now_ms - self.settings.cleanup_delay_ms;
        for name in self.log.names() {
            let id = name.strip_suffix(COMPACT).unwrap_or(&name).parse::<i64>();
            if id.is_ok_and(|id| id < compaction) && self.log.modified_ms(&name).is_some_and(|at| at <= expired) {
                self.log.remove(&name);
            }
        }
    }
}

/// The interval in force: files that are there go before the setting.
fn interval(log: &MetadataLog, default: i64) -> i64 {
    let mut compacted: Vec<i64> =
        log.names().iter().filter_map(|name| name.strip_suffix(COMPACT).and_then(|id| id.parse().ok())).collect();
    compacted.sort_unstable_by(|a, b| b.cmp(a));
    match compacted[..] {
        [] => default,
        [latest, previous, ..] => (latest - previous).max(1),
        [only] => {
            let folded = only + 1;
            if folded > default && default < folded / 2 {
                (default..=folded / 2).find(|n| folded % n == 0).unwrap_or(folded)
            } else {
                folded
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidemark_vfs::{FileSystem, MemoryFs};

    use super::*;

    #[test]
    fn every_third_file_holds_everything_so_far() {
        let fs = Arc::new(MemoryFs::new());
        let settings = CompactSettings {
            setting: "interval",
            interval: 3,
            delete_expired: true,
            cleanup_delay_ms: 0,
            min_batches: 2,
        };
        let log = CompactibleLog::open(fs.clone(), "/log".into(), settings, 0).unwrap();
        for batch in 0..7 {
            assert!(log.add(batch, vec![format!("line {batch}")], |all| all, 0).unwrap());
        }
        assert!(!log.add(6, vec![], |all| all, 0).unwrap());
        let names: Vec<String> = fs.list("/log").unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["2.compact", "3", "4", "5.compact", "6"]);
        let again = CompactibleLog::open(fs, "/log".into(), CompactSettings { interval: 10, ..settings }, 0).unwrap();
        assert_eq!(again.all_lines().unwrap(), (0..7).map(|n| format!("line {n}")).collect::<Vec<_>>());
    }
}
