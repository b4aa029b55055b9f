//! A session that answers commands: script, queries, files, and the reports the page shows.
//!
//! A workbench is a value driven from outside: it reads no clock and stores nothing itself. What has to be durable goes
//! out as [`Output::Commit`]; whoever stores it keeps back the events that follow until the commit is done, so that a
//! batch is shown as committed only when its files are safe.

mod assist;
mod example;
mod explain;
mod fates;
mod files;
mod generate;
mod inputs;
mod inspect;
mod ledger;
mod observer;
mod replay;
mod report;
mod share;
mod shelf;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::expr::ExprId;
use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_streaming::api::{CrashPoint as EnginePoint, StepOutcome};
use tidemark_vfs::{Change, FileSystem, FsResult, MemoryFs};

use crate::engine::{Engine, Outcome, Setup};
use crate::messages::{
    Command, CrashPoint, Event, Generate, KafkaCommand, Layout, MomentKind, Restored, RunOutcome, ScriptState,
    SocketCommand, Stream,
};

pub use example::opening_example;
pub use files::WORKSPACE_LIMIT_BYTES;
pub use ledger::Record;
pub use replay::{Held, Recorder};

use inputs::Inputs;
use ledger::Ledger;
use observer::{Observer, Shared};
use replay::{Replay, Tape};

/// The working directory of scripts in a workspace.
pub const CWD: &str = "/workspace";

/// The script's name in tracebacks.
pub const SCRIPT_NAME: &str = "script.py";

/// What a workbench says, in order.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "passed on at once, never kept in numbers")]
pub enum Output {
    Event(Event),
    Commit(Commit),
}

/// What belongs into one transaction of the workspace's store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commit {
    /// Everything stored before goes first.
    pub clear: bool,
    pub files: Vec<Change>,
    pub records: Vec<Record>,
}

/// A workspace as a store holds it: the sum of its commits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// Folders and files by path, so that parents come first.
    pub files: Vec<Change>,
    /// Key and value, by key.
    pub records: Vec<(String, String)>,
}

impl Stored {
    /// Takes a commit as a store does.
    pub fn take(&mut self, commit: &Commit) {
        if commit.clear {
            *self = Self::default();
        }
        for change in &commit.files {
            let (Change::File { path, .. } | Change::Dir { path, .. } | Change::Removed { path }) = change;
            let found = self.files.binary_search_by(|known| path_of(known).cmp(path));
            match (change, found) {
                (Change::Removed { .. }, _) => {
                    let below = format!("{path}/");
                    self.files.retain(|known| path_of(known) != path && !path_of(known).starts_with(&below));
                }
                (_, Ok(at)) => self.files[at] = change.clone(),
                (_, Err(at)) => self.files.insert(at, change.clone()),
            }
        }
        for record in &commit.records {
            let (Record::Put { key, .. } | Record::Delete { key }) = record;
            let found = self.records.binary_search_by(|(known, _)| known.cmp(key));
            match (record, found) {
                (Record::Put { value, .. }, Ok(at)) => self.records[at].1.clone_from(value),
                (Record::Put { key, value }, Err(at)) => self.records.insert(at, (key.clone(), value.clone())),
                (Record::Delete { .. }, Ok(at)) => drop(self.records.remove(at)),
                (Record::Delete { .. }, Err(_)) => {}
            }
        }
    }
}

fn path_of(change: &Change) -> &str {
    let (Change::File { path, .. } | Change::Dir { path, .. } | Change::Removed { path }) = change;
    path
}

/// What a workbench needs from outside.
#[derive(Clone)]
pub struct Options {
    /// The present, ms: where the clock of a new workspace starts.
    pub now_ms: i64,
    /// Seed of everything random in the session.
    pub seed: u64,
    /// Milliseconds from any origin, for the durations in progress reports.
    pub stopwatch: Option<Rc<dyn Fn() -> i64>>,
}

/// One workspace at work.
pub struct Workbench {
    shared: Rc<Shared>,
    inputs: Inputs,
    /// None before the first run, and after a crash or a reset.
    engine: Option<Engine>,
    seed: u64,
    replay: Replay,
    clock_ms: i64,
    /// The next id of an expression in the session.
    next_id: u64,
    /// Commands answered so far.
    commands: u64,
    /// The time zone that the page was told last.
    zone_said: String,
}

