//! How long the rows of a join wait, in words, and which rows of the two sides can meet at all.

use tidemark_sql::value::text::calendar_interval_to_string;

use super::state_watermark::Bound;
use super::{LEFT, RIGHT, StreamingSymmetricHashJoinExec};
use crate::operators::columns::EventTime;
use crate::operators::lifetime::{Lifetime, evicted_at};

/// Side of a store by its name.
pub(super) fn side_of(store: &str) -> usize {
    if store.starts_with("right") { RIGHT } else { LEFT }
}

impl StreamingSymmetricHashJoinExec {
    pub(super) fn side_lifetime(&self, store: &str) -> Lifetime {
        let side = side_of(store);
        let time = |event_time: EventTime| {
            let column = self.sides[side].child.output().get(event_time.ordinal);
            column.map_or_else(|| "event time".to_owned(), |a| a.name.to_string())
        };
        match &self.sides[side].bound {
            Bound::None => Lifetime::unbounded(
                "Nothing limits how late a partner may come: the condition has no range over both event times (or one \
                 side has no watermark), so no row ever leaves.",
            ),
            Bound::Key { window: true, .. } => {
                Lifetime::bounded("A row leaves when the watermark reaches the end of the window in its key.")
            }
            Bound::Key { window: false, .. } => {
                Lifetime::bounded("A row leaves when the watermark reaches the event time in its key.")
            }
            bound @ Bound::Value { event_time, .. } => match bound.wait_us() {
                Some(0) => Lifetime::bounded(format!(
                    "A row leaves when the watermark passes its {}: the condition lets no later partner match.",
                    time(*event_time)
                )),
                Some(us) => Lifetime::bounded(format!(
                    "A row leaves when the watermark passes its {} {} {}: the condition lets no later partner match.",
                    time(*event_time),
                    if us < 0 { "-" } else { "+" },
                    calendar_interval_to_string(0, 0, us.abs())
                )),
                None => Lifetime::bounded(format!(
                    "A row leaves by its {} and a bound that the condition sets.",
                    time(*event_time)
                )),
            },
        }
    }

    pub(super) fn row_expiry(&self, store: &str, key: &[u8], value: &[u8]) -> Option<String> {
        let side = &self.sides[side_of(store)];
        match &side.bound {
            Bound::None => None,
            &Bound::Key { field, window } => {
                // The key of a row ends with its index.
                let extra = usize::from(store.ends_with("keyWithIndexToValue"));
                let fields = self.key_types.len() + extra;
                EventTime { ordinal: field, window }
                    .of_row(key, fields, field)
                    .map(|us| evicted_at(us, &self.stateful.batch.zone))
            }
            bound @ Bound::Value { event_time, .. } => {
                if !store.ends_with("keyWithIndexToValue") {
                    return None;
                }
                let time = event_time.of_row(value, side.value_types.len(), event_time.ordinal)?;
                bound.due_ms(time).map(|ms| evicted_at(ms.saturating_mul(1000), &self.stateful.batch.zone))
            }
        }
    }

    /// Bounds of a right row's event time relative to the left row's, µs; None where the condition does not tie them.
    pub(super) fn range(&self) -> Option<(Option<i64>, Option<i64>)> {
        match (&self.sides[LEFT].bound, &self.sides[RIGHT].bound) {
            // Windows meet only themselves, and so do times.
            (Bound::Key { window: false, .. }, _) => Some((Some(0), Some(0))),
            (left, right) => {
                // A left row's bound is about later right rows, and the other way round.
                let (upper, lower) = (left.wait_us(), right.wait_us().map(|us| -us));
                (upper.is_some() || lower.is_some()).then_some((lower, upper))
            }
        }
    }
}
