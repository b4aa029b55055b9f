//! Data sources that another crate brings and that a session has only with their package, as Spark's connectors outside
//! its own jars.

use std::rc::Rc;

use crate::dataframe::{ReadSpec, WriteSpec};
use crate::error::Result;
use crate::plan::PlanRef;
use crate::session::SqlSession;
use crate::types::StructType;

/// Setting that names packages (`--packages`), comma-separated Maven coordinates.
pub const PACKAGES: &str = "spark.jars.packages";

/// Coordinates of Spark's Kafka connector.
pub const KAFKA_PACKAGE: &str = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0";

/// A connector's side of readers and writers. Its streaming source and sink are the streaming crate's own matter.
pub trait Connector {
    /// spark.readStream...load(): checks the options; the columns.
    fn stream_schema(&self, spec: &ReadSpec) -> Result<StructType>;
    /// spark.read...load()
    fn read(&self, session: &SqlSession, spec: &ReadSpec) -> Result<PlanRef>;
    /// df.write...save()
    fn write(&self, session: &SqlSession, plan: &PlanRef, spec: &WriteSpec) -> Result<()>;
}

/// Whether a format is the Kafka connector's, by short or class name.
pub fn is_kafka(format: &str) -> bool {
    let format = format.to_lowercase();
    format == "kafka"
        || format == "org.apache.spark.sql.kafka010"
        || format == "org.apache.spark.sql.kafka010.kafkasourceprovider"
}

/// The Kafka connector, where the format means it and the session has its package.
pub fn kafka(session: &SqlSession, format: &str) -> Option<Rc<dyn Connector>> {
    if !is_kafka(format) {
        return None;
    }
    let conf = session.conf.borrow();
    let loaded = [PACKAGES, "spark.jars"]
        .into_iter()
        .any(|key| conf.get(key).is_some_and(|value| value.contains("spark-sql-kafka-0-10")));
    session.kafka.borrow().clone().filter(|_| loaded)
}
