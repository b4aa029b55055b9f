//! What the statestore reader needs to know of a processor's state: its variables, by the operator's metadata
//! (TransformWithStateOperatorProperties), and the rows that a stored entry stands for.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidemark_sql::plan::TimeMode;

use super::keys;
use super::variables::Variable;

pub(crate) use super::variables::Kind;

/// operatorPropertiesJson of a processor.
pub(super) fn properties(time: TimeMode, mode: &str, variables: &BTreeMap<String, Variable>) -> String {
    let variable = |(name, variable): (&String, &Variable)| {
        let kind = format!("{}State", variable.kind.name());
        json!({"stateName": name, "stateVariableType": kind, "ttlEnabled": variable.ttl_ms.is_some()})
    };
    let variables: Vec<Value> = variables.iter().map(variable).collect();
    json!({"timeMode": time.name(), "outputMode": mode, "stateVariables": variables}).to_string()
}

/// What the properties tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Properties {
    /// "NoTime", "ProcessingTime" or "EventTime".
    pub(crate) time_mode: String,
    pub(crate) variables: Vec<(String, Kind)>,
}

impl Properties {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let variable = |json: &Value| {
            let kind = match json.get("stateVariableType")?.as_str()? {
                "ValueState" => Kind::Value,
                "ListState" => Kind::List,
                "MapState" => Kind::Map,
                _ => return None,
            };
            Some((json.get("stateName")?.as_str()?.to_owned(), kind))
        };
        Some(Self {
            time_mode: json.get("timeMode")?.as_str()?.to_owned(),
            variables: json.get("stateVariables")?.as_array()?.iter().map(variable).collect::<Option<_>>()?,
        })
    }
}

/// The family of the timers by key.
pub(crate) fn timers(time_mode: &str) -> &'static str {
    if time_mode == "ProcessingTime" { "$procTimers_keyToTimestamp" } else { "$eventTimers_keyToTimestamp" }
}

/// What all keys of a family start with.
pub(crate) fn family(name: &str) -> Vec<u8> {
    keys::family(name)
}

/// Prefix row and row of a map's or a timer's key below its family.
pub(crate) fn split(key: &[u8]) -> Option<(&[u8], &[u8])> {
    keys::split_prefix(key)
}

/// The rows of a list.
pub(crate) fn items(value: &[u8]) -> Vec<&[u8]> {
    keys::items(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_come_back() {
        let text = properties(TimeMode::EventTime, "Update", &BTreeMap::new());
        assert_eq!(text, "{\"timeMode\":\"EventTime\",\"outputMode\":\"Update\",\"stateVariables\":[]}");
        assert_eq!(Properties::read(&text), Some(Properties { time_mode: "EventTime".into(), variables: Vec::new() }));
        let other =
            text.replace("[]", "[{\"stateName\":\"n\",\"stateVariableType\":\"MapState\",\"ttlEnabled\":false}]");
        assert_eq!(Properties::read(&other).unwrap().variables, [("n".to_owned(), Kind::Map)]);
    }
}
