//! Moments as numbers since the epoch, moments of other zones, and the time of the query.

use arrow::array::ArrayRef;

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::decimal_moment;
use crate::functions::coercion::{In, check_inputs};
use crate::functions::datetime::zone::Zone;
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::call;
use crate::functions::typed::{Columns, Decimal, Memo, Moment, Real, Text, Whole, column_call, one, three, two};
use crate::types::DataType;
use crate::value::Value;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, pow10};

const DATE: &[In] = &[In::Date];
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("from_utc_timestamp", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Ts), Nulls::Strict, |c| {
        in_zone(c, Zone::to_local)
    }),
    FunctionEntry::columns("to_utc_timestamp", 2, 2, &[In::Ts, In::Str], Ret::Is(T::Ts), Nulls::Strict, |c| {
        in_zone(c, Zone::to_utc)
    }),
    FunctionEntry::custom("convert_timezone", 2, 3, convert_timezone),
    FunctionEntry::custom("timestamp_seconds", 1, 1, timestamp_seconds),
    FunctionEntry::columns("timestamp_millis", 1, 1, &[In::Integral], Ret::Is(T::Ts), Nulls::Strict, |c| {
        scaled(c, 1000, "milliseconds")
    })
    .exact(),
    FunctionEntry::columns("timestamp_micros", 1, 1, &[In::Integral], Ret::Is(T::Ts), Nulls::Strict, |c| {
        scaled(c, 1, "microseconds")
    })
    .exact(),
    FunctionEntry::columns("unix_seconds", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, |c| {
        c.plain(&|us| us.div_euclid(MICROS_PER_SECOND))
    }),
    FunctionEntry::columns("unix_millis", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, |c| {
        c.plain(&|us| us.div_euclid(1000))
    }),
    FunctionEntry::columns("unix_micros", 1, 1, &[In::Ts], Ret::Is(T::Long), Nulls::Strict, renamed),
    FunctionEntry::columns("unix_date", 1, 1, DATE, I, Nulls::Strict, renamed),
    FunctionEntry::columns("date_from_unix_date", 1, 1, &[In::Int], Ret::Is(T::Date), Nulls::Strict, renamed),
    FunctionEntry::custom("current_timestamp", 0, 0, now),
    FunctionEntry::custom("now", 0, 0, now),
    FunctionEntry::custom("localtimestamp", 0, 0, now),
    FunctionEntry::custom("current_date", 0, 0, now),
    FunctionEntry::custom("curdate", 0, 0, now),
    FunctionEntry::custom("current_timezone", 0, 0, now),
];

/// The same numbers as another type.
fn renamed(c: &Columns<'_>) -> Result<ArrayRef> {
    c.plain(&|n| n)
}

/// Moments moved by the zone in argument 1.
fn in_zone(c: &Columns<'_>, f: fn(&Zone, i64) -> i64) -> Result<ArrayRef> {
    let zones = Memo::default();
    two::<Moment, Text, Moment>(c, &|us, id| Ok(Some(f(&*zones.get(id, Zone::of)?, us))))
}

fn convert_timezone(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.insert(0, now_call("current_timezone", DataType::String));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Ntz])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("convert_timezone", args, DataType::TimestampNtz, nullable, true, b.ansi(), |c| {
        let (sources, targets) = (Memo::default(), Memo::default());
        three::<Text, Text, Moment, Moment>(c, &|from, to, local| {
            let (from, to) = (sources.get(from, Zone::of)?, targets.get(to, Zone::of)?);
            Ok(Some(to.to_local(from.to_utc(local))))
        })
    }))
}

fn timestamp_seconds(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = check_inputs(args, &[In::Num], false, b.ansi(), &|a| describe::call_text("timestamp_seconds", a))?;
    let floating = matches!(args[0].data_type(), DataType::Float | DataType::Double);
    let nullable = args[0].nullable() || floating;
    Ok(column_call("timestamp_seconds", args, DataType::Timestamp, nullable, true, b.ansi(), |c| match c.types[0] {
        DataType::Float | DataType::Double => {
            one::<Real, Whole>(c, &|x| Ok(if x.is_finite() { Some((x * 1e6) as i64) } else { None }))
        }
        DataType::Decimal { scale, .. } => {
            // Finer than a microsecond: BigDecimal.longValueExact refuses.
            let finer = u32::try_from(scale - 6).ok().and_then(pow10);
            one::<Decimal, Whole>(c, &|n| {
                if finer.is_some_and(|p| n % p != 0) {
                    return Err(SparkError::plain(ErrorClass::Arithmetic, "Rounding necessary"));
                }
                Ok(Some(decimal_moment(n, scale)))
            })
        }
        _ => scaled(c, MICROS_PER_SECOND, "seconds"),
    }))
}

/// A whole number of a unit of `by` microseconds.
fn scaled(c: &Columns<'_>, by: i64, unit: &str) -> Result<ArrayRef> {
    let suffix = if c.types[0] == DataType::Long { "L" } else { "" };
    one::<Whole, Whole>(c, &|n| {
        n.checked_mul(by).map(Some).ok_or_else(|| {
            let operation = format!("create a TIMESTAMP from {n}{suffix} {unit} since the epoch");
            SparkError::new(ErrorClass::Arithmetic, "DATETIME_OVERFLOW", &[("operation", &operation)])
        })
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
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &crate::functions::EvalContext<'_>) -> Result<ArrayRef> {
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
