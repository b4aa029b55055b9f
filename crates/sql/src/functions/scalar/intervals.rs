//! Arithmetic on dates, times and intervals (BinaryArithmeticWithDatetimeResolver and its expressions).

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::cast_to;
use crate::functions::datetime::calendar::add_months;
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::Build;
use crate::functions::row::row_call;
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::MICROS_PER_DAY;

/// INTERVAL_ARITHMETIC_OVERFLOW.
pub(crate) fn overflow(function: &str) -> SparkError {
    if function.is_empty() {
        return SparkError::new(ErrorClass::Arithmetic, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", &[]);
    }
    SparkError::new(
        ErrorClass::Arithmetic,
        "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
        &[("functionName", &format!("`{function}`"))],
    )
}

/// DateTimeUtils.timestampAddInterval: months and days on the wall clock of the zone, then microseconds.
pub(crate) fn add_interval(micros: i64, months: i32, days: i32, extra: i64, zone: &Zone) -> Option<i64> {
    if months == 0 && days == 0 {
        return micros.checked_add(extra);
    }
    let local = zone.to_local(micros);
    let day = local.div_euclid(MICROS_PER_DAY);
    let moved = add_months(day, i64::from(months)).checked_add(i64::from(days))?;
    let local = moved.checked_mul(MICROS_PER_DAY)?.checked_add(local.rem_euclid(MICROS_PER_DAY))?;
    zone.to_utc(local).checked_add(extra)
}

/// Adds an interval value to a date or time; `sign` -1 subtracts.
fn shift(time: &Value, interval: &Value, sign: i32, zone: &Zone) -> Option<Value> {
    let (months, days, micros) = match interval {
        Value::YearMonthInterval(m) => (*m, 0, 0),
        Value::DayTimeInterval(us) => ((0), i32::try_from(us / MICROS_PER_DAY).ok()?, us % MICROS_PER_DAY),
        Value::CalendarInterval { months, days, micros } => (*months, *days, *micros),
        _ => return None,
    };
    let (months, days) = (months.checked_mul(sign)?, days.checked_mul(sign)?);
    let micros = micros.checked_mul(i64::from(sign))?;
    Some(match time {
        Value::Date(d) => {
            let day = add_months(i64::from(*d), i64::from(months)).checked_add(i64::from(days))?;
            Value::Date(i32::try_from(day.checked_add(micros.div_euclid(MICROS_PER_DAY))?).ok()?)
        }
        Value::Timestamp(t) => Value::Timestamp(add_interval(*t, months, days, micros, zone)?),
        Value::TimestampNtz(t) => Value::TimestampNtz(add_interval(*t, months, days, micros, &Zone::UTC)?),
        _ => return None,
    })
}

fn time_overflow() -> SparkError {
    SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", "add an interval to a timestamp")])
}

fn moved(b: &Build<'_>, minus: bool, time: Expr, interval: Expr) -> Expr {
    let t = time.data_type();
    let nullable = time.nullable() || interval.nullable();
    fn checked(c: &crate::functions::row::RowContext<'_>, v: &[Value], sign: i32) -> Result<Value> {
        // DateAddInterval: a date has no place for a time of day.
        if let (Value::Date(_), Value::CalendarInterval { micros, .. }, true) = (&v[0], &v[1], c.ansi)
            && *micros != 0
        {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION",
                &[],
            ));
        }
        shift(&v[0], &v[1], sign, c.zone()).ok_or_else(time_overflow)
    }
    if minus {
        row_call("-", vec![time, interval], t, nullable, true, b.ansi(), |c, v| checked(c, v, -1))
    } else {
        row_call("+", vec![time, interval], t, nullable, true, b.ansi(), |c, v| checked(c, v, 1))
    }
}

/// Two intervals of different kinds in a sum.
fn no_time(months: Expr, micros: Expr) -> SparkError {
    let sql = format!("{} + {}", months.pretty_sql(), micros.pretty_sql());
    let required = "(\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\" or \"(TIMESTAMP_LTZ(P) OR TIMESTAMP_NTZ(P) WITH P IN [7, 9])\")";
    crate::functions::coercion::unexpected_input(&sql, 0, required, &months)
}

/// extractansiintervaldays.
fn days_of(b: &Build<'_>, interval: Expr) -> Expr {
    let nullable = interval.nullable();
    row_call("extractansiintervaldays", vec![interval], DataType::Integer, nullable, true, b.ansi(), |_, v| {
        Ok(Value::Integer((v[0].as_i64().unwrap_or(0) / MICROS_PER_DAY) as i32))
    })
}

