//! Methods over several DataFrames, and temp views.

use std::sync::Arc;

use super::{lineage, node};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, UnresolvedFunction};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, NearestBy, NearestByJoin, PlanRef, SetOperation};
use crate::session::SqlSession;
use crate::types::DataType;
use crate::value::Value;

pub fn join(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    kind: JoinKind,
    condition: JoinCondition,
) -> Result<PlanRef> {
    let renewed = crate::analyzer::apart(session, left, right);
    let join = |condition| LogicalPlan::Join(Join { left: left.clone(), right: renewed.clone(), kind, condition });
    let JoinCondition::On(on) = condition else { return node(session, join(condition)) };
    let on = lineage::renamed(on, left, right, &renewed);
    lineage::settled(session, join(JoinCondition::On(on.clone())))?;
    let on = lineage::sides_told_apart(session, lineage::plain(on), (left, right), &renewed)?;
    node(session, join(JoinCondition::On(on)))
}

pub fn nearest_by_join(
    session: &SqlSession,
    left: &PlanRef,
    right: &PlanRef,
    ranking: Expr,
    how: NearestBy,
) -> Result<PlanRef> {
    let renewed = crate::analyzer::apart(session, left, right);
    let ranking = lineage::renamed(ranking, left, right, &renewed);
    let join = NearestByJoin { left: left.clone(), right: renewed, how, ranking };
    node(session, LogicalPlan::Extension(Arc::new(join)))
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

/// df.unpivot: `values` None means all columns that are no ids.
pub fn unpivot(
    session: &SqlSession,
    plan: &PlanRef,
    ids: Vec<Expr>,
    values: Option<Vec<Expr>>,
    variable: &str,
    value: &str,
) -> Result<PlanRef> {
    if values.as_ref().is_some_and(Vec::is_empty) {
        let error = SparkError::analysis("UNPIVOT_REQUIRES_VALUE_COLUMNS", &[]);
        return Err(error.with_context(format!(";\n{}", crate::explain::tree_string(plan))));
    }
    let text = |text: &str| Expr::literal(Value::from(text), DataType::String);
    let count = i32::try_from(ids.len()).unwrap_or(i32::MAX);
    let mut args =
        vec![text(variable), text(value), Expr::bool(true), Expr::literal(Value::Integer(count), DataType::Integer)];
    args.extend(ids);
    args.extend(values.unwrap_or_default());
    let call = Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        name: crate::analyzer::UNPIVOT.to_owned(),
        args,
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
        arg_names: Vec::new(),
        operator: false,
    }));
    node(session, LogicalPlan::Project { list: vec![call], child: plan.clone() })
}
