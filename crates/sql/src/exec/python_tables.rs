//! Operators that give whole tables to functions of the script: MapInPandasExec, FlatMapGroupsInPandasExec,
//! FlatMapCoGroupsInPandasExec, AggregateInPandasExec.

use std::any::Any;
use std::sync::Arc;

use arrow::array::UInt32Array;
use arrow::record_batch::RecordBatch;

use super::batch::{concat_partition, cut, cut_to, make_batch, row_count, take_rows};
use super::bind::{bind_all, eval_all};
use super::sort::comparable;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, PythonUdf, UdfHost};
use crate::functions::EvalContext;
use crate::planner::text;

/// spark.sql.execution.arrow.maxRecordsPerBatch
pub const TABLE_ROWS: usize = 10_000;

/// Columns that a function gets, bound to a child.
#[derive(Clone, Debug)]
pub struct TableColumns {
    pub attributes: Vec<Arc<Attribute>>,
    bound: Vec<Expr>,
}

impl TableColumns {
    pub fn new(columns: &[Expr], input: &[Arc<Attribute>]) -> Result<Self> {
        let attributes = columns.iter().map(Expr::to_attribute).collect();
        Ok(Self { attributes, bound: bind_all(columns, input)? })
    }

    pub fn table(&self, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<RecordBatch> {
        make_batch(&self.attributes, eval_all(&self.bound, batch, ctx)?, batch.num_rows())
    }
}

/// The rows of a partition that is sorted by its keys, cut where a key ends.
pub struct Groups {
    pub rows: RecordBatch,
    pub keys: RecordBatch,
    /// First row of each group, and the end of the last.
    starts: Vec<usize>,
}

impl Groups {
    /// Groups the rows of one partition by `keys`, in the order of the keys (nulls first), as a local sort and
    /// GroupedIterator do; without keys all rows are one group.
    pub fn new(
        partition: &[RecordBatch],
        input: &[Arc<Attribute>],
        keys: &TableColumns,
        values: &TableColumns,
        ctx: &EvalContext<'_>,
    ) -> Result<Self> {
        let all = concat_partition(input, partition)?;
        let columns = keys.table(&all, ctx)?;
        let options = vec![arrow::compute::SortOptions { descending: false, nulls_first: true }; columns.num_columns()];
        let mut order: Vec<u32> = (0..u32::try_from(all.num_rows()).unwrap_or(u32::MAX)).collect();
        let mut starts = Vec::new();
        if !order.is_empty() {
            starts.push(0);
        }
        if let Some(rows) = comparable(columns.columns().to_vec(), &options)? {
            order.sort_by(|a, b| rows.row(*a as usize).cmp(&rows.row(*b as usize)));
            let changes = (1..order.len()).filter(|i| rows.row(order[*i] as usize) != rows.row(order[*i - 1] as usize));
            starts.extend(changes);
        }
        if !order.is_empty() {
            starts.push(order.len());
        }
        let order = UInt32Array::from(order);
        Ok(Self { rows: take_rows(&values.table(&all, ctx)?, &order)?, keys: take_rows(&columns, &order)?, starts })
    }

    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn slice(&self, batch: &RecordBatch, group: usize) -> RecordBatch {
        let start = self.starts[group];
        batch.slice(start, self.starts[group + 1] - start)
    }

    /// The rows of a group, which must exist.
    pub fn group(&self, group: usize) -> RecordBatch {
        self.slice(&self.rows, group)
    }

    /// Its keys, a row for each of its rows.
    pub fn keys_of(&self, group: usize) -> RecordBatch {
        self.slice(&self.keys, group)
    }

