//! applyInPandasWithState: a function of the script over the rows of each key and the state that it keeps for the key
//! (FlatMapGroupsInPandasWithStateExec, state format 2).

use std::any::Any;
use std::sync::Arc;

use arrow::array::{ArrayRef, new_null_array};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::batch::{concat_partition, cut, make_batch};
use tidemark_sql::exec::python_tables::{Groups, TableColumns, beside, host};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition};
use tidemark_sql::expr::{Attribute, Expr, SortOrder, UdfHost};
use tidemark_sql::plan::GroupTimeout;
use tidemark_sql::planner::text;
use tidemark_sql::python::GroupStateIn;
use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_sql::value::{Value, array_from_values, value_at};

use super::aggregate::{state_info, watermarks};
use super::batch::OutputMode;
use super::columns::Columns;
use super::judge::{Judge, Release, partitions};
use super::lifetime::{Lifetime, time_text};
use super::nodes::StateWriter;
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::fates::notes::{Call, OperatorNotes};
use crate::fates::{Due, Meeting, Verdict};
use crate::state::{StateSchema, StateStore, struct_of, unsafe_row};

pub(super) const APPLY_IN_PANDAS_WITH_STATE: &str = "applyInPandasWithState";

/// GroupStateImpl.NO_TIMESTAMP
const NO_TIMESTAMP: i64 = -1;

#[derive(Debug)]
pub(crate) struct GroupStateExec {
    pub(super) stateful: Stateful,
    pub(super) handle: u64,
    pub(super) call: String,
    pub(super) timeout: GroupTimeout,
    pub(super) update: bool,
    /// Keys, for grouping and for the state.
    pub(super) keys: TableColumns,
    pub(super) key: Columns,
    pub(super) values: TableColumns,
    pub(super) state: Arc<StructType>,
    pub(super) output: Vec<Arc<Attribute>>,
    pub(super) child: ExecRef,
}

/// Key and value of the store: the state as a nested row, which can be null while a timeout is set.
pub(super) fn schema(keys: &[Arc<Attribute>], state: &Arc<StructType>, timeout: GroupTimeout) -> StateSchema {
    let mut fields = vec![StructField::new("groupState", DataType::Struct(state.clone()), true)];
    if timeout != GroupTimeout::None {
        fields.push(StructField::new("timeoutTimestamp", DataType::Long, false));
    }
    StateSchema::new(struct_of(keys), StructType::new(fields))
}

impl GroupStateExec {
    fn state_type(&self) -> DataType {
        DataType::Struct(self.state.clone())
    }

    fn read(&self, row: Option<&[u8]>) -> Result<Value> {
        let Some(row) = row else { return Ok(Value::Null) };
        let columns = unsafe_row::decode_rows(&self.stateful.schema.value_types(), &[row])?;
        Ok(columns.first().map_or(Value::Null, |column| value_at(column, 0, &self.state_type())))
    }

    fn row(&self, state: Value, timeout_ms: i64) -> Result<Vec<u8>> {
        let types = self.stateful.schema.value_types();
        let mut columns: Vec<ArrayRef> = vec![array_from_values(&self.state_type(), &[state])?];
        if self.timeout != GroupTimeout::None {
            columns.push(array_from_values(&DataType::Long, &[Value::Long(timeout_ms)])?);
        }
        Ok(unsafe_row::encode_rows(&types, &columns, 1)?.row(0).to_vec())
    }

