//! LIMIT and OFFSET in a correlated subquery: the first rows for each row of the enclosing query become the rows with the
//! lowest numbers for each value that they are matched by (DecorrelateInnerQuery).

use std::sync::Arc;

use super::Analyzer;
use super::windows::extract_windows;
use crate::error::Result;
use crate::expr::{Expr, ExprId, FrameBound, SortOrder, WindowCall, WindowFrame, WindowSpec};
use crate::plan::{LogicalPlan, PlanRef};

impl Analyzer<'_> {
    /// The rows of a [`LogicalPlan::Limit`] or [`LogicalPlan::Offset`] whose child reads columns of the enclosing query.
    pub(super) fn pull_up_limit(
        &mut self,
        plan: &PlanRef,
        outer: &[ExprId],
        conditions: &mut Vec<Expr>,
    ) -> Result<PlanRef> {
        let (limit, offset, child) = bounds(plan);
        let (order, below) = ordered(&child);
        let mut own = Vec::new();
        let below = self.pull_up(&below, outer, &mut own)?;
        let again = |child: PlanRef| {
            let child = match &offset {
                Some(offset) => Arc::new(LogicalPlan::Offset { offset: offset.clone(), child }),
                None => child,
            };
            match &limit {
                Some(limit) => Arc::new(LogicalPlan::Limit { limit: limit.clone(), child }),
                None => child,
            }
        };
        if own.is_empty() {
            let sorted = match order.is_empty() {
                true => below,
                false => Arc::new(LogicalPlan::Sort { order, global: true, child: below }),
            };
            return Ok(again(sorted));
        }
        let keys = own.iter().filter_map(|condition| inner_key(condition, outer)).collect();
        conditions.extend(own);
        self.numbered(below, keys, order, limit, offset)
    }

    /// The rows of a plan that LIMIT and OFFSET leave of those with equal keys.
    pub(super) fn numbered(
        &mut self,
        below: PlanRef,
        keys: Vec<Expr>,
        order: Vec<SortOrder>,
        limit: Option<Expr>,
        offset: Option<Expr>,
    ) -> Result<PlanRef> {
        let output: Vec<Expr> = below.output().into_iter().map(Expr::Attribute).collect();
        let frame = WindowFrame { rows: true, start: FrameBound::UnboundedPreceding, end: FrameBound::CurrentRow };
        let spec = WindowSpec { partition_by: keys, order_by: order, frame: Some(frame) };
        let function = self.call("row_number", Vec::new())?;
        let number = Expr::Window(Box::new(WindowCall { function, spec })).alias("rn");
        let rn = Expr::Attribute(number.to_attribute());
        let numbered = extract_windows(self, output.iter().cloned().chain([number]).collect(), &below)?;
        let mut bounds = Vec::new();
        if let Some(offset) = &offset {
            bounds.push(self.call(">", vec![rn.clone(), offset.clone()])?);
        }
        if let Some(limit) = limit {
            let last = match offset {
                Some(offset) => self.call("+", vec![offset, limit])?,
                None => limit,
            };
            bounds.push(self.call("<=", vec![rn, last])?);
        }
        let mut plan = numbered;
        for condition in bounds {
            plan = Arc::new(LogicalPlan::Filter { condition, child: plan });
        }
        Ok(Arc::new(LogicalPlan::Project { list: output, child: plan }))
    }
}

/// The limit and the offset of a plan, and what is below them.
pub(super) fn bounds(plan: &PlanRef) -> (Option<Expr>, Option<Expr>, PlanRef) {
    match &**plan {
        LogicalPlan::Limit { limit, child } => match &**child {
            LogicalPlan::Offset { offset, child } => (Some(limit.clone()), Some(offset.clone()), child.clone()),
            _ => (Some(limit.clone()), None, child.clone()),
        },
        LogicalPlan::Offset { offset, child } => (None, Some(offset.clone()), child.clone()),
        _ => (None, None, plan.clone()),
    }
}

/// The order of a plan's rows and the plan without it. A projection's rows are in the order of those below it: sorting them
/// is put below.
pub(super) fn ordered(plan: &PlanRef) -> (Vec<SortOrder>, PlanRef) {
    match &**plan {
        LogicalPlan::Sort { order, child, .. } => (order.clone(), child.clone()),
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => ordered(child),
        LogicalPlan::Project { list, child } => {
            let (order, below) = ordered(child);
            if order.is_empty() {
                return (order, plan.clone());
            }
            // What is sorted by must come through the projection.
            let mut list = list.clone();
            for column in order.iter().flat_map(|order| order.child.references()) {
                if !list.iter().any(|item| matches!(item, Expr::Attribute(kept) if kept.id == column))
                    && let Some(found) = below.output().into_iter().find(|known| known.id == column)
                {
                    list.push(Expr::Attribute(found));
                }
            }
            (order, Arc::new(LogicalPlan::Project { list, child: below }))
        }
        _ => (Vec::new(), plan.clone()),
    }
}

/// The side of `inner = outer` that reads the subquery.
pub(super) fn inner_key(condition: &Expr, outer: &[ExprId]) -> Option<Expr> {
    let Expr::Call(call) = condition else { return None };
    let [a, b] = call.args.as_slice() else { return None };
    if !matches!(&*call.name, "=" | "==" | "<=>") {
        return None;
    }
    let only_outer = |expr: &Expr| expr.references().iter().all(|id| outer.contains(id));
    let only_inner = |expr: &Expr| !expr.references().iter().any(|id| outer.contains(id));
    if only_inner(a) && only_outer(b) {
        Some(a.clone())
    } else if only_inner(b) && only_outer(a) {
        Some(b.clone())
    } else {
        None
    }
}
