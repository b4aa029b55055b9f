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
use super::files;
use super::ledger::Ledger;
use super::replay::{Frozen, Watch};
use super::report;
use super::{Commit, Output};
use crate::messages::{Event, ReplayEvent, Stream};

/// Output rows that stay readable beside those in the reports; older batches go first.
const KEPT_ROWS: usize = 1_000_000;

/// Prints of one command that go out at once; those after them may wait for each other.
const QUICK_PRINTS: u32 = 200;
/// Text waits no longer than this, ms, if something is printed then.
const PRINT_PAUSE_MS: i64 = 50;
/// And never more of it than this, bytes.
const PRINT_BYTES: usize = 64 * 1024;

/// Milliseconds from any origin.
pub(super) type Stopwatch = Rc<dyn Fn() -> i64>;

/// Printed text that waits: a message for each of a million lines would leave the page no time for anything else.
#[derive(Default)]
struct Printed {
    waiting: Option<(Stream, String)>,
    prints: u32,
    sent_ms: i64,
}

/// The output of one batch.
#[derive(Clone)]
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
    /// Whether rows are followed.
    pub(super) follow: Cell<bool>,
    /// Files changed since the page was last given the tree.
    tree_is_old: Cell<bool>,
    printed: RefCell<Printed>,
    /// Without one all text goes out at once.
    stopwatch: Option<Stopwatch>,
    pub(super) watch: Watch,
    out: RefCell<Rc<dyn Fn(Output)>>,
}

impl Shared {
    pub(super) fn new(
        fs: Arc<MemoryFs>,
        ledger: Ledger,
        stopwatch: Option<Stopwatch>,
        out: Rc<dyn Fn(Output)>,
    ) -> Self {
        Self {
            fs,
            ledger: RefCell::new(ledger),
            kept: RefCell::default(),
            book: RefCell::default(),
            follow: Cell::new(true),
            tree_is_old: Cell::new(false),
            printed: RefCell::default(),
            stopwatch,
            watch: Watch::default(),
            out: RefCell::new(out),
        }
    }

    pub(super) fn out(&self) -> Rc<dyn Fn(Output)> {
        self.out.borrow().clone()
    }

    pub(super) fn set_out(&self, out: Rc<dyn Fn(Output)>) {
        *self.out.borrow_mut() = out;
    }

    pub(super) fn event(&self, event: Event) {
        if !self.watch.is_frozen() {
            self.flush_print();
            (self.out())(Output::Event(event));
        }
    }

    /// Text that waits goes out.
    fn flush_print(&self) {
        let waiting = self.printed.borrow_mut().waiting.take();
        if let Some((stream, text)) = waiting {
            (self.out())(Output::Event(Event::Console { stream, text }));
        }
    }

    /// A command begins: its first prints are seen at once.
    pub(super) fn begin_prints(&self) {
        self.printed.borrow_mut().prints = 0;
    }

    pub(super) fn print(&self, stream: Stream, text: &str) {
        if self.watch.is_frozen() {
            return;
        }
        self.ledger.borrow_mut().print(text);
        if self.printed.borrow().waiting.as_ref().is_some_and(|(other, _)| *other != stream) {
            self.flush_print();
        }
        let flush = {
            let mut printed = self.printed.borrow_mut();
            let (_, waiting) = printed.waiting.get_or_insert_with(|| (stream, String::new()));
            waiting.push_str(text);
            let full = waiting.len() >= PRINT_BYTES;
            printed.prints = printed.prints.saturating_add(1);
            match &self.stopwatch {
                _ if full || printed.prints <= QUICK_PRINTS => true,
                None => true,
                Some(read) => {
                    let now_ms = read();
                    let due = now_ms - printed.sent_ms >= PRINT_PAUSE_MS;
                    if due {
                        printed.sent_ms = now_ms;
                    }
                    due
                }
            }
        };
        if flush {
            self.flush_print();
        }
    }

    /// Hands over what changed since the last commit.
    pub(super) fn commit(&self) {
        if self.watch.is_frozen() {
            return;
        }
        let commit =
            Commit { clear: false, files: self.fs.take_journal(), records: self.ledger.borrow_mut().take_records() };
        let files_changed = !commit.files.is_empty();
        if files_changed || !commit.records.is_empty() {
            (self.out())(Output::Commit(commit));
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
        (self.out())(Output::Commit(Commit { clear: true, files: self.fs.take_journal(), records }));
        self.watch.set_laid();
    }

    /// The same, of a tree whose changes went nowhere.
    pub(super) fn commit_everything(&self) {
        self.fs.take_journal();
        let records = self.ledger.borrow_mut().take_records();
        (self.out())(Output::Commit(Commit { clear: true, files: files::all(&self.fs), records }));
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
        if self.shared.watch.is_frozen() {
            return;
        }
        let info = report::query_info(query);
        self.shared.ledger.borrow_mut().query_started(&info);
        self.shared.event(Event::QueryStarted(info));
    }

    fn batch_delivered(&self, query: &QueryDescription, batch_id: i64, rows: Option<i64>) {
        self.shared.watch.delivered(&query.id, &query.sink, batch_id, rows);
    }

    fn batch_committed(&self, batch: &BatchObservation) {
        if self.shared.watch.is_frozen() {
            return;
        }
        let first = self.shared.ledger.borrow().next_arrival(&batch.query_id, batch.batch_id);
        let report = report::batch_report(batch, first, self.session.conf.borrow().time_zone());
        self.shared.ledger.borrow_mut().batch_committed(&report);
        self.shared.keep(batch);
        self.shared.book.borrow_mut().add(batch, first);
        self.shared.commit();
        self.shared.event(Event::Batch(Box::new(report)));
        if let Some(attempts) = self.shared.watch.settled(&batch.query_id, batch.batch_id) {
            self.shared.event(Event::Replay(ReplayEvent::Account(attempts)));
        }
        if self.shared.watch.batch(&batch.query_id, batch.batch_id, batch.clock_ms) {
            let (ledger, kept) = (self.shared.ledger.borrow().clone(), self.shared.kept.borrow().clone());
            self.shared.watch.freeze(Frozen::new(self.shared.fs.snapshot(), ledger, kept, batch.clock_ms));
        }
    }

    fn follows(&self) -> bool {
        self.shared.follow.get()
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
