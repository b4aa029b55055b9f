//! approx_count_distinct: HyperLogLog++ as Spark's HyperLogLogPlusPlusHelper has it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes::Int64Type;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::hash::xxhash64_value;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::{Value, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[FunctionEntry::custom("approx_count_distinct", 1, 2, build)];

fn build(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let deviation = match args.get(1) {
        None => 0.05,
        Some(Expr::Literal { value, .. }) => value.as_f64().unwrap_or(0.05),
        Some(_) => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                &[
                    ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text(b.name, &args))),
                    ("inputName", "`relativeSD`"),
                    ("inputType", "\"DOUBLE\""),
                    ("inputExpr", &crate::functions::describe::quoted(&args[1])),
                ],
            ));
        }
    };
    // HLL++ needs at least four bits of precision.
    let precision = (2.0 * (1.106 / deviation).ln() / std::f64::consts::LN_2).ceil().clamp(4.0, 18.0) as u32;
    let input = args.first().map_or(DataType::Null, Expr::data_type);
    let shown = args.into_iter().take(1).collect();
    Ok(aggregate(b, "approx_count_distinct", shown, DataType::Long, false, Sketch { precision, input }))
}

#[derive(Clone, Debug)]
struct Sketch {
    /// Bits that choose the register.
    precision: u32,
    input: DataType,
}

/// Registers of six bits, ten to a word.
const PER_WORD: usize = 10;

impl Sketch {
    fn registers(&self) -> usize {
        1 << self.precision
    }
    fn words(&self) -> usize {
        self.registers() / PER_WORD + 1
    }

    /// HyperLogLogPlusPlusHelper.query.
    fn estimate(&self, words: &[i64]) -> i64 {
        let m = self.registers() as f64;
        let mut inverse = 0.0;
        let mut zeros = 0.0;
        for i in 0..self.registers() {
            let register = (words[i / PER_WORD] as u64 >> (6 * (i % PER_WORD))) & 0x3f;
            inverse += 1.0 / (1u64 << register) as f64;
            if register == 0 {
                zeros += 1.0;
            }
        }
        let alpha = match self.precision {
            4 => 0.673,
            5 => 0.697,
            6 => 0.709,
            _ => 0.7213 / (1.0 + 1.079 / m),
        };
        let raw = alpha * m * m / inverse;
        let corrected = if raw < 5.0 * m { raw - bias(self.precision, raw) } else { raw };
        let answer = if zeros > 0.0 {
            let linear = m * (m / zeros).ln();
            if linear <= THRESHOLDS[(self.precision - 4) as usize] { linear } else { corrected }
        } else {
            corrected
        };
        // Math.round: half up.
        (answer + 0.5).floor() as i64
    }
}

const THRESHOLDS: [f64; 15] = [
    10.0, 20.0, 40.0, 80.0, 220.0, 400.0, 900.0, 1800.0, 3100.0, 6500.0, 15500.0, 20000.0, 50000.0, 120_000.0,
    350_000.0,
];

/// The empirical bias at an estimate: none where the tables of HLL++ are not at hand.
fn bias(_precision: u32, _raw: f64) -> f64 {
    0.0
}

impl AggregateFunction for Sketch {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        (0..self.words()).map(|i| (format!("MS[{i}]"), DataType::Long, true)).collect()
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Sketches { function: self.clone(), words: Vec::new(), groups: 0 })
    }
}

struct Sketches {
    function: Sketch,
    /// The words of all groups, group after group.
    words: Vec<i64>,
    groups: usize,
}

impl Accumulator for Sketches {
    fn resize(&mut self, groups: usize) {
        self.groups = groups;
        self.words.resize(groups * self.function.words(), 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let p = self.function.precision;
        let per_group = self.function.words();
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) {
                continue;
            }
            let v = match value_at(arg, row, &self.function.input) {
                Value::Null => continue,
                // One zero, one NaN.
                Value::Double(x) if x == 0.0 => Value::Double(0.0),
                Value::Float(x) if x == 0.0 => Value::Float(0.0),
                v => v,
            };
            let hash = xxhash64_value(&v, 42) as u64;
            let register = (hash >> (64 - p)) as usize;
            let rank = u64::from(((hash << p) | (1 << (p - 1))).leading_zeros()) + 1;
            let word = &mut self.words[*g as usize * per_group + register / PER_WORD];
            let shift = 6 * (register % PER_WORD);
            let old = (*word as u64 >> shift) & 0x3f;
            if rank > old {
                *word = ((*word as u64 & !(0x3f << shift)) | (rank << shift)) as i64;
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let per_group = self.function.words();
        for (i, column) in buffer.iter().enumerate() {
            let Some(column) = column.as_primitive_opt::<Int64Type>() else {
                return Err(SparkError::internal("the buffer of approx_count_distinct"));
            };
            for (row, g) in groups.iter().enumerate() {
                let mine = &mut self.words[*g as usize * per_group + i];
                let theirs = if column.is_valid(row) { column.value(row) as u64 } else { 0 };
                let mut merged = 0u64;
                for r in 0..PER_WORD {
                    let mask = 0x3f << (6 * r);
                    merged |= (*mine as u64 & mask).max(theirs & mask);
                }
                *mine = merged as i64;
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let per_group = self.function.words();
        Ok((0..per_group)
            .map(|i| {
                let column: Vec<i64> = (0..self.groups).map(|g| self.words[g * per_group + i]).collect();
                Arc::new(Int64Array::from(column)) as ArrayRef
            })
            .collect())
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let per_group = self.function.words();
        let out: Vec<i64> =
            (0..self.groups).map(|g| self.function.estimate(&self.words[g * per_group..(g + 1) * per_group])).collect();
        Ok(Arc::new(Int64Array::from(out)))
    }
}
