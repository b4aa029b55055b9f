//! Functions of dates and times.

use super::super::datetime::calendar::{
    add_months, checked_days, civil_from_days, day_of_year, days_from_civil, days_in_month, iso_day_of_week, iso_week,
};
use super::super::datetime::pattern::Pattern;
use super::super::datetime::zone::Zone;
use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::functions::cast::{CastContext, cast_value};
use crate::functions::coercion::{In, cast_to, check_inputs, eval_mode};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, call, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, pow10};

const DATE: &[In] = &[In::Date];
const TIME: &[In] = &[In::AnyTs];
const I: Ret = Ret::Is(T::Int);
const SMALL: In = In::Either(&[In::Int, In::Short, In::Byte]);

macro_rules! date_part {
    ($name:literal, $f:expr) => {
        FunctionEntry::row($name, 1, 1, DATE, I, Nulls::Strict, |_, v| {
            let days = v[0].as_i64().unwrap_or(0);
            let f: fn(i64) -> i64 = $f;
            Ok(Value::Integer(f(days) as i32))
        })
    };
}

macro_rules! time_part {
    ($name:literal, $f:expr) => {
        FunctionEntry::custom($name, 1, 1, |b, args| {
            let args = timed(b, args)?;
            let nullable = args[0].nullable();
            Ok(row_call($name, args, DataType::Integer, nullable, true, b.ansi(), |c, v| {
                let second = local(c, &v[0]).rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND;
                let f: fn(i64) -> i64 = $f;
                Ok(Value::Integer(f(second) as i32))
            }))
        })
    };
}

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    date_part!("year", |d| civil_from_days(d).0),
    date_part!("quarter", |d| i64::from((civil_from_days(d).1 - 1) / 3 + 1)),
    date_part!("month", |d| i64::from(civil_from_days(d).1)),
    date_part!("day", |d| i64::from(civil_from_days(d).2)),
    date_part!("dayofmonth", |d| i64::from(civil_from_days(d).2)),
    date_part!("dayofyear", day_of_year),
    date_part!("dayofweek", |d| iso_day_of_week(d) % 7 + 1),
    date_part!("weekday", |d| iso_day_of_week(d) - 1),
    date_part!("dayofweek_iso", iso_day_of_week),
    date_part!("weekofyear", |d| iso_week(d).1),
    date_part!("yearofweek", |d| iso_week(d).0),
    FunctionEntry::row("dayname", 1, 1, DATE, Ret::Is(T::Str), Nulls::Strict, |_, v| named(&v[0], "EEE")),
    FunctionEntry::row("monthname", 1, 1, DATE, Ret::Is(T::Str), Nulls::Strict, |_, v| named(&v[0], "MMM")),
    time_part!("hour", |x| x / 3600),
    time_part!("minute", |x| x / 60 % 60),
    time_part!("second", |x| x % 60),
    FunctionEntry::custom("secondwithfraction", 1, 1, |b, a| {
        let a = timed(b, a)?;
        let nullable = a[0].nullable();
        Ok(row_call("secondwithfraction", a, DataType::decimal(8, 6), nullable, true, b.ansi(), |c, v| {
            Ok(Value::Decimal(i128::from(local(c, &v[0]).rem_euclid(60 * MICROS_PER_SECOND)), 8, 6))
        }))
    }),
    FunctionEntry::custom("extract", 2, 2, extract),
    FunctionEntry::custom("date_part", 2, 2, extract),
    FunctionEntry::custom("datepart", 2, 2, extract),
    FunctionEntry::custom("date_add", 2, 2, date_add),
    FunctionEntry::custom("dateadd", 2, 2, date_add),
    FunctionEntry::custom("date_sub", 2, 2, date_add),
    FunctionEntry::row("datediff", 2, 2, DATE, I, Nulls::Strict, days_between),
    FunctionEntry::row("date_diff", 2, 2, DATE, I, Nulls::Strict, days_between),
    FunctionEntry::row("add_months", 2, 2, &[In::Date, In::Int], Ret::Is(T::Date), Nulls::Strict, |_, v| {
        let moved = add_months(v[0].as_i64().unwrap_or(0), v[1].as_i64().unwrap_or(0));
        i32::try_from(moved).map(Value::Date).map_err(|_| super::overflow("overflow", ""))
    }),
    FunctionEntry::custom("months_between", 2, 3, months_between),
    FunctionEntry::row("last_day", 1, 1, DATE, Ret::Is(T::Date), Nulls::Strict, |_, v| {
        let days = v[0].as_i64().unwrap_or(0);
        let (y, m, d) = civil_from_days(days);
        Ok(Value::Date((days + i64::from(days_in_month(y, m) - d)) as i32))
    }),
    FunctionEntry::row("next_day", 2, 2, &[In::Date, In::Str], Ret::Is(T::Date), Nulls::StrictNullable, next_day),
    FunctionEntry::row("trunc", 2, 2, &[In::Date, In::Str], Ret::Is(T::Date), Nulls::StrictNullable, |_, v| {
        let unit = CalendarUnit::of(s(&v[1]));
        Ok(unit.map_or(Value::Null, |unit| Value::Date(unit.first_day(v[0].as_i64().unwrap_or(0)) as i32)))
    }),
    FunctionEntry::row("date_trunc", 2, 2, &[In::Str, In::Ts], Ret::Is(T::Ts), Nulls::StrictNullable, |c, v| {
        let unit = TruncUnit::of(s(&v[0]));
        Ok(unit.map_or(Value::Null, |unit| Value::Timestamp(unit.truncate(v[1].as_i64().unwrap_or(0), c.zone()))))
    }),
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
    FunctionEntry::row("from_utc_timestamp", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Ts), Nulls::Strict, |_, v| {
        Ok(Value::Timestamp(Zone::of(s(&v[1]))?.to_local(v[0].as_i64().unwrap_or(0))))
    }),
    FunctionEntry::row("to_utc_timestamp", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Ts), Nulls::Strict, |_, v| {
        Ok(Value::Timestamp(Zone::of(s(&v[1]))?.to_utc(v[0].as_i64().unwrap_or(0))))
    }),
    FunctionEntry::custom("convert_timezone", 2, 3, convert_timezone),
    FunctionEntry::custom("timestamp_seconds", 1, 1, timestamp_seconds),
    FunctionEntry::row("timestamp_millis", 1, 1, &[In::Integral], Ret::Is(T::Ts), Nulls::Strict, |_, v| {
        scaled(v, 1000, "milliseconds")
    })
    .exact(),
    FunctionEntry::row("timestamp_micros", 1, 1, &[In::Integral], Ret::Is(T::Ts), Nulls::Strict, |_, v| {
        scaled(v, 1, "microseconds")
    })
    .exact(),
    FunctionEntry::row("unix_seconds", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, |_, v| {
        Ok(Value::Long(v[0].as_i64().unwrap_or(0).div_euclid(MICROS_PER_SECOND)))
    }),
    FunctionEntry::row("unix_millis", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, |_, v| {
        Ok(Value::Long(v[0].as_i64().unwrap_or(0).div_euclid(1000)))
    }),
    FunctionEntry::row("unix_micros", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, |_, v| {
        Ok(Value::Long(v[0].as_i64().unwrap_or(0)))
    }),
    FunctionEntry::row("unix_date", 1, 1, DATE, I, Nulls::Strict, |_, v| {
        Ok(Value::Integer(v[0].as_i64().unwrap_or(0) as i32))
    }),
    FunctionEntry::row("date_from_unix_date", 1, 1, &[In::Int], Ret::Is(T::Date), Nulls::Strict, |_, v| {
        Ok(Value::Date(v[0].as_i64().unwrap_or(0) as i32))
    }),
    FunctionEntry::custom("current_timestamp", 0, 0, now),
    FunctionEntry::custom("now", 0, 0, now),
    FunctionEntry::custom("localtimestamp", 0, 0, now),
    FunctionEntry::custom("current_date", 0, 0, now),
    FunctionEntry::custom("curdate", 0, 0, now),
    FunctionEntry::custom("current_timezone", 0, 0, now),
];