    /// Calls the function for one key and keeps what it did to the state.
    fn call(
        &self,
        store: &mut StateStore,
        host: &dyn UdfHost,
        now_ms: i64,
        key: &[u8],
        table: &RecordBatch,
        timed_out: bool,
    ) -> Result<Vec<RecordBatch>> {
        let state = self.read(store.get(key))?;
        let before = GroupStateIn {
            state,
            batch_ms: now_ms,
            watermark_ms: self.stateful.batch.eviction(self.stateful.operator).0,
            timeout: self.timeout.name(),
            timed_out,
            watermark_present: self.stateful.event_time.is_some(),
            // A call starts without a timeout; unless the state is written, the one in the store stays.
            timeout_ms: NO_TIMESTAMP,
        };
        let (rows, after) = host.call_group(self.handle, table, &before, &self.state_type(), &self.output)?;
        self.stateful.note(|notes, limit| {
            if notes.calls.len() < limit {
                let first = notes.rows.len();
                notes.rows.extend(rows.iter().cloned());
                let due = match self.timeout {
                    _ if after.timeout_ms == NO_TIMESTAMP => Due::Script,
                    GroupTimeout::None => Due::Script,
                    GroupTimeout::ProcessingTime => Due::Clock(after.timeout_ms),
                    // The test is open: the watermark has to be past the timeout.
                    GroupTimeout::EventTime => Due::Watermark(after.timeout_ms.saturating_add(1)),
                };
                notes.calls.push(Call { key: key.to_vec(), timed_out, due, rows: first..notes.rows.len() });
            }
        });
        if after.removed && after.timeout_ms == NO_TIMESTAMP {
            store.remove(key);
            self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_rows_removed += 1);
        } else if after.updated || after.removed || after.timeout_ms != NO_TIMESTAMP {
            let row = self.row(after.state, after.timeout_ms)?;
            store.put(key, &row);
            self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_rows_updated += 1);
        }
        Ok(rows)
    }

    fn partition(&self, ctx: &ExecContext<'_>, index: usize, partition: &[RecordBatch]) -> Result<Partition> {
        let host = host(ctx)?;
        let now_ms = ctx.now_us.div_euclid(1000);
        let mut store = self.stateful.open(index)?;
        let kept: Vec<RecordBatch> = partition
            .iter()
            .map(|batch| match self.timeout {
                GroupTimeout::EventTime => self.stateful.drop_late(batch),
                _ => Ok(batch.clone()),
            })
            .collect::<Result<_>>()?;
        let groups = Groups::new(&kept, self.child.output(), &self.keys, &self.values, &ctx.eval(index, 0))?;
        let mut out = Vec::new();
        for group in 0..groups.len() {
            let keys = groups.keys_of(group).slice(0, 1);
            let key = unsafe_row::encode_rows(&self.key.types, keys.columns(), 1)?.row(0).to_vec();
            out.extend(self.call(&mut store, &*host, now_ms, &key, &groups.table(group)?, false)?);
        }
        if matches!(self.timeout, GroupTimeout::None) {
            store.asked_by_key();
        }
        out.extend(self.timed_out(&mut store, &*host, now_ms)?);
        self.stateful.commit(index, store)?;
        Ok(out)
    }

    /// Keys whose timeout lies before the batch's time or watermark, in the order of the store; their table has one row of the
    /// key and nulls.
    fn timed_out(&self, store: &mut StateStore, host: &dyn UdfHost, now_ms: i64) -> Result<Vec<RecordBatch>> {
        let threshold = match self.timeout {
            GroupTimeout::None => return Ok(Vec::new()),
            GroupTimeout::ProcessingTime => now_ms,
            GroupTimeout::EventTime => self.stateful.batch.eviction(self.stateful.operator).0,
        };
        let due: Vec<Vec<u8>> = store
            .iter()
            .filter(|(_, value)| {
                unsafe_row::long_at(value, 2, 1).is_some_and(|timeout| timeout != NO_TIMESTAMP && timeout < threshold)
            })
            .map(|(key, _)| key.to_vec())
            .collect();
        let mut out = Vec::new();
        for key in due {
            let columns = unsafe_row::decode_rows(&self.key.types, &[&key])?;
            let keys = make_batch(&self.keys.attributes, columns, 1)?;
            let nulls = self.values.attributes.iter().map(|a| new_null_array(&a.data_type.to_arrow(), 1)).collect();
            let table = beside(&keys, &make_batch(&self.values.attributes, nulls, 1)?)?;
            out.extend(self.call(store, host, now_ms, &key, &table, true)?);
        }
        Ok(out)
    }
}

