//! Timers: by key, and by time for finding the expired ones (TimerStateImpl).

use tidemark_sql::error::Result;
use tidemark_sql::plan::TimeMode;
use tidemark_sql::python::StateAnswer;
use tidemark_sql::types::DataType;
use tidemark_sql::value::Value;

use super::keys;
use super::server::Task;

impl Task {
    /// Families of the timers by key and by time.
    fn timer_families(&self) -> (String, String) {
        let name = if self.time_mode == TimeMode::ProcessingTime { "$procTimers" } else { "$eventTimers" };
        (format!("{name}_keyToTimestamp"), format!("{name}_timestampToKey"))
    }

    /// Keys of a timer of the grouping key at hand in both families.
    fn timer_keys(&self, expiry_ms: i64) -> Result<(Vec<u8>, Vec<u8>)> {
        let (by_key, by_time) = self.timer_families();
        let prefix = self.prefix_row(&by_key)?;
        let time = keys::row(&[DataType::Long], &[Value::Long(expiry_ms)])?;
        Ok((keys::prefixed(&by_key, &prefix, &time), keys::ranged(&by_time, expiry_ms, &prefix)))
    }

    pub(super) fn register_timer(&mut self, expiry_ms: i64) -> Result<StateAnswer> {
        self.check_timer_operation("register_timer")?;
        let (by_key, by_time) = self.timer_keys(expiry_ms)?;
        if self.store.get(&by_key).is_none() {
            self.store.put(&by_key, &[]);
            self.store.put(&by_time, &[]);
        }
        self.count("numRegisteredTimers", 1);
        Ok(StateAnswer::Done)
    }

    pub(super) fn delete_timer(&mut self, expiry_ms: i64) -> Result<StateAnswer> {
        self.check_timer_operation("delete_timer")?;
        let (by_key, by_time) = self.timer_keys(expiry_ms)?;
        self.store.remove(&by_key);
        self.store.remove(&by_time);
        self.count("numDeletedTimers", 1);
        Ok(StateAnswer::Done)
    }

    /// The timers of the grouping key at hand, in the order of the store.
    pub(super) fn list_timers(&self) -> Result<StateAnswer> {
        self.check_timer_operation("list_timers")?;
        let (by_key, _) = self.timer_families();
        let prefix = keys::prefixed(&by_key, &self.prefix_row(&by_key)?, &[]);
        let times = self.store.starting_with(&prefix).filter_map(|(key, _)| {
            let row = key.get(prefix.len()..)?;
            crate::state::unsafe_row::long_at(row, 1, 0)
        });
        Ok(StateAnswer::Numbers(times.collect()))
    }

    /// The timers of all keys that have come by `threshold_ms`, earliest first.
    pub(super) fn expired_timers(&self, threshold_ms: i64) -> Result<StateAnswer> {
        self.check_timer_operation("get_expired_timers")?;
        let (_, by_time) = self.timer_families();
        let family = keys::family(&by_time);
        let types = [self.key_struct()];
        let mut timers = Vec::new();
        for (key, _) in self.store.starting_with(&family) {
            let Some((expiry, row)) = keys::split_range(&by_time, key) else { continue };
            if expiry > threshold_ms {
                break;
            }
            timers.push((keys::values(&types, row)?.into_iter().next().unwrap_or_default(), expiry));
        }
        Ok(StateAnswer::Timers(timers))
    }
}
