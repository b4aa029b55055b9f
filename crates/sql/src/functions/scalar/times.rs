//! The TIME type's functions and arithmetic. In Spark 4.3.0 they want spark.sql.timeType.enabled, which is off;
//! literals, current_time and values from Python work without it.

use arrow::array::ArrayRef;

use super::dates::out_of_bounds;
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::{literal_sql, parse_time};
use crate::functions::coercion::{In, cast_to};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::call;
use crate::functions::typed::{
    Clock, ColumnEval, Columns, Day, DayTime, Decimal, Int, Long, Memo, Real, Text, Whole, column_call, each, one,
    three, two,
};
use crate::functions::{EvalContext, Kernel};
use crate::types::{DataType, StructType};
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, rescale};

const DAY_NS: i64 = MICROS_PER_DAY * 1000;
const DEFAULT_PATTERN: &str = "HH:mm:ss.SSSSSS";

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("current_time", 0, 1, current_time),
    FunctionEntry::custom("make_time", 3, 3, make_time),
    FunctionEntry::custom("to_time", 1, 2, to_time),
    FunctionEntry::custom("try_to_time", 1, 2, try_to_time),
    FunctionEntry::custom("time_diff", 3, 3, time_diff),
    FunctionEntry::custom("time_trunc", 2, 2, time_trunc),
    FunctionEntry::custom("time_from_micros", 1, 1, |b, a| time_from(b, a, |c| of_units(c, 1000))),
    FunctionEntry::custom("time_from_millis", 1, 1, |b, a| time_from(b, a, |c| of_units(c, 1_000_000))),
    FunctionEntry::custom("time_from_seconds", 1, 1, |b, a| time_from(b, a, from_seconds)),
    FunctionEntry::custom("time_to_micros", 1, 1, |b, a| {
        time_to(b, a, DataType::Long, |c| one::<Clock, Long>(c, &|t| Ok(Some(t / 1000))))
    }),
    FunctionEntry::custom("time_to_millis", 1, 1, |b, a| {
        time_to(b, a, DataType::Long, |c| one::<Clock, Long>(c, &|t| Ok(Some(t / 1_000_000))))
    }),
    FunctionEntry::custom("time_to_seconds", 1, 1, |b, a| {
        time_to(b, a, DataType::decimal(14, 6), |c| one::<Clock, Decimal>(c, &|t| Ok(Some((t / 1000).into()))))
    }),
];

/// TypeUtils' check of the TIME functions.
pub(crate) fn enabled(conf: &SqlConf) -> Result<()> {
    if conf.get("spark.sql.timeType.enabled").is_some_and(|on| on.eq_ignore_ascii_case("true")) {
        Ok(())
    } else {
        Err(SparkError::analysis("UNSUPPORTED_TIME_TYPE", &[]))
    }
}

/// TypeUtils.failUnsupportedDataType: no TIME anywhere in a schema.
pub(crate) fn check_schema(conf: &SqlConf, schema: &StructType) -> Result<()> {
    fn holds(data_type: &DataType) -> bool {
        match data_type {
            DataType::Time(_) => true,
            DataType::Array { element, .. } => holds(element),
            DataType::Map { key, value, .. } => holds(key) || holds(value),
            DataType::Struct(inner) => inner.fields.iter().any(|field| holds(&field.data_type)),
            _ => false,
        }
    }
    if schema.fields.iter().any(|field| holds(&field.data_type)) { enabled(conf) } else { Ok(()) }
}

pub(super) fn is_time(e: &Expr) -> bool {
    matches!(e.data_type(), DataType::Time(_))
}

fn precision(e: &Expr) -> u8 {
    match e.data_type() {
        DataType::Time(precision) => precision,
        _ => 6,
    }
}

/// A count of units as a time of day, or DATETIME_FIELD_OUT_OF_BOUNDS.
fn nanos(count: i128, unit: i128) -> Result<Option<i64>> {
    let total = count.saturating_mul(unit);
    match i64::try_from(total) {
        Ok(total) if (0..DAY_NS).contains(&total) => Ok(Some(total)),
        _ => Err(out_of_bounds(&format!(
            "Invalid TIME value: must be between 00:00:00 and 23:59:59.999999999, but got {total} nanoseconds"
        ))),
    }
}

fn current_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let wanted = match args.first() {
        None => 6,
        Some(Expr::Literal { value, .. }) if value.as_i64().is_some() => value.as_i64().unwrap_or(0),
        Some(other) => {
            let data_type = other.data_type().quoted_sql();
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                &[
                    ("sqlExpr", &format!("\"current_time({})\"", other.pretty_sql())),
                    ("inputName", "`precision`"),
                    ("inputType", &data_type),
                    ("inputExpr", &format!("\"{}\"", other.pretty_sql())),
                ],
            ));
        }
    };
    let Some(precision) = u8::try_from(wanted).ok().filter(|p| *p <= 9) else {
        return Err(crate::types::time_precision(u32::try_from(wanted).unwrap_or(u32::MAX)));
    };
    let shown = Expr::literal(Value::Integer(i32::from(precision)), DataType::Integer);
    Ok(call(b.name, vec![shown], DataType::Time(precision), false, Now { precision }))
}

