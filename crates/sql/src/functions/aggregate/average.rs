//! avg, mean, try_avg.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array};
use arrow::datatypes as at;

use super::sum::{bounded, doubles, numeric_input};
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::eval_mode;
use crate::functions::integers::{Numbers, from_numbers};
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("avg", 1, 1, |b, a| average(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("mean", 1, 1, |b, a| average(b, a, eval_mode(b.ansi()))),
    FunctionEntry::custom("try_avg", 1, 1, |b, a| average(b, a, EvalMode::Try)),
];

fn average(b: &mut Build<'_>, args: Vec<Expr>, mode: EvalMode) -> Result<Expr> {
    let arg = numeric_input(b, args)?;
    let input = arg.data_type();
    let (sum, result) = match &input {
        DataType::Decimal { precision, scale } => (
            bounded(i32::from(*precision) + 10, i32::from(*scale)),
            bounded(i32::from(*precision) + 4, i32::from(*scale) + 4),
        ),
        DataType::YearMonthInterval { .. } => (DataType::INTERVAL_YM, DataType::INTERVAL_YM),
        DataType::DayTimeInterval { .. } => (DataType::INTERVAL_DT, DataType::INTERVAL_DT),
        _ => (DataType::Double, DataType::Double),
    };
    Ok(aggregate(b, b.name, vec![arg], result.clone(), true, Average { input, sum, result, mode }))
}

#[derive(Clone, Debug)]
struct Average {
    input: DataType,
    sum: DataType,
    result: DataType,
    mode: EvalMode,
}

impl AggregateFunction for Average {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("sum".into(), self.sum.clone(), true), ("count".into(), DataType::Long, true)]
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        if self.sum == DataType::Double {
            Box::new(Doubles { input: self.input.clone(), sums: Vec::new(), counts: Vec::new() })
        } else {
            Box::new(Exact { function: self.clone(), sums: Vec::new(), counts: Vec::new() })
        }
    }
}

struct Doubles {
    input: DataType,
    sums: Vec<f64>,
    counts: Vec<i64>,
}

impl Accumulator for Doubles {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0.0);
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let column = doubles(arg, &self.input)?;
        for (row, g) in groups.iter().enumerate() {
            if column.is_valid(row) && passes(filter, row) {
                self.sums[*g as usize] += column.value(row);
                self.counts[*g as usize] += 1;
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let [sums, counts] = buffer else { return Err(SparkError::internal("the buffer of avg has two columns")) };
        let (Some(sums), Some(counts)) =
            (sums.as_primitive_opt::<at::Float64Type>(), counts.as_primitive_opt::<at::Int64Type>())
        else {
            return Err(SparkError::internal("the buffer of avg"));
        };
        for (row, g) in groups.iter().enumerate() {
            self.sums[*g as usize] += sums.value(row);
            self.counts[*g as usize] += counts.value(row);
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![Arc::new(Float64Array::from(self.sums.clone())), Arc::new(Int64Array::from(self.counts.clone()))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let out: Float64Array =
            self.sums.iter().zip(&self.counts).map(|(s, n)| (*n != 0).then(|| s / *n as f64)).collect();
        Ok(Arc::new(out))
    }
}

/// Decimals and intervals.
struct Exact {
    function: Average,
    /// None: overflowed.
    sums: Vec<Option<i128>>,
    counts: Vec<i64>,
}

impl Exact {
    /// Whether the type of the sums holds the number.
    fn holds(&self, n: i128) -> bool {
        match self.function.sum {
            DataType::Decimal { precision, .. } => crate::value::text::digits(n) <= u32::from(precision),
            DataType::YearMonthInterval { .. } => i32::try_from(n).is_ok(),
            _ => i64::try_from(n).is_ok(),
        }
    }
}

impl Accumulator for Exact {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, Some(0));
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let (numbers, nulls) = (Numbers::of(arg)?, arg.nulls());
        for (row, g) in groups.iter().enumerate() {
            if nulls.is_none_or(|n| n.is_valid(row)) && passes(filter, row) {
                let g = *g as usize;
                self.sums[g] = self.sums[g].and_then(|s| s.checked_add(numbers.value(row)));
                self.counts[g] += 1;
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let [sums, counts] = buffer else { return Err(SparkError::internal("the buffer of avg has two columns")) };
        let Some(counts) = counts.as_primitive_opt::<at::Int64Type>() else {
            return Err(SparkError::internal("the buffer of avg"));
        };
        let numbers = Numbers::of(sums)?;
        for (row, g) in groups.iter().enumerate() {
            let g = *g as usize;
            let n = sums.is_valid(row).then(|| numbers.value(row));
            self.sums[g] = self.sums[g].zip(n).and_then(|(a, b)| a.checked_add(b));
            self.counts[g] += if counts.is_valid(row) { counts.value(row) } else { 0 };
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let sums = from_numbers(&self.function.sum, &mut self.sums.iter().copied())?;
        Ok(vec![sums, Arc::new(Int64Array::from(self.counts.clone()))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let mut out: Vec<Option<i128>> = Vec::with_capacity(self.sums.len());
        for (sum, count) in self.sums.iter().zip(&self.counts) {
            if *count == 0 {
                out.push(None);
                continue;
            }
            let Some(sum) = sum.filter(|n| self.holds(*n)) else {
                if self.function.mode == EvalMode::Ansi {
                    return Err(crate::functions::scalar::overflow("Overflow in sum of decimals", "try_avg"));
                }
                out.push(None);
                continue;
            };
            let n = i128::from(*count);
            out.push(match self.function.result {
                DataType::Decimal { precision, scale } => {
                    let DataType::Decimal { scale: from, .. } = self.function.sum else {
                        return Err(SparkError::internal("a decimal average has a decimal sum"));
                    };
                    match crate::functions::scalar::divide_decimal((sum, from), (n, 0), precision, scale) {
                        Ok(q) => Some(q),
                        Err(text) if self.function.mode == EvalMode::Ansi => {
                            return Err(crate::functions::cast::decimal_overflow(&text, precision, scale));
                        }
                        Err(_) => None,
                    }
                }
                _ => {
                    let (q, r) = (sum / n, sum % n);
                    Some(if r.unsigned_abs() * 2 >= n.unsigned_abs() { q + sum.signum() } else { q })
                }
            });
        }
        from_numbers(&self.function.result, &mut out.into_iter())
    }
}
