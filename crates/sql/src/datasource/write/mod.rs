//! Part files: a query's rows in a file format, task by task (Spark's FileFormatWriter and OutputWriters).

pub(crate) mod csv;
mod json;
mod packed;
mod parquet;
mod times;

use arrow::record_batch::RecordBatch;
use tidemark_vfs::FileSystem;

use self::times::Times;
use super::charset::Charset;
use super::options::{Options, codec, lower_keys};
use super::partitions::{DEFAULT_PARTITION, escape};
use super::relation::{Format, format_named};
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::Partition;
use crate::functions::cast::to_text;
use crate::types::{DataType, StructField, StructType};
use crate::value::{Value, value_at};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Absolute path.
    pub path: String,
    /// Bytes.
    pub len: u64,
    pub modified_ms: i64,
}

/// How rows become files.
pub struct FileWriter {
    format: Format,
    options: Options,
    /// All columns, and which of them name folders.
    schema: StructType,
    partition_by: Vec<usize>,
    conf: SqlConf,
    times: Times,
}

/// Rows of one file with the format's own settings.
struct Rows<'a> {
    batches: &'a [RecordBatch],
    /// Columns of the batches that are written, and their fields.
    columns: &'a [(usize, StructField)],
    options: &'a Options,
    times: &'a Times,
    conf: &'a SqlConf,
}

/// The refusal of a column that a format cannot hold.
pub(super) fn unsupported(format: Format, field: &StructField) -> SparkError {
    let column = format!("`{}`", field.name);
    let column_type = format!("\"{}\"", field.data_type.sql());
    SparkError::analysis(
        "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
        &[("format", format.shown()), ("columnName", &column), ("columnType", &column_type)],
    )
}

/// The refusal to write binary files.
fn binary_files() -> SparkError {
    SparkError::new(ErrorClass::UnsupportedOperation, "UNSUPPORTED_FEATURE.WRITE_FOR_BINARY_SOURCE", &[])
}

/// The refusal of text of so many columns.
pub(crate) fn too_wide_for_text(columns: usize) -> SparkError {
    SparkError::analysis("_LEGACY_ERROR_TEMP_1290", &[("schemaSize", &columns.to_string())])
}

/// Whether a format can hold a type (FileFormat.supportDataType).
pub(super) fn supports(format: Format, data_type: &DataType) -> bool {
    match format {
        Format::BinaryFile => true,
        Format::Text => *data_type == DataType::String,
        Format::Csv => data_type.is_atomic() && *data_type != DataType::Variant,
        Format::Json | Format::Parquet => match data_type {
            DataType::Struct(fields) => fields.fields.iter().all(|f| supports(format, &f.data_type)),
            DataType::Array { element, .. } => supports(format, element),
            DataType::Map { key, value, .. } => supports(format, key) && supports(format, value),
            DataType::CalendarInterval => false,
            _ => true,
        },
    }
}

impl FileWriter {
    /// Checks the schema and the options; `partition_by` names columns of `schema`.
    pub fn new(
        format: &str,
        options: &Options,
        schema: &StructType,
        partition_by: &[String],
        conf: &SqlConf,
    ) -> Result<Self> {
        let format = format_named(format)?;
        let options = lower_keys(options);
        match format {
            Format::BinaryFile => return Err(binary_files()),
            Format::Csv => {
                Charset::of(&options, "CSVOptions")?;
            }
            Format::Json => {
                Charset::of(&options, "JSONOptions")?;
            }
            Format::Text | Format::Parquet => {}
        }
        let partition_by: Vec<usize> = partition_by
            .iter()
            .filter_map(|name| schema.fields.iter().position(|f| conf.same_name(&f.name, name)))
            .collect();
        let data = schema.fields.iter().enumerate().filter(|(i, _)| !partition_by.contains(i));
        for (_, field) in data.clone() {
            if !supports(format, &field.data_type) {
                return Err(unsupported(format, field));
            }
        }
        let count = data.count();
        if format == Format::Text && count != 1 {
            return Err(too_wide_for_text(count));
        }
        let times = Times::new(&options, conf)?;
        let writer = Self { format, options, schema: schema.clone(), partition_by, conf: conf.clone(), times };
        writer.extension()?;
        Ok(writer)
    }

