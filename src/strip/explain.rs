//! The fate of an event, a window, a batch: as words.

use super::layout::Spot;
use super::model::{Model, Window};
use crate::format::{date_time, plural, span, time};
use tidemark_protocol::messages::{BatchKind, EventMark, Fate, Pick};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub title: String,
    pub body: String,
    /// The row itself, as JSON.
    pub row: Option<String>,
    pub origin: Option<String>,
}

/// An event of the strip as the engine knows it.
pub fn pick(model: &Model, spot: Spot) -> Option<Pick> {
    let lane = model.lanes.get(spot.lane)?;
    let event = lane.batch.events.get(spot.event)?;
    Some(Pick::Event { batch: lane.batch.batch, arrival: event.arrival })
}

pub fn explain_event(model: &Model, spot: Spot) -> Option<Explanation> {
    let lane = model.lanes.get(spot.lane)?;
    let event = lane.batch.events.get(spot.event)?;
    let batch = lane.batch.batch;
    let (title, body) = match &event.fate {
        Fate::Accepted => (format!("Accepted in batch {batch}"), accepted(model, event)),
        Fate::Filtered => (
            format!("Filtered out in batch {batch}"),
            "A filter took it out before any stateful operator saw it; it is not counted as dropped.".to_owned(),
        ),
        Fate::Dropped { boundary_us, watermark_us } => {
            (format!("Dropped in batch {batch}"), dropped(event, *boundary_us, *watermark_us))
        }
    };
    let at = event.event_time_us.map_or_else(|| "no event time".to_owned(), date_time);
    Some(Explanation {
        title,
        body: format!("Event time {at}. {body}"),
        row: Some(event.row.clone()),
        origin: Some(event.origin.clone()),
    })
}

fn accepted(model: &Model, event: &EventMark) -> String {
    let Some(us) = event.event_time_us else {
        return "A row without an event time is never late; it falls into no window.".to_owned();
    };
    let sentences: Vec<String> = model.windows_at(us).map(|window| fate_of(model, window)).collect();
    if model.windows.is_empty() {
        return String::new();
    }
    if sentences.is_empty() { "It is in no window that the state holds.".to_owned() } else { sentences.join(" ") }
}

/// "In window 10:00:00 – 10:01:00, which closed in batch 3."
fn fate_of(model: &Model, window: &Window) -> String {
    let name = name(window);
    match (window.closed_in, model.closes_at(window.end_us)) {
        (Some(batch), _) => format!("In window {name}, which batch {batch} closed."),
        (None, Some(at)) => {
            format!("In window {name}, still open: an event at or after {} closes it.", time(at))
        }
        (None, None) => format!("In window {name}. Without a watermark it never closes."),
    }
}

fn dropped(event: &EventMark, boundary_us: i64, watermark_us: i64) -> String {
    let what = if event.event_time_us == Some(boundary_us) { "Its event time" } else { "Its window's end" };
    let late = match watermark_us - boundary_us {
        0 => "exactly on it, and the test is closed".to_owned(),
        by => format!("{} too late", span(by)),
    };
    format!(
        "{what} had been passed by the late-row watermark: {} <= {} ({late}).",
        time(boundary_us),
        time(watermark_us)
    )
}

fn name(window: &Window) -> String {
    format!("{} – {}", time(window.start_us), time(window.end_us))
}

pub fn explain_window(model: &Model, index: usize) -> Option<Explanation> {
    let window = model.windows.get(index)?;
    let groups = plural(window.groups as i64, "group", "groups");
    if let Some(batch) = window.merged_in {
        let body = format!("Its state is gone since batch {batch}: the session became part of another one.");
        return Some(Explanation { title: format!("Window {}", name(window)), body, row: None, origin: None });
    }
    let body = match (window.closed_in, model.closes_at(window.end_us)) {
        (Some(batch), _) => format!(
            "{groups}. Closed by batch {batch}, whose watermark had passed its end; its state is gone and later rows for it are dropped."
        ),
        (None, Some(at)) => format!(
            "{groups}, open. It closes when the watermark reaches {}: that takes an event at or after {} (end + delay {}).",
            time(window.end_us),
            time(at),
            span(model.delay_us.unwrap_or(0))
        ),
        (None, None) => format!("{groups}, open. Without a watermark it never closes and its state stays."),
    };
    Some(Explanation { title: format!("Window {}", name(window)), body, row: None, origin: None })
}

pub fn explain_lane(model: &Model, index: usize) -> Option<Explanation> {
    let lane = model.lanes.get(index)?;
    let kind = match &lane.batch.kind {
        BatchKind::Data => format!("{} in.", plural(lane.batch.input_rows, "row", "rows")),
        BatchKind::NoData { reason } => format!("No data: it ran because {reason}."),
    };
    let marks = match (lane.late_us, lane.evict_us) {
        (None, None) => "No watermark was in force yet: nothing is late.".to_owned(),
        (None, Some(evict)) => {
            format!("Nothing was late yet; windows that ended by {} were closed.", time(evict))
        }
        (Some(late), Some(evict)) if late == evict => {
            format!("Rows up to {} were late, windows that ended by then were closed.", time(late))
        }
        (late, evict) => format!(
            "Rows up to {} were late (the watermark of the batch before); windows that ended by {} were closed.",
            late.map_or_else(String::new, time),
            evict.map_or_else(String::new, time)
        ),
    };
    Some(Explanation {
        title: format!("Batch {}", lane.batch.batch),
        body: format!("{kind} {marks}"),
        row: None,
        origin: None,
    })
}
