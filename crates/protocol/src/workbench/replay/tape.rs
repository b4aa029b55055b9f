//! The stopwatch's readings: the one thing in a session that is not a function of its inputs. They are kept with the command in
//! which they were taken and given out again when it is replayed, so that reports come out the same to the last byte.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Readings kept of one command; those after them repeat the last when they are played.
const LIMIT: usize = 100_000;

/// Milliseconds from any origin.
pub(in crate::workbench) type Stopwatch = Rc<dyn Fn() -> i64>;

/// A stopwatch that remembers what it said.
pub(in crate::workbench) struct Tape {
    stopwatch: Option<Stopwatch>,
    /// Reading at the beginning.
    origin: i64,
    last: Cell<i64>,
    /// None: live.
    playing: RefCell<Option<VecDeque<i64>>>,
    taken: RefCell<Vec<i64>>,
}

impl Tape {
    pub(in crate::workbench) fn new(stopwatch: Option<Stopwatch>) -> Self {
        let origin = stopwatch.as_ref().map_or(0, |read| read());
        Self { stopwatch, origin, last: Cell::new(0), playing: RefCell::new(None), taken: RefCell::default() }
    }

    pub(in crate::workbench) fn stopwatch(&self) -> Option<Stopwatch> {
        self.stopwatch.clone()
    }

    pub(in crate::workbench) fn read(&self) -> i64 {
        let reading = match (&mut *self.playing.borrow_mut(), &self.stopwatch) {
            (Some(readings), _) => readings.pop_front().unwrap_or_else(|| self.last.get()),
            (None, Some(stopwatch)) => stopwatch() - self.origin,
            (None, None) => return 0,
        };
        self.last.set(reading);
        let mut taken = self.taken.borrow_mut();
        if taken.len() < LIMIT {
            taken.push(reading);
        }
        reading
    }

    /// A command begins: live, or with the readings of its first time.
    pub(super) fn begin(&self, readings: Option<Vec<i64>>) {
        self.taken.borrow_mut().clear();
        *self.playing.borrow_mut() = readings.map(VecDeque::from);
    }

    /// The command is over: what was read.
    pub(super) fn end(&self) -> Vec<i64> {
        *self.playing.borrow_mut() = None;
        std::mem::take(&mut self.taken.borrow_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_come_back_and_then_stand_still() {
        let now = Rc::new(Cell::new(100));
        let clock = now.clone();
        let tape = Tape::new(Some(Rc::new(move || clock.get())));
        tape.begin(None);
        let live = [107, 112].map(|ms| {
            now.set(ms);
            tape.read()
        });
        assert_eq!(live, [7, 12]);
        let readings = tape.end();
        now.set(900);
        tape.begin(Some(readings));
        assert_eq!([tape.read(), tape.read(), tape.read()], [7, 12, 12]);
    }
}
