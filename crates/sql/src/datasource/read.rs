//! Reading pieces of files into batches: the data columns asked for, rows in file order.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use super::options::{Options, codec, flag, text};
use super::relation::Format;
use super::splits::FileSplit;
use super::{FileStatus, uri};
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::BATCH_ROWS;
use crate::expr::Expr;
use crate::plan::FileRelation;
use crate::session::SqlSession;
use crate::types::StructType;

/// FAILED_READ_FILE.FILE_NOT_EXIST.
pub fn file_missing(path: &str) -> SparkError {
    let missing = ErrorClass::Java("java.io.FileNotFoundException");
    SparkError::new(ErrorClass::Spark, "FAILED_READ_FILE.FILE_NOT_EXIST", &[("path", &uri(path))])
        .with_cause(SparkError::plain(missing, format!("File {} does not exist", super::qualified(path))))
}

/// Whether files that are gone are passed over: the option, or else the configuration.
pub fn ignores_missing(options: &Options, conf: &SqlConf) -> Result<bool> {
    flag(options, "ignoremissingfiles", conf.bool("spark.sql.files.ignoreMissingFiles"))
}

/// A failure while reading a file, with its cause (FileDataSourceV2 / FileScanRDD wrap it so).
pub fn failed(path: &str, cause: SparkError) -> SparkError {
    match &cause.condition {
        Some(c) if c.starts_with("FAILED_READ_FILE") => cause,
        _ => SparkError::new(ErrorClass::Spark, "FAILED_READ_FILE.NO_HINT", &[("path", &uri(path))]).with_cause(cause),
    }
}

/// Whether an error says that a file is broken, not that it is gone or that a record is refused (FileScanRDD).
fn is_corruption(error: &SparkError) -> bool {
    let innermost = std::iter::successors(Some(error), |e| e.cause.as_deref()).last();
    let condition = error.condition.as_deref().unwrap_or_default();
    let broken = |class: ErrorClass| matches!(class, ErrorClass::Java(name) if name.starts_with("java.io.") || name == "java.lang.RuntimeException");
    match condition {
        "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER" | "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH" => true,
        "FAILED_READ_FILE.NO_HINT" => innermost.is_some_and(|e| broken(e.class)),
        _ => false,
    }
}

/// What a task reads.
pub struct ReadTask<'a> {
    pub session: &'a SqlSession,
    pub conf: &'a SqlConf,
    pub relation: &'a FileRelation,
    pub format: Format,
    /// Data columns wanted, in this order.
    pub required: &'a StructType,
    /// Filters over `required` that the parser applies to rows without errors (JSON, CSV).
    pub pushed: &'a [Expr],
}

impl ReadTask<'_> {
    /// Reads one piece; `emit` gets batches of the required columns.
    pub fn read(&self, split: &FileSplit, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        match self.read_whole(split, emit) {
            Err(error) if is_corruption(&error) && self.ignores_corrupt()? => Ok(()),
            done => done,
        }
    }

    /// ignoreCorruptFiles, the option or else the configuration: what was read of a file before the fault is kept.
    fn ignores_corrupt(&self) -> Result<bool> {
        let default = self.conf.bool("spark.sql.files.ignoreCorruptFiles");
        flag(&self.relation.options, "ignorecorruptfiles", default)
    }

    fn read_whole(&self, split: &FileSplit, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let options = &self.relation.options;
        if !matches!(self.format, Format::Parquet | Format::BinaryFile) {
            codec(options)?;
        }
        let ignore_missing = ignores_missing(options, self.conf)?;
        let content: Arc<Vec<u8>> = match self.session.fs.read(&split.file.path) {
            Ok(content) => content,
            Err(_) if ignore_missing => return Ok(()),
            Err(_) => return Err(file_missing(&split.file.path)),
        };
        let separator = text(options, "linesep").map(str::as_bytes);
        if self.format == Format::Parquet {
            return super::parquet_read::read(self, content, split, emit).map_err(|e| failed(&split.file.path, e));
        }
        if self.format == Format::BinaryFile {
            return super::binary_file::read(self, &content, &split.file, emit);
        }
        let content = super::inflate::unpacked(&split.file.path, &content).map_err(|e| failed(&split.file.path, e))?;
        let whole = FileSplit { start: 0, len: content.len() as u64, ..split.clone() };
        let split = &match &content {
            Cow::Owned(_) => FileSplit { file: FileStatus { len: whole.len, ..whole.file }, ..whole },
            Cow::Borrowed(_) => split.clone(),
        };
        match self.format {
            Format::Text => {
                let whole = flag(options, "wholetext", false)?;
                let wanted = self.required.fields.len();
                if wanted > 1 {
                    let text = "assertion failed: Text data source only produces a single data column named \"value\".";
                    return Err(SparkError::plain(ErrorClass::Java("java.lang.AssertionError"), text));
                }
                super::text::read_text(&content, split, separator, whole, BATCH_ROWS, &mut |batch| {
                    // A schema of other than one column is refused when the plan is made; none wanted: rows only.
                    if wanted == 0 { emit(batch.project(&[])?) } else { emit(batch) }
                })
            }
            Format::Json => super::json_read::read(self, &content, split, separator, emit),
            Format::Csv => super::csv_read::read(self, &content, split, separator, emit),
            Format::Parquet | Format::BinaryFile => Err(SparkError::internal("these are read above")),
        }
        .map_err(|e| failed(&split.file.path, e))
    }
}
