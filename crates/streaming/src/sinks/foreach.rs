//! foreachBatch and foreach: functions of the script.

use tidemark_sql::error::{ErrorClass, Result, SparkError};

use super::{Sink, SinkBatch, SinkEnv, count_rows};
use crate::query::Setup;

pub(crate) struct ForeachBatchSink {
    pub(crate) handle: u64,
}

impl Sink for ForeachBatchSink {
    fn description(&self) -> String {
        "ForeachBatchSink".to_owned()
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        let Some(host) = &env.host else {
            return Err(SparkError::internal("foreachBatch without a script"));
        };
        host.foreach_batch(self.handle, batch.frame(), batch.id()).map_err(user_function)?;
        Ok(None)
    }
}

pub(crate) struct ForeachSink {
    pub(crate) handle: u64,
}

impl Sink for ForeachSink {
    fn description(&self) -> String {
        "ForeachWriterTable(org.apache.spark.sql.execution.python.streaming.PythonForeachWriter@1d2e3f40,Right(<function1>))"
            .to_owned()
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        "WriteToMicroBatchDataSource ForeachSink".to_owned()
    }

    fn writer_text(&self) -> Option<String> {
        Some("org.apache.spark.sql.execution.streaming.sources.ForeachWrite$$anon$2@52d0a1e7".to_owned())
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        let Some(host) = &env.host else {
            return Err(SparkError::internal("foreach without a script"));
        };
        let partitions = batch.rows()?;
        for (index, rows) in partitions.iter().enumerate() {
            // What fails in a task comes out as it is.
            host.foreach(self.handle, index, batch.id(), rows)?;
        }
        Ok(Some(count_rows(&partitions)))
    }
}

/// The formats "foreach" and "foreachBatch" without a function: a query that starts and fails with its first batch.
pub(crate) struct NoFunctionSink {
    pub(crate) batches: bool,
}

impl Sink for NoFunctionSink {
    fn description(&self) -> String {
        if self.batches {
            "ForeachBatchSink".to_owned()
        } else {
            "ForeachWriterTable(null,Right(<function1>))".to_owned()
        }
    }

    fn add(&mut self, _batch: &dyn SinkBatch, _env: &SinkEnv) -> Result<Option<i64>> {
        let missing = |text: &str| SparkError::plain(ErrorClass::Java("java.lang.NullPointerException"), text);
        Err(if self.batches {
            let call = "\"scala.Function2.apply(Object, Object)\"";
            user_function(missing(&format!("Cannot invoke {call} because \"this.batchWriter\" is null")))
        } else {
            let call = "\"org.apache.spark.sql.ForeachWriter.open(long, long)\"";
            missing(&format!("Cannot invoke {call} because \"writer\" is null"))
        })
    }
}

/// Wraps what the script raised (ForeachBatchUserFuncException); the cause stays for query.exception().
fn user_function(cause: SparkError) -> SparkError {
    let reason = cause.to_string();
    let condition = "FOREACH_BATCH_USER_FUNCTION_ERROR";
    SparkError::new(ErrorClass::Spark, condition, &[("reason", &reason)]).with_cause(cause)
}
