//! Commands from the page to the worker and events back. Changing one changes [`PROTOCOL_VERSION`].

mod assist;
mod fates;
mod inputs;
mod inspect;
mod layout;
mod replay;
mod scripts;
mod share;

use serde::{Deserialize, Serialize};

pub use assist::{AssistCommand, AssistEvent, Problem, ResultFormat};
pub use fates::{
    Behind, DroppedEvent, Entry, EventRef, Fact, FatesCommand, FatesEvent, Made, Need, OperatorReport, Outcome, Pick,
    Place, Step, Story, Told,
};
pub use inputs::{
    Before, Generate, KafkaCommand, KafkaMessage, KafkaRecord, MadeUp, PartitionInfo, PortInfo, SocketCommand,
    TopicInfo,
};
pub use inspect::{
    InspectCommand, InspectEvent, JoinRange, PlanColumn, PlanNode, PlanReport, RowMark, StateReport, StateRequest,
    StateRow, StateSection,
};
pub use layout::{LaidFile, LaidMessage, Layout};
pub use replay::{
    Attempt, Changes, CutUnit, Moment, MomentKind, QueryVerdict, ReplayCommand, ReplayEvent, Second, TriggerChange,
    Verdict,
};
pub use scripts::{PastRun, RunOutcome, ScriptsCommand, ScriptsEvent};
pub use share::{NamedScript, Parcel, ParcelFile, ShareCommand, ShareEvent};

/// Both sides must be built from the same version; the worker refuses another one.
pub const PROTOCOL_VERSION: u32 = 4;

/// What the page asks for. Commands are answered in order; each is followed by an [`Event::Settled`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// First message: load the named workspace from IndexedDB (or make it from the example) and say [`Event::Ready`].
    /// Without a name nothing is kept.
    Open {
        protocol: u32,
        workspace: String,
        now_ms: i64,
    },
    /// Remember the editor's text (saved with the workspace; runs nothing).
    SetScript {
        text: String,
    },
    /// Run the script from its first line in a new Python and Spark session; files stay as they are.
    Run {
        text: String,
    },
    /// Run one trigger: of one query, or of the query whose trigger is due first.
    Step {
        query: Option<String>,
    },
    /// Stop all queries as `query.stop()` does; a script parked in `awaitTermination()` goes on.
    StopQueries,
    /// Drop the running session as a killed driver would, at once (`None`) or inside the next batch.
    Crash {
        point: Option<CrashPoint>,
    },
    /// Empty the workspace and lay this anew; None: the example that a new workspace opens on.
    Lay {
        layout: Option<Layout>,
    },
    WriteFile {
        path: String,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
    },
    /// Appends to a file (creates it and its folders): how large files arrive in slices.
    AppendFile {
        path: String,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
    },
    MakeDir {
        path: String,
    },
    /// A file, or a folder with all in it.
    Remove {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    /// Answered by [`Event::FileContent`].
    ReadFile {
        path: String,
    },
    /// The session's Kafka broker.
    Kafka(KafkaCommand),
    /// The session's TCP ports.
    Socket(SocketCommand),
    /// Why a row went where it went.
    Fates(FatesCommand),
    /// Made-up events as new files of a source's folder.
    Generate(Generate),
    /// Help beside the session.
    Assist(AssistCommand),
    /// Rows of a batch's output; answered by [`Event::BatchRows`].
    ReadBatch {
        query: String,
        batch: i64,
        offset: usize,
        limit: usize,
    },
    /// The workspace as a whole.
    Share(ShareCommand),
    /// Its named scripts.
    Scripts(ScriptsCommand),
    /// State and plan of a query; answered by [`Event::Inspect`].
    Inspect(InspectCommand),
    /// The past and the second run.
    Replay(ReplayCommand),
    /// A checkpoint file in readable form (state files decoded); answered by [`Event::FileContent`].
    Explain {
        path: String,
    },
}

/// Where a crash hits inside a micro-batch: the three points that exactly-once hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrashPoint {
    /// offsets/N is written, nothing has run.
    OffsetsWritten,
    /// The sink has the batch, state is committed, commits/N is not written.
    SinkDone,
    /// commits/N is written, nothing after it has run.
    CommitWritten,
}

