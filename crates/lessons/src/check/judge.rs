//! Conditions on a run.

use chrono::DateTime;
use tidemark_protocol::messages::{BatchKind, BatchReport, Fate, ScriptState};

use super::{BatchTest, Clause, Condition, Count, Figure, Operator, QueryTest, ScriptTest, TextTest, Which};
use crate::run::{QueryRun, QueryState, Run};

/// The working directory of scripts.
const CWD: &str = "/workspace";

impl Condition {
    /// Whether all of it has happened.
    pub fn holds(&self, run: &Run) -> bool {
        self.clauses.iter().all(|clause| clause.holds(run))
    }
}

impl Clause {
    fn holds(&self, run: &Run) -> bool {
        match self {
            Clause::Batch { which, query, tests } => {
                let Some(query) = find(run, query.as_deref()) else { return false };
                let passes = |batch: &&BatchReport| tests.iter().all(|test| test.holds(batch, query.replayed));
                match which {
                    Which::Number(number) => query.batches.iter().any(|batch| batch.batch == *number && passes(batch)),
                    Which::Last => query.batches.last().is_some_and(passes),
                    Which::Some => query.batches.iter().any(passes),
                    Which::Every => !query.batches.is_empty() && query.batches.iter().all(passes),
                }
            }
            Clause::Batches { query, count } => {
                count.holds(find(run, query.as_deref()).map_or(0, |query| query.batches.len()))
            }
            Clause::Queries(count) => count.holds(run.queries.len()),
            Clause::Query { name, tests } => {
                find(run, name.as_deref()).is_some_and(|query| tests.iter().all(|test| test.holds(query)))
            }
            Clause::Script(tests) => tests.iter().all(|test| test.holds(run)),
            Clause::Console(tests) => tests.iter().all(|test| test.holds(&run.console)),
            Clause::File { path, there } => {
                let path = format!("{CWD}/{path}");
                run.files.iter().any(|file| file.path == path) == *there
            }
            Clause::Files { path, count } => {
                let folder = format!("{CWD}/{path}/");
                count.holds(run.files.iter().filter(|file| !file.is_dir && file.path.starts_with(&folder)).count())
            }
        }
    }
}

/// By name; None: the first.
fn find<'r, 'a>(run: &'r Run<'a>, name: Option<&str>) -> Option<&'r QueryRun<'a>> {
    run.queries.iter().find(|query| name.is_none() || query.info.name.as_deref() == name)
}

impl Count {
    fn holds(self, value: impl TryInto<i64>) -> bool {
        let Ok(value) = value.try_into() else { return false };
        match self.operator {
            Operator::Equal => value == self.number,
            Operator::NotEqual => value != self.number,
            Operator::Less => value < self.number,
            Operator::AtMost => value <= self.number,
            Operator::More => value > self.number,
            Operator::AtLeast => value >= self.number,
        }
    }
}

impl BatchTest {
    fn holds(&self, batch: &BatchReport, replayed: &[i64]) -> bool {
        match self {
            BatchTest::Figure(figure, count) => figure.of(batch).is_some_and(|value| count.holds(value)),
            BatchTest::Watermark(time) => shown(batch.watermark_ms) == *time,
            BatchTest::NextWatermark(time) => shown(batch.next_watermark_ms) == *time,
            BatchTest::Data(data) => (batch.kind == BatchKind::Data) == *data,
            BatchTest::Replayed => replayed.contains(&batch.batch),
            BatchTest::Row { cells, there } => {
                let has = |row: &Vec<Option<String>>| {
                    row.windows(cells.len()).any(|part| {
                        part.iter().zip(cells).all(|(cell, wanted)| cell.as_deref().unwrap_or("NULL") == wanted)
                    })
                };
                batch.output.rows.iter().any(has) == *there
            }
        }
    }
}

impl Figure {
    fn of(self, batch: &BatchReport) -> Option<i64> {
        let events = |wanted: fn(&Fate) -> bool| batch.events.iter().filter(|event| wanted(&event.fate)).count();
        let windows = |closed: bool| batch.windows.iter().filter(|window| window.closed == closed).count();
        let count = match self {
            Figure::In => return Some(batch.input_rows),
            Figure::Dropped => return Some(batch.dropped_rows),
            Figure::State => return Some(batch.state_rows),
            Figure::Bytes => return Some(batch.state_bytes),
            Figure::Number => return Some(batch.batch),
            Figure::Out => batch.output.total,
            Figure::Late => events(|fate| matches!(fate, Fate::Dropped { .. })),
            Figure::Filtered => events(|fate| matches!(fate, Fate::Filtered)),
            Figure::Open => windows(false),
            Figure::Closed => windows(true),
        };
        i64::try_from(count).ok()
    }
}

/// A watermark as conditions write it; Spark's first one, the epoch, counts as none.
fn shown(watermark_ms: Option<i64>) -> Option<String> {
    let time = DateTime::from_timestamp_millis(watermark_ms.filter(|ms| *ms != 0)?)?;
    Some(time.format("%Y-%m-%d %H:%M:%S%.f").to_string())
}

impl QueryTest {
    fn holds(&self, query: &QueryRun) -> bool {
        match self {
            QueryTest::Mode(mode) => query.info.output_mode.eq_ignore_ascii_case(mode),
            QueryTest::Trigger(part) => query.info.trigger.contains(part.as_str()),
            QueryTest::Sink(part) => query.info.sink.to_lowercase().contains(&part.to_lowercase()),
            QueryTest::Active => query.state == QueryState::Active,
            QueryTest::Ended => query.state == QueryState::Ended,
            QueryTest::Failed(text) => {
                matches!(query.state, QueryState::Failed(error) if error.contains(text.as_str()))
            }
        }
    }
}

impl ScriptTest {
    fn holds(&self, run: &Run) -> bool {
        match (self, run.script_state) {
            (ScriptTest::Text(test), _) => test.holds(run.script),
            (ScriptTest::Finished, Some(ScriptState::Finished))
            | (ScriptTest::Waits, Some(ScriptState::Parked { .. })) => true,
            (ScriptTest::Failed(text), Some(ScriptState::Failed { traceback, .. })) => {
                traceback.contains(text.as_str())
            }
            _ => false,
        }
    }
}

impl TextTest {
    fn holds(&self, text: &str) -> bool {
        text.contains(self.text.as_str()) == self.there
    }
}
