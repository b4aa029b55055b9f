//! Spark's data types: names, DDL, JSON form, tree form, and their Arrow counterparts.

use std::sync::Arc;

/// org.apache.spark.sql.types.DataType.
///
/// Arrow: Null, Boolean, Int8/16/32/64, Float32/64, Decimal128, Utf8, Binary, Date32,
/// Timestamp(µs, "UTC"), Timestamp(µs, none), Time64(ns), Interval(YearMonth), Duration(µs), Interval(MonthDayNano), List (field "element"),
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
    /// Digits of the fraction of a second.
    Time(u8),
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

mod arrow;
mod ddl;
mod json;
mod names;
mod rewrite;
mod tree;

pub(crate) use self::ddl::time_precision;
pub use self::ddl::{parse_data_type, parse_struct};
pub use self::names::quote_if_needed;

impl StructField {
    /// A nullable or required field without metadata.
    pub fn new(name: impl Into<String>, data_type: DataType, nullable: bool) -> Self {
        Self { name: name.into(), data_type, nullable, metadata: "{}".into() }
    }

    /// The "comment" of the metadata.
    pub fn comment(&self) -> Option<String> {
        if &*self.metadata == "{}" {
            return None;
        }
        let value: serde_json::Value = serde_json::from_str(&self.metadata).ok()?;
        Some(value.get("comment")?.as_str()?.to_owned())
    }
}

impl StructType {
    pub fn new(fields: Vec<StructField>) -> Self {
        Self { fields }
    }

    /// Position of the field with exactly this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// DataTypeUtils/StructType.asNullable: every field, element and map value nullable.
    pub fn as_nullable(&self) -> StructType {
        StructType {
            fields: self
                .fields
                .iter()
                .map(|f| StructField {
                    name: f.name.clone(),
                    data_type: f.data_type.as_nullable(),
                    nullable: true,
                    metadata: f.metadata.clone(),
                })
                .collect(),
        }
    }
}

impl DataType {
    pub const INTERVAL_YM: DataType = DataType::YearMonthInterval { start: 0, end: 1 };
    pub const INTERVAL_DT: DataType = DataType::DayTimeInterval { start: 0, end: 3 };

    pub fn decimal(precision: u8, scale: i8) -> DataType {
        DataType::Decimal { precision, scale }
    }

    pub fn array(element: DataType, contains_null: bool) -> DataType {
        DataType::Array { element: Arc::new(element), contains_null }
    }

    pub fn map(key: DataType, value: DataType, value_contains_null: bool) -> DataType {
        DataType::Map { key: Arc::new(key), value: Arc::new(value), value_contains_null }
    }

    pub fn structure(fields: Vec<StructField>) -> DataType {
        DataType::Struct(Arc::new(StructType { fields }))
    }

    pub fn as_nullable(&self) -> DataType {
        match self {
            DataType::Array { element, .. } => DataType::array(element.as_nullable(), true),
            DataType::Map { key, value, .. } => DataType::map(key.as_nullable(), value.as_nullable(), true),
            DataType::Struct(s) => DataType::Struct(Arc::new(s.as_nullable())),
            other => other.clone(),
        }
    }

    pub fn is_integral(&self) -> bool {
        matches!(self, DataType::Byte | DataType::Short | DataType::Integer | DataType::Long)
    }

    pub fn is_numeric(&self) -> bool {
        self.is_integral() || matches!(self, DataType::Float | DataType::Double | DataType::Decimal { .. })
    }

    /// StringType and its CHAR and VARCHAR forms.
    pub fn is_string(&self) -> bool {
        matches!(self, DataType::String | DataType::Char(_) | DataType::Varchar(_))
    }

    pub fn is_datetime(&self) -> bool {
        matches!(self, DataType::Date | DataType::Timestamp | DataType::TimestampNtz)
    }

    pub fn is_ansi_interval(&self) -> bool {
        matches!(self, DataType::YearMonthInterval { .. } | DataType::DayTimeInterval { .. })
    }

    /// AtomicType of Catalyst.
    pub fn is_atomic(&self) -> bool {
        !matches!(
            self,
            DataType::Null
                | DataType::Array { .. }
                | DataType::Map { .. }
                | DataType::Struct(_)
                | DataType::CalendarInterval
        )
    }

    /// RowOrdering.isOrderable.
    pub fn is_orderable(&self) -> bool {
        match self {
            DataType::Map { .. } | DataType::CalendarInterval | DataType::Variant => false,
            DataType::Array { element, .. } => element.is_orderable(),
            DataType::Struct(s) => s.fields.iter().all(|f| f.data_type.is_orderable()),
            _ => true,
        }
    }

    /// DataType.equalsIgnoreNullability; field names count (exact case).
    pub fn same_type(&self, other: &DataType) -> bool {
        match (self, other) {
            (DataType::Array { element: a, .. }, DataType::Array { element: b, .. }) => a.same_type(b),
            (DataType::Map { key: a, value: x, .. }, DataType::Map { key: b, value: y, .. }) => {
                a.same_type(b) && x.same_type(y)
            }
            (DataType::Struct(a), DataType::Struct(b)) => {
                a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|(x, y)| x.name == y.name && x.data_type.same_type(&y.data_type))
            }
            (a, b) => a == b,
        }
    }

    /// DataType.equalsStructurally(ignoreNullability = true): neither names nor nullability count.
    pub fn same_structure(&self, other: &DataType) -> bool {
        match (self, other) {
            (DataType::Array { element: a, .. }, DataType::Array { element: b, .. }) => a.same_structure(b),
            (DataType::Map { key: a, value: x, .. }, DataType::Map { key: b, value: y, .. }) => {
                a.same_structure(b) && x.same_structure(y)
            }
            (DataType::Struct(a), DataType::Struct(b)) => {
                a.fields.len() == b.fields.len()
                    && a.fields.iter().zip(&b.fields).all(|(x, y)| x.data_type.same_structure(&y.data_type))
            }
            (a, b) => a == b,
        }
    }

    /// DataType.defaultSize, bytes.
    pub fn default_size(&self) -> usize {
        match self {
            DataType::Null | DataType::Boolean | DataType::Byte => 1,
            DataType::Short => 2,
            DataType::Integer | DataType::Float | DataType::Date | DataType::YearMonthInterval { .. } => 4,
            DataType::Long
            | DataType::Double
            | DataType::Timestamp
            | DataType::TimestampNtz
            | DataType::Time(_)
            | DataType::DayTimeInterval { .. } => 8,
            DataType::Decimal { precision, .. } => {
                if *precision <= 18 {
                    8
                } else {
                    16
                }
            }
            DataType::String => 20,
            DataType::Char(n) | DataType::Varchar(n) => *n as usize,
            DataType::Binary => 100,
            DataType::CalendarInterval => 16,
            DataType::Array { element, .. } => element.default_size(),
            DataType::Map { key, value, .. } => key.default_size() + value.default_size(),
            DataType::Struct(s) => s.fields.iter().map(|f| f.data_type.default_size()).sum(),
            DataType::Variant => 2048,
        }
    }
}
