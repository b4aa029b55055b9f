//! Streaming sources: what is new, and the rows between two offsets.

pub(crate) mod file;
mod python;
mod rate;
mod rate_micro_batch;

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{LogicalPlan, StreamingRelation};
use tidemark_sql::session::SqlSession;
use tidemark_vfs::SharedFs;

pub(crate) use tidemark_sql::datasource::options::time_string_ms;

use crate::clock::VirtualClock;
use crate::kafka::{Broker, KafkaSource};
use crate::settings::Settings;
use crate::socket::{SocketHub, SocketSource};

/// How much of what is new one batch may take (Spark's ReadLimit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadLimit {
    All,
    /// At most this many files.
    Files(usize),
    /// Files up to this many bytes, at least one.
    Bytes(u64),
    /// What the source's own options say of rows.
    Rows,
}

/// When a source can have something new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextChange {
    /// Only when somebody changes files.
    WhenFilesChange,
    /// At this clock time, ms.
    At(i64),
    /// Every trigger finds new data.
    Always,
}

/// A source of one query run. Offsets are JSON texts, as the logs hold them.
pub(crate) trait Source {
    /// Spark's toString: the description in the progress.
    fn description(&self) -> String;
    /// The limit that the options set.
    fn limit(&self) -> ReadLimit;
    /// False: a query with Trigger.AvailableNow reads all there is as one batch (SupportsTriggerAvailableNow).
    fn knows_available_now(&self) -> bool {
        true
    }
    /// Fixes what availableNow will read.
    fn prepare_available_now(&mut self) -> Result<()>;
    /// The query's trigger has been looked at: the first offsets will be asked for.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
    /// A restarted query has planned up to this offset (AcceptsLatestSeenOffset).
    fn latest_seen(&mut self, offset: &str) -> Result<()> {
        let _ = offset;
        Ok(())
    }
    /// The offset up to which the next batch may read; None: nothing was ever there.
    fn latest_offset(&mut self, start: Option<&str>, limit: ReadLimit) -> Result<Option<String>>;
    /// The newest offset there is, where the source tells (latestOffset in the progress).
    fn report_latest(&self) -> Option<String> {
        None
    }
    /// The source's own figures for the progress (ReportsSourceMetrics); `end`: the batch's.
    fn metrics(&self, end: Option<&str>) -> Option<Value> {
        let _ = end;
        None
    }
    /// The rows between the offsets, as a plan whose output is `output`.
    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan>;
    /// Whether the source must be asked for the last batch again after a restart (Spark's v1 sources).
    fn is_v1(&self) -> bool;
    /// Everything up to `end` is done.
    fn commit(&mut self, end: &str) -> Result<()> {
        let _ = end;
        Ok(())
    }
    fn next_change(&self, now_ms: i64) -> NextChange;
    /// Folder that files can be dropped into.
    fn folder(&self) -> Option<String> {
        None
    }
}

/// What a source may use.
#[derive(Clone)]
pub(crate) struct SourceEnv {
    pub(crate) fs: SharedFs,
    pub(crate) cwd: String,
    pub(crate) clock: Rc<VirtualClock>,
    pub(crate) settings: Settings,
    pub(crate) session: Rc<SqlSession>,
    /// Absolute folder `sources/N` of the checkpoint.
    pub(crate) log: String,
    /// local[N]
    pub(crate) parallelism: usize,
    pub(crate) broker: Rc<Broker>,
    pub(crate) sockets: Rc<SocketHub>,
    pub(crate) uuid: Rc<dyn Fn() -> String>,
}

/// Opens the source that a relation reads.
pub(crate) fn open(relation: &StreamingRelation, env: SourceEnv) -> Result<Box<dyn Source>> {
    if let Some(loaded) = &relation.python {
        return Ok(Box::new(python::PythonSource::open(loaded, &env)?));
    }
    match relation.format.to_ascii_lowercase().as_str() {
        "json" | "csv" | "text" | "parquet" | "orc" | "xml" | "avro" | "binaryfile" => {
            Ok(Box::new(file::FileSource::open(relation, env)?))
        }
        "rate" => Ok(Box::new(rate::RateSource::open(&relation.options, env)?)),
        "rate-micro-batch" => Ok(Box::new(rate_micro_batch::RateMicroBatchSource::open(&relation.options, env)?)),
        "kafka" => Ok(Box::new(KafkaSource::open(env.broker.clone(), &relation.options, env)?)),
        "socket" => Ok(Box::new(SocketSource::open(env.sockets.clone(), &relation.options, &env))),
        other => Err(SparkError::not_yet(&format!("The streaming source '{other}'"))),
    }
}

/// An option without regard to case.
pub(crate) fn option<'a>(options: &'a IndexMap<String, String>, key: &str) -> Option<&'a str> {
    options.iter().rev().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| v.as_str())
}

/// A whole-number option, as Java's Long.parseLong refuses it.
pub(crate) fn long_option(options: &IndexMap<String, String>, key: &str, default: i64) -> Result<i64> {
    option(options, key).map_or(Ok(default), |text| {
        text.parse().map_err(|_| SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\"")))
    })
}
