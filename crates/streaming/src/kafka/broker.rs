//! The session's Kafka broker: topics as folders of log files in the session's tree, so that they outlive a script, a
//! crash and a reload. It needs no server: the simulation is the log, its offsets and its retention.
//!
//! `TOPIC/topic.json` says partitions, their first offsets and the settings; `TOPIC/N.log` has a record a line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use tidemark_vfs::{FsError, SharedFs, join};

use super::record::Record;

/// Folder of the broker below the session's.
pub const FOLDER: &str = ".tidemark/kafka";
/// Setting of a topic: records older than this many ms are deleted; negative or missing: never.
const RETENTION: &str = "retention.ms";
/// Setting of a topic: "LogAppendTime" gives records the broker's time.
const TIMESTAMP_TYPE: &str = "message.timestamp.type";
/// Kafka's limit.
const NAME_LENGTH: usize = 249;
/// What one topic may have here.
const MAX_PARTITIONS: i32 = 1000;

/// What the broker refuses: the Kafka client's exception by its short name, and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerError {
    /// "UnknownTopicOrPartitionException" ...
    pub class: &'static str,
    pub message: String,
}

impl fmt::Display for BrokerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub type BrokerResult<T> = Result<T, BrokerError>;

fn refuse<T>(class: &'static str, message: impl Into<String>) -> BrokerResult<T> {
    Err(BrokerError { class, message: message.into() })
}

impl From<FsError> for BrokerError {
    fn from(error: FsError) -> Self {
        Self { class: "KafkaStorageException", message: error.to_string() }
    }
}

/// A topic and its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// First offset of each partition's log.
    starts: Vec<i64>,
    config: BTreeMap<String, String>,
}

impl Topic {
    pub fn partitions(&self) -> i32 {
        i32::try_from(self.starts.len()).unwrap_or(i32::MAX)
    }

    pub fn config(&self) -> &BTreeMap<String, String> {
        &self.config
    }

    /// 0: the producer's time; 1: the broker's (TimestampType.id).
    pub fn timestamp_type(&self) -> i32 {
        i32::from(self.config.get(TIMESTAMP_TYPE).is_some_and(|kind| kind == "LogAppendTime"))
    }

    fn retention_ms(&self) -> Option<i64> {
        self.config.get(RETENTION).and_then(|text| text.trim().parse().ok()).filter(|ms| *ms >= 0)
    }

    fn json(&self) -> String {
        let config: Map<String, Value> =
            self.config.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect();
        json!({ "partitions": self.starts.len(), "first_offsets": self.starts, "config": config }).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let partitions = usize::try_from(value.get("partitions")?.as_u64()?).ok()?;
        let starts = value.get("first_offsets").and_then(Value::as_array);
        let start = |at: usize| starts.and_then(|starts| starts.get(at)).and_then(Value::as_i64).unwrap_or(0);
        let config = value.get("config").and_then(Value::as_object).into_iter().flatten();
        Some(Self {
            starts: (0..partitions.min(MAX_PARTITIONS as usize)).map(start).collect(),
            config: config
                .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
                .collect(),
        })
    }
}

/// A partition's log as it was read, and the file that it was read from.
#[derive(Clone)]
struct Cached {
    len: u64,
    modified_ms: i64,
    records: Rc<Vec<Record>>,
}

/// The offsets of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Of the first record that is there.
    pub earliest: i64,
    /// Of the next record.
    pub latest: i64,
}

/// A message on its way into a topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub partition: Option<i32>,
    /// None: the broker's time.
    pub timestamp_ms: Option<i64>,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

/// The broker over the files of a session. Several may stand over the same files.
pub struct Broker {
    fs: SharedFs,
    /// Absolute.
    folder: String,
    logs: RefCell<BTreeMap<String, Cached>>,
}

impl Broker {
    /// The broker of the session whose folder is `cwd`.
    pub fn new(fs: SharedFs, cwd: &str) -> Self {
        Self { fs, folder: join(cwd, FOLDER), logs: RefCell::default() }
    }

    fn path(&self, topic: &str, file: &str) -> String {
        format!("{}/{topic}/{file}", self.folder)
    }

    /// Names of the topics, sorted.
    pub fn topics(&self) -> Vec<String> {
        let entries = self.fs.list(&self.folder).unwrap_or_default();
        let names = entries.into_iter().filter(|entry| entry.metadata.is_dir).map(|entry| entry.name);
        names.filter(|name| self.topic(name).is_ok()).collect()
    }

    pub fn topic(&self, name: &str) -> BrokerResult<Topic> {
        let text = check_name(name).and_then(|()| Ok(self.fs.read(&self.path(name, "topic.json"))?));
        match text.ok().and_then(|bytes| Topic::parse(&String::from_utf8_lossy(&bytes))) {
            Some(topic) => Ok(topic),
            None => refuse("UnknownTopicOrPartitionException", "This server does not host this topic-partition."),
        }
    }

