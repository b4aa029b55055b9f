//! "May I restart with this edit?": the script is started on a copy of the workspace, and each query tries one batch on its
//! checkpoint. Nothing of it reaches the workspace.

use std::cell::RefCell;
use std::rc::Rc;

use tidemark_streaming::api::StepOutcome;
use tidemark_vfs::{FileSystem, MemoryFs};

use super::Tape;
use super::journal::Base;
use crate::engine::{Engine, Outcome};
use crate::messages::{Event, QueryInfo, QueryVerdict, ReplayEvent, Verdict};
use crate::workbench::{Output, Workbench};

/// What the trial said.
#[derive(Default)]
struct Heard {
    started: Vec<QueryInfo>,
    /// Query and error.
    ended: Vec<(String, Option<String>)>,
    failed: Option<(String, Option<u32>)>,
}

impl Workbench {
    pub(super) fn verdict(&self, text: &str) {
        let base = self.base();
        let mut verdict = trial(&base, text, false);
        // Without new data no batch has met the checkpoint: the last one is run again, which has to be possible too.
        if let Verdict::Queries(queries) = &mut verdict
            && let Verdict::Queries(again) = trial(&base, text, true)
        {
            for (query, other) in queries.iter_mut().zip(again) {
                let refused = other.error.filter(|error| error.contains("STATE"));
                query.error = query.error.take().or(refused);
            }
        }
        self.shared.event(Event::Replay(ReplayEvent::Verdict(verdict)));
    }
}

/// Starts the script on a copy. `again`: the last commit of every checkpoint is taken away, so that its batch runs again.
fn trial(base: &Base, text: &str, again: bool) -> Verdict {
    let heard = Rc::new(RefCell::new(Heard::default()));
    let out = heard.clone();
    let before = MemoryFs::new();
    before.restore(&base.files);
    let mut bench = Workbench::on(base, None, Tape::new(None), Rc::new(move |output| out.borrow_mut().hear(output)));
    if again {
        take_commits(&bench.shared.fs);
    }
    let outcome = bench.start(text);
    let engine = bench.engine.take();
    let is_alive = heard.borrow().ended.is_empty();
    if let Some(Outcome::Failed { message, line, class_name, .. }) = &outcome
        && is_alive
    {
        heard.borrow_mut().failed = Some((format!("{class_name}: {message}"), *line));
    }
    if let Some(engine) = &engine {
        let queries: Vec<String> = heard.borrow().started.iter().map(|info| info.id.clone()).collect();
        try_batches(engine, &queries);
    }
    let heard = heard.borrow();
    if let Some((message, line)) = &heard.failed {
        return Verdict::Fails { message: message.clone(), line: *line };
    }
    if heard.started.is_empty() {
        return Verdict::NoQuery;
    }
    let error_of = |id: &str| heard.ended.iter().find(|(query, error)| query == id && error.is_some());
    Verdict::Queries(
        heard
            .started
            .iter()
            .map(|info| {
                let (next_batch, again) = next_batch(&before, &info.checkpoint);
                QueryVerdict {
                    query: info.name.clone().unwrap_or_else(|| info.id.chars().take(8).collect()),
                    checkpoint: info.checkpoint.clone(),
                    next_batch,
                    again,
                    error: error_of(&info.id).and_then(|(_, error)| error.clone()),
                }
            })
            .collect(),
    )
}

/// One trigger of each query that runs.
fn try_batches(engine: &Engine, queries: &[String]) {
    for id in queries {
        if engine.query(id).is_some_and(|query| query.is_active()) {
            let outcome = engine.step(Some(id));
            debug_assert!(!matches!(outcome, StepOutcome::Crashed { .. }));
        }
    }
}

impl Heard {
    fn hear(&mut self, output: Output) {
        match output {
            Output::Event(Event::QueryStarted(info)) => {
                match self.started.iter_mut().find(|known| known.id == info.id) {
                    Some(known) => *known = info,
                    None => self.started.push(info),
                }
            }
            Output::Event(Event::QueryTerminated { query, error }) => self.ended.push((query, error)),
            _ => {}
        }
    }
}

fn numbers(fs: &MemoryFs, folder: &str) -> Vec<i64> {
    let entries = fs.list(folder).unwrap_or_default();
    entries.into_iter().filter_map(|entry| entry.name.parse().ok()).collect()
}

/// The batch that a query goes on with, and whether it is in the offset log already.
fn next_batch(fs: &MemoryFs, checkpoint: &str) -> (i64, bool) {
    let last = |folder: &str| numbers(fs, &format!("{checkpoint}/{folder}")).into_iter().max();
    match (last("offsets"), last("commits")) {
        (Some(offsets), commits) if commits.is_none_or(|commits| commits < offsets) => (offsets, true),
        (Some(offsets), _) => (offsets + 1, false),
        (None, _) => (0, false),
    }
}

/// Takes the newest commit of every checkpoint away.
fn take_commits(fs: &MemoryFs) {
    let folders: Vec<String> = fs
        .walk()
        .into_iter()
        .filter(|(path, found)| found.is_dir && path.ends_with("/commits"))
        .map(|(p, _)| p)
        .collect();
    for folder in folders {
        if let Some(last) = numbers(fs, &folder).into_iter().max() {
            // A checksum of it may stay: nothing reads it without its file.
            let _ = fs.remove_file(&format!("{folder}/{last}"));
        }
    }
}
