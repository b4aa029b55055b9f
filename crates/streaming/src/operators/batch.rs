//! What stateful operators may know of their query and micro-batch, and where they report.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::expr::Attribute;
use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_vfs::SharedFs;

use super::columns::EventTime;
use super::nodes::writers;
use super::progress::OperatorMetrics;
use super::watermark::{EvictionWatermark, LateWatermark, WatermarkPropagator, behind};
use crate::api::OperatorObservation;
use crate::fates::notes::Notes;
use crate::sources::time_string_ms;
use crate::state::StateStores;

/// spark.sql.streaming.* settings that stateful operators and their stores read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamingConf {
    /// spark.sql.streaming.statefulOperator.allowMultiple
    pub allow_multiple: bool,
    /// spark.sql.streaming.stateStore.providerClass
    pub provider_class: String,
    /// spark.sql.streaming.stateStore.minDeltasForSnapshot
    pub min_deltas_for_snapshot: usize,
    /// spark.sql.streaming.minBatchesToRetain
    pub min_versions_to_retain: i64,
    /// spark.sql.streaming.maxBatchesToRetainInMemory
    pub max_versions_in_memory: i64,
    /// spark.sql.streaming.stateStore.maintenanceInterval, ms
    pub maintenance_interval_ms: i64,
    /// spark.sql.streaming.stateStore.stateSchemaCheck
    pub state_schema_check: bool,
    /// spark.sql.streaming.stateStore.compression.codec
    pub compression_codec: String,
    /// spark.sql.streaming.noDataMicroBatches.enabled is the query's affair; this is
    /// spark.sql.streaming.aggregation.stateFormatVersion
    pub aggregation_state_format: u32,
    /// spark.sql.streaming.join.stateFormatVersion
    pub join_state_format: u32,
}

impl Default for StreamingConf {
    fn default() -> Self {
        Self {
            allow_multiple: true,
            provider_class: HDFS_PROVIDER.to_owned(),
            min_deltas_for_snapshot: 10,
            min_versions_to_retain: 100,
            max_versions_in_memory: 2,
            maintenance_interval_ms: 60_000,
            state_schema_check: true,
            compression_codec: "lz4".to_owned(),
            aggregation_state_format: 2,
            join_state_format: 2,
        }
    }
}

const HDFS_PROVIDER: &str = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider";

impl StreamingConf {
    /// Whether the provider is Spark's RocksDB one.
    pub fn is_rocks_db(&self) -> bool {
        self.provider_class.ends_with(".RocksDBStateStoreProvider")
    }

    /// Reads the settings with `get`, which gives a key's text (for a running query: the offset log's `conf` first).
    /// Texts that do not parse leave the default: Spark has refused them at `spark.conf.set`.
    pub fn read(get: &dyn Fn(&str) -> Option<String>) -> Self {
        fn number<T: std::str::FromStr>(text: Option<String>, default: T) -> T {
            text.and_then(|text| text.trim().parse().ok()).unwrap_or(default)
        }
        let d = Self::default();
        let flag = |key: &str, default: bool| get(key).map_or(default, |text| text.trim().eq_ignore_ascii_case("true"));
        Self {
            allow_multiple: flag("spark.sql.streaming.statefulOperator.allowMultiple", d.allow_multiple),
            provider_class: get("spark.sql.streaming.stateStore.providerClass").unwrap_or(d.provider_class),
            min_deltas_for_snapshot: number(
                get("spark.sql.streaming.stateStore.minDeltasForSnapshot"),
                d.min_deltas_for_snapshot,
            ),
            min_versions_to_retain: number(get("spark.sql.streaming.minBatchesToRetain"), d.min_versions_to_retain),
            max_versions_in_memory: number(
                get("spark.sql.streaming.maxBatchesToRetainInMemory"),
                d.max_versions_in_memory,
            ),
            maintenance_interval_ms: get("spark.sql.streaming.stateStore.maintenanceInterval")
                .and_then(|text| time_string_ms(&text, 1).ok())
                .unwrap_or(d.maintenance_interval_ms),
            state_schema_check: flag("spark.sql.streaming.stateStore.stateSchemaCheck", d.state_schema_check),
            compression_codec: get("spark.sql.streaming.stateStore.compression.codec").unwrap_or(d.compression_codec),
            aggregation_state_format: number(
                get("spark.sql.streaming.aggregation.stateFormatVersion"),
                d.aggregation_state_format,
            ),
            join_state_format: number(get("spark.sql.streaming.join.stateFormatVersion"), d.join_state_format),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    Append,
    Update,
    Complete,
}

impl OutputMode {
    /// As messages name it ("Append").
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "Append",
            Self::Update => "Update",
            Self::Complete => "Complete",
        }
    }
}

