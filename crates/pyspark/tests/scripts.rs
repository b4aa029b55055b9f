//! Scripts run on the interpreter alone: what needs no query. Expected output stands beside each.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidemark_pyspark::{Options, Output, ParkedCall, PythonSession, RunState};
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::plan::PlanRef;
use tidemark_sql::session::{Clock, SqlSession};
use tidemark_streaming::api::{
    CrashPoint, QueryApi, ScriptHost, StepOutcome, StreamObserver, StreamingApi, Wait, WriterSpec,
};
use tidemark_streaming::kafka::Broker;
use tidemark_streaming::socket::SocketHub;
use tidemark_vfs::MemoryFs;

/// A clock that only sleep moves, and no queries.
#[derive(Default)]
struct Still {
    now_us: Cell<i64>,
}

impl Clock for Still {
    fn now_us(&self) -> i64 {
        self.now_us.get()
    }
}

struct NoQueries(Rc<Still>);

impl StreamingApi for NoQueries {
    fn start(&self, _: PlanRef, _: WriterSpec) -> Result<Rc<dyn QueryApi>> {
        Err(SparkError::not_yet("start"))
    }
    fn active(&self) -> Vec<Rc<dyn QueryApi>> {
        Vec::new()
    }
    fn get(&self, _: &str) -> Option<Rc<dyn QueryApi>> {
        None
    }
    fn await_any_termination(&self, _: Option<i64>) -> Result<Wait> {
        Ok(Wait::Parked)
    }
    fn reset_terminated(&self) {}
    fn sleep(&self, ms: i64) {
        self.0.now_us.set(self.0.now_us.get() + ms * 1000);
    }
    fn step(&self, _: Option<&str>) -> StepOutcome {
        StepOutcome::NoQuery
    }
    fn next_due_ms(&self) -> Option<i64> {
        None
    }
    fn set_crash_point(&self, _: Option<CrashPoint>) {}
    fn set_observer(&self, _: Option<Rc<dyn StreamObserver>>) {}
    fn set_host(&self, _: Option<Rc<dyn ScriptHost>>) {}
    fn broker(&self) -> Rc<Broker> {
        Rc::new(Broker::new(Arc::new(MemoryFs::new()), "/"))
    }
    fn sockets(&self) -> Rc<SocketHub> {
        Rc::default()
    }
}

/// What was printed; the first print pulls the interrupt if one is set.
#[derive(Default)]
struct Printed {
    text: String,
    interrupt: Option<Arc<AtomicBool>>,
}

fn session(interactive: bool) -> (PythonSession, Rc<RefCell<Printed>>) {
    let clock = Rc::new(Still { now_us: Cell::new(1_772_323_200_000_000) });
    let printed = Rc::new(RefCell::new(Printed::default()));
    let sink = Rc::clone(&printed);
    let fs = MemoryFs::default();
    let options = Options {
        sql: Rc::new(SqlSession::new(Arc::new(fs), "/", Rc::clone(&clock) as Rc<dyn Clock>, 2)),
        streaming: Rc::new(NoQueries(clock)),
        argv: vec!["script.py".to_owned()],
        environment: vec![("HOME".to_owned(), "/".to_owned())],
        interactive,
        seed: 1,
        output: Box::new(move |_: Output, text| {
            let mut sink = sink.borrow_mut();
            sink.text.push_str(text);
            if let Some(handle) = &sink.interrupt {
                handle.store(true, Ordering::Relaxed);
            }
        }),
    };
    (PythonSession::new(options), printed)
}

/// Output of a script that must end well.
fn output(source: &str) -> String {
    let (session, printed) = session(false);
    let state = session.run_script(source, "script.py");
    let printed = printed.borrow().text.clone();
    assert_eq!(state, RunState::Finished { exit_code: 0 }, "{printed}");
    printed
}

fn failure(source: &str) -> tidemark_pyspark::Failure {
    let (session, _) = session(false);
    let RunState::Failed(failure) = session.run_script(source, "script.py") else { unreachable!("the script fails") };
    failure
}

#[test]
fn the_library_that_scripts_use() {
    let text = output(include_str!("library.py"));
    assert_eq!(text, include_str!("library.out"));
}

#[test]
fn files_are_the_sessions() {
    let text = output(include_str!("files.py"));
    assert_eq!(text, include_str!("files.out"));
}

#[test]
fn what_is_missing_is_an_import_error() {
    let failure = failure("import os\nimport numpy\n");
    assert_eq!(failure.class_name, "ModuleNotFoundError");
    assert_eq!(failure.message, "No module named 'numpy'");
    assert_eq!(failure.line, Some(2));
    let expected = "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    import numpy\n\
                    ModuleNotFoundError: No module named 'numpy'\n";
    assert_eq!(failure.traceback, expected);
}

#[test]
fn deep_recursion_is_an_error() {
    let failure = failure("def f(n):\n    return f(n + 1)\nf(0)\n");
    assert_eq!(failure.class_name, "RecursionError");
    assert_eq!(failure.line, Some(2));
}

#[test]
fn a_syntax_error_names_its_line() {
    let failure = failure("x = 1\ny = (2\n");
    assert_eq!((failure.class_name.as_str(), failure.line), ("SyntaxError", Some(2)));
}

#[test]
fn an_interrupt_stops_an_endless_loop() {
    let (session, printed) = session(false);
    printed.borrow_mut().interrupt = Some(session.interrupt_handle());
    let source = "def spin():\n    while True:\n        pass\nprint('go')\nspin()\n";
    let RunState::Failed(failure) = session.run_script(source, "script.py") else { panic!() };
    assert_eq!(failure.class_name, "KeyboardInterrupt");
}

#[test]
fn exit_status_is_that_of_sys_exit() {
    let (session, _) = session(false);
    assert_eq!(session.run_script("import sys\nsys.exit(3)\n", "script.py"), RunState::Finished { exit_code: 3 });
}

#[test]
fn a_wait_without_end_ends_the_script_when_nobody_drives() {
    let source = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\ntry:\n    \
                  spark.streams.awaitAnyTermination()\nexcept KeyboardInterrupt:\n    print('interrupted')\n    raise\n\
                  print('never')\n";
    assert_eq!(output(source), "interrupted\n");
}

#[test]
fn a_wait_without_end_parks_when_a_person_drives() {
    let (session, printed) = session(true);
    let source = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n\
                  def main():\n    print('before')\n    try:\n        spark.streams.awaitAnyTermination()\n    \
                  finally:\n        print('after')\nif __name__ == '__main__':\n    main()\n";
    let parked = RunState::Parked { line: 6, call: ParkedCall::AwaitAnyTermination };
    assert_eq!(session.run_script(source, "script.py"), parked);
    assert_eq!(session.resume(), parked);
    session.interrupt_handle().store(true, Ordering::Relaxed);
    let RunState::Failed(failure) = session.resume() else { panic!() };
    assert_eq!((failure.class_name.as_str(), failure.line), ("KeyboardInterrupt", Some(6)));
    assert_eq!(printed.borrow().text, "before\nafter\n");
}
