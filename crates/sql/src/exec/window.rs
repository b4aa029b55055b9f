//! WindowExec: rows of a partition sorted, each function over each row's frame.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, UInt32Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{SortOptions, cast, take};
use arrow::datatypes::{DataType as ArrowType, Float64Type, Int64Type};
use arrow::record_batch::RecordBatch;

use super::batch::{concat_partition, cut, make_batch, take_rows};
use super::bind::{bind, eval_all, eval_condition, eval_one};
use super::counters::{Typed, differences};
use super::layout::{SortedBy, ascending, is_sorted_by};
use super::sort::{comparable, sort_permutation};
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, FrameBound, SortOrder, WindowCall, WindowFrame};
use crate::functions::datetime::zone::Zone;
use crate::functions::{EvalContext, add_interval, interval_overflow};
use crate::planner::text;
use crate::types::DataType;
use crate::value::text::MICROS_PER_DAY;
use crate::value::{Value, compare_f64, value_at};

/// Pairs of frame and row handed to an aggregate at once.
const PAIRS_AT_ONCE: usize = 65_536;
/// Pairs for each row from which on frames that grow are built one from the other.
const PAIRS_A_ROW: usize = 8;

#[derive(Debug)]
pub struct WindowExec {
    pub list: Vec<Expr>,
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<SortOrder>,
    bound_list: Vec<Expr>,
    bound_partition: Vec<Expr>,
    bound_order: Vec<Expr>,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

/// A task's rows, sorted, with where each row's partition and group of peers begin and end.
struct Sorted<'s> {
    batch: RecordBatch,
    /// Partition of every row: start, end.
    parts: Vec<(usize, usize)>,
    /// Rows with equal order keys: start, end.
    peers: Vec<(usize, usize)>,
    order: Vec<ArrayRef>,
    ascending: bool,
    nulls_first: bool,
    eval: &'s EvalContext<'s>,
}

impl WindowExec {
    pub fn new(
        list: Vec<Expr>,
        partition_by: Vec<Expr>,
        order_by: Vec<SortOrder>,
        output: Vec<Arc<Attribute>>,
        child: ExecRef,
    ) -> Result<Self> {
        let input = child.output();
        let bound_list = list.iter().map(|e| bind(e, input)).collect::<Result<_>>()?;
        let bound_partition = partition_by.iter().map(|e| bind(e, input)).collect::<Result<_>>()?;
        let bound_order = order_by.iter().map(|o| bind(&o.child, input)).collect::<Result<_>>()?;
        Ok(Self { list, partition_by, order_by, bound_list, bound_partition, bound_order, output, child })
    }

    /// The order that Spark sorts its input in.
    pub fn wanted_order(&self) -> Vec<SortOrder> {
        ascending(&self.partition_by).into_iter().chain(self.order_by.iter().cloned()).collect()
    }

    fn run(&self, index: usize, partition: &[RecordBatch], ctx: &ExecContext<'_>) -> Result<Partition> {
        let eval = ctx.eval(index, 0);
        let batch = concat_partition(self.child.output(), partition)?;
        if batch.num_rows() == 0 {
            return Ok(Vec::new());
        }
        let ascending = SortOptions { descending: false, nulls_first: true };
        let mut keys = eval_all(&self.bound_partition, &batch, &eval)?;
        let mut options = vec![ascending; keys.len()];
        keys.extend(eval_all(&self.bound_order, &batch, &eval)?);
        options
            .extend(self.order_by.iter().map(|o| SortOptions { descending: !o.ascending, nulls_first: o.nulls_first }));
        let batch = if is_sorted_by(&self.child.ordering(), &self.wanted_order()) {
            batch
        } else {
            take_rows(&batch, &sort_permutation(keys, &options, batch.num_rows())?)?
        };
        let rows = batch.num_rows();
        let part_keys = eval_all(&self.bound_partition, &batch, &eval)?;
        let order = eval_all(&self.bound_order, &batch, &eval)?;
        let parts = runs(&part_keys, rows)?;
        let peers = runs(&[&part_keys[..], &order[..]].concat(), rows)?;
        let sorted = Sorted {
            parts,
            peers: if order.is_empty() { runs(&part_keys, rows)? } else { peers },
            order,
            ascending: self.order_by.first().is_none_or(|o| o.ascending),
            nulls_first: self.order_by.first().is_none_or(|o| o.nulls_first),
            eval: &eval,
            batch,
        };
        let mut columns = sorted.batch.columns().to_vec();
        for expr in &self.bound_list {
            columns.push(sorted.value(expr)?);
        }
        Ok(cut(&make_batch(&self.output, columns, rows)?))
    }
}

