//! One streaming query: its life, its reports, and what a script can ask of it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use serde_json::json;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::PlanRef;

use crate::api::{PlanDescription, QueryApi, QueryDescription, StatePage, StateRequest, StepOutcome, Wait};
use crate::batch::{Explained, MicroBatch, Outcome};
use crate::env::Env;
use crate::operators::OutputMode;
use crate::progress::{ProgressBuffer, Status, format_ms};
use crate::session::StreamingSession;
use crate::settings::Settings;
use crate::sinks::Sink;
use crate::trigger::Trigger;

/// What is fixed when a query starts.
pub(crate) struct Setup {
    pub(crate) id: String,
    pub(crate) run_id: String,
    pub(crate) name: Option<String>,
    /// The writer's options as plans show them.
    pub(crate) options: String,
    pub(crate) plan: PlanRef,
    pub(crate) output: Vec<Arc<Attribute>>,
    pub(crate) output_mode: OutputMode,
    pub(crate) trigger: Trigger,
    /// Short name of the sink for the page.
    pub(crate) sink_format: String,
    /// Absolute folder.
    pub(crate) checkpoint: String,
    pub(crate) delete_checkpoint: bool,
    /// Progress is tracked asynchronously.
    pub(crate) asynchronous: bool,
    /// Settings of the session when the query was started (its cloned session).
    pub(crate) settings: Settings,
}

impl Setup {
    /// "name [id = ..., runId = ...]"
    pub(crate) fn pretty(&self) -> String {
        let name = self.name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
        format!("{name}[id = {}, runId = {}]", self.id, self.run_id)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Active,
    Terminated,
}

/// The stream execution thread's own things; taken out while a trigger runs.
pub(crate) enum Engine {
    /// Sources are opened by the first trigger, so that what is wrong with them fails the query and not `start`.
    Waiting(Box<dyn Sink>),
    Ready(Box<MicroBatch>),
    Running,
    Gone,
}

/// Why a query ended, in the two forms that Spark shows.
#[derive(Clone)]
struct Death {
    /// What awaitTermination and processAllAvailable raise.
    raised: SparkError,
    /// What `query.exception()` gives.
    exception: SparkError,
}

/// When the next trigger fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Clock time, ms.
    pub(crate) at_ms: i64,
    /// Nothing can have changed by then unless somebody changes files: the trigger only reports that it was idle.
    pub(crate) idle: bool,
    /// A source makes rows out of time alone, so that waiting for an end would never end.
    pub(crate) endless: bool,
}

pub(crate) struct Query {
    pub(crate) env: Rc<Env>,
    pub(crate) setup: Setup,
    session: Weak<StreamingSession>,
    this: Weak<Query>,
    life: Cell<Life>,
    stop_requested: Cell<bool>,
    pub(crate) status: RefCell<Status>,
    pub(crate) progress: RefCell<ProgressBuffer>,
    pub(crate) progress_limit: i64,
    engine: RefCell<Engine>,
    death: RefCell<Option<Death>>,
    due: Cell<Due>,
    /// Earliest next firing by the trigger's interval, ms.
    next_tick_ms: Cell<i64>,
    /// Set by a trigger that found nothing (Spark's noNewData).
    pub(crate) no_new_data: Cell<bool>,
    pub(crate) explained: RefCell<Option<Explained>>,
    pub(crate) description: RefCell<QueryDescription>,
    /// What the newest batch ran, for those who look at its state and plan; outlives the query.
    pub(crate) ran: RefCell<Option<Ran>>,
}

/// The newest committed batch.
pub(crate) struct Ran {
    pub(crate) plan: ExecRef,
    pub(crate) batch: i64,
}