    fn save(&self, name: &str, topic: &Topic, now_ms: i64) -> BrokerResult<()> {
        Ok(self.fs.write(&self.path(name, "topic.json"), topic.json().as_bytes(), now_ms)?)
    }

    pub fn create_topic(
        &self,
        name: &str,
        partitions: i32,
        config: BTreeMap<String, String>,
        now_ms: i64,
    ) -> BrokerResult<()> {
        check_name(name)?;
        if self.topic(name).is_ok() {
            return refuse("TopicExistsException", format!("Topic '{name}' already exists."));
        }
        if !(1..=MAX_PARTITIONS).contains(&partitions) {
            return refuse("InvalidPartitionsException", "Number of partitions must be larger than 0.");
        }
        let topic = Topic { starts: vec![0; usize::try_from(partitions).unwrap_or(1)], config };
        self.fs.create_dir_all(&format!("{}/{name}", self.folder), now_ms)?;
        self.save(name, &topic, now_ms)
    }

    pub fn delete_topic(&self, name: &str) -> BrokerResult<()> {
        self.topic(name)?;
        Ok(self.fs.remove_dir_all(&format!("{}/{name}", self.folder))?)
    }

    /// Raises the number of partitions to `total`; Kafka never lowers it.
    pub fn add_partitions(&self, name: &str, total: i32, now_ms: i64) -> BrokerResult<()> {
        let mut topic = self.topic(name)?;
        let current = topic.partitions();
        if total <= current || total > MAX_PARTITIONS {
            let message = if total == current {
                format!("Topic already has {current} partition(s).")
            } else {
                format!("The topic {name} currently has {current} partition(s); {total} would not be an increase.")
            };
            return refuse("InvalidPartitionsException", message);
        }
        topic.starts.resize(usize::try_from(total).unwrap_or(1), 0);
        self.save(name, &topic, now_ms)
    }

    /// Changes settings; an empty value takes one away.
    pub fn configure(&self, name: &str, config: BTreeMap<String, String>, now_ms: i64) -> BrokerResult<()> {
        let mut topic = self.topic(name)?;
        topic.config.extend(config);
        topic.config.retain(|_, value| !value.is_empty());
        self.save(name, &topic, now_ms)
    }

    fn check_partition(&self, name: &str, topic: &Topic, partition: i32) -> BrokerResult<usize> {
        match usize::try_from(partition).ok().filter(|at| *at < topic.starts.len()) {
            Some(at) => Ok(at),
            None => refuse(
                "TimeoutException",
                format!(
                    "Partition {partition} of topic {name} with partition count {} is not present in metadata after 60000 ms.",
                    topic.starts.len()
                ),
            ),
        }
    }

