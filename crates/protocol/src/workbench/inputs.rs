//! Topics and ports by hand: the page's commands to the session's broker and sockets, and what the page is told of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_streaming::kafka::{Broker, BrokerError, BrokerResult, Message, Record};
use tidemark_streaming::socket::SocketHub;
use tidemark_vfs::SharedFs;

use super::{CWD, generate};
use crate::messages::{
    Before, Event, KafkaCommand, KafkaMessage, KafkaRecord, LaidMessage, PartitionInfo, PortInfo, SocketCommand,
    TopicInfo,
};

const FIRST_TOPIC: &str = "events";

/// The inputs of a workspace that are no files. Ports outlive the sessions that read from them.
pub(super) struct Inputs {
    broker: Broker,
    pub(super) sockets: Rc<SocketHub>,
    /// What the page was told last.
    said: RefCell<(Vec<TopicInfo>, Vec<PortInfo>)>,
}

impl Inputs {
    pub(super) fn new(fs: SharedFs) -> Self {
        Self { broker: Broker::new(fs, CWD), sockets: Rc::default(), said: RefCell::default() }
    }

    /// Another workspace lies in the files: its topics are read anew. Ports stay.
    pub(super) fn renew(&mut self, fs: SharedFs) {
        self.broker = Broker::new(fs, CWD);
        self.said.borrow_mut().0.clear();
    }

    /// What the broker of a new workspace has: the topic that a first script subscribes to, and what is laid.
    pub(super) fn lay(&self, messages: &[LaidMessage], now_ms: i64) -> BrokerResult<()> {
        self.broker.create_topic(FIRST_TOPIC, 1, BTreeMap::new(), now_ms)?;
        for laid in messages {
            self.broker.produce(&laid.topic, typed(laid.message.clone()), now_ms)?;
        }
        Ok(())
    }

    /// Carries a command out; events that answer it.
    pub(super) fn kafka(&self, command: KafkaCommand, now_ms: i64) -> Result<Option<Event>, BrokerError> {
        let broker = &self.broker;
        match command {
            KafkaCommand::CreateTopic { name, partitions } => {
                broker.create_topic(&name, partitions, BTreeMap::new(), now_ms)?;
            }
            KafkaCommand::DeleteTopic { name } => broker.delete_topic(&name)?,
            KafkaCommand::AddPartitions { name, total } => broker.add_partitions(&name, total, now_ms)?,
            KafkaCommand::Produce { topic, message } => {
                broker.produce(&topic, typed(message), now_ms)?;
            }
            KafkaCommand::Generate { topic, made } => {
                for message in generate::messages(&made) {
                    broker.produce(&topic, message, now_ms)?;
                }
            }
            KafkaCommand::DeleteRecords { topic, partition, before } => {
                let all = 0..broker.topic(&topic)?.partitions();
                for partition in partition.map_or(all, |one| one..one + 1) {
                    if let Some(offset) = self.first_kept(&topic, partition, before, now_ms)? {
                        broker.delete_records(&topic, partition, offset, now_ms)?;
                    }
                }
            }
            KafkaCommand::Read { topic, limit } => {
                let records = self.newest(&topic, limit, now_ms)?;
                return Ok(Some(Event::KafkaRecords { topic, records }));
            }
        }
        Ok(None)
    }

    /// The offset below which records go; None: none goes. As in Kafka, the first record that is not older decides about a time.
    fn first_kept(&self, topic: &str, partition: i32, before: Before, now_ms: i64) -> BrokerResult<Option<i64>> {
        Ok(match before {
            Before::All => Some(-1),
            Before::Offset(offset) => {
                let (first, records) = self.broker.records(topic, partition, now_ms)?;
                let end = first + i64::try_from(records.len()).unwrap_or(0);
                (offset > first).then_some(offset.min(end))
            }
            Before::Time(time_ms) => {
                let (first, records) = self.broker.records(topic, partition, now_ms)?;
                match records.iter().position(|record| record.timestamp_ms >= time_ms) {
                    Some(0) => None,
                    Some(at) => Some(first + i64::try_from(at).unwrap_or(0)),
                    None => Some(-1),
                }
            }
        })
    }

    fn newest(&self, topic: &str, limit: usize, now_ms: i64) -> BrokerResult<Vec<KafkaRecord>> {
        let mut all = Vec::new();
        for partition in 0..self.broker.topic(topic)?.partitions() {
            let (first, records) = self.broker.records(topic, partition, now_ms)?;
            let placed = (first..).zip(records.iter()).skip(records.len().saturating_sub(limit));
            all.extend(placed.map(|(offset, record)| readable(partition, offset, record)));
        }
        // Of records of one time, those of later partitions and offsets count as newer.
        all.sort_by_key(|record| std::cmp::Reverse((record.timestamp_ms, record.offset, record.partition)));
        all.truncate(limit);
        Ok(all)
    }

    /// None: it was done. Otherwise why not.
    pub(super) fn socket(&self, command: SocketCommand, now_ms: i64) -> Option<String> {
        match command {
            SocketCommand::Listen { port } => match self.sockets.reserve(port) {
                Some(port) => self.sockets.listen(port),
                None => return Some(format!("port {port} is open already")),
            },
            SocketCommand::Close { port } => {
                self.sockets.end(port, now_ms);
                self.sockets.close(port);
            }
            SocketCommand::Send { port, text } => {
                if !self.sockets.is_listening(port) {
                    return Some(format!("nobody listens on port {port}"));
                }
                for line in text.lines() {
                    self.sockets.send(port, format!("{line}\n").as_bytes(), now_ms);
                }
            }
        }
        None
    }

    /// Events for what is not as the page was told last.
    pub(super) fn news(&self, now_ms: i64) -> Vec<Event> {
        let topics: Vec<TopicInfo> = self
            .broker
            .topics()
            .into_iter()
            .filter_map(|name| {
                let ranges = self.broker.ranges(&name, now_ms).ok()?;
                let partitions =
                    ranges.into_iter().map(|r| PartitionInfo { earliest: r.earliest, latest: r.latest }).collect();
                Some(TopicInfo { name, partitions })
            })
            .collect();
        let ports = self.sockets.listening();
        let ports: Vec<PortInfo> =
            ports.into_iter().map(|p| PortInfo { port: p.port, waiting: p.waiting, sent: p.sent }).collect();
        let mut said = self.said.borrow_mut();
        let mut news = Vec::new();
        if said.0 != topics {
            news.push(Event::Topics(topics.clone()));
        }
        if said.1 != ports {
            news.push(Event::Ports(ports.clone()));
        }
        *said = (topics, ports);
        news
    }
}

fn typed(message: KafkaMessage) -> Message {
    Message {
        partition: message.partition,
        timestamp_ms: message.timestamp_ms,
        key: message.key.map(String::into_bytes),
        value: message.value.map(String::into_bytes),
        headers: message.headers.into_iter().map(|(name, value)| (name, Some(value.into_bytes()))).collect(),
    }
}

fn text(bytes: Option<&Vec<u8>>) -> Option<String> {
    bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn readable(partition: i32, offset: i64, record: &Record) -> KafkaRecord {
    KafkaRecord {
        partition,
        offset,
        timestamp_ms: record.timestamp_ms,
        key: text(record.key.as_ref()),
        value: text(record.value.as_ref()),
        headers: record.headers.iter().map(|(name, value)| (name.clone(), text(value.as_ref()))).collect(),
    }
}