/// A timestamp or, when the type is switched on, a time of day.
fn timed(b: &Build<'_>, args: Vec<Expr>) -> Result<Vec<Expr>> {
    if super::times::is_time(&args[0]) {
        super::times::enabled(b.conf)?;
        return Ok(args);
    }
    b.inputs(args, TIME)
}

/// Microseconds on the wall clock of the session.
fn local(c: &RowContext<'_>, v: &Value) -> i64 {
    match v {
        Value::Timestamp(t) => c.zone().to_local(*t),
        Value::Date(d) => i64::from(*d) * MICROS_PER_DAY,
        Value::Time(t) => t / 1000,
        v => v.as_i64().unwrap_or(0),
    }
}

fn named(v: &Value, pattern: &str) -> Result<Value> {
    let micros = v.as_i64().unwrap_or(0) * MICROS_PER_DAY;
    Ok(Value::from(Pattern::new(pattern, false)?.format(micros, &Zone::UTC)))
}

/// extract(field FROM source), date_part(field, source).
fn extract(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let Expr::Literal { value: Value::String(field), .. } = &args[0] else {
        return Err(SparkError::analysis(
            "NON_FOLDABLE_ARGUMENT",
            &[("funcName", &format!("`{}`", b.name)), ("paramName", "`field`"), ("paramType", "\"STRING\"")],
        ));
    };
    let source = args[1].clone();
    let t = source.data_type();
    let interval = t.is_ansi_interval() || t == DataType::CalendarInterval;
    let name = match field.to_uppercase().as_str() {
        "YEAR" | "Y" | "YEARS" | "YR" | "YRS" => "year",
        "MONTH" | "MON" | "MONS" | "MONTHS" => "month",
        "DAY" | "D" | "DAYS" => "day",
        "HOUR" | "H" | "HOURS" | "HR" | "HRS" => "hour",
        "MINUTE" | "M" | "MIN" | "MINS" | "MINUTES" => "minute",
        "SECOND" | "S" | "SEC" | "SECONDS" | "SECS" => "secondwithfraction",
        _ if interval => "",
        "YEAROFWEEK" => "yearofweek",
        "QUARTER" | "QTR" => "quarter",
        "WEEK" | "W" | "WEEKS" => "weekofyear",
        "DAYOFWEEK" | "DOW" => "dayofweek",
        "DAYOFWEEK_ISO" | "DOW_ISO" => "dayofweek_iso",
        "DOY" => "dayofyear",
        _ => "",
    };
    if name.is_empty() {
        return Err(SparkError::analysis(
            "INVALID_EXTRACT_FIELD",
            &[("field", &format!("`{field}`")), ("expr", &describe::quoted(&source))],
        ));
    }
    let value = if interval { interval_part(b, name, source) } else { b.invoke(name, vec![source])? };
    // The text of the call stays that of extract: the replacement is what runs.
    let (data_type, nullable) = (value.data_type(), value.nullable());
    let shown = if b.name == "extract" { "extract" } else { b.name };
    Ok(super::replaced(shown, args, value, data_type, nullable))
}

