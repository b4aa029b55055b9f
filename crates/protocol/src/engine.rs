//! One session of the engine as its hosts see it: Python over streaming over SQL on one tree of files and one clock.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidemark_pyspark::{Options as PythonOptions, Output as PythonOutput, ParkedCall, PythonSession, RunState};
use tidemark_sql::connector::{KAFKA_PACKAGE, PACKAGES};
pub use tidemark_sql::error::SparkError;
use tidemark_sql::session::SqlSession;
use tidemark_streaming::StreamingSession;
pub use tidemark_streaming::api::{BatchObservation, CrashPoint, QueryDescription, Rehearsal, StreamObserver};
use tidemark_streaming::api::{Overrides, QueryApi, StepOutcome, StreamingApi, TriggerSpec};
use tidemark_streaming::clock::VirtualClock;
pub use tidemark_streaming::fates::{Course, Hop};
use tidemark_streaming::ids::SeededIds;
use tidemark_streaming::socket::SocketHub;
use tidemark_vfs::SharedFs;

pub use tidemark_streaming::clock::RealTime;

use crate::messages::{Changes, Stream, TriggerChange};

/// N of `local[*]`: a figure of the machine would make the order of rows depend on it.
const CORES: usize = 2;

/// What a session starts with.
pub struct Setup {
    pub fs: SharedFs,
    /// Absolute folder against which relative paths resolve.
    pub cwd: String,
    /// Where the virtual clock starts, ms since the epoch.
    pub start_ms: i64,
    /// The machine's clock instead of a virtual one: waits take their time.
    pub real_time: Option<Box<dyn RealTime>>,
    /// Milliseconds from any origin, for the durations in progress reports; without it they are 0.
    pub stopwatch: Option<Box<dyn Fn() -> i64>>,
    /// Seed of everything random.
    pub seed: u64,
    /// sys.argv after the script.
    pub arguments: Vec<String>,
    /// os.environ.
    pub environment: Vec<(String, String)>,
    /// Spark configuration, as spark-defaults.conf gives it.
    pub conf: Vec<(String, String)>,
    /// A person drives: a wait without an end parks the script instead of ending it.
    pub interactive: bool,
    /// TCP ports that outlive the session; None: its own.
    pub sockets: Option<Rc<SocketHub>>,
}

impl Setup {
    /// Virtual clock at the epoch, seed 0, no arguments, UTC.
    pub fn new(fs: SharedFs, cwd: &str) -> Self {
        Self {
            fs,
            cwd: cwd.to_owned(),
            start_ms: 0,
            real_time: None,
            stopwatch: None,
            seed: 0,
            arguments: Vec::new(),
            environment: vec![("TZ".to_owned(), "UTC".to_owned())],
            conf: vec![("spark.sql.session.timeZone".to_owned(), "UTC".to_owned())],
            interactive: false,
            sockets: None,
        }
    }

    /// Gives the session Spark's Kafka connector, as `--packages` does; a script that names packages of its own decides itself.
    pub fn add_kafka(&mut self) {
        self.conf.push((PACKAGES.to_owned(), KAFKA_PACKAGE.to_owned()));
    }
}

/// Where a script stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// At its end, or by sys.exit: the process status.
    Finished { status: u8 },
    /// Waits without an end at this line (1-based), in this call.
    Parked { line: u32, call: String },
    Failed {
        /// As Python prints it.
        traceback: String,
        /// The script's line (1-based).
        line: Option<u32>,
        /// Name of the exception's class, and its text.
        class_name: String,
        message: String,
    },
}

/// Raises KeyboardInterrupt in the running script; may be used from another thread.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A Python and Spark session. Dropping it is what a killed driver does: files stay as they are.
pub struct Engine {
    script: String,
    python: PythonSession,
    sql: Rc<SqlSession>,
    streaming: Rc<StreamingSession>,
    clock: Rc<VirtualClock>,
    parked: RefCell<Option<Outcome>>,
    crash_point: Cell<Option<CrashPoint>>,
}

/// Takes what the script and the sinks print.
pub type Print = Rc<dyn Fn(Stream, &str)>;

