//! The page's state and how it changes: no Yew, no browser.
//!
//! [`App::apply`] takes an [`Action`] and returns the [`Effect`]s to carry out, so that every rule of the page (when
//! Step runs the script first, what a crash leaves standing, what a replayed batch replaces) is tested natively.

mod act;
mod assist;
mod fates;
mod gates;
mod hear;
mod inspect;
pub mod lessons;
pub mod replay;
pub mod scripts;
pub mod share;
#[cfg(test)]
mod tests;

pub use assist::{AssistAction, AssistState};
pub use fates::{FatesAction, FatesState};
pub use gates::{Gate, Gates, StepPlan};
pub use inspect::{InspectAction, InspectState, operator_bytes};
pub use lessons::{LessonsAction, LessonsState};
pub use replay::{ReplayAction, ReplayState};

use std::collections::BTreeMap;
use std::rc::Rc;
use tidemark_protocol::messages::{
    BatchReport, Command, CrashPoint, Event, FileEntry, KafkaRecord, PortInfo, QueryInfo, ScriptState, StorageState,
    Stream, TopicInfo,
};

/// Files above this size are sent in slices of it (bytes).
pub const SLICE: usize = 8 * 1024 * 1024;
/// Files dropped on the page above this size are sliced (bytes): the 50 MB of the issue.
pub const WHOLE_FILE: u64 = 50 * 1024 * 1024;
/// Files above this size are refused (bytes).
pub const FILE_LIMIT: u64 = 512 * 1024 * 1024;

/// What happened: an event of the worker, or something the person did.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The worker said something.
    Heard(Box<Event>),
    /// A message could not be read or sent, or the worker could not be loaded.
    EngineFailed(String),
    /// The editor's text changed.
    Edited(Rc<str>),
    /// The pause after an edit is over: save the text.
    SaveScript,
    Run,
    Step,
    /// Run triggers one after another, or pause.
    ToggleContinuous,
    SetSpeed(Speed),
    /// The wait between two triggers of a continuous run is over.
    NextStep,
    Stop,
    Restart,
    Crash(Option<CrashPoint>),
    Reset,
    /// Terminate the worker and start a new one on the same workspace.
    Interrupt,
    /// A command has been pending for a while; the number is the count of commands sent by then.
    StillBusy(u64),
    SelectQuery(usize),
    SelectBatch(i64),
    SelectTab(Tab),
    /// Gives the details the room of strip and batches, or takes it back.
    Enlarge,
    /// Look into state or plan.
    Inspect(InspectAction),
    OpenFile(String),
    CloseFile,
    Download(String),
    ExplainFile(String),
    /// Help beside the session.
    Assist(AssistAction),
    /// Any other command, as it is.
    Ask(Command),
    /// A message of the page itself (a file too large ...).
    Tell(String),
    Dismiss(u64),
    /// Open a dialog or menu, or close it.
    Show(Option<Overlay>),
    ShowFiles(FilesTab),
    SelectView(View),
    /// The fate of a row.
    Fates(FatesAction),
    /// Only to assistive technology and the status line.
    Say(String),
    Share(share::ShareAction),
    Lessons(LessonsAction),
    Scripts(scripts::ScriptsAction),
    /// The past and the second run.
    Replay(ReplayAction),
}

/// What the page does outside of its state.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Send(Command),
    /// Terminate the worker, start another and open the workspace again.
    RestartWorker,
    /// Put this text into the editor.
    ShowScript(Rc<str>),
    /// Wait, then [`Action::NextStep`].
    StepAfter {
        ms: u32,
    },
    /// Wait, then [`Action::StillBusy`].
    CheckBusy(u64),
    /// Wait, then [`Action::SaveScript`].
    SaveSoon,
    /// Wait, then [`AssistAction::Check`].
    CheckSoon,
    Download {
        path: String,
        content: Vec<u8>,
    },
    /// Show this line (1-based) of the script.
    RevealLine(u32),
    Share(share::ShareEffect),
    /// Keep the state of the lessons for the next visit.
    KeepLessons(String),
    /// What the page's address has after `#`.
    Address(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    Starting,
    Ready {
        engine_version: String,
        spark_version: String,
    },
    /// The worker could not be loaded or understood.
    Failed(String),
    Panicked(String),
}

/// Triggers per second of a continuous run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    Slow,
    Normal,
    Fast,
    Full,
}

impl Speed {
    pub const ALL: [Speed; 4] = [Speed::Slow, Speed::Normal, Speed::Fast, Speed::Full];

