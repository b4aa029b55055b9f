//! Spark's data types: names, DDL, JSON form, tree form, and their Arrow counterparts.

use std::sync::Arc;

/// org.apache.spark.sql.types.DataType.
///
/// Arrow: Null, Boolean, Int8/16/32/64, Float32/64, Decimal128, Utf8, Binary, Date32,
/// Timestamp(µs, "UTC"), Timestamp(µs, none), Interval(YearMonth), Duration(µs), Interval(MonthDayNano), List (field "element"),
/// Map (fields "key", "value"), Struct; a variant is Struct{value: Binary, metadata: Binary}.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum DataType {
    Null,
    Boolean,
    Byte,
    Short,
    Integer,
    Long,
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: i8,
    },
    String,
    Char(u32),
    Varchar(u32),
    Binary,
    Date,
    Timestamp,
    TimestampNtz,
    /// Fields from `start` to `end`: 0 year, 1 month.
    YearMonthInterval {
        start: u8,
        end: u8,
    },
    /// 0 day, 1 hour, 2 minute, 3 second.
    DayTimeInterval {
        start: u8,
        end: u8,
    },
    CalendarInterval,
    Array {
        element: Arc<DataType>,
        contains_null: bool,
    },
    Map {
        key: Arc<DataType>,
        value: Arc<DataType>,
        value_contains_null: bool,
    },
    Struct(Arc<StructType>),
    Variant,
}

/// org.apache.spark.sql.types.StructType.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct StructType {
    pub fields: Vec<StructField>,
}

/// org.apache.spark.sql.types.StructField.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct StructField {
    pub name: String,
    pub data_type: DataType,
    pub nullable: bool,
    /// JSON object text, "{}" when empty.
    pub metadata: Arc<str>,
}
