//! CSV files to batches.

use arrow::record_batch::RecordBatch;

use super::read::ReadTask;
use super::splits::FileSplit;
use crate::error::{Result, SparkError};

pub(super) fn read(
    _task: &ReadTask<'_>,
    _content: &[u8],
    _split: &FileSplit,
    _separator: Option<&[u8]>,
    _emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    Err(SparkError::not_yet("Reading CSV"))
}
