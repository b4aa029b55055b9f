//! Time travel and the second run: what the page asks and hears.

use serde::{Deserialize, Serialize};

use super::{Command, CrashPoint, Event};

/// What the page asks of the past and of the second run. At most one second run stands beside the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplayCommand {
    /// Builds the session as it was after a moment, by replay, as a second run that can only be looked at.
    Goto { moment: usize },
    /// Lets the second run go on from the moment that it shows.
    Branch,
    /// Runs everything that was done to the present queries again with these changes, as the second run.
    WhatIf { changes: Changes },
    /// Which input units the batches of a query took; answered by [`ReplayEvent::Cuts`].
    Cuts { query: String },
    /// Runs the script again with the units of [`ReplayEvent::Cuts`] cut into triggers of these sizes, as the second run.
    Recut { query: String, sizes: Vec<usize> },
    /// A command to the second run; one that changes something is refused while it is only looked at.
    Ask(Box<Command>),
    /// The second run becomes the workspace.
    Adopt,
    /// The second run goes.
    Discard,
    /// Ends a replay that is under way; the second run goes.
    Stop,
    /// Whether the checkpoints take this script, tried on a copy of the workspace; answered by [`ReplayEvent::Verdict`].
    Verdict { text: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplayEvent {
    /// The moments from number `first` on are these. `lost`: earlier ones than the first known are forgotten.
    Moments {
        first: usize,
        moments: Vec<Moment>,
        lost: bool,
    },
    /// A second run begins; [`ReplayEvent::Said`] says what it does from now on.
    Opened(Second),
    /// The second run is carried on to a later moment.
    Forward(Second),
    /// A command is replayed in the second run. `script`: the text, where it is a run.
    Did {
        script: Option<String>,
        armed: Option<CrashPoint>,
    },
    /// An event of the second run.
    Said(Box<Event>),
    /// Commands replayed of all that are to be.
    Progress {
        done: usize,
        total: usize,
    },
    /// The replay is done: the second run stands where it was asked to.
    Arrived,
    /// The second run may be worked in from now on.
    Branched,
    /// There is no second run any more.
    Closed,
    /// The second run is the workspace now.
    Adopted,
    Cuts {
        query: String,
        units: Vec<CutUnit>,
    },
    Verdict(Verdict),
    /// What reached the sinks of the batch that a crash cut off, once it is clear.
    Account(Vec<Attempt>),
}

/// Why there is a second run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Second {
    /// The session after this moment.
    Past {
        moment: usize,
    },
    WhatIf {
        changes: Changes,
    },
    Recut {
        query: String,
        sizes: Vec<usize>,
    },
}

/// A place in the history that one can go back to: after a batch, after a script's start, after a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub kind: MomentKind,
    /// Session clock, ms.
    pub clock_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MomentKind {
    /// A script has run up to its first wait or its end, without a batch.
    Started,
    Batch {
        query: String,
        batch: i64,
    },
    Crashed {
        point: Option<CrashPoint>,
        batch: Option<i64>,
    },
}

/// What a what-if run has instead of what the script says; None leaves the script's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    pub watermark_delay_ms: Option<i64>,
    pub output_mode: Option<String>,
    pub trigger: Option<TriggerChange>,
    /// 0: without a limit.
    pub max_files: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TriggerChange {
    /// As soon as the last batch is done.
    Default,
    EveryMs(i64),
    Once,
    AvailableNow,
}

/// A piece of input that a batch took: an event, or a whole file where lines are no events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutUnit {
    /// File that it came from, and its text as far as it is one.
    pub origin: String,
    pub label: String,
    pub batch: i64,
}

/// Whether a script may be restarted on the checkpoints that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The script itself fails before its queries run: Spark's text, and the script's line (1-based).
    Fails {
        message: String,
        line: Option<u32>,
    },
    /// No query is started.
    NoQuery,
    Queries(Vec<QueryVerdict>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryVerdict {
    /// Its name, or the beginning of its id.
    pub query: String,
    /// Folder of its checkpoint.
    pub checkpoint: String,
    /// The batch that it goes on with; 0 where the checkpoint is new.
    pub next_batch: i64,
    /// The batch is in the offset log already and runs again on the same offsets.
    pub again: bool,
    /// Why it does not go on: Spark's text.
    pub error: Option<String>,
}

/// One time that a sink was given a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The query's name, or the beginning of its id.
    pub query: String,
    /// "console", "parquet", "foreachBatch" ...
    pub sink: String,
    pub batch: i64,
    /// Number of the script's run in which it happened.
    pub run: u64,
    /// Rows that the sink took; None: it took none, because its log has the batch.
    pub rows: Option<i64>,
    /// The crash that followed in the same batch.
    pub crashed: Option<CrashPoint>,
    /// False: the crash came before the sink was given anything.
    pub delivered: bool,
}
