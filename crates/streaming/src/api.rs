//! What the other crates see of streaming: starting a query, driving it, and what it tells.

use std::rc::Rc;

use arrow::record_batch::RecordBatch;
use indexmap::IndexMap;
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::plan::PlanRef;

use crate::fates::{BatchTrace, Place};
pub use crate::inspection::{
    JoinRange, PlanColumn, PlanDescription, PlanNode, RowMark, StatePage, StateRequest, StateRowView, StateSection,
};
use crate::kafka::Broker;
use crate::socket::SocketHub;

/// Everything a DataStreamWriter holds when `start` is called.
#[derive(Clone, Debug, Default)]
pub struct WriterSpec {
    /// "console", "memory", "noop", "parquet", "json", "csv", "text", "kafka" ...; None: parquet (or what foreach* sets).
    pub format: Option<String>,
    pub output_mode: Option<String>,
    /// Keys as the user wrote them; looked up without regard to case.
    pub options: IndexMap<String, String>,
    pub query_name: Option<String>,
    pub trigger: TriggerSpec,
    pub path: Option<String>,
    pub partition_by: Vec<String>,
    /// partitionBy was called, be it without a column.
    pub partitioned: bool,
    pub cluster_by: Vec<String>,
    /// Handle of the function given to foreachBatch.
    pub foreach_batch: Option<u64>,
    /// Handle of the function or object given to foreach.
    pub foreach: Option<u64>,
    /// toTable.
    pub table: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum TriggerSpec {
    /// No trigger given: as soon as the last batch is done (ProcessingTimeTrigger(0)).
    #[default]
    Default,
    /// Interval text as given ("5 seconds").
    ProcessingTime(String),
    Once,
    AvailableNow,
    Continuous(String),
    RealTime(String),
}

/// What a what-if run has instead of what the script says; None leaves the script's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    pub output_mode: Option<String>,
    pub trigger: Option<TriggerSpec>,
    /// maxFilesPerTrigger of every file source; 0: none.
    pub max_files: Option<u32>,
}

/// The script's side: functions that the engine calls, and the place where the console prints.
pub trait ScriptHost {
    /// Text for standard output, exactly as it shall appear.
    fn print(&self, text: &str);
    /// Calls a foreachBatch function; errors of the script come back with class Python.
    fn foreach_batch(&self, handle: u64, batch: PlanRef, batch_id: i64) -> Result<()>;
    /// Runs a foreach writer over one partition's rows (open / process / close).
    fn foreach(&self, handle: u64, partition: usize, epoch: i64, rows: &[RecordBatch]) -> Result<()>;
    /// Whether the person wants the script to stop; asked between triggers. Waits then end with "KeyboardInterrupt".
    fn interrupted(&self) -> bool {
        false
    }
    /// A StreamingQueryListener event: "started", "progress", "idle", "terminated", with its JSON.
    fn listener_event(&self, kind: &str, json: &str);
}

/// Told about every batch; the page's reports are made from this. All methods may be ignored.
pub trait StreamObserver {
    /// Called at the start, and again (same ids) when the first trigger has opened sources and operators.
    fn query_started(&self, query: &QueryDescription);
    fn batch_committed(&self, batch: &BatchObservation);
    /// The sink has taken a batch whose commit is not written yet. `rows`: what it took; None where it took nothing, because
    /// an earlier run of the batch is in its log.
    fn batch_delivered(&self, query: &QueryDescription, batch_id: i64, rows: Option<i64>) {
        let _ = (query, batch_id, rows);
    }
    /// A trigger that ran no batch.
    fn idle(&self, query_id: &str, reason: &str);
    fn terminated(&self, query_id: &str, error: Option<&SparkError>);
    /// Whether the rows of the next batch are to be followed through the plan ([`crate::fates`]).
    fn follows(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, Default)]
