//! What a store holds right after each moment, to see that going back gives the same.

use crate::messages::{Event, ReplayEvent};
use crate::workbench::{Output, Stored, path_of};
use tidemark_vfs::Change;

/// The store after one moment.
#[derive(Clone, Debug)]
pub struct Held {
    pub stored: Stored,
    /// The command of the moment was over. Otherwise the clock is that of the command's beginning: it is saved at the end.
    pub is_over: bool,
    /// A script's start without a batch: a second run does not tell of it.
    pub is_start: bool,
}

/// Listens to a workbench from its opening on.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    stored: Stored,
    /// Moments of the command under way.
    open: Vec<Held>,
    moments: Vec<Held>,
}

impl Recorder {
    pub(super) fn starting_with(stored: Stored) -> Self {
        Self { stored, ..Self::default() }
    }

    pub fn hear(&mut self, output: &Output) {
        match output {
            Output::Commit(commit) => self.stored.take(commit),
            Output::Event(Event::Batch(_) | Event::Crashed { .. }) => self.hold(false),
            // The start of a script is a moment that nothing else tells of.
            Output::Event(Event::Replay(ReplayEvent::Moments { moments, .. })) if self.open.is_empty() => {
                moments.iter().for_each(|_| self.hold(true));
            }
            Output::Event(Event::Settled { .. }) => {
                if let Some(last) = self.open.last_mut() {
                    *last = Held { stored: self.stored.clone(), is_over: true, is_start: last.is_start };
                }
                self.moments.append(&mut self.open);
            }
            Output::Event(_) => {}
        }
    }

    fn hold(&mut self, is_start: bool) {
        self.open.push(Held { stored: self.stored.clone(), is_over: false, is_start });
    }

    /// In their order.
    pub fn moments(&self) -> &[Held] {
        &self.moments
    }
}

impl Held {
    /// What is otherwise in a replayed run, by path and key; the journal does not count.
    pub fn differences(&self, other: &Stored) -> Vec<String> {
        // An empty script, and the name of the only one, are not put.
        let counts = |(key, value): &(String, String)| match key.as_str() {
            "clock" | "zone" => self.is_over,
            "script" => !value.is_empty(),
            "current" => false,
            key => !key.starts_with(crate::workbench::ledger::JOURNAL),
        };
        let mut found = Vec::new();
        for (name, left, right) in [("then", &self.stored, other), ("now", other, &self.stored)] {
            let has_file = |file: &Change| {
                let at = right.files.binary_search_by(|other| path_of(other).cmp(path_of(file)));
                at.is_ok_and(|at| right.files[at] == *file)
            };
            let files = left.files.iter().filter(|file| !has_file(file));
            found.extend(files.map(|file| format!("{name}: {file:?}")));
            let has_record = |record: &(String, String)| {
                let at = right.records.binary_search_by(|other| other.0.cmp(&record.0));
                at.is_ok_and(|at| right.records[at] == *record)
            };
            let records = left.records.iter().filter(|record| counts(record) && !has_record(record));
            found.extend(records.map(|record| format!("{name}: {record:?}")));
        }
        found
    }
}
