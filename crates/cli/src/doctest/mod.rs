//! `tidemark doctest PATH...`: the examples in the docstrings of an installed pyspark's own files, run on this engine.
//!
//! A file runs in a session of its own (empty tree in memory, UTC), one docstring after the other, in the order and by the
//! rules of Python's doctest (`runner.py`). A docstring that hangs or panics is given up and the next begins a new session.

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, panic, thread};

use serde::Deserialize;
use tidemark_protocol::engine::{Engine, Interrupt, Outcome, Setup};
use tidemark_protocol::messages::Stream;
use tidemark_vfs::{FileSystem, MemoryFs};

use crate::arguments::DoctestRequest;
use crate::run::STACK_BYTES;
use report::FileReport;
pub(crate) use report::Tally;

/// The Python part: the list of what cannot run here, then the runner.
const RUNNER: &str = concat!(include_str!("not_applicable.py"), "\n", include_str!("runner.py"));
/// What a folder stands for: the files that the language is measured by, below a `pyspark/sql` folder.
const FILES: &[&str] = &["functions/builtin.py", "column.py", "dataframe.py", "types.py", "window.py", "group.py"];
/// How long an interrupted docstring may take to notice.
const GRACE: Duration = Duration::from_secs(3);
/// How long the file's names may take before the first docstring.
const START_LIMIT: Duration = Duration::from_secs(300);
const CWD: &str = "/home/tidemark";

/// One line of the runner; see `runner.py`.
#[derive(Debug, Deserialize)]
struct Line {
    /// A docstring begins: its name, its number and how many examples it has.
    start: Option<String>,
    number: Option<usize>,
    examples: Option<usize>,
    /// An example ended: "passed", "failed" or "not applicable".
    state: Option<String>,
    /// Line of the file, 1-based.
    line: Option<usize>,
    reason: Option<String>,
    source: Option<String>,
    want: Option<String>,
    got: Option<String>,
    done: Option<bool>,
}

enum Event {
    Ready(Interrupt),
    Line(Box<Line>),
    /// The session is over; Err: by an error outside the examples.
    Ended(Result<(), String>),
}

/// Runs all files; Ok: the process status, 1 when a file misses the goal. Err: a path that cannot be read.
pub(crate) fn run(request: &DoctestRequest) -> Result<u8, String> {
    panic::set_hook(Box::new(|_| {}));
    let mut below_goal = false;
    for path in files(&request.paths)? {
        let report = run_file(&path, request)?;
        report.print(request.verbose);
        below_goal |= request.goal.is_some_and(|goal| report.percent() < goal);
    }
    Ok(u8::from(below_goal))
}

/// The results of each docstring of a request's files.
pub(crate) fn tallies(request: &DoctestRequest) -> Result<BTreeMap<String, Tally>, String> {
    panic::set_hook(Box::new(|_| {}));
    let mut all = BTreeMap::new();
    for path in files(&request.paths)? {
        all.extend(run_file(&path, request)?.into_tallies());
    }
    Ok(all)
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let folders = [path.clone(), path.join("sql"), path.join("pyspark/sql")];
        let home = folders.iter().find(|folder| folder.join("dataframe.py").is_file());
        let home = home.ok_or_else(|| format!("{}: no pyspark/sql folder", path.display()))?;
        files.extend(FILES.iter().map(|name| home.join(name)));
    }
    Ok(files)
}

fn run_file(path: &Path, request: &DoctestRequest) -> Result<FileReport, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let path = fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut report = FileReport::new(&path);
    let mut first = 0;
    while let Some(next) = run_from(&path, &text, first, request, &mut report)? {
        first = next;
    }
    Ok(report)
}

/// Runs the docstrings from the number `first` in one session. Some: the number to go on with, after one that broke it.
fn run_from(
    path: &Path,
    text: &str,
    first: usize,
    request: &DoctestRequest,
    report: &mut FileReport,
) -> Result<Option<usize>, String> {
    let (events, received) = mpsc::channel();
    let arguments = vec![path.to_string_lossy().into_owned(), first.to_string(), request.only.clone()];
    let text = text.to_owned();
    thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let ended = events.clone();
            let result = panic::catch_unwind(|| session(&arguments, &text, &events));
            // The receiver is gone only when this session was given up.
            let _ = ended.send(Event::Ended(result.unwrap_or_else(|_| Err("the engine panicked".to_owned()))));
        })
        .map_err(|error| error.to_string())?;
    let mut interrupt: Option<Interrupt> = None;
    // The running docstring: its number and the results it still owes.
    let mut running: Option<(usize, usize)> = None;
    let mut warned = false;
    loop {
        let limit = if running.is_some() { request.limit } else { START_LIMIT };
        let wait = if warned { GRACE } else { limit };
        let event = match received.recv_timeout(wait) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) if !warned => {
                warned = true;
                if let Some(interrupt) = &interrupt {
                    interrupt.interrupt();
                }
                continue;
            }
            Err(_) => Event::Ended(Err("over the limit of time, and deaf to the interrupt".to_owned())),
        };
        match event {
            Event::Ready(handle) => interrupt = Some(handle),
            Event::Line(line) if line.done.is_some() => return Ok(None),
            Event::Line(line) => {
                if let (Some(name), Some(number), Some(examples)) = (&line.start, line.number, line.examples) {
                    running = Some((number, examples));
                    warned = false;
                    report.begin(name);
                } else if line.state.is_some() {
                    running = running.map(|(number, rest)| (number, rest.saturating_sub(1)));
                    report.add(*line);
                }
            }
            Event::Ended(result) => {
                let reason = result.err().unwrap_or_else(|| "the session ended".to_owned());
                let Some((number, rest)) = running else {
                    return Err(format!("{}: {reason}", path.display()));
                };
                report.broken(rest, &reason);
                return Ok(Some(number + 1));
            }
        }
    }
}

/// One session over the docstrings, on this thread.
fn session(arguments: &[String], text: &str, events: &Sender<Event>) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let now_ms = i64::try_from(now.as_millis()).map_err(|error| error.to_string())?;
    let tree = Arc::new(MemoryFs::new());
    let folder = arguments[0].rsplit_once('/').map_or("/", |(folder, _)| folder);
    let made = [CWD, "/tmp", folder].iter().try_for_each(|folder| tree.create_dir_all(folder, now_ms));
    made.and_then(|()| tree.write(&arguments[0], text.as_bytes(), now_ms)).map_err(|error| error.to_string())?;
    let mut setup = Setup::new(tree, CWD);
    setup.start_ms = now_ms;
    setup.arguments = arguments.to_vec();
    let lines = events.clone();
    let print = move |stream, text: &str| {
        // What sinks print outside Python's stdout is not part of an example, as under doctest.
        if stream == Stream::Stdout
            && let Some(json) = text.strip_prefix('\u{1e}')
            && let Ok(line) = serde_json::from_str(json)
        {
            let _ = lines.send(Event::Line(Box::new(line)));
        }
    };
    let engine = Engine::new(setup, "doctest", Rc::new(print))?;
    let _ = events.send(Event::Ready(engine.interrupt_handle()));
    match engine.run(RUNNER) {
        Outcome::Finished { .. } => Ok(()),
        Outcome::Parked { line, call } => Err(format!("line {line}: {call} waits for ever")),
        Outcome::Failed { traceback, .. } => Err(traceback),
    }
}

/// Counts by key, in the keys' order.
type Counts = BTreeMap<String, usize>;
