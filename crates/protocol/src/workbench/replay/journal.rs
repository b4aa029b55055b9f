//! What was done to a workspace since it was laid: enough to build its session again at any moment.
//!
//! A segment begins with each run of the script, where no session lives: there the workspace is a plain value, the
//! [`Base`], from which the commands of the segment are replayed. The commands are also records of the store, from the
//! laying of the workspace on; after a reload the bases of the earlier segments are found by replaying them when they are
//! asked for.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use tidemark_streaming::socket::SocketHub;
use tidemark_vfs::{FileSystem, MemoryFs, Snapshot};

use crate::messages::{Changes, Command, KafkaCommand, LaidFile, Moment, MomentKind, ShareCommand};
use crate::workbench::ledger::Ledger;
use crate::workbench::observer::KeptBatch;

/// Runs that are kept; the oldest go first.
const SEGMENT_LIMIT: usize = 64;
/// Contents of files in kept commands, bytes.
const CONTENT_LIMIT: usize = 64 << 20;
/// Size of the stored journal, bytes: a longer one is kept in memory only.
const STORED_LIMIT: usize = 32 << 20;

/// A workspace in which no session lives.
#[derive(Clone)]
pub(in crate::workbench) struct Base {
    pub(super) files: Snapshot,
    pub(super) ledger: Ledger,
    pub(super) kept: VecDeque<KeptBatch>,
    pub(super) sockets: SocketHub,
    pub(super) clock_ms: i64,
    pub(super) seed: u64,
}

impl Base {
    /// Before a workspace is laid.
    pub(super) fn empty(clock_ms: i64, seed: u64) -> Self {
        Self {
            files: MemoryFs::new().snapshot(),
            ledger: Ledger::default(),
            kept: VecDeque::new(),
            sockets: SocketHub::default(),
            clock_ms,
            seed,
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        let fs = MemoryFs::new();
        fs.restore(&self.files);
        fs.exists(path)
    }
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Deed {
    Command(Command),
    /// The workspace is opened: no session, no ports, this clock and seed.
    Wake {
        clock_ms: i64,
        seed: u64,
    },
}

impl Deed {
    /// Whether it ends the session before, so that a segment can begin with it.
    fn begins(&self) -> bool {
        matches!(self, Self::Command(Command::Run { .. }) | Self::Wake { .. })
    }

    fn content(&self) -> usize {
        match self {
            Self::Command(Command::WriteFile { content, .. } | Command::AppendFile { content, .. }) => content.len(),
            Self::Command(Command::Lay { layout: Some(layout) }) => {
                layout.files.iter().map(|file: &LaidFile| file.content.len()).sum()
            }
            _ => 0,
        }
    }
}

/// Something that was done, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) deed: Deed,
    /// Of the stopwatch.
    pub(super) readings: Vec<i64>,
    pub(super) moments: Vec<Moment>,
    /// It was cut off after so many batches: how one branches in the midst of a script.
    pub(super) cut: Option<usize>,
    /// What the run has instead of what its script says.
    pub(super) changes: Option<Changes>,
}

#[derive(Clone)]
pub(super) struct Segment {
    /// None: to be found by replaying the segments before.
    pub(super) base: Option<Base>,
    pub(super) entries: Vec<Entry>,
}

/// A moment's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segment: usize,
    pub(super) entry: usize,
    /// Among the entry's moments.
    pub(super) at: usize,
}

#[derive(Clone)]
pub(super) struct Journal {
    pub(super) segments: VecDeque<Segment>,
    /// Moments that are forgotten: the number of the first known one.
    pub(super) first: usize,
    /// Whether the store has all of it, from the laying on.
    stored: bool,
    /// Bytes and entries in the store.
    stored_bytes: usize,
    stored_entries: usize,
}

impl Journal {
    pub(super) fn new(base: Base) -> Self {
        let segments = VecDeque::from([Segment { base: Some(base), entries: Vec::new() }]);
        Self { segments, first: 0, stored: false, stored_bytes: 0, stored_entries: 0 }
    }

    /// From the records of a store, in order of their keys. None: there are none, or one cannot be read.
    pub(super) fn restore(records: &[(String, String)]) -> Option<Self> {
        let entries: Vec<Entry> =
            records.iter().map(|(_, json)| serde_json::from_str(json)).collect::<Result<_, _>>().ok()?;
        let Some(Entry { deed: Deed::Wake { clock_ms, seed }, .. }) = entries.first() else { return None };
        let mut journal = Self::new(Base::empty(*clock_ms, *seed));
        journal.stored = true;
        journal.stored_entries = entries.len();
        journal.stored_bytes = records.iter().map(|(_, json)| json.len()).sum();
        for entry in entries {
            journal.take(entry, None);
        }
        Some(journal)
    }

    /// The workspace was laid anew: nothing before it counts.
    pub(super) fn restart(&mut self, clock_ms: i64, seed: u64) {
        *self = Self::new(Base::empty(clock_ms, seed));
        self.stored = true;
    }

    fn take(&mut self, entry: Entry, base: Option<Base>) {
        let fresh = self.segments.back().is_none_or(|last| last.entries.is_empty());
        if entry.deed.begins() && !fresh {
            self.segments.push_back(Segment { base, entries: Vec::new() });
        }
        if let Some(last) = self.segments.back_mut() {
            last.entries.push(entry);
        }
    }

