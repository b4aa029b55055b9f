//! The source of a query that was not started, for explain (StreamingRelationExec).

use std::any::Any;
use std::sync::Arc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition};
use tidemark_sql::explain::source_text;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::StreamingRelation;
use tidemark_sql::planner::text;

#[derive(Debug)]
pub(super) struct StreamingRelationExec {
    source: String,
    output: Vec<Arc<Attribute>>,
}

impl StreamingRelationExec {
    pub(super) fn new(relation: &StreamingRelation) -> Self {
        Self { source: source_text(relation), output: relation.output.clone() }
    }
}

impl ExecNode for StreamingRelationExec {
    fn name(&self) -> String {
        "StreamingRelation".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}", self.source, text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, _ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        Err(SparkError::internal("StreamingRelationExec cannot be executed"))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
