//! Stream-stream join: each side's new rows meet the other side's buffered rows, and are buffered themselves as long as the
//! watermark lets them find a partner (StreamingSymmetricHashJoin).

mod fates;
mod lifetime;
mod plan;
mod side;
mod state_watermark;

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array, new_null_array};
use arrow::compute::take;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::batch::{make_batch, take_rows};
use tidemark_sql::exec::bind::{eval_all, eval_condition};
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use tidemark_sql::expr::{Attribute, Expr};
use tidemark_sql::functions::EvalContext;
use tidemark_sql::plan::JoinKind;
use tidemark_sql::planner::text;
use tidemark_sql::types::DataType;

use self::side::{Buffered, SideState, SideStores};
use self::state_watermark::Bound;
use super::aggregate::{state_info, watermarks};
use super::columns::EventTime;
use super::lifetime::Lifetime;
use super::nodes::{MatchRange, StateWriter};
use super::stateful::Stateful;
use super::watermark::EvictionWatermark;
use crate::state::unsafe_row::{RowArena, decode_rows, encode_rows};
use crate::state::{DEFAULT_STORE, StateSchema, StoreMetadata, StoreMetrics};

pub(crate) use plan::plan_join;

const SYMMETRIC_HASH_JOIN: &str = "symmetricHashJoin";
const LEFT: usize = 0;
const RIGHT: usize = 1;

/// One input of the join.
#[derive(Clone, Debug)]
struct Side {
    child: ExecRef,
    /// Join keys bound to the input, and as explain shows them.
    keys: Vec<Expr>,
    shown_keys: String,
    key_names: Vec<String>,
    /// What the condition asks of this side alone, bound to the input. Rows that fail it are never buffered.
    filter: Vec<Expr>,
    event_time: Option<EventTime>,
    bound: Bound,
    stores: SideStores,
    /// Types of the input columns and of "matched".
    value_types: Vec<DataType>,
}

impl Side {
    /// What removes rows of the side under a watermark (ms), as explain shows it (JoinStateWatermarkPredicates).
    fn cleanup(&self, watermark_ms: i64) -> Option<String> {
        let boundary = self.bound.state_watermark(watermark_ms)?.wrapping_mul(1000);
        let end = |window: bool| if window { ".end" } else { "" };
        Some(match &self.bound {
            Bound::None => return None,
            Bound::Key { field, window } => {
                let data_type = self.keys.get(*field).map_or_else(String::new, |key| key.data_type().simple_string());
                format!("key predicate: (input[{field}, {data_type}, true]{} <= {boundary})", end(*window))
            }
            Bound::Value { event_time, .. } => {
                let column =
                    self.child.output().get(event_time.ordinal).map_or_else(String::new, |a| text::attribute(a));
                format!("value predicate: ({column}{} <= {boundary})", end(event_time.window))
            }
        })
    }
}

#[derive(Debug)]
pub(crate) struct StreamingSymmetricHashJoinExec {
    stateful: Stateful,
    kind: JoinKind,
    key_types: Vec<DataType>,
    sides: [Side; 2],
    /// What the condition asks of both sides together, bound to the left columns and then the right.
    condition: Vec<Expr>,
    /// The condition as explain shows it.
    shown_condition: String,
    output: Vec<Arc<Attribute>>,
    /// State format 3: Spark has the four stores as column families of one.
    one_store: bool,
}

/// New rows of one side in state form.
struct Encoded {
    keys: RowArena,
    values: RowArena,
}

/// A new row and a buffered row of its key.
struct Pair {
    row: u32,
    buffered: Buffered,
}

impl StreamingSymmetricHashJoinExec {
    /// Whether unmatched rows of a side come out with nulls.
    fn preserves(&self, side: usize) -> bool {
        match self.kind {
            JoinKind::LeftOuter | JoinKind::LeftSingle => side == LEFT,
            JoinKind::RightOuter => side == RIGHT,
            JoinKind::FullOuter => true,
            _ => false,
        }
    }

    fn encode(&self, side: usize, batch: &RecordBatch, keys: &[ArrayRef]) -> Result<Encoded> {
        let rows = batch.num_rows();
        let mut columns = batch.columns().to_vec();
        if self.sides[side].stores.with_matched {
            columns.push(Arc::new(BooleanArray::from(vec![false; rows])));
        }
        Ok(Encoded {
            keys: encode_rows(&self.key_types, keys, rows)?,
            values: encode_rows(&self.sides[side].value_types, &columns, rows)?,
        })
    }

