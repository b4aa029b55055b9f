//! Session windows: the sessions of the state join the new rows in order, overlapping ones become one, and the result
//! replaces what the state had of the key.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StructArray, TimestampMicrosecondArray};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::aggregate::{AggregatePieces, result_attribute};
use tidemark_sql::exec::batch::{concat_partition, cut, make_batch, row_count};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::expr::{Attribute, Expr};
use tidemark_sql::planner::text;
use tidemark_sql::types::{DataType, StructField};

use super::aggregate::{state_info, watermarks};
use super::batch::OutputMode;
use super::columns::{Columns, interleave, join_rows, micros};
use super::judge::{Judge, Kind, Release, due_ms, partitions};
use super::nodes::StateWriter;
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::fates::notes::{OperatorNotes, SessionNote};
use crate::fates::{Due, Entry, Meeting, Verdict};
use crate::state::unsafe_row::{self, RowArena, encode_rows};
use crate::state::{StateSchema, StateStore, struct_of};

pub(super) const SESSION_SAVE: &str = "sessionWindowStateStoreSaveExec";

/// Where keys, session and the rest are in a partial row (StreamingSessionWindowStateManager, version 1).
#[derive(Clone, Debug)]
pub(super) struct SessionLayout {
    /// The grouping columns without the session.
    pub(super) key: Columns,
    pub(super) session: usize,
    /// The whole row.
    pub(super) value: Columns,
}

impl SessionLayout {
    pub(super) fn new(input: &[Arc<Attribute>], keys: &[Arc<Attribute>], session: &Arc<Attribute>) -> Result<Self> {
        Ok(Self {
            key: Columns::of(input, keys)?,
            session: Columns::of(input, std::slice::from_ref(session))?.ordinals[0],
            value: Columns::new(input, (0..input.len()).collect()),
        })
    }

    /// Key: grouping columns and the start of the session; value: the row.
    pub(super) fn schema(&self, input: &[Arc<Attribute>]) -> StateSchema {
        let mut key = struct_of(&self.key.attributes(input));
        key.fields.push(StructField::new("sessionStartTime", DataType::Timestamp, false));
        let mut schema = StateSchema::new(key, struct_of(input));
        schema.prefix = self.key.ordinals.len();
        schema
    }

    /// Start and end of each row's session, µs.
    fn bounds(&self, batch: &RecordBatch) -> Vec<(i64, i64)> {
        let Some(session) = batch.column(self.session).as_struct_opt() else { return Vec::new() };
        let part = |i: usize| session.columns().get(i).map(micros).unwrap_or_default();
        part(0).into_iter().zip(part(1)).map(|(start, end)| (start.unwrap_or(0), end.unwrap_or(0))).collect()
    }

    /// Start and end in a state value.
    fn bounds_of_value(&self, value: &[u8]) -> Option<(i64, i64)> {
        let session = unsafe_row::bytes_at(value, self.value.ordinals.len(), self.session)?;
        Some((unsafe_row::long_at(session, 2, 0)?, unsafe_row::long_at(session, 2, 1)?))
    }

    fn rows(&self, input: &[Arc<Attribute>], values: &[&[u8]]) -> Result<RecordBatch> {
        let none = Columns { ordinals: Vec::new(), types: Vec::new() };
        join_rows(input, (&none, values), (&self.value, values))
    }
}

/// Puts the state's sessions of each key among its rows, by start. Late rows are dropped here; SessionWindowStateStoreSave
/// reports them.
#[derive(Debug)]
pub(crate) struct SessionWindowStateStoreRestoreExec {
    pub(super) stateful: Stateful,
    pub(super) layout: SessionLayout,
    pub(super) child: ExecRef,
}

impl SessionWindowStateStoreRestoreExec {
    /// MergingSortWithSessionWindowStateIterator over rows sorted by key and start.
    fn merge(&self, store: &StateStore, partition: &[RecordBatch]) -> Result<Partition> {
        let output = self.child.output();
        let kept: Partition = partition.iter().map(|batch| self.stateful.drop_late(batch)).collect::<Result<_>>()?;
        if row_count(&kept) == 0 {
            return Ok(Vec::new());
        }
        let batch = concat_partition(output, &kept)?;
        let keys = self.layout.key.encode(&batch)?;
        let bounds = self.layout.bounds(&batch);
        let mut values: Vec<Vec<u8>> = Vec::new();
        let mut rows = Vec::with_capacity(batch.num_rows());
        // Sessions of the current key that are not out yet: start and position in `values`.
        let mut pending: std::collections::VecDeque<(i64, u32)> = std::collections::VecDeque::new();
        for (row, (start, _)) in bounds.into_iter().enumerate() {
            if row == 0 || keys.row(row) != keys.row(row - 1) {
                rows.extend(pending.drain(..).map(|(_, value)| (true, value)));
                let mut sessions: Vec<(i64, Vec<u8>)> = store
                    .prefix_scan(keys.row(row))
                    .into_iter()
                    .filter_map(|(_, value)| Some((self.layout.bounds_of_value(&value)?.0, value)))
                    .collect();
                sessions.sort_by_key(|(start, _)| *start);
                for (start, value) in sessions {
                    pending.push_back((start, values.len() as u32));
                    values.push(value);
                }
            }
            while let Some((earlier, value)) = pending.front().copied()
                && earlier <= start
            {
                rows.push((true, value));
                pending.pop_front();
            }
            rows.push((false, row as u32));
        }
        rows.extend(pending.drain(..).map(|(_, value)| (true, value)));
        if values.is_empty() {
            return Ok(vec![batch]);
        }
        let values: Vec<&[u8]> = values.iter().map(|value| &value[..]).collect();
        let restored = self.layout.rows(output, &values)?;
        Ok(vec![interleave(output, &batch, &restored, &rows)?])
    }
}