/// The expression for + - * / over dates, times and intervals; None when it is plain arithmetic.
pub(super) fn date_time(
    b: &mut Build<'_>,
    op: &str,
    left: &Expr,
    right: &Expr,
    mode: EvalMode,
) -> Result<Option<Expr>> {
    use DataType as T;
    let (lt, rt) = (left.data_type(), right.data_type());
    let (l, r) = (left.clone(), right.clone());
    let ansi = b.ansi();
    let is_ts = |t: &T| matches!(t, T::Timestamp | T::TimestampNtz);
    let is_interval = |t: &T| t.is_ansi_interval() || *t == T::CalendarInterval;
    let day_only = |t: &T| matches!(t, T::DayTimeInterval { start: 0, end: 0 });
    let day_time = |t: &T| matches!(t, T::DayTimeInterval { .. });
    let guarded = |e: Expr| {
        if mode != EvalMode::Try {
            return e;
        }
        let t = e.data_type();
        crate::functions::row::call("try_eval", vec![e], t, true, crate::functions::row::Special)
    };
    if let Some(moved) = super::times::arithmetic(b, op, left, right)? {
        return Ok(Some(moved));
    }
    Ok(Some(match op {
        "+" => match (&lt, &rt) {
            (T::Date, t) if day_only(t) => {
                let days = days_of(b, r);
                b.invoke("date_add", vec![l, days])?
            }
            (t, T::Date) if day_only(t) => {
                let days = days_of(b, l);
                b.invoke("date_add", vec![r, days])?
            }
            // TimestampAddInterval is tried, and has no time to move.
            (T::YearMonthInterval { .. }, t) if day_time(t) => return Err(no_time(l, r)),
            (t, T::YearMonthInterval { .. }) if day_time(t) => return Err(no_time(r, l)),
            (T::Date, t) if day_time(t) => guarded(moved(b, false, cast_to(l, &T::Timestamp, ansi), r)),
            (t, T::Date) if day_time(t) => guarded(moved(b, false, cast_to(r, &T::Timestamp, ansi), l)),
            (t, i) if (is_ts(t) || *t == T::Date) && is_interval(i) => guarded(moved(b, false, l, r)),
            (i, t) if (is_ts(t) || *t == T::Date) && is_interval(i) => guarded(moved(b, false, r, l)),
            (t, i) if t.is_string() && is_interval(i) => {
                cast_to(moved(b, false, cast_to(l, &T::Timestamp, ansi), r), &T::String, ansi)
            }
            (i, t) if t.is_string() && is_interval(i) => {
                cast_to(moved(b, false, cast_to(r, &T::Timestamp, ansi), l), &T::String, ansi)
            }
            // A text beside a date is cast to one before it is found to be no number of days.
            (T::Date, t) if t.is_string() && ansi => b.invoke("date_add", vec![l, cast_to(r, &T::Date, ansi)])?,
            (t, T::Date) if t.is_string() && ansi => b.invoke("date_add", vec![r, cast_to(l, &T::Date, ansi)])?,
            (T::Date, t) if !is_ts(t) => b.invoke("date_add", vec![l, r])?,
            (t, T::Date) if !is_ts(t) => b.invoke("date_add", vec![r, l])?,
            _ => return Ok(None),
        },
        "-" => match (&lt, &rt) {
            (T::Date, t) if day_only(t) => {
                let days = days_of(b, r);
                let minus = b.invoke("-", vec![days])?;
                b.invoke("date_add", vec![l, minus])?
            }
            (T::Date, t) if day_time(t) => guarded(moved(b, true, cast_to(l, &T::Timestamp, ansi), r)),
            (t, i) if (is_ts(t) || *t == T::Date) && is_interval(i) => guarded(moved(b, true, l, r)),
            (t, i) if t.is_string() && is_interval(i) => {
                cast_to(moved(b, true, cast_to(l, &T::Timestamp, ansi), r), &T::String, ansi)
            }
            (a, c) if is_ts(a) || is_ts(c) => {
                let target = if *a == T::TimestampNtz || *c == T::TimestampNtz && !matches!(a, T::Timestamp) {
                    T::TimestampNtz
                } else {
                    T::Timestamp
                };
                let fits = |t: &T| t.is_datetime() || t.is_string() || *t == T::Null;
                if !fits(a) || !fits(c) {
                    return Ok(None);
                }
                let (l, r) = (cast_to(l, &target, ansi), cast_to(r, &target, ansi));
                let nullable = l.nullable() || r.nullable();
                row_call("-", vec![l, r], T::INTERVAL_DT, nullable, true, ansi, |c, v| {
                    let local = |v: &Value| match v {
                        Value::Timestamp(t) => c.zone().to_local(*t),
                        v => v.as_i64().unwrap_or(0),
                    };
                    Ok(Value::DayTimeInterval(local(&v[0]).wrapping_sub(local(&v[1]))))
                })
            }
            (a, T::Date) | (T::Date, a) if *a == T::Date || a.is_string() => {
                let (l, r) = (cast_to(l, &T::Date, ansi), cast_to(r, &T::Date, ansi));
                let nullable = l.nullable() || r.nullable();
                let result = T::DayTimeInterval { start: 0, end: 0 };
                row_call("-", vec![l, r], result, nullable, true, ansi, |_, v| {
                    let days = v[0].as_i64().unwrap_or(0) - v[1].as_i64().unwrap_or(0);
                    Ok(Value::DayTimeInterval(days * MICROS_PER_DAY))
                })
            }
            (T::Date, _) => b.invoke("date_sub", vec![l, r])?,
            _ => return Ok(None),
        },
        "*" | "/" => {
            let (interval, number, divides) = if is_interval(&lt) && (rt.is_numeric() || rt.is_string()) {
                (l, r, op == "/")
            } else if op == "*" && is_interval(&rt) && (lt.is_numeric() || lt.is_string()) {
                (r, l, false)
            } else {
                return Ok(None);
            };
            let number = if number.data_type().is_string() || interval.data_type() == T::CalendarInterval {
                cast_to(number, &T::Double, ansi)
            } else {
                number
            };
            let result = match interval.data_type() {
                T::YearMonthInterval { .. } => T::INTERVAL_YM,
                T::DayTimeInterval { .. } => T::INTERVAL_DT,
                other => other,
            };
            let nullable = interval.nullable() || number.nullable();
            // MultiplyDTInterval and its kin have the interval first, also for `number * interval`.
            let args = vec![interval, number];
            guarded(row_call(op, args, result, nullable, true, ansi, if divides { divide } else { multiply }))
        }
        _ => return Ok(None),
    }))
}

