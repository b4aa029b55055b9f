//! count_min_sketch: Spark's CountMinSketch, in the bytes of its writeTo.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType as ArrowType, Int64Type};

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::chance::JavaRandom;
use crate::functions::coercion::{In, check_inputs};
use crate::functions::describe;
use crate::functions::hash::murmur3_bytes;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::double_to_string;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[FunctionEntry::custom("count_min_sketch", 3, 4, build)];

fn build(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        // Without a seed Spark draws one; here a run is the same each time.
        args.push(Expr::literal(Value::Integer(0), DataType::Integer));
    }
    let inputs =
        [In::Either(&[In::Integral, In::Str, In::Bin]), In::Double, In::Double, In::Either(&[In::Int, In::Long])];
    let args = check_inputs(args, &inputs, false, b.ansi(), &|args| describe::call_text("count_min_sketch", args))?;
    let wrong = |condition: &str, parameters: &[(&str, &str)]| {
        let sql = format!("\"{}\"", describe::call_text("count_min_sketch", &args));
        let mut all = vec![("sqlExpr", sql.as_str())];
        all.extend_from_slice(parameters);
        SparkError::analysis(&format!("DATATYPE_MISMATCH.{condition}"), &all)
    };
    let mut parameters = [Value::Null, Value::Null, Value::Null];
    for (i, name) in ["eps", "confidence", "seed"].into_iter().enumerate() {
        let arg = &args[i + 1];
        let Some(value) = crate::functions::json::constant(b, arg)? else {
            return Err(wrong(
                "NON_FOLDABLE_INPUT",
                &[
                    ("inputName", &format!("`{name}`")),
                    ("inputType", &arg.data_type().quoted_sql()),
                    ("inputExpr", &describe::quoted(arg)),
                ],
            ));
        };
        parameters[i] = value;
    }
    if let Some(i) = parameters.iter().position(Value::is_null) {
        return Err(wrong("UNEXPECTED_NULL", &[("exprName", ["eps", "confidence", "seed"][i])]));
    }
    let [eps, confidence, seed] = parameters;
    let (eps, confidence) = (eps.as_f64().unwrap_or(0.0), confidence.as_f64().unwrap_or(0.0));
    let out_of_range = |name: &str, range: &str, value: f64| {
        let shown = format!("{}D", double_to_string(value));
        wrong("VALUE_OUT_OF_RANGE", &[("exprName", name), ("valueRange", range), ("currentValue", &shown)])
    };
    if eps <= 0.0 {
        return Err(out_of_range("eps", "(0.0, 1.7976931348623157E308]", eps));
    }
    if confidence <= 0.0 || confidence >= 1.0 {
        return Err(out_of_range("confidence", "(0.0, 1.0]", confidence));
    }
    // A long seed is cut to its lower half (Number.intValue).
    let mut random = JavaRandom::new(i64::from(seed.as_i64().unwrap_or(0) as i32));
    let width = (2.0 / eps).ceil() as i32;
    let depth = (-libm::log1p(-confidence) / std::f64::consts::LN_2).ceil() as usize;
    let factors = (0..depth).map(|_| i64::from(random.below_max())).collect();
    let function = Sketch { width, factors, input: args[0].data_type() };
    Ok(aggregate(b, "count_min_sketch", args, DataType::Binary, false, function))
}

/// The shape of a sketch: a row of `width` counters for each factor.
#[derive(Clone, Debug)]
struct Sketch {
    width: i32,
    /// Factor of the linear hash of each row (hashA).
    factors: Arc<[i64]>,
    input: DataType,
}

impl AggregateFunction for Sketch {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("buf".into(), DataType::Binary, true)]
    }
    fn is_object(&self) -> bool {
        true
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Sketches { shape: self.clone(), groups: Vec::new() })
    }
}

impl Sketch {
    /// The counter of a whole number in row `row`.
    fn place(&self, item: i64, row: usize) -> usize {
        let hash = self.factors[row].wrapping_mul(item);
        let hash = hash.wrapping_add(hash >> 32) & 0x7fff_ffff;
        (hash as i32 % self.width) as usize
    }

    /// Version, total, depth, width, factors, counters: big-endian.
    fn write(&self, counts: &Counts) -> Vec<u8> {
        let mut out = Vec::with_capacity(20 + 8 * (self.factors.len() + counts.table.len()));
        out.extend(1i32.to_be_bytes());
        out.extend(counts.total.to_be_bytes());
        out.extend((self.factors.len() as i32).to_be_bytes());
        out.extend(self.width.to_be_bytes());
        for n in self.factors.iter().chain(&counts.table) {
            out.extend(n.to_be_bytes());
        }
        out
    }
}

#[derive(Clone)]
struct Counts {
    total: i64,
    /// Row by row.
    table: Vec<i64>,
}

struct Sketches {
    shape: Sketch,
    groups: Vec<Counts>,
}

impl Accumulator for Sketches {
    fn resize(&mut self, groups: usize) {
        let table = vec![0; self.shape.factors.len() * self.shape.width as usize];
        self.groups.resize(groups, Counts { total: 0, table });
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let (width, depth) = (self.shape.width as usize, self.shape.factors.len());
        match self.shape.input {
            DataType::Byte | DataType::Short | DataType::Integer | DataType::Long => {
                let items = cast(arg, &ArrowType::Int64)?;
                let items = items.as_primitive::<Int64Type>();
                for (row, g) in groups.iter().enumerate() {
                    if items.is_null(row) || !passes(filter, row) {
                        continue;
                    }
                    let counts = &mut self.groups[*g as usize];
                    counts.total += 1;
                    for i in 0..depth {
                        counts.table[i * width + self.shape.place(items.value(row), i)] += 1;
                    }
                }
            }
            _ => {
                let items = cast(arg, &ArrowType::Binary)?;
                let items = items.as_binary::<i32>();
                for (row, g) in groups.iter().enumerate() {
                    if items.is_null(row) || !passes(filter, row) {
                        continue;
                    }
                    let first = murmur3_bytes(items.value(row), 0);
                    let second = murmur3_bytes(items.value(row), first);
                    let counts = &mut self.groups[*g as usize];
                    counts.total += 1;
                    for i in 0..depth {
                        let hash = first.wrapping_add((i as i32).wrapping_mul(second)) % self.shape.width;
                        counts.table[i * width + hash.unsigned_abs() as usize] += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let broken = || SparkError::internal("a broken buffer of count_min_sketch");
        let bytes = buffer.first().and_then(|b| b.as_binary_opt::<i32>()).ok_or_else(broken)?;
        let skipped = 20 + 8 * self.shape.factors.len();
        for (row, g) in groups.iter().enumerate() {
            if bytes.is_null(row) {
                continue;
            }
            let written = bytes.value(row);
            let counts = &mut self.groups[*g as usize];
            if written.len() != skipped + 8 * counts.table.len() {
                return Err(broken());
            }
            let long = |at: &[u8]| at.try_into().map(i64::from_be_bytes).map_err(|_| broken());
            counts.total += long(&written[4..12])?;
            for (count, at) in counts.table.iter_mut().zip(written[skipped..].chunks_exact(8)) {
                *count += long(at)?;
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        Ok(Arc::new(BinaryArray::from_iter_values(self.groups.iter().map(|counts| self.shape.write(counts)))))
    }
}
