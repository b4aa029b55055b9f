//! The rate-micro-batch source (RatePerMicroBatchStream): a fixed number of rows a batch.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, TimestampMicrosecondArray};
use indexmap::IndexMap;
use serde_json::Value;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;

use super::rate::MOST_ROWS;
use super::{NextChange, ReadLimit, Source, SourceEnv, long_option, option};
use crate::batch::rows::{local_relation, record_batch};
use crate::checkpoint::parse_json;

pub(crate) struct RateMicroBatchSource {
    rows_per_batch: i64,
    partitions: usize,
    start_ms: i64,
    advance_ms: i64,
    available_now: bool,
    /// The one batch of an availableNow run.
    only: Option<String>,
}

fn refuse(options: &IndexMap<String, String>, key: &str, value: i64, rule: &str) -> SparkError {
    let text = option(options, key).map_or_else(|| value.to_string(), str::to_owned);
    SparkError::plain(ErrorClass::IllegalArgument, format!("Invalid value '{text}'. The option '{key}' must be {rule}"))
}

impl RateMicroBatchSource {
    pub(crate) fn open(options: &IndexMap<String, String>, env: SourceEnv) -> Result<Self> {
        let default = i64::try_from(env.parallelism).unwrap_or(1);
        let rows_per_batch = long_option(options, "rowsPerBatch", 0)?;
        if rows_per_batch <= 0 {
            return Err(refuse(options, "rowsPerBatch", rows_per_batch, "positive"));
        }
        let partitions = long_option(options, "numPartitions", default)?;
        if partitions <= 0 {
            return Err(refuse(options, "numPartitions", partitions, "positive"));
        }
        let start_ms = long_option(options, "startTimestamp", 0)?;
        if start_ms < 0 {
            return Err(refuse(options, "startTimestamp", start_ms, "non-negative"));
        }
        let advance_ms = long_option(options, "advanceMillisPerBatch", 1000)?;
        if advance_ms < 0 {
            return Err(refuse(options, "advanceMillisPerBatch", advance_ms, "non-negative"));
        }
        Ok(Self {
            rows_per_batch,
            partitions: usize::try_from(partitions).unwrap_or(1),
            start_ms,
            advance_ms,
            available_now: false,
            only: None,
        })
    }

    /// Rows before the offset, and its time in ms.
    fn read(&self, offset: Option<&str>) -> Result<(i64, i64)> {
        let Some(text) = offset else { return Ok((0, self.start_ms)) };
        let json = parse_json(text)?;
        let number = |key: &str| json.get(key).and_then(Value::as_i64).unwrap_or(0);
        Ok((number("offset"), number("timestamp")))
    }
}

impl Source for RateMicroBatchSource {
    fn description(&self) -> String {
        format!(
            "RatePerMicroBatchStream[rowsPerBatch={}, numPartitions={}, startTimestamp={}, advanceMsPerBatch={}]",
            self.rows_per_batch, self.partitions, self.start_ms, self.advance_ms
        )
    }

    fn limit(&self) -> ReadLimit {
        ReadLimit::All
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        self.available_now = true;
        Ok(())
    }

    fn latest_offset(&mut self, start: Option<&str>, _limit: ReadLimit) -> Result<Option<String>> {
        if let Some(only) = &self.only {
            return Ok(Some(only.clone()));
        }
        let (rows, time) = self.read(start)?;
        let (rows, time) = (rows.saturating_add(self.rows_per_batch), time.saturating_add(self.advance_ms));
        let next = format!("{{\"offset\":{rows},\"timestamp\":{time}}}");
        if self.available_now {
            self.only = Some(next.clone());
        }
        Ok(Some(next))
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let (first, time) = self.read(start)?;
        let (past, _) = self.read(Some(end))?;
        let count = past.saturating_sub(first);
        if count > MOST_ROWS {
            return Err(SparkError::not_yet(&format!("A batch of {count} rows of the rate source")));
        }
        let mut partitions = Vec::with_capacity(self.partitions);
        for partition in 0..self.partitions {
            let offset = i64::try_from(partition).unwrap_or(0);
            let values: Vec<i64> = (first.saturating_add(offset)..past).step_by(self.partitions).collect();
            let times = vec![time.saturating_mul(1000); values.len()];
            let columns: Vec<ArrayRef> = vec![
                Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC")),
                Arc::new(Int64Array::from(values)),
            ];
            partitions.push(vec![record_batch(output, columns)?]);
        }
        Ok(local_relation(output, partitions))
    }

    fn is_v1(&self) -> bool {
        false
    }

    fn next_change(&self, _now_ms: i64) -> NextChange {
        NextChange::Always
    }
}
