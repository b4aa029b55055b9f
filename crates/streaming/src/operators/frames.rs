//! transformWithState on a frame that is no stream: one batch over a state that lives as long as the plan
//! (TransformWithStateInPySparkExec for batch queries).

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::plan::PythonOperator;
use tidemark_sql::planner::{BatchProcessors, Planner};
use tidemark_vfs::{MemoryFs, SharedFs};

use super::batch::{OutputMode, StatefulBatch, StatefulQuery, StreamingConf};
use super::python::plan_python;

pub(crate) struct FrameProcessors;

impl BatchProcessors for FrameProcessors {
    fn plan(&self, node: &PythonOperator, planner: &Planner<'_>) -> Result<ExecRef> {
        let conf = StreamingConf::read(&|key| planner.ctx.conf.get(key));
        let fs: SharedFs = Arc::new(MemoryFs::new());
        let query = Rc::new(StatefulQuery::new(fs, "/", "", conf));
        let now_ms = planner.ctx.now_us.div_euclid(1000);
        let partitions = planner.ctx.shuffle_partitions;
        let batch = Rc::new(StatefulBatch::new(query, 0, true, OutputMode::Append, partitions, 0, 0, now_ms));
        let plan = plan_python(&batch, node, planner)
            .unwrap_or_else(|| Err(SparkError::internal("an operator without state")))?;
        batch.query.propagator.borrow_mut().propagate(0, &plan, 0)?;
        Ok(plan)
    }
}
