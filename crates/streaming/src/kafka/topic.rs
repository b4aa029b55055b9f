//! Partitions of topics, and offsets by partition as the checkpoint holds them (Spark's KafkaSourceOffset, JsonUtils).

use std::fmt;

use serde_json::{Map, Value};
use tidemark_sql::error::Result;

use super::errors::illegal_argument;
use super::scala::{immutable_order, java_order, mutable_order, string_hash};

/// One partition of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TopicPartition {
    pub(super) topic: String,
    pub(super) partition: i32,
}

impl TopicPartition {
    pub(super) fn new(topic: &str, partition: i32) -> Self {
        Self { topic: topic.to_owned(), partition }
    }

    /// TopicPartition.hashCode of the Kafka client.
    pub(super) fn hash_code(&self) -> i32 {
        31i32.wrapping_add(self.partition).wrapping_mul(31).wrapping_add(string_hash(&self.topic))
    }
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// Partitions as an immutable `Set` prints them.
pub(super) fn set_text(partitions: &[TopicPartition]) -> String {
    let names: Vec<String> = partitions.iter().map(TopicPartition::to_string).collect();
    format!("{}({})", if names.len() > 4 { "HashSet" } else { "Set" }, names.join(", "))
}

/// The keys of an immutable `Map`: its key set is printed as a plain set, however large.
pub(super) fn key_set_text(offsets: &Offsets) -> String {
    let names: Vec<String> = offsets.iter().map(|(partition, _)| partition.to_string()).collect();
    format!("Set({})", names.join(", "))
}

pub(super) fn set_order(partitions: Vec<TopicPartition>) -> Vec<TopicPartition> {
    immutable_order(partitions, TopicPartition::hash_code)
}

/// A number by partition, in the order of Spark's `Map[TopicPartition, Long]`. As offsets: the next one to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offsets(Vec<(TopicPartition, i64)>);

impl FromIterator<(TopicPartition, i64)> for Offsets {
    fn from_iter<I: IntoIterator<Item = (TopicPartition, i64)>>(entries: I) -> Self {
        let mut kept: Vec<(TopicPartition, i64)> = Vec::new();
        for (partition, number) in entries {
            match kept.iter_mut().find(|(known, _)| *known == partition) {
                Some(entry) => entry.1 = number,
                None => kept.push((partition, number)),
            }
        }
        Self(immutable_order(kept, |(partition, _)| partition.hash_code()))
    }
}

impl Offsets {
    /// Entries as they come out of a `mutable.HashMap` (what the admin client's answers are copied into).
    pub(super) fn of_answer(entries: Vec<(TopicPartition, i64)>) -> Self {
        mutable_order(entries, |(partition, _)| partition.hash_code()).into_iter().collect()
    }

    /// Entries as a `java.util.HashMap` gives them (answers that are turned into a `Map` as they are).
    pub(super) fn of_java_answer(entries: Vec<(TopicPartition, i64)>) -> Self {
        java_order(entries, |(partition, _)| partition.hash_code()).into_iter().collect()
    }

