//! The ways in which a case's queries lose their memory: stopped and resumed after every batch, and crashed and resumed at each
//! of the three points that exactly-once hangs on. The recorded text must come out all the same.

use tidemark_protocol::engine::{CrashPoint, Rehearsal};

#[cfg(not(target_arch = "wasm32"))]
use crate::Case;

/// Names for the command line and the list of differences.
pub const REHEARSALS: [(&str, Rehearsal); 4] = [
    ("stop", Rehearsal::Stop),
    ("offsets", Rehearsal::Crash(CrashPoint::OffsetsWritten)),
    ("sink", Rehearsal::Crash(CrashPoint::SinkDone)),
    ("commit", Rehearsal::Crash(CrashPoint::CommitWritten)),
];

pub fn rehearsal_named(name: &str) -> Option<Rehearsal> {
    REHEARSALS.iter().find(|(known, _)| *known == name).map(|(_, rehearsal)| *rehearsal)
}

/// Whether a case runs streaming queries at all.
#[cfg(not(target_arch = "wasm32"))]
pub fn is_streaming(case: &Case) -> bool {
    case.script.contains("writeStream")
}

/// tests/conformance/restarts.txt: `FOLDER/CASE REHEARSAL why the text differs`, REHEARSAL `*` for all.
#[cfg(not(target_arch = "wasm32"))]
pub fn known_differences() -> std::io::Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(format!("{}/restarts.txt", crate::cases_root()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    Ok(lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        })
        .collect())
}
