//! DataFrameReader and DataStreamReader.

use std::sync::Arc;

use super::ReadSpec;
use crate::catalog::attributes;
use crate::conf::LENIENT_PATHS;
use crate::connector;
use crate::datasource::ListOptions;
use crate::datasource::options::{lower_keys, time_string_ms};
use crate::datasource::relation::Format;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Attribute, ExprId};
use crate::plan::{LogicalPlan, PlanRef, PythonScan, StreamingRelation};
use crate::python_source::{self, Loaded};
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};

/// File formats that can be streamed.
const FILE_FORMATS: [&str; 5] = ["json", "csv", "text", "parquet", "binaryfile"];

/// Names that readStream knows, be it to refuse them with an error of their own.
pub(crate) const STREAM_FORMATS: [&str; 17] = [
    "rate",
    "rate-micro-batch",
    "kafka",
    "avro",
    "socket",
    "console",
    "noop",
    "statestore",
    "jdbc",
    "binaryfile",
    "state-metadata",
    "orc",
    "xml",
    "json",
    "csv",
    "text",
    "parquet",
];

/// Whether a name is one of Spark's own sources.
pub(crate) fn is_provider(name: &str) -> bool {
    let short = name.to_lowercase();
    const OTHERS: [&str; 3] = ["libsvm", "image", "hive"];
    let named = STREAM_FORMATS.contains(&short.as_str()) || OTHERS.contains(&short.as_str());
    named || Format::of(&short).is_some() || connector::is_kafka(&short)
}

/// What a stream of files does not say before a batch: a pattern may find nothing yet, and the columns of a schema are looked
/// at when files are read (DataSource.resolveRelation).
const LATER: [&str; 3] = ["PATH_NOT_FOUND", "COLUMN_ALREADY_EXISTS", "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"];

/// spark.read...load(): files as they are listed now.
pub fn read(session: &SqlSession, mut spec: ReadSpec) -> Result<PlanRef> {
    if !spec.paths.is_empty() {
        let given = option(&spec, "path").cloned();
        let twice = given.is_some() || option(&spec, "paths").is_some();
        if twice && !session.conf.borrow().lenient_paths() {
            return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1306", &[("config", LENIENT_PATHS)]));
        }
        if let Some(path) = given {
            spec.paths.insert(0, path);
        }
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = spec.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    let short = format.to_lowercase();
    if let Some(loaded) = python_source::load(session, &format, &spec)? {
        let output = attributes(&loaded.schema);
        return Ok(Arc::new(LogicalPlan::Extension(Arc::new(PythonScan { loaded, output }))));
    }
    if crate::state_reader::FORMATS.contains(&short.as_str()) {
        let reader = session.state_reader.borrow().clone();
        if let Some(reader) = reader {
            return reader.read(session, &short, &spec);
        }
    }
    if let Some(kafka) = connector::kafka(session, &format) {
        return kafka.read(session, &spec);
    }
    if ["rate", "rate-micro-batch", "socket", "console", "noop"].contains(&short.as_str()) {
        // Their providers have a say before it shows that they read no batches.
        own_schema(&spec, &short)?;
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1135", &[("className", &format)]));
    }
    refuse_empty(&spec.paths)?;
    let relation = crate::datasource::relation(session, &format, &spec.options, spec.schema.as_ref(), &spec.paths)?;
    Ok(Arc::new(LogicalPlan::FileRelation(relation)))
}

/// Files of no name (Hadoop's Path).
fn refuse_empty(paths: &[impl AsRef<str>]) -> Result<()> {
    match paths.iter().any(|path| path.as_ref().is_empty()) {
        true => Err(SparkError::plain(ErrorClass::IllegalArgument, "Can not create a Path from an empty string")),
        false => Ok(()),
    }
}

/// Options by key in lower case, as CaseInsensitiveMap looks them up.
fn option<'a>(spec: &'a ReadSpec, key: &str) -> Option<&'a String> {
    spec.options.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, value)| value)
}

