//! Dates and timestamps in written files.

use crate::conf::SqlConf;
use crate::datasource::options::Options;
use crate::error::Result;
use crate::functions::datetime::calendar::civil_from_days;
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::{Zone, offset_text};
use crate::value::text::date_to_string;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// The formats in force: Spark's defaults, or patterns of the user.
pub(super) struct Times {
    zone: Zone,
    date: Option<Pattern>,
    timestamp: Option<Pattern>,
    timestamp_ntz: Option<Pattern>,
}

impl Times {
    pub(super) fn new(options: &Options, conf: &SqlConf) -> Result<Self> {
        let pattern = |key: &str| options.get(key).map(|text| Pattern::new(text, false)).transpose();
        let zone = match options.get("timezone") {
            Some(name) => Zone::of(name)?,
            None => conf.time_zone().clone(),
        };
        Ok(Self {
            zone,
            date: pattern("dateformat")?,
            timestamp: pattern("timestampformat")?,
            timestamp_ntz: pattern("timestampntzformat")?,
        })
    }

    pub(super) fn zone(&self) -> &Zone {
        &self.zone
    }

    /// yyyy-MM-dd
    pub(super) fn date(&self, days: i32) -> String {
        match &self.date {
            Some(pattern) => pattern.format(i64::from(days) * MICROS_PER_DAY, &Zone::UTC),
            None => date_to_string(days),
        }
    }

    /// yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]
    pub(super) fn timestamp(&self, micros: i64) -> String {
        if let Some(pattern) = &self.timestamp {
            return pattern.format(micros, &self.zone);
        }
        let offset = self.zone.offset_at(micros);
        let suffix = if offset == 0 { "Z".to_owned() } else { offset_text(offset) };
        format!("{}{suffix}", default_text(self.zone.to_local(micros)))
    }

    /// yyyy-MM-dd'T'HH:mm:ss[.SSS]
    pub(super) fn timestamp_ntz(&self, micros: i64) -> String {
        match &self.timestamp_ntz {
            Some(pattern) => pattern.format(micros, &Zone::UTC),
            None => default_text(micros),
        }
    }
}

fn default_text(local_micros: i64) -> String {
    let (year, month, day) = civil_from_days(local_micros.div_euclid(MICROS_PER_DAY));
    let ms = local_micros.rem_euclid(MICROS_PER_DAY) / 1000;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}",
        ms / 3_600_000,
        ms / 60_000 % 60,
        ms / 1000 % 60,
        ms % 1000
    )
}