impl Workbench {
    /// Opens a workspace (a new one is laid from the example) and says [`Event::Ready`], as the answer to command 0.
    pub fn open(options: Options, stored: Option<Stored>, out: Rc<dyn Fn(Output)>) -> Self {
        let fs = Arc::new(MemoryFs::new());
        let restored = stored.is_some();
        let mut ledger = match stored {
            Some(stored) => {
                refill(&fs, stored.files);
                Ledger::restore(stored.records)
            }
            None => Ledger::default(),
        };
        fs.take_journal();
        let clock_ms = options.now_ms.max(ledger.clock_ms());
        let inputs = Inputs::new(fs.clone());
        let journal = ledger.take_journal();
        let shared = Rc::new(Shared::new(fs, ledger, options.stopwatch.clone(), out));
        let tape = Rc::new(Tape::new(options.stopwatch));
        let mut bench = Self {
            replay: Replay::open(restored.then_some(journal), shared.fs.snapshot(), options.seed, clock_ms, tape),
            shared,
            inputs,
            engine: None,
            seed: options.seed,
            clock_ms,
            next_id: 0,
            commands: 0,
            zone_said: "UTC".to_owned(),
        };
        if restored {
            let memory = bench.shared.ledger.borrow().restored();
            bench.ready(Some(memory));
            bench.wake();
        } else {
            bench.obey(Command::Lay { layout: None });
        }
        bench.settle();
        bench
    }

    /// Carries one command out; everything it causes has gone out when this returns.
    /// A replay goes on in [`Workbench::proceed`].
    pub fn handle(&mut self, command: Command) {
        if let Command::Replay(command) = command {
            return self.handle_replay(command);
        }
        self.finish_replay();
        self.obey(command);
        self.settle();
    }

    fn carry_out(&mut self, command: Command) {
        self.shared.begin_prints();
        let others = ExprId::go_on_from(self.next_id);
        match command {
            Command::Open { .. } => self.refuse("open", "a workspace is open already"),
            Command::SetScript { text } => self.shared.ledger.borrow_mut().set_script(&text),
            Command::Run { text } => self.run(&text),
            Command::Step { query } => self.step(query.as_deref()),
            Command::StopQueries => self.stop_queries(),
            Command::Crash { point } => self.crash(point),
            Command::Lay { layout } => self.lay(&layout.unwrap_or_else(opening_example)),
            Command::WriteFile { path, content } => {
                self.change("write", |fs, now| files::write(fs, &path, &content, now));
            }
            Command::AppendFile { path, content } => {
                self.change("append", |fs, now| files::append(fs, &path, &content, now));
            }
            Command::MakeDir { path } => self.change("make folder", |fs, now| fs.create_dir_all(&path, now)),
            Command::Remove { path } => self.change("remove", |fs, _| files::remove(fs, &path)),
            Command::Rename { from, to } => self.change("rename", |fs, now| files::rename(fs, &from, &to, now)),
            Command::ReadFile { path } => self.read_file(&path),
            Command::ReadBatch { query, batch, offset, limit } => self.read_batch(&query, batch, offset, limit),
            Command::Inspect(command) => self.inspect(command),
            Command::Explain { path } => self.explain(&path),
            Command::Share(command) => self.share(command),
            Command::Scripts(command) => self.scripts(command),
            Command::Kafka(command) => self.kafka(command),
            Command::Socket(command) => self.socket(command),
            Command::Fates(command) => self.fates(command),
            Command::Generate(wanted) => self.generate(&wanted),
            Command::Assist(command) => self.assist(command),
            Command::Replay(_) => {}
        }
        self.next_id = ExprId::go_on_from(others);
    }

    /// Interrupts a running script from outside; None while no session lives.
    pub fn interrupt_handle(&self) -> Option<crate::engine::Interrupt> {
        self.engine.as_ref().map(Engine::interrupt_handle)
    }

    fn settle(&mut self) {
        if let Some(engine) = self.engine.as_ref().filter(|_| !self.replay.is_stale()) {
            self.clock_ms = engine.clock_ms();
        }
        self.shared.ledger.borrow_mut().set_clock(self.clock_ms);
        self.note_zone();
        self.shared.commit();
        if self.shared.take_tree_is_old() {
            self.shared.event(Event::Files(files::tree(&self.shared.fs)));
        }
        for event in self.inputs.news(self.clock_ms) {
            self.shared.event(event);
        }
        self.tell_zone();
        let next_due_ms = self.engine.as_ref().and_then(Engine::next_due_ms);
        self.shared.event(Event::Settled { command: self.commands, clock_ms: self.clock_ms, next_due_ms });
        self.commands += 1;
    }

    fn refuse(&self, command: &str, message: impl Into<String>) {
        self.shared.event(Event::Refused { command: command.to_owned(), message: message.into() });
    }

    fn ready(&self, restored: Option<Restored>) {
        self.shared.event(Event::Ready {
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            spark_version: crate::SPARK_VERSION.to_owned(),
            script: self.shared.ledger.borrow().script.clone(),
            restored,
            files: files::tree(&self.shared.fs),
        });
        self.say_scripts(None);
        self.say_runs();
    }

