//! Joins: by hash, by sorted merge, by nested loops. Which rows pair, and in which order, as Spark's operators give them.

mod matching;
mod merge;
mod pairs;

use std::any::Any;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use self::matching::{HashSide, Matches};
use self::pairs::Assembly;
use super::batch::concat_partition;
use super::bind::{bind, bind_all};
use super::exchange::ExchangeExec;
use super::layout::{SortedBy, ascending};
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, Expr};
use crate::plan::JoinKind;
use crate::planner::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// How a join is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// One side whole in a hash table, the other as it comes (BroadcastHashJoinExec).
    Broadcast { build: Side },
    /// Both sides by key partition, one of them in a hash table (ShuffledHashJoinExec).
    ShuffledHash { build: Side },
    /// Both sides by key partition and sorted (SortMergeJoinExec). Where execution is adaptive, a side that turns out to be
    /// small is put in a hash table after all.
    SortMerge { adaptive: bool },
    /// Every pair is looked at, one side whole (BroadcastNestedLoopJoinExec).
    NestedLoop { build: Side },
    /// Every pair, partition by partition (CartesianProductExec).
    Cartesian,
}

/// Equi-join keys; `null_safe` where null equals null.
#[derive(Clone, Debug, Default)]
pub struct JoinKeys {
    pub left: Vec<Expr>,
    pub right: Vec<Expr>,
    pub null_safe: Vec<bool>,
}

#[derive(Debug)]
pub struct JoinExec {
    pub strategy: Strategy,
    pub kind: JoinKind,
    pub keys: JoinKeys,
    bound_left: Vec<Expr>,
    bound_right: Vec<Expr>,
    /// What is left of the condition, over the columns of both sides.
    pub condition: Option<Expr>,
    bound_condition: Option<Expr>,
    pub output: Vec<Arc<Attribute>>,
    pub left: ExecRef,
    pub right: ExecRef,
}

impl JoinExec {
    pub fn new(
        strategy: Strategy,
        kind: JoinKind,
        keys: JoinKeys,
        condition: Option<Expr>,
        output: Vec<Arc<Attribute>>,
        left: ExecRef,
        right: ExecRef,
    ) -> Result<Self> {
        let bound_left = bind_all(&keys.left, left.output())?;
        let bound_right = bind_all(&keys.right, right.output())?;
        let both: Vec<Arc<Attribute>> = left.output().iter().chain(right.output()).cloned().collect();
        let bound_condition = condition.as_ref().map(|c| bind(c, &both)).transpose()?;
        Ok(Self { strategy, kind, keys, bound_left, bound_right, condition, bound_condition, output, left, right })
    }

