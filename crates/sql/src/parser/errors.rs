//! ParseException: the text, the place, the SQL with a mark below it.

use std::sync::Arc;

use crate::error::{ErrorClass, SparkError};
use crate::expr::QueryContext;

/// Line from 1, column from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) position: usize,
    /// Bytes from the start of the text.
    pub(super) offset: usize,
}

pub(super) fn at(sql: &str, offset: usize) -> Place {
    let before = &sql[..offset];
    let line = before.matches('\n').count() + 1;
    let position = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    Place { line, position, offset }
}

/// An error with ` (line 1, pos 4)` and the `== SQL ==` block.
pub(super) fn located(mut error: SparkError, sql: &str, place: Place) -> SparkError {
    let mut shown = String::new();
    for (i, text) in sql.split('\n').enumerate() {
        shown.push_str(text);
        shown.push('\n');
        if i + 1 == place.line {
            shown.push_str(&"-".repeat(place.position));
            shown.push_str("^^^\n");
        }
    }
    error.context = format!(" (line {}, pos {})\n\n== SQL ==\n{shown}", place.line, place.position);
    error
}

/// The characters from `start` up to the byte `end` of a text, as errors point to them.
pub(super) fn fragment(sql: &Arc<str>, start: Place, end: usize) -> QueryContext {
    let chars = |bytes: usize| sql.get(..bytes).map_or(0, |before| before.chars().count());
    QueryContext::Sql {
        text: sql.clone(),
        line: start.line,
        position: start.position,
        start: chars(start.offset),
        stop: chars(end.max(start.offset + 1)).saturating_sub(1),
    }
}

/// PARSE_SYNTAX_ERROR: `what` is the token in quotes or "end of input"; the hint starts with ": ".
pub(super) fn syntax_error(sql: &str, place: Place, what: &str, hint: &str) -> SparkError {
    let error = SparkError::new(ErrorClass::Parse, "PARSE_SYNTAX_ERROR", &[("error", what), ("hint", hint)]);
    located(error, sql, place)
}
