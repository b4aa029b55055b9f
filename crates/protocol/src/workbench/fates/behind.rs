//! The events behind a row of output or of state.

use std::collections::BTreeSet;

use tidemark_streaming::fates::{self, Change, Course, EntryId, Hop, Verdict};

use super::{QueryBook, entry};
use crate::messages::{Behind, EventRef, Told};

/// Events that are listed of one row.
const LISTED: usize = 200;

/// Events that were found, by batch and place in it.
type Found = BTreeSet<(i64, usize)>;

impl QueryBook {
    pub(super) fn behind_output(&self, batch: i64, row: usize) -> Told {
        let Some(kept) = self.batches.get(&batch) else {
            return Told::Unknown {
                reason:
                    "The rows of this batch were not followed: it ran before the page was loaded, or is too long ago."
                        .to_owned(),
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
        for news in &kept.trace.news {
            if news.change.courses().iter().any(|course| any(course, &|hop| *hop == Hop::Out { row: Some(row) })) {
                from = from.or(Some(news.entry.clone()));
                self.contributors(&news.entry, batch, &mut found, &mut seen);
            }
        }
        let entry = from.and_then(|id| self.view(&id)).map(|view| entry(&view));
        if found.is_empty() {
            let reason = match &entry {
                Some(_) => {
                    "It comes from a row of state that was made before the page was loaded: its events are not known."
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
                reason: "No event that was followed is in this row of state: it was there before the page was loaded."
                    .to_owned(),
            };
        };
        let newest = self.batches.last_key_value().map_or(0, |(batch, _)| *batch);
        let (mut found, mut seen) = (Found::new(), BTreeSet::new());
        for id in &ids {
            self.contributors(id, newest, &mut found, &mut seen);
        }
        self.listed(Some(entry(&view)), self.waiting(&view), &found)
    }

    fn listed(
        &self,
        entry: Option<crate::messages::Entry>,
        waiting: Option<crate::messages::Fact>,
        found: &Found,
    ) -> Told {
        let events: Vec<EventRef> = found
            .iter()
            .take(LISTED)
            .filter_map(|(batch, at)| self.batches.get(batch)?.event_ref(*batch, *at))
            .collect();
        let more = found.len().saturating_sub(LISTED) as u64;
        Told::Behind(Box::new(Behind { entry, waiting, events, more }))
    }

    /// The events that are in a row of state, directly or through rows of operators before, up to a batch.
    fn contributors(&self, id: &EntryId, until: i64, found: &mut Found, seen: &mut BTreeSet<EntryId>) {
        if !seen.insert(id.clone()) {
            return;
        }
        let went_in = |hop: &Hop| match hop {
            Hop::Met(meeting) => {
                meeting.entry.id == *id && !matches!(meeting.verdict, Verdict::Late { .. } | Verdict::Duplicate)
            }
            _ => false,
        };
        for (batch, kept) in self.batches.range(..=until) {
            for (at, course) in kept.trace.courses.iter().enumerate() {
                if any(course, &went_in) {
                    found.insert((*batch, at));
                }
            }
            for news in &kept.trace.news {
                let merged = matches!(&news.change, Change::Merged(into) if into.id == *id);
                if merged || news.change.courses().iter().any(|course| any(course, &went_in)) {
                    self.contributors(&news.entry, *batch, found, seen);
                }
            }
        }
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
