//! One script's life: run it, park it where it waits without end, resume it, interrupt it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ruff_source_file::SourceFileBuilder;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode, PyTupleRef};
use rustpython_vm::compiler::{CompileOpts, Mode, codegen, parser};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, Interpreter, PyObjectRef, PyRef, PyResult, VirtualMachine};
use tidemark_sql::session::SqlSession;
use tidemark_streaming::api::StreamingApi;

use crate::host::Host;
use crate::state::{Output, State};
use crate::{park, traceback};

/// Takes everything that a session prints.
pub type Printer = Box<dyn Fn(Output, &str)>;

/// What a host gives to a session.
pub struct Options {
    pub sql: Rc<SqlSession>,
    pub streaming: Rc<dyn StreamingApi>,
    /// sys.argv: the script's name first.
    pub argv: Vec<String>,
    /// os.environ.
    pub environment: Vec<(String, String)>,
    /// A person drives: waits without end park the script. Otherwise they end it, as an interrupt would, with status 0.
    pub interactive: bool,
    /// Seed of `random`, `uuid4` and `os.urandom`: the same seed gives the same run.
    pub seed: u64,
    /// print, sys.stdout, sys.stderr and the console sink.
    pub output: Printer,
}

/// Where a script stands after `run_script` or `resume`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Ended by itself, by sys.exit, or (headless) in a wait that nothing can end.
    Finished {
        exit_code: i32,
    },
    Failed(Failure),
    /// Waits at `line`; [`PythonSession::resume`] goes on when the wait may be over.
    Parked {
        line: usize,
        call: ParkedCall,
    },
}

/// An uncaught exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Name of the exception's class, without its module.
    pub class_name: String,
    /// str() of the exception.
    pub message: String,
    /// As CPython prints it, ending in a line break.
    pub traceback: String,
    /// The script's line, from 1.
    pub line: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParkedCall {
    /// query.awaitTermination(): the query's id.
    AwaitTermination { query_id: String },
    /// spark.streams.awaitAnyTermination().
    AwaitAnyTermination,
    /// time.sleep in a loop: over when the session's clock reaches this time, ms.
    Sleep { until_ms: i64 },
}

/// A Python interpreter bound to one engine session.
pub struct PythonSession {
    /// Until the session is dropped.
    interpreter: Option<Rc<Interpreter>>,
    state: Rc<State>,
    interrupt: Arc<AtomicBool>,
    /// The coroutine of a script compiled to park, and the script's file name.
    running: RefCell<Option<(PyObjectRef, String)>>,
}

impl PythonSession {
    /// Builds the interpreter and hands the script's hosts to the engine.
    pub fn new(options: Options) -> Self {
        let interpreter = Rc::new(crate::interpreter::build());
        let interrupt = Arc::new(AtomicBool::new(false));
        let state = Rc::new(State::new(options, Arc::clone(&interrupt)));
        state.set_interpreter(&interpreter);
        *state.sql.udfs.borrow_mut() = Some(Rc::new(Host(Rc::clone(&state))));
        state.streaming.set_host(Some(Rc::new(Host(Rc::clone(&state)))));
        Self { interpreter: Some(interpreter), state, interrupt, running: RefCell::new(None) }
    }

