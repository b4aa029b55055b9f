//! CombineLimits.

use std::sync::Arc;

use crate::error::Result;
use crate::exec::ExecContext;
use crate::plan::LogicalPlan;
use crate::planner::row_number;

pub(super) fn combine(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.try_transform_up(&mut |node| match node {
        LogicalPlan::Limit { limit, child } => match (*child).clone() {
            LogicalPlan::Limit { limit: inner, child: below } => {
                let outer_first = row_number(ctx, &limit)? <= row_number(ctx, &inner)?;
                Ok(LogicalPlan::Limit { limit: if outer_first { limit } else { inner }, child: below })
            }
            _ => Ok(LogicalPlan::Limit { limit, child: Arc::clone(&child) }),
        },
        other => Ok(other),
    })
}
