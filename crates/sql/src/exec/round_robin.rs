//! The order that rows take before they are dealt out in turn (spark.sql.execution.sortBeforeRepartition): by the hash of
//! their UnsafeRow bytes, then by the bytes. It makes the result the same when a task runs again.

use std::sync::Arc;

use arrow::array::UInt32Array;
use arrow::record_batch::RecordBatch;

use super::Partition;
use super::batch::{concat_partition, take_rows};
use crate::error::Result;
use crate::expr::Attribute;
use crate::functions::hash::murmur3_bytes;
use crate::types::DataType;
use crate::unsafe_row::encode_rows;

/// Seed of UnsafeRow.hashCode.
const ROW_SEED: i32 = 42;

/// The rows of a partition in that order.
pub(super) fn in_row_order(output: &[Arc<Attribute>], partition: &[RecordBatch]) -> Result<Partition> {
    let batch = concat_partition(output, partition)?;
    let types: Vec<DataType> = output.iter().map(|column| column.data_type.clone()).collect();
    let encoded = encode_rows(&types, batch.columns(), batch.num_rows())?;
    let mut rows: Vec<(i32, &[u8], u32)> =
        encoded.iter().enumerate().map(|(row, bytes)| (murmur3_bytes(bytes, ROW_SEED), bytes, row as u32)).collect();
    // RecordBinaryComparator: shorter rows first, then byte by byte.
    rows.sort_by(|a, b| (a.0, a.1.len(), a.1).cmp(&(b.0, b.1.len(), b.1)));
    let order = UInt32Array::from_iter_values(rows.iter().map(|row| row.2));
    if batch.num_rows() == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![take_rows(&batch, &order)?])
}
