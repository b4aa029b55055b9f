//! The noop sink: runs the batch and drops it.

use tidemark_sql::error::Result;

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::operators::OutputMode;

pub(crate) struct NoopSink;

impl Sink for NoopSink {
    fn description(&self) -> String {
        "NoopTable".to_owned()
    }

    fn plan_text(&self, _query_id: &str, _output_mode: OutputMode) -> String {
        "WriteToMicroBatchDataSource noop-table".to_owned()
    }

    fn writer_text(&self) -> Option<String> {
        // A Java object's default text: class and identity hash.
        Some("org.apache.spark.sql.execution.datasources.noop.NoopStreamingWrite$@3b1f7a52".to_owned())
    }

    fn add(&mut self, batch: &dyn SinkBatch, _env: &SinkEnv) -> Result<Option<i64>> {
        Ok(Some(count_rows(&batch.rows()?)))
    }
}