/// Time of day of the query, the same for every row.
#[derive(Debug)]
struct Now {
    precision: u8,
}

impl Kernel for Now {
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let nanos = ctx.conf.time_zone().to_local(ctx.now_us).rem_euclid(MICROS_PER_DAY) * 1000;
        let unit = 10i64.pow(9 - u32::from(self.precision));
        crate::value::repeat_value(&DataType::Time(self.precision), &Value::Time(nanos / unit * unit), rows)
    }
}

fn make_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    let mut args = b.inputs(args, &[In::Int, In::Int, In::Any])?;
    args[2] = cast_to(args[2].clone(), &DataType::decimal(16, 6), b.ansi());
    Ok(column_call("make_time", args, DataType::Time(6), true, true, b.ansi(), |c| {
        three::<Int, Int, Decimal, Clock>(c, &|hour, minute, micros| {
            let field = |name: &str, limit: i64, value: i64| {
                if (0..=limit).contains(&value) {
                    return Ok(value);
                }
                Err(out_of_bounds(&format!("Invalid value for {name} (valid values 0 - {limit}): {value}")))
            };
            let micros = micros as i64;
            let hour = field("HourOfDay", 23, hour.into())?;
            let minute = field("MinuteOfHour", 59, minute.into())?;
            field("SecondOfMinute", 59, micros.div_euclid(1_000_000))?;
            Ok(Some((((hour * 60 + minute) * 60) * 1_000_000 + micros) * 1000))
        })
    }))
}

/// The times that texts name, by patterns when there are such; what does not read fails or is null.
fn parsed(c: &Columns<'_>, fails: bool) -> Result<ArrayRef> {
    let (texts, known) = (c.open::<Text>(0)?, Memo::default());
    let patterns = if c.args.len() > 1 { Some(c.open::<Text>(1)?) } else { None };
    each::<Clock>(c, &|row| {
        let Some(text) = texts.get(row) else { return Ok(None) };
        let (time, pattern) = match &patterns {
            None => (parse_time(text), DEFAULT_PATTERN),
            Some(patterns) => {
                let Some(written) = patterns.get(row) else { return Ok(None) };
                let pattern = known.get(written, |p| Pattern::new(p, true))?;
                let micros = pattern.parse_instant(text, &Zone::UTC).ok();
                (micros.map(|us| us.rem_euclid(MICROS_PER_DAY) * 1000), written)
            }
        };
        if time.is_none() && fails {
            return Err(SparkError::new(
                ErrorClass::DateTime,
                "CANNOT_PARSE_TIME",
                &[
                    ("input", &literal_sql(&Value::from(text), &DataType::String, &Zone::UTC)),
                    ("format", &format!("'{pattern}'")),
                ],
            ));
        }
        Ok(time)
    })
}

fn to_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    let args = b.inputs(args, &[In::Str])?;
    Ok(column_call("to_time", args, DataType::Time(6), true, true, b.ansi(), |c| parsed(c, true)))
}

fn try_to_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    let args = b.inputs(args, &[In::Str])?;
    let tried = column_call("to_time", args, DataType::Time(6), true, true, b.ansi(), |c| parsed(c, false));
    Ok(column_call("try_to_time", vec![tried], DataType::Time(6), true, true, b.ansi(), |c| c.same(0)))
}

/// Nanoseconds of a unit's name.
fn unit(function: &str, name: &str) -> Result<i64> {
    Ok(match name.to_ascii_uppercase().as_str() {
        "HOUR" => 3_600_000_000_000,
        "MINUTE" => 60_000_000_000,
        "SECOND" => 1_000_000_000,
        "MILLISECOND" => 1_000_000,
        "MICROSECOND" => 1000,
        _ => {
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "INVALID_PARAMETER_VALUE.TIME_UNIT",
                &[
                    ("parameter", "`unit`"),
                    ("functionName", &format!("`{function}`")),
                    ("invalidValue", &format!("'{name}'")),
                ],
            ));
        }
    })
}

/// The arguments from `first` on must be times.
fn times(b: &Build<'_>, args: &[Expr], first: usize) -> Result<()> {
    for (i, arg) in args.iter().enumerate().skip(first) {
        if !is_time(arg) && arg.data_type() != DataType::Null {
            let sql = crate::functions::describe::call_text(b.name, args);
            return Err(crate::functions::coercion::unexpected_input(&sql, i, "\"TIME\"", arg));
        }
    }
    Ok(())
}

fn time_diff(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    times(b, &args, 1)?;
    let args = b.inputs(args, &[In::Str, In::Any])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("time_diff", args, DataType::Long, nullable, true, b.ansi(), |c| {
        let units = Memo::default();
        three::<Text, Clock, Clock, Long>(c, &|name, from, to| {
            Ok(Some((to - from) / *units.get(name, |name| unit("time_diff", name))?))
        })
    }))
}

