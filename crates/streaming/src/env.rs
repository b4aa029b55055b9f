//! What the queries of one session share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tidemark_sql::session::SqlSession;

use crate::api::{CrashPoint, Rehearsal, ScriptHost, StreamObserver};
use crate::clock::VirtualClock;
use crate::ids::IdSource;
use crate::kafka::Broker;
use crate::socket::SocketHub;

pub(crate) struct Env {
    /// The session in which queries are started.
    pub(crate) session: Rc<SqlSession>,
    pub(crate) clock: Rc<VirtualClock>,
    pub(crate) ids: Box<dyn IdSource>,
    pub(crate) broker: Rc<Broker>,
    sockets: RefCell<Rc<SocketHub>>,
    host: RefCell<Option<Rc<dyn ScriptHost>>>,
    observer: RefCell<Option<Rc<dyn StreamObserver>>>,
    /// Where the next batch is to be cut off.
    pub(crate) crash: Cell<Option<CrashPoint>>,
    /// Where every batch loses its driver.
    pub(crate) rehearsal: Cell<Option<Rehearsal>>,
    /// The driver was killed: nothing runs any more.
    pub(crate) crashed: Cell<bool>,
}

impl Env {
    pub(crate) fn new(session: Rc<SqlSession>, clock: Rc<VirtualClock>, ids: Box<dyn IdSource>) -> Self {
        let broker = Rc::new(Broker::new(session.fs.clone(), &session.cwd));
        Self {
            broker,
            sockets: RefCell::default(),
            session,
            clock,
            ids,
            host: RefCell::new(None),
            observer: RefCell::new(None),
            crash: Cell::new(None),
            rehearsal: Cell::new(None),
            crashed: Cell::new(false),
        }
    }

    pub(crate) fn sockets(&self) -> Rc<SocketHub> {
        self.sockets.borrow().clone()
    }

    pub(crate) fn set_sockets(&self, sockets: Rc<SocketHub>) {
        *self.sockets.borrow_mut() = sockets;
    }

    /// A copy, so that no borrow is held while the script runs.
    pub(crate) fn host(&self) -> Option<Rc<dyn ScriptHost>> {
        self.host.borrow().clone()
    }

    pub(crate) fn observer(&self) -> Option<Rc<dyn StreamObserver>> {
        self.observer.borrow().clone()
    }

    pub(crate) fn set_host(&self, host: Option<Rc<dyn ScriptHost>>) {
        *self.host.borrow_mut() = host;
    }

    pub(crate) fn set_observer(&self, observer: Option<Rc<dyn StreamObserver>>) {
        *self.observer.borrow_mut() = observer;
    }

    pub(crate) fn event(&self, kind: &str, json: &serde_json::Value) {
        if let Some(host) = self.host() {
            host.listener_event(kind, &json.to_string());
        }
    }

    pub(crate) fn rehearses(&self, rehearsal: Rehearsal) -> bool {
        self.rehearsal.get() == Some(rehearsal)
    }

    /// Whether the crash is to happen here; it happens once.
    pub(crate) fn crashes_at(&self, point: CrashPoint) -> bool {
        if self.crash.get() != Some(point) {
            return false;
        }
        self.crash.set(None);
        self.crashed.set(true);
        true
    }
}
