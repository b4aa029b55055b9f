//! The fate of rows: what every operator of a batch made of each source row, and of the rows of its state.
//!
//! Operators note what they do while they run ([`notes`]), and judge rows by the same tests afterwards (`judge` of the
//! stateful nodes). Which rows come to them is found by running the stateless parts of the plan once more over the
//! batch's rows with a number beside each ([`lineage`]). Functions of the script are never called a second time: where
//! one decides, a row is followed no further and says so. Nothing of this happens unless an observer asks for it.

mod follow;
mod lineage;
pub(crate) mod notes;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use follow::{Followed, follow};

/// What became of the rows of one batch.
#[derive(Clone, Debug, Default)]
pub struct BatchTrace {
    /// By position among the batch's events.
    pub courses: Vec<Course>,
    /// What happened to rows of state, in the order of the operators that the rows come to first.
    pub news: Vec<News>,
    pub operators: Vec<OperatorRule>,
    pub marks: Vec<Mark>,
    /// Rows that each operator refused as late, where there are any.
    pub late: BTreeMap<usize, i64>,
    /// Those among them that an operator had made.
    pub late_rows: Vec<LateRow>,
    /// spark.sql.streaming.multipleWatermarkPolicy is max: one of the marks is enough.
    pub any_mark: bool,
    /// The query's watermark for the next batch, ms.
    pub next_watermark_ms: i64,
    /// Every row of the batch was followed.
    pub complete: bool,
}

/// A row that one operator made and a later one refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateRow {
    /// The rows of state that it came from: two for a row of a join.
    pub of: Vec<EntryId>,
    pub meeting: Meeting,
}

/// The way of one row through the plan, from a source or an operator to the next operators and the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    pub hops: Vec<Hop>,
    /// Where it became several rows (two windows, several partners): the way of each.
    pub branches: Vec<Course>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// A condition, and whether the row passed it.
    Filter {
        condition: String,
        kept: bool,
    },
    /// Rows without a stream were joined to it: so many rows came of it.
    Joined {
        rows: usize,
    },
    Met(Box<Meeting>),
    /// Position in the batch's output; None: it cannot be told from other rows.
    Out {
        row: Option<usize>,
    },
    /// Not followed any further, and why.
    Unknown {
        reason: String,
    },
}

/// A row before a stateful operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub entry: Entry,
    /// Name of the join's side.
    pub side: Option<&'static str>,
    /// What is compared with the late-row watermark: the end of the window or the event time, µs.
    pub time_us: Option<i64>,
    /// None: the operator drops no late rows.
    pub late_watermark_ms: Option<i64>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `time_us` is at or before the late-row watermark.
    Late {
        window: bool,
    },
    /// It is in the state, alone or as part of a row there.
    Stored,
    /// The first row of its key: goes on, and the key is remembered.
    First,
    Duplicate,
    /// Within the limit: goes on.
    Within,
    OverLimit {
        limit: usize,
    },
    /// Not kept for later partners: none could match.
    NotKept,
    /// Given to the script's function with the other rows of its key.
    Called,
}

impl Verdict {
    /// Whether the very row goes on in the same batch.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Self::First | Self::Within)
    }
}

/// Identity of a row of state as long as it is the same row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId {
    pub operator: usize,
    pub bytes: Arc<[u8]>,
}

/// A row of state as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: EntryId,
    pub name: String,
    pub partition: usize,
    /// Names and texts of the key's columns.
    pub key: Vec<(String, Option<String>)>,
    /// Start and end, µs.
    pub window: Option<(i64, i64)>,
    /// The operator's eviction watermark that finishes it, ms; None: none does.
    pub due: Due,
    /// Whether finishing it gives a row.
    pub emits: bool,
}

/// When a row of state is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Never,
    /// At this input watermark of the operator, ms.
    Watermark(i64),
    /// When the session's clock has passed this time, ms.
    Clock(i64),
    /// When the script's function says so.
    Script,
}

/// What happened to a row of state in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    pub entry: EntryId,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It came out as one row; that row's way on.
    Emitted { course: Course },
    /// It left the state; `watermark_ms` is the eviction watermark that it was at or before.
    Removed { watermark_ms: i64 },
    /// A session: it reaches to these bounds now.
    Grown(Box<Entry>),
    /// A session that became part of another.
    Merged(Box<Entry>),
    /// A row of a join found a partner (as JSON); the joined row's way on.
    Matched { partner: String, course: Course },
    /// A row of a semi join left the state with its match.
    Taken,
    /// A row of a join came out with nulls.
    NullRow { course: Course },
    /// The function of the script was called for the key: the rows that it gave.
    Called { timed_out: bool, due: Due, courses: Vec<Course> },
}

/// One operator, for working out what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorRule {
    pub id: usize,
    pub name: String,
    /// The query's watermark minus the operator's input watermark, ms; None: no watermark comes to it.
    pub behind_ms: Option<i64>,
}

/// A withWatermark of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub column: String,
    pub delay_ms: i64,
    /// What it gives now, ms: greatest event time minus delay; None: nothing has passed yet.
    pub watermark_ms: Option<i64>,
    /// Sources below it, by their place in the query's description.
    pub sources: Vec<usize>,
}

/// Where a source row was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// File name, and the row's number in it, from 1.
    File {
        name: String,
        row: usize,
    },
    Kafka {
        topic: String,
        partition: i64,
        offset: i64,
    },
    /// Number in the batch's rows of the source, from 1.
    Row {
        row: usize,
    },
}

impl Change {
    /// The ways of the rows that came of it.
    pub fn courses(&self) -> &[Course] {
        match self {
            Self::Emitted { course } | Self::Matched { course, .. } | Self::NullRow { course } => {
                std::slice::from_ref(course)
            }
            Self::Called { courses, .. } => courses,
            Self::Removed { .. } | Self::Taken | Self::Grown(_) | Self::Merged(_) => &[],
        }
    }
}

impl Course {
    /// Whether it could not be followed to any operator.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.branches.is_empty()
            && !self.hops.iter().any(|hop| matches!(hop, Hop::Met(_)))
            && self.hops.iter().any(|hop| matches!(hop, Hop::Unknown { .. }))
    }
}
