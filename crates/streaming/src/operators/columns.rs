//! State rows and Arrow columns; event times in rows and in keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::batch::{concat_partition, make_batch, take_rows};
use tidemark_sql::exec::sort::normalize_floats;
use tidemark_sql::expr::Attribute;
use tidemark_sql::types::DataType;

use crate::state::unsafe_row::{self, RowArena, decode_rows, encode_rows};

/// Some columns of an operator's input, in the order of a state row.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) ordinals: Vec<usize>,
    pub(super) types: Vec<DataType>,
}

impl Columns {
    pub(super) fn new(input: &[Arc<Attribute>], ordinals: Vec<usize>) -> Self {
        let types = ordinals.iter().map(|ordinal| input[*ordinal].data_type.clone()).collect();
        Self { ordinals, types }
    }

    /// Positions of `wanted` in `input`.
    pub(super) fn of(input: &[Arc<Attribute>], wanted: &[Arc<Attribute>]) -> Result<Self> {
        let position = |a: &Arc<Attribute>| {
            let found = input.iter().position(|b| b.id == a.id);
            found.ok_or_else(|| {
                SparkError::internal(format!("no column {} in the input of a stateful operator", a.name))
            })
        };
        Ok(Self::new(input, wanted.iter().map(position).collect::<Result<_>>()?))
    }

    pub(super) fn attributes(&self, input: &[Arc<Attribute>]) -> Vec<Arc<Attribute>> {
        self.ordinals.iter().map(|ordinal| input[*ordinal].clone()).collect()
    }

    /// The state row of each row.
    pub(super) fn encode(&self, batch: &RecordBatch) -> Result<RowArena> {
        self.encode_with(batch, ArrayRef::clone)
    }

    /// The same for keys: 0.0 and -0.0 are one key, and all NaNs are.
    pub(super) fn encode_keys(&self, batch: &RecordBatch) -> Result<RowArena> {
        self.encode_with(batch, normalize_floats)
    }

    fn encode_with(&self, batch: &RecordBatch, column: impl Fn(&ArrayRef) -> ArrayRef) -> Result<RowArena> {
        let columns: Vec<ArrayRef> = self.ordinals.iter().map(|ordinal| column(batch.column(*ordinal))).collect();
        encode_rows(&self.types, &columns, batch.num_rows())
    }
}

/// Rows of `input` put together from keys and values: every column is in one of them.
pub(super) fn join_rows(
    input: &[Arc<Attribute>],
    keys: (&Columns, &[&[u8]]),
    values: (&Columns, &[&[u8]]),
) -> Result<RecordBatch> {
    let rows = keys.1.len();
    let mut columns: Vec<Option<ArrayRef>> = vec![None; input.len()];
    for (part, bytes) in [keys, values] {
        for (ordinal, column) in part.ordinals.iter().zip(decode_rows(&part.types, bytes)?) {
            columns[*ordinal] = Some(column);
        }
    }
    let missing = || SparkError::internal("a column is neither in the key nor in the value of its state row");
    let columns = columns.into_iter().map(|column| column.ok_or_else(missing)).collect::<Result<_>>()?;
    make_batch(input, columns, rows)
}

/// The rows of two batches of the same columns: (false, i) row i of the first, (true, i) row i of the second.
pub(super) fn interleave(
    output: &[Arc<Attribute>],
    first: &RecordBatch,
    second: &RecordBatch,
    rows: &[(bool, u32)],
) -> Result<RecordBatch> {
    let offset = first.num_rows() as u32;
    let indices: UInt32Array = rows.iter().map(|(other, row)| if *other { offset + row } else { *row }).collect();
    take_rows(&concat_partition(output, &[first.clone(), second.clone()])?, &indices)
}

/// The column that tells whether a row is late, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventTime {
    pub(super) ordinal: usize,
    /// The column is a window: its end counts.
    pub(super) window: bool,
}

impl EventTime {
    /// WatermarkSupport.findEventTimeColumn: two different ones are refused unless multiple stateful operators are.
    pub(super) fn find(output: &[Arc<Attribute>], allow_multiple_operators: bool) -> Result<Option<Self>> {
        let mut marked = output.iter().enumerate().filter(|(_, a)| a.metadata.watermark_delay_ms.is_some());
        let Some((ordinal, first)) = marked.next() else { return Ok(None) };
        if allow_multiple_operators && marked.any(|(_, a)| a.id != first.id) {
            let columns: Vec<String> = output
                .iter()
                .filter_map(|a| Some(format!("{}#{}-T{}ms", a.name, a.id.0, a.metadata.watermark_delay_ms?)))
                .collect();
            return Err(SparkError::new(
                ErrorClass::Analysis,
                "MULTIPLE_EVENT_TIME_COLUMNS",
                &[("eventTimeCols", &format!("({})", columns.join(",")))],
            ));
        }
        Ok(Some(Self { ordinal, window: matches!(first.data_type, DataType::Struct(_)) }))
    }

    /// The times that count, µs; None for null.
    pub(super) fn times(&self, batch: &RecordBatch) -> Vec<Option<i64>> {
        let column = batch.column(self.ordinal);
        if !self.window {
            return micros(column);
        }
        let Some(window) = column.as_struct_opt() else { return vec![None; batch.num_rows()] };
        let ends = window.columns().get(1).map_or_else(|| vec![None; batch.num_rows()], micros);
        ends.into_iter().enumerate().map(|(row, end)| end.filter(|_| window.is_valid(row))).collect()
    }

    /// Starts of the windows, µs; None for null or where there is no window.
    pub(super) fn starts(&self, batch: &RecordBatch) -> Vec<Option<i64>> {
        match batch.column(self.ordinal).as_struct_opt().and_then(|window| window.columns().first()) {
            Some(starts) if self.window => micros(starts),
            _ => vec![None; batch.num_rows()],
        }
    }

    /// The same of a state key (or value) whose field `field` of `fields` is the event time.
    pub(super) fn of_row(self, row: &[u8], fields: usize, field: usize) -> Option<i64> {
        if self.window {
            unsafe_row::long_at(unsafe_row::bytes_at(row, fields, field)?, 2, 1)
        } else {
            unsafe_row::long_at(row, fields, field)
        }
    }
}

/// Values of a timestamp (or long) column.
pub(super) fn micros(column: &ArrayRef) -> Vec<Option<i64>> {
    if let Some(times) = column.as_primitive_opt::<TimestampMicrosecondType>() {
        return times.iter().collect();
    }
    column.as_primitive_opt::<Int64Type>().map_or_else(|| vec![None; column.len()], |longs| longs.iter().collect())
}
