//! No time zones: RustPython's own `time` module would bring them to the page a second time. Scripts get a `time` and a
//! `zoneinfo` of ours, which ask chrono-tz.

/// No release of the IANA Time Zone Database.
pub static VERSION: Option<&str> = None;

/// The name and the TZif data of a time zone: there is none.
pub fn get(_name: &str) -> Option<(&'static str, &'static [u8])> {
    None
}

/// The names of all time zones: none.
pub fn available() -> TimeZoneNameIter {
    TimeZoneNameIter
}

#[derive(Clone, Debug)]
pub struct TimeZoneNameIter;

impl Iterator for TimeZoneNameIter {
    type Item = &'static str;

    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}
