//! What pipe operators ask of their expressions (PipeExpression).

use super::functions::strip_origin;
use super::project::has_plain_aggregate;
use super::{Analyzer, STAR_SET, names};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, Origin};
use crate::plan::{LogicalPlan, PlanRef};

/// The place of an expression of SQL text.
fn place_of(expr: &Expr) -> Option<std::sync::Arc<Origin>> {
    match expr {
        Expr::At { origin, .. } => Some(origin.clone()),
        Expr::Alias(alias) => place_of(&alias.child),
        _ => None,
    }
}

impl Analyzer<'_> {
    /// A step of a pipe over an analysed child, with its expressions checked first.
    pub(super) fn pipe_step(&mut self, step: &str, node: &LogicalPlan) -> Result<PlanRef> {
        let children = node.child_plans();
        let Some(child) = children.first() else { return Err(SparkError::internal("a pipe step has a child")) };
        let child = match self.plan(child) {
            Ok(child) => child,
            Err(error) => return Err(self.below(error, node, &[])),
        };
        let items: Vec<Expr> = match node {
            LogicalPlan::Project { list, .. } => match list.as_slice() {
                [Expr::UnresolvedFunction(call)] if call.name == STAR_SET => call.args.clone(),
                list => list.to_vec(),
            },
            LogicalPlan::Aggregate { grouping, list, .. } => list[grouping.len()..].to_vec(),
            _ => Vec::new(),
        };
        let mut scope = self.scope(&child);
        for item in items {
            if let Expr::UnresolvedStar(_) = strip_origin(&item) {
                if step == "AGGREGATE" {
                    let parameters = [("elem", "'*'"), ("prettyName", "expression `pipeexpression`")];
                    return Err(SparkError::analysis("INVALID_USAGE_OF_STAR_OR_REGEX", &parameters));
                }
                continue;
            }
            let place = place_of(&item);
            let written = matches!(strip_origin(&item), Expr::Alias(_));
            let laterals = self.laterals.len();
            let resolved = self.expr(item, &scope);
            self.laterals.truncate(laterals);
            // What does not resolve is told by the step itself.
            let Ok(resolved) = resolved else { break };
            let value = names::trim_all_aliases(resolved.clone());
            let aggregates = has_plain_aggregate(&value);
            if aggregates == (step == "AGGREGATE") {
                self.enter_alias(&mut scope, &resolved, written)?;
                continue;
            }
            self.origin = place;
            let (condition, shown) = match step {
                "AGGREGATE" => ("PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION", &value),
                _ => ("PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", first_aggregate(&value).unwrap_or(&value)),
            };
            let text = shown.plan_string();
            let parameters = [("expr", text.as_str()), ("clause", step)];
            let used = if step == "AGGREGATE" { 1 } else { 2 };
            return Err(self.at_place(SparkError::analysis(condition, &parameters[..used])));
        }
        let mut child = Some(child);
        let node = node.clone().map_children(&mut |old| child.take().unwrap_or(old));
        self.node(node)
    }
}

fn first_aggregate(expr: &Expr) -> Option<&Expr> {
    let mut found = None;
    expr.visit(&mut |inner| {
        if matches!(inner, Expr::Aggregate(_)) {
            found.get_or_insert(inner);
        }
    });
    found
}
