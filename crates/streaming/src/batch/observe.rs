//! What the page is told about a batch: its rows, watermarks, and the fate of every source row.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::{ExecContext, Partition};
use tidemark_sql::expr::{Attribute, Expr, ExprId};
use tidemark_sql::plan::{LogicalPlan, PlanRef};
use tidemark_sql::planner::Planner;
use tidemark_sql::types::DataType;
use tidemark_sql::value::{Value, value_at};
use tidemark_vfs::file_name;

use super::json_rows::row_json;
use super::plan::PlannedBatch;
use crate::api::{BatchObservation, EventFate, EventObservation, WindowObservation};
use crate::operators::DroppedRow;
use crate::query::Query;

/// Source rows that are recorded of one batch at most.
const MAX_EVENTS: usize = 10_000;
/// Bytes of files that are read again for them at most.
const MAX_BYTES: u64 = 8 << 20;

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
}

impl Observer<'_> {
    pub(super) fn observation(self, planned: &PlannedBatch, rows: Vec<Partition>) -> BatchObservation {
        let setup = &self.query.setup;
        let operators = planned.stateful.operator_metrics();
        let event_times = planned.stateful.event_times();
        let windows = planned
            .stateful
            .window_states()
            .into_iter()
            .map(|w| WindowObservation { start_us: w.start_us, end_us: w.end_us, groups: w.groups, closed: w.closed })
            .collect();
        BatchObservation {
            query_id: setup.id.clone(),
            batch_id: self.batch_id,
            no_data_reason: self.no_data_reason,
            clock_ms: self.clock_ms,
            input_rows: self.input_rows,
            output_rows: self.output_rows,
            output: rows.into_iter().flatten().filter(|batch| batch.num_rows() > 0).collect(),
            output_columns: setup.output.iter().map(|a| (a.name.to_string(), a.data_type.simple_string())).collect(),
            watermark_ms: self.watermark_ms,
            late_watermark_ms: self.late_watermark_ms,
            next_watermark_ms: self.next_watermark_ms,
            max_event_time_ms: event_times.iter().filter(|node| node.stats.count > 0).map(|node| node.stats.max).max(),
            dropped_rows: operators.iter().map(|o| o.num_rows_dropped_by_watermark).sum(),
            state_rows: operators.iter().map(|o| o.num_rows_total).sum(),
            state_bytes: operators.iter().map(|o| o.memory_used_bytes).sum(),
            progress_json: self.progress_json,
            // The page can do without the events; a batch that ran cannot fail for them.
            events: events(planned).unwrap_or_default(),
            windows,
            operators: planned.stateful.operator_reports(&planned.physical()),
        }
    }
}

/// Data of one source in the batch's plan.
struct SourceRows<'a> {
    data: &'a LogicalPlan,
    output: &'a [Arc<Attribute>],
    /// Conditions that decide on a row before anything else happens to it.
    conditions: Vec<Expr>,
    event_time: Option<ExprId>,
}

/// Finds the sources below `plan`; `conditions` and `event_time` are those of the way down that only let rows pass.
fn sources<'a>(
    plan: &'a LogicalPlan,
    mut conditions: Vec<Expr>,
    mut event_time: Option<ExprId>,
    found: &mut Vec<SourceRows<'a>>,
) {
    match plan {
        LogicalPlan::StreamingBatch { data, output, .. } => {
            let ids: Vec<ExprId> = output.iter().map(|a| a.id).collect();
            conditions.retain(|c| c.deterministic() && c.references().iter().all(|id| ids.contains(id)));
            found.push(SourceRows { data, output, conditions, event_time: event_time.filter(|id| ids.contains(id)) });
            return;
        }
        LogicalPlan::Filter { condition, .. } => conditions.push(condition.clone()),
        LogicalPlan::EventTimeWatermark { column, .. } => event_time = column.expr_id().or(event_time),
        LogicalPlan::Project { .. }
        | LogicalPlan::SubqueryAlias { .. }
        | LogicalPlan::View { .. }
        | LogicalPlan::Union { .. }
        | LogicalPlan::Expand { .. }
        | LogicalPlan::Repartition { .. }
        | LogicalPlan::CollectMetrics { .. } => {}
        _ => conditions.clear(),
    }
    for child in plan.children() {
        sources(child, conditions.clone(), event_time, found);
    }
}

/// The source's data, file by file where there are files, each with its origin.
fn pieces(data: &LogicalPlan) -> Vec<(String, LogicalPlan)> {
    match data {
        LogicalPlan::FileRelation(relation) => relation
            .files
            .iter()
            .scan(0_u64, |read, file| {
                *read += file.len;
                (*read <= MAX_BYTES).then_some(file)
            })
            .map(|file| {
                let mut one = relation.clone();
                one.files = Arc::new(vec![file.clone()]);
                (file_name(&file.path).to_owned(), LogicalPlan::FileRelation(one))
            })
            .collect(),
        other => vec![(String::new(), other.clone())],
    }
}

fn events(planned: &PlannedBatch) -> Result<Vec<EventObservation>> {
    let mut found = Vec::new();
    sources(&planned.logical, Vec::new(), None, &mut found);
    let dropped = planned.stateful.dropped_rows();
    let mut events = Vec::new();
    for source in found {
        for (origin, data) in pieces(source.data) {
            if events.len() >= MAX_EVENTS {
                return Ok(events);
            }
            record(planned, &source, &origin, data, &dropped, &mut events)?;
        }
    }
    Ok(events)
}

fn record(
    planned: &PlannedBatch,
    source: &SourceRows<'_>,
    origin: &str,
    data: LogicalPlan,
    dropped: &[DroppedRow],
    events: &mut Vec<EventObservation>,
) -> Result<()> {
    let mut list: Vec<Expr> = source.output.iter().cloned().map(Expr::Attribute).collect();
    list.extend(source.conditions.iter().enumerate().map(|(i, c)| c.clone().alias(&format!("condition {i}"))));
    let plan: PlanRef = Arc::new(LogicalPlan::Project { list, child: Arc::new(data) });
    let mut ctx = ExecContext::new(planned.session());
    ctx.now_us = planned.now_us();
    let rows = Planner::new(&ctx, None).plan(&plan)?.execute(&ctx)?;
    let columns: Vec<(String, DataType)> =
        source.output.iter().map(|a| (a.name.to_string(), a.data_type.clone())).collect();
    let time = source.event_time.and_then(|id| source.output.iter().position(|a| a.id == id));
    for batch in rows.iter().flatten() {
        for row in 0..batch.num_rows() {
            if events.len() >= MAX_EVENTS {
                return Ok(());
            }
            let event_time_us = time.and_then(|at| micros(batch, at, row, &columns[at].1));
            let passes = (columns.len()..batch.num_columns()).all(|at| {
                batch.column(at).as_any().downcast_ref::<BooleanArray>().is_none_or(|b| b.is_valid(row) && b.value(row))
            });
            let fate = if passes { fate(event_time_us, dropped) } else { EventFate::Filtered };
            events.push(EventObservation {
                event_time_us,
                origin: origin.to_owned(),
                row: row_json(batch, row, &columns).to_string(),
                fate,
            });
        }
    }
    Ok(())
}

fn micros(batch: &RecordBatch, column: usize, row: usize, data_type: &DataType) -> Option<i64> {
    match value_at(batch.column(column).as_ref(), row, data_type) {
        Value::Timestamp(us) | Value::TimestampNtz(us) => Some(us),
        _ => None,
    }
}

/// Whether a stateful operator refused the window or the event time of the row.
fn fate(event_time_us: Option<i64>, dropped: &[DroppedRow]) -> EventFate {
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
