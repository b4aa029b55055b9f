//! Topics and ports by hand: the page's commands to the session's broker and sockets, and what the page is told of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_streaming::kafka::{Broker, BrokerError, BrokerResult, Message, Record};
use tidemark_streaming::socket::SocketHub;
use tidemark_vfs::SharedFs;

use super::CWD;
use crate::messages::{
    Event, KafkaCommand, KafkaMessage, KafkaRecord, LaidMessage, PartitionInfo, PortInfo, SocketCommand, TopicInfo,
};

/// Messages that one command may make up.
const MAX_GENERATED: u32 = 10_000;
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
            KafkaCommand::Generate { topic, seed, count } => {
                for message in purchases(seed, count.min(MAX_GENERATED), now_ms) {
                    broker.produce(&topic, message, now_ms)?;
                }
            }
            KafkaCommand::DeleteRecords { topic } => {
                for partition in 0..broker.topic(&topic)?.partitions() {
                    broker.delete_records(&topic, partition, -1, now_ms)?;
                }
            }
            KafkaCommand::Read { topic, limit } => {
                let records = self.newest(&topic, limit, now_ms)?;
                return Ok(Some(Event::KafkaRecords { topic, records }));
            }
        }
        Ok(None)
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

/// Made-up purchases: times within the last minute, now and then one that is minutes late.
fn purchases(seed: u64, count: u32, now_ms: i64) -> impl Iterator<Item = Message> {
    const USERS: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];
    const ACTIONS: [&str; 3] = ["buy", "view", "refund"];
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    // SplitMix64.
    let mut next = move |bound: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    };
    (0..count).map(move |_| {
        let user = USERS[next(5) as usize];
        let action = ACTIONS[next(3) as usize];
        let late = if next(10) == 0 { 180_000 + next(600_000) } else { next(60_000) };
        let event_ms = now_ms - i64::try_from(late).unwrap_or(0);
        let amount = (next(50_000) + 100) as f64 / 100.0;
        let value = serde_json::json!({
            "event_time": tidemark_streaming::format_ms(event_ms),
            "user": user,
            "action": action,
            "amount": amount,
        });
        Message { key: Some(user.into()), value: Some(value.to_string().into_bytes()), ..Message::default() }
    })
}
