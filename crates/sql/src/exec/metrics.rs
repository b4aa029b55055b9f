//! CollectMetricsExec: rows pass through, aggregates over them are kept by name (df.observe).

use std::any::Any;
use std::sync::Arc;

use super::aggregate::AggregatePieces;
use super::batch::{concat_partition, empty_batch};
use super::layout::SortedBy;
use super::leaf::LocalScanExec;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::Attribute;

#[derive(Debug)]
pub struct CollectMetricsExec {
    pub metric: String,
    pub pieces: AggregatePieces,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for CollectMetricsExec {
    fn name(&self) -> String {
        "CollectMetrics".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}", self.metric, crate::planner::text::expressions(&self.pieces.results))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        let rows: ExecRef = Arc::new(LocalScanExec {
            output: self.output.clone(),
            ordinals: (0..self.output.len()).collect(),
            partitions: Arc::new(vec![input.iter().flatten().cloned().collect()]),
            from_rdd: true,
            source: None,
        });
        let counted = self.pieces.finish(self.pieces.partial(rows)?)?;
        let result: Partition = counted.execute(ctx)?.into_iter().flatten().collect();
        let batch = if result.is_empty() {
            empty_batch(counted.output())
        } else {
            concat_partition(counted.output(), &result)?
        };
        ctx.observed.borrow_mut().push((self.metric.clone(), batch));
        Ok(input)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn ordering(&self) -> Vec<SortedBy> {
        self.child.ordering()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
