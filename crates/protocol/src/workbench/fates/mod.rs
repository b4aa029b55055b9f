//! The fate of rows: keeps what the engine says of each batch, and answers questions about single rows from it.

mod behind;
mod story;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_streaming::api::{BatchObservation, EventObservation};
use tidemark_streaming::fates::{self, BatchTrace, Course, Due, Hop, Verdict};

use super::Workbench;
use super::ledger::Ledger;
use crate::messages::{
    BatchReport, Command, DroppedEvent, Entry, Event, EventRef, Fact, FatesCommand, FatesEvent, Made, Need, Pick,
    Place, Told,
};

/// Events that are kept with their ways, over all queries; the oldest batches go first.
const KEPT_EVENTS: usize = 60_000;
/// Rows that the tray shows: the newest.
const TRAY: usize = 5_000;

/// What is kept of one batch.
struct Kept {
    /// Arrival number of the first event.
    first: u64,
    events: Vec<EventObservation>,
    trace: Rc<BatchTrace>,
    /// The eviction watermark of each operator, ms.
    evictions: Vec<(usize, i64)>,
}

#[derive(Clone, Default)]
struct QueryBook {
    batches: BTreeMap<i64, Rc<Kept>>,
    /// Dropped rows of batches that are not kept any more.
    lost: u64,
    /// Batches before this one were let go.
    before: i64,
}

/// The ways of all rows of a session, by query.
#[derive(Clone, Default)]
pub(super) struct Book {
    queries: BTreeMap<String, QueryBook>,
}

impl Book {
    pub(super) fn clear(&mut self) {
        self.queries.clear();
    }

    /// Keeps a batch; one that ran again takes the old one's place. `first`: arrival number of its first event.
    pub(super) fn add(&mut self, batch: &BatchObservation, first: u64) {
        let Some(trace) = batch.trace.clone() else { return };
        let evictions = batch.operators.iter().map(|o| (o.id, o.eviction_watermark_ms.unwrap_or(0))).collect();
        let kept = Rc::new(Kept { first, events: batch.events.clone(), trace, evictions });
        self.queries.entry(batch.query_id.clone()).or_default().batches.insert(batch.batch_id, kept);
        self.trim();
    }

    /// Takes what another book knows beyond this one.
    pub(super) fn take_in(&mut self, other: Book) {
        for (query, theirs) in other.queries {
            let mine = self.queries.entry(query).or_default();
            if mine.batches.is_empty() {
                *mine = theirs;
                continue;
            }
            for (batch, kept) in theirs.batches {
                if batch >= mine.before {
                    mine.batches.entry(batch).or_insert(kept);
                }
            }
        }
        self.trim();
    }

    /// The part of it that a workspace with this memory has.
    pub(super) fn known_to(&self, ledger: &Ledger) -> Book {
        let mut book = self.clone();
        book.queries.retain(|query, own| {
            own.batches.retain(|batch, _| ledger.batch(query, *batch).is_some());
            !own.batches.is_empty()
        });
        book
    }

    /// Whether all there is to know of a batch is here, or too old to be kept.
    pub(super) fn has(&self, query: &str, batch: i64) -> bool {
        self.queries.get(query).is_some_and(|book| batch < book.before || book.batches.contains_key(&batch))
    }

    fn trim(&mut self) {
        let count = |book: &QueryBook| book.batches.values().map(|kept| kept.events.len()).sum::<usize>();
        let mut total: usize = self.queries.values().map(count).sum();
        for book in self.queries.values_mut() {
            while total > KEPT_EVENTS && book.batches.len() > 1 {
                let Some((batch, kept)) = book.batches.pop_first() else { break };
                total -= kept.events.len();
                book.lost += kept.dropped(0).count() as u64 + kept.trace.late_rows.len() as u64;
                book.before = batch + 1;
            }
        }
    }

    fn told(&self, query: &str, pick: &Pick) -> Told {
        let unknown = |reason: &str| Told::Unknown { reason: reason.to_owned() };
        let Some(book) = self.queries.get(query) else {
            return unknown("The rows of this query were not followed, and what was done is not remembered.");
        };
        match pick {
            Pick::Event { batch, arrival } => match book.event(*batch, *arrival) {
                Some((kept, at)) => Told::Event(Box::new(book.story(*batch, kept, at))),
                None => unknown("This row was not followed, or it came too long ago."),
            },
            Pick::Output { batch, row } => book.behind_output(*batch, *row),
            Pick::State { operator, partition, key } => book.behind_state(*operator, *partition, key),
        }
    }

    fn dropped(&self, query: &str) -> (Vec<DroppedEvent>, u64) {
        let Some(book) = self.queries.get(query) else { return (Vec::new(), 0) };
        let mut rows: Vec<DroppedEvent> = book.batches.iter().flat_map(|(batch, kept)| kept.dropped(*batch)).collect();
        rows.extend(book.dropped_made());
        rows.sort_by_key(|row| row.batch);
        let over = rows.len().saturating_sub(TRAY);
        rows.drain(..over);
        (rows, book.lost + over as u64)
    }
}

impl QueryBook {
    fn event(&self, batch: i64, arrival: u64) -> Option<(&Kept, usize)> {
        let kept = &**self.batches.get(&batch)?;
        let at = usize::try_from(arrival.checked_sub(kept.first)?).ok()?;
        (at < kept.events.len()).then_some((kept, at))
    }

