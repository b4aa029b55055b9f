//! LocalLimit, GlobalLimit (with offset), CollectLimit, CollectTail.

use std::any::Any;
use std::sync::Arc;

use super::batch::row_count;
use super::layout::SortedBy;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::Attribute;

/// How rows are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// The first rows of every partition.
    Local,
    /// The same above stateful operators, whose batches it reads to their end.
    StreamingLocal,
    /// The first rows after the offset; needs a single partition.
    Global,
    /// The first rows over all partitions, collected to one.
    Collect,
    /// The last rows over all partitions.
    Tail,
}

impl LimitKind {
    /// Whether every partition is cut by itself.
    fn is_local(self) -> bool {
        matches!(self, Self::Local | Self::StreamingLocal)
    }
}

#[derive(Debug)]
pub struct LimitExec {
    pub kind: LimitKind,
    /// None: no limit, only an offset.
    pub limit: Option<usize>,
    pub offset: usize,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl LimitExec {
    pub fn new(kind: LimitKind, limit: Option<usize>, offset: usize, child: ExecRef) -> Self {
        Self { kind, limit, offset, output: child.output().to_vec(), child }
    }
}

/// Rows `offset .. offset + limit` of a partition.
pub fn slice_rows(partition: Partition, offset: usize, limit: Option<usize>) -> Partition {
    let (mut skip, mut left) = (offset, limit.unwrap_or(usize::MAX));
    let mut out = Vec::new();
    for batch in partition {
        if left == 0 {
            break;
        }
        let rows = batch.num_rows();
        if skip >= rows {
            skip -= rows;
            continue;
        }
        let take = (rows - skip).min(left);
        out.push(batch.slice(skip, take));
        skip = 0;
        left -= take;
    }
    out
}

impl ExecNode for LimitExec {
    fn name(&self) -> String {
        match self.kind {
            LimitKind::Local => "LocalLimit",
            LimitKind::StreamingLocal => "StreamingLocalLimit",
            LimitKind::Global => "GlobalLimit",
            LimitKind::Collect => "CollectLimit",
            LimitKind::Tail => "CollectTail",
        }
        .into()
    }
    fn arguments(&self) -> String {
        let limit = self.limit.map_or_else(|| "-1".to_owned(), |n| n.to_string());
        if self.offset > 0 || self.kind == LimitKind::Global { format!("{limit}, {}", self.offset) } else { limit }
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        if self.kind.is_local() {
            return Ok(input.into_iter().map(|p| slice_rows(p, 0, self.limit)).collect());
        }
        let all: Partition = input.into_iter().flatten().collect();
        let offset = match (self.kind, self.limit) {
            (LimitKind::Tail, Some(n)) => row_count(&all).saturating_sub(n),
            _ => self.offset,
        };
        Ok(vec![slice_rows(all, offset, self.limit)])
    }
    fn partitioning(&self) -> Partitioning {
        if self.kind.is_local() { self.child.partitioning() } else { Partitioning::Single }
    }
    fn ordering(&self) -> Vec<SortedBy> {
        self.child.ordering()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
