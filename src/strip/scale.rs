//! Event time to pixels and back, and where the axis has its ticks.

use crate::format;

const MS: i64 = 1_000;
const SECOND: i64 = 1_000 * MS;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Distances between ticks, µs.
const STEPS: [i64; 31] = [
    1,
    10,
    100,
    MS,
    10 * MS,
    100 * MS,
    250 * MS,
    500 * MS,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    30 * DAY,
    90 * DAY,
    365 * DAY,
];

/// The narrowest and the widest span that can be shown, µs.
const NARROWEST: i64 = 20;
const WIDEST: i64 = 400 * 365 * DAY;

/// A linear scale: `from_us` is at pixel `left`, `to_us` at `right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    pub from_us: i64,
    pub to_us: i64,
    pub left: f64,
    pub right: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub us: i64,
    pub x: f64,
    pub label: String,
}

impl TimeScale {
    /// A span that is empty or turned round becomes one of a second.
    pub fn new((from_us, to_us): (i64, i64), left: f64, right: f64) -> TimeScale {
        let to_us = if to_us - from_us < NARROWEST { from_us + SECOND } else { to_us };
        TimeScale { from_us, to_us, left, right: right.max(left + 1.0) }
    }

    fn per_us(&self) -> f64 {
        (self.right - self.left) / (self.to_us - self.from_us) as f64
    }

    pub fn x(&self, us: i64) -> f64 {
        self.left + (us as f64 - self.from_us as f64) * self.per_us()
    }

    pub fn us(&self, x: f64) -> i64 {
        self.from_us + ((x - self.left) / self.per_us()) as i64
    }

    /// The same pixels over a span `factor` times as long; the time under `x` stays there.
    pub fn zoomed(&self, factor: f64, x: f64) -> (i64, i64) {
        let span = ((self.to_us - self.from_us) as f64 * factor).clamp(NARROWEST as f64, WIDEST as f64);
        let share = (x - self.left) / (self.right - self.left);
        let from = self.us(x) - (span * share) as i64;
        (from, from + span as i64)
    }

    /// The span after dragging by `dx` pixels.
    pub fn panned(&self, dx: f64) -> (i64, i64) {
        let by = (dx / self.per_us()) as i64;
        (self.from_us - by, self.to_us - by)
    }

    /// Ticks at round times, at least `apart` pixels from one to the next.
    pub fn ticks(&self, apart: f64) -> Vec<Tick> {
        let wanted = apart / self.per_us();
        let step = STEPS.into_iter().find(|step| *step as f64 >= wanted).unwrap_or(WIDEST / 40);
        let mut us = self.from_us.div_euclid(step) * step;
        let mut ticks = Vec::new();
        while us <= self.to_us {
            if us >= self.from_us {
                ticks.push(Tick { us, x: self.x(us), label: label(us, step) });
            }
            us += step;
        }
        ticks
    }
}

fn label(us: i64, step: i64) -> String {
    if step >= DAY {
        return format::date(us);
    }
    let text = format::time(us);
    if step >= MINUTE { text.get(..5).map_or(text.clone(), str::to_owned) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stand_on_round_times() {
        let scale = TimeScale::new((3 * SECOND, 65 * SECOND), 0.0, 620.0);
        let ticks = scale.ticks(80.0);
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["00:00:10", "00:00:20", "00:00:30", "00:00:40", "00:00:50", "00:01:00"]);
        assert_eq!(ticks[0].x, 70.0);
    }

    #[test]
    fn zoom_keeps_the_time_under_the_pointer() {
        let scale = TimeScale::new((0, 100 * SECOND), 50.0, 1050.0);
        let (from, to) = scale.zoomed(0.5, 300.0);
        let nearer = TimeScale::new((from, to), 50.0, 1050.0);
        assert_eq!(to - from, 50 * SECOND);
        assert!((nearer.x(25 * SECOND) - 300.0).abs() < 0.01);
        assert_eq!(scale.panned(100.0), (-10 * SECOND, 90 * SECOND));
    }

    #[test]
    fn an_empty_span_still_has_a_scale() {
        let scale = TimeScale::new((5, 5), 0.0, 0.0);
        assert!(scale.x(5).is_finite() && scale.ticks(80.0).len() < 3);
    }
}
