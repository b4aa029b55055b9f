//! Options of the Kafka source and what Spark refuses of them (KafkaSourceProvider).

use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::errors::illegal_argument;
use super::topic::{Offsets, TopicPartition, parse_partitions};

const STRATEGIES: [&str; 3] = ["subscribe", "subscribepattern", "assign"];

/// Options by key without regard to case; the last of equal keys wins.
#[derive(Clone, Debug, Default)]
pub(super) struct Params(IndexMap<String, String>);

impl Params {
    pub(super) fn new(options: &IndexMap<String, String>) -> Self {
        Self(options.iter().map(|(key, value)| (key.to_lowercase(), value.clone())).collect())
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// A whole number, as Java's parsers refuse it.
    pub(super) fn long(&self, key: &str) -> Result<Option<i64>> {
        self.get(key).map(|text| text.parse().map_err(|_| not_a_number(text))).transpose()
    }

    fn int(&self, key: &str) -> Result<Option<i32>> {
        self.get(key).map(|text| text.parse().map_err(|_| not_a_number(text))).transpose()
    }

    /// Scala's String.toBoolean.
    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool> {
        match self.get(key) {
            None => Ok(default),
            Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(text) => Err(illegal_argument(format!("For input string: \"{text}\""))),
        }
    }
}

fn not_a_number(text: &str) -> SparkError {
    SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\""))
}

/// Which partitions are read (ConsumerStrategy).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    Assign(Vec<TopicPartition>),
    Subscribe(Vec<String>),
    Pattern(String),
}

impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Assign(partitions) => {
                let names: Vec<String> = partitions.iter().map(TopicPartition::to_string).collect();
                write!(f, "Assign[{}]", names.join(", "))
            }
            Self::Subscribe(topics) => write!(f, "Subscribe[{}]", topics.join(", ")),
            Self::Pattern(pattern) => write!(f, "SubscribePattern[{pattern}]"),
        }
    }
}

fn topics(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
}

impl Strategy {
    pub(super) fn of(params: &Params) -> Result<Self> {
        if let Some(text) = params.get("assign") {
            return Ok(Self::Assign(parse_partitions(text)?));
        }
        if let Some(text) = params.get("subscribe") {
            return Ok(Self::Subscribe(topics(text)));
        }
        Ok(Self::Pattern(params.get("subscribepattern").unwrap_or_default().trim().to_owned()))
    }
}

/// Where reading begins or ends (KafkaOffsetRangeLimit).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Earliest,
    Latest,
    Offsets(Offsets),
    Timestamps(Offsets),
    Timestamp(i64),
}

/// What a start that no record is late enough for means (startingOffsetsByTimestampStrategy).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoMatch {
    Error,
    Latest,
}

impl NoMatch {
    pub(super) fn of(params: &Params) -> Result<Self> {
        match params.get("startingoffsetsbytimestampstrategy").map(str::to_uppercase).as_deref() {
            None | Some("ERROR") => Ok(Self::Error),
            Some("LATEST") => Ok(Self::Latest),
            Some(other) => Err(SparkError::plain(
                ErrorClass::Java("java.util.NoSuchElementException"),
                format!("No value found for '{other}'"),
            )),
        }
    }
}

impl Limit {
    pub(super) fn starting(params: &Params, default: Limit) -> Result<Self> {
        Self::of(params, "starting", default)
    }

    pub(super) fn ending(params: &Params) -> Result<Self> {
        Self::of(params, "ending", Self::Latest)
    }

    /// A timestamp for all goes before timestamps by partition, those before offsets (getKafkaOffsetRangeLimit).
    fn of(params: &Params, side: &str, default: Limit) -> Result<Self> {
        NoMatch::of(params)?;
        if let Some(text) = params.get(&format!("{side}timestamp")).map(str::trim) {
            let number =
                text.parse().map_err(|_| illegal_argument(format!("Expected a single long value, got {text}")));
            return number.map(Self::Timestamp);
        }
        if let Some(text) = params.get(&format!("{side}offsetsbytimestamp")) {
            return Offsets::parse_timestamps(text.trim()).map(Self::Timestamps);
        }
        match params.get(&format!("{side}offsets")).map(str::trim) {
            None => Ok(default),
            Some(text) if text.eq_ignore_ascii_case("latest") => Ok(Self::Latest),
            Some(text) if text.eq_ignore_ascii_case("earliest") => Ok(Self::Earliest),
            Some(text) => Offsets::parse(text).map(Self::Offsets),
        }
    }
}

/// validateStreamOptions
pub(super) fn check_stream(params: &Params) -> Result<()> {
    if params.has("endingoffsets") {
        return Err(illegal_argument("ending offset not valid in streaming queries"));
    }
    if params.has("endingoffsetsbytimestamp") {
        return Err(illegal_argument("ending timestamp not valid in streaming queries"));
    }
    check_general(params)
}