fn time_trunc(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    times(b, &args, 1)?;
    let args = b.inputs(args, &[In::Str, In::Any])?;
    let (data_type, nullable) = (args[1].data_type(), args.iter().any(Expr::nullable));
    Ok(column_call("time_trunc", args, data_type, nullable, true, b.ansi(), |c| {
        let units = Memo::default();
        two::<Text, Clock, Clock>(c, &|name, time| {
            let unit = *units.get(name, |name| unit("time_trunc", name))?;
            Ok(Some(time / unit * unit))
        })
    }))
}

fn time_from(b: &mut Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Result<Expr> {
    enabled(b.conf)?;
    let inputs = if b.name == "time_from_seconds" { &[In::Num] } else { &[In::Integral] };
    let args = b.inputs(args, inputs)?;
    Ok(column_call(b.name, args, DataType::Time(6), true, true, b.ansi(), eval))
}

/// Whole numbers of a unit of `unit` nanoseconds.
fn of_units(c: &Columns<'_>, unit: i128) -> Result<ArrayRef> {
    one::<Whole, Clock>(c, &|n| nanos(n.into(), unit))
}

fn from_seconds(c: &Columns<'_>) -> Result<ArrayRef> {
    match c.types[0] {
        DataType::Decimal { scale, .. } => {
            one::<Decimal, Clock>(c, &|unscaled| nanos(rescale(unscaled, scale, 9).unwrap_or(i128::MAX), 1))
        }
        DataType::Float | DataType::Double => one::<Real, Clock>(c, &|x| nanos((x * 1e6).round() as i128, 1000)),
        _ => of_units(c, 1_000_000_000),
    }
}

fn time_to(b: &mut Build<'_>, args: Vec<Expr>, data_type: DataType, eval: ColumnEval) -> Result<Expr> {
    enabled(b.conf)?;
    times(b, &args, 0)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call(b.name, args, data_type, nullable, true, b.ansi(), eval))
}

/// make_timestamp(date, time) and kin: the two put together.
pub(super) fn joined(b: &Build<'_>, args: Vec<Expr>, to: DataType) -> Result<Expr> {
    let args = b.inputs(args, &[In::Date, In::Any, In::Str])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call(b.name, args, to, nullable, true, b.ansi(), |c| {
        let local = |day: i32, time: i64| i64::from(day) * MICROS_PER_DAY + time / 1000;
        if *c.result == DataType::TimestampNtz {
            return two::<Day, Clock, Whole>(c, &|day, time| Ok(Some(local(day, time))));
        }
        if c.args.len() == 2 {
            let zone = c.zone();
            return two::<Day, Clock, Whole>(c, &|day, time| Ok(Some(zone.to_utc(local(day, time)))));
        }
        let zones = Memo::default();
        three::<Day, Clock, Text, Whole>(c, &|day, time, id| {
            Ok(Some(zones.get(id, Zone::of)?.to_utc(local(day, time))))
        })
    }))
}

/// time ± interval (TimeAddInterval) and time - time (SubtractTimes); None for other types.
pub(super) fn arithmetic(b: &Build<'_>, op: &str, left: &Expr, right: &Expr) -> Result<Option<Expr>> {
    let day_time = |e: &Expr| match e.data_type() {
        DataType::DayTimeInterval { end, .. } => Some(end),
        _ => None,
    };
    if !is_time(left) && !is_time(right) {
        return Ok(None);
    }
    let (time, interval) = if op == "+" && is_time(right) { (right, left) } else { (left, right) };
    let nullable = left.nullable() || right.nullable();
    if op == "-" && is_time(left) && is_time(right) {
        enabled(b.conf)?;
        let result = DataType::DayTimeInterval { start: 1, end: 3 };
        let args = vec![left.clone(), right.clone()];
        return Ok(Some(column_call("-", args, result, true, true, b.ansi(), |c| {
            two::<Clock, Clock, DayTime>(c, &|x, y| Ok(Some((x - y) / 1000)))
        })));
    }
    let (Some(end), true) = (day_time(interval), is_time(time) && matches!(op, "+" | "-")) else { return Ok(None) };
    enabled(b.conf)?;
    let precision = if end == 3 { precision(time).max(6) } else { precision(time) };
    let args = vec![time.clone(), interval.clone()];
    let eval: ColumnEval = if op == "+" { |c| moved(c, 1) } else { |c| moved(c, -1) };
    Ok(Some(column_call(op, args, DataType::Time(precision), nullable, true, b.ansi(), eval)))
}

fn moved(c: &Columns<'_>, sign: i64) -> Result<ArrayRef> {
    two::<Clock, DayTime, Clock>(c, &|time, interval| {
        let by = interval.checked_mul(1000 * sign);
        let moved = by.and_then(|by| time.checked_add(by)).filter(|t| (0..DAY_NS).contains(t));
        moved.map(Some).ok_or_else(|| {
            let word = if sign > 0 { ("add", "to") } else { ("subtract", "from") };
            let operation = format!(
                "{} {} {} the time value {}",
                word.0,
                literal_sql(&Value::DayTimeInterval(interval), &c.types[1], &Zone::UTC),
                word.1,
                literal_sql(&Value::Time(time), &c.types[0], &Zone::UTC)
            );
            SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", &operation)])
        })
    })
}