/// What lives as long as one run of a query: its state stores and the watermarks of its operators.
#[derive(Debug)]
pub struct StatefulQuery {
    /// The folder of the state and the run's id as plans show them.
    pub(crate) shown_checkpoint: String,
    pub(crate) run_id: String,
    pub stores: RefCell<StateStores>,
    pub propagator: RefCell<WatermarkPropagator>,
    pub conf: StreamingConf,
}

impl StatefulQuery {
    /// `checkpoint`: absolute folder of the query's checkpoint; state goes below its `state` folder.
    pub fn new(fs: SharedFs, checkpoint: &str, run_id: &str, conf: StreamingConf) -> Self {
        let state = format!("{checkpoint}/state");
        Self {
            shown_checkpoint: tidemark_sql::datasource::qualified(&state),
            run_id: run_id.to_owned(),
            stores: RefCell::new(StateStores::new(fs, &state, run_id, conf.clone())),
            propagator: RefCell::new(WatermarkPropagator::new(conf.allow_multiple)),
            conf,
        }
    }

    /// A query that was not started: it has no checkpoint and no watermarks, and nothing is written.
    pub(crate) fn not_started(fs: SharedFs, run_id: &str, conf: StreamingConf) -> Self {
        Self {
            shown_checkpoint: "<unknown>".to_owned(),
            propagator: RefCell::new(WatermarkPropagator::None),
            ..Self::new(fs, "/", run_id, conf)
        }
    }
}

/// Event times that passed one watermark node, ms (Spark's EventTimeStats).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventTimeStats {
    pub max: i64,
    pub min: i64,
    pub avg: f64,
    pub count: i64,
}

impl Default for EventTimeStats {
    fn default() -> Self {
        Self { max: i64::MIN, min: i64::MAX, avg: 0.0, count: 0 }
    }
}

impl EventTimeStats {
    pub fn add(&mut self, event_time_ms: i64) {
        self.max = self.max.max(event_time_ms);
        self.min = self.min.min(event_time_ms);
        self.count += 1;
        self.avg += (event_time_ms as f64 - self.avg) / self.count as f64;
    }

    /// Joins the statistics of another task.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.max = self.max.max(other.max);
        self.min = self.min.min(other.min);
        self.count += other.count;
        self.avg += (other.avg - self.avg) * other.count as f64 / self.count as f64;
    }
}

/// A withWatermark of the plan, in plan order (the order of WatermarkTracker).
#[derive(Clone, Debug, PartialEq)]
pub struct EventTimeNode {
    pub column: String,
    pub delay_ms: i64,
    pub stats: EventTimeStats,
}

/// A row that a stateful operator refused as late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRow {
    pub operator: usize,
    /// Start of its window, µs; None where the event time itself is the boundary.
    pub start_us: Option<i64>,
    /// End of its window or its event time, µs.
    pub boundary_us: i64,
    pub watermark: LateWatermark,
}

/// A window in the state of an operator after the batch, or closed by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowState {
    pub operator: usize,
    pub start_us: i64,
    pub end_us: i64,
    /// State rows (groups) of the window.
    pub groups: usize,
    pub closed: bool,
}

/// One stateful operator of the plan, for descriptions and for the check of the operator metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorInfo {
    pub id: usize,
    pub name: String,
    /// Name and simple type string.
    pub key: Vec<(String, String)>,
    pub value: Vec<(String, String)>,
    pub partitions: usize,
}

