//! Leaves whose rows are in hand: local relations, ranges, the single row of a query without FROM.

use std::any::Any;
use std::sync::Arc;

use arrow::array::Int64Array;

use super::batch::{BATCH_ROWS, make_batch, row_count};
use super::layout::SortedBy;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, ExprId};
use crate::planner::text;

/// LocalTableScanExec, RDDScanExec ("Scan ExistingRDD").
#[derive(Debug)]
pub struct LocalScanExec {
    pub output: Vec<Arc<Attribute>>,
    /// Which columns of the stored batches are read.
    pub ordinals: Vec<usize>,
    pub partitions: Arc<Vec<Partition>>,
    pub from_rdd: bool,
    /// The streaming source whose batch this is.
    pub source: Option<ExprId>,
}

impl ExecNode for LocalScanExec {
    fn name(&self) -> String {
        if self.from_rdd { "Scan ExistingRDD".into() } else { "LocalTableScan".into() }
    }
    fn arguments(&self) -> String {
        let list = text::attributes(&self.output);
        if self.from_rdd {
            list.replace(", ", ",")
        } else if self.partitions.iter().all(|p| row_count(p) == 0) {
            format!("<empty>, {list}")
        } else {
            list
        }
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let all: Vec<Partition> = self
            .partitions
            .iter()
            .map(|p| p.iter().map(|b| Ok(b.project(&self.ordinals)?)).collect::<Result<_>>())
            .collect::<Result<_>>()?;
        if let Some(source) = self.source {
            let rows: usize = all.iter().map(|p| row_count(p)).sum();
            ctx.source_rows.borrow_mut().push((source, i64::try_from(rows).unwrap_or(i64::MAX)));
        }
        Ok(all)
    }
    fn partitioning(&self) -> Partitioning {
        // An RDD's partitioning is unknown even when it has one partition; a LocalTableScan of few rows likewise.
        Partitioning::Unknown
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// RangeExec.
#[derive(Debug)]
pub struct RangeExec {
    pub start: i64,
    pub end: i64,
    pub step: i64,
    pub partitions: usize,
    pub output: Vec<Arc<Attribute>>,
}

impl RangeExec {
    fn count(&self) -> i128 {
        let (start, end, step) = (i128::from(self.start), i128::from(self.end), i128::from(self.step));
        if step == 0 || (end > start) != (step > 0) || end == start {
            return 0;
        }
        let whole = (end - start) / step;
        if (end - start) % step != 0 { whole + 1 } else { whole }
    }
}

impl ExecNode for RangeExec {
    fn name(&self) -> String {
        "Range".into()
    }
    fn arguments(&self) -> String {
        format!("({}, {}, step={}, splits={})", self.start, self.end, self.step, self.partitions)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, _ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let slices = self.partitions as i128;
        let count = self.count();
        let mut all = Vec::new();
        for slice in 0..slices {
            let (from, to) = (slice * count / slices, (slice + 1) * count / slices);
            let mut partition = Vec::new();
            let mut at = from;
            while at < to {
                let upto = to.min(at + BATCH_ROWS as i128);
                let value = |i: i128| i64::try_from(i128::from(self.start) + i * i128::from(self.step)).unwrap_or(0);
                let column = Int64Array::from_iter_values((at..upto).map(value));
                let rows = column.len();
                partition.push(make_batch(&self.output, vec![Arc::new(column)], rows)?);
                at = upto;
            }
            all.push(partition);
        }
        Ok(all)
    }
    fn partitioning(&self) -> Partitioning {
        match (self.count(), self.partitions) {
            (0, _) => Partitioning::Unknown,
            (_, 1) => Partitioning::Single,
            _ => Partitioning::Range { order: self.ordering() },
        }
    }
    fn ordering(&self) -> Vec<SortedBy> {
        let by = |a: &Arc<Attribute>| {
            let ascending = self.step > 0;
            SortedBy { column: a.id, ascending, nulls_first: ascending }
        };
        self.output.iter().map(by).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// OneRowRelation ("Scan OneRowRelation").
#[derive(Debug)]
pub struct OneRowExec;

impl ExecNode for OneRowExec {
    fn name(&self) -> String {
        "Scan OneRowRelation".into()
    }
    fn arguments(&self) -> String {
        "[]".into()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &[]
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, _ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        Ok(vec![vec![make_batch(&[], Vec::new(), 1)?]])
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A micro-batch's data from any plan: counts the source's rows and gives them the source's columns.
#[derive(Debug)]
pub struct SourceExec {
    pub source: ExprId,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for SourceExec {
    fn name(&self) -> String {
        "MicroBatchScan".into()
    }
    fn arguments(&self) -> String {
        text::attributes(&self.output)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let mut all = Vec::new();
        let mut rows = 0;
        for partition in self.child.execute(ctx)? {
            rows += row_count(&partition);
            let renamed: Result<Partition> =
                partition.into_iter().map(|b| make_batch(&self.output, b.columns().to_vec(), b.num_rows())).collect();
            all.push(renamed?);
        }
        ctx.source_rows.borrow_mut().push((self.source, i64::try_from(rows).unwrap_or(i64::MAX)));
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
