//! explain() of a stream that was not started (IncrementalExecution over a StreamingRelation).

use std::rc::Rc;

use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::plan::PlanRef;
use tidemark_sql::session::SqlSession;

use crate::batch::keeps_state;
use crate::operators::{OutputMode, StatefulBatch, StatefulPlanner, StatefulQuery, StreamingConf};

/// Spark draws one.
const RUN_ID: &str = "2c9d5a70-4f1e-4b86-a3c8-71d0e95b6f24";

/// The text of df.explain(): planned as a first batch would be, in append mode and without watermarks. Modes are those of
/// [`tidemark_sql::explain::text`].
pub fn stream(session: &SqlSession, plan: &PlanRef, mode: &str) -> Result<String> {
    let mut ctx = ExecContext::new(session);
    ctx.adaptive &= !keeps_state(plan);
    let conf = StreamingConf::read(&|key| ctx.conf.get(key));
    let query = Rc::new(StatefulQuery::not_started(session.fs.clone(), RUN_ID, conf));
    let batch = StatefulBatch::new(query, 0, true, OutputMode::Append, ctx.shuffle_partitions, 0, 0, 0);
    let extension = StatefulPlanner::new(Rc::new(batch));
    tidemark_sql::explain::text(&ctx, Some(&extension), plan, mode)
}
