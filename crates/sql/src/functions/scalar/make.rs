//! make_date, make_timestamp, make_interval and kin.

use super::dates::{date_of_fields, out_of_bounds};
use super::interval_overflow;
use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, cast_to};
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, decimal_to_string};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("make_date", 3, 3, make_date),
    FunctionEntry::custom("make_timestamp", 2, 7, make_timestamp),
    FunctionEntry::custom("make_timestamp_ltz", 2, 7, make_timestamp),
    FunctionEntry::custom("make_timestamp_ntz", 2, 6, make_timestamp),
    FunctionEntry::custom("try_make_timestamp", 2, 7, make_timestamp),
    FunctionEntry::custom("try_make_timestamp_ltz", 2, 7, make_timestamp),
    FunctionEntry::custom("try_make_timestamp_ntz", 2, 6, make_timestamp),
    FunctionEntry::custom("make_interval", 0, 7, make_interval),
    FunctionEntry::custom("try_make_interval", 0, 7, make_interval),
    FunctionEntry::custom("make_dt_interval", 0, 4, make_dt_interval),
    FunctionEntry::custom("make_ym_interval", 0, 2, make_ym_interval),
];

fn n(v: &Value) -> i64 {
    v.as_i64().unwrap_or(0)
}

fn make_date(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Int])?;
    let nullable = !b.ansi() || args.iter().any(Expr::nullable);
    Ok(row_call("make_date", args, DataType::Date, nullable, true, b.ansi(), |c, v| {
        match date_of_fields(n(&v[0]), n(&v[1]), n(&v[2])) {
            Ok(days) => match i32::try_from(days) {
                Ok(days) => Ok(Value::Date(days)),
                Err(_) => Err(super::overflow("overflow", "")),
            },
            Err(message) if c.ansi => Err(out_of_bounds(&message)),
            Err(_) => Ok(Value::Null),
        }
    }))
}

/// Wall clock of the fields; seconds are DECIMAL(16,6).
fn wall_clock(v: &[Value]) -> std::result::Result<i64, SparkError> {
    let field = |name: &str, limit: i64, value: i64| {
        if (0..=limit).contains(&value) {
            Ok(value)
        } else {
            Err(out_of_bounds(&format!("Invalid value for {name} (valid values 0 - {limit}): {value}")))
        }
    };
    let days = date_of_fields(n(&v[0]), n(&v[1]), n(&v[2])).map_err(|m| out_of_bounds(&m))?;
    let (unscaled, scale) = match &v[5] {
        Value::Decimal(u, _, s) => (*u, *s),
        other => (i128::from(n(other)) * 1_000_000, 6),
    };
    let micros = crate::value::text::rescale(unscaled, scale, 6).unwrap_or(0) as i64;
    let (hour, minute) = (n(&v[3]), n(&v[4]));
    let hour = field("HourOfDay", 23, hour)?;
    let minute = field("MinuteOfHour", 59, minute)?;
    let whole = micros.div_euclid(MICROS_PER_SECOND);
    // Exactly 60 seconds start the next minute.
    if whole == 60 {
        if micros % MICROS_PER_SECOND != 0 {
            return Err(SparkError::new(
                ErrorClass::DateTime,
                "INVALID_FRACTION_OF_SECOND",
                &[("secAndMicros", decimal_to_string(i128::from(micros), 6).trim_end_matches('0'))],
            ));
        }
    } else {
        field("SecondOfMinute", 59, whole)?;
    }
    Ok(days * MICROS_PER_DAY + (hour * 60 + minute) * 60 * MICROS_PER_SECOND + micros)
}

