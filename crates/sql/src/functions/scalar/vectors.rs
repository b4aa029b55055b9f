//! Functions of vectors: arrays of FLOAT of equal length.

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::{RowEval, row_call};
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

/// The elements; None when one is null.
fn elements(v: &Value) -> Option<Vec<f32>> {
    v.as_slice()?.iter().map(|item| item.as_f64().map(|x| x as f32)).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn pair(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[VECTOR])?;
    fn over(v: &[Value], name: &str, f: fn(&[f32], &[f32]) -> Option<f32>) -> Result<Value> {
        let (Some(a), Some(b)) = (elements(&v[0]), elements(&v[1])) else { return Ok(Value::Null) };
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
        Ok(f(&a, &b).map_or(Value::Null, Value::Float))
    }
    let eval: RowEval = match b.name {
        "vector_inner_product" => |_, v| over(v, "vector_inner_product", |a, b| Some(dot(a, b))),
        "vector_cosine_similarity" => |_, v| {
            over(v, "vector_cosine_similarity", |a, b| {
                let lengths = f64::from(dot(a, a)) * f64::from(dot(b, b));
                (lengths > 0.0).then(|| (f64::from(dot(a, b)) / lengths.sqrt()) as f32)
            })
        },
        _ => |_, v| {
            over(v, "vector_l2_distance", |a, b| {
                let squares: f32 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
                Some(f64::from(squares).sqrt() as f32)
            })
        },
    };
    Ok(row_call(b.name, args, DataType::Float, true, true, b.ansi(), eval))
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
    fn degree(v: &[Value]) -> Result<(Vec<f32>, f32)> {
        let degree = v[1].as_f64().unwrap_or(f64::NAN);
        let items = elements(&v[0]).unwrap_or_default();
        let norm = length(&items, degree).ok_or_else(|| {
            SparkError::runtime(
                "INVALID_VECTOR_NORM_DEGREE",
                &[("functionName", "`vector_norm`"), ("degree", &crate::value::text::double_to_string(degree))],
            )
        })?;
        Ok((items, norm))
    }
    if b.name == "vector_norm" {
        return Ok(row_call("vector_norm", args, DataType::Float, true, true, b.ansi(), |_, v| {
            let norm = degree(v)?.1;
            Ok(if elements(&v[0]).is_some() { Value::Float(norm) } else { Value::Null })
        }));
    }
    let t = DataType::array(DataType::Float, false);
    Ok(row_call("vector_normalize", args, t, true, true, b.ansi(), |_, v| {
        let (items, norm) = degree(v)?;
        if elements(&v[0]).is_none() || norm == 0.0 {
            return Ok(Value::Null);
        }
        Ok(Value::array(items.into_iter().map(|x| Value::Float(x / norm)).collect()))
    }))
}