    /// The log of a partition, read anew when its file has changed.
    fn log(&self, name: &str, at: usize) -> BrokerResult<Rc<Vec<Record>>> {
        let path = self.path(name, &format!("{at}.log"));
        let Ok(found) = self.fs.metadata(&path) else {
            self.logs.borrow_mut().remove(&path);
            return Ok(Rc::default());
        };
        if let Some(cached) = self.logs.borrow().get(&path)
            && cached.len == found.len
            && cached.modified_ms == found.modified_ms
        {
            return Ok(cached.records.clone());
        }
        let bytes = self.fs.read(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut records = Vec::new();
        for (number, line) in text.lines().enumerate() {
            match Record::parse(line) {
                Some(record) => records.push(record),
                None => {
                    return refuse("CorruptRecordException", format!("{path}: line {} is no record", number + 1));
                }
            }
        }
        let records = Rc::new(records);
        let cached = Cached { len: found.len, modified_ms: found.modified_ms, records: records.clone() };
        self.logs.borrow_mut().insert(path, cached);
        Ok(records)
    }

    /// Deletes what the topic's retention lets go by now, from the head of each partition.
    fn expire(&self, name: &str, topic: &mut Topic, now_ms: i64) -> BrokerResult<()> {
        let Some(oldest) = topic.retention_ms().map(|retention| now_ms.saturating_sub(retention)) else {
            return Ok(());
        };
        for at in 0..topic.starts.len() {
            let log = self.log(name, at)?;
            let gone = log.iter().take_while(|record| record.timestamp_ms < oldest).count();
            self.cut(name, topic, at, &log, gone, now_ms)?;
        }
        Ok(())
    }

    /// Deletes the first `gone` records of a partition.
    fn cut(
        &self,
        name: &str,
        topic: &mut Topic,
        at: usize,
        log: &[Record],
        gone: usize,
        now_ms: i64,
    ) -> BrokerResult<()> {
        if gone == 0 {
            return Ok(());
        }
        let text: String = log[gone..].iter().map(Record::line).collect();
        topic.starts[at] += i64::try_from(gone).unwrap_or(0);
        self.save(name, topic, now_ms)?;
        let path = self.path(name, &format!("{at}.log"));
        self.logs.borrow_mut().remove(&path);
        Ok(self.fs.write(&path, text.as_bytes(), now_ms)?)
    }

    /// DeleteRecords: everything before `offset` (-1: all there is) goes.
    pub fn delete_records(&self, name: &str, partition: i32, offset: i64, now_ms: i64) -> BrokerResult<()> {
        let mut topic = self.topic(name)?;
        let at = self.check_partition(name, &topic, partition)?;
        let log = self.log(name, at)?;
        let start = topic.starts[at];
        let latest = start + i64::try_from(log.len()).unwrap_or(0);
        let offset = if offset == -1 { latest } else { offset };
        if offset < start || offset > latest {
            return refuse(
                "OffsetOutOfRangeException",
                "The requested offset is not within the range of offsets maintained by the server.",
            );
        }
        self.cut(name, &mut topic, at, &log, usize::try_from(offset - start).unwrap_or(0), now_ms)
    }

    /// Earliest and latest offset of every partition.
    pub fn ranges(&self, name: &str, now_ms: i64) -> BrokerResult<Vec<Range>> {
        let mut topic = self.topic(name)?;
        self.expire(name, &mut topic, now_ms)?;
        topic
            .starts
            .iter()
            .enumerate()
            .map(|(at, start)| {
                let records = i64::try_from(self.log(name, at)?.len()).unwrap_or(0);
                Ok(Range { earliest: *start, latest: start + records })
            })
            .collect()
    }

    /// The records of a partition, with the offset of the first.
    pub fn records(&self, name: &str, partition: i32, now_ms: i64) -> BrokerResult<(i64, Rc<Vec<Record>>)> {
        let mut topic = self.topic(name)?;
        self.expire(name, &mut topic, now_ms)?;
        let at = self.check_partition(name, &topic, partition)?;
        Ok((topic.starts[at], self.log(name, at)?))
    }

    /// Appends a message; the partition and offset that it got. A topic that is not there is made, with one partition, as
    /// brokers do (auto.create.topics.enable).
    pub fn produce(&self, name: &str, message: Message, now_ms: i64) -> BrokerResult<(i32, i64)> {
        if let Some(partition) = message.partition.filter(|partition| *partition < 0) {
            return refuse(
                "IllegalArgumentException",
                format!("Invalid partition: {partition}. Partition number should always be non-negative or null."),
            );
        }
        if let Some(timestamp) = message.timestamp_ms.filter(|timestamp| *timestamp < 0) {
            return refuse(
                "IllegalArgumentException",
                format!("Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null."),
            );
        }
        check_name(name)?;
        if self.topic(name).is_err() {
            self.create_topic(name, 1, BTreeMap::new(), now_ms)?;
        }
        let topic = self.topic(name)?;
        let partition = match (message.partition, &message.key) {
            (Some(partition), _) => partition,
            (None, Some(key)) => by_key(key, topic.partitions()),
            (None, None) => self.in_turn(name, &topic)?,
        };
        let at = self.check_partition(name, &topic, partition)?;
        let appended = topic.timestamp_type() == 1;
        let record = Record {
            timestamp_ms: message.timestamp_ms.filter(|_| !appended).unwrap_or(now_ms),
            key: message.key,
            value: message.value,
            headers: message.headers,
        };
        let mut records = self.log(name, at)?;
        let path = self.path(name, &format!("{at}.log"));
        // The copy in memory is taken out, so that it grows in place.
        self.logs.borrow_mut().remove(&path);
        self.fs.append(&path, record.line().as_bytes(), now_ms)?;
        let offset = topic.starts[at] + i64::try_from(records.len()).unwrap_or(0);
        Rc::make_mut(&mut records).push(record);
        let found = self.fs.metadata(&path)?;
        self.logs.borrow_mut().insert(path, Cached { len: found.len, modified_ms: found.modified_ms, records });
        Ok((partition, offset))
    }

    /// Messages without a key go to the partitions in turn; real producers choose at random and stay for a while.
    fn in_turn(&self, name: &str, topic: &Topic) -> BrokerResult<i32> {
        let mut total = 0;
        for (at, start) in topic.starts.iter().enumerate() {
            total += start + i64::try_from(self.log(name, at)?.len()).unwrap_or(0);
        }
        Ok(i32::try_from(total.rem_euclid(i64::from(topic.partitions().max(1)))).unwrap_or(0))
    }
}

/// Topic.validate of the Kafka client.
fn check_name(name: &str) -> BrokerResult<()> {
    let message = if name.is_empty() {
        "the empty string is not allowed".to_owned()
    } else if name == "." || name == ".." {
        format!("'{name}' is not allowed")
    } else if name.len() > NAME_LENGTH {
        format!("the length of '{name}' is longer than the max allowed length {NAME_LENGTH}")
    } else if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
        format!("'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'")
    } else {
        return Ok(());
    };
    refuse("InvalidTopicException", format!("Topic name is invalid: {message}"))
}