/// One micro-batch: what its operators may know, and where they report.
#[derive(Debug)]
pub struct StatefulBatch {
    pub query: Rc<StatefulQuery>,
    /// Also the version of the state that the batch starts from.
    pub batch_id: i64,
    /// First batch of this run: schemas and operator metadata are written or checked.
    pub is_first_batch: bool,
    pub output_mode: OutputMode,
    pub shuffle_partitions: usize,
    /// The query's watermark for the batch before, ms; 0 for none (prevOffsetSeqMetadata.batchWatermarkMs).
    pub previous_watermark_ms: i64,
    /// The query's watermark for this batch, ms.
    pub watermark_ms: i64,
    /// Clock at the start of the batch, ms: modification time of the files it writes.
    pub now_ms: i64,
    /// The session's time zone, for texts that people read.
    pub zone: Zone,
    /// Record [`DroppedRow`]s and [`WindowState`]s (costs a walk over windowed state).
    pub observe: bool,
    /// Rows of a kind that operators note for [`crate::fates`]; 0: none.
    pub follow: usize,
    next_operator: Cell<usize>,
    /// What operators find wrong with their input: Spark's look for it when they run.
    failure: RefCell<Option<SparkError>>,
    pub(crate) metrics: RefCell<BTreeMap<usize, OperatorMetrics>>,
    pub(crate) event_times: RefCell<Vec<EventTimeNode>>,
    pub(crate) dropped: RefCell<Vec<DroppedRow>>,
    pub(crate) notes: RefCell<Notes>,
    /// Groups by operator, start, end and whether the window is closed.
    pub(crate) windows: RefCell<BTreeMap<(usize, i64, i64, bool), usize>>,
}

/// What operators report of a batch.
pub(crate) struct Reports {
    metrics: BTreeMap<usize, OperatorMetrics>,
    event_times: Vec<EventTimeNode>,
    dropped: Vec<DroppedRow>,
    notes: Notes,
    windows: BTreeMap<(usize, i64, i64, bool), usize>,
}