impl Query {
    pub(crate) fn new(
        env: Rc<Env>,
        session: Weak<StreamingSession>,
        setup: Setup,
        sink: Box<dyn Sink>,
        progress_limit: i64,
    ) -> Rc<Self> {
        let now = env.clock.now_ms();
        let mut description = QueryDescription {
            id: setup.id.clone(),
            run_id: setup.run_id.clone(),
            name: setup.name.clone(),
            output_mode: setup.output_mode.name().to_owned(),
            trigger: setup.trigger.text(),
            sink: setup.sink_format.clone(),
            checkpoint: setup.checkpoint.clone(),
            output: setup.output.iter().map(|a| (a.name.to_string(), a.data_type.simple_string())).collect(),
            ..QueryDescription::default()
        };
        crate::batch::describe_plan(&setup.plan, &env.session.cwd, &mut description);
        Rc::new_cyclic(|this| Self {
            env,
            setup,
            session,
            this: this.clone(),
            life: Cell::new(Life::Active),
            stop_requested: Cell::new(false),
            status: RefCell::default(),
            progress: RefCell::default(),
            progress_limit,
            engine: RefCell::new(Engine::Waiting(sink)),
            death: RefCell::new(None),
            due: Cell::new(Due { at_ms: now, idle: false, endless: false }),
            next_tick_ms: Cell::new(now),
            no_new_data: Cell::new(false),
            explained: RefCell::new(None),
            description: RefCell::new(description),
            ran: RefCell::new(None),
        })
    }

    /// Posts the start to listeners and the page.
    pub(crate) fn announce(&self) {
        let event = json!({
            "id": self.setup.id,
            "runId": self.setup.run_id,
            "name": self.setup.name,
            "timestamp": format_ms(self.env.clock.now_ms()),
            "jobTags": [],
        });
        self.env.event("started", &event);
        self.describe_again();
    }

    /// Tells the page what is known of the query: at its start, and again when sources and operators are opened.
    pub(crate) fn describe_again(&self) {
        if let Some(observer) = self.env.observer() {
            observer.query_started(&self.description());
        }
    }

    pub(crate) fn active(&self) -> bool {
        self.life.get() == Life::Active
    }

    pub(crate) fn stopping(&self) -> bool {
        self.stop_requested.get()
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(*self.engine.borrow(), Engine::Running)
    }

    /// The next trigger; None for a query that cannot run now.
    pub(crate) fn due(&self) -> Option<Due> {
        (self.active() && !self.is_running()).then(|| self.due.get())
    }

    /// When the trigger fires next whether or not anything can have changed.
    pub(crate) fn next_firing_ms(&self) -> Option<i64> {
        let due = self.due()?;
        Some(if due.idle { self.next_tick_ms.get().max(self.env.clock.now_ms()) } else { due.at_ms })
    }

    /// Files may have changed: the next firing looks.
    pub(crate) fn wake(&self) {
        if self.due.get().idle {
            self.due_now();
        }
    }

    /// Fires as soon as the interval allows.
    pub(crate) fn due_now(&self) {
        let now = self.setup.trigger.align(self.env.clock.now_ms());
        let endless = self.due.get().endless;
        self.due.set(Due { at_ms: self.next_tick_ms.get().max(now), idle: false, endless });
    }

    /// Moves a purely reporting trigger on.
    pub(crate) fn postpone_report(&self, at_ms: i64) {
        let due = self.due.get();
        if due.idle {
            self.due.set(Due { at_ms: self.setup.trigger.align(at_ms), ..due });
        }
    }

    pub(crate) fn set_status(&self, message: &str) {
        message.clone_into(&mut self.status.borrow_mut().message);
    }

    pub(crate) fn death(&self) -> Option<SparkError> {
        self.death.borrow().as_ref().map(|death| death.raised.clone())
    }

