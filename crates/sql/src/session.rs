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
            parallelism: Cell::new(parallelism),
            watermark_delay: RefCell::new(None),
        }
    }
}