    /// Empties the workspace and lays another.
    fn lay(&mut self, layout: &Layout) {
        self.engine = None;
        self.shared.kept.borrow_mut().clear();
        self.shared.book.borrow_mut().clear();
        *self.shared.ledger.borrow_mut() = Ledger::default();
        self.shared.ledger.borrow_mut().set_script(&layout.script);
        let fs = &self.shared.fs;
        let laid = files::clear(fs).and_then(|()| files::lay(fs, CWD, &layout.files, self.clock_ms));
        if let Err(error) = laid {
            self.refuse("lay", error.to_string());
        }
        if let Err(error) = self.inputs.lay(&layout.messages, self.clock_ms) {
            self.refuse("lay", error.to_string());
        }
        self.shared.ledger.borrow_mut().set_clock(self.clock_ms);
        self.shared.commit_anew();
        self.ready(None);
    }

    fn run(&mut self, text: &str) {
        if let Some(outcome) = self.start(text) {
            self.script_went(outcome);
        }
    }

    /// Runs a script in a new session; None: there is none.
    fn start(&mut self, text: &str) -> Option<Outcome> {
        self.engine = None;
        ExprId::go_on_from(0);
        // What is there when a run starts is older than what the run writes.
        self.clock_ms += 1;
        {
            let mut ledger = self.shared.ledger.borrow_mut();
            ledger.set_script(text);
            ledger.start_run();
        }
        self.note_run(text);
        if let Err(error) = self.shared.fs.create_dir_all(CWD, self.clock_ms) {
            self.refuse("run", error.to_string());
            return None;
        }
        let mut setup = Setup::new(self.shared.fs.clone(), CWD);
        setup.start_ms = self.clock_ms;
        setup.interactive = true;
        setup.add_kafka();
        setup.sockets = Some(self.inputs.sockets.clone());
        let tape = self.replay.tape.clone();
        setup.stopwatch = Some(Box::new(move || tape.read()));
        setup.seed = self.seed;
        // A second run must not repeat the ids of the first.
        self.seed = self.seed.wrapping_add(1);
        let shared = self.shared.clone();
        let print = Rc::new(move |stream: Stream, text: &str| shared.print(stream, text));
        let name = self.shared.ledger.borrow().shelf.current().to_owned();
        let engine = match Engine::new(setup, &name, print) {
            Ok(engine) => engine,
            Err(message) => {
                self.refuse("run", message);
                return None;
            }
        };
        self.shared.watch.set_interrupt(engine.interrupt_handle());
        if let Some(changes) = &self.replay.changes {
            engine.change(changes);
        }
        engine.observe(Rc::new(Observer { shared: self.shared.clone(), session: engine.sql() }));
        self.shared.event(Event::Script(ScriptState::Running));
        let outcome = engine.run(text);
        self.engine = Some(engine);
        self.shared.ledger.borrow_mut().forget_old_queries();
        Some(outcome)
    }

    fn script_went(&self, outcome: Outcome) {
        let state = match outcome {
            Outcome::Finished { .. } => {
                self.note_outcome(RunOutcome::Finished);
                ScriptState::Finished
            }
            Outcome::Parked { line, call } => {
                self.note_outcome(RunOutcome::Waiting { call: call.clone() });
                ScriptState::Parked { line, call }
            }
            Outcome::Failed { traceback, line, .. } => {
                self.shared.print(Stream::Stderr, &traceback);
                let message = traceback.trim_end().lines().last().unwrap_or_default().to_owned();
                self.note_outcome(RunOutcome::Failed { message });
                ScriptState::Failed { traceback, line }
            }
        };
        self.shared.event(Event::Script(state));
    }

    /// A parked script goes on when what it waits for is over.
    fn resume(&self) {
        if let Some(outcome) = self.engine.as_ref().and_then(Engine::resume) {
            self.script_went(outcome);
        }
    }

    fn step(&mut self, query: Option<&str>) {
        let Some(engine) = &self.engine else {
            return self.refuse("step", "no session is running: run the script first");
        };
        match engine.step(query) {
            StepOutcome::Batch { .. } | StepOutcome::Idle { .. } | StepOutcome::Terminated { .. } => self.resume(),
            StepOutcome::Crashed { query_id, batch_id } => {
                let sink = engine.query(&query_id).map_or_else(String::new, |query| query.description().sink);
                let point = engine.crash_point().map(point_of);
                self.shared.watch.crashed(&query_id, &sink, batch_id, point);
                self.crashed(point, Some(batch_id));
            }
            StepOutcome::NoQuery => self.refuse("step", "no query is running"),
        }
    }

    fn stop_queries(&mut self) {
        let Some(engine) = &self.engine else {
            return self.refuse("stop", "no session is running");
        };
        if let Err(error) = engine.stop_queries() {
            self.refuse("stop", error.to_string());
        }
        self.resume();
    }

