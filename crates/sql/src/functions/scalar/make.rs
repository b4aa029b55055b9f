//! make_date, make_timestamp, make_interval and kin.

use arrow::array::ArrayRef;

use super::dates::{date_of_fields, out_of_bounds};
use super::interval_overflow;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, cast_to};
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{
    Calendar, Columns, Day, DayTime, Decimal, Int, Memo, Opened, Text, Whole, YearMonth, column_call, each, four,
    three, two,
};
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

fn make_date(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Int])?;
    let nullable = !b.ansi() || args.iter().any(Expr::nullable);
    Ok(column_call("make_date", args, DataType::Date, nullable, true, b.ansi(), |c| {
        three::<Int, Int, Int, Day>(
            c,
            &|year, month, day| match date_of_fields(year.into(), month.into(), day.into()) {
                Ok(days) => i32::try_from(days).map(Some).map_err(|_| super::overflow("overflow", "")),
                Err(message) if c.ansi => Err(out_of_bounds(&message)),
                Err(_) => Ok(None),
            },
        )
    }))
}

/// Wall clock of year, month, day, hour and minute; seconds are DECIMAL(16,6).
fn wall_clock(fields: [i64; 5], micros: i64) -> Result<i64> {
    let field = |name: &str, limit: i64, value: i64| {
        if (0..=limit).contains(&value) {
            Ok(value)
        } else {
            Err(out_of_bounds(&format!("Invalid value for {name} (valid values 0 - {limit}): {value}")))
        }
    };
    let [year, month, day, hour, minute] = fields;
    let days = date_of_fields(year, month, day).map_err(|m| out_of_bounds(&m))?;
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

/// The integers of a row in the first arguments; None: one is null.
fn fields<const N: usize>(columns: &[Opened<'_, Int>; N], row: usize) -> Option<[i64; N]> {
    let mut out = [0; N];
    for (field, column) in out.iter_mut().zip(columns) {
        *field = column.get(row)?.into();
    }
    Some(out)
}

/// Moments of fields, and of zones' names where there are such.
fn moments(c: &Columns<'_>) -> Result<ArrayRef> {
    let columns = [c.open::<Int>(0)?, c.open(1)?, c.open(2)?, c.open(3)?, c.open(4)?];
    let seconds = c.open::<Decimal>(5)?;
    let ids = if c.args.len() > 6 { Some(c.open::<Text>(6)?) } else { None };
    let (zones, wall) = (Memo::default(), *c.result == DataType::TimestampNtz);
    each::<Whole>(c, &|row| {
        let (Some(fields), Some(seconds)) = (fields(&columns, row), seconds.get(row)) else { return Ok(None) };
        let zone = match &ids {
            Some(ids) => {
                let Some(id) = ids.get(row) else { return Ok(None) };
                Some(zones.get(id, Zone::of)?)
            }
            None => None,
        };
        match wall_clock(fields, seconds as i64) {
            Ok(local) if wall => Ok(Some(local)),
            Ok(local) => Ok(Some(zone.as_deref().unwrap_or(c.zone()).to_utc(local))),
            Err(e) if c.ansi => Err(e),
            Err(_) => Ok(None),
        }
    })
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
    Ok(column_call(b.name, args, t, nullable, true, ansi, moments))
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
    Ok(column_call(b.name, args, DataType::CalendarInterval, nullable, true, ansi, |c| {
        let columns = [c.open::<Int>(0)?, c.open(1)?, c.open(2)?, c.open(3)?, c.open(4)?, c.open(5)?];
        let seconds = c.open::<Decimal>(6)?;
        each::<Calendar>(c, &|row| {
            let (Some(fields), Some(seconds)) = (fields(&columns, row), seconds.get(row)) else { return Ok(None) };
            let [years, months, weeks, days, hours, minutes] = fields;
            let made = || {
                let months = i32::try_from(years * 12).ok()?.checked_add(i32::try_from(months).ok()?)?;
                let days = i32::try_from(weeks * 7).ok()?.checked_add(i32::try_from(days).ok()?)?;
                Some((months, days, time_micros(hours, minutes, seconds)?))
            };
            match made() {
                None if c.ansi => Err(interval_overflow("try_make_interval")),
                made => Ok(made),
            }
        })
    }))
}

/// Microseconds of hours, minutes and seconds, these as DECIMAL(18,6).
fn time_micros(hours: i64, minutes: i64, seconds: i128) -> Option<i64> {
    let micros = i64::try_from(seconds).ok()?;
    hours.checked_mul(3_600_000_000)?.checked_add(minutes.checked_mul(60_000_000)?)?.checked_add(micros)
}

fn make_dt_interval(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    seconds_default(&mut args, 3);
    let mut args = b.inputs(args, &[In::Int, In::Int, In::Int, In::Any])?;
    args[3] = cast_to(args[3].clone(), &DataType::decimal(18, 6), b.ansi());
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("make_dt_interval", args, DataType::INTERVAL_DT, nullable, true, b.ansi(), |c| {
        four::<Int, Int, Int, Decimal, DayTime>(c, &|days, hours, minutes, seconds| {
            let days = i64::from(days).checked_mul(MICROS_PER_DAY);
            let total = days.and_then(|d| d.checked_add(time_micros(hours.into(), minutes.into(), seconds)?));
            total.map(Some).ok_or_else(|| interval_overflow(""))
        })
    }))
}

fn make_ym_interval(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    zeros(&mut args, 2);
    let args = b.inputs(args, &[In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("make_ym_interval", args, DataType::INTERVAL_YM, nullable, true, b.ansi(), |c| {
        two::<Int, Int, YearMonth>(c, &|years, months| {
            let total = years.checked_mul(12).and_then(|y| y.checked_add(months));
            total.map(Some).ok_or_else(|| interval_overflow(""))
        })
    }))
}