impl Engine {
    /// `print` gets everything that the script and the sinks print.
    pub fn new(setup: Setup, script: &str, print: Print) -> Result<Self, String> {
        let mut clock = match setup.real_time {
            Some(time) => VirtualClock::real(time),
            None => VirtualClock::new(setup.start_ms.saturating_mul(1000)),
        };
        if let Some(stopwatch) = setup.stopwatch {
            clock = clock.with_stopwatch(stopwatch);
        }
        let clock = Rc::new(clock);
        let sql = Rc::new(SqlSession::new(setup.fs, setup.cwd, clock.clone(), CORES));
        for (key, value) in &setup.conf {
            sql.conf.borrow_mut().set_initial(key, value).map_err(|error| error.to_string())?;
        }
        let streaming = StreamingSession::new(sql.clone(), clock.clone(), Box::new(SeededIds::new(setup.seed)));
        if let Some(sockets) = setup.sockets {
            streaming.use_sockets(sockets);
        }
        let mut argv = vec![script.to_owned()];
        argv.extend(setup.arguments);
        let python = PythonSession::new(PythonOptions {
            sql: sql.clone(),
            streaming: streaming.clone(),
            argv,
            environment: setup.environment,
            interactive: setup.interactive,
            seed: setup.seed,
            output: Box::new(move |stream, text| {
                print(if stream == PythonOutput::Stdout { Stream::Stdout } else { Stream::Stderr }, text);
            }),
        });
        Ok(Self {
            script: script.to_owned(),
            python,
            sql,
            streaming,
            clock,
            parked: RefCell::new(None),
            crash_point: Cell::new(None),
        })
    }
    pub fn interrupt_handle(&self) -> Interrupt {
        Interrupt(self.python.interrupt_handle())
    }

    pub fn observe(&self, observer: Rc<dyn StreamObserver>) {
        self.streaming.set_observer(Some(observer));
    }

    /// Queries that are started from now on have these instead of what the script says.
    pub fn change(&self, changes: &Changes) {
        let trigger = changes.trigger.map(|trigger| match trigger {
            TriggerChange::Default => TriggerSpec::Default,
            TriggerChange::EveryMs(ms) => TriggerSpec::ProcessingTime(format!("{ms} milliseconds")),
            TriggerChange::Once => TriggerSpec::Once,
            TriggerChange::AvailableNow => TriggerSpec::AvailableNow,
        });
        let (output_mode, max_files) = (changes.output_mode.clone(), changes.max_files);
        self.streaming.override_starts(Overrides { output_mode, trigger, max_files });
        *self.sql.watermark_delay.borrow_mut() = changes.watermark_delay_ms.map(|ms| format!("{ms} milliseconds"));
    }

    /// Runs a script's text as `__main__`.
    pub fn run(&self, text: &str) -> Outcome {
        self.went(self.python.run_script(text, &self.script))
    }

    /// Goes on with a parked script if what it waits for is over. None: it is not parked, or waits on as before.
    pub fn resume(&self) -> Option<Outcome> {
        let before = self.parked.borrow().clone()?;
        let now = self.went(self.python.resume());
        (now != before).then_some(now)
    }

    fn went(&self, state: RunState) -> Outcome {
        let line_number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let outcome = match state {
            RunState::Finished { exit_code } => Outcome::Finished { status: (exit_code & 0xff) as u8 },
            RunState::Failed(failure) => Outcome::Failed {
                traceback: failure.traceback,
                line: failure.line.map(line_number),
                class_name: failure.class_name,
                message: failure.message,
            },
            RunState::Parked { line, call } => Outcome::Parked {
                line: line_number(line),
                call: match call {
                    ParkedCall::AwaitTermination { .. } => "awaitTermination()",
                    ParkedCall::AwaitAnyTermination => "awaitAnyTermination()",
                    ParkedCall::Sleep { .. } => "sleep()",
                }
                .to_owned(),
            },
        };
        let parked = matches!(outcome, Outcome::Parked { .. }).then(|| outcome.clone());
        *self.parked.borrow_mut() = parked;
        outcome
    }

    /// Runs one trigger: of one query, or of the one whose trigger is due first.
    pub fn step(&self, query: Option<&str>) -> StepOutcome {
        self.streaming.step(query)
    }

    /// `query.stop()` of all.
    pub fn stop_queries(&self) -> Result<(), SparkError> {
        self.streaming.active().iter().try_for_each(|query| query.stop())
    }

    /// The next batch is cut off here.
    /// Lets the script's queries lose their memory as they run; for tests.
    pub fn rehearse(&self, rehearsal: Option<Rehearsal>) {
        self.streaming.rehearse(rehearsal);
    }

    pub fn set_crash_point(&self, point: CrashPoint) {
        self.crash_point.set(Some(point));
        self.streaming.set_crash_point(Some(point));
    }

    pub fn crash_point(&self) -> Option<CrashPoint> {
        self.crash_point.get()
    }

    pub fn query(&self, id: &str) -> Option<Rc<dyn QueryApi>> {
        self.streaming.get(id)
    }

    /// When the next trigger is due, ms on the session's clock.
    pub fn next_due_ms(&self) -> Option<i64> {
        self.streaming.next_due_ms()
    }

    pub fn sql(&self) -> Rc<SqlSession> {
        self.sql.clone()
    }

    pub fn clock_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Lets virtual time pass without running triggers.
    pub fn pass_ms(&self, ms: i64) {
        self.clock.pass_ms(ms);
    }
}
