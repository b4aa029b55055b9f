//! Progress reports and status (Spark's ProgressReporter, StreamingQueryProgress, StreamingQueryStatus).

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use crate::operators::OperatorMetrics;

/// spark.sql.streaming.noDataProgressEventInterval
pub(crate) const NO_DATA_INTERVAL_MS: i64 = 10_000;

/// "2026-02-14T10:00:00.000Z"
pub fn format_ms(ms: i64) -> String {
    let days = ms.div_euclid(86_400_000);
    let rest = ms.rem_euclid(86_400_000);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1000 % 60,
        rest % 1000
    )
}

/// Proleptic Gregorian date of a day since the epoch.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

/// What a trigger did to one source.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceProgress {
    pub(crate) description: String,
    /// JSON texts.
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) latest: Option<String>,
    pub(crate) rows: i64,
    /// The source's own figures; an object.
    pub(crate) metrics: Option<Value>,
}

/// Event times of a batch as texts, by name.
pub(crate) type EventTimes = BTreeMap<&'static str, String>;

/// What stays of the last executed batch for the reports of idle triggers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecutionStats {
    pub(crate) operators: Vec<OperatorMetrics>,
    pub(crate) event_times: EventTimes,
    /// None: the sink does not say.
    pub(crate) output_rows: Option<i64>,
}

impl ExecutionStats {
    /// resetExecStatsForNoExecution: counters of the batch go to 0, the rest stays.
    pub(crate) fn idle(&self, watermark_ms: i64) -> Self {
        let mut operators = self.operators.clone();
        for operator in &mut operators {
            operator.num_rows_updated = 0;
            operator.num_rows_dropped_by_watermark = 0;
        }
        let mut event_times = EventTimes::new();
        if self.event_times.contains_key("watermark") {
            event_times.insert("watermark", format_ms(watermark_ms));
        }
        Self { operators, event_times, output_rows: self.output_rows.map(|_| 0) }
    }
}

/// One report before it becomes JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) id: String,
    pub(crate) run_id: String,
    pub(crate) name: Option<String>,
    pub(crate) started_ms: i64,
    pub(crate) batch_id: i64,
    /// Duration of the trigger, ms.
    pub(crate) duration_ms: i64,
    pub(crate) durations: BTreeMap<&'static str, i64>,
    /// Since the trigger before, ms; None: there was none.
    pub(crate) since_last_ms: Option<i64>,
    pub(crate) stats: ExecutionStats,
    pub(crate) sources: Vec<SourceProgress>,
    pub(crate) sink: String,
    /// By name; values as JSON objects.
    pub(crate) observed: BTreeMap<String, Value>,
}

/// Rates have one decimal; what is not a number is left out.
fn rate(rows: i64, seconds: f64) -> Option<f64> {
    let rate = rows as f64 / seconds;
    rate.is_finite().then(|| (rate * 10.0).round() / 10.0)
}

fn offset(text: Option<&String>) -> Value {
    text.map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())))
}

impl Progress {
    /// Fields in the order of StreamingQueryProgress.jsonValue; empty maps are left out.
    pub(crate) fn to_json(&self) -> Value {
        let input_seconds = self.since_last_ms.map_or(f64::INFINITY, |ms| ms as f64 / 1000.0);
        let processing_seconds = self.duration_ms.max(1) as f64 / 1000.0;
        let mut json = Map::new();
        let put = |json: &mut Map<String, Value>, key: &str, value: Value| {
            json.insert(key.to_owned(), value);
        };
        let rates = |json: &mut Map<String, Value>, rows: i64| {
            if let Some(rate) = rate(rows, input_seconds) {
                json.insert("inputRowsPerSecond".to_owned(), rate.into());
            }
            if let Some(rate) = rate(rows, processing_seconds) {
                json.insert("processedRowsPerSecond".to_owned(), rate.into());
            }
        };
        let rows: i64 = self.sources.iter().map(|source| source.rows).sum();
        put(&mut json, "id", self.id.as_str().into());
        put(&mut json, "runId", self.run_id.as_str().into());
        put(&mut json, "name", self.name.as_deref().into());
        put(&mut json, "timestamp", format_ms(self.started_ms).into());
        put(&mut json, "batchId", self.batch_id.into());
        put(&mut json, "batchDuration", self.duration_ms.into());
        put(&mut json, "numInputRows", rows.into());
        rates(&mut json, rows);
        put(&mut json, "durationMs", json!(self.durations));
        if !self.stats.event_times.is_empty() {
            put(&mut json, "eventTime", json!(self.stats.event_times));
        }
        put(&mut json, "stateOperators", self.stats.operators.iter().map(OperatorMetrics::to_json).collect());
        let sources = self.sources.iter().map(|source| {
            let mut json = Map::new();
            put(&mut json, "description", source.description.as_str().into());
            put(&mut json, "startOffset", offset(source.start.as_ref()));
            put(&mut json, "endOffset", offset(source.end.as_ref()));
            put(&mut json, "latestOffset", offset(source.latest.as_ref()));
            put(&mut json, "numInputRows", source.rows.into());
            rates(&mut json, source.rows);
            if let Some(metrics) = &source.metrics {
                put(&mut json, "metrics", metrics.clone());
            }
            Value::Object(json)
        });
        let sources: Vec<Value> = sources.collect();
        put(&mut json, "sources", sources.into());
        put(
            &mut json,
            "sink",
            json!({ "description": self.sink, "numOutputRows": self.stats.output_rows.unwrap_or(-1) }),
        );
        if !self.observed.is_empty() {
            put(&mut json, "observedMetrics", json!(self.observed));
        }
        Value::Object(json)
    }
}

