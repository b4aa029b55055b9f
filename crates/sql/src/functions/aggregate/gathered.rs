//! Aggregates that keep their rows and compute at the end: listagg, histogram_numeric, product, bitmaps.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray};

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::chance::JavaRandom;
use crate::functions::coercion::{In, cast_to};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::{DataType, StructField};
use crate::value::unsafe_row::{decode_row, encode_row};
use crate::value::{HashKey, Value, array_from_values, compare, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("listagg", 1, 2, list_text),
    FunctionEntry::custom("string_agg", 1, 2, list_text),
    FunctionEntry::custom("histogram_numeric", 2, 2, histogram),
    FunctionEntry::custom("product", 1, 1, product),
    FunctionEntry::custom("bitmap_construct_agg", 1, 1, bitmap),
    FunctionEntry::custom("bitmap_or_agg", 1, 1, bitmap),
    FunctionEntry::custom("bitmap_and_agg", 1, 1, bitmap),
    FunctionEntry::custom("collect_union", 1, 1, union),
    FunctionEntry::custom("schema_of_variant_agg", 1, 1, variant_schema),
    FunctionEntry::custom("vector_sum", 1, 1, vectors),
    FunctionEntry::custom("vector_avg", 1, 1, vectors),
];

/// Direction and place of nulls of a sort key.
type Order = (bool, bool);

type Finish = fn(&Gathered, &[Vec<Value>]) -> Result<Value>;

/// Rows of the arguments, in the order of their coming; rows whose `key` is null are left out.
#[derive(Clone)]
struct Gathered {
    types: Vec<DataType>,
    result: DataType,
    /// Position of the argument that must not be null.
    key: usize,
    /// Sort keys: the arguments from `types.len() - order.len()` on.
    order: Vec<Order>,
    /// A separator, a number of bins.
    parameter: Value,
    finish: Finish,
}

impl std::fmt::Debug for Gathered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gathered").field("result", &self.result).finish_non_exhaustive()
    }
}

impl Gathered {
    fn rows_type(&self) -> DataType {
        let field = |(i, t): (usize, &DataType)| StructField::new(format!("_{i}"), t.clone(), true);
        DataType::array(DataType::structure(self.types.iter().enumerate().map(field).collect()), false)
    }
}

impl AggregateFunction for Gathered {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("buf".into(), DataType::Binary, true)]
    }
    fn is_object(&self) -> bool {
        true
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Rows { function: self.clone(), groups: Vec::new() })
    }
}

struct Rows {
    function: Gathered,
    groups: Vec<Vec<Vec<Value>>>,
}

impl Accumulator for Rows {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Vec::new());
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) {
                continue;
            }
            let values: Vec<Value> = args.iter().zip(&self.function.types).map(|(a, t)| value_at(a, row, t)).collect();
            if values.get(self.function.key).is_some_and(|v| !v.is_null()) {
                self.groups[*g as usize].push(values);
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let Some(bytes) = buffer.first().and_then(|b| b.as_binary_opt::<i32>()) else {
            return Err(SparkError::internal("the buffer of gathered rows is one binary"));
        };
        let t = [self.function.rows_type()];
        for (row, g) in groups.iter().enumerate() {
            if bytes.is_null(row) {
                continue;
            }
            let decoded = decode_row(bytes.value(row), &t);
            let Some([Value::Array(rows)]) = decoded.as_deref() else {
                return Err(SparkError::internal("a broken buffer of gathered rows"));
            };
            let rows = rows.iter().filter_map(|row| row.as_slice().map(<[Value]>::to_vec));
            self.groups[*g as usize].extend(rows);
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let t = [self.function.rows_type()];
        let encoded = self.groups.iter().map(|rows| {
            let rows = rows.iter().map(|row| Value::structure(row.clone())).collect();
            encode_row(&[Value::array(rows)], &t)
        });
        Ok(vec![Arc::new(BinaryArray::from_iter_values(encoded))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let function = &self.function;
        let mut out = Vec::with_capacity(self.groups.len());
        for rows in &self.groups {
            let mut rows = rows.clone();
            let first = function.types.len() - function.order.len();
            rows.sort_by(|a, b| {
                function
                    .order
                    .iter()
                    .enumerate()
                    .map(|(i, order)| ordering(&a[first + i], &b[first + i], *order))
                    .find(|o| o.is_ne())
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            out.push((function.finish)(function, &rows)?);
        }
        array_from_values(&function.result, &out)
    }
}

fn ordering(a: &Value, b: &Value, (ascending, nulls_first): Order) -> std::cmp::Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => std::cmp::Ordering::Equal,
        (true, false) => {
            if nulls_first {
                std::cmp::Ordering::Less
            } else {
                std::cmp::Ordering::Greater
            }
        }
        (false, true) => {
            if nulls_first {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Less
            }
        }
        (false, false) => {
            if ascending {
                compare(a, b)
            } else {
                compare(b, a)
            }
        }
    }
}

/// listagg(value[, separator]) [WITHIN GROUP (ORDER BY ...)].
fn list_text(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let separator = match args.get(1) {
        None => Value::Null,
        Some(arg) => crate::functions::json::constant(b, arg)?.ok_or_else(|| {
            SparkError::analysis(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("listagg", &args))),
                    ("inputName", "`delimiter`"),
                    ("inputType", "\"STRING\""),
                    ("inputExpr", &describe::quoted(arg)),
                ],
            )
        })?,
    };
    let shown_separator = args.get(1).cloned().unwrap_or(Expr::literal(Value::Null, DataType::Null));
    let value = b.inputs(vec![args[0].clone()], &[In::Either(&[In::Str, In::Bin])])?;
    let result = value[0].data_type();
    if let (true, [key]) = (b.distinct, b.within_group.as_slice())
        && key.child.canonical() != args[0].canonical()
    {
        return Err(SparkError::analysis(
            "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
            &[
                ("funcName", "`listagg`"),
                ("funcArg", &describe::quoted(&args[0])),
                ("orderingExpr", &describe::quoted(&key.child)),
            ],
        ));
    }
    let mut all = value;
    all.push(shown_separator);
    // Only the form without an order keeps the name that was written.
    let name = if b.within_group.is_empty() { b.name } else { "listagg" };
    let mut order = Vec::new();
    for key in std::mem::take(&mut b.within_group) {
        order.push((key.ascending, key.nulls_first));
        all.push(Expr::SortOrder(Box::new(key)));
    }
    let types = all.iter().map(Expr::data_type).collect();
    let function = Gathered { types, result: result.clone(), key: 0, order, parameter: separator, finish: joined };
    Ok(aggregate(b, name, all, result, true, function))
}

