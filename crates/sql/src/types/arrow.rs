//! Spark types as Arrow types and back (see [`DataType`] for the table).

use std::sync::Arc;

use ::arrow::datatypes::{DataType as ArrowType, Field, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit};

use super::{DataType, StructField, StructType};
use crate::error::{Result, SparkError};

impl DataType {
    pub fn to_arrow(&self) -> ArrowType {
        match self {
            DataType::Null => ArrowType::Null,
            DataType::Boolean => ArrowType::Boolean,
            DataType::Byte => ArrowType::Int8,
            DataType::Short => ArrowType::Int16,
            DataType::Integer => ArrowType::Int32,
            DataType::Long => ArrowType::Int64,
            DataType::Float => ArrowType::Float32,
            DataType::Double => ArrowType::Float64,
            DataType::Decimal { precision, scale } => ArrowType::Decimal128(*precision, *scale),
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => ArrowType::Utf8,
            DataType::Binary => ArrowType::Binary,
            DataType::Date => ArrowType::Date32,
            DataType::Timestamp => ArrowType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            DataType::TimestampNtz => ArrowType::Timestamp(TimeUnit::Microsecond, None),
            DataType::Time(_) => ArrowType::Time64(TimeUnit::Nanosecond),
            DataType::YearMonthInterval { .. } => ArrowType::Interval(IntervalUnit::YearMonth),
            DataType::DayTimeInterval { .. } => ArrowType::Duration(TimeUnit::Microsecond),
            DataType::CalendarInterval => ArrowType::Interval(IntervalUnit::MonthDayNano),
            // Arrow arrays are always nullable inside: nullability is Catalyst's affair, and kernels need not care.
            DataType::Array { element, .. } => {
                ArrowType::List(Arc::new(Field::new("element", element.to_arrow(), true)))
            }
            DataType::Map { key, value, .. } => ArrowType::Map(
                Arc::new(Field::new(
                    "entries",
                    ArrowType::Struct(Fields::from(vec![
                        Field::new("key", key.to_arrow(), false),
                        Field::new("value", value.to_arrow(), true),
                    ])),
                    false,
                )),
                false,
            ),
            DataType::Struct(s) => ArrowType::Struct(s.to_arrow_fields()),
            DataType::Variant => ArrowType::Struct(Fields::from(vec![
                Field::new("value", ArrowType::Binary, true),
                Field::new("metadata", ArrowType::Binary, true),
            ])),
        }
    }

    /// The Spark type of an Arrow type (parquet files, pandas). Ambiguous ones take the plain reading.
    pub fn from_arrow(arrow: &ArrowType) -> Result<DataType> {
        Ok(match arrow {
            ArrowType::Null => DataType::Null,
            ArrowType::Boolean => DataType::Boolean,
            ArrowType::Int8 => DataType::Byte,
            ArrowType::Int16 | ArrowType::UInt8 => DataType::Short,
            ArrowType::Int32 | ArrowType::UInt16 => DataType::Integer,
            ArrowType::Int64 | ArrowType::UInt32 => DataType::Long,
            ArrowType::UInt64 => DataType::decimal(20, 0),
            ArrowType::Float32 | ArrowType::Float16 => DataType::Float,
            ArrowType::Float64 => DataType::Double,
            ArrowType::Decimal32(p, s) | ArrowType::Decimal64(p, s) | ArrowType::Decimal128(p, s) => {
                DataType::decimal(*p, *s)
            }
            ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View => DataType::String,
            ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView | ArrowType::FixedSizeBinary(_) => {
                DataType::Binary
            }
            ArrowType::Date32 | ArrowType::Date64 => DataType::Date,
            ArrowType::Timestamp(_, Some(_)) => DataType::Timestamp,
            ArrowType::Timestamp(_, None) => DataType::TimestampNtz,
            ArrowType::Time32(_) | ArrowType::Time64(_) => DataType::Time(6),
            ArrowType::Interval(IntervalUnit::YearMonth) => DataType::INTERVAL_YM,
            ArrowType::Interval(_) => DataType::CalendarInterval,
            ArrowType::Duration(_) => DataType::INTERVAL_DT,
            ArrowType::List(f) | ArrowType::LargeList(f) | ArrowType::FixedSizeList(f, _) => {
                DataType::array(DataType::from_arrow(f.data_type())?, f.is_nullable())
            }
            ArrowType::Map(f, _) => match f.data_type() {
                ArrowType::Struct(fields) if fields.len() == 2 => DataType::map(
                    DataType::from_arrow(fields[0].data_type())?,
                    DataType::from_arrow(fields[1].data_type())?,
                    fields[1].is_nullable(),
                ),
                other => return Err(SparkError::internal(format!("map entries of type {other}"))),
            },
            ArrowType::Struct(fields) => DataType::structure(
                fields
                    .iter()
                    .map(|f| {
                        Ok(StructField::new(f.name().clone(), DataType::from_arrow(f.data_type())?, f.is_nullable()))
                    })
                    .collect::<Result<Vec<_>>>()?,
            ),
            ArrowType::Dictionary(_, value) => DataType::from_arrow(value)?,
            other => return Err(SparkError::not_yet(&format!("Arrow type {other}"))),
        })
    }
}

impl StructType {
    /// All fields nullable: what a RecordBatch of the engine carries.
    pub fn to_arrow_fields(&self) -> Fields {
        self.fields.iter().map(|f| Field::new(f.name.clone(), f.data_type.to_arrow(), true)).collect()
    }

    pub fn to_arrow(&self) -> SchemaRef {
        Arc::new(Schema::new(self.to_arrow_fields()))
    }

    pub fn from_arrow(schema: &Schema) -> Result<StructType> {
        let fields = schema
            .fields()
            .iter()
            .map(|f| Ok(StructField::new(f.name().clone(), DataType::from_arrow(f.data_type())?, f.is_nullable())))
            .collect::<Result<Vec<_>>>()?;
        Ok(StructType { fields })
    }
}
