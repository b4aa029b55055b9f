//! limit() on a stream in append mode: counts over all batches.

use std::any::Any;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::batch::row_count;
use tidemark_sql::exec::limit::slice_rows;
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::expr::Attribute;
use tidemark_sql::types::{DataType, StructField, StructType};

use super::aggregate::state_info;
use super::judge::{Counted, Judge, Release, whole_rows};
use super::lifetime::Lifetime;
use super::nodes::StateWriter;
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::fates::notes::OperatorNotes;
use crate::fates::{Due, Meeting, Verdict};
use crate::state::{StateSchema, unsafe_row};

pub(super) const GLOBAL_LIMIT: &str = "globalLimit";

/// StreamingGlobalLimit; its child has a single partition.
#[derive(Debug)]
pub(crate) struct StreamingGlobalLimitExec {
    pub(super) stateful: Stateful,
    pub(super) limit: usize,
    pub(super) child: ExecRef,
}

/// A local limit right above a scan. Spark's stops reading there, so the rows it leaves do not count as input.
#[derive(Debug)]
pub(crate) struct ScanLimitExec {
    pub(super) limit: usize,
    pub(super) child: ExecRef,
}

impl ExecNode for ScanLimitExec {
    fn name(&self) -> String {
        "LocalLimit".into()
    }
    fn is_shown(&self) -> bool {
        false
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let rows = self.child.execute(ctx)?;
        let before: usize = rows.iter().map(|partition| row_count(partition)).sum();
        let rows: Vec<Partition> = rows.into_iter().map(|p| slice_rows(p, 0, Some(self.limit))).collect();
        let after: usize = rows.iter().map(|partition| row_count(partition)).sum();
        if let Some((_, read)) = ctx.source_rows.borrow_mut().last_mut() {
            *read -= (before - after) as i64;
        }
        Ok(rows)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The key: one null. The value: the number of rows put out so far.
pub(super) fn schema() -> StateSchema {
    StateSchema::new(
        StructType::new(vec![StructField::new("key", DataType::Null, true)]),
        StructType::new(vec![StructField::new("value", DataType::Long, true)]),
    )
}

const KEY: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

impl ExecNode for StreamingGlobalLimitExec {
    fn name(&self) -> String {
        "StreamingGlobalLimit".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}, {}", self.limit, state_info(&self.stateful), self.stateful.batch.output_mode.name())
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let rows: Partition = self.child.execute(ctx)?.into_iter().flatten().collect();
        let mut store = self.stateful.open(0)?;
        store.asked_by_key();
        let before = store.get(&KEY).and_then(|value| unsafe_row::long_at(value, 1, 0)).unwrap_or(0);
        let room = (self.limit as i64 - before).max(0);
        let out = slice_rows(rows, 0, usize::try_from(room).ok());
        let added = row_count(&out) as i64;
        if added > 0 {
            let mut value = [0; 16];
            value[8..].copy_from_slice(&(before + added).to_le_bytes());
            store.put(&KEY, &value);
            self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_rows_updated += 1);
        }
        self.stateful.commit(0, store)?;
        if self.stateful.batch.follow > 0 {
            for batch in &out {
                let rows = whole_rows(self.child.output(), batch)?;
                self.stateful.note(|notes, limit| notes.passed.extend(rows.into_iter().take(limit)));
            }
        }
        Ok(vec![out])
    }
    fn partitioning(&self) -> Partitioning {
        Partitioning::Single
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Judge for StreamingGlobalLimitExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, _ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let stateful = &self.stateful;
        let mut passed = Counted::of(stateful);
        let whole = whole_rows(self.child.output(), rows)?;
        let judged = whole.into_iter().map(|row| {
            let within = passed.take(&row);
            let entry = stateful.entry(&KEY, 0, Due::Never, false)?;
            let mut meeting = stateful.meeting(entry, None, Verdict::OverLimit { limit: self.limit });
            meeting.late_watermark_ms = None;
            if within {
                meeting.verdict = Verdict::Within;
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, _notes: &OperatorNotes) -> Result<Vec<Release>> {
        Ok(Vec::new())
    }
}

impl StateWriter for StreamingGlobalLimitExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn should_run_another_batch(&self, _next: EvictionWatermark) -> bool {
        false
    }
    fn lifetime(&self, _store: &str) -> Lifetime {
        Lifetime::bounded("One row: how many rows have come out so far. It stays.")
    }
}
