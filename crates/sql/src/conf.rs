//! Configuration: Spark's keys with their defaults, typed reads for the ones the engine uses.

mod keys;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use indexmap::IndexMap;

use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::datetime::zone::Zone;

/// Switches off the checks of a path given twice.
pub const LENIENT_PATHS: &str = "spark.sql.legacy.pathOptionBehavior.enabled";

/// The configuration of one session: values set in it over Spark's defaults.
#[derive(Clone, Debug, Default)]
pub struct SqlConf {
    set: BTreeMap<String, String>,
    hot: OnceLock<Hot>,
}

/// Entries read per expression or batch.
#[derive(Clone, Debug)]
struct Hot {
    zone: Zone,
    zone_id: String,
    ansi: bool,
    case_sensitive: bool,
}

impl SqlConf {
    /// The value as text: set or default; None for keys that are neither.
    pub fn get(&self, key: &str) -> Option<String> {
        let key = canonical(key);
        self.set.get(key).cloned().or_else(|| keys::default_of(key).map(str::to_owned))
    }

    /// spark.conf.get(key): None for an entry without a default, SQL_CONF_NOT_FOUND for what is not there.
    pub fn get_required(&self, key: &str) -> Result<Option<String>> {
        let value = self.get(key);
        if value.is_none() && !keys::is_sql(canonical(key)) {
            return Err(SparkError::new(ErrorClass::NoSuchElement, "SQL_CONF_NOT_FOUND", &[("sqlConf", &quoted(key))]));
        }
        Ok(value)
    }

