//! The queries of one session, and the virtual time in which they run (Spark's StreamingQueryManager).

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::plan::PlanRef;
use tidemark_sql::session::SqlSession;

use crate::api::{
    CrashPoint, Overrides, QueryApi, Rehearsal, ScriptHost, StepOutcome, StreamObserver, StreamingApi, Wait, WriterSpec,
};
use crate::clock::VirtualClock;
use crate::env::Env;
use crate::ids::IdSource;
use crate::kafka::{Broker, KafkaConnector};
use crate::query::Query;
use crate::socket::SocketHub;
use crate::start;

/// Idle reports that a long wait makes at most; older ones would have left the buffer.
const IDLE_REPORTS: i64 = 1000;

/// Whether and how a query has ended since the last reset.
#[derive(Clone)]
enum LastEnd {
    Clean,
    Failed(SparkError),
}

/// Starts queries and lets time pass for them.
pub struct StreamingSession {
    pub(crate) env: Rc<Env>,
    this: Weak<StreamingSession>,
    /// In start order; ended ones stay for `get`.
    queries: RefCell<Vec<Rc<Query>>>,
    last_end: RefCell<Option<LastEnd>>,
    pub(crate) overrides: RefCell<Overrides>,
}

impl StreamingSession {
    pub fn new(sql: Rc<SqlSession>, clock: Rc<VirtualClock>, ids: Box<dyn IdSource>) -> Rc<Self> {
        *sql.state_reader.borrow_mut() = Some(Rc::new(crate::state_reader::CheckpointReader));
        *sql.batch_processors.borrow_mut() = Some(Rc::new(crate::operators::FrameProcessors));
        let env = Rc::new(Env::new(sql, clock, ids));
        let connector = KafkaConnector::new(env.broker.clone(), Rc::downgrade(&env));
        *env.session.kafka.borrow_mut() = Some(Rc::new(connector));
        Rc::new_cyclic(|this| Self {
            env,
            this: this.clone(),
            queries: RefCell::default(),
            last_end: RefCell::new(None),
            overrides: RefCell::default(),
        })
    }

    pub fn clock(&self) -> Rc<VirtualClock> {
        self.env.clock.clone()
    }

    /// Lets every query lose its memory as it runs; for tests.
    pub fn rehearse(&self, rehearsal: Option<Rehearsal>) {
        self.env.rehearsal.set(rehearsal);
    }

    /// Queries that are started from now on have these instead of what the script says.
    pub fn override_starts(&self, overrides: Overrides) {
        *self.overrides.borrow_mut() = overrides;
    }

    /// Ports that outlive this session.
    pub fn use_sockets(&self, sockets: Rc<SocketHub>) {
        self.env.set_sockets(sockets);
    }

    pub(crate) fn weak(&self) -> Weak<Self> {
        self.this.clone()
    }

    pub(crate) fn active_queries(&self) -> Vec<Rc<Query>> {
        self.queries.borrow().iter().filter(|query| query.active()).cloned().collect()
    }

    pub(crate) fn add(&self, query: Rc<Query>) {
        self.queries.borrow_mut().push(query);
    }

    /// StreamingQueryManager.notifyQueryTermination: a failure stays until the reset, a clean end gives way to it.
    pub(crate) fn note_termination(&self, error: Option<SparkError>) {
        let mut last = self.last_end.borrow_mut();
        match error {
            Some(error) => *last = Some(LastEnd::Failed(error)),
            None if last.is_none() => *last = Some(LastEnd::Clean),
            None => {}
        }
    }

    /// Files may have changed since the last look.
    fn wake_all(&self) {
        for query in self.active_queries() {
            query.wake();
        }
    }

    /// Runs the earliest due trigger that is due by `until_ms`; queries that are due together run in start order.
    /// Without an end, triggers that can only report idleness or that time alone feeds do not count: there would be no end
    /// to them. False: there was none.
    fn run_next(&self, until_ms: Option<i64>) -> bool {
        if self.env.crashed.get() {
            return false;
        }
        let due = self.active_queries().into_iter().filter_map(|query| query.due().map(|due| (due, query)));
        let next = due
            .filter(|(due, _)| match until_ms {
                Some(until) => due.at_ms <= until,
                None => !self.env.clock.is_virtual() || !(due.idle || due.endless),
            })
            .min_by_key(|(due, _)| due.at_ms);
        let Some((due, query)) = next else { return false };
        self.env.clock.advance_to_ms(due.at_ms);
        let outcome = query.fire();
        if matches!(outcome, StepOutcome::Batch { .. } | StepOutcome::Terminated { .. }) {
            // The batch may have written files that another query reads.
            self.wake_all();
        }
        true
    }

    fn interrupted(&self) -> Result<()> {
        if self.env.crashed.get() {
            return Err(SparkError::plain(ErrorClass::Spark, "The driver was killed"));
        }
        if self.env.host().is_some_and(|host| host.interrupted()) {
            return Err(SparkError::plain(ErrorClass::Python, "KeyboardInterrupt"));
        }
        Ok(())
    }

