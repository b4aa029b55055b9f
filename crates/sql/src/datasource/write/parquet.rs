//! Parquet (ParquetWriteSupport).

use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::Rows;
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::types::StructType;

fn codec(option: Option<&str>, conf: &SqlConf) -> String {
    let default = || conf.get("spark.sql.parquet.compression.codec").unwrap_or_else(|| "snappy".to_owned());
    option.map_or_else(default, str::to_owned).to_lowercase()
}

pub(super) fn extension(option: Option<&str>, conf: &SqlConf) -> Result<String> {
    match codec(option, conf).as_str() {
        "snappy" => Ok(".snappy.parquet".to_owned()),
        "none" | "uncompressed" => Ok(".parquet".to_owned()),
        // Named as by Spark; pages are left as they are, which every reader of the format takes.
        "gzip" => Ok(".gz.parquet".to_owned()),
        "zstd" => Ok(".zstd.parquet".to_owned()),
        "lz4" => Ok(".lz4hadoop.parquet".to_owned()),
        "lz4_raw" => Ok(".lz4raw.parquet".to_owned()),
        other @ ("lzo" | "brotli") => {
            let class = if other == "lzo" {
                "com.hadoop.compression.lzo.LzoCodec"
            } else {
                "org.apache.hadoop.io.compress.BrotliCodec"
            };
            let missing = ErrorClass::Java("java.lang.ClassNotFoundException");
            let failed = ErrorClass::Java("org.apache.parquet.hadoop.BadConfigurationException");
            Err(SparkError::plain(failed, format!("Class {class} was not found"))
                .with_cause(SparkError::plain(missing, class)))
        }
        other => Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
            &[
                ("codecName", other),
                ("availableCodecs", "brotli, uncompressed, lzo, snappy, lz4_raw, none, zstd, lz4, gzip"),
            ],
        )),
    }
}

fn failed(error: &parquet::errors::ParquetError) -> SparkError {
    SparkError::internal(format!("parquet: {error}"))
}

pub(super) fn encode(rows: &Rows<'_>) -> Result<Vec<u8>> {
    let schema = StructType::new(rows.columns.iter().map(|(_, field)| field.clone()).collect());
    let fields: Vec<Field> =
        schema.fields.iter().map(|f| Field::new(&f.name, f.data_type.to_arrow(), f.nullable)).collect();
    let arrow = Arc::new(Schema::new(fields));
    let option = rows.options.get("compression").or_else(|| rows.options.get("codec"));
    let compression = match codec(option.map(String::as_str), rows.conf).as_str() {
        "snappy" => Compression::SNAPPY,
        _ => Compression::UNCOMPRESSED,
    };
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_created_by("parquet-mr (Tidemark)".to_owned())
        .set_key_value_metadata(Some(vec![
            KeyValue::new("org.apache.spark.version".to_owned(), "4.3.0".to_owned()),
            KeyValue::new("org.apache.spark.sql.parquet.row.metadata".to_owned(), schema.json()),
        ]))
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new_with_options(&mut out, arrow.clone(), options).map_err(|e| failed(&e))?;
    for batch in rows.batches {
        let columns = rows.columns.iter().map(|(i, _)| batch.column(*i).clone()).collect();
        let count = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch = RecordBatch::try_new_with_options(arrow.clone(), columns, &count)?;
        writer.write(&batch).map_err(|e| failed(&e))?;
    }
    writer.close().map_err(|e| failed(&e))?;
    Ok(out)
}
