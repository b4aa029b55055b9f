//! DataFrames as subqueries: scalar(), exists(), isin(df), lateralJoin, and the frames that wait for their enclosing query.
//!
//! A frame whose expressions read columns of an enclosing query (`Column.outer`) cannot be analysed alone. It stays as it was
//! written, its analysed inputs sealed in views without a name, until the query around it is analysed.

use std::sync::Arc;

use crate::analyzer::{Analyzer, OUTER};
use crate::error::Result;
use crate::expr::Expr;
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::session::SqlSession;

/// What a frame in an expression stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Subquery {
    Scalar,
    Exists,
    /// `value IN (frame)`; several values are a struct.
    In(Expr),
}

/// Whether an expression of the plan waits for an enclosing query.
pub(super) fn waits(plan: &LogicalPlan) -> bool {
    plan.any(&|node| {
        let mut found = false;
        node.for_each_expression(&mut |expr| {
            found |= expr.any(&|inner| matches!(inner, Expr::UnresolvedFunction(call) if call.name == OUTER));
        });
        found
    })
}

/// The plan ready to stand inside another one.
fn sealed(plan: PlanRef) -> PlanRef {
    if waits(&plan) || matches!(&*plan, LogicalPlan::View { name, .. } if name.is_empty()) {
        return plan;
    }
    Arc::new(LogicalPlan::View { name: Vec::new(), child: plan })
}

/// A node that waits, over its inputs.
pub(super) fn unanalysed(plan: LogicalPlan) -> PlanRef {
    Arc::new(plan.map_children(&mut sealed))
}

/// The expression of a frame.
pub fn subquery(plan: &PlanRef, kind: Subquery) -> Expr {
    let plan = sealed(plan.clone());
    match kind {
        Subquery::Scalar => Expr::ScalarSubquery(plan),
        Subquery::Exists => Expr::Exists { plan, negated: false },
        Subquery::In(child) => Expr::InSubquery { child: Box::new(child), plan, negated: false },
    }
}

/// DataFrame.lateralJoin.
pub fn lateral_join(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    kind: JoinKind,
    on: Option<Expr>,
) -> Result<PlanRef> {
    let name = crate::analyzer::LATERAL.to_owned();
    let right = Arc::new(LogicalPlan::Hint { name, parameters: Vec::new(), child: sealed(right.clone()) });
    let condition = on.map_or(JoinCondition::None, |on| JoinCondition::On(super::lineage::plain(on)));
    let join = LogicalPlan::Join(Join { left: left.clone(), right, kind, condition });
    // The right side may read the left one's columns; what the left side waits for is further out.
    if waits(left) { Ok(unanalysed(join)) } else { Analyzer::new(session).node(join) }
}

/// One row without columns, which table-valued functions are selected from.
pub fn one_row() -> PlanRef {
    Arc::new(LogicalPlan::OneRow)
}
