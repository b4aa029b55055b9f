//! percentile, median, percentile_approx, mode: aggregates that keep values with their counts.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray};

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder};
use crate::functions::coercion::{In, cast_to};
use crate::functions::describe;
use crate::functions::hash::murmur3_bytes;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::{DataType, StructField};
use crate::value::unsafe_row::{decode_row, encode_row};
use crate::value::{HashKey, Value, array_from_values, compare, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("percentile", 2, 3, percentile),
    FunctionEntry::custom("median", 1, 1, percentile),
    FunctionEntry::custom("percentile_cont", 1, 1, within_group),
    FunctionEntry::custom("percentile_disc", 1, 1, within_group),
    FunctionEntry::custom("percentile_approx", 2, 3, approximate),
    FunctionEntry::custom("approx_percentile", 2, 3, approximate),
    FunctionEntry::custom("mode", 0, 2, mode),
];

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Interpolated, as DOUBLE or interval.
    Exact,
    /// The value at the rank.
    Ranked,
    /// The value at the rank, as DOUBLE or interval; true: counted from the greatest.
    Discrete(bool),
    /// The most frequent; of several the first in the map, or the lowest or greatest.
    Mode(Pick),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pick {
    First,
    Lowest,
    Greatest,
}

#[derive(Clone, Debug)]
struct Distribution {
    kind: Kind,
    input: DataType,
    result: DataType,
    percentages: Vec<f64>,
    /// Several percentages give an array.
    many: bool,
    /// A third argument counts each value so often.
    weighted: bool,
    /// That argument's text.
    frequency: String,
}

fn percentages(b: &Build<'_>, args: &[Expr], arg: &Expr) -> Result<(Vec<f64>, bool)> {
    let sql = || format!("\"{}\"", describe::call_text(b.name, args));
    let value = crate::functions::json::constant(b, arg)?;
    let Some(value) = value else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            &[
                ("sqlExpr", &sql()),
                ("inputName", "`percentage`"),
                ("inputType", "\"DOUBLE\""),
                ("inputExpr", &describe::quoted(arg)),
            ],
        ));
    };
    let (list, many) = match &value {
        Value::Array(items) => (items.iter().filter_map(Value::as_f64).collect::<Vec<_>>(), true),
        Value::Null => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.UNEXPECTED_NULL",
                &[("sqlExpr", &sql()), ("exprName", "percentage")],
            ));
        }
        v => (v.as_f64().into_iter().collect(), false),
    };
    if let Some(bad) = list.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &sql()),
                ("exprName", "percentage"),
                ("valueRange", "[0.0, 1.0]"),
                ("currentValue", &format!("{}D", crate::value::text::double_to_string(*bad))),
            ],
        ));
    }
    Ok((list, many))
}

