//! Physical plans: operators over partitions of Arrow batches.

pub mod aggregate;
pub mod batch;
pub mod bind;
pub mod coalesce;
mod counters;
pub mod exchange;
pub mod expand;
pub mod filter;
pub mod generate;
pub mod join;
pub mod layout;
pub mod leaf;
pub mod limit;
pub mod metrics;
mod poisson;
pub mod project;
pub mod python;
pub mod python_source;
pub mod python_tables;
mod round_robin;
pub mod sample;
pub mod scan;
pub mod settings;
pub mod shuffle;
pub mod sort;
pub mod union;
pub mod window;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

pub use self::layout::Partitioning;
use self::layout::SortedBy;
use crate::conf::SqlConf;
use crate::error::Result;
use crate::expr::{Attribute, ExprId, SortOrder, UdfHost};
use crate::functions::EvalContext;
use crate::plan::LogicalPlan;
use crate::session::SqlSession;

/// The rows of one partition, in order.
pub type Partition = Vec<RecordBatch>;
pub type ExecRef = Arc<dyn ExecNode>;

/// A physical operator (SparkPlan). Expressions in it are bound to the child's output by ordinal.
pub trait ExecNode: std::fmt::Debug {
    /// As explain prints the node's first word ("HashAggregate", "Exchange").
    fn name(&self) -> String;
    /// The rest of its line in a simple explain.
    fn arguments(&self) -> String {
        String::new()
    }
    /// The order in which Spark wants the rows of its (first) input, by a Sort that here the operator does itself.
    fn input_order(&self) -> Vec<SortOrder> {
        Vec::new()
    }
    /// False: an operator that Spark does not have.
    fn is_shown(&self) -> bool {
        true
    }
    fn output(&self) -> &[Arc<Attribute>];
    fn children(&self) -> Vec<&ExecRef>;
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>>;
    fn partitioning(&self) -> Partitioning {
        Partitioning::Unknown
    }
    /// What the rows of each partition are sorted by.
    fn ordering(&self) -> Vec<SortedBy> {
        Vec::new()
    }
    fn as_any(&self) -> &dyn Any;
}

/// What an execution may know and must report.
pub struct ExecContext<'a> {
    pub session: &'a SqlSession,
    /// The session's configuration when the execution began.
    pub conf: SqlConf,
    pub udfs: Option<Rc<dyn UdfHost>>,
    /// current_timestamp of this execution, µs.
    pub now_us: i64,
    /// spark.sql.shuffle.partitions in force (a streaming query fixes its own).
    pub shuffle_partitions: usize,
    /// spark.default.parallelism: local[N].
    pub default_parallelism: usize,
    /// Whether adaptive execution may put small shuffle partitions together (off for stateful micro-batches).
    pub adaptive: bool,
    /// Observed metrics (df.observe), by name, filled while executing.
    pub observed: RefCell<Vec<(String, RecordBatch)>>,
    /// Rows that came out of the scans of each streaming source (numInputRows), one entry a scan.
    pub source_rows: RefCell<Vec<(ExprId, i64)>>,
    /// Where exchanges keep what they write, for plans that run more than once.
    pub shuffles: Option<Rc<shuffle::ShuffleFiles>>,
}

impl<'a> ExecContext<'a> {
    /// A batch execution under the session's present configuration.
    pub fn new(session: &'a SqlSession) -> Self {
        let conf = session.conf.borrow().clone();
        let shuffle_partitions = settings::shuffle_partitions(&conf);
        let adaptive = settings::adaptive(&conf);
        Self {
            session,
            conf,
            udfs: session.udfs.borrow().clone(),
            now_us: session.clock.now_us(),
            shuffle_partitions,
            default_parallelism: session.parallelism.get().max(1),
            adaptive,
            observed: RefCell::default(),
            source_rows: RefCell::default(),
            shuffles: None,
        }
    }

    /// What expressions may know in this partition, `row_base` rows of which came before.
    pub fn eval(&self, partition: usize, row_base: i64) -> EvalContext<'_> {
        EvalContext { conf: &self.conf, now_us: self.now_us, partition, row_base, udfs: self.udfs.as_deref() }
    }
}

/// Lets another crate plan nodes of its own (Spark's extra strategies of IncrementalExecution: stateful aggregation,
/// deduplication, stream-stream join, event-time watermark, session windows).
pub trait PlannerExtension {
    /// None: not ours, plan it as usual.
    fn plan(&self, node: &LogicalPlan, planner: &crate::planner::Planner<'_>) -> Option<Result<ExecRef>>;
}
