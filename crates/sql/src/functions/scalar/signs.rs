//! Unary minus and plus, abs.

use super::arithmetic::{NUMBER_OR_INTERVAL, overflow};
use super::intervals;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, row_call};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("negative", 1, 1, negative),
    FunctionEntry::row("positive", 1, 1, &[NUMBER_OR_INTERVAL], Ret::Same(0), Nulls::Strict, |_, v| Ok(v[0].clone()))
        .shown("+"),
    FunctionEntry::row(
        "abs",
        1,
        1,
        &[In::Either(&[In::Num, In::DayTime, In::YearMonth])],
        Ret::Same(0),
        Nulls::Strict,
        |c, v| abs(c, &v[0]),
    ),
];

pub(super) fn negative(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let Some(mut arg) = args.pop() else { return Err(SparkError::internal("negative has one argument")) };
    // The name tells the SQL form `- x` from the function.
    let name = if b.name == "negative" { "negative" } else { "-" };
    let t = arg.data_type();
    if !NUMBER_OR_INTERVAL.accepts(&t) {
        match NUMBER_OR_INTERVAL.implicit(&t, b.ansi()) {
            Some(to) => arg = cast_to(arg, &to, b.ansi()),
            None => {
                let sql = describe::call_text(name, std::slice::from_ref(&arg));
                return Err(unexpected_input(&sql, 0, &NUMBER_OR_INTERVAL.describe(), &arg));
            }
        }
    }
    let t = arg.data_type();
    let nullable = arg.nullable();
    Ok(row_call(name, vec![arg], t, nullable, true, b.ansi(), |c, v| negate(c, &v[0])))
}

fn negate(c: &RowContext<'_>, v: &Value) -> Result<Value> {
    macro_rules! int {
        ($n:expr, $make:expr) => {
            match ($n.checked_neg(), c.ansi) {
                (Some(n), _) => Ok($make(n)),
                (None, true) => Err(overflow("overflow", "")),
                (None, false) => Ok($make($n.wrapping_neg())),
            }
        };
    }
    match v {
        Value::Byte(n) => int!(n, Value::Byte),
        Value::Short(n) => int!(n, Value::Short),
        Value::Integer(n) => int!(n, Value::Integer),
        Value::Long(n) => int!(n, Value::Long),
        Value::Float(x) => Ok(Value::Float(-x)),
        Value::Double(x) => Ok(Value::Double(-x)),
        Value::Decimal(n, p, s) => Ok(Value::Decimal(-n, *p, *s)),
        Value::YearMonthInterval(n) => {
            n.checked_neg().map(Value::YearMonthInterval).ok_or_else(|| intervals::overflow(""))
        }
        Value::DayTimeInterval(n) => n.checked_neg().map(Value::DayTimeInterval).ok_or_else(|| intervals::overflow("")),
        Value::CalendarInterval { months, days, micros } => Ok(Value::CalendarInterval {
            months: months.wrapping_neg(),
            days: days.wrapping_neg(),
            micros: micros.wrapping_neg(),
        }),
        _ => Ok(Value::Null),
    }
}

fn abs(c: &RowContext<'_>, v: &Value) -> Result<Value> {
    let negative = match v {
        Value::Float(x) => return Ok(Value::Float(x.abs())),
        Value::Double(x) => return Ok(Value::Double(x.abs())),
        Value::Decimal(n, ..) => *n < 0,
        v => v.as_i64().is_some_and(|n| n < 0),
    };
    if negative { negate(c, v) } else { Ok(v.clone()) }
}
