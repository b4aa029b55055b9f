//! RewritePredicateSubquery: IN and EXISTS as semi and anti joins.

use std::sync::Arc;

use super::filters::{covered, filtered};
use super::{join_conjuncts, split_conjuncts};
use crate::error::{Result, SparkError};
use crate::exec::ExecContext;
use crate::expr::{Attribute, Expr};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

pub(super) fn rewrite_predicates(ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.try_transform_up(&mut |node| match node {
        LogicalPlan::Filter { condition, child } if condition.has_subquery() => {
            let (subqueries, rest): (Vec<Expr>, Vec<Expr>) = split_conjuncts(&condition)
                .into_iter()
                .partition(|t| is_predicate(t) || negated(t).is_some_and(is_predicate));
            let mut current = filtered(rest, child);
            for term in subqueries {
                current = Arc::new(joined(ctx, term, current)?);
            }
            Ok(Arc::unwrap_or_clone(current))
        }
        other => Ok(other),
    })
}

fn is_predicate(e: &Expr) -> bool {
    matches!(e, Expr::Exists { .. } | Expr::InSubquery { .. })
}

fn negated(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Call(call) if &*call.name == "not" => call.args.first(),
        _ => None,
    }
}

fn call(ctx: &ExecContext<'_>, name: &str, args: Vec<Expr>) -> Result<Expr> {
    super::calls::call(ctx, name, args)
}

fn joined(ctx: &ExecContext<'_>, term: Expr, outer: PlanRef) -> Result<LogicalPlan> {
    let (predicate, not) = match negated(&term) {
        Some(inner) => (inner.clone(), true),
        None => (term, false),
    };
    let outer_columns = outer.output();
    let (plan, anti, value) = match predicate {
        Expr::Exists { plan, negated } => (plan, negated != not, None),
        Expr::InSubquery { child, plan, negated } => (plan, negated != not, Some(*child)),
        _ => return Err(SparkError::internal("not a predicate subquery")),
    };
    let (right, mut terms) = pull_up(&plan, &outer_columns)?;
    if let Some(value) = value {
        let column = plan.output().first().cloned().ok_or_else(|| SparkError::internal("an empty subquery"))?;
        let equal = call(ctx, "=", vec![value, Expr::Attribute(column)])?;
        // NOT IN is never true where the comparison is unknown (null-aware anti join).
        terms.push(if anti {
            let unknown = call(ctx, "isnull", vec![equal.clone()])?;
            call(ctx, "or", vec![equal, unknown])?
        } else {
            equal
        });
    }
    let kind = if anti { JoinKind::LeftAnti } else { JoinKind::LeftSemi };
    let condition = join_conjuncts(terms).map_or(JoinCondition::None, JoinCondition::On);
    Ok(LogicalPlan::Join(Join { left: outer, right, kind, condition }))
}

/// PullupCorrelatedPredicates: filter terms of the subquery that look at the outer plan, taken out of it. The columns they
/// need from inside are added to projections on the way.
pub(crate) fn pull_up(plan: &PlanRef, outer: &[Arc<Attribute>]) -> Result<(PlanRef, Vec<Expr>)> {
    let looks_out = |e: &Expr| e.references().iter().any(|id| outer.iter().any(|a| a.id == *id));
    match &**plan {
        LogicalPlan::Filter { condition, child } => {
            let (child, mut terms) = pull_up(child, outer)?;
            let (out, stay): (Vec<Expr>, Vec<Expr>) =
                split_conjuncts(condition).into_iter().partition(|t| looks_out(t) && !covered(t, &child.output()));
            terms.extend(out);
            Ok((filtered(stay, child), terms))
        }
        LogicalPlan::Project { list, child } => {
            let (child, terms) = pull_up(child, outer)?;
            let mut list = list.clone();
            for column in child.output() {
                let wanted = terms.iter().any(|t| t.references().contains(&column.id));
                if wanted && !list.iter().any(|e| e.expr_id() == Some(column.id)) {
                    list.push(Expr::Attribute(column));
                }
            }
            Ok((Arc::new(LogicalPlan::Project { list, child }), terms))
        }
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => pull_up(child, outer),
        _ => {
            let correlated = plan.any(&|node| {
                let mut found = false;
                node.for_each_expression(&mut |e| found |= looks_out(e));
                found
            });
            if correlated {
                return Err(SparkError::not_yet("A correlated subquery of this form"));
            }
            Ok((Arc::clone(plan), Vec::new()))
        }
    }
}
