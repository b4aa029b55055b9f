//! State variables: what they are, value state, and time to live.

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::python::{StateAnswer, StateRequest};
use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_sql::value::Value;

use super::keys;
use super::server::Task;
use crate::state::StateSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Value,
    List,
    Map,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Value => "Value",
            Self::List => "List",
            Self::Map => "Map",
        }
    }

    pub(super) fn operation(self) -> &'static str {
        match self {
            Self::Value => "get_value_state",
            Self::List => "get_list_state",
            Self::Map => "get_map_state",
        }
    }

    /// The operator's metric that counts such variables.
    pub(super) fn counter(self, ttl: bool) -> &'static str {
        match (self, ttl) {
            (Self::Value, false) => "numValueStateVars",
            (Self::List, false) => "numListStateVars",
            (Self::Map, false) => "numMapStateVars",
            (Self::Value, true) => "numValueStateWithTTLVars",
            (Self::List, true) => "numListStateWithTTLVars",
            (Self::Map, true) => "numMapStateWithTTLVars",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(super) kind: Kind,
    pub(super) user_key: Option<StructType>,
    pub(super) value: StructType,
    /// Time to live, ms.
    pub(super) ttl_ms: Option<i64>,
}

impl Variable {
    /// A stored row: the value's fields, or with a time to live the value as a struct and its expiry
    /// (TransformWithStateKeyValueRowSchemaUtils.getValueSchemaWithTTL).
    pub(super) fn stored(&self) -> StructType {
        if self.ttl_ms.is_none() {
            return self.value.clone();
        }
        let value = DataType::Struct(self.value.clone().into());
        StructType::new(vec![
            StructField::new("value", value, true),
            StructField::new("ttlExpirationMs", DataType::Long, true),
        ])
    }

    /// Schema of the variable's family for a grouping key; a map's key has the user's beside it.
    pub(super) fn schema(&self, grouping: &StructType) -> StateSchema {
        let key = match &self.user_key {
            None => grouping.clone(),
            Some(user_key) => StructType::new(vec![
                StructField::new("key", DataType::Struct(grouping.clone().into()), true),
                StructField::new("userKey", DataType::Struct(user_key.clone().into()), true),
            ]),
        };
        StateSchema::new(key, self.stored())
    }

    fn types(&self) -> Vec<DataType> {
        self.stored().fields.into_iter().map(|field| field.data_type).collect()
    }

    /// The row of a value that expires at `expires_ms` where the variable has a time to live.
    pub(super) fn encode(&self, value: &Value, expires_ms: i64) -> Result<Vec<u8>> {
        match (self.ttl_ms, value) {
            (Some(_), value) => keys::row(&self.types(), &[value.clone(), Value::Long(expires_ms)]),
            (None, Value::Struct(fields)) => keys::row(&self.types(), fields),
            (None, _) => Err(SparkError::internal("a state value is not a row")),
        }
    }

    pub(super) fn decode(&self, row: &[u8]) -> Result<Value> {
        let values = keys::values(&self.types(), row)?;
        match self.ttl_ms {
            Some(_) => Ok(values.into_iter().next().unwrap_or_default()),
            None => Ok(Value::structure(values)),
        }
    }

    /// When the row expires, ms; None without a time to live.
    pub(super) fn expires(&self, row: &[u8]) -> Option<i64> {
        self.ttl_ms?;
        crate::state::unsafe_row::long_at(row, 2, 1)
    }

    /// Whether the row has outlived its time at `now_ms`.
    pub(super) fn expired(&self, row: &[u8], now_ms: i64) -> bool {
        self.expires(row).is_some_and(|expires| now_ms >= expires)
    }
}

/// Name of the index from expiry to key.
pub(super) fn ttl_index(name: &str) -> String {
    format!("$ttl_{name}")
}

pub(super) fn require_value(name: &str, value: &Value) -> Result<()> {
    if value.is_null() {
        let parameters = [("stateName", name)];
        return Err(SparkError::new(ErrorClass::Runtime, "ILLEGAL_STATE_STORE_VALUE.NULL_VALUE", &parameters));
    }
    Ok(())
}

impl Task {
    pub(super) fn expiry(&self, variable: &Variable) -> i64 {
        self.batch_ms.saturating_add(variable.ttl_ms.unwrap_or(0))
    }

