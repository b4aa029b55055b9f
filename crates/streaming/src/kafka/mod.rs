//! Kafka in the session: a simulated broker, and Spark's connector over it (source, batch reads, sink).
//!
//! The connector follows connector/kafka-0-10-sql of Spark; which class, each file says. It is there for sessions that
//! have its package, as in Spark (`spark.jars.packages`).

mod broker;
mod errors;
mod options;
mod ranges;
mod reader;
mod record;
mod rows;
mod scala;
mod sink;
mod source;
mod topic;
mod writer;

use std::rc::{Rc, Weak};
use std::sync::Arc;

use tidemark_sql::catalog::attributes;
use tidemark_sql::connector::Connector;
use tidemark_sql::dataframe::{ReadSpec, WriteSpec};
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::expr::ExprId;
use tidemark_sql::plan::{LogicalPlan, PlanRef};
use tidemark_sql::session::SqlSession;
use tidemark_sql::types::StructType;

pub use broker::{Broker, BrokerError, BrokerResult, FOLDER, Message, Range, Topic};
pub use record::Record;
pub(crate) use sink::KafkaSink;
pub(crate) use source::KafkaSource;

use crate::env::Env;
use errors::{illegal_argument, illegal_state};
use options::{Limit, Params, check_batch, check_stream};
use reader::Reader;
use topic::{Offsets, TopicPartition, key_set_text};
use writer::RowWriter;

/// What readers and writers of the session call.
pub(crate) struct KafkaConnector {
    broker: Rc<Broker>,
    /// For the group ids of batch reads.
    env: Weak<Env>,
}

impl KafkaConnector {
    pub(crate) fn new(broker: Rc<Broker>, env: Weak<Env>) -> Self {
        Self { broker, env }
    }
}

impl Connector for KafkaConnector {
    /// KafkaSourceProvider.sourceSchema
    fn stream_schema(&self, spec: &ReadSpec) -> Result<StructType> {
        let params = Params::new(&spec.options);
        check_stream(&params)?;
        if spec.schema.is_some() {
            return Err(illegal_argument(
                "requirement failed: Kafka source has a fixed schema and cannot be set with a custom one",
            ));
        }
        Ok(rows::schema(params.flag("includeheaders", false)?))
    }

    /// KafkaSourceProvider.createRelation: the rows are read anew by every action.
    fn read(&self, session: &SqlSession, spec: &ReadSpec) -> Result<PlanRef> {
        let params = Params::new(&spec.options);
        check_batch(&params)?;
        let start = Limit::starting(&params, Limit::Earliest)?;
        let end = Limit::ending(&params)?;
        check_limits(&start, &end)?;
        let schema = rows::schema(params.flag("includeheaders", false)?);
        if let Some(given) = &spec.schema
            && given.simple_string() != schema.simple_string()
        {
            let text = |schema: &StructType| schema.simple_string();
            return Err(SparkError::analysis(
                "USER_SPECIFIED_AND_ACTUAL_SCHEMA_MISMATCH",
                &[("schema", &text(given)), ("actualSchema", &text(&schema))],
            ));
        }
        let uuid = self.env.upgrade().map(|env| env.ids.uuid()).unwrap_or_default();
        let prefix = params.get("groupidprefix").unwrap_or("spark-kafka-relation");
        let group_id = format!("{prefix}-{uuid}-executor");
        let reader = Reader::open(self.broker.clone(), session.clock.clone(), &params, group_id)?;
        let output = attributes(&schema);
        let name = format!("kafka {}", ExprId::fresh().0);
        let columns = output.clone();
        let rows = move |_| {
            let tasks = reader.batch_tasks(&start, &end)?;
            tasks.iter().map(|task| Ok(vec![rows::read_task(&reader, task, &columns)?])).collect()
        };
        session.catalog.borrow_mut().set_deferred(&name, Rc::new(rows));
        Ok(Arc::new(LogicalPlan::MemoryTable { name, output }))
    }

    /// KafkaSourceProvider.createRelation(mode, ...)
    fn write(&self, session: &SqlSession, plan: &PlanRef, spec: &WriteSpec) -> Result<()> {
        let mode = spec.mode.as_deref().map(str::to_lowercase);
        let refused = match mode.as_deref() {
            Some("overwrite") => Some("Overwrite"),
            Some("ignore") => Some("Ignore"),
            _ => None,
        };
        if let Some(mode) = refused {
            return Err(SparkError::analysis(
                "_LEGACY_ERROR_TEMP_3081",
                &[("mode", mode), ("append", "Append"), ("errorIfExists", "ErrorIfExists")],
            ));
        }
        let writer = RowWriter::new(&Params::new(&spec.options), &plan.output())?;
        let partitions = tidemark_sql::planner::execute(session, plan)?;
        writer.send(&self.broker, &partitions, session.clock.now_us().div_euclid(1000))?;
        Ok(())
    }
}

/// KafkaSourceProvider.checkOffsetLimitValidity
fn check_limits(start: &Limit, end: &Limit) -> Result<()> {
    let (start, end, what) = match (start, end) {
        (Limit::Offsets(start), Limit::Offsets(end)) => (start, end, "offset"),
        (Limit::Timestamps(start), Limit::Timestamps(end)) => (start, end, "timestamp"),
        _ => return Ok(()),
    };
    if !start.same_partitions(&end.partitions()) {
        return Err(illegal_state(format!(
            "The specified start offset and end offset should have the same topic-partitions.\nTopic-partitions for start \
             offset: {}, topic-partitions for end offset: {}.",
            key_set_text(start),
            key_set_text(end)
        )));
    }
    let after = |(partition, from): &&(TopicPartition, i64)| {
        end.get(partition).is_some_and(|until| *from > until && *from >= 0 && until >= 0)
    };
    match start.iter().find(after) {
        None => Ok(()),
        Some((partition, from)) => Err(illegal_state(format!(
            "The specified start {what} {from} is greater than the end {what} {} for topic {} partition {}.",
            Offsets::get(end, partition).unwrap_or(0),
            partition.topic,
            partition.partition
        ))),
    }
}
