//! Moments as numbers since the epoch, moments of other zones, and the time of the query.

use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::cast::{CastContext, cast_value};
use crate::functions::coercion::{In, check_inputs};
use crate::functions::datetime::zone::Zone;
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{call, row_call};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, pow10};

const DATE: &[In] = &[In::Date];
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
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
            let ctx = CastContext { mode: EvalMode::Legacy, zone: c.zone(), now_us: c.eval.now_us };
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

pub(super) fn now_call(name: &str, t: DataType) -> Expr {
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
