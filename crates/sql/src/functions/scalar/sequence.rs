//! sequence(start, stop[, step]).

use super::intervals::add_interval;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, cast_to};
use crate::functions::datetime::zone::Zone;
use crate::functions::registry::Build;
use crate::functions::row::{RowContext, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::MICROS_PER_DAY;

/// Longest array of Spark (ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH), kept lower for the memory of a tab.
const LONGEST: usize = 50_000_000;

pub(super) fn sequence(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().take(2).map(Expr::data_type).collect();
    if let Some(t) = coercion::wider_common(&types, ansi) {
        for a in args.iter_mut().take(2) {
            *a = cast_to(a.clone(), &t, ansi);
        }
        if args.len() == 3 && t.is_integral() {
            args[2] = cast_to(args[2].clone(), &t, ansi);
        }
    }
    let t = args[0].data_type();
    if !(t.is_integral() || t.is_datetime()) {
        let sql = crate::functions::describe::call_text("sequence", &args);
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("functionName", "`sequence`"),
                ("startType", "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\")"),
                ("stepType", "(\"INTERVAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")"),
                ("otherStartType", "\"INTEGRAL\""),
            ],
        ));
    }
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("sequence", args, DataType::array(t, false), nullable, true, ansi, run))
}

fn illegal(start: &Value, stop: &Value, step: &str) -> SparkError {
    let text = |v: &Value| v.as_i64().unwrap_or(0).to_string();
    SparkError::plain(
        ErrorClass::IllegalArgument,
        format!("requirement failed: Illegal sequence boundaries: {} to {} by {step}", text(start), text(stop)),
    )
}

fn run(c: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (start, stop) = (&v[0], &v[1]);
    let (Some(from), Some(to)) = (start.as_i64(), stop.as_i64()) else { return Ok(Value::Null) };
    let make = |n: i64| match start {
        Value::Byte(_) => Value::Byte(n as i8),
        Value::Short(_) => Value::Short(n as i16),
        Value::Integer(_) => Value::Integer(n as i32),
        Value::Date(_) => Value::Date(n as i32),
        Value::Timestamp(_) => Value::Timestamp(n),
        Value::TimestampNtz(_) => Value::TimestampNtz(n),
        _ => Value::Long(n),
    };
    let number = matches!(start, Value::Byte(_) | Value::Short(_) | Value::Integer(_) | Value::Long(_));
    if number {
        let step = v.get(2).and_then(Value::as_i64).unwrap_or(if from <= to { 1 } else { -1 });
        if (step > 0 && from > to) || (step < 0 && from < to) || (step == 0 && from != to) {
            return Err(illegal(start, stop, &step.to_string()));
        }
        let count = if step == 0 { 1 } else { ((i128::from(to) - i128::from(from)) / i128::from(step)) as usize + 1 };
        if count > LONGEST {
            return Err(too_long(count));
        }
        return Ok(Value::array((0..count as i64).map(|i| make(from + i * step)).collect()));
    }
    let (months, days, micros) = match v.get(2) {
        None => (0, if from <= to { 1 } else { -1 }, 0),
        Some(Value::CalendarInterval { months, days, micros }) => (*months, *days, *micros),
        Some(Value::YearMonthInterval(m)) => (*m, 0, 0),
        Some(Value::DayTimeInterval(us)) => (0, (us / MICROS_PER_DAY) as i32, us % MICROS_PER_DAY),
        Some(_) => return Ok(Value::Null),
    };
    let utc = Zone::UTC;
    let (zone, unit) = match start {
        Value::Timestamp(_) => (c.zone(), 1),
        Value::Date(_) => (&utc, MICROS_PER_DAY),
        _ => (&utc, 1),
    };
    let (first, last) = (from * unit, to * unit);
    // The sign of the step, months counted as 28 days.
    let direction = i64::from(months) * 28 * MICROS_PER_DAY + i64::from(days) * MICROS_PER_DAY + micros;
    if (direction > 0 && first > last) || (direction < 0 && first < last) || (direction == 0 && first != last) {
        let step = crate::value::text::calendar_interval_to_string(months, days, micros);
        return Err(illegal(start, stop, &step));
    }
    let mut out = Vec::new();
    let mut i = 0;
    loop {
        let at = add_interval(first, months * i, days * i, micros * i64::from(i), zone)
            .ok_or_else(|| SparkError::plain(ErrorClass::Java("java.lang.ArithmeticException"), "long overflow"))?;
        if (direction >= 0 && at > last) || (direction < 0 && at < last) {
            break;
        }
        out.push(make(at.div_euclid(unit)));
        if direction == 0 {
            break;
        }
        i += 1;
        if out.len() > LONGEST {
            return Err(too_long(out.len()));
        }
    }
    Ok(Value::array(out))
}

fn too_long(count: usize) -> SparkError {
    SparkError::runtime(
        "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
        &[
            ("numberOfElements", &count.to_string()),
            ("maxRoundedArrayLength", "2147483632"),
            ("functionName", "`sequence`"),
            ("parameter", "`count`"),
        ],
    )
}
