//! From format, options and paths to a [`FileRelation`] (DataSource.resolveRelation for file formats).

use std::sync::Arc;

use super::listing::{ListOptions, Listing, folder_of, list_files};
use super::options::{Options, flag, lower_keys};
use super::write::{supports, unsupported};
use super::{FileStatus, infer_json, metadata_log, partitions, resolve_path};
use crate::catalog::attributes;
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::plan::FileRelation;
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};

/// The file formats that can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
    Text,
    Parquet,
    BinaryFile,
}

impl Format {
    /// By short name or class name, without regard to case; None: no file format of ours.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let last = name.rsplit('.').next().unwrap_or(&name);
        Some(match last {
            "json" | "jsonfileformat" => Self::Json,
            "csv" | "csvfileformat" => Self::Csv,
            "text" | "textfileformat" => Self::Text,
            "parquet" | "parquetfileformat" => Self::Parquet,
            "binaryfile" | "binaryfileformat" => Self::BinaryFile,
            _ => return None,
        })
    }

    /// Short name ("json").
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Text => "text",
            Self::Parquet => "parquet",
            Self::BinaryFile => "binaryFile",
        }
    }

    /// FileFormat.toString, as errors and plans print it.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::Text => "Text",
            Self::Parquet => "Parquet",
            Self::BinaryFile => "BINARYFILE",
        }
    }

    /// Whether a file may be read in pieces.
    pub fn splittable(self, options: &Options) -> Result<bool> {
        Ok(match self {
            Self::Json | Self::Csv => !flag(options, "multiline", false)?,
            Self::Text => !flag(options, "wholetext", false)?,
            // Pieces of a Parquet file are whole row groups; one task reads them all here.
            Self::Parquet | Self::BinaryFile => false,
        })
    }
}

/// The format named, or Spark's refusal.
pub fn format_named(name: &str) -> Result<Format> {
    Format::of(name).ok_or_else(|| unavailable(name))
}

/// DataSource.lookupDataSource's errors for what is not there.
pub fn unavailable(name: &str) -> SparkError {
    match name.to_lowercase().as_str() {
        "avro" => SparkError::analysis("AVRO_DATA_SOURCE_NOT_ENABLED", &[("provider", name)]),
        "kafka" => SparkError::analysis("KAFKA_DATA_SOURCE_NOT_ENABLED", &[("provider", name)]),
        "orc" => SparkError::plain(
            ErrorClass::UnsupportedOperation,
            "ORC files are not supported by Tidemark: use Parquet, JSON, CSV or text",
        ),
        "xml" => SparkError::not_yet(&format!("The file format {name}")),
        _ => not_found(name),
    }
}

/// A name that no provider has: what was looked for is the cause.
pub fn not_found(name: &str) -> SparkError {
    let class = ErrorClass::Java("org.apache.spark.SparkClassNotFoundException");
    let missing = ErrorClass::Java("java.lang.ClassNotFoundException");
    SparkError::new(class, "DATA_SOURCE_NOT_FOUND", &[("provider", name)])
        .with_cause(SparkError::plain(missing, format!("{name}.DefaultSource")))
}

/// Lists the paths and settles the schema: `user_schema` given, or inferred from the files.
pub fn relation(
    session: &SqlSession,
    format: &str,
    options: &Options,
    user_schema: Option<&StructType>,
    paths: &[String],
) -> Result<FileRelation> {
    let conf = session.conf.borrow().clone();
    let format = format_named(format)?;
    let options = lower_keys(options);
    let mut paths = paths.to_vec();
    if paths.is_empty() {
        paths.extend(options.get("path").cloned());
    }
    let fs = &*session.fs;
    let list = ListOptions::of(&options, &conf)?;
    let listing = list_files(fs, &session.cwd, &paths, &list)?;
    let from_log = metadata_log::has_log(fs, &listing.roots);
    let listing = match listing.roots.first() {
        Some(root) if from_log => Listing { files: metadata_log::read(fs, root)?, roots: listing.roots.clone() },
        _ => listing,
    };
    settle(session, &conf, format, options, user_schema, listing, list.recursive)
}

/// A relation over files already chosen (a micro-batch), with partition columns by folder below `base`.
pub fn relation_of_files(
    session: &SqlSession,
    format: &str,
    options: &Options,
    schema: &StructType,
    root: &str,
    files: Vec<FileStatus>,
) -> Result<FileRelation> {
    let conf = session.conf.borrow().clone();
    let options = lower_keys(options);
    let recursive = flag(&options, "recursivefilelookup", false)?;
    let listing = Listing { roots: vec![resolve_path(&session.cwd, root)], files };
    let mut made = settle(session, &conf, format_named(format)?, options, Some(schema), listing.clone(), recursive)?;
    made.files = Arc::new(listing.files);
    Ok(made)
}

