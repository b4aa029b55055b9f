//! Triggers of other ways of execution than micro-batches: what fails when such a query begins to run.

use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::{Occurrence, OpenSource, writes_continuously};
use crate::checkpoint::illegal_state;
use crate::settings::Settings;
use crate::sources::ReadLimit;
use crate::trigger::Trigger;

const VERSION: &str = "spark.sql.streaming.stateStore.checkpointFormatVersion";
const PROVIDER: &str = "spark.sql.streaming.stateStore.providerClass";
const ROCKS: &str = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider";
const SORT: &str = "spark.sql.execution.sortBeforeRepartition";

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

/// Settles how much each source may take at once. True: all there is, in one batch (SingleBatchExecutor), which is what
/// Trigger.AvailableNow comes to as well where one of the sources does not know it.
pub(super) fn settle_limits(sources: &mut [OpenSource], trigger: Trigger) -> Result<bool> {
    let single = match trigger {
        Trigger::Once => true,
        Trigger::AvailableNow => !sources.iter().all(|open| open.source.knows_available_now()),
        _ => false,
    };
    for open in sources {
        if trigger == Trigger::AvailableNow && !single {
            open.source.prepare_available_now()?;
        }
        open.source.settle()?;
        open.limit = if single { ReadLimit::All } else { open.source.limit() };
    }
    Ok(single)
}

/// Sinks that real-time mode allows (RealTimeModeAllowlist), and the classes of the others.
fn refused_sink(sink: &str) -> Option<&'static str> {
    match sink {
        "console" | "foreach" | "kafka" => None,
        "noop" => Some("datasources.noop.NoopTable$"),
        "memory" => Some("streaming.sources.MemorySink"),
        "foreachBatch" => Some("streaming.sources.ForeachBatchSink"),
        _ => Some("streaming.sinks.FileStreamSink"),
    }
}

/// What `start` refuses of a real-time query before it looks at plan and checkpoint (DataStreamWriter.startQuery,
/// StreamingQueryManager.createQuery).
pub(crate) fn check_start(trigger: Trigger, sink: &str, settings: &Settings) -> Result<()> {
    let Trigger::RealTime(interval) = trigger else { return Ok(()) };
    let refuse = |condition: &str, parameters: &[(&str, &str)]| {
        Err(SparkError::new(ErrorClass::IllegalArgument, condition, parameters))
    };
    if let Some(class) = refused_sink(sink)
        && settings.flag("spark.sql.streaming.realTimeMode.allowlistCheck", true)
    {
        let message = format!("org.apache.spark.sql.execution.{class} is");
        return refuse(
            "STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST",
            &[("errorType", "sink"), ("message", &message)],
        );
    }
    let least = settings.duration_ms("spark.sql.streaming.realTimeMode.minBatchDuration", 5000);
    if interval < least {
        return refuse(
            "INVALID_STREAMING_REAL_TIME_MODE_TRIGGER_INTERVAL",
            &[("interval", &interval.to_string()), ("minBatchDuration", &least.to_string())],
        );
    }
    let mut reasons = Vec::new();
    if settings.set_by_user(VERSION).is_some_and(|text| text.trim().parse().is_ok_and(|version: i64| version < 2)) {
        reasons.push((VERSION, "2 or above"));
    }
    if settings.set_by_user(PROVIDER).is_some_and(|class| class != ROCKS) {
        reasons.push((PROVIDER, ROCKS));
    }
    if settings.set_by_user(SORT).is_some_and(|text| text.trim().eq_ignore_ascii_case("true")) {
        reasons.push((SORT, "false"));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let reasons: Vec<String> =
        (1..).zip(reasons).map(|(n, (key, wanted))| format!("{n}. {key} must be {wanted}")).collect();
    refuse("STREAMING_REAL_TIME_MODE.SQL_CONFIGURATION_NOT_SUPPORTED", &[("invalidReasons", &reasons.join("; "))])
}

/// Whether progress is tracked asynchronously, with what cannot go with it (StreamingQueryManager.useAsyncProgressTracking,
/// AsyncProgressTrackingMicroBatchExecution). The logs are written at every batch all the same, as with an interval of none.
pub(crate) fn check_async(
    options: &IndexMap<String, String>,
    trigger: Trigger,
    sink: &str,
    shown: &str,
    stateful: bool,
) -> Result<bool> {
    let bad = |text: String| Err(SparkError::plain(ErrorClass::IllegalArgument, text));
    let enabled = match options.get("asyncProgressTrackingEnabled") {
        Some(text) if text.eq_ignore_ascii_case("true") => true,
        Some(text) if text.eq_ignore_ascii_case("false") => false,
        Some(text) => return bad(format!("For input string: \"{text}\"")),
        None => matches!(trigger, Trigger::RealTime(_)) && !stateful,
    };
    if !enabled || matches!(trigger, Trigger::Continuous(_)) {
        return Ok(false);
    }
    let interval = options.get("asyncProgressTrackingCheckpointIntervalMs").map_or(Ok(0), |text| {
        let refused = |_| SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\""));
        text.parse::<i64>().map_err(refused)
    })?;
    if !matches!(sink, "noop" | "console" | "memory" | "kafka" | "foreach") {
        return bad(format!("Sink {shown} does not support async progress tracking"));
    }
    match trigger {
        Trigger::Once => bad("Async progress tracking cannot be used with Once trigger".to_owned()),
        Trigger::AvailableNow => bad("Async progress tracking cannot be used with AvailableNow trigger".to_owned()),
        Trigger::RealTime(_) if interval != 0 => Err(SparkError::new(
            ErrorClass::IllegalArgument,
            "STREAMING_REAL_TIME_MODE.ASYNC_PROGRESS_TRACKING_CHECKPOINTING_INTERVAL_NON_ZERO",
            &[],
        )),
        _ => Ok(true),
    }
}

/// Sources that cannot hand over rows as they come (MicroBatchExecution asks for SupportsRealTimeMode).
fn refuse_real_time(found: &[Occurrence]) -> Result<()> {
    const PYTHON: &str = "org.apache.spark.sql.execution.datasources.v2.python.PythonMicroBatchStream";
    let class = found.iter().find_map(|Occurrence { relation, .. }| match relation.format.as_str() {
        _ if relation.python.is_some() => Some(PYTHON),
        "rate" => Some("sources.RateStreamMicroBatchStream"),
        "rate-micro-batch" => Some("sources.RatePerMicroBatchStream"),
        "socket" => Some("sources.TextSocketMicroBatchStream"),
        "kafka" => None,
        _ => Some("runtime.FileStreamSource"),
    });
    let Some(class) = class else { return Ok(()) };
    let class =
        if class == PYTHON { class.to_owned() } else { format!("org.apache.spark.sql.execution.streaming.{class}") };
    Err(SparkError::new(
        ErrorClass::IllegalArgument,
        "STREAMING_REAL_TIME_MODE.INPUT_STREAM_NOT_SUPPORTED",
        &[("className", &class)],
    ))
}
