//! SortExec and TakeOrderedAndProjectExec: stable, by Arrow's row format.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, UInt32Array};
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType as ArrowType, Float32Type, Float64Type};
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, Rows, SortField};

use super::batch::{concat_partition, cut, take_rows};
use super::bind::{bind, eval_all};
use super::layout::SortedBy;
use super::limit::slice_rows;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, SortOrder};
use crate::functions::EvalContext;
use crate::planner::text;

/// Sort keys bound to the input.
#[derive(Clone, Debug)]
pub struct BoundOrder {
    pub keys: Vec<Expr>,
    pub options: Vec<SortOptions>,
}

impl BoundOrder {
    pub fn new(order: &[SortOrder], input: &[Arc<Attribute>]) -> Result<Self> {
        Ok(Self {
            keys: order.iter().map(|o| bind(&o.child, input)).collect::<Result<_>>()?,
            options: order
                .iter()
                .map(|o| SortOptions { descending: !o.ascending, nulls_first: o.nulls_first })
                .collect(),
        })
    }

    /// Positions of the rows in order; equal rows keep theirs.
    pub fn permutation(&self, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<UInt32Array> {
        let columns = eval_all(&self.keys, batch, ctx)?;
        let indices = in_order(batch.num_rows());
        sort_by(indices, columns, &self.options)
    }

    /// As [`Self::permutation`], with equal rows as a Sort leaves them.
    fn sorted(&self, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<UInt32Array> {
        sort_permutation(eval_all(&self.keys, batch, ctx)?, &self.options, batch.num_rows())
    }

    /// For rows already in order: the number of the distinct key that each has, from 0.
    pub fn ranks(&self, batch: &RecordBatch, sorted: &UInt32Array, ctx: &EvalContext<'_>) -> Result<Vec<u32>> {
        let rows = self.rows(batch, ctx)?;
        let mut rank = 0;
        let mut out = Vec::with_capacity(sorted.len());
        for (i, row) in sorted.values().iter().enumerate() {
            if let Some(rows) = &rows
                && i > 0
                && rows.row(*row as usize) != rows.row(sorted.value(i - 1) as usize)
            {
                rank += 1;
            }
            out.push(rank);
        }
        Ok(out)
    }

    /// The keys in a form that compares as they sort; None when nothing orders the rows.
    pub fn rows(&self, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<Option<Rows>> {
        comparable(eval_all(&self.keys, batch, ctx)?, &self.options)
    }
}

/// Positions of the rows ordered by these columns, as SortExec orders them: equal rows in the order of [`held`].
pub fn sort_permutation(columns: Vec<ArrayRef>, options: &[SortOptions], rows: usize) -> Result<UInt32Array> {
    sort_by(held(&columns, rows), columns, options)
}

fn in_order(rows: usize) -> Vec<u32> {
    (0..u32::try_from(rows).unwrap_or(u32::MAX)).collect()
}

/// The rows in the order in which Spark's sorter holds them before it sorts: theirs, but that where a single key is sorted by
/// radix, a null takes the place of the first row with a value, which goes to the end (UnsafeInMemorySorter.insertRecord).
pub fn held(columns: &[ArrayRef], rows: usize) -> Vec<u32> {
    let [key] = columns else { return in_order(rows) };
    let Some(nulls) = key.nulls().filter(|nulls| nulls.null_count() > 0 && by_radix(key.data_type())) else {
        return in_order(rows);
    };
    let mut held: Vec<u32> = Vec::with_capacity(rows);
    let mut boundary = 0;
    for row in in_order(rows) {
        held.push(row);
        if nulls.is_null(row as usize) {
            let last = held.len() - 1;
            held.swap(boundary, last);
            boundary += 1;
        }
    }
    held
}

/// SortPrefixUtils.canSortFullyWithPrefix.
fn by_radix(t: &ArrowType) -> bool {
    match t {
        ArrowType::Decimal128(precision, _) => *precision <= 18,
        ArrowType::Boolean | ArrowType::Date32 | ArrowType::Timestamp(..) => true,
        ArrowType::Duration(_) | ArrowType::Interval(_) => true,
        other => other.is_signed_integer() || other.is_floating(),
    }
}

fn sort_by(mut indices: Vec<u32>, columns: Vec<ArrayRef>, options: &[SortOptions]) -> Result<UInt32Array> {
    if let Some(rows) = comparable(columns, options)? {
        indices.sort_by(|a, b| rows.row(*a as usize).cmp(&rows.row(*b as usize)));
    }
    Ok(UInt32Array::from(indices))
}

/// Columns as rows of bytes that compare in Spark's order.
pub fn comparable(columns: Vec<ArrayRef>, options: &[SortOptions]) -> Result<Option<Rows>> {
    // Nothing orders untyped nulls.
    let (columns, fields): (Vec<ArrayRef>, Vec<SortField>) = columns
        .into_iter()
        .zip(options)
        .filter(|(c, _)| *c.data_type() != ArrowType::Null)
        .flat_map(|(c, o)| keyed(&c, *o))
        .unzip();
    if columns.is_empty() {
        return Ok(None);
    }
    Ok(Some(converter(fields)?.convert_columns(&columns)?))
}

/// A column as what compares in its order. Nulls inside arrays and structs are the least there is whatever NULLS FIRST or LAST say of
/// whole values (InterpretedOrdering), while Arrow's row format carries that on inside: then the nulls are a key of their own.
fn keyed(column: &ArrayRef, options: SortOptions) -> Vec<(ArrayRef, SortField)> {
    let field = |c: &ArrayRef, options| SortField::new_with_options(c.data_type().clone(), options);
    let column = normalize_floats(column);
    let lowest = SortOptions { nulls_first: !options.descending, ..options };
    if options == lowest || !column.data_type().is_nested() {
        return vec![(Arc::clone(&column), field(&column, options))];
    }
    let nulls: ArrayRef = Arc::new((0..column.len()).map(|row| Some(column.is_null(row))).collect::<BooleanArray>());
    let placed = SortOptions { descending: options.nulls_first, nulls_first: true };
    vec![(Arc::clone(&nulls), field(&nulls, placed)), (Arc::clone(&column), field(&column, lowest))]
}

/// A row converter, or an honest refusal for types that it cannot order.
pub fn converter(fields: Vec<SortField>) -> Result<RowConverter> {
    if !RowConverter::supports_fields(&fields) {
        return Err(SparkError::not_yet("Ordering or grouping by a column of this type"));
    }
    Ok(RowConverter::new(fields)?)
}

/// One NaN and no negative zero, so that equal numbers have equal bytes (NormalizeFloatingNumbers).
pub fn normalize_floats(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        ArrowType::Float64 => {
            let fixed = column.as_primitive::<Float64Type>().unary::<_, Float64Type>(|x| {
                if x.is_nan() {
                    f64::NAN
                } else if x == 0.0 {
                    0.0
                } else {
                    x
                }
            });
            Arc::new(fixed)
        }
        ArrowType::Float32 => {
            let fixed = column.as_primitive::<Float32Type>().unary::<_, Float32Type>(|x| {
                if x.is_nan() {
                    f32::NAN
                } else if x == 0.0 {
                    0.0
                } else {
                    x
                }
            });
            Arc::new(fixed)
        }
        ArrowType::Struct(_) if holds_floats(column.data_type()) => {
            let s = column.as_struct();
            let children: Vec<ArrayRef> = s.columns().iter().map(normalize_floats).collect();
            match arrow::array::StructArray::try_new(s.fields().clone(), children, s.nulls().cloned()) {
                Ok(made) => Arc::new(made),
                Err(_) => Arc::clone(column),
            }
        }
        ArrowType::List(field) if holds_floats(field.data_type()) => {
            let list = column.as_list::<i32>();
            let values = normalize_floats(list.values());
            match ListArray::try_new(field.clone(), list.offsets().clone(), values, list.nulls().cloned()) {
                Ok(made) => Arc::new(made),
                Err(_) => Arc::clone(column),
            }
        }
        ArrowType::Map(field, sorted) if holds_floats(field.data_type()) => {
            let map = column.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = normalize_floats(&entries).as_struct().clone();
            match MapArray::try_new(field.clone(), map.offsets().clone(), entries, map.nulls().cloned(), *sorted) {
                Ok(made) => Arc::new(made),
                Err(_) => Arc::clone(column),
            }
        }
        _ => Arc::clone(column),
    }
}

fn holds_floats(t: &ArrowType) -> bool {
    match t {
        ArrowType::Float32 | ArrowType::Float64 => true,
        ArrowType::List(field) | ArrowType::Map(field, _) => holds_floats(field.data_type()),
        ArrowType::Struct(fields) => fields.iter().any(|f| holds_floats(f.data_type())),
        _ => false,
    }
}

/// Sorts each partition; a global sort first has everything in one ordered exchange.
#[derive(Debug)]
pub struct SortExec {
    pub order: Vec<SortOrder>,
    pub global: bool,
    pub bound: BoundOrder,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl SortExec {
    pub fn new(order: Vec<SortOrder>, global: bool, child: ExecRef) -> Result<Self> {
        let bound = BoundOrder::new(&order, child.output())?;
        Ok(Self { bound, output: child.output().to_vec(), order, global, child })
    }
}

impl ExecNode for SortExec {
    fn name(&self) -> String {
        "Sort".into()
    }
    fn arguments(&self) -> String {
        format!("{}, {}, 0", text::orders(&self.order), self.global)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        input
            .into_iter()
            .enumerate()
            .map(|(index, partition)| {
                let batch = concat_partition(&self.output, &partition)?;
                let order = self.bound.sorted(&batch, &ctx.eval(index, 0))?;
                Ok(cut(&take_rows(&batch, &order)?))
            })
            .collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn ordering(&self) -> Vec<SortedBy> {
        SortedBy::columns(&self.order)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// TakeOrderedAndProjectExec: the first rows of a sorted whole.
#[derive(Debug)]
pub struct TakeOrderedExec {
    pub limit: usize,
    pub offset: usize,
    pub order: Vec<SortOrder>,
    pub bound: BoundOrder,
    pub list: Vec<Expr>,
    pub bound_list: Vec<Expr>,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl TakeOrderedExec {
    pub fn new(limit: usize, offset: usize, order: Vec<SortOrder>, list: Vec<Expr>, child: ExecRef) -> Result<Self> {
        let bound = BoundOrder::new(&order, child.output())?;
        let bound_list = super::bind::bind_all(&list, child.output())?;
        let output = list.iter().map(Expr::to_attribute).collect();
        Ok(Self { limit, offset, bound, order, list, bound_list, output, child })
    }

    /// The first rows as RDD.takeOrdered gives them: each partition's own, then merged. Equal rows come in the order of
    /// their partitions: in Spark of the tasks that had made them.
    fn merged(&self, batch: &RecordBatch, ctx: &EvalContext<'_>) -> Result<UInt32Array> {
        let order = self.bound.permutation(batch, ctx)?;
        Ok(order.slice(0, order.len().min(self.limit)))
    }
}

impl ExecNode for TakeOrderedExec {
    fn name(&self) -> String {
        "TakeOrderedAndProject".into()
    }
    fn arguments(&self) -> String {
        format!(
            "(limit={}, orderBy={}, output={})",
            self.limit,
            text::orders(&self.order),
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
        let all: Partition = input.into_iter().flatten().collect();
        let batch = concat_partition(self.child.output(), &all)?;
        let order = self.merged(&batch, &ctx.eval(0, 0))?;
        let rows = slice_rows(cut(&take_rows(&batch, &order)?), self.offset, None);
        let mut out = Vec::new();
        for batch in rows {
            let columns = eval_all(&self.bound_list, &batch, &ctx.eval(0, 0))?;
            out.push(super::batch::make_batch(&self.output, columns, batch.num_rows())?);
        }
        Ok(vec![out])
    }
    fn partitioning(&self) -> Partitioning {
        Partitioning::Single
    }
    fn ordering(&self) -> Vec<SortedBy> {
        let kept = |o: &SortedBy| self.output.iter().any(|a| a.id == o.column);
        SortedBy::columns(&self.order).into_iter().take_while(kept).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