/// Kafka's default partitioner: murmur2 of the key, made positive, modulo the partitions.
fn by_key(key: &[u8], partitions: i32) -> i32 {
    (murmur2(key) & 0x7fff_ffff).rem_euclid(partitions.max(1))
}

/// org.apache.kafka.common.utils.Utils.murmur2
fn murmur2(data: &[u8]) -> i32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = 0x9747_b28c ^ data.len() as u32;
    let mut words = data.chunks_exact(4);
    for word in words.by_ref() {
        let mut k = word.iter().rev().fold(0u32, |k, byte| (k << 8) | u32::from(*byte)).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        hash ^= rest.iter().rev().fold(0u32, |k, byte| (k << 8) | u32::from(*byte));
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    (hash ^ (hash >> 15)) as i32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidemark_vfs::MemoryFs;

    use super::*;

    fn broker() -> Broker {
        Broker::new(Arc::new(MemoryFs::new()), "/w")
    }

    fn text(value: &str, timestamp_ms: i64) -> Message {
        Message { value: Some(value.into()), timestamp_ms: Some(timestamp_ms), ..Message::default() }
    }

    /// The client's own test values (UtilsTest.testMurmur2).
    #[test]
    fn keys_go_where_kafkas_partitioner_sends_them() {
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn offsets_count_on_over_deleted_records() {
        let broker = broker();
        broker.create_topic("t", 2, BTreeMap::new(), 0).unwrap();
        for value in ["a", "b", "c"] {
            broker.produce("t", Message { partition: Some(1), ..text(value, 5) }, 5).unwrap();
        }
        broker.delete_records("t", 1, 2, 6).unwrap();
        assert_eq!(broker.ranges("t", 6).unwrap()[1], Range { earliest: 2, latest: 3 });
        broker.delete_records("t", 1, -1, 6).unwrap();
        assert_eq!(broker.produce("t", Message { partition: Some(1), ..text("d", 7) }, 7), Ok((1, 3)));
        assert!(broker.delete_records("t", 1, 1, 8).is_err());
        // Another broker over the same files sees the same.
        let other = Broker::new(broker.fs.clone(), "/w");
        assert_eq!(other.records("t", 1, 8).map(|(first, records)| (first, records.len())), Ok((3, 1)));
        assert_eq!(other.produce("t", Message { partition: Some(1), ..text("e", 9) }, 9), Ok((1, 4)));
        assert_eq!(broker.ranges("t", 9).unwrap()[1].latest, 5);
    }

    #[test]
    fn retention_deletes_from_the_head() {
        let broker = broker();
        broker.create_topic("t", 1, BTreeMap::from([(RETENTION.to_owned(), "100".to_owned())]), 0).unwrap();
        for (value, at) in [("a", 1000), ("b", 1200), ("c", 1050)] {
            broker.produce("t", text(value, at), at).unwrap();
        }
        assert_eq!(broker.ranges("t", 1100).unwrap()[0], Range { earliest: 0, latest: 3 });
        assert_eq!(broker.ranges("t", 1160).unwrap()[0], Range { earliest: 1, latest: 3 });
        assert_eq!(broker.ranges("t", 1301).unwrap()[0], Range { earliest: 3, latest: 3 });
    }

    #[test]
    fn what_kafka_refuses() {
        let broker = broker();
        let class = |result: BrokerResult<()>| result.err().map(|error| error.class);
        assert_eq!(class(broker.create_topic("a b", 1, BTreeMap::new(), 0)), Some("InvalidTopicException"));
        assert_eq!(class(broker.create_topic("a", 0, BTreeMap::new(), 0)), Some("InvalidPartitionsException"));
        assert_eq!(class(broker.create_topic("a", 1, BTreeMap::new(), 0)), None);
        assert_eq!(class(broker.create_topic("a", 1, BTreeMap::new(), 0)), Some("TopicExistsException"));
        assert_eq!(class(broker.add_partitions("a", 1, 0)), Some("InvalidPartitionsException"));
        assert_eq!(class(broker.add_partitions("b", 1, 0)), Some("UnknownTopicOrPartitionException"));
    }
}
