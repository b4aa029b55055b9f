//! The session's time: virtual (moved by waits and batches) or that of the machine.

use std::cell::Cell;

use tidemark_sql::session::Clock;

/// Virtual milliseconds that a batch takes. Without it, time would stand still under `processAllAvailable`: rates would
/// divide by zero, files of one script would share one modification time, and a source that always has data (rate-micro-batch)
/// would run for ever within one wait.
pub const BATCH_MS: i64 = 100;
/// Virtual milliseconds of a trigger that found nothing (spark.sql.streaming.pollingDelay).
pub const POLL_MS: i64 = 10;

/// The machine's time, handed in by whoever owns it.
pub trait RealTime {
    /// Microseconds since the epoch.
    fn now_us(&self) -> i64;
    /// Returns after `ms` milliseconds.
    fn wait_ms(&self, ms: i64);
}

/// The one clock of a session. Everything that Spark dates with the system's time is dated with it.
pub struct VirtualClock {
    now_us: Cell<i64>,
    real: Option<Box<dyn RealTime>>,
    stopwatch: Option<Box<dyn Fn() -> i64>>,
}

impl VirtualClock {
    /// A clock that stands at `start_us` and moves only when it is told to.
    pub fn new(start_us: i64) -> Self {
        Self { now_us: Cell::new(start_us), real: None, stopwatch: None }
    }

    /// The machine's clock: waits take their time.
    pub fn real(time: Box<dyn RealTime>) -> Self {
        Self { now_us: Cell::new(0), real: Some(time), stopwatch: None }
    }

    /// Measures durations for progress reports with `stopwatch` (milliseconds, any origin). Without one they are 0.
    #[must_use]
    pub fn with_stopwatch(mut self, stopwatch: Box<dyn Fn() -> i64>) -> Self {
        self.stopwatch = Some(stopwatch);
        self
    }

    pub fn is_virtual(&self) -> bool {
        self.real.is_none()
    }

    pub fn now_ms(&self) -> i64 {
        self.now_us().div_euclid(1000)
    }

    /// Goes to `ms`; a clock never goes back.
    pub fn advance_to_ms(&self, ms: i64) {
        match &self.real {
            Some(real) => {
                let rest = ms - real.now_us().div_euclid(1000);
                if rest > 0 {
                    real.wait_ms(rest);
                }
            }
            None => {
                let target = ms.saturating_mul(1000);
                if target > self.now_us.get() {
                    self.now_us.set(target);
                }
            }
        }
    }

    /// Lets virtual time pass; the machine's time passes by itself.
    pub fn pass_ms(&self, ms: i64) {
        if self.real.is_none() {
            self.now_us.set(self.now_us.get().saturating_add(ms.saturating_mul(1000)));
        }
    }

    /// Reading of the stopwatch, ms.
    pub fn stopwatch_ms(&self) -> i64 {
        self.stopwatch.as_ref().map_or(0, |read| read())
    }
}

impl Clock for VirtualClock {
    fn now_us(&self) -> i64 {
        self.real.as_ref().map_or_else(|| self.now_us.get(), |real| real.now_us())
    }
}
