//! The noop sink: runs the batch and drops it.

use tidemark_sql::error::Result;

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::query::Setup;

pub(crate) struct NoopSink;

impl Sink for NoopSink {
    fn description(&self) -> String {
        "NoopTable".to_owned()
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        "WriteToMicroBatchDataSource noop-table".to_owned()
    }

    fn writer_text(&self) -> Option<String> {
        Some("NoopStreamingWrite".to_owned())
    }

    fn add(&mut self, batch: &dyn SinkBatch, _env: &SinkEnv) -> Result<Option<i64>> {
        Ok(Some(count_rows(&batch.rows()?)))
    }
}
