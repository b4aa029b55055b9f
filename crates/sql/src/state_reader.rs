//! spark.read.format("statestore") and ("state-metadata"): the streaming crate knows the files.

use crate::dataframe::ReadSpec;
use crate::error::Result;
use crate::plan::PlanRef;
use crate::session::SqlSession;

/// Reads the state of a checkpoint.
pub trait StateReader {
    /// The rows that the options ask for; `format` is one of [`FORMATS`].
    fn read(&self, session: &SqlSession, format: &str, spec: &ReadSpec) -> Result<PlanRef>;
}

/// StateDataSource and StateMetadataSource by their short names.
pub const FORMATS: [&str; 2] = ["statestore", "state-metadata"];
