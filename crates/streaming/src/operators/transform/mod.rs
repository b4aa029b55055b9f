//! transformWithState: a processor of the script's with state variables, timers and time to live
//! (TransformWithStateInPySparkExec).
//!
//! The state lies in one store, a name before each key telling the column family (see [`keys`]); Spark's own files are
//! RocksDB's, so such a checkpoint is not one that Spark can read.

mod fates;
mod keys;
mod lists;
mod maps;
mod page;
pub(crate) mod reading;
mod server;
mod timers;
mod variables;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::TimestampMicrosecondType;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::batch::{concat_partition, cut};
use tidemark_sql::exec::python_tables::{Groups, TableColumns, co_grouped, host};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::TimeMode;
use tidemark_sql::planner::text;
use tidemark_sql::python::{ProcessorCall, ProcessorGroup};
use tidemark_sql::types::{DataType, StructField, StructType};

use self::server::{Phase, ProcessorServer};
use self::variables::Variable;
use super::aggregate::state_info;
use super::columns::micros;
use super::lifetime::Lifetime;
use super::nodes::{PanelColumns, PanelRow, StateWriter};
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::state::{DEFAULT_STORE, OperatorMetadata, StateSchema, StoreMetadata, struct_of};

pub(super) const IN_PYSPARK: &str = "transformWithStateInPySparkExec";
pub(super) const IN_PANDAS: &str = "transformWithStateInPandasExec";
/// TransformWithStateExecBase.customStatefulOperatorMetrics
pub(super) const METRICS: [&str; 13] = [
    "initialStateProcessingTimeMs",
    "numValueStateVars",
    "numListStateVars",
    "numMapStateVars",
    "numDeletedStateVars",
    "timerProcessingTimeMs",
    "numRegisteredTimers",
    "numDeletedTimers",
    "numExpiredTimers",
    "numValueStateWithTTLVars",
    "numListStateWithTTLVars",
    "numMapStateWithTTLVars",
    "numValuesRemovedDueToTTLExpiry",
];

/// An input laid out by its keys.
#[derive(Debug)]
pub(super) struct TransformInput {
    pub(super) keys: TableColumns,
    pub(super) values: TableColumns,
    pub(super) child: ExecRef,
}

impl TransformInput {
    fn groups(&self, ctx: &ExecContext<'_>, index: usize, partition: &[RecordBatch]) -> Result<Groups> {
        Groups::new(partition, self.child.output(), &self.keys, &self.values, &ctx.eval(index, 0))
    }
}

#[derive(Debug)]
pub(crate) struct TransformWithStateExec {
    pub(super) stateful: Stateful,
    pub(super) handle: u64,
    pub(super) call: String,
    pub(super) time_mode: TimeMode,
    /// The operator's own output mode, which Spark only shows.
    pub(super) mode: String,
    pub(super) rows: TransformInput,
    pub(super) initial: Option<TransformInput>,
    pub(super) output: Vec<Arc<Attribute>>,
    /// The state variables that the processor has declared, for the state panel.
    pub(super) variables: Variables,
}

pub(super) type Variables = RefCell<BTreeMap<String, Variable>>;

/// The grouping key's schema; every state variable has a schema of its own beside it.
pub(super) fn schema(keys: &[Arc<Attribute>]) -> StateSchema {
    StateSchema::new(struct_of(keys), StructType::new(vec![StructField::new("value", DataType::Binary, true)]))
}

/// What the driver does with the processors of a plan before the first batch of a run.
pub(crate) fn initialize(plan: &ExecRef, ctx: &ExecContext<'_>) -> Result<()> {
    for child in plan.children() {
        initialize(child, ctx)?;
    }
    match plan.as_any().downcast_ref::<TransformWithStateExec>() {
        Some(operator) if operator.stateful.batch.is_first_batch => operator.pre_init(ctx),
        _ => Ok(()),
    }
}

