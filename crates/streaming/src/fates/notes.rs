//! What stateful operators note while they run, for the page.

use std::collections::BTreeMap;

use arrow::record_batch::RecordBatch;
use tidemark_sql::exec::aggregate::AggregatePieces;
use tidemark_sql::expr::Expr;

use super::Due;

/// The notes of one execution by operator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) operators: BTreeMap<usize, OperatorNotes>,
}

/// State rows are named by the bytes of their keys, rows of joins by those of the row.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorNotes {
    /// State rows that came out, with the place of their row in `rows`.
    pub(crate) emitted: Vec<Emitted>,
    /// Rows that came out, each batch's schema that of the operator's state rows or of its output.
    pub(crate) rows: Vec<RecordBatch>,
    /// State rows that the eviction watermark took.
    pub(crate) removed: Vec<Vec<u8>>,
    /// Rows that went on as they are, as state bytes of all their columns.
    pub(crate) passed: Vec<Vec<u8>>,
    pub(crate) sessions: Vec<SessionNote>,
    /// Rows of a join that were kept for later partners.
    pub(crate) kept: Vec<Vec<u8>>,
    /// For each row of `rows` of a join: the rows of both sides that it is made of.
    pub(crate) pairs: Vec<[Option<Vec<u8>>; 2]>,
    pub(crate) calls: Vec<Call>,
    /// How an aggregation's state rows become its output.
    pub(crate) finish: Option<Finish>,
    /// There was more than is noted.
    pub(crate) cut: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Emitted {
    pub(crate) key: Vec<u8>,
    /// Batch among `rows`, and row in it.
    pub(crate) at: (usize, usize),
}

/// A session after the batch.
#[derive(Clone, Debug)]
pub(crate) struct SessionNote {
    /// Bytes of the grouping key without the session.
    pub(crate) group: Vec<u8>,
    /// Bytes of the state row's key.
    pub(crate) key: Vec<u8>,
    /// Start and end, µs.
    pub(crate) window: (i64, i64),
    /// State rows whose sessions became part of it.
    pub(crate) replaced: Vec<Vec<u8>>,
}

/// A call of the script's function for one key.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) key: Vec<u8>,
    pub(crate) timed_out: bool,
    /// When the key's timeout comes.
    pub(crate) due: Due,
    /// Batches among `rows` that it gave.
    pub(crate) rows: std::ops::Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub(crate) pieces: AggregatePieces,
    /// The list over the results, where the script's functions take them.
    pub(crate) outer: Option<Vec<Expr>>,
}

impl OperatorNotes {
    /// Notes state rows that came out as the rows of `rows`, at most `limit` of them in all.
    pub(crate) fn emit<'a>(&mut self, keys: impl Iterator<Item = &'a [u8]>, rows: &RecordBatch, limit: usize) {
        let room = limit.saturating_sub(self.emitted.len());
        self.cut |= rows.num_rows() > room;
        let batch = self.rows.len();
        let emitted = keys.take(room).enumerate().map(|(row, key)| Emitted { key: key.to_vec(), at: (batch, row) });
        self.emitted.extend(emitted);
        self.rows.push(rows.clone());
    }
}
