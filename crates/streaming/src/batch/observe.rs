//! What the page is told about a batch: its rows, watermarks, and the fate of every source row.

use std::rc::Rc;

use arrow::record_batch::RecordBatch;
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::ExprId;

use super::plan::PlannedBatch;
use crate::api::{BatchObservation, EventFate, EventObservation, OperatorObservation, WindowObservation};
use crate::fates::{BatchTrace, Followed, follow};
use crate::operators::DroppedRow;
use crate::query::Query;
use crate::watermark::WatermarkTracker;

/// The figures of a committed batch.
pub(super) struct Observer<'a> {
    pub(super) query: &'a Query,
    pub(super) batch_id: i64,
    pub(super) no_data_reason: Option<String>,
    pub(super) clock_ms: i64,
    pub(super) input_rows: i64,
    pub(super) output_rows: i64,
    pub(super) watermark_ms: Option<i64>,
    pub(super) late_watermark_ms: Option<i64>,
    pub(super) next_watermark_ms: Option<i64>,
    pub(super) progress_json: String,
    /// Marks of the sources' data in plans, in the order of the query's description.
    pub(super) sources: Vec<ExprId>,
    pub(super) tracker: &'a WatermarkTracker,
}

impl Observer<'_> {
    pub(super) fn observation(self, planned: &PlannedBatch, rows: Vec<Partition>) -> BatchObservation {
        let setup = &self.query.setup;
        let metrics = planned.stateful.operator_metrics();
        let event_times = planned.stateful.event_times();
        let windows = planned
            .stateful
            .window_states()
            .into_iter()
            .map(|w| WindowObservation { start_us: w.start_us, end_us: w.end_us, groups: w.groups, closed: w.closed })
            .collect();
        let mut operators = planned.stateful.operator_reports(&planned.physical());
        let (events, trace) = self.follow(planned, &rows, &mut operators);
        BatchObservation {
            query_id: setup.id.clone(),
            batch_id: self.batch_id,
            no_data_reason: self.no_data_reason,
            clock_ms: self.clock_ms,
            runs: planned.operator_runs(),
            input_rows: self.input_rows,
            output_rows: self.output_rows,
            output: rows.into_iter().flatten().filter(|batch: &RecordBatch| batch.num_rows() > 0).collect(),
            output_columns: setup.output.iter().map(|a| (a.name.to_string(), a.data_type.simple_string())).collect(),
            watermark_ms: self.watermark_ms,
            late_watermark_ms: self.late_watermark_ms,
            next_watermark_ms: self.next_watermark_ms,
            max_event_time_ms: event_times.iter().filter(|node| node.stats.count > 0).map(|node| node.stats.max).max(),
            dropped_rows: metrics.iter().map(|o| o.num_rows_dropped_by_watermark).sum(),
            state_rows: metrics.iter().map(|o| o.num_rows_total).sum(),
            state_bytes: metrics.iter().map(|o| o.memory_used_bytes).sum(),
            progress_json: self.progress_json,
            events,
            windows,
            operators,
            trace,
        }
    }

    /// The events of the batch and what became of them, if rows are followed.
    fn follow(
        &self,
        planned: &PlannedBatch,
        rows: &[Partition],
        operators: &mut [OperatorObservation],
    ) -> (Vec<EventObservation>, Option<Rc<BatchTrace>>) {
        if planned.stateful.follow == 0 {
            return (Vec::new(), None);
        }
        let Followed { mut events, mut trace } = follow(planned, rows, &self.sources);
        for (mark, watermark) in trace.marks.iter_mut().zip(self.tracker.marks()) {
            mark.watermark_ms = *watermark;
        }
        trace.any_mark = self.tracker.takes_highest();
        trace.next_watermark_ms = self.tracker.current_ms();
        if trace.complete {
            for operator in operators {
                operator.input_rows_dropped = Some(trace.late.get(&operator.id).copied().unwrap_or(0));
            }
        }
        let dropped = planned.stateful.dropped_rows();
        for (event, course) in events.iter_mut().zip(&trace.courses) {
            if course.is_cut_off() {
                event.fate = guess(event.event_time_us, &dropped);
            }
        }
        (events, Some(Rc::new(trace)))
    }
}

/// Of a row that cannot be followed: whether a stateful operator refused its window or its event time.
fn guess(event_time_us: Option<i64>, dropped: &[DroppedRow]) -> EventFate {
    let hit = event_time_us.and_then(|time| {
        dropped
            .iter()
            .filter(|row| match row.start_us {
                Some(start) => start <= time && time < row.boundary_us,
                None => row.boundary_us == time,
            })
            .max_by_key(|row| row.boundary_us)
    });
    match hit {
        Some(row) => EventFate::Dropped { boundary_us: row.boundary_us, watermark_us: row.watermark.micros() },
        None => EventFate::Accepted,
    }
}