    /// Runs one trigger at the clock's time.
    pub(crate) fn fire(&self) -> StepOutcome {
        let query_id = self.setup.id.clone();
        let engine = std::mem::replace(&mut *self.engine.borrow_mut(), Engine::Running);
        let mut micro = match engine {
            Engine::Ready(micro) => micro,
            Engine::Waiting(sink) => match MicroBatch::open(self, sink) {
                Ok(micro) => Box::new(micro),
                Err((error, partial)) => {
                    self.fail(error, partial.as_deref());
                    return StepOutcome::Terminated { query_id };
                }
            },
            other => {
                *self.engine.borrow_mut() = other;
                return StepOutcome::NoQuery;
            }
        };
        let fired_ms = self.env.clock.now_ms();
        let outcome = micro.trigger(self);
        self.next_tick_ms.set(self.setup.trigger.next(fired_ms));
        match outcome {
            Err(error) if self.stopping() => {
                // stop() from within the batch interrupts it: whatever came of that is no failure.
                drop(error);
                self.terminate();
                StepOutcome::Terminated { query_id }
            }
            Err(error) => {
                self.fail(error, Some(&micro.debug_text(self)));
                StepOutcome::Terminated { query_id }
            }
            Ok(Outcome::Crashed(batch_id)) => {
                *self.engine.borrow_mut() = Engine::Gone;
                StepOutcome::Crashed { query_id, batch_id }
            }
            Ok(Outcome::Batch(batch_id)) => {
                self.env.clock.pass_ms(crate::clock::BATCH_MS);
                let at_ms = self.setup.trigger.align(self.next_tick_ms.get().max(self.env.clock.now_ms()));
                self.due.set(Due { at_ms, idle: false, endless: micro.is_endless(self) });
                let served = matches!(self.setup.trigger, Trigger::AvailableNow) && self.no_new_data.get();
                let done = served || micro.is_single();
                self.put_back(micro, done);
                StepOutcome::Batch { query_id, batch_id }
            }
            Ok(Outcome::Idle(reason)) => {
                if let Some(observer) = self.env.observer() {
                    observer.idle(&query_id, &reason);
                }
                self.env.clock.pass_ms(crate::clock::POLL_MS);
                self.due.set(micro.due_after_idle(self, self.next_tick_ms.get()));
                self.put_back(micro, matches!(self.setup.trigger, Trigger::Once | Trigger::AvailableNow));
                if self.active() { StepOutcome::Idle { query_id } } else { StepOutcome::Terminated { query_id } }
            }
        }
    }

    /// Ends the trigger; `done`: the trigger was the last.
    fn put_back(&self, micro: Box<MicroBatch>, done: bool) {
        *self.engine.borrow_mut() = Engine::Ready(micro);
        if done || self.stopping() {
            self.terminate();
        } else {
            self.set_status("Waiting for next trigger");
            if !matches!(self.setup.trigger, Trigger::ProcessingTime(ms) if ms > 0) {
                // Without an interval the next trigger begins at once and says what it waits for.
                self.set_status("Waiting for data to arrive");
            }
        }
    }

    /// Ends the query without an error.
    fn terminate(&self) {
        *self.engine.borrow_mut() = Engine::Gone;
        self.set_status("Stopped");
        self.ended(None);
    }

    fn fail(&self, error: SparkError, debug: Option<&str>) {
        let ansi = self.setup.settings.flag("spark.sql.ansi.enabled", true);
        let mut message = error.to_string();
        if ansi && error.has_query_context() && error.context.is_empty() {
            // The place in the script, which Spark prints on lines of its own before the SQLSTATE of the query's end.
            message.push('\n');
        }
        let setup = &self.setup;
        let cause = match error.condition.as_deref() {
            // The script's own exception is what people look for.
            Some("FOREACH_BATCH_USER_FUNCTION_ERROR" | "FOREACH_USER_FUNCTION_ERROR") => {
                error.cause.as_deref().cloned().unwrap_or_else(|| error.clone())
            }
            _ => error.clone(),
        };
        let debug = debug.map_or_else(|| self.debug_header("{}", "{}", "INITIALIZING"), str::to_owned);
        let raised = SparkError::new(
            ErrorClass::StreamingQuery,
            "STREAM_FAILED",
            &[("id", &setup.id), ("runId", &setup.run_id), ("message", &message)],
        )
        .with_context(format!("\n{debug}"))
        .with_cause(cause.clone());
        let exception = SparkError::plain(ErrorClass::StreamingQuery, format!("{cause}\n{debug}")).with_cause(cause);
        *self.engine.borrow_mut() = Engine::Gone;
        self.set_status(&format!("Terminated with exception: {message}"));
        *self.death.borrow_mut() = Some(Death { raised, exception });
        self.ended(Some(&error));
    }

    /// First part of StreamExecution.toDebugString.
    pub(crate) fn debug_header(&self, committed: &str, available: &str, state: &str) -> String {
        format!(
            "=== Streaming Query ===\nIdentifier: {}\nCurrent Committed Offsets: {committed}\n\
             Current Available Offsets: {available}\n\nCurrent State: {state}\nThread State: RUNNABLE",
            self.setup.pretty()
        )
    }