    pub fn label(self) -> &'static str {
        match self {
            Speed::Slow => "½ / s",
            Speed::Normal => "1 / s",
            Speed::Fast => "4 / s",
            Speed::Full => "max",
        }
    }

    /// Pause after a trigger, ms.
    pub fn pause_ms(self) -> u32 {
        match self {
            Speed::Slow => 2000,
            Speed::Normal => 1000,
            Speed::Fast => 250,
            Speed::Full => 0,
        }
    }
}

/// The panels that share the lower right of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Output,
    Console,
    Progress,
    StateStore,
    Plan,
    Checkpoint,
    Fate,
    Compare,
}

impl Tab {
    pub const ALL: [Tab; 8] = [
        Tab::Output,
        Tab::Fate,
        Tab::Console,
        Tab::Progress,
        Tab::StateStore,
        Tab::Plan,
        Tab::Checkpoint,
        Tab::Compare,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Tab::Output => "Output",
            Tab::Console => "Console",
            Tab::Progress => "Progress",
            Tab::StateStore => "State",
            Tab::Plan => "Plan",
            Tab::Checkpoint => "Checkpoint",
            Tab::Fate => "Fate",
            Tab::Compare => "Compare",
        }
    }

    pub fn id(self) -> &'static str {
        match self {
            Tab::Output => "output",
            Tab::Console => "console",
            Tab::Progress => "progress",
            Tab::StateStore => "state",
            Tab::Plan => "plan",
            Tab::Checkpoint => "checkpoint",
            Tab::Fate => "fate",
            Tab::Compare => "compare",
        }
    }
}

/// A dialog or menu above the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    CrashMenu,
    ConfirmReset,
    Shortcuts,
}

/// What the files panel shows when no file is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesTab {
    Tree,
    AddEvent,
    Kafka,
    Socket,
}

/// The panel that a narrow screen shows; a wide one shows all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Script,
    Files,
    Time,
    Batches,
    Detail,
    Lessons,
}

impl View {
    pub const ALL: [View; 6] = [View::Script, View::Files, View::Time, View::Batches, View::Detail, View::Lessons];

    pub fn label(self) -> &'static str {
        match self {
            View::Script => "Script",
            View::Files => "Files",
            View::Time => "Time",
            View::Batches => "Batches",
            View::Detail => "Detail",
            View::Lessons => "Lessons",
        }
    }

    pub fn id(self) -> &'static str {
        match self {
            View::Script => "script",
            View::Files => "files",
            View::Time => "time",
            View::Batches => "batches",
            View::Detail => "detail",
            View::Lessons => "lessons",
        }
    }
}

/// How a query stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    Active,
    Stopped,
    Failed(String),
    /// The session was dropped under it: a crash, an interrupt, a reload.
    Gone,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QueryView {
    pub info: Rc<QueryInfo>,
    pub life: Life,
    /// In the order of their numbers.
    pub batches: Vec<Rc<BatchReport>>,
    /// Batches that ran again after a crash or restart.
    pub replayed: Vec<i64>,
    /// The batch that a crash cut off, and where; gone once the query has gone on.
    pub torn: Option<(i64, Option<CrashPoint>)>,
    /// Why the last trigger ran no batch; None after a batch.
    pub idle: Option<String>,
    /// The script run (counted by the page) that started it last.
    pub started_in: u64,
}

impl QueryView {
    pub fn label(&self) -> &str {
        self.info.name.as_deref().unwrap_or_else(|| self.info.id.get(..8).unwrap_or(&self.info.id))
    }

    pub fn batch(&self, number: i64) -> Option<&Rc<BatchReport>> {
        self.batches.binary_search_by_key(&number, |batch| batch.batch).ok().and_then(|at| self.batches.get(at))
    }

    pub fn last(&self) -> Option<&Rc<BatchReport>> {
        self.batches.last()
    }
}

/// A piece of console text; neighbours of one stream are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub stream: Stream,
    pub text: Rc<str>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub path: String,
    pub bytes: Rc<[u8]>,
    /// Readable form, where the bytes are not text.
    pub text: Option<Rc<str>>,
}

/// Rows of one batch's output beyond those in its report.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Rows {
    pub query: String,
    pub batch: i64,
    pub by_index: BTreeMap<usize, Rc<Vec<Option<String>>>>,
}

