//! The exactly-once account: how often a sink was given the batch that a crash cut off, and what it took each time.

use super::Watch;
use crate::messages::{Attempt, CrashPoint};

/// Attempts that are remembered: a crash concerns the last ones only.
const LIMIT: usize = 64;

#[derive(Debug, Default)]
pub(in crate::workbench) struct Account {
    attempts: Vec<Attempt>,
    /// Number of the script's present run, from 1.
    run: u64,
    /// The query and batch that a crash cut off, until it is clear what became of it.
    torn: Option<(String, i64)>,
}

impl Account {
    pub(super) fn count_run(&mut self) {
        self.run += 1;
    }
}

impl Watch {
    /// A sink was given a batch.
    pub(in crate::workbench) fn delivered(&self, query: &str, sink: &str, batch: i64, rows: Option<i64>) {
        let mut account = self.account.borrow_mut();
        let run = account.run;
        let (query, sink) = (query.to_owned(), sink.to_owned());
        account.attempts.push(Attempt { query, sink, batch, run, rows, crashed: None, delivered: true });
        if account.attempts.len() > LIMIT {
            account.attempts.remove(0);
        }
    }

    /// The session was lost within a batch.
    pub(in crate::workbench) fn crashed(&self, query: &str, sink: &str, batch: i64, point: Option<CrashPoint>) {
        let mut account = self.account.borrow_mut();
        let run = account.run;
        account.torn = Some((query.to_owned(), batch));
        let of = |attempt: &&mut Attempt| attempt.query == query && attempt.batch == batch && attempt.run == run;
        if let Some(attempt) = account.attempts.iter_mut().rev().find(of) {
            attempt.crashed = point;
            return;
        }
        let (query, sink) = (query.to_owned(), sink.to_owned());
        account.attempts.push(Attempt { query, sink, batch, run, rows: None, crashed: point, delivered: false });
    }

    /// A batch is done: what became of the one that a crash cut off, if this one or one after it.
    pub(in crate::workbench) fn settled(&self, query: &str, batch: i64) -> Option<Vec<Attempt>> {
        let mut account = self.account.borrow_mut();
        let (torn_query, torn) = account.torn.clone()?;
        if torn_query != query || batch < torn {
            return None;
        }
        account.torn = None;
        let of = |attempt: &&Attempt| attempt.query == query && attempt.batch == torn;
        Some(account.attempts.iter().filter(of).cloned().collect())
    }
}
