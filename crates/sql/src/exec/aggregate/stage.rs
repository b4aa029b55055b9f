//! One stage of an aggregation as a physical operator.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::DataType as ArrowType;
use arrow::record_batch::RecordBatch;

use super::groups::{GroupTable, nulls_last, sorted_by_key};
use super::{AggregateKind, AggregateStage};
use crate::error::{Result, SparkError};
use crate::exec::batch::{concat_partition, cut, make_batch, take_rows};
use crate::exec::bind::{eval_all, eval_condition};
use crate::exec::layout::{SortedBy, ascending, is_sorted_by};
use crate::exec::sort::held;
use crate::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::expr::{AggregateCall, Attribute, Expr, ExprId, SortOrder};
use crate::functions::aggregate::Accumulator;
use crate::planner::text;
use crate::types::DataType;

/// A function within a stage; stages of a plan with DISTINCT mix modes.
#[derive(Clone, Debug)]
pub struct AggregateFunctionCall {
    pub call: AggregateCall,
    pub stage: AggregateStage,
    /// Arguments bound to the input (stages that update).
    pub args: Vec<Expr>,
    pub filter: Option<Expr>,
    /// Positions of the buffer columns in the input (stages that merge).
    pub buffer: Vec<usize>,
}

/// HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec.
#[derive(Debug)]
pub struct AggregateExec {
    pub kind: AggregateKind,
    /// The grouping columns as they come out of the grouping step.
    pub grouping: Vec<Arc<Attribute>>,
    /// Grouping expressions bound to the input.
    pub keys: Vec<Expr>,
    pub functions: Vec<AggregateFunctionCall>,
    /// Bound to grouping columns followed by the functions' results; None: grouping columns and buffers come out.
    pub results: Option<Vec<Expr>>,
    pub output: Vec<Arc<Attribute>>,
    /// What explain shows.
    pub shown_keys: String,
    pub shown_functions: String,
    pub child: ExecRef,
}

impl AggregateExec {
    /// HashAggregateExec.checkIfFastHashMapSupported: only partial stages over small fixed-width buffers and simple keys. A
    /// stage without functions has no mode that forbids it, so the last stage of a distinct has it too.
    fn fast_map(&self) -> bool {
        let simple = |t: &DataType| {
            matches!(
                t,
                DataType::Boolean
                    | DataType::Byte
                    | DataType::Short
                    | DataType::Integer
                    | DataType::Long
                    | DataType::Float
                    | DataType::Double
                    | DataType::Date
                    | DataType::Timestamp
                    | DataType::TimestampNtz
                    | DataType::Time(_)
                    | DataType::YearMonthInterval { .. }
                    | DataType::DayTimeInterval { .. }
                    | DataType::CalendarInterval
                    | DataType::String
                    | DataType::Char(_)
                    | DataType::Varchar(_)
                    | DataType::Decimal { precision: ..=18, .. }
            )
        };
        self.kind == AggregateKind::Hash
            && !self.functions.iter().any(|f| f.stage.finishes())
            && (self.results.is_none() || self.functions.is_empty())
            && self.grouping.iter().all(|a| simple(&a.data_type))
            && self.functions.iter().all(|f| f.call.function.buffer().iter().all(|(_, t, _)| simple(t)))
    }

    /// The order in which a SortAggregate wants its input.
    pub fn key_order(&self) -> Vec<SortOrder> {
        ascending(&self.grouping.iter().cloned().map(Expr::Attribute).collect::<Vec<_>>())
    }