/// A message that stays until dismissed.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub id: u64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct App {
    pub engine: Engine,
    pub storage: Option<StorageState>,
    /// The editor's text.
    pub script: Rc<str>,
    /// The text that ran last; None before the first run.
    pub ran: Option<Rc<str>>,
    pub script_state: Option<ScriptState>,
    pub console: Rc<Vec<Piece>>,
    /// The beginning of a very long console was left out.
    pub console_cut: bool,
    pub queries: Vec<QueryView>,
    /// Index of the shown query.
    pub query: usize,
    /// The selected batch; None follows the newest.
    pub batch: Option<i64>,
    pub tab: Tab,
    /// The details have the room of strip and batches.
    pub enlarged: bool,
    pub overlay: Option<Overlay>,
    pub files_tab: FilesTab,
    pub view: View,
    pub files: Rc<Vec<FileEntry>>,
    /// Of the session's Kafka broker.
    pub topics: Rc<Vec<TopicInfo>>,
    /// A topic and its newest records, as asked for last.
    pub records: Rc<(String, Vec<KafkaRecord>)>,
    /// Open TCP ports.
    pub ports: Rc<Vec<PortInfo>>,
    pub open_path: Option<String>,
    pub open: Option<Content>,
    pub explain_path: Option<String>,
    pub explained: Option<Content>,
    pub rows: Rows,
    pub fates: FatesState,
    pub inspect: InspectState,
    /// Session clock, ms.
    pub clock_ms: Option<i64>,
    pub next_due_ms: Option<i64>,
    pub continuous: bool,
    pub speed: Speed,
    /// A crash that waits for the next batch.
    pub armed: Option<CrashPoint>,
    pub notices: Vec<Notice>,
    pub assist: AssistState,
    /// For assistive technology: the newest thing that happened.
    pub announcement: String,
    /// The pending command takes long: offer to interrupt.
    pub slow: bool,
    pub share: share::ShareState,
    pub lessons: LessonsState,
    pub scripts: scripts::ScriptsState,
    pub replay: ReplayState,
    /// This is the past: it can only be looked at.
    pub frozen: bool,
    sent: u64,
    settled: u64,
    /// Commands of this worker that may take long and are not settled: their numbers.
    working: Vec<u64>,
    runs: u64,
    step_after_run: bool,
    downloads: Vec<String>,
    notice_ids: u64,
}

impl Default for App {
    fn default() -> App {
        App {
            engine: Engine::Starting,
            storage: None,
            script: Rc::from(""),
            ran: None,
            script_state: None,
            console: Rc::default(),
            console_cut: false,
            queries: Vec::new(),
            query: 0,
            batch: None,
            tab: Tab::Output,
            enlarged: false,
            overlay: None,
            files_tab: FilesTab::Tree,
            view: View::Script,
            files: Rc::default(),
            topics: Rc::default(),
            records: Rc::default(),
            ports: Rc::default(),
            open_path: None,
            open: None,
            explain_path: None,
            explained: None,
            rows: Rows::default(),
            fates: FatesState::default(),
            inspect: InspectState::default(),
            clock_ms: None,
            next_due_ms: None,
            continuous: false,
            speed: Speed::Normal,
            armed: None,
            notices: Vec::new(),
            assist: AssistState::default(),
            announcement: String::new(),
            slow: false,
            share: share::ShareState::default(),
            lessons: LessonsState::default(),
            scripts: scripts::ScriptsState::default(),
            replay: ReplayState::default(),
            frozen: false,
            sent: 0,
            settled: 0,
            working: Vec::new(),
            runs: 0,
            step_after_run: false,
            downloads: Vec::new(),
            notice_ids: 0,
        }
    }
}

impl App {
    pub fn shown_query(&self) -> Option<&QueryView> {
        self.queries.get(self.query)
    }

    /// The selected batch of the shown query, or its newest.
    pub fn shown_batch(&self) -> Option<&Rc<BatchReport>> {
        let query = self.shown_query()?;
        self.batch.and_then(|number| query.batch(number)).or_else(|| query.last())
    }

    pub fn is_active(&self) -> bool {
        self.queries.iter().any(|query| query.life == Life::Active)
    }

    /// True while a script or a trigger runs.
    pub fn is_busy(&self) -> bool {
        !self.working.is_empty()
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.engine, Engine::Ready { .. })
    }

    /// True when the session is over in mid-way and a checkpoint can take it on.
    pub fn is_broken_off(&self) -> bool {
        !self.is_active() && self.queries.iter().any(|query| matches!(query.life, Life::Gone | Life::Failed(_)))
    }

    /// Every action goes through here.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Heard(event) => self.hear(*event),
            other if self.is_of_second(&other) => self.act_second(other),
            other => self.act(other),
        }
    }
}

/// How a crash point is named on the page.
pub fn point_name(point: Option<CrashPoint>) -> &'static str {
    match point {
        None => "between batches",
        Some(CrashPoint::OffsetsWritten) => "after its offsets were written",
        Some(CrashPoint::SinkDone) => "after the sink was done",
        Some(CrashPoint::CommitWritten) => "after its commit was written",
    }
}
