//! The fate of rows: what the page asks about a row, and its story as facts. The page puts them into words.

use serde::{Deserialize, Serialize};

/// What the page wants to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FatesCommand {
    /// The story of a row; answered by [`FatesEvent::Told`].
    Tell { query: String, pick: Pick },
    /// The rows that the watermark dropped, over all batches; answered by [`FatesEvent::Dropped`].
    Dropped { query: String },
    /// Whether the rows of batches from the next on are followed: without it a batch costs nothing more.
    Follow { on: bool },
}

/// A row anywhere on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// An event by the batch that read it and its arrival number ([`crate::messages::EventMark`]).
    Event { batch: i64, arrival: u64 },
    /// A row of a batch's output, from 0.
    Output { batch: i64, row: usize },
    /// A row of state by the operator's number, its partition and the key as the state panel shows it.
    State { operator: usize, partition: usize, key: Vec<Option<String>> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FatesEvent {
    Told {
        query: String,
        pick: Pick,
        told: Told,
    },
    Dropped {
        query: String,
        /// Oldest first.
        rows: Vec<DroppedEvent>,
        /// Older ones that are not kept any more.
        lost: u64,
    },
    /// The answer has to be found by doing again what was done, in the background: so many commands of so many. The answers
    /// come when all are done.
    Recalling {
        done: usize,
        total: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Told {
    Event(Box<Story>),
    /// For a row of output or state: the events that made it.
    Behind(Box<Behind>),
    /// Nothing is known of the row, and why.
    Unknown {
        reason: String,
    },
}

/// Where a row was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// File and row in it, from 1.
    File {
        name: String,
        row: u64,
    },
    Kafka {
        topic: String,
        partition: i64,
        offset: i64,
    },
    /// Number of the row in what the source gave for the batch, from 1.
    Row {
        row: u64,
    },
}

/// An event as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRef {
    pub batch: i64,
    pub arrival: u64,
    pub event_time_us: Option<i64>,
    pub place: Place,
    /// The row, as JSON.
    pub row: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    pub event: EventRef,
    /// Number of the source in the query's description.
    pub source: usize,
    pub outcome: Outcome,
    /// A tree, parents before children: a row in two windows has two branches.
    pub steps: Vec<Step>,
}

/// How it stands with a row, over all its branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It came out of the query (or a row that it is part of did).
    Out,
    /// It is in the state, and something will come of it.
    Waiting,
    /// It is in the state and nothing will come out for it by itself.
    Held,
    Dropped,
    /// Late for one of its windows, not for another.
    PartlyDropped,
    Filtered,
    Duplicate,
    /// It left the state and nothing came out for it.
    Gone,
    /// Followed no further than the story says.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The batch in which it happened; of what is still to come the newest batch.
    pub batch: i64,
    pub depth: u8,
    pub fact: Fact,
}

/// A row of state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub operator: usize,
    /// The operator's name ("stateStoreSave" ...).
    pub name: String,
    pub partition: usize,
    /// Names and values of the key, as the state panel shows them.
    pub key: Vec<(String, Option<String>)>,
    /// Start and end, µs.
    pub window: Option<(i64, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    Read {
        place: Place,
        source: usize,
    },
    /// A condition, and whether the row passed it.
    Filter {
        condition: String,
        kept: bool,
    },
    /// Joined with rows that are no stream, so many times.
    Joined {
        rows: u64,
    },
    /// It came to a stateful operator; `side`: of a join.
    Met {
        entry: Entry,
        side: Option<String>,
        time_us: Option<i64>,
        late_watermark_ms: Option<i64>,
    },
    /// Refused: `boundary_us` (the window's end or the event time) <= the late-row watermark.
    Late {
        boundary_us: i64,
        watermark_us: i64,
        window: bool,
    },
    /// It is in the state; with others it may be one row there.
    Stored,
    /// The session grew, or became one with another.
    Merged {
        window: (i64, i64),
    },
    /// Another row with its key had come before.
    Duplicate,
    /// The first row with its key.
    First,
    /// It found a partner; `partner`: the other row, as JSON.
    Matched {
        partner: Option<String>,
    },
    /// It came out with nulls for the other side.
    NullRow,
    /// It was not kept for later rows: none of them could match.
    NotKept,
    /// Handed to the script's function together with the other rows of its key; `rows`: what the function put out for them.
    Called {
        rows: Option<u64>,
    },
    /// The function was called because the key's timeout had come.
    TimedOut {
        rows: Option<u64>,
    },
    /// More than the limit's rows were there before it.
    OverLimit {
        limit: u64,
    },
    /// What the operator has of the row went on, as one row.
    Emitted {
        watermark_ms: Option<i64>,
    },
    /// A row of the batch's output, from 0.
    Out {
        row: Option<u64>,
    },
    /// The state forgot it under this watermark; nothing came out.
    Removed {
        watermark_ms: Option<i64>,
    },
    /// It is up to the script's function whether its key stays in the state.
    ByScript,
    /// Still in the state.
    Waiting {
        /// It is finished at this input watermark of its operator, or by this time of the session's clock; None: never.
        due_ms: Option<i64>,
        by_clock: bool,
        /// The operator's input watermark in the next batch.
        watermark_ms: i64,
        /// How far that is behind the query's watermark.
        behind_ms: i64,
        /// Whether a row comes out then.
        emits: bool,
        needs: Vec<Need>,
        /// One of the needs is enough.
        any: bool,
        /// The watermark is there: the next trigger finishes it.
        next_trigger: bool,
    },
    /// Not followed any further, and why.
    Unknown {
        reason: String,
    },
}

/// What would move the watermark far enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// An event at or after this time ...
    pub at_us: i64,
    /// ... in one of these sources, by their numbers.
    pub sources: Vec<usize>,
    /// The watermark's column and delay.
    pub column: String,
    pub delay_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behind {
    /// The row of state; None for a row of output that is no state's.
    pub entry: Option<Entry>,
    /// What is still to come of a row of state.
    pub waiting: Option<Fact>,
    /// Oldest first.
    pub events: Vec<EventRef>,
    /// Still older ones.
    pub more: u64,
}

/// A row in the tray: an event, or a row that an operator made of several, refused by one operator for one window (or for its
/// event time).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedEvent {
    /// The batch in which it was refused.
    pub batch: i64,
    /// The event; of a made row the newest one in it.
    pub event: EventRef,
    /// None: the row is the event itself.
    pub made: Option<Made>,
    pub operator: usize,
    pub operator_name: String,
    pub window: Option<(i64, i64)>,
    /// What was compared: the window's end or the event time, µs.
    pub boundary_us: i64,
    /// The late-row watermark of the batch, µs.
    pub watermark_us: i64,
}

/// A row that an operator made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The row of state that it came from.
    pub entry: Entry,
    /// Events in it; 0: they are not known.
    pub events: u64,
}

/// One stateful operator in a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorReport {
    /// Its number in the checkpoint's state folder.
    pub id: usize,
    pub name: String,
    /// Rows at or before it were late; None: no watermark reaches the operator. 0: none is set yet.
    pub late_watermark_ms: Option<i64>,
    /// State at or before it was finished.
    pub eviction_watermark_ms: Option<i64>,
    pub rows_total: i64,
    pub rows_updated: i64,
    pub rows_removed: i64,
    /// Spark's numRowsDroppedByWatermark: counted after partial aggregation, where there is one.
    pub rows_dropped: i64,
    /// Rows of the operator's input that these stand for; None: not all rows of the batch were followed.
    pub input_rows_dropped: Option<i64>,
}
