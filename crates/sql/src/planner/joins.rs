//! The JoinSelection strategy: which join operator, by hints and sizes.

use std::sync::Arc;

use super::Planner;
use crate::error::Result;
use crate::exec::exchange::{Distribution, ExchangeExec};
use crate::exec::join::{JoinExec, JoinKeys, Side, Strategy};
use crate::exec::{ExecRef, settings};
use crate::expr::Expr;
use crate::optimizer::{join_conjuncts, split_conjuncts};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

/// What hints say of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SideHint {
    Broadcast,
    ShuffleHash,
    Merge,
    NestedLoop,
}

/// The hint on the top of a side, below whatever unary nodes (EliminateResolvedHint).
fn hint(plan: &PlanRef) -> Option<SideHint> {
    match &**plan {
        LogicalPlan::Hint { name, child, .. } => match name.to_lowercase().as_str() {
            "broadcast" | "broadcastjoin" | "mapjoin" => Some(SideHint::Broadcast),
            "shuffle_hash" => Some(SideHint::ShuffleHash),
            "merge" | "shuffle_merge" | "mergejoin" => Some(SideHint::Merge),
            "shuffle_replicate_nl" => Some(SideHint::NestedLoop),
            _ => hint(child),
        },
        LogicalPlan::Project { child, .. }
        | LogicalPlan::Filter { child, .. }
        | LogicalPlan::Aggregate { child, .. }
        | LogicalPlan::Sort { child, .. }
        | LogicalPlan::Limit { child, .. }
        | LogicalPlan::EventTimeWatermark { child, .. }
        | LogicalPlan::SubqueryAlias { child, .. } => hint(child),
        _ => None,
    }
}

/// Estimated bytes of a value (DataType.defaultSize).
fn default_size(t: &crate::types::DataType) -> u128 {
    use crate::types::DataType as T;
    match t {
        T::Null | T::Boolean | T::Byte => 1,
        T::Short => 2,
        T::Integer | T::Float | T::Date | T::YearMonthInterval { .. } => 4,
        T::Long | T::Double | T::Timestamp | T::TimestampNtz | T::Time(_) | T::DayTimeInterval { .. } => 8,
        T::Decimal { precision, .. } => {
            if *precision <= 18 {
                8
            } else {
                16
            }
        }
        T::String | T::Char(_) | T::Varchar(_) => 20,
        T::Binary => 100,
        T::CalendarInterval => 16,
        T::Array { element, .. } => default_size(element),
        T::Map { key, value, .. } => default_size(key) + default_size(value),
        T::Struct(s) => s.fields.iter().map(|f| default_size(&f.data_type)).sum(),
        T::Variant => 2048,
    }
}

/// EstimationUtils.getSizePerRow.
fn row_size(plan: &LogicalPlan) -> u128 {
    8 + plan.output().iter().map(|a| default_size(&a.data_type)).sum::<u128>()
}

/// Statistics.sizeInBytes as SizeInBytesOnlyStatsPlanVisitor estimates it; None where nothing is known (taken as infinite).
pub fn size_in_bytes(plan: &LogicalPlan) -> Option<u128> {
    use LogicalPlan as P;
    let scaled = |child: &PlanRef| {
        let size = size_in_bytes(child)?;
        Some((size * row_size(plan) / row_size(child)).max(1))
    };
    match plan {
        P::LocalRelation(r) if r.from_rdd => None,
        P::LocalRelation(r) => {
            let rows: usize = r.partitions.iter().map(|p| crate::exec::batch::row_count(p)).sum();
            Some(row_size(plan) * rows as u128)
        }
        P::Range { start, end, step, .. } => {
            let rows = (i128::from(*end) - i128::from(*start)) / i128::from(*step).max(1);
            Some(16 * rows.unsigned_abs())
        }
        P::OneRow => Some(1),
        P::FileRelation(r) => Some(r.files.iter().map(|f| u128::from(f.len)).sum()),
        P::StreamingBatch { data, .. } => size_in_bytes(data),
        P::Aggregate { grouping, child, .. } if grouping.is_empty() => size_in_bytes(child).map(|_| row_size(plan)),
        P::Project { child, .. } | P::Aggregate { child, .. } | P::Window { child, .. } | P::Generate { child, .. } => {
            scaled(child)
        }
        P::Expand { projections, child, .. } => scaled(child).map(|s| s * projections.len() as u128),
        P::Join(join) => match join.kind {
            JoinKind::LeftSemi | JoinKind::LeftAnti => size_in_bytes(&join.left),
            _ => size_in_bytes(&join.left)?.checked_mul(size_in_bytes(&join.right)?),
        },
        P::Union { children, .. } => children.iter().map(|c| size_in_bytes(c)).sum(),
        P::Limit { child, limit } => {
            let known = size_in_bytes(child);
            match limit {
                Expr::Literal { value: crate::value::Value::Integer(n), .. } => {
                    let rows = u128::try_from((*n).max(0)).unwrap_or(0);
                    let by_rows = (rows * row_size(plan)).max(1);
                    Some(known.map_or(by_rows, |k| k.min(by_rows)))
                }
                _ => known,
            }
        }
        P::Extension(_) => None,
        other => {
            let children = other.child_plans();
            match children.as_slice() {
                [one] => size_in_bytes(one),
                _ => None,
            }
        }
    }
}

