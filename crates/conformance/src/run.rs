//! Runs one case: a fresh session on an empty tree, UTC, local[2], as the recorder ran it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_protocol::engine::{Engine, Interrupt, Outcome, Rehearsal, Setup};
use tidemark_protocol::messages::Stream;
use tidemark_vfs::{FileSystem, MemoryFs};

use crate::{CWD, Case, MASTER, normalise};

/// What a case printed.
#[derive(Clone, Debug)]
pub struct Printed {
    /// Standard output, normalised, with the line of an uncaught error as the recorder prints it.
    pub stdout: String,
    /// Standard error (tracebacks), as it came.
    pub stderr: String,
}

/// Runs a case to its end. `now_ms`: where the session's clock starts; some options compare file ages, so the present.
/// `rehearsal`: how its queries lose their memory on the way. `interrupt` is filled as soon as the script can be interrupted.
/// Err: the engine could not be set up.
pub fn run(
    case: &Case,
    now_ms: i64,
    rehearsal: Option<Rehearsal>,
    interrupt: impl FnOnce(Interrupt),
) -> Result<Printed, String> {
    run_prepared(case, now_ms, |engine| {
        engine.rehearse(rehearsal);
        interrupt(engine.interrupt_handle());
    })
}

/// [`run`] on an engine that `prepare` has seen before.
fn run_prepared(case: &Case, now_ms: i64, prepare: impl FnOnce(&Engine)) -> Result<Printed, String> {
    let fs = Arc::new(MemoryFs::new());
    for folder in [CWD, "/tmp"] {
        fs.create_dir_all(folder, now_ms).map_err(|error| error.to_string())?;
    }
    let texts = Rc::new(RefCell::new((String::new(), String::new())));
    let sink = texts.clone();
    let mut setup = Setup::new(fs, CWD);
    setup.start_ms = now_ms;
    setup.conf.push(("spark.master".to_owned(), MASTER.to_owned()));
    let engine = Engine::new(
        setup,
        &format!("{}.py", case.name),
        Rc::new(move |stream, text: &str| {
            let mut texts = sink.borrow_mut();
            match stream {
                Stream::Stdout => texts.0.push_str(text),
                Stream::Stderr => texts.1.push_str(text),
            }
        }),
    )?;
    prepare(&engine);
    let outcome = engine.run(&case.script);
    let (mut stdout, mut stderr) = texts.borrow().clone();
    match outcome {
        Outcome::Finished { .. } => {}
        Outcome::Parked { line, call } => {
            stderr.push_str(&format!("waits for ever in {call} at line {line}\n"));
        }
        Outcome::Failed { traceback, class_name, message, .. } => {
            let first = message.lines().next().unwrap_or_default();
            stdout.push_str(&format!("{class_name}: {first}\n"));
            stderr.push_str(&traceback);
        }
    }
    Ok(Printed { stdout: normalise(&stdout, CWD), stderr })
}

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use guarded::{now_ms, on_a_thread};
#[cfg(not(target_arch = "wasm32"))]
pub use guarded::{run_guarded, run_witnessed};

#[cfg(not(target_arch = "wasm32"))]
mod guarded {
    use std::cell::RefCell;
    use std::panic::{self, AssertUnwindSafe};
    use std::rc::Rc;
    use std::sync::Once;
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::thread;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::{Case, Engine, Printed, Rehearsal, run_prepared};
    use crate::witness::Witness;

    /// An unoptimised interpreter uses much stack for nested Python.
    const STACK_BYTES: usize = 256 << 20;
    /// How long an interrupted script may take to notice.
    const GRACE: Duration = Duration::from_secs(5);

    thread_local! {
        /// Message and place of the panic that this thread is unwinding from.
        static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    }

    /// Panics of cases are verdicts, not noise on standard error.
    fn note_panics() {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            panic::set_hook(Box::new(|info| PANIC.with(|panic| *panic.borrow_mut() = info.to_string())));
        });
    }

    /// The present, ms.
    pub(crate) fn now_ms() -> Result<i64, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
        i64::try_from(now.as_millis()).map_err(|error| error.to_string())
    }

    /// Work on a thread with the stack that an interpreter needs; a panic is an error.
    pub(crate) fn on_a_thread<T: Send + 'static>(
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<mpsc::Receiver<Result<T, String>>, String> {
        note_panics();
        let (done_out, done_in) = mpsc::channel();
        thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let result = panic::catch_unwind(AssertUnwindSafe(work));
                // The receiver is gone only when the case was given up.
                let _ = done_out.send(result.unwrap_or_else(|_| Err(PANIC.with(RefCell::take))));
            })
            .map_err(|error| error.to_string())?;
        Ok(done_in)
    }

    /// [`run`] on a thread of its own: an endless loop is interrupted after `limit`, a panic is an error.
    pub fn run_guarded(case: &Case, rehearsal: Option<Rehearsal>, limit: Duration) -> Result<Printed, String> {
        guarded(case, limit, move |case, now_ms, interrupt| {
            run_prepared(case, now_ms, |engine| {
                engine.rehearse(rehearsal);
                interrupt(engine);
            })
        })
    }

    /// The same with the rows of every batch followed; what is told of them has to fit.
    pub fn run_witnessed(case: &Case, limit: Duration) -> Result<Printed, String> {
        guarded(case, limit, |case, now_ms, interrupt| {
            let witness = Rc::new(Witness::default());
            let mut printed = run_prepared(case, now_ms, |engine| {
                engine.observe(witness.clone());
                interrupt(engine);
            })?;
            let (followed, all) = *witness.followed.borrow();
            printed.stderr.push_str(&format!("followed {followed} of {all} batches\n"));
            match &witness.findings.borrow()[..] {
                [] => Ok(printed),
                findings => Err(findings.join("\n")),
            }
        })
    }

    /// A way to run a case; the last argument is told of the engine before it starts.
    type Way = dyn Fn(&Case, i64, &dyn Fn(&Engine)) -> Result<Printed, String> + Send;

    fn guarded(
        case: &Case,
        limit: Duration,
        way: impl Fn(&Case, i64, &dyn Fn(&Engine)) -> Result<Printed, String> + Send + 'static,
    ) -> Result<Printed, String> {
        let way: Box<Way> = Box::new(way);
        let now_ms = now_ms()?;
        let case = case.clone();
        let (handle_out, handle_in) = mpsc::channel();
        let done_in = on_a_thread(move || {
            way(&case, now_ms, &|engine| {
                // The receiver is gone only when the case was given up.
                let _ = handle_out.send(engine.interrupt_handle());
            })
        })?;
        let late = || format!("still running after {} s", limit.as_secs());
        match done_in.recv_timeout(limit) {
            Ok(result) => result,
            Err(RecvTimeoutError::Disconnected) => Err("the case's thread is gone".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                if let Ok(interrupt) = handle_in.try_recv() {
                    interrupt.interrupt();
                }
                match done_in.recv_timeout(GRACE) {
                    Ok(Ok(printed)) => Err(format!("{}; printed until then:\n{}", late(), printed.stdout)),
                    Ok(Err(error)) => Err(format!("{}; {error}", late())),
                    Err(_) => Err(late()),
                }
            }
        }
    }
}