    /// A partition as the Sort below a SortAggregate makes it meet its rows: those of a group in the order of [`held`].
    fn arrived(&self, index: usize, input: &[RecordBatch], ctx: &ExecContext<'_>) -> Result<Option<RecordBatch>> {
        if self.kind != AggregateKind::Sort || self.keys.len() != 1 {
            return Ok(None);
        }
        if is_sorted_by(&self.child.ordering(), &self.key_order()) {
            return Ok(None);
        }
        let has_null = |batch: &RecordBatch| -> Result<bool> {
            Ok(eval_all(&self.keys, batch, &ctx.eval(index, 0))?.iter().any(|key| key.null_count() > 0))
        };
        if !input.iter().map(has_null).collect::<Result<Vec<_>>>()?.contains(&true) {
            return Ok(None);
        }
        let all = concat_partition(self.child.output(), input)?;
        let order = held(&eval_all(&self.keys, &all, &ctx.eval(index, 0))?, all.num_rows());
        Ok(Some(take_rows(&all, &order.into())?))
    }

    /// The column, where it comes out as it is.
    fn kept(&self, column: ExprId) -> Option<ExprId> {
        self.output.iter().any(|a| a.id == column).then_some(column)
    }

    fn key_types(&self) -> Vec<ArrowType> {
        self.grouping.iter().map(|a| a.data_type.to_arrow()).collect()
    }

    /// Aggregates one partition.
    fn run(&self, index: usize, input: &[RecordBatch], ctx: &ExecContext<'_>) -> Result<Partition> {
        let types = self.key_types();
        let mut groups = GroupTable::new(&types)?;
        let mut accumulators: Vec<Box<dyn Accumulator>> =
            self.functions.iter().map(|f| f.call.function.accumulator()).collect();
        let threshold = crate::exec::settings::object_aggregate_threshold(&ctx.conf);
        let mut sorted = self.kind == AggregateKind::Sort;
        let mut base = 0;
        let arrived = self.arrived(index, input, ctx)?;
        let input = arrived.as_ref().map_or(input, std::slice::from_ref);
        let mut pending = input.iter().cloned().collect::<std::collections::VecDeque<_>>();
        while let Some(batch) = pending.pop_front() {
            let eval = ctx.eval(index, base);
            let keys = eval_all(&self.keys, &batch, &eval)?;
            if self.kind == AggregateKind::Object && !sorted && !self.grouping.is_empty() {
                // ObjectAggregationIterator: once the map holds so many keys, the rows that follow are sorted by key.
                let mut probe = GroupTable::new(&types)?;
                let fits = threshold.saturating_sub(groups.len());
                if probe.assign(&keys, batch.num_rows())?.iter().any(|g| *g as usize >= fits) || fits == 0 {
                    let rest: Vec<RecordBatch> = std::iter::once(batch).chain(pending.drain(..)).collect();
                    let (head, tail) = self.split_at_threshold(&groups, rest, threshold, index, base, ctx)?;
                    pending.extend(head);
                    pending.extend(tail);
                    sorted = true;
                    continue;
                }
            }
            base += batch.num_rows() as i64;
            let ids = groups.assign(&keys, batch.num_rows())?;
            for (function, accumulator) in self.functions.iter().zip(&mut accumulators) {
                accumulator.resize(groups.len());
                if function.stage.updates() {
                    let args = eval_all(&function.args, &batch, &eval)?;
                    let filter = function.filter.as_ref().map(|f| eval_condition(f, &batch, &eval)).transpose()?;
                    accumulator.update(&ids, &args, filter.as_ref())?;
                } else {
                    let buffer: Vec<ArrayRef> = function.buffer.iter().map(|c| Arc::clone(batch.column(*c))).collect();
                    accumulator.merge(&ids, &buffer)?;
                }
            }
        }
        for accumulator in &mut accumulators {
            accumulator.resize(groups.len());
        }
        self.emit(index, &groups, &accumulators, sorted, ctx)
    }

