//! Schema of CSV files (CSVInferSchema).

use super::FileStatus;
use super::options::Options;
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::session::SqlSession;
use crate::types::StructType;

/// The schema of all records; None when there are no files.
pub fn infer(
    _session: &SqlSession,
    _conf: &SqlConf,
    _options: &Options,
    _files: &[FileStatus],
) -> Result<Option<StructType>> {
    Err(SparkError::not_yet("Inferring the schema of CSV"))
}
