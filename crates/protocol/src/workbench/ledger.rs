//! What a workspace remembers beside its files: script, queries, batch reports, console. Kept as records that a store can
//! write in the same transaction as the files.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::de::DeserializeOwned;

use super::shelf::Shelf;
use crate::messages::{BatchReport, NamedScript, QueryInfo, Restored};

/// One change to the records of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Put { key: String, value: String },
    Delete { key: String },
}

const SCRIPT: &str = "script";
const CLOCK: &str = "clock";
const ZONE: &str = "zone";
const QUERY: &str = "query/";
const BATCH: &str = "batch/";
const CONSOLE: &str = "console/";
/// What was done to the workspace; the ledger only carries it.
pub(super) const JOURNAL: &str = "journal/";

/// Console text that is kept, bytes: the oldest pieces go first.
const CONSOLE_LIMIT: usize = 2 << 20;
/// Batch reports that are kept: about a day's stepping.
const BATCH_LIMIT: usize = 2_000;

/// The memory of one workspace, with the changes that are not saved yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    pub(super) script: String,
    /// The other scripts, and past runs.
    pub(super) shelf: Shelf,
    clock_ms: i64,
    /// The last session's time zone; empty: UTC.
    zone: String,
    queries: Vec<(String, QueryInfo)>,
    batches: Vec<(String, Rc<BatchReport>)>,
    console: Vec<(String, String)>,
    console_len: usize,
    /// Queries that the present run started.
    started: BTreeSet<String>,
    /// Console text since the last commit.
    fresh: String,
    /// Number of the next record.
    next: u64,
    unsaved: BTreeMap<String, Option<String>>,
    journal: Vec<(String, String)>,
}

impl Ledger {
    /// From the records of a store; one that cannot be read any more is left out.
    pub(super) fn restore(records: Vec<(String, String)>) -> Self {
        fn keep<T: DeserializeOwned>(list: &mut Vec<(String, T)>, key: String, value: &str) {
            if let Ok(value) = serde_json::from_str(value) {
                list.push((key, value));
            }
        }
        let mut ledger = Self::default();
        for (key, value) in records {
            if ledger.shelf.restore(&key, &value) {
                continue;
            }
            if key.starts_with(JOURNAL) {
                ledger.journal.push((key, value));
                continue;
            }
            if let Some((_, number)) = key.split_once('/') {
                ledger.next = ledger.next.max(number.parse().unwrap_or(0) + 1);
            }
            if key == SCRIPT {
                ledger.script = value;
            } else if key == CLOCK {
                ledger.clock_ms = value.parse().unwrap_or(0);
            } else if key == ZONE {
                ledger.zone = value;
            } else if key.starts_with(QUERY) {
                keep(&mut ledger.queries, key, &value);
            } else if key.starts_with(BATCH) {
                keep(&mut ledger.batches, key, &value);
            } else if key.starts_with(CONSOLE) {
                ledger.console_len += value.len();
                ledger.console.push((key, value));
            }
        }
        ledger.queries.sort_by(|a, b| a.0.cmp(&b.0));
        ledger.batches.sort_by(|a, b| a.0.cmp(&b.0));
        ledger.console.sort();
        ledger.journal.sort();
        ledger
    }

    /// From the records of another workspace; all of it is to be saved.
    pub(super) fn adopt(records: Vec<(String, String)>) -> Self {
        let mut ledger = Self::restore(records);
        for (key, value) in ledger.records() {
            ledger.put(key, value);
        }
        ledger
    }

    /// Everything as records, but for the journal.
    pub(super) fn records(&self) -> Vec<(String, String)> {
        fn json<T: serde::Serialize>(list: &[(String, T)]) -> impl Iterator<Item = (String, String)> {
            list.iter().filter_map(|(key, value)| Some((key.clone(), serde_json::to_string(value).ok()?)))
        }
        let mut records = vec![(SCRIPT.to_owned(), self.script.clone()), (CLOCK.to_owned(), self.clock_ms.to_string())];
        if !self.zone.is_empty() {
            records.push((ZONE.to_owned(), self.zone.clone()));
        }
        records.extend(json(&self.queries));
        records.extend(json(&self.batches));
        records.extend(self.console.iter().cloned());
        records.extend(self.shelf.records());
        records
    }

