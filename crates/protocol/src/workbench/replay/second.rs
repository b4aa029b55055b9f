//! The run beside the workspace: built by replay, looked at, gone on with, and made the workspace.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_vfs::MemoryFs;

use super::journal::{self, Base, Deed, Journal};
use super::{Beside, Job, Planned, PlannedDeed, Recorder, Replay, Tape, armed, said_by_second};
use crate::messages::{Changes, Command, Event, ReplayEvent, Second};
use crate::workbench::inputs::Inputs;
use crate::workbench::observer::Shared;
use crate::workbench::{Output, Workbench};

/// Triggers that a what-if run has at most after the last that the person asked for.
const EXTRA_TRIGGERS: usize = 500;

impl Workbench {
    /// A workbench on a copy of a workspace.
    pub(super) fn on(base: &Base, journal: Option<Journal>, tape: Tape, out: Rc<dyn Fn(Output)>) -> Self {
        let fs = Arc::new(MemoryFs::new());
        fs.restore(&base.files);
        fs.take_journal();
        let mut inputs = Inputs::new(fs.clone());
        inputs.sockets = Rc::new(base.sockets.clone());
        let shared = Rc::new(Shared::new(fs, base.ledger.clone(), tape.stopwatch(), out));
        *shared.kept.borrow_mut() = base.kept.clone();
        let journal = match journal {
            Some(mut journal) => {
                journal.begin(base.clone());
                journal
            }
            None => Journal::new(base.clone()),
        };
        let replay = Replay { nested: true, ..Replay::new(journal, Rc::new(tape)) };
        Self {
            shared,
            inputs,
            engine: None,
            seed: base.seed,
            replay,
            clock_ms: base.clock_ms,
            next_id: 0,
            commands: 0,
            zone_said: "UTC".to_owned(),
        }
    }

    /// Opens the second run on a segment's base and plans what it does; [`Workbench::proceed`] does it.
    fn open_second(&mut self, kind: Second, segment: usize, plan: VecDeque<Planned>, stands: Option<(usize, usize)>) {
        let Some(base) = self.replay.journal.segments.get(segment).and_then(|segment| segment.base.clone()) else {
            return self.refuse("replay", "this moment is not remembered");
        };
        self.replay.second = None;
        let past = matches!(kind, Second::Past { .. });
        self.shared.event(Event::Replay(ReplayEvent::Opened(kind.clone())));
        let tape = Tape::new(self.replay.tape.stopwatch());
        let prefix = self.replay.journal.prefix(segment);
        let mut bench = Self::on(&base, prefix, tape, said_by_second(self.shared.out(), self.replay.recorder.clone()));
        *bench.shared.book.borrow_mut() = self.shared.book.borrow().known_to(&bench.shared.ledger.borrow());
        let memory = bench.shared.ledger.borrow().restored();
        let anything = !memory.queries.is_empty() || !memory.console.is_empty();
        bench.ready(anything.then_some(memory));
        bench.settle();
        if let Some(recorder) = &self.replay.recorder {
            *recorder.borrow_mut() = Recorder::starting_with(bench.stored());
        }
        self.replay.second = Some(Beside { bench: Box::new(bench), kind, past, stands: None });
        self.begin_job(plan, stands);
    }

    fn begin_job(&mut self, plan: VecDeque<Planned>, stands: Option<(usize, usize)>) {
        let total = plan.len();
        self.replay.job = Some(Job { plan, done: 0, total, stands });
        self.shared.event(Event::Replay(ReplayEvent::Progress { done: 0, total }));
    }

    /// Does the next piece of the replay that is under way.
    pub fn proceed(&mut self) {
        let Some(mut job) = self.replay.job.take() else { return self.recall_on() };
        if let Some(planned) = job.plan.pop_front() {
            self.do_planned(planned, &mut job);
            job.done += 1;
            let (done, total) = (job.done, job.total);
            self.shared.event(Event::Replay(ReplayEvent::Progress { done, total }));
            self.replay.job = Some(job);
            return;
        }
        if let Some(second) = &mut self.replay.second {
            second.stands = job.stands;
        }
        self.shared.event(Event::Replay(ReplayEvent::Arrived));
        self.settle();
    }