fn joined(function: &Gathered, rows: &[Vec<Value>]) -> Result<Value> {
    if rows.is_empty() {
        return Ok(Value::Null);
    }
    if function.result == DataType::Binary {
        let separator = match &function.parameter {
            Value::Binary(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        };
        let parts: Vec<&[u8]> = rows
            .iter()
            .map(|row| match &row[0] {
                Value::Binary(bytes) => &**bytes,
                _ => &[],
            })
            .collect();
        return Ok(Value::binary(parts.join(&separator[..])));
    }
    let parts: Vec<&str> = rows.iter().filter_map(|row| row[0].as_str()).collect();
    Ok(Value::from(parts.join(function.parameter.as_str().unwrap_or(""))))
}

/// max_by(value, order, k), min_by(value, order, k): the values of the k greatest or least.
pub(super) fn best_by(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let name = b.name;
    let count = crate::functions::json::constant(b, &args[2])?.and_then(|v| v.as_i64()).unwrap_or(0);
    if !(1..=100_000).contains(&count) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(name, &args))),
                ("exprName", "`k`"),
                ("valueRange", "[1, 100000]"),
                ("currentValue", &count.to_string()),
            ],
        ));
    }
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let result = DataType::array(types[0].clone(), true);
    let finish: Finish =
        if name == "max_by" { |f, rows| ranked(f, rows, true) } else { |f, rows| ranked(f, rows, false) };
    let function =
        Gathered { types, result: result.clone(), key: 1, order: Vec::new(), parameter: Value::Long(count), finish };
    Ok(aggregate(b, name, args, result, true, function))
}

fn ranked(function: &Gathered, rows: &[Vec<Value>], greatest: bool) -> Result<Value> {
    if rows.is_empty() {
        return Ok(Value::Null);
    }
    // Of equal ones the later row comes first.
    let mut sorted: Vec<&Vec<Value>> = rows.iter().rev().collect();
    sorted.sort_by(|a, b| if greatest { compare(&b[1], &a[1]) } else { compare(&a[1], &b[1]) });
    let count = usize::try_from(function.parameter.as_i64().unwrap_or(0)).unwrap_or(0);
    Ok(Value::array(sorted.into_iter().take(count).map(|row| row[0].clone()).collect()))
}

