//! What the processor's operator says about rows: for which key they were given to it, and for which key rows came out. What
//! the processor makes of a row is its own.

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::plan::TimeMode;
use tidemark_sql::types::DataType;

use super::super::judge::{Judge, Release, partitions};
use super::TransformWithStateExec;
use super::server::KeyCall;
use crate::fates::notes::{Call, OperatorNotes};
use crate::fates::{Due, Meeting, Verdict};
use crate::state::unsafe_row::encode_rows;

impl TransformWithStateExec {
    /// `out`: what the calls of a partition put out, in their order.
    pub(super) fn note_calls(&self, calls: Vec<KeyCall>, out: Option<&RecordBatch>) {
        self.stateful.note(|notes, limit| {
            let mut from = 0;
            for KeyCall { key, timed_out, rows } in calls {
                notes.cut |= notes.calls.len() >= limit;
                if notes.cut {
                    break;
                }
                let first = notes.rows.len();
                let made = out.filter(|out| rows > 0 && from + rows <= out.num_rows());
                notes.rows.extend(made.map(|out| out.slice(from, rows)));
                notes.calls.push(Call { key, timed_out, due: Due::Script, rows: first..notes.rows.len() });
                from += rows;
            }
        });
    }
}

impl Judge for TransformWithStateExec {
    fn judge(&self, _side: usize, rows: &RecordBatch, ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let table = self.rows.keys.table(rows, &ctx.eval(0, 0))?;
        let types: Vec<DataType> = self.rows.keys.attributes.iter().map(|a| a.data_type.clone()).collect();
        let keys = encode_rows(&types, table.columns(), rows.num_rows())?;
        let places = partitions(&types, table.columns(), rows.num_rows(), self.stateful.batch.shuffle_partitions);
        let judges_late = self.time_mode == TimeMode::EventTime;
        let times = match self.stateful.event_time {
            Some(event_time) if judges_late => event_time.times(rows),
            _ => vec![None; rows.num_rows()],
        };
        let judged = keys.iter().zip(places).zip(times).map(|((key, partition), time)| {
            let entry = self.stateful.entry(key, partition, Due::Script, false)?;
            let mut meeting = self.stateful.meeting(entry, time, Verdict::Called);
            if !judges_late {
                meeting.late_watermark_ms = None;
            }
            Ok(meeting)
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        Ok(self.stateful.called(notes))
    }
}
