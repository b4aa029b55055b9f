//! Spark's Cast in its three modes.

mod failures;
mod nested;
mod numbers;
pub mod parse;
mod strings;
mod text;
mod value;

pub(crate) use self::failures::decimal_overflow;
pub(crate) use self::numbers::decimal_moment;
pub use self::parse::{
    parse_date, parse_decimal, parse_double, parse_float, parse_integral, parse_time, parse_timestamp,
    parse_timestamp_ntz,
};
pub(crate) use self::text::pretty;
pub use self::text::{literal_sql, to_pretty, to_text};
pub use self::value::cast_value;

use arrow::array::{Array, ArrayRef};

use super::Operand;
use super::datetime::zone::Zone;
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::types::DataType;
use crate::value::text::MICROS_PER_DAY;

/// What a cast may know.
#[derive(Clone, Copy)]
pub struct CastContext<'a> {
    pub mode: EvalMode,
    pub zone: &'a Zone,
    /// Time of the query in microseconds: a time of day becomes a moment of its date.
    pub now_us: i64,
}

impl CastContext<'_> {
    /// The current date in the zone, as microseconds on the zone's calendar.
    fn today(&self) -> i64 {
        let local = self.zone.to_local(self.now_us);
        local - local.rem_euclid(MICROS_PER_DAY)
    }
}

/// Cast.canCast, Cast.canAnsiCast or Cast.canTryCast, by mode.
pub fn can_cast(from: &DataType, to: &DataType, mode: EvalMode) -> bool {
    use DataType as T;
    let ansi = mode != EvalMode::Legacy;
    match (from, to) {
        _ if from == to => true,
        (T::Null, _) => true,
        (T::CalendarInterval, t) if !t.is_string() => false,
        (T::Time(_), t) if !t.is_string() => {
            t.is_integral() || matches!(t, T::Time(_) | T::Decimal { .. } | T::Timestamp | T::TimestampNtz)
        }
        (f, T::Time(_)) => f.is_string() || matches!(f, T::Timestamp | T::TimestampNtz),
        (T::Variant, t) => variant_castable(t),
        (f, T::Variant) => {
            f.is_numeric() || f.is_datetime() || f.is_string() || matches!(f, T::Boolean | T::Binary | T::Array { .. })
        }
        (_, t) if t.is_string() => true,
        (f, T::Binary) => f.is_string() || (!ansi && f.is_integral()),
        (f, T::Boolean) => f.is_string() || f.is_numeric() || (!ansi && (f.is_datetime() && *f != T::TimestampNtz)),
        (f, T::Timestamp) => f.is_string() || f.is_datetime() || f.is_numeric() || (!ansi && *f == T::Boolean),
        (f, T::TimestampNtz) => f.is_string() || f.is_datetime(),
        (f, T::Date) => f.is_string() || f.is_datetime(),
        (f, T::CalendarInterval) => f.is_string(),
        (f, T::DayTimeInterval { .. }) => {
            f.is_string() || matches!(f, T::DayTimeInterval { .. }) || (f.is_numeric() && exact_numeric(f))
        }
        (f, T::YearMonthInterval { .. }) => {
            f.is_string() || matches!(f, T::YearMonthInterval { .. }) || (f.is_numeric() && exact_numeric(f))
        }
        (T::DayTimeInterval { .. } | T::YearMonthInterval { .. }, t) if exact_numeric(t) => true,
        (f, t) if t.is_numeric() => {
            f.is_string() || f.is_numeric() || *f == T::Boolean || *f == T::Timestamp || (!ansi && *f == T::Date)
        }
        (T::Array { element: a, contains_null: m }, T::Array { element: b, contains_null: n }) => {
            can_cast(a, b, mode) && nullability_fits(a, b, *m, *n, ansi)
        }
        (T::Map { key: k, value: v, value_contains_null: m }, T::Map { key: l, value: w, value_contains_null: n }) => {
            can_cast(k, l, mode)
                && (ansi || !super::coercion::forces_null(k, l))
                && can_cast(v, w, mode)
                && nullability_fits(v, w, *m, *n, ansi)
        }
        (T::Struct(a), T::Struct(b)) => {
            a.fields.len() == b.fields.len()
                && a.fields.iter().zip(&b.fields).all(|(f, g)| {
                    can_cast(&f.data_type, &g.data_type, mode)
                        && nullability_fits(&f.data_type, &g.data_type, f.nullable, g.nullable, ansi)
                })
        }
        _ => false,
    }
}

