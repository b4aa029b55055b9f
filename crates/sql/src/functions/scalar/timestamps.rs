//! timestampadd and timestampdiff, by unit; time_bucket.

use super::intervals::add_interval;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::literal_sql;
use crate::functions::coercion::In;
use crate::functions::datetime::calendar::civil_from_days;
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{DayTime, Long, Memo, Moment, Text, YearMonth, column_call, three};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("timestampadd", 3, 3, timestamp_add),
    FunctionEntry::custom("timestampdiff", 3, 3, timestamp_diff),
    FunctionEntry::custom("time_bucket", 2, 3, time_bucket),
];

/// Months of a unit, or its microseconds; a day and a week are counted on the wall clock.
#[derive(Clone, Copy)]
enum Unit {
    Months(i64),
    Days(i64),
    Micros(i64),
}

fn unit(name: &str) -> Option<Unit> {
    Some(match name.to_uppercase().as_str() {
        "YEAR" => Unit::Months(12),
        "QUARTER" => Unit::Months(3),
        "MONTH" => Unit::Months(1),
        "WEEK" => Unit::Days(7),
        "DAY" | "DAYOFYEAR" => Unit::Days(1),
        "HOUR" => Unit::Micros(3600 * MICROS_PER_SECOND),
        "MINUTE" => Unit::Micros(60 * MICROS_PER_SECOND),
        "SECOND" => Unit::Micros(MICROS_PER_SECOND),
        "MILLISECOND" => Unit::Micros(1000),
        "MICROSECOND" => Unit::Micros(1),
        _ => return None,
    })
}

/// The unit's text in the name of the call: a literal that is shown bare.
fn checked_unit(name: &str, unit_name: &str) -> Result<()> {
    if unit(unit_name).is_some() {
        return Ok(());
    }
    Err(SparkError::new(
        ErrorClass::Parse,
        "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
        &[("functionName", &format!("`{name}`")), ("parameter", "`unit`"), ("invalidValue", &format!("'{unit_name}'"))],
    ))
}

fn literal_unit(b: &Build<'_>, args: &[Expr]) -> Result<()> {
    match args.first() {
        Some(Expr::Literal { value: Value::String(text), .. }) => checked_unit(b.name, text),
        _ => Err(SparkError::internal("a datetime unit is a literal")),
    }
}

fn timestamp_add(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    literal_unit(b, &args)?;
    let args = b.inputs(args, &[In::Str, In::Long, In::AnyTs])?;
    let t = args[2].data_type();
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("timestampadd", args, t, nullable, true, b.ansi(), |c| {
        let units = Memo::default();
        let (t, zone) = (&c.types[2], if c.types[2] == DataType::TimestampNtz { &Zone::UTC } else { c.zone() });
        three::<Text, Long, Moment, Moment>(c, &|name, n, at| {
            let moved = match *units.get(name, |name| Ok(unit(name)))? {
                Some(Unit::Months(by)) => n
                    .checked_mul(by)
                    .and_then(|m| i32::try_from(m).ok())
                    .and_then(|months| add_interval(at, months, 0, 0, zone)),
                Some(Unit::Days(by)) => n
                    .checked_mul(by)
                    .and_then(|d| i32::try_from(d).ok())
                    .and_then(|days| add_interval(at, 0, days, 0, zone)),
                Some(Unit::Micros(by)) => n.checked_mul(by).and_then(|us| at.checked_add(us)),
                None => None,
            };
            moved.map(Some).ok_or_else(|| {
                let shown = match t {
                    DataType::TimestampNtz => literal_sql(&Value::TimestampNtz(at), t, zone),
                    t => literal_sql(&Value::Timestamp(at), t, zone),
                };
                SparkError::new(
                    ErrorClass::Arithmetic,
                    "DATETIME_OVERFLOW",
                    &[("operation", &format!("add {n}L {name} to {shown}"))],
                )
            })
        })
    }))
}

fn timestamp_diff(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    literal_unit(b, &args)?;
    let args = b.inputs(args, &[In::Str, In::Ts, In::Ts])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("timestampdiff", args, DataType::Long, nullable, true, b.ansi(), |c| {
        let (units, zone) = (Memo::default(), c.zone());
        three::<Text, Moment, Moment, Long>(c, &|name, from, to| {
            // Whole units between the wall clocks, toward zero (ChronoUnit.between).
            let (from, to) = (zone.to_local(from), zone.to_local(to));
            Ok(Some(match *units.get(name, |name| Ok(unit(name)))? {
                Some(Unit::Months(by)) => months_between(from, to) / by,
                Some(Unit::Days(by)) => (to - from) / (by * MICROS_PER_DAY),
                Some(Unit::Micros(by)) => (to - from) / by,
                None => 0,
            }))
        })
    }))
}

/// Whole months from one wall clock time to another.
fn months_between(from: i64, to: i64) -> i64 {
    let place = |local: i64| {
        let (y, m, d) = civil_from_days(local.div_euclid(MICROS_PER_DAY));
        (y * 12 + i64::from(m), i64::from(d) * MICROS_PER_DAY + local.rem_euclid(MICROS_PER_DAY))
    };
    let ((a, x), (b, y)) = (place(from), place(to));
    let months = b - a;
    if months > 0 && y < x {
        months - 1
    } else if months < 0 && y > x {
        months + 1
    } else {
        months
    }
}

/// time_bucket(width, time[, origin]): the start of the bucket that a time falls into, buckets counted from the origin.
fn time_bucket(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        let epoch = match args[1].data_type() {
            DataType::TimestampNtz => Expr::literal(Value::TimestampNtz(0), DataType::TimestampNtz),
            _ => Expr::literal(Value::Timestamp(b.conf.time_zone().to_utc(0)), DataType::Timestamp),
        };
        args.push(epoch);
    }
    let args = b.inputs(args, &[In::Either(&[In::DayTime, In::YearMonth]), In::AnyTs, In::AnyTs])?;
    let t = args[1].data_type();
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("time_bucket", args, t, nullable, true, b.ansi(), |c| {
        let zone = if c.types[1] == DataType::TimestampNtz { &Zone::UTC } else { c.zone() };
        if !matches!(c.types[0], DataType::YearMonthInterval { .. }) {
            return three::<DayTime, Moment, Moment, Moment>(c, &|width, at, origin| {
                Ok((width > 0).then(|| origin + (at - origin).div_euclid(width) * width))
            });
        }
        three::<YearMonth, Moment, Moment, Moment>(c, &|width, at, origin| {
            if width <= 0 {
                return Ok(None);
            }
            let width = i64::from(width);
            let months = months_between(zone.to_local(origin), zone.to_local(at));
            let mut bucket = months.div_euclid(width);
            let start = |n: i64| i32::try_from(n * width).ok().and_then(|m| add_interval(origin, m, 0, 0, zone));
            if start(bucket).is_some_and(|first| first > at) {
                bucket -= 1;
            }
            Ok(start(bucket))
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_whole_and_toward_zero() {
        let day = |n: i64| n * MICROS_PER_DAY;
        // 1970-01-31 to 1970-02-28, and back.
        assert_eq!(months_between(day(30), day(58)), 0);
        assert_eq!(months_between(day(58), day(30)), 0);
        assert_eq!(months_between(day(0), day(31)), 1);
        assert_eq!(months_between(day(31), day(0)), -1);
    }
}
