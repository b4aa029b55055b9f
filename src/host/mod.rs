//! The worker's side: commands in, events out, every commit in IndexedDB before what follows it is said.

mod outbox;
mod panic;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use tidemark_protocol::messages::{PROTOCOL_VERSION, ReplayCommand, StorageState};
use tidemark_protocol::workbench::{Options, Stored, Workbench};
use tidemark_protocol::{Command, Event};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, WorkerGlobalScope};

use crate::storage::{Lock, Store, lock};
use crate::wire;

use outbox::Outbox;

/// Installs the message handler and tells the page that commands are heard.
pub fn start() {
    panic::install();
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let host = Rc::new(Host::default());
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
        host.receive(message.data());
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    listener.forget();
    post_value(&wire::LISTENING.into());
}

fn post_value(value: &JsValue) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    // Structured clone of plain data does not fail; there is nobody else to tell if it did.
    let _ = scope.post_message(value);
}

fn post(event: &Event) {
    match wire::encode(event) {
        Ok(value) => post_value(&value),
        Err(error) => web_sys::console::error_1(&error.into()),
    }
}

/// What the worker holds. Commands are carried out one after the other; those that arrive meanwhile wait here.
#[derive(Default)]
struct Host {
    waiting: RefCell<VecDeque<Command>>,
    busy: Cell<bool>,
    bench: RefCell<Option<Workbench>>,
    outbox: Rc<Outbox>,
}

impl Host {
    fn receive(self: &Rc<Self>, message: JsValue) {
        match wire::decode::<Command>(message) {
            Ok(command) => self.waiting.borrow_mut().push_back(command),
            Err(message) => return post(&Event::Refused { command: "unknown".to_owned(), message }),
        }
        if !self.busy.replace(true) {
            let host = self.clone();
            wasm_bindgen_futures::spawn_local(async move { host.work().await });
        }
    }

    async fn work(&self) {
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            let Some(command) = next else { break };
            match command {
                Command::Open { protocol, workspace, now_ms } => self.open(protocol, &workspace, now_ms).await,
                command => match self.bench.borrow_mut().as_mut() {
                    Some(bench) => bench.handle(command),
                    None => refuse("no workspace is open"),
                },
            }
            self.outbox.flush().await;
            self.replay().await;
        }
        self.busy.set(false);
    }

    /// Carries a replay on piece by piece; between two of them the page is heard, so that it can be stopped.
    async fn replay(&self) {
        while self.bench.borrow().as_ref().is_some_and(Workbench::is_replaying) {
            TimeoutFuture::new(0).await;
            // What is looked up for a question waits for what the person does.
            if self.bench.borrow().as_ref().is_some_and(Workbench::is_recalling) && !self.waiting.borrow().is_empty() {
                return;
            }
            let stop = |command: &Command| matches!(command, Command::Replay(ReplayCommand::Stop));
            let stopped = self.waiting.borrow().iter().any(stop);
            if let Some(bench) = self.bench.borrow_mut().as_mut() {
                if stopped {
                    bench.stop_replay();
                } else {
                    bench.proceed();
                }
            }
            self.outbox.flush().await;
        }
    }

    async fn open(&self, protocol: u32, workspace: &str, now_ms: i64) {
        if protocol != PROTOCOL_VERSION {
            return refuse("the page and the engine come from different versions of Tidemark: reload the page");
        }
        if self.bench.borrow().is_some() {
            return refuse("a workspace is open already");
        }
        let (stored, state) = self.open_store(workspace).await;
        post(&Event::Storage(state));
        let outbox = self.outbox.clone();
        let options = Options { now_ms, seed: now_ms.unsigned_abs(), stopwatch: stopwatch() };
        let bench = Workbench::open(options, stored, Rc::new(move |output| outbox.put(output)));
        *self.bench.borrow_mut() = Some(bench);
    }

    /// What is stored of the workspace; without a store the outbox forgets commits and this tab works in memory.
    async fn open_store(&self, workspace: &str) -> (Option<Stored>, StorageState) {
        if workspace.is_empty() {
            return (None, StorageState::Memory);
        }
        if lock(workspace).await == Lock::Elsewhere {
            return (None, StorageState::OpenElsewhere);
        }
        let opened = async {
            let mut store = Store::open(workspace).await?;
            let stored = store.load().await?;
            Ok::<_, crate::storage::StoreError>((store, stored))
        };
        match opened.await {
            Ok((store, stored)) => {
                self.outbox.set_store(store);
                (stored, StorageState::Persistent)
            }
            Err(error) => (None, error.state()),
        }
    }
}

/// The worker's `performance.now()`.
fn stopwatch() -> Option<Rc<dyn Fn() -> i64>> {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let performance = scope.performance()?;
    Some(Rc::new(move || performance.now() as i64))
}

fn refuse(message: &str) {
    post(&Event::Refused { command: "open".to_owned(), message: message.to_owned() });
}
