//! Runs one script: real files, the terminal as output, Ctrl-C as KeyboardInterrupt.

use std::io::{self, Read, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

use tidemark_protocol::engine::{Engine, Interrupt, Outcome, RealTime, Setup};
use tidemark_protocol::messages::Stream;
use tidemark_vfs::DiskFs;

use crate::arguments::RunRequest;

/// The shell's status of a program that SIGINT ended.
const INTERRUPTED: u8 = 130;
/// The status of a program that SIGPIPE ended.
const BROKEN_PIPE: u8 = 141;
/// The interpreter nests Rust frames for Python's; this is enough for sys.getrecursionlimit().
pub(crate) const STACK_BYTES: usize = 512 << 20;
/// How long Ctrl-C may go unheard while waiting on the machine's clock.
const WAIT_SLICE: Duration = Duration::from_millis(50);

/// Runs the script and gives the exit status. Err: it could not be started.
pub(crate) fn run(request: RunRequest) -> Result<u8, String> {
    let runner = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || run_here(&request))
        .map_err(|error| error.to_string())?;
    runner.join().unwrap_or_else(|_| Err("the engine panicked; this is a fault of tidemark".to_owned()))
}

fn run_here(request: &RunRequest) -> Result<u8, String> {
    let (name, text) = read_script(&request.script)?;
    let cwd = env::current_dir().map_err(|error| format!("current directory: {error}"))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let mut setup = Setup::new(Arc::new(DiskFs), &cwd.to_string_lossy());
    setup.start_ms = i64::try_from(now.as_millis()).map_err(|error| error.to_string())?;
    let interrupted = Arc::new(AtomicBool::new(false));
    if request.real_clock {
        setup.real_time = Some(Box::new(SystemTimeOnly { interrupted: interrupted.clone() }));
    }
    let started = Instant::now();
    setup.stopwatch = Some(Box::new(move || i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX)));
    setup.environment = env::vars().collect();
    setup.conf = vec![("spark.sql.session.timeZone".to_owned(), time_zone())];
    setup.add_kafka();
    // Without --seed a run differs from the last one, as Spark's do.
    setup.seed = request.seed.unwrap_or_else(|| now.as_nanos() as u64 ^ u64::from(process::id()).rotate_left(32));
    setup.arguments = request.arguments.clone();
    let engine = Engine::new(setup, &name, Rc::new(print))?;
    listen_for_interrupts(engine.interrupt_handle(), interrupted.clone())?;
    let status = match engine.run(&text) {
        Outcome::Finished { status } => status,
        // Nothing can happen any more on a virtual clock: no process drops files into this run.
        Outcome::Parked { line, call } => {
            print(Stream::Stderr, &format!("tidemark: line {line}: {call} waits for ever and nothing more is due\n"));
            0
        }
        Outcome::Failed { traceback, .. } => {
            print(Stream::Stderr, &traceback);
            if interrupted.load(Ordering::SeqCst) { INTERRUPTED } else { 1 }
        }
    };
    Ok(status)
}

/// The name that tracebacks show, and the text.
fn read_script(path: &Path) -> Result<(String, String), String> {
    if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|error| format!("standard input: {error}"))?;
        return Ok(("<stdin>".to_owned(), text));
    }
    let name = path.to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("can't open file '{name}': {error}"))?;
    Ok((name, text))
}

/// The first Ctrl-C raises KeyboardInterrupt in the script, the second ends the process.
fn listen_for_interrupts(interrupt: Interrupt, seen: Arc<AtomicBool>) -> Result<(), String> {
    let set = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            process::exit(i32::from(INTERRUPTED));
        }
        interrupt.interrupt();
    });
    set.map_err(|error| format!("Ctrl-C: {error}"))
}

/// The machine's clock. A wait ends early after Ctrl-C, so that the script hears of it at once.
struct SystemTimeOnly {
    interrupted: Arc<AtomicBool>,
}

impl RealTime for SystemTimeOnly {
    fn now_us(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    }

    fn wait_ms(&self, ms: i64) {
        let end = Instant::now() + Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        while !self.interrupted.load(Ordering::SeqCst) {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            thread::sleep(rest.min(WAIT_SLICE));
        }
    }
}

/// The machine's time zone, as the JVM finds its default: TZ, then /etc/localtime, else UTC.
fn time_zone() -> String {
    let named = env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned());
    let linked = || {
        let target = fs::read_link("/etc/localtime").ok()?;
        Some(target.to_str()?.split_once("zoneinfo/")?.1.to_owned())
    };
    named.filter(|name| !name.is_empty()).or_else(linked).unwrap_or_else(|| "UTC".to_owned())
}

fn print(stream: Stream, text: &str) {
    let written = match stream {
        Stream::Stdout => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        }
        Stream::Stderr => io::stderr().lock().write_all(text.as_bytes()),
    };
    // A reader that went away (`| head`) ends the run, quietly, as SIGPIPE would.
    if written.is_err() {
        process::exit(i32::from(BROKEN_PIPE));
    }
}