/// The reports that a query keeps.
#[derive(Debug, Default)]
pub(crate) struct ProgressBuffer {
    reports: VecDeque<String>,
    /// When a report was last made, ms; None: never.
    pub(crate) last_ms: Option<i64>,
}

impl ProgressBuffer {
    /// Spark drops the oldest while there are `limit` or more (ProgressReporter.addNewProgress), so one less than the limit
    /// stays, and a limit below one ends in the error of an empty queue.
    pub(crate) fn add(&mut self, json: String, limit: i64) -> Result<()> {
        self.reports.push_back(json);
        while i64::try_from(self.reports.len()).is_ok_and(|kept| kept >= limit) {
            if self.reports.pop_front().is_none() {
                return Err(SparkError::plain(
                    ErrorClass::Java("java.util.NoSuchElementException"),
                    "empty collection",
                ));
            }
        }
        Ok(())
    }

    /// Whether a trigger without a batch makes a report now.
    pub(crate) fn idle_is_due(&self, now_ms: i64, interval_ms: i64) -> bool {
        self.last_ms.is_none_or(|last| now_ms - interval_ms >= last)
    }

    pub(crate) fn last(&self) -> Option<String> {
        self.reports.back().cloned()
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.reports.iter().cloned().collect()
    }
}

/// StreamingQueryStatus.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) message: String,
    pub(crate) data_available: bool,
    pub(crate) trigger_active: bool,
}

impl Default for Status {
    fn default() -> Self {
        Self { message: "Initializing StreamExecution".to_owned(), data_available: false, trigger_active: false }
    }
}

impl Status {
    pub(crate) fn to_json(&self) -> String {
        json!({
            "message": self.message,
            "isDataAvailable": self.data_available,
            "isTriggerActive": self.trigger_active,
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_utc_milliseconds() {
        assert_eq!(format_ms(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(format_ms(1_767_261_540_007), "2026-01-01T09:59:00.007Z");
        assert_eq!(format_ms(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(format_ms(951_782_400_000), "2000-02-29T00:00:00.000Z");
    }

    #[test]
    fn a_report_has_sparks_fields_in_sparks_order() {
        let progress = Progress {
            id: "i".into(),
            run_id: "r".into(),
            batch_id: 3,
            duration_ms: 498,
            since_last_ms: Some(1535),
            sources: vec![SourceProgress {
                description: "RateStreamV2[".into(),
                end: Some("2".into()),
                rows: 10,
                ..SourceProgress::default()
            }],
            stats: ExecutionStats { output_rows: Some(10), ..ExecutionStats::default() },
            sink: "MemorySink".into(),
            ..Progress::default()
        };
        assert_eq!(
            progress.to_json().to_string(),
            "{\"id\":\"i\",\"runId\":\"r\",\"name\":null,\"timestamp\":\"1970-01-01T00:00:00.000Z\",\"batchId\":3,\
             \"batchDuration\":498,\"numInputRows\":10,\"inputRowsPerSecond\":6.5,\"processedRowsPerSecond\":20.1,\
             \"durationMs\":{},\"stateOperators\":[],\"sources\":[{\"description\":\"RateStreamV2[\",\"startOffset\":null,\
             \"endOffset\":2,\"latestOffset\":null,\"numInputRows\":10,\"inputRowsPerSecond\":6.5,\
             \"processedRowsPerSecond\":20.1}],\"sink\":{\"description\":\"MemorySink\",\"numOutputRows\":10}}"
        );
    }

    #[test]
    fn one_report_less_than_the_limit_is_kept() {
        let mut buffer = ProgressBuffer::default();
        for n in 0..5 {
            buffer.add(n.to_string(), 3).unwrap();
        }
        assert_eq!(buffer.all(), ["3", "4"]);
        buffer.add("5".to_owned(), 1).unwrap();
        assert!(buffer.all().is_empty());
        assert!(buffer.add("6".to_owned(), 0).is_err());
    }
}
