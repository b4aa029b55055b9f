//! Which rows of the other source an event of a stream-stream join can meet.

use super::layout::Spot;
use super::model::Model;
use crate::format::time;

/// The event times that partners have, µs; None: no bound on that end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partners {
    /// The other sources.
    pub sources: Vec<usize>,
    pub from_us: Option<i64>,
    pub to_us: Option<i64>,
    /// Every row at or before it that comes now is late, µs; None before there is a watermark.
    pub late_us: Option<i64>,
}

impl Partners {
    /// None where the event is in no join, or has no event time.
    pub fn of(model: &Model, spot: Spot) -> Option<Partners> {
        let lane = model.lanes.get(spot.lane)?;
        let (us, source) = (lane.batch.events.get(spot.event)?.event_time_us?, lane.seats.get(spot.event)?.source);
        let join = model.joins.iter().find(|join| join.left.contains(&source) || join.right.contains(&source))?;
        let after = |by: Option<i64>| by.map(|by| us.saturating_add(by));
        let before = |by: Option<i64>| by.map(|by| us.saturating_sub(by));
        let (sources, from_us, to_us) = if join.left.contains(&source) {
            (join.right.clone(), after(join.lower_us), after(join.upper_us))
        } else {
            (join.left.clone(), before(join.upper_us), before(join.lower_us))
        };
        Some(Partners { sources, from_us, to_us, late_us: model.next_late_us })
    }

    /// The watermark has passed all of them: none can come any more.
    pub fn is_over(&self) -> bool {
        matches!((self.to_us, self.late_us), (Some(to), Some(late)) if to <= late)
    }

    pub fn words(&self, model: &Model) -> String {
        let names: Vec<&str> =
            self.sources.iter().filter_map(|source| model.sources.get(*source)).map(String::as_str).collect();
        let range = match (self.from_us, self.to_us) {
            (Some(from), Some(to)) => format!("from {} to {}", time(from), time(to)),
            (Some(from), None) => format!("from {} on", time(from)),
            (None, Some(to)) => format!("up to {}", time(to)),
            (None, None) => "at any time".to_owned(),
        };
        let still =
            if self.is_over() { "; the late-row watermark has passed them all, so none can come now" } else { "" };
        format!("Its partners are rows of {} {range}{still}.", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{Lane, Seat};
    use super::*;
    use std::rc::Rc;
    use tidemark_protocol::messages::{BatchKind, BatchReport, BatchTable, EventMark, Fate, JoinRange};

    const SECOND: i64 = 1_000_000;

    fn model(source: usize, late_us: Option<i64>) -> Model {
        let event = EventMark {
            arrival: 0,
            event_time_us: Some(100 * SECOND),
            origin: String::new(),
            row: "{}".to_owned(),
            fate: Fate::Accepted,
            source,
        };
        let batch = BatchReport {
            query: String::new(),
            batch: 0,
            kind: BatchKind::Data,
            clock_ms: 0,
            input_rows: 1,
            output_rows: None,
            output: BatchTable { columns: Vec::new(), rows: Vec::new(), total: 0 },
            watermark_ms: None,
            late_watermark_ms: None,
            next_watermark_ms: None,
            max_event_time_ms: None,
            dropped_rows: 0,
            state_rows: 0,
            state_bytes: 0,
            progress_json: String::new(),
            events: vec![event],
            windows: Vec::new(),
            operators: Vec::new(),
        };
        let lane =
            Lane { batch: Rc::new(batch), seats: vec![Seat { source, share: 0.5 }], late_us: None, evict_us: None };
        let join =
            JoinRange { operator: 0, left: vec![0], right: vec![1], lower_us: Some(0), upper_us: Some(60 * SECOND) };
        Model {
            lanes: vec![lane],
            joins: vec![join],
            sources: vec!["clicks".to_owned(), "buys".to_owned()],
            next_late_us: late_us,
            ..Model::default()
        }
    }

    const SPOT: Spot = Spot { lane: 0, event: 0 };

    #[test]
    fn both_sides_know_their_partners() {
        let left = Partners::of(&model(0, None), SPOT).unwrap();
        assert_eq!((left.sources, left.from_us, left.to_us), (vec![1], Some(100 * SECOND), Some(160 * SECOND)));
        let right = Partners::of(&model(1, None), SPOT).unwrap();
        assert_eq!((right.sources, right.from_us, right.to_us), (vec![0], Some(40 * SECOND), Some(100 * SECOND)));
    }

    #[test]
    fn the_watermark_ends_the_wait() {
        let open = model(0, Some(159 * SECOND));
        assert!(Partners::of(&open, SPOT).unwrap().words(&open).ends_with("rows of buys from 00:01:40 to 00:02:40."));
        let over = model(0, Some(160 * SECOND));
        assert!(Partners::of(&over, SPOT).unwrap().words(&over).contains("none can come now"));
    }
}