/// spark.readStream...load(): a source that the streaming crate opens at start().
pub fn read_stream(session: &SqlSession, spec: ReadSpec) -> Result<PlanRef> {
    if !spec.paths.is_empty() {
        session.conf.borrow().refuse_path_option(&spec.options, "load")?;
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = spec.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    let short = if connector::is_kafka(&format) { "kafka".to_owned() } else { format.to_lowercase() };
    let path = spec.paths.first().cloned().or_else(|| option(&spec, "path").cloned());
    let python = python_source::load(session, &format, &spec)?;
    if let Some(loaded) = &python {
        let output = attributes(&loaded.schema);
        return Ok(streaming_relation(spec, format, path, python.clone(), output));
    }
    let schema = match short.as_str() {
        "rate" | "rate-micro-batch" | "socket" => own_schema(&spec, &short)?,
        "kafka" => match connector::kafka(session, &format) {
            Some(kafka) => kafka.stream_schema(&spec)?,
            None => return Err(SparkError::analysis("KAFKA_DATA_SOURCE_NOT_ENABLED", &[("provider", &format)])),
        },
        "avro" => return Err(SparkError::analysis("AVRO_DATA_SOURCE_NOT_ENABLED", &[("provider", &format)])),
        "console" | "noop" | "statestore" if spec.schema.is_some() => return Err(refused_schema(&short)),
        "xml" => {
            file_path(session, path.as_deref())?;
            if spec.schema.is_none() && !session.conf.borrow().bool("spark.sql.streaming.schemaInference") {
                return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2048", &[]));
            }
            return Err(crate::datasource::relation::unavailable(&format));
        }
        "console" | "noop" | "jdbc" | "statestore" | "state-metadata" => {
            return Err(SparkError::new(
                ErrorClass::UnsupportedOperation,
                "_LEGACY_ERROR_TEMP_2049",
                &[("className", &format), ("operator", "reading")],
            ));
        }
        "orc" => return Err(crate::datasource::relation::unavailable(&format)),
        name if FILE_FORMATS.contains(&name) => file_schema(session, &spec, name, path.as_deref())?,
        _ => return Err(crate::datasource::relation::not_found(&format)),
    };
    crate::functions::check_time_type(&session.conf.borrow(), &schema)?;
    Ok(streaming_relation(spec, short, path, None, attributes(&schema)))
}

fn streaming_relation(
    spec: ReadSpec,
    format: String,
    path: Option<String>,
    python: Option<Loaded>,
    output: Vec<Arc<Attribute>>,
) -> PlanRef {
    Arc::new(LogicalPlan::StreamingRelation(StreamingRelation {
        id: ExprId::fresh(),
        format,
        options: spec.options,
        path,
        python,
        user_schema: spec.schema.map(Arc::new),
        output,
    }))
}

/// Providers that have a schema of their own refuse the user's.
fn refused_schema(format: &str) -> SparkError {
    let provider = match format {
        "rate" => "RateStreamProvider",
        "rate-micro-batch" => "RatePerMicroBatchProvider",
        "socket" => "TextSocketSourceProvider",
        "console" => "ConsoleSinkProvider",
        "noop" => "NoopDataSource",
        _ => "StateDataSource",
    };
    SparkError::new(ErrorClass::UnsupportedOperation, "_LEGACY_ERROR_TEMP_2242", &[("provider", provider)])
}

/// The columns of a source that takes no schema, after the checks of its options.
fn own_schema(spec: &ReadSpec, format: &str) -> Result<StructType> {
    if format == "socket" {
        return socket_schema(spec);
    }
    if spec.schema.is_some() {
        return Err(refused_schema(format));
    }
    if format.starts_with("rate") {
        check_rate_options(spec, format)?;
    }
    let fields =
        [StructField::new("timestamp", DataType::Timestamp, true), StructField::new("value", DataType::Long, true)];
    Ok(StructType { fields: fields.into() })
}

/// What RateStreamProvider and RatePerMicroBatchProvider refuse.
fn check_rate_options(spec: &ReadSpec, format: &str) -> Result<()> {
    let refuse = |key: &str, text: &str, rule: &str| {
        SparkError::plain(
            ErrorClass::IllegalArgument,
            format!("Invalid value '{text}'. The option '{key}' must {rule}"),
        )
    };
    let number = |key: &str, default: &str| -> Result<(i64, String)> {
        let text = option(spec, key).map_or(default, String::as_str);
        let value = text.parse::<i64>().ok().filter(|value| key != "numPartitions" || i32::try_from(*value).is_ok());
        let refused = || SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\""));
        Ok((value.ok_or_else(refused)?, text.to_owned()))
    };
    let positive = |key: &str, default: &str| -> Result<()> {
        let (value, text) = number(key, default)?;
        if value > 0 { Ok(()) } else { Err(refuse(key, &text, "be positive")) }
    };
    if format == "rate" {
        positive("rowsPerSecond", "1")?;
        if let Some(text) = option(spec, "rampUpTime") {
            let seconds = time_string_ms(text, 1000)?.div_euclid(1000);
            if seconds < 0 {
                return Err(refuse("rampUpTime", &seconds.to_string(), "not be negative"));
            }
        }
        return positive("numPartitions", "1");
    }
    positive("rowsPerBatch", "0")?;
    positive("numPartitions", "1")?;
    for key in ["startTimestamp", "advanceMillisPerBatch"] {
        let (value, text) = number(key, "0")?;
        if value < 0 {
            return Err(refuse(key, &text, "be non-negative"));
        }
    }
    Ok(())
}