    /// Puts a value and its place in the expiry index (OneToOneTTLState.updatePrimaryAndSecondaryIndices).
    pub(super) fn put_with_expiry(&mut self, variable: &Variable, name: &str, key: &[u8], row: &[u8], expires_ms: i64) {
        if variable.ttl_ms.is_none() {
            self.store.put(key, row);
            self.updated += 1;
            return;
        }
        let old = self.store.get(key).map(|old| (old == row, variable.expires(old)));
        let index = ttl_index(name);
        match old {
            Some((true, _)) => return,
            Some((false, Some(before))) if before != expires_ms => {
                self.store.remove(&keys::ranged(&index, before, key));
                self.store.put(&keys::ranged(&index, expires_ms, key), &[]);
            }
            Some(_) => {}
            None => self.store.put(&keys::ranged(&index, expires_ms, key), &[]),
        }
        self.store.put(key, row);
        self.updated += 1;
    }

    /// Removes a value with its place in the index; nothing happens where there is none.
    pub(super) fn clear_with_expiry(&mut self, variable: &Variable, name: &str, key: &[u8]) {
        let Some(expires) = self.store.get(key).map(|row| variable.expires(row)) else { return };
        self.store.remove(key);
        self.removed += 1;
        if let Some(expires) = expires {
            self.store.remove(&keys::ranged(&ttl_index(name), expires, key));
        }
    }

    pub(super) fn value_state(
        &mut self,
        variable: &Variable,
        operation: &str,
        request: &StateRequest,
    ) -> Result<StateAnswer> {
        let name = &request.name;
        let mut key = keys::family(name);
        key.extend_from_slice(&self.key_row(name)?);
        let live = self.store.get(&key).filter(|row| !variable.expired(row, self.batch_ms));
        match operation {
            "exists" => Ok(StateAnswer::Flag(live.is_some())),
            "get" => Ok(StateAnswer::Row(live.map(|row| variable.decode(row)).transpose()?.unwrap_or_default())),
            "update" => {
                let value = request.values.first().cloned().unwrap_or_default();
                require_value(name, &value)?;
                let expires = self.expiry(variable);
                let row = variable.encode(&value, expires)?;
                self.put_with_expiry(variable, name, &key, &row, expires);
                Ok(StateAnswer::Done)
            }
            _ => {
                if variable.ttl_ms.is_some() {
                    self.clear_with_expiry(variable, name, &key);
                } else {
                    self.store.remove(&key);
                    self.removed += 1;
                }
                Ok(StateAnswer::Done)
            }
        }
    }

    /// doTtlCleanup: takes out what has expired by the batch's time.
    pub(super) fn expire(&mut self) -> Result<()> {
        let variables: Vec<(String, Variable)> = self
            .variables
            .iter()
            .filter(|(_, variable)| variable.ttl_ms.is_some())
            .map(|(name, variable)| (name.clone(), variable.clone()))
            .collect();
        for (name, variable) in variables {
            let index = ttl_index(&name);
            let family = keys::family(&index);
            let due: Vec<(Vec<u8>, Vec<u8>)> = self
                .store
                .starting_with(&family)
                .filter_map(|(entry, _)| {
                    let (expires, key) = keys::split_range(&index, entry)?;
                    (self.batch_ms >= expires).then(|| (entry.to_vec(), key.to_vec()))
                })
                .collect();
            let mut count = 0;
            for (entry, key) in due {
                self.store.remove(&entry);
                count += match variable.kind {
                    Kind::List => self.expire_items(&variable, &name, &key),
                    Kind::Value | Kind::Map => {
                        self.store.remove(&key);
                        1
                    }
                };
            }
            self.removed += count;
            self.count("numValuesRemovedDueToTTLExpiry", count);
        }
        Ok(())
    }

    /// deleteIfExists: the variable's rows and its index go.
    pub(super) fn delete_variable(&mut self, name: &str) -> Result<StateAnswer> {
        let mut gone: Vec<Vec<u8>> = Vec::new();
        for family in [keys::family(name), keys::family(&ttl_index(name))] {
            gone.extend(self.store.starting_with(&family).map(|(key, _)| key.to_vec()));
        }
        if !gone.is_empty() || self.variables.contains_key(name) {
            self.count("numDeletedStateVars", 1);
        }
        for key in gone {
            self.store.remove(&key);
        }
        self.variables.remove(name);
        Ok(StateAnswer::Done)
    }
}
