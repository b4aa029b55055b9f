//! Kafka topics and TCP ports: what the page asks of them and shows.

use serde::{Deserialize, Serialize};

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
    /// Sends `count` made-up purchases (event_time, user, action, amount) as JSON, keyed by user; the same seed sends the same.
    Generate {
        topic: String,
        seed: u64,
        count: u32,
    },
    /// Deletes all records, as a retention would.
    DeleteRecords {
        topic: String,
    },
    /// Answered by [`crate::Event::KafkaRecords`]: the newest `limit` records, newest first.
    Read {
        topic: String,
        limit: usize,
    },
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
