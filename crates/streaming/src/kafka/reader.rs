//! Offsets and records as a query asks the broker for them (Spark's KafkaOffsetReaderAdmin and KafkaDataConsumer).

use std::rc::Rc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::functions::JavaPattern;
use tidemark_sql::session::Clock;

use super::broker::{Broker, BrokerError, Range};
use super::errors::{could_not_read, data_loss, illegal_argument, illegal_state, java, start_after_end, unknown_topic};
use super::options::{Division, EARLIEST, LATEST, Limit, NoMatch, Params, Strategy};
use super::ranges::OffsetRange;
use super::record::Record;
use super::scala::{immutable_order, mutable_order, string_hash};
use super::topic::{Offsets, TopicPartition, key_set_text, set_order, set_text};

/// What one query reads of the broker.
pub(super) struct Reader {
    broker: Rc<Broker>,
    /// For retention.
    clock: Rc<dyn Clock>,
    strategy: Strategy,
    pattern: Option<JavaPattern>,
    division: Division,
    no_match: NoMatch,
    fail_on_data_loss: bool,
    own_group: bool,
    /// group.id of the tasks.
    group_id: String,
}

/// One record with its place.
pub(super) struct Fetched {
    pub(super) offset: i64,
    pub(super) record: Record,
}

fn broker_failed(error: &BrokerError) -> SparkError {
    if error.class == "UnknownTopicOrPartitionException" {
        return unknown_topic();
    }
    java(
        "java.util.concurrent.ExecutionException",
        format!("org.apache.kafka.common.errors.{}: {}", error.class, error.message),
    )
}

impl Reader {
    /// `group_id`: what the tasks' consumers use unless the options name one.
    pub(super) fn open(broker: Rc<Broker>, clock: Rc<dyn Clock>, params: &Params, group_id: String) -> Result<Self> {
        let strategy = Strategy::of(params)?;
        let pattern = match &strategy {
            Strategy::Pattern(pattern) => Some(
                JavaPattern::compile(pattern)
                    .map_err(|message| java("java.util.regex.PatternSyntaxException", message))?,
            ),
            _ => None,
        };
        Ok(Self {
            broker,
            clock,
            strategy,
            pattern,
            division: Division::of(params)?,
            no_match: NoMatch::of(params)?,
            fail_on_data_loss: params.flag("failondataloss", true)?,
            own_group: params.get("kafka.group.id").is_some(),
            group_id: params.get("kafka.group.id").map_or(group_id, str::to_owned),
        })
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_us().div_euclid(1000)
    }

    pub(super) fn description(&self) -> String {
        self.strategy.to_string()
    }

    pub(super) fn timestamp_type(&self, topic: &str) -> i32 {
        self.broker.topic(topic).map_or(0, |topic| topic.timestamp_type())
    }

    fn topic_ranges(&self, topic: &str) -> Result<Vec<Range>> {
        self.broker.ranges(topic, self.now_ms()).map_err(|error| broker_failed(&error))
    }

    fn range(&self, partition: &TopicPartition) -> Option<Range> {
        let ranges = self.broker.ranges(&partition.topic, self.now_ms()).ok()?;
        ranges.get(usize::try_from(partition.partition).ok()?).copied()
    }

    /// ConsumerStrategy.assignedTopicPartitions: a set.
    fn assigned(&self) -> Result<Vec<TopicPartition>> {
        let topics: Vec<String> = match &self.strategy {
            Strategy::Assign(partitions) => {
                let mut topics: Vec<String> = partitions.iter().map(|partition| partition.topic.clone()).collect();
                topics.sort();
                topics.dedup();
                topics
            }
            Strategy::Subscribe(topics) => {
                let mut topics = topics.clone();
                topics.sort();
                topics.dedup();
                topics
            }
            Strategy::Pattern(_) => {
                let mut topics = self.broker.topics();
                topics.retain(|topic| self.pattern.as_ref().is_some_and(|pattern| pattern.is_found_in(topic)));
                topics
            }
        };
        let mut partitions = Vec::new();
        for topic in mutable_order(topics, |topic| string_hash(topic)) {
            let count = self.broker.topic(&topic).map_err(|error| broker_failed(&error))?.partitions();
            partitions.extend((0..count).map(|partition| TopicPartition::new(&topic, partition)));
        }
        if let Strategy::Assign(wanted) = &self.strategy {
            partitions.retain(|partition| wanted.contains(partition));
        }
        Ok(set_order(partitions))
    }

