//! Streaming sinks: where a batch goes.

mod console;
pub(crate) mod file;
mod foreach;
mod memory;
mod noop;
mod python;
mod resolve;

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::Result;
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::Attribute;
use tidemark_sql::session::SqlSession;

use crate::api::ScriptHost;
use crate::operators::OutputMode;
use crate::query::Setup;

pub(crate) use noop::NoopSink;
pub(crate) use resolve::{FORMATS, ResolvedSink, open_view, parse_output_mode, resolve};

/// One batch on its way into a sink.
pub(crate) trait SinkBatch {
    fn id(&self) -> i64;
    fn output(&self) -> &[Arc<Attribute>];
    /// Runs the batch's plan: partitions in order. Every call runs it again, as every Spark action does.
    fn rows(&self) -> Result<Vec<Partition>>;
    /// The batch as a frame for foreachBatch: every action on it runs the plan.
    fn frame(&self) -> tidemark_sql::plan::PlanRef;
}

/// What a sink may use.
pub(crate) struct SinkEnv {
    /// The session in which the query was started (memory tables go there).
    pub(crate) session: Rc<SqlSession>,
    pub(crate) host: Option<Rc<dyn ScriptHost>>,
    pub(crate) output_mode: OutputMode,
    pub(crate) uuid: Rc<dyn Fn() -> String>,
    pub(crate) now_ms: i64,
}

pub(crate) trait Sink {
    /// Spark's toString: the description in the progress.
    fn description(&self) -> String;
    /// First line of the plan in error texts, `{plan}` below it: "WriteToMicroBatchDataSource noop-table".
    fn plan_text(&self, setup: &Setup) -> String {
        let options = if setup.options.is_empty() { String::new() } else { format!("[{}], ", setup.options) };
        let mode = setup.output_mode.name();
        format!("~WriteToMicroBatchDataSourceV1 {}, {}, {options}{mode}", self.description(), setup.id)
    }
    /// How the physical plan names the writer of a sink of Spark's second interface; None: the rows are taken from the plan.
    fn writer_text(&self) -> Option<String> {
        None
    }
    /// Checks that fail the query when it starts, not the call of start().
    fn open(&mut self, env: &SinkEnv) -> Result<()> {
        let _ = env;
        Ok(())
    }
    /// Takes a batch; the number of rows where the sink reports it (Spark's v2 sinks).
    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>>;
}

/// Rows over partitions.
pub(crate) fn count_rows(partitions: &[Partition]) -> i64 {
    let rows: usize = partitions.iter().flatten().map(|batch| batch.num_rows()).sum();
    i64::try_from(rows).unwrap_or(i64::MAX)
}