    /// The scripts of a laid workspace take the place of those there are.
    pub(super) fn lay_scripts(&mut self, current: NamedScript, others: impl Iterator<Item = NamedScript>) {
        self.set_script(&current.text);
        self.shelf.lay(&current.name, others);
    }

    pub(super) fn restored(&self) -> Restored {
        Restored {
            batches: self.batches.iter().map(|(_, batch)| (**batch).clone()).collect(),
            queries: self.queries.iter().map(|(_, query)| query.clone()).collect(),
            console: self.console.iter().map(|(_, text)| text.as_str()).collect(),
        }
    }

    /// The session's clock when it was last saved, ms.
    pub(super) fn clock_ms(&self) -> i64 {
        self.clock_ms
    }

    fn put(&mut self, key: String, value: String) {
        self.unsaved.insert(key, Some(value));
    }

    fn numbered(&mut self, prefix: &str) -> String {
        let key = format!("{prefix}{:012}", self.next);
        self.next += 1;
        key
    }

    pub(super) fn set_script(&mut self, text: &str) {
        if self.script != text {
            text.clone_into(&mut self.script);
            self.put(SCRIPT.to_owned(), text.to_owned());
        }
    }

    pub(super) fn set_clock(&mut self, clock_ms: i64) {
        if self.clock_ms != clock_ms {
            self.clock_ms = clock_ms;
            self.put(CLOCK.to_owned(), clock_ms.to_string());
        }
    }

    /// The last session's time zone.
    pub(super) fn zone(&self) -> &str {
        if self.zone.is_empty() { "UTC" } else { &self.zone }
    }

    pub(super) fn set_zone(&mut self, zone: &str) {
        if self.zone() != zone {
            zone.clone_into(&mut self.zone);
            self.put(ZONE.to_owned(), zone.to_owned());
        }
    }

    pub(super) fn print(&mut self, text: &str) {
        self.fresh.push_str(text);
        // A script that prints without end leaves its newest part.
        if self.fresh.len() > 2 * CONSOLE_LIMIT {
            let from = self.fresh.ceil_char_boundary(self.fresh.len() - CONSOLE_LIMIT);
            self.fresh.drain(..from);
        }
    }

    /// A new run: an empty console.
    pub(super) fn start_run(&mut self) {
        self.fresh.clear();
        self.console_len = 0;
        for (key, _) in std::mem::take(&mut self.console) {
            self.unsaved.insert(key, None);
        }
        self.started.clear();
    }

    /// Queries of earlier runs go once a run has started its own; those that it started again keep their batches.
    pub(super) fn forget_old_queries(&mut self) {
        if self.started.is_empty() {
            return;
        }
        let (started, unsaved) = (&self.started, &mut self.unsaved);
        self.queries.retain(|(key, query)| keep_unless(!started.contains(&query.id), key, unsaved));
        self.batches.retain(|(key, batch)| keep_unless(!started.contains(&batch.query), key, unsaved));
    }

    /// A query that started; one with the same id (restarted from its checkpoint) takes its place.
    pub(super) fn query_started(&mut self, info: &QueryInfo) {
        self.started.insert(info.id.clone());
        let found = self.queries.iter().position(|(_, query)| query.id == info.id);
        let key = match found {
            Some(at) => {
                self.queries[at].1 = info.clone();
                self.queries[at].0.clone()
            }
            None => {
                let key = self.numbered(QUERY);
                self.queries.push((key.clone(), info.clone()));
                key
            }
        };
        if let Ok(json) = serde_json::to_string(info) {
            self.put(key, json);
        }
    }

