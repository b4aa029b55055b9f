//! Parts of dates and times, and days counted on and back.

use arrow::array::ArrayRef;

use super::super::datetime::calendar::{
    add_months, checked_days, civil_from_days, day_of_year, days_in_month, iso_day_of_week, iso_week,
};
use super::super::datetime::pattern::Pattern;
use super::super::datetime::zone::Zone;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{In, cast_to};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{
    Bool, Calendar, ColumnEval, Columns, Day, Decimal, Double, Int, Moment, Opened, Text, Whole, column_call, each,
    one, plain_two, three, two, written,
};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND};

const DATE: &[In] = &[In::Date];
const TIME: &[In] = &[In::AnyTs];
const I: Ret = Ret::Is(T::Int);
const SMALL: In = In::Either(&[In::Int, In::Short, In::Byte]);

macro_rules! date_part {
    ($name:literal, $f:expr) => {
        FunctionEntry::columns($name, 1, 1, DATE, I, Nulls::Strict, |c| {
            let f: fn(i64) -> i64 = $f;
            c.plain(&f)
        })
    };
}

macro_rules! time_part {
    ($name:literal, $f:expr) => {
        FunctionEntry::custom($name, 1, 1, |b, args| {
            let args = timed(b, args)?;
            let nullable = args[0].nullable();
            Ok(column_call($name, args, DataType::Integer, nullable, true, b.ansi(), |c| {
                let f: fn(i64) -> i64 = $f;
                let second = |us: i64| f(us.rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND);
                match Kept::of(c, 0) {
                    Kept::Nanos => c.plain(&|nanos| second(nanos / 1000)),
                    Kept::Instants(zone) => c.plain(&|us| second(zone.to_local(us))),
                    _ => c.plain(&second),
                }
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
    FunctionEntry::columns("dayname", 1, 1, DATE, Ret::Is(T::Str), Nulls::Strict, |c| named(c, "EEE")),
    FunctionEntry::columns("monthname", 1, 1, DATE, Ret::Is(T::Str), Nulls::Strict, |c| named(c, "MMM")),
    time_part!("hour", |x| x / 3600),
    time_part!("minute", |x| x / 60 % 60),
    time_part!("second", |x| x % 60),
    FunctionEntry::custom("secondwithfraction", 1, 1, |b, a| {
        let a = timed(b, a)?;
        let nullable = a[0].nullable();
        Ok(column_call("secondwithfraction", a, DataType::decimal(8, 6), nullable, true, b.ansi(), |c| {
            let at = Local::of(c, 0)?;
            each::<Decimal>(c, &|row| Ok(at.get(row).map(|us| us.rem_euclid(60 * MICROS_PER_SECOND).into())))
        }))
    }),
    FunctionEntry::custom("extract", 2, 2, extract),
    FunctionEntry::custom("date_part", 2, 2, extract),
    FunctionEntry::custom("datepart", 2, 2, extract),
    FunctionEntry::custom("date_add", 2, 2, date_add),
    FunctionEntry::custom("dateadd", 2, 2, date_add),
    FunctionEntry::custom("date_sub", 2, 2, date_add),
    FunctionEntry::columns("datediff", 2, 2, DATE, I, Nulls::Strict, days_between),
    FunctionEntry::columns("date_diff", 2, 2, DATE, I, Nulls::Strict, days_between),
    FunctionEntry::columns("add_months", 2, 2, &[In::Date, In::Int], Ret::Is(T::Date), Nulls::Strict, |c| {
        two::<Day, Int, Day>(c, &|days, months| {
            let moved = i32::try_from(add_months(days.into(), months.into()));
            moved.map(Some).map_err(|_| super::overflow("overflow", ""))
        })
    }),
    FunctionEntry::custom("months_between", 2, 3, months_between),
    FunctionEntry::columns("last_day", 1, 1, DATE, Ret::Is(T::Date), Nulls::Strict, |c| {
        c.plain(&|days| {
            let (y, m, d) = civil_from_days(days);
            days + i64::from(days_in_month(y, m) - d)
        })
    }),
    FunctionEntry::columns("next_day", 2, 2, &[In::Date, In::Str], Ret::Is(T::Date), Nulls::StrictNullable, next_day),
];

/// A timestamp or, when the type is switched on, a time of day.
fn timed(b: &Build<'_>, args: Vec<Expr>) -> Result<Vec<Expr>> {
    if super::times::is_time(&args[0]) {
        super::times::enabled(b.conf)?;
        return Ok(args);
    }
    b.inputs(args, TIME)
}

/// Microseconds on the wall clock of the session: of a moment, a date or a time of day.
pub(super) struct Local<'a> {
    numbers: Opened<'a, Whole>,
    kind: Kept<'a>,
}

/// What the numbers of a column of times count.
enum Kept<'a> {
    Days,
    Instants(&'a Zone),
    Local,
    Nanos,
}

impl<'a> Kept<'a> {
    fn of(c: &Columns<'a>, i: usize) -> Self {
        let zone = c.ctx.conf.time_zone();
        match c.types.get(i) {
            Some(DataType::Timestamp) if *zone != Zone::UTC => Kept::Instants(zone),
            Some(DataType::Date) => Kept::Days,
            Some(DataType::Time(_)) => Kept::Nanos,
            _ => Kept::Local,
        }
    }
}

impl<'a> Local<'a> {
    pub(super) fn of(c: &Columns<'a>, i: usize) -> Result<Self> {
        Ok(Self { numbers: c.open(i)?, kind: Kept::of(c, i) })
    }

    /// None: the row is null.
    pub(super) fn get(&self, row: usize) -> Option<i64> {
        let n = self.numbers.get(row)?;
        Some(match self.kind {
            Kept::Days => n.wrapping_mul(MICROS_PER_DAY),
            Kept::Instants(zone) => zone.to_local(n),
            Kept::Local => n,
            Kept::Nanos => n / 1000,
        })
    }
}

fn named(c: &Columns<'_>, pattern: &str) -> Result<ArrayRef> {
    let (days, pattern) = (c.open::<Day>(0)?, Pattern::new(pattern, false)?);
    written(c.rows, &|row, out| {
        let Some(days) = days.get(row) else { return Ok(false) };
        pattern.write(i64::from(days) * MICROS_PER_DAY, &Zone::UTC, out);
        Ok(true)
    })
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
    let (t, eval): (DataType, ColumnEval) = match name {
        "year" => (DataType::Integer, |c| months_part(c, |months| months / 12)),
        "month" => (DataType::Byte, |c| months_part(c, |months| months % 12)),
        "day" => (DataType::Integer, |c| match c.types[0] {
            DataType::CalendarInterval => one::<Calendar, Whole>(c, &|(_, days, _)| Ok(Some(days.into()))),
            _ => micros_part(c, |us| us / MICROS_PER_DAY),
        }),
        "hour" => (DataType::Byte, |c| micros_part(c, |us| us % MICROS_PER_DAY / 3_600_000_000)),
        "minute" => (DataType::Byte, |c| micros_part(c, |us| us % 3_600_000_000 / 60_000_000)),
        _ => (DataType::decimal(8, 6), |c| {
            let second = |us: i64| Ok(Some(i128::from(us % 60_000_000)));
            match c.types[0] {
                DataType::CalendarInterval => one::<Calendar, Decimal>(c, &|(_, _, us)| second(us)),
                _ => one::<Whole, Decimal>(c, &|us| second(us)),
            }
        }),
    };
    column_call(name, vec![source], t, nullable, true, b.ansi(), eval)
}

/// A part of an interval's months; a day-time interval has none.
fn months_part(c: &Columns<'_>, f: fn(i64) -> i64) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::CalendarInterval => one::<Calendar, Whole>(c, &|(months, ..)| Ok(Some(f(months.into())))),
        DataType::YearMonthInterval { .. } => c.plain(&f),
        _ => c.plain(&|_| 0),
    }
}

/// A part of an interval's microseconds.
fn micros_part(c: &Columns<'_>, f: fn(i64) -> i64) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::CalendarInterval => one::<Calendar, Whole>(c, &|(_, _, us)| Ok(Some(f(us)))),
        _ => c.plain(&f),
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
    let eval: ColumnEval = if name == "date_sub" { |c| days_moved(c, -1) } else { |c| days_moved(c, 1) };
    Ok(column_call(name, args, DataType::Date, nullable, true, ansi, eval))
}

fn days_moved(c: &Columns<'_>, sign: i64) -> Result<ArrayRef> {
    plain_two(c, &|days, by| days + sign * by)
}

fn days_between(c: &Columns<'_>) -> Result<ArrayRef> {
    plain_two(c, &|x, y| x - y)
}

/// DateTimeUtils.monthsBetween.
fn months_between(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Ts, In::Ts, In::Bool])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("months_between", args, DataType::Double, nullable, true, b.ansi(), |c| {
        let zone = c.zone();
        three::<Moment, Moment, Bool, Double>(c, &|x, y, rounds| {
            let months = months_apart(x, y, zone);
            // Rounded to eight digits, half up as BigDecimal does.
            Ok(Some(if rounds { (months * 1e8).round() / 1e8 } else { months }))
        })
    }))
}

/// Months and their fraction between two instants: whole days by the calendar of the zone, the rest as the time that has passed
/// since midnight, which a change of the offset makes another than that on the clock.
fn months_apart(x: i64, y: i64, zone: &Zone) -> f64 {
    let day = |at: i64| zone.to_local(at).div_euclid(MICROS_PER_DAY);
    let (dx, dy) = (day(x), day(y));
    let ((y1, m1, d1), (y2, m2, d2)) = (civil_from_days(dx), civil_from_days(dy));
    let months = (y1 * 12 + i64::from(m1) - y2 * 12 - i64::from(m2)) as f64;
    let last = |y, m, d| d == days_in_month(y, m);
    if d1 == d2 || (last(y1, m1, d1) && last(y2, m2, d2)) {
        return months;
    }
    let seconds = |at: i64, day: i64| (at - zone.to_utc(day * MICROS_PER_DAY)) / MICROS_PER_SECOND;
    let rest = (i64::from(d1) - i64::from(d2)) * 86_400 + seconds(x, dx) - seconds(y, dy);
    months + rest as f64 / 2_678_400.0
}

fn next_day(c: &Columns<'_>) -> Result<ArrayRef> {
    two::<Day, Text, Day>(c, &|days, name| {
        let wanted = match name.trim().to_uppercase().as_str() {
            "MO" | "MON" | "MONDAY" => 1,
            "TU" | "TUE" | "TUESDAY" => 2,
            "WE" | "WED" | "WEDNESDAY" => 3,
            "TH" | "THU" | "THURSDAY" => 4,
            "FR" | "FRI" | "FRIDAY" => 5,
            "SA" | "SAT" | "SATURDAY" => 6,
            "SU" | "SUN" | "SUNDAY" => 7,
            _ if c.ansi => {
                return Err(SparkError::new(ErrorClass::IllegalArgument, "ILLEGAL_DAY_OF_WEEK", &[("string", name)]));
            }
            _ => return Ok(None),
        };
        let days = i64::from(days);
        let step = (wanted - iso_day_of_week(days)).rem_euclid(7);
        Ok(Some((days + if step == 0 { 7 } else { step }) as i32))
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
