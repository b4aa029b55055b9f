//! Other batches from the same input: which units each batch took, and a run with the borders elsewhere.

use std::collections::{BTreeMap, VecDeque};

use tidemark_vfs::{FileSystem, MemoryFs, file_name};

use super::journal::Deed;
use super::{Planned, PlannedDeed, Workbench};
use crate::messages::{BatchReport, Changes, Command, CutUnit, Event, ReplayEvent, Second};

/// What one unit is written as.
struct Piece {
    unit: CutUnit,
    content: Vec<u8>,
    /// It stands in a file of its own, under this name.
    file: Option<String>,
}

/// The source that is cut: the only one of its query, on a folder.
struct Cutting {
    folder: String,
    extension: String,
    pieces: Vec<Piece>,
}

impl Workbench {
    pub(super) fn cuts(&self, query: &str) {
        match self.cutting(query) {
            Ok(cutting) => {
                let units = cutting.pieces.into_iter().map(|piece| piece.unit).collect();
                self.shared.event(Event::Replay(ReplayEvent::Cuts { query: query.to_owned(), units }));
            }
            Err(message) => self.refuse("cut batches", message),
        }
    }

    fn cutting(&self, query: &str) -> Result<Cutting, &'static str> {
        let memory = self.shared.ledger.borrow().restored();
        let info = memory.queries.iter().find(|info| info.id == query).ok_or("this query is not remembered")?;
        let [source] = info.sources.as_slice() else { return Err("this needs a query with one file source") };
        let folder = source.folder.clone().ok_or("this needs a file source: other input has no files to cut")?;
        let by_line = matches!(source.format.as_str(), "json" | "text");
        let mut pieces = Vec::new();
        for report in memory.batches.iter().filter(|report| report.query == query) {
            pieces.extend(pieces_of(&self.shared.fs, report, by_line));
        }
        if pieces.is_empty() {
            return Err("no batch has read anything yet");
        }
        Ok(Cutting { folder, extension: source.format.clone(), pieces })
    }

    pub(super) fn recut(&mut self, query: String, sizes: Vec<usize>) {
        let cutting = match self.cutting(&query) {
            Ok(cutting) => cutting,
            Err(message) => return self.refuse("cut batches", message),
        };
        let (Some(segment), Some(text)) = (self.first_segment(), self.last_script()) else {
            return self.refuse("cut batches", "nothing has run yet");
        };
        let known = self.replay.journal.segments.get(segment).is_some_and(|segment| segment.base.is_some());
        if !known {
            return self.refuse("cut batches", "the beginning of this run is not remembered: run it again first");
        }
        let mut plan = VecDeque::new();
        let folder = &cutting.folder;
        if self.replay.journal.segments[segment].base.as_ref().is_some_and(|base| base.has(folder)) {
            plan.push_back(does(Command::Remove { path: folder.clone() }));
        }
        plan.push_back(does(Command::MakeDir { path: folder.clone() }));
        let mut pieces = cutting.pieces.into_iter();
        for (number, size) in sizes.iter().enumerate() {
            let group: Vec<Piece> = pieces.by_ref().take(*size).collect();
            for (name, content) in files_of(group, number, &cutting.extension) {
                plan.push_back(does(Command::WriteFile { path: format!("{folder}/{name}"), content }));
            }
            if number == 0 {
                plan.push_back(does(Command::Run { text: text.clone() }));
                plan.push_back(Planned::FirstTrigger { text: text.clone() });
            } else {
                plan.push_back(Planned::Trigger { text: text.clone() });
            }
        }
        plan.push_back(Self::idle_plan());
        self.run_beside(Second::Recut { query, sizes }, segment, plan);
    }

    /// The text of the last run.
    fn last_script(&self) -> Option<String> {
        let mut entries = self.replay.journal.segments.iter().rev().flat_map(|segment| segment.entries.iter().rev());
        entries.find_map(|entry| match &entry.deed {
            Deed::Command(Command::Run { text }) => Some(text.clone()),
            _ => None,
        })
    }
}

/// A step of a run whose batches take all that is there.
fn does(command: Command) -> Planned {
    let changes = Some(Changes { max_files: Some(0), ..Changes::default() });
    let deed = Deed::Command(command);
    Planned::Deed(Box::new(PlannedDeed { deed, cut: None, readings: Vec::new(), changes, finds: None }))
}

/// The units of one batch, file by file in the order in which they were read.
fn pieces_of(fs: &MemoryFs, report: &BatchReport, by_line: bool) -> Vec<Piece> {
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for event in &report.events {
        match files.iter_mut().find(|(origin, _)| *origin == event.origin) {
            Some((_, rows)) => rows.push(&event.row),
            None => files.push((&event.origin, vec![&event.row])),
        }
    }
    let mut pieces = Vec::new();
    for (origin, rows) in files {
        let path = path_of(origin);
        let unit = |label: String| CutUnit { origin: path.to_owned(), label, batch: report.batch };
        let text = fs.read(path).ok().map(|content| content.to_vec());
        if !by_line {
            let name = file_name(path).to_owned();
            let content = text.unwrap_or_default();
            pieces.push(Piece { unit: unit(name.clone()), content, file: Some(name) });
            continue;
        }
        let text = text.and_then(|content| String::from_utf8(content).ok()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let exact = lines.len() == rows.len();
        for (at, row) in rows.iter().enumerate() {
            let line = if exact { lines[at] } else { row };
            pieces.push(Piece { unit: unit((*row).to_owned()), content: format!("{line}\n").into_bytes(), file: None });
        }
    }
    pieces
}

/// The files that a group is written as: its lines in one, whole files as they are.
fn files_of(group: Vec<Piece>, number: usize, extension: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for piece in group {
        let name = piece.file.unwrap_or_else(|| format!("cut-{number:03}.{extension}"));
        files.entry(name).or_insert_with(Vec::new).extend(piece.content);
    }
    files
}

/// A file's URI as a path.
fn path_of(origin: &str) -> &str {
    origin.strip_prefix("file://").or_else(|| origin.strip_prefix("file:")).unwrap_or(origin)
}
