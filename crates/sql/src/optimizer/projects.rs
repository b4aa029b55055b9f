//! CollapseProject and projections that change nothing.

use std::sync::Arc;

use super::filters::substitute;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::expr::{Alias, Expr};
use crate::plan::LogicalPlan;

/// Costs nothing to compute twice (CollapseProject.isCheap).
fn cheap(e: &Expr) -> bool {
    match e {
        Expr::Attribute(_) | Expr::Literal { .. } => true,
        Expr::Alias(a) => cheap(&a.child),
        Expr::GetField { child, .. } => cheap(child),
        _ => false,
    }
}

/// Whether the upper list may take the lower one in: each lower expression is used once or is cheap.
fn collapsible(upper: &[Expr], lower: &[Expr]) -> bool {
    lower.iter().all(|named| {
        let Some(id) = named.expr_id() else { return false };
        if cheap(named) {
            return true;
        }
        let mut uses = 0;
        let mut within_udf = false;
        for e in upper {
            e.visit(&mut |x| match x {
                Expr::Attribute(a) if a.id == id => uses += 1,
                Expr::PythonUdf(u) => within_udf |= u.args.iter().any(|a| a.references().contains(&id)),
                Expr::Lambda { body, .. } => within_udf |= body.references().contains(&id),
                _ => {}
            });
        }
        let has_udf = named.any(&|x| matches!(x, Expr::PythonUdf(_)));
        uses <= 1 && named.deterministic() && !(uses == 1 && (within_udf || has_udf))
    })
}

/// Two projections over each other as one, and a projection of an aggregate's results in the aggregate.
pub(super) fn collapse(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Project { list, child } => match &*child {
            LogicalPlan::Project { list: lower, child: below } if collapsible(&list, lower) => LogicalPlan::Project {
                list: list.iter().map(|e| inlined(e, lower)).collect(),
                child: Arc::clone(below),
            },
            LogicalPlan::Aggregate { grouping, list: lower, child: below }
                if collapsible(&list, lower) && !list.iter().any(Expr::has_subquery) =>
            {
                LogicalPlan::Aggregate {
                    grouping: grouping.clone(),
                    list: list.iter().map(|e| inlined(e, lower)).collect(),
                    child: Arc::clone(below),
                }
            }
            _ => LogicalPlan::Project { list, child },
        },
        other => other,
    }))
}

/// A named expression with the lower list's aliases put in; it keeps its name and id.
fn inlined(named: &Expr, lower: &[Expr]) -> Expr {
    match named {
        Expr::Attribute(a) => {
            let below = lower.iter().find(|e| e.expr_id() == Some(a.id));
            match below {
                Some(Expr::Alias(alias)) => Expr::Alias(Box::new(Alias {
                    child: alias.child.clone(),
                    id: a.id,
                    names: vec![a.name.to_string()],
                    qualifier: a.qualifier.clone(),
                    metadata: Some(a.metadata.clone()),
                })),
                _ => named.clone(),
            }
        }
        Expr::Alias(alias) => {
            let metadata = alias.metadata.clone().or_else(|| Some(named.metadata()));
            Expr::Alias(Box::new(Alias { child: substitute(&alias.child, lower), metadata, ..(**alias).clone() }))
        }
        other => substitute(other, lower),
    }
}

/// RemoveNoopOperators: a projection of exactly its child's columns, names included.
pub(super) fn remove_no_ops(_ctx: &ExecContext<'_>, plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up(&mut |node| match node {
        LogicalPlan::Project { list, child } => {
            let output = child.output();
            let same = list.len() == output.len()
                && list
                    .iter()
                    .zip(&output)
                    .all(|(e, a)| matches!(e, Expr::Attribute(x) if x.id == a.id && x.name == a.name));
            if same { Arc::unwrap_or_clone(child) } else { LogicalPlan::Project { list, child } }
        }
        other => other,
    }))
}