/// Terms `l = r` over the two sides, and what else the condition says (ExtractEquiJoinKeys).
pub fn equi_keys(join: &Join) -> (JoinKeys, Option<Expr>) {
    let mut keys = JoinKeys::default();
    let mut rest = Vec::new();
    let terms = match &join.condition {
        JoinCondition::On(e) => split_conjuncts(e),
        _ => Vec::new(),
    };
    let (left, right) = (join.left.output_ids(), join.right.output_ids());
    for term in terms {
        if let Expr::Call(call) = &term
            && matches!(&*call.name, "=" | "==" | "<=>")
            && let [a, b] = call.args.as_slice()
        {
            let (x, y) = (a.references(), b.references());
            let plain = !x.is_empty() && !y.is_empty() && a.deterministic() && b.deterministic();
            if plain && x.is_subset(&left) && y.is_subset(&right) {
                keys.left.push(a.clone());
                keys.right.push(b.clone());
                keys.null_safe.push(&*call.name == "<=>");
                continue;
            }
            if plain && x.is_subset(&right) && y.is_subset(&left) {
                keys.left.push(b.clone());
                keys.right.push(a.clone());
                keys.null_safe.push(&*call.name == "<=>");
                continue;
            }
        }
        rest.push(term);
    }
    (keys, join_conjuncts(rest))
}

fn can_broadcast(kind: JoinKind, side: Side) -> bool {
    match side {
        Side::Left => matches!(kind, JoinKind::Inner | JoinKind::Cross | JoinKind::RightOuter),
        Side::Right => !matches!(kind, JoinKind::RightOuter | JoinKind::FullOuter),
    }
}

impl Planner<'_> {
    pub(super) fn plan_join(&self, plan: &PlanRef, join: &Join) -> Result<ExecRef> {
        let (keys, condition) = equi_keys(join);
        let (left_hint, right_hint) = (hint(&join.left), hint(&join.right));
        let sizes = (size_in_bytes(&join.left), size_in_bytes(&join.right));
        let smaller =
            if sizes.1.unwrap_or(u128::MAX) <= sizes.0.unwrap_or(u128::MAX) { Side::Right } else { Side::Left };
        let threshold = u128::try_from(settings::broadcast_threshold(&self.ctx.conf)).ok();
        let small = |size: Option<u128>| threshold.is_some_and(|t| size.is_some_and(|s| s <= t));
        let pick = |left: bool, right: bool| match (left, right) {
            (true, true) => Some(smaller),
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            (false, false) => None,
        };
        let by_hint = |wanted: SideHint, able: &dyn Fn(Side) -> bool| {
            pick(left_hint == Some(wanted) && able(Side::Left), right_hint == Some(wanted) && able(Side::Right))
        };
        let broadcastable = |side: Side| can_broadcast(join.kind, side);
        let by_size =
            || pick(small(sizes.0) && broadcastable(Side::Left), small(sizes.1) && broadcastable(Side::Right));
        let left = self.plan_child(&join.left)?;
        let right = self.plan_child(&join.right)?;
        let output = plan.output();
        let make = |strategy, keys, left, right| -> Result<ExecRef> {
            Ok(Arc::new(JoinExec::new(strategy, join.kind, keys, condition.clone(), output.clone(), left, right)?))
        };
        if keys.left.is_empty() {
            let inner = matches!(join.kind, JoinKind::Inner | JoinKind::Cross);
            // BroadcastNestedLoopJoinExec would rather have the right side whole for a left join, and the other way round.
            let desired = match join.kind {
                JoinKind::Inner | JoinKind::Cross | JoinKind::FullOuter => smaller,
                JoinKind::RightOuter => Side::Left,
                _ => Side::Right,
            };
            let choose = |left: bool, right: bool| if left && right { Some(desired) } else { pick(left, right) };
            let hinted = choose(left_hint == Some(SideHint::Broadcast), right_hint == Some(SideHint::Broadcast));
            let strategy = match hinted.or_else(|| choose(small(sizes.0), small(sizes.1))) {
                Some(build) => Strategy::NestedLoop { build },
                None if inner => Strategy::Cartesian,
                None => Strategy::NestedLoop { build: smaller },
            };
            return make(strategy, keys, left, right);
        }
        if let Some(build) = by_hint(SideHint::Broadcast, &broadcastable) {
            return make(Strategy::Broadcast { build }, keys, left, right);
        }
        let hinted_merge = [left_hint, right_hint].contains(&Some(SideHint::Merge));
        let hinted_hash =
            by_hint(SideHint::ShuffleHash, &|side| broadcastable(side) || join.kind == JoinKind::FullOuter);
        let strategy = if hinted_merge {
            Strategy::SortMerge { adaptive: false }
        } else if let Some(build) = hinted_hash {
            Strategy::ShuffledHash { build }
        } else if let Some(build) = by_size() {
            return make(Strategy::Broadcast { build }, keys, left, right);
        } else {
            Strategy::SortMerge { adaptive: self.ctx.adaptive }
        };
        let left = self.join_side(&keys.left, left)?;
        let right = self.join_side(&keys.right, right)?;
        make(strategy, keys, left, right)
    }

    /// A side by the hash of its join keys.
    fn join_side(&self, keys: &[Expr], child: ExecRef) -> Result<ExecRef> {
        let distribution = Distribution::Hash { keys: keys.to_vec(), partitions: self.ctx.shuffle_partitions };
        let exchange = ExchangeExec::new(distribution, false, "ENSURE_REQUIREMENTS", Arc::clone(&child))?;
        use crate::exec::{ExecNode, Partitioning};
        let wanted = exchange.partitioning();
        if wanted != Partitioning::Unknown && wanted == child.partitioning() && !self.ctx.adaptive {
            return Ok(child);
        }
        Ok(Arc::new(exchange))
    }
}
