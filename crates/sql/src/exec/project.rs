//! ProjectExec.

use std::any::Any;
use std::sync::Arc;

use super::batch::make_batch;
use super::bind::{bind_all, eval_all};
use super::layout::SortedBy;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, Expr, ExprId};
use crate::planner::text;

#[derive(Debug)]
pub struct ProjectExec {
    /// As planned, for explain.
    pub list: Vec<Expr>,
    pub bound: Vec<Expr>,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ProjectExec {
    pub fn new(list: Vec<Expr>, child: ExecRef) -> Result<Self> {
        let bound = bind_all(&list, child.output())?;
        let output = list.iter().map(Expr::to_attribute).collect();
        Ok(Self { list, bound, output, child })
    }

    /// What a column of the child is called above, if it goes through as it is.
    fn name_of(&self, column: ExprId) -> Option<ExprId> {
        self.list.iter().find_map(|e| match e {
            Expr::Attribute(a) if a.id == column => Some(a.id),
            Expr::Alias(alias) => match &alias.child {
                Expr::Attribute(a) if a.id == column => Some(alias.id),
                _ => None,
            },
            _ => None,
        })
    }
}

impl ExecNode for ProjectExec {
    fn name(&self) -> String {
        "Project".into()
    }
    fn arguments(&self) -> String {
        if self.list.is_empty() { String::new() } else { text::expressions(&self.list) }
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
                let columns = eval_all(&self.bound, &batch, &ctx.eval(index, base))?;
                base += batch.num_rows() as i64;
                out.push(make_batch(&self.output, columns, batch.num_rows())?);
            }
            all.push(out);
        }
        Ok(all)
    }
    /// Partitioning by a column survives a rename of that column (PartitioningPreservingUnaryExecNode).
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning().renamed(&|column| self.name_of(column))
    }
    fn ordering(&self) -> Vec<SortedBy> {
        let renamed = |o: SortedBy| Some(SortedBy { column: self.name_of(o.column)?, ..o });
        self.child.ordering().into_iter().map_while(renamed).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