    fn assembly<'j>(&'j self, ctx: &'j ExecContext<'j>, partition: usize) -> Assembly<'j> {
        Assembly {
            kind: self.kind,
            condition: self.bound_condition.as_ref(),
            left: self.left.output(),
            right: self.right.output(),
            output: &self.output,
            ctx,
            partition,
        }
    }

    /// One partition's streamed rows against the whole build side.
    fn probe(
        &self,
        side: &HashSide,
        build: Side,
        streamed: &RecordBatch,
        built: &RecordBatch,
        ctx: &ExecContext<'_>,
        partition: usize,
    ) -> Result<Partition> {
        let keys = if build == Side::Right { &self.bound_left } else { &self.bound_right };
        let columns = super::bind::eval_all(keys, streamed, &ctx.eval(partition, 0))?;
        let matches = side.probe(&columns, streamed.num_rows())?;
        self.assembly(ctx, partition).streamed(build, streamed, built, &matches)
    }

    fn broadcast(
        &self,
        build: Side,
        streamed: Vec<Partition>,
        built: Vec<Partition>,
        ctx: &ExecContext<'_>,
    ) -> Result<Vec<Partition>> {
        let (build_child, stream_child) =
            if build == Side::Right { (&self.right, &self.left) } else { (&self.left, &self.right) };
        let built: Partition = built.into_iter().flatten().collect();
        let built = concat_partition(build_child.output(), &built)?;
        let keys = if build == Side::Right { &self.bound_right } else { &self.bound_left };
        let columns = super::bind::eval_all(keys, &built, &ctx.eval(0, 0))?;
        let side = HashSide::new(columns, built.num_rows(), &self.keys.null_safe, true)?;
        streamed
            .into_iter()
            .enumerate()
            .map(|(i, p)| {
                let batch = concat_partition(stream_child.output(), &p)?;
                self.probe(&side, build, &batch, &built, ctx, i)
            })
            .collect()
    }

    fn nested_loop(
        &self,
        build: Side,
        streamed: Vec<Partition>,
        built: Vec<Partition>,
        ctx: &ExecContext<'_>,
    ) -> Result<Vec<Partition>> {
        let (build_child, stream_child) =
            if build == Side::Right { (&self.right, &self.left) } else { (&self.left, &self.right) };
        let built: Partition = built.into_iter().flatten().collect();
        let built = concat_partition(build_child.output(), &built)?;
        let mut unmatched = vec![true; built.num_rows()];
        let mut out = Vec::new();
        for (i, partition) in streamed.into_iter().enumerate() {
            let batch = concat_partition(stream_child.output(), &partition)?;
            let all = Matches::All { build_rows: built.num_rows() };
            out.push(self.assembly(ctx, i).streamed_marking(build, &batch, &built, &all, &mut unmatched)?);
        }
        // Rows of the whole side that paired with none, where the join keeps them.
        let keeps_build = matches!(
            (self.kind, build),
            (JoinKind::FullOuter, _)
                | (JoinKind::LeftOuter | JoinKind::LeftSingle, Side::Left)
                | (JoinKind::RightOuter, Side::Right)
        );
        // A semi or anti join with its own side whole gives that side's rows by their marks.
        let by_marks = build == Side::Left && matches!(self.kind, JoinKind::LeftSemi | JoinKind::LeftAnti);
        if by_marks && self.kind == JoinKind::LeftSemi {
            unmatched.iter_mut().for_each(|u| *u = !*u);
        }
        if keeps_build || by_marks {
            out.push(self.assembly(ctx, 0).build_only(build, &built, &unmatched)?);
        }
        Ok(out)
    }

    /// Both sides by key partition.
    fn by_partition(
        &self,
        left: Vec<Partition>,
        right: Vec<Partition>,
        ctx: &ExecContext<'_>,
    ) -> Result<Vec<Partition>> {
        let mut out = Vec::new();
        for (i, (l, r)) in left.into_iter().zip(right).enumerate() {
            let l = concat_partition(self.left.output(), &l)?;
            let r = concat_partition(self.right.output(), &r)?;
            let l_keys = super::bind::eval_all(&self.bound_left, &l, &ctx.eval(i, 0))?;
            let r_keys = super::bind::eval_all(&self.bound_right, &r, &ctx.eval(i, 0))?;
            out.push(match self.strategy {
                Strategy::ShuffledHash { build: Side::Right } if self.kind != JoinKind::FullOuter => {
                    let side = HashSide::new(r_keys, r.num_rows(), &self.keys.null_safe, true)?;
                    self.probe(&side, Side::Right, &l, &r, ctx, i)?
                }
                Strategy::ShuffledHash { build: Side::Left } if self.kind != JoinKind::FullOuter => {
                    let side = HashSide::new(l_keys, l.num_rows(), &self.keys.null_safe, true)?;
                    self.probe(&side, Side::Left, &r, &l, ctx, i)?
                }
                _ => merge::sort_merge(&self.assembly(ctx, i), &self.keys.null_safe, l, r, l_keys, r_keys)?,
            });
        }
        Ok(out)
    }

    /// A join of shuffled sides where execution is adaptive: small partitions are read together. If no hint asked for the
    /// join and one side proves small, it is broadcast and the other read map task by map task
    /// (OptimizeShuffleWithLocalRead), each task's rows in partition order.
    fn adaptive(&self, left: &ExchangeExec, right: &ExchangeExec, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let l = left.map_outputs(ctx)?;
        let r = right.map_outputs(ctx)?;
        let free = matches!(self.strategy, Strategy::SortMerge { adaptive: true });
        if let Some(build) = self.small_side(&l, &r, ctx).filter(|_| free) {
            let (streamed, built) = if build == Side::Right { (l, r) } else { (r, l) };
            let local = streamed.into_iter().map(|task| task.into_iter().flatten().collect()).collect();
            return self.broadcast(build, local, by_reducer(built), ctx);
        }
        let (l, r) = super::exchange::coalesced_sides((left, &l), (right, &r))?;
        self.by_partition(l, r, ctx)
    }

    /// The side that adaptive execution would broadcast, by the bytes that it has (JoinSelection with runtime statistics,
    /// DynamicJoinSelection's ban on sides with mostly empty partitions).
    fn small_side(&self, l: &[Vec<Partition>], r: &[Vec<Partition>], ctx: &ExecContext<'_>) -> Option<Side> {
        let threshold = super::settings::adaptive_broadcast_threshold(&ctx.conf);
        let size = |side: &[Vec<Partition>]| -> i64 {
            side.iter().flatten().flatten().map(super::batch::unsafe_row_bytes).sum()
        };
        let sparse = |side: &[Vec<Partition>]| {
            let n = side.first().map_or(0, Vec::len);
            let full = (0..n).filter(|p| side.iter().any(|task| super::batch::row_count(&task[*p]) > 0)).count();
            (full as f64) < 0.2 * n as f64
        };
        let can = |side: Side| match side {
            Side::Left => matches!(self.kind, JoinKind::Inner | JoinKind::Cross | JoinKind::RightOuter),
            Side::Right => !matches!(self.kind, JoinKind::RightOuter | JoinKind::FullOuter),
        };
        // An outer join keeps the rows of the other side whatever is empty: nothing is won by not broadcasting.
        let outer = matches!(self.kind, JoinKind::LeftOuter | JoinKind::LeftSingle | JoinKind::RightOuter);
        let (left_size, right_size) = (size(l), size(r));
        let left = can(Side::Left) && left_size <= threshold && (outer || !sparse(l));
        let right = can(Side::Right) && right_size <= threshold && (outer || !sparse(r));
        match (left, right) {
            (true, true) => Some(if right_size <= left_size { Side::Right } else { Side::Left }),
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            (false, false) => None,
        }
    }
}