/// Start and end of the run of equal rows that each row is in; no columns: one run.
fn runs(columns: &[ArrayRef], rows: usize) -> Result<Vec<(usize, usize)>> {
    let keys = comparable(columns.to_vec(), &vec![SortOptions::default(); columns.len()])?;
    let mut out = Vec::with_capacity(rows);
    let mut start = 0;
    for row in 1..=rows {
        let ends = row == rows || keys.as_ref().is_some_and(|k| k.row(row) != k.row(start));
        if ends {
            out.extend(std::iter::repeat_n((start, row), row - start));
            start = row;
        }
    }
    Ok(out)
}

impl Sorted<'_> {
    fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The column of one list item: a window call, perhaps under an alias or within an expression over it.
    fn value(&self, expr: &Expr) -> Result<ArrayRef> {
        match expr {
            Expr::Alias(a) => self.value(&a.child),
            Expr::Window(call) => self.call(call),
            other => eval_one(other, &self.batch, self.eval),
        }
    }

    fn call(&self, call: &WindowCall) -> Result<ArrayRef> {
        match &call.function {
            Expr::Aggregate(aggregate) => {
                let frame = call.spec.frame.as_ref();
                let frames = self.frames(frame)?;
                let args = eval_all(&aggregate.args, &self.batch, self.eval)?;
                let filter =
                    aggregate.filter.as_ref().map(|f| eval_condition(f, &self.batch, self.eval)).transpose()?;
                over_frames(&frames, &args, filter.as_ref(), &|| aggregate.function.accumulator())
            }
            Expr::Call(function) => {
                let frames = match &*function.name {
                    "nth_value" => self.frames(call.spec.frame.as_ref())?,
                    _ => Vec::new(),
                };
                if &*function.name == "counter_diff" {
                    return self.counter_diff(&function.args);
                }
                self.ranking(&function.name.to_lowercase(), &function.args, &frames)
            }
            _ => Err(SparkError::not_yet("This window function")),
        }
    }

    /// Functions that exist over windows only.
    fn ranking(&self, name: &str, args: &[Expr], frames: &[(usize, usize)]) -> Result<ArrayRef> {
        let ints = |f: &dyn Fn(usize) -> usize| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values((0..self.rows()).map(|r| f(r) as i32)))
        };
        let doubles = |f: &dyn Fn(usize) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values((0..self.rows()).map(f)))
        };
        Ok(match name {
            "row_number" => ints(&|r| r - self.parts[r].0 + 1),
            "rank" => ints(&|r| self.peers[r].0 - self.parts[r].0 + 1),
            "dense_rank" => {
                let mut rank = 0;
                let ranks: Vec<i32> = (0..self.rows())
                    .map(|r| {
                        if r == self.parts[r].0 {
                            rank = 1;
                        } else if r == self.peers[r].0 {
                            rank += 1;
                        }
                        rank
                    })
                    .collect();
                Arc::new(Int32Array::from(ranks))
            }
            "percent_rank" => doubles(&|r| {
                let n = self.parts[r].1 - self.parts[r].0;
                if n > 1 { (self.peers[r].0 - self.parts[r].0) as f64 / (n - 1) as f64 } else { 0.0 }
            }),
            "cume_dist" => {
                doubles(&|r| (self.peers[r].1 - self.parts[r].0) as f64 / (self.parts[r].1 - self.parts[r].0) as f64)
            }
            "ntile" => {
                let buckets = usize::try_from(self.number(args, 0)?.unwrap_or(1)).unwrap_or(1).max(1);
                ints(&|r| {
                    let (start, end) = self.parts[r];
                    let (n, i) = (end - start, r - start);
                    let (size, larger) = (n / buckets, n % buckets);
                    // The first `larger` buckets have one row more.
                    if i < larger * (size + 1) {
                        i / (size + 1) + 1
                    } else {
                        larger + (i - larger * (size + 1)) / size.max(1) + 1
                    }
                })
            }
            "lag" | "lead" => self.offset(name == "lag", args)?,
            "nth_value" => {
                let n = self.number(args, 1)?.unwrap_or(1);
                let input = eval_all(&args[..1], &self.batch, self.eval)?;
                let skips_nulls = args.get(2).is_some_and(|flag| flag.is_literal_bool(true));
                let rows: Vec<Option<u32>> = frames
                    .iter()
                    .map(|(start, end)| {
                        if skips_nulls {
                            let n = usize::try_from(n - 1).ok()?;
                            return (*start..*end).filter(|row| !input[0].is_null(*row)).nth(n).map(|row| row as u32);
                        }
                        let at = start + usize::try_from(n - 1).unwrap_or(usize::MAX - start);
                        (at < *end).then_some(at as u32)
                    })
                    .collect();
                take(&input[0], &UInt32Array::from(rows), None)?
            }
            other => return Err(SparkError::not_yet(&format!("The window function {other}"))),
        })
    }

    fn counter_diff(&self, args: &[Expr]) -> Result<ArrayRef> {
        let columns = eval_all(args, &self.batch, self.eval)?;
        let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
        let typed: Vec<Typed<'_>> =
            columns.iter().zip(&types).map(|(array, data_type)| Typed { array, data_type }).collect();
        let Some(counter) = typed.first() else { return Err(SparkError::internal("counter_diff without a counter")) };
        differences(counter, typed.get(1), &self.parts, self.eval.conf.time_zone())
    }

    /// A constant integer argument.
    fn number(&self, args: &[Expr], at: usize) -> Result<Option<i64>> {
        let Some(expr) = args.get(at) else { return Ok(None) };
        let column = eval_one(expr, &self.batch.slice(0, 1), self.eval)?;
        let long = cast(&column, &ArrowType::Int64)?;
        Ok((!long.is_null(0)).then(|| long.as_primitive::<Int64Type>().value(0)))
    }

    fn offset(&self, back: bool, args: &[Expr]) -> Result<ArrayRef> {
        let by = self.number(args, 1)?.unwrap_or(1);
        let by = if back { -by } else { by };
        let input = eval_one(&args[0], &self.batch, self.eval)?;
        let skips_nulls = args.get(3).is_some_and(|flag| flag.is_literal_bool(true));
        let rows: Vec<Option<u32>> = (0..self.rows())
            .map(|r| {
                if skips_nulls {
                    return nth_present(&input, self.parts[r], r, by).map(|row| row as u32);
                }
                let at = i64::try_from(r).unwrap_or(i64::MAX) + by;
                let (start, end) = self.parts[r];
                usize::try_from(at).ok().filter(|a| *a >= start && *a < end).map(|a| a as u32)
            })
            .collect();
        let inside = BooleanArray::from_iter(rows.iter().map(|r| Some(r.is_some())));
        let moved = take(&input, &UInt32Array::from(rows), None)?;
        match args.get(2) {
            Some(default) if !matches!(default, Expr::Literal { value: Value::Null, .. }) => {
                let default = cast(&eval_one(default, &self.batch, self.eval)?, moved.data_type())?;
                Ok(zip(&inside, &moved, &default)?)
            }
            _ => Ok(moved),
        }
    }

    /// Rows of every row's frame: start, end.
    fn frames(&self, frame: Option<&WindowFrame>) -> Result<Vec<(usize, usize)>> {
        let Some(frame) = frame else { return Ok(self.parts.clone()) };
        let starts = self.bound(frame, &frame.start, true)?;
        let ends = self.bound(frame, &frame.end, false)?;
        Ok(starts.into_iter().zip(ends).map(|(s, e)| (s, e.max(s))).collect())
    }

    /// First row of every frame, or the row after its last.
    fn bound(&self, frame: &WindowFrame, bound: &FrameBound, is_start: bool) -> Result<Vec<usize>> {
        let rows = 0..self.rows();
        Ok(match bound {
            FrameBound::UnboundedPreceding => rows.map(|r| self.parts[r].0).collect(),
            FrameBound::UnboundedFollowing => rows.map(|r| self.parts[r].1).collect(),
            FrameBound::CurrentRow if frame.rows => rows.map(|r| if is_start { r } else { r + 1 }).collect(),
            FrameBound::CurrentRow => rows.map(|r| if is_start { self.peers[r].0 } else { self.peers[r].1 }).collect(),
            FrameBound::Offset(by) if frame.rows => {
                let by = self.number(std::slice::from_ref(by), 0)?.unwrap_or(0);
                rows.map(|r| {
                    let (start, end) = self.parts[r];
                    let at = r as i64 + by + i64::from(!is_start);
                    usize::try_from(at.clamp(start as i64, end as i64)).unwrap_or(start)
                })
                .collect()
            }
            FrameBound::Offset(by) => self.range_bound(by, is_start)?,
        })
    }

    /// RANGE with an offset: rows whose order key is within it of the current row's.
    fn range_bound(&self, by: &Expr, is_start: bool) -> Result<Vec<usize>> {
        let Some(key) = self.order.first() else {
            return Err(SparkError::internal("a range frame without an order"));
        };
        let keys = numbers(key)?;
        let limits = self.moved(key, &keys, by)?;
        let mut out = Vec::with_capacity(self.rows());
        for (row, limit) in limits.into_iter().enumerate() {
            let (start, end) = self.parts[row];
            if keys.is_null(row) {
                // Nulls are peers of nulls only.
                out.push(if is_start { self.peers[row].0 } else { self.peers[row].1 });
                continue;
            }
            let before = |r: usize| {
                if keys.is_null(r) {
                    return self.nulls_first;
                }
                let order = compare_f64(keys.value(r), limit);
                let order = if self.ascending { order } else { order.reverse() };
                order.is_lt() || !is_start && order.is_eq()
            };
            // Rows lie in order: those before the limit come first.
            let (mut low, mut high) = (start, end);
            while low < high {
                let middle = low + (high - low) / 2;
                if before(middle) { low = middle + 1 } else { high = middle }
            }
            out.push(low);
        }
        Ok(out)
    }

    /// The order keys with an offset added, in the direction of the order.
    fn moved(&self, key: &ArrayRef, keys: &Float64Array, by: &Expr) -> Result<Vec<f64>> {
        let by_type = by.data_type();
        let by = eval_one(by, &self.batch.slice(0, 1), self.eval)?;
        let sign = if self.ascending { 1 } else { -1 };
        let (months, days, micros) = match value_at(&by, 0, &by_type) {
            Value::YearMonthInterval(months) => (months, 0, 0),
            Value::DayTimeInterval(micros) => (0, micros / MICROS_PER_DAY, micros % MICROS_PER_DAY),
            Value::CalendarInterval { months, days, micros } => (months, i64::from(days), micros),
            _ => {
                let by = numbers(&by)?.value(0) * f64::from(sign);
                return Ok(keys.values().iter().map(|k| k + by).collect());
            }
        };
        // A date moves by whole days, a moment on the wall clock of the session.
        let (unit, zone) = match key.data_type() {
            ArrowType::Date32 => (MICROS_PER_DAY, &Zone::UTC),
            ArrowType::Timestamp(_, None) => (1, &Zone::UTC),
            _ => (1, self.eval.conf.time_zone()),
        };
        let (months, days) = (sign * months, i32::try_from(days).unwrap_or(i32::MAX) * sign);
        let micros = i64::from(sign) * micros;
        let add = |k: &f64| {
            let at = (*k as i64).saturating_mul(unit);
            let moved = add_interval(at, months, days, micros, zone).ok_or_else(|| interval_overflow(""))?;
            Ok(moved.div_euclid(unit) as f64)
        };
        keys.values().iter().map(add).collect()
    }
}

