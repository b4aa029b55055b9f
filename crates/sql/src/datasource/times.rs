//! Dates and timestamps of JSON and CSV text, by the options' patterns or as casts read them.

use super::options::{Options, text};
use crate::conf::SqlConf;
use crate::error::Result;
use crate::functions::cast::parse::{parse_date, parse_timestamp, parse_timestamp_ntz};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::types::{DataType, StructType};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// How times are read.
pub struct Times {
    zone: Zone,
    date: Option<Pattern>,
    timestamp: Option<Pattern>,
    timestamp_ntz: Option<Pattern>,
}

fn contains(data_type: &DataType, wanted: &DataType) -> bool {
    match data_type {
        DataType::Array { element, .. } => contains(element, wanted),
        DataType::Map { key, value, .. } => contains(key, wanted) || contains(value, wanted),
        DataType::Struct(fields) => fields.fields.iter().any(|f| contains(&f.data_type, wanted)),
        other => other == wanted,
    }
}

impl Times {
    /// The formats that the columns need: a pattern that nothing is read by is not looked at.
    pub fn of(options: &Options, conf: &SqlConf, columns: &StructType) -> Result<Self> {
        let pattern = |key: &str, wanted: &DataType| {
            let given = text(options, key).filter(|_| columns.fields.iter().any(|f| contains(&f.data_type, wanted)));
            given.map(Pattern::reading)
        };
        let zone = match text(options, "timezone") {
            Some(id) => Zone::of(id)?,
            None => conf.time_zone().clone(),
        };
        Ok(Self {
            zone,
            date: pattern("dateformat", &DataType::Date),
            timestamp: pattern("timestampformat", &DataType::Timestamp),
            timestamp_ntz: pattern("timestampntzformat", &DataType::TimestampNtz),
        })
    }

    /// Days since the epoch.
    pub fn date(&self, shown: &str) -> Option<i32> {
        match &self.date {
            None => parse_date(shown),
            Some(pattern) => {
                let us = pattern.parse_instant(shown, &Zone::UTC).ok()?;
                i32::try_from(us.div_euclid(MICROS_PER_DAY)).ok()
            }
        }
    }

    /// A date, or without a pattern the number of days since the epoch (JacksonParser's fallback).
    pub fn date_or_days(&self, shown: &str) -> Option<i32> {
        let days = || if self.date.is_none() { shown.parse().ok() } else { None };
        self.date(shown).or_else(days)
    }

    /// µs.
    pub fn timestamp(&self, shown: &str) -> Option<i64> {
        match &self.timestamp {
            None => parse_timestamp(shown, &self.zone),
            Some(pattern) => pattern.parse_instant(shown, &self.zone).ok(),
        }
    }

    /// µs on a calendar without a zone.
    pub fn timestamp_ntz(&self, shown: &str) -> Option<i64> {
        match &self.timestamp_ntz {
            None => parse_timestamp_ntz(shown, false),
            Some(pattern) => pattern.parse_instant(shown, &Zone::UTC).ok(),
        }
    }
}