/// Outputs of map tasks as reducers read them.
fn by_reducer(tasks: Vec<Vec<Partition>>) -> Vec<Partition> {
    let n = tasks.first().map_or(0, Vec::len);
    let mut out: Vec<Partition> = vec![Vec::new(); n];
    for task in tasks {
        for (target, piece) in out.iter_mut().zip(task) {
            target.extend(piece);
        }
    }
    out
}

/// `Inner`, `LeftOuter` ... as plans print it.
fn kind_name(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "Inner",
        JoinKind::Cross => "Cross",
        JoinKind::LeftOuter => "LeftOuter",
        JoinKind::LeftSingle => "LeftSingle",
        JoinKind::RightOuter => "RightOuter",
        JoinKind::FullOuter => "FullOuter",
        JoinKind::LeftSemi => "LeftSemi",
        JoinKind::LeftAnti => "LeftAnti",
    }
}

impl ExecNode for JoinExec {
    fn name(&self) -> String {
        match self.strategy {
            Strategy::Broadcast { .. } => "BroadcastHashJoin",
            Strategy::ShuffledHash { .. } => "ShuffledHashJoin",
            Strategy::SortMerge { .. } => "SortMergeJoin",
            Strategy::NestedLoop { .. } => "BroadcastNestedLoopJoin",
            Strategy::Cartesian => "CartesianProduct",
        }
        .into()
    }
    fn arguments(&self) -> String {
        let condition = self.condition.as_ref().map(text::expression);
        let build = |side: Side| if side == Side::Left { "BuildLeft" } else { "BuildRight" };
        match self.strategy {
            Strategy::NestedLoop { build: side } => {
                let condition = condition.map_or_else(String::new, |c| format!(", {c}"));
                format!("{}, {}{condition}", build(side), kind_name(self.kind))
            }
            Strategy::Cartesian => condition.unwrap_or_default(),
            Strategy::Broadcast { build: side } | Strategy::ShuffledHash { build: side } => {
                let condition = condition.map_or_else(String::new, |c| format!(", {c}"));
                let more = if matches!(self.strategy, Strategy::Broadcast { .. }) { ", false" } else { "" };
                format!(
                    "{}, {}, {}, {}{condition}, false{more}",
                    text::expressions(&self.keys.left),
                    text::expressions(&self.keys.right),
                    kind_name(self.kind),
                    build(side)
                )
            }
            Strategy::SortMerge { .. } => {
                let condition = condition.map_or_else(String::new, |c| format!(", {c}"));
                format!(
                    "{}, {}, {}{condition}",
                    text::expressions(&self.keys.left),
                    text::expressions(&self.keys.right),
                    kind_name(self.kind)
                )
            }
        }
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.left, &self.right]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        if let Strategy::SortMerge { .. } | Strategy::ShuffledHash { .. } = self.strategy
            && ctx.adaptive
            && let Some(left) = self.left.as_any().downcast_ref::<ExchangeExec>()
            && let Some(right) = self.right.as_any().downcast_ref::<ExchangeExec>()
        {
            return self.adaptive(left, right, ctx);
        }
        let left = self.left.execute(ctx)?;
        let right = self.right.execute(ctx)?;
        match self.strategy {
            Strategy::Broadcast { build } | Strategy::NestedLoop { build } => {
                let (streamed, built) = if build == Side::Right { (left, right) } else { (right, left) };
                if matches!(self.strategy, Strategy::Broadcast { .. }) {
                    self.broadcast(build, streamed, built, ctx)
                } else {
                    self.nested_loop(build, streamed, built, ctx)
                }
            }
            Strategy::Cartesian => {
                let mut out = Vec::new();
                for l in left {
                    for r in &right {
                        let made = self.nested_loop(Side::Right, vec![l.clone()], vec![r.clone()], ctx)?;
                        out.push(made.into_iter().flatten().collect());
                    }
                }
                Ok(out)
            }
            Strategy::ShuffledHash { .. } | Strategy::SortMerge { .. } => self.by_partition(left, right, ctx),
        }
    }
    fn ordering(&self) -> Vec<SortedBy> {
        let keys = match (self.strategy, self.kind) {
            (Strategy::Broadcast { build: Side::Right }, _) => return self.left.ordering(),
            (Strategy::Broadcast { build: Side::Left }, _) => return self.right.ordering(),
            (Strategy::SortMerge { adaptive: false }, JoinKind::RightOuter) => &self.keys.right,
            (Strategy::SortMerge { adaptive: false }, kind) if kind != JoinKind::FullOuter => &self.keys.left,
            _ => return Vec::new(),
        };
        SortedBy::columns(&ascending(keys))
    }
    fn partitioning(&self) -> Partitioning {
        match (self.strategy, self.kind) {
            (Strategy::Broadcast { build: Side::Right }, _) => self.left.partitioning(),
            (Strategy::Broadcast { build: Side::Left }, _) => self.right.partitioning(),
            (Strategy::SortMerge { adaptive: false } | Strategy::ShuffledHash { .. }, JoinKind::RightOuter) => {
                self.right.partitioning()
            }
            (Strategy::SortMerge { adaptive: false } | Strategy::ShuffledHash { .. }, kind)
                if kind != JoinKind::FullOuter =>
            {
                self.left.partitioning()
            }
            _ => Partitioning::Unknown,
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