    /// What a row of state waits for.
    fn waiting(&self, entry: &fates::Entry) -> Option<Fact> {
        let trace = &self.batches.last_key_value()?.1.trace;
        let behind_ms =
            trace.operators.iter().find(|rule| rule.id == entry.id.operator).and_then(|rule| rule.behind_ms);
        let watermark_ms = trace.next_watermark_ms - behind_ms.unwrap_or(0);
        let mut fact = (None, false, Vec::new(), false);
        match entry.due {
            Due::Script => return Some(Fact::ByScript),
            Due::Never => {}
            Due::Clock(ms) => fact = (Some(ms), true, Vec::new(), false),
            Due::Watermark(ms) => {
                let wanted = ms.saturating_add(behind_ms.unwrap_or(0));
                let there = trace.next_watermark_ms >= wanted;
                let short = trace
                    .marks
                    .iter()
                    .filter(|mark| !there && (trace.any_mark || mark.watermark_ms.unwrap_or(0) < wanted));
                let needs = short.map(|mark| Need {
                    at_us: wanted.saturating_add(mark.delay_ms).saturating_mul(1000),
                    sources: mark.sources.clone(),
                    column: mark.column.clone(),
                    delay_ms: mark.delay_ms,
                });
                // Without a watermark below it, an operator waits for ever.
                fact = (behind_ms.map(|_| ms), false, needs.collect(), there && behind_ms.is_some());
            }
        }
        let (due_ms, by_clock, needs, next_trigger) = fact;
        Some(Fact::Waiting {
            due_ms,
            by_clock,
            watermark_ms,
            behind_ms: behind_ms.unwrap_or(0),
            emits: entry.emits,
            needs,
            any: trace.any_mark,
            next_trigger,
        })
    }
}

impl Kept {
    fn event_ref(&self, batch: i64, at: usize) -> Option<EventRef> {
        let event = self.events.get(at)?;
        Some(EventRef {
            batch,
            arrival: self.first + at as u64,
            event_time_us: event.event_time_us,
            place: place(&event.place),
            row: event.row.clone(),
        })
    }

    /// Events that an operator refused.
    fn dropped(&self, batch: i64) -> impl Iterator<Item = DroppedEvent> + '_ {
        self.trace.courses.iter().enumerate().flat_map(move |(at, course)| {
            let mut found = Vec::new();
            late(course, &mut found);
            found.into_iter().filter_map(move |meeting| refused(batch, self.event_ref(batch, at)?, None, meeting))
        })
    }
}

/// A row of the tray; None: it was not refused as late.
fn refused(batch: i64, event: EventRef, made: Option<Made>, meeting: &fates::Meeting) -> Option<DroppedEvent> {
    Some(DroppedEvent {
        batch,
        event,
        made,
        operator: meeting.entry.id.operator,
        operator_name: meeting.entry.name.clone(),
        window: meeting.entry.window,
        boundary_us: meeting.time_us?,
        watermark_us: meeting.late_watermark_ms?.saturating_mul(1000),
    })
}

fn late<'a>(course: &'a Course, found: &mut Vec<&'a fates::Meeting>) {
    for hop in &course.hops {
        if let Hop::Met(meeting) = hop
            && matches!(meeting.verdict, Verdict::Late { .. })
        {
            found.push(meeting);
        }
    }
    for branch in &course.branches {
        late(branch, found);
    }
}

fn place(place: &fates::Place) -> Place {
    match place {
        fates::Place::File { name, row } => Place::File { name: name.clone(), row: *row as u64 },
        fates::Place::Kafka { topic, partition, offset } => {
            Place::Kafka { topic: topic.clone(), partition: *partition, offset: *offset }
        }
        fates::Place::Row { row } => Place::Row { row: *row as u64 },
    }
}

fn entry(entry: &fates::Entry) -> Entry {
    Entry {
        operator: entry.id.operator,
        name: entry.name.clone(),
        partition: entry.partition,
        key: entry.key.clone(),
        window: entry.window,
    }
}

impl Workbench {
    pub(super) fn fates(&mut self, command: FatesCommand) {
        let wanted = match &command {
            FatesCommand::Tell { query, .. } => Some(query).filter(|query| !self.has_all(query, |_| true)),
            FatesCommand::Dropped { query } => {
                Some(query).filter(|query| !self.has_all(query, |report| report.dropped_rows > 0))
            }
            FatesCommand::Follow { .. } => None,
        };
        if wanted.cloned().is_some_and(|query| self.recall(&query, Command::Fates(command.clone()))) {
            return;
        }
        let book = self.shared.book.borrow();
        let event = match command {
            FatesCommand::Tell { query, pick } => {
                let told = book.told(&query, &pick);
                FatesEvent::Told { query, pick, told }
            }
            FatesCommand::Dropped { query } => {
                let (rows, lost) = book.dropped(&query);
                FatesEvent::Dropped { query, rows, lost }
            }
            FatesCommand::Follow { on } => return self.shared.follow.set(on),
        };
        self.shared.event(Event::Fates(event));
    }

    /// Whether the ways of the rows of these batches of a query are known.
    fn has_all(&self, query: &str, which: impl Fn(&BatchReport) -> bool) -> bool {
        let (ledger, book) = (self.shared.ledger.borrow(), self.shared.book.borrow());
        let mut wanted = ledger.batches().filter(|report| report.query == query && which(report));
        wanted.all(|report| book.has(&report.query, report.batch))
    }

    /// Whether the ways of the rows of all batches that are remembered are known.
    pub(super) fn book_is_whole(&self) -> bool {
        let (ledger, book) = (self.shared.ledger.borrow(), self.shared.book.borrow());
        ledger.batches().all(|report| book.has(&report.query, report.batch))
    }
}