    /// A committed batch; a batch that a restart ran again takes the old one's place.
    pub(super) fn batch_committed(&mut self, report: &BatchReport) {
        let unsaved = &mut self.unsaved;
        self.batches
            .retain(|(key, old)| keep_unless(old.query == report.query && old.batch == report.batch, key, unsaved));
        let key = self.numbered(BATCH);
        if let Ok(json) = serde_json::to_string(report) {
            self.put(key.clone(), json);
        }
        self.batches.push((key, Rc::new(report.clone())));
        if self.batches.len() > BATCH_LIMIT {
            let (key, _) = self.batches.remove(0);
            self.unsaved.insert(key, None);
        }
    }

    /// The name of a query, if it has one.
    pub(super) fn query_name(&self, query: &str) -> Option<&str> {
        self.queries.iter().find(|(_, info)| info.id == query).and_then(|(_, info)| info.name.as_deref())
    }

    /// The reports that are remembered.
    pub(super) fn batches(&self) -> impl Iterator<Item = &BatchReport> {
        self.batches.iter().map(|(_, report)| &**report)
    }

    /// The report of a batch, if it is remembered.
    pub(super) fn batch(&self, query: &str, batch: i64) -> Option<&BatchReport> {
        self.batches().find(|report| report.query == query && report.batch == batch)
    }

    /// Number of the next event of a query's sources, counted over all its batches before `batch`.
    pub(super) fn next_arrival(&self, query: &str, batch: i64) -> u64 {
        let earlier = self.batches.iter().filter(|(_, report)| report.query == query && report.batch < batch);
        earlier.flat_map(|(_, report)| report.events.last()).map(|event| event.arrival + 1).max().unwrap_or(0)
    }

    /// The stored journal, in order; once.
    pub(super) fn take_journal(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.journal)
    }

    /// A record that the ledger does not read itself; None: it goes.
    pub(super) fn set_record(&mut self, key: String, value: Option<String>) {
        self.unsaved.insert(key, value);
    }

    /// Everything is to be saved: the store is written anew.
    pub(super) fn put_everything(&mut self) {
        self.unsaved = self.records().into_iter().map(|(key, value)| (key, Some(value))).collect();
    }

    /// What to save now.
    pub(super) fn take_records(&mut self) -> Vec<Record> {
        if !self.fresh.is_empty() {
            let text = std::mem::take(&mut self.fresh);
            let key = self.numbered(CONSOLE);
            self.console_len += text.len();
            self.put(key.clone(), text.clone());
            self.console.push((key, text));
            while self.console_len > CONSOLE_LIMIT && self.console.len() > 1 {
                let (key, text) = self.console.remove(0);
                self.console_len -= text.len();
                self.unsaved.insert(key, None);
            }
        }
        let mut unsaved = std::mem::take(&mut self.unsaved);
        unsaved.extend(self.shelf.take_unsaved());
        unsaved
            .into_iter()
            .map(|(key, value)| match value {
                Some(value) => Record::Put { key, value },
                None => Record::Delete { key },
            })
            .collect()
    }
}

/// For `retain`: notes the record of an entry that goes.
fn keep_unless(goes: bool, key: &str, unsaved: &mut BTreeMap<String, Option<String>>) -> bool {
    if goes {
        unsaved.insert(key.to_owned(), None);
    }
    !goes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(store: &mut BTreeMap<String, String>, records: Vec<Record>) {
        for record in records {
            match record {
                Record::Put { key, value } => drop(store.insert(key, value)),
                Record::Delete { key } => drop(store.remove(&key)),
            }
        }
    }

    #[test]
    fn records_bring_the_memory_back() {
        let mut store = BTreeMap::new();
        let mut ledger = Ledger::default();
        ledger.set_script("print(1)");
        ledger.set_clock(5);
        ledger.print("one\n");
        apply(&mut store, ledger.take_records());
        ledger.print("two\n");
        apply(&mut store, ledger.take_records());
        assert!(ledger.take_records().is_empty());
        let mut back = Ledger::restore(store.clone().into_iter().collect());
        assert_eq!((back.script.as_str(), back.clock_ms()), ("print(1)", 5));
        assert_eq!(back.restored().console, "one\ntwo\n");
        back.start_run();
        back.print("three\n");
        apply(&mut store, back.take_records());
        assert_eq!(Ledger::restore(store.into_iter().collect()).restored().console, "three\n");
    }
}
