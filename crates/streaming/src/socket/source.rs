//! The socket source (Spark's TextSocketMicroBatchStream): lines of text from a port of the session. Nothing of it survives a
//! restart, as in Spark.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampMicrosecondArray};
use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;

use super::hub::{Line, SocketHub};
use crate::batch::rows::{local_relation, record_batch};
use crate::sources::{NextChange, ReadLimit, Source, SourceEnv, option};

pub(crate) struct SocketSource {
    hub: Rc<SocketHub>,
    host: String,
    port: i32,
    connected: bool,
    /// Lines that are not committed yet.
    lines: Vec<Line>,
    current: i64,
    committed: i64,
    partitions: usize,
}

/// Names of this machine.
fn is_local(host: &str) -> bool {
    ["localhost", "127.0.0.1", "0.0.0.0", "::1"].contains(&host)
}

impl SocketSource {
    pub(crate) fn open(hub: Rc<SocketHub>, options: &IndexMap<String, String>, env: &SourceEnv) -> Self {
        let port = option(options, "port").and_then(|port| port.trim().parse().ok()).unwrap_or(0);
        Self {
            hub,
            host: option(options, "host").unwrap_or_default().to_owned(),
            port,
            connected: false,
            lines: Vec::new(),
            current: -1,
            committed: -1,
            partitions: env.parallelism.max(1),
        }
    }

    fn connect(&mut self) -> Result<()> {
        let java = |class: &'static str, message: &str| Err(SparkError::plain(ErrorClass::Java(class), message));
        if !(0..=65_535).contains(&self.port) {
            return Err(SparkError::plain(ErrorClass::IllegalArgument, format!("port out of range:{}", self.port)));
        }
        if !is_local(&self.host) {
            return java("java.net.UnknownHostException", &self.host);
        }
        if !u16::try_from(self.port).is_ok_and(|port| self.hub.is_listening(port)) {
            return java("java.net.ConnectException", "Connection refused");
        }
        self.connected = true;
        Ok(())
    }

    fn receive(&mut self) {
        if let (true, Ok(port)) = (self.connected, u16::try_from(self.port)) {
            let new = self.hub.receive(port);
            self.current += i64::try_from(new.len()).unwrap_or(0);
            self.lines.extend(new);
        }
    }

    /// Position of an offset's line behind it among the uncommitted lines.
    fn position(&self, offset: i64) -> usize {
        usize::try_from(offset - self.committed).unwrap_or(0).min(self.lines.len())
    }
}

fn number(offset: Option<&str>) -> i64 {
    offset.and_then(|text| text.parse().ok()).unwrap_or(-1)
}

impl Source for SocketSource {
    fn description(&self) -> String {
        format!("TextSocketV2[host: {}, port: {}]", self.host, self.port)
    }

    fn limit(&self) -> ReadLimit {
        ReadLimit::All
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        Ok(())
    }

    fn latest_offset(&mut self, _start: Option<&str>, _limit: ReadLimit) -> Result<Option<String>> {
        self.receive();
        Ok(Some(self.current.to_string()))
    }

    fn report_latest(&self) -> Option<String> {
        Some(self.current.to_string())
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        // Only the first batch connects: it has no lines yet.
        if !self.connected {
            self.connect()?;
        }
        let (from, until) = (self.position(number(start)), self.position(number(Some(end))));
        let lines = self.lines.get(from..until).unwrap_or_default();
        let mut partitions = Vec::with_capacity(self.partitions);
        for partition in 0..self.partitions {
            let slice = || lines.iter().skip(partition).step_by(self.partitions);
            let mut columns: Vec<ArrayRef> =
                vec![Arc::new(StringArray::from_iter_values(slice().map(|line| &line.text)))];
            if output.len() > 1 {
                let times = TimestampMicrosecondArray::from_iter_values(slice().map(|line| line.sent_ms * 1000));
                columns.push(Arc::new(times.with_timezone("UTC")));
            }
            partitions.push(vec![record_batch(output, columns)?]);
        }
        Ok(local_relation(output, partitions))
    }

    fn is_v1(&self) -> bool {
        false
    }

    fn commit(&mut self, end: &str) -> Result<()> {
        let end = number(Some(end));
        if end < self.committed {
            return Err(SparkError::plain(
                ErrorClass::Java("java.lang.RuntimeException"),
                format!("Offsets committed out of order: {} followed by {end}", self.committed),
            ));
        }
        let done = self.position(end);
        self.lines.drain(..done);
        self.committed = end;
        Ok(())
    }

    fn next_change(&self, _now_ms: i64) -> NextChange {
        NextChange::WhenFilesChange
    }
}
