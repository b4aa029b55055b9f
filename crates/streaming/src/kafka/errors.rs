//! Errors of the connector and of the Kafka client, with their texts.

use tidemark_sql::error::{ErrorClass, SparkError};

use super::topic::TopicPartition;

pub(super) fn illegal_argument(message: impl Into<String>) -> SparkError {
    SparkError::plain(ErrorClass::IllegalArgument, message)
}

pub(super) fn java(class: &'static str, message: impl Into<String>) -> SparkError {
    SparkError::plain(ErrorClass::Java(class), message)
}

/// KafkaIllegalStateException: its text has no condition in front.
pub(super) fn illegal_state(message: impl Into<String>) -> SparkError {
    java("org.apache.spark.sql.kafka010.KafkaIllegalStateException", message)
}

/// KAFKA_DATA_LOSS with the text of one of its sub-conditions.
pub(super) fn data_loss(reason: &str) -> SparkError {
    illegal_state(format!(
        "Some data may have been lost because they are not available in Kafka any more;\n\
         either the data was aged out by Kafka or the topic may have been deleted before all the data in the\n\
         topic was processed.\n\
         If you don't want your streaming query to fail on such cases, set the source option failOnDataLoss to false.\n\
         Reason: {reason}"
    ))
}

/// KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE
pub(super) fn could_not_read(from: i64, until: i64, partition: &TopicPartition, group_id: &str) -> SparkError {
    data_loss(&format!(
        "Could not read records in offset [{from}, {until}) for topic partition {partition}\n\
         with consumer group {group_id}."
    ))
}

/// RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET
pub(super) fn start_after_end(start: i64, end: i64, partition: &TopicPartition) -> SparkError {
    illegal_state(format!(
        "The resolved start offset {start} is greater than the resolved end offset {end} for topic {} partition {}.\n\
         There may be multiple reasons:\n\
         1. Start offset is set to too big a value that after resolution, end offset is smaller than it. There are \
         multiple input cases:\n  \
         (a) Start offset is set to a timestamp, and the end offset is set to an index.\n  \
         (b) Start offset is set to an index, and the end offset is set to a timestamp.\n  \
         (c) Start offset is set, and the end offset is set to latest.\n\
         2. The Kafka topic partition is broken.",
        partition.topic, partition.partition
    ))
}

/// What the admin client says of a topic that the broker does not have.
pub(super) fn unknown_topic() -> SparkError {
    java(
        "java.util.concurrent.ExecutionException",
        "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition.",
    )
}
