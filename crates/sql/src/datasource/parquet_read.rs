//! Parquet files: schemas from footers and row groups to batches (ParquetFileFormat).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{DataType as ArrowType, TimeUnit};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::options::{Options, flag};
use super::read::ReadTask;
use super::splits::FileSplit;
use super::{FileStatus, uri};
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::{BATCH_ROWS, make_batch};
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};

/// What Spark's readers of columns throw for a type that they do not convert.
const MISMATCH: &str = "org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException";

fn open(content: &Arc<Vec<u8>>, path: &str) -> Result<ParquetRecordBatchReaderBuilder<Bytes>> {
    ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(content)).map_err(|_| {
        let tail: Vec<String> =
            content[content.len().saturating_sub(4)..].iter().map(|b| (*b as i8).to_string()).collect();
        let shown = super::qualified(path);
        let why = if content.len() < 12 {
            format!("{shown} is not a Parquet file (length is too low: {})", content.len())
        } else {
            format!("{shown} is not a Parquet file. Expected magic number at tail, but found [{}]", tail.join(", "))
        };
        SparkError::new(ErrorClass::Spark, "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", &[("path", &uri(path))])
            .with_cause(SparkError::plain(ErrorClass::Java("java.lang.RuntimeException"), why))
    })
}

/// Schema of the files: one footer's, or all merged under mergeSchema; None when there are no files.
pub fn infer(
    session: &SqlSession,
    conf: &SqlConf,
    options: &Options,
    files: &[FileStatus],
) -> Result<Option<StructType>> {
    let merge = flag(options, "mergeschema", conf.bool("spark.sql.parquet.mergeSchema"))?;
    let ignore_corrupt = flag(options, "ignorecorruptfiles", conf.bool("spark.sql.files.ignoreCorruptFiles"))?;
    let mut found: Option<StructType> = None;
    for file in files.iter().filter(|f| f.len > 0) {
        let content = match session.fs.read(&file.path) {
            Ok(content) => content,
            Err(_) if super::read::ignores_missing(options, conf)? => continue,
            Err(_) => return Err(super::read::file_missing(&file.path)),
        };
        let builder = match open(&content, &file.path) {
            Err(_) if ignore_corrupt => continue,
            opened => opened?,
        };
        let spark = builder
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .and_then(|pairs| pairs.iter().find(|p| p.key == "org.apache.spark.sql.parquet.row.metadata"))
            .and_then(|p| p.value.as_deref())
            .and_then(|json| DataType::from_json(json).ok());
        let schema = match spark {
            Some(DataType::Struct(s)) => (*s).clone(),
            _ => StructType {
                fields: builder
                    .schema()
                    .fields()
                    .iter()
                    .map(|f| {
                        Ok(StructField {
                            name: f.name().clone(),
                            data_type: DataType::from_arrow(&plain(f.data_type()))?,
                            nullable: f.is_nullable(),
                            metadata: "{}".into(),
                        })
                    })
                    .collect::<Result<_>>()?,
            },
        };
        match &mut found {
            None => found = Some(schema),
            Some(known) => {
                for field in schema.fields {
                    if !known.fields.iter().any(|f| conf.same_name(&f.name, &field.name)) {
                        known.fields.push(field);
                    }
                }
            }
        }
        if !merge {
            break;
        }
    }
    Ok(found)
}

/// The Arrow type that our columns have for what the Parquet reader gives.
fn plain(t: &ArrowType) -> ArrowType {
    match t {
        ArrowType::Timestamp(_, None) => ArrowType::Timestamp(TimeUnit::Microsecond, None),
        ArrowType::Timestamp(_, Some(_)) => ArrowType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ArrowType::LargeUtf8 | ArrowType::Utf8View => ArrowType::Utf8,
        ArrowType::LargeBinary | ArrowType::BinaryView | ArrowType::FixedSizeBinary(_) => ArrowType::Binary,
        ArrowType::UInt8 => ArrowType::Int16,
        ArrowType::UInt16 => ArrowType::Int32,
        ArrowType::UInt32 => ArrowType::Int64,
        ArrowType::UInt64 => ArrowType::Decimal128(20, 0),
        other => other.clone(),
    }
}

