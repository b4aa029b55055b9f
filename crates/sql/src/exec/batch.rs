//! Record batches made of columns: schemas from attributes, batches without columns, cutting and joining.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::Partition;
use crate::error::Result;
use crate::expr::Attribute;

/// Rows that operators put in one batch.
pub const BATCH_ROWS: usize = 8192;

/// The Arrow schema of these columns. All fields are nullable: Spark's nullability is a promise of the plan, not of the data.
pub fn schema_of(output: &[Arc<Attribute>]) -> SchemaRef {
    let fields: Vec<Field> = output.iter().map(|a| Field::new(&*a.name, a.data_type.to_arrow(), true)).collect();
    Arc::new(Schema::new(fields))
}

/// A batch of `rows` rows whose field types are those of the columns themselves.
pub fn make_batch(output: &[Arc<Attribute>], columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let fields: Vec<Field> =
        output.iter().zip(&columns).map(|(a, c)| Field::new(&*a.name, c.data_type().clone(), true)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
}

/// All rows of a partition in one batch.
pub fn concat_partition(output: &[Arc<Attribute>], partition: &[RecordBatch]) -> Result<RecordBatch> {
    match partition {
        [] => Ok(empty_batch(output)),
        [one] => Ok(one.clone()),
        [first, ..] if first.num_columns() == 0 => {
            let rows = partition.iter().map(RecordBatch::num_rows).sum();
            make_batch(output, Vec::new(), rows)
        }
        [first, ..] => Ok(concat_batches(&first.schema(), partition)?),
    }
}

/// No rows.
pub fn empty_batch(output: &[Arc<Attribute>]) -> RecordBatch {
    RecordBatch::new_empty(schema_of(output))
}

/// The rows at these positions, in this order.
pub fn take_rows(batch: &RecordBatch, indices: &UInt32Array) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(|c| take(c, indices, None)).collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(indices.values().len()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

/// Cuts a large batch into batches of at most [`BATCH_ROWS`] rows; none for no rows.
pub fn cut(batch: &RecordBatch) -> Partition {
    cut_to(batch, BATCH_ROWS)
}

/// The same with batches of at most `rows` rows.
pub fn cut_to(batch: &RecordBatch, rows: usize) -> Partition {
    (0..batch.num_rows()).step_by(rows).map(|at| batch.slice(at, rows.min(batch.num_rows() - at))).collect()
}

/// Rows of a partition.
pub fn row_count(partition: &[RecordBatch]) -> usize {
    partition.iter().map(RecordBatch::num_rows).sum()
}

/// Bytes of the rows as UnsafeRows: null bits, eight bytes a field, longer values in multiples of eight after them.
pub fn unsafe_row_bytes(batch: &RecordBatch) -> i64 {
    let fixed = batch.num_columns().div_ceil(64) * 8 + batch.num_columns() * 8;
    let mut total = fixed * batch.num_rows();
    for column in batch.columns() {
        total += variable_bytes(column);
    }
    i64::try_from(total).unwrap_or(i64::MAX)
}

fn variable_bytes(column: &ArrayRef) -> usize {
    let padded = |n: usize| n.div_ceil(8) * 8;
    if let Some(text) = column.as_string_opt::<i32>() {
        return text.iter().flatten().map(|t| padded(t.len())).sum();
    }
    if let Some(bytes) = column.as_binary_opt::<i32>() {
        return bytes.iter().flatten().map(|t| padded(t.len())).sum();
    }
    if let Some(s) = column.as_struct_opt() {
        let fixed = s.num_columns().div_ceil(64) * 8 + s.num_columns() * 8;
        return fixed * (s.len() - s.null_count()) + s.columns().iter().map(variable_bytes).sum::<usize>();
    }
    match column.as_list_opt::<i32>() {
        Some(list) => 16 * list.len() + 8 * list.values().len() + variable_bytes(list.values()),
        None => 0,
    }
}
