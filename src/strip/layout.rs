//! Where lanes, bars and marks stand, and what is at a point.

use super::model::{Lane, Model};
use super::scale::TimeScale;

/// Height of the axis at the top, px.
const AXIS: f64 = 24.0;
/// A row of window bars, px: as high as there is room for.
const ROW: f64 = 19.0;
const LEAST_ROW: f64 = 8.0;
/// Room for all rows of bars, px.
const BARS: f64 = 96.0;
/// Rows of bars that are shown; windows of further rows share the last one.
const MOST_ROWS: usize = 12;
/// A batch's lane, px, and the part of each of several sources.
const LANE: f64 = 30.0;
const PART: f64 = 26.0;
/// Free space below the last lane, px.
const FOOT: f64 = 6.0;
/// Free space above and below the marks of a lane, px.
const INSET: f64 = 6.0;
/// How near the pointer has to be to a mark, px.
const REACH: f64 = 9.0;

/// One event: its lane and its place among the lane's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub lane: usize,
    pub event: usize,
}

/// What is under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    Event(Spot),
    Window(usize),
    Lane(usize),
    Nothing,
}

/// A step of the keyboard through the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Next,
    Previous,
    LaneDown,
    LaneUp,
    First,
    Last,
    NextDropped,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// How far the lanes are scrolled, px.
    pub scroll: f64,
    rows: usize,
    lanes: usize,
    /// Parts of a lane, and its height, px.
    parts: usize,
    lane: f64,
}

impl Layout {
    pub fn new(model: &Model, width: f64, height: f64, scroll: f64) -> Layout {
        let rows = model.rows.min(MOST_ROWS);
        let parts = model.sources.len().max(1);
        let lane = if parts == 1 { LANE } else { PART * parts as f64 };
        let mut layout = Layout { width, height, scroll, rows, lanes: model.lanes.len(), parts, lane };
        // Where not all lanes fit, a whole number of them does: none is cut at the top once the newest is shown.
        let room = height - layout.lanes_top() - FOOT;
        if layout.content_height() > height && room > lane {
            layout.lane = room / (room / lane).floor();
        }
        layout
    }

    pub fn axis_height(&self) -> f64 {
        AXIS
    }

    fn row(&self) -> f64 {
        (BARS / self.rows.max(1) as f64).clamp(LEAST_ROW, ROW)
    }

    /// Top and height of the row of bars `row`.
    pub fn bar(&self, row: usize) -> (f64, f64) {
        let gap = if self.row() < ROW { 2.0 } else { 4.0 };
        (AXIS + 4.0 + self.row() * row.min(MOST_ROWS - 1) as f64, self.row() - gap)
    }

    /// Where the lanes begin.
    pub fn lanes_top(&self) -> f64 {
        AXIS + if self.rows == 0 { 2.0 } else { 6.0 + self.row() * self.rows as f64 }
    }

    pub fn lane_height(&self) -> f64 {
        self.lane
    }

    /// Top and height of a source's part of a lane, scrolled.
    pub fn part(&self, lane: usize, source: usize) -> (f64, f64) {
        let height = self.lane / self.parts as f64;
        (self.lane_top(lane) + height * source.min(self.parts - 1) as f64, height)
    }

    /// Top of a lane, scrolled; the lane after the last one is that of the batch to come.
    pub fn lane_top(&self, lane: usize) -> f64 {
        self.lanes_top() + self.lane * lane as f64 - self.scroll
    }

    /// Height of everything, unscrolled, with the lane of the batch to come.
    pub fn content_height(&self) -> f64 {
        self.lanes_top() + self.lane * (self.lanes + 1) as f64 + FOOT
    }

    /// Lanes that can be seen.
    pub fn visible(&self) -> std::ops::Range<usize> {
        let first = (self.scroll / self.lane).floor().max(0.0) as usize;
        let shown = ((self.height - self.lanes_top()) / self.lane).ceil().max(0.0) as usize + 1;
        first.min(self.lanes)..(first + shown).min(self.lanes)
    }

    /// Scroll position that shows a lane: the present one if it does.
    pub fn scroll_to(&self, lane: usize) -> f64 {
        let top = self.lane * lane as f64;
        let room = self.height - self.lanes_top() - self.lane;
        self.scroll.clamp((top - room).max(0.0), top.max(0.0).max(top - room))
    }

    /// Middle of a mark. An event without an event time stands at the left edge.
    pub fn mark(&self, scale: &TimeScale, lanes: &[Lane], spot: Spot) -> Option<(f64, f64)> {
        let lane = lanes.get(spot.lane)?;
        let (event, seat) = (lane.batch.events.get(spot.event)?, lane.seats.get(spot.event)?);
        let (top, height) = self.part(spot.lane, seat.source);
        let y = top + INSET + seat.share * (height - 2.0 * INSET);
        Some((event.event_time_us.map_or(scale.left + 4.0, |us| scale.x(us)), y))
    }

    pub fn hit(&self, model: &Model, scale: &TimeScale, x: f64, y: f64) -> Hit {
        if y < AXIS {
            return Hit::Nothing;
        }
        if y < self.lanes_top() {
            let under = |window: &super::Window| {
                let (top, height) = self.bar(window.row);
                y >= top && y <= top + height && x >= scale.x(window.start_us) && x < scale.x(window.end_us)
            };
            return model.windows.iter().position(under).map_or(Hit::Nothing, Hit::Window);
        }
        let lane = ((y - self.lanes_top() + self.scroll) / self.lane) as usize;
        let Some(events) = model.lanes.get(lane).map(|lane| lane.batch.events.len()) else { return Hit::Nothing };
        let mut nearest = (REACH, Hit::Lane(lane));
        for event in 0..events {
            let spot = Spot { lane, event };
            let Some((mark_x, mark_y)) = self.mark(scale, &model.lanes, spot) else { continue };
            let distance = (mark_x - x).hypot(mark_y - y);
            if distance < nearest.0 {
                nearest = (distance, Hit::Event(spot));
            }
        }
        nearest.1
    }
}

impl Spot {
    /// The event that a key leads to; None where there is none that way.
    pub fn moved(from: Option<Spot>, lanes: &[Lane], by: Move) -> Option<Spot> {
        let all = || {
            let spots = |(lane, entry): (usize, &Lane)| {
                (0..entry.batch.events.len()).map(move |event| Spot { lane, event }).collect::<Vec<_>>()
            };
            lanes.iter().enumerate().flat_map(spots)
        };
        let key = |spot: &Spot| (spot.lane, spot.event);
        let Some(here) = from else {
            return match by {
                Move::NextDropped => all().find(|spot| spot.is_dropped(lanes)),
                Move::First => all().next(),
                _ => all().last(),
            };
        };
        let before = || all().take_while(|spot| key(spot) < key(&here));
        let mut after = all().skip_while(|spot| key(spot) <= key(&here));
        match by {
            Move::Next => after.next(),
            Move::Previous => before().last(),
            Move::LaneDown => after.find(|spot| spot.lane > here.lane),
            Move::LaneUp => before().filter(|spot| spot.lane < here.lane).last(),
            Move::First => all().next(),
            Move::Last => all().last(),
            Move::NextDropped => {
                after.find(|spot| spot.is_dropped(lanes)).or_else(|| all().find(|spot| spot.is_dropped(lanes)))
            }
        }
    }

    fn is_dropped(&self, lanes: &[Lane]) -> bool {
        let event = lanes.get(self.lane).and_then(|lane| lane.batch.events.get(self.event));
        event.is_some_and(|event| matches!(event.fate, tidemark_protocol::messages::Fate::Dropped { .. }))
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
