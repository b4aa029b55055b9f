//! Scalar functions, by area.

mod arithmetic;
mod conditional;
mod decimal;
mod intervals;
mod predicates;

pub(super) use self::arithmetic::overflow;
pub use self::conditional::coerce_case;
pub(in crate::functions) use self::decimal::divide as divide_decimal;
pub(super) use self::intervals::overflow as interval_overflow;

use super::registry::FunctionEntry;
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::value::Value;

/// The tables of this module.
pub(super) fn tables() -> &'static [&'static [FunctionEntry]] {
    &[arithmetic::FUNCTIONS, conditional::FUNCTIONS, predicates::FUNCTIONS]
}

/// ArrayBasedMapBuilder: null keys are refused, doubled keys by spark.sql.mapKeyDedupPolicy.
pub(super) fn dedup_entries(entries: Vec<(Value, Value)>, conf: &SqlConf) -> Result<Vec<(Value, Value)>> {
    let last_wins = conf.get("spark.sql.mapKeyDedupPolicy").is_some_and(|p| p.eq_ignore_ascii_case("LAST_WIN"));
    let mut out: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
    let mut index: std::collections::HashMap<crate::value::HashKey, usize> = std::collections::HashMap::new();
    for (k, v) in entries {
        if k.is_null() {
            return Err(SparkError::runtime("NULL_MAP_KEY", &[]));
        }
        // Floating keys are normalised: one zero, one NaN.
        let k = match k {
            Value::Double(x) if x == 0.0 => Value::Double(0.0),
            Value::Float(x) if x == 0.0 => Value::Float(0.0),
            k => k,
        };
        let key = crate::value::HashKey(k.clone());
        match index.get(&key) {
            None => {
                index.insert(key, out.len());
                out.push((k, v));
            }
            Some(at) if last_wins => out[*at].1 = v,
            Some(_) => {
                return Err(SparkError::runtime(
                    "DUPLICATED_MAP_KEY",
                    &[("key", &text_of(&k)), ("mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\"")],
                ));
            }
        }
    }
    Ok(out)
}

/// A value's text without knowing its type (keys in messages).
fn text_of(v: &Value) -> String {
    use crate::types::DataType as T;
    let t = match v {
        Value::Array(_) | Value::Map(_) | Value::Struct(_) => return format!("{v:?}"),
        Value::DayTimeInterval(_) => T::INTERVAL_DT,
        Value::YearMonthInterval(_) => T::INTERVAL_YM,
        _ => T::Null,
    };
    super::cast::to_text(v, &t, &super::datetime::zone::Zone::UTC)
}
