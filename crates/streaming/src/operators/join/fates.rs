//! What the join says about rows of both sides. A row is named by its side and its own bytes.

use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::exec::bind::eval_all;
use tidemark_sql::plan::JoinKind;
use tidemark_sql::types::DataType;

use super::super::judge::{Counted, Judge, Kind, Release, partitions};
use super::side::Buffered;
use super::state_watermark::Bound;
use super::{EventTime, LEFT, StreamingSymmetricHashJoinExec, all_hold};
use crate::batch::row_json;
use crate::fates::notes::OperatorNotes;
use crate::fates::{Due, Meeting, Verdict};
use crate::state::format_rows;
use crate::state::unsafe_row::set_long;

impl StreamingSymmetricHashJoinExec {
    /// The name of a row: whether it has found a partner is left out of its bytes.
    fn named(&self, side: usize, value: &[u8]) -> Vec<u8> {
        let mut value = value.to_vec();
        let fields = self.sides[side].value_types.len();
        if self.sides[side].stores.with_matched {
            set_long(&mut value, fields, fields - 1, 0);
        }
        value.push(side as u8);
        value
    }

    pub(super) fn note_kept(&self, side: usize, value: &[u8]) {
        self.stateful.note(|notes, limit| {
            if notes.kept.len() < limit {
                notes.kept.push(self.named(side, value));
            }
        });
    }

    pub(super) fn note_removed(&self, side: usize, removed: &[Buffered]) {
        self.stateful.note(|notes, limit| {
            notes.removed.extend(removed.iter().take(limit).map(|row| self.named(side, &row.value)));
        });
    }

    /// `pairs`: the left and the right row of each row of `rows`.
    pub(super) fn note_pairs<'a>(&self, rows: &RecordBatch, pairs: impl FnOnce() -> Vec<[Option<&'a [u8]>; 2]>) {
        self.stateful.note(|notes, limit| {
            let room = limit.saturating_sub(notes.pairs.len());
            notes.cut |= rows.num_rows() > room;
            let batch = notes.rows.len();
            for (row, [left, right]) in pairs().into_iter().take(room).enumerate() {
                notes.pairs.push([left.map(|row| self.named(0, row)), right.map(|row| self.named(1, row))]);
                notes.emitted.push(crate::fates::notes::Emitted { key: Vec::new(), at: (batch, row) });
            }
            notes.rows.push(rows.clone());
        });
    }

    /// A row by its name, as JSON.
    fn json(&self, side: usize, named: &[u8]) -> Result<String> {
        let value = named.get(..named.len().saturating_sub(1)).unwrap_or_default();
        let input = self.sides[side].child.output();
        let batch = crate::batch::rows::record_batch(input, self.columns_of(side, &[value])?)?;
        let columns: Vec<(String, DataType)> =
            input.iter().map(|a| (a.name.to_string(), a.data_type.clone())).collect();
        Ok(row_json(&batch, 0, &columns).to_string())
    }

    /// The time by which a row leaves the state.
    fn row_due(&self, side: usize, key: &[u8], time: Option<i64>) -> Due {
        let bound = &self.sides[side].bound;
        let time = match bound {
            Bound::Key { field, window } => {
                EventTime { ordinal: *field, window: *window }.of_row(key, self.key_types.len(), *field)
            }
            Bound::None | Bound::Value { .. } => time,
        };
        time.and_then(|time| bound.due_ms(time)).map_or(Due::Never, Due::Watermark)
    }
}

impl Judge for StreamingSymmetricHashJoinExec {
    fn judge(&self, side: usize, rows: &RecordBatch, ctx: &ExecContext<'_>) -> Result<Vec<Meeting>> {
        let me = &self.sides[side];
        let eval = ctx.eval(0, 0);
        let passes = all_hold(&me.filter, rows, &eval)?;
        let columns = eval_all(&me.keys, rows, &eval)?;
        let places = partitions(&self.key_types, &columns, rows.num_rows(), self.stateful.batch.shuffle_partitions);
        let encoded = self.encode(side, rows, &columns)?;
        let times = me.event_time.map_or_else(|| vec![None; rows.num_rows()], |e| e.times(rows));
        let mut kept = {
            let notes = self.stateful.batch.notes.borrow();
            Counted::new(notes.operators.get(&self.stateful.operator).map(|n| n.kept.as_slice()).unwrap_or_default())
        };
        let watermark = self.stateful.batch.late(self.stateful.operator);
        let judged = places.into_iter().zip(times).zip(passes).enumerate().map(|(row, ((partition, time), passes))| {
            let key = encoded.keys.row(row);
            let name = self.named(side, encoded.values.row(row));
            let late = time.is_some_and(|time| time <= watermark.micros());
            let verdict = if late {
                Verdict::Late { window: me.event_time.is_some_and(|event_time| event_time.window) }
            } else if passes && kept.take(&name) {
                Verdict::Stored
            } else {
                Verdict::NotKept
            };
            let texts = format_rows(&me.stores.counts.1.key, &[key], &self.stateful.batch.zone)?
                .into_iter()
                .next()
                .unwrap_or_default();
            let entry = crate::fates::Entry {
                id: self.stateful.entry_id(&name),
                name: self.stateful.name.to_owned(),
                partition,
                key: me.key_names.iter().cloned().zip(texts).collect(),
                window: None,
                due: self.row_due(side, key, time),
                emits: self.preserves(side),
            };
            Ok(Meeting {
                entry,
                side: Some(if side == LEFT { "left" } else { "right" }),
                time_us: time,
                late_watermark_ms: me.event_time.map(|_| watermark.0),
                verdict,
            })
        });
        judged.collect()
    }

    fn releases(&self, notes: &OperatorNotes) -> Result<Vec<Release>> {
        let mut releases = Vec::new();
        for (pair, out) in notes.pairs.iter().zip(&notes.emitted) {
            let news = match pair {
                [Some(left), Some(right)] => vec![
                    (self.stateful.entry_id(left), Kind::Matched { partner: self.json(1, right)? }),
                    (self.stateful.entry_id(right), Kind::Matched { partner: self.json(0, left)? }),
                ],
                [Some(alone), None] | [None, Some(alone)] => vec![(self.stateful.entry_id(alone), Kind::NullRow)],
                [None, None] => continue,
            };
            let mut news = news;
            if self.kind == JoinKind::LeftSemi
                && let [Some(left), Some(_)] = pair
            {
                news.push((self.stateful.entry_id(left), Kind::Taken));
            }
            releases.push(Release { news, rows: vec![out.at] });
        }
        releases.extend(notes.removed.iter().map(|row| Release::of(self.stateful.entry_id(row), Kind::Removed)));
        Ok(releases)
    }
}