fn interval_part(b: &Build<'_>, name: &str, source: Expr) -> Expr {
    let nullable = source.nullable();
    let (t, eval): (DataType, RowEval) = match name {
        "year" => (DataType::Integer, |_, v| {
            Ok(Value::Integer(match &v[0] {
                Value::CalendarInterval { months, .. } | Value::YearMonthInterval(months) => months / 12,
                _ => 0,
            }))
        }),
        "month" => (DataType::Byte, |_, v| {
            Ok(Value::Byte(match &v[0] {
                Value::CalendarInterval { months, .. } | Value::YearMonthInterval(months) => (months % 12) as i8,
                _ => 0,
            }))
        }),
        "day" => (DataType::Integer, |_, v| {
            Ok(Value::Integer(match &v[0] {
                Value::CalendarInterval { days, .. } => *days,
                v => (v.as_i64().unwrap_or(0) / MICROS_PER_DAY) as i32,
            }))
        }),
        "hour" => (DataType::Byte, |_, v| Ok(Value::Byte((micros_of(&v[0]) % MICROS_PER_DAY / 3_600_000_000) as i8))),
        "minute" => (DataType::Byte, |_, v| Ok(Value::Byte((micros_of(&v[0]) % 3_600_000_000 / 60_000_000) as i8))),
        _ => (DataType::decimal(8, 6), |_, v| Ok(Value::Decimal(i128::from(micros_of(&v[0]) % 60_000_000), 8, 6))),
    };
    row_call(name, vec![source], t, nullable, true, b.ansi(), eval)
}