fn variant_castable(t: &DataType) -> bool {
    match t {
        DataType::Array { element, .. } => variant_castable(element),
        DataType::Map { key, value, .. } => key.is_string() && variant_castable(value),
        DataType::Struct(s) => s.fields.iter().all(|f| variant_castable(&f.data_type)),
        t => t.is_atomic(),
    }
}

fn exact_numeric(t: &DataType) -> bool {
    t.is_integral() || matches!(t, DataType::Decimal { .. })
}

/// A null may not come where the target has none.
fn nullability_fits(from: &DataType, to: &DataType, from_null: bool, to_null: bool, ansi: bool) -> bool {
    let force = from_null || (!ansi && super::coercion::forces_null(from, to));
    !force || to_null
}

/// Checks a cast as Cast.checkInputDataTypes does; `sql` is the text of the cast.
pub fn check_cast(child: &Expr, to: &DataType, mode: EvalMode, sql: &str) -> Result<()> {
    let from = child.data_type();
    if can_cast(&from, to, mode) {
        return Ok(());
    }
    let (src, target) = (from.quoted_sql(), to.quoted_sql());
    let mut parameters = vec![("srcType", src.as_str()), ("targetType", target.as_str())];
    let quoted = format!("\"{sql}\"");
    parameters.push(("sqlExpr", &quoted));
    if mode == EvalMode::Ansi {
        let function = match (&from, to) {
            (DataType::Timestamp, _) if to.is_numeric() => None,
            (DataType::Date, t) if t.is_numeric() => Some("`UNIX_DATE`"),
            (f, DataType::Date) if f.is_numeric() => Some("`DATE_FROM_UNIX_DATE`"),
            _ => None,
        };
        if let Some(function) = function {
            parameters.push(("functionNames", function));
            return Err(SparkError::analysis("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", &parameters));
        }
        if can_cast(&from, to, EvalMode::Legacy) {
            parameters.push(("config", "\"spark.sql.ansi.enabled\""));
            parameters.push(("configVal", "'false'"));
            return Err(SparkError::analysis("DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION", &parameters));
        }
    }
    Err(SparkError::analysis("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", &parameters))
}

/// Casts a column or constant.
pub fn cast_operand(input: &Operand, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<Operand> {
    let array = cast_array(input.array(), from, to, ctx)?;
    Ok(if input.is_scalar() { Operand::Scalar(array) } else { Operand::Column(array) })
}

pub fn cast_array(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    use DataType as T;
    if from.same_structure(to) {
        // Field names may differ: the array takes the target's.
        let target = to.to_arrow();
        if *array.data_type() == target {
            return Ok(array.clone());
        }
    }
    if array.null_count() == array.len() || *from == T::Null {
        return Ok(arrow::array::new_null_array(&to.to_arrow(), array.len()));
    }
    match (from, to) {
        // Widening never fails.
        (T::Byte | T::Short | T::Integer, T::Short | T::Integer | T::Long | T::Float | T::Double)
        | (T::Long, T::Float | T::Double)
        | (T::Float, T::Double)
        | (T::Double, T::Float)
            if widens(from, to) =>
        {
            Ok(arrow::compute::cast(array, &to.to_arrow())?)
        }
        (T::Variant, _) | (_, T::Variant) => value::variants(array, from, to, ctx),
        (f, t) if f.is_string() && t.is_string() => Ok(array.clone()),
        (_, t) if t.is_string() => text::cast(array, from, ctx.zone),
        (f, _) if f.is_string() => strings::cast(array, to, ctx),
        (T::Array { .. } | T::Map { .. } | T::Struct(_), _) => nested::cast(array, from, to, ctx),
        _ => numbers::cast(array, from, to, ctx),
    }
}

fn widens(from: &DataType, to: &DataType) -> bool {
    fn rank(t: &DataType) -> u8 {
        match t {
            DataType::Byte => 0,
            DataType::Short => 1,
            DataType::Integer => 2,
            DataType::Long => 3,
            _ => 4,
        }
    }
    rank(from) < rank(to) || rank(from) == 4
}
