//! When a row leaves the state, in words.

use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::text::local_timestamp_to_string;

use super::batch::OutputMode;
use super::stateful::Stateful;
use crate::state::{StateSchema, unsafe_row};

/// How the rows of a store leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    /// A sentence.
    pub(crate) rule: String,
    /// Nothing ever takes them out.
    pub(crate) unbounded: bool,
}

impl Lifetime {
    pub(crate) fn bounded(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), unbounded: false }
    }

    pub(crate) fn unbounded(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), unbounded: true }
    }
}

/// A time as the page shows it: in the session's zone.
pub(crate) fn time_text(us: i64, zone: &Zone) -> String {
    local_timestamp_to_string(zone.to_local(us))
}

/// "evicted when the watermark reaches 2026-02-14 10:01:00": both tests of Spark are closed, so reaching it is enough.
pub(crate) fn evicted_at(us: i64, zone: &Zone) -> String {
    format!("evicted when the watermark reaches {}", time_text(us, zone))
}

/// Field of dropDuplicatesWithinWatermark's value.
const EXPIRES: &str = "expiresAtMicros";

/// Field and whether it is a window, of the column that carries the watermark.
fn event_time(schema: &StructType) -> Option<(usize, bool)> {
    let field = schema.fields.iter().position(|f| f.metadata.contains("\"spark.watermarkDelayMs\""))?;
    match schema.fields[field].data_type {
        DataType::Struct(_) => Some((field, true)),
        DataType::Timestamp | DataType::TimestampNtz => Some((field, false)),
        _ => None,
    }
}

fn time_of(schema: &StructType, row: &[u8]) -> Option<i64> {
    let fields = schema.fields.len();
    match event_time(schema)? {
        (field, true) => unsafe_row::long_at(unsafe_row::bytes_at(row, fields, field)?, 2, 1),
        (field, false) => unsafe_row::long_at(row, fields, field),
    }
}

/// When the watermark takes a row of an aggregation or a deduplication out, µs: the end of its window, its event time, or
/// the time that dropDuplicatesWithinWatermark noted.
fn eviction_us(schema: &StateSchema, key: &[u8], value: &[u8]) -> Option<i64> {
    let fields = schema.value.fields.len();
    if let Some(field) = schema.value.fields.iter().position(|f| f.name == EXPIRES) {
        return unsafe_row::long_at(value, fields, field);
    }
    time_of(&schema.key, key).or_else(|| time_of(&schema.value, value))
}

pub(super) fn expiry(stateful: &Stateful, key: &[u8], value: &[u8]) -> Option<String> {
    if stateful.batch.output_mode == OutputMode::Complete {
        return None;
    }
    eviction_us(&stateful.schema, key, value).map(|us| evicted_at(us, &stateful.batch.zone))
}

/// Of operators whose rows go by an event time in their key or value.
pub(super) fn by_event_time(stateful: &Stateful) -> Lifetime {
    let schema = &stateful.schema;
    if stateful.batch.output_mode == OutputMode::Complete {
        return Lifetime::unbounded("Complete mode writes every group in every batch, so none ever leaves.");
    }
    if schema.value.fields.iter().any(|f| f.name == EXPIRES) {
        return Lifetime::bounded("A key leaves when the watermark reaches its event time plus the delay.");
    }
    let found = event_time(&schema.key).map(|found| (&schema.key, found));
    let found = found.or_else(|| event_time(&schema.value).map(|found| (&schema.value, found)));
    match found {
        Some((structure, (field, true))) => {
            Lifetime::bounded(format!("A row leaves when the watermark reaches {}.end.", structure.fields[field].name))
        }
        Some((structure, (field, false))) => {
            Lifetime::bounded(format!("A row leaves when the watermark reaches its {}.", structure.fields[field].name))
        }
        None if stateful.event_time.is_some() => {
            Lifetime::unbounded("The event-time column is not among the keys, so the watermark never takes a row out.")
        }
        None => Lifetime::unbounded("There is no watermark on its input, so nothing ever takes a row out."),
    }
}