    /// Takes an entry; `base`: the workspace before it, where a segment begins. Records for the store: key, and text or
    /// that it goes.
    pub(super) fn add(&mut self, entry: Entry, base: Option<Base>) -> Vec<(String, Option<String>)> {
        // A large file is not written out only to be found too long.
        let fits = |bytes: usize| self.stored_bytes + bytes <= STORED_LIMIT;
        let json = (self.stored && fits(entry.deed.content()))
            .then(|| serde_json::to_string(&entry).ok())
            .flatten()
            .filter(|json| fits(json.len()));
        let grows = entry.deed.begins() || entry.deed.content() > 0;
        self.take(entry, base);
        if grows {
            self.forget();
        }
        match json {
            Some(json) => {
                self.stored_bytes += json.len();
                self.stored_entries += 1;
                vec![(key(self.stored_entries - 1), Some(json))]
            }
            None if self.stored => self.unstore(),
            None => Vec::new(),
        }
    }

    /// The store's journal would have a hole: it goes.
    fn unstore(&mut self) -> Vec<(String, Option<String>)> {
        let gone = (0..self.stored_entries).map(|number| (key(number), None)).collect();
        (self.stored, self.stored_bytes, self.stored_entries) = (false, 0, 0);
        gone
    }

    /// Everything as records, for a store that is written anew.
    pub(super) fn records(&mut self) -> Vec<(String, String)> {
        if !self.stored {
            return Vec::new();
        }
        let entries = self.segments.iter().flat_map(|segment| &segment.entries);
        let records: Vec<(String, String)> = entries
            .enumerate()
            .filter_map(|(number, entry)| Some((key(number), serde_json::to_string(entry).ok()?)))
            .collect();
        self.stored_entries = records.len();
        self.stored_bytes = records.iter().map(|(_, json)| json.len()).sum();
        records
    }

    /// Lets the oldest runs go where there are too many.
    fn forget(&mut self) {
        let content = |segment: &Segment| segment.entries.iter().map(|entry| entry.deed.content()).sum::<usize>();
        while self.segments.len() > 1
            && (self.segments.len() > SEGMENT_LIMIT || self.segments.iter().map(content).sum::<usize>() > CONTENT_LIMIT)
            && self.segments.get(1).is_some_and(|second| second.base.is_some())
        {
            if let Some(gone) = self.segments.pop_front() {
                self.first += gone.entries.iter().map(|entry| entry.moments.len()).sum::<usize>();
            }
        }
    }

    /// Segments before number `segment`, as the beginning of another run's journal.
    pub(super) fn prefix(&self, segment: usize) -> Option<Self> {
        let segments: VecDeque<Segment> = self.segments.iter().take(segment).cloned().collect();
        let (first, stored) = (self.first, self.stored);
        (!segments.is_empty()).then_some(Self { segments, first, stored, stored_bytes: 0, stored_entries: 0 })
    }

    /// A second run's entries go on after this segment.
    pub(super) fn begin(&mut self, base: Base) {
        self.segments.push_back(Segment { base: Some(base), entries: Vec::new() });
    }

    pub(super) fn moments(&self) -> Vec<Moment> {
        self.segments
            .iter()
            .flat_map(|segment| &segment.entries)
            .flat_map(|entry| entry.moments.iter().cloned())
            .collect()
    }

    pub(super) fn place(&self, moment: usize) -> Option<Place> {
        let mut left = moment.checked_sub(self.first)?;
        for (segment, found) in self.segments.iter().enumerate() {
            for (entry, here) in found.entries.iter().enumerate() {
                if left < here.moments.len() {
                    return Some(Place { segment, entry, at: left });
                }
                left -= here.moments.len();
            }
        }
        None
    }

    /// The last segment at or before `segment` whose base is known.
    pub(super) fn known(&self, segment: usize) -> Option<usize> {
        (0..=segment).rev().find(|at| self.segments.get(*at).is_some_and(|segment| segment.base.is_some()))
    }

    /// The run in which the first batch of one of these queries ran; the last run where none has.
    pub(super) fn first_of(&self, queries: &[String]) -> Option<usize> {
        let has = |segment: &Segment| {
            segment.entries.iter().flat_map(|entry| &entry.moments).any(|moment| {
                matches!(&moment.kind, MomentKind::Batch { query, .. } if queries.iter().any(|id| id == query))
            })
        };
        let runs = |segment: &Segment| {
            segment.entries.iter().any(|entry| matches!(entry.deed, Deed::Command(Command::Run { .. })))
        };
        self.segments.iter().position(has).or_else(|| self.segments.iter().rposition(runs))
    }
}

fn key(number: usize) -> String {
    format!("{}{number:012}", crate::workbench::ledger::JOURNAL)
}

/// Whether a command changes anything, and so belongs into the journal. What is not known here counts as a change.
pub(super) fn changes(command: &Command) -> bool {
    !matches!(
        command,
        Command::Open { .. }
            | Command::SetScript { .. }
            | Command::ReadFile { .. }
            | Command::ReadBatch { .. }
            | Command::Inspect(_)
            | Command::Explain { .. }
            | Command::Kafka(KafkaCommand::Read { .. })
            | Command::Fates(_)
            | Command::Assist(_)
            | Command::Share(ShareCommand::Pack)
            | Command::Replay(_)
    )
}