    /// What follows "-c000" in file names: ".json", ".csv.gz", ".snappy.parquet".
    pub fn extension(&self) -> Result<String> {
        if self.format == Format::Parquet {
            let codec = self.options.get("compression").or_else(|| self.options.get("codec"));
            return parquet::extension(codec.map(String::as_str), &self.conf);
        }
        let plain = match self.format {
            Format::Json => ".json",
            Format::Csv => ".csv",
            _ => ".txt",
        };
        match codec(&self.options)?.as_deref() {
            None => Ok(plain.to_owned()),
            Some("gzip") => Ok(format!("{plain}.gz")),
            Some("deflate") => Ok(format!("{plain}.deflate")),
            Some(other) => Err(SparkError::not_yet(&format!("Compression with {other}"))),
        }
    }

    fn encode(&self, batches: &[RecordBatch], columns: &[(usize, StructField)]) -> Result<Vec<u8>> {
        let rows = Rows { batches, columns, options: &self.options, times: &self.times, conf: &self.conf };
        let bytes = match self.format {
            Format::Json => json::encode(&rows)?,
            Format::Csv => csv::encode(&rows)?,
            Format::Text => text(&rows),
            Format::Parquet => return parquet::encode(&rows),
            Format::BinaryFile => return Err(binary_files()),
        };
        Ok(match codec(&self.options)?.as_deref() {
            Some("gzip") => packed::gzip(&bytes),
            Some("deflate") => packed::zlib(&bytes),
            _ => bytes,
        })
    }

    /// Rows of a file at most: the option, or spark.sql.files.maxRecordsPerFile; 0 and less: no bound.
    fn most_rows(&self) -> usize {
        let setting = "spark.sql.files.maxRecordsPerFile";
        let text = self.options.get("maxrecordsperfile").cloned().or_else(|| self.conf.get(setting));
        match text.and_then(|text| text.trim().parse::<i64>().ok()) {
            Some(rows) if rows > 0 => usize::try_from(rows).unwrap_or(usize::MAX),
            _ => usize::MAX,
        }
    }

    /// Writes the partitions below `folder`, which is made. `name` gives a file's name from the task's number, the file's
    /// among those of its folder, and the extension. A task without rows writes no file, but for the first, which leaves an empty one where there are no
    /// partition columns.
    pub fn write(
        &self,
        fs: &dyn FileSystem,
        folder: &str,
        partitions: &[Partition],
        name: &dyn Fn(usize, usize, &str) -> String,
        now_ms: i64,
    ) -> Result<Vec<WrittenFile>> {
        let failed =
            |e: tidemark_vfs::FsError| SparkError::plain(ErrorClass::Java("java.io.IOException"), e.to_string());
        fs.create_dir_all(folder, now_ms).map_err(failed)?;
        let columns: Vec<(usize, StructField)> =
            self.schema.fields.iter().cloned().enumerate().filter(|(i, _)| !self.partition_by.contains(i)).collect();
        let extension = self.extension()?;
        let none = vec![Partition::new()];
        let tasks = if partitions.is_empty() { &none } else { partitions };
        let mut files = Vec::new();
        for (task, rows) in tasks.iter().enumerate() {
            let empty = rows.iter().all(|batch| batch.num_rows() == 0);
            if empty && (task > 0 || !self.partition_by.is_empty()) {
                continue;
            }
            for (below, batches) in self.by_folder(rows)? {
                let target = if below.is_empty() { folder.to_owned() } else { format!("{folder}/{below}") };
                fs.create_dir_all(&target, now_ms).map_err(failed)?;
                for (number, batches) in in_files(batches, self.most_rows()).into_iter().enumerate() {
                    let path = format!("{target}/{}", name(task, number, &extension));
                    let bytes = self.encode(&batches, &columns)?;
                    fs.write(&path, &bytes, now_ms).map_err(failed)?;
                    files.push(WrittenFile { path, len: bytes.len() as u64, modified_ms: now_ms });
                }
            }
        }
        Ok(files)
    }

