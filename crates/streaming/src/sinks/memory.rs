//! The memory sink: a temp view with the rows so far.

use std::sync::Arc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::Partition;
use tidemark_sql::expr::Attribute;
use tidemark_sql::session::SqlSession;
use tidemark_sql::types::{StructField, StructType};

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::operators::OutputMode;
use crate::query::Setup;

pub(crate) struct MemorySink {
    view: String,
    /// Rows by batch, oldest first.
    batches: Vec<(i64, Partition)>,
}

impl MemorySink {
    pub(crate) fn new(view: String) -> Self {
        Self { view, batches: Vec::new() }
    }
}

/// Puts the rows under the view's name.
pub(crate) fn publish(session: &SqlSession, view: &str, output: &[Arc<Attribute>], rows: Partition) -> Result<()> {
    if view.contains('.') && !view.split('.').any(str::is_empty) {
        return Err(SparkError::analysis("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", &[("actualName", view)]));
    }
    let valid = !view.is_empty() && view.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !valid {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1321", &[("viewName", view)]));
    }
    let fields = output.iter().map(|a| StructField::new(&*a.name, a.data_type.clone(), a.nullable)).collect();
    session.catalog.borrow_mut().set_memory_table(view, &StructType::new(fields), rows);
    Ok(())
}

impl Sink for MemorySink {
    fn description(&self) -> String {
        "MemorySink".to_owned()
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        "WriteToMicroBatchDataSource MemorySink".to_owned()
    }

    fn writer_text(&self) -> Option<String> {
        Some("org.apache.spark.sql.execution.streaming.sources.MemoryStreamingWrite@6a8d2c41".to_owned())
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        let partitions = batch.rows()?;
        let count = count_rows(&partitions);
        let rows: Partition = partitions.into_iter().flatten().filter(|b| b.num_rows() > 0).collect();
        if self.batches.last().is_none_or(|(id, _)| *id < batch.id()) {
            if env.output_mode == OutputMode::Complete {
                self.batches.clear();
            }
            self.batches.push((batch.id(), rows));
            let all = self.batches.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
            publish(&env.session, &self.view, batch.output(), all)?;
        }
        Ok(Some(count))
    }
}
