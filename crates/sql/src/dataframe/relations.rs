//! Methods over several DataFrames, and temp views.

use super::node;
use crate::error::{Result, SparkError};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef, SetOperation};
use crate::session::SqlSession;

pub fn join(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    kind: JoinKind,
    condition: JoinCondition,
) -> Result<PlanRef> {
    node(session, LogicalPlan::Join(Join { left: left.clone(), right: right.clone(), kind, condition }))
}

pub fn union(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    by_name: bool,
    allow_missing: bool,
) -> Result<PlanRef> {
    node(session, LogicalPlan::Union { children: vec![left.clone(), right.clone()], by_name, allow_missing })
}

pub fn set_operation(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    kind: SetOperation,
    all: bool,
) -> Result<PlanRef> {
    node(session, LogicalPlan::SetOperation { kind, all, left: left.clone(), right: right.clone() })
}

/// createTempView and its kin.
pub fn create_temp_view(session: &SqlSession, plan: &PlanRef, name: &str, replace: bool, global: bool) -> Result<()> {
    let parts = super::parse_attribute_name(name)?;
    let [name] = parts.as_slice() else {
        return Err(SparkError::analysis(
            "TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS",
            &[("actualName", &crate::analyzer::quote_parts(&parts))],
        ));
    };
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1321", &[("viewName", name)]));
    }
    session.catalog.borrow_mut().create_temp_view(name, plan.clone(), replace, global)
}