/// histogram_numeric(value, bins): NumericHistogram of Hive.
fn histogram(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let bins = crate::functions::json::constant(b, &args[1])?.and_then(|v| v.as_i64()).unwrap_or(0);
    let sql = format!("\"{}\"", describe::call_text("histogram_numeric", &args));
    if bins < 2 {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &sql),
                ("exprName", "histogram_numeric"),
                ("valueRange", "[2, 2147483647]"),
                ("currentValue", &bins.to_string()),
            ],
        ));
    }
    let inputs = &[In::Either(&[In::Num, In::Date, In::Ts, In::Ntz, In::YearMonth, In::DayTime]), In::Int];
    let args = b.inputs(args, inputs)?;
    let x = args[0].data_type();
    let bin = DataType::structure(vec![
        StructField::new("x", x.clone(), true),
        StructField::new("y", DataType::Double, true),
    ]);
    let result = DataType::array(bin, true);
    let types = args.iter().map(Expr::data_type).collect();
    let parameter = Value::Long(bins);
    let function = Gathered { types, result: result.clone(), key: 0, order: Vec::new(), parameter, finish: binned };
    Ok(aggregate(b, "histogram_numeric", args, result, true, function))
}

fn binned(function: &Gathered, rows: &[Vec<Value>]) -> Result<Value> {
    if rows.is_empty() {
        return Ok(Value::Null);
    }
    let most = usize::try_from(function.parameter.as_i64().unwrap_or(2)).unwrap_or(2);
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut draws = JavaRandom::new(31_183);
    for row in rows {
        let Some(v) = row[0].as_f64().or_else(|| row[0].as_i64().map(|n| n as f64)) else { continue };
        let at = bins.partition_point(|bin| bin.0 < v);
        if bins.get(at).is_some_and(|bin| bin.0 == v) {
            bins[at].1 += 1.0;
            continue;
        }
        bins.insert(at, (v, 1.0));
        if bins.len() > most {
            // The two nearest bins become one; of several equally near ones a draw decides.
            let (mut nearest, mut smallest, mut alike) = (0, bins[1].0 - bins[0].0, 1);
            for i in 1..bins.len() - 1 {
                let distance = bins[i + 1].0 - bins[i].0;
                if distance < smallest {
                    (nearest, smallest, alike) = (i, distance, 1);
                } else if distance == smallest {
                    alike += 1;
                    if draws.double() <= 1.0 / f64::from(alike) {
                        nearest = i;
                    }
                }
            }
            let ((x, n), (y, m)) = (bins[nearest], bins[nearest + 1]);
            let both = n + m;
            bins[nearest] = (x * (n / both) + y / both * m, both);
            bins.remove(nearest + 1);
        }
    }
    let x_type = &function.types[0];
    let value = |x: f64| match x_type {
        DataType::Byte => Value::Byte(x as i8),
        DataType::Short => Value::Short(x as i16),
        DataType::Integer => Value::Integer(x as i32),
        DataType::Long => Value::Long(x as i64),
        DataType::Float => Value::Float(x as f32),
        DataType::Date => Value::Date(x as i32),
        DataType::Timestamp => Value::Timestamp(x as i64),
        DataType::TimestampNtz => Value::TimestampNtz(x as i64),
        DataType::YearMonthInterval { .. } => Value::YearMonthInterval(x as i32),
        DataType::DayTimeInterval { .. } => Value::DayTimeInterval(x as i64),
        DataType::Decimal { precision, scale } => {
            Value::Decimal((x * 10f64.powi(i32::from(*scale))).round() as i128, *precision, *scale)
        }
        _ => Value::Double(x),
    };
    Ok(Value::array(bins.into_iter().map(|(x, n)| Value::structure(vec![value(x), Value::Double(n)])).collect()))
}

/// F.product: the product of doubles.
fn product(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args: Vec<Expr> = args.into_iter().map(|a| cast_to(a, &DataType::Double, b.ansi())).collect();
    let function = Gathered {
        types: vec![DataType::Double],
        result: DataType::Double,
        key: 0,
        order: Vec::new(),
        parameter: Value::Null,
        finish: |_, rows| {
            let product = rows.iter().filter_map(|row| row[0].as_f64()).reduce(|a, b| a * b);
            Ok(product.map_or(Value::Null, Value::Double))
        },
    };
    Ok(aggregate(b, "product", args, DataType::Double, true, function))
}

/// vector_sum, vector_avg: vectors of FLOAT added or averaged element by element; those with a null are left out.
fn vectors(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::ArrOf(&In::Float)])?;
    let t = DataType::array(DataType::Float, false);
    let finish: Finish = if b.name == "vector_sum" {
        |_, rows| over_vectors(rows, "vector_sum", |sum, x, _| sum + x)
    } else {
        |_, rows| over_vectors(rows, "vector_avg", |mean, x, count| mean + (x - mean) / count)
    };
    let types = vec![args[0].data_type()];
    let function = Gathered { types, result: t.clone(), key: 0, order: Vec::new(), parameter: Value::Null, finish };
    Ok(aggregate(b, b.name, args, t, true, function))
}