    fn do_planned(&mut self, planned: Planned, job: &mut Job) {
        let Some(second) = &mut self.replay.second else { return };
        let bench = &mut second.bench;
        match planned {
            Planned::Deed(planned) => {
                let PlannedDeed { deed, cut, readings, changes, finds } = *planned;
                if let Some(segment) = finds {
                    bench.end_session();
                    let base = bench.base();
                    if let Some(segment) = self.replay.journal.segments.get_mut(segment) {
                        segment.base.get_or_insert(base);
                    }
                }
                let did = match &deed {
                    Deed::Command(Command::Run { text }) => (Some(text.clone()), None),
                    Deed::Command(command) => (None, armed(command)),
                    Deed::Wake { .. } => (None, None),
                };
                self.shared.event(Event::Replay(ReplayEvent::Did { script: did.0, armed: did.1 }));
                bench.record(deed, cut, Some(readings), changes);
                bench.settle();
            }
            Planned::Idle(left) => {
                if left > 0 && self.second_trigger() {
                    job.plan.push_front(Planned::Idle(left - 1));
                    job.total += 1;
                }
            }
            Planned::Trigger { text } => {
                if bench.is_at_work() {
                    self.second_trigger();
                } else {
                    self.second_does(Command::Run { text });
                }
            }
            Planned::FirstTrigger { text } => {
                if bench.has_no_batch_of_last() {
                    job.plan.push_front(Planned::Trigger { text });
                }
            }
        }
    }

    /// One trigger of the second run; whether it ran a batch.
    fn second_trigger(&mut self) -> bool {
        let is_at_work = self.replay.second.as_ref().is_some_and(|second| second.bench.is_at_work());
        is_at_work && {
            self.second_does(Command::Step { query: None });
            self.replay.second.as_ref().is_some_and(|second| !second.bench.has_no_batch_of_last())
        }
    }

    fn second_does(&mut self, command: Command) {
        let Some(second) = &mut self.replay.second else { return };
        let script = if let Command::Run { text } = &command { Some(text.clone()) } else { None };
        self.shared.event(Event::Replay(ReplayEvent::Did { script, armed: None }));
        let changes = second.bench.replay.changes.clone();
        second.bench.record(Deed::Command(command), None, Some(Vec::new()), changes);
        second.bench.settle();
    }

