//! CoalesceExec: fewer partitions without an exchange, neighbours put together.

use std::any::Any;
use std::sync::Arc;

use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::Attribute;

#[derive(Debug)]
pub struct CoalesceExec {
    pub partitions: usize,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for CoalesceExec {
    fn name(&self) -> String {
        "Coalesce".into()
    }
    fn arguments(&self) -> String {
        self.partitions.to_string()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        let (n, wanted) = (input.len(), self.partitions.max(1));
        if n <= wanted {
            return Ok(input);
        }
        let mut out: Vec<Partition> = vec![Vec::new(); wanted];
        for (i, partition) in input.into_iter().enumerate() {
            // Partition `k` takes i from k*n/wanted on (DefaultPartitionCoalescer without locality).
            let at = (0..wanted).rev().find(|k| k * n / wanted <= i).unwrap_or(0);
            out[at].extend(partition);
        }
        Ok(out)
    }
    fn partitioning(&self) -> Partitioning {
        if self.partitions == 1 { Partitioning::Single } else { Partitioning::Unknown }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