/// Folds the vectors of all rows; `f` gets what there is, the next element and how many vectors there are with it.
fn over_vectors(rows: &[Vec<Value>], name: &str, f: fn(f32, f32, f32) -> f32) -> Result<Value> {
    let mut folded: Option<Vec<f32>> = None;
    let mut count = 0.0f32;
    for row in rows {
        let elements = row[0].as_slice().unwrap_or(&[]).iter().map(|x| x.as_f64().map(|x| x as f32));
        let Some(vector) = elements.collect::<Option<Vec<f32>>>() else { continue };
        count += 1.0;
        let Some(so_far) = &mut folded else {
            folded = Some(vector);
            continue;
        };
        if so_far.len() != vector.len() {
            return Err(SparkError::runtime(
                "VECTOR_DIMENSION_MISMATCH",
                &[
                    ("functionName", &format!("`{name}`")),
                    ("leftDim", &so_far.len().to_string()),
                    ("rightDim", &vector.len().to_string()),
                ],
            ));
        }
        so_far.iter_mut().zip(vector).for_each(|(at, x)| *at = f(*at, x, count));
    }
    let made = folded.map(|vector| Value::array(vector.into_iter().map(Value::Float).collect()));
    Ok(made.unwrap_or(Value::Null))
}

/// Bytes of a bitmap.
const BITMAP: usize = 4096;

fn bitmap(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let construct = b.name == "bitmap_construct_agg";
    let args = b.inputs(args, if construct { &[In::Long] } else { &[In::Bin] })?;
    let finish: Finish = match b.name {
        "bitmap_construct_agg" => |_, rows| {
            let mut bits = vec![0u8; BITMAP];
            for at in rows.iter().filter_map(|row| row[0].as_i64()) {
                let place = usize::try_from(at).ok().filter(|at| *at < BITMAP * 8);
                let Some(place) = place else {
                    return Err(SparkError::new(
                        crate::error::ErrorClass::ArrayIndexOutOfBounds,
                        "INVALID_BITMAP_POSITION",
                        &[
                            ("bitPosition", &at.to_string()),
                            ("bitmapNumBytes", &BITMAP.to_string()),
                            ("bitmapNumBits", &(BITMAP * 8).to_string()),
                        ],
                    ));
                };
                bits[place / 8] |= 1 << (place % 8);
            }
            Ok(Value::binary(bits))
        },
        "bitmap_or_agg" => |_, rows| Ok(combined(rows, 0, |a, b| a | b)),
        _ => |_, rows| Ok(combined(rows, 0xff, |a, b| a & b)),
    };
    let types = args.iter().map(Expr::data_type).collect();
    let function =
        Gathered { types, result: DataType::Binary, key: 0, order: Vec::new(), parameter: Value::Null, finish };
    Ok(aggregate(b, b.name, args, DataType::Binary, false, function))
}

fn combined(rows: &[Vec<Value>], start: u8, with: fn(u8, u8) -> u8) -> Value {
    let mut bits = vec![start; BITMAP];
    for row in rows {
        let Value::Binary(bytes) = &row[0] else { continue };
        for (i, bit) in bits.iter_mut().enumerate() {
            *bit = with(*bit, bytes.get(i).copied().unwrap_or(0));
        }
    }
    Value::binary(bits)
}

/// schema_of_variant_agg: the schema that holds all variants.
fn variant_schema(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Variant])?;
    let finish: Finish = |_, rows| {
        let schemas = rows.iter().filter_map(|row| {
            let (value, metadata) = crate::functions::scalar::variant_parts(&row[0])?;
            crate::functions::variant::schema_of(value, metadata)
        });
        let merged = schemas.reduce(crate::functions::variant::merged_schemas).unwrap_or(DataType::Null);
        Ok(Value::from(crate::functions::variant::schema_text(&merged)))
    };
    let function = Gathered {
        types: vec![DataType::Variant],
        result: DataType::String,
        key: 0,
        order: Vec::new(),
        parameter: Value::Null,
        finish,
    };
    Ok(aggregate(b, "schema_of_variant_agg", args, DataType::String, false, function))
}

/// The distinct elements of all arrays.
fn union(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Arr])?;
    let result = args[0].data_type();
    let finish: Finish = |_, rows| {
        let mut seen = std::collections::HashSet::new();
        let items = rows.iter().flat_map(|row| row[0].as_slice().unwrap_or(&[]));
        let distinct = items.filter(|v| seen.insert(HashKey((*v).clone()))).cloned().collect();
        Ok(Value::array(distinct))
    };
    let function = Gathered {
        types: vec![result.clone()],
        result: result.clone(),
        key: 0,
        order: Vec::new(),
        parameter: Value::Null,
        finish,
    };
    Ok(aggregate(b, "collect_union", args, result, false, function))
}
