//! Time travel and the second run. Going back is replaying: a second workbench is built from the workspace as it was before a run
//! of the script, and does again what was done, up to the moment asked for. A what-if is the same with something changed.

mod account;
mod journal;
mod memory;
mod recorder;
mod recut;
mod second;
mod tape;
#[cfg(test)]
mod tests;
mod verdict;
mod watch;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use tidemark_vfs::Snapshot;

use super::{Output, Workbench};
use crate::messages::{Changes, Command, CrashPoint, Event, MomentKind, ReplayCommand, ReplayEvent, Second};

use journal::{Base, Deed, Entry, Journal};
use memory::Memory;
pub use recorder::{Held, Recorder};
pub(super) use tape::Tape;
pub(super) use watch::{Frozen, Watch};

/// What a workbench has of its past, and of the run beside it.
pub(super) struct Replay {
    journal: Journal,
    pub(super) tape: Rc<Tape>,
    /// What the script's run has instead of what it says.
    pub(super) changes: Option<Changes>,
    /// The run beside this one.
    second: Option<Beside>,
    job: Option<Job>,
    /// The session before, for questions.
    memory: Option<Memory>,
    /// Questions are answered from what it has found, whatever has happened meanwhile.
    answering: bool,
    recorder: Option<Rc<RefCell<Recorder>>>,
    /// This is the second run of another workbench.
    nested: bool,
    /// The session was cut off in the midst of a command: it can be looked at, and not go on.
    stale: bool,
    /// Earlier moments than the journal's first are forgotten.
    lost: bool,
    /// Moments that the page knows of.
    told: usize,
}

/// The second run.
struct Beside {
    bench: Box<Workbench>,
    kind: Second,
    /// It can only be looked at.
    past: bool,
    /// The journal entry that it has come to, if it may go on from there: segment and entry.
    stands: Option<(usize, usize)>,
}

/// A replay under way.
struct Job {
    plan: VecDeque<Planned>,
    done: usize,
    total: usize,
    /// Where the second run stands at the end.
    stands: Option<(usize, usize)>,
}

/// A step of a replay.
enum Planned {
    Deed(Box<PlannedDeed>),
    /// Triggers until one finds nothing, at most so many.
    Idle(usize),
    /// One trigger; where no query runs, the script again.
    Trigger {
        text: String,
    },
    /// The same, unless the run before has run a batch of its own accord.
    FirstTrigger {
        text: String,
    },
}

/// Something to do again.
struct PlannedDeed {
    deed: Deed,
    cut: Option<usize>,
    readings: Vec<i64>,
    changes: Option<Changes>,
    /// The journal's segment that begins here, whose base is not known.
    finds: Option<usize>,
}

impl Replay {
    /// Of a workspace that is opened. `stored`: the records of its journal, where it is not new.
    pub(super) fn open(
        stored: Option<Vec<(String, String)>>,
        files: Snapshot,
        seed: u64,
        clock_ms: i64,
        tape: Rc<Tape>,
    ) -> Self {
        let found = stored.as_deref().and_then(Journal::restore);
        let lost = stored.is_some() && found.is_none();
        let base = Base { files, ..Base::empty(clock_ms, seed) };
        // A page that knows moments of before has to hear that they are gone.
        let told = if lost { usize::MAX } else { 0 };
        Self { lost, told, ..Self::new(found.unwrap_or_else(|| Journal::new(base)), tape) }
    }

    fn new(journal: Journal, tape: Rc<Tape>) -> Self {
        Self {
            journal,
            tape,
            changes: None,
            second: None,
            job: None,
            memory: None,
            answering: false,
            recorder: None,
            nested: false,
            stale: false,
            lost: false,
            told: 0,
        }
    }
}

impl Replay {
    /// Whether the session was cut off: its clock has gone on, the workspace's has not.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }
}

impl Workbench {
    /// The workspace as it is while no session lives.
    pub(super) fn base(&self) -> Base {
        Base {
            files: self.shared.fs.snapshot(),
            ledger: self.shared.ledger.borrow().clone(),
            kept: self.shared.kept.borrow().clone(),
            sockets: (*self.inputs.sockets).clone(),
            clock_ms: self.clock_ms,
            seed: self.seed,
        }
    }