    /// Columns of buffered rows of a side, without "matched".
    fn columns_of(&self, side: usize, values: &[&[u8]]) -> Result<Vec<ArrayRef>> {
        let mut columns = decode_rows(&self.sides[side].value_types, values)?;
        if self.sides[side].stores.with_matched {
            columns.pop();
        }
        Ok(columns)
    }

    /// Which pairs satisfy the condition.
    fn matches(
        &self,
        own: &[ArrayRef],
        other: &[ArrayRef],
        side: usize,
        pairs: &[Pair],
        eval: &EvalContext<'_>,
    ) -> Result<Vec<bool>> {
        if pairs.is_empty() || self.condition.is_empty() {
            return Ok(vec![true; pairs.len()]);
        }
        let rows: UInt32Array = pairs.iter().map(|pair| pair.row).collect();
        let own: Vec<ArrayRef> = own.iter().map(|c| take(c, &rows, None)).collect::<Result<_, _>>()?;
        let columns = in_order(side, own, other.to_vec());
        let batch = make_batch(&self.both(), columns, pairs.len())?;
        all_hold(&self.condition, &batch, eval)
    }

    /// Left columns and then right ones.
    fn both(&self) -> Vec<Arc<Attribute>> {
        self.sides.iter().flat_map(|side| side.child.output().iter().cloned()).collect()
    }

