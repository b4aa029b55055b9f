//! FilterExec.

use std::any::Any;
use std::sync::Arc;

use arrow::compute::filter_record_batch;

use super::bind::{bind, eval_condition};
use super::layout::SortedBy;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, Expr};
use crate::planner::text;

#[derive(Debug)]
pub struct FilterExec {
    pub condition: Expr,
    pub bound: Expr,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl FilterExec {
    pub fn new(condition: Expr, child: ExecRef) -> Result<Self> {
        let bound = bind(&condition, child.output())?;
        Ok(Self { bound, output: child.output().to_vec(), condition, child })
    }
}

impl ExecNode for FilterExec {
    fn name(&self) -> String {
        "Filter".into()
    }
    fn arguments(&self) -> String {
        text::expression(&self.condition)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        let mut all = Vec::with_capacity(input.len());
        for (index, partition) in input.into_iter().enumerate() {
            let mut base = 0;
            let mut out = Vec::with_capacity(partition.len());
            for batch in partition {
                let mask = eval_condition(&self.bound, &batch, &ctx.eval(index, base))?;
                base += batch.num_rows() as i64;
                match mask.true_count() {
                    0 => {}
                    n if n == mask.len() => out.push(batch),
                    _ => out.push(filter_record_batch(&batch, &mask)?),
                }
            }
            all.push(out);
        }
        Ok(all)
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
