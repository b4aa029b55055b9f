//! Functions of vectors: arrays of FLOAT of equal length.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float32Array};

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::nested::{Lists, list_array};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{ColumnEval, Columns, Float, column_call, each};
use crate::types::DataType;
use crate::value::Value;

const VECTOR: In = In::ArrOf(&In::Float);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("vector_inner_product", 2, 2, pair),
    FunctionEntry::custom("vector_cosine_similarity", 2, 2, pair),
    FunctionEntry::custom("vector_l2_distance", 2, 2, pair),
    FunctionEntry::custom("vector_norm", 1, 2, norm),
    FunctionEntry::custom("vector_normalize", 1, 2, norm),
];

/// The arrays of an argument as slices of its numbers.
struct Vectors<'a> {
    lists: Lists<'a>,
    numbers: &'a Float32Array,
}

impl<'a> Vectors<'a> {
    fn of(c: &'a Columns<'_>, i: usize) -> Result<Self> {
        let lists = c.lists(i)?;
        let numbers = lists.values.as_primitive_opt().ok_or_else(|| SparkError::internal("vectors are of floats"))?;
        Ok(Self { lists, numbers })
    }

    /// None: the array or an element is null.
    fn row(&self, row: usize) -> Option<&'a [f32]> {
        let range = self.lists.range(row);
        let whole = !self.lists.is_null(row) && range.clone().all(|at| self.numbers.is_valid(at));
        whole.then(|| &self.numbers.values()[range])
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn pair(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[VECTOR])?;
    fn over(c: &Columns<'_>, name: &str, f: fn(&[f32], &[f32]) -> Option<f32>) -> Result<ArrayRef> {
        let (left, right) = (Vectors::of(c, 0)?, Vectors::of(c, 1)?);
        each::<Float>(c, &|row| {
            let (Some(a), Some(b)) = (left.row(row), right.row(row)) else { return Ok(None) };
            if a.len() != b.len() {
                return Err(SparkError::runtime(
                    "VECTOR_DIMENSION_MISMATCH",
                    &[
                        ("functionName", &format!("`{name}`")),
                        ("leftDim", &a.len().to_string()),
                        ("rightDim", &b.len().to_string()),
                    ],
                ));
            }
            Ok(f(a, b))
        })
    }
    let eval: ColumnEval = match b.name {
        "vector_inner_product" => |c| over(c, "vector_inner_product", |a, b| Some(dot(a, b))),
        "vector_cosine_similarity" => |c| {
            over(c, "vector_cosine_similarity", |a, b| {
                let lengths = f64::from(dot(a, a)) * f64::from(dot(b, b));
                (lengths > 0.0).then(|| (f64::from(dot(a, b)) / lengths.sqrt()) as f32)
            })
        },
        _ => |c| {
            over(c, "vector_l2_distance", |a, b| {
                let squares: f32 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
                Some(f64::from(squares).sqrt() as f32)
            })
        },
    };
    Ok(column_call(b.name, args, DataType::Float, true, true, b.ansi(), eval))
}

/// The norm of degree 1, 2 or infinity.
fn length(v: &[f32], degree: f64) -> Option<f32> {
    if degree == 1.0 {
        return Some(v.iter().map(|x| x.abs()).sum());
    }
    if degree == 2.0 {
        return Some(f64::from(dot(v, v)).sqrt() as f32);
    }
    degree.is_infinite().then(|| v.iter().fold(0.0_f32, |most, x| most.max(x.abs())))
}

fn norm(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::literal(Value::Float(2.0), DataType::Float));
    }
    let args = b.inputs(args, &[VECTOR, In::Float])?;
    let eval: ColumnEval = if b.name == "vector_norm" {
        |c| {
            let vectors = Vectors::of(c, 0)?;
            each::<Float>(c, &|row| Ok(norm_of(c, &vectors, row)?.map(|(_, norm)| norm)))
        }
    } else {
        |c| {
            let vectors = Vectors::of(c, 0)?;
            let (mut made, mut offsets, mut there) = (Vec::new(), vec![0], Vec::with_capacity(c.rows));
            for row in 0..c.rows {
                let found = norm_of(c, &vectors, row)?.filter(|(_, norm)| *norm != 0.0);
                there.push(found.is_some());
                if let Some((vector, norm)) = found {
                    made.extend(vector.iter().map(|x| x / norm));
                }
                offsets.push(made.len() as i32);
            }
            list_array(c.result, Arc::new(Float32Array::from(made)), offsets, Some(there.into()))
        }
    };
    let t = if b.name == "vector_norm" { DataType::Float } else { DataType::array(DataType::Float, false) };
    Ok(column_call(b.name, args, t, true, true, b.ansi(), eval))
}

/// A row's vector and its norm of the degree beside it; None where either is null. A degree without a norm fails even where
/// the vector has a null element.
fn norm_of<'a>(c: &Columns<'_>, vectors: &Vectors<'a>, row: usize) -> Result<Option<(&'a [f32], f32)>> {
    let degrees = c.operand(1)?;
    let numbers = degrees.array().as_primitive::<Float>();
    if vectors.lists.is_null(row) || numbers.is_null(degrees.index(row)) {
        return Ok(None);
    }
    let degree = f64::from(numbers.value(degrees.index(row)));
    let vector = vectors.row(row);
    let norm = length(vector.unwrap_or(&[]), degree).ok_or_else(|| {
        SparkError::runtime(
            "INVALID_VECTOR_NORM_DEGREE",
            &[("functionName", "`vector_norm`"), ("degree", &crate::value::text::double_to_string(degree))],
        )
    })?;
    Ok(vector.map(|vector| (vector, norm)))
}
