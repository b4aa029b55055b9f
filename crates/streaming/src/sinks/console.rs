//! The console sink (ConsoleWrite): a header and a table for every batch.

use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::query::Setup;
use crate::sources::option;

const RULE: &str = "-------------------------------------------";

pub(crate) struct ConsoleSink {
    rows_text: Option<String>,
    truncate_text: Option<String>,
    rows: i32,
    truncate: bool,
}

impl ConsoleSink {
    pub(crate) fn new(options: &IndexMap<String, String>) -> Self {
        let text = |key: &str| option(options, key).map(str::to_owned);
        Self { rows_text: text("numRows"), truncate_text: text("truncate"), rows: 20, truncate: true }
    }
}

impl Sink for ConsoleSink {
    fn description(&self) -> String {
        // A Java object's default text: class and identity hash.
        "org.apache.spark.sql.execution.streaming.ConsoleTable$@4c5d6a3b".to_owned()
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        "WriteToMicroBatchDataSource console".to_owned()
    }

    fn writer_text(&self) -> Option<String> {
        Some(format!("ConsoleWriter[numRows={}, truncate={}]", self.rows, self.truncate))
    }

    fn open(&mut self, _env: &SinkEnv) -> Result<()> {
        if let Some(text) = &self.rows_text {
            self.rows = text
                .parse()
                .map_err(|_| SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\"")))?;
        }
        if let Some(text) = &self.truncate_text {
            self.truncate = match text.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => {
                    return Err(SparkError::plain(
                        ErrorClass::IllegalArgument,
                        format!("{text} is not a boolean string."),
                    ));
                }
            };
        }
        Ok(())
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        let rows = batch.rows()?;
        let count = count_rows(&rows);
        let plan = std::sync::Arc::new(crate::batch::rows::local_relation(batch.output(), rows));
        let truncate = if self.truncate { 20 } else { 0 };
        let table = tidemark_sql::dataframe::show_string(&env.session, &plan, self.rows, truncate, false)?;
        if let Some(host) = &env.host {
            host.print(&format!("{RULE}\nBatch: {}\n{RULE}\n{table}\n", batch.id()));
        }
        Ok(Some(count))
    }
}
