//! What the stateful operators say about rows: for the page, never for the result.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::exec::sort::normalize_floats;
use tidemark_sql::expr::Attribute;
use tidemark_sql::functions::hash::{murmur3_hash_columns, partition_of};
use tidemark_sql::types::DataType;

use super::stateful::Stateful;
use crate::fates::notes::{Call, OperatorNotes};
use crate::fates::{Due, Entry, EntryId, Meeting, Verdict};
use crate::state::format_rows;
use crate::state::unsafe_row::encode_rows;

/// Seed of HashPartitioning.
const HASH_SEED: i32 = 42;

/// An operator's account of one batch. It judges by the tests that it ran by.
pub(crate) trait Judge {
    /// What the batch made of rows of input `side`, in their order: the columns are the grouping columns for an
    /// aggregation, those of the input otherwise.
    fn judge(&self, side: usize, rows: &RecordBatch, ctx: &ExecContext<'_>) -> Result<Vec<Meeting>>;
    /// What happened to rows of its state, and the rows that came of it.
    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>>;
}

/// Rows that came out together, and the state rows that they come from.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) news: Vec<(EntryId, Kind)>,
    /// Batch among the notes' rows, and row in it.
    pub(crate) rows: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Emitted,
    Removed,
    Grown(Box<Entry>),
    Merged(Box<Entry>),
    Matched {
        partner: String,
    },
    NullRow,
    /// Left the state with its match.
    Taken,
    Called {
        timed_out: bool,
        due: Due,
    },
}

impl Release {
    pub(crate) fn of(entry: EntryId, kind: Kind) -> Self {
        Self { news: vec![(entry, kind)], rows: Vec::new() }
    }
}

/// The first millisecond at which a watermark has reached a time in µs.
pub(super) fn due_ms(us: i64) -> i64 {
    us.div_euclid(1000) + i64::from(us.rem_euclid(1000) != 0)
}

/// Where a shuffle sends rows with these keys.
pub(super) fn partitions(types: &[DataType], keys: &[ArrayRef], rows: usize, partitions: usize) -> Vec<usize> {
    if keys.is_empty() {
        return vec![0; rows];
    }
    let keys: Vec<ArrayRef> = keys.iter().map(normalize_floats).collect();
    murmur3_hash_columns(&keys, types, HASH_SEED).into_iter().map(|hash| partition_of(hash, partitions)).collect()
}

/// The state bytes of whole rows, by which equal rows are equal.
pub(super) fn whole_rows(output: &[Arc<Attribute>], rows: &RecordBatch) -> Result<Vec<Vec<u8>>> {
    let types: Vec<DataType> = output.iter().map(|a| a.data_type.clone()).collect();
    Ok(encode_rows(&types, rows.columns(), rows.num_rows())?.iter().map(<[u8]>::to_vec).collect())
}

/// Rows that an operator let pass, to be told from those of the same key that it did not: equal rows in their order.
pub(super) struct Counted(BTreeMap<Vec<u8>, usize>);

impl Counted {
    pub(super) fn of(stateful: &Stateful) -> Self {
        let notes = stateful.batch.notes.borrow();
        let passed = notes.operators.get(&stateful.operator).map(|notes| notes.passed.as_slice()).unwrap_or_default();
        Self::new(passed)
    }

    pub(super) fn new(rows: &[Vec<u8>]) -> Self {
        let mut counted = BTreeMap::new();
        for row in rows {
            *counted.entry(row.clone()).or_insert(0) += 1;
        }
        Self(counted)
    }

    /// Whether one more row like this is there; it is gone afterwards.
    pub(super) fn take(&mut self, row: &[u8]) -> bool {
        let Some(left) = self.0.get_mut(row).filter(|left| **left > 0) else { return false };
        *left -= 1;
        true
    }
}

impl Stateful {
    pub(super) fn entry_id(&self, bytes: &[u8]) -> EntryId {
        EntryId { operator: self.operator, bytes: Arc::from(bytes) }
    }

    /// Names and texts of a state key's columns.
    pub(super) fn key_texts(&self, key: &[u8]) -> Result<Vec<(String, Option<String>)>> {
        let texts = format_rows(&self.schema.key, &[key], &self.batch.zone)?.into_iter().next().unwrap_or_default();
        Ok(self.schema.key.fields.iter().map(|field| field.name.clone()).zip(texts).collect())
    }

    pub(super) fn entry(&self, key: &[u8], partition: usize, due: Due, emits: bool) -> Result<Entry> {
        Ok(Entry {
            id: self.entry_id(key),
            name: self.name.to_owned(),
            partition,
            key: self.key_texts(key)?,
            window: None,
            due,
            emits,
        })
    }

    /// The test of [`Self::drop_late`], told for one row; `verdict`: what it is if it is not late.
    pub(super) fn meeting(&self, entry: Entry, time_us: Option<i64>, verdict: Verdict) -> Meeting {
        let watermark = self.batch.late(self.operator);
        let late = time_us.is_some_and(|time| time <= watermark.micros());
        let window = self.event_time.is_some_and(|event_time| event_time.window);
        Meeting {
            entry,
            side: None,
            time_us,
            late_watermark_ms: self.event_time.map(|_| watermark.0),
            verdict: if late { Verdict::Late { window } } else { verdict },
        }
    }

    /// The calls of the script's function: for which key, and the rows that came of each.
    pub(super) fn called(&self, notes: &OperatorNotes) -> Vec<Release> {
        let release = |call: &Call| Release {
            news: vec![(self.entry_id(&call.key), Kind::Called { timed_out: call.timed_out, due: call.due })],
            rows: call
                .rows
                .clone()
                .flat_map(|batch| {
                    let rows = notes.rows.get(batch).map_or(0, RecordBatch::num_rows);
                    (0..rows).map(move |row| (batch, row))
                })
                .collect(),
        };
        notes.calls.iter().map(release).collect()
    }

    /// Adds to the notes of the operator, where rows are followed; `limit`: how many rows of a kind are noted.
    pub(super) fn note(&self, add: impl FnOnce(&mut OperatorNotes, usize)) {
        if self.batch.follow > 0 {
            add(self.batch.notes.borrow_mut().operators.entry(self.operator).or_default(), self.batch.follow);
        }
    }
}
