//! EventTimeWatermark: marks the event time column and counts what passes.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::Result;
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::explain::node_id;
use tidemark_sql::expr::{Attribute, Expr};

use super::batch::{EventTimeStats, StatefulBatch};
use super::columns::micros;

#[derive(Debug)]
pub(crate) struct EventTimeWatermarkExec {
    pub(super) batch: Rc<StatefulBatch>,
    /// Position among the batch's watermark nodes.
    pub(super) node: usize,
    /// Column of the event time.
    pub(super) ordinal: usize,
    /// As explain shows it ("1 minutes").
    pub(super) shown_delay: String,
    pub(super) output: Vec<Arc<Attribute>>,
    pub(super) child: ExecRef,
}

impl ExecNode for EventTimeWatermarkExec {
    fn name(&self) -> String {
        "EventTimeWatermark".into()
    }
    fn arguments(&self) -> String {
        let column = &self.output[self.ordinal];
        let shown = Expr::Attribute(column.clone());
        let (id, data_type) = (node_id(&shown), column.data_type.simple_string());
        format!("{id}, {}#{}: {data_type}, {}", column.name, column.id.0, self.shown_delay)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let partitions = self.child.execute(ctx)?;
        let mut all = EventTimeStats::default();
        for partition in &partitions {
            let mut stats = EventTimeStats::default();
            for batch in partition {
                for time in micros(batch.column(self.ordinal)) {
                    // UnsafeRow.getLong gives 0 for null: a row without event time counts as 1970.
                    stats.add(time.unwrap_or(0).div_euclid(1000));
                }
            }
            all.merge(&stats);
        }
        if let Some(node) = self.batch.event_times.borrow_mut().get_mut(self.node) {
            node.stats.merge(&all);
        }
        Ok(partitions)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
