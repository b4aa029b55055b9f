//! What has run, as conditions see it.

use tidemark_protocol::messages::{BatchReport, FileEntry, QueryInfo, ScriptState};

/// The workspace as it stands.
#[derive(Clone, Debug, Default)]
pub struct Run<'a> {
    /// The text that ran last; empty before the first run.
    pub script: &'a str,
    pub script_state: Option<&'a ScriptState>,
    /// What the last run printed.
    pub console: String,
    /// In the order of their start.
    pub queries: Vec<QueryRun<'a>>,
    pub files: &'a [FileEntry],
}

#[derive(Clone, Debug)]
pub struct QueryRun<'a> {
    pub info: &'a QueryInfo,
    pub state: QueryState<'a>,
    /// In the order of their numbers.
    pub batches: Vec<&'a BatchReport>,
    /// Numbers of the batches that ran again after a crash or a restart.
    pub replayed: &'a [i64],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryState<'a> {
    Active,
    /// Stopped, or its session is gone.
    Ended,
    Failed(&'a str),
}
