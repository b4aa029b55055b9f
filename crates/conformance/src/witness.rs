//! Holds what is told of rows against what the operators count: every late row is told as such, and every row that comes
//! out comes from somewhere.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tidemark_protocol::engine::{BatchObservation, Course, Hop, QueryDescription, SparkError, StreamObserver};

/// Watches the batches of a case.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    /// What does not fit, in the order of the batches.
    pub(crate) findings: RefCell<Vec<String>>,
    /// Batches whose rows were all followed to the end, and batches in all.
    pub(crate) followed: RefCell<(usize, usize)>,
}

impl Witness {
    fn find(&self, batch: &BatchObservation, what: String) {
        self.findings.borrow_mut().push(format!("batch {} of {}: {what}", batch.batch_id, batch.query_id));
    }
}

impl StreamObserver for Witness {
    fn query_started(&self, _query: &QueryDescription) {}

    fn batch_committed(&self, batch: &BatchObservation) {
        let Some(trace) = &batch.trace else { return self.find(batch, "its rows were not followed".to_owned()) };
        let courses = || trace.courses.iter().chain(trace.news.iter().flat_map(|news| news.change.courses()));
        let mut unknown = BTreeSet::new();
        let mut out = BTreeSet::new();
        for course in courses() {
            each(course, &mut |hop| match hop {
                Hop::Unknown { reason } => drop(unknown.insert(reason.clone())),
                Hop::Out { row } => drop(out.insert(*row)),
                _ => {}
            });
        }
        if let Some(reason) = unknown.iter().find(|reason| reason.starts_with("the engine could not")) {
            self.find(batch, reason.clone());
        }
        self.followed.borrow_mut().1 += 1;
        if !unknown.is_empty() || !trace.complete {
            return;
        }
        self.followed.borrow_mut().0 += 1;
        for operator in &batch.operators {
            let told = operator.input_rows_dropped.unwrap_or(-1);
            let counted = operator.rows_dropped;
            // Rows are followed through the first run, Spark's counts are those of all runs.
            let most = told.saturating_mul(i64::try_from(batch.runs.max(1)).unwrap_or(i64::MAX));
            // Spark counts after partial aggregation: several late rows of one key are one.
            let merges = operator.name.ends_with("stateStoreSave") || operator.name.starts_with("sessionWindow");
            let fits = if merges || batch.runs > 1 {
                counted <= most && (counted == 0) == (told == 0)
            } else {
                counted == told
            };
            if !fits {
                self.find(batch, format!("{} {} dropped {counted}, told {told}", operator.name, operator.id));
            }
        }
        let total: usize = batch.output.iter().map(|rows| rows.num_rows()).sum();
        let explained = (0..total).filter(|row| out.contains(&Some(*row))).count();
        let vague = out.contains(&None);
        if explained < total && !vague && batch.operators.iter().all(|operator| !operator.name.starts_with("transform"))
        {
            self.find(batch, format!("{} of {total} rows come from nowhere", total - explained));
        }
    }

    fn idle(&self, _query_id: &str, _reason: &str) {}
    fn terminated(&self, _query_id: &str, _error: Option<&SparkError>) {}
}

fn each(course: &Course, look: &mut dyn FnMut(&Hop)) {
    course.hops.iter().for_each(&mut *look);
    for branch in &course.branches {
        each(branch, look);
    }
}
