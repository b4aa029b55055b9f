//! Dates and times: calendar, zones, patterns, text.

pub mod calendar;
pub mod interval;
pub mod pattern;
pub mod zone;
