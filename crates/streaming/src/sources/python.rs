//! Streams of data sources that the script writes in Python (PythonMicroBatchStream and its kin). What they hold lies in
//! objects of the script, as in Spark in Python processes of their own.

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::{Attribute, UdfHost};
use tidemark_sql::plan::LogicalPlan;
use tidemark_sql::python_source::{Loaded, broken, failed, json, script};

use super::{NextChange, ReadLimit, Source, SourceEnv};
use crate::batch::rows::local_relation;

const PACKAGE: &str = "org.apache.spark.sql.execution.datasources.v2.python.PythonMicroBatchStream";
const ALL: &str = "{\"_type\": \"ReadAllAvailable\"}";
/// How often a source that had nothing new is asked again, ms.
const POLL_MS: i64 = 1000;
/// A source that had something new so many times in a row is taken to make its rows itself, without an end.
const ENDLESS: usize = 20;

pub(crate) struct PythonSource {
    script: Rc<dyn UdfHost>,
    stream: u64,
    /// It takes a start offset and a limit, and may report how far the source is.
    limited: bool,
    knows_available_now: bool,
    default_limit: String,
    latest: Option<String>,
    /// How often in a row it had something new.
    in_a_row: usize,
}

impl PythonSource {
    pub(crate) fn open(loaded: &Loaded, env: &SourceEnv) -> Result<Self> {
        let script = script(&env.session)?;
        loaded.ensure_created(&*script)?;
        let schema = json(&loaded.schema);
        let stream = script.make(loaded.object, "stream", &[&schema]).map_err(failed("plan", "initialize source"))?;
        let features = script.ask(stream, "features", &[]).map_err(broken("checkSupportedFeatures"))?;
        let features = features.unwrap_or_default();
        let knows = |feature: &str| features.split(' ').any(|known| known == feature);
        Ok(Self {
            stream,
            limited: knows("limit"),
            knows_available_now: knows("now"),
            default_limit: ALL.to_owned(),
            latest: None,
            in_a_row: 0,
            script,
        })
    }

    fn ask(&self, action: &'static str, method: &'static str, texts: &[&str]) -> Result<Option<String>> {
        self.script.ask(self.stream, method, texts).map_err(broken(action))
    }

    fn offset(&self, action: &'static str, method: &'static str, texts: &[&str]) -> Result<String> {
        self.ask(action, method, texts)?.ok_or_else(|| SparkError::internal(format!("{method} gave no offset")))
    }

    fn start(&self, start: Option<&str>) -> Result<String> {
        match start {
            Some(start) => Ok(start.to_owned()),
            None => self.offset("initialOffset", "initial_offset", &[]),
        }
    }
}

impl Source for PythonSource {
    fn description(&self) -> String {
        // A Java object's default text: class and identity hash.
        let kind = match (self.limited, self.knows_available_now) {
            (true, true) => "WithTriggerAvailableNow",
            (true, false) => "WithAdmissionControl",
            _ => "",
        };
        format!("{PACKAGE}{kind}@5d2e8f16")
    }

    fn limit(&self) -> ReadLimit {
        ReadLimit::Rows
    }

    fn knows_available_now(&self) -> bool {
        self.limited && self.knows_available_now
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        self.ask("prepareForTriggerAvailableNow", "prepare", &[]).map(drop)
    }

    fn settle(&mut self) -> Result<()> {
        if self.limited {
            self.default_limit = self.offset("getDefaultReadLimit", "default_limit", &[])?;
        }
        Ok(())
    }

    fn latest_offset(&mut self, start: Option<&str>, limit: ReadLimit) -> Result<Option<String>> {
        let end = if self.limited {
            let from = self.start(start)?;
            let limit = if limit == ReadLimit::All { ALL } else { &self.default_limit };
            let end = self.offset("latestOffset", "latest_offset_within", &[&from, limit])?;
            self.latest = self.ask("reportLatestOffset", "report_latest", &[])?;
            end
        } else {
            let end = self.offset("latestOffset", "latest_offset", &[])?;
            self.latest = Some(end.clone());
            end
        };
        self.in_a_row = if start == Some(&end) { 0 } else { self.in_a_row + 1 };
        Ok(Some(end))
    }

    fn report_latest(&self) -> Option<String> {
        self.latest.clone()
    }

    fn latest_seen(&mut self, offset: &str) -> Result<()> {
        if self.limited {
            return Ok(());
        }
        self.ask("planPartitions", "plan", &[offset, offset]).map(drop)
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let start = self.start(start)?;
        let count = self.ask("planPartitions", "plan", &[&start, end])?;
        let count: usize = count.and_then(|text| text.parse().ok()).unwrap_or(0);
        self.script.ask(self.stream, "ready", &[]).map_err(failed("initialize", "reader"))?;
        let read = |i: usize| self.script.read(self.stream, "read", &[&i.to_string()], output);
        let partitions: Vec<Partition> = (0..count).map(read).collect::<Result<_>>()?;
        Ok(local_relation(output, partitions))
    }

    fn is_v1(&self) -> bool {
        false
    }

    fn commit(&mut self, end: &str) -> Result<()> {
        self.ask("commitSource", "commit", &[end]).map(drop)
    }

    fn next_change(&self, now_ms: i64) -> NextChange {
        match self.in_a_row {
            0 => NextChange::At(now_ms.saturating_add(POLL_MS)),
            ENDLESS.. => NextChange::Always,
            _ => NextChange::WhenFilesChange,
        }
    }
}
