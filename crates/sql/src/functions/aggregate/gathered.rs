//! Aggregates that keep their rows and compute at the end: listagg, histogram_numeric, product, bitmaps.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, BooleanArray, Float32Array, Float64Array, StringArray,
    StructArray, UInt32Array,
};
use arrow::compute::{SortOptions, take};
use arrow::datatypes::{self as at, DataType as ArrowType};

use super::best::best;
use super::cells::{Grouped, element_groups, list_buffers, read_lists};
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::chance::JavaRandom;
use crate::functions::coercion::{In, cast_to};
use crate::functions::integers::{as_doubles, from_numbers};
use crate::functions::nested::{Lists, comparable, list_array};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::scalar::only_bytes;
use crate::functions::{Operand, describe, variant};
use crate::types::{DataType, StructField};
use crate::value::Value;

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

/// The rows of all groups, group by group, those of a group in order.
struct Sorted {
    columns: Vec<ArrayRef>,
    offsets: Vec<i32>,
}

impl Sorted {
    /// Places of the rows of each group.
    fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        self.offsets.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }
}

/// A result for each group.
type Finish = fn(&Gathered, &Sorted) -> Result<ArrayRef>;

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
        Box::new(Rows { function: self.clone(), rows: Grouped::default(), groups: 0 })
    }
}

struct Rows {
    function: Gathered,
    rows: Grouped,
    groups: usize,
}

impl Rows {
    fn sorted(&self) -> Result<Sorted> {
        let (order, offsets) = self.rows.order(self.groups);
        let columns = self.function.types.iter().enumerate().map(|(i, t)| {
            let column = self.rows.stack.column(i, t)?;
            Ok(take(&column, &order, None)?)
        });
        Ok(Sorted { columns: columns.collect::<Result<_>>()?, offsets })
    }
}

