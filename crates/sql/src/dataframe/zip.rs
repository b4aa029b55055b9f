//! DataFrame.zip: two chains of projections over the same rows become one (ResolveZip).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::semantics::same_semantics;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, ExprId};
use crate::plan::{LogicalPlan, PlanRef};

/// The projections above a plan that is none.
struct Chain {
    /// Every alias of the projections, the deepest first.
    aliases: Vec<Expr>,
    /// What the topmost one gives.
    top: Vec<Expr>,
    base: PlanRef,
}

fn chain(plan: &PlanRef) -> Chain {
    match &**plan {
        LogicalPlan::Project { list, child } => {
            let below = chain(child);
            let own = list.iter().filter(|item| matches!(item, Expr::Alias(_))).cloned();
            let aliases = below.aliases.into_iter().chain(own).collect();
            let top = list.iter().map(|item| Expr::Attribute(item.to_attribute())).collect();
            Chain { aliases, top, base: below.base }
        }
        _ => Chain {
            aliases: Vec::new(),
            top: plan.output().into_iter().map(Expr::Attribute).collect(),
            base: plan.clone(),
        },
    }
}

/// How many aliases the value of one rests on, itself counted.
fn depth(id: ExprId, aliases: &[Expr], known: &mut BTreeMap<ExprId, usize>) -> usize {
    if let Some(depth) = known.get(&id) {
        return *depth;
    }
    let Some(Expr::Alias(alias)) = aliases.iter().find(|alias| alias.expr_id() == Some(id)) else { return 0 };
    let below = alias.child.references().into_iter().map(|id| depth(id, aliases, known)).max();
    let own = below.unwrap_or(0) + 1;
    known.insert(id, own);
    own
}

/// The columns of `left` and then those of `right`, row by row.
///
/// # Errors
/// ZIP_PLANS_NOT_MERGEABLE unless both are projections of the same rows.
pub fn zip(left: &PlanRef, right: &PlanRef) -> Result<PlanRef> {
    let (ours, theirs) = (chain(left), chain(right));
    if !same_semantics(&ours.base, &theirs.base) {
        let children = [left, right].map(|plan| crate::explain::tree_string(plan));
        let tree = crate::explain::tree_over("'Zip", &children);
        return Err(SparkError::analysis("ZIP_PLANS_NOT_MERGEABLE", &[]).with_context(format!(";\n{tree}")));
    }
    let (old, new) = (theirs.base.output(), ours.base.output());
    let mut moved = |expr: Expr| match expr {
        Expr::Attribute(column) => match old.iter().position(|known| known.id == column.id) {
            Some(place) => Expr::Attribute(new[place].clone()),
            None => Expr::Attribute(column),
        },
        other => other,
    };
    let mut aliases = ours.aliases;
    for alias in theirs.aliases {
        if !aliases.iter().any(|known| known.expr_id() == alias.expr_id()) {
            aliases.push(alias.transform_up(&mut moved));
        }
    }
    let mut known = BTreeMap::new();
    let mut layers: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for alias in &aliases {
        let layer = alias.expr_id().map_or(1, |id| depth(id, &aliases, &mut known));
        layers.entry(layer).or_default().push(alias.clone());
    }
    let mut plan = ours.base;
    for layer in layers.into_values() {
        let list = plan.output().into_iter().map(Expr::Attribute).chain(layer).collect();
        plan = Arc::new(LogicalPlan::Project { list, child: plan });
    }
    let list =
        ours.top.into_iter().chain(theirs.top.into_iter().map(|column| column.transform_up(&mut moved))).collect();
    Ok(Arc::new(LogicalPlan::Project { list, child: plan }))
}
