//! What the strip shows, out of the batch reports.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, Fate, JoinRange};

/// A window over all batches: its bar, and the batch that closed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub start_us: i64,
    pub end_us: i64,
    pub groups: usize,
    pub closed_in: Option<i64>,
    /// The batch after which it was no longer there though nothing closed it: a session that became part of another one.
    pub merged_in: Option<i64>,
    /// Row of bars that it stands in: windows that overlap stand under each other.
    pub row: usize,
}

/// Where an event stands in its lane: the part of the lane that is its source's, and how far down in that (0 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    pub source: usize,
    pub share: f64,
}

/// One batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub batch: Rc<BatchReport>,
    /// Of its events.
    pub seats: Vec<Seat>,
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
    /// What the sources are called; a lane has a part for each where there are several.
    pub sources: Vec<String>,
    /// Which rows of two sources can meet.
    pub joins: Vec<JoinRange>,
    pub lanes: Vec<Lane>,
    /// Watermarks of the batch to come: late rows, eviction, µs.
    pub next_late_us: Option<i64>,
    pub next_evict_us: Option<i64>,
    pub max_event_us: Option<i64>,
    pub delay_us: Option<i64>,
    /// First and last time that is worth showing, with a margin.
    pub span: Option<(i64, i64)>,
    pub events: usize,
    /// Some of them were filtered out.
    pub filtered: bool,
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
                seats: seats(batch, false),
                batch: batch.clone(),
            })
            .collect();
        let (windows, rows) = windows(batches);
        let last = batches.last();
        let mut model = Model {
            windows,
            rows,
            sources: Vec::new(),
            joins: Vec::new(),
            next_late_us: last.and_then(|batch| in_force(batch.watermark_ms)),
            next_evict_us: last.and_then(|batch| in_force(batch.next_watermark_ms)),
            max_event_us: in_force(batches.iter().filter_map(|batch| batch.max_event_time_ms).max()),
            delay_us: delay_ms.map(|ms| ms.saturating_mul(1000)),
            span: None,
            events: batches.iter().map(|batch| batch.events.len()).sum(),
            filtered: batches.iter().flat_map(|batch| &batch.events).any(|event| event.fate == Fate::Filtered),
            lanes,
        };
        model.span = model.times();
        model
    }

    /// The same with a part of each lane for each of several sources.
    pub fn with_sources(mut self, sources: Vec<String>, joins: Vec<JoinRange>) -> Model {
        if sources.len() > 1 {
            for lane in &mut self.lanes {
                lane.seats = seats(&lane.batch, true);
            }
            self.sources = sources;
            self.joins = joins;
        }
        self
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
        let holds = move |window: &&Window| window.start_us <= us && us < window.end_us && window.merged_in.is_none();
        self.windows.iter().filter(holds)
    }

    /// Windows that the state still has.
    pub fn open(&self) -> impl Iterator<Item = &Window> {
        self.windows.iter().filter(|window| window.closed_in.is_none() && window.merged_in.is_none())
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

fn seats(batch: &BatchReport, apart: bool) -> Vec<Seat> {
    let source_of = |source: usize| if apart { source } else { 0 };
    let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for event in &batch.events {
        counts.entry(source_of(event.source)).or_default().1 += 1;
    }
    let seat = |source: usize| {
        let source = source_of(source);
        let (met, all) = counts.entry(source).or_default();
        *met += 1;
        Seat { source, share: (*met as f64 - 0.5) / (*all).max(1) as f64 }
    };
    batch.events.iter().map(|event| event.source).map(seat).collect()
}

fn windows(batches: &[Rc<BatchReport>]) -> (Vec<Window>, usize) {
    let mut known: BTreeMap<(i64, i64), Window> = BTreeMap::new();
    for batch in batches {
        let here: BTreeSet<(i64, i64)> = batch.windows.iter().map(|bar| (bar.start_us, bar.end_us)).collect();
        for (span, window) in &mut known {
            if window.closed_in.is_none() && window.merged_in.is_none() && !here.contains(span) {
                window.merged_in = Some(batch.batch);
            }
        }
        for bar in &batch.windows {
            let window = known.entry((bar.start_us, bar.end_us)).or_insert(Window {
                start_us: bar.start_us,
                end_us: bar.end_us,
                groups: bar.groups,
                closed_in: None,
                merged_in: None,
                row: 0,
            });
            window.groups = if bar.closed { window.groups.max(bar.groups) } else { bar.groups };
            window.merged_in = None;
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
