//! The story of one event: its way through its own batch, and what the batches after that did with the state it went into.

use tidemark_streaming::fates::{self, Change, Course, EntryId, Hop, Verdict};

use super::{Kept, QueryBook, entry, place};
use crate::messages::{EventRef, Fact, Outcome, Step, Story};

/// Times that one row of state is followed out: in update mode a group comes out whenever it changes.
const MOST_EMISSIONS: usize = 4;
/// Rows that are followed of one call of the script's function.
const MOST_ROWS: usize = 5;
/// Steps of one story.
const MOST_STEPS: usize = 120;

/// A story as it is told.
struct Telling<'a> {
    book: &'a QueryBook,
    steps: Vec<Step>,
    ends: Vec<Outcome>,
}

impl QueryBook {
    pub(super) fn story(&self, batch: i64, kept: &Kept, at: usize) -> Story {
        let source = kept.events.get(at).map_or(0, |event| event.source);
        let event = kept.event_ref(batch, at).unwrap_or_else(|| EventRef {
            batch,
            arrival: kept.first,
            event_time_us: None,
            place: place(&fates::Place::Row { row: 0 }),
            row: String::new(),
        });
        let mut telling = Telling { book: self, steps: Vec::new(), ends: Vec::new() };
        telling.say(batch, 0, Fact::Read { place: event.place.clone(), source });
        if let Some(course) = kept.trace.courses.get(at) {
            telling.walk(course, batch, 0);
        }
        let outcome = outcome(&telling.ends);
        Story { event, source, outcome, steps: telling.steps }
    }
}