/// TextSocketSourceProvider: its checks, and the columns.
fn socket_schema(spec: &ReadSpec) -> Result<StructType> {
    if option(spec, "host").is_none() {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1295", &[]));
    }
    let Some(port) = option(spec, "port") else {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1296", &[]));
    };
    let stamped = match option(spec, "includeTimestamp").map(|text| text.to_ascii_lowercase()).as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1297", &[])),
    };
    if port.parse::<i32>().is_err() {
        return Err(SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{port}\"")));
    }
    if spec.schema.is_some() {
        return Err(refused_schema("socket"));
    }
    let mut fields = vec![StructField::new("value", DataType::String, true)];
    if stamped {
        fields.push(StructField::new("timestamp", DataType::Timestamp, true));
    }
    Ok(StructType { fields })
}

/// The path of a file stream, which must be there unless it is a pattern.
fn file_path<'a>(session: &SqlSession, path: Option<&'a str>) -> Result<&'a str> {
    let Some(path) = path else {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2047", &[]));
    };
    refuse_empty(&[path])?;
    let is_glob = path.contains(['*', '?', '[', '{']);
    let full = crate::datasource::resolve_path(&session.cwd, path);
    if !is_glob && !session.fs.exists(&full) {
        return Err(SparkError::analysis("PATH_NOT_FOUND", &[("path", path)]));
    }
    Ok(path)
}

/// Schema of a file stream: the user's, all nullable; text has its own (DataSource.sourceSchema).
fn file_schema(session: &SqlSession, spec: &ReadSpec, format: &str, path: Option<&str>) -> Result<StructType> {
    let path = file_path(session, path)?;
    ListOptions::of(&lower_keys(&spec.options), &session.conf.borrow())?;
    let text = StructType { fields: vec![StructField::new("value", DataType::String, true)] };
    if let Some(schema) = spec.schema.as_ref().or((format == "text").then_some(&text)) {
        // Folders that name partition columns put them last (DataSource.sourceSchema over the files that are there).
        let options = spec.options.clone();
        let paths = [path.to_owned()];
        return match crate::datasource::relation(session, format, &options, Some(schema), &paths) {
            Ok(relation) => Ok(LogicalPlan::FileRelation(relation).schema()),
            Err(error) if error.condition.as_deref().is_some_and(|condition| LATER.contains(&condition)) => {
                Ok(as_nullable(schema))
            }
            Err(error) => Err(error),
        };
    }
    if let Some(name) = option(spec, "singleVariantColumn").filter(|_| matches!(format, "json" | "csv")) {
        return Ok(StructType { fields: vec![StructField::new(&**name, DataType::Variant, true)] });
    }
    if !session.conf.borrow().bool("spark.sql.streaming.schemaInference") {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2048", &[]));
    }
    let mut files = ReadSpec { format: Some(format.to_owned()), paths: vec![path.to_owned()], ..spec.clone() };
    files.options.retain(|key, _| !key.eq_ignore_ascii_case("path"));
    let batch = read(session, files)?;
    Ok(as_nullable(&batch.schema()))
}

fn as_nullable(schema: &StructType) -> StructType {
    StructType {
        fields: schema
            .fields
            .iter()
            .map(|field| StructField {
                name: field.name.clone(),
                data_type: nullable_type(&field.data_type),
                nullable: true,
                metadata: field.metadata.clone(),
            })
            .collect(),
    }
}

fn nullable_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Array { element, .. } => {
            DataType::Array { element: Arc::new(nullable_type(element)), contains_null: true }
        }
        DataType::Map { key, value, .. } => DataType::Map {
            key: Arc::new(nullable_type(key)),
            value: Arc::new(nullable_type(value)),
            value_contains_null: true,
        },
        DataType::Struct(fields) => DataType::Struct(Arc::new(as_nullable(fields))),
        other => other.clone(),
    }
}
