//! Exchanges: rows to partitions by key hash, to one partition, in turn, or by range.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;

use super::batch::{BATCH_ROWS, concat_partition, row_count, take_rows};
use super::bind::{bind_all, eval_all};
use super::round_robin::in_row_order;
use super::sort::BoundOrder;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, Expr, SortOrder};
use crate::functions::hash::{murmur3_hash_columns, partition_of};
use crate::planner::text;
use crate::types::DataType;

/// Seed of HashPartitioning.partitionIdExpression.
const HASH_SEED: i32 = 42;
/// Below this many bytes a shuffle partition is put together with its neighbours
/// (spark.sql.adaptive.coalescePartitions.minPartitionSize, which rules with parallelismFirst).
const COALESCE_BYTES: usize = 1 << 20;

/// Where an exchange sends a row.
#[derive(Clone, Debug)]
pub enum Distribution {
    Single,
    /// pmod(murmur3(keys, 42), partitions).
    Hash {
        keys: Vec<Expr>,
        partitions: usize,
    },
    RoundRobin {
        partitions: usize,
    },
    /// pmod(key, partitions), nulls to partition 0 (ShufflePartitionIdPassThrough).
    Id {
        key: Expr,
        partitions: usize,
    },
    /// Ordered ranges over the partitions; ties stay together.
    Range {
        order: Vec<SortOrder>,
        partitions: usize,
    },
}

/// ShuffleExchangeExec.
#[derive(Debug)]
pub struct ExchangeExec {
    pub distribution: Distribution,
    bound: Vec<Expr>,
    bound_order: Option<BoundOrder>,
    /// Adaptive execution may put small neighbours together.
    pub coalesce: bool,
    /// "ENSURE_REQUIREMENTS", "REPARTITION_BY_NUM" ...
    pub origin: &'static str,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExchangeExec {
    pub fn new(distribution: Distribution, coalesce: bool, origin: &'static str, child: ExecRef) -> Result<Self> {
        let bound = match &distribution {
            Distribution::Hash { keys, .. } => bind_all(keys, child.output())?,
            Distribution::Id { key, .. } => bind_all(std::slice::from_ref(key), child.output())?,
            _ => Vec::new(),
        };
        let bound_order = match &distribution {
            Distribution::Range { order, .. } => Some(BoundOrder::new(order, child.output())?),
            _ => None,
        };
        Ok(Self { distribution, bound, bound_order, coalesce, origin, output: child.output().to_vec(), child })
    }
}

impl ExchangeExec {
    /// What each map task wrote, target by target (hash exchanges).
    pub(super) fn map_outputs(&self, ctx: &ExecContext<'_>) -> Result<Vec<Vec<Partition>>> {
        match &ctx.shuffles {
            Some(files) => files.maps(self, || self.write_maps(ctx)),
            None => self.write_maps(ctx),
        }
    }

    fn write_maps(&self, ctx: &ExecContext<'_>) -> Result<Vec<Vec<Partition>>> {
        let input = self.child.execute(ctx)?;
        let Distribution::Hash { partitions, .. } = &self.distribution else {
            return Ok(input.into_iter().map(|p| vec![p]).collect());
        };
        let types: Vec<DataType> = self.bound.iter().map(Expr::data_type).collect();
        input
            .into_iter()
            .enumerate()
            .map(|(index, partition)| {
                let mut out = Scatter::new(*partitions);
                self.scatter(index, partition, &types, *partitions, &mut out, ctx)?;
                out.finish(&self.output)
            })
            .collect()
    }

    /// Small neighbours put together: one reader fetches what each map task wrote for all of them, map task by map task.
    fn coalesced(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let maps = self.map_outputs(ctx)?;
        let Distribution::Hash { partitions, .. } = self.distribution else { return Ok(Vec::new()) };
        read_together(&self.output, &maps, &neighbours(&sizes(&maps, partitions)))
    }

