//! Configuration: Spark's keys with their defaults, typed reads for the ones the engine uses.

/// The configuration of one session.
#[derive(Clone, Debug, Default)]
pub struct SqlConf {}