/// validateBatchOptions
pub(super) fn check_batch(params: &Params) -> Result<()> {
    match Limit::starting(params, Limit::Earliest)? {
        Limit::Latest => return Err(illegal_argument("starting offset can't be latest for batch queries on Kafka")),
        Limit::Offsets(offsets) => {
            if let Some((partition, _)) = offsets.iter().find(|(_, offset)| *offset == LATEST) {
                return Err(illegal_argument(format!(
                    "startingOffsets for {partition} can't be latest for batch queries on Kafka"
                )));
            }
        }
        _ => {}
    }
    match Limit::ending(params)? {
        Limit::Earliest => return Err(illegal_argument("ending offset can't be earliest for batch queries on Kafka")),
        Limit::Offsets(offsets) => {
            if let Some((partition, _)) = offsets.iter().find(|(_, offset)| *offset == EARLIEST) {
                return Err(illegal_argument(format!(
                    "ending offset for {partition} can't be earliest for batch queries on Kafka"
                )));
            }
        }
        _ => {}
    }
    check_general(params)
}

/// Offsets that stand for the ends of a log (KafkaOffsetRangeLimit).
pub(super) const LATEST: i64 = -1;
pub(super) const EARLIEST: i64 = -2;

/// The text has a margin of its own, and a line of blanks at its end.
const AUTO_OFFSET_RESET: &str = "
Kafka option 'auto.offset.reset' is not supported.
Instead set the source option 'startingoffsets' to 'earliest' or 'latest'
to specify where to start. Structured Streaming manages which offsets are consumed
internally, rather than relying on the kafkaConsumer to do it. This will ensure that no
data is missed when new topics/partitions are dynamically subscribed. Note that
'startingoffsets' only applies when a new Streaming query is started, and
that resuming will always pick up from where the query left off. See the docs for more
details.
         ";

/// validateGeneralOptions
fn check_general(params: &Params) -> Result<()> {
    let given: Vec<&str> = STRATEGIES.into_iter().filter(|strategy| params.has(strategy)).collect();
    let rule = match given.len() {
        0 => Some("One of"),
        1 => None,
        _ => Some("Only one of"),
    };
    if let Some(rule) = rule {
        let verb = if given.is_empty() { "must" } else { "can" };
        return Err(illegal_argument(format!(
            "{rule} the following options {verb} be specified for Kafka source: {}. See the docs for more details.",
            STRATEGIES.join(", ")
        )));
    }
    if let Some(value) = params.get("assign").filter(|value| !value.trim().starts_with('{')) {
        return Err(illegal_argument(format!(
            "No topicpartitions to assign as specified value for option 'assign' is '{value}'"
        )));
    }
    if let Some(value) = params.get("subscribe").filter(|value| topics(value).is_empty()) {
        return Err(illegal_argument(format!(
            "No topics to subscribe to as specified value for option 'subscribe' is '{value}'"
        )));
    }
    if let Some(value) = params.get("subscribepattern").filter(|value| value.trim().is_empty()) {
        return Err(illegal_argument(format!(
            "Pattern to subscribe is empty as specified value for option 'subscribePattern' is '{value}'"
        )));
    }
    if params.int("minpartitions")?.is_some_and(|n| n <= 0) {
        return Err(illegal_argument("minPartitions must be positive"));
    }
    if params.long("maxrecordsperpartition")?.is_some_and(|n| n <= 0) {
        return Err(illegal_argument("maxrecordsperpartition must be positive"));
    }
    if params.has("kafka.auto.offset.reset") {
        return Err(illegal_argument(AUTO_OFFSET_RESET));
    }
    for (what, option) in [("keys", "key.deserializer"), ("values", "value.deserializer")] {
        if params.has(&format!("kafka.{option}")) {
            return Err(illegal_argument(format!(
                "Kafka option '{option}' is not supported as {what} are deserialized as byte arrays with \
                 ByteArrayDeserializer. Use DataFrame operations to explicitly deserialize the {what}."
            )));
        }
    }
    for option in ["enable.auto.commit", "interceptor.classes"] {
        if params.has(&format!("kafka.{option}")) {
            return Err(illegal_argument(format!("Kafka option '{option}' is not supported")));
        }
    }
    if !params.has("kafka.bootstrap.servers") {
        return Err(illegal_argument(
            "Option 'kafka.bootstrap.servers' must be specified for configuring Kafka consumer",
        ));
    }
    if let (Some(min), Some(max)) = (params.long("minoffsetspertrigger")?, params.long("maxoffsetspertrigger")?)
        && min > max
    {
        return Err(illegal_argument(format!(
            "The value of minOffsetPerTrigger({min}) is higher than the maxOffsetsPerTrigger({max})."
        )));
    }
    Ok(())
}

/// What a producer is not given (kafkaParamsForProducer).
pub(super) fn check_producer(params: &Params) -> Result<()> {
    for (what, option) in [("keys", "key.serializer"), ("value", "value.serializer")] {
        if params.has(&format!("kafka.{option}")) {
            return Err(illegal_argument(format!(
                "Kafka option '{option}' is not supported as {what} are serialized with ByteArraySerializer."
            )));
        }
    }
    Ok(())
}

/// KafkaOffsetRangeCalculator's settings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Division {
    pub(super) min_partitions: Option<i32>,
    pub(super) max_records: Option<i64>,
}

impl Division {
    pub(super) fn of(params: &Params) -> Result<Self> {
        Ok(Self { min_partitions: params.int("minpartitions")?, max_records: params.long("maxrecordsperpartition")? })
    }
}
