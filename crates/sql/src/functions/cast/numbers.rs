//! Casts between numbers, truth values, dates and moments, whole columns at a time.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Float64Array, Int64Array, PrimitiveArray, TimestampMicrosecondArray,
};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes as at;

use super::CastContext;
use crate::error::Result;
use crate::expr::EvalMode;
use crate::types::DataType;
use crate::value::text::{MICROS_PER_DAY, MICROS_PER_SECOND, decimal_to_f64};

/// The cast of a column; None: of other types, or a value has no place in the target, of which the value-by-value form knows
/// what it means.
pub(super) fn cast(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<Option<ArrayRef>> {
    use DataType as T;
    let float = |t: &T| matches!(t, T::Float | T::Double);
    let decimal = |t: &T| matches!(t, T::Decimal { .. });
    let done: ArrayRef = match (from, to) {
        (f, t)
            if f.is_integral() && (t.is_integral() || decimal(t))
                || float(f) && t.is_integral()
                || decimal(f) && (decimal(t) || t.is_integral())
                || (f.is_integral() || float(f)) && *t == T::Boolean
                || *f == T::Boolean && (t.is_integral() || float(t)) =>
        {
            cast_with_options(array, &to.to_arrow(), &CastOptions { safe: true, ..CastOptions::default() })?
        }
        (T::Decimal { scale, .. }, T::Double) => {
            let Some(exact) = array.as_primitive_opt::<at::Decimal128Type>() else { return Ok(None) };
            Arc::new(exact.unary::<_, at::Float64Type>(|n| decimal_to_f64(n, *scale)))
        }
        (T::Timestamp, T::Long) => of_moments(array, |a| {
            Arc::new(a.unary::<_, at::Int64Type>(|us| us.div_euclid(MICROS_PER_SECOND)) as Int64Array)
        })?,
        (T::Timestamp, T::Double) => {
            of_moments(array, |a| Arc::new(a.unary::<_, at::Float64Type>(|us| us as f64 / 1e6) as Float64Array))?
        }
        (T::Timestamp, T::TimestampNtz) => {
            of_moments(array, |a| Arc::new(moments(a.unary(|us| ctx.zone.to_local(us)), None)))?
        }
        (T::TimestampNtz, T::Timestamp) => {
            of_moments(array, |a| Arc::new(moments(a.unary(|us| ctx.zone.to_utc(us)), Some("UTC"))))?
        }
        (T::TimestampNtz, T::Date) => of_moments(array, |a| {
            Arc::new(a.unary::<_, at::Date32Type>(|us| us.div_euclid(MICROS_PER_DAY) as i32) as Date32Array)
        })?,
        (T::Date, T::TimestampNtz) => {
            let Some(days) = array.as_primitive_opt::<at::Date32Type>() else { return Ok(None) };
            Arc::new(moments(days.unary(|d| i64::from(d).saturating_mul(MICROS_PER_DAY)), None))
        }
        (T::Long, T::Timestamp) => {
            let Some(seconds) = array.as_primitive_opt::<at::Int64Type>() else { return Ok(None) };
            Arc::new(moments(seconds.unary(|s| s.saturating_mul(MICROS_PER_SECOND)), Some("UTC")))
        }
        _ => return Ok(None),
    };
    let lost = done.null_count() != array.null_count();
    Ok((!lost || ctx.mode == EvalMode::Try).then_some(done))
}

fn of_moments(array: &ArrayRef, f: impl FnOnce(&TimestampMicrosecondArray) -> ArrayRef) -> Result<ArrayRef> {
    let moments = array.as_primitive_opt::<at::TimestampMicrosecondType>();
    moments.map(f).ok_or_else(|| crate::error::SparkError::internal("a column of moments holds microseconds"))
}

fn moments(micros: PrimitiveArray<at::TimestampMicrosecondType>, zone: Option<&str>) -> TimestampMicrosecondArray {
    micros.with_timezone_opt(zone)
}