pub(super) fn read(
    task: &ReadTask<'_>,
    content: Arc<Vec<u8>>,
    split: &FileSplit,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let builder = open(&content, &split.file.path)?;
    let same = |a: &str, b: &str| task.conf.same_name(a, b);
    let file_fields = builder.schema().fields().clone();
    let found: Vec<Option<usize>> =
        task.required.fields.iter().map(|f| file_fields.iter().position(|x| same(x.name(), &f.name))).collect();
    let mut roots: Vec<usize> = found.iter().flatten().copied().collect();
    roots.sort_unstable();
    roots.dedup();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots.iter().copied());
    let rows: i64 = builder.metadata().file_metadata().num_rows();
    let output = crate::catalog::attributes(task.required);
    if roots.is_empty() {
        // Nothing to decode: the footer knows how many rows there are.
        let mut left = usize::try_from(rows).unwrap_or(0);
        while left > 0 {
            let n = left.min(BATCH_ROWS);
            let columns = task.required.fields.iter().map(|f| new_null_array(&f.data_type.to_arrow(), n)).collect();
            emit(make_batch(&output, columns, n)?)?;
            left -= n;
        }
        return Ok(());
    }
    let unreadable = |e: &dyn std::fmt::Display| SparkError::plain(ErrorClass::Spark, e.to_string());
    let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(|e| unreadable(&e))?;
    for batch in reader {
        let batch = batch.map_err(|e| unreadable(&e))?;
        let columns = task
            .required
            .fields
            .iter()
            .zip(&found)
            .map(|(field, at)| match at.and_then(|i| roots.iter().position(|r| *r == i)) {
                None => Ok(new_null_array(&field.data_type.to_arrow(), batch.num_rows())),
                Some(i) => fit(batch.column(i), &field.data_type, task.conf).ok_or_else(|| {
                    let (expected, actual) = (field.data_type.catalog_string(), physical(batch.column(i).data_type()));
                    let why = format!("column: [{}], physicalType: {actual}, logicalType: {expected}", field.name);
                    SparkError::new(
                        ErrorClass::Spark,
                        "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
                        &[
                            ("path", &uri(&split.file.path)),
                            ("column", &format!("[{}]", field.name)),
                            ("expectedType", &expected),
                            ("actualType", actual),
                        ],
                    )
                    .with_cause(SparkError::plain(ErrorClass::Java(MISMATCH), why))
                }),
            })
            .collect::<Result<Vec<_>>>()?;
        emit(make_batch(&output, columns, batch.num_rows())?)?;
    }
    Ok(())
}

/// Parquet's name of the type that holds such values.
fn physical(t: &ArrowType) -> &'static str {
    match t {
        ArrowType::Boolean => "BOOLEAN",
        ArrowType::Int8 | ArrowType::Int16 | ArrowType::Int32 | ArrowType::Date32 => "INT32",
        ArrowType::Int64 | ArrowType::Timestamp(..) => "INT64",
        ArrowType::Float32 => "FLOAT",
        ArrowType::Float64 => "DOUBLE",
        _ => "BINARY",
    }
}

/// A column in the type wanted, where Spark's Parquet readers convert; None: a mismatch.
fn fit(column: &ArrayRef, wanted: &DataType, conf: &SqlConf) -> Option<ArrayRef> {
    use ArrowType as A;
    let target = wanted.to_arrow();
    if *column.data_type() == target {
        return Some(Arc::clone(column));
    }
    match (column.data_type(), wanted) {
        (_, DataType::Null) => Some(new_null_array(&target, column.len())),
        (A::List(_) | A::LargeList(_), DataType::Array { element, .. }) => {
            let list = column.as_any().downcast_ref::<ListArray>()?;
            let A::List(field) = target else { return None };
            let values = fit(list.values(), element, conf)?;
            Some(Arc::new(ListArray::try_new(field, list.offsets().clone(), values, list.nulls().cloned()).ok()?))
        }
        (A::Struct(_), DataType::Struct(schema)) => {
            let s = column.as_any().downcast_ref::<StructArray>()?;
            let A::Struct(fields) = target else { return None };
            let columns = schema
                .fields
                .iter()
                .map(|f| {
                    let at = s.fields().iter().position(|x| conf.same_name(x.name(), &f.name));
                    match at {
                        Some(i) => fit(s.column(i), &f.data_type, conf),
                        None => Some(new_null_array(&f.data_type.to_arrow(), s.len())),
                    }
                })
                .collect::<Option<Vec<_>>>()?;
            Some(Arc::new(StructArray::try_new(fields, columns, s.nulls().cloned()).ok()?))
        }
        (A::Map(..), DataType::Map { key, value, .. }) => {
            let map = column.as_any().downcast_ref::<MapArray>()?;
            let A::Map(entry, sorted) = target else { return None };
            let A::Struct(fields) = entry.data_type().clone() else { return None };
            let pairs = vec![fit(map.keys(), key, conf)?, fit(map.values(), value, conf)?];
            let entries = StructArray::try_new(fields, pairs, None).ok()?;
            Some(Arc::new(MapArray::try_new(entry, map.offsets().clone(), entries, map.nulls().cloned(), sorted).ok()?))
        }
        (A::Int8 | A::Int16 | A::Int32, DataType::Byte | DataType::Short | DataType::Integer | DataType::Long)
        | (A::Int32, DataType::Double | DataType::Decimal { .. })
        | (A::Int64, DataType::Decimal { .. })
        | (A::Float32, DataType::Double)
        | (A::Decimal128(..), DataType::Decimal { .. })
        | (A::Timestamp(..), DataType::Timestamp | DataType::TimestampNtz)
        | (A::Date32, DataType::TimestampNtz)
        | (A::Utf8 | A::Binary | A::LargeUtf8 | A::Utf8View, DataType::String | DataType::Binary)
        | (A::UInt8 | A::UInt16 | A::UInt32, DataType::Short | DataType::Integer | DataType::Long) => {
            cast(column, &target).ok()
        }
        _ => None,
    }
}