    /// Rows by the folder of their partition values, in the order of the values (a task sorts its rows by them).
    fn by_folder(&self, rows: &Partition) -> Result<Vec<(String, Vec<RecordBatch>)>> {
        if self.partition_by.is_empty() {
            return Ok(vec![(String::new(), rows.clone())]);
        }
        let mut folders: Vec<(Vec<Value>, String, Vec<RecordBatch>)> = Vec::new();
        for batch in rows {
            for row in 0..batch.num_rows() {
                let values: Vec<Value> = self
                    .partition_by
                    .iter()
                    .map(|i| value_at(batch.column(*i).as_ref(), row, &self.schema.fields[*i].data_type))
                    .collect();
                let one = batch.slice(row, 1);
                match folders.iter_mut().find(|(known, _, _)| *known == values) {
                    Some((_, _, batches)) => batches.push(one),
                    None => {
                        let folder = self.folder_name(&values);
                        folders.push((values, folder, vec![one]));
                    }
                }
            }
        }
        folders.sort_by(|(a, _, _), (b, _, _)| {
            a.iter()
                .zip(b)
                .map(|(a, b)| crate::value::compare_nulls_first(a, b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        // Null and empty text share a folder: what was sorted apart is written together.
        let mut merged: Vec<(String, Vec<RecordBatch>)> = Vec::new();
        for (_, folder, batches) in folders {
            match merged.iter_mut().find(|(known, _)| *known == folder) {
                Some((_, known)) => known.extend(batches),
                None => merged.push((folder, batches)),
            }
        }
        merged
            .into_iter()
            .map(|(folder, batches)| {
                let schema = batches[0].schema();
                Ok((folder, vec![arrow::compute::concat_batches(&schema, &batches)?]))
            })
            .collect()
    }

    fn folder_name(&self, values: &[Value]) -> String {
        let parts = self.partition_by.iter().zip(values).map(|(i, value)| {
            let field = &self.schema.fields[*i];
            let text = match value {
                Value::Null => String::new(),
                value => to_text(value, &field.data_type, self.conf.time_zone()),
            };
            let shown = if text.is_empty() { DEFAULT_PARTITION.to_owned() } else { escape(&text) };
            format!("{}={shown}", escape(&field.name))
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// The rows of a folder by files of at most `most` rows.
fn in_files(batches: Vec<RecordBatch>, most: usize) -> Vec<Vec<RecordBatch>> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    if rows <= most {
        return vec![batches];
    }
    let mut files = vec![Vec::new()];
    let mut room = most;
    for batch in batches {
        let mut from = 0;
        while from < batch.num_rows() {
            if room == 0 {
                files.push(Vec::new());
                room = most;
            }
            let taken = room.min(batch.num_rows() - from);
            if let Some(file) = files.last_mut() {
                file.push(batch.slice(from, taken));
            }
            from += taken;
            room -= taken;
        }
    }
    files
}

fn line_separator(options: &Options) -> &str {
    options.get("linesep").map_or("\n", String::as_str)
}

/// TextOutputWriter: the value and a line break; null is an empty line.
fn text(rows: &Rows<'_>) -> Vec<u8> {
    let separator = line_separator(rows.options);
    let mut out = Vec::new();
    for batch in rows.batches {
        for row in 0..batch.num_rows() {
            for (column, field) in rows.columns {
                if let Value::String(text) = value_at(batch.column(*column).as_ref(), row, &field.data_type) {
                    out.extend_from_slice(text.as_bytes());
                }
            }
            out.extend_from_slice(separator.as_bytes());
        }
    }
    out
}
