//! Going on where the checkpoint says (MicroBatchExecution.populateStartOffsets).

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::MicroBatch;
use crate::checkpoint::{OffsetEntry, illegal_state};
use crate::settings::Settings;

/// The settings of the offset log go before the session's.
pub(super) fn restore_settings(entry: &OffsetEntry, settings: &mut Settings) {
    if !entry.has_metadata {
        return;
    }
    for (key, value) in &entry.conf {
        settings.fix(key, value);
    }
}

impl MicroBatch {
    /// Takes up the newest entry of the offset log.
    pub(super) fn resume(&mut self, latest: Option<(i64, OffsetEntry)>) -> Result<()> {
        let Some((latest_id, entry)) = latest else { return Ok(()) };
        let committed = self.commits.latest()?;
        self.batch_id = latest_id;
        self.constructed = true;
        let end = self.offsets_by_source(&entry)?;
        for (open, end) in self.sources.iter_mut().zip(end) {
            open.end = end;
        }
        if latest_id != 0 {
            let Some(before) = self.offsets.get(latest_id - 1)? else {
                let missing = latest_id - 1;
                return Err(match committed {
                    Some((id, _)) if id == latest_id => illegal_state(format!("batch {missing} doesn't exist")),
                    _ => SparkError::plain(
                        ErrorClass::IllegalArgument,
                        format!("requirement failed: Previous batch {missing} not found in offset log"),
                    ),
                });
            };
            let start = self.offsets_by_source(&before)?;
            for (open, start) in self.sources.iter_mut().zip(start) {
                open.start = start;
            }
            self.previous_watermark_ms = before.watermark_ms;
        }
        self.watermark_ms = entry.watermark_ms;
        self.timestamp_ms = entry.timestamp_ms;
        self.tracker.set(entry.watermark_ms);
        for open in &mut self.sources {
            if let Some(end) = open.end.clone() {
                open.source.latest_seen(&end)?;
            }
        }
        let Some((committed_id, next_watermark)) = committed else { return Ok(()) };
        if committed_id == latest_id {
            // Sources assume that the last batch is read again before they are asked for a new one.
            for open in self.sources.iter_mut().filter(|open| open.source.is_v1()) {
                if let Some(end) = &open.end {
                    open.source.batch(open.start.as_deref(), end, &[])?;
                }
            }
            self.batch_id = committed_id + 1;
            self.constructed = false;
            self.previous_watermark_ms = entry.watermark_ms;
            for open in &mut self.sources {
                if open.end.is_some() {
                    open.start.clone_from(&open.end);
                }
            }
            self.tracker.set(self.tracker.current_ms().max(next_watermark));
        } else if committed_id == latest_id - 1 {
            for open in self.sources.iter_mut().filter(|open| open.source.is_v1()) {
                if let Some(end) = &open.end
                    && open.start.as_ref().is_none_or(|start| start == end)
                {
                    open.source.batch(open.start.as_deref(), end, &[])?;
                }
            }
        }
        Ok(())
    }

    /// The entry's offsets by source; the numbers of sources must agree (OffsetSeq.toStreamProgress).
    fn offsets_by_source(&self, entry: &OffsetEntry) -> Result<Vec<Option<String>>> {
        if entry.offsets.len() != self.occurrences.len() {
            return Err(SparkError::plain(
                ErrorClass::Java("java.lang.AssertionError"),
                format!(
                    "assertion failed: There are [{}] sources in the checkpoint offsets and now there are [{}] sources \
                     requested by the query. Cannot continue.",
                    entry.offsets.len(),
                    self.occurrences.len()
                ),
            ));
        }
        let mut offsets = vec![None; self.sources.len()];
        for (index, offset) in self.occurrences.iter().zip(&entry.offsets) {
            if offset.is_some() {
                offsets[*index].clone_from(offset);
            }
        }
        Ok(offsets)
    }
}
