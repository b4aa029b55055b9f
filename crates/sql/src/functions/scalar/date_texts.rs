//! Dates and moments from texts and to texts, by patterns.

use arrow::array::ArrayRef;

use super::epochs::now_call;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::functions::coercion::{In, eval_mode};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Columns, Memo, Text, Whole, column_call, two, written};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("date_format", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Str), Nulls::Strict, |c| {
        formatted(c, |us| us)
    }),
    FunctionEntry::custom("to_date", 1, 2, to_date),
    FunctionEntry::custom("try_to_date", 1, 2, to_date),
    FunctionEntry::custom("date", 1, 1, to_date),
    FunctionEntry::custom("to_timestamp", 1, 2, to_timestamp),
    FunctionEntry::custom("to_timestamp_ltz", 1, 2, to_timestamp),
    FunctionEntry::custom("to_timestamp_ntz", 1, 2, to_timestamp),
    FunctionEntry::custom("try_to_timestamp", 1, 2, to_timestamp),
    FunctionEntry::custom("timestamp", 1, 1, to_timestamp),
    FunctionEntry::custom("unix_timestamp", 0, 2, unix_timestamp),
    FunctionEntry::custom("to_unix_timestamp", 1, 2, unix_timestamp),
    FunctionEntry::custom("from_unixtime", 1, 2, from_unixtime),
];

/// CANNOT_PARSE_TIMESTAMP.
fn cannot_parse(message: &str, function: &str) -> SparkError {
    SparkError::new(
        ErrorClass::DateTime,
        "CANNOT_PARSE_TIMESTAMP",
        &[("message", message), ("func", &format!("`{function}`"))],
    )
}

/// Moments by the pattern in argument 1; `micros` makes them of the numbers in argument 0.
fn formatted(c: &Columns<'_>, micros: fn(i64) -> i64) -> Result<ArrayRef> {
    let (numbers, patterns) = (c.open::<Whole>(0)?, c.open::<Text>(1)?);
    let (known, zone) = (Memo::default(), c.zone());
    written(c.rows, &|row, out| {
        let (Some(n), Some(pattern)) = (numbers.get(row), patterns.get(row)) else { return Ok(false) };
        known.get(pattern, |p| Pattern::new(p, false))?.write(micros(n), zone, out);
        Ok(true)
    })
}