impl Accumulator for Rows {
    fn resize(&mut self, groups: usize) {
        self.groups = groups;
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(key) = args.get(self.function.key) else { return Ok(()) };
        let nulls = key.logical_nulls();
        let wanted = |row: usize| nulls.as_ref().is_none_or(|n| n.is_valid(row)) && passes(filter, row);
        self.rows.add(groups, &self.function.types, args, &wanted)
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let (groups, lists) = read_lists(&self.function.rows_type(), groups, buffer)?;
        let Some(rows) = lists.values().as_struct_opt() else {
            return Err(SparkError::internal("a broken buffer of gathered rows"));
        };
        self.rows.add(&element_groups(&groups, &lists), &self.function.types, rows.columns(), &|_| true)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let t = self.function.rows_type();
        let ArrowType::List(field) = t.to_arrow() else { return Err(SparkError::internal("rows are a list")) };
        let ArrowType::Struct(fields) = field.data_type() else { return Err(SparkError::internal("rows are structs")) };
        let sorted = self.sorted()?;
        let rows = StructArray::try_new(fields.clone(), sorted.columns, None)?;
        let lists = list_array(&t, Arc::new(rows), sorted.offsets, None)?;
        Ok(vec![list_buffers(&t, &lists)?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let function = &self.function;
        let mut sorted = self.sorted()?;
        if !function.order.is_empty() {
            let first = function.types.len() - function.order.len();
            let options: Vec<SortOptions> = function
                .order
                .iter()
                .map(|(ascending, nulls_first)| SortOptions { descending: !ascending, nulls_first: *nulls_first })
                .collect();
            if let Some(keys) = crate::exec::sort::comparable(sorted.columns[first..].to_vec(), &options)? {
                let mut order: Vec<u32> = (0..keys.num_rows() as u32).collect();
                for group in sorted.groups() {
                    order[group].sort_by(|a, b| keys.row(*a as usize).cmp(&keys.row(*b as usize)));
                }
                let order = UInt32Array::from(order);
                for column in &mut sorted.columns {
                    *column = take(column, &order, None)?;
                }
            }
        }
        (function.finish)(function, &sorted)
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

fn joined(function: &Gathered, sorted: &Sorted) -> Result<ArrayRef> {
    if function.result == DataType::Binary {
        let separator = function.parameter.as_binary().unwrap_or(&[]);
        let parts = sorted.columns[0].as_binary::<i32>();
        let join = |group: Range<usize>| {
            let parts: Vec<&[u8]> = group.map(|row| parts.value(row)).collect();
            (!parts.is_empty()).then(|| parts.join(separator))
        };
        return Ok(Arc::new(BinaryArray::from_iter(sorted.groups().map(join))));
    }
    let separator = function.parameter.as_str().unwrap_or("");
    let parts = sorted.columns[0].as_string::<i32>();
    let join = |group: Range<usize>| {
        let parts: Vec<&str> = group.map(|row| parts.value(row)).collect();
        (!parts.is_empty()).then(|| parts.join(separator))
    };
    Ok(Arc::new(StringArray::from_iter(sorted.groups().map(join))))
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

fn ranked(function: &Gathered, sorted: &Sorted, greatest: bool) -> Result<ArrayRef> {
    let count = usize::try_from(function.parameter.as_i64().unwrap_or(0)).unwrap_or(0);
    let [keys] = comparable([&sorted.columns[1]])?;
    let (mut order, mut offsets, mut there) = (Vec::new(), vec![0], Vec::new());
    for group in sorted.groups() {
        there.push(!group.is_empty());
        let compare = |a: usize, b: usize| {
            let order = keys.row(a).cmp(&keys.row(b));
            if greatest { order } else { order.reverse() }
        };
        let mut rows = best(group, count, &compare);
        rows.sort_by(|a, b| compare(*b, *a));
        order.extend(rows.into_iter().map(|row| row as u32));
        offsets.push(order.len() as i32);
    }
    let values = take(&sorted.columns[0], &UInt32Array::from(order), None)?;
    list_array(&function.result, values, offsets, Some(there.into()))
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

fn binned(function: &Gathered, sorted: &Sorted) -> Result<ArrayRef> {
    let most = usize::try_from(function.parameter.as_i64().unwrap_or(2)).unwrap_or(2);
    let values = as_doubles(&sorted.columns[0], &function.types[0])?;
    let (mut all, mut offsets, mut there) = (Vec::new(), vec![0], Vec::new());
    for group in sorted.groups() {
        there.push(!group.is_empty());
        all.extend(bins(&values[group], most));
        offsets.push(all.len() as i32);
    }
    let x: ArrayRef = match &function.types[0] {
        DataType::Double => Arc::new(Float64Array::from_iter_values(all.iter().map(|bin| bin.0))),
        DataType::Float => Arc::new(Float32Array::from_iter_values(all.iter().map(|bin| bin.0 as f32))),
        t => {
            let whole = |x: f64| match t {
                DataType::Decimal { scale, .. } => (x * 10f64.powi(i32::from(*scale))).round() as i128,
                _ => i128::from(x as i64),
            };
            from_numbers(t, &mut all.iter().map(|bin| Some(whole(bin.0))))?
        }
    };
    let y: ArrayRef = Arc::new(Float64Array::from_iter_values(all.iter().map(|bin| bin.1)));
    let ArrowType::List(field) = function.result.to_arrow() else {
        return Err(SparkError::internal("bins are a list"));
    };
    let ArrowType::Struct(fields) = field.data_type() else { return Err(SparkError::internal("a bin is a struct")) };
    let bins = StructArray::try_new(fields.clone(), vec![x, y], None)?;
    list_array(&function.result, Arc::new(bins), offsets, Some(there.into()))
}

/// NumericHistogram: centres and heights of at most so many bins.
fn bins(values: &[f64], most: usize) -> Vec<(f64, f64)> {
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut draws = JavaRandom::new(31_183);
    for v in values.iter().copied() {
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
    bins
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
        finish: |_, sorted| {
            let factors = sorted.columns[0].as_primitive::<at::Float64Type>().values();
            let product = |group: Range<usize>| factors[group].iter().copied().reduce(|a, b| a * b);
            Ok(Arc::new(Float64Array::from_iter(sorted.groups().map(product))))
        },
    };
    Ok(aggregate(b, "product", args, DataType::Double, true, function))
}

/// vector_sum, vector_avg: vectors of FLOAT added or averaged element by element; those with a null are left out.
fn vectors(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::ArrOf(&In::Float)])?;
    let t = DataType::array(DataType::Float, false);
    let finish: Finish = if b.name == "vector_sum" {
        |f, sorted| over_vectors(f, sorted, "vector_sum", |sum, x, _| sum + x)
    } else {
        |f, sorted| over_vectors(f, sorted, "vector_avg", |mean, x, count| mean + (x - mean) / count)
    };
    let types = vec![args[0].data_type()];
    let function = Gathered { types, result: t.clone(), key: 0, order: Vec::new(), parameter: Value::Null, finish };
    Ok(aggregate(b, b.name, args, t, true, function))
}

/// Folds the vectors of all rows; `f` gets what there is, the next element and how many vectors there are with it.
fn over_vectors(function: &Gathered, sorted: &Sorted, name: &str, f: fn(f32, f32, f32) -> f32) -> Result<ArrayRef> {
    let lists = sorted.columns[0].as_list::<i32>();
    let numbers = lists.values().as_primitive::<at::Float32Type>();
    let (mut made, mut offsets, mut there) = (Vec::new(), vec![0], Vec::new());
    for group in sorted.groups() {
        let mut folded: Option<Vec<f32>> = None;
        let mut count = 0.0f32;
        for row in group {
            let ends = &lists.value_offsets()[row..row + 2];
            let elements = ends[0] as usize..ends[1] as usize;
            if elements.clone().any(|at| numbers.is_null(at)) {
                continue;
            }
            let vector = &numbers.values()[elements];
            count += 1.0;
            let Some(so_far) = &mut folded else {
                folded = Some(vector.to_vec());
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
            so_far.iter_mut().zip(vector).for_each(|(at, x)| *at = f(*at, *x, count));
        }
        there.push(folded.is_some());
        made.extend(folded.unwrap_or_default());
        offsets.push(made.len() as i32);
    }
    list_array(&function.result, Arc::new(Float32Array::from(made)), offsets, Some(there.into()))
}

/// Bytes of a bitmap.
const BITMAP: usize = 4096;

fn bitmap(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let construct = b.name == "bitmap_construct_agg";
    if !construct {
        only_bytes(b.name, &args)?;
    }
    let args = b.inputs(args, if construct { &[In::Long] } else { &[In::Bin] })?;
    let finish: Finish = match b.name {
        "bitmap_construct_agg" => |_, sorted| {
            let places = sorted.columns[0].as_primitive::<at::Int64Type>().values();
            let mut out = BinaryBuilder::new();
            for group in sorted.groups() {
                out.append_value(bits(&places[group])?);
            }
            Ok(Arc::new(out.finish()))
        },
        "bitmap_or_agg" => |_, sorted| Ok(combined(sorted, 0, |a, b| a | b)),
        _ => |_, sorted| Ok(combined(sorted, 0xff, |a, b| a & b)),
    };
    let types = args.iter().map(Expr::data_type).collect();
    let function =
        Gathered { types, result: DataType::Binary, key: 0, order: Vec::new(), parameter: Value::Null, finish };
    Ok(aggregate(b, b.name, args, DataType::Binary, false, function))
}

/// A bitmap of these positions.
fn bits(places: &[i64]) -> Result<Vec<u8>> {
    let mut bits = vec![0u8; BITMAP];
    for at in places {
        let Some(place) = usize::try_from(*at).ok().filter(|at| *at < BITMAP * 8) else {
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
    Ok(bits)
}

fn combined(sorted: &Sorted, start: u8, with: fn(u8, u8) -> u8) -> ArrayRef {
    let bitmaps = sorted.columns[0].as_binary::<i32>();
    let combine = |group: Range<usize>| {
        let mut bits = vec![start; BITMAP];
        for row in group {
            let bytes = bitmaps.value(row);
            for (i, bit) in bits.iter_mut().enumerate() {
                *bit = with(*bit, bytes.get(i).copied().unwrap_or(0));
            }
        }
        bits
    };
    Arc::new(BinaryArray::from_iter_values(sorted.groups().map(combine)))
}

/// schema_of_variant_agg: the schema that holds all variants.
fn variant_schema(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Variant])?;
    let finish: Finish = |_, sorted| {
        let variants = sorted.columns[0].as_struct();
        let (values, metadata) = (variants.column(0).as_binary::<i32>(), variants.column(1).as_binary::<i32>());
        let merged = |group: Range<usize>| {
            let schemas = group.filter_map(|row| variant::schema_of(values.value(row), metadata.value(row)));
            variant::schema_text(&schemas.reduce(variant::merged_schemas).unwrap_or(DataType::Null))
        };
        Ok(Arc::new(StringArray::from_iter_values(sorted.groups().map(merged))))
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
    let finish: Finish = |function, sorted| {
        let arrays = Operand::Column(sorted.columns[0].clone());
        let lists = Lists::of(&arrays)?;
        let [rows] = comparable([lists.values])?;
        let (mut order, mut offsets) = (Vec::new(), vec![0]);
        let mut seen = HashSet::new();
        for group in sorted.groups() {
            seen.clear();
            let elements = group.flat_map(|row| lists.range(row));
            order.extend(elements.filter(|at| seen.insert(rows.row(*at))).map(|at| at as u32));
            offsets.push(order.len() as i32);
        }
        list_array(&function.result, take(lists.values, &UInt32Array::from(order), None)?, offsets, None)
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