impl Judge for GroupStateExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let table = self.keys.table(rows, &ctx.eval(0, 0))?;
        let keys = unsafe_row::encode_rows(&self.key.types, table.columns(), rows.num_rows())?;
        let partitions_of = self.stateful.batch.shuffle_partitions;
        let places = partitions(&self.key.types, table.columns(), rows.num_rows(), partitions_of);
        let judges_late = self.timeout == GroupTimeout::EventTime;
        let times = match self.stateful.event_time {
            Some(event_time) if judges_late => event_time.times(rows),
            _ => vec![None; rows.num_rows()],
        };
        let judged = keys.iter().zip(places).zip(times).map(|((key, partition), time)| {
            let entry = self.stateful.entry(key, partition, Due::Script, true)?;
            let mut meeting = self.stateful.meeting(entry, time, Verdict::Called);
            if !judges_late {
                meeting.late_watermark_ms = None;
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        Ok(self.stateful.called(notes))
    }
}

impl ExecNode for GroupStateExec {
    fn name(&self) -> String {
        // Its columns are of its own making: a plan that lacks attributes is marked.
        "!FlatMapGroupsInPandasWithState".into()
    }
    fn arguments(&self) -> String {
        let state: Vec<String> = self.state.fields.iter().map(StructField::scala_name).collect();
        format!(
            "{}, {}, {}, [{}], {}, 2, {}, {}, {}, {}, false",
            self.call,
            text::attributes(&self.keys.attributes),
            text::attributes(&self.output),
            state.join(", "),
            state_info(&self.stateful),
            if self.update { OutputMode::Update.name() } else { OutputMode::Append.name() },
            self.timeout.name(),
            self.stateful.batch.now_ms,
            watermarks(&self.stateful)
        )
    }
    fn input_order(&self) -> Vec<SortOrder> {
        let key =
            |a: &Arc<Attribute>| SortOrder { child: Expr::Attribute(a.clone()), ascending: true, nulls_first: true };
        self.keys.attributes.iter().map(key).collect()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let partitions = self.child.execute(ctx)?;
        let run = |(index, partition): (usize, &Partition)| {
            let rows = self.partition(ctx, index, partition)?;
            Ok(if rows.is_empty() { rows } else { cut(&concat_partition(&self.output, &rows)?) })
        };
        partitions.iter().enumerate().map(run).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateWriter for GroupStateExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn output_watermark(&self, _input_ms: i64) -> Option<i64> {
        None
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        match self.timeout {
            GroupTimeout::None => false,
            GroupTimeout::ProcessingTime => true,
            GroupTimeout::EventTime => next > self.stateful.batch.eviction(self.stateful.operator),
        }
    }
    fn runs_on_time(&self) -> bool {
        self.timeout == GroupTimeout::ProcessingTime
    }
    fn lifetime(&self, _store: &str) -> Lifetime {
        match self.timeout {
            GroupTimeout::None => {
                Lifetime::unbounded("Without a timeout only the function's remove() takes a key out.")
            }
            GroupTimeout::ProcessingTime => {
                Lifetime::bounded("The function takes a key out; it is called when the clock passes the key's timeout.")
            }
            GroupTimeout::EventTime => Lifetime::bounded(
                "The function takes a key out; it is called when the watermark passes the key's timeout.",
            ),
        }
    }
    fn expiry(&self, _store: &str, _key: &[u8], value: &[u8]) -> Option<String> {
        let by = match self.timeout {
            GroupTimeout::None => return None,
            GroupTimeout::ProcessingTime => "clock",
            GroupTimeout::EventTime => "watermark",
        };
        let ms = unsafe_row::long_at(value, 2, 1).filter(|ms| *ms != NO_TIMESTAMP)?;
        Some(format!(
            "times out when the {by} passes {}",
            time_text(ms.saturating_mul(1000), &self.stateful.batch.zone)
        ))
    }
}