    fn ends(&self, partitions: &[TopicPartition], end: impl Fn(Range) -> i64) -> Result<Offsets> {
        let mut answer = Vec::new();
        for partition in partitions {
            let ranges = self.topic_ranges(&partition.topic)?;
            let Some(range) = usize::try_from(partition.partition).ok().and_then(|at| ranges.get(at)) else {
                return Err(unknown_topic());
            };
            answer.push((partition.clone(), end(*range)));
        }
        Ok(Offsets::of_answer(answer))
    }

    /// fetchEarliestOffsets
    fn earliest(&self) -> Result<Offsets> {
        self.ends(&self.assigned()?, |range| range.earliest)
    }

    /// fetchLatestOffsets
    pub(super) fn latest(&self) -> Result<Offsets> {
        self.ends(&self.assigned()?, |range| range.latest)
    }

    /// fetchEarliestOffsets(newPartitions): of those that are still there.
    pub(super) fn earliest_of(&self, partitions: &[TopicPartition]) -> Result<Offsets> {
        if partitions.is_empty() {
            return Ok(Offsets::default());
        }
        let assigned = self.assigned()?;
        let there: Vec<TopicPartition> =
            partitions.iter().filter(|partition| assigned.contains(partition)).cloned().collect();
        self.ends(&there, |range| range.earliest)
    }

    /// The first offsets of a new query.
    pub(super) fn initial(&self, limit: &Limit) -> Result<Offsets> {
        match limit {
            Limit::Earliest => self.earliest(),
            Limit::Latest => self.latest(),
            Limit::Offsets(offsets) => self.specific(offsets),
            Limit::Timestamps(_) | Limit::Timestamp(_) => self.by_time(limit, true),
        }
    }

    /// fetchSpecificOffsets: all assigned partitions must be named; -1 and -2 are looked up.
    fn specific(&self, offsets: &Offsets) -> Result<Offsets> {
        let assigned = self.assigned()?;
        if !offsets.same_partitions(&assigned) {
            return Err(java(
                "java.lang.AssertionError",
                format!(
                    "assertion failed: If startingOffsets contains specific offsets, you must specify all \
                     TopicPartitions.\nUse -1 for latest, -2 for earliest, if you don't care.\nSpecified: {} Assigned: {}",
                    key_set_text(offsets),
                    set_text(&assigned)
                ),
            ));
        }
        self.resolved(offsets)
    }

    fn resolved(&self, offsets: &Offsets) -> Result<Offsets> {
        let resolve = |(partition, offset): &(TopicPartition, i64)| {
            let range = || self.range(partition).ok_or_else(unknown_topic);
            let offset = match *offset {
                LATEST => range()?.latest,
                EARLIEST => range()?.earliest,
                offset => offset,
            };
            Ok((partition.clone(), offset))
        };
        offsets.iter().map(resolve).collect()
    }

    /// fetchSpecificTimestampBasedOffsets, fetchGlobalTimestampBasedOffsets: the first record at or after the time.
    fn by_time(&self, limit: &Limit, starting: bool) -> Result<Offsets> {
        let assigned = self.assigned()?;
        let times: Offsets = match limit {
            Limit::Timestamps(times) => {
                if !times.same_partitions(&assigned) {
                    let position = if starting { "start" } else { "end" };
                    return Err(illegal_state(format!(
                        "Partitions specified for Kafka timestamp based {position} offsets don't match what are assigned. \
                         Maybe topic partitions are created \nor deleted while the query is running, or you didn't specify \
                         all the partitions.\nSpecified: {} Assigned: {}",
                        key_set_text(times),
                        set_text(&assigned)
                    )));
                }
                times.clone()
            }
            Limit::Timestamp(time) => assigned.iter().map(|partition| (partition.clone(), *time)).collect(),
            _ => Offsets::default(),
        };
        let mut answer = Vec::new();
        for (partition, time) in times.iter() {
            let found = match *time {
                LATEST | EARLIEST => Some(*time),
                time => self.at_or_after(partition, time)?,
            };
            let offset = match found {
                Some(offset) => offset,
                None if starting && self.no_match == NoMatch::Error => {
                    return Err(illegal_argument(format!(
                        "No offset matched from request of topic-partition {partition} and timestamp {time}."
                    )));
                }
                None => LATEST,
            };
            answer.push((partition.clone(), offset));
        }
        self.resolved(&Offsets::of_java_answer(answer))
    }