fn settle(
    session: &SqlSession,
    conf: &SqlConf,
    format: Format,
    options: Options,
    user_schema: Option<&StructType>,
    listing: Listing,
    recursive: bool,
) -> Result<FileRelation> {
    let base_path = options.get("basepath").map(|b| resolve_path(&session.cwd, b));
    let bases = partitions::base_paths(&*session.fs, &listing.roots, base_path.as_deref());
    let partition_schema =
        if recursive { StructType::default() } else { partitions::infer(&listing.files, &bases, user_schema, conf)? };
    let mut files = listing.files;
    if partition_schema.fields.is_empty() && !recursive && !metadata_log::has_log(&*session.fs, &listing.roots) {
        // Without partition columns only the files directly in a root count (PartitioningAwareFileIndex.allFiles).
        files.retain(|f| listing.roots.iter().any(|r| *r == f.path || r == folder_of(&f.path)));
    }
    let is_partition = |name: &str| partition_schema.fields.iter().any(|f| conf.same_name(&f.name, name));
    let data_schema = match user_schema {
        Some(user) => StructType { fields: user.fields.iter().filter(|f| !is_partition(&f.name)).cloned().collect() },
        None => infer(session, conf, format, &options, &files)?,
    };
    if user_schema.is_some() {
        // A folder's value that is none of the type given for its column is refused at once.
        for file in &files {
            partitions::values_of(file, &bases, &partition_schema, conf)?;
        }
    }
    check_duplicates(&data_schema, conf)?;
    check_types(format, &data_schema)?;
    let data_schema = as_nullable(&data_schema);
    // Data columns first; one that is a partition column too stands here with the folder's value.
    let mut merged: Vec<StructField> = data_schema
        .fields
        .iter()
        .map(|f| {
            let partition = partition_schema.fields.iter().find(|p| conf.same_name(&p.name, &f.name));
            partition.unwrap_or(f).clone()
        })
        .collect();
    for field in &partition_schema.fields {
        if !merged.iter().any(|f| conf.same_name(&f.name, &field.name)) {
            merged.push(field.clone());
        }
    }
    let output = attributes(&StructType { fields: merged });
    Ok(FileRelation {
        format: format.name().to_owned(),
        options,
        root_paths: listing.roots,
        files: Arc::new(files),
        data_schema: Arc::new(data_schema),
        partition_schema: Arc::new(partition_schema),
        output,
    })
}

/// Files make no promise about nulls (StructType.asNullable).
fn as_nullable(schema: &StructType) -> StructType {
    fn loosen(t: &DataType) -> DataType {
        match t {
            DataType::Array { element, .. } => {
                DataType::Array { element: Arc::new(loosen(element)), contains_null: true }
            }
            DataType::Map { key, value, .. } => {
                DataType::Map { key: Arc::new(loosen(key)), value: Arc::new(loosen(value)), value_contains_null: true }
            }
            DataType::Struct(s) => DataType::Struct(Arc::new(as_nullable(s))),
            other => other.clone(),
        }
    }
    StructType {
        fields: schema
            .fields
            .iter()
            .map(|f| StructField { nullable: true, data_type: loosen(&f.data_type), ..f.clone() })
            .collect(),
    }
}

pub(super) fn check_duplicates(schema: &StructType, conf: &SqlConf) -> Result<()> {
    for (i, field) in schema.fields.iter().enumerate() {
        if schema.fields[..i].iter().any(|f| conf.same_name(&f.name, &field.name)) {
            let shown = if conf.case_sensitive() { field.name.clone() } else { field.name.to_lowercase() };
            return Err(SparkError::analysis("COLUMN_ALREADY_EXISTS", &[("columnName", &format!("`{shown}`"))]));
        }
    }
    Ok(())
}

/// DataSourceUtils.verifySchema: types that the format cannot read.
fn check_types(format: Format, schema: &StructType) -> Result<()> {
    let readable = |t: &DataType| match format {
        Format::Csv => t.is_atomic(),
        _ => supports(format, t),
    };
    match schema.fields.iter().find(|field| !readable(&field.data_type)) {
        Some(field) => Err(unsupported(format, field)),
        None => Ok(()),
    }
}

fn infer(
    session: &SqlSession,
    conf: &SqlConf,
    format: Format,
    options: &Options,
    files: &[FileStatus],
) -> Result<StructType> {
    let unable = || SparkError::analysis("UNABLE_TO_INFER_SCHEMA", &[("format", format.shown())]);
    match format {
        Format::Text => Ok(StructType {
            fields: vec![StructField {
                name: "value".into(),
                data_type: DataType::String,
                nullable: true,
                metadata: "{}".into(),
            }],
        }),
        Format::Json => infer_json::infer(session, conf, options, files)?.ok_or_else(unable),
        Format::Csv => super::infer_csv::infer(session, conf, options, files)?.ok_or_else(unable),
        Format::BinaryFile => Ok(super::binary_file::schema()),
        Format::Parquet => super::parquet_read::infer(session, conf, options, files)?.ok_or_else(unable),
    }
}
