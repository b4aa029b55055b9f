//! What can be asked of a running query beside its batches: rows of state in any version, and the plan.

/// What of an operator's state is asked for.
#[derive(Clone, Debug, Default)]
pub struct StateRequest {
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

/// Rows `offset .. offset + limit` of those that fit, section by section and partition by partition, in the store's order.
#[derive(Clone, Debug, Default)]
pub struct StatePage {
    /// The batch that left the state like this.
    pub batch: i64,
    /// All stores of the operator by Spark's names.
    pub stores: Vec<String>,
    pub sections: Vec<StateSection>,
    /// Rows that fit the request.
    pub total: usize,
    pub rows: Vec<StateRowView>,
}

/// The rows of one store: both sides of a join are two.
#[derive(Clone, Debug, Default)]
pub struct StateSection {
    /// "left", "right"; empty where there is only one.
    pub name: String,
    /// Name and simple type string.
    pub key: Vec<(String, String)>,
    pub value: Vec<(String, String)>,
    /// How a row leaves the state, as a sentence.
    pub rule: String,
    /// Nothing ever takes a row out.
    pub unbounded: bool,
    /// Rows after the batch.
    pub held: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// The version before is there too, so that the three figures above are known.
    pub compared: bool,
}

impl StateSection {
    /// Counts what the batch did to one more row.
    pub(crate) fn count(&mut self, mark: &RowMark) {
        match mark {
            RowMark::Held => {}
            RowMark::Added => self.added += 1,
            RowMark::Changed(_) => self.changed += 1,
            RowMark::Removed => self.removed += 1,
        }
    }
}

/// What the batch did to a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowMark {
    #[default]
    Held,
    Added,
    /// The value cells before it.
    Changed(Vec<Option<String>>),
    Removed,
}

#[derive(Clone, Debug, Default)]
pub struct StateRowView {
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
#[derive(Clone, Debug, Default)]
pub struct PlanDescription {
    /// Node 0 is the sink; parents stand before their children.
    pub nodes: Vec<PlanNode>,
    /// The node of each source, as the query numbers them.
    pub sources: Vec<usize>,
    pub joins: Vec<JoinRange>,
    /// explain(extended) of the last batch.
    pub explain: String,
}

#[derive(Clone, Debug, Default)]
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
    /// How rows leave its state, once a batch has been planned; an entry a side.
    pub rules: Vec<String>,
    /// Nothing ever evicts (some of) its state.
    pub unbounded: bool,
    /// What people should know of its event time.
    pub hint: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanColumn {
    pub name: String,
    pub data_type: String,
    /// Delay of the watermark that it carries, ms; None: it is no event time.
    pub delay_ms: Option<i64>,
}

/// Which rows of two streams can meet in a stream-stream join.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
