//! New ids for columns, so that the sides of a self join can be told apart (DeduplicateRelations).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use crate::expr::{Attribute, Expr, ExprId};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;

type Ids = BTreeMap<ExprId, ExprId>;

/// Which copy with new ids was made of which plan: whose columns a copy has (the tags that Catalyst keeps on its trees).
#[derive(Debug, Default)]
pub(crate) struct Copies(RefCell<Vec<(Weak<LogicalPlan>, Weak<LogicalPlan>)>>);

impl Copies {
    /// A copy of a copy is one of the first plan.
    fn note(&self, made: Vec<(PlanRef, PlanRef)>) {
        let mut known = self.0.borrow_mut();
        known.retain(|(copy, _)| copy.strong_count() > 0);
        for (copy, of) in made {
            let origin = known.iter().find(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(&of)));
            let origin = origin.map_or_else(|| Arc::downgrade(&of), |(_, origin)| origin.clone());
            known.push((Arc::downgrade(&copy), origin));
        }
    }

    pub(crate) fn is_copy(&self, plan: &PlanRef, of: &PlanRef) -> bool {
        self.0.borrow().iter().any(|(copy, origin)| {
            std::ptr::eq(copy.as_ptr(), Arc::as_ptr(plan)) && std::ptr::eq(origin.as_ptr(), Arc::as_ptr(of))
        })
    }
}

/// A copy of the plan in which every column that the plan itself makes has a new id.
pub(crate) fn fresh_ids(plan: &PlanRef) -> PlanRef {
    renew(plan, &|_, _| true, &mut Vec::new()).map_or_else(|| plan.clone(), |(plan, _)| plan)
}

/// The right side of a join, with new ids where the left side has them already. Without streams, relations and aliases that
/// stand anywhere on the left count; with streams only what both sides give out.
pub(crate) fn apart(session: &SqlSession, left: &PlanRef, right: &PlanRef) -> PlanRef {
    let mut copies = Vec::new();
    let mut plan = right.clone();
    if !left.is_streaming() && !right.is_streaming() {
        let mut taken: BTreeMap<String, BTreeSet<ExprId>> = BTreeMap::new();
        collect(left, &mut taken);
        let duplicated = |node: &LogicalPlan, made: &[ExprId]| {
            taken.get(&class(node)).is_some_and(|ids| made.iter().any(|id| ids.contains(id)))
        };
        plan = renew(&plan, &duplicated, &mut copies).map_or(plan, |(plan, _)| plan);
    }
    let ids = left.output_ids();
    let shared: BTreeSet<ExprId> = plan.output_ids().intersection(&ids).copied().collect();
    if !shared.is_empty() {
        let conflicting = |_: &LogicalPlan, made: &[ExprId]| made.iter().any(|id| shared.contains(id));
        plan = renew(&plan, &conflicting, &mut copies).map_or(plan, |(plan, _)| plan);
    }
    session.copies.note(copies);
    plan
}

