//! What the strip shows, out of the batch reports.

use std::collections::BTreeMap;
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, Fate};

/// A window over all batches: its bar, and the batch that closed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub start_us: i64,
    pub end_us: i64,
    pub groups: usize,
    pub closed_in: Option<i64>,
    /// Row of bars that it stands in: windows that overlap stand under each other.
    pub row: usize,
}

/// One batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub batch: Rc<BatchReport>,
    /// Watermark that judged late rows, µs; None before there is one.
    pub late_us: Option<i64>,
    /// Watermark that evicted, µs.
    pub evict_us: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Model {
    pub windows: Vec<Window>,
    /// Rows of window bars.
    pub rows: usize,
    pub lanes: Vec<Lane>,
    /// Watermarks of the batch to come: late rows, eviction, µs.
    pub next_late_us: Option<i64>,
    pub next_evict_us: Option<i64>,
    pub max_event_us: Option<i64>,
    pub delay_us: Option<i64>,
    /// First and last time that is worth showing, with a margin.
    pub span: Option<(i64, i64)>,
    pub events: usize,
}

/// Spark's watermark starts from the epoch: that is none yet.
fn in_force(ms: Option<i64>) -> Option<i64> {
    ms.filter(|ms| *ms != 0).map(|ms| ms.saturating_mul(1000))
}

impl Model {
    pub fn new(batches: &[Rc<BatchReport>], delay_ms: Option<i64>) -> Model {
        let lanes: Vec<Lane> = batches
            .iter()
            .map(|batch| Lane {
                late_us: in_force(batch.late_watermark_ms),
                evict_us: in_force(batch.watermark_ms),
                batch: batch.clone(),
            })
            .collect();
        let (windows, rows) = windows(batches);
        let last = batches.last();
        let mut model = Model {
            windows,
            rows,
            next_late_us: last.and_then(|batch| in_force(batch.watermark_ms)),
            next_evict_us: last.and_then(|batch| in_force(batch.next_watermark_ms)),
            max_event_us: last.and_then(|batch| in_force(batch.max_event_time_ms)),
            delay_us: delay_ms.map(|ms| ms.saturating_mul(1000)),
            span: None,
            events: batches.iter().map(|batch| batch.events.len()).sum(),
            lanes,
        };
        model.span = model.times();
        model
    }

    fn times(&self) -> Option<(i64, i64)> {
        let events =
            self.lanes.iter().flat_map(|lane| lane.batch.events.iter().filter_map(|event| event.event_time_us));
        let bars = self.windows.iter().flat_map(|window| [window.start_us, window.end_us]);
        let marks = [self.next_evict_us, self.next_late_us, self.max_event_us].into_iter().flatten();
        let (mut from, mut to) = (i64::MAX, i64::MIN);
        for us in events.chain(bars).chain(marks) {
            from = from.min(us);
            to = to.max(us);
        }
        if from > to {
            return None;
        }
        let margin = (to.saturating_sub(from) / 24).max(500_000);
        Some((from.saturating_sub(margin), to.saturating_add(margin)))
    }

    /// Windows that an event at this time falls into.
    pub fn windows_at(&self, us: i64) -> impl Iterator<Item = &Window> {
        self.windows.iter().filter(move |window| window.start_us <= us && us < window.end_us)
    }

    /// Event time that closes a window whose end is `end_us`: its end plus the delay, as the watermark stands that much behind.
    pub fn closes_at(&self, end_us: i64) -> Option<i64> {
        self.delay_us.map(|delay| end_us.saturating_add(delay))
    }

    pub fn dropped(&self) -> usize {
        let dropped =
            |lane: &Lane| lane.batch.events.iter().filter(|event| matches!(event.fate, Fate::Dropped { .. })).count();
        self.lanes.iter().map(dropped).sum()
    }
}

fn windows(batches: &[Rc<BatchReport>]) -> (Vec<Window>, usize) {
    let mut known: BTreeMap<(i64, i64), Window> = BTreeMap::new();
    for batch in batches {
        for bar in &batch.windows {
            let window = known.entry((bar.start_us, bar.end_us)).or_insert(Window {
                start_us: bar.start_us,
                end_us: bar.end_us,
                groups: bar.groups,
                closed_in: None,
                row: 0,
            });
            window.groups = if bar.closed { window.groups.max(bar.groups) } else { bar.groups };
            window.closed_in = if bar.closed { Some(batch.batch) } else { window.closed_in };
        }
    }
    let mut windows: Vec<Window> = known.into_values().collect();
    let mut ends: Vec<i64> = Vec::new();
    for window in &mut windows {
        let free = ends.iter().position(|end| *end <= window.start_us);
        window.row = free.unwrap_or(ends.len());
        match ends.get_mut(window.row) {
            Some(end) => *end = window.end_us,
            None => ends.push(window.end_us),
        }
    }
    (windows, ends.len())
}
