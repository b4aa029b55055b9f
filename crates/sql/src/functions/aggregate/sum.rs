//! sum, try_sum.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array};
use arrow::datatypes as at;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::{In, cast_to, eval_mode, unexpected_input};
use crate::functions::integers::{Numbers, from_numbers};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::scalar::overflow;
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("sum", 1, 1, |b, a| sum(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("try_sum", 1, 1, |b, a| sum(b, a, EvalMode::Try)),
];

/// Numbers and ANSI intervals, text and timestamps as DOUBLE (FunctionArgumentConversion: seconds since 1970).
pub(super) fn numeric_input(b: &Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let Some(arg) = args.pop() else { return Err(SparkError::internal("one argument is needed")) };
    let input = In::Either(&[In::Num, In::YearMonth, In::DayTime]);
    let t = arg.data_type();
    if input.accepts(&t) {
        return Ok(arg);
    }
    if t == DataType::Timestamp {
        return Ok(cast_to(arg, &DataType::Double, b.ansi()));
    }
    match input.implicit(&t, b.ansi()) {
        Some(to) => Ok(cast_to(arg, &to, b.ansi())),
        None => {
            let sql = crate::functions::describe::call_text(b.name, std::slice::from_ref(&arg));
            Err(unexpected_input(&sql, 0, "\"NUMERIC\" or \"ANSI INTERVAL\"", &arg))
        }
    }
}

/// DecimalType.bounded.
pub(super) fn bounded(precision: i32, scale: i32) -> DataType {
    DataType::decimal(precision.min(38) as u8, scale.min(38) as i8)
}

fn sum(b: &mut Build<'_>, args: Vec<Expr>, mode: EvalMode) -> Result<Expr> {
    let arg = numeric_input(b, args)?;
    let input = arg.data_type();
    let result = match &input {
        DataType::Decimal { precision, scale } => bounded(i32::from(*precision) + 10, i32::from(*scale)),
        t if t.is_integral() => DataType::Long,
        DataType::Float | DataType::Double => DataType::Double,
        other => other.clone(),
    };
    let name = b.name;
    Ok(aggregate(b, name, vec![arg], result.clone(), true, Sum { input, result, mode }))
}

#[derive(Clone, Debug)]
struct Sum {
    input: DataType,
    result: DataType,
    mode: EvalMode,
}

impl Sum {
    fn decimal(&self) -> bool {
        matches!(self.result, DataType::Decimal { .. })
    }
}

impl AggregateFunction for Sum {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        let mut out = vec![("sum".into(), self.result.clone(), true)];
        if self.decimal() {
            out.push(("isEmpty".into(), DataType::Boolean, false));
        }
        out
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        match self.result {
            DataType::Double => Box::new(Doubles { input: self.input.clone(), sums: Vec::new(), seen: Vec::new() }),
            DataType::Decimal { .. } => {
                Box::new(Decimals { function: self.clone(), sums: Vec::new(), empty: Vec::new() })
            }
            _ => Box::new(Wholes { function: self.clone(), sums: Vec::new(), states: Vec::new() }),
        }
    }
}

/// Doubles of a numeric column.
pub(super) fn doubles(array: &ArrayRef, t: &DataType) -> Result<Float64Array> {
    if let Some(a) = array.as_primitive_opt::<at::Float64Type>() {
        return Ok(a.clone());
    }
    let _ = t;
    let cast = arrow::compute::cast(array, &at::DataType::Float64)?;
    cast.as_primitive_opt::<at::Float64Type>().cloned().ok_or_else(|| SparkError::internal("doubles"))
}

struct Doubles {
    input: DataType,
    sums: Vec<f64>,
    seen: Vec<bool>,
}

impl Accumulator for Doubles {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0.0);
        self.seen.resize(groups, false);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let column = doubles(arg, &self.input)?;
        if column.null_count() == 0 && filter.is_none() {
            for (g, x) in groups.iter().zip(column.values()) {
                let g = *g as usize;
                // The first value stands alone: 0.0 + -0.0 would lose its sign.
                self.sums[g] = if self.seen[g] { self.sums[g] + x } else { *x };
                self.seen[g] = true;
            }
            return Ok(());
        }
        for (row, g) in groups.iter().enumerate() {
            if column.is_valid(row) && passes(filter, row) {
                let g = *g as usize;
                self.sums[g] = if self.seen[g] { self.sums[g] + column.value(row) } else { column.value(row) };
                self.seen[g] = true;
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
        let out: Float64Array = self.sums.iter().zip(&self.seen).map(|(x, s)| s.then_some(*x)).collect();
        Ok(Arc::new(out))
    }
}

