//! Which sink a writer means, and what `start` refuses at once (DataStreamWriter.startInternal, DataSource.createSink).

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use tidemark_sql::analyzer::quoted;
use tidemark_sql::catalog::{SavedTable, full_name};
use tidemark_sql::connector;
use tidemark_sql::dataframe::table_folder;
use tidemark_sql::datasource::relation::{not_found, unavailable};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::parser::parse_table_name;
use tidemark_sql::session::SqlSession;
use tidemark_sql::types::{StructField, StructType};
use tidemark_vfs::join;

use super::console::ConsoleSink;
use super::file::FileSink;
use super::foreach::{ForeachBatchSink, ForeachSink, NoFunctionSink};
use super::memory::MemorySink;
use super::noop::NoopSink;
use super::python::PythonSink;
use super::{Sink, memory};
use crate::api::WriterSpec;
use crate::kafka::{Broker, KafkaSink};
use crate::operators::OutputMode;
use crate::settings::Settings;
use crate::sources::file::uri_to_path;
use crate::sources::option;
use crate::trigger::Trigger;

/// A sink and what it means for the query.
pub(crate) struct ResolvedSink {
    pub(crate) sink: Box<dyn Sink>,
    /// Short name for the page: "console", "json" ...
    pub(crate) format: String,
    /// The query may run without a checkpoint of the user's.
    pub(crate) temporary_checkpoint: bool,
    /// False: a checkpoint that has offsets is refused.
    pub(crate) recovers: bool,
    /// View of a memory sink, made when the query has started.
    pub(crate) view: Option<String>,
}

/// Names that a stream's writer knows, be it to refuse them with an error of their own.
pub(crate) const FORMATS: [&str; 18] = [
    "json",
    "csv",
    "text",
    "parquet",
    "orc",
    "xml",
    "memory",
    "console",
    "noop",
    "kafka",
    "avro",
    "socket",
    "statestore",
    "rate",
    "rate-micro-batch",
    "jdbc",
    "binaryfile",
    "state-metadata",
];

/// Short and full names of file formats.
fn file_format(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let short = name.strip_prefix("org.apache.spark.sql.").unwrap_or(&name);
    ["json", "csv", "text", "parquet", "orc", "xml"].into_iter().find(|format| *format == short)
}

pub(crate) fn parse_output_mode(text: Option<&str>) -> Result<OutputMode> {
    match text.map(str::to_lowercase).as_deref() {
        None | Some("append") => Ok(OutputMode::Append),
        Some("complete") => Ok(OutputMode::Complete),
        Some("update") => Ok(OutputMode::Update),
        Some(_) => Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "STREAMING_OUTPUT_MODE.INVALID",
            &[("outputMode", text.unwrap_or_default())],
        )),
    }
}

fn not_partitioned(spec: &WriterSpec, operation: &str) -> Result<()> {
    if !spec.partitioned {
        return Ok(());
    }
    Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1197", &[("operation", operation)]))
}

fn not_continuous(trigger: Trigger, source: &str) -> Result<()> {
    if matches!(trigger, Trigger::Continuous(_)) {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1195", &[("source", source)]));
    }
    Ok(())
}

/// Columns to write by, under the names of the output (DataStreamWriter.normalize). `kind`: "Partition" or "Clustering".
fn written_by(kind: &str, by: &[String], output: &[Arc<Attribute>], case_sensitive: bool) -> Result<Vec<String>> {
    by.iter()
        .map(|wanted| {
            let same = |a: &&Arc<Attribute>| {
                if case_sensitive { *a.name == **wanted } else { a.name.eq_ignore_ascii_case(wanted) }
            };
            output.iter().find(same).map(|a| a.name.to_string()).ok_or_else(|| {
                let valid: Vec<&str> = output.iter().map(|a| &*a.name).collect();
                SparkError::analysis(
                    "_LEGACY_ERROR_TEMP_1196",
                    &[("columnType", kind), ("columnName", wanted), ("validColumnNames", &valid.join(", "))],
                )
            })
        })
        .collect()
}