/// Kinds of nodes that are compared with each other.
fn class(plan: &LogicalPlan) -> String {
    match plan {
        LogicalPlan::Extension(node) => node.name(),
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}

fn collect(plan: &LogicalPlan, taken: &mut BTreeMap<String, BTreeSet<ExprId>>) {
    plan.child_plans().iter().for_each(|child| collect(child, taken));
    let made = made_by(plan);
    if !made.is_empty() {
        taken.entry(class(plan)).or_default().extend(made);
    }
}

/// Ids of the columns that a node brings in itself.
fn made_by(plan: &LogicalPlan) -> Vec<ExprId> {
    use LogicalPlan as P;
    let aliases = |list: &[Expr]| {
        let ids = list.iter().filter_map(|expr| if let Expr::Alias(alias) = expr { Some(alias.id) } else { None });
        ids.collect()
    };
    match plan {
        P::LocalRelation(_)
        | P::FileRelation(_)
        | P::StreamingRelation(_)
        | P::Range { .. }
        | P::MemoryTable { .. }
        | P::StreamingBatch { .. } => plan.output().iter().map(|column| column.id).collect(),
        P::Project { list, .. }
        | P::Aggregate { list, .. }
        | P::GroupingSets { list, .. }
        | P::Window { list, .. }
        | P::CollectMetrics { metrics: list, .. } => aliases(list),
        P::Generate { output, .. } => output.iter().map(|column| column.id).collect(),
        P::Expand { .. } | P::Extension(_) => {
            let below: BTreeSet<ExprId> = plan.child_plans().iter().flat_map(|child| child.output_ids()).collect();
            plan.output().iter().map(|column| column.id).filter(|id| !below.contains(id)).collect()
        }
        _ => Vec::new(),
    }
}

fn renamed(attributes: &[Arc<Attribute>], ids: &Ids) -> Vec<Arc<Attribute>> {
    let attribute = |attribute: &Arc<Attribute>| match ids.get(&attribute.id) {
        Some(id) => Arc::new(Attribute { id: *id, ..(**attribute).clone() }),
        None => attribute.clone(),
    };
    attributes.iter().map(attribute).collect()
}

fn rename(expr: Expr, ids: &Ids) -> Expr {
    expr.transform_up(&mut |expr| match expr {
        Expr::Attribute(attribute) => match ids.get(&attribute.id) {
            Some(id) => Expr::Attribute(Arc::new(Attribute { id: *id, ..(*attribute).clone() })),
            None => Expr::Attribute(attribute),
        },
        Expr::Alias(mut alias) => {
            alias.id = *ids.get(&alias.id).unwrap_or(&alias.id);
            Expr::Alias(alias)
        }
        other => other,
    })
}

/// The plan with new ids for the columns of every node that `wanted` takes, given those ids; None: nothing changes. Ids are
/// renamed upwards only, so that the children of a union or a join keep theirs apart.
fn renew(
    plan: &PlanRef,
    wanted: &dyn Fn(&LogicalPlan, &[ExprId]) -> bool,
    copies: &mut Vec<(PlanRef, PlanRef)>,
) -> Option<(PlanRef, Ids)> {
    let mut ids = Ids::new();
    let mut changed = false;
    let mut children = Vec::new();
    for child in plan.child_plans() {
        match renew(&child, wanted, copies) {
            Some((child, below)) => {
                changed = true;
                ids.extend(below);
                children.push(child);
            }
            None => children.push(child),
        }
    }
    let made = made_by(plan);
    if !made.is_empty() && wanted(plan, &made) {
        changed = true;
        ids.extend(made.into_iter().map(|id| (id, ExprId::fresh())));
    }
    if !changed {
        return None;
    }
    let mut children = children.into_iter();
    let node = (**plan).clone().map_children(&mut |old| children.next().unwrap_or(old));
    let copy: PlanRef = Arc::new(with_ids(node, &ids));
    copies.push((copy.clone(), plan.clone()));
    Some((copy, ids))
}

/// The node with its expressions and its own columns renamed.
fn with_ids(node: LogicalPlan, ids: &Ids) -> LogicalPlan {
    let mut node = match node {
        LogicalPlan::LocalRelation(mut relation) => {
            relation.output = renamed(&relation.output, ids);
            return LogicalPlan::LocalRelation(relation);
        }
        LogicalPlan::FileRelation(mut relation) => {
            relation.output = renamed(&relation.output, ids);
            return LogicalPlan::FileRelation(relation);
        }
        LogicalPlan::StreamingRelation(mut relation) => {
            relation.output = renamed(&relation.output, ids);
            return LogicalPlan::StreamingRelation(relation);
        }
        other => other.map_expressions(&mut |expr| rename(expr, ids)),
    };
    match &mut node {
        LogicalPlan::Range { output, .. }
        | LogicalPlan::MemoryTable { output, .. }
        | LogicalPlan::StreamingBatch { output, .. }
        | LogicalPlan::Expand { output, .. }
        | LogicalPlan::Generate { output, .. } => *output = renamed(output, ids),
        LogicalPlan::Extension(operator) => *operator = operator.with_output(renamed(&operator.output(), ids)),
        _ => {}
    }
    node
}
