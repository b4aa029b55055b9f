//! max, min, max_by, min_by.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes as at;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::{Value, array_from_values, compare, value_at};

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
        Box::new(Extremes { function: self.clone(), best: Vec::new() })
    }
}

struct Extremes {
    function: Extreme,
    best: Vec<Value>,
}

impl Accumulator for Extremes {
    fn resize(&mut self, groups: usize) {
        self.best.resize(groups, Value::Null);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let wanted = self.function.wanted;
        macro_rules! fast {
            ($t:ty, $make:path, $order:expr) => {
                if let Some(column) = arg.as_primitive_opt::<$t>() {
                    for (row, g) in groups.iter().enumerate() {
                        if column.is_valid(row) && passes(filter, row) {
                            let x = column.value(row);
                            let best = &mut self.best[*g as usize];
                            let better = match best {
                                $make(b) => $order(&x, b) == wanted,
                                _ => true,
                            };
                            if better {
                                *best = $make(x);
                            }
                        }
                    }
                    return Ok(());
                }
            };
        }
        match self.function.value {
            DataType::Double => {
                fast!(at::Float64Type, Value::Double, |a: &f64, b: &f64| { crate::value::compare_f64(*a, *b) })
            }
            DataType::Long => fast!(at::Int64Type, Value::Long, i64::cmp),
            DataType::Integer => fast!(at::Int32Type, Value::Integer, i32::cmp),
            DataType::Timestamp => fast!(at::TimestampMicrosecondType, Value::Timestamp, i64::cmp),
            DataType::String => {
                if let Some(column) = arg.as_string_opt::<i32>() {
                    for (row, g) in groups.iter().enumerate() {
                        if column.is_valid(row) && passes(filter, row) {
                            let x = column.value(row);
                            let best = &mut self.best[*g as usize];
                            let better = match best {
                                Value::String(b) => x.as_bytes().cmp(b.as_bytes()) == wanted,
                                _ => true,
                            };
                            if better {
                                *best = Value::from(x);
                            }
                        }
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) {
                continue;
            }
            let x = value_at(arg, row, &self.function.value);
            let best = &mut self.best[*g as usize];
            if !x.is_null() && (best.is_null() || compare(&x, best) == wanted) {
                *best = x;
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        self.update(groups, buffer, None)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        array_from_values(&self.function.value, &self.best)
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
        Box::new(ExtremesBy { function: self.clone(), best: Vec::new() })
    }
}

struct ExtremesBy {
    function: ExtremeBy,
    /// Value and its order.
    best: Vec<(Value, Value)>,
}

impl Accumulator for ExtremesBy {
    fn resize(&mut self, groups: usize) {
        self.best.resize(groups, (Value::Null, Value::Null));
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let [values, orders] = args else { return Err(SparkError::internal("max_by has two arguments")) };
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) {
                continue;
            }
            let order = value_at(orders, row, &self.function.order);
            if order.is_null() {
                continue;
            }
            let best = &mut self.best[*g as usize];
            // A tie takes the later row: the predicate keeps the old one only when it is strictly better.
            if best.1.is_null() || compare(&best.1, &order) != self.function.wanted {
                *best = (value_at(values, row, &self.function.value), order);
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        self.update(groups, buffer, None)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let orders: Vec<Value> = self.best.iter().map(|b| b.1.clone()).collect();
        Ok(vec![self.evaluate()?, array_from_values(&self.function.order, &orders)?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let values: Vec<Value> = self.best.iter().map(|b| b.0.clone()).collect();
        array_from_values(&self.function.value, &values)
    }
}
