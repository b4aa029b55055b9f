//! What a running script stands in: the engine's session, the streaming session, its output, its functions.
//!
//! Native functions of the Python modules are plain functions; they find their session through a thread-local
//! (the engine is single-threaded, and several sessions may live side by side).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyType};
use rustpython_vm::{AsObject, Interpreter, PyObject, PyObjectRef, PyResult, VirtualMachine};
use tidemark_sql::python::StateServer;
use tidemark_sql::session::SqlSession;
use tidemark_streaming::api::{QueryApi, StreamingApi};

/// Which stream a text goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Stdout,
    Stderr,
}

pub(crate) struct State {
    pub(crate) sql: Rc<SqlSession>,
    pub(crate) streaming: Rc<dyn StreamingApi>,
    pub(crate) output: crate::session::Printer,
    /// A person drives the session: a wait without end parks the script. Otherwise it ends the script.
    pub(crate) interactive: bool,
    /// Seed of `random`, `uuid4` and `os.urandom`.
    pub(crate) seed: u64,
    pub(crate) argv: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    interrupt: Arc<AtomicBool>,
    interpreter: RefCell<Weak<Interpreter>>,
    functions: RefCell<BTreeMap<u64, PyObjectRef>>,
    next_function: Cell<u64>,
    started: RefCell<Vec<Rc<dyn QueryApi>>>,
    listeners: RefCell<Vec<PyObjectRef>>,
    /// State of the stateful processors at work, the innermost last.
    servers: RefCell<Vec<Rc<dyn StateServer>>>,
    /// File name and text of the running script.
    script: RefCell<(String, String)>,
    /// KeyboardInterrupt or SystemExit raised inside a callback, on its way through the engine.
    leaving: RefCell<Option<PyBaseExceptionRef>>,
    /// A function of the script runs as Spark's workers would run it.
    pub(crate) on_worker: Cell<bool>,
    /// The session is over: nothing is printed any more.
    ended: Cell<bool>,
}

thread_local! {
    static CURRENT: RefCell<Vec<Rc<State>>> = const { RefCell::new(Vec::new()) };
}

/// The session whose script runs on this thread.
pub(crate) fn current(vm: &VirtualMachine) -> PyResult<Rc<State>> {
    CURRENT.with(|stack| stack.borrow().last().cloned()).ok_or_else(|| vm.new_runtime_error("no session is active"))
}

/// Pops the session again, also when a panic unwinds.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|stack| stack.borrow_mut().pop());
    }
}

impl State {
    pub(crate) fn new(options: crate::session::Options, interrupt: Arc<AtomicBool>) -> Self {
        Self {
            sql: options.sql,
            streaming: options.streaming,
            output: options.output,
            interactive: options.interactive,
            seed: options.seed,
            argv: options.argv,
            environment: options.environment,
            interrupt,
            interpreter: RefCell::new(Weak::new()),
            functions: RefCell::new(BTreeMap::new()),
            next_function: Cell::new(1),
            started: RefCell::new(Vec::new()),
            listeners: RefCell::new(Vec::new()),
            servers: RefCell::default(),
            script: RefCell::default(),
            leaving: RefCell::new(None),
            on_worker: Cell::new(false),
            ended: Cell::new(false),
        }
    }

    pub(crate) fn set_interpreter(&self, interpreter: &Rc<Interpreter>) {
        *self.interpreter.borrow_mut() = Rc::downgrade(interpreter);
    }

    /// Runs `work` on the interpreter with this session as the current one; None once the interpreter is gone.
    pub(crate) fn enter<R>(self: &Rc<Self>, work: impl FnOnce(&VirtualMachine) -> R) -> Option<R> {
        let interpreter = self.interpreter.borrow().upgrade()?;
        CURRENT.with(|stack| stack.borrow_mut().push(Rc::clone(self)));
        let entered = Entered;
        let result = interpreter.enter(work);
        drop(entered);
        Some(result)
    }

    /// Keeps a Python object for the engine and gives out its handle.
    pub(crate) fn keep(&self, object: PyObjectRef) -> u64 {
        let handle = self.next_function.get();
        self.next_function.set(handle + 1);
        self.functions.borrow_mut().insert(handle, object);
        handle
    }

