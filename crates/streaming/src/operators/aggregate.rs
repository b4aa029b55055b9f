//! Stateful aggregation: StateStoreRestore brings the old buffers of the keys at hand, StateStoreSave keeps the merged
//! ones and puts out what the output mode asks for.

use std::any::Any;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::batch::{cut, row_count};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::expr::Attribute;
use tidemark_sql::planner::text;

use super::batch::{OutputMode, StatefulBatch};
use super::columns::{Columns, EventTime, interleave, join_rows};
use super::judge::{Judge, Kind, Release, due_ms, partitions};
use super::nodes::StateWriter;
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::fates::notes::OperatorNotes;
use crate::fates::{Due, Meeting, Verdict};
use crate::state::{StateSchema, StateStore, struct_of, unsafe_row};

pub(crate) const STATE_STORE_SAVE: &str = "stateStoreSave";

/// Where the columns of a partial row are in its state row (StreamingAggregationStateManager).
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) key: Columns,
    pub(super) value: Columns,
}

impl Layout {
    /// Version 2: the value has the columns that are not in the key; version 1: all.
    pub(super) fn new(input: &[Arc<Attribute>], keys: &[Arc<Attribute>], version: u32) -> Result<Self> {
        let key = Columns::of(input, keys)?;
        let rest = (0..input.len()).filter(|ordinal| version == 1 || !key.ordinals.contains(ordinal)).collect();
        Ok(Self { key, value: Columns::new(input, rest) })
    }

    pub(super) fn schema(&self, input: &[Arc<Attribute>]) -> StateSchema {
        StateSchema::new(struct_of(&self.key.attributes(input)), struct_of(&self.value.attributes(input)))
    }

    fn rows(&self, input: &[Arc<Attribute>], keys: &[&[u8]], values: &[&[u8]]) -> Result<RecordBatch> {
        join_rows(input, (&self.key, keys), (&self.value, values))
    }
}

/// Before each row of new buffers comes the row of the state, if the key has one.
#[derive(Debug)]
pub(crate) struct StateStoreRestoreExec {
    pub(super) stateful: Stateful,
    pub(super) layout: Layout,
    pub(super) child: ExecRef,
}

impl StateStoreRestoreExec {
    fn restore(&self, store: &StateStore, partition: &[RecordBatch]) -> Result<Partition> {
        let output = self.child.output();
        if row_count(partition) == 0 && self.layout.key.ordinals.is_empty() {
            // A global aggregate without input must not forget its state.
            let rows: Vec<(&[u8], &[u8])> = store.iter().collect();
            let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = rows.into_iter().unzip();
            return if keys.is_empty() { Ok(Vec::new()) } else { Ok(vec![self.layout.rows(output, &keys, &values)?]) };
        }
        let mut out = Vec::with_capacity(partition.len());
        for batch in partition {
            let encoded = self.layout.key.encode(batch)?;
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            let mut rows = Vec::with_capacity(2 * batch.num_rows());
            for (row, key) in encoded.iter().enumerate() {
                if let Some(value) = store.get(key) {
                    rows.push((true, keys.len() as u32));
                    keys.push(key);
                    values.push(value);
                }
                rows.push((false, row as u32));
            }
            if keys.is_empty() {
                out.push(batch.clone());
            } else {
                out.push(interleave(output, batch, &self.layout.rows(output, &keys, &values)?, &rows)?);
            }
        }
        Ok(out)
    }
}

