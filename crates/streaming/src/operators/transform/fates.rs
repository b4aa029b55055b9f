//! What the processor's operator says about rows: whom it was given to. What the processor makes of them is its own.

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::plan::TimeMode;
use tidemark_sql::types::DataType;

use super::super::judge::{Judge, Release, partitions};
use super::TransformWithStateExec;
use crate::fates::notes::OperatorNotes;
use crate::fates::{Due, Meeting, Verdict};
use crate::state::unsafe_row::encode_rows;

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
            let entry = self.stateful.entry(key, partition, Due::Never, false)?;
            let mut meeting = self.stateful.meeting(entry, time, Verdict::Called);
            if !judges_late {
                meeting.late_watermark_ms = None;
            }
            Ok(meeting)
        });
        judged.collect()
    }

    /// A processor answers for a whole partition: its rows belong to no key.
    fn releases(&self, _notes: &OperatorNotes) -> Result<Vec<Release>> {
        Ok(Vec::new())
    }
}
