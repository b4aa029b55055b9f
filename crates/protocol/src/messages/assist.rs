//! Help beside the session: what is wrong with a script before it runs, results as files, the zone that times are shown in.

use serde::{Deserialize, Serialize};

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AssistCommand {
    /// Answered by [`AssistEvent::Checked`] with the same `edit`.
    Check { edit: u64, text: String },
    /// All rows of a batch's output as a file; answered by [`AssistEvent::Exported`].
    Export { query: String, batch: i64, format: ResultFormat },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AssistEvent {
    /// What is certainly wrong with the text of an edit.
    Checked { edit: u64, problems: Vec<Problem> },
    Exported {
        /// "counts-batch-3.json".
        name: String,
        #[serde(with = "serde_bytes")]
        content: Vec<u8>,
    },
    /// spark.sql.session.timeZone, whenever it is another one.
    Zone(String),
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultFormat {
    /// One object a line, as Spark's JSON writer has it.
    Json,
    /// With a header; cells as `show(truncate=False)` prints them, null is empty.
    Csv,
}

impl ResultFormat {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// A place in a script and what is wrong there; offsets in UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub from: u32,
    pub to: u32,
    pub message: String,
}