    /// spark.conf.set: static and core entries are refused, values are checked.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        self.require_modifiable(key)?;
        self.set_initial(key, value)
    }

    /// As the builder sets it, before a session exists: static and core entries too.
    pub fn set_initial(&mut self, key: &str, value: &str) -> Result<()> {
        let key = canonical(key);
        keys::check(key, value)?;
        self.set.insert(key.to_owned(), value.to_owned());
        self.hot = OnceLock::new();
        Ok(())
    }

    pub fn unset(&mut self, key: &str) -> Result<()> {
        self.require_modifiable(key)?;
        self.set.remove(canonical(key));
        self.hot = OnceLock::new();
        Ok(())
    }

    /// SQLConf.isStaticConfigKey: fixed once the session is there.
    pub fn is_static(&self, key: &str) -> bool {
        keys::is_static(key)
    }

    /// RuntimeConfig.isModifiable.
    pub fn is_modifiable(&self, key: &str) -> bool {
        keys::is_sql(key) && !keys::is_static(key)
    }

    /// Entries set in this session, in order of their keys.
    pub fn all_set(&self) -> impl Iterator<Item = (&str, &str)> {
        self.set.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    fn require_modifiable(&self, key: &str) -> Result<()> {
        // Keys that no ConfigEntry knows may be set freely; core and static entries may not.
        if keys::is_sql(key) && keys::is_static(key) {
            return Err(SparkError::analysis("CANNOT_MODIFY_STATIC_CONFIG", &[("key", &quoted(key))]));
        }
        if keys::is_static(key) || keys::is_core(key) {
            return Err(SparkError::analysis(
                "CANNOT_MODIFY_CONFIG",
                &[("key", &quoted(key)), ("docroot", "https://spark.apache.org/docs/latest")],
            ));
        }
        Ok(())
    }

    fn hot(&self) -> &Hot {
        self.hot.get_or_init(|| {
            let zone_id = self.get("spark.sql.session.timeZone").unwrap_or_else(|| "UTC".into());
            Hot {
                zone: Zone::parse(&zone_id).unwrap_or(Zone::UTC),
                zone_id,
                ansi: self.bool("spark.sql.ansi.enabled"),
                case_sensitive: self.bool("spark.sql.caseSensitive"),
            }
        })
    }

    /// spark.sql.session.timeZone.
    pub fn time_zone(&self) -> &Zone {
        &self.hot().zone
    }

    /// spark.sql.legacy.pathOptionBehavior.enabled: a path option may stand beside a path given.
    pub fn lenient_paths(&self) -> bool {
        self.bool(LENIENT_PATHS)
    }

    /// Refuses a path option where `method` of a stream's reader or writer is given a path.
    pub fn refuse_path_option(&self, options: &IndexMap<String, String>, method: &str) -> Result<()> {
        if self.lenient_paths() || !options.keys().any(|key| key.eq_ignore_ascii_case("path")) {
            return Ok(());
        }
        Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1188", &[("method", method), ("config", LENIENT_PATHS)]))
    }

    /// The same session in another zone.
    pub(crate) fn in_zone(&self, zone_id: &str, zone: &Zone) -> Self {
        let hot = Hot { zone: zone.clone(), zone_id: zone_id.to_owned(), ..self.hot().clone() };
        Self { set: self.set.clone(), hot: OnceLock::from(hot) }
    }

    /// spark.sql.session.timeZone as written.
    pub fn time_zone_id(&self) -> &str {
        &self.hot().zone_id
    }

    /// Whether TIMESTAMP without more stands for TIMESTAMP_NTZ (spark.sql.timestampType).
    pub fn timestamp_is_ntz(&self) -> bool {
        self.get("spark.sql.timestampType").is_some_and(|name| name.eq_ignore_ascii_case("TIMESTAMP_NTZ"))
    }

    /// spark.sql.ansi.enabled.
    pub fn ansi(&self) -> bool {
        self.hot().ansi
    }

    /// spark.sql.caseSensitive.
    pub fn case_sensitive(&self) -> bool {
        self.hot().case_sensitive
    }

    /// Whether two names are the same column.
    pub fn same_name(&self, a: &str, b: &str) -> bool {
        if self.case_sensitive() { a == b } else { a.eq_ignore_ascii_case(b) || a.to_lowercase() == b.to_lowercase() }
    }

    pub fn bool(&self, key: &str) -> bool {
        self.get(key).is_some_and(|v| v.trim().eq_ignore_ascii_case("true"))
    }

    /// An integer entry; 0 for one that does not exist.
    pub fn int(&self, key: &str) -> i64 {
        self.get(key).and_then(|v| v.trim().parse().ok()).unwrap_or(0)
    }

    /// A byte-size entry ("128MB", "64k", plain bytes).
    pub fn bytes(&self, key: &str) -> i64 {
        self.get(key).and_then(|v| keys::parse_bytes(&v)).unwrap_or(0)
    }

    /// A time entry ("10s", "5min", plain milliseconds), in milliseconds.
    pub fn millis(&self, key: &str) -> i64 {
        self.get(key).and_then(|v| keys::parse_millis(&v)).unwrap_or(0)
    }

    /// spark.sql.shuffle.partitions.
    pub fn shuffle_partitions(&self) -> usize {
        usize::try_from(self.int("spark.sql.shuffle.partitions")).unwrap_or(200).max(1)
    }
}

/// Older names of a key lead to the newer.
fn canonical(key: &str) -> &str {
    match key {
        "mapred.reduce.tasks" | "mapreduce.job.reduces" => "spark.sql.shuffle.partitions",
        other => other,
    }
}

fn quoted(key: &str) -> String {
    format!("\"{key}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_checks() {
        let mut conf = SqlConf::default();
        assert_eq!(conf.shuffle_partitions(), 200);
        assert!(conf.ansi());
        conf.set("spark.sql.shuffle.partitions", "4").unwrap();
        assert_eq!(conf.shuffle_partitions(), 4);
        assert_eq!(
            conf.set("spark.sql.warehouse.dir", "x").unwrap_err().condition.as_deref(),
            Some("CANNOT_MODIFY_STATIC_CONFIG")
        );
        assert!(conf.set("spark.sql.shuffle.partitions", "many").is_err());
        assert_eq!(conf.bytes("spark.sql.files.maxPartitionBytes"), 134_217_728);
        conf.set("spark.sql.session.timeZone", "Europe/Berlin").unwrap();
        assert_eq!(conf.time_zone_id(), "Europe/Berlin");
    }
}