fn micros_of(v: &Value) -> i64 {
    match v {
        Value::CalendarInterval { micros, .. } => *micros,
        v => v.as_i64().unwrap_or(0),
    }
}

fn date_add(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let name = if b.name == "dateadd" { "date_add" } else { b.name };
    let ansi = b.ansi();
    // The date side is cast (text, timestamps); the number of days is taken as it is.
    let t = args[0].data_type();
    if t.is_string() || matches!(t, DataType::Timestamp | DataType::TimestampNtz | DataType::Null) {
        args[0] = cast_to(args[0].clone(), &DataType::Date, ansi);
    }
    let days = args[1].data_type();
    if days == DataType::Null || days.is_string() {
        args[1] = cast_to(args[1].clone(), &DataType::Integer, ansi);
    }
    let args =
        super::super::coercion::check_inputs(args, &[In::Date, SMALL], false, ansi, &|a| describe::call_text(name, a))?;
    let nullable = args.iter().any(Expr::nullable);
    let eval: RowEval = if name == "date_sub" {
        |_, v| Ok(Value::Date((v[0].as_i64().unwrap_or(0) - v[1].as_i64().unwrap_or(0)) as i32))
    } else {
        |_, v| Ok(Value::Date((v[0].as_i64().unwrap_or(0) + v[1].as_i64().unwrap_or(0)) as i32))
    };
    Ok(row_call(name, args, DataType::Date, nullable, true, ansi, eval))
}

fn days_between(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    Ok(Value::Integer((v[0].as_i64().unwrap_or(0) - v[1].as_i64().unwrap_or(0)) as i32))
}

/// DateTimeUtils.monthsBetween.
fn months_between(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Ts, In::Ts, In::Bool])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("months_between", args, DataType::Double, nullable, true, b.ansi(), |c, v| {
        let (x, y) = (local(c, &v[0]), local(c, &v[1]));
        let (dx, dy) = (x.div_euclid(MICROS_PER_DAY), y.div_euclid(MICROS_PER_DAY));
        let ((y1, m1, d1), (y2, m2, d2)) = (civil_from_days(dx), civil_from_days(dy));
        let months = (y1 * 12 + i64::from(m1) - y2 * 12 - i64::from(m2)) as f64;
        let last = |y, m, d| d == days_in_month(y, m);
        if d1 == d2 || (last(y1, m1, d1) && last(y2, m2, d2)) {
            return Ok(Value::Double(months));
        }
        let seconds = |local: i64| local.rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND;
        let rest = (i64::from(d1) - i64::from(d2)) * 86_400 + seconds(x) - seconds(y);
        let diff = months + rest as f64 / 2_678_400.0;
        // Rounded to eight digits, half up as BigDecimal does.
        let rounded = if v[2] == Value::Boolean(true) { (diff * 1e8).round() / 1e8 } else { diff };
        Ok(Value::Double(rounded))
    }))
}

fn next_day(c: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let wanted = match s(&v[1]).trim().to_uppercase().as_str() {
        "MO" | "MON" | "MONDAY" => 1,
        "TU" | "TUE" | "TUESDAY" => 2,
        "WE" | "WED" | "WEDNESDAY" => 3,
        "TH" | "THU" | "THURSDAY" => 4,
        "FR" | "FRI" | "FRIDAY" => 5,
        "SA" | "SAT" | "SATURDAY" => 6,
        "SU" | "SUN" | "SUNDAY" => 7,
        _ if c.ansi => {
            return Err(SparkError::new(ErrorClass::IllegalArgument, "ILLEGAL_DAY_OF_WEEK", &[("string", s(&v[1]))]));
        }
        _ => return Ok(Value::Null),
    };
    let days = v[0].as_i64().unwrap_or(0);
    let step = (wanted - iso_day_of_week(days)).rem_euclid(7);
    Ok(Value::Date((days + if step == 0 { 7 } else { step }) as i32))
}