    /// Lets time pass until `done` or for `timeout_ms`.
    fn wait(&self, timeout_ms: Option<i64>, done: &dyn Fn() -> Option<Result<()>>) -> Result<Wait> {
        self.wake_all();
        let end_ms = timeout_ms.map(|ms| self.env.clock.now_ms().saturating_add(ms));
        loop {
            if let Some(result) = done() {
                return result.map(|()| Wait::Ended);
            }
            self.interrupted()?;
            if let Some(end) = end_ms {
                self.skip_reports(end);
            }
            if self.run_next(end_ms) {
                continue;
            }
            let Some(end) = end_ms else { return Ok(Wait::Parked) };
            self.env.clock.advance_to_ms(end);
            return Ok(Wait::TimedOut);
        }
    }

    /// Leaves out idle reports that nobody could see at the end of a very long wait.
    fn skip_reports(&self, end_ms: i64) {
        let from = end_ms.saturating_sub(IDLE_REPORTS * crate::progress::NO_DATA_INTERVAL_MS);
        for query in self.active_queries() {
            if query.due().is_some_and(|due| due.idle && due.at_ms < from) {
                query.postpone_report(from);
            }
        }
    }

    /// StreamExecution.processAllAvailable: runs triggers until one of the query's finds nothing new.
    pub(crate) fn process_all_available(&self, query: &Query) -> Result<()> {
        if let Some(error) = query.death() {
            return Err(error);
        }
        if !query.active() {
            return Ok(());
        }
        if query.is_running() {
            return Err(crate::checkpoint::illegal_state(
                "Cannot wait for a query state from the same thread that is running the query",
            ));
        }
        query.no_new_data.set(false);
        self.wake_all();
        query.due_now();
        loop {
            if let Some(error) = query.death() {
                return Err(error);
            }
            if query.no_new_data.get() || !query.active() {
                return Ok(());
            }
            self.interrupted()?;
            let Some(due) = query.due() else { return Ok(()) };
            self.run_next(Some(due.at_ms));
        }
    }

    /// Runs triggers until the query has reported one. On Spark's threads it is a matter of timing whether a query that was
    /// started a line before has progress; here, where no time passes between two lines, it always has.
    pub(crate) fn await_first_progress(&self, query: &Query) {
        self.wake_all();
        while query.active() && !query.has_progress() && self.interrupted().is_ok() {
            let Some(due) = query.due() else { return };
            if !self.run_next(Some(due.at_ms)) {
                return;
            }
        }
    }

    pub(crate) fn await_query(&self, query: &Query, timeout_ms: Option<i64>) -> Result<Wait> {
        self.wait(timeout_ms, &|| match query.death() {
            Some(error) => Some(Err(error)),
            None => (!query.active()).then_some(Ok(())),
        })
    }
}

impl StreamingApi for StreamingSession {
    fn start(&self, plan: PlanRef, writer: WriterSpec) -> Result<Rc<dyn QueryApi>> {
        start::start(self, plan, &writer)
    }

    fn active(&self) -> Vec<Rc<dyn QueryApi>> {
        self.active_queries().into_iter().map(|query| query as Rc<dyn QueryApi>).collect()
    }

    fn get(&self, id: &str) -> Option<Rc<dyn QueryApi>> {
        let queries = self.queries.borrow();
        let found = queries.iter().rev().filter(|query| query.setup.id == id);
        // A restarted query has the id of its earlier runs: the one that runs counts.
        let found = found.max_by_key(|query| query.active())?;
        found.handle()
    }

    fn await_any_termination(&self, timeout_ms: Option<i64>) -> Result<Wait> {
        self.wait(timeout_ms, &|| match &*self.last_end.borrow() {
            Some(LastEnd::Failed(error)) => Some(Err(error.clone())),
            Some(LastEnd::Clean) => Some(Ok(())),
            None => None,
        })
    }

    fn reset_terminated(&self) {
        *self.last_end.borrow_mut() = None;
    }

    fn sleep(&self, ms: i64) {
        // An interruption reaches the script through its own check.
        let _ = self.wait(Some(ms.max(0)), &|| None);
    }

    fn step(&self, query: Option<&str>) -> StepOutcome {
        if self.env.crashed.get() {
            return StepOutcome::NoQuery;
        }
        self.wake_all();
        let candidates = self.active_queries().into_iter().filter(|q| query.is_none_or(|id| q.setup.id == id));
        let next = candidates.filter_map(|q| q.next_firing_ms().map(|at| (at, q))).min_by_key(|(at, _)| *at);
        let Some((at_ms, query)) = next else { return StepOutcome::NoQuery };
        self.env.clock.advance_to_ms(at_ms);
        let outcome = query.fire();
        self.wake_all();
        outcome
    }

    fn next_due_ms(&self) -> Option<i64> {
        self.active_queries().iter().filter_map(|query| query.next_firing_ms()).min()
    }

    fn set_crash_point(&self, point: Option<CrashPoint>) {
        self.env.crash.set(point);
    }

    fn set_observer(&self, observer: Option<Rc<dyn StreamObserver>>) {
        self.env.set_observer(observer);
    }

    fn set_host(&self, host: Option<Rc<dyn ScriptHost>>) {
        self.env.set_host(host);
    }

    fn broker(&self) -> Rc<Broker> {
        self.env.broker.clone()
    }

    fn sockets(&self) -> Rc<SocketHub> {
        self.env.sockets()
    }
}
