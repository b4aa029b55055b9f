//! The Kafka source of a streaming query (Spark's KafkaMicroBatchStream).

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value, json};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;
use tidemark_sql::value::text::double_to_string;

use super::broker::Broker;
use super::errors::java;
use super::options::{Limit, Params, check_stream};
use super::reader::Reader;
use super::rows::read_task;
use super::scala::string_hash;
use super::topic::{Offsets, TopicPartition, key_set_text};
use crate::batch::rows::local_relation;
use crate::checkpoint::{MetadataLog, check_version, illegal_state};
use crate::clock::VirtualClock;
use crate::sources::{NextChange, ReadLimit, Source, SourceEnv, time_string_ms};

/// maxTriggerDelay unless the options say otherwise.
const MAX_TRIGGER_DELAY_MS: i64 = 15 * 60 * 1000;

pub(crate) struct KafkaSource {
    reader: Reader,
    starting: Limit,
    min_offsets: Option<i64>,
    max_offsets: Option<i64>,
    max_delay_ms: i64,
    /// When minOffsetsPerTrigger last let a batch through, ms.
    last_trigger_ms: i64,
    /// Records wait for minOffsetsPerTrigger or maxTriggerDelay.
    delayed: bool,
    /// The end given out last: as the broker answered, in the order in which its tasks then stand.
    end: Option<Offsets>,
    /// Newest offsets as of the last look.
    latest: Option<Offsets>,
    available_now: bool,
    /// What an availableNow run reads up to.
    prefetched: Option<Offsets>,
    env: SourceEnv,
    clock: Rc<VirtualClock>,
}

impl KafkaSource {
    pub(crate) fn open(broker: Rc<Broker>, options: &IndexMap<String, String>, env: SourceEnv) -> Result<Self> {
        let params = Params::new(options);
        check_stream(&params)?;
        let prefix = params.get("groupidprefix").unwrap_or("spark-kafka-source").to_owned();
        let path_hash = string_hash(&format!("file:{}", env.log));
        let group_id = format!("{prefix}-{}-{path_hash}-executor", (env.uuid)());
        let starting = Limit::starting(&params, Limit::Latest)?;
        let max_delay_ms =
            params.get("maxtriggerdelay").map_or(Ok(MAX_TRIGGER_DELAY_MS), |text| time_string_ms(text, 1))?;
        Ok(Self {
            reader: Reader::open(broker, env.clock.clone(), &params, group_id)?,
            starting,
            min_offsets: params.long("minoffsetspertrigger")?,
            max_offsets: params.long("maxoffsetspertrigger")?,
            max_delay_ms,
            last_trigger_ms: 0,
            delayed: false,
            end: None,
            latest: None,
            available_now: false,
            prefetched: None,
            clock: env.clock.clone(),
            env,
        })
    }

    /// The first offsets, from the checkpoint or decided now and written there (KafkaSourceInitialOffsetWriter).
    fn initial(&self) -> Result<Offsets> {
        let now = self.clock.now_ms();
        let log = MetadataLog::open(self.env.fs.clone(), self.env.log.clone(), now)?;
        if let Some(offsets) = log.get("0", parse_initial)? {
            return Ok(offsets);
        }
        let offsets = self.reader.initial(&self.starting)?;
        // A zero byte was the sign of Spark 2.1's form, and stays in front.
        log.add("0", &format!("\0v1\n{}", offsets.json()), now)?;
        Ok(offsets)
    }

    fn start(&self, start: Option<&str>) -> Result<Offsets> {
        start.map_or_else(|| self.initial(), Offsets::parse)
    }

    /// Whether minOffsetsPerTrigger holds the batch back (delayBatch).
    fn holds_back(&mut self, min: i64, latest: &Offsets, start: &Offsets) -> bool {
        let now = self.clock.now_ms();
        let new: i64 = latest.iter().map(|(p, offset)| offset - start.get(p).unwrap_or(0)).sum();
        if now - self.last_trigger_ms < self.max_delay_ms && new < min {
            self.delayed = new > 0;
            return true;
        }
        self.last_trigger_ms = now;
        false
    }

    /// Shares `limit` over the partitions by what each has (rateLimit).
    fn rate_limited(&self, limit: i64, from: &Offsets, until: &Offsets) -> Result<Offsets> {
        let new: Vec<TopicPartition> =
            until.partitions().into_iter().filter(|partition| from.get(partition).is_none()).collect();
        let new_starts = self.reader.earliest_of(&new)?;
        let begin = |partition: &TopicPartition| from.get(partition).or_else(|| new_starts.get(partition));
        let size =
            |partition: &TopicPartition, end: i64| begin(partition).map(|begin| end - begin).filter(|size| *size > 0);
        let total: i64 = until.iter().filter_map(|(partition, end)| size(partition, *end)).sum();
        if total < 1 {
            return Ok(until.clone());
        }
        let limited = until.iter().map(|(partition, end)| {
            let (Some(begin), Some(size)) = (begin(partition), size(partition, *end)) else {
                return (partition.clone(), *end);
            };
            let share = limit as f64 * (size as f64 / total as f64);
            // Small partitions are not starved altogether.
            let share = if share < 1.0 { share.ceil() } else { share.floor() } as i64;
            (partition.clone(), begin.saturating_add(share).min(*end))
        });
        Ok(limited.collect())
    }