    fn crash(&mut self, point: Option<CrashPoint>) {
        let Some(engine) = &self.engine else {
            return self.refuse("crash", "no session is running");
        };
        match point {
            None => self.crashed(None, None),
            // The next batch will meet it.
            Some(point) => engine.set_crash_point(match point {
                CrashPoint::OffsetsWritten => EnginePoint::OffsetsWritten,
                CrashPoint::SinkDone => EnginePoint::SinkDone,
                CrashPoint::CommitWritten => EnginePoint::CommitWritten,
            }),
        }
    }

    /// The session is gone, its files stay as they are.
    fn crashed(&mut self, point: Option<CrashPoint>, batch: Option<i64>) {
        if let Some(engine) = self.engine.take() {
            self.clock_ms = engine.clock_ms();
        }
        self.note_outcome(RunOutcome::CutOff);
        self.shared.commit();
        self.shared.event(Event::Crashed { point, batch });
        self.moment(MomentKind::Crashed { point, batch });
    }

    fn generate(&mut self, wanted: &Generate) {
        for (path, content) in generate::files(&self.shared.fs, wanted) {
            self.change("generate", |fs, now| files::write(fs, &path, &content, now));
        }
    }

    /// A change by hand. The clock moves on by a millisecond, so that files keep the order in which they came.
    fn change(&mut self, command: &str, act: impl FnOnce(&MemoryFs, i64) -> FsResult<()>) {
        self.tick();
        if let Err(error) = act(&self.shared.fs, self.clock_ms) {
            self.refuse(command, error.to_string());
        }
    }

    fn tick(&mut self) {
        match &self.engine {
            Some(engine) => {
                engine.pass_ms(1);
                self.clock_ms = engine.clock_ms();
            }
            None => self.clock_ms += 1,
        }
    }

    fn kafka(&mut self, command: KafkaCommand) {
        self.tick();
        match self.inputs.kafka(command, self.clock_ms) {
            Ok(answer) => answer.into_iter().for_each(|event| self.shared.event(event)),
            Err(error) => self.refuse("kafka", error.to_string()),
        }
    }

    fn socket(&mut self, command: SocketCommand) {
        self.tick();
        if let Some(message) = self.inputs.socket(command, self.clock_ms) {
            self.refuse("socket", message);
        }
    }

    fn read_file(&self, path: &str) {
        match self.shared.fs.read(path) {
            Ok(content) => {
                let content = content.to_vec();
                self.shared.event(Event::FileContent { path: path.to_owned(), content, text: None });
            }
            Err(error) => self.refuse("read", error.to_string()),
        }
    }

    /// The session's time zone, in which rows are shown.
    fn zone(&self) -> Zone {
        self.engine.as_ref().map_or(Zone::UTC, |engine| engine.sql().conf.borrow().time_zone().clone())
    }

    fn read_batch(&self, query: &str, batch: i64, offset: usize, limit: usize) {
        let kept = self.shared.kept.borrow();
        let rows = match kept.iter().find(|kept| kept.query == query && kept.batch == batch) {
            Some(kept) => report::cells(&kept.rows, &self.zone(), offset, limit),
            // After a reload only the rows of the report are left.
            None => match self.shared.ledger.borrow().batch(query, batch) {
                Some(report) => report.output.rows.iter().skip(offset).take(limit).cloned().collect(),
                None => return self.refuse("read batch", "this batch is not remembered"),
            },
        };
        self.shared.event(Event::BatchRows { query: query.to_owned(), batch, offset, rows });
    }

    fn explain(&self, path: &str) {
        match explain::file(&self.shared.fs, path) {
            Ok((content, text)) => {
                self.shared.event(Event::FileContent { path: path.to_owned(), content, text });
            }
            Err(message) => self.refuse("explain", message),
        }
    }
}

fn point_of(point: EnginePoint) -> CrashPoint {
    match point {
        EnginePoint::OffsetsWritten => CrashPoint::OffsetsWritten,
        EnginePoint::SinkDone => CrashPoint::SinkDone,
        EnginePoint::CommitWritten => CrashPoint::CommitWritten,
    }
}

/// Lays stored files; what cannot be laid (a file below a file) is left out.
fn refill(fs: &MemoryFs, changes: Vec<Change>) {
    for change in changes {
        let laid = match &change {
            Change::Dir { path, modified_ms } => {
                fs.create_dir_all(path, *modified_ms).and_then(|()| fs.set_modified(path, *modified_ms))
            }
            Change::File { path, content, modified_ms } => fs.write(path, content, *modified_ms),
            Change::Removed { .. } => Ok(()),
        };
        debug_assert!(laid.is_ok(), "{laid:?}");
    }
}
