//! From the engine's observations to the plain data of the page.

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use tidemark_sql::functions::cast::to_pretty;
use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_sql::types::DataType;
use tidemark_sql::value::{Value, value_at};
use tidemark_streaming::api::{BatchObservation, EventFate, EventObservation, OperatorObservation, QueryDescription};

use crate::messages::{
    BatchKind, BatchReport, BatchTable, Column, EventMark, Fate, OperatorInfo, OperatorReport, QueryInfo, SourceInfo,
    WindowBar,
};

/// Rows of a batch that its report carries; the others are read on demand.
const REPORT_ROWS: usize = 200;
/// Events of a batch that its report carries for the event-time strip: more of them would be one smear, and every report is
/// read between two frames of the page.
const REPORT_EVENTS: usize = 1_000;

pub(super) fn columns(list: &[(String, String)]) -> Vec<Column> {
    list.iter().map(|(name, data_type)| Column { name: name.clone(), data_type: data_type.clone() }).collect()
}

pub(super) fn query_info(query: &QueryDescription) -> QueryInfo {
    QueryInfo {
        id: query.id.clone(),
        run_id: query.run_id.clone(),
        name: query.name.clone(),
        output_mode: query.output_mode.clone(),
        trigger: query.trigger.clone(),
        sink: query.sink.clone(),
        checkpoint: query.checkpoint.clone(),
        sources: query
            .sources
            .iter()
            .map(|source| SourceInfo {
                description: source.description.clone(),
                folder: source.folder.clone(),
                format: source.format.clone(),
                schema: columns(&source.schema),
            })
            .collect(),
        output: columns(&query.output),
        operators: query
            .operators
            .iter()
            .map(|operator| OperatorInfo {
                name: operator.name.clone(),
                partitions: operator.partitions,
                key: columns(&operator.key),
                value: columns(&operator.value),
            })
            .collect(),
        watermark_delay_ms: query.watermark_delay_ms,
        event_time_column: query.event_time_column.clone(),
    }
}

/// `first`: arrival number of the batch's first event.
pub(super) fn batch_report(batch: &BatchObservation, first: u64, zone: &Zone) -> BatchReport {
    let total = batch.output.iter().map(RecordBatch::num_rows).sum();
    BatchReport {
        query: batch.query_id.clone(),
        batch: batch.batch_id,
        kind: match &batch.no_data_reason {
            Some(reason) => BatchKind::NoData { reason: reason.clone() },
            None => BatchKind::Data,
        },
        clock_ms: batch.clock_ms,
        input_rows: batch.input_rows,
        output_rows: (batch.output_rows >= 0).then_some(batch.output_rows),
        output: BatchTable {
            columns: columns(&batch.output_columns),
            rows: cells(&batch.output, zone, 0, REPORT_ROWS),
            total,
        },
        watermark_ms: batch.watermark_ms,
        late_watermark_ms: batch.late_watermark_ms,
        next_watermark_ms: batch.next_watermark_ms,
        max_event_time_ms: batch.max_event_time_ms,
        dropped_rows: batch.dropped_rows,
        state_rows: batch.state_rows,
        state_bytes: batch.state_bytes,
        progress_json: pretty(&batch.progress_json),
        events: marks(&batch.events, first),
        windows: batch
            .windows
            .iter()
            .map(|window| WindowBar {
                start_us: window.start_us,
                end_us: window.end_us,
                groups: window.groups,
                closed: window.closed,
            })
            .collect(),
        operators: batch.operators.iter().map(operator_report).collect(),
    }
}

fn operator_report(operator: &OperatorObservation) -> OperatorReport {
    OperatorReport {
        id: operator.id,
        name: operator.name.clone(),
        late_watermark_ms: operator.late_watermark_ms,
        eviction_watermark_ms: operator.eviction_watermark_ms,
        rows_total: operator.rows_total,
        rows_updated: operator.rows_updated,
        rows_removed: operator.rows_removed,
        rows_dropped: operator.rows_dropped,
        input_rows_dropped: operator.input_rows_dropped,
    }
}

/// The events that the report shows, in arrival order: where there are too many, the dropped ones go before the others, of
/// which every so many-th is taken.
fn marks(events: &[EventObservation], first: u64) -> Vec<EventMark> {
    let dropped = |event: &EventObservation| matches!(event.fate, EventFate::Dropped { .. });
    let lost = events.iter().filter(|event| dropped(event)).count();
    let others = events.len() - lost;
    let room = REPORT_EVENTS.saturating_sub(lost).min(others);
    let share = |count: usize| count as u64 * room as u64 / others as u64;
    let mut passed = 0;
    let mut shown = Vec::new();
    for (arrival, event) in (first..).zip(events) {
        if !dropped(event) {
            passed += 1;
            if share(passed) == share(passed - 1) {
                continue;
            }
        }
        shown.push(EventMark {
            arrival,
            event_time_us: event.event_time_us,
            origin: event.origin.clone(),
            row: event.row.clone(),
            source: event.source,
            fate: match event.fate {
                EventFate::Accepted => Fate::Accepted,
                EventFate::Filtered => Fate::Filtered,
                EventFate::Dropped { boundary_us, watermark_us } => Fate::Dropped { boundary_us, watermark_us },
            },
        });
        if shown.len() == REPORT_EVENTS {
            break;
        }
    }
    shown
}

/// Rows from `offset`, each cell as `show(truncate=False)` prints it; None: null.
pub(super) fn cells(batches: &[RecordBatch], zone: &Zone, offset: usize, limit: usize) -> Vec<Vec<Option<String>>> {
    let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    rows.skip(offset)
        .take(limit)
        .map(|(batch, row)| batch.columns().iter().map(|column| cell(column, row, zone)).collect())
        .collect()
}

fn cell(column: &ArrayRef, row: usize, zone: &Zone) -> Option<String> {
    // Every column of the engine has one of Spark's types; another one would show as null.
    let data_type = DataType::from_arrow(column.data_type()).ok()?;
    match value_at(column, row, &data_type) {
        Value::Null => None,
        value => Some(to_pretty(&value, &data_type, zone)),
    }
}

/// Spark's `prettyJson` layout; text that is no JSON stays.
fn pretty(json: &str) -> String {
    let parsed: Result<serde_json::Value, _> = serde_json::from_str(json);
    parsed.ok().and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| json.to_owned())
}

#[cfg(test)]
mod tests {
    use tidemark_streaming::fates::Place;

    use super::*;

    #[test]
    fn a_large_batch_is_shown_by_an_even_choice_with_every_dropped_event() {
        let event = |arrival: i64| EventObservation {
            event_time_us: Some(arrival),
            origin: String::new(),
            row: String::new(),
            fate: if arrival % 20_000 == 7 {
                EventFate::Dropped { boundary_us: 0, watermark_us: 0 }
            } else {
                EventFate::Accepted
            },
            place: Place::Row { row: arrival as usize },
            source: 0,
        };
        let events: Vec<EventObservation> = (0..100_000).map(event).collect();
        let shown = marks(&events, 0);
        assert_eq!(shown.len(), REPORT_EVENTS);
        assert_eq!(shown.iter().filter(|mark| matches!(mark.fate, Fate::Dropped { .. })).count(), 5);
        let widest = shown.windows(2).map(|pair| pair[1].arrival - pair[0].arrival).max();
        assert!(widest.is_some_and(|widest| widest <= 102), "{widest:?}");
        assert_eq!(marks(&events[..900], 0).len(), 900);
    }
}
