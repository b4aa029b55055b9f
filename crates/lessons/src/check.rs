//! The small language in which lessons say what has to have happened.
//!
//! A condition is one line: `subject: test, test & subject: test`. All of it has to hold.
//!
//! | subject | tests |
//! |--|--|
//! | `batch 2`, `last batch`, `some batch`, `every batch`, each also `... of NAME` | `in`, `out`, `dropped` (as Spark counts), `late` (input rows), `filtered`, `state` (rows), `bytes`, `open`, `closed` (windows), `number`, each with `= != < <= > >=` and a number; `watermark`, `next` (the watermark after it) with a quoted UTC time or `none`; `data`, `no data`, `replayed`; `has "A | B"`, `lacks "A | B"` (neighbouring cells of an output row) |
//! | `batches`, `batches of NAME`, `queries` | an operator and a number |
//! | `query`, `query NAME` | `mode "Append"`, `trigger "Once"`, `sink "console"` (a part of the text), `active`, `ended`, `failed "text"` |
//! | `script` | `has "text"`, `lacks "text"` (what ran last), `finished`, `waits`, `failed "text"` |
//! | `console` | `has "text"`, `lacks "text"` |
//! | `file PATH` | `there`, `missing`; `files PATH` (how many lie below a folder) an operator and a number |
//!
//! `batch` without a name means the first query. PATH is below the working directory.

mod judge;
mod parse;

/// What has to have happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq)]
enum Clause {
    Batch { which: Which, query: Option<String>, tests: Vec<BatchTest> },
    Batches { query: Option<String>, count: Count },
    Queries(Count),
    Query { name: Option<String>, tests: Vec<QueryTest> },
    Script(Vec<ScriptTest>),
    Console(Vec<TextTest>),
    File { path: String, there: bool },
    Files { path: String, count: Count },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Number(i64),
    Last,
    Some,
    Every,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    operator: Operator,
    number: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    In,
    Out,
    Dropped,
    Late,
    Filtered,
    State,
    Bytes,
    Open,
    Closed,
    Number,
}

#[derive(Clone, Debug, PartialEq)]
enum BatchTest {
    Figure(Figure, Count),
    /// None: there is no watermark, or it has not moved yet.
    Watermark(Option<String>),
    NextWatermark(Option<String>),
    Data(bool),
    Replayed,
    Row {
        cells: Vec<String>,
        there: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
enum QueryTest {
    Mode(String),
    Trigger(String),
    Sink(String),
    Active,
    Ended,
    Failed(String),
}

#[derive(Clone, Debug, PartialEq)]
enum ScriptTest {
    Text(TextTest),
    Finished,
    Waits,
    Failed(String),
}

#[derive(Clone, Debug, PartialEq)]
struct TextTest {
    text: String,
    there: bool,
}