pub struct QueryDescription {
    pub id: String,
    pub run_id: String,
    pub name: Option<String>,
    pub output_mode: String,
    pub trigger: String,
    pub sink: String,
    /// Absolute folder.
    pub checkpoint: String,
    pub sources: Vec<SourceDescription>,
    /// Name and simple type string.
    pub output: Vec<(String, String)>,
    pub operators: Vec<OperatorDescription>,
    pub watermark_delay_ms: Option<i64>,
    pub event_time_column: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct SourceDescription {
    pub description: String,
    /// Absolute folder that files can be dropped into.
    pub folder: Option<String>,
    pub format: String,
    pub schema: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
pub struct OperatorDescription {
    pub name: String,
    pub partitions: usize,
    pub key: Vec<(String, String)>,
    pub value: Vec<(String, String)>,
}

/// One committed micro-batch.
#[derive(Clone, Debug)]
pub struct BatchObservation {
    pub query_id: String,
    pub batch_id: i64,
    /// None: there was data; otherwise why a batch without data ran.
    pub no_data_reason: Option<String>,
    pub clock_ms: i64,
    /// How often its operators ran: once for each action of a foreachBatch function, once more where an order is found by
    /// sampling. Their counts are those of all runs.
    pub runs: usize,
    pub input_rows: i64,
    /// -1 where the sink does not report it.
    pub output_rows: i64,
    pub output: Vec<RecordBatch>,
    /// Name and simple type string.
    pub output_columns: Vec<(String, String)>,
    pub watermark_ms: Option<i64>,
    pub late_watermark_ms: Option<i64>,
    pub next_watermark_ms: Option<i64>,
    pub max_event_time_ms: Option<i64>,
    pub dropped_rows: i64,
    pub state_rows: i64,
    pub state_bytes: i64,
    pub progress_json: String,
    pub events: Vec<EventObservation>,
    pub windows: Vec<WindowObservation>,
    /// The stateful operators, downstream first.
    pub operators: Vec<OperatorObservation>,
    /// What became of the rows; None: they were not followed.
    pub trace: Option<Rc<BatchTrace>>,
}

/// What one stateful operator did in a batch, and the two watermarks that it went by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorObservation {
    /// Its number in the checkpoint's state folder.
    pub id: usize,
    pub name: String,
    /// Rows at or before it were late (the input watermark of the batch before); None: no watermark reaches the operator.
    pub late_watermark_ms: Option<i64>,
    /// State at or before it was finished (the input watermark of this batch).
    pub eviction_watermark_ms: Option<i64>,
    pub rows_total: i64,
    pub rows_updated: i64,
    pub rows_removed: i64,
    /// Spark's numRowsDroppedByWatermark: counted after partial aggregation, where there is one.
    pub rows_dropped: i64,
    /// Rows of the operator's input that these stand for; None: not all rows of the batch were followed.
    pub input_rows_dropped: Option<i64>,
}

/// One source row, for the event-time strip (only recorded when an observer asks for it).
#[derive(Clone, Debug)]
pub struct EventObservation {
    pub event_time_us: Option<i64>,
    pub origin: String,
    /// The row as JSON.
    pub row: String,
    pub fate: EventFate,
    pub place: Place,
    /// Place of its source in [`QueryDescription::sources`].
    pub source: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventFate {
    Accepted,
    Filtered,
    Dropped { boundary_us: i64, watermark_us: i64 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowObservation {
    pub start_us: i64,
    pub end_us: i64,
    pub groups: usize,
    pub closed: bool,
}

/// Where a crash is put into the next batch; the session is useless afterwards, its files are as a killed driver leaves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    OffsetsWritten,
    SinkDone,
    CommitWritten,
}

/// Makes every query of a session lose its memory as it runs and go on from its checkpoint, as if its driver had ended
/// there. Sinks outlive that, as consoles and folders do. What a query gives must not change by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rehearsal {
    /// Stopped after every batch that calls for no other, and started again.
    Stop,
    /// Killed at this point of every batch, and started again. A batch that the sink has already is run again, and its rows
    /// are compared with those of the first time instead of being delivered twice.
    Crash(CrashPoint),
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The query ended (awaitTermination returns).
    Ended,
    /// The time given passed on the session's clock.
    TimedOut,
    /// No end was given and nothing more can happen by itself: only a person's act (new files, a step, a stop) goes on.
    Parked,
}

/// What one step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    Batch {
        query_id: String,
        batch_id: i64,
    },
    Idle {
        query_id: String,
    },
    Terminated {
        query_id: String,
    },
    /// A crash point was reached.
    Crashed {
        query_id: String,
        batch_id: i64,
    },
    NoQuery,
}

/// The surface that `crates/pyspark` and `crates/protocol` drive. Implemented by `StreamingSession`.
///
/// Time: all waiting moves the session's virtual clock; triggers that are due on the way run inside the call.
pub trait StreamingApi {
    fn start(&self, plan: PlanRef, writer: WriterSpec) -> Result<Rc<dyn QueryApi>>;
    /// spark.streams.active, oldest first.
    fn active(&self) -> Vec<Rc<dyn QueryApi>>;
    /// By id, also after its end while the session lives.
    fn get(&self, id: &str) -> Option<Rc<dyn QueryApi>>;
    fn await_any_termination(&self, timeout_ms: Option<i64>) -> Result<Wait>;
    fn reset_terminated(&self);
    /// time.sleep: runs what is due, moves the clock by `ms`.
    fn sleep(&self, ms: i64);
    /// Moves the clock to the next due trigger (of `query`, or of any) and runs it.
    fn step(&self, query: Option<&str>) -> StepOutcome;
    /// Clock time at which the next trigger is due, ms.
    fn next_due_ms(&self) -> Option<i64>;
    fn set_crash_point(&self, point: Option<CrashPoint>);
    fn set_observer(&self, observer: Option<Rc<dyn StreamObserver>>);
    fn set_host(&self, host: Option<Rc<dyn ScriptHost>>);
    /// The session's Kafka broker.
    fn broker(&self) -> Rc<Broker>;
    /// The session's TCP ports.
    fn sockets(&self) -> Rc<SocketHub>;
}

pub trait QueryApi {
    fn id(&self) -> String;
    fn run_id(&self) -> String;
    fn name(&self) -> Option<String>;
    fn is_active(&self) -> bool;
    fn process_all_available(&self) -> Result<()>;
    fn await_termination(&self, timeout_ms: Option<i64>) -> Result<Wait>;
    fn stop(&self) -> Result<()>;
    /// JSON of StreamingQueryProgress, as Spark writes it (compact).
    fn last_progress(&self) -> Option<String>;
    fn recent_progress(&self) -> Vec<String>;
    /// JSON of StreamingQueryStatus: message, isDataAvailable, isTriggerActive.
    fn status(&self) -> String;
    fn exception(&self) -> Option<SparkError>;
    fn explain(&self, extended: bool) -> String;
    fn description(&self) -> QueryDescription;
    /// State rows of an operator for the state panel; none before the first batch.
    fn state(&self, request: &StateRequest) -> Result<StatePage>;
    /// The analysed plan for the plan view.
    fn plan(&self) -> PlanDescription;
}
