//! The named scripts of a workspace, and its past runs.

use serde::{Deserialize, Serialize};

/// What the page does to scripts. Names are as files have them; the worker refuses those that are taken or no names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScriptsCommand {
    /// Shows another one.
    Open {
        name: String,
    },
    /// Makes one and shows it.
    New {
        name: String,
        text: String,
    },
    Rename {
        from: String,
        to: String,
    },
    /// The last one cannot go.
    Delete {
        name: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScriptsEvent {
    Names {
        current: String,
        /// All, sorted.
        names: Vec<String>,
        /// The text of the current one, when it is another than before.
        text: Option<String>,
    },
    /// All past runs, oldest first.
    Runs(Vec<PastRun>),
    /// A run has started or went on: takes the place of the one with its number.
    Ran(PastRun),
}

/// One run of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastRun {
    /// Counted from 1 over the life of the workspace.
    pub number: u64,
    /// The session's clock at its start, ms.
    pub clock_ms: i64,
    pub script: String,
    /// The script's text.
    pub text: String,
    pub outcome: RunOutcome,
}

/// How a run stands, or how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunOutcome {
    Running,
    /// Waits in this call; its queries run.
    Waiting {
        call: String,
    },
    Finished,
    /// The last line of the traceback.
    Failed {
        message: String,
    },
    /// The session was dropped under it: a crash, an interrupt, a closed tab.
    CutOff,
}

impl RunOutcome {
    /// True while its session lives.
    pub fn is_open(&self) -> bool {
        matches!(self, RunOutcome::Running | RunOutcome::Waiting { .. })
    }
}