    /// Keys and values side by side, as the function's wrapper takes them apart.
    pub fn table(&self, group: usize) -> Result<RecordBatch> {
        beside(&self.keys_of(group), &self.group(group))
    }
}

/// Two batches of equal length as one.
pub fn beside(left: &RecordBatch, right: &RecordBatch) -> Result<RecordBatch> {
    let fields = left.schema().fields().iter().chain(right.schema().fields()).cloned().collect::<Vec<_>>();
    let columns = left.columns().iter().chain(right.columns()).cloned().collect();
    let options = arrow::record_batch::RecordBatchOptions::new().with_row_count(Some(right.num_rows()));
    let schema = Arc::new(arrow::datatypes::Schema::new(fields));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

/// The script, or an error where there is none.
pub fn host(ctx: &ExecContext<'_>) -> Result<std::rc::Rc<dyn UdfHost>> {
    ctx.udfs.clone().ok_or_else(|| SparkError::internal("no Python to call functions of"))
}

/// mapInPandas: an iterator of tables to an iterator of tables, once a partition.
#[derive(Debug)]
pub struct MapTablesExec {
    pub handle: u64,
    pub call: String,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for MapTablesExec {
    fn name(&self) -> String {
        "MapInPandas".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}, false", self.call, text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let host = host(ctx)?;
        let run = |partition: Partition| {
            if row_count(&partition) == 0 {
                return Ok(Vec::new());
            }
            let tables = cut_to(&concat_partition(self.child.output(), &partition)?, TABLE_ROWS);
            host.call_tables(self.handle, &tables, &self.output)
        };
        self.child.execute(ctx)?.into_iter().map(run).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// applyInPandas: each group's rows to rows.
#[derive(Debug)]
pub struct GroupTablesExec {
    pub handle: u64,
    pub call: String,
    pub keys: TableColumns,
    pub values: TableColumns,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for GroupTablesExec {
    fn name(&self) -> String {
        "FlatMapGroupsInPandas".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}, {}", text::attributes(&self.keys.attributes), self.call, text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let host = host(ctx)?;
        let mut all = Vec::new();
        for (index, partition) in self.child.execute(ctx)?.into_iter().enumerate() {
            let groups = Groups::new(&partition, self.child.output(), &self.keys, &self.values, &ctx.eval(index, 0))?;
            let mut out = Vec::new();
            for group in 0..groups.len() {
                out.extend(host.call_tables(self.handle, &[groups.table(group)?], &self.output)?);
            }
            all.push(out);
        }
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// One input of a cogroup.
#[derive(Debug)]
pub struct CoGroupSide {
    pub keys: TableColumns,
    pub values: TableColumns,
    pub child: ExecRef,
}

/// cogroup: the rows of a key on both sides to rows; a key that one side lacks has an empty table there.
#[derive(Debug)]
pub struct CoGroupTablesExec {
    pub handle: u64,
    pub call: String,
    pub sides: [CoGroupSide; 2],
    pub output: Vec<Arc<Attribute>>,
}

/// Pairs of the groups of two sorted inputs by key, keys ascending (CoGroupedIterator).
pub fn co_grouped(left: &Groups, right: &Groups) -> Result<Vec<(Option<usize>, Option<usize>)>> {
    let first_rows = |groups: &Groups| {
        let firsts: Vec<u32> = (0..groups.len()).map(|g| groups.starts[g] as u32).collect();
        take_rows(&groups.keys, &UInt32Array::from(firsts))
    };
    let (left_keys, right_keys) = (first_rows(left)?, first_rows(right)?);
    let mut columns = Vec::new();
    for (a, b) in left_keys.columns().iter().zip(right_keys.columns()) {
        columns.push(arrow::compute::concat(&[a, b])?);
    }
    let options = vec![arrow::compute::SortOptions { descending: false, nulls_first: true }; columns.len()];
    let rows = comparable(columns, &options)?;
    let (mut l, mut r) = (0, 0);
    let mut pairs = Vec::new();
    while l < left.len() || r < right.len() {
        let order = match &rows {
            _ if l == left.len() => std::cmp::Ordering::Greater,
            _ if r == right.len() => std::cmp::Ordering::Less,
            Some(rows) => rows.row(l).cmp(&rows.row(left.len() + r)),
            None => std::cmp::Ordering::Equal,
        };
        pairs.push((order.is_le().then_some(l), order.is_ge().then_some(r)));
        l += usize::from(order.is_le());
        r += usize::from(order.is_ge());
    }
    Ok(pairs)
}

impl ExecNode for CoGroupTablesExec {
    fn name(&self) -> String {
        "FlatMapCoGroupsInPandas".into()
    }
    fn arguments(&self) -> String {
        let keys: Vec<String> = self.sides.iter().map(|s| text::attributes(&s.keys.attributes)).collect();
        format!("{}, {}, {}", keys.join(", "), self.call, text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        self.sides.iter().map(|side| &side.child).collect()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let host = host(ctx)?;
        let [left, right] = &self.sides;
        let (mut lefts, mut rights) = (left.child.execute(ctx)?, right.child.execute(ctx)?);
        let partitions = lefts.len().max(rights.len());
        lefts.resize(partitions, Vec::new());
        rights.resize(partitions, Vec::new());
        let mut all = Vec::new();
        for (index, (l, r)) in lefts.iter().zip(&rights).enumerate() {
            let eval = ctx.eval(index, 0);
            let l = Groups::new(l, left.child.output(), &left.keys, &left.values, &eval)?;
            let r = Groups::new(r, right.child.output(), &right.keys, &right.values, &eval)?;
            let none =
                [beside(&l.keys.slice(0, 0), &l.rows.slice(0, 0))?, beside(&r.keys.slice(0, 0), &r.rows.slice(0, 0))?];
            let mut out = Vec::new();
            for (a, b) in co_grouped(&l, &r)? {
                let a = a.map_or_else(|| Ok(none[0].clone()), |group| l.table(group))?;
                let b = b.map_or_else(|| Ok(none[1].clone()), |group| r.table(group))?;
                out.extend(host.call_tables(self.handle, &[a, b], &self.output)?);
            }
            all.push(out);
        }
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// AggregateInPandasExec: each group's columns to one value a function.
#[derive(Debug)]
pub struct AggregateTablesExec {
    pub keys: TableColumns,
    pub functions: Vec<(PythonUdf, TableColumns)>,
    /// Keys, then the functions' results.
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExecNode for AggregateTablesExec {
    fn name(&self) -> String {
        "AggregateInPandas".into()
    }
    fn arguments(&self) -> String {
        let calls: Vec<Expr> = self.functions.iter().map(|(f, _)| Expr::PythonUdf(Box::new(f.clone()))).collect();
        let keys = text::attributes(&self.keys.attributes);
        format!("{keys}, {}, {}", text::expressions(&calls), text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let host = host(ctx)?;
        let results = &self.output[self.keys.attributes.len()..];
        let mut all = Vec::new();
        for (index, partition) in self.child.execute(ctx)?.into_iter().enumerate() {
            let eval = ctx.eval(index, 0);
            // Every function gets its own columns of the same groups.
            let whole = TableColumns::new(
                &self.child.output().iter().cloned().map(Expr::Attribute).collect::<Vec<_>>(),
                self.child.output(),
            )?;
            let groups = Groups::new(&partition, self.child.output(), &self.keys, &whole, &eval)?;
            let mut out = Vec::new();
            for group in 0..groups.len() {
                let rows = groups.group(group);
                let mut columns: Vec<_> = groups.keys_of(group).slice(0, 1).columns().to_vec();
                for ((function, arguments), result) in self.functions.iter().zip(results) {
                    let table = arguments.table(&rows, &eval)?;
                    let made = host.call_tables(function.handle, &[table], std::slice::from_ref(result))?;
                    let column = made.first().filter(|b| b.num_rows() == 1).map(|b| b.column(0).clone());
                    columns.push(column.ok_or_else(|| SparkError::internal("a pandas aggregate gave no value"))?);
                }
                out.push(make_batch(&self.output, columns, 1)?);
            }
            all.push(cut(&concat_partition(&self.output, &out)?));
        }
        Ok(all)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
