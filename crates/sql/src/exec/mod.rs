//! Physical plans: operators over partitions of Arrow batches.

use std::any::Any;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use crate::error::Result;
use crate::expr::Attribute;
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
    fn output(&self) -> &[Arc<Attribute>];
    fn children(&self) -> Vec<&ExecRef>;
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>>;
    fn partitioning(&self) -> Partitioning {
        Partitioning::Unknown
    }
    fn as_any(&self) -> &dyn Any;
}

/// How rows are laid over partitions (for EnsureRequirements).
#[derive(Clone, Debug, PartialEq)]
pub enum Partitioning {
    Unknown,
    Single,
    /// pmod(murmur3(keys, 42), partitions) over these attributes.
    Hash {
        keys: Vec<crate::expr::ExprId>,
        partitions: usize,
    },
}

/// What an execution may know and must report.
pub struct ExecContext<'a> {
    pub session: &'a SqlSession,
    /// current_timestamp of this execution, µs.
    pub now_us: i64,
    /// spark.sql.shuffle.partitions in force (a streaming query fixes its own).
    pub shuffle_partitions: usize,
    /// spark.default.parallelism: local[N].
    pub default_parallelism: usize,
    /// Observed metrics (df.observe), by name, filled while executing.
    pub observed: std::cell::RefCell<Vec<(String, RecordBatch)>>,
}

impl ExecContext<'_> {
    pub fn eval<'b>(
        &'b self,
        conf: &'b crate::conf::SqlConf,
        partition: usize,
        row_base: i64,
        udfs: Option<&'b dyn crate::expr::UdfHost>,
    ) -> EvalContext<'b> {
        EvalContext { conf, now_us: self.now_us, partition, row_base, udfs }
    }
}

/// Lets another crate plan nodes of its own (Spark's extra strategies of IncrementalExecution: stateful aggregation,
/// deduplication, stream-stream join, event-time watermark, session windows).
pub trait PlannerExtension {
    /// None: not ours, plan it as usual.
    fn plan(&self, node: &LogicalPlan, planner: &crate::planner::Planner<'_>) -> Option<Result<ExecRef>>;
}
