//! sameSemantics and semanticHash: plans compared without ids and without the names that aliases give.

use std::sync::Arc;

use crate::functions::hash::murmur3_bytes;
use crate::plan::{LogicalPlan, PlanRef};

/// The plan's tree with ids numbered as they appear and aliases without names.
fn canonical(plan: &PlanRef) -> String {
    let tree = crate::explain::tree_string(&bare(plan));
    let Ok(pattern) = regex::Regex::new(r"( AS )?([^\s\[\]\(\),]*)#(\d+)") else { return tree };
    let mut seen: Vec<String> = Vec::new();
    pattern
        .replace_all(&tree, |found: &regex::Captures<'_>| {
            let id = found[3].to_owned();
            let number = seen.iter().position(|known| *known == id).unwrap_or_else(|| {
                seen.push(id);
                seen.len() - 1
            });
            format!("{}#{number}", found.get(1).map_or("", |word| word.as_str()))
        })
        .into_owned()
}

/// The plan without the names that its parts have (EliminateSubqueryAliases, EliminateView).
fn bare(plan: &PlanRef) -> PlanRef {
    match &**plan {
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => bare(child),
        node => Arc::new(node.clone().map_children(&mut |child| bare(&child))),
    }
}

fn relations(plan: &PlanRef) -> Vec<PlanRef> {
    match &**plan {
        LogicalPlan::LocalRelation(_) => vec![plan.clone()],
        other => other.child_plans().iter().flat_map(relations).collect(),
    }
}

/// DataFrame.sameSemantics: rows that came as an RDD are the same when they are the same rows in memory, others when they are equal.
pub fn same_semantics(left: &PlanRef, right: &PlanRef) -> bool {
    let (ours, theirs) = (relations(left), relations(right));
    let same_rows = ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|pair| match (&**pair.0, &**pair.1) {
            (LogicalPlan::LocalRelation(a), LogicalPlan::LocalRelation(b)) if a.from_rdd || b.from_rdd => {
                Arc::ptr_eq(&a.partitions, &b.partitions)
            }
            (LogicalPlan::LocalRelation(a), LogicalPlan::LocalRelation(b)) => a.partitions == b.partitions,
            _ => false,
        });
    same_rows && canonical(left) == canonical(right)
}

/// DataFrame.semanticHash.
pub fn semantic_hash(plan: &PlanRef) -> i32 {
    murmur3_bytes(canonical(plan).as_bytes(), 0)
}