/// Formats that cannot write streams, and names that nothing stands behind.
fn refuse_format(format: &str, options: &IndexMap<String, String>, cwd: &str) -> SparkError {
    let lower = format.to_ascii_lowercase();
    match lower.as_str() {
        "kafka" => SparkError::analysis("KAFKA_DATA_SOURCE_NOT_ENABLED", &[("provider", format)]),
        "avro" => SparkError::analysis("AVRO_DATA_SOURCE_NOT_ENABLED", &[("provider", format)]),
        "socket" if option(options, "host").is_none() => SparkError::analysis("_LEGACY_ERROR_TEMP_1295", &[]),
        "statestore" => match option(options, "path") {
            Some(path) => crate::state_reader::no_committed_batch(&join(cwd, &uri_to_path(path))),
            None => SparkError::runtime("STDS_REQUIRED_OPTION_UNSPECIFIED", &[("optionName", "path")]),
        },
        "rate" | "rate-micro-batch" | "jdbc" | "socket" | "binaryfile" | "state-metadata" => SparkError::new(
            ErrorClass::UnsupportedOperation,
            "_LEGACY_ERROR_TEMP_2049",
            &[("className", format), ("operator", "writing")],
        ),
        _ => not_found(format),
    }
}

/// A file sink opens its log at once (HDFSMetadataLog makes its folder).
fn make_folder(session: &SqlSession, folder: &str) -> Result<()> {
    session.fs.create_dir_all(folder, session.clock.now_us().div_euclid(1000)).map_err(|error| {
        let mut at = Some(folder);
        while let Some(path) = at {
            if session.fs.is_file(path) {
                return SparkError::plain(
                    ErrorClass::Java("org.apache.hadoop.fs.ParentNotDirectoryException"),
                    format!("Parent path is not a directory: file:{path}"),
                );
            }
            at = tidemark_vfs::parent(path);
        }
        crate::checkpoint::fs_error(&error)
    })
}

/// A column that a new table is to be written by and has not.
fn not_defined(kind: &str, column: &str, table: &str, output: &[Arc<Attribute>]) -> SparkError {
    let columns: Vec<String> = output.iter().map(|a| quoted(&a.name)).collect();
    SparkError::analysis(
        "COLUMN_NOT_DEFINED_IN_TABLE",
        &[
            ("colType", kind),
            ("colName", &quoted(column)),
            ("tableName", &full_name(table)),
            ("tableCols", &columns.join(", ")),
        ],
    )
}

/// toTable: the writer of the table's folder; a table that is not there is made (DataStreamWriter.toTable).
fn table_spec(
    spec: &WriterSpec,
    name: &str,
    output: &[Arc<Attribute>],
    session: &SqlSession,
    settings: &Settings,
) -> Result<WriterSpec> {
    let parts = parse_table_name(session, name)?;
    if let [view] = parts.as_slice()
        && session.catalog.borrow().temp_view(view).is_some()
    {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1190", &[("viewName", name)]));
    }
    let short = session.catalog.borrow().table_name(&parts)?;
    let format = spec.format.clone().unwrap_or_else(|| settings.text("spark.sql.sources.default", "parquet"));
    let known = session.catalog.borrow().saved(&short).cloned();
    let table = match known {
        Some(table) => {
            if !format.eq_ignore_ascii_case(&table.format) {
                return Err(SparkError::analysis(
                    "_LEGACY_ERROR_TEMP_1192",
                    &[("source", &format), ("tableName", name), ("provider", &table.format)],
                ));
            }
            table
        }
        None => {
            let is_partition = |a: &&Arc<Attribute>| spec.partition_by.iter().any(|p| p.eq_ignore_ascii_case(&a.name));
            let (last, first): (Vec<_>, Vec<_>) = output.iter().partition(is_partition);
            let fields = first.into_iter().chain(last);
            let fields = fields.map(|a| StructField::new(&*a.name, a.data_type.clone(), true)).collect();
            let known = |wanted: &String| output.iter().any(|a| a.name.eq_ignore_ascii_case(wanted));
            for (kind, by) in [("partition", &spec.partition_by), ("clustering", &spec.cluster_by)] {
                if let Some(missing) = by.iter().find(|wanted| !known(wanted)) {
                    return Err(not_defined(kind, missing, &short, output));
                }
            }
            let place = option(&spec.options, "path");
            let folder = table_folder(session, &short, place);
            let table = SavedTable {
                name: short,
                format: format.to_lowercase(),
                options: IndexMap::new(),
                folder,
                schema: StructType::new(fields),
                partition_by: spec.partition_by.clone(),
                managed: place.is_none(),
                remarks: Default::default(),
            };
            session.catalog.borrow_mut().save_table(table.clone());
            table
        }
    };
    Ok(WriterSpec { format: Some(table.format), path: Some(table.folder), table: None, ..spec.clone() })
}

