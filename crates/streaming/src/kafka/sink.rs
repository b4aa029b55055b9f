//! The Kafka sink of a streaming query (Spark's KafkaStreamingWrite). Like Spark's it writes at least once: a batch that
//! runs again is written again.

use std::rc::Rc;

use indexmap::IndexMap;
use tidemark_sql::error::Result;

use super::broker::Broker;
use super::options::Params;
use super::writer::RowWriter;
use crate::query::Setup;
use crate::sinks::{Sink, SinkBatch, SinkEnv};

pub(crate) struct KafkaSink {
    broker: Rc<Broker>,
    params: Params,
}

impl KafkaSink {
    pub(crate) fn new(broker: Rc<Broker>, options: &IndexMap<String, String>) -> Self {
        Self { broker, params: Params::new(options) }
    }
}

impl Sink for KafkaSink {
    fn description(&self) -> String {
        // A Java object's default text: class and identity hash.
        "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable@6b2f1c0e".to_owned()
    }

    fn plan_text(&self, _setup: &Setup) -> String {
        "WriteToMicroBatchDataSource KafkaTable".to_owned()
    }

    fn add(&mut self, batch: &dyn SinkBatch, env: &SinkEnv) -> Result<Option<i64>> {
        // Spark builds the writer when it plans the batch: columns are checked by the first batch, not by start().
        let writer = RowWriter::new(&self.params, batch.output())?;
        writer.send(&self.broker, &batch.rows()?, env.now_ms).map(Some)
    }
}