impl TransformWithStateExec {
    fn server(&self, index: usize, now_ms: i64, phase: Phase) -> Result<Rc<ProcessorServer>> {
        let store = self.stateful.open(index)?;
        let watermark_ms = self.stateful.batch.eviction(self.stateful.operator).0;
        let field = |a: &Arc<Attribute>| StructField::new(&*a.name, a.data_type.clone(), a.nullable);
        let key = StructType::new(self.rows.keys.attributes.iter().map(field).collect());
        let server = ProcessorServer::new(store, key, self.time_mode, now_ms, watermark_ms, phase);
        Ok(Rc::new(server.follow(self.stateful.batch.follow > 0)))
    }

    /// `init` on the driver before the first batch of a run: a processor that fails there fails the query, and so does one
    /// whose variables do not fit what the checkpoint holds.
    fn pre_init(&self, ctx: &ExecContext<'_>) -> Result<()> {
        let server = self.server(0, ctx.now_us.div_euclid(1000), Phase::PreInit)?;
        let result = host(ctx)?.call_processor(self.handle, server.clone(), &ProcessorCall::PreInit, &self.output);
        result.map_err(|cause| {
            let message = "TransformWithStateInPySpark driver worker exited unexpectedly (crashed)";
            SparkError::plain(ErrorClass::Spark, message).with_cause(cause)
        })?;
        let batch = &self.stateful.batch;
        let operator = self.stateful.operator;
        let stores = batch.query.stores.borrow();
        stores.check_schema(operator, DEFAULT_STORE, &self.stateful.schema, batch.now_ms)?;
        for (name, schema) in server.schemas() {
            stores.check_schema(operator, &name, &schema, batch.now_ms)?;
        }
        let metadata = OperatorMetadata {
            operator_id: operator,
            operator_name: self.stateful.name.to_owned(),
            stores: self.store_metadata(),
            properties: Some(reading::properties(self.time_mode, &self.mode, &server.variables())),
        };
        stores.write_metadata(&metadata, batch.batch_id, batch.now_ms)
    }

    fn groups(
        &self,
        ctx: &ExecContext<'_>,
        index: usize,
        rows: &[RecordBatch],
        initial: &[RecordBatch],
    ) -> Result<Vec<ProcessorGroup>> {
        let rows: Vec<RecordBatch> = rows
            .iter()
            .map(|batch| match self.time_mode {
                TimeMode::EventTime => self.stateful.drop_late(batch),
                _ => Ok(batch.clone()),
            })
            .collect::<Result<_>>()?;
        let rows = self.rows.groups(ctx, index, &rows)?;
        let Some(input) = &self.initial else {
            let group = |at| Ok(ProcessorGroup { rows: Some(rows.table(at)?), initial: None });
            return (0..rows.len()).map(group).collect();
        };
        let initial = input.groups(ctx, index, initial)?;
        co_grouped(&rows, &initial)?
            .into_iter()
            .map(|(a, b)| {
                let rows = a.map(|group| rows.table(group)).transpose()?;
                Ok(ProcessorGroup { rows, initial: b.map(|group| initial.table(group)).transpose()? })
            })
            .collect()
    }

    fn partition(
        &self,
        ctx: &ExecContext<'_>,
        index: usize,
        rows: &[RecordBatch],
        initial: &[RecordBatch],
    ) -> Result<Partition> {
        let groups = self.groups(ctx, index, rows, initial)?;
        let server = self.server(index, ctx.now_us.div_euclid(1000), Phase::Created)?;
        let call = ProcessorCall::Partition(groups);
        let out = host(ctx)?.call_processor(self.handle, server.clone(), &call, &self.output)?;
        let done = server.finish()?;
        self.variables.replace(done.variables);
        let internal = done.store.starting_with(keys::INTERNAL).count() as i64;
        let mut metrics = self.stateful.commit_store(done.store)?;
        metrics.num_keys -= internal;
        self.stateful.count_store(index, DEFAULT_STORE, &metrics);
        self.stateful.batch.count(self.stateful.operator, |total| {
            total.num_rows_updated += done.updated;
            total.num_rows_removed += done.removed;
            for (name, value) in &done.counters {
                total.add(name, *value);
            }
        });
        let out = if out.is_empty() {
            self.note_calls(done.calls, None);
            out
        } else {
            let whole = concat_partition(&self.output, &out)?;
            self.note_calls(done.calls, Some(&whole));
            cut(&whole)
        };
        self.check_times(&out)?;
        Ok(out)
    }