/// Whole numbers and intervals.
struct Wholes {
    function: Sum,
    sums: Vec<i64>,
    /// 0 nothing yet, 1 a sum, 2 overflowed (try_sum).
    states: Vec<u8>,
}

impl Wholes {
    fn add(&mut self, g: usize, n: i64) -> Result<()> {
        if self.states[g] == 2 {
            return Ok(());
        }
        let narrow = matches!(self.function.result, DataType::YearMonthInterval { .. });
        let sum = self.sums[g].checked_add(n).filter(|s| !narrow || i32::try_from(*s).is_ok());
        match (sum, self.function.mode) {
            (Some(s), _) => {
                self.sums[g] = s;
                self.states[g] = 1;
            }
            (None, EvalMode::Try) => self.states[g] = 2,
            (None, EvalMode::Legacy) if self.function.result == DataType::Long => {
                self.sums[g] = self.sums[g].wrapping_add(n);
                self.states[g] = 1;
            }
            (None, _) if self.function.result == DataType::Long => return Err(overflow("overflow", "try_add")),
            (None, _) => return Err(crate::functions::scalar::interval_overflow("try_add")),
        }
        Ok(())
    }
}

impl Accumulator for Wholes {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0);
        self.states.resize(groups, 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let (numbers, nulls) = (Numbers::of(arg)?, arg.nulls());
        for (row, g) in groups.iter().enumerate() {
            if nulls.is_none_or(|n| n.is_valid(row)) && passes(filter, row) {
                self.add(*g as usize, numbers.value(row) as i64)?;
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
        let sums = self.sums.iter().zip(&self.states);
        from_numbers(&self.function.result, &mut sums.map(|(n, s)| (*s == 1).then(|| i128::from(*n))))
    }
}

struct Decimals {
    function: Sum,
    /// None: overflowed.
    sums: Vec<Option<i128>>,
    empty: Vec<bool>,
}

impl Decimals {
    fn add(&mut self, g: usize, n: i128) {
        self.sums[g] = self.sums[g].and_then(|s| s.checked_add(n));
        self.empty[g] = false;
    }
}

impl Accumulator for Decimals {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, Some(0));
        self.empty.resize(groups, true);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(column) = args.first().and_then(|a| a.as_primitive_opt::<at::Decimal128Type>()) else {
            return Ok(());
        };
        for (row, g) in groups.iter().enumerate() {
            if column.is_valid(row) && passes(filter, row) {
                self.add(*g as usize, column.value(row));
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let [sums, empty] = buffer else {
            return Err(SparkError::internal("the buffer of a decimal sum has two columns"));
        };
        let (Some(sums), Some(empty)) = (sums.as_primitive_opt::<at::Decimal128Type>(), empty.as_boolean_opt()) else {
            return Err(SparkError::internal("the buffer of a decimal sum"));
        };
        for (row, g) in groups.iter().enumerate() {
            let g = *g as usize;
            if empty.is_valid(row) && empty.value(row) {
                continue;
            }
            if sums.is_valid(row) {
                self.add(g, sums.value(row));
            } else {
                self.sums[g] = None;
                self.empty[g] = false;
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let sums = from_numbers(&self.function.result, &mut self.sums.iter().copied())?;
        Ok(vec![sums, Arc::new(BooleanArray::from(self.empty.clone()))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let sums = from_numbers(&self.function.result, &mut self.sums.iter().copied())?;
        let overflown = (0..sums.len()).any(|g| sums.is_null(g) && !self.empty[g]);
        if overflown && self.function.mode == EvalMode::Ansi {
            return Err(overflow("Overflow in sum of decimals", "try_sum"));
        }
        Ok(arrow::compute::nullif(&sums, &BooleanArray::from(self.empty.clone()))?)
    }
}
