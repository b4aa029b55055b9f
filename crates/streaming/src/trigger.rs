//! Triggers: their texts, and when they fire (Spark's Trigger and TriggerExecutor).

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use crate::api::TriggerSpec;

/// A parsed trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Milliseconds; 0: as soon as the last batch is done.
    ProcessingTime(i64),
    Once,
    AvailableNow,
    /// Milliseconds.
    Continuous(i64),
    RealTime(i64),
}

impl Trigger {
    /// Parses what `trigger(...)` was given.
    pub fn parse(spec: &TriggerSpec) -> Result<Self> {
        Ok(match spec {
            TriggerSpec::Default => Self::ProcessingTime(0),
            TriggerSpec::ProcessingTime(text) => Self::ProcessingTime(interval_ms(text, INTERVAL)?),
            TriggerSpec::Once => Self::Once,
            TriggerSpec::AvailableNow => Self::AvailableNow,
            TriggerSpec::Continuous(text) => Self::Continuous(interval_ms(text, INTERVAL)?),
            // Zero, too, is refused as negative.
            TriggerSpec::RealTime(text) => match interval_ms(text, BATCH_DURATION)? {
                0 => return Err(negative(BATCH_DURATION)),
                ms => Self::RealTime(ms),
            },
        })
    }

    /// In words, for the page.
    pub fn text(self) -> String {
        match self {
            Self::ProcessingTime(0) => "as soon as the last batch is done".to_owned(),
            Self::ProcessingTime(ms) if ms % 1000 == 0 => format!("every {} s", ms / 1000),
            Self::ProcessingTime(ms) => format!("every {ms} ms"),
            Self::Once => "once".to_owned(),
            Self::AvailableNow => "available now".to_owned(),
            Self::Continuous(ms) => format!("continuous, {ms} ms"),
            Self::RealTime(ms) => format!("real time, {ms} ms"),
        }
    }

    /// First firing at or after `ms` for a query that fired before it (ProcessingTimeExecutor.nextBatchTime: multiples
    /// of the interval since the epoch).
    pub(crate) fn align(self, ms: i64) -> i64 {
        match self {
            Self::ProcessingTime(interval) | Self::Continuous(interval) if interval > 0 => {
                let below = ms.div_euclid(interval) * interval;
                if below == ms { ms } else { below + interval }
            }
            _ => ms,
        }
    }

    /// The firing that follows one at `ms`.
    pub(crate) fn next(self, ms: i64) -> i64 {
        match self {
            Self::ProcessingTime(interval) | Self::Continuous(interval) if interval > 0 => {
                ms.div_euclid(interval) * interval + interval
            }
            _ => ms,
        }
    }
}

/// What the text of the refusal of a negative interval calls it.
const INTERVAL: &str = "the interval of trigger";
const BATCH_DURATION: &str = "the batch duration";

fn negative(name: &str) -> SparkError {
    SparkError::plain(ErrorClass::IllegalArgument, format!("requirement failed: {name} should not be negative"))
}

/// Triggers.convert and validate: an interval without months, not negative. `name`: what it is.
fn interval_ms(text: &str, name: &str) -> Result<i64> {
    let (months, days, micros) = crate::interval::parse(text)?;
    if months != 0 {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_3262", &[("interval", text)]));
    }
    let whole = days.checked_mul(86_400_000_000).and_then(|day| day.checked_add(micros));
    let Some(ms) = whole.map(|micros| micros.div_euclid(1000)) else {
        return Err(SparkError::plain(ErrorClass::Java("java.lang.ArithmeticException"), "long overflow"));
    };
    if ms < 0 {
        return Err(negative(name));
    }
    Ok(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firings_are_multiples_of_the_interval() {
        let trigger = Trigger::ProcessingTime(1000);
        assert_eq!(trigger.next(2500), 3000);
        assert_eq!(trigger.next(3000), 4000);
        assert_eq!(trigger.align(3000), 3000);
        assert_eq!(trigger.align(3001), 4000);
        assert_eq!(Trigger::ProcessingTime(0).next(7), 7);
    }
}