fn make_timestamp(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ntz = b.name.ends_with("ntz");
    let tolerant = b.name.starts_with("try_");
    let t = if ntz { DataType::TimestampNtz } else { DataType::Timestamp };
    // A date and a time of day, and for a moment its zone.
    if args.len() <= if ntz { 2 } else { 3 } && super::times::is_time(&args[1]) {
        return super::times::joined(b, args, t);
    }
    if args.len() == 2 || (args.len() == 3 && !ntz) {
        let sql = crate::functions::describe::call_text(b.name, &args);
        return Err(crate::functions::coercion::unexpected_input(&sql, 0, "\"DATE\"", &args[0]));
    }
    if args.len() < 6 {
        let expected = if ntz { "6" } else { "[6, 7]" };
        return Err(crate::functions::registry::wrong_count(b.written, expected, args.len()));
    }
    let inputs = [In::Int, In::Int, In::Int, In::Int, In::Int, In::Any, In::Str];
    let mut args = b.inputs(args, &inputs)?;
    args[5] = cast_to(args[5].clone(), &DataType::decimal(16, 6), b.ansi());
    let ansi = b.ansi() && !tolerant;
    let nullable = !ansi || args.iter().any(Expr::nullable);
    let eval: RowEval = |c: &RowContext<'_>, v: &[Value]| {
        let zone = match v.get(6) {
            Some(id) => Some(Zone::of(s(id))?),
            None => None,
        };
        match wall_clock(v) {
            Ok(local) if *c.result == DataType::TimestampNtz => Ok(Value::TimestampNtz(local)),
            Ok(local) => Ok(Value::Timestamp(zone.as_ref().unwrap_or(c.zone()).to_utc(local))),
            Err(e) if c.ansi => Err(e),
            Err(_) => Ok(Value::Null),
        }
    };
    Ok(row_call(b.name, args, t, nullable, true, ansi, eval))
}

fn zeros(args: &mut Vec<Expr>, count: usize) {
    while args.len() < count {
        args.push(Expr::literal(Value::Integer(0), DataType::Integer));
    }
}

fn seconds_default(args: &mut Vec<Expr>, at: usize) {
    if args.len() <= at {
        zeros(args, at);
        args.push(Expr::literal(Value::Decimal(0, 8, 6), DataType::decimal(8, 6)));
    }
}

fn make_interval(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    seconds_default(&mut args, 6);
    let mut args = b.inputs(args, &[In::Int, In::Int, In::Int, In::Int, In::Int, In::Int, In::Any])?;
    args[6] = cast_to(args[6].clone(), &DataType::decimal(18, 6), b.ansi());
    let ansi = b.ansi() && b.name == "make_interval";
    let nullable = !ansi || args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, DataType::CalendarInterval, nullable, true, ansi, |c, v| {
        let made = || -> Option<Value> {
            let months = i32::try_from(n(&v[0])).ok()?.checked_mul(12)?.checked_add(i32::try_from(n(&v[1])).ok()?)?;
            let days = i32::try_from(n(&v[2])).ok()?.checked_mul(7)?.checked_add(i32::try_from(n(&v[3])).ok()?)?;
            Some(Value::CalendarInterval { months, days, micros: time_micros(&v[4], &v[5], &v[6])? })
        };
        match made() {
            Some(v) => Ok(v),
            None if c.ansi => Err(interval_overflow("try_make_interval")),
            None => Ok(Value::Null),
        }
    }))
}

fn time_micros(hours: &Value, minutes: &Value, seconds: &Value) -> Option<i64> {
    let micros = match seconds {
        Value::Decimal(u, _, s) => i64::try_from(crate::value::text::rescale(*u, *s, 6)?).ok()?,
        other => n(other).checked_mul(MICROS_PER_SECOND)?,
    };
    n(hours).checked_mul(3_600_000_000)?.checked_add(n(minutes).checked_mul(60_000_000)?)?.checked_add(micros)
}

fn make_dt_interval(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    seconds_default(&mut args, 3);
    let mut args = b.inputs(args, &[In::Int, In::Int, In::Int, In::Any])?;
    args[3] = cast_to(args[3].clone(), &DataType::decimal(18, 6), b.ansi());
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("make_dt_interval", args, DataType::INTERVAL_DT, nullable, true, b.ansi(), |_, v| {
        let total =
            n(&v[0]).checked_mul(MICROS_PER_DAY).and_then(|days| days.checked_add(time_micros(&v[1], &v[2], &v[3])?));
        total.map(Value::DayTimeInterval).ok_or_else(|| interval_overflow(""))
    }))
}

fn make_ym_interval(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    zeros(&mut args, 2);
    let args = b.inputs(args, &[In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("make_ym_interval", args, DataType::INTERVAL_YM, nullable, true, b.ansi(), |_, v| {
        let months = i32::try_from(n(&v[0])).ok().and_then(|y| y.checked_mul(12)?.checked_add(n(&v[1]) as i32));
        months.map(Value::YearMonthInterval).ok_or_else(|| interval_overflow(""))
    }))
}