    /// The rows up to the one that fills the map, as they are, and the rows after it sorted by key.
    fn split_at_threshold(
        &self,
        groups: &GroupTable,
        rest: Vec<RecordBatch>,
        threshold: usize,
        index: usize,
        base: i64,
        ctx: &ExecContext<'_>,
    ) -> Result<(Partition, Partition)> {
        let all = concat_partition(self.child.output(), &rest)?;
        let keys = eval_all(&self.keys, &all, &ctx.eval(index, base))?;
        // Keys already known count too: number them again together with the new ones.
        let types = self.key_types();
        let mut known = GroupTable::new(&types)?;
        let old = groups.key_columns(&types)?;
        known.assign(&old, groups.len())?;
        let ids = known.assign(&keys, all.num_rows())?;
        let fills = ids.iter().position(|g| *g as usize + 1 >= threshold).map_or(all.num_rows(), |at| at + 1);
        let head = all.slice(0, fills);
        let tail = all.slice(fills, all.num_rows() - fills);
        let tail_keys: Vec<ArrayRef> = keys.iter().map(|k| k.slice(fills, all.num_rows() - fills)).collect();
        let order = sorted_by_key(&tail_keys, tail.num_rows())?;
        let tail = take_rows(&tail, &order)?;
        Ok((vec![head], if tail.num_rows() == 0 { Vec::new() } else { vec![tail] }))
    }

    fn emit(
        &self,
        index: usize,
        groups: &GroupTable,
        accumulators: &[Box<dyn Accumulator>],
        sorted: bool,
        ctx: &ExecContext<'_>,
    ) -> Result<Partition> {
        let keys = groups.key_columns(&self.key_types())?;
        let order = if sorted && !keys.is_empty() {
            Some(sorted_by_key(&keys, groups.len())?)
        } else if self.fast_map() {
            nulls_last(&keys, groups.len())
        } else {
            None
        };
        let mut columns = keys;
        for (function, accumulator) in self.functions.iter().zip(accumulators) {
            if self.results.is_some() {
                if !function.stage.finishes() {
                    return Err(SparkError::internal("a stage with results has a function without one"));
                }
                columns.push(accumulator.evaluate()?);
            } else {
                columns.extend(accumulator.buffers()?);
            }
        }
        if let Some(order) = &order {
            columns = reorder(&columns, order)?;
        }
        let Some(results) = &self.results else {
            return Ok(cut(&make_batch(&self.output, columns, groups.len())?));
        };
        let inner: Vec<Arc<Attribute>> = self
            .grouping
            .iter()
            .cloned()
            .chain(self.functions.iter().map(|f| Arc::new(super::pieces::result_attribute(&f.call))))
            .collect();
        let all = make_batch(&inner, columns, groups.len())?;
        let mut out = Vec::new();
        let mut base = 0;
        for batch in cut(&all) {
            let columns = eval_all(results, &batch, &ctx.eval(index, base))?;
            base += batch.num_rows() as i64;
            out.push(make_batch(&self.output, columns, batch.num_rows())?);
        }
        Ok(out)
    }
}

fn reorder(columns: &[ArrayRef], order: &UInt32Array) -> Result<Vec<ArrayRef>> {
    Ok(columns.iter().map(|c| take(c, order, None)).collect::<Result<Vec<_>, _>>()?)
}

impl ExecNode for AggregateExec {
    fn name(&self) -> String {
        match self.kind {
            AggregateKind::Hash => "HashAggregate",
            AggregateKind::Object => "ObjectHashAggregate",
            AggregateKind::Sort => "SortAggregate",
        }
        .into()
    }
    fn arguments(&self) -> String {
        format!(
            "(keys={}, functions={}, output={})",
            self.shown_keys,
            self.shown_functions,
            text::attributes(&self.output)
        )
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        input.iter().enumerate().map(|(index, partition)| self.run(index, partition, ctx)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        // The grouping columns of a merging stage are the child's own columns.
        self.child.partitioning().renamed(&|column| self.kept(column))
    }
    fn ordering(&self) -> Vec<SortedBy> {
        match self.kind {
            AggregateKind::Sort => {
                SortedBy::columns(&self.key_order()).into_iter().take_while(|o| self.kept(o.column).is_some()).collect()
            }
            AggregateKind::Hash | AggregateKind::Object => Vec::new(),
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
