//! What belongs to one SparkSession: configuration, catalog, files, time, and the script's functions.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tidemark_vfs::SharedFs;

use crate::catalog::Catalog;
use crate::conf::SqlConf;
use crate::connector::Connector;
use crate::expr::UdfHost;

/// The session's time, virtual or real.
pub trait Clock {
    /// Microseconds since the epoch.
    fn now_us(&self) -> i64;
}

/// One SparkSession. `Rc` throughout: the engine is single-threaded.
pub struct SqlSession {
    pub conf: RefCell<SqlConf>,
    pub catalog: RefCell<Catalog>,
    pub fs: SharedFs,
    /// Folder against which relative paths resolve; absolute.
    pub cwd: String,
    pub clock: Rc<dyn Clock>,
    pub udfs: RefCell<Option<Rc<dyn UdfHost>>>,
    /// What reads checkpoints; the streaming crate brings it.
    pub state_reader: RefCell<Option<Rc<dyn crate::state_reader::StateReader>>>,
    /// What runs transformWithState on frames that are no streams; the streaming crate brings it.
    pub batch_processors: RefCell<Option<Rc<dyn crate::planner::BatchProcessors>>>,
    /// Spark's Kafka connector; used where the session has its package.
    pub kafka: RefCell<Option<Rc<dyn Connector>>>,
    /// Copies with new ids that self joins made of plans.
    pub(crate) copies: crate::analyzer::Copies,
    /// What plans were before their analysis.
    pub(crate) parsed: crate::dataframe::Parsed,
    /// Plans that are cached.
    pub(crate) cached: RefCell<Vec<crate::dataframe::Cached>>,
    /// What each session of newSession has of its own, while another one is at work.
    parked: RefCell<Vec<(SqlConf, Catalog)>>,
    /// The session at work: its place among the parked ones.
    active: Cell<usize>,
    /// N of local[N].
    pub parallelism: Cell<usize>,
    /// Takes the place of every delay that the script gives to withWatermark: what a what-if run changes.
    pub watermark_delay: RefCell<Option<String>>,
}

impl SqlSession {
    /// A session with default configuration and an empty catalog.
    pub fn new(fs: SharedFs, cwd: impl Into<String>, clock: Rc<dyn Clock>, parallelism: usize) -> Self {
        Self {
            conf: RefCell::default(),
            catalog: RefCell::default(),
            fs,
            cwd: cwd.into(),
            clock,
            udfs: RefCell::new(None),
            state_reader: RefCell::new(None),
            batch_processors: RefCell::new(None),
            kafka: RefCell::new(None),
            copies: crate::analyzer::Copies::default(),
            parsed: crate::dataframe::Parsed::default(),
            cached: RefCell::default(),
            parked: RefCell::new(vec![Default::default()]),
            active: Cell::new(0),
            parallelism: Cell::new(parallelism),
            watermark_delay: RefCell::new(None),
        }
    }

    /// SparkSession.newSession: its number. Configuration, temp views, functions and variables are its own, all else is shared.
    pub fn new_session(&self) -> usize {
        let mut parked = self.parked.borrow_mut();
        parked.push(Default::default());
        parked.len() - 1
    }

    /// Puts another session to work.
    pub fn enter(&self, number: usize) {
        let before = self.active.get();
        let mut parked = self.parked.borrow_mut();
        if number == before || number >= parked.len() {
            return;
        }
        let (mut conf, mut catalog) = (self.conf.borrow_mut(), self.catalog.borrow_mut());
        for place in [before, number] {
            let (own_conf, own_catalog) = &mut parked[place];
            std::mem::swap(&mut *conf, own_conf);
            catalog.swap_session(own_catalog);
        }
        self.active.set(number);
    }
}