    /// Carries a command out, and notes it in the journal if it changes anything.
    pub(super) fn obey(&mut self, command: Command) {
        if journal::changes(&command) {
            self.record(Deed::Command(command), None, None, None);
        } else {
            self.carry_out(command);
        }
    }

    pub(super) fn wake(&mut self) {
        let deed = Deed::Wake { clock_ms: self.clock_ms, seed: self.seed };
        self.record(deed, None, None, None);
    }

    /// Does something and notes it. `cut`: it ends after so many batches. `readings`: of the stopwatch, the first time.
    fn record(&mut self, deed: Deed, cut: Option<usize>, readings: Option<Vec<i64>>, changes: Option<Changes>) {
        let (clock_ms, seed) = (self.clock_ms, self.seed);
        let is_run = matches!(deed, Deed::Command(Command::Run { .. }));
        let asked = if is_run { self.forget_memory() } else { Vec::new() };
        if is_run || matches!(deed, Deed::Wake { .. }) {
            self.end_session();
            self.replay.stale = false;
        }
        let base = matches!(deed, Deed::Wake { .. }).then(|| self.base()).or_else(|| is_run.then(|| self.base()));
        self.replay.tape.begin(readings);
        self.shared.watch.begin(cut, self.interrupt_handle());
        if is_run {
            self.replay.changes.clone_from(&changes);
            self.shared.watch.count_run();
        }
        match deed.clone() {
            Deed::Command(command) => self.carry_out(command),
            Deed::Wake { clock_ms, seed } => {
                (self.clock_ms, self.seed) = (clock_ms, seed);
                self.shared.kept.borrow_mut().clear();
                self.inputs.sockets = Rc::default();
            }
        }
        self.thaw();
        if is_run && self.shared.watch.is_without_moments() {
            self.moment(MomentKind::Started);
        }
        let entry = Entry { deed, readings: self.replay.tape.end(), moments: self.shared.watch.take(), cut, changes };
        self.note(entry, base, (clock_ms, seed));
        asked.into_iter().for_each(|command| self.carry_out(command));
    }

    fn note(&mut self, entry: Entry, base: Option<Base>, before: (i64, u64)) {
        let laid = self.shared.watch.take_laid();
        if laid {
            self.discard();
            self.forget_memory();
        }
        let journal = &mut self.replay.journal;
        let mut records = Vec::new();
        if laid {
            let (clock_ms, seed) = before;
            journal.restart(clock_ms, seed);
            self.replay.lost = false;
            if self.replay.told > 0 {
                self.replay.told = usize::MAX;
            }
            let deed = Deed::Wake { clock_ms, seed };
            let wake = Entry { deed, readings: Vec::new(), moments: Vec::new(), cut: None, changes: None };
            records.extend(journal.add(wake, None));
        }
        records.extend(journal.add(entry, base));
        let mut ledger = self.shared.ledger.borrow_mut();
        for (key, value) in records {
            ledger.set_record(key, value);
        }
        drop(ledger);
        self.tell_moments();
    }

    /// Says what moments there are beyond those that the page knows.
    fn tell_moments(&mut self) {
        if self.replay.nested {
            return;
        }
        let moments = self.replay.journal.moments();
        let (first, count) = (self.replay.journal.first, moments.len());
        let from = if self.replay.told == usize::MAX { first } else { self.replay.told.max(first) };
        if self.replay.told == first + count {
            return;
        }
        self.replay.told = first + count;
        let moments = moments.into_iter().skip(from - first).collect();
        let lost = self.replay.lost || first > 0;
        self.shared.event(Event::Replay(ReplayEvent::Moments { first: from, moments, lost }));
    }

    /// A moment has come that one can go back to.
    pub(super) fn moment(&self, kind: MomentKind) {
        self.shared.watch.moment(kind, self.clock_ms);
    }