    fn at_or_after(&self, partition: &TopicPartition, time: i64) -> Result<Option<i64>> {
        let found = self.broker.records(&partition.topic, partition.partition, self.now_ms());
        let (first, records) = found.map_err(|error| broker_failed(&error))?;
        let at = records.iter().position(|record| record.timestamp_ms >= time);
        Ok(at.and_then(|at| i64::try_from(at).ok()).map(|at| first + at))
    }

    fn lost(&self, reason: &str) -> Result<()> {
        if self.fail_on_data_loss { Err(data_loss(reason)) } else { Ok(()) }
    }

    /// getOffsetRangesFromResolvedOffsets: the tasks of a micro-batch.
    pub(super) fn tasks(&self, from: &Offsets, until: &Offsets) -> Result<Vec<OffsetRange>> {
        let new: Vec<TopicPartition> =
            set_order(until.partitions().into_iter().filter(|partition| from.get(partition).is_none()).collect());
        let new_starts = self.earliest_of(&new)?;
        let vanished: Vec<TopicPartition> =
            new.into_iter().filter(|partition| new_starts.get(partition).is_none()).collect();
        if !vanished.is_empty() {
            let partitions = set_text(&set_order(vanished));
            self.lost(&format!(
                "Cannot find initial offsets for partitions {partitions}. They may have been deleted."
            ))?;
        }
        for (partition, start) in new_starts.iter().filter(|(_, start)| *start != 0) {
            self.lost(&format!("Added partition {partition} starts from {start} instead of 0."))?;
        }
        let deleted: Vec<TopicPartition> =
            set_order(from.partitions().into_iter().filter(|partition| until.get(partition).is_none()).collect());
        if !deleted.is_empty() {
            self.lost(&deleted_text(&set_text(&deleted), self.own_group))?;
        }
        let mut ranges = Vec::new();
        let known = until.partitions().into_iter();
        let known = known.filter(|partition| new_starts.get(partition).is_some() || from.get(partition).is_some());
        for partition in set_order(known.collect()) {
            let start = new_starts.get(&partition).or_else(|| from.get(&partition)).unwrap_or(0);
            let end = until.get(&partition).unwrap_or(start);
            if end < start {
                self.lost(&format!(
                    "Partition {partition} offset was changed from {start} to {end}.\nThis could either be a user error that \
                     the start offset is set too high and this is the first batch, or the kafka topic-partition is broken, \
                     and some data may have been missed."
                ))?;
            }
            ranges.push(OffsetRange { partition, from: start, until: end });
        }
        Ok(self.division.tasks(ranges))
    }

    /// getOffsetRangesFromUnresolvedOffsets: the tasks of a batch read; the ends of a log are looked up by the task.
    pub(super) fn batch_tasks(&self, start: &Limit, end: &Limit) -> Result<Vec<OffsetRange>> {
        let from = self.unresolved(start, true)?;
        let until = self.unresolved(end, false)?;
        if !from.same_partitions(&until.partitions()) {
            let names = |offsets: &Offsets| {
                let mut partitions = offsets.partitions();
                partitions.sort_by(|a, b| a.topic.cmp(&b.topic));
                partitions.iter().map(TopicPartition::to_string).collect::<Vec<_>>().join(",")
            };
            return Err(java(
                "java.lang.IllegalStateException",
                format!(
                    "different topic partitions for starting offsets topics[{}] and ending offsets topics[{}]",
                    names(&from),
                    names(&until)
                ),
            ));
        }
        let ranges: Vec<OffsetRange> = until
            .iter()
            .map(|(partition, until)| OffsetRange {
                from: from.get(partition).unwrap_or(EARLIEST),
                partition: partition.clone(),
                until: *until,
            })
            .collect();
        // They pass through a set of ranges.
        let ranges = immutable_order(ranges, OffsetRange::hash_code);
        if !self.division.divides(&ranges) {
            return Ok(ranges);
        }
        let from: Offsets = ranges.iter().map(|range| (range.partition.clone(), range.from)).collect();
        let until: Offsets = ranges.iter().map(|range| (range.partition.clone(), range.until)).collect();
        let (starts, ends) = (self.resolved(&from)?, self.resolved(&until)?);
        let resolved = ranges.iter().map(|range| OffsetRange {
            partition: range.partition.clone(),
            from: starts.get(&range.partition).unwrap_or(0),
            until: ends.get(&range.partition).unwrap_or(0),
        });
        let tasks = self.division.tasks(resolved.collect());
        // groupBy makes a map of them.
        let mut groups: Vec<(TopicPartition, Vec<OffsetRange>)> = Vec::new();
        for task in tasks {
            match groups.iter_mut().find(|(partition, _)| *partition == task.partition) {
                Some((_, group)) => group.push(task),
                None => groups.push((task.partition.clone(), vec![task])),
            }
        }
        let groups = immutable_order(groups, |(partition, _)| partition.hash_code());
        Ok(groups.into_iter().flat_map(|(_, group)| group).collect())
    }