    /// storeAndJoinWithOtherSide for one batch of new rows.
    fn join(
        &self,
        side: usize,
        batch: &RecordBatch,
        states: &mut [SideState; 2],
        ctx: &ExecContext<'_>,
        index: usize,
    ) -> Result<RecordBatch> {
        let me = &self.sides[side];
        let batch = self.stateful.drop_late_by(me.event_time, batch)?;
        let eval = ctx.eval(index, 0);
        let passes = all_hold(&me.filter, &batch, &eval)?;
        let encoded = self.encode(side, &batch, &eval_all(&me.keys, &batch, &eval)?)?;
        if self.kind == JoinKind::LeftSemi && side == RIGHT {
            return self.join_semi(&batch, &passes, &encoded, states, &eval);
        }
        let other = 1 - side;
        let mut pairs = Vec::new();
        for row in (0..batch.num_rows()).filter(|row| passes[*row]) {
            let buffered = states[other].rows_of(encoded.keys.row(row));
            pairs.extend(buffered.into_iter().map(|buffered| Pair { row: row as u32, buffered }));
        }
        let values: Vec<&[u8]> = pairs.iter().map(|pair| &pair.buffered.value[..]).collect();
        let other_columns = self.columns_of(other, &values)?;
        let matches = self.matches(batch.columns(), &other_columns, side, &pairs, &eval)?;
        let semi = self.kind == JoinKind::LeftSemi;
        // Rows that come out: own row, and the pair whose buffered row stands beside it.
        let mut out: Vec<(u32, Option<u32>)> = Vec::new();
        let mut added = 0;
        let mut next = 0;
        for (row, passes) in passes.into_iter().enumerate() {
            if !passes {
                if self.preserves(side) {
                    out.push((row as u32, None));
                }
                continue;
            }
            let key = encoded.keys.row(row);
            let mut matched = false;
            while next < pairs.len() && pairs[next].row as usize == row {
                let (at, pair) = (next, &pairs[next]);
                next += 1;
                // A semi join's left row needs one partner, and comes out once.
                if !matches[at] || (semi && side == LEFT && matched) {
                    continue;
                }
                if !pair.buffered.matched && !states[other].is_matched(key, pair.buffered.index) {
                    states[other].mark_matched(key, &pair.buffered);
                }
                matched = true;
                out.push((row as u32, Some(at as u32)));
            }
            if self.keeps(side, key, encoded.values.row(row), matched) {
                let value = encoded.values.row(row);
                states[side].append(key, value, matched, self.time(side, key, value));
                self.note_kept(side, encoded.values.row(row));
                added += 1;
            }
        }
        self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_rows_updated += added);
        let rows = self.rows(side, batch.columns(), &other_columns, &out)?;
        self.note_pairs(&rows, || {
            let beside = |at: &u32| &pairs[*at as usize].buffered.value[..];
            let pair =
                |(row, at): &(u32, Option<u32>)| (Some(encoded.values.row(*row as usize)), at.as_ref().map(beside));
            out.iter().map(pair).map(|(own, other)| if side == LEFT { [own, other] } else { [other, own] }).collect()
        });
        Ok(rows)
    }

    /// The right rows of a semi join: a left row comes out at its first match and leaves the state.
    fn join_semi(
        &self,
        batch: &RecordBatch,
        passes: &[bool],
        encoded: &Encoded,
        states: &mut [SideState; 2],
        eval: &EvalContext<'_>,
    ) -> Result<RecordBatch> {
        let mut out = Vec::new();
        let (mut added, mut removed) = (0, 0);
        for row in (0..batch.num_rows()).filter(|row| passes[*row]) {
            let key = encoded.keys.row(row);
            let pairs: Vec<Pair> =
                states[LEFT].rows_of(key).into_iter().map(|buffered| Pair { row: row as u32, buffered }).collect();
            let values: Vec<&[u8]> = pairs.iter().map(|pair| &pair.buffered.value[..]).collect();
            let columns = self.columns_of(LEFT, &values)?;
            let matches = self.matches(batch.columns(), &columns, RIGHT, &pairs, eval)?;
            let rows: Vec<Buffered> = pairs.into_iter().map(|pair| pair.buffered).collect();
            let gone = states[LEFT].remove_matched(key, &rows, &matches);
            removed += gone.len() as i64;
            if self.keeps(RIGHT, key, encoded.values.row(row), !gone.is_empty()) {
                let value = encoded.values.row(row);
                states[RIGHT].append(key, value, !gone.is_empty(), self.time(RIGHT, key, value));
                self.note_kept(RIGHT, encoded.values.row(row));
                added += 1;
            }
            out.extend(gone.into_iter().map(|position| (row, rows[position].value.clone())));
        }
        self.stateful.batch.count(self.stateful.operator, |metrics| {
            metrics.num_rows_updated += added;
            metrics.num_rows_removed += removed;
        });
        let values: Vec<&[u8]> = out.iter().map(|(_, value)| &value[..]).collect();
        let rows = make_batch(&self.output, self.columns_of(LEFT, &values)?, values.len())?;
        self.note_pairs(&rows, || {
            out.iter().map(|(row, value)| [Some(&value[..]), Some(encoded.values.row(*row))]).collect()
        });
        Ok(rows)
    }

    /// Whether a new row goes into the state (AddingProcessedRowToStateCompletionIterator).
    fn keeps(&self, side: usize, key: &[u8], value: &[u8], matched: bool) -> bool {
        if side == LEFT {
            return !(self.kind == JoinKind::LeftSemi && matched);
        }
        !self.evicts(side, key, value) || (self.preserves(RIGHT) && !matched)
    }

    /// Whether this batch's watermark removes a buffered row.
    fn evicts(&self, side: usize, key: &[u8], value: &[u8]) -> bool {
        let Some(boundary) = self.boundary(side) else { return false };
        self.time(side, key, value).is_some_and(|time| time <= boundary)
    }

    /// The event time (µs) of a buffered row that removals go by.
    fn time(&self, side: usize, key: &[u8], value: &[u8]) -> Option<i64> {
        match self.sides[side].bound {
            Bound::None => None,
            Bound::Key { .. } => self.key_time(side, key),
            Bound::Value { .. } => self.value_time(side, value),
        }
    }

    fn key_time(&self, side: usize, key: &[u8]) -> Option<i64> {
        let &Bound::Key { field, window } = &self.sides[side].bound else { return None };
        EventTime { ordinal: field, window }.of_row(key, self.key_types.len(), field)
    }

    fn value_time(&self, side: usize, value: &[u8]) -> Option<i64> {
        let me = &self.sides[side];
        let Bound::Value { event_time, .. } = &me.bound else { return None };
        event_time.of_row(value, me.value_types.len(), event_time.ordinal)
    }

    /// Rows at or before this event time (µs) go; None: none goes.
    fn boundary(&self, side: usize) -> Option<i64> {
        Some(self.sides[side].bound.state_watermark(self.eviction().0)?.saturating_mul(1000))
    }

    fn eviction(&self) -> EvictionWatermark {
        self.stateful.batch.eviction(self.stateful.operator)
    }

    /// Output rows of new rows and the buffered rows beside them.
    fn rows(
        &self,
        side: usize,
        own: &[ArrayRef],
        other: &[ArrayRef],
        rows: &[(u32, Option<u32>)],
    ) -> Result<RecordBatch> {
        let own_rows: UInt32Array = rows.iter().map(|(row, _)| *row).collect();
        let other_rows: UInt32Array = rows.iter().map(|(_, pair)| *pair).collect();
        let own: Vec<ArrayRef> = own.iter().map(|c| take(c, &own_rows, None)).collect::<Result<_, _>>()?;
        let other: Vec<ArrayRef> = if other_rows.null_count() == rows.len() {
            other.iter().map(|c| new_null_array(c.data_type(), rows.len())).collect()
        } else {
            other.iter().map(|c| take(c, &other_rows, None)).collect::<Result<_, _>>()?
        };
        let columns = if self.kind == JoinKind::LeftSemi { own } else { in_order(side, own, other) };
        make_batch(&self.output, columns, rows.len())
    }

    /// removeOldState; the removed rows.
    fn remove_old(&self, side: usize, state: &mut SideState) -> Vec<Buffered> {
        let removed = match (&self.sides[side].bound, self.boundary(side)) {
            (Bound::None, _) | (_, None) => Vec::new(),
            (Bound::Key { .. }, Some(boundary)) => state.remove_keys(boundary, |key| self.key_time(side, key)),
            (Bound::Value { .. }, Some(boundary)) => {
                state.remove_values(boundary, |value| self.value_time(side, value))
            }
        };
        self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_rows_removed += removed.len() as i64);
        self.note_removed(side, &removed);
        removed
    }

    /// Rows that leave the state without ever having matched, with nulls for the other side.
    fn unmatched(&self, side: usize, removed: &[Buffered]) -> Result<RecordBatch> {
        let values: Vec<&[u8]> = removed.iter().filter(|row| !row.matched).map(|row| &row.value[..]).collect();
        let own = self.columns_of(side, &values)?;
        let other = self.sides[1 - side].child.output();
        let other: Vec<ArrayRef> =
            other.iter().map(|a| new_null_array(&a.data_type.to_arrow(), values.len())).collect();
        let rows = make_batch(&self.output, in_order(side, own, other), values.len())?;
        self.note_pairs(&rows, || {
            values.iter().map(|own| if side == LEFT { [Some(*own), None] } else { [None, Some(*own)] }).collect()
        });
        Ok(rows)
    }

    fn run(&self, index: usize, inputs: [&Partition; 2], ctx: &ExecContext<'_>) -> Result<Partition> {
        let open = |side: usize| -> Result<SideState> {
            let stores = &self.sides[side].stores;
            let counts = self.stateful.open_named(index, &stores.counts.0, &stores.counts.1)?;
            let rows = self.stateful.open_named(index, &stores.rows.0, &stores.rows.1)?;
            Ok(SideState::new(counts, rows, stores.with_matched))
        };
        let mut states = [open(LEFT)?, open(RIGHT)?];
        let mut out = Vec::new();
        // A semi join takes the right rows first: a left row that meets its partner then is never buffered.
        let order = if self.kind == JoinKind::LeftSemi { [RIGHT, LEFT] } else { [LEFT, RIGHT] };
        for side in order {
            for batch in inputs[side] {
                out.push(self.join(side, batch, &mut states, ctx, index)?);
            }
        }
        // Preserved sides first: their unmatched rows come out.
        let mut order = [LEFT, RIGHT];
        order.sort_by_key(|side| !self.preserves(*side));
        for side in order {
            let removed = self.remove_old(side, &mut states[side]);
            if self.preserves(side) {
                out.push(self.unmatched(side, &removed)?);
            }
        }
        for (side, state) in states.into_iter().enumerate() {
            self.commit(index, side, state)?;
        }
        if self.one_store {
            self.stateful.batch.count(self.stateful.operator, |metrics| metrics.num_state_store_instances -= 3);
        }
        out.retain(|batch| batch.num_rows() > 0);
        Ok(out)
    }

    fn commit(&self, index: usize, side: usize, mut state: SideState) -> Result<()> {
        state.rows.asked_by_key();
        if matches!(self.sides[side].bound, Bound::None) {
            state.counts.asked_by_key();
        }
        let stores = &self.sides[side].stores;
        let counts = self.stateful.commit_store(state.counts)?;
        // A buffered row counts once, in the store that has it.
        let counts = StoreMetrics { num_keys: 0, custom: Vec::new(), ..counts };
        self.stateful.count_store(index, &stores.counts.0, &counts);
        let rows = self.stateful.commit_store(state.rows)?;
        self.stateful.count_store(index, &stores.rows.0, &rows);
        Ok(())
    }
}

