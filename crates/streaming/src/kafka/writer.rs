//! Rows into topics (Spark's KafkaWriter and KafkaRowWriter).

use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::Attribute;
use tidemark_sql::types::DataType;
use tidemark_sql::value::{Value, value_at};

use super::broker::{Broker, BrokerError, Message};
use super::errors::{illegal_state, java};
use super::options::{Params, check_producer};
use super::rows::headers_type;

/// Which columns of a frame become what of a message.
pub(super) struct RowWriter {
    /// The option `topic`; goes before the column.
    default_topic: Option<String>,
    topic: Option<usize>,
    key: Option<(usize, DataType)>,
    value: (usize, DataType),
    headers: Option<(usize, DataType)>,
    partition: Option<usize>,
    has_servers: bool,
}

fn refuse(message: &str) -> SparkError {
    SparkError::analysis("_LEGACY_ERROR_TEMP_3080", &[("msg", message)])
}

/// A column by its exact name, of one of the types.
fn column(output: &[Arc<Attribute>], name: &str, types: &[DataType]) -> Result<Option<usize>> {
    let Some(at) = output.iter().position(|attribute| &*attribute.name == name) else { return Ok(None) };
    let found = &output[at].data_type;
    if types.iter().any(|wanted| wanted.simple_string() == found.simple_string()) {
        return Ok(Some(at));
    }
    let wanted: Vec<String> = types.iter().map(DataType::simple_string).collect();
    Err(refuse(&format!(
        "{name} attribute unsupported type {}. {name} must be a(n) {}",
        found.simple_string(),
        wanted.join(" or ")
    )))
}

impl RowWriter {
    /// KafkaWriter.validateQuery, after the checks of the producer's options.
    pub(super) fn new(params: &Params, output: &[Arc<Attribute>]) -> Result<Self> {
        check_producer(params)?;
        let default_topic = params.get("topic").map(|topic| topic.trim().to_owned());
        let topic = if default_topic.is_some() { None } else { column(output, "topic", &[DataType::String])? };
        if default_topic.is_none() && topic.is_none() {
            return Err(refuse(
                "topic option required when no 'topic' attribute is present. Use the topic option for setting a topic.",
            ));
        }
        let bytes = [DataType::String, DataType::Binary];
        let typed = |at: usize| (at, output[at].data_type.clone());
        let key = column(output, "key", &bytes)?.map(typed);
        let value = column(output, "value", &bytes)?.map(typed);
        let value = value.ok_or_else(|| refuse("Required attribute 'value' not found"))?;
        Ok(Self {
            default_topic,
            topic,
            key,
            value,
            headers: column(output, "headers", &[headers_type()])?.map(typed),
            partition: column(output, "partition", &[DataType::Integer])?,
            has_servers: params.get("kafka.bootstrap.servers").is_some(),
        })
    }

    /// Sends the rows, partition by partition; how many there were.
    pub(super) fn send(&self, broker: &Broker, partitions: &[Partition], now_ms: i64) -> Result<i64> {
        if !self.has_servers && !partitions.is_empty() {
            return Err(java("org.apache.kafka.common.KafkaException", "Failed to construct kafka producer"));
        }
        let mut sent = 0;
        for batch in partitions.iter().flatten() {
            for row in 0..batch.num_rows() {
                let cell = |at: usize, data_type: &DataType| value_at(batch.column(at).as_ref(), row, data_type);
                let topic = match (&self.default_topic, self.topic) {
                    (Some(topic), _) => Some(topic.clone()),
                    (None, Some(at)) => cell(at, &DataType::String).as_str().map(str::to_owned),
                    (None, None) => None,
                };
                let Some(topic) = topic else {
                    return Err(illegal_state(
                        "The Kafka message data sent to the producer contains a null topic. Use the `topic` option for \
                         setting a default topic.",
                    ));
                };
                let message = Message {
                    partition: self.partition.and_then(|at| cell(at, &DataType::Integer).as_i32()),
                    timestamp_ms: None,
                    key: self.key.as_ref().and_then(|(at, data_type)| bytes(&cell(*at, data_type))),
                    value: bytes(&cell(self.value.0, &self.value.1)),
                    headers: self
                        .headers
                        .as_ref()
                        .map_or_else(Vec::new, |(at, data_type)| headers(&cell(*at, data_type))),
                };
                broker.produce(&topic, message, now_ms).map_err(|error| refused(&error))?;
                sent += 1;
            }
        }
        Ok(sent)
    }
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.as_bytes().to_vec()),
        Value::Binary(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}

fn headers(value: &Value) -> Vec<(String, Option<Vec<u8>>)> {
    let headers = value.as_slice().unwrap_or_default().iter().filter_map(Value::as_slice);
    headers.filter_map(|header| Some((header.first()?.as_str()?.to_owned(), header.get(1).and_then(bytes)))).collect()
}

/// What the producer's client throws.
fn refused(error: &BrokerError) -> SparkError {
    let class = match error.class {
        "IllegalArgumentException" => ErrorClass::IllegalArgument,
        "TimeoutException" => ErrorClass::Java("org.apache.kafka.common.errors.TimeoutException"),
        "InvalidTopicException" => ErrorClass::Java("org.apache.kafka.common.errors.InvalidTopicException"),
        _ => ErrorClass::Java("org.apache.kafka.common.KafkaException"),
    };
    SparkError::plain(class, &*error.message)
}