    /// verifyEndOffsetForTriggerAvailableNow
    fn verify_available_now(&self, end: &Offsets) -> Result<()> {
        let Some(prefetched) = &self.prefetched else { return Ok(()) };
        let transient =
            "The error could be transient - restart your query, and report if you still see the same issue.";
        let refuse = |message: String| Err(java("org.apache.spark.SparkException", message));
        if !prefetched.same_partitions(&end.partitions()) {
            return refuse(format!(
                "Kafka data source in Trigger.AvailableNow should provide the same topic partitions in pre-fetched offset to \
                 end offset for each microbatch. {transient}\ntopic-partitions for pre-fetched offset: {}, topic-partitions \
                 for end offset: {}.",
                key_set_text(prefetched),
                key_set_text(end)
            ));
        }
        let latest = self.reader.latest()?;
        if end.iter().any(|(partition, _)| latest.get(partition).is_none()) {
            return refuse(format!(
                "Some of partitions in Kafka topic(s) have been lost during running query with Trigger.AvailableNow. \
                 {transient}\ntopic-partitions for latest offset: {}, topic-partitions for end offset: {}",
                key_set_text(&latest),
                key_set_text(end)
            ));
        }
        let map_text = |offsets: &Offsets| {
            let entries: Vec<String> = offsets.iter().map(|(p, offset)| format!("{p} -> {offset}")).collect();
            format!("{}({})", if entries.len() > 4 { "HashMap" } else { "Map" }, entries.join(", "))
        };
        if end.iter().any(|(partition, offset)| latest.get(partition).is_some_and(|latest| *offset > latest)) {
            return refuse(format!(
                "Some of partitions in Kafka topic(s) report available offset which is less than end offset during running \
                 query with Trigger.AvailableNow. {transient}\nlatest offset: {}, end offset: {}",
                map_text(&latest),
                map_text(end)
            ));
        }
        Ok(())
    }
}

fn parse_initial(text: &str) -> Result<Offsets> {
    let text = text.strip_prefix('\0').unwrap_or(text);
    if text.is_empty() {
        return Err(SparkError::plain(ErrorClass::IllegalArgument, "requirement failed"));
    }
    if !text.starts_with('v') {
        return Offsets::parse(text);
    }
    let Some((version, offsets)) = text.split_once('\n') else {
        return Err(illegal_state("Log file was malformed: failed to detect the log file version line."));
    };
    check_version(version, 1)?;
    Offsets::parse(offsets)
}

impl Source for KafkaSource {
    fn description(&self) -> String {
        format!("KafkaV2[{}]", self.reader.description())
    }

    fn limit(&self) -> ReadLimit {
        if self.min_offsets.is_some() || self.max_offsets.is_some() { ReadLimit::Rows } else { ReadLimit::All }
    }

    fn prepare_available_now(&mut self) -> Result<()> {
        self.available_now = true;
        Ok(())
    }

    fn latest_offset(&mut self, start: Option<&str>, limit: ReadLimit) -> Result<Option<String>> {
        let start = self.start(start)?;
        let latest = match &self.prefetched {
            Some(prefetched) => prefetched.clone(),
            None => self.reader.latest()?,
        };
        if self.available_now {
            self.prefetched = Some(latest.clone());
        }
        self.latest = Some(latest.clone());
        self.delayed = false;
        let end = match (limit, self.min_offsets, self.max_offsets) {
            (ReadLimit::All, ..) => latest,
            (_, Some(min), _) if self.holds_back(min, &latest, &start) => start,
            (_, _, Some(max)) => self.rate_limited(max, &start, &latest)?,
            _ => latest,
        };
        let json = (!end.is_empty()).then(|| end.json());
        self.end = Some(end);
        Ok(json)
    }

    fn report_latest(&self) -> Option<String> {
        self.latest.as_ref().filter(|latest| !latest.is_empty()).map(Offsets::json)
    }

    fn batch(&mut self, start: Option<&str>, end: &str, output: &[Arc<Attribute>]) -> Result<LogicalPlan> {
        let start = self.start(start)?;
        let end = match &self.end {
            Some(given) if given.json() == end => given.clone(),
            _ => Offsets::parse(end)?,
        };
        self.verify_available_now(&end)?;
        let tasks = self.reader.tasks(&start, &end)?;
        let partitions: Result<Vec<_>> =
            tasks.iter().map(|task| Ok(vec![read_task(&self.reader, task, output)?])).collect();
        Ok(local_relation(output, partitions?))
    }

    /// How far behind the partitions are (ReportsSourceMetrics).
    fn metrics(&self, end: Option<&str>) -> Option<Value> {
        let (latest, end) = (self.latest.as_ref()?, Offsets::parse(end?).ok()?);
        let behind: Vec<i64> = latest.iter().map(|(p, offset)| offset - end.get(p).unwrap_or(*offset)).collect();
        let (min, max) = (behind.iter().min()?, behind.iter().max()?);
        let average = behind.iter().sum::<i64>() as f64 / behind.len() as f64;
        Some(json!({
            "avgOffsetsBehindLatest": double_to_string(average),
            "maxOffsetsBehindLatest": max.to_string(),
            "minOffsetsBehindLatest": min.to_string(),
        }))
    }

    fn is_v1(&self) -> bool {
        false
    }

    fn next_change(&self, _now_ms: i64) -> NextChange {
        if self.delayed {
            return NextChange::At(self.last_trigger_ms + self.max_delay_ms);
        }
        NextChange::WhenFilesChange
    }
}