    pub(crate) fn kept(&self, handle: u64) -> Option<PyObjectRef> {
        self.functions.borrow().get(&handle).cloned()
    }

    pub(crate) fn push_server(&self, server: Rc<dyn StateServer>) {
        self.servers.borrow_mut().push(server);
    }

    pub(crate) fn pop_server(&self) {
        self.servers.borrow_mut().pop();
    }

    /// The state that a processor's handle speaks to.
    pub(crate) fn server(&self) -> Option<Rc<dyn StateServer>> {
        self.servers.borrow().last().cloned()
    }

    pub(crate) fn add_listener(&self, listener: PyObjectRef) {
        self.listeners.borrow_mut().push(listener);
    }

    pub(crate) fn remove_listener(&self, listener: &PyObject) {
        self.listeners.borrow_mut().retain(|other| !other.is(listener));
    }

    pub(crate) fn listeners(&self) -> Vec<PyObjectRef> {
        self.listeners.borrow().clone()
    }

    /// Ends the interpreter of a session that is over, and lets go of everything that was made in it. What the objects of a
    /// script that is still looked at would print as they go, nobody waits for.
    pub(crate) fn end(self: &Rc<Self>, interpreter: Interpreter) {
        self.ended.set(self.interactive);
        CURRENT.with(|stack| stack.borrow_mut().push(Rc::clone(self)));
        let entered = Entered;
        interpreter.enter(|vm| {
            // From here on what fails in a destructor is not given to hooks that may be gone.
            vm.state.finalizing.store(true, Ordering::Release);
            vm.finalize_modules();
            self.ended.set(true);
            // The collector does not see that the descriptors of `__slots__` hold their class.
            for object in vm.state.gc.get_objects(None) {
                let class = object.downcast_ref::<PyType>().filter(|class| class.heaptype_ext.is_some());
                let attributes = class.and_then(|class| class.attributes.as_dict()).map(ToOwned::to_owned);
                let Some(attributes) = attributes else { continue };
                for (name, value) in attributes.clone() {
                    if &*value.class().name() == "member_descriptor" {
                        let _ = attributes.del_item(&*name, vm);
                    }
                }
            }
            vm.state.gc.collect_force(2);
        });
        drop(interpreter);
        drop(entered);
    }

    /// Lets go of all Python objects, while the interpreter still lives.
    pub(crate) fn forget_objects(&self) {
        drop(self.leaving.borrow_mut().take());
        let listeners = std::mem::take(&mut *self.listeners.borrow_mut());
        drop(listeners);
        let functions = std::mem::take(&mut *self.functions.borrow_mut());
        drop(functions);
    }

    pub(crate) fn add_query(&self, query: Rc<dyn QueryApi>) {
        self.started.borrow_mut().push(query);
    }

    /// All queries that the script started, oldest first.
    pub(crate) fn queries(&self) -> Vec<Rc<dyn QueryApi>> {
        self.started.borrow().clone()
    }

    pub(crate) fn set_leaving(&self, exception: PyBaseExceptionRef) {
        *self.leaving.borrow_mut() = Some(exception);
    }

    pub(crate) fn take_leaving(&self) -> Option<PyBaseExceptionRef> {
        self.leaving.borrow_mut().take()
    }

    pub(crate) fn set_script(&self, filename: &str, source: &str) {
        *self.script.borrow_mut() = (filename.to_owned(), source.to_owned());
    }

    pub(crate) fn script_name(&self) -> String {
        self.script.borrow().0.clone()
    }

    /// The running script's text, if that is the file asked for.
    pub(crate) fn script_source(&self, filename: &str) -> Option<String> {
        let script = self.script.borrow();
        (script.0 == filename).then(|| script.1.clone())
    }

    pub(crate) fn now_us(&self) -> i64 {
        self.sql.clock.now_us()
    }

    pub(crate) fn print(&self, to: Output, text: &str) {
        if !self.ended.get() {
            (self.output)(to, text);
        }
    }

    /// Whether the interrupt handle was used and the script has not heard of it yet.
    pub(crate) fn interrupt_pending(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Raises KeyboardInterrupt once after the interrupt handle was used.
    pub(crate) fn check_interrupt(&self, vm: &VirtualMachine) -> PyResult<()> {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            return Err(vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()));
        }
        Ok(())
    }
}
