//! List state: the rows of a key in one value.

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::python::{StateAnswer, StateRequest};

use super::keys;
use super::server::Task;
use super::variables::{Variable, require_value, ttl_index};

impl Task {
    pub(super) fn list_state(
        &mut self,
        variable: &Variable,
        operation: &str,
        request: &StateRequest,
    ) -> Result<StateAnswer> {
        let name = &request.name;
        let mut key = keys::family(name);
        key.extend_from_slice(&self.key_row(name)?);
        let stored = self.store.get(&key).unwrap_or_default().to_vec();
        let rows = keys::items(&stored);
        match operation {
            "exists" => Ok(StateAnswer::Flag(rows.iter().any(|row| !variable.expired(row, self.batch_ms)))),
            "get" => {
                let live = rows.into_iter().filter(|row| !variable.expired(row, self.batch_ms));
                Ok(StateAnswer::Rows(live.map(|row| variable.decode(row)).collect::<Result<_>>()?))
            }
            "clear" => {
                self.store.remove(&key);
                self.removed += rows.len() as i64;
                if let Some(first) = rows.iter().filter_map(|row| variable.expires(row)).min() {
                    self.store.remove(&keys::ranged(&ttl_index(name), first, &key));
                }
                Ok(StateAnswer::Done)
            }
            _ => self.add_items(variable, operation, request, &key, &stored),
        }
    }

    /// put, appendValue, appendList.
    fn add_items(
        &mut self,
        variable: &Variable,
        operation: &str,
        request: &StateRequest,
        key: &[u8],
        stored: &[u8],
    ) -> Result<StateAnswer> {
        let name = &request.name;
        if operation != "append_value" && request.values.is_empty() {
            let parameters = [("stateName", &**name)];
            return Err(SparkError::new(
                ErrorClass::Runtime,
                "ILLEGAL_STATE_STORE_VALUE.EMPTY_LIST_VALUE",
                &parameters,
            ));
        }
        request.values.iter().try_for_each(|value| require_value(name, value))?;
        let replaces = operation == "put";
        if replaces && variable.ttl_ms.is_none() {
            // ListStateImpl.put resets the metric: what the task has updated so far is no longer counted.
            self.updated = 0;
        }
        let expires = self.expiry(variable);
        let mut list = if replaces { Vec::new() } else { stored.to_vec() };
        for value in &request.values {
            keys::push_item(&mut list, &variable.encode(value, expires)?);
            self.updated += 1;
        }
        self.store.put(key, &list);
        if variable.ttl_ms.is_some() {
            let before = keys::items(stored).into_iter().filter_map(|row| variable.expires(row)).min();
            if before.is_none_or(|before| replaces || expires < before) {
                let index = ttl_index(name);
                if let Some(before) = before {
                    self.store.remove(&keys::ranged(&index, before, key));
                }
                self.store.put(&keys::ranged(&index, expires, key), &[]);
            }
        }
        Ok(StateAnswer::Done)
    }

    /// Takes the expired rows out of a list and notes when the next goes; gives their number.
    pub(super) fn expire_items(&mut self, variable: &Variable, name: &str, key: &[u8]) -> i64 {
        let stored = self.store.get(key).unwrap_or_default().to_vec();
        let (mut list, mut gone, mut next) = (Vec::new(), 0, None::<i64>);
        for row in keys::items(&stored) {
            if variable.expired(row, self.batch_ms) {
                gone += 1;
                continue;
            }
            keys::push_item(&mut list, row);
            if let Some(expires) = variable.expires(row) {
                next = Some(next.map_or(expires, |other| other.min(expires)));
            }
        }
        if list.is_empty() {
            self.store.remove(key);
        } else {
            self.store.put(key, &list);
        }
        if let Some(expires) = next {
            self.store.put(&keys::ranged(&ttl_index(name), expires, key), &[]);
        }
        gone
    }
}
