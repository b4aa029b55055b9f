//! Recursive queries below LIMIT (PushDownLimitInUnionLoop): rounds that could go on need not when enough rows are there.

use std::sync::Arc;

use crate::analyzer::UNFINISHED;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::Expr;
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::value::Value;

pub(super) fn within_limits(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Limit { limit, child } => {
            let wanted = number(&limit);
            let child = wanted.and_then(|wanted| enough(&child, wanted)).unwrap_or(child);
            LogicalPlan::Limit { limit, child }
        }
        other => other,
    }))
}

fn number(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Literal { value: Value::Integer(n), .. } => usize::try_from(*n).ok(),
        _ => None,
    }
}

/// The plan without the error after its last row, where it has so many rows.
fn enough(plan: &PlanRef, wanted: usize) -> Option<PlanRef> {
    match &**plan {
        LogicalPlan::Project { list, child } => {
            let child = enough(child, wanted)?;
            Some(Arc::new(LogicalPlan::Project { list: list.clone(), child }))
        }
        LogicalPlan::Offset { offset, child } => {
            let child = enough(child, wanted.checked_add(number(offset)?)?)?;
            Some(Arc::new(LogicalPlan::Offset { offset: offset.clone(), child }))
        }
        LogicalPlan::Filter { condition: Expr::Call(call), child } if &*call.name == UNFINISHED => {
            let LogicalPlan::LocalRelation(rows) = &**child else { return None };
            let [batches] = rows.partitions.as_slice() else { return None };
            let (_, whole) = batches.split_last()?;
            let there: usize = whole.iter().map(|batch| batch.num_rows()).sum();
            (there >= wanted).then(|| {
                let partitions = Arc::new(vec![whole.to_vec()]);
                Arc::new(LogicalPlan::LocalRelation(LocalRelation { partitions, ..rows.clone() }))
            })
        }
        _ => None,
    }
}
