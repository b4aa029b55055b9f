//! What belongs to one SparkSession: configuration, catalog, files, time, and the script's functions.

use std::cell::RefCell;
use std::rc::Rc;

use tidemark_vfs::SharedFs;

use crate::catalog::Catalog;
use crate::conf::SqlConf;
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
    /// N of local[N].
    pub parallelism: std::cell::Cell<usize>,
}