/// An interval's number and how to make the interval again; both orders of operands are taken.
fn split(v: &[Value]) -> (&Value, &Value) {
    match &v[0] {
        Value::YearMonthInterval(_) | Value::DayTimeInterval(_) | Value::CalendarInterval { .. } => (&v[0], &v[1]),
        _ => (&v[1], &v[0]),
    }
}

fn rebuild(like: &Value, n: i128) -> Result<Value> {
    match like {
        Value::YearMonthInterval(_) => i32::try_from(n).map(Value::YearMonthInterval).map_err(|_| overflow("")),
        _ => i64::try_from(n).map(Value::DayTimeInterval).map_err(|_| overflow("")),
    }
}

/// Half up, away from zero at ties.
fn round_half_up(x: f64) -> Option<i128> {
    if !x.is_finite() {
        return None;
    }
    Some(x.round() as i128)
}

fn multiply(_: &crate::functions::row::RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (interval, number) = split(v);
    if let Value::CalendarInterval { months, days, micros } = interval {
        return calendar(*months, *days, *micros, number.as_f64().unwrap_or(0.0));
    }
    let n = i128::from(interval.as_i64().unwrap_or(0));
    let product = match number {
        Value::Decimal(d, _, s) => n.checked_mul(*d).and_then(|p| crate::value::text::rescale(p, *s, 0)),
        Value::Float(_) | Value::Double(_) => round_half_up(n as f64 * number.as_f64().unwrap_or(0.0)),
        other => n.checked_mul(i128::from(other.as_i64().unwrap_or(0))),
    };
    rebuild(interval, product.ok_or_else(|| overflow(""))?)
}

fn divide(_: &crate::functions::row::RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (interval, number) = split(v);
    if number.as_f64() == Some(0.0) {
        return Err(SparkError::new(ErrorClass::Arithmetic, "INTERVAL_DIVIDED_BY_ZERO", &[]));
    }
    if let Value::CalendarInterval { months, days, micros } = interval {
        return calendar(*months, *days, *micros, 1.0 / number.as_f64().unwrap_or(1.0));
    }
    let n = i128::from(interval.as_i64().unwrap_or(0));
    let half_up = |n: i128, d: i128| {
        let (q, r) = (n / d, n % d);
        if r.unsigned_abs() * 2 >= d.unsigned_abs() { q + (if (n < 0) == (d < 0) { 1 } else { -1 }) } else { q }
    };
    let quotient = match number {
        Value::Decimal(d, _, s) => {
            let scaled = crate::value::text::pow10(u32::from(s.unsigned_abs())).and_then(|p| n.checked_mul(p));
            scaled.map(|n| half_up(n, *d))
        }
        Value::Float(_) | Value::Double(_) => round_half_up(n as f64 / number.as_f64().unwrap_or(1.0)),
        other => Some(half_up(n, i128::from(other.as_i64().unwrap_or(1)))),
    };
    rebuild(interval, quotient.ok_or_else(|| overflow(""))?)
}

/// IntervalUtils.multiplyExact: fractions of months and days move down.
fn calendar(months: i32, days: i32, micros: i64, by: f64) -> Result<Value> {
    let m = f64::from(months) * by;
    let d = f64::from(days) * by;
    let whole_days = d.trunc();
    let rest = micros as f64 * by + (d - whole_days) * MICROS_PER_DAY as f64;
    Ok(Value::CalendarInterval { months: m as i32, days: whole_days as i32, micros: rest.round() as i64 })
}