    /// Setting it makes a running script raise KeyboardInterrupt at its next loop turn or engine call.
    pub fn interrupt_handle(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// Runs a script as `__main__`. `filename` is what tracebacks name.
    pub fn run_script(&self, source: &str, filename: &str) -> RunState {
        self.interrupt.store(false, Ordering::Relaxed);
        self.state.set_script(filename, source);
        let started = self.state.enter(|vm| self.start(source, filename, vm));
        self.conclude(started)
    }

    /// Goes on after [`RunState::Parked`]; parks again at once if the wait is not over.
    pub fn resume(&self) -> RunState {
        let resumed = self.state.enter(|vm| match self.state.check_interrupt(vm) {
            Ok(()) => self.advance(None, vm),
            Err(exception) => self.advance(Some(exception), vm),
        });
        self.conclude(resumed)
    }

    /// Runs a piece of code in an interpreter that is set up but has run no script (tests, warming up).
    pub fn import(&self, module: &str) -> Result<(), String> {
        let imported = self.state.enter(|vm| {
            bootstrap(vm)
                .and_then(|()| vm.import(&vm.ctx.new_str(module), 0))
                .map_err(|exception| traceback::format(&exception, vm))
        });
        imported.unwrap_or_else(|| Err("the interpreter has ended".to_owned())).map(|_| ())
    }

    fn conclude(&self, outcome: Option<RunState>) -> RunState {
        let outcome = outcome.unwrap_or(RunState::Finished { exit_code: 0 });
        if !matches!(outcome, RunState::Parked { .. }) {
            self.state.enter(|vm| {
                drop(self.running.borrow_mut().take());
                if !self.state.interactive {
                    at_exit("_run_exitfuncs", vm);
                }
            });
        }
        outcome
    }

    fn start(&self, source: &str, filename: &str, vm: &VirtualMachine) -> RunState {
        match self.launch(source, filename, vm) {
            Ok(None) => RunState::Finished { exit_code: 0 },
            Ok(Some(coroutine)) => {
                *self.running.borrow_mut() = Some((coroutine, filename.to_owned()));
                self.advance(None, vm)
            }
            Err(exception) => self.ended(&exception, filename, vm),
        }
    }

    /// Runs a plain script to its end, or gives the coroutine of one that can park.
    fn launch(&self, source: &str, filename: &str, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        bootstrap(vm)?;
        let scope = vm.new_scope_with_main()?;
        scope.globals.set_item("__file__", vm.ctx.new_str(filename).into(), vm)?;
        let rewritten = if self.state.interactive { park::rewrite(source) } else { None };
        if let Some(code) = rewritten.and_then(|text| compile_parking(&text, filename, vm)) {
            let helpers = vm.import("_tidemark_park", 0)?;
            for name in ["__tidemark_wait__", "__tidemark_sleep__", "__tidemark_drive__"] {
                scope.globals.set_item(name, helpers.get_attr(name, vm)?, vm)?;
            }
            watch(&code, vm)?;
            return coroutine(code, &scope, vm).map(Some);
        }
        let code =
            vm.compile(source, Mode::Exec, filename).map_err(|error| error.into_pyexception(vm, Some(source)))?;
        watch(&code, vm)?;
        vm.run_code_obj(code, scope)?;
        Ok(None)
    }

    /// Sends the coroutine on, or throws into it.
    fn advance(&self, exception: Option<PyBaseExceptionRef>, vm: &VirtualMachine) -> RunState {
        let Some((coroutine, filename)) = self.running.borrow().clone() else {
            return RunState::Finished { exit_code: 0 };
        };
        let step = match exception {
            None => vm.call_method(&coroutine, "send", (vm.ctx.none(),)),
            Some(exception) => vm.call_method(&coroutine, "throw", (exception,)),
        };
        match step {
            Ok(request) => match parked(&request, vm) {
                Ok(call) => RunState::Parked { line: waiting_line(&coroutine, &filename, vm).unwrap_or(0), call },
                Err(exception) => self.ended(&exception, &filename, vm),
            },
            Err(exception) if exception.fast_isinstance(vm.ctx.exceptions.stop_iteration) => {
                RunState::Finished { exit_code: 0 }
            }
            Err(exception) => self.ended(&exception, &filename, vm),
        }
    }

    /// What an exception that leaves the script means.
    fn ended(&self, exception: &PyBaseExceptionRef, filename: &str, vm: &VirtualMachine) -> RunState {
        let class_name = exception.class().name().to_string();
        if class_name == "ScriptEnd" {
            if !self.state.interactive {
                for query in self.state.streaming.active() {
                    // The script is over; what a stop could still say has no one to hear it.
                    let _ = query.stop();
                }
            }
            return RunState::Finished { exit_code: 0 };
        }
        if exception.fast_isinstance(vm.ctx.exceptions.system_exit) {
            return self.exited(exception, vm);
        }
        RunState::Failed(Failure {
            class_name,
            message: traceback::message(exception, vm),
            traceback: traceback::format(exception, vm),
            line: traceback::line_of(exception, filename, vm),
        })
    }

    /// sys.exit(x): a number is the status, None is 0, anything else is printed and is 1.
    fn exited(&self, exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> RunState {
        let code = exception.as_object().get_attr("code", vm).unwrap_or_else(|_| vm.ctx.none());
        if vm.is_none(&code) {
            return RunState::Finished { exit_code: 0 };
        }
        if let Ok(status) = code.clone().try_into_value::<i32>(vm) {
            return RunState::Finished { exit_code: status };
        }
        if let Ok(text) = code.str(vm) {
            self.state.print(Output::Stderr, &format!("{}\n", text.to_string_lossy()));
        }
        RunState::Finished { exit_code: 1 }
    }
}

impl Drop for PythonSession {
    fn drop(&mut self) {
        self.state.enter(|vm| {
            drop(self.running.borrow_mut().take());
            self.state.forget_objects();
            at_exit("_clear", vm);
        });
        // The engine and the hosts hold each other.
        *self.state.sql.udfs.borrow_mut() = None;
        self.state.streaming.set_host(None);
        // Modules and their functions hold each other too: only the interpreter's own end lets go of them.
        if let Some(interpreter) = self.interpreter.take().and_then(Rc::into_inner) {
            self.state.end(interpreter);
        }
    }
}

/// Calls a function of `atexit`. What fails in a handler is printed by it.
fn at_exit(function: &'static str, vm: &VirtualMachine) {
    // Without the module no handler can be there.
    let _ = vm.import("atexit", 0).and_then(|module| module.get_attr(function, vm)?.call((), vm));
}

/// Puts our modules in their places; once per interpreter.
fn bootstrap(vm: &VirtualMachine) -> PyResult<()> {
    vm.import("_tidemark_boot", 0)?;
    Ok(())
}

/// Asks the interpreter to look at the interrupt flag at every backward jump of this code.
fn watch(code: &PyRef<PyCode>, vm: &VirtualMachine) -> PyResult<()> {
    vm.import("_tidemark_boot", 0)?.get_attr("watch", vm)?.call((code.clone(),), vm)?;
    Ok(())
}

/// Compiles a rewritten script with `await` allowed at the top; None if that fails, so that the plain one tells why.
fn compile_parking(text: &str, filename: &str, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
    let module = parser::parse_module(text).ok()?.into_syntax();
    let options = CompileOpts { allow_top_level_await: true, ..CompileOpts::default() };
    let file = SourceFileBuilder::new(filename, text).finish();
    let code = codegen::compile::compile_top(module.into(), file, Mode::Exec, options).ok()?;
    Some(vm.ctx.new_code(code))
}

fn coroutine(code: PyRef<PyCode>, scope: &Scope, vm: &VirtualMachine) -> PyResult {
    let types = vm.import("types", 0)?;
    let function = types.get_attr("FunctionType", vm)?.call((code, scope.globals.clone()), vm)?;
    function.call((), vm)
}

/// Reads what `_tidemark_park` yielded: (kind, query id, clock time).
fn parked(request: &PyObjectRef, vm: &VirtualMachine) -> PyResult<ParkedCall> {
    let request: PyTupleRef = request.clone().try_into_value(vm)?;
    let (kind, query_id, until_ms) = request.extract_tuple::<(String, String, i64)>(vm)?;
    Ok(match kind.as_str() {
        "query" => ParkedCall::AwaitTermination { query_id },
        "any" => ParkedCall::AwaitAnyTermination,
        _ => ParkedCall::Sleep { until_ms },
    })
}

/// The script's line at which the innermost awaiting frame of the script stands.
fn waiting_line(coroutine: &PyObjectRef, filename: &str, vm: &VirtualMachine) -> Option<usize> {
    let mut line = None;
    let mut next = Some(coroutine.clone());
    while let Some(current) = next {
        let frame = current.get_attr("cr_frame", vm).ok()?;
        if vm.is_none(&frame) {
            break;
        }
        let code = frame.get_attr("f_code", vm).ok()?;
        let file = code.get_attr("co_filename", vm).ok()?.str(vm).ok()?.to_string_lossy().into_owned();
        if file == filename {
            line = frame.get_attr("f_lineno", vm).ok()?.try_into_value::<usize>(vm).ok();
        }
        next = current.get_attr("cr_await", vm).ok().filter(|inner| inner.get_attr("cr_frame", vm).is_ok());
    }
    line
}
