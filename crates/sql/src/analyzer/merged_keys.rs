//! The columns that USING and NATURAL joins merge: they do not show, but the column itself (`df.k`) and its qualified name
//! (`t.k`) still bring them up (Project.hiddenOutputTag, AddMetadataColumns).

use std::sync::Arc;

use super::Analyzer;
use super::scope::find_column;
use super::subquery::conjuncts;
use crate::error::SparkError;
use crate::expr::{Attribute, Expr, ExprId};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

/// Errors that a merged column may mend.
pub(super) fn may_be_merged(error: &SparkError) -> bool {
    error.condition.as_deref().is_some_and(|condition| {
        condition.starts_with("MISSING_ATTRIBUTES.") || condition.starts_with("UNRESOLVED_COLUMN.")
    })
}

/// The columns that do not show of a projection as USING makes it: the keys, the rest of the left side, that of the right.
fn merged(plan: &LogicalPlan) -> Option<Vec<Arc<Attribute>>> {
    let LogicalPlan::Project { list, child } = plan else { return None };
    let LogicalPlan::Join(Join { left, kind, condition: JoinCondition::On(on), .. }) = &**child else { return None };
    let left_ids = left.output_ids();
    let mut pairs = Vec::new();
    for part in conjuncts(on.clone()) {
        let Expr::Call(call) = part else { return None };
        let (a, b) = (column(call.args.first()?)?, column(call.args.get(1)?)?);
        let named_alike = a.name.eq_ignore_ascii_case(&b.name);
        if &*call.name != "=" || !named_alike || !left_ids.contains(&a.id) || left_ids.contains(&b.id) {
            return None;
        }
        pairs.push((a.id, b.id));
    }
    let keys = list.get(..pairs.len())?;
    let merges = |(item, (a, b)): (&Expr, &(ExprId, ExprId))| match kind {
        JoinKind::Inner | JoinKind::Cross | JoinKind::LeftOuter | JoinKind::LeftSingle => item.expr_id() == Some(*a),
        JoinKind::RightOuter => item.expr_id() == Some(*b),
        JoinKind::FullOuter => {
            let read = item.references();
            matches!(item, Expr::Alias(_)) && read.len() == 2 && read.contains(a) && read.contains(b)
        }
        JoinKind::LeftSemi | JoinKind::LeftAnti => false,
    };
    let is_key = |id: &ExprId| pairs.iter().any(|(a, b)| a == id || b == id);
    let output = child.output();
    let rest: Vec<ExprId> = output.iter().map(|column| column.id).filter(|id| !is_key(id)).collect();
    let shown: Vec<ExprId> = list[pairs.len()..].iter().filter_map(Expr::expr_id).filter(|id| !is_key(id)).collect();
    if pairs.is_empty() || !keys.iter().zip(&pairs).all(merges) || rest != shown {
        return None;
    }
    let visible: Vec<ExprId> = list.iter().filter_map(Expr::expr_id).collect();
    Some(output.into_iter().filter(|column| is_key(&column.id) && !visible.contains(&column.id)).collect())
}

/// The column below a cast.
fn column(expr: &Expr) -> Option<&Arc<Attribute>> {
    match expr {
        Expr::Attribute(column) => Some(column),
        Expr::Cast { child, .. } => column(child),
        _ => None,
    }
}

fn hands_on(plan: &LogicalPlan) -> bool {
    matches!(
        plan,
        LogicalPlan::Project { .. }
            | LogicalPlan::Filter { .. }
            | LogicalPlan::Sort { .. }
            | LogicalPlan::Limit { .. }
            | LogicalPlan::Offset { .. }
            | LogicalPlan::Sample { .. }
            | LogicalPlan::Hint { .. }
            | LogicalPlan::Repartition { .. }
            | LogicalPlan::EventTimeWatermark { .. }
            | LogicalPlan::Join(_)
    )
}

/// All merged columns within reach.
fn reachable(plan: &PlanRef) -> Vec<Arc<Attribute>> {
    if let Some(found) = merged(plan) {
        return found;
    }
    if !hands_on(plan) {
        return Vec::new();
    }
    plan.child_plans().iter().flat_map(reachable).collect()
}

