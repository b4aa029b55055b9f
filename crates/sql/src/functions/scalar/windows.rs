//! Functions that only a window can compute: resolved here, run by the window operator by their names.

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::{Special, call};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("row_number", 0, 0, rank),
    FunctionEntry::custom("rank", 0, 0, rank),
    FunctionEntry::custom("dense_rank", 0, 0, rank),
    FunctionEntry::custom("percent_rank", 0, 0, rank),
    FunctionEntry::custom("cume_dist", 0, 0, rank),
    FunctionEntry::custom("ntile", 0, 1, ntile),
    FunctionEntry::custom("lag", 1, 3, offset),
    FunctionEntry::custom("lead", 1, 3, offset),
    FunctionEntry::custom("nth_value", 2, 3, nth),
    FunctionEntry::custom("counter_diff", 0, 2, counter),
];

fn rank(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let t = if matches!(b.name, "percent_rank" | "cume_dist") { DataType::Double } else { DataType::Integer };
    Ok(call(b.name, args, t, false, Special))
}

fn ntile(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.is_empty() {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Int])?;
    if let Expr::Literal { value: Value::Integer(n), .. } = &args[0]
        && *n <= 0
    {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text("ntile", &args))),
                ("exprName", "buckets"),
                ("valueRange", "(0, 2147483647]"),
                ("currentValue", &n.to_string()),
            ],
        ));
    }
    Ok(call("ntile", args, DataType::Integer, false, Special))
}

/// lag and lead: value, offset, default.
fn offset(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if args.len() == 1 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    if args.len() == 2 {
        args.push(Expr::literal(Value::Null, DataType::Null));
    }
    let types = [args[0].data_type(), args[2].data_type()];
    if let Some(t) = coercion::wider_common(&types, ansi) {
        args[0] = cast_to(args[0].clone(), &t, ansi);
        if types[1] != DataType::Null {
            args[2] = cast_to(args[2].clone(), &t, ansi);
        }
    }
    args[1] = cast_to(args[1].clone(), &DataType::Integer, ansi);
    let t = args[0].data_type();
    let nullable = args[2].nullable() || args[0].nullable();
    if b.ignore_nulls {
        args.push(Expr::bool(true));
    }
    Ok(call(b.name, args, t, nullable, Special))
}

fn nth(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    // What is so anyway does not show.
    if args.get(2).is_some_and(|ignored| ignored.is_literal_bool(false)) {
        args.truncate(2);
    }
    args[1] = cast_to(args[1].clone(), &DataType::Integer, b.ansi());
    if let Expr::Literal { value, .. } = args[1].unaliased()
        && value.as_i64().is_some_and(|offset| offset <= 0)
    {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text("nth_value", &args))),
                ("exprName", "offset"),
                ("valueRange", "(0, 9223372036854775807]"),
                ("currentValue", &format!("{}L", value.as_i64().unwrap_or_default())),
            ],
        ));
    }
    if args.len() == 2 && b.ignore_nulls {
        args.push(Expr::bool(true));
    }
    let t = args[0].data_type();
    Ok(call("nth_value", args, t, true, Special))
}

/// counter_diff(counter[, start of the counter]).
fn counter(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if args.is_empty() {
        return Err(SparkError::analysis(
            "REQUIRED_PARAMETER_NOT_FOUND",
            &[("routineName", &format!("`{}`", b.written)), ("parameterName", "`value`"), ("index", "0")],
        ));
    }
    let args = coercion::check_inputs(args, &[In::Num, In::Either(&[In::Ts, In::Ntz])], false, ansi, &|args| {
        crate::functions::describe::call_text("counter_diff", args)
    })?;
    let t = args[0].data_type();
    Ok(call("counter_diff", args, t, true, Special))
}
