//! The TIME type's functions and arithmetic. In Spark 4.3.0 they want spark.sql.timeType.enabled, which is off;
//! literals, current_time and values from Python work without it.

use arrow::array::ArrayRef;

use super::dates::out_of_bounds;
use super::strings::s;
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::{literal_sql, parse_time};
use crate::functions::coercion::{In, cast_to};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::{RowContext, RowEval, call, row_call};
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
    FunctionEntry::custom("time_from_micros", 1, 1, |b, a| time_from(b, a, |_, v| nanos(whole(&v[0]), 1000))),
    FunctionEntry::custom("time_from_millis", 1, 1, |b, a| time_from(b, a, |_, v| nanos(whole(&v[0]), 1_000_000))),
    FunctionEntry::custom("time_from_seconds", 1, 1, |b, a| time_from(b, a, from_seconds)),
    FunctionEntry::custom("time_to_micros", 1, 1, |b, a| {
        time_to(b, a, DataType::Long, |_, v| Ok(Value::Long(of(&v[0]) / 1000)))
    }),
    FunctionEntry::custom("time_to_millis", 1, 1, |b, a| {
        time_to(b, a, DataType::Long, |_, v| Ok(Value::Long(of(&v[0]) / 1_000_000)))
    }),
    FunctionEntry::custom("time_to_seconds", 1, 1, |b, a| {
        time_to(b, a, DataType::decimal(14, 6), |_, v| Ok(Value::Decimal(i128::from(of(&v[0]) / 1000), 14, 6)))
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

fn of(v: &Value) -> i64 {
    v.as_i64().unwrap_or(0)
}

fn whole(v: &Value) -> i128 {
    i128::from(of(v))
}

fn precision(e: &Expr) -> u8 {
    match e.data_type() {
        DataType::Time(precision) => precision,
        _ => 6,
    }
}

/// A count of units as a time of day, or DATETIME_FIELD_OUT_OF_BOUNDS.
fn nanos(count: i128, unit: i128) -> Result<Value> {
    let total = count.saturating_mul(unit);
    match i64::try_from(total) {
        Ok(total) if (0..DAY_NS).contains(&total) => Ok(Value::Time(total)),
        _ => Err(out_of_bounds(&format!(
            "Invalid TIME value: must be between 00:00:00 and 23:59:59.999999999, but got {total} nanoseconds"
        ))),
    }
}

fn current_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let wanted = match args.first() {
        None => 6,
        Some(Expr::Literal { value, .. }) if value.as_i64().is_some() => of(value),
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
    Ok(row_call("make_time", args, DataType::Time(6), true, true, b.ansi(), |_, v| {
        let micros = match &v[2] {
            Value::Decimal(unscaled, _, scale) => rescale(*unscaled, *scale, 6).unwrap_or(0) as i64,
            other => of(other).saturating_mul(1_000_000),
        };
        let field = |name: &str, limit: i64, value: i64| {
            if (0..=limit).contains(&value) {
                return Ok(value);
            }
            Err(out_of_bounds(&format!("Invalid value for {name} (valid values 0 - {limit}): {value}")))
        };
        let hour = field("HourOfDay", 23, of(&v[0]))?;
        let minute = field("MinuteOfHour", 59, of(&v[1]))?;
        field("SecondOfMinute", 59, micros.div_euclid(1_000_000))?;
        Ok(Value::Time((((hour * 60 + minute) * 60) * 1_000_000 + micros) * 1000))
    }))
}

/// The time that a text names, by a pattern when there is one.
fn parsed(c: &RowContext<'_>, v: &[Value]) -> Result<Option<i64>> {
    let text = s(&v[0]);
    let Some(pattern) = v.get(1) else { return Ok(parse_time(text)) };
    let pattern = c.cached(s(pattern), |p| Pattern::new(p, true))?;
    Ok(pattern.parse_instant(text, &Zone::UTC).ok().map(|us| us.rem_euclid(MICROS_PER_DAY) * 1000))
}

fn to_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    let args = b.inputs(args, &[In::Str])?;
    Ok(row_call("to_time", args, DataType::Time(6), true, true, b.ansi(), |c, v| match parsed(c, v)? {
        Some(nanos) => Ok(Value::Time(nanos)),
        None => Err(SparkError::new(
            ErrorClass::DateTime,
            "CANNOT_PARSE_TIME",
            &[
                ("input", &literal_sql(&v[0], &DataType::String, &Zone::UTC)),
                ("format", &format!("'{}'", v.get(1).map_or(DEFAULT_PATTERN, s))),
            ],
        )),
    }))
}

fn try_to_time(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    let args = b.inputs(args, &[In::Str])?;
    let tried = row_call("to_time", args, DataType::Time(6), true, true, b.ansi(), |c, v| {
        Ok(parsed(c, v)?.map_or(Value::Null, Value::Time))
    });
    Ok(row_call("try_to_time", vec![tried], DataType::Time(6), true, true, b.ansi(), |_, v| Ok(v[0].clone())))
}

/// Nanoseconds of a unit's name.
fn unit(function: &str, name: &Value) -> Result<i64> {
    Ok(match s(name).to_ascii_uppercase().as_str() {
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
                    ("invalidValue", &format!("'{}'", s(name))),
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
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("time_diff", args, DataType::Long, nullable, true, b.ansi(), |_, v| {
        Ok(Value::Long((of(&v[2]) - of(&v[1])) / unit("time_diff", &v[0])?))
    }))
}

fn time_trunc(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    enabled(b.conf)?;
    times(b, &args, 1)?;
    let (data_type, nullable) = (args[1].data_type(), args.iter().any(Expr::nullable));
    Ok(row_call("time_trunc", args, data_type, nullable, true, b.ansi(), |_, v| {
        let unit = unit("time_trunc", &v[0])?;
        Ok(Value::Time(of(&v[1]) / unit * unit))
    }))
}

fn time_from(b: &mut Build<'_>, args: Vec<Expr>, eval: RowEval) -> Result<Expr> {
    enabled(b.conf)?;
    let inputs = if b.name == "time_from_seconds" { &[In::Num] } else { &[In::Integral] };
    let args = b.inputs(args, inputs)?;
    Ok(row_call(b.name, args, DataType::Time(6), true, true, b.ansi(), eval))
}

fn from_seconds(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    match &v[0] {
        Value::Decimal(unscaled, _, scale) => nanos(rescale(*unscaled, *scale, 9).unwrap_or(i128::MAX), 1),
        Value::Float(_) | Value::Double(_) => nanos((v[0].as_f64().unwrap_or(-1.0) * 1e6).round() as i128, 1000),
        other => nanos(whole(other), 1_000_000_000),
    }
}

fn time_to(b: &mut Build<'_>, args: Vec<Expr>, data_type: DataType, eval: RowEval) -> Result<Expr> {
    enabled(b.conf)?;
    times(b, &args, 0)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, data_type, nullable, true, b.ansi(), eval))
}