impl ExecNode for SessionWindowStateStoreRestoreExec {
    fn name(&self) -> String {
        "SessionWindowStateStoreRestore".into()
    }
    fn arguments(&self) -> String {
        let output = self.child.output();
        let keys = self.layout.key.attributes(output);
        format!(
            "{}, {}, {}, {}, 1",
            text::attributes(&keys),
            typed(&output[self.layout.session]),
            state_info(&self.stateful),
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
        let merge = |(index, partition): (usize, &Partition)| self.merge(&self.stateful.open(index)?, partition);
        partitions.iter().enumerate().map(merge).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A session column with its type (Attribute.simpleString).
fn typed(session: &Attribute) -> String {
    let time = match &session.data_type {
        DataType::Struct(fields) => fields.fields.first().map_or(String::new(), |f| f.data_type.simple_string()),
        _ => String::new(),
    };
    format!("{}#{}: struct<start: {time}, end: {time}>", session.name, session.id.0)
}

/// The arguments of MergingSessionsExec.
pub(super) fn merging_sessions(
    pieces: &AggregatePieces,
    session: &Attribute,
    keys: &[Expr],
    partitions: usize,
) -> String {
    let keys: Vec<String> = keys.iter().map(text::expression).collect();
    let merges: Vec<String> = pieces.functions.iter().map(|call| format!("merge_{}", text::aggregate(call))).collect();
    let results: Vec<Arc<Attribute>> = pieces.functions.iter().map(|call| Arc::new(result_attribute(call))).collect();
    format!(
        "List({}), true, {partitions}, {}, {}, [{}], {}, {}, {}",
        keys.join(", "),
        text::attributes(&pieces.grouping_attributes),
        typed(session),
        merges.join(", "),
        text::attributes(&results),
        pieces.grouping_attributes.len(),
        text::attributes(&pieces.partial_output())
    )
}

/// MergingSessionsExec: overlapping sessions of a key put together, and what they gathered merged.
#[derive(Debug)]
pub(crate) struct MergedSessionsExec {
    pub(super) shown: String,
    pub(super) restored: ExecRef,
    /// The merging stage over [`MergingSessionsExec`] over `restored`.
    pub(super) merged: ExecRef,
}

impl ExecNode for MergedSessionsExec {
    fn name(&self) -> String {
        "MergingSessions".into()
    }
    fn arguments(&self) -> String {
        self.shown.clone()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.merged.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.restored]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        self.merged.execute(ctx)
    }
    fn partitioning(&self) -> Partitioning {
        self.merged.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Gives overlapping sessions of a key one common session, which the merging stage above then groups by
/// (MergingSessionsIterator). A session that begins where another ends belongs to it.
#[derive(Debug)]
pub(crate) struct MergingSessionsExec {
    pub(super) layout: SessionLayout,
    /// Rows sorted by key and session.
    pub(super) child: ExecRef,
}

impl MergingSessionsExec {
    fn merge(&self, partition: &[RecordBatch]) -> Result<Partition> {
        if row_count(partition) == 0 {
            return Ok(Vec::new());
        }
        let output = self.child.output();
        let batch = concat_partition(output, partition)?;
        let keys = self.layout.key.encode(&batch)?;
        let mut bounds = self.layout.bounds(&batch);
        let mut first = 0;
        for row in 1..=bounds.len() {
            let same = row < bounds.len() && keys.row(row) == keys.row(first) && bounds[row].0 <= bounds[first].1;
            if same {
                bounds[first].1 = bounds[first].1.max(bounds[row].1);
            } else {
                let whole = bounds[first];
                bounds[first..row].fill(whole);
                first = row;
            }
        }
        let column = batch.column(self.layout.session);
        let Some(session) = column.as_struct_opt() else {
            return Err(SparkError::internal("a session window is not a struct"));
        };
        let fields = session.fields().clone();
        let time = |values: Vec<i64>, like: &ArrayRef| -> ArrayRef {
            let times = TimestampMicrosecondArray::from(values);
            Arc::new(match like.data_type() {
                arrow::datatypes::DataType::Timestamp(_, Some(zone)) => times.with_timezone(zone.clone()),
                _ => times,
            })
        };
        let starts = time(bounds.iter().map(|b| b.0).collect(), &session.columns()[0]);
        let ends = time(bounds.iter().map(|b| b.1).collect(), &session.columns()[1]);
        let mut columns = batch.columns().to_vec();
        columns[self.layout.session] =
            Arc::new(StructArray::try_new(fields, vec![starts, ends], session.nulls().cloned())?);
        Ok(vec![make_batch(output, columns, batch.num_rows())?])
    }
}

impl ExecNode for MergingSessionsExec {
    fn name(&self) -> String {
        "MergingSessions".into()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        self.child.output()
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        self.child.execute(ctx)?.iter().map(|partition| self.merge(partition)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Debug)]
pub(crate) struct SessionWindowStateStoreSaveExec {
    pub(super) stateful: Stateful,
    pub(super) layout: SessionLayout,
    pub(super) child: ExecRef,
}

impl SessionWindowStateStoreSaveExec {
    fn state_keys(&self, batch: &RecordBatch) -> Result<RowArena> {
        let mut columns: Vec<ArrayRef> =
            self.layout.key.ordinals.iter().map(|ordinal| batch.column(*ordinal).clone()).collect();
        let starts: Vec<i64> = self.layout.bounds(batch).into_iter().map(|(start, _)| start).collect();
        columns.push(Arc::new(TimestampMicrosecondArray::from(starts)));
        let mut types = self.layout.key.types.clone();
        types.push(DataType::Timestamp);
        encode_rows(&types, &columns, batch.num_rows())
    }

    /// updateSessions for every key of the partition.
    fn put(&self, store: &mut StateStore, partition: &[RecordBatch]) -> Result<()> {
        let batch = concat_partition(self.child.output(), partition)?;
        let keys = self.layout.key.encode(&batch)?;
        let state_keys = self.state_keys(&batch)?;
        let values = self.layout.value.encode(&batch)?;
        let (mut updated, mut removed) = (0, 0);
        let mut row = 0;
        while row < batch.num_rows() {
            let end = (row..batch.num_rows()).find(|other| keys.row(*other) != keys.row(row));
            let group = row..end.unwrap_or(batch.num_rows());
            let mut replaced: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            for (old, value) in store.prefix_scan(keys.row(row)) {
                if !group.clone().any(|new| state_keys.row(new) == &old[..]) {
                    store.remove(&old);
                    removed += 1;
                    replaced.push((old, value));
                }
            }
            self.stateful.note(|notes, limit| {
                let sessions = group.clone().filter_map(|new| {
                    let window = self.layout.bounds_of_value(values.row(new))?;
                    let within = |value: &[u8]| {
                        self.layout.bounds_of_value(value).is_some_and(|old| window.0 <= old.0 && old.1 <= window.1)
                    };
                    let replaced = replaced.iter().filter(|(_, value)| within(value)).map(|(old, _)| old.clone());
                    Some(SessionNote {
                        group: keys.row(row).to_vec(),
                        key: state_keys.row(new).to_vec(),
                        window,
                        replaced: replaced.collect(),
                    })
                });
                notes.sessions.extend(sessions.take(limit));
            });
            for new in group.clone() {
                let value = values.row(new);
                store.put_timed(state_keys.row(new), value, self.layout.bounds_of_value(value).map(|(_, end)| end));
                updated += 1;
            }
            row = group.end;
        }
        self.stateful.batch.count(self.stateful.operator, |metrics| {
            metrics.num_rows_updated += updated;
            metrics.num_rows_removed += removed;
        });
        Ok(())
    }

    fn save(&self, index: usize, partition: &[RecordBatch]) -> Result<Partition> {
        let output = self.child.output();
        let batch = &self.stateful.batch;
        let mut store = self.stateful.open(index)?;
        let mut removed = Vec::new();
        let rows = match batch.output_mode {
            OutputMode::Complete => {
                self.put(&mut store, partition)?;
                let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = store.iter().unzip();
                let rows = self.layout.rows(output, &values)?;
                self.stateful.note(|notes, limit| notes.emit(keys.into_iter(), &rows, limit));
                rows
            }
            OutputMode::Append => {
                let Some(event_time) = self.stateful.event_time else {
                    return Err(refused(
                        "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK",
                        [("outputMode", "Append"), ("statefulOperator", "session window aggregations")],
                    ));
                };
                self.put(&mut store, partition)?;
                let boundary = batch.eviction(self.stateful.operator).micros();
                let fields = output.len();
                removed = store.evict(boundary, |_, value| event_time.of_row(value, fields, event_time.ordinal));
                batch.count(self.stateful.operator, |metrics| metrics.num_rows_removed += removed.len() as i64);
                let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) = removed.iter().map(|(k, v)| (&k[..], &v[..])).unzip();
                let rows = self.layout.rows(output, &values)?;
                self.stateful.note(|notes, limit| notes.emit(keys.into_iter(), &rows, limit));
                rows
            }
            OutputMode::Update => {
                return Err(refused(
                    "UNSUPPORTED_OUTPUT_MODE_FOR_STREAMING_OPERATION",
                    [("outputMode", "Update"), ("operation", "session window streaming aggregations")],
                ));
            }
        };
        let left = store.iter().map(|(_, value)| value);
        let closed = removed.iter().map(|(_, value)| &value[..]);
        self.stateful.observe_windows(left, closed, |value| self.layout.bounds_of_value(value));
        self.stateful.commit(index, store)?;
        Ok(cut(&rows))
    }
}

impl SessionWindowStateStoreSaveExec {
    fn session_entry(&self, key: &[u8], partition: usize, window: (i64, i64)) -> Result<Entry> {
        let append = self.stateful.batch.output_mode == OutputMode::Append;
        let due = if append { Due::Watermark(due_ms(window.1)) } else { Due::Never };
        Ok(Entry { window: Some(window), ..self.stateful.entry(key, partition, due, append)? })
    }

    /// The partition of a group's rows.
    fn place(&self, group: &[u8]) -> Result<usize> {
        let columns = unsafe_row::decode_rows(&self.layout.key.types, &[group])?;
        let places = partitions(&self.layout.key.types, &columns, 1, self.stateful.batch.shuffle_partitions);
        Ok(places.first().copied().unwrap_or(0))
    }
}

impl Judge for SessionWindowStateStoreSaveExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, _ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let groups = self.layout.key.encode(rows)?;
        let state_keys = self.state_keys(rows)?;
        let times = self.stateful.event_time.map_or_else(|| vec![None; rows.num_rows()], |e| e.times(rows));
        let notes = self.stateful.batch.notes.borrow();
        let sessions = notes.operators.get(&self.stateful.operator).map(|n| n.sessions.as_slice()).unwrap_or_default();
        let judged = self.layout.bounds(rows).into_iter().zip(times).enumerate().map(|(row, (window, time))| {
            let group = groups.row(row);
            let around =
                |note: &&SessionNote| note.group == group && note.window.0 <= window.0 && window.1 <= note.window.1;
            // A late row has no session: its own is told.
            let (key, whole) = match sessions.iter().find(around) {
                Some(note) => (&note.key[..], note.window),
                None => (state_keys.row(row), window),
            };
            let meeting =
                self.stateful.meeting(self.session_entry(key, self.place(group)?, whole)?, time, Verdict::Stored);
            if matches!(meeting.verdict, Verdict::Late { .. }) {
                let entry = self.session_entry(state_keys.row(row), meeting.entry.partition, window)?;
                return Ok(Meeting { entry, ..meeting });
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        let stateful = &self.stateful;
        let mut releases = Vec::new();
        for note in &notes.sessions {
            let entry = Box::new(self.session_entry(&note.key, self.place(&note.group)?, note.window)?);
            for old in &note.replaced {
                releases.push(Release::of(stateful.entry_id(old), Kind::Merged(entry.clone())));
            }
            releases.push(Release::of(entry.id.clone(), Kind::Grown(entry)));
        }
        releases.extend(
            notes
                .emitted
                .iter()
                .map(|out| Release { news: vec![(stateful.entry_id(&out.key), Kind::Emitted)], rows: vec![out.at] }),
        );
        Ok(releases)
    }
}

fn refused(condition: &str, parameters: [(&str, &str); 2]) -> SparkError {
    SparkError::new(ErrorClass::Analysis, condition, &parameters)
}

impl ExecNode for SessionWindowStateStoreSaveExec {
    fn name(&self) -> String {
        "SessionWindowStateStoreSave".into()
    }
    fn arguments(&self) -> String {
        let output = self.child.output();
        let keys = self.layout.key.attributes(output);
        format!(
            "{}, {}, {}, {}, {}, 1",
            text::attributes(&keys),
            typed(&output[self.layout.session]),
            state_info(&self.stateful),
            self.stateful.batch.output_mode.name(),
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

impl StateWriter for SessionWindowStateStoreSaveExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        let batch = &self.stateful.batch;
        batch.output_mode != OutputMode::Complete && next > batch.eviction(self.stateful.operator)
    }
}
