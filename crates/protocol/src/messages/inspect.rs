//! Looking into a query: rows of its state in any version, and its plan.

use serde::{Deserialize, Serialize};

use super::Column;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InspectCommand {
    /// Answered by [`InspectEvent::State`].
    State(StateRequest),
    /// Answered by [`InspectEvent::Plan`]. `recall`: also of a session that is over, which is then built again.
    Plan { query: String, recall: bool },
}

impl InspectCommand {
    pub fn query(&self) -> &str {
        match self {
            Self::State(request) => &request.query,
            Self::Plan { query, .. } => query,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum InspectEvent {
    State(StateReport),
    /// The state asked for cannot be shown: its files are gone, or its session is not remembered.
    NoState {
        request: StateRequest,
        message: String,
    },
    Plan(PlanReport),
}

/// What of an operator's state is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateRequest {
    pub query: String,
    pub operator: usize,
    /// One of the operator's stores by Spark's name; None: those that hold its rows.
    pub store: Option<String>,
    pub partition: Option<usize>,
    /// The state as this batch left it; None: the newest.
    pub batch: Option<i64>,
    /// Only rows that the batch added, changed or removed.
    pub changes_only: bool,
    /// Only rows with a cell that contains this, in either case; empty: all.
    pub filter: String,
    pub offset: usize,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    pub request: StateRequest,
    /// The batch that left the state like this.
    pub batch: i64,
    /// All stores of the operator by Spark's names.
    pub stores: Vec<String>,
    pub sections: Vec<StateSection>,
    /// Rows that fit the request; `rows` are those from its offset on.
    pub total: usize,
    pub rows: Vec<StateRow>,
}

/// The rows of one store: both sides of a join are two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateSection {
    /// "left", "right"; empty where there is only one.
    pub name: String,
    pub key: Vec<Column>,
    pub value: Vec<Column>,
    /// How a row leaves the state, as a sentence.
    pub rule: String,
    /// Nothing ever takes a row out.
    pub unbounded: bool,
    /// Rows after the batch.
    pub held: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// The three figures above are known: the version before is there, too.
    pub compared: bool,
}

/// What the batch did to a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowMark {
    Held,
    Added,
    /// The value cells before it.
    Changed(Vec<Option<String>>),
    Removed,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateRow {
    /// Index of its section.
    pub section: usize,
    pub partition: usize,
    pub key: Vec<Option<String>>,
    pub value: Vec<Option<String>>,
    pub mark: RowMark,
    /// "evicted when the watermark reaches 2026-02-14 10:01:00"; None: never.
    pub expiry: Option<String>,
}

/// The analysed plan of a query under its sink.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanReport {
    pub query: String,
    /// Node 0 is the sink; parents stand before their children.
    pub nodes: Vec<PlanNode>,
    /// The node of each source, as the query numbers them.
    pub sources: Vec<usize>,
    pub joins: Vec<JoinRange>,
    /// explain(extended) of the last batch; empty before the first.
    pub explain: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Spark's name of the node ("Aggregate").
    pub name: String,
    /// Spark's line for the node.
    pub text: String,
    /// What matters of it, short: keys, a condition, a folder.
    pub brief: String,
    pub children: Vec<usize>,
    pub output: Vec<PlanColumn>,
    /// False: the same rows in every batch (a static side).
    pub streaming: bool,
    /// It keeps rows between batches.
    pub stateful: bool,
    /// Its id among the stateful operators, once a batch has been planned.
    pub operator: Option<usize>,
    /// How rows leave its state; an entry a side.
    pub rules: Vec<String>,
    /// Nothing ever evicts (some of) its state.
    pub unbounded: bool,
    /// What people should know of its event time.
    pub hint: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanColumn {
    pub name: String,
    /// Spark's simple string.
    pub data_type: String,
    /// Delay of the watermark that it carries, ms; None: it is no event time.
    pub delay_ms: Option<i64>,
}

/// Which rows of two streams can meet in a stream-stream join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinRange {
    pub operator: usize,
    /// Sources below either side, by their numbers.
    pub left: Vec<usize>,
    pub right: Vec<usize>,
    /// A right row's event time is at least the left row's plus this, µs; None: no such bound.
    pub lower_us: Option<i64>,
    /// ... and at most the left row's plus this, µs.
    pub upper_us: Option<i64>,
}
