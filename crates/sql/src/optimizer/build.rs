//! Expressions that rules make: AND, NOT, IS NOT NULL, null-safe equality and the keys that it joins by.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{and_kleene, is_not_null as arrow_is_not_null, is_null as arrow_is_null, not as arrow_not};

use crate::error::{Result, SparkError};
use crate::expr::{Call, Expr};
use crate::functions::{EvalContext, Kernel};
use crate::types::DataType;
use crate::value::default_value;

/// Kernels of the predicates that the optimizer builds; the evaluator has its own for those it finds by name.
#[derive(Debug)]
enum Built {
    And,
    Not,
    IsNotNull,
    IsNull,
    EqualNullSafe,
    Coalesce,
}

impl Kernel for Built {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mask = |i: usize| -> Result<&BooleanArray> {
            args.get(i)
                .and_then(|a| a.as_boolean_opt())
                .ok_or_else(|| SparkError::internal("a predicate over what is not boolean"))
        };
        Ok(match (self, args) {
            (Built::And, [_, _]) => Arc::new(and_kleene(mask(0)?, mask(1)?)?),
            (Built::Not, [_]) => Arc::new(arrow_not(mask(0)?)?),
            (Built::IsNotNull, [a]) => Arc::new(arrow_is_not_null(a)?),
            (Built::IsNull, [a]) => Arc::new(arrow_is_null(a)?),
            (Built::Coalesce, [a, b]) => zip(&arrow_is_not_null(a)?, a, b)?,
            (Built::EqualNullSafe, [a, b]) => {
                let keys = |c: &ArrayRef| {
                    crate::exec::sort::comparable(vec![Arc::clone(c)], &[arrow::compute::SortOptions::default()])
                };
                match (keys(a)?, keys(b)?) {
                    (Some(x), Some(y)) => {
                        Arc::new((0..rows).map(|i| Some(x.row(i).data() == y.row(i).data())).collect::<BooleanArray>())
                    }
                    _ => Arc::new((0..rows).map(|i| Some(a.is_null(i) && b.is_null(i))).collect::<BooleanArray>()),
                }
            }
            _ => return Err(SparkError::internal("a predicate with a wrong number of arguments")),
        })
    }
}

fn predicate(name: &str, args: Vec<Expr>, nullable: bool, kernel: Built) -> Expr {
    call(name, args, DataType::Boolean, nullable, kernel)
}

fn call(name: &str, args: Vec<Expr>, data_type: DataType, nullable: bool, kernel: Built) -> Expr {
    Expr::Call(Box::new(Call {
        name: name.into(),
        args,
        data_type,
        nullable,
        deterministic: true,
        kernel: Arc::new(kernel),
        seed: None,
        site: crate::expr::Site::default(),
    }))
}

pub fn and(a: Expr, b: Expr) -> Expr {
    let nullable = a.nullable() || b.nullable();
    predicate("and", vec![a, b], nullable, Built::And)
}

pub fn not(a: Expr) -> Expr {
    let nullable = a.nullable();
    predicate("not", vec![a], nullable, Built::Not)
}

pub fn is_not_null(a: Expr) -> Expr {
    predicate("isnotnull", vec![a], false, Built::IsNotNull)
}

pub fn equal_null_safe(a: Expr, b: Expr) -> Expr {
    predicate("<=>", vec![a, b], false, Built::EqualNullSafe)
}

/// The keys that `a <=> b` joins a side by: its value with a default in the place of null, and whether it is null
/// (ExtractEquiJoinKeys).
pub fn null_safe_keys(a: &Expr) -> [Expr; 2] {
    let data_type = a.data_type();
    let default = Expr::literal(default_value(&data_type), data_type.clone());
    [
        call("coalesce", vec![a.clone(), default], data_type, false, Built::Coalesce),
        predicate("isnull", vec![a.clone()], false, Built::IsNull),
    ]
}

/// The terms of a conjunction, left to right.
pub fn split_conjuncts(condition: &Expr) -> Vec<Expr> {
    match condition {
        Expr::Call(call) if &*call.name == "and" && call.args.len() == 2 => {
            call.args.iter().flat_map(split_conjuncts).collect()
        }
        other => vec![other.clone()],
    }
}

/// One condition of several; None for none.
pub fn join_conjuncts(list: Vec<Expr>) -> Option<Expr> {
    list.into_iter().reduce(and)
}
