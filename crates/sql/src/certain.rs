//! Whether Spark would refuse a literal wherever it stands: for hosts that look at a script before it runs.

use crate::analyzer::interval::{is_negative, parse_or_error, window_micros};
use crate::connector;
use crate::dataframe::STREAM_FORMATS;
use crate::datasource::relation::unavailable;
use crate::error::{ErrorClass, Result, SparkError};

/// An interval at all: the gap of session_window.
pub fn interval(text: &str) -> Result<()> {
    parse_or_error(text).map(drop)
}

/// A duration of window: an interval without months.
pub fn window_length(text: &str) -> Result<()> {
    window_micros(text).map(drop)
}

/// The delay of withWatermark: an interval that is not negative.
pub fn delay(text: &str) -> Result<()> {
    if is_negative(&parse_or_error(text)?) { Err(negative_delay(text)) } else { Ok(()) }
}

/// Dataset.withWatermark's refusal.
pub(crate) fn negative_delay(text: &str) -> SparkError {
    SparkError::plain(
        ErrorClass::IllegalArgument,
        format!("requirement failed: delay threshold ({text}) should not be negative."),
    )
}

/// A format of readStream that somebody could stand behind: known to Spark, or a class by its full name.
pub fn stream_format(name: &str) -> Result<()> {
    let short = name.to_lowercase();
    let known = short.contains('.') || connector::is_kafka(name) || STREAM_FORMATS.contains(&short.as_str());
    if known { Ok(()) } else { Err(unavailable(name)) }
}
