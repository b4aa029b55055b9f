//! One value of Spark SQL: literals, defaults, aggregation corner cases, values that cross to Python.
//! Columns of rows are Arrow arrays; this type is for single cells.

use std::sync::Arc;

/// Time of day and zone play no part: `Timestamp` counts microseconds since 1970-01-01T00:00:00Z,
/// `TimestampNtz` microseconds on a zoneless calendar, `Date` days since the epoch, `Time` nanoseconds since midnight.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    #[default]
    Null,
    Boolean(bool),
    Byte(i8),
    Short(i16),
    Integer(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// Unscaled value, precision, scale.
    Decimal(i128, u8, i8),
    String(Arc<str>),
    Binary(Arc<[u8]>),
    Date(i32),
    Timestamp(i64),
    TimestampNtz(i64),
    Time(i64),
    /// Months.
    YearMonthInterval(i32),
    /// Microseconds.
    DayTimeInterval(i64),
    CalendarInterval {
        months: i32,
        days: i32,
        micros: i64,
    },
    Array(Arc<[Value]>),
    Map(Arc<[(Value, Value)]>),
    Struct(Arc<[Value]>),
    /// Variant bytes as in Spark's VariantVal.
    Variant {
        value: Arc<[u8]>,
        metadata: Arc<[u8]>,
    },
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.into())
    }
}

mod arrays;
mod java_double;
mod java_map;
mod order;
pub mod text;

pub use self::arrays::{ValueBuilder, array_from_values, default_value, repeat_value, value_at};
pub use self::java_map::{java_map_of, through_java, unpickled};
pub(crate) use self::order::compare_f64;
pub use self::order::{HashKey, compare, compare_nulls_first};

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text.into())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Boolean(b)
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value::Integer(n)
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Long(n)
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Value::Double(n)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl Value {
    pub fn binary(bytes: impl Into<Arc<[u8]>>) -> Value {
        Value::Binary(bytes.into())
    }

    pub fn array(values: Vec<Value>) -> Value {
        Value::Array(values.into())
    }

    pub fn structure(values: Vec<Value>) -> Value {
        Value::Struct(values.into())
    }

    pub fn map(entries: Vec<(Value, Value)>) -> Value {
        Value::Map(entries.into())
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_binary(&self) -> Option<&[u8]> {
        match self {
            Value::Binary(b) => Some(b),
            _ => None,
        }
    }

    /// Integral values, days, months, microseconds and nanoseconds of a day as one number.
    pub fn as_i64(&self) -> Option<i64> {
        Some(match self {
            Value::Byte(n) => i64::from(*n),
            Value::Short(n) => i64::from(*n),
            Value::Integer(n) | Value::Date(n) | Value::YearMonthInterval(n) => i64::from(*n),
            Value::Long(n)
            | Value::Timestamp(n)
            | Value::TimestampNtz(n)
            | Value::Time(n)
            | Value::DayTimeInterval(n) => *n,
            _ => return None,
        })
    }

    pub fn as_i32(&self) -> Option<i32> {
        self.as_i64().and_then(|n| i32::try_from(n).ok())
    }

    /// Any number as a double.
    pub fn as_f64(&self) -> Option<f64> {
        Some(match self {
            Value::Float(x) => f64::from(*x),
            Value::Double(x) => *x,
            Value::Decimal(unscaled, _, scale) => text::decimal_to_f64(*unscaled, *scale),
            other => other.as_i64()? as f64,
        })
    }

    pub fn as_slice(&self) -> Option<&[Value]> {
        match self {
            Value::Array(v) | Value::Struct(v) => Some(v),
            _ => None,
        }
    }

    pub fn as_entries(&self) -> Option<&[(Value, Value)]> {
        match self {
            Value::Map(m) => Some(m),
            _ => None,
        }
    }
}
