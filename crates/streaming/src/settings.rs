//! The session settings that streaming reads: a query keeps those that were in force when it started.

use std::collections::BTreeMap;

use tidemark_sql::conf::SqlConf;

use crate::sources::time_string_ms;

/// Settings of one query: the session's at its start, then those of its offset log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    session: SqlConf,
    fixed: BTreeMap<String, String>,
}

impl Settings {
    pub(crate) fn of(session: &SqlConf) -> Self {
        Self { session: session.clone(), fixed: BTreeMap::new() }
    }

    /// Puts a value above the session's.
    pub(crate) fn fix(&mut self, key: &str, value: &str) {
        self.fixed.insert(key.to_owned(), value.to_owned());
    }

    /// All of them as a session's configuration.
    pub(crate) fn merged(&self) -> SqlConf {
        let mut conf = self.session.clone();
        for (key, value) in &self.fixed {
            // Spark has checked what it has logged.
            let _ = conf.set_initial(key, value);
        }
        conf
    }

    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.fixed.get(key).cloned().or_else(|| self.session.get(key))
    }

    /// The value that was set in the session; None for a default.
    pub(crate) fn set_by_user(&self, key: &str) -> Option<&str> {
        self.session.all_set().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    pub(crate) fn text(&self, key: &str, default: &str) -> String {
        self.get(key).unwrap_or_else(|| default.to_owned())
    }

    pub(crate) fn long(&self, key: &str, default: i64) -> i64 {
        self.get(key).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
    }

    pub(crate) fn flag(&self, key: &str, default: bool) -> bool {
        self.get(key).map_or(default, |text| text.trim().eq_ignore_ascii_case("true"))
    }

    /// A setting in milliseconds ("10s", "600000").
    pub(crate) fn duration_ms(&self, key: &str, default: i64) -> i64 {
        self.get(key).and_then(|text| time_string_ms(&text, 1).ok()).unwrap_or(default)
    }
}
