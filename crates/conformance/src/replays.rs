//! Going back: a case's script in a workbench, and its session built again at every moment by replay.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tidemark_protocol::messages::{Command, ReplayCommand};
use tidemark_protocol::workbench::{Held, Options, Recorder, Stored, Workbench};

use crate::Case;
use crate::run::{now_ms, on_a_thread};

/// Triggers that are stepped where the script waits, as a person would.
const STEPS: usize = 4;

/// Runs a case and goes back: to its last moment, where every moment on the way has to be as it was, and to one in the middle,
/// where the replay stops in mid-script. The number of moments; Err: what came out otherwise.
pub fn go_back(case: &Case, now_ms: i64) -> Result<usize, String> {
    let recorder = Rc::new(RefCell::new(Recorder::default()));
    let hear = recorder.clone();
    let options = Options { now_ms, seed: 0, stopwatch: None };
    let out = Rc::new(move |output| hear.borrow_mut().hear(&output));
    let mut bench = Workbench::open(options, Some(Stored::default()), out);
    bench.handle(Command::Run { text: case.script.clone() });
    for _ in 0..STEPS {
        bench.handle(Command::Step { query: None });
    }
    let second = Rc::new(RefCell::new(Recorder::default()));
    bench.record_second(second.clone());
    let first = recorder.borrow().moments().to_vec();
    let Some(last) = first.len().checked_sub(1) else { return Ok(0) };
    go_to(&mut bench, last);
    let told = |moments: &[Held]| moments.iter().filter(|moment| !moment.is_start).cloned().collect::<Vec<_>>();
    let (then, now) = (told(&first), told(second.borrow().moments()));
    if then.len() != now.len() {
        return Err(format!("{} moments of {} in the replay", now.len(), then.len()));
    }
    for (number, (then, now)) in then.iter().zip(&now).enumerate() {
        same(then, &now.stored, number)?;
    }
    if last > 0 {
        go_to(&mut bench, last / 2);
        same(&first[last / 2], &bench.second_stored().ok_or("no second run")?, last / 2)?;
    }
    Ok(first.len())
}

fn go_to(bench: &mut Workbench, moment: usize) {
    bench.handle(Command::Replay(ReplayCommand::Goto { moment }));
    while bench.is_replaying() {
        bench.proceed();
    }
}

fn same(then: &Held, now: &Stored, number: usize) -> Result<(), String> {
    let differences = then.differences(now);
    if differences.is_empty() { Ok(()) } else { Err(format!("moment {number}:\n{}", differences.join("\n"))) }
}

/// [`go_back`] on a thread of its own; a panic is an error.
pub fn go_back_guarded(case: &Case, limit: Duration) -> Result<usize, String> {
    let (case, now_ms) = (case.clone(), now_ms()?);
    let done = on_a_thread(move || go_back(&case, now_ms))?;
    done.recv_timeout(limit).unwrap_or_else(|_| Err(format!("still running after {} s", limit.as_secs())))
}
