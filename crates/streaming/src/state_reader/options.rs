//! Options of the statestore reader (Spark's StateSourceOptions).

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use crate::sources::option;

/// Which side of a stream-stream join is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinSide {
    Left,
    Right,
    None,
}

impl JoinSide {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::None => "none",
        }
    }
}

/// The options of one read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateOptions {
    pub(super) batch_id: i64,
    pub(super) operator: usize,
    pub(super) store: String,
    pub(super) side: JoinSide,
    pub(super) state_var: Option<String>,
    pub(super) timers: bool,
    pub(super) flatten: bool,
    /// First batch from whose snapshot the state is built, and the one partition that is read.
    pub(super) snapshot: Option<(i64, usize)>,
    /// First and last batch of a change feed.
    pub(super) changes: Option<(i64, i64)>,
}

type Options = indexmap::IndexMap<String, String>;

pub(super) fn negative(name: &str) -> SparkError {
    SparkError::runtime("STDS_INVALID_OPTION_VALUE.IS_NEGATIVE", &[("optionName", name)])
}

pub(super) fn invalid(name: &str, message: &str) -> SparkError {
    SparkError::runtime("STDS_INVALID_OPTION_VALUE.WITH_MESSAGE", &[("optionName", name), ("message", message)])
}

pub(super) fn required(name: &str) -> SparkError {
    SparkError::runtime("STDS_REQUIRED_OPTION_UNSPECIFIED", &[("optionName", name)])
}

fn conflict(names: [&str; 2]) -> SparkError {
    let names = names.map(|name| format!("'{name}'")).join(", ");
    SparkError::runtime("STDS_CONFLICT_OPTIONS", &[("options", &format!("[{names}]"))])
}

fn number<T: std::str::FromStr>(options: &Options, name: &str) -> Result<Option<T>> {
    let Some(text) = option(options, name) else { return Ok(None) };
    let parsed = text.trim().parse().map(Some);
    parsed.map_err(|_| SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\"")))
}

fn flag(options: &Options, name: &str, default: bool) -> Result<bool> {
    match option(options, name).map(str::to_ascii_lowercase).as_deref() {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(invalid(name, "Boolean value is expected")),
    }
}

impl StateOptions {
    /// In the order in which Spark looks at them. `last`: the last committed batch, asked for where no option names one.
    pub(super) fn read(options: &Options, last: &dyn Fn() -> Result<i64>) -> Result<Self> {
        let operator = number::<i32>(options, "operatorId")?.unwrap_or(0);
        let operator = usize::try_from(operator).map_err(|_| negative("operatorId"))?;
        let store = option(options, "storeName").map_or(crate::state::DEFAULT_STORE, str::trim).to_owned();
        if store.is_empty() {
            return Err(SparkError::runtime("STDS_INVALID_OPTION_VALUE.IS_EMPTY", &[("optionName", "storeName")]));
        }
        let state_var = option(options, "stateVarName").map(|name| name.trim().to_owned());
        let timers = flag(options, "readRegisteredTimers", false)?;
        if timers && state_var.is_some() {
            return Err(conflict(["readRegisteredTimers", "stateVarName"]));
        }
        let flatten = flag(options, "flattenCollectionTypes", true)?;
        let side = match option(options, "joinSide") {
            None | Some("none") => JoinSide::None,
            Some("left") => JoinSide::Left,
            Some("right") => JoinSide::Right,
            Some(_) => return Err(invalid("joinSide", "Valid values are left,right,none")),
        };
        if side != JoinSide::None && store != crate::state::DEFAULT_STORE {
            return Err(conflict(["joinSide", "storeName"]));
        }
        let batch = number::<i64>(options, "batchId")?;
        let start = number::<i64>(options, "snapshotStartBatchId")?;
        let partition = number::<i32>(options, "snapshotPartitionId")?;
        let (first, end) = (number(options, "changeStartBatchId")?, number(options, "changeEndBatchId")?);
        let feed = option(options, "readChangeFeed").is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let mut read =
            Self { batch_id: 0, operator, store, side, state_var, timers, flatten, snapshot: None, changes: None };
        if feed {
            read.changes = Some(change_feed(side, [batch, start, partition.map(i64::from)], first, end, last)?);
            read.batch_id = read.changes.map_or(0, |(_, end)| end);
            return Ok(read);
        }
        for (given, name) in [(first, "changeStartBatchId"), (end, "changeEndBatchId")] {
            if given.is_some() {
                return Err(invalid(name, "Only specify this option when readChangeFeed is set to true."));
            }
        }
        read.batch_id = match batch {
            Some(batch) => batch,
            None => last()?,
        };
        if read.batch_id < 0 {
            return Err(negative("batchId"));
        }
        if start.is_some_and(|start| start < 0) {
            return Err(negative("snapshotStartBatchId"));
        }
        if start.is_some_and(|start| start > read.batch_id) {
            let message = format!("value should be less than or equal to {}", read.batch_id);
            return Err(invalid("snapshotStartBatchId", &message));
        }
        read.snapshot = match (start, partition) {
            (_, Some(partition)) if partition < 0 => return Err(negative("snapshotPartitionId")),
            (None, Some(_)) => return Err(required("snapshotStartBatchId")),
            (Some(_), None) => return Err(required("snapshotPartitionId")),
            (Some(start), Some(partition)) => Some((start, usize::try_from(partition).unwrap_or(0))),
            (None, None) => None,
        };
        Ok(read)
    }

    /// As messages show the options.
    pub(super) fn text(&self, checkpoint: &str) -> String {
        let mut text = format!(
            "StateSourceOptions(checkpointLocation={checkpoint}, batchId={}, operatorId={}, storeName={}, joinSide={}, \
             stateVarName={}, flattenCollectionTypes={}",
            self.batch_id,
            self.operator,
            self.store,
            self.side.name(),
            self.state_var.as_deref().unwrap_or("None"),
            self.flatten
        );
        if let Some((start, partition)) = self.snapshot {
            text.push_str(&format!(", snapshotStartBatchId={start}, snapshotPartitionId={partition}"));
        }
        if let Some((start, end)) = self.changes {
            text.push_str(&format!(", changeStartBatchId={start}, changeEndBatchId={end}"));
        }
        text.push(')');
        text
    }
}

/// `others`: batchId, snapshotStartBatchId and snapshotPartitionId, which do not go with a change feed.
fn change_feed(
    side: JoinSide,
    others: [Option<i64>; 3],
    first: Option<i64>,
    end: Option<i64>,
    last: &dyn Fn() -> Result<i64>,
) -> Result<(i64, i64)> {
    if side != JoinSide::None {
        return Err(conflict(["joinSide", "readChangeFeed"]));
    }
    let names = ["batchId", "snapshotStartBatchId", "snapshotPartitionId"];
    if let Some((name, _)) = names.into_iter().zip(others).find(|(_, given)| given.is_some()) {
        return Err(conflict([name, "readChangeFeed"]));
    }
    let Some(first) = first else { return Err(required("changeStartBatchId")) };
    let end = match end {
        Some(end) => end,
        None => last()?,
    };
    if first < 0 {
        return Err(negative("changeStartBatchId"));
    }
    if end < first {
        let message = format!(
            "changeEndBatchId cannot be smaller than changeStartBatchId. Please check the input to changeEndBatchId, or if \
             you are using its default value, make sure that changeStartBatchId is less than {end}."
        );
        return Err(invalid("changeEndBatchId", &message));
    }
    Ok((first, end))
}
