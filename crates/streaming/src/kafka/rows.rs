//! Records as rows (Spark's KafkaRecordToRowConverter).

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::expr::Attribute;
use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_sql::value::{Value, array_from_values};

use super::ranges::OffsetRange;
use super::reader::{Fetched, Reader};
use crate::batch::rows::record_batch;

/// array<struct<key:string,value:binary>>
pub(super) fn headers_type() -> DataType {
    let header = StructType::new(vec![
        StructField::new("key", DataType::String, true),
        StructField::new("value", DataType::Binary, true),
    ]);
    DataType::Array { element: Arc::new(DataType::Struct(Arc::new(header))), contains_null: true }
}

/// The columns of a Kafka source.
pub(super) fn schema(include_headers: bool) -> StructType {
    let mut fields = vec![
        StructField::new("key", DataType::Binary, true),
        StructField::new("value", DataType::Binary, true),
        StructField::new("topic", DataType::String, true),
        StructField::new("partition", DataType::Integer, true),
        StructField::new("offset", DataType::Long, true),
        StructField::new("timestamp", DataType::Timestamp, true),
        StructField::new("timestampType", DataType::Integer, true),
    ];
    if include_headers {
        fields.push(StructField::new("headers", headers_type(), true));
    }
    StructType::new(fields)
}

fn binary<'a>(values: impl Iterator<Item = Option<&'a Vec<u8>>>) -> ArrayRef {
    let mut builder = BinaryBuilder::new();
    for value in values {
        builder.append_option(value);
    }
    Arc::new(builder.finish())
}

/// Null where a record has none.
fn headers(fetched: &[Fetched]) -> Result<ArrayRef> {
    let values: Vec<Value> = fetched
        .iter()
        .map(|f| {
            let headers = f.record.headers.iter().map(|(name, value)| {
                let value = value.as_ref().map_or(Value::Null, |bytes| Value::binary(bytes.as_slice()));
                Value::structure(vec![Value::from(name.as_str()), value])
            });
            let headers: Vec<Value> = headers.collect();
            if headers.is_empty() { Value::Null } else { Value::array(headers) }
        })
        .collect();
    array_from_values(&headers_type(), &values)
}

/// The rows of one task.
pub(super) fn read_task(reader: &Reader, task: &OffsetRange, output: &[Arc<Attribute>]) -> Result<RecordBatch> {
    let fetched = reader.fetch(task)?;
    let rows = fetched.len();
    let partition = &task.partition;
    let mut columns: Vec<ArrayRef> = vec![
        binary(fetched.iter().map(|f| f.record.key.as_ref())),
        binary(fetched.iter().map(|f| f.record.value.as_ref())),
        Arc::new(StringArray::from(vec![partition.topic.as_str(); rows])),
        Arc::new(Int32Array::from(vec![partition.partition; rows])),
        Arc::new(Int64Array::from_iter_values(fetched.iter().map(|f| f.offset))),
        Arc::new(
            TimestampMicrosecondArray::from_iter_values(
                fetched.iter().map(|f| f.record.timestamp_ms.saturating_mul(1000)),
            )
            .with_timezone("UTC"),
        ),
        Arc::new(Int32Array::from(vec![reader.timestamp_type(&partition.topic); rows])),
    ];
    if output.len() > columns.len() {
        columns.push(headers(&fetched)?);
    }
    record_batch(output, columns)
}