impl Telling<'_> {
    fn say(&mut self, batch: i64, depth: u8, fact: Fact) {
        if self.steps.len() < MOST_STEPS {
            self.steps.push(Step { batch, depth, fact });
        }
    }

    fn walk(&mut self, course: &Course, batch: i64, depth: u8) {
        for hop in &course.hops {
            match hop {
                Hop::Filter { condition, kept } => {
                    self.say(batch, depth, Fact::Filter { condition: condition.clone(), kept: *kept });
                    if !kept {
                        self.ends.push(Outcome::Filtered);
                    }
                }
                Hop::Joined { rows } => {
                    self.say(batch, depth, Fact::Joined { rows: *rows as u64 });
                    if *rows == 0 {
                        self.ends.push(Outcome::Gone);
                    }
                }
                Hop::Met(meeting) => self.meet(meeting, batch, depth),
                Hop::Out { row } => {
                    self.say(batch, depth, Fact::Out { row: row.map(|row| row as u64) });
                    self.ends.push(Outcome::Out);
                }
                Hop::Unknown { reason } => {
                    self.say(batch, depth, Fact::Unknown { reason: reason.clone() });
                    self.ends.push(Outcome::Unknown);
                }
            }
        }
        for branch in &course.branches {
            self.walk(branch, batch, depth.saturating_add(1));
        }
    }

    fn meet(&mut self, meeting: &fates::Meeting, batch: i64, depth: u8) {
        let met = Fact::Met {
            entry: entry(&meeting.entry),
            side: meeting.side.map(str::to_owned),
            time_us: meeting.time_us,
            late_watermark_ms: meeting.late_watermark_ms,
        };
        self.say(batch, depth, met);
        match meeting.verdict {
            Verdict::Late { window } => {
                let watermark_us = meeting.late_watermark_ms.unwrap_or(0).saturating_mul(1000);
                let boundary_us = meeting.time_us.unwrap_or(watermark_us);
                self.say(batch, depth, Fact::Late { boundary_us, watermark_us, window });
                self.ends.push(Outcome::Dropped);
            }
            Verdict::Stored => {
                self.say(batch, depth, Fact::Stored);
                self.follow(&meeting.entry, batch, depth);
            }
            Verdict::NotKept => {
                self.say(batch, depth, Fact::NotKept);
                let before = self.steps.len();
                self.follow(&meeting.entry, batch, depth);
                if self.steps.len() == before {
                    self.ends.push(Outcome::Gone);
                }
            }
            Verdict::First => {
                self.say(batch, depth, Fact::First);
                // The key stays after the row has gone on.
                if let Some(waiting) = self.book.waiting(&meeting.entry)
                    && self.book.left_in(&meeting.entry.id, batch).is_none()
                {
                    self.say(batch, depth, waiting);
                }
            }
            Verdict::Duplicate => {
                self.say(batch, depth, Fact::Duplicate);
                self.ends.push(Outcome::Duplicate);
            }
            Verdict::Within => {}
            Verdict::OverLimit { limit } => {
                self.say(batch, depth, Fact::OverLimit { limit: limit as u64 });
                self.ends.push(Outcome::Gone);
            }
            Verdict::Called => self.follow(&meeting.entry, batch, depth),
        }
    }

    /// What became of a row of state from a batch on.
    fn follow(&mut self, start: &fates::Entry, from: i64, depth: u8) {
        let kept = !matches!(self.steps.last(), Some(Step { fact: Fact::NotKept, .. }));
        let mut now = start.clone();
        let (mut out, mut emissions, mut done) = (false, 0, !kept);
        let mut called = false;
        'batches: for (batch, kept) in self.book.batches.range(from..) {
            let batch = *batch;
            for news in kept.trace.news.iter() {
                if news.entry != now.id {
                    continue;
                }
                let watermark_ms = Some(eviction(kept, &now));
                match &news.change {
                    Change::Emitted { course } => {
                        emissions += 1;
                        out = true;
                        if emissions <= MOST_EMISSIONS {
                            self.say(batch, depth, Fact::Emitted { watermark_ms: watermark_ms.filter(|_| now.emits) });
                            self.walk(course, batch, depth);
                        }
                        // In append mode a row of state leaves with its output.
                        if now.emits {
                            done = true;
                            break 'batches;
                        }
                    }
                    Change::Removed { watermark_ms } => {
                        self.say(batch, depth, Fact::Removed { watermark_ms: Some(*watermark_ms) });
                        if !out {
                            self.ends.push(Outcome::Gone);
                        }
                        done = true;
                        break 'batches;
                    }
                    Change::Taken => {
                        done = true;
                        break 'batches;
                    }
                    Change::Grown(entry) => {
                        if entry.window != now.window
                            && let Some(window) = entry.window
                        {
                            self.say(batch, depth, Fact::Merged { window });
                        }
                        now = (**entry).clone();
                    }
                    Change::Merged(entry) => {
                        now = (**entry).clone();
                        if let Some(window) = now.window {
                            self.say(batch, depth, Fact::Merged { window });
                        }
                    }
                    Change::Matched { partner, course } => {
                        emissions += 1;
                        out = true;
                        if emissions <= MOST_EMISSIONS {
                            self.say(batch, depth, Fact::Matched { partner: Some(partner.clone()) });
                            self.walk(course, batch, depth);
                        }
                    }
                    Change::NullRow { course } => {
                        out = true;
                        self.say(batch, depth, Fact::NullRow);
                        self.walk(course, batch, depth);
                    }
                    Change::Called { timed_out, due, courses } => {
                        now.due = *due;
                        let rows = Some(courses.len() as u64);
                        if *timed_out {
                            self.say(batch, depth, Fact::TimedOut { rows });
                        } else if batch == from && !called {
                            called = true;
                            self.say(batch, depth, Fact::Called { rows });
                        } else {
                            continue;
                        }
                        out |= !courses.is_empty();
                        for course in courses.iter().take(MOST_ROWS) {
                            self.walk(course, batch, depth);
                        }
                    }
                }
            }
        }
        if done {
            return;
        }
        // A row of a join that has found its partner does not come out alone.
        now.emits &= !out;
        let Some(waiting) = self.book.waiting(&now) else { return };
        let newest = self.book.batches.last_key_value().map_or(from, |(batch, _)| *batch);
        if now.emits && matches!(waiting, Fact::Waiting { due_ms: Some(_), .. }) {
            self.ends.push(Outcome::Waiting);
        } else {
            self.ends.push(Outcome::Held);
        }
        self.say(newest, depth, waiting);
    }
}

/// The eviction watermark that an operator had in a batch.
fn eviction(kept: &Kept, entry: &fates::Entry) -> i64 {
    let operator = kept.evictions.iter().find(|(id, _)| *id == entry.id.operator);
    operator.map_or(0, |(_, watermark)| *watermark)
}

impl QueryBook {
    /// The batch in which a row of state left, after a batch.
    pub(super) fn left_in(&self, id: &EntryId, from: i64) -> Option<i64> {
        let left = |kept: &Kept| {
            kept.trace.news.iter().any(|news| news.entry == *id && matches!(news.change, Change::Removed { .. }))
        };
        self.batches.range(from..).find(|(_, kept)| left(kept)).map(|(batch, _)| *batch)
    }
}

/// All branches in one word: what is still to come goes first.
fn outcome(ends: &[Outcome]) -> Outcome {
    let has = |outcome: Outcome| ends.contains(&outcome);
    let dropped = ends.iter().filter(|end| **end == Outcome::Dropped).count();
    match dropped {
        0 => {}
        all if all == ends.len() => return Outcome::Dropped,
        _ => return Outcome::PartlyDropped,
    }
    let order = [
        Outcome::Waiting,
        Outcome::Out,
        Outcome::Held,
        Outcome::Duplicate,
        Outcome::Filtered,
        Outcome::Gone,
        Outcome::Unknown,
    ];
    order.into_iter().find(|outcome| has(*outcome)).unwrap_or(Outcome::Unknown)
}
