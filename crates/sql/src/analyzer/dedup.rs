//! New ids for a plan's columns, so that both sides of a self join can be told apart (DeduplicateRelations).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::{Attribute, Expr, ExprId};
use crate::plan::{LogicalPlan, PlanRef};

/// A copy of the plan in which every column that the plan itself makes has a new id.
pub(crate) fn fresh_ids(plan: &PlanRef) -> PlanRef {
    let mut map = BTreeMap::new();
    Arc::new(renew(plan, &mut map))
}

fn fresh(attributes: &[Arc<Attribute>], map: &mut BTreeMap<ExprId, ExprId>) -> Vec<Arc<Attribute>> {
    attributes
        .iter()
        .map(|attribute| {
            let id = *map.entry(attribute.id).or_insert_with(ExprId::fresh);
            Arc::new(Attribute { id, ..(**attribute).clone() })
        })
        .collect()
}

fn rename(expr: Expr, map: &mut BTreeMap<ExprId, ExprId>) -> Expr {
    expr.transform_up(&mut |expr| match expr {
        Expr::Attribute(attribute) => match map.get(&attribute.id) {
            Some(id) => Expr::Attribute(Arc::new(Attribute { id: *id, ..(*attribute).clone() })),
            None => Expr::Attribute(attribute),
        },
        Expr::Alias(mut alias) => {
            let id = *map.entry(alias.id).or_insert_with(ExprId::fresh);
            alias.id = id;
            Expr::Alias(alias)
        }
        other => other,
    })
}

fn renew(plan: &PlanRef, map: &mut BTreeMap<ExprId, ExprId>) -> LogicalPlan {
    let node = (**plan).clone().map_children(&mut |child| Arc::new(renew(&child, map)));
    let mut node = match node {
        LogicalPlan::LocalRelation(mut relation) => {
            relation.output = fresh(&relation.output, map);
            return LogicalPlan::LocalRelation(relation);
        }
        LogicalPlan::FileRelation(mut relation) => {
            relation.output = fresh(&relation.output, map);
            return LogicalPlan::FileRelation(relation);
        }
        LogicalPlan::StreamingRelation(mut relation) => {
            relation.output = fresh(&relation.output, map);
            return LogicalPlan::StreamingRelation(relation);
        }
        other => other.map_expressions(&mut |expr| rename(expr, map)),
    };
    match &mut node {
        LogicalPlan::Range { output, .. }
        | LogicalPlan::MemoryTable { output, .. }
        | LogicalPlan::StreamingBatch { output, .. }
        | LogicalPlan::Expand { output, .. }
        | LogicalPlan::Generate { output, .. } => *output = fresh(output, map),
        LogicalPlan::Extension(operator) => *operator = operator.with_output(fresh(&operator.output(), map)),
        _ => {}
    }
    node
}