    pub(super) fn get(&self, partition: &TopicPartition) -> Option<i64> {
        self.0.iter().find(|(known, _)| known == partition).map(|(_, offset)| *offset)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(TopicPartition, i64)> {
        self.0.iter()
    }

    pub(super) fn partitions(&self) -> Vec<TopicPartition> {
        self.0.iter().map(|(partition, _)| partition.clone()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether both have the same partitions.
    pub(super) fn same_partitions(&self, partitions: &[TopicPartition]) -> bool {
        self.0.len() == partitions.len() && partitions.iter().all(|partition| self.get(partition).is_some())
    }

    /// `{"topic":{"0":23}}`: topics and partitions as mutable hash maps iterate.
    pub(super) fn json(&self) -> String {
        let mut topics: Vec<&str> = Vec::new();
        for (partition, _) in &self.0 {
            if !topics.contains(&partition.topic.as_str()) {
                topics.push(&partition.topic);
            }
        }
        let mut object = Map::new();
        for topic in mutable_order(topics, |topic| string_hash(topic)) {
            let of_topic = self.0.iter().filter(|(partition, _)| partition.topic == topic);
            let parts: Vec<(i32, i64)> = of_topic.map(|(partition, offset)| (partition.partition, *offset)).collect();
            let parts = mutable_order(parts, |(partition, _)| *partition);
            let parts = parts.into_iter().map(|(partition, offset)| (partition.to_string(), Value::from(offset)));
            object.insert(topic.to_owned(), Value::Object(parts.collect()));
        }
        Value::Object(object).to_string()
    }

    /// Reads what [`Offsets::json`] writes; also the option startingOffsets, where -1 is latest and -2 earliest.
    pub(super) fn parse(text: &str) -> Result<Self> {
        parse_numbers(text).ok_or_else(|| {
            illegal_argument(format!(
                "Expected e.g. {{\"topicA\":{{\"0\":23,\"1\":-1}},\"topicB\":{{\"0\":-2}}}}, got {text}"
            ))
        })
    }

    /// The options startingOffsetsByTimestamp and endingOffsetsByTimestamp, ms.
    pub(super) fn parse_timestamps(text: &str) -> Result<Self> {
        parse_numbers(text).ok_or_else(|| {
            illegal_argument(format!(
                "Expected e.g. {{\"topicA\": {{\"0\": 123456789, \"1\": 123456789}},\n\"topicB\": {{\"0\": 123456789, \"1\": \
                 123456789}}}}, got {text}"
            ))
        })
    }
}

/// A number as Jackson coerces it: also out of a text, also cut off a fraction.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn parse_numbers(text: &str) -> Option<Offsets> {
    let Ok(Value::Object(topics)) = serde_json::from_str(text) else { return None };
    let topics: Vec<(String, Value)> = topics.into_iter().collect();
    let mut entries = Vec::new();
    for (topic, parts) in immutable_order(topics, |(topic, _)| string_hash(topic)) {
        let Value::Object(parts) = parts else { return None };
        let parts: Option<Vec<(i32, i64)>> =
            parts.iter().map(|(key, value)| Some((key.trim().parse().ok()?, number(value)?))).collect();
        for (partition, offset) in immutable_order(parts?, |(partition, _)| *partition) {
            entries.push((TopicPartition::new(&topic, partition), offset));
        }
    }
    Some(entries.into_iter().collect())
}

/// The option assign: `{"topicA":[0,1]}`.
pub(super) fn parse_partitions(text: &str) -> Result<Vec<TopicPartition>> {
    let parse = || {
        let Ok(Value::Object(topics)) = serde_json::from_str(text) else { return None };
        let topics: Vec<(String, Value)> = topics.into_iter().collect();
        let mut partitions = Vec::new();
        for (topic, parts) in immutable_order(topics, |(topic, _)| string_hash(topic)) {
            for part in parts.as_array()? {
                partitions.push(TopicPartition::new(&topic, i32::try_from(number(part)?).ok()?));
            }
        }
        Some(partitions)
    };
    parse().ok_or_else(|| illegal_argument(format!("Expected e.g. {{\"topicA\":[0,1],\"topicB\":[0,1]}}, got {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_written_and_read_back() {
        let offsets: Offsets = [("orders", 1, 4), ("events", 0, 7), ("orders", 0, 9)]
            .into_iter()
            .map(|(topic, partition, offset)| (TopicPartition::new(topic, partition), offset))
            .collect();
        assert_eq!(offsets.json(), "{\"orders\":{\"0\":9,\"1\":4},\"events\":{\"0\":7}}");
        let read = Offsets::parse(&offsets.json()).unwrap();
        assert_eq!(read.get(&TopicPartition::new("orders", 1)), Some(4));
        assert_eq!(key_set_text(&read), "Set(orders-0, orders-1, events-0)");
        assert!(Offsets::parse("{\"a\":[1]}").is_err() && Offsets::parse("latest").is_err());
        assert_eq!(parse_partitions("{\"a\":[1,0]}").unwrap()[0].to_string(), "a-1");
    }
}
