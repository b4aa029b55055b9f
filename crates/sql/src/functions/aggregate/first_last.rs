//! first, last, any_value and their SQL names.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::{Value, array_from_values, value_at};

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
        Box::new(Picks { function: self.clone(), values: Vec::new(), set: Vec::new() })
    }
}

struct Picks {
    function: Pick,
    values: Vec<Value>,
    set: Vec<bool>,
}

impl Picks {
    fn offer(&mut self, g: usize, make: impl FnOnce() -> Value) {
        if self.set[g] && !self.function.last {
            return;
        }
        self.values[g] = make();
        self.set[g] = true;
    }
}

impl Accumulator for Picks {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups, Value::Null);
        self.set.resize(groups, false);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let t = self.function.value.clone();
        let ignore = self.function.ignore_nulls;
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) || (ignore && value_at(arg, row, &t).is_null()) {
                continue;
            }
            self.offer(*g as usize, || value_at(arg, row, &t));
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let [values, set] = buffer else { return Err(SparkError::internal("the buffer of first has two columns")) };
        let t = self.function.value.clone();
        for (row, g) in groups.iter().enumerate() {
            if value_at(set, row, &DataType::Boolean) == Value::Boolean(true) {
                self.offer(*g as usize, || value_at(values, row, &t));
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate()?, Arc::new(BooleanArray::from(self.set.clone()))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        array_from_values(&self.function.value, &self.values)
    }
}