/// Which rows satisfy all predicates; a predicate is not asked of rows that failed one before it.
fn all_hold(predicates: &[Expr], batch: &RecordBatch, eval: &EvalContext<'_>) -> Result<Vec<bool>> {
    let mut holds = vec![true; batch.num_rows()];
    for predicate in predicates {
        let rows: Vec<u32> = (0..holds.len() as u32).filter(|row| holds[*row as usize]).collect();
        let left = take_rows(batch, &UInt32Array::from(rows.clone()))?;
        let mask = eval_condition(predicate, &left, eval)?;
        for (at, row) in rows.into_iter().enumerate() {
            holds[row as usize] = mask.is_valid(at) && mask.value(at);
        }
    }
    Ok(holds)
}

/// Columns of a side and of the other, left first.
fn in_order(side: usize, own: Vec<ArrayRef>, other: Vec<ArrayRef>) -> Vec<ArrayRef> {
    let (mut first, second) = if side == LEFT { (own, other) } else { (other, own) };
    first.extend(second);
    first
}

impl ExecNode for StreamingSymmetricHashJoinExec {
    fn name(&self) -> String {
        "StreamingSymmetricHashJoin".into()
    }
    fn arguments(&self) -> String {
        let kind = match self.kind {
            JoinKind::Inner | JoinKind::Cross => "Inner",
            JoinKind::LeftOuter => "LeftOuter",
            JoinKind::LeftSingle => "LeftSingle",
            JoinKind::RightOuter => "RightOuter",
            JoinKind::FullOuter => "FullOuter",
            JoinKind::LeftSemi => "LeftSemi",
            JoinKind::LeftAnti => "LeftAnti",
        };
        let eviction = self.stateful.batch.eviction(self.stateful.operator);
        let [left, right] = [LEFT, RIGHT].map(|side| {
            let name = ["left", "right"][side];
            self.sides[side].cleanup(eviction.0).map_or_else(|| format!("{name} = null"), |p| format!("{name} {p}"))
        });
        format!(
            "{}, {}, {kind}, condition = [ {} ], {}, {}, state cleanup [ {left}, {right} ], {}, {}",
            self.sides[LEFT].shown_keys,
            self.sides[RIGHT].shown_keys,
            self.shown_condition,
            state_info(&self.stateful),
            watermarks(&self.stateful),
            self.stateful.batch.query.conf.join_state_format,
            self.stateful.batch.output_mode.name()
        )
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        self.sides.iter().map(|side| &side.child).collect()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let left = self.sides[LEFT].child.execute(ctx)?;
        let right = self.sides[RIGHT].child.execute(ctx)?;
        left.iter().zip(&right).enumerate().map(|(index, (l, r))| self.run(index, [l, r], ctx)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        match self.kind {
            JoinKind::RightOuter => self.sides[RIGHT].child.partitioning(),
            JoinKind::FullOuter => Partitioning::Unknown,
            _ => self.sides[LEFT].child.partitioning(),
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateWriter for StreamingSymmetricHashJoinExec {
    fn stateful(&self) -> &Stateful {
        &self.stateful
    }
    fn output_watermark(&self, input_ms: i64) -> Option<i64> {
        self.sides.iter().filter_map(|side| side.bound.state_watermark(input_ms)).chain([input_ms]).min()
    }
    fn should_run_another_batch(&self, next: EvictionWatermark) -> bool {
        self.sides.iter().any(|side| side.bound != Bound::None) && next > self.eviction()
    }
    fn stores(&self) -> Vec<(String, StateSchema)> {
        let all = self.sides.iter().flat_map(|side| [&side.stores.counts, &side.stores.rows]);
        all.map(|(name, schema): &(String, Rc<StateSchema>)| (name.clone(), (**schema).clone())).collect()
    }
    fn store_metadata(&self) -> Vec<StoreMetadata> {
        let partitions = self.stateful.batch.shuffle_partitions;
        let names = match self.one_store {
            true => vec![DEFAULT_STORE.to_owned()],
            false => self.stores().into_iter().map(|(name, _)| name).collect(),
        };
        names.into_iter().map(|name| StoreMetadata { name, prefix: 0, partitions }).collect()
    }
    fn properties(&self) -> Option<String> {
        self.one_store.then(|| "{\"useVirtualColumnFamilies\":true}".to_owned())
    }
    fn lifetime(&self, store: &str) -> Lifetime {
        self.side_lifetime(store)
    }
    fn expiry(&self, store: &str, key: &[u8], value: &[u8]) -> Option<String> {
        self.row_expiry(store, key, value)
    }
    fn key_names(&self, store: &str) -> &[String] {
        &self.sides[lifetime::side_of(store)].key_names
    }
    fn match_range(&self) -> Option<MatchRange> {
        self.range()
    }
}