    /// fetchPartitionOffsets
    fn unresolved(&self, limit: &Limit, starting: bool) -> Result<Offsets> {
        let assigned = self.assigned()?;
        let all = |offset: i64| assigned.iter().map(|partition| (partition.clone(), offset)).collect();
        match limit {
            Limit::Earliest => Ok(all(EARLIEST)),
            Limit::Latest => Ok(all(LATEST)),
            Limit::Offsets(offsets) if offsets.same_partitions(&assigned) => Ok(offsets.clone()),
            Limit::Offsets(offsets) => Err(illegal_state(format!(
                "Partitions specified for Kafka start offsets don't match what are assigned. Maybe topic partitions are \
                 created \nor deleted while the query is running. Use -1 for latest, -2 for earliest.\nSpecified: {} \
                 Assigned: {}",
                key_set_text(offsets),
                set_text(&assigned)
            ))),
            Limit::Timestamps(_) | Limit::Timestamp(_) => self.by_time(limit, starting),
        }
    }

    /// What a task reads (KafkaBatchPartitionReader over KafkaDataConsumer).
    pub(super) fn fetch(&self, range: &OffsetRange) -> Result<Vec<Fetched>> {
        let partition = &range.partition;
        let there = self.range(partition).unwrap_or(Range { earliest: 0, latest: 0 });
        let from = if range.from == EARLIEST { there.earliest } else { range.from };
        let until = if range.until == LATEST { there.latest } else { range.until };
        if from > until {
            return Err(start_after_end(from, until, partition));
        }
        if from == until {
            return Ok(Vec::new());
        }
        if from < there.earliest || until > there.latest {
            if self.fail_on_data_loss {
                let at = if from < there.earliest || from >= there.latest { from } else { there.latest };
                return Err(could_not_read(at, until, partition, &self.group_id));
            }
            if there.earliest >= until || from >= there.latest {
                return Ok(Vec::new());
            }
        }
        let found = self.broker.records(&partition.topic, partition.partition, self.now_ms());
        let (first, records) = found.map_err(|error| broker_failed(&error))?;
        let position = |offset: i64| usize::try_from(offset - first).unwrap_or(0).min(records.len());
        let (start, end) = (position(from), position(until));
        let fetched = records[start..end]
            .iter()
            .zip(start..)
            .map(|(record, at)| Fetched { offset: first + i64::try_from(at).unwrap_or(0), record: record.clone() });
        Ok(fetched.collect())
    }
}

/// KAFKA_DATA_LOSS.PARTITIONS_DELETED, and the longer one for queries with a group id of their own.
fn deleted_text(partitions: &str, own_group: bool) -> String {
    if !own_group {
        return format!("Partitions {partitions} have been deleted.");
    }
    format!(
        "Partitions {partitions} have been deleted.\n\
         Kafka option 'kafka.group.id' has been set on this query, it is\n\
         not recommended to set this option. This option is unsafe to use since multiple concurrent\n\
         queries or sources using the same group id will interfere with each other as they are part\n\
         of the same consumer group. Restarted queries may also suffer interference from the\n\
         previous run having the same group id. The user should have only one query per group id,\n\
         and/or set the option 'kafka.session.timeout.ms' to be very small so that the Kafka\n\
         consumers from the previous query are marked dead by the Kafka group coordinator before the\n\
         restarted query starts running."
    )
}
