//! Plans as they were before their analysis: the first part of explain("extended").

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use crate::explain::{join_kind_name, marked_line, tree_below, tree_by, tree_string};
use crate::expr::{Expr, UnresolvedFunction, plan_spec};
use crate::plan::{JoinCondition, LogicalPlan, PlanRef};
use crate::types::quote_if_needed;

/// What an analysed plan came from.
enum Source {
    /// All of SQL text.
    Text(PlanRef),
    /// A node over analysed ones.
    Node(PlanRef),
    /// The line of a node that has no plan here, and what stands below it.
    Line(String, PlanRef),
}

/// What analysed plans came from, as long as somebody holds them.
#[derive(Default)]
pub(crate) struct Parsed(RefCell<Vec<(Weak<LogicalPlan>, Source)>>);

/// So many are kept before those that nobody holds are looked for.
const FEW: usize = 64;

impl Parsed {
    /// Notes that `analysed` came from the plan of SQL text.
    pub(super) fn note_text(&self, analysed: &PlanRef, plan: PlanRef) {
        self.keep(analysed, Source::Text(plan));
    }

    /// Notes that `analysed` came from `node`, which stands over analysed plans.
    pub(super) fn note_node(&self, analysed: &PlanRef, node: PlanRef) {
        self.keep(analysed, Source::Node(node));
    }

    /// Notes that `analysed` came from a node that plans show as `line`, over `child`.
    pub(super) fn note_line(&self, analysed: &PlanRef, line: String, child: &PlanRef) {
        self.keep(analysed, Source::Line(line, child.clone()));
    }

    /// Notes what withColumns made.
    pub(super) fn note_with_columns(&self, analysed: &PlanRef, names: &[String], values: &[Expr], child: &PlanRef) {
        let values = values.iter().map(|value| value.clone().transform_up(&mut call).plan_string());
        let parts: Vec<String> = names.iter().cloned().chain(values).collect();
        let line = format!("'Project [unresolvedstarwithcolumns({}, None)]", parts.join(", "));
        self.note_line(analysed, line, child);
    }

    fn keep(&self, analysed: &PlanRef, source: Source) {
        let full = |known: &Vec<_>| known.len() >= FEW && known.len() == known.capacity();
        if full(&self.0.borrow()) {
            self.forget();
        }
        self.0.borrow_mut().push((Arc::downgrade(analysed), source));
    }

    /// Lets go of plans that nobody holds, the last ones first: what a plan came from holds the plans below it.
    fn forget(&self) {
        let mut known = self.0.take();
        let mut held = Vec::new();
        while let Some(entry) = known.pop() {
            if entry.0.strong_count() > 0 {
                held.push(entry);
            }
        }
        held.reverse();
        // As much again may come before the next look.
        held.reserve_exact(held.len().max(FEW));
        self.0.replace(held);
    }

    /// The tree of the plan that `analysed` came from.
    pub(crate) fn tree(&self, analysed: &PlanRef) -> String {
        let known = self.0.borrow();
        match known.iter().rev().find(|(made, _)| made.as_ptr() == Arc::as_ptr(analysed)) {
            Some((_, Source::Text(plan))) => {
                let parsed = (**plan).clone().transform_up(&mut as_parsed);
                tree_by(&parsed, &|node| having(node).or_else(|| line(node)))
            }
            // Dataset resolves what it needs of some itself.
            Some((_, Source::Node(plan))) if !is_resolved_first(plan) => {
                let parsed = as_parsed((**plan).clone());
                tree_by(&parsed, &|node| if std::ptr::eq(node, &parsed) { line(node) } else { None })
            }
            Some((_, Source::Line(line, child))) => tree_below(line, child, &|_| None),
            _ => tree_string(analysed),
        }
    }
}

fn is_resolved_first(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Union { by_name, .. } => *by_name,
        LogicalPlan::Join(join) => matches!(join.condition, JoinCondition::On(_)),
        _ => false,
    }
}

