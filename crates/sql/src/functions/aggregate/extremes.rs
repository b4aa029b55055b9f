//! max, min, max_by, min_by.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::datatypes::DataType as ArrowType;
use arrow::row::{RowConverter, Rows, SortField};

use super::cells::{Cells, Kept};
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::exec::sort::{converter, normalize_floats};
use crate::expr::Expr;
use crate::functions::describe;
use crate::functions::nested::relabelled;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("max", 1, 1, extreme),
    FunctionEntry::custom("min", 1, 1, extreme),
    FunctionEntry::custom("max_by", 2, 3, extreme_by),
    FunctionEntry::custom("min_by", 2, 3, extreme_by),
];

/// DATATYPE_MISMATCH.INVALID_ORDERING_TYPE for a type without an order.
pub(super) fn require_order(b: &Build<'_>, args: &[Expr], t: &DataType) -> Result<()> {
    if t.is_orderable() {
        return Ok(());
    }
    Err(SparkError::analysis(
        "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        &[
            ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
            ("functionName", &format!("`{}`", b.name)),
            ("dataType", &t.quoted_sql()),
        ],
    ))
}

fn extreme(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let t = args.first().map_or(DataType::Null, Expr::data_type);
    require_order(b, &args, &t)?;
    let name = b.name;
    let wanted = if name == "max" { Ordering::Greater } else { Ordering::Less };
    Ok(aggregate(b, name, args, t.clone(), true, Extreme { name, wanted, value: t }))
}

fn extreme_by(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    require_order(b, &args, &types[1])?;
    if args.len() == 3 {
        return super::gathered::best_by(b, args);
    }
    let name = b.name;
    let wanted = if name == "max_by" { Ordering::Greater } else { Ordering::Less };
    let function = ExtremeBy { wanted, value: types[0].clone(), order: types[1].clone() };
    Ok(aggregate(b, name, args, types[0].clone(), true, function))
}

#[derive(Clone, Debug)]
struct Extreme {
    name: &'static str,
    wanted: Ordering,
    value: DataType,
}

impl AggregateFunction for Extreme {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![(self.name.into(), self.value.clone(), true)]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Extremes::new(self.wanted, false, std::slice::from_ref(&self.value)))
    }
}

#[derive(Clone, Debug)]
struct ExtremeBy {
    wanted: Ordering,
    value: DataType,
    order: DataType,
}

impl AggregateFunction for ExtremeBy {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![
            ("valueWithExtremumOrdering".into(), self.value.clone(), true),
            ("extremumOrdering".into(), self.order.clone(), true),
        ]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        // A tie takes the later row: the predicate keeps the old one only when it is strictly better.
        Box::new(Extremes::new(self.wanted, true, &[self.value.clone(), self.order.clone()]))
    }
}

/// The row of each group whose last column is the greatest or the least; rows where that is null do not count.
struct Extremes {
    wanted: Ordering,
    /// Of equal rows the later one is kept.
    later: bool,
    order: ArrowType,
    columns: usize,
    cells: Cells,
    /// The last column in comparable form, chunk by chunk.
    keys: Vec<Rows>,
    converter: Option<RowConverter>,
}

impl Extremes {
    fn new(wanted: Ordering, later: bool, types: &[DataType]) -> Self {
        let order = types.last().map_or(ArrowType::Null, DataType::to_arrow);
        let cells = Cells::new(types);
        Self { wanted, later, order, columns: types.len(), cells, keys: Vec::new(), converter: None }
    }

    fn comparable(&mut self, order: &ArrayRef) -> Result<Rows> {
        let made = match self.converter.take() {
            Some(known) => known,
            None => converter(vec![SortField::new(self.order.clone())])?,
        };
        let rows = made.convert_columns(&[normalize_floats(&relabelled(order, &self.order)?)])?;
        self.converter = Some(made);
        Ok(rows)
    }
}

impl Accumulator for Extremes {
    fn resize(&mut self, groups: usize) {
        self.cells.resize(groups);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let columns = args.get(..self.columns).ok_or_else(|| SparkError::internal("max_by has two arguments"))?;
        let Some(order) = columns.last() else { return Ok(()) };
        if self.keys.is_empty() {
            // Those of the chunk of nulls, which nobody compares.
            let none = self.comparable(&arrow::array::new_null_array(&self.order, 1))?;
            self.keys.push(none);
        }
        let keys = self.comparable(order)?;
        let nulls = order.logical_nulls();
        let current = self.cells.next_chunk();
        for (row, g) in groups.iter().enumerate() {
            if nulls.as_ref().is_some_and(|n| n.is_null(row)) || !passes(filter, row) {
                continue;
            }
            let better = match self.cells.place(*g as usize) {
                None => true,
                Some((chunk, at)) => {
                    let best = if chunk == current { keys.row(at) } else { self.keys[chunk].row(at) };
                    let order = keys.row(row).cmp(&best);
                    order == self.wanted || self.later && order.is_eq()
                }
            };
            if better {
                self.cells.put(*g as usize, row);
            }
        }
        match self.cells.keep(columns)? {
            Kept::Nothing => {}
            Kept::Added => self.keys.push(keys),
            Kept::Together => {
                let order = self.cells.chunk(1, self.columns - 1).clone();
                let keys = self.comparable(&order)?;
                self.keys.truncate(1);
                self.keys.push(keys);
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        self.update(groups, buffer, None)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        (0..self.columns).map(|i| self.cells.column(i)).collect()
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        self.cells.column(0)
    }
}
