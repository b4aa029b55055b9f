//! Whether Spark would refuse a literal wherever it stands: for hosts that look at a script before it runs.

use tidemark_sql::error::Result;

use crate::api::TriggerSpec;
use crate::sinks;
use crate::trigger::Trigger;

/// DataStreamWriter.outputMode.
pub fn output_mode(text: &str) -> Result<()> {
    sinks::parse_output_mode(Some(text)).map(drop)
}

/// A format of writeStream that somebody could stand behind: known to Spark, or a class by its full name.
pub fn sink_format(name: &str) -> Result<()> {
    let lower = name.to_lowercase();
    let known = lower.contains('.') || sinks::FORMATS.contains(&lower.as_str());
    if known { Ok(()) } else { Err(tidemark_sql::datasource::relation::unavailable(name)) }
}

/// DataStreamWriter.trigger.
pub fn trigger(spec: &TriggerSpec) -> Result<()> {
    Trigger::parse(spec).map(drop)
}
