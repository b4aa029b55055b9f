//! The file sink (Spark's FileStreamSink): part files, and the `_spark_metadata` log that says which of them count.

use indexmap::IndexMap;
use serde_json::{Value, json};
use tidemark_sql::datasource::write::{FileWriter, WrittenFile};
use tidemark_sql::error::Result;
use tidemark_sql::types::{StructField, StructType};
use tidemark_vfs::SharedFs;

use super::{Sink, SinkBatch, SinkEnv};
use crate::checkpoint::{CompactSettings, CompactibleLog, parse_json};
use crate::settings::Settings;
use crate::sources::file::{path_to_uri, uri_to_path};
use crate::sources::{option, time_string_ms};

const LOG: &str = "_spark_metadata";
/// Hadoop's local file system reports this whatever the disk has.
const BLOCK_SIZE: i64 = 33_554_432;

pub(crate) struct FileSink {
    fs: SharedFs,
    /// Absolute.
    folder: String,
    format: &'static str,
    options: IndexMap<String, String>,
    partition_by: Vec<String>,
    settings: Settings,
    /// Option retention, ms: a compaction leaves out older files.
    retention_ms: Option<i64>,
    /// Opened at the first batch; its compaction interval is settled then.
    log: Option<CompactibleLog>,
}

/// A file that a sink's log counts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SinkFile {
    /// Absolute path.
    pub(crate) path: String,
    pub(crate) len: u64,
    pub(crate) modified_ms: i64,
}

fn log_settings(settings: &Settings) -> CompactSettings {
    let setting = "spark.sql.streaming.fileSink.log.compactInterval";
    CompactSettings {
        setting,
        interval: settings.long(setting, 10),
        delete_expired: settings.flag("spark.sql.streaming.fileSink.log.deletion", true),
        cleanup_delay_ms: settings.duration_ms("spark.sql.streaming.fileSink.log.cleanupDelay", 600_000),
        min_batches: settings.long("spark.sql.streaming.minBatchesToRetain", 100),
    }
}

/// The files in a sink's folder by its log, oldest first.
pub(crate) fn sink_files(fs: &SharedFs, folder: &str, settings: &Settings) -> Result<Vec<SinkFile>> {
    let log = CompactibleLog::existing(fs.clone(), format!("{folder}/{LOG}"), log_settings(settings));
    let mut files: Vec<SinkFile> = Vec::new();
    for line in log.all_lines()? {
        let json = parse_json(&line)?;
        let path = uri_to_path(json.get("path").and_then(Value::as_str).unwrap_or_default());
        if json.get("action").and_then(Value::as_str) == Some("delete") {
            files.retain(|file| file.path != path);
            continue;
        }
        files.push(SinkFile {
            path,
            len: json.get("size").and_then(Value::as_u64).unwrap_or(0),
            modified_ms: json.get("modificationTime").and_then(Value::as_i64).unwrap_or(0),
        });
    }
    Ok(files)
}

/// Leaves out files that a later line deletes (FileStreamSinkLog.compactLogs).
fn compact(lines: Vec<String>) -> Vec<String> {
    let path = |line: &str| {
        let json: Value = serde_json::from_str(line).unwrap_or_default();
        let deleted = json.get("action").and_then(Value::as_str) == Some("delete");
        (json.get("path").and_then(Value::as_str).unwrap_or_default().to_owned(), deleted)
    };
    let deleted: Vec<String> = lines.iter().map(|line| path(line)).filter(|(_, d)| *d).map(|(p, _)| p).collect();
    lines.into_iter().filter(|line| !deleted.contains(&path(line).0)).collect()
}

/// Leaves out files that are older than `oldest`, ms (FileStreamSinkLog.shouldRetain).
fn retained(mut lines: Vec<String>, oldest: Option<i64>) -> Vec<String> {
    let Some(oldest) = oldest else { return lines };
    let time = |line: &str| serde_json::from_str::<Value>(line).ok()?.get("modificationTime")?.as_i64();
    lines.retain(|line| time(line).is_none_or(|time| time >= oldest));
    lines
}

impl FileSink {
    pub(crate) fn new(
        fs: SharedFs,
        folder: String,
        format: &'static str,
        options: IndexMap<String, String>,
        partition_by: Vec<String>,
        settings: Settings,
    ) -> Result<Self> {
        let retention_ms = option(&options, "retention").map(|text| time_string_ms(text, 1)).transpose()?;
        Ok(Self { fs, folder, format, options, partition_by, settings, retention_ms, log: None })
    }
}

impl FileSink {
    /// Writes the part files of a batch; every file has an id of its own (ManifestFileCommitProtocol).
    fn write(&self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Vec<WrittenFile>> {
        let fields = batch.output().iter().map(|a| StructField::new(&*a.name, a.data_type.clone(), a.nullable));
        let schema = StructType::new(fields.collect());
        let writer = FileWriter::new(self.format, &self.options, &schema, &self.partition_by, &self.settings.merged())?;
        let separator = if self.partition_by.is_empty() { "-" } else { "." };
        let name = |task: usize, number: usize, extension: &str| {
            format!("part-{task:05}-{}{separator}c{number:03}{extension}", (env.uuid)())
        };
        writer.write(&*self.fs, &self.folder, &batch.rows()?, &name, env.now_ms)
    }
}

impl Sink for FileSink {
    fn description(&self) -> String {
        format!("FileSink[file:{}]", self.folder)
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        if self.log.is_none() {
            let folder = format!("{}/{LOG}", self.folder);
            let settings = log_settings(&self.settings);
            self.log = Some(CompactibleLog::open(self.fs.clone(), folder, settings, env.now_ms)?);
        }
        let Some(log) = &self.log else { return Ok(None) };
        if log.latest_id().is_some_and(|latest| batch.id() <= latest) {
            // Written by an earlier run of this batch.
            return Ok(None);
        }
        let files = self.write(batch, env)?;
        let lines = files
            .iter()
            .map(|file| {
                json!({
                    "path": path_to_uri(&file.path),
                    "size": file.len,
                    "isDir": false,
                    "modificationTime": file.modified_ms,
                    "blockReplication": 1,
                    "blockSize": BLOCK_SIZE,
                    "action": "add",
                })
                .to_string()
            })
            .collect();
        let oldest = self.retention_ms.map(|retention| env.now_ms.saturating_sub(retention));
        log.add(batch.id(), lines, |lines| compact(retained(lines, oldest)), env.now_ms)?;
        Ok(None)
    }
}