fn percentile(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let name = b.name;
    let weighted = args.len() == 3;
    if name != "median" && !weighted {
        // Percentile shows its frequency too.
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let (percentages, many) = if name == "median" {
        (vec![0.5], false)
    } else {
        let arg = args[1].clone();
        percentages(b, &args, &arg)?
    };
    let mut head = b.inputs(vec![args[0].clone()], &[In::Either(&[In::Num, In::YearMonth, In::DayTime])])?;
    let input = head[0].data_type();
    let result = several(single(&input), many);
    if name != "median" {
        args[0] = head.remove(0);
        args[2] = cast_to(args[2].clone(), &DataType::Long, b.ansi());
    } else {
        args = head;
    }
    let frequency = args.get(2).map(describe::quoted).unwrap_or_default();
    let function =
        Distribution { kind: Kind::Exact, input, result: result.clone(), percentages, many, weighted, frequency };
    Ok(aggregate(b, name, args, result, true, function))
}

/// percentile_cont(p) WITHIN GROUP (ORDER BY value): the percentile of the values, counted from the other end for DESC.
fn within_group(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let order = std::mem::take(&mut b.within_group);
    let [key] = order.as_slice() else {
        return Err(SparkError::analysis(
            "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
            &[("funcName", &format!("`{}`", b.name))],
        ));
    };
    args.insert(0, key.child.clone());
    let share = args[1].clone();
    let (mut percentages, many) = percentages(b, &args, &share)?;
    args[0] = b.inputs(vec![args[0].clone()], &[In::Either(&[In::Num, In::YearMonth, In::DayTime])])?.remove(0);
    let kind = if b.name == "percentile_disc" {
        Kind::Discrete(!key.ascending)
    } else {
        if !key.ascending {
            percentages.iter_mut().for_each(|p| *p = 1.0 - *p);
        }
        Kind::Exact
    };
    let input = args[0].data_type();
    let result = several(single(&input), many);
    args.push(Expr::SortOrder(Box::new(key.clone())));
    let function = Distribution {
        kind,
        input,
        result: result.clone(),
        percentages,
        many,
        weighted: false,
        frequency: String::new(),
    };
    Ok(aggregate(b, b.name, args, result, true, function))
}

/// Type of a percentile of these values.
fn single(input: &DataType) -> DataType {
    match input {
        DataType::YearMonthInterval { .. } => DataType::INTERVAL_YM,
        DataType::DayTimeInterval { .. } => DataType::INTERVAL_DT,
        _ => DataType::Double,
    }
}

fn several(single: DataType, many: bool) -> DataType {
    if many { DataType::array(single, false) } else { single }
}

fn approximate(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let name = b.name;
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(10_000), DataType::Integer));
    }
    let accuracy = crate::functions::json::constant(b, &args[2])?.and_then(|v| v.as_i64());
    let arg = args[1].clone();
    let (percentages, many) = percentages(b, &args, &arg)?;
    if let Some(accuracy) = accuracy.filter(|n| !(1..=i64::from(i32::MAX)).contains(n)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(name, &args))),
                ("exprName", "accuracy"),
                ("valueRange", "(0, 2147483647]"),
                ("currentValue", &format!("{accuracy}L")),
            ],
        ));
    }
    let input_kind = In::Either(&[In::Num, In::Date, In::Ts, In::Ntz, In::YearMonth, In::DayTime]);
    args[0] = b.inputs(vec![args[0].clone()], &[input_kind])?.remove(0);
    let input = args[0].data_type();
    let result = if many { DataType::array(input.clone(), false) } else { input.clone() };
    let function = Distribution {
        kind: Kind::Ranked,
        input,
        result: result.clone(),
        percentages,
        many,
        weighted: false,
        frequency: String::new(),
    };
    Ok(aggregate(b, name, args, result, true, function))
}

fn mode(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let order = std::mem::take(&mut b.within_group);
    let pick = match (order.as_slice(), args.get(1)) {
        ([key], _) if args.is_empty() => {
            args.push(key.child.clone());
            args.push(Expr::SortOrder(Box::new(key.clone())));
            if key.ascending { Pick::Lowest } else { Pick::Greatest }
        }
        (_, deterministic) => {
            let lowest = matches!(deterministic, Some(Expr::Literal { value: Value::Boolean(true), .. }));
            args.truncate(1);
            if args.is_empty() {
                return Err(SparkError::analysis(
                    "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
                    &[("funcName", "`mode`")],
                ));
            }
            if lowest {
                // mode(value, true) is mode() WITHIN GROUP (ORDER BY value).
                let child = args[0].clone();
                args.push(Expr::SortOrder(Box::new(SortOrder { child, ascending: true, nulls_first: true })));
                Pick::Lowest
            } else {
                Pick::First
            }
        }
    };
    let t = args[0].data_type();
    let function = Distribution {
        kind: Kind::Mode(pick),
        input: t.clone(),
        result: t.clone(),
        percentages: Vec::new(),
        many: false,
        weighted: false,
        frequency: String::new(),
    };
    Ok(aggregate(b, "mode", args, t, true, function))
}

impl Distribution {
    /// Key and count: how a buffer's entries are written.
    fn entries_type(&self) -> DataType {
        DataType::array(
            DataType::structure(vec![
                StructField::new("key", self.input.clone(), true),
                StructField::new("count", DataType::Long, false),
            ]),
            false,
        )
    }
}

