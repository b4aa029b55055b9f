//! Kafka topics and TCP ports: what the page asks of them and shows.

use serde::{Deserialize, Serialize};

use super::Column;

/// A recipe for made-up events; the same recipe makes the same events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeUp {
    pub seed: u64,
    pub count: u32,
    /// Event time of the first, ms.
    pub start_ms: i64,
    /// Events per second of event time.
    pub per_second: f64,
    /// Each event is set back by up to this much, so that they come out of order (ms).
    pub disorder_ms: i64,
    /// Of a hundred events, how many are late ...
    pub late_percent: u32,
    /// ... and by how much (ms).
    pub late_ms: i64,
    /// Different keys.
    pub keys: u32,
    /// 0: all keys are as frequent; 1: the second comes half as often as the first, the third a third as often ...
    pub skew: f64,
}

/// Made-up events for a file source, JSON lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Absolute.
    pub folder: String,
    /// The source's schema: each column gets values of its type, the first text the keys.
    pub columns: Vec<Column>,
    /// The column that gets the event times; None: the first timestamp.
    pub event_time: Option<String>,
    pub made: MadeUp,
    /// Files over which the events are spread in the order of their arrival.
    pub files: u32,
}

/// What a person does to the session's Kafka broker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum KafkaCommand {
    CreateTopic {
        name: String,
        partitions: i32,
    },
    DeleteTopic {
        name: String,
    },
    /// Raises the number of partitions.
    AddPartitions {
        name: String,
        total: i32,
    },
    Produce {
        topic: String,
        message: KafkaMessage,
    },
    /// Sends made-up purchases (event_time, user, action, amount) as JSON, keyed by user.
    Generate {
        topic: String,
        made: MadeUp,
    },
    /// Deletes the oldest records, as a retention does.
    DeleteRecords {
        topic: String,
        /// None: of every partition.
        partition: Option<i32>,
        before: Before,
    },
    /// Answered by [`crate::Event::KafkaRecords`]: the newest `limit` records, newest first.
    Read {
        topic: String,
        limit: usize,
    },
}

/// Which records a retention deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Before {
    All,
    Offset(i64),
    /// Timestamp of the record, ms.
    Time(i64),
}

/// A message as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KafkaMessage {
    pub key: Option<String>,
    pub value: Option<String>,
    /// None: by the key, or in turn.
    pub partition: Option<i32>,
    pub headers: Vec<(String, String)>,
    /// None: the session's time.
    pub timestamp_ms: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicInfo {
    pub name: String,
    /// By number.
    pub partitions: Vec<PartitionInfo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionInfo {
    /// Offset of the first record that is there.
    pub earliest: i64,
    /// Offset of the next record.
    pub latest: i64,
}

/// A record in a topic, readable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KafkaRecord {
    pub partition: i32,
    pub offset: i64,
    pub timestamp_ms: i64,
    pub key: Option<String>,
    pub value: Option<String>,
    pub headers: Vec<(String, Option<String>)>,
}

/// What a person does at a TCP port, as with `nc -lk PORT`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SocketCommand {
    Listen {
        port: u16,
    },
    Close {
        port: u16,
    },
    /// Sends lines; those without an end get one.
    Send {
        port: u16,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortInfo {
    pub port: u16,
    /// Lines that no source has read.
    pub waiting: usize,
    pub sent: u64,
}
