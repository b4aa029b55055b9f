//! The session before a reload, a crash or another run, built again by replay where a question needs it: what became of its
//! rows, what its state held, how its plan looked. Nothing of it is stored, and nothing goes on from it.

use std::collections::VecDeque;
use std::rc::Rc;

use tidemark_sql::expr::ExprId;

use super::journal::Entry;
use super::{Planned, PlannedDeed, Tape};
use crate::messages::{Command, Event, FatesEvent, InspectCommand, InspectEvent, MomentKind};
use crate::workbench::Workbench;

/// The journal up to a place: segment, entry, and the entry's batches if it is cut off after them.
type End = (usize, usize, Option<usize>);

/// A session that is built again, or has been.
pub(in crate::workbench) struct Memory {
    /// None where the session still lives and answers for itself.
    bench: Option<Box<Workbench>>,
    /// What is still to be done.
    plan: VecDeque<Planned>,
    total: usize,
    end: End,
    /// Questions that wait.
    asked: Vec<Command>,
}

impl Memory {
    pub(super) fn is_building(&self) -> bool {
        !self.plan.is_empty()
    }

    /// Does the next thing again.
    fn go_on(&mut self) {
        if let (Some(Planned::Deed(planned)), Some(bench)) = (self.plan.pop_front(), &mut self.bench) {
            let PlannedDeed { deed, cut, readings, changes, .. } = *planned;
            bench.record(deed, cut, Some(readings), changes);
            bench.settle();
        }
    }

    pub(in crate::workbench) fn look(&mut self, command: InspectCommand) -> Option<InspectEvent> {
        let bench = self.bench.as_mut()?;
        let others = ExprId::go_on_from(bench.next_id);
        let answer = bench.look(command);
        bench.next_id = ExprId::go_on_from(others);
        answer
    }
}

impl Workbench {
    /// Up to where a query's last session is built: to its last moment, which is now while it lives.
    fn session_end(&self, query: &str) -> Option<End> {
        if self.engine.as_ref().is_some_and(|engine| engine.query(query).is_some()) {
            return self.end().map(|(segment, entry)| (segment, entry, None));
        }
        let segments = &self.replay.journal.segments;
        let is_its = |kind: &MomentKind| matches!(kind, MomentKind::Batch { query: own, .. } if own == query);
        let its = |entry: &Entry| entry.moments.iter().any(|moment| is_its(&moment.kind));
        let segment = segments.iter().rposition(|segment| segment.entries.iter().any(its))?;
        let entries = &segments.get(segment)?.entries;
        let is_crash = |kind: &MomentKind| matches!(kind, MomentKind::Crashed { .. });
        let crash = entries
            .iter()
            .enumerate()
            .find_map(|(at, entry)| Some((at, entry.moments.iter().position(|moment| is_crash(&moment.kind))?)));
        match crash {
            None => Some((segment, entries.len().checked_sub(1)?, None)),
            Some((at, 0)) => Some((segment, at.checked_sub(1)?, None)),
            Some((at, batches)) => Some((segment, at, Some(batches))),
        }
    }

    /// Has a question wait until its query's last session is built again. False: it is not remembered, or stands already.
    pub(in crate::workbench) fn recall(&mut self, query: &str, asked: Command) -> bool {
        let may = !self.replay.nested && !self.replay.answering;
        let Some(end) = self.session_end(query).filter(|_| may) else { return false };
        if let Some(memory) = self.replay.memory.as_mut().filter(|memory| memory.end == end) {
            let waits = memory.is_building();
            if waits {
                memory.asked.push(asked);
            }
            return waits;
        }
        // The ways of rows are found from the beginning, the last session's state from its own.
        let first = if self.book_is_whole() { end.0 } else { 0 };
        let Some(from) = self.replay.journal.known(first) else { return false };
        let Some(base) = self.replay.journal.segments.get(from).and_then(|segment| segment.base.clone()) else {
            return false;
        };
        let mut plan = self.planned(from, (end.0, end.1), None);
        if let Some(Planned::Deed(last)) = plan.back_mut() {
            last.cut = end.2.or(last.cut);
        }
        let bench = Self::on(&base, None, Tape::new(self.replay.tape.stopwatch()), Rc::new(|_| {}));
        let asked = self.forget_memory().into_iter().chain([asked]).collect();
        let total = plan.len();
        self.replay.memory = Some(Memory { bench: Some(Box::new(bench)), plan, total, end, asked });
        self.shared.event(Event::Fates(FatesEvent::Recalling { done: 0, total }));
        true
    }

    /// The last session, where it has been built again.
    pub(in crate::workbench) fn remembered(&mut self) -> Option<&mut Memory> {
        self.replay.memory.as_mut().filter(|memory| !memory.is_building())
    }

    /// The next piece of the session that is built again; at its end the questions are answered.
    pub(super) fn recall_on(&mut self) {
        // The session that lives answers for itself, once the ways of the rows are known.
        let lives = self.engine.is_some();
        let Some(memory) = self.replay.memory.as_mut().filter(|memory| memory.is_building()) else { return };
        memory.go_on();
        let (left, total) = (memory.plan.len(), memory.total);
        if left == 0 {
            let book = memory.bench.as_ref().map(|bench| std::mem::take(&mut *bench.shared.book.borrow_mut()));
            let asked = std::mem::take(&mut memory.asked);
            if lives && asked.iter().all(|command| matches!(command, Command::Fates(_))) {
                memory.bench = None;
            }
            self.shared.book.borrow_mut().take_in(book.unwrap_or_default());
            self.replay.answering = true;
            asked.into_iter().for_each(|command| self.carry_out(command));
            self.replay.answering = false;
        }
        self.shared.event(Event::Fates(FatesEvent::Recalling { done: total - left, total }));
    }

    /// Lets the built session go; the questions that still wait for it.
    pub(super) fn forget_memory(&mut self) -> Vec<Command> {
        self.replay.memory.take().map(|memory| memory.asked).unwrap_or_default()
    }
}