    /// The partitions as they are read, where that does not depend on sizes.
    fn write(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        let made = match &self.distribution {
            Distribution::Single => return Ok(vec![input.into_iter().flatten().collect()]),
            Distribution::Hash { partitions, .. } => {
                let types: Vec<DataType> = self.bound.iter().map(Expr::data_type).collect();
                let mut out = Scatter::new(*partitions);
                for (index, partition) in input.into_iter().enumerate() {
                    self.scatter(index, partition, &types, *partitions, &mut out, ctx)?;
                }
                out.finish(&self.output)?
            }
            Distribution::RoundRobin { partitions } => {
                let mut out = Scatter::new(*partitions);
                for (index, partition) in input.into_iter().enumerate() {
                    let mut position = random_start(index as i64, *partitions);
                    let partition = if *partitions > 1 { in_row_order(&self.output, &partition)? } else { partition };
                    for batch in partition {
                        let targets: Vec<u32> = (0..batch.num_rows())
                            .map(|_| {
                                position += 1;
                                (position % *partitions) as u32
                            })
                            .collect();
                        out.push(&batch, &targets)?;
                    }
                }
                out.finish(&self.output)?
            }
            Distribution::Id { partitions, .. } => {
                let mut out = Scatter::new(*partitions);
                for (index, partition) in input.into_iter().enumerate() {
                    let mut base = 0;
                    for batch in partition {
                        let keys = eval_all(&self.bound, &batch, &ctx.eval(index, base))?;
                        base += batch.num_rows() as i64;
                        out.push(&batch, &id_targets(&keys[0], *partitions))?;
                    }
                }
                out.finish(&self.output)?
            }
            Distribution::Range { partitions, .. } => {
                let all: Partition = input.into_iter().flatten().collect();
                match &self.bound_order {
                    Some(order) if *partitions > 1 && !self.coalesce => {
                        range_partition(&all, order, *partitions, &self.output, ctx)?
                    }
                    _ => vec![all],
                }
            }
        };
        Ok(if self.coalesce { coalesce_small(made) } else { made })
    }

    /// One map task's rows to their targets by hash.
    fn scatter(
        &self,
        index: usize,
        partition: Partition,
        types: &[DataType],
        partitions: usize,
        out: &mut Scatter,
        ctx: &ExecContext<'_>,
    ) -> Result<()> {
        let mut base = 0;
        for batch in partition {
            let keys = eval_all(&self.bound, &batch, &ctx.eval(index, base))?;
            base += batch.num_rows() as i64;
            out.push(&batch, &hash_targets(&keys, types, batch.num_rows(), partitions))?;
        }
        Ok(())
    }
}