    fn ended(&self, error: Option<&SparkError>) {
        self.life.set(Life::Terminated);
        {
            let mut status = self.status.borrow_mut();
            status.trigger_active = false;
            status.data_available = false;
        }
        if let Some(session) = self.session.upgrade() {
            session.note_termination(self.death());
        }
        let exception =
            self.death.borrow().as_ref().and_then(|death| death.exception.cause.as_deref().map(exception_text));
        let event = json!({
            "id": self.setup.id,
            "runId": self.setup.run_id,
            "exception": exception,
            "errorClassOnException": error.and_then(|e| e.condition.clone()),
        });
        self.env.event("terminated", &event);
        if let Some(observer) = self.env.observer() {
            observer.terminated(&self.setup.id, error);
        }
        if self.setup.delete_checkpoint && error.is_none() {
            // Best effort, as in Spark.
            let _ = self.env.session.fs.remove_dir_all(&self.setup.checkpoint);
        }
    }

    fn session(&self) -> Result<Rc<StreamingSession>> {
        self.session.upgrade().ok_or_else(|| SparkError::internal("the session of the query is gone"))
    }
}

/// Utils.exceptionString: class and message.
fn exception_text(error: &SparkError) -> String {
    let class = match (&error.java_class, error.class) {
        (Some(class), _) => class.clone(),
        (None, ErrorClass::Java(class)) => class.to_owned(),
        (None, ErrorClass::IllegalArgument) => "java.lang.IllegalArgumentException".to_owned(),
        (None, ErrorClass::Arithmetic) => "org.apache.spark.SparkArithmeticException".to_owned(),
        (None, ErrorClass::NumberFormat) => "java.lang.NumberFormatException".to_owned(),
        (None, ErrorClass::Analysis) => "org.apache.spark.sql.AnalysisException".to_owned(),
        (None, ErrorClass::Runtime) => "org.apache.spark.SparkRuntimeException".to_owned(),
        (None, ErrorClass::Python) => "org.apache.spark.api.python.PythonException".to_owned(),
        (None, _) => "org.apache.spark.SparkException".to_owned(),
    };
    format!("{class}: {error}")
}

impl QueryApi for Query {
    fn id(&self) -> String {
        self.setup.id.clone()
    }

    fn run_id(&self) -> String {
        self.setup.run_id.clone()
    }

    fn name(&self) -> Option<String> {
        self.setup.name.clone()
    }

    fn is_active(&self) -> bool {
        self.active()
    }

    fn process_all_available(&self) -> Result<()> {
        self.session()?.process_all_available(self)
    }

    fn await_termination(&self, timeout_ms: Option<i64>) -> Result<Wait> {
        self.session()?.await_query(self, timeout_ms)
    }

    fn stop(&self) -> Result<()> {
        if !self.active() {
            return Ok(());
        }
        self.stop_requested.set(true);
        if !self.is_running() {
            self.terminate();
        }
        Ok(())
    }

    fn last_progress(&self) -> Option<String> {
        if !self.has_progress()
            && !self.is_running()
            && let Ok(session) = self.session()
        {
            session.await_first_progress(self);
        }
        self.progress.borrow().last()
    }

    fn recent_progress(&self) -> Vec<String> {
        self.progress.borrow().all()
    }

    fn status(&self) -> String {
        self.status.borrow().to_json()
    }

    fn exception(&self) -> Option<SparkError> {
        self.death.borrow().as_ref().map(|death| death.exception.clone())
    }

    fn explain(&self, extended: bool) -> String {
        match &*self.explained.borrow() {
            None => "No physical plan. Waiting for data.".to_owned(),
            Some(explained) => explained.text(extended),
        }
    }

    fn description(&self) -> QueryDescription {
        self.description.borrow().clone()
    }

    fn state(&self, request: &StateRequest) -> Result<StatePage> {
        match &*self.ran.borrow() {
            Some(ran) => crate::operators::state_page(&ran.plan, ran.batch, request),
            None => Ok(StatePage::default()),
        }
    }

    fn plan(&self) -> PlanDescription {
        let ran = self.ran.borrow();
        crate::batch::plan_description(self, ran.as_ref().map(|ran| &ran.plan))
    }
}

impl Query {
    /// Whether a trigger has been reported.
    pub(crate) fn has_progress(&self) -> bool {
        self.progress.borrow().last_ms.is_some()
    }

    /// The query as the API hands it out.
    pub(crate) fn handle(&self) -> Option<Rc<dyn QueryApi>> {
        self.this.upgrade().map(|query| query as Rc<dyn QueryApi>)
    }
}
