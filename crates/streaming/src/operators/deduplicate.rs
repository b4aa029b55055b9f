//! dropDuplicates and dropDuplicatesWithinWatermark on a stream.

use std::any::Any;
use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::expr::Attribute;
use tidemark_sql::planner::text;
use tidemark_sql::types::{DataType, StructField, StructType};

use super::aggregate::{state_info, watermarks};
use super::columns::{Columns, micros};
use super::judge::{Counted, Judge, Kind, Release, due_ms, partitions, whole_rows};
use super::nodes::StateWriter;
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::fates::notes::OperatorNotes;
use crate::fates::{Due, Meeting, Verdict};
use crate::state::{StateSchema, StateStore, struct_of, unsafe_row};

/// How long a key is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remembered {
    /// Until the watermark passes the event time in the key; for ever without one.
    ByKey,
    /// Until the watermark passes the event time of the key's first row plus the watermark's delay, µs.
    Within { delay_us: i64 },
}

/// StreamingDeduplicate, StreamingDeduplicateWithinWatermark: lets the first row of every key pass, in input order.
#[derive(Debug)]
pub(crate) struct StreamingDeduplicateExec {
    pub(super) stateful: Stateful,
    pub(super) key: Columns,
    pub(super) remembered: Remembered,
    pub(super) child: ExecRef,
}

pub(super) const DEDUPE: &str = "dedupe";
pub(super) const DEDUPE_WITHIN_WATERMARK: &str = "dedupeWithinWatermark";
pub(super) const METRICS: [&str; 3] =
    ["numDroppedDuplicateRows", "numRowsIncrementallyRemoved", "numRowsReadDuringEviction"];

/// The row of one null, which is the value of every key of [`Remembered::ByKey`].
const EMPTY_ROW: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

impl Remembered {
    pub(super) fn schema(self, keys: &[Arc<Attribute>]) -> StateSchema {
        let value = match self {
            Self::ByKey => StructField::new("__dummy__", DataType::Null, true),
            Self::Within { .. } => StructField::new("expiresAtMicros", DataType::Long, false),
        };
        let mut schema = StateSchema::new(struct_of(keys), StructType::new(vec![value]));
        schema.check_value = self != Self::ByKey;
        schema
    }
}

impl StreamingDeduplicateExec {
    fn value(&self, time: Option<i64>) -> [u8; 16] {
        match self.remembered {
            Remembered::ByKey => EMPTY_ROW,
            Remembered::Within { delay_us } => {
                // UnsafeRow.getLong gives 0 for null.
                let expires = time.unwrap_or(0).wrapping_add(delay_us);
                let mut row = [0; 16];
                row[8..].copy_from_slice(&expires.to_le_bytes());
                row
            }
        }
    }

    fn filter(&self, store: &mut StateStore, batch: &RecordBatch) -> Result<RecordBatch> {
        let batch = self.stateful.drop_late(batch)?;
        let keys = self.key.encode_keys(&batch)?;
        let times = match (self.remembered, self.stateful.event_time) {
            (Remembered::Within { .. }, Some(event_time)) => micros(batch.column(event_time.ordinal)),
            _ => vec![None; batch.num_rows()],
        };
        let mut kept = Vec::with_capacity(batch.num_rows());
        let fields = self.key.ordinals.len();
        let field =
            self.stateful.event_time.and_then(|e| Some((e, self.key.ordinals.iter().position(|k| *k == e.ordinal)?)));
        for (key, time) in keys.iter().zip(times) {
            let new = store.get(key).is_none();
            if new {
                let value = self.value(time);
                let expires = match self.remembered {
                    Remembered::Within { .. } => unsafe_row::long_at(&value, 1, 0),
                    Remembered::ByKey => field.and_then(|(event_time, field)| event_time.of_row(key, fields, field)),
                };
                store.put_timed(key, &value, expires);
            }
            kept.push(new);
        }
        let kept = BooleanArray::from(kept);
        let new = kept.true_count() as i64;
        self.stateful.batch.count(self.stateful.operator, |metrics| {
            metrics.num_rows_updated += new;
            metrics.add("numDroppedDuplicateRows", kept.len() as i64 - new);
        });
        let passed = filter_record_batch(&batch, &kept)?;
        if self.stateful.batch.follow > 0 {
            let rows = whole_rows(self.child.output(), &passed)?;
            self.stateful.note(|notes, limit| notes.passed.extend(rows.into_iter().take(limit)));
        }
        Ok(passed)
    }