impl AggregateFunction for Distribution {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("buf".into(), DataType::Binary, true)]
    }
    fn is_object(&self) -> bool {
        true
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Distributions { function: self.clone(), maps: Vec::new() })
    }
}

/// Values and counts in the order of org.apache.spark.util.collection.OpenHashMap.
#[derive(Clone, Debug)]
struct OpenHashMap {
    /// Positions hold indexes of entries.
    table: Vec<Option<usize>>,
    entries: Vec<(Value, i64)>,
    index: HashMap<HashKey, usize>,
}

impl Default for OpenHashMap {
    fn default() -> Self {
        Self { table: vec![None; 64], entries: Vec::new(), index: HashMap::new() }
    }
}

impl OpenHashMap {
    fn add(&mut self, key: Value, count: i64) {
        let hashed = HashKey(key.clone());
        if let Some(i) = self.index.get(&hashed) {
            self.entries[*i].1 += count;
            return;
        }
        let i = self.entries.len();
        self.index.insert(hashed, i);
        place(&mut self.table, i, &key);
        self.entries.push((key, count));
        if self.entries.len() as f64 > 0.7 * self.table.len() as f64 {
            let mut grown = vec![None; self.table.len() * 2];
            for i in self.table.iter().flatten() {
                place(&mut grown, *i, &self.entries[*i].0);
            }
            self.table = grown;
        }
    }

    fn in_order(&self) -> impl Iterator<Item = &(Value, i64)> {
        self.table.iter().flatten().map(|i| &self.entries[*i])
    }
}

fn place(table: &mut [Option<usize>], i: usize, key: &Value) {
    let mask = table.len() - 1;
    let mut at = guava_hash(java_hash(key)) as u32 as usize & mask;
    let mut step = 1;
    while table[at].is_some() {
        at = (at + step) & mask;
        step += 1;
    }
    table[at] = Some(i);
}

/// Hashing.murmur3_32_fixed().hashInt.
fn guava_hash(n: i32) -> i32 {
    crate::functions::hash::murmur3_int(n, 0)
}

/// Object.hashCode of the object that Spark holds for a value.
fn java_hash(v: &Value) -> i32 {
    let fold = |bits: u64| (bits ^ (bits >> 32)) as i32;
    match v {
        Value::Boolean(b) => {
            if *b {
                1231
            } else {
                1237
            }
        }
        Value::Byte(n) => i32::from(*n),
        Value::Short(n) => i32::from(*n),
        Value::Integer(n) | Value::Date(n) | Value::YearMonthInterval(n) => *n,
        Value::Float(x) => x.to_bits() as i32,
        Value::Double(x) => fold(x.to_bits()),
        Value::String(s) => murmur3_bytes(s.as_bytes(), 42),
        Value::Decimal(n, _, s) => i32::from(*s).wrapping_add(31i32.wrapping_mul(fold(*n as u64))),
        other => other.as_i64().map_or(0, |n| fold(n as u64)),
    }
}

struct Distributions {
    function: Distribution,
    maps: Vec<OpenHashMap>,
}

