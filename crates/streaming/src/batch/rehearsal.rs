//! Losing the driver in mid-query and going on from the checkpoint, to see that nothing changes by it
//! ([`crate::api::Rehearsal`]).

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::Partition;

use super::MicroBatch;
use crate::query::Query;
use crate::sinks::SinkBatch;
use crate::trigger::Trigger;

/// What a sink took of a batch.
pub(super) struct Delivered {
    /// None where the sink did not take the rows from the batch itself.
    rows: Option<Vec<Partition>>,
    output_rows: Option<i64>,
}

impl MicroBatch {
    /// Opens the query anew from its checkpoint. The sink stays, and what Spark keeps of a query outside of its run: reports,
    /// and here also the last batch, which says whether one without data is due. Of several watermarks Spark's checkpoint
    /// holds only the one that the policy made of them, so that a restart can hold up output until all streams have gone
    /// on; here they are kept, for the text of the straight run to come out.
    pub(super) fn reopen(&mut self, query: &Query) -> Result<()> {
        if matches!(query.setup.trigger, Trigger::AvailableNow) {
            // What is available now was fixed when the run began.
            return Ok(());
        }
        let sink = std::mem::replace(&mut self.sink, Box::new(crate::sinks::NoopSink));
        let mut fresh = Self::open(query, sink).map_err(|(error, _)| error)?;
        fresh.executed = self.executed.take();
        if self.tracker.nodes() > 1 {
            fresh.tracker = self.tracker.clone();
        }
        fresh.stats = self.stats.take();
        fresh.trigger_ms = self.trigger_ms;
        fresh.last_trigger_ms = self.last_trigger_ms;
        fresh.no_data_reason = self.no_data_reason.take();
        *self = fresh;
        Ok(())
    }

    /// The sink has the batch and the driver is lost: the batch will be run again.
    pub(super) fn lose_after_sink(
        &mut self,
        query: &Query,
        rows: Option<Vec<Partition>>,
        output_rows: Option<i64>,
    ) -> Result<()> {
        self.reopen(query)?;
        self.delivered = Some(Delivered { rows, output_rows });
        Ok(())
    }

    /// Runs a batch that the sink has already: the rows must be the same.
    pub(super) fn run_again(&self, batch: &dyn SinkBatch, delivered: &Delivered) -> Result<Option<i64>> {
        let rows = batch.rows()?;
        let flat = |rows: &[Partition]| -> Vec<_> {
            rows.iter().map(|p| p.iter().filter(|b| b.num_rows() > 0).cloned().collect::<Partition>()).collect()
        };
        if let Some(before) = &delivered.rows
            && flat(before) != flat(&rows)
        {
            return Err(SparkError::internal(format!("batch {} gave other rows when it was run again", self.batch_id)));
        }
        Ok(delivered.output_rows)
    }
}