/// Nodes that Spark has other ones for before the analysis.
fn line(node: &LogicalPlan) -> Option<String> {
    Some(match node {
        LogicalPlan::Deduplicate { columns, within_watermark, child } => {
            let names: Vec<String> = columns.iter().map(Expr::pretty_sql).collect();
            let all = child.output().iter().map(|column| column.name.to_string()).eq(names.iter().cloned());
            let keys = match all {
                true => "DeduplicateAllColumnsAsKey".to_owned(),
                false => format!("DeduplicateKeyColumns(List({}))", names.join(", ")),
            };
            format!("'UnresolvedDeduplicate {keys}, {within_watermark}, true")
        }
        LogicalPlan::SetOperation { .. } => format!("'{}", marked_line(node)),
        LogicalPlan::Hint { name, .. } => format!("UnresolvedHint {name}"),
        LogicalPlan::Join(join) => match &join.condition {
            JoinCondition::Using(names) => {
                format!("'Join UsingJoin({}, [{}])", join_kind_name(join.kind), names.join(", "))
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// HAVING of SQL text.
fn having(node: &LogicalPlan) -> Option<String> {
    match node {
        LogicalPlan::Filter { condition, child } if matches!(**child, LogicalPlan::Aggregate { .. }) => {
            Some(format!("'UnresolvedHaving {}", condition.plan_string()))
        }
        _ => None,
    }
}

/// The node with its unresolved expressions as texts.
fn as_parsed(node: LogicalPlan) -> LogicalPlan {
    match node.map_expressions(&mut |expr| expr.transform_up(&mut call)) {
        LogicalPlan::Project { list, child } => LogicalPlan::Project { list: named(list), child },
        LogicalPlan::Aggregate { grouping, list, child } => {
            LogicalPlan::Aggregate { grouping, list: named(list), child }
        }
        other => other,
    }
}

fn named(list: Vec<Expr>) -> Vec<Expr> {
    let named = |expr: Expr| match expr {
        Expr::Alias(_)
        | Expr::Attribute(_)
        | Expr::UnresolvedAttribute(_)
        | Expr::UnresolvedStar(_)
        | Expr::UnresolvedExtract { .. }
        | Expr::UnresolvedAlias(_) => expr,
        expr => Expr::UnresolvedAlias(Box::new(expr)),
    };
    list.into_iter().map(named).collect()
}

/// UnresolvedFunction.toString; operators of SQL text are what they are when resolved.
fn call(expr: Expr) -> Expr {
    match expr {
        Expr::UnresolvedFunction(call) => Expr::UnresolvedRegex(function(&call)),
        Expr::At { child, .. } => *child,
        other => other,
    }
}

fn function(call: &UnresolvedFunction) -> String {
    let args = if call.args.as_slice() == [Expr::UnresolvedStar(Vec::new())] && call.name.eq_ignore_ascii_case("count")
    {
        "1".to_owned()
    } else {
        call.args.iter().map(Expr::plan_string).collect::<Vec<_>>().join(", ")
    };
    let distinct = if call.distinct { "distinct " } else { "" };
    let text = match call.operator && call.name != "between" {
        true => Expr::UnresolvedFunction(Box::new(UnresolvedFunction { over: None, ..call.clone() }))
            .plan_string()
            .split_off(1),
        false => format!("'{}({distinct}{args})", quote_if_needed(camel(&call.name))),
    };
    match &call.over {
        None => text,
        Some(spec) => {
            let unspecified = if spec.frame.is_none() { ", unspecifiedframe$()" } else { "" };
            format!("{text} windowspecdefinition({}{unspecified})", plan_spec(spec))
        }
    }
}

/// Methods of Column whose functions Spark writes so.
fn camel(name: &str) -> &str {
    match name {
        "isnull" => "isNull",
        "isnotnull" => "isNotNull",
        "isnan" => "isNaN",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_nobody_holds_go_with_what_they_came_from() {
        let parsed = Parsed::default();
        let start: PlanRef = Arc::new(LogicalPlan::OneRow);
        let mut last = start.clone();
        for _ in 0..1000 {
            // Frames over frames, as a foreachBatch function makes them for every batch.
            last = start.clone();
            for _ in 0..5 {
                let node = Arc::new(LogicalPlan::Distinct { child: last.clone() });
                let analysed = Arc::new(LogicalPlan::Distinct { child: last.clone() });
                parsed.note_node(&analysed, node);
                last = analysed;
            }
        }
        assert!(parsed.0.borrow().len() <= 2 * FEW, "{} are kept", parsed.0.borrow().len());
        assert!(parsed.tree(&last).ends_with("OneRowRelation\n"));
    }
}
