//! Unary minus and plus, abs.

use arrow::array::ArrayRef;

use super::arithmetic::{NUMBER_OR_INTERVAL, overflow};
use super::intervals;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Calendar, Columns, Decimal, Real, Whole, column_call, one};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("negative", 1, 1, negative),
    FunctionEntry::columns("positive", 1, 1, &[NUMBER_OR_INTERVAL], Ret::Same(0), Nulls::Strict, |c| c.same(0))
        .shown("+"),
    FunctionEntry::columns(
        "abs",
        1,
        1,
        &[In::Either(&[In::Num, In::DayTime, In::YearMonth])],
        Ret::Same(0),
        Nulls::Strict,
        |c| negated(c, true),
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
    Ok(column_call(name, vec![arg], t, nullable, true, b.ansi(), |c| negated(c, false)))
}

/// Numbers and intervals with the other sign; all of them or, of abs, the negative ones.
fn negated(c: &Columns<'_>, negative_only: bool) -> Result<ArrayRef> {
    let least = match c.result {
        DataType::Byte => i64::from(i8::MIN),
        DataType::Short => i64::from(i16::MIN),
        DataType::Integer | DataType::YearMonthInterval { .. } => i64::from(i32::MIN),
        _ => i64::MIN,
    };
    match c.result {
        DataType::Float | DataType::Double => {
            one::<Real, Real>(c, &|x| Ok(Some(if negative_only { x.abs() } else { -x })))
        }
        DataType::Decimal { .. } => one::<Decimal, Decimal>(c, &|n| Ok(Some(if negative_only { n.abs() } else { -n }))),
        DataType::CalendarInterval => one::<Calendar, Calendar>(c, &|(months, days, micros)| {
            Ok(Some((months.wrapping_neg(), days.wrapping_neg(), micros.wrapping_neg())))
        }),
        t => one::<Whole, Whole>(c, &|n| match n {
            n if negative_only && n >= 0 => Ok(Some(n)),
            n if n != least => Ok(Some(-n)),
            _ if t.is_ansi_interval() => Err(intervals::overflow("")),
            _ if c.ansi => Err(overflow("overflow", "")),
            _ => Ok(Some(least)),
        }),
    }
}
