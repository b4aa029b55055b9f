//! UnionExec: the children's partitions one after the other.

use std::any::Any;
use std::sync::Arc;

use super::batch::make_batch;
use super::{ExecContext, ExecNode, ExecRef, Partition};
use crate::error::Result;
use crate::expr::Attribute;

#[derive(Debug)]
pub struct UnionExec {
    pub output: Vec<Arc<Attribute>>,
    pub inputs: Vec<ExecRef>,
}

impl ExecNode for UnionExec {
    fn name(&self) -> String {
        "Union".into()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        self.inputs.iter().collect()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let mut all = Vec::new();
        for child in &self.inputs {
            for partition in child.execute(ctx)? {
                let renamed: Result<Partition> = partition
                    .into_iter()
                    .map(|b| make_batch(&self.output, b.columns().to_vec(), b.num_rows()))
                    .collect();
                all.push(renamed?);
            }
        }
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
