//! Observed metrics (df.observe): what a metric may be, and one name for one thing (CheckAnalysis).

use super::Analyzer;
use super::names::named;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, quoted_sql};
use crate::plan::{LogicalPlan, PlanRef};

impl Analyzer<'_> {
    pub(super) fn collect_metrics(&mut self, name: String, metrics: Vec<Expr>, child: PlanRef) -> Result<PlanRef> {
        let scope = self.scope(&child);
        let metrics =
            metrics.into_iter().map(|metric| Ok(named(self.expr(metric, &scope)?))).collect::<Result<Vec<_>>>()?;
        let node = LogicalPlan::CollectMetrics { name, metrics, child };
        let LogicalPlan::CollectMetrics { name, metrics, .. } = &node else {
            return Err(SparkError::internal("observed metrics expected"));
        };
        if name.is_empty() {
            // A node without a name counts as unresolved.
            let operator = format!("'{}", crate::explain::tree_string(&node).trim_start_matches('~'));
            let condition = "INVALID_OBSERVED_METRICS.MISSING_NAME";
            return Err(SparkError::analysis(condition, &[("operator", &operator)]));
        }
        for metric in metrics {
            if let Err(what) = check(metric, false) {
                let error =
                    SparkError::analysis(&format!("INVALID_OBSERVED_METRICS.{what}"), &[("expr", &quoted_sql(metric))]);
                return Err(self.at_node(error, &node));
            }
        }
        unique_names(&node)?;
        Ok(std::sync::Arc::new(node))
    }
}

/// The condition that an expression fails; `inside`: below an aggregate function.
fn check(expr: &Expr, inside: bool) -> Result<(), &'static str> {
    let below = |inside: bool| expr.children().into_iter().try_for_each(|child| check(child, inside));
    match expr {
        Expr::Window(_) => Err("WINDOW_EXPRESSIONS_UNSUPPORTED"),
        _ if !inside && !expr.deterministic() && !expr.any(&|e| matches!(e, Expr::Aggregate(_))) => {
            Err("NON_AGGREGATE_FUNC_ARG_IS_NON_DETERMINISTIC")
        }
        Expr::Aggregate(_) if inside => Err("NESTED_AGGREGATES_UNSUPPORTED"),
        Expr::Aggregate(call) if call.distinct => Err("AGGREGATE_EXPRESSION_WITH_DISTINCT_UNSUPPORTED"),
        Expr::Aggregate(call) if call.filter.is_some() => Err("AGGREGATE_EXPRESSION_WITH_FILTER_UNSUPPORTED"),
        Expr::Attribute(_) if !inside => Err("NON_AGGREGATE_FUNC_ARG_IS_ATTRIBUTE"),
        Expr::Aggregate(_) => below(true),
        _ => below(inside),
    }
}

/// The same name stands for the same metrics everywhere in a plan.
pub(super) fn unique_names(plan: &LogicalPlan) -> Result<()> {
    let mut seen: Vec<(String, String)> = Vec::new();
    collect(plan, &mut seen)
}

fn collect(plan: &LogicalPlan, seen: &mut Vec<(String, String)>) -> Result<()> {
    if let LogicalPlan::CollectMetrics { name, metrics, .. } = plan {
        let text: Vec<String> = metrics.iter().map(Expr::pretty_sql).collect();
        let text = text.join(", ");
        match seen.iter().find(|(known, _)| known == name) {
            Some((_, known)) if *known != text => {
                return Err(SparkError::analysis("DUPLICATED_METRICS_NAME", &[("metricName", name)]));
            }
            Some(_) => {}
            None => seen.push((name.clone(), text)),
        }
    }
    plan.child_plans().iter().try_for_each(|child| collect(child, seen))
}
