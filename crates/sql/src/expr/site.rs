//! Where expressions were written and under which session zone they were analysed.

use std::sync::Arc;

use crate::error::SparkError;
use crate::functions::datetime::zone::Zone;

/// Where an expression stands (Catalyst's Origin).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// From 1; 0 for an expression that was not written as SQL text.
    pub line: usize,
    /// Column, from 0.
    pub position: usize,
    /// The whole text of an expression that was given as text (F.expr): what the Column prints.
    pub text: Option<Arc<str>>,
    /// What the errors of its evaluation show.
    pub context: Option<QueryContext>,
}

/// The part of the query that an error points to (SQLQueryContext, DataFrameQueryContext).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryContext {
    /// Characters `start` to `stop` (inclusive) of a SQL text.
    Sql { text: Arc<str>, line: usize, position: usize, start: usize, stop: usize },
    /// A method of the DataFrame API and the place of its call.
    DataFrame { fragment: Arc<str>, call_site: Arc<str> },
}

/// Text shown on each side of a fragment at most.
const EXTRA: usize = 32;

impl QueryContext {
    /// The block that error texts end with (QueryContext.summary), with a line break before it.
    pub fn summary(&self) -> String {
        let (text, line, position, start, stop) = match self {
            QueryContext::DataFrame { fragment, call_site } => {
                return format!("\n== DataFrame ==\n\"{fragment}\" was called from\n{call_site}\n");
            }
            QueryContext::Sql { text, line, position, start, stop } => (text, line, position, *start, *stop),
        };
        let chars: Vec<char> = text.chars().collect();
        let start = start.min(chars.len());
        let stop = stop.min(chars.len().saturating_sub(1));
        let mut from = chars[..start].iter().rposition(|c| *c == '\n').map_or(0, |at| at + 1);
        let cut_before = start - from > EXTRA;
        if cut_before {
            from = start - EXTRA;
        }
        let mut to = chars[stop..].iter().position(|c| *c == '\n').map_or(chars.len(), |at| stop + at);
        let cut_after = to - stop > EXTRA;
        if cut_after {
            to = (stop + EXTRA + 1).min(chars.len());
        }
        let shown: String = chars[from..to].iter().collect();
        let shown = format!("{}{shown}{}", if cut_before { "..." } else { "" }, if cut_after { "..." } else { "" });
        // May be before the text by the dots.
        let mut at = from as i64 - if cut_before { 3 } else { 0 };
        let mut out = format!("\n== SQL (line {line}, position {}) ==\n", position + 1);
        for row in shown.split('\n') {
            out.push_str(row);
            out.push('\n');
            for _ in row.chars() {
                if at < start as i64 {
                    out.push(' ');
                } else if at <= stop as i64 {
                    out.push('^');
                }
                at += 1;
            }
            out.push('\n');
            at += 1;
        }
        out
    }
}

/// What an expression keeps of its analysis. Two expressions that differ only in this are equal.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The session zone of the analysis (TimeZoneAwareExpression); None: that of the evaluation.
    pub zone: Option<Arc<(String, Zone)>>,
    pub origin: Option<Arc<Origin>>,
}

impl PartialEq for Site {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Site {
    /// An error of the expression's evaluation with the part of the query that it comes from.
    pub fn locate(&self, error: SparkError) -> SparkError {
        let Some(origin) = &self.origin else { return error };
        match &origin.context {
            Some(context) if error.has_query_context() && error.context.is_empty() => {
                error.with_context(context.summary()).with_place(context)
            }
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_underlined_and_long_lines_are_cut() {
        let text = "SELECT a[5] + 1 FROM VALUES (array(1)) t(a)";
        let context = QueryContext::Sql { text: text.into(), line: 1, position: 7, start: 7, stop: 10 };
        assert_eq!(context.summary(), format!("\n== SQL (line 1, position 8) ==\n{text}...\n       ^^^^\n"));
        let second =
            QueryContext::Sql { text: "SELECT 1,\n  a / b\nFROM t".into(), line: 2, position: 2, start: 12, stop: 16 };
        assert_eq!(second.summary(), "\n== SQL (line 2, position 3) ==\n  a / b\n  ^^^^^\n");
    }
}