/// What the worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    Ready {
        engine_version: String,
        spark_version: String,
        script: String,
        restored: Option<Restored>,
        files: Vec<FileEntry>,
    },
    /// The workspace is open in another tab, or storage cannot be used.
    Storage(StorageState),
    /// A piece of what the script and the sinks print, in order.
    Console {
        stream: Stream,
        text: String,
    },
    Script(ScriptState),
    QueryStarted(QueryInfo),
    /// A batch whose files are in IndexedDB: only then is it shown as committed.
    Batch(Box<BatchReport>),
    /// A trigger that ran no batch.
    Idle {
        query: String,
        clock_ms: i64,
        reason: String,
    },
    QueryTerminated {
        query: String,
        error: Option<String>,
    },
    /// The whole tree, after any change.
    Files(Vec<FileEntry>),
    /// All topics, after any change.
    Topics(Vec<TopicInfo>),
    KafkaRecords {
        topic: String,
        records: Vec<KafkaRecord>,
    },
    /// All ports that are open, after any change.
    Ports(Vec<PortInfo>),
    /// Answers to [`Command::Fates`].
    Fates(FatesEvent),
    Assist(AssistEvent),
    FileContent {
        path: String,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
        /// Readable form, where the bytes are not text.
        text: Option<String>,
    },
    BatchRows {
        query: String,
        batch: i64,
        offset: usize,
        rows: Vec<Vec<Option<String>>>,
    },
    Share(ShareEvent),
    Scripts(ScriptsEvent),
    Inspect(Box<InspectEvent>),
    /// Of the past and the second run.
    Replay(ReplayEvent),
    /// The session was dropped by [`Command::Crash`].
    Crashed {
        point: Option<CrashPoint>,
        batch: Option<i64>,
    },
    /// A command could not be carried out (a path that does not exist, a query that is gone ...).
    Refused {
        command: String,
        message: String,
    },
    /// The engine panicked; the worker is gone. `report` is for copying.
    Panicked {
        report: String,
    },
    /// The command with this number (counted from 0 in the order received) is done; the clock of the session.
    Settled {
        command: u64,
        clock_ms: i64,
        /// When the next trigger is due, if any query runs.
        next_due_ms: Option<i64>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// A workspace as it was when the tab went away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// Batches that had been shown, oldest first.
    pub batches: Vec<BatchReport>,
    pub queries: Vec<QueryInfo>,
    pub console: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StorageState {
    /// Changes are kept in IndexedDB.
    Persistent,
    /// Another tab has this workspace; this tab works in memory under another name.
    OpenElsewhere,
    /// Nothing was to be kept (a page inside another one).
    Memory,
    /// IndexedDB is blocked or missing: work in memory only.
    Unavailable { message: String },
    /// A transaction failed for want of room; what is shown is not saved.
    Full { message: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScriptState {
    Running,
    /// Parked in `awaitTermination()` or `sleep()` at this line (1-based); goes on when the query ends.
    Parked {
        line: u32,
        call: String,
    },
    Finished,
    /// Uncaught exception: the traceback as Python prints it, and the script's line (1-based) if it has one.
    Failed {
        traceback: String,
        line: Option<u32>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Absolute.
    pub path: String,
    pub is_dir: bool,
    pub len: u64,
    pub modified_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryInfo {
    pub id: String,
    pub run_id: String,
    pub name: Option<String>,
    pub output_mode: String,
    /// As `explain` names it: "ProcessingTimeTrigger(5000)", "AvailableNow" ...
    pub trigger: String,
    pub sink: String,
    pub checkpoint: String,
    pub sources: Vec<SourceInfo>,
    pub output: Vec<Column>,
    pub operators: Vec<OperatorInfo>,
    /// Delay of the watermark, if the query has one.
    pub watermark_delay_ms: Option<i64>,
    /// The event-time column of the source rows.
    pub event_time_column: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceInfo {
    /// "FileStreamSource[file:/workspace/data/stream_in]" ...
    pub description: String,
    /// Folder that events can be dropped into, for file sources.
    pub folder: Option<String>,
    /// "json", "csv" ...
    pub format: String,
    pub schema: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// Spark's simple string: "timestamp", "struct<start:timestamp,end:timestamp>" ...
    pub data_type: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperatorInfo {
    /// "stateStoreSave", "dedupe", "symmetricHashJoin" ...
    pub name: String,
    pub partitions: usize,
    pub key: Vec<Column>,
    pub value: Vec<Column>,
}

/// Why a batch ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatchKind {
    Data,
    NoData { reason: String },
}

/// Everything the page shows of one micro-batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchReport {
    pub query: String,
    pub batch: i64,
    pub kind: BatchKind,
    /// Session clock at the trigger, ms.
    pub clock_ms: i64,
    pub input_rows: i64,
    /// None where the sink does not report it (Spark's -1).
    pub output_rows: Option<i64>,
    pub output: BatchTable,
    /// Watermark used by this batch for eviction, ms; None without a watermark.
    pub watermark_ms: Option<i64>,
    /// Watermark that judged late rows in this batch, ms.
    pub late_watermark_ms: Option<i64>,
    /// Watermark that the next batch will have, ms.
    pub next_watermark_ms: Option<i64>,
    /// Greatest event time among the rows that the batch read (Spark's eventTime.max), ms; None: it read none.
    pub max_event_time_ms: Option<i64>,
    /// Spark's numRowsDroppedByWatermark, summed over operators.
    pub dropped_rows: i64,
    pub state_rows: i64,
    pub state_bytes: i64,
    /// StreamingQueryProgress as Spark writes it, pretty-printed.
    pub progress_json: String,
    pub events: Vec<EventMark>,
    pub windows: Vec<WindowBar>,
    /// The stateful operators with both their watermarks, downstream first. Empty in reports kept by earlier versions.
    #[serde(default)]
    pub operators: Vec<OperatorReport>,
}

/// The first rows of a batch's output, formatted as `show(truncate=False)` does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchTable {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Option<String>>>,
    pub total: usize,
}

/// One input event on the event-time strip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventMark {
    /// Arrival order over the whole run, from 0.
    pub arrival: u64,
    /// None: the event time is null.
    pub event_time_us: Option<i64>,
    /// File that it came from.
    pub origin: String,
    /// The row, as JSON.
    pub row: String,
    pub fate: Fate,
    /// Place of its source in [`QueryInfo::sources`].
    #[serde(default)]
    pub source: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    Accepted,
    /// Filtered out before any stateful operator.
    Filtered,
    /// Every window (or key) it falls into was late: `boundary` (window end or event time) <= `watermark`, both µs.
    Dropped {
        boundary_us: i64,
        watermark_us: i64,
    },
}

/// A window known to the state or closed by this batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowBar {
    pub start_us: i64,
    pub end_us: i64,
    /// Groups (keys) in it.
    pub groups: usize,
    /// True when this batch closed it (emitted in append mode, or evicted).
    pub closed: bool,
}
