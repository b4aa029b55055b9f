//! The events behind a row of output or of state.

use std::collections::{BTreeMap, BTreeSet};

use tidemark_streaming::fates::{self, Change, Course, EntryId, Hop, Verdict};

use super::{QueryBook, entry, place, refused};
use crate::messages::{Behind, DroppedEvent, EventRef, Made, Told};

/// Events that are listed of one row: the newest.
const LISTED: usize = 200;

/// Events that were found, by batch and place in it.
type Found = BTreeSet<(i64, usize)>;

/// What went into a row of state.
enum Part<'a> {
    /// An event, by its place in the batch.
    Event(usize),
    /// A row that came out of another row of state, or a session that became part of it.
    Entry(&'a EntryId),
}

/// What went into each row of state, and in which batch.
#[derive(Default)]
pub(super) struct Parts<'a>(BTreeMap<&'a EntryId, Vec<(i64, Part<'a>)>>);

impl<'a> Parts<'a> {
    pub(super) fn of(book: &'a QueryBook) -> Self {
        let mut parts = Self::default();
        for (batch, kept) in &book.batches {
            for (at, course) in kept.trace.courses.iter().enumerate() {
                parts.add(*batch, course, &move || Part::Event(at));
            }
            for news in &kept.trace.news {
                if let Change::Merged(into) = &news.change {
                    parts.0.entry(&into.id).or_default().push((*batch, Part::Entry(&news.entry)));
                }
                let entry = &news.entry;
                for course in news.change.courses() {
                    parts.add(*batch, course, &move || Part::Entry(entry));
                }
            }
        }
        parts
    }

    fn add(&mut self, batch: i64, course: &'a Course, part: &dyn Fn() -> Part<'a>) {
        for hop in &course.hops {
            if let Hop::Met(meeting) = hop
                && !matches!(meeting.verdict, Verdict::Late { .. } | Verdict::Duplicate)
            {
                self.0.entry(&meeting.entry.id).or_default().push((batch, part()));
            }
        }
        for branch in &course.branches {
            self.add(batch, branch, part);
        }
    }

    /// The events that are in a row of state, directly or through rows of operators before, up to a batch.
    fn events(&self, id: &EntryId, until: i64, found: &mut Found, seen: &mut BTreeSet<EntryId>) {
        if !seen.insert(id.clone()) {
            return;
        }
        for (batch, part) in self.0.get(id).into_iter().flatten().filter(|(batch, _)| *batch <= until) {
            match part {
                Part::Event(at) => drop(found.insert((*batch, *at))),
                Part::Entry(other) => self.events(other, *batch, found, seen),
            }
        }
    }
}

impl QueryBook {
    pub(super) fn behind_output(&self, batch: i64, row: usize) -> Told {
        let Some(kept) = self.batches.get(&batch) else {
            return Told::Unknown {
                reason: "The rows of this batch were not followed, or it ran too long ago.".to_owned(),
            };
        };
        let mut found = Found::new();
        let mut seen = BTreeSet::new();
        for (at, course) in kept.trace.courses.iter().enumerate() {
            if any(course, &|hop| *hop == Hop::Out { row: Some(row) }) {
                found.insert((batch, at));
            }
        }
        let mut from = None;
        let parts = Parts::of(self);
        for news in &kept.trace.news {
            if news.change.courses().iter().any(|course| any(course, &|hop| *hop == Hop::Out { row: Some(row) })) {
                from = from.or(Some(news.entry.clone()));
                parts.events(&news.entry, batch, &mut found, &mut seen);
            }
        }
        let entry = from.and_then(|id| self.view(&id)).map(|view| entry(&view));
        if found.is_empty() {
            let reason = match &entry {
                Some(_) => {
                    "It comes from a row of state that was made before rows were followed: its events are not known."
                }
                None => {
                    "Where this row comes from cannot be told: a function of the script, or a part of the plan that is \
                         not followed, stands between it and the events."
                }
            };
            return Told::Unknown { reason: reason.to_owned() };
        }
        self.listed(entry, None, &found)
    }

    pub(super) fn behind_state(&self, operator: usize, partition: usize, key: &[Option<String>]) -> Told {
        // A join's rows have a number after their key, which the engine gives and takes as it likes.
        let is_it = |view: &fates::Entry| {
            view.id.operator == operator
                && view.partition == partition
                && !view.key.is_empty()
                && view.key.len() <= key.len()
                && view.key.iter().zip(key).all(|((_, own), asked)| own == asked)
        };
        let mut ids = BTreeSet::new();
        let mut shown: Option<fates::Entry> = None;
        self.views(&mut |view| {
            if is_it(view) {
                ids.insert(view.id.clone());
                shown = Some(view.clone());
            }
        });
        let Some(view) = shown else {
            return Told::Unknown {
                reason: "No event that was followed is in this row of state: it was there before.".to_owned(),
            };
        };
        let newest = self.batches.last_key_value().map_or(0, |(batch, _)| *batch);
        let (mut found, mut seen) = (Found::new(), BTreeSet::new());
        let parts = Parts::of(self);
        for id in &ids {
            parts.events(id, newest, &mut found, &mut seen);
        }
        self.listed(Some(entry(&view)), self.waiting(&view), &found)
    }

    fn listed(
        &self,
        entry: Option<crate::messages::Entry>,
        waiting: Option<crate::messages::Fact>,
        found: &Found,
    ) -> Told {
        let more = found.len().saturating_sub(LISTED);
        let events: Vec<EventRef> =
            found.iter().skip(more).filter_map(|(batch, at)| self.batches.get(batch)?.event_ref(*batch, *at)).collect();
        let more = more as u64;
        Told::Behind(Box::new(Behind { entry, waiting, events, more }))
    }

    /// Rows that one operator made and a later one refused as late.
    pub(super) fn dropped_made(&self) -> Vec<DroppedEvent> {
        if self.batches.values().all(|kept| kept.trace.late_rows.is_empty()) {
            return Vec::new();
        }
        let late = self.batches.values().flat_map(|kept| &kept.trace.late_rows);
        let ids: BTreeSet<&EntryId> = late.flat_map(|row| &row.of).collect();
        let mut views: BTreeMap<EntryId, fates::Entry> = BTreeMap::new();
        self.views(&mut |view| {
            if ids.contains(&view.id) {
                views.insert(view.id.clone(), view.clone());
            }
        });
        let parts = Parts::of(self);
        let rows =
            self.batches.iter().flat_map(|(batch, kept)| kept.trace.late_rows.iter().map(move |row| (*batch, row)));
        let told = rows.filter_map(|(batch, row)| {
            let (mut found, mut seen) = (Found::new(), BTreeSet::new());
            row.of.iter().for_each(|id| parts.events(id, batch, &mut found, &mut seen));
            let newest = found.last().and_then(|(batch, at)| self.batches.get(batch)?.event_ref(*batch, *at));
            let unknown = || EventRef {
                batch,
                arrival: 0,
                event_time_us: None,
                place: place(&fates::Place::Row { row: 0 }),
                row: String::new(),
            };
            let view = row.of.iter().find_map(|id| views.get(id))?;
            let made = Made { entry: entry(view), events: found.len() as u64 };
            refused(batch, newest.unwrap_or_else(unknown), Some(made), &row.meeting)
        });
        told.collect()
    }

    /// The newest view of a row of state.
    fn view(&self, id: &EntryId) -> Option<fates::Entry> {
        let mut newest = None;
        self.views(&mut |view| {
            if view.id == *id {
                newest = Some(view.clone());
            }
        });
        newest
    }

    /// Every view of a row of state, oldest first.
    fn views(&self, look: &mut dyn FnMut(&fates::Entry)) {
        for kept in self.batches.values() {
            let news = kept.trace.news.iter();
            for course in kept.trace.courses.iter().chain(news.clone().flat_map(|news| news.change.courses())) {
                each(course, &mut |hop| {
                    if let Hop::Met(meeting) = hop
                        && !matches!(meeting.verdict, Verdict::Late { .. })
                    {
                        look(&meeting.entry);
                    }
                });
            }
            for news in news {
                if let Change::Grown(entry) | Change::Merged(entry) = &news.change {
                    look(entry);
                }
            }
        }
    }
}

fn each(course: &Course, look: &mut dyn FnMut(&Hop)) {
    course.hops.iter().for_each(&mut *look);
    for branch in &course.branches {
        each(branch, look);
    }
}

fn any(course: &Course, test: &dyn Fn(&Hop) -> bool) -> bool {
    course.hops.iter().any(test) || course.branches.iter().any(|branch| any(branch, test))
}