    fn evict(&self, store: &mut StateStore) {
        let fields = self.key.ordinals.len();
        let boundary = self.stateful.batch.eviction(self.stateful.operator).micros();
        let read = store.len();
        let removed = match (self.remembered, self.stateful.event_time) {
            (Remembered::Within { .. }, _) => store.evict(boundary, |_, value| unsafe_row::long_at(value, 1, 0)),
            (Remembered::ByKey, Some(event_time)) => {
                let Some(field) = self.key.ordinals.iter().position(|key| *key == event_time.ordinal) else { return };
                store.evict(boundary, |key, _| event_time.of_row(key, fields, field))
            }
            (Remembered::ByKey, None) => return,
        };
        self.stateful.batch.count(self.stateful.operator, |metrics| {
            metrics.num_rows_removed += removed.len() as i64;
            metrics.add("numRowsReadDuringEviction", read as i64);
        });
        let gone = removed.into_iter().map(|(key, _)| key);
        self.stateful.note(|notes, limit| notes.removed.extend(gone.take(limit)));
    }
}

impl Judge for StreamingDeduplicateExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, _ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let stateful = &self.stateful;
        let keys = self.key.encode_keys(rows)?;
        let columns: Vec<_> = self.key.ordinals.iter().map(|ordinal| rows.column(*ordinal).clone()).collect();
        let places = partitions(&self.key.types, &columns, rows.num_rows(), stateful.batch.shuffle_partitions);
        let times = stateful.event_time.map_or_else(|| vec![None; rows.num_rows()], |e| e.times(rows));
        let in_key = stateful.event_time.is_some_and(|e| self.key.ordinals.contains(&e.ordinal));
        let mut passed = Counted::of(stateful);
        let whole = whole_rows(self.child.output(), rows)?;
        let judged = keys.iter().zip(places).zip(times).zip(whole).map(|(((key, partition), time), row)| {
            let due = match self.remembered {
                Remembered::Within { delay_us } => Due::Watermark(due_ms(time.unwrap_or(0).saturating_add(delay_us))),
                Remembered::ByKey => time.filter(|_| in_key).map_or(Due::Never, |time| Due::Watermark(due_ms(time))),
            };
            let entry = stateful.entry(key, partition, due, false)?;
            let mut meeting = stateful.meeting(entry, time, Verdict::Duplicate);
            if meeting.verdict == Verdict::Duplicate && passed.take(&row) {
                meeting.verdict = Verdict::First;
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        let left = |key: &Vec<u8>| Release::of(self.stateful.entry_id(key), Kind::Removed);
        Ok(notes.removed.iter().map(left).collect())
    }
}

impl ExecNode for StreamingDeduplicateExec {
    fn name(&self) -> String {
        match self.remembered {
            Remembered::ByKey => "StreamingDeduplicate".into(),
            Remembered::Within { .. } => "StreamingDeduplicateWithinWatermark".into(),
        }
    }
    fn arguments(&self) -> String {
        let keys = self.key.attributes(self.child.output());
        format!("{}, {}, {}", text::attributes(&keys), state_info(&self.stateful), watermarks(&self.stateful))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let partitions = self.child.execute(ctx)?;
        let mut out = Vec::with_capacity(partitions.len());
        for (index, partition) in partitions.iter().enumerate() {
            let mut store = self.stateful.open(index)?;
            let rows: Partition =
                partition.iter().map(|batch| self.filter(&mut store, batch)).collect::<Result<_>>()?;
            self.evict(&mut store);
            self.stateful.commit(index, store)?;
            out.push(rows);
        }
        Ok(out)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateWriter for StreamingDeduplicateExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        next > self.stateful.batch.eviction(self.stateful.operator)
    }
}