/// make_timestamp(date, time) and kin: the two put together.
pub(super) fn joined(b: &Build<'_>, mut args: Vec<Expr>, to: DataType) -> Result<Expr> {
    args[0] = cast_to(args[0].clone(), &DataType::Date, b.ansi());
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, to, nullable, true, b.ansi(), |c, v| {
        let local = of(&v[0]) * MICROS_PER_DAY + of(&v[1]) / 1000;
        if *c.result == DataType::TimestampNtz {
            return Ok(Value::TimestampNtz(local));
        }
        let zone = v.get(2).map(|id| Zone::of(s(id))).transpose()?;
        Ok(Value::Timestamp(zone.as_ref().unwrap_or(c.zone()).to_utc(local)))
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
        return Ok(Some(row_call("-", args, result, true, true, b.ansi(), |_, v| {
            Ok(Value::DayTimeInterval((of(&v[0]) - of(&v[1])) / 1000))
        })));
    }
    let (Some(end), true) = (day_time(interval), is_time(time) && matches!(op, "+" | "-")) else { return Ok(None) };
    enabled(b.conf)?;
    let precision = if end == 3 { precision(time).max(6) } else { precision(time) };
    let args = vec![time.clone(), interval.clone()];
    let eval: RowEval = if op == "+" { |c, v| moved(c, v, 1) } else { |c, v| moved(c, v, -1) };
    Ok(Some(row_call(op, args, DataType::Time(precision), nullable, true, b.ansi(), eval)))
}

fn moved(c: &RowContext<'_>, v: &[Value], sign: i64) -> Result<Value> {
    let by = of(&v[1]).checked_mul(1000 * sign);
    match by.and_then(|by| of(&v[0]).checked_add(by)).filter(|t| (0..DAY_NS).contains(t)) {
        Some(t) => Ok(Value::Time(t)),
        None => {
            let word = if sign > 0 { ("add", "to") } else { ("subtract", "from") };
            let (time, by) = (&c.types[0], &c.types[1]);
            let operation = format!(
                "{} {} {} the time value {}",
                word.0,
                literal_sql(&v[1], by, &Zone::UTC),
                word.1,
                literal_sql(&v[0], time, &Zone::UTC)
            );
            Err(SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", &operation)]))
        }
    }
}
