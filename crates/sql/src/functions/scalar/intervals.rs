//! Arithmetic on dates, times and intervals (BinaryArithmeticWithDatetimeResolver and its expressions).

use arrow::array::ArrayRef;

use super::dates::Local;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::coercion::cast_to;
use crate::functions::datetime::calendar::add_months;
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::Build;
use crate::functions::typed::{
    Calendar, Columns, Day, DayTime, Decimal, Moment, Read, Real, Whole, YearMonth, column_call, each, plain_two, two,
};
use crate::types::DataType;
use crate::value::text::{MICROS_PER_DAY, pow10, rescale};

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

fn time_overflow() -> SparkError {
    SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", "add an interval to a timestamp")])
}

/// A date or moment and an interval of any kind, put together (TimestampAddInterval, DateAddInterval and those of months).
fn moved(b: &Build<'_>, time: Expr, interval: Expr) -> Expr {
    let t = time.data_type();
    let nullable = time.nullable() || interval.nullable();
    column_call("+", vec![time, interval], t, nullable, true, b.ansi(), moved_by)
}

/// The same taken apart: the interval's opposite is added (DatetimeSub).
fn moved_back(b: &mut Build<'_>, time: Expr, interval: Expr) -> Result<Expr> {
    let back = b.invoke("-", vec![interval.clone()])?;
    let start =
        if time.data_type() == DataType::Date && matches!(interval.data_type(), DataType::DayTimeInterval { .. }) {
            cast_to(time.clone(), &DataType::Timestamp, b.ansi())
        } else {
            time.clone()
        };
    let value = moved(b, start, back);
    let (t, nullable) = (value.data_type(), value.nullable());
    Ok(super::replaced("-", vec![time, interval], value, t, nullable))
}

/// A moment that was moved by days or less is cast to the type that it has.
fn as_it_was(moved: Expr, time: &DataType, interval: &DataType) -> Expr {
    let cast = matches!(time, DataType::Timestamp | DataType::TimestampNtz)
        && matches!(interval, DataType::DayTimeInterval { .. } | DataType::CalendarInterval);
    if !cast {
        return moved;
    }
    let mode = crate::expr::EvalMode::Legacy;
    Expr::Cast { child: Box::new(moved), to: time.clone(), mode, implicit: true, site: crate::expr::Site::default() }
}

fn moved_by(c: &Columns<'_>) -> Result<ArrayRef> {
    match c.types[1] {
        DataType::YearMonthInterval { .. } => shifted::<YearMonth>(c, |months| Some((months, 0, 0))),
        DataType::CalendarInterval => shifted::<Calendar>(c, Some),
        _ => shifted::<DayTime>(c, |us| Some((0, i32::try_from(us / MICROS_PER_DAY).ok()?, us % MICROS_PER_DAY))),
    }
}

/// Months, days and microseconds.
pub(super) type Parts = (i32, i32, i64);