/// A unit that moments are cut to.
#[derive(Clone, Copy)]
pub(in crate::functions) enum TruncUnit {
    /// Microseconds, counted from the epoch.
    Below(i64),
    /// Microseconds, counted from midnight of the zone.
    InDay(i64),
    Day,
    Calendar(CalendarUnit),
}

/// Units of whole days.
#[derive(Clone, Copy)]
pub(in crate::functions) enum CalendarUnit {
    Week,
    Month,
    Quarter,
    Year,
}

impl CalendarUnit {
    fn of(name: &str) -> Option<Self> {
        Some(match name.to_uppercase().as_str() {
            "WEEK" => Self::Week,
            "MON" | "MONTH" | "MM" => Self::Month,
            "QUARTER" => Self::Quarter,
            "YEAR" | "YYYY" | "YY" => Self::Year,
            _ => return None,
        })
    }

    /// The first day of the unit that a day is in.
    fn first_day(self, days: i64) -> i64 {
        let (y, m, _) = civil_from_days(days);
        match self {
            Self::Week => days - (iso_day_of_week(days) - 1),
            Self::Month => days_from_civil(y, m, 1),
            Self::Quarter => days_from_civil(y, (m - 1) / 3 * 3 + 1, 1),
            Self::Year => days_from_civil(y, 1, 1),
        }
    }
}

impl TruncUnit {
    /// A unit's name, in any case.
    pub(in crate::functions) fn of(name: &str) -> Option<Self> {
        Some(match name.to_uppercase().as_str() {
            "MICROSECOND" => Self::Below(1),
            "MILLISECOND" => Self::Below(1000),
            "SECOND" => Self::Below(MICROS_PER_SECOND),
            "MINUTE" => Self::InDay(60 * MICROS_PER_SECOND),
            "HOUR" => Self::InDay(3600 * MICROS_PER_SECOND),
            "DAY" | "DD" => Self::Day,
            other => Self::Calendar(CalendarUnit::of(other)?),
        })
    }

    /// DateTimeUtils.truncTimestamp.
    pub(in crate::functions) fn truncate(self, micros: i64, zone: &Zone) -> i64 {
        match self {
            Self::Below(step) => micros - micros.rem_euclid(step),
            // Below a day the offset in force is kept, also across a change of it.
            Self::InDay(step) => {
                let offset = zone.offset_at(micros) * MICROS_PER_SECOND;
                let local = micros + offset;
                local - local.rem_euclid(step) - offset
            }
            Self::Day => {
                let local = zone.to_local(micros);
                zone.to_utc(local - local.rem_euclid(MICROS_PER_DAY))
            }
            Self::Calendar(unit) => {
                let day = zone.to_local(micros).div_euclid(MICROS_PER_DAY);
                zone.to_utc(unit.first_day(day) * MICROS_PER_DAY)
            }
        }
    }
}

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
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("from_unixtime", args, DataType::String, nullable, true, b.ansi(), |c, v| {
        let pattern = c.cached(s(&v[1]), |p| Pattern::new(p, false))?;
        let micros = v[0].as_i64().unwrap_or(0).saturating_mul(MICROS_PER_SECOND);
        Ok(Value::from(pattern.format(micros, c.zone())))
    }))
}

fn convert_timezone(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.insert(0, now_call("current_timezone", DataType::String));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Ntz])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("convert_timezone", args, DataType::TimestampNtz, nullable, true, b.ansi(), |_, v| {
        let (from, to) = (Zone::of(s(&v[0]))?, Zone::of(s(&v[1]))?);
        Ok(Value::TimestampNtz(to.to_local(from.to_utc(v[2].as_i64().unwrap_or(0)))))
    }))
}

