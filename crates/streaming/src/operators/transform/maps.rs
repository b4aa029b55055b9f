//! Map state: a row for each key of the user's, found by the grouping key before it.

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::python::{StateAnswer, StateRequest};
use tidemark_sql::types::DataType;
use tidemark_sql::value::Value;

use super::keys;
use super::server::Task;
use super::variables::{Variable, require_value};

/// Rows of one grouping key: the store's key, the user's key and the stored row.
type Entries = Vec<(Vec<u8>, Value, Vec<u8>)>;

impl Task {
    /// The grouping key as the row that prefix scans go by.
    pub(super) fn prefix_row(&self, name: &str) -> Result<Vec<u8>> {
        keys::row(&[self.key_struct()], &[self.key_values(name)?])
    }

    fn entries(&self, variable: &Variable, name: &str) -> Result<Entries> {
        let prefix = keys::prefixed(name, &self.prefix_row(name)?, &[]);
        let types = [user_key_type(variable)?];
        self.store
            .starting_with(&prefix)
            .map(|(key, row)| {
                let user_key = keys::values(&types, &key[prefix.len()..])?;
                Ok((key.to_vec(), user_key.into_iter().next().unwrap_or_default(), row.to_vec()))
            })
            .collect()
    }

    pub(super) fn map_state(
        &mut self,
        variable: &Variable,
        operation: &str,
        request: &StateRequest,
    ) -> Result<StateAnswer> {
        let name = &request.name;
        if matches!(operation, "exists" | "iterator" | "keys" | "values") {
            let mut live = self.entries(variable, name)?;
            live.retain(|(_, _, row)| !variable.expired(row, self.batch_ms));
            return match operation {
                "exists" => Ok(StateAnswer::Flag(!live.is_empty())),
                _ => {
                    let pair = |(_, key, row): (Vec<u8>, Value, Vec<u8>)| Ok((key, variable.decode(&row)?));
                    Ok(StateAnswer::Pairs(live.into_iter().map(pair).collect::<Result<_>>()?))
                }
            };
        }
        if operation == "clear" {
            for (key, _, _) in self.entries(variable, name)? {
                if variable.ttl_ms.is_some() {
                    self.clear_with_expiry(variable, name, &key);
                } else {
                    self.store.remove(&key);
                    self.removed += 1;
                }
            }
            return Ok(StateAnswer::Done);
        }
        require_value(name, &request.key)?;
        let user_key = keys::row(&[user_key_type(variable)?], std::slice::from_ref(&request.key))?;
        let key = keys::prefixed(name, &self.prefix_row(name)?, &user_key);
        match operation {
            "get_value" | "contains_key" => {
                let live = self.store.get(&key).filter(|row| !variable.expired(row, self.batch_ms));
                if operation == "contains_key" {
                    return Ok(StateAnswer::Flag(live.is_some()));
                }
                Ok(StateAnswer::Row(live.map(|row| variable.decode(row)).transpose()?.unwrap_or_default()))
            }
            "update_value" => {
                let value = request.values.first().cloned().unwrap_or_default();
                require_value(name, &value)?;
                let expires = self.expiry(variable);
                let row = variable.encode(&value, expires)?;
                self.put_with_expiry(variable, name, &key, &row, expires);
                Ok(StateAnswer::Done)
            }
            _ => {
                // Counted whether or not it was there; its place in the index of expiries stays.
                self.store.remove(&key);
                self.removed += 1;
                Ok(StateAnswer::Done)
            }
        }
    }
}

fn user_key_type(variable: &Variable) -> Result<DataType> {
    match &variable.user_key {
        Some(schema) => Ok(DataType::Struct(schema.clone().into())),
        None => Err(SparkError::internal("a map without a key")),
    }
}