impl Accumulator for Distributions {
    fn resize(&mut self, groups: usize) {
        self.maps.resize_with(groups, OpenHashMap::default);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) {
                continue;
            }
            let v = value_at(arg, row, &self.function.input);
            let weight = match args.get(2) {
                Some(w) if self.function.weighted => value_at(w, row, &DataType::Long).as_i64().unwrap_or(0),
                _ => 1,
            };
            if weight < 0 {
                let shown = self.function.frequency.as_str();
                return Err(SparkError::new(
                    crate::error::ErrorClass::IllegalArgument,
                    "NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION",
                    &[("frequencyExpression", shown), ("negativeValue", &format!("{weight}L"))],
                ));
            }
            if !v.is_null() && weight > 0 {
                self.maps[*g as usize].add(v, weight);
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let Some(bytes) = buffer.first().and_then(|b| b.as_binary_opt::<i32>()) else {
            return Err(SparkError::internal("the buffer of a distribution is one binary"));
        };
        let t = [self.function.entries_type()];
        for (row, g) in groups.iter().enumerate() {
            if bytes.is_null(row) {
                continue;
            }
            let decoded = decode_row(bytes.value(row), &t);
            let Some([Value::Array(entries)]) = decoded.as_deref() else {
                return Err(SparkError::internal("a broken buffer of a distribution"));
            };
            for entry in entries.iter() {
                if let Some([key, count]) = entry.as_slice() {
                    self.maps[*g as usize].add(key.clone(), count.as_i64().unwrap_or(0));
                }
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let t = [self.function.entries_type()];
        let rows: Vec<Vec<u8>> = self
            .maps
            .iter()
            .map(|m| {
                let entries = m.in_order().map(|(k, n)| Value::structure(vec![k.clone(), Value::Long(*n)])).collect();
                encode_row(&[Value::array(entries)], &t)
            })
            .collect();
        Ok(vec![Arc::new(BinaryArray::from_iter_values(rows))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let values: Vec<Value> = self.maps.iter().map(|m| self.result(m)).collect();
        array_from_values(&self.function.result, &values)
    }
}

impl Distributions {
    fn result(&self, map: &OpenHashMap) -> Value {
        if let Kind::Mode(pick) = self.function.kind {
            // The first of the most frequent.
            let mut best: Option<&(Value, i64)> = None;
            for entry in map.in_order() {
                let wanted = |b: &(Value, i64)| {
                    let order = compare(&entry.0, &b.0);
                    entry.1 == b.1
                        && match pick {
                            Pick::First => false,
                            Pick::Lowest => order.is_lt(),
                            Pick::Greatest => order.is_gt(),
                        }
                };
                if best.is_none_or(|b| entry.1 > b.1 || wanted(b)) {
                    best = Some(entry);
                }
            }
            return best.map_or(Value::Null, |b| b.0.clone());
        }
        let mut sorted: Vec<(Value, i64)> = map.entries.clone();
        if sorted.is_empty() {
            return Value::Null;
        }
        sorted.sort_by(|a, b| compare(&a.0, &b.0));
        if self.function.kind == Kind::Discrete(true) {
            sorted.reverse();
        }
        let total: i64 = sorted.iter().map(|e| e.1).sum();
        let at = |rank: i64| -> &Value {
            let mut seen = 0;
            for (v, n) in &sorted {
                seen += n;
                if seen > rank {
                    return v;
                }
            }
            sorted.last().map_or(&Value::Null, |e| &e.0)
        };
        let one = |p: f64| -> Value {
            if self.function.kind == Kind::Ranked {
                let rank = ((p * total as f64).ceil() as i64 - 1).clamp(0, total - 1);
                return at(rank).clone();
            }
            if let Kind::Discrete(_) = self.function.kind {
                let rank = ((p * total as f64).ceil() as i64 - 1).clamp(0, total - 1);
                let found = at(rank);
                return match self.function.result {
                    DataType::Double => found.as_f64().map_or(Value::Null, Value::Double),
                    DataType::Array { ref element, .. } if **element == DataType::Double => {
                        found.as_f64().map_or(Value::Null, Value::Double)
                    }
                    _ => found.clone(),
                };
            }
            let position = (total - 1) as f64 * p;
            let (low, high) = (position.floor() as i64, position.ceil() as i64);
            let (a, b) = (at(low), at(high));
            let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
            let x = if low == high || number(a) == number(b) {
                number(a)
            } else {
                (high as f64 - position) * number(a) + (position - low as f64) * number(b)
            };
            match self.function.result {
                DataType::YearMonthInterval { .. } => Value::YearMonthInterval(x as i32),
                DataType::DayTimeInterval { .. } => Value::DayTimeInterval(x as i64),
                _ => Value::Double(x),
            }
        };
        if self.function.many {
            Value::array(self.function.percentages.iter().map(|p| one(*p)).collect())
        } else {
            self.function.percentages.first().map_or(Value::Null, |p| one(*p))
        }
    }
}
