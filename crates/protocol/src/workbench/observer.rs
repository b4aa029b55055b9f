//! Watches the queries of a session: reports of batches, each behind the commit that makes its files durable.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::SparkError;
use tidemark_sql::session::SqlSession;
use tidemark_streaming::api::{BatchObservation, QueryDescription, StreamObserver};
use tidemark_vfs::MemoryFs;

use super::fates::Book;
use super::ledger::Ledger;
use super::report;
use super::{Commit, Output};
use crate::messages::{Event, Stream};

/// Output rows that stay readable beside those in the reports; older batches go first.
const KEPT_ROWS: usize = 1_000_000;

/// The output of one batch.
pub(super) struct KeptBatch {
    pub(super) query: String,
    pub(super) batch: i64,
    pub(super) rows: Vec<RecordBatch>,
}

/// What the workbench and the callbacks of its session share.
pub(super) struct Shared {
    pub(super) fs: Arc<MemoryFs>,
    pub(super) ledger: RefCell<Ledger>,
    pub(super) kept: RefCell<VecDeque<KeptBatch>>,
    pub(super) book: RefCell<Book>,
    /// Files changed since the page was last given the tree.
    tree_is_old: Cell<bool>,
    out: Rc<dyn Fn(Output)>,
}

impl Shared {
    pub(super) fn new(fs: Arc<MemoryFs>, ledger: Ledger, out: Rc<dyn Fn(Output)>) -> Self {
        Self {
            fs,
            ledger: RefCell::new(ledger),
            kept: RefCell::default(),
            book: RefCell::default(),
            tree_is_old: Cell::new(false),
            out,
        }
    }

    pub(super) fn event(&self, event: Event) {
        (self.out)(Output::Event(event));
    }

    pub(super) fn print(&self, stream: Stream, text: &str) {
        self.ledger.borrow_mut().print(text);
        self.event(Event::Console { stream, text: text.to_owned() });
    }

    /// Hands over what changed since the last commit.
    pub(super) fn commit(&self) {
        let commit =
            Commit { clear: false, files: self.fs.take_journal(), records: self.ledger.borrow_mut().take_records() };
        let files_changed = !commit.files.is_empty();
        if files_changed || !commit.records.is_empty() {
            (self.out)(Output::Commit(commit));
        }
        self.tree_is_old.set(self.tree_is_old.get() || files_changed);
    }

    /// Whether the tree that the page has is older than a commit; once.
    pub(super) fn take_tree_is_old(&self) -> bool {
        self.tree_is_old.take()
    }

    /// Replaces everything that is stored by what is there now.
    pub(super) fn commit_anew(&self) {
        let records = self.ledger.borrow_mut().take_records();
        (self.out)(Output::Commit(Commit { clear: true, files: self.fs.take_journal(), records }));
    }

    fn keep(&self, batch: &BatchObservation) {
        let mut kept = self.kept.borrow_mut();
        kept.retain(|old| old.query != batch.query_id || old.batch != batch.batch_id);
        let rows = batch.output.clone();
        kept.push_back(KeptBatch { query: batch.query_id.clone(), batch: batch.batch_id, rows });
        let count = |kept: &VecDeque<KeptBatch>| -> usize {
            kept.iter().flat_map(|batch| &batch.rows).map(RecordBatch::num_rows).sum()
        };
        while kept.len() > 1 && count(&kept) > KEPT_ROWS {
            kept.pop_front();
        }
    }
}

/// The observer that the streaming session calls.
pub(super) struct Observer {
    pub(super) shared: Rc<Shared>,
    pub(super) session: Rc<SqlSession>,
}

impl StreamObserver for Observer {
    fn query_started(&self, query: &QueryDescription) {
        let info = report::query_info(query);
        self.shared.ledger.borrow_mut().query_started(&info);
        self.shared.event(Event::QueryStarted(info));
    }

    fn batch_committed(&self, batch: &BatchObservation) {
        let first = self.shared.ledger.borrow().next_arrival(&batch.query_id, batch.batch_id);
        let report = report::batch_report(batch, first, self.session.conf.borrow().time_zone());
        self.shared.ledger.borrow_mut().batch_committed(&report);
        self.shared.keep(batch);
        self.shared.book.borrow_mut().add(batch, first);
        self.shared.commit();
        self.shared.event(Event::Batch(Box::new(report)));
    }

    fn idle(&self, query_id: &str, reason: &str) {
        let clock_ms = self.session.clock.now_us().div_euclid(1000);
        self.shared.event(Event::Idle { query: query_id.to_owned(), clock_ms, reason: reason.to_owned() });
    }

    fn terminated(&self, query_id: &str, error: Option<&SparkError>) {
        let error = error.map(ToString::to_string);
        self.shared.event(Event::QueryTerminated { query: query_id.to_owned(), error });
    }
}
