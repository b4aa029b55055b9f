//! The time zone in which the page shows times: the session's, UTC, or the browser's.
//!
//! Every formatted time depends on it, so that it is one setting of the thread, set before the page is drawn. The cells
//! of tables are Spark's own texts, and stay in the session's zone.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

const HOUR_MS: i64 = 3_600_000;

/// What the person chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    #[default]
    Session,
    Utc,
    Local,
}

impl Times {
    pub const ALL: [Times; 3] = [Times::Session, Times::Utc, Times::Local];
}

thread_local! {
    /// The shown zone and the session's.
    static ZONES: RefCell<(Zone, Zone)> = const { RefCell::new((Zone::Utc, Zone::Utc)) };
}

/// Sets what [`offset_us`] answers. `session` is spark.sql.session.timeZone.
pub fn show(times: Times, session: &str) {
    let session = Zone::named(session);
    let shown = match times {
        Times::Session => session.clone(),
        Times::Utc => Zone::Utc,
        Times::Local => Zone::Local,
    };
    ZONES.with_borrow_mut(|zones| {
        if *zones != (shown.clone(), session.clone()) {
            *zones = (shown, session);
        }
    });
}

/// Difference of the shown zone from UTC at a time, µs.
pub fn offset_us(us: i64) -> i64 {
    ZONES.with_borrow(|zones| zones.0.offset_ms(us.div_euclid(1000)) * 1000)
}

/// Difference of the session's zone from UTC at a time, µs.
pub fn session_offset_us(us: i64) -> i64 {
    ZONES.with_borrow(|zones| zones.1.offset_ms(us.div_euclid(1000)) * 1000)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Zone {
    Utc,
    /// ms.
    Fixed(i64),
    Named(String),
    Local,
}

impl Zone {
    /// "UTC", "Z", "+02:00", "GMT+2", "Europe/Berlin".
    fn named(text: &str) -> Zone {
        let bare = ["UTC", "GMT", "UT"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
        match bare {
            "" | "Z" | "Etc/UTC" => Zone::Utc,
            _ if bare.starts_with(['+', '-']) => fixed(bare).map_or(Zone::Utc, Zone::Fixed),
            _ => Zone::Named(text.to_owned()),
        }
    }

    fn offset_ms(&self, ms: i64) -> i64 {
        match self {
            Zone::Utc => 0,
            Zone::Fixed(offset) => *offset,
            Zone::Named(name) => cached(name, ms),
            Zone::Local => local_ms(ms),
        }
    }
}

/// "+2", "+02:00", "-0530" in ms.
fn fixed(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.get(1..)?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, rest)) => (hours, rest.get(..2)?),
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    Some(sign * (hours.parse::<i64>().ok()? * HOUR_MS + minutes.parse::<i64>().ok()? * 60_000))
}

thread_local! {
    /// Offsets by zone and hour: a browser's formatter is slow, and a strip asks for hundreds of times.
    static KNOWN: RefCell<HashMap<(String, i64), i64>> = RefCell::default();
    static LOCAL: Cell<(i64, i64)> = const { Cell::new((i64::MIN, 0)) };
}

fn cached(name: &str, ms: i64) -> i64 {
    // Offsets change at whole quarters of an hour.
    let slot = ms.div_euclid(HOUR_MS / 4);
    KNOWN.with_borrow_mut(|known| {
        if known.len() > 10_000 {
            known.clear();
        }
        *known.entry((name.to_owned(), slot)).or_insert_with(|| named_ms(name, slot * (HOUR_MS / 4)))
    })
}

#[cfg(target_arch = "wasm32")]
fn local_ms(ms: i64) -> i64 {
    let slot = ms.div_euclid(HOUR_MS / 4);
    LOCAL.with(|local| {
        if local.get().0 != slot {
            let minutes = js_sys::Date::new(&(ms as f64).into()).get_timezone_offset();
            local.set((slot, -(minutes as i64) * 60_000));
        }
        local.get().1
    })
}

/// Asks the browser: its parts of the time, read as UTC, less the time. A zone that it does not know counts as UTC.
#[cfg(target_arch = "wasm32")]
fn named_ms(name: &str, ms: i64) -> i64 {
    use js_sys::{Array, Date, Function, Object, Reflect};
    use wasm_bindgen::{JsCast, JsValue};
    let ask = || -> Result<i64, JsValue> {
        let options = Object::new();
        for (key, value) in [("timeZone", name), ("hourCycle", "h23"), ("year", "numeric"), ("month", "2-digit")] {
            Reflect::set(&options, &key.into(), &value.into())?;
        }
        for key in ["day", "hour", "minute", "second"] {
            Reflect::set(&options, &key.into(), &"2-digit".into())?;
        }
        let intl = Reflect::get(&js_sys::global(), &"Intl".into())?;
        let class: Function = Reflect::get(&intl, &"DateTimeFormat".into())?.dyn_into()?;
        let locales = Array::of1(&"en-US".into());
        let format = Reflect::construct(&class, &Array::of2(&locales, &options))?;
        let to_parts: Function = Reflect::get(&format, &"formatToParts".into())?.dyn_into()?;
        let parts: Array = to_parts.call1(&format, &Date::new(&(ms as f64).into()))?.dyn_into()?;
        let mut found = HashMap::new();
        for part in parts.iter() {
            let text = |key: &str| Reflect::get(&part, &key.into()).map(|value| value.as_string().unwrap_or_default());
            if let Ok(number) = text("value")?.parse::<i32>() {
                found.insert(text("type")?, number);
            }
        }
        let part = |key: &str| f64::from(found.get(key).copied().unwrap_or_default());
        let wall = Date::utc(part("year"), part("month") - 1.0);
        let day = (part("day") - 1.0) * 24.0 + part("hour");
        let wall = wall + ((day * 60.0 + part("minute")) * 60.0 + part("second")) * 1000.0;
        Ok(wall as i64 - ms.div_euclid(1000) * 1000)
    };
    ask().unwrap_or(0)
}

#[cfg(not(target_arch = "wasm32"))]
fn local_ms(_ms: i64) -> i64 {
    LOCAL.get().1
}

/// Without a browser there are no rules of zones.
#[cfg(not(target_arch = "wasm32"))]
fn named_ms(_name: &str, _ms: i64) -> i64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_zones_are_understood() {
        let offsets = ["UTC", "Z", "+02:00", "GMT-5", "UTC+05:30", "-0330"];
        let hours = offsets.map(|name| Zone::named(name).offset_ms(0) as f64 / HOUR_MS as f64);
        assert_eq!(hours, [0.0, 0.0, 2.0, -5.0, 5.5, -3.5]);
        assert_eq!(Zone::named("Europe/Berlin"), Zone::Named("Europe/Berlin".to_owned()));
    }

    #[test]
    fn times_are_shown_in_one_zone_and_written_in_the_sessions() {
        show(Times::Session, "+02:00");
        assert_eq!(crate::format::time(0), "02:00:00");
        show(Times::Utc, "+02:00");
        assert_eq!(
            (crate::format::time(0).as_str(), crate::format::iso(0).as_str()),
            ("00:00:00", "1970-01-01T02:00:00")
        );
        show(Times::Session, "UTC");
    }
}
