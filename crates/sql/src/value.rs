//! One value of Spark SQL: literals, defaults, aggregation corner cases, values that cross to Python.
//! Columns of rows are Arrow arrays; this type is for single cells.

use std::sync::Arc;

/// Time of day and zone play no part: `Timestamp` counts microseconds since 1970-01-01T00:00:00Z,
/// `TimestampNtz` microseconds on a zoneless calendar, `Date` days since the epoch.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
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