/// A column of numbers, dates or moments as numbers.
fn numbers(column: &ArrayRef) -> Result<Float64Array> {
    let plain = match column.data_type() {
        ArrowType::Date32 => cast(column, &ArrowType::Int32)?,
        ArrowType::Timestamp(..) | ArrowType::Duration(_) => cast(column, &ArrowType::Int64)?,
        _ => Arc::clone(column),
    };
    let cast = cast(&plain, &ArrowType::Float64).map_err(|_| SparkError::not_yet("A range frame over this type"))?;
    Ok(cast.as_primitive::<Float64Type>().clone())
}

/// The row `by` places after `row` (before it when negative) in its partition, where only rows with a value count.
fn nth_present(input: &ArrayRef, (start, end): (usize, usize), row: usize, by: i64) -> Option<usize> {
    let present = |at: &usize| !input.is_null(*at);
    match (by, usize::try_from(by.unsigned_abs()).ok()?) {
        (0, _) => Some(row),
        (..0, n) => (start..row).rev().filter(present).nth(n - 1),
        (_, n) => (row + 1..end).filter(present).nth(n - 1),
    }
}

/// An aggregate over every row's frame; neighbours with the same frame share a group.
fn over_frames(
    frames: &[(usize, usize)],
    args: &[ArrayRef],
    filter: Option<&BooleanArray>,
    make: &dyn Fn() -> Box<dyn crate::functions::aggregate::Accumulator>,
) -> Result<ArrayRef> {
    let mut group_of = Vec::with_capacity(frames.len());
    let mut distinct: Vec<(usize, usize)> = Vec::new();
    for frame in frames {
        if distinct.last() != Some(frame) {
            distinct.push(*frame);
        }
        group_of.push(distinct.len() as u32 - 1);
    }
    let pairs: usize = distinct.iter().map(|(start, end)| end - start).sum();
    if pairs > PAIRS_A_ROW * frames.len() && distinct.windows(2).all(|w| w[1].0 != w[0].0 || w[1].1 >= w[0].1) {
        let values = over_growing(&distinct, args, filter, make)?;
        return Ok(take(&values, &UInt32Array::from(group_of), None)?);
    }
    let mut accumulator = make();
    accumulator.resize(distinct.len());
    let mut groups: Vec<u32> = Vec::new();
    let mut rows: Vec<u32> = Vec::new();
    let mut flush = |groups: &mut Vec<u32>, rows: &mut Vec<u32>| -> Result<()> {
        let indices = UInt32Array::from(std::mem::take(rows));
        let taken = args.iter().map(|a| take(a, &indices, None)).collect::<Result<Vec<_>, _>>()?;
        let mask = filter.map(|f| take(f, &indices, None)).transpose()?;
        accumulator.update(groups, &taken, mask.as_ref().map(|m| m.as_boolean()))?;
        groups.clear();
        Ok(())
    };
    for (group, (start, end)) in distinct.iter().enumerate() {
        for row in *start..*end {
            groups.push(group as u32);
            rows.push(row as u32);
            if rows.len() >= PAIRS_AT_ONCE {
                flush(&mut groups, &mut rows)?;
            }
        }
    }
    flush(&mut groups, &mut rows)?;
    let values = accumulator.evaluate()?;
    Ok(take(&values, &UInt32Array::from(group_of), None)?)
}