    /// Whether a query runs.
    fn is_at_work(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.next_due_ms().is_some())
    }

    fn has_no_batch_of_last(&self) -> bool {
        use crate::messages::MomentKind::Batch;
        let last = self.replay.journal.segments.back().and_then(|segment| segment.entries.last());
        last.is_none_or(|entry| !entry.moments.iter().any(|moment| matches!(moment.kind, Batch { .. })))
    }

    /// The steps that do again what the journal has from a segment to an entry.
    pub(super) fn planned(&self, from: usize, to: (usize, usize), changes: Option<&Changes>) -> VecDeque<Planned> {
        let segments = &self.replay.journal.segments;
        let mut plan = VecDeque::new();
        for (number, segment) in segments.iter().enumerate().take(to.0 + 1).skip(from) {
            let count = if number == to.0 { to.1 + 1 } else { segment.entries.len() };
            for (at, entry) in segment.entries.iter().take(count).enumerate() {
                plan.push_back(Planned::Deed(Box::new(PlannedDeed {
                    deed: entry.deed.clone(),
                    cut: entry.cut,
                    readings: if changes.is_none() { entry.readings.clone() } else { Vec::new() },
                    changes: changes.cloned().or_else(|| entry.changes.clone()),
                    finds: (at == 0 && segment.base.is_none()).then_some(number),
                })));
            }
        }
        plan
    }

    pub(super) fn go_to(&mut self, moment: usize) {
        let journal = &self.replay.journal;
        let Some(place) = journal.place(moment) else {
            return self.refuse("go back", "this moment is not remembered");
        };
        let Some(known) = journal.known(place.segment) else {
            return self.refuse("go back", "this moment is not remembered");
        };
        let entry = &journal.segments[place.segment].entries[place.entry];
        let is_last = place.at + 1 == entry.moments.len();
        let cut = if is_last { entry.cut } else { Some(place.at + 1) };
        let here = (place.segment, place.entry);
        let stands = cut.is_none().then_some(here);
        let kind = Second::Past { moment };
        // Forward from where the second run stands, else anew.
        let ahead = self.replay.second.as_ref().filter(|second| second.past).and_then(|second| second.stands);
        let mut plan = self.planned(known, here, None);
        let forward = ahead.filter(|stands| *stands < here && stands.0 == place.segment);
        if let Some(stands) = forward {
            let skipped: usize = (known..place.segment).map(|at| self.replay.journal.segments[at].entries.len()).sum();
            plan.drain(..(skipped + stands.1 + 1).min(plan.len()));
        }
        if let (Some(Planned::Deed(last)), Some(_)) = (plan.back_mut(), cut) {
            last.cut = cut;
        }
        match (&mut self.replay.second, forward) {
            (Some(second), Some(_)) => {
                second.kind = kind.clone();
                second.stands = None;
                self.shared.event(Event::Replay(ReplayEvent::Forward(kind)));
                self.begin_job(plan, stands);
            }
            _ => self.open_second(kind, known, plan, stands),
        }
    }

    /// The last segment that has entries, and its last entry.
    pub(super) fn end(&self) -> Option<(usize, usize)> {
        let segments = &self.replay.journal.segments;
        let segment = segments.iter().rposition(|segment| !segment.entries.is_empty())?;
        Some((segment, segments[segment].entries.len() - 1))
    }

    /// The segment from which the present queries can be run again: that before their first batch.
    pub(super) fn first_segment(&self) -> Option<usize> {
        let queries: Vec<String> =
            self.shared.ledger.borrow().restored().queries.into_iter().map(|query| query.id).collect();
        self.replay.journal.first_of(&queries)
    }

    pub(super) fn what_if(&mut self, changes: Changes) {
        let (Some(first), Some(end)) = (self.first_segment(), self.end()) else {
            return self.refuse("what if", "nothing has run yet");
        };
        let Some(known) = self.replay.journal.known(first) else {
            return self.refuse("what if", "the beginning of this run is not remembered");
        };
        let mut plan = self.planned(known, end, Some(&changes));
        if changes.max_files.is_some() || changes.trigger.is_some() {
            // Other batches: as many as it takes to read what was read.
            plan.push_back(Planned::Idle(EXTRA_TRIGGERS));
        }
        self.open_second(Second::WhatIf { changes }, known, plan, None);
    }

    /// Opens the second run on the base before the present queries, with a plan of its own.
    pub(super) fn run_beside(&mut self, kind: Second, segment: usize, plan: VecDeque<Planned>) {
        self.open_second(kind, segment, plan, None);
    }

    pub(super) fn idle_plan() -> Planned {
        Planned::Idle(EXTRA_TRIGGERS)
    }

    /// The second run may be worked in.
    pub(super) fn branch(&mut self) {
        let Some(second) = &mut self.replay.second else {
            return self.refuse("branch", "go back to a batch first");
        };
        second.past = false;
        second.stands = None;
        if second.bench.replay.stale {
            // Its session stands in the midst of a command: it ends, as a killed driver's does.
            second.bench.engine = None;
            second.bench.replay.stale = false;
            second.bench.shared.event(Event::Crashed { point: None, batch: None });
        }
        self.shared.event(Event::Replay(ReplayEvent::Branched));
    }

    pub(super) fn ask_second(&mut self, command: Command) {
        let Some(second) = &mut self.replay.second else {
            return self.refuse("second run", "there is none any more");
        };
        if second.past && journal::changes(&command) {
            second.bench.refuse("the past", "it can only be looked at: branch from here to change it");
            second.bench.settle();
        } else {
            second.bench.handle(command);
        }
    }

    /// The second run takes the workspace's place, in the store too.
    pub(super) fn adopt(&mut self) {
        if self.replay.second.as_ref().is_some_and(|second| second.past) {
            self.branch();
        }
        let Some(second) = self.replay.second.take() else {
            return self.refuse("adopt", "there is no second run");
        };
        let old = std::mem::replace(self, *second.bench);
        self.shared.set_out(old.shared.out());
        self.commands = old.commands;
        self.replay.nested = false;
        self.replay.lost = old.replay.lost;
        self.replay.told = usize::MAX;
        let records = self.replay.journal.records();
        let mut ledger = self.shared.ledger.borrow_mut();
        ledger.put_everything();
        for (key, value) in records {
            ledger.set_record(key, Some(value));
        }
        drop(ledger);
        self.shared.commit_everything();
        self.shared.event(Event::Replay(ReplayEvent::Adopted));
        self.tell_moments();
    }
}