impl StatefulBatch {
    /// [`EventTime::find`]; an error is kept for the execution.
    pub(super) fn event_time_of(&self, output: &[Arc<Attribute>], allow_multiple_operators: bool) -> Option<EventTime> {
        EventTime::find(output, allow_multiple_operators).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// The first error that an operator's execution begins with.
    pub(crate) fn check(&self) -> Result<()> {
        self.failure.borrow().clone().map_or(Ok(()), Err)
    }

    pub fn new(
        query: Rc<StatefulQuery>,
        batch_id: i64,
        is_first_batch: bool,
        output_mode: OutputMode,
        shuffle_partitions: usize,
        previous_watermark_ms: i64,
        watermark_ms: i64,
        now_ms: i64,
    ) -> Self {
        Self {
            query,
            batch_id,
            is_first_batch,
            output_mode,
            shuffle_partitions,
            previous_watermark_ms,
            watermark_ms,
            now_ms,
            zone: Zone::UTC,
            observe: false,
            follow: 0,
            notes: RefCell::default(),
            failure: RefCell::default(),
            next_operator: Cell::new(0),
            metrics: RefCell::default(),
            event_times: RefCell::default(),
            dropped: RefCell::default(),
            windows: RefCell::default(),
        }
    }

    /// Id of the next stateful operator: parents are numbered before their children.
    pub(crate) fn next_operator_id(&self) -> usize {
        let id = self.next_operator.get();
        self.next_operator.set(id + 1);
        id
    }

    pub(crate) fn late(&self, operator: usize) -> LateWatermark {
        self.query.propagator.borrow().late(self.batch_id, operator)
    }

    pub(crate) fn eviction(&self, operator: usize) -> EvictionWatermark {
        self.query.propagator.borrow().eviction(self.batch_id, operator)
    }

    /// Changes the counters of one operator.
    pub(crate) fn count(&self, operator: usize, change: impl FnOnce(&mut OperatorMetrics)) {
        change(self.metrics.borrow_mut().entry(operator).or_default());
    }

    /// Counters by operator, downstream first, as the progress report lists them.
    pub fn operator_metrics(&self) -> Vec<OperatorMetrics> {
        self.metrics.borrow().values().cloned().collect()
    }

    /// What every operator of `plan` did, and its watermarks.
    pub(crate) fn operator_reports(&self, plan: &ExecRef) -> Vec<OperatorObservation> {
        let reached = behind(plan, self.watermark_ms);
        let metrics = self.metrics.borrow();
        let report = |(id, metrics): (&usize, &OperatorMetrics)| {
            let has_watermark = reached.contains_key(id);
            OperatorObservation {
                id: *id,
                name: metrics.operator_name.clone(),
                late_watermark_ms: has_watermark.then(|| self.late(*id).0),
                eviction_watermark_ms: has_watermark.then(|| self.eviction(*id).0),
                rows_total: metrics.num_rows_total,
                rows_updated: metrics.num_rows_updated,
                rows_removed: metrics.num_rows_removed,
                rows_dropped: metrics.num_rows_dropped_by_watermark,
                input_rows_dropped: None,
            }
        };
        metrics.iter().map(report).collect()
    }

    /// The watermark nodes of the plan with what passed them, in plan order.
    pub fn event_times(&self) -> Vec<EventTimeNode> {
        self.event_times.borrow().clone()
    }

    pub fn dropped_rows(&self) -> Vec<DroppedRow> {
        self.dropped.borrow().clone()
    }

    pub fn window_states(&self) -> Vec<WindowState> {
        let windows = self.windows.borrow();
        let state = |(key, groups): (&(usize, i64, i64, bool), &usize)| WindowState {
            operator: key.0,
            start_us: key.1,
            end_us: key.2,
            groups: *groups,
            closed: key.3,
        };
        windows.iter().map(state).collect()
    }

    /// What the operators have reported so far.
    pub(crate) fn snapshot(&self) -> Reports {
        Reports {
            metrics: self.metrics.borrow().clone(),
            event_times: self.event_times.borrow().clone(),
            dropped: self.dropped.borrow().clone(),
            notes: self.notes.borrow().clone(),
            windows: self.windows.borrow().clone(),
        }
    }

    /// Forgets what was reported since.
    pub(crate) fn restore(&self, reports: Reports) {
        *self.metrics.borrow_mut() = reports.metrics;
        *self.event_times.borrow_mut() = reports.event_times;
        *self.dropped.borrow_mut() = reports.dropped;
        *self.notes.borrow_mut() = reports.notes;
        *self.windows.borrow_mut() = reports.windows;
    }

    /// Runs something that has run already or will run again: the page is told of one run, the counters are those of all.
    pub(crate) fn repeat<T>(&self, run: impl FnOnce() -> T) -> T {
        let seen = (self.dropped.borrow().clone(), self.notes.borrow().clone(), self.windows.borrow().clone());
        let result = run();
        (*self.dropped.borrow_mut(), *self.notes.borrow_mut(), *self.windows.borrow_mut()) = seen;
        result
    }

    /// Whether an operator wants another batch once the query's watermark is `new_watermark_ms`
    /// (IncrementalExecution.shouldRunAnotherBatch).
    pub fn should_run_another_batch(&self, plan: &ExecRef, new_watermark_ms: i64) -> Result<bool> {
        let next = self.batch_id + 1;
        self.query.propagator.borrow_mut().propagate(next, plan, new_watermark_ms)?;
        let propagator = self.query.propagator.borrow();
        Ok(writers(plan).iter().any(|w| w.should_run_another_batch(propagator.eviction(next, w.operator_id()))))
    }

    /// Whether time alone makes an operator of the plan work (processing-time timeouts and timers).
    pub fn runs_on_time(&self, plan: &ExecRef) -> bool {
        writers(plan).iter().any(|writer| writer.runs_on_time())
    }
}