/// The plan with these merged columns in its output; None where it has none of them.
fn exposed(plan: &PlanRef, wanted: &[ExprId]) -> Option<PlanRef> {
    let hidden = |column: &Arc<Attribute>| {
        let mut column = (**column).clone();
        column.metadata.hidden = true;
        Expr::Attribute(Arc::new(column))
    };
    if let Some(found) = merged(plan) {
        let LogicalPlan::Project { list, child } = &**plan else { return None };
        let more: Vec<Expr> = found.iter().filter(|column| wanted.contains(&column.id)).map(hidden).collect();
        let list = list.iter().cloned().chain(more.iter().cloned()).collect();
        return (!more.is_empty()).then(|| Arc::new(LogicalPlan::Project { list, child: child.clone() }));
    }
    if !hands_on(plan) {
        return None;
    }
    let mut any = false;
    let node = (**plan).clone().map_children(&mut |child| match exposed(&child, wanted) {
        Some(child) => {
            any = true;
            child
        }
        None => child,
    });
    let node = match node {
        LogicalPlan::Project { list, child } => {
            let more = child.output().into_iter().filter(|column| wanted.contains(&column.id)).map(Expr::Attribute);
            LogicalPlan::Project { list: list.into_iter().chain(more).collect(), child }
        }
        other => other,
    };
    any.then(|| Arc::new(node))
}

impl Analyzer<'_> {
    /// The node over children that show the merged columns that it asks for; None where it asks for none.
    pub(super) fn with_merged_keys(&self, node: &LogicalPlan) -> Option<LogicalPlan> {
        let children = node.child_plans();
        let hidden: Vec<Arc<Attribute>> = children.iter().flat_map(reachable).collect();
        if hidden.is_empty() {
            return None;
        }
        let shown: Vec<Arc<Attribute>> = children.iter().flat_map(|child| child.output()).collect();
        let case_sensitive = self.conf.case_sensitive();
        let mut wanted: Vec<ExprId> = Vec::new();
        node.for_each_expression(&mut |expr| {
            expr.visit(&mut |inner| match inner {
                Expr::Attribute(column) if !shown.iter().any(|known| known.id == column.id) => wanted.push(column.id),
                Expr::UnresolvedStar(target) if !target.is_empty() => {
                    wanted.extend(hidden.iter().filter(|column| self.is_of(column, target)).map(|column| column.id));
                }
                Expr::UnresolvedAttribute(parts) if parts.len() > 1 => {
                    if matches!(find_column(&shown, parts, case_sensitive), Ok(None))
                        && let Ok(Some(found)) = find_column(&hidden, parts, case_sensitive)
                    {
                        wanted.push(found.attribute.id);
                    }
                }
                _ => {}
            });
        });
        wanted.retain(|id| hidden.iter().any(|column| column.id == *id));
        if wanted.is_empty() {
            return None;
        }
        Some(node.clone().map_children(&mut |child| exposed(&child, &wanted).unwrap_or(child)))
    }
}

/// Whether a list has `t.*`.
pub(super) fn has_qualified_star(node: &LogicalPlan) -> bool {
    let list = match node {
        LogicalPlan::Project { list, .. } | LogicalPlan::Aggregate { list, .. } => list,
        _ => return false,
    };
    let star = |expr: &Expr| matches!(expr, Expr::UnresolvedStar(target) if !target.is_empty());
    list.iter().any(|item| item.any(&star))
}

/// The resolved node: what it selects of the merged columns shows from here on, what it only reads does not.
pub(super) fn settled(plan: PlanRef) -> PlanRef {
    let merged = |column: &Attribute| column.metadata.hidden && !column.is_file_metadata();
    if matches!(*plan, LogicalPlan::Project { .. } | LogicalPlan::Aggregate { .. }) {
        let node = (*plan).clone().map_expressions(&mut |expr| {
            expr.transform_up(&mut |inner| match inner {
                Expr::Attribute(column) if merged(&column) => {
                    let mut column = (*column).clone();
                    column.metadata.hidden = false;
                    Expr::Attribute(Arc::new(column))
                }
                other => other,
            })
        });
        return Arc::new(node);
    }
    let list = plan.output().into_iter().filter(|column| !merged(column)).map(Expr::Attribute).collect();
    Arc::new(LogicalPlan::Project { list, child: plan })
}