impl ExecNode for StateStoreRestoreExec {
    fn name(&self) -> String {
        "StateStoreRestore".into()
    }
    fn arguments(&self) -> String {
        let keys = self.layout.key.attributes(self.child.output());
        format!("{}{}, 2", shown_keys(&keys), state_info(&self.stateful))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let partitions = self.child.execute(ctx)?;
        let restore = |(index, partition): (usize, &Partition)| self.restore(&self.stateful.open(index)?, partition);
        partitions.iter().enumerate().map(restore).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// How explain shows StatefulOperatorStateInfo.
pub(super) fn state_info(stateful: &Stateful) -> String {
    let batch = &stateful.batch;
    format!(
        "state info [ checkpoint = {}, runId = {}, opId = {}, ver = {}, numPartitions = {}] stateStoreCkptIds = None",
        batch.query.shown_checkpoint, batch.query.run_id, stateful.operator, batch.batch_id, batch.shuffle_partitions
    )
}

/// The late-row watermark and the eviction watermark as operators show them.
pub(super) fn watermarks(stateful: &Stateful) -> String {
    let (batch, operator) = (&stateful.batch, stateful.operator);
    format!("{}, {}", batch.late(operator).0, batch.eviction(operator).0)
}

/// Key columns before the state info; nothing where there are none.
fn shown_keys(keys: &[Arc<Attribute>]) -> String {
    if keys.is_empty() { String::new() } else { format!("{}, ", text::attributes(keys)) }
}

#[derive(Debug)]
pub(crate) struct StateStoreSaveExec {
    pub(super) stateful: Stateful,
    pub(super) layout: Layout,
    pub(super) child: ExecRef,
}

impl StateStoreSaveExec {
    fn batch(&self) -> &StatefulBatch {
        &self.stateful.batch
    }

    /// The event time among the key columns; eviction goes by it alone.
    fn key_time(&self) -> Option<(EventTime, usize)> {
        let event_time = self.stateful.event_time?;
        let field = self.layout.key.ordinals.iter().position(|ordinal| *ordinal == event_time.ordinal)?;
        Some((event_time, field))
    }

    /// Puts the rows of a batch into the store.
    fn put(&self, store: &mut StateStore, batch: &RecordBatch) -> Result<()> {
        let keys = self.layout.key.encode(batch)?;
        let values = self.layout.value.encode(batch)?;
        let time = self.key_time();
        let fields = self.layout.key.ordinals.len();
        for (key, value) in keys.iter().zip(values.iter()) {
            store.put_timed(key, value, time.and_then(|(event_time, field)| event_time.of_row(key, fields, field)));
        }
        self.batch().count(self.stateful.operator, |metrics| metrics.num_rows_updated += batch.num_rows() as i64);
        Ok(())
    }

    /// Takes out the rows whose key is at or before the eviction watermark.
    fn evict(&self, store: &mut StateStore) -> Vec<(Vec<u8>, Vec<u8>)> {
        let Some((event_time, field)) = self.key_time() else { return Vec::new() };
        let boundary = self.batch().eviction(self.stateful.operator).micros();
        let fields = self.layout.key.ordinals.len();
        let removed = store.evict(boundary, |key, _| event_time.of_row(key, fields, field));
        self.batch().count(self.stateful.operator, |metrics| metrics.num_rows_removed += removed.len() as i64);
        removed
    }

    fn save(&self, index: usize, partition: &[RecordBatch]) -> Result<Partition> {
        let output = self.child.output();
        let mut store = self.stateful.open(index)?;
        let mut removed = Vec::new();
        let out = match self.batch().output_mode {
            OutputMode::Complete => {
                for batch in partition {
                    self.put(&mut store, batch)?;
                }
                let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = store.iter().unzip();
                let rows = self.layout.rows(output, &keys, &values)?;
                self.stateful.note(|notes, limit| notes.emit(keys.into_iter(), &rows, limit));
                rows
            }
            OutputMode::Append => {
                if self.key_time().is_none() {
                    return Err(SparkError::new(
                        ErrorClass::Analysis,
                        "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK",
                        &[("outputMode", "Append"), ("statefulOperator", "aggregations")],
                    ));
                }
                for batch in partition {
                    self.put(&mut store, &self.stateful.drop_late(batch)?)?;
                }
                removed = self.evict(&mut store);
                let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = removed.iter().map(|(k, v)| (&k[..], &v[..])).unzip();
                let rows = self.layout.rows(output, &keys, &values)?;
                self.stateful.note(|notes, limit| notes.emit(keys.into_iter(), &rows, limit));
                rows
            }
            OutputMode::Update => {
                let mut out = Vec::with_capacity(partition.len());
                for batch in partition {
                    let batch = self.stateful.drop_late(batch)?;
                    self.put(&mut store, &batch)?;
                    if self.batch().follow > 0 {
                        let keys = self.layout.key.encode(&batch)?;
                        self.stateful.note(|notes, limit| notes.emit(keys.iter(), &batch, limit));
                    }
                    out.push(batch);
                }
                if self.key_time().is_none() {
                    store.asked_by_key();
                }
                removed = self.evict(&mut store);
                let gone = removed.iter().map(|(key, _)| key.clone());
                self.stateful.note(|notes, limit| notes.removed.extend(gone.take(limit)));
                self.observe(&store, &removed);
                self.stateful.commit(index, store)?;
                return Ok(out);
            }
        };
        self.observe(&store, &removed);
        self.stateful.commit(index, store)?;
        Ok(cut(&out))
    }

    /// Field of the window among the key columns.
    fn window_field(&self) -> Option<usize> {
        self.child.output().iter().enumerate().find_map(|(ordinal, a)| {
            a.metadata.window?;
            self.layout.key.ordinals.iter().position(|key| *key == ordinal)
        })
    }

    fn observe(&self, store: &StateStore, removed: &[(Vec<u8>, Vec<u8>)]) {
        let types = &self.layout.key.types;
        let fields = types.len();
        let Some(field) = self.window_field() else { return };
        let window_of = |key: &[u8]| window_of_key(key, fields, field);
        let left = store.iter().map(|(key, _)| key);
        self.stateful.observe_windows(left, removed.iter().map(|(key, _)| &key[..]), window_of);
    }
}

/// Start and end of the window in a key.
fn window_of_key(key: &[u8], fields: usize, field: usize) -> Option<(i64, i64)> {
    let window = unsafe_row::bytes_at(key, fields, field)?;
    Some((unsafe_row::long_at(window, 2, 0)?, unsafe_row::long_at(window, 2, 1)?))
}

impl Judge for StateStoreSaveExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, _ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let key = &self.layout.key;
        let fields = key.types.len();
        let keys = key.encode_keys(rows)?;
        let columns: Vec<_> = key.ordinals.iter().map(|ordinal| rows.column(*ordinal).clone()).collect();
        let places = partitions(&key.types, &columns, rows.num_rows(), self.batch().shuffle_partitions);
        let complete = self.batch().output_mode == OutputMode::Complete;
        let append = self.batch().output_mode == OutputMode::Append;
        let judged = keys.iter().zip(places).map(|(key, partition)| {
            let time = self.key_time().and_then(|(event_time, field)| event_time.of_row(key, fields, field));
            let due = time.filter(|_| !complete).map_or(Due::Never, |time| Due::Watermark(due_ms(time)));
            let mut entry = self.stateful.entry(key, partition, due, append)?;
            entry.window = self.window_field().and_then(|field| window_of_key(key, fields, field));
            let mut meeting = self.stateful.meeting(entry, time, Verdict::Stored);
            if complete {
                // Complete mode drops nothing.
                (meeting.late_watermark_ms, meeting.verdict) = (None, Verdict::Stored);
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        let stateful = &self.stateful;
        let emitted = notes
            .emitted
            .iter()
            .map(|out| Release { news: vec![(stateful.entry_id(&out.key), Kind::Emitted)], rows: vec![out.at] });
        let left = |key: &Vec<u8>| Release::of(stateful.entry_id(key), Kind::Removed);
        Ok(emitted.chain(notes.removed.iter().map(left)).collect())
    }
}

impl ExecNode for StateStoreSaveExec {
    fn name(&self) -> String {
        "StateStoreSave".into()
    }
    fn arguments(&self) -> String {
        let keys = self.layout.key.attributes(self.child.output());
        format!(
            "{}{}, {}, {}, 2",
            shown_keys(&keys),
            state_info(&self.stateful),
            self.batch().output_mode.name(),
            watermarks(&self.stateful)
        )
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let partitions = self.child.execute(ctx)?;
        partitions.iter().enumerate().map(|(index, partition)| self.save(index, partition)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateWriter for StateStoreSaveExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        let mode = self.batch().output_mode;
        mode != OutputMode::Complete && next > self.batch().eviction(self.stateful.operator)
    }
}