impl ExecNode for ExchangeExec {
    fn name(&self) -> String {
        "Exchange".into()
    }
    fn arguments(&self) -> String {
        let what = match &self.distribution {
            Distribution::Single => "SinglePartition".to_owned(),
            Distribution::Hash { keys, partitions } => {
                let list: Vec<String> = keys.iter().map(text::expression).collect();
                format!("hashpartitioning({}, {partitions})", list.join(", "))
            }
            Distribution::RoundRobin { partitions } => format!("RoundRobinPartitioning({partitions})"),
            Distribution::Id { key, partitions } => {
                format!("shufflepartitionidpassthrough({}, {partitions})", text::direct_id(&text::expression(key)))
            }
            Distribution::Range { order, partitions } => {
                let list: Vec<String> = order.iter().map(text::order).collect();
                format!("rangepartitioning({}, {partitions})", list.join(", "))
            }
        };
        format!("{what}, {}", self.origin)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        if self.coalesce && matches!(self.distribution, Distribution::Hash { .. }) {
            return self.coalesced(ctx);
        }
        match &ctx.shuffles {
            Some(files) => files.partitions(self, || self.write(ctx)),
            None => self.write(ctx),
        }
    }
    fn partitioning(&self) -> Partitioning {
        match &self.distribution {
            Distribution::Single => Partitioning::Single,
            Distribution::Hash { keys, partitions } => {
                let ids: Option<Vec<_>> = keys
                    .iter()
                    .map(|k| match k {
                        Expr::Attribute(a) => Some(a.id),
                        _ => None,
                    })
                    .collect();
                ids.map_or(Partitioning::Unknown, |keys| Partitioning::Hash { keys, partitions: *partitions })
            }
            Distribution::Id { key: Expr::Attribute(key), .. } => Partitioning::Id { key: key.id },
            Distribution::RoundRobin { partitions: 1 } => Partitioning::Single,
            Distribution::Range { order, .. } => Partitioning::ranges(order),
            _ => Partitioning::Unknown,
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Target partition of every row, by the hash of its key columns.
pub fn hash_targets(keys: &[ArrayRef], types: &[DataType], rows: usize, partitions: usize) -> Vec<u32> {
    if keys.is_empty() {
        return vec![partition_of(HASH_SEED, partitions) as u32; rows];
    }
    murmur3_hash_columns(keys, types, HASH_SEED).into_iter().map(|h| partition_of(h, partitions) as u32).collect()
}

/// Target partition of every row whose partition's number stands in the column.
fn id_targets(key: &ArrayRef, partitions: usize) -> Vec<u32> {
    let partitions = i32::try_from(partitions).unwrap_or(i32::MAX);
    let ids = key.as_primitive::<Int32Type>();
    ids.iter().map(|id| id.map_or(0, |id| id.rem_euclid(partitions).unsigned_abs())).collect()
}

/// Rows to `n` partitions by the hash of the columns at `keys`; order within a partition is that of the input.
pub fn hash_partition(
    output: &[Arc<Attribute>],
    batches: &[RecordBatch],
    keys: &[usize],
    n: usize,
) -> Result<Vec<Partition>> {
    let types: Vec<DataType> = keys.iter().map(|k| output[*k].data_type.clone()).collect();
    let mut out = Scatter::new(n);
    for batch in batches {
        let columns: Vec<ArrayRef> = keys.iter().map(|k| Arc::clone(batch.column(*k))).collect();
        out.push(batch, &hash_targets(&columns, &types, batch.num_rows(), n))?;
    }
    out.finish(output)
}

/// Collects rows by target partition.
struct Scatter {
    pieces: Vec<Partition>,
}

impl Scatter {
    fn new(partitions: usize) -> Self {
        Self { pieces: vec![Vec::new(); partitions] }
    }

    fn push(&mut self, batch: &RecordBatch, targets: &[u32]) -> Result<()> {
        if self.pieces.len() == 1 {
            self.pieces[0].push(batch.clone());
            return Ok(());
        }
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); self.pieces.len()];
        for (row, target) in targets.iter().enumerate() {
            rows[*target as usize].push(row as u32);
        }
        for (piece, rows) in self.pieces.iter_mut().zip(rows) {
            if rows.len() == batch.num_rows() && !rows.is_empty() {
                piece.push(batch.clone());
            } else if !rows.is_empty() {
                piece.push(take_rows(batch, &UInt32Array::from(rows))?);
            }
        }
        Ok(())
    }

    fn finish(self, output: &[Arc<Attribute>]) -> Result<Vec<Partition>> {
        self.pieces.into_iter().map(|p| compact(output, p)).collect()
    }
}

/// Puts small batches together up to [`BATCH_ROWS`].
fn compact(output: &[Arc<Attribute>], partition: Partition) -> Result<Partition> {
    if partition.len() < 2 {
        return Ok(partition);
    }
    let mut out = Vec::new();
    let mut pending: Partition = Vec::new();
    let mut rows = 0;
    for batch in partition {
        if rows > 0 && rows + batch.num_rows() > BATCH_ROWS {
            out.push(concat_partition(output, &pending)?);
            pending.clear();
            rows = 0;
        }
        rows += batch.num_rows();
        pending.push(batch);
    }
    if !pending.is_empty() {
        out.push(concat_partition(output, &pending)?);
    }
    Ok(out)
}

/// Bytes of a partition, as far as they matter here.
fn weight(partition: &Partition) -> usize {
    let rows = row_count(partition);
    if rows == 0 { 0 } else { partition.iter().map(RecordBatch::get_array_memory_size).sum::<usize>().min(rows * 256) }
}

/// Bytes that the map tasks wrote for each partition.
fn sizes(maps: &[Vec<Partition>], partitions: usize) -> Vec<usize> {
    (0..partitions).map(|p| maps.iter().filter_map(|map| map.get(p)).map(weight).sum()).collect()
}

/// One partition for each range, read map task by map task.
fn read_together(
    output: &[Arc<Attribute>],
    maps: &[Vec<Partition>],
    ranges: &[Range<usize>],
) -> Result<Vec<Partition>> {
    let read = |range: &Range<usize>| {
        let rows = maps.iter().filter_map(|map| map.get(range.clone())).flat_map(|parts| parts.iter().flatten());
        compact(output, rows.cloned().collect())
    };
    ranges.iter().map(read).collect()
}

/// Both sides of a join, whose small neighbours go together alike.
pub(super) fn coalesced_sides(
    left: (&ExchangeExec, &[Vec<Partition>]),
    right: (&ExchangeExec, &[Vec<Partition>]),
) -> Result<(Vec<Partition>, Vec<Partition>)> {
    let partitions = left.1.iter().chain(right.1).map(Vec::len).max().unwrap_or(1);
    let both = sizes(left.1, partitions).into_iter().zip(sizes(right.1, partitions)).map(|(l, r)| l + r);
    let ranges = neighbours(&both.collect::<Vec<_>>());
    Ok((read_together(&left.0.output, left.1, &ranges)?, read_together(&right.0.output, right.1, &ranges)?))
}

/// CoalesceShufflePartitions: neighbours go together until they are large enough.
fn neighbours(sizes: &[usize]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open_size = 0;
    for (at, size) in sizes.iter().enumerate() {
        match out.last_mut() {
            Some(open) if open_size + size <= COALESCE_BYTES => {
                open.end = at + 1;
                open_size += size;
            }
            _ => {
                out.push(at..at + 1);
                open_size = *size;
            }
        }
    }
    out
}

/// Small partitions put together with their neighbours.
fn coalesce_small(partitions: Vec<Partition>) -> Vec<Partition> {
    let sizes: Vec<usize> = partitions.iter().map(weight).collect();
    let mut rest = partitions.into_iter();
    neighbours(&sizes).into_iter().map(|range| rest.by_ref().take(range.len()).flatten().collect()).collect()
}

/// Ordered ranges of about equal size; equal keys stay in one partition. There are fewer where there are few keys
/// (RangePartitioner, for inputs that it samples whole).
fn range_partition(
    all: &[RecordBatch],
    order: &BoundOrder,
    partitions: usize,
    output: &[Arc<Attribute>],
    ctx: &ExecContext<'_>,
) -> Result<Vec<Partition>> {
    let batch = concat_partition(output, all)?;
    let sorted = order.permutation(&batch, &ctx.eval(0, 0))?;
    let ranks = order.ranks(&batch, &sorted, &ctx.eval(0, 0))?;
    let bounds = range_bounds(&ranks, partitions);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); bounds.len() + 1];
    for (row, rank) in sorted.values().iter().zip(&ranks) {
        rows[bounds.partition_point(|bound| bound < rank)].push(*row);
    }
    let piece = |mut rows: Vec<u32>| -> Result<Partition> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        // In their input order: the sort of each partition follows.
        rows.sort_unstable();
        Ok(vec![take_rows(&batch, &UInt32Array::from(rows))?])
    };
    rows.into_iter().map(piece).collect()
}

/// The last key of each range but the last one (RangePartitioner.determineBounds); `keys` are all keys, sorted.
fn range_bounds(keys: &[u32], partitions: usize) -> Vec<u32> {
    let step = keys.len() as f64 / partitions as f64;
    let mut target = step;
    let mut bounds: Vec<u32> = Vec::new();
    for (i, key) in keys.iter().enumerate() {
        if bounds.len() + 1 >= partitions {
            break;
        }
        if (i + 1) as f64 >= target && bounds.last().is_none_or(|bound| key > bound) {
            bounds.push(*key);
            target += step;
        }
    }
    bounds
}

/// Where round robin begins in a map task: `new XORShiftRandom(partition).nextInt(partitions)`.
fn random_start(task: i64, partitions: usize) -> usize {
    let bound = i32::try_from(partitions).unwrap_or(i32::MAX);
    usize::try_from(crate::functions::chance::XorShiftRandom::new(task).below(bound)).unwrap_or(0)
}
