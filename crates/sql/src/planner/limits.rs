//! SpecialLimits and the plain limits.

use std::sync::Arc;

use super::Planner;
use crate::error::{Result, SparkError};
use crate::exec::ExecRef;
use crate::exec::exchange::Distribution;
use crate::exec::limit::{LimitExec, LimitKind};
use crate::exec::sort::TakeOrderedExec;
use crate::exec::{ExecContext, Partitioning};
use crate::expr::Expr;
use crate::plan::{LogicalPlan, PlanRef};
use crate::value::Value;

/// The number that a limit or offset expression stands for.
pub(crate) fn row_number(ctx: &ExecContext<'_>, expr: &Expr) -> Result<usize> {
    let literal = crate::optimizer::fold(ctx, expr.clone())?;
    let n = match literal {
        Expr::Literal { value: Value::Integer(n), .. } => i64::from(n),
        Expr::Literal { value: Value::Long(n), .. } => n,
        Expr::Literal { value: Value::Short(n), .. } => i64::from(n),
        Expr::Literal { value: Value::Byte(n), .. } => i64::from(n),
        _ => return Err(SparkError::internal("a limit that is not an integer")),
    };
    Ok(usize::try_from(n).unwrap_or(0))
}

/// Limit and offset of nested nodes: rows `offset .. offset + limit` of the plan below.
struct Cut<'p> {
    limit: Option<usize>,
    offset: usize,
    child: &'p PlanRef,
}

impl Planner<'_> {
    fn cut<'p>(&self, plan: &'p PlanRef) -> Result<Option<Cut<'p>>> {
        Ok(match &**plan {
            LogicalPlan::Limit { limit, child } => {
                let limit = row_number(self.ctx, limit)?;
                Some(match &**child {
                    LogicalPlan::Offset { offset, child } => {
                        Cut { limit: Some(limit), offset: row_number(self.ctx, offset)?, child }
                    }
                    _ => Cut { limit: Some(limit), offset: 0, child },
                })
            }
            LogicalPlan::Offset { offset, child } => {
                Some(Cut { limit: None, offset: row_number(self.ctx, offset)?, child })
            }
            _ => None,
        })
    }

    /// A limit at the root: its rows go to the driver, no exchange is needed.
    pub(super) fn plan_root_limit(&self, plan: &PlanRef) -> Result<Option<ExecRef>> {
        if let LogicalPlan::Tail { .. } = &**plan {
            return self.plan_limit(plan).map(Some);
        }
        if self.extended(plan) {
            return Ok(None);
        }
        let Some(cut) = self.cut(plan)? else { return Ok(None) };
        if let Some(done) = self.plan_top(&cut)? {
            return Ok(Some(done));
        }
        let child = self.plan_child(cut.child)?;
        Ok(Some(Arc::new(LimitExec::new(LimitKind::Collect, cut.limit, cut.offset, child))))
    }

    /// Whether another crate plans this node.
    fn extended(&self, plan: &PlanRef) -> bool {
        self.extension.is_some() && plan.is_streaming()
    }

    /// Limit over Sort, perhaps with a projection between: only the first rows are ever sorted out.
    fn plan_top(&self, cut: &Cut<'_>) -> Result<Option<ExecRef>> {
        let Some(limit) = cut.limit else { return Ok(None) };
        let (sort, list) = match &**cut.child {
            LogicalPlan::Sort { .. } => (cut.child, None),
            LogicalPlan::Project { list, child } if matches!(&**child, LogicalPlan::Sort { .. }) => (child, Some(list)),
            _ => return Ok(None),
        };
        let LogicalPlan::Sort { order, global: true, child } = &**sort else { return Ok(None) };
        let input = self.plan_child(child)?;
        let list = match list {
            Some(list) => list.clone(),
            None => input.output().iter().cloned().map(Expr::Attribute).collect(),
        };
        let whole = limit.saturating_add(cut.offset);
        Ok(Some(Arc::new(TakeOrderedExec::new(whole, cut.offset, order.clone(), list, input)?)))
    }

    pub(super) fn plan_limit(&self, plan: &PlanRef) -> Result<ExecRef> {
        if let LogicalPlan::Tail { limit, child } = &**plan {
            let limit = row_number(self.ctx, limit)?;
            return Ok(Arc::new(LimitExec::new(LimitKind::Tail, Some(limit), 0, self.plan_child(child)?)));
        }
        let Some(cut) = self.cut(plan)? else { return Err(SparkError::internal("not a limit")) };
        if let Some(done) = self.plan_top(&cut)? {
            return Ok(done);
        }
        let mut child = self.plan_child(cut.child)?;
        if let Some(limit) = cut.limit {
            child = Arc::new(LimitExec::new(LimitKind::Local, Some(limit.saturating_add(cut.offset)), 0, child));
        }
        if child.partitioning() != Partitioning::Single {
            child = self.exchange(Distribution::Single, child)?;
        }
        Ok(Arc::new(LimitExec::new(LimitKind::Global, cut.limit, cut.offset, child)))
    }
}
