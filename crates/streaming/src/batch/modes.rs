//! Triggers of other ways of execution than micro-batches: what fails when such a query begins to run.

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::{Occurrence, writes_continuously};
use crate::checkpoint::illegal_state;
use crate::trigger::Trigger;

/// Continuous processing is run as batches here, an epoch at every interval of the trigger; real-time mode likewise, as its
/// rows come.
pub(super) fn check(trigger: Trigger, sink: &str, found: &[Occurrence]) -> Result<()> {
    match trigger {
        Trigger::RealTime(_) => refuse_real_time(found),
        // A file sink accepts a continuous trigger at its start.
        Trigger::Continuous(ms) if !writes_continuously(sink) => {
            Err(illegal_state(format!("Unknown type of trigger: ContinuousTrigger({ms})")))
        }
        _ => Ok(()),
    }
}

/// Sources that cannot hand over rows as they come (MicroBatchExecution asks for SupportsRealTimeMode).
fn refuse_real_time(found: &[Occurrence]) -> Result<()> {
    let class = found.iter().find_map(|Occurrence { relation, .. }| match relation.format.as_str() {
        "rate" => Some("sources.RateStreamMicroBatchStream"),
        "rate-micro-batch" => Some("sources.RatePerMicroBatchStream"),
        "socket" => Some("sources.TextSocketMicroBatchStream"),
        "kafka" => None,
        _ => Some("runtime.FileStreamSource"),
    });
    let Some(class) = class else { return Ok(()) };
    let class = format!("org.apache.spark.sql.execution.streaming.{class}");
    Err(SparkError::new(
        ErrorClass::IllegalArgument,
        "STREAMING_REAL_TIME_MODE.INPUT_STREAM_NOT_SUPPORTED",
        &[("className", &class)],
    ))
}
