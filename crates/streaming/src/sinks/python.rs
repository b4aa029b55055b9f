//! A data source that the script writes in Python as a sink (PythonStreamingWrite).

use indexmap::IndexMap;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::python_source::Writing;
use tidemark_sql::types::{StructField, StructType};

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::operators::OutputMode;
use crate::query::Setup;

const PACKAGE: &str = "org.apache.spark.sql.execution.datasources.v2.python";

pub(crate) struct PythonSink {
    class: u64,
    /// As the writer was told the format.
    name: String,
    options: IndexMap<String, String>,
    /// Of the query, from its first batch on.
    writing: Option<Writing>,
}

impl PythonSink {
    pub(crate) fn new(class: u64, name: &str, options: IndexMap<String, String>) -> Self {
        Self { class, name: name.to_owned(), options, writing: None }
    }
}

impl Sink for PythonSink {
    fn description(&self) -> String {
        // A Java object's default text: class and identity hash.
        format!("{PACKAGE}.PythonTable@2f7c51d8")
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        format!("WriteToMicroBatchDataSource {}", self.name)
    }

    fn writer_text(&self) -> Option<String> {
        Some(format!("{PACKAGE}.PythonStreamingWrite@7a40e9b3"))
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        if env.output_mode == OutputMode::Update {
            let message = format!("requirement failed: {} does not support Update mode.", self.name);
            return Err(SparkError::plain(ErrorClass::IllegalArgument, message));
        }
        let writing = match self.writing.take() {
            Some(writing) => writing,
            None => {
                let fields = batch.output().iter();
                let fields = fields.map(|a| StructField::new(&*a.name, a.data_type.clone(), a.nullable)).collect();
                let overwrite = env.output_mode == OutputMode::Complete;
                let schema = StructType::new(fields);
                Writing::new(&env.session, self.class, &self.name, &self.options, &schema, overwrite)?
            }
        };
        let partitions = batch.rows()?;
        let written = writing.write(&partitions, Some(batch.id()));
        self.writing = Some(writing);
        written?;
        Ok(Some(count_rows(&partitions)))
    }
}
