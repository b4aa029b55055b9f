//! Dates and moments from texts and to texts, by patterns.

use super::epochs::now_call;
use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::functions::coercion::{In, eval_mode};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::row("date_format", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Str), Nulls::Strict, |c, v| {
        let pattern = c.cached(s(&v[1]), |p| Pattern::new(p, false))?;
        Ok(Value::from(pattern.format(v[0].as_i64().unwrap_or(0), c.zone())))
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

/// GetTimestamp: text by a pattern, as an instant or a wall clock time; `suggest` names the tolerant function.
fn by_pattern(c: &RowContext<'_>, v: &[Value], ntz: bool, fail: bool, suggest: &str) -> Result<Option<i64>> {
    let text = s(&v[0]);
    let pattern = c.cached(s(&v[1]), |p| Pattern::new(p, true))?;
    let done =
        if ntz { pattern.parse(text).and_then(|p| p.local(text)) } else { pattern.parse_instant(text, c.zone()) };
    match done {
        Ok(micros) => Ok(Some(micros)),
        Err(failure) if fail => Err(cannot_parse(&failure.message, suggest)),
        Err(_) => Ok(None),
    }
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
        return Ok(super::replaced(b.name, args, value, DataType::Date, nullable));
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
    let eval: RowEval = if fails {
        |c, v| Ok(by_pattern(c, v, false, true, "try_to_date")?.map_or(Value::Null, |us| date_of(c, us)))
    } else {
        |c, v| Ok(by_pattern(c, v, false, false, "")?.map_or(Value::Null, |us| date_of(c, us)))
    };
    let nullable = !fails || args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, DataType::Date, nullable, true, b.ansi(), eval))
}

fn date_of(c: &RowContext<'_>, micros: i64) -> Value {
    Value::Date(c.zone().to_local(micros).div_euclid(MICROS_PER_DAY) as i32)
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
    let eval: RowEval = match (ntz, fails) {
        (true, true) => {
            |c, v| Ok(by_pattern(c, v, true, true, "try_to_timestamp")?.map_or(Value::Null, Value::TimestampNtz))
        }
        (true, false) => |c, v| Ok(by_pattern(c, v, true, false, "")?.map_or(Value::Null, Value::TimestampNtz)),
        (false, true) => {
            |c, v| Ok(by_pattern(c, v, false, true, "try_to_timestamp")?.map_or(Value::Null, Value::Timestamp))
        }
        (false, false) => |c, v| Ok(by_pattern(c, v, false, false, "")?.map_or(Value::Null, Value::Timestamp)),
    };
    let nullable = !fails || args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, to, nullable, true, b.ansi(), eval))
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
    Ok(row_call(b.name, args, DataType::Long, nullable, true, b.ansi(), |c, v| {
        let micros = match &v[0] {
            Value::String(_) => by_pattern(c, v, false, c.ansi, "try_to_timestamp")?,
            Value::Date(d) => Some(c.zone().to_utc(i64::from(*d) * MICROS_PER_DAY)),
            v => v.as_i64(),
        };
        Ok(micros.map_or(Value::Null, |us| Value::Long(us.div_euclid(MICROS_PER_SECOND))))
    }))
}

fn from_unixtime(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::literal(Value::from(DEFAULT_PATTERN), DataType::String));
    }
    let args = b.inputs(args, &[In::Long, In::Str])?;
    Ok(row_call("from_unixtime", args, DataType::String, true, true, b.ansi(), |c, v| {
        let pattern = c.cached(s(&v[1]), |p| Pattern::new(p, false))?;
        let micros = v[0].as_i64().unwrap_or(0).saturating_mul(MICROS_PER_SECOND);
        Ok(Value::from(pattern.format(micros, c.zone())))
    }))
}