fn shifted<I: Read>(c: &Columns<'_>, parts: for<'i> fn(I::Item<'i>) -> Option<Parts>) -> Result<ArrayRef> {
    if c.types[0] != DataType::Date {
        let zone = if c.types[0] == DataType::TimestampNtz { &Zone::UTC } else { c.zone() };
        return two::<Moment, I, Moment>(c, &|at, interval| {
            let moved = parts(interval).and_then(|(months, days, micros)| add_interval(at, months, days, micros, zone));
            moved.map(Some).ok_or_else(time_overflow)
        });
    }
    // DateAddInterval: a date has no place for a time of day.
    let whole = c.ansi && c.types[1] == DataType::CalendarInterval;
    two::<Day, I, Day>(c, &|at, interval| {
        let parts = parts(interval);
        if whole && parts.is_some_and(|(_, _, micros)| micros != 0) {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION",
                &[],
            ));
        }
        let moved = parts.and_then(|(months, days, micros)| {
            let day = add_months(at.into(), i64::from(months)).checked_add(i64::from(days))?;
            i32::try_from(day.checked_add(micros.div_euclid(MICROS_PER_DAY))?).ok()
        });
        moved.map(Some).ok_or_else(time_overflow)
    })
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
    column_call("extractansiintervaldays", vec![interval], DataType::Integer, nullable, true, b.ansi(), |c| {
        c.plain(&|us| us / MICROS_PER_DAY)
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
            (T::Date, t) if day_time(t) => guarded(moved(b, cast_to(l, &T::Timestamp, ansi), r)),
            (t, T::Date) if day_time(t) => guarded(moved(b, cast_to(r, &T::Timestamp, ansi), l)),
            (t, i) if (is_ts(t) || *t == T::Date) && is_interval(i) => as_it_was(guarded(moved(b, l, r)), t, i),
            (i, t) if (is_ts(t) || *t == T::Date) && is_interval(i) => as_it_was(guarded(moved(b, r, l)), t, i),
            (t, i) if t.is_string() && is_interval(i) => {
                cast_to(moved(b, cast_to(l, &T::Timestamp, ansi), r), &T::String, ansi)
            }
            (i, t) if t.is_string() && is_interval(i) => {
                cast_to(moved(b, cast_to(r, &T::Timestamp, ansi), l), &T::String, ansi)
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
            (T::Date, t) if day_time(t) => guarded(moved_back(b, l, r)?),
            (t, i) if (is_ts(t) || *t == T::Date) && is_interval(i) => as_it_was(guarded(moved_back(b, l, r)?), t, i),
            (t, i) if t.is_string() && is_interval(i) => {
                cast_to(moved_back(b, cast_to(l, &T::Timestamp, ansi), r)?, &T::String, ansi)
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
                column_call("-", vec![l, r], T::INTERVAL_DT, nullable, true, ansi, |c| {
                    let (x, y) = (Local::of(c, 0)?, Local::of(c, 1)?);
                    each::<DayTime>(c, &|row| Ok(x.get(row).zip(y.get(row)).map(|(x, y)| x.wrapping_sub(y))))
                })
            }
            (a, T::Date) | (T::Date, a) if *a == T::Date || a.is_string() => {
                let (l, r) = (cast_to(l, &T::Date, ansi), cast_to(r, &T::Date, ansi));
                let nullable = l.nullable() || r.nullable();
                let result = T::DayTimeInterval { start: 0, end: 0 };
                column_call("-", vec![l, r], result, nullable, true, ansi, |c| {
                    plain_two(c, &|x, y| (x - y).wrapping_mul(MICROS_PER_DAY))
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
            guarded(column_call(op, args, result, nullable, true, ansi, if divides { divide } else { multiply }))
        }
        _ => return Ok(None),
    }))
}

/// An interval's months or microseconds, which have to fit it.
fn fitting(c: &Columns<'_>, n: Option<i128>) -> Result<Option<i64>> {
    let fits = match c.result {
        DataType::YearMonthInterval { .. } => n.and_then(|n| i32::try_from(n).ok()).map(i64::from),
        _ => n.and_then(|n| i64::try_from(n).ok()),
    };
    fits.map(Some).ok_or_else(|| overflow(""))
}

/// Half up, away from zero at ties.
fn round_half_up(x: f64) -> Option<i128> {
    if !x.is_finite() {
        return None;
    }
    Some(x.round() as i128)
}

fn multiply(c: &Columns<'_>) -> Result<ArrayRef> {
    match (&c.types[0], &c.types[1]) {
        (DataType::CalendarInterval, _) => {
            two::<Calendar, Real, Calendar>(c, &|interval, by| Ok(Some(calendar(interval, by))))
        }
        (_, DataType::Decimal { scale, .. }) => two::<Whole, Decimal, Whole>(c, &|n, by| {
            fitting(c, i128::from(n).checked_mul(by).and_then(|product| rescale(product, *scale, 0)))
        }),
        (_, DataType::Float | DataType::Double) => {
            two::<Whole, Real, Whole>(c, &|n, by| fitting(c, round_half_up(n as f64 * by)))
        }
        _ => two::<Whole, Whole, Whole>(c, &|n, by| fitting(c, i128::from(n).checked_mul(by.into()))),
    }
}

fn divide(c: &Columns<'_>) -> Result<ArrayRef> {
    let half_up = |n: i128, d: i128| {
        let (q, r) = (n / d, n % d);
        if r.unsigned_abs() * 2 >= d.unsigned_abs() { q + (if (n < 0) == (d < 0) { 1 } else { -1 }) } else { q }
    };
    let checked = |zero: bool| {
        if zero { Err(SparkError::new(ErrorClass::Arithmetic, "INTERVAL_DIVIDED_BY_ZERO", &[])) } else { Ok(()) }
    };
    match (&c.types[0], &c.types[1]) {
        (DataType::CalendarInterval, _) => two::<Calendar, Real, Calendar>(c, &|interval, by| {
            checked(by == 0.0)?;
            Ok(Some(calendar(interval, 1.0 / by)))
        }),
        (_, DataType::Decimal { scale, .. }) => {
            let unit = pow10(u32::from(scale.unsigned_abs()));
            two::<Whole, Decimal, Whole>(c, &|n, by| {
                checked(by == 0)?;
                fitting(c, unit.and_then(|p| i128::from(n).checked_mul(p)).map(|n| half_up(n, by)))
            })
        }
        (_, DataType::Float | DataType::Double) => two::<Whole, Real, Whole>(c, &|n, by| {
            checked(by == 0.0)?;
            fitting(c, round_half_up(n as f64 / by))
        }),
        _ => two::<Whole, Whole, Whole>(c, &|n, by| {
            checked(by == 0)?;
            fitting(c, Some(half_up(n.into(), by.into())))
        }),
    }
}

/// IntervalUtils.multiplyExact: fractions of months and days move down.
fn calendar((months, days, micros): Parts, by: f64) -> Parts {
    let m = f64::from(months) * by;
    let d = f64::from(days) * by;
    let whole_days = d.trunc();
    let rest = micros as f64 * by + (d - whole_days) * MICROS_PER_DAY as f64;
    (m as i32, whole_days as i32, rest.round() as i64)
}
