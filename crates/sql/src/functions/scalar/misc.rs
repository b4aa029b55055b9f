//! Casts as functions, rows' places, random values, assertions.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, NullArray};

use super::session::text;
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::functions::cast::check_cast;
use crate::functions::coercion::{In, eval_mode};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::call;
use crate::functions::typed::{Bool, Columns, Text, column_call};
use crate::functions::{EvalContext, Kernel};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("boolean", 1, 1, |b, a| cast(b, a, DataType::Boolean)),
    FunctionEntry::custom("tinyint", 1, 1, |b, a| cast(b, a, DataType::Byte)),
    FunctionEntry::custom("smallint", 1, 1, |b, a| cast(b, a, DataType::Short)),
    FunctionEntry::custom("int", 1, 1, |b, a| cast(b, a, DataType::Integer)),
    FunctionEntry::custom("bigint", 1, 1, |b, a| cast(b, a, DataType::Long)),
    FunctionEntry::custom("float", 1, 1, |b, a| cast(b, a, DataType::Float)),
    FunctionEntry::custom("double", 1, 1, |b, a| cast(b, a, DataType::Double)),
    FunctionEntry::custom("decimal", 1, 1, |b, a| cast(b, a, DataType::decimal(10, 0))),
    FunctionEntry::custom("string", 1, 1, |b, a| cast(b, a, DataType::String)),
    FunctionEntry::custom("binary", 1, 1, |b, a| cast(b, a, DataType::Binary)),
    FunctionEntry::custom("spark_partition_id", 0, 0, place),
    FunctionEntry::custom("monotonically_increasing_id", 0, 0, place),
    FunctionEntry::columns("typeof", 1, 1, &[In::Any], Ret::Is(T::Str), Nulls::Never, |c| {
        text(c, &c.types[0].catalog_string())
    }),
    FunctionEntry::custom("assert_true", 1, 2, assert_true),
    FunctionEntry::custom("raise_error", 1, 1, raise_error),
    FunctionEntry::columns("version", 0, 0, &[], Ret::Is(T::Str), Nulls::Never, |c| text(c, "4.3.0")),
    // The analyzer puts the session's database in.
    FunctionEntry::custom("current_database", 0, 0, |_, _| Ok(super::session::current_schema("default"))),
    FunctionEntry::custom("current_schema", 0, 0, |_, _| Ok(super::session::current_schema("default"))),
    FunctionEntry::columns("current_catalog", 0, 0, &[], Ret::Is(T::Str), Nulls::Never, |c| text(c, "spark_catalog")),
];

/// double(x) and its like: casts by name.
fn cast(b: &mut Build<'_>, mut args: Vec<Expr>, to: DataType) -> Result<Expr> {
    let Some(child) = args.pop() else { return Err(SparkError::internal("a cast has an argument")) };
    let mode: EvalMode = eval_mode(b.ansi());
    let sql = format!("CAST({} AS {})", describe::pretty(&child), to.sql());
    check_cast(&child, &to, mode, &sql)?;
    // castAlias does not mark the cast as the user's: names leave it out.
    Ok(Expr::Cast { child: Box::new(child), to, mode, implicit: true, site: Site::default() })
}

#[derive(Debug)]
struct Place {
    id: bool,
}

impl Kernel for Place {
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        if self.id {
            let first = ((ctx.partition as i64) << 33) + ctx.row_base;
            return Ok(Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|i| first + i))));
        }
        Ok(Arc::new(Int32Array::from(vec![ctx.partition as i32; rows])))
    }
}

pub(super) fn not_deterministic(e: Expr, seed: Option<i64>) -> Expr {
    match e {
        Expr::Call(mut c) => {
            c.deterministic = false;
            c.seed = seed;
            Expr::Call(c)
        }
        other => other,
    }
}

fn place(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let id = b.name == "monotonically_increasing_id";
    let t = if id { DataType::Long } else { DataType::Integer };
    let name = if id { "monotonically_increasing_id" } else { "SPARK_PARTITION_ID" };
    Ok(not_deterministic(call(name, args, t, false, Place { id }), None))
}

fn raised(message: &str) -> SparkError {
    SparkError::runtime("USER_RAISED_EXCEPTION", &[("errorMessage", message)])
}

fn assert_true(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        let message = format!("'{}' is not true!", describe::pretty(&args[0]));
        args.push(Expr::literal(Value::from(message), DataType::String));
    }
    let args = b.inputs(args, &[In::Bool, In::Str])?;
    let e = column_call("assert_true", args, DataType::Null, true, false, b.ansi(), |c| {
        let holds = c.open::<Bool>(0)?;
        nothing(c, 1, &|row| holds.get(row) == Some(true))
    });
    Ok(not_deterministic(e, None))
}

/// Nulls; an error with the text of an argument at the first row that does not hold.
fn nothing(c: &Columns<'_>, message: usize, holds: &dyn Fn(usize) -> bool) -> Result<ArrayRef> {
    match (0..c.rows).find(|row| !holds(*row)) {
        None => Ok(Arc::new(NullArray::new(c.rows))),
        Some(row) => Err(raised(c.open::<Text>(message)?.get(row).unwrap_or(if message == 0 { "null" } else { "" }))),
    }
}

fn raise_error(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Str])?;
    let e = column_call("raise_error", args, DataType::Null, true, false, b.ansi(), |c| nothing(c, 0, &|_| false));
    Ok(not_deterministic(e, None))
}
