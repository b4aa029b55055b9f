//! first, last, any_value and their SQL names.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};

use super::cells::Cells;
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("first", 1, 2, build),
    FunctionEntry::custom("first_value", 1, 2, build),
    FunctionEntry::custom("last", 1, 2, build),
    FunctionEntry::custom("last_value", 1, 2, build),
    FunctionEntry::custom("any_value", 1, 2, build),
];

fn build(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let mut ignore_nulls = b.ignore_nulls;
    if args.len() == 2 {
        match args.pop() {
            Some(Expr::Literal { value: Value::Boolean(flag), .. }) => ignore_nulls = flag,
            Some(other) => {
                args.push(other.clone());
                let sql = crate::functions::describe::call_text(b.name, &args);
                return Err(crate::functions::coercion::unexpected_input(&sql, 1, "\"BOOLEAN\"", &other));
            }
            None => {}
        }
    }
    let t = args.first().map_or(DataType::Null, Expr::data_type);
    let last = b.name.starts_with("last");
    // The clause makes the function anew, without the name that was written.
    let name = match b.name {
        "first_value" if b.ignore_nulls => "first",
        "last_value" if b.ignore_nulls => "last",
        name => name,
    };
    Ok(aggregate(b, name, args, t.clone(), true, Pick { last, ignore_nulls, value: t }))
}

#[derive(Clone, Debug)]
struct Pick {
    last: bool,
    ignore_nulls: bool,
    value: DataType,
}

impl AggregateFunction for Pick {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        let name = if self.last { "last" } else { "first" };
        vec![(name.into(), self.value.clone(), true), ("valueSet".into(), DataType::Boolean, true)]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        let cells = Cells::new(std::slice::from_ref(&self.value));
        Box::new(Picks { function: self.clone(), groups: 0, cells })
    }
}

struct Picks {
    function: Pick,
    groups: usize,
    cells: Cells,
}

impl Picks {
    /// The rows for which `offered` holds, one after the other.
    fn take(&mut self, groups: &[u32], values: &ArrayRef, offered: &dyn Fn(usize) -> bool) -> Result<()> {
        for (row, g) in groups.iter().enumerate() {
            let g = *g as usize;
            if offered(row) && (self.function.last || self.cells.place(g).is_none()) {
                self.cells.put(g, row);
            }
        }
        self.cells.keep(std::slice::from_ref(values))?;
        Ok(())
    }
}

impl Accumulator for Picks {
    fn resize(&mut self, groups: usize) {
        self.groups = groups;
        self.cells.resize(groups);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let nulls = arg.logical_nulls().filter(|_| self.function.ignore_nulls);
        self.take(groups, arg, &|row| passes(filter, row) && nulls.as_ref().is_none_or(|n| n.is_valid(row)))
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let [values, set] = buffer else { return Err(SparkError::internal("the buffer of first has two columns")) };
        let Some(set) = set.as_boolean_opt() else { return Err(SparkError::internal("the buffer of first")) };
        self.take(groups, values, &|row| set.is_valid(row) && set.value(row))
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let set: Vec<bool> = (0..self.groups).map(|g| self.cells.place(g).is_some()).collect();
        Ok(vec![self.evaluate()?, Arc::new(BooleanArray::from(set))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        self.cells.column(0)
    }
}