/// What is made of the microseconds that a text by a pattern names.
type Made = fn(&Columns<'_>, i64) -> i64;

fn micros_of(_: &Columns<'_>, micros: i64) -> i64 {
    micros
}

fn day_of(c: &Columns<'_>, micros: i64) -> i64 {
    c.zone().to_local(micros).div_euclid(MICROS_PER_DAY)
}

fn seconds_of(_: &Columns<'_>, micros: i64) -> i64 {
    micros.div_euclid(MICROS_PER_SECOND)
}

/// GetTimestamp: texts by patterns, as instants or wall clock times; `suggest` names the tolerant function where they fail.
fn by_pattern(c: &Columns<'_>, suggest: Option<&str>, made: Made) -> Result<ArrayRef> {
    let (known, ntz) = (Memo::default(), *c.result == DataType::TimestampNtz);
    two::<Text, Text, Whole>(c, &|text, pattern| {
        let pattern = known.get(pattern, |p| Pattern::new(p, true))?;
        let done =
            if ntz { pattern.parse(text).and_then(|p| p.local(text)) } else { pattern.parse_instant(text, c.zone()) };
        match (done, suggest) {
            (Ok(micros), _) => Ok(Some(made(c, micros))),
            (Err(failure), Some(suggest)) => Err(cannot_parse(&failure.message, suggest)),
            (Err(_), None) => Ok(None),
        }
    })
}

fn to_date(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mode = if b.name == "try_to_date" { EvalMode::Try } else { eval_mode(b.ansi()) };
    if args.len() == 1 {
        if b.name == "date" {
            return cast(args[0].clone(), DataType::Date, mode);
        }
        let args = b.inputs(args, &[In::Either(&[In::Str, In::Date, In::Ts, In::Ntz])])?;
        let source = args[0].clone();
        let value = cast(source, DataType::Date, mode)?;
        let nullable = value.nullable();
        let more = if b.ansi() { "None, Some(UTC), true" } else { "None, Some(UTC), false" };
        return Ok(super::replaced_as(b.name, args, value, DataType::Date, nullable, more));
    }
    let t = args[0].data_type();
    if !t.is_string() {
        let args = b.inputs(args, &[In::Either(&[In::Str, In::Date, In::Ts, In::Ntz]), In::Str])?;
        let value = cast(args[0].clone(), DataType::Date, mode)?;
        let nullable = value.nullable();
        return Ok(super::replaced(b.name, args, value, DataType::Date, nullable));
    }
    let args = b.inputs(args, &[In::Str, In::Str])?;
    let fails = mode == EvalMode::Ansi;
    let nullable = !fails || args.iter().any(Expr::nullable);
    Ok(if fails {
        let eval = |c: &Columns<'_>| by_pattern(c, Some("try_to_date"), day_of);
        column_call(b.name, args, DataType::Date, nullable, true, b.ansi(), eval)
    } else {
        column_call(b.name, args, DataType::Date, nullable, true, b.ansi(), |c| by_pattern(c, None, day_of))
    })
}

fn cast(child: Expr, to: DataType, mode: EvalMode) -> Result<Expr> {
    let sql = format!("CAST({} AS {})", describe::pretty(&child), to.sql());
    crate::functions::cast::check_cast(&child, &to, mode, &sql)?;
    Ok(Expr::Cast { child: Box::new(child), to, mode, implicit: true, site: Site::default() })
}

fn to_timestamp(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ntz = b.name == "to_timestamp_ntz";
    let ntz = ntz || (matches!(b.name, "to_timestamp" | "try_to_timestamp") && b.conf.timestamp_is_ntz());
    let to = if ntz { DataType::TimestampNtz } else { DataType::Timestamp };
    let mode = if b.name == "try_to_timestamp" { EvalMode::Try } else { eval_mode(b.ansi()) };
    if args.len() == 1 || !args[0].data_type().is_string() {
        let value = cast(args[0].clone(), to.clone(), mode)?;
        if b.name == "timestamp" {
            return Ok(value);
        }
        let nullable = value.nullable();
        return Ok(super::replaced(b.name, args, value, to, nullable));
    }
    let args = b.inputs(args, &[In::Str, In::Str])?;
    let fails = mode == EvalMode::Ansi;
    let nullable = !fails || args.iter().any(Expr::nullable);
    Ok(if fails {
        let eval = |c: &Columns<'_>| by_pattern(c, Some("try_to_timestamp"), micros_of);
        column_call(b.name, args, to, nullable, true, b.ansi(), eval)
    } else {
        column_call(b.name, args, to, nullable, true, b.ansi(), |c| by_pattern(c, None, micros_of))
    })
}

const DEFAULT_PATTERN: &str = "yyyy-MM-dd HH:mm:ss";

fn unix_timestamp(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.is_empty() {
        args.push(now_call("current_timestamp", DataType::Timestamp));
    }
    if args.len() == 1 {
        args.push(Expr::literal(Value::from(DEFAULT_PATTERN), DataType::String));
    }
    let args = b.inputs(args, &[In::Either(&[In::Str, In::Date, In::Ts, In::Ntz]), In::Str])?;
    let nullable = !b.ansi() || args.iter().any(Expr::nullable);
    Ok(column_call(b.name, args, DataType::Long, nullable, true, b.ansi(), |c| match c.types[0] {
        ref t if t.is_string() => by_pattern(c, c.ansi.then_some("try_to_timestamp"), seconds_of),
        ref t => {
            let (zone, day) = (c.zone(), *t == DataType::Date);
            let seconds = |n: i64| {
                let micros = if day { zone.to_utc(n.saturating_mul(MICROS_PER_DAY)) } else { n };
                micros.div_euclid(MICROS_PER_SECOND)
            };
            match c.constant::<Text>(1) {
                Some(_) => c.plain(&seconds),
                None => two::<Whole, Text, Whole>(c, &|n, _| Ok(Some(seconds(n)))),
            }
        }
    }))
}

fn from_unixtime(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::literal(Value::from(DEFAULT_PATTERN), DataType::String));
    }
    let args = b.inputs(args, &[In::Long, In::Str])?;
    Ok(column_call("from_unixtime", args, DataType::String, true, true, b.ansi(), |c| {
        formatted(c, |seconds| seconds.saturating_mul(MICROS_PER_SECOND))
    }))
}