    /// UpdateEventTimeColumnExec: a row that the function marks as older than the watermark is refused.
    fn check_times(&self, out: &[RecordBatch]) -> Result<()> {
        let Some(ordinal) = self.output.iter().position(|a| a.metadata.watermark_delay_ms.is_some()) else {
            return Ok(());
        };
        let watermark = self.stateful.batch.eviction(self.stateful.operator);
        for batch in out {
            let column = batch.column(ordinal);
            if column.as_primitive_opt::<TimestampMicrosecondType>().is_none() {
                continue;
            }
            if let Some(late) = micros(column).into_iter().flatten().find(|time| *time < watermark.micros()) {
                return Err(SparkError::new(
                    ErrorClass::Runtime,
                    "EMITTING_ROWS_OLDER_THAN_WATERMARK_NOT_ALLOWED",
                    &[("currentWatermark", &watermark.0.to_string()), ("emittedRowEventTime", &late.to_string())],
                ));
            }
        }
        Ok(())
    }
}

impl ExecNode for TransformWithStateExec {
    fn name(&self) -> String {
        "TransformWithStateInPySpark".into()
    }
    fn arguments(&self) -> String {
        let (batch, operator) = (&self.stateful.batch, self.stateful.operator);
        format!(
            "{}, {}, {}, {}, {}, {}, {}, {}",
            self.call,
            text::attributes(&self.rows.keys.attributes),
            text::attributes(&self.output),
            self.mode,
            self.time_mode.name(),
            state_info(&self.stateful),
            batch.late(operator).0,
            batch.eviction(operator).0
        )
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        std::iter::once(&self.rows.child).chain(self.initial.iter().map(|input| &input.child)).collect()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let rows = self.rows.child.execute(ctx)?;
        let initial = match &self.initial {
            Some(input) => input.child.execute(ctx)?,
            None => Vec::new(),
        };
        let nothing = Vec::new();
        let run = |(index, rows): (usize, &Partition)| {
            self.partition(ctx, index, rows, initial.get(index).unwrap_or(&nothing))
        };
        rows.iter().enumerate().map(run).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateWriter for TransformWithStateExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn output_watermark(&self, input_ms: i64) -> Option<i64> {
        (self.time_mode != TimeMode::ProcessingTime).then_some(input_ms)
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        match self.time_mode {
            TimeMode::ProcessingTime => true,
            _ => self.mode != "Complete" && next > self.stateful.batch.eviction(self.stateful.operator),
        }
    }
    fn runs_on_time(&self) -> bool {
        self.time_mode == TimeMode::ProcessingTime
    }
    fn stores(&self) -> Vec<(String, StateSchema)> {
        Vec::new()
    }
    fn panel_columns(&self) -> Option<PanelColumns> {
        Some(TransformWithStateExec::panel_columns(self))
    }
    fn panel_row(&self, key: &[u8], value: &[u8]) -> Result<Option<PanelRow>> {
        TransformWithStateExec::panel_row(self, key, value)
    }
    fn lifetime(&self, _store: &str) -> Lifetime {
        Lifetime::bounded("The processor decides: a variable goes when it is cleared or its time to live is over.")
    }
    fn expiry(&self, _store: &str, _key: &[u8], _value: &[u8]) -> Option<String> {
        None
    }
    fn writes_metadata(&self) -> bool {
        true
    }
    fn store_metadata(&self) -> Vec<StoreMetadata> {
        let partitions = self.stateful.batch.shuffle_partitions;
        vec![StoreMetadata { name: DEFAULT_STORE.to_owned(), prefix: 0, partitions }]
    }
}