/// The same where frames grow from one start: what a frame adds to the one before is all that is looked at.
fn over_growing(
    distinct: &[(usize, usize)],
    args: &[ArrayRef],
    filter: Option<&BooleanArray>,
    make: &dyn Fn() -> Box<dyn crate::functions::aggregate::Accumulator>,
) -> Result<ArrayRef> {
    let mut values: Vec<ArrayRef> = Vec::with_capacity(distinct.len());
    let mut accumulator = make();
    let mut seen: Option<(usize, usize)> = None;
    for (start, end) in distinct {
        let from = match seen {
            Some((first, last)) if first == *start => last,
            _ => {
                accumulator = make();
                accumulator.resize(1);
                *start
            }
        };
        let count = end - from;
        let added: Vec<ArrayRef> = args.iter().map(|a| a.slice(from, count)).collect();
        accumulator.update(&vec![0; count], &added, filter.map(|f| f.slice(from, count)).as_ref())?;
        values.push(accumulator.evaluate()?);
        seen = Some((*start, *end));
    }
    let values: Vec<&dyn Array> = values.iter().map(|v| v.as_ref()).collect();
    Ok(arrow::compute::concat(&values)?)
}

impl ExecNode for WindowExec {
    fn name(&self) -> String {
        "Window".into()
    }
    fn arguments(&self) -> String {
        let mut shown = text::expressions(&self.list);
        if !self.partition_by.is_empty() {
            shown = format!("{shown}, {}", text::expressions(&self.partition_by));
        }
        if !self.order_by.is_empty() {
            shown = format!("{shown}, {}", text::orders(&self.order_by));
        }
        shown
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        input.iter().enumerate().map(|(i, p)| self.run(i, p, ctx)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn ordering(&self) -> Vec<SortedBy> {
        SortedBy::columns(&self.wanted_order())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
