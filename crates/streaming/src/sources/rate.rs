//! The rate source (RateStreamMicroBatchStream): rows by the clock's seconds.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, TimestampMicrosecondArray};
use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;

use super::{NextChange, ReadLimit, Source, SourceEnv, long_option, option, time_string_ms};
use crate::batch::rows::{local_relation, record_batch};
use crate::checkpoint::MetadataLog;
use crate::clock::VirtualClock;

/// More rows than this in one batch are not made: they would not fit into memory.
pub(super) const MOST_ROWS: i64 = 50_000_000;

pub(crate) struct RateSource {
    clock: Rc<VirtualClock>,
    rows_per_second: i64,
    ramp_up_seconds: i64,
    partitions: usize,
    /// As the description shows them.
    partitions_text: String,
    created_ms: i64,
    last_ms: i64,
    available_now: Option<i64>,
}

/// Refuses values that RateStreamProvider refuses.
fn positive(options: &IndexMap<String, String>, key: &str, default: i64) -> Result<i64> {
    let value = long_option(options, key, default)?;
    if value > 0 {
        return Ok(value);
    }
    let text = option(options, key).unwrap_or_default();
    Err(SparkError::plain(
        ErrorClass::IllegalArgument,
        format!("Invalid value '{text}'. The option '{key}' must be positive"),
    ))
}

impl RateSource {
    pub(crate) fn open(options: &IndexMap<String, String>, env: SourceEnv) -> Result<Self> {
        let rows_per_second = positive(options, "rowsPerSecond", 1)?;
        let ramp_up_ms = option(options, "rampUpTime").map_or(Ok(0), |text| time_string_ms(text, 1000))?;
        if ramp_up_ms < 0 {
            let text = option(options, "rampUpTime").unwrap_or_default();
            return Err(SparkError::plain(
                ErrorClass::IllegalArgument,
                format!("Invalid value '{text}'. The option 'rampUpTime' must not be negative"),
            ));
        }
        let default = i64::try_from(env.parallelism).unwrap_or(1);
        let partitions = usize::try_from(positive(options, "numPartitions", default)?).unwrap_or(1);
        Ok(Self {
            rows_per_second,
            ramp_up_seconds: ramp_up_ms / 1000,
            partitions,
            partitions_text: option(options, "numPartitions").unwrap_or("default").to_owned(),
            created_ms: created_ms(&env)?,
            last_ms: 0,
            available_now: None,
            clock: env.clock,
        })
    }

    fn seconds(&self) -> i64 {
        (self.last_ms - self.created_ms).div_euclid(1000)
    }
}

/// When the stream began: kept in the checkpoint's source log.
fn created_ms(env: &SourceEnv) -> Result<i64> {
    let now = env.clock.now_ms();
    let log = MetadataLog::open(env.fs.clone(), env.log.clone(), now)?;
    if let Some(text) = log.read("0")? {
        let value = text.lines().nth(1).and_then(|line| line.trim().parse().ok());
        return value.ok_or_else(|| {
            SparkError::plain(ErrorClass::Java("java.lang.IllegalStateException"), "Log file was malformed")
        });
    }
    log.add("0", &format!("v1\n{now}"), now)?;
    Ok(now)
}

/// Rows that are there after `seconds` (RateStreamProvider.valueAtSecond).
fn value_at(seconds: i64, rows_per_second: i64, ramp_up: i64) -> i64 {
    let delta = rows_per_second / ramp_up.saturating_add(1);
    if seconds <= ramp_up {
        let (half, whole) = if seconds % 2 == 1 { (seconds / 2 + 1, seconds) } else { (seconds / 2, seconds + 1) };
        half.saturating_mul(delta).saturating_mul(whole)
    } else {
        let risen = value_at(ramp_up, rows_per_second, ramp_up);
        risen.saturating_add(seconds.saturating_sub(ramp_up).saturating_mul(rows_per_second))
    }
}

impl Source for RateSource {
    fn description(&self) -> String {
        // Spark leaves the bracket open.
        format!(
            "RateStreamV2[rowsPerSecond={}, rampUpTimeSeconds={}, numPartitions={}",
            self.rows_per_second, self.ramp_up_seconds, self.partitions_text
        )
    }

    fn limit(&self) -> ReadLimit {
        ReadLimit::All
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        self.last_ms = self.last_ms.max(self.clock.now_ms());
        self.available_now = Some(self.seconds());
        Ok(())
    }

    fn latest_offset(&mut self, _start: Option<&str>, _limit: ReadLimit) -> Result<Option<String>> {
        if let Some(seconds) = self.available_now {
            return Ok(Some(seconds.to_string()));
        }
        self.last_ms = self.last_ms.max(self.clock.now_ms());
        Ok(Some(self.seconds().to_string()))
    }

    fn report_latest(&self) -> Option<String> {
        Some(self.seconds().to_string())
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let start_seconds: i64 = start.and_then(|text| text.parse().ok()).unwrap_or(0);
        let end_seconds: i64 = end.parse().map_err(|_| SparkError::internal(format!("rate offset {end}")))?;
        let first = value_at(start_seconds, self.rows_per_second, self.ramp_up_seconds);
        let past = value_at(end_seconds, self.rows_per_second, self.ramp_up_seconds);
        let count = past.saturating_sub(first);
        if count > MOST_ROWS {
            return Err(SparkError::not_yet(&format!("A batch of {count} rows of the rate source")));
        }
        let begin_ms = self.created_ms.saturating_add(start_seconds.saturating_mul(1000));
        let ms = end_seconds.saturating_sub(start_seconds).saturating_mul(1000);
        let ms_per_value = ms as f64 / count.max(1) as f64;
        let mut partitions = Vec::with_capacity(self.partitions);
        for partition in 0..self.partitions {
            let offset = i64::try_from(partition).unwrap_or(0);
            let values: Vec<i64> = (first.saturating_add(offset)..past).step_by(self.partitions).collect();
            let times: Vec<i64> = values
                .iter()
                .map(|value| {
                    // Java's Math.round: half up.
                    let relative = ((value - first) as f64 * ms_per_value + 0.5).floor() as i64;
                    begin_ms.saturating_add(relative).saturating_mul(1000)
                })
                .collect();
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

    fn next_change(&self, now_ms: i64) -> NextChange {
        let elapsed = (now_ms - self.created_ms).div_euclid(1000);
        NextChange::At(self.created_ms + (elapsed + 1) * 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::value_at;

    #[test]
    fn ramp_up_follows_sparks_example() {
        let values: Vec<i64> = (0..=6).map(|s| value_at(s, 10, 4)).collect();
        assert_eq!(values, [0, 2, 6, 12, 20, 30, 40]);
        assert_eq!(value_at(3, 5, 0), 15);
    }
}