/// Chooses the sink and makes the checks that Spark makes before it looks at the checkpoint.
pub(crate) fn resolve(
    spec: &WriterSpec,
    trigger: Trigger,
    mode: OutputMode,
    output: &[Arc<Attribute>],
    session: &SqlSession,
    settings: &Settings,
    broker: &Rc<Broker>,
) -> Result<ResolvedSink> {
    let simple = |sink: Box<dyn Sink>, format: &str| ResolvedSink {
        sink,
        format: format.to_owned(),
        temporary_checkpoint: true,
        recovers: true,
        view: None,
    };
    if let Some(name) = &spec.table {
        let spec = table_spec(spec, name, output, session, settings)?;
        return resolve(&spec, trigger, mode, output, session, settings, broker);
    }
    if let Some(handle) = spec.foreach_batch {
        not_partitioned(spec, "foreachBatch")?;
        not_continuous(trigger, "foreachBatch")?;
        return Ok(simple(Box::new(ForeachBatchSink { handle }), "foreachBatch"));
    }
    if let Some(handle) = spec.foreach {
        not_partitioned(spec, "foreach")?;
        return Ok(simple(Box::new(ForeachSink { handle }), "foreach"));
    }
    let format = spec.format.clone().unwrap_or_else(|| settings.text("spark.sql.sources.default", "parquet"));
    match format.to_ascii_lowercase().as_str() {
        // "MEMORY" is no such provider: Spark compares this one name with regard to case.
        "memory" if format == "memory" => {
            not_partitioned(spec, "memory")?;
            let Some(name) = spec.query_name.clone() else {
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1194", &[]));
            };
            return Ok(ResolvedSink {
                sink: Box::new(MemorySink::new(name.clone())),
                format,
                temporary_checkpoint: true,
                recovers: mode == OutputMode::Complete,
                view: Some(name),
            });
        }
        "foreach" | "foreachbatch" if matches!(&*format, "foreach" | "foreachBatch") => {
            not_partitioned(spec, &format)?;
            let batches = format == "foreachBatch";
            return Ok(simple(Box::new(NoFunctionSink { batches }), &format));
        }
        "console" => return Ok(simple(Box::new(ConsoleSink::new(&spec.options)), "console")),
        "noop" => return Ok(simple(Box::new(NoopSink), "noop")),
        _ if connector::kafka(session, &format).is_some() => {
            let sink = Box::new(KafkaSink::new(broker.clone(), &spec.options));
            return Ok(ResolvedSink { temporary_checkpoint: false, ..simple(sink, "kafka") });
        }
        _ => {}
    }
    let python = session.catalog.borrow().python_source(&format);
    if let Some(class) = python {
        let mut options = spec.options.clone();
        options.extend(spec.path.iter().map(|path| ("path".to_owned(), path.clone())));
        let sink = Box::new(PythonSink::new(class, &format, options));
        return Ok(ResolvedSink { temporary_checkpoint: false, ..simple(sink, &format) });
    }
    let case_sensitive = settings.flag("spark.sql.caseSensitive", false);
    // A file sink takes no notice of clustering, but its columns must be there.
    written_by("Clustering", &spec.cluster_by, output, case_sensitive)?;
    let partitions = written_by("Partition", &spec.partition_by, output, case_sensitive)?;
    let Some(format) = file_format(&format) else { return Err(refuse_format(&format, &spec.options, &session.cwd)) };
    if format == "orc" {
        return Err(unavailable(format));
    }
    let Some(path) = spec.path.clone().or_else(|| option(&spec.options, "path").map(str::to_owned)) else {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2047", &[]));
    };
    if mode != OutputMode::Append {
        let mode = mode.name().to_lowercase();
        return Err(SparkError::analysis(
            "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE",
            &[("outputMode", &mode), ("className", format)],
        ));
    }
    if !partitions.is_empty() && partitions.len() == output.len() {
        return Err(SparkError::analysis("ALL_PARTITION_COLUMNS_NOT_ALLOWED", &[]));
    }
    let folder = join(&session.cwd, &uri_to_path(&path));
    make_folder(session, &format!("{folder}/_spark_metadata"))?;
    let sink = FileSink::new(session.fs.clone(), folder, format, spec.options.clone(), partitions, settings.clone())?;
    Ok(ResolvedSink {
        sink: Box::new(sink),
        format: format.to_owned(),
        temporary_checkpoint: false,
        recovers: true,
        view: None,
    })
}

/// Makes the empty view of a memory sink once the query runs.
pub(crate) fn open_view(session: &SqlSession, view: &str, output: &[Arc<Attribute>]) -> Result<()> {
    memory::publish(session, view, output, Vec::new())
}