    /// A command that was cut off has come to its end: the workspace is as it was at the cut.
    fn thaw(&mut self) {
        let Some(frozen) = self.shared.watch.thaw() else { return };
        self.shared.fs.restore(&frozen.files);
        self.shared.fs.take_journal();
        *self.shared.ledger.borrow_mut() = frozen.ledger;
        *self.shared.kept.borrow_mut() = frozen.kept;
        self.clock_ms = frozen.clock_ms;
        self.replay.stale = true;
    }

    fn end_session(&mut self) {
        if let Some(engine) = self.engine.take()
            && !self.replay.stale
        {
            self.clock_ms = engine.clock_ms();
        }
    }

    /// What the page asks of the past and of the second run.
    pub(super) fn handle_replay(&mut self, command: ReplayCommand) {
        if self.replay.nested {
            self.refuse("replay", "this is the second run already");
            return self.settle();
        }
        if let ReplayCommand::Stop = command {
            self.stop_replay();
            return self.settle();
        }
        self.finish_replay();
        match command {
            ReplayCommand::Goto { moment } => self.go_to(moment),
            ReplayCommand::Branch => self.branch(),
            ReplayCommand::WhatIf { changes } => self.what_if(changes),
            ReplayCommand::Cuts { query } => self.cuts(&query),
            ReplayCommand::Recut { query, sizes } => self.recut(query, sizes),
            ReplayCommand::Ask(command) => self.ask_second(*command),
            ReplayCommand::Adopt => self.adopt(),
            ReplayCommand::Discard => self.discard(),
            ReplayCommand::Stop => {}
            ReplayCommand::Verdict { text } => self.verdict(&text),
        }
        if self.replay.job.is_none() {
            self.settle();
        }
    }

    /// Whether a replay is under way: [`Workbench::proceed`] carries it on.
    pub fn is_replaying(&self) -> bool {
        self.replay.job.is_some() || self.is_recalling()
    }

    /// Whether what is under way is only about the answer to a question: other commands need not wait for it.
    pub fn is_recalling(&self) -> bool {
        self.replay.job.is_none() && self.replay.memory.as_ref().is_some_and(Memory::is_building)
    }

    pub(super) fn finish_replay(&mut self) {
        while self.replay.job.is_some() {
            self.proceed();
        }
    }

    /// Ends a replay that is under way; the command that asked for it is settled.
    pub fn stop_replay(&mut self) {
        if self.replay.job.take().is_some() {
            self.discard();
            self.settle();
        }
    }

    fn discard(&mut self) {
        if self.replay.second.take().is_some() {
            self.shared.event(Event::Replay(ReplayEvent::Closed));
        }
    }

    /// What a store would hold of the second run, without its journal: for tests of replays.
    pub fn second_stored(&self) -> Option<super::Stored> {
        let second = self.replay.second.as_ref()?;
        Some(second.bench.stored())
    }

    /// Records what a store would hold after each moment of a second run: for tests of replays.
    pub fn record_second(&mut self, recorder: Rc<RefCell<Recorder>>) {
        self.replay.recorder = Some(recorder);
    }

    /// Everything that a store would hold.
    fn stored(&self) -> super::Stored {
        let mut records = self.shared.ledger.borrow().records();
        records.sort();
        super::Stored { files: super::files::all(&self.shared.fs), records }
    }
}

/// What the second run says, as the first passes it on. Its commits go nowhere.
fn said_by_second(out: Rc<dyn Fn(Output)>, recorder: Option<Rc<RefCell<Recorder>>>) -> Rc<dyn Fn(Output)> {
    Rc::new(move |output| {
        if let Some(recorder) = &recorder {
            recorder.borrow_mut().hear(&output);
        }
        if let Output::Event(event) = output {
            out(Output::Event(Event::Replay(ReplayEvent::Said(Box::new(event)))));
        }
    })
}

/// The crash that a command arms.
fn armed(command: &Command) -> Option<CrashPoint> {
    match command {
        Command::Crash { point } => *point,
        _ => None,
    }
}