fn timestamp_seconds(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = check_inputs(args, &[In::Num], false, b.ansi(), &|a| describe::call_text("timestamp_seconds", a))?;
    let floating = matches!(args[0].data_type(), DataType::Float | DataType::Double);
    let nullable = args[0].nullable() || floating;
    Ok(row_call("timestamp_seconds", args, DataType::Timestamp, nullable, true, b.ansi(), |c, v| match &v[0] {
        Value::Float(_) | Value::Double(_) => {
            let x = v[0].as_f64().unwrap_or(f64::NAN);
            Ok(if x.is_nan() || x.is_infinite() { Value::Null } else { Value::Timestamp((x * 1e6) as i64) })
        }
        Value::Decimal(n, _, scale) => {
            // Finer than a microsecond: BigDecimal.longValueExact refuses.
            if *scale > 6 && pow10(u32::from(scale.unsigned_abs()) - 6).is_some_and(|p| n % p != 0) {
                return Err(SparkError::plain(ErrorClass::Arithmetic, "Rounding necessary"));
            }
            let ctx = CastContext { mode: EvalMode::Legacy, zone: c.zone() };
            cast_value(&Value::Decimal(*n, 38, *scale), &DataType::decimal(38, *scale), &DataType::Timestamp, ctx)
        }
        _ => scaled(v, MICROS_PER_SECOND, "seconds"),
    }))
}

/// A whole number of a unit of `by` microseconds.
fn scaled(v: &[Value], by: i64, unit: &str) -> Result<Value> {
    let n = v[0].as_i64().unwrap_or(0);
    n.checked_mul(by).map(Value::Timestamp).ok_or_else(|| {
        let suffix = if matches!(v[0], Value::Long(_)) { "L" } else { "" };
        let operation = format!("create a TIMESTAMP from {n}{suffix} {unit} since the epoch");
        SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", &operation)])
    })
}

fn now_call(name: &str, t: DataType) -> Expr {
    call(name, Vec::new(), t.clone(), false, Now { data_type: t })
}

/// Time of the query: the same for every row.
#[derive(Debug)]
struct Now {
    data_type: DataType,
}

impl crate::functions::Kernel for Now {
    fn evaluate(
        &self,
        _: &[arrow::array::ArrayRef],
        rows: usize,
        ctx: &crate::functions::EvalContext<'_>,
    ) -> Result<arrow::array::ArrayRef> {
        let local = ctx.conf.time_zone().to_local(ctx.now_us);
        let value = match self.data_type {
            DataType::Date => Value::Date(local.div_euclid(MICROS_PER_DAY) as i32),
            DataType::TimestampNtz => Value::TimestampNtz(local),
            DataType::String => Value::from(ctx.conf.time_zone_id()),
            _ => Value::Timestamp(ctx.now_us),
        };
        crate::value::repeat_value(&self.data_type, &value, rows)
    }
}

fn now(b: &mut Build<'_>, _: Vec<Expr>) -> Result<Expr> {
    Ok(match b.name {
        "current_date" | "curdate" => now_call("current_date", DataType::Date),
        "localtimestamp" => now_call("localtimestamp", DataType::TimestampNtz),
        "current_timezone" => now_call("current_timezone", DataType::String),
        "now" => now_call("now", DataType::Timestamp),
        _ => now_call("current_timestamp", DataType::Timestamp),
    })
}

/// DATETIME_FIELD_OUT_OF_BOUNDS.
pub(super) fn out_of_bounds(message: &str) -> SparkError {
    SparkError::new(
        ErrorClass::DateTime,
        "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION",
        &[("rangeMessage", message)],
    )
}

/// A date of its fields, or Java's words for what is wrong.
pub(super) fn date_of_fields(year: i64, month: i64, day: i64) -> std::result::Result<i64, String> {
    if !(1..=12).contains(&month) {
        return Err(format!("Invalid value for MonthOfYear (valid values 1 - 12): {month}"));
    }
    if !(1..=31).contains(&day) {
        return Err(format!("Invalid value for DayOfMonth (valid values 1 - 28/31): {day}"));
    }
    checked_days(year, month, day).ok_or_else(|| {
        if day == 29 {
            format!("Invalid date 'February 29' as '{year}' is not a leap year")
        } else {
            format!("Invalid date '{} {day}'", super::super::datetime::pattern::month_name(month as u32))
        }
    })
}
