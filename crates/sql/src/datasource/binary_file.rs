//! The format binaryFile: a row for each file, with its bytes (BinaryFileFormat).

use arrow::record_batch::RecordBatch;

use super::FileStatus;
use super::read::ReadTask;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::make_batch;
use crate::types::{DataType, StructField, StructType};
use crate::value::{Value, repeat_value};

/// path, modificationTime, length, content.
pub fn schema() -> StructType {
    StructType::new(vec![
        StructField::new("path", DataType::String, false),
        StructField::new("modificationTime", DataType::Timestamp, false),
        StructField::new("length", DataType::Long, false),
        StructField::new("content", DataType::Binary, true),
    ])
}

/// Refuses any other schema of the user's.
pub fn check(given: &StructType) -> Result<()> {
    let own = schema();
    let same = given.fields.len() == own.fields.len()
        && given.fields.iter().zip(&own.fields).all(|(a, b)| a.name == b.name && a.data_type == b.data_type);
    if same {
        return Ok(());
    }
    let shown = |schema: &StructType| DataType::Struct(schema.clone().into()).jvm_name();
    let (own, given) = (shown(&own), shown(given));
    let message =
        format!("requirement failed: \nBinary file data source expects dataSchema: {own},\nbut got: {given}.\n");
    Err(SparkError::plain(ErrorClass::IllegalArgument, message))
}

/// The row of a file.
pub(super) fn read(
    task: &ReadTask<'_>,
    content: &[u8],
    file: &FileStatus,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let columns = task.required.fields.iter().map(|field| {
        let value = match &*field.name {
            "path" => Value::from(super::qualified(&file.path)),
            "modificationTime" => Value::Timestamp(file.modified_ms.saturating_mul(1000)),
            "length" => Value::Long(i64::try_from(file.len).unwrap_or(i64::MAX)),
            _ => Value::binary(content.to_vec()),
        };
        repeat_value(&field.data_type, &value, 1)
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    emit(make_batch(&crate::catalog::attributes(task.required), columns, 1)?)
}
