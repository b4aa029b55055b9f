//! The plan that an analysis error shows: as far resolved as Spark's analyzer has it when the check fails.

use super::functions::strip_origin;
use super::{Analyzer, Scope};
use crate::error::SparkError;
use crate::expr::{Expr, UnresolvedFunction};
use crate::functions::coercion::{In, cast_to};
use crate::functions::registry;
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

impl Analyzer<'_> {
    /// An error of CheckAnalysis: it shows the resolved node, and resolved parents above it.
    pub(super) fn failed(&mut self, error: SparkError, plan: LogicalPlan) -> SparkError {
        let error = self.at_node(error, &plan);
        self.shown = Some(std::sync::Arc::new(plan));
        error
    }

    /// The error of a child, shown below its parent: resolved over the failed child where that can be done, as written otherwise.
    pub(super) fn below(&mut self, mut error: SparkError, parent: &LogicalPlan, analysed: &[PlanRef]) -> SparkError {
        let Some((place, tree)) = error.context.split_once(";\n") else { return error };
        let failed = analysed.len();
        let shown = self.shown.take().filter(|_| failed + 1 == parent.child_plans().len()).and_then(|child| {
            let mut children = analysed.iter().cloned().chain([child]);
            let node = parent.clone().map_children(&mut |old| children.next().unwrap_or(old));
            self.resolved_node(node).ok()
        });
        let tree = match &shown {
            Some(plan) => crate::explain::tree_string(plan),
            None => {
                let parent = parent.clone().map_expressions(&mut |expr| plain_operators(expr, false));
                crate::explain::with_parent(&parent, failed, analysed, tree)
            }
        };
        error.context = format!("{place};\n{tree}");
        self.shown = shown;
        error
    }

    /// The node with everything resolved that can be. What fails its check of types is a resolved call to Spark.
    pub(super) fn half_resolved(&mut self, node: LogicalPlan) -> LogicalPlan {
        let scope = Scope::of(&node.child_plans());
        let selects = matches!(node, LogicalPlan::Project { .. } | LogicalPlan::Aggregate { .. });
        let own =
            |expr: &Expr| matches!(strip_origin(expr), Expr::UnresolvedFunction(call) if call.name.starts_with('$'));
        let mut special = false;
        node.for_each_expression(&mut |expr| special |= own(expr));
        if special {
            return node;
        }
        let mut aggregates = false;
        let node = node.map_expressions(&mut |expr| {
            let half = self.half(expr, &scope, false, &mut aggregates);
            let named = matches!(
                half,
                Expr::Alias(_) | Expr::Attribute(_) | Expr::UnresolvedAttribute(_) | Expr::UnresolvedStar(_)
            );
            if selects && !named && !half.is_resolved() { Expr::UnresolvedAlias(Box::new(half)) } else { half }
        });
        match node {
            LogicalPlan::Project { list, child } if aggregates => {
                LogicalPlan::Aggregate { grouping: Vec::new(), list, child }
            }
            other => other,
        }
    }

    /// One expression; `sql` tells whether it was written as text, `aggregates` whether an aggregate function resolved.
    fn half(&mut self, expr: Expr, scope: &Scope, sql: bool, aggregates: &mut bool) -> Expr {
        let sql = match &expr {
            Expr::At { origin, .. } => origin.line > 0,
            _ => sql,
        };
        let bare = strip_origin(&expr).clone();
        if matches!(bare, Expr::UnresolvedStar(_) | Expr::UnresolvedRegex(_) | Expr::UnresolvedLambda { .. }) {
            return bare;
        }
        if let Ok(resolved) = self.expr(expr, scope) {
            *aggregates |= super::project::has_plain_aggregate(&resolved);
            return resolved;
        }
        let mut half = bare.map_children(&mut |child| self.half(child, scope, sql, aggregates));
        if let Expr::UnresolvedFunction(call) = &mut half
            && call.args.iter().all(Expr::is_resolved)
        {
            expression_arguments(call, self.conf.ansi());
        }
        let Expr::UnresolvedFunction(call) = &half else {
            // What fails by itself (CASE) is unresolved, whatever its parts are.
            return if half.is_resolved() { Expr::UnresolvedRegex(half.plan_string()) } else { half };
        };
        let symbol = !call.name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let complete = call.args.iter().all(Expr::is_resolved);
        let text = if call.over.is_some() {
            return half;
        } else if complete || (sql && is_operator(&call.name)) {
            half.plan_string().trim_start_matches('\'').to_owned()
        } else if symbol {
            let args: Vec<String> = call.args.iter().map(Expr::plan_string).collect();
            format!("'`{}`({})", call.name, args.join(", "))
        } else {
            return half;
        };
        *aggregates |= complete && registry::is_aggregate(&call.name);
        Expr::UnresolvedRegex(text)
    }
}

/// Arguments as Spark's expression has them when it is refused: cast where that is done first, with those that nobody writes.
fn expression_arguments(call: &mut UnresolvedFunction, ansi: bool) {
    let number = |n| Expr::literal(Value::Integer(n), DataType::Integer);
    let cast = |arg: &mut Expr, wanted: &In| {
        if let Some(to) = wanted.implicit(&arg.data_type(), ansi) {
            *arg = cast_to(arg.clone(), &to, ansi);
        }
    };
    match call.name.to_lowercase().as_str() {
        "overlay" => {
            call.args.iter_mut().take(2).for_each(|arg| cast(arg, &In::Either(&[In::Str, In::Bin])));
            if call.args.len() == 3 {
                call.args.push(number(-1));
            }
        }
        "lpad" | "rpad" if call.args.len() == 2 => {
            call.args.push(match call.args[0].data_type() {
                DataType::Binary => Expr::literal(Value::binary(vec![0u8]), DataType::Binary),
                _ => Expr::literal(Value::from(" "), DataType::String),
            });
        }
        "concat" => call.args.iter_mut().for_each(|arg| cast(arg, &In::Str)),
        "parse_url" => call.args.push(Expr::bool(ansi)),
        "bitmap_or_agg" | "bitmap_and_agg" => call.args.extend([number(0), number(0)]),
        _ => {}
    }
}

fn is_operator(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') || matches!(name, "and" | "or" | "not")
}

/// Operators of SQL text are expressions of their own: unlike calls they have no quote before them while they wait.
fn plain_operators(expr: Expr, sql: bool) -> Expr {
    if let Expr::At { child, origin } = expr {
        return plain_operators(*child, origin.line > 0);
    }
    let expr = expr.map_children(&mut |child| plain_operators(child, sql));
    match &expr {
        Expr::UnresolvedFunction(call) if sql && call.over.is_none() && is_operator(&call.name) => {
            Expr::UnresolvedRegex(expr.plan_string().trim_start_matches('\'').to_owned())
        }
        _ => expr,
    }
}

/// The place of the aggregate function that may not stand where it does, in the node as it was written.
pub(super) fn at_aggregate(mut error: SparkError, written: &LogicalPlan) -> SparkError {
    let nested = match error.condition.as_deref() {
        Some("GROUP_BY_AGGREGATE") => false,
        Some("NESTED_AGGREGATE_FUNCTION") => true,
        _ => return error,
    };
    let mut found = None;
    match written {
        LogicalPlan::Aggregate { grouping, .. } if !nested => {
            grouping.iter().for_each(|key| first_aggregate(key, 1, &mut found));
        }
        LogicalPlan::Aggregate { list, .. } | LogicalPlan::Project { list, .. } => {
            list.iter().for_each(|item| first_aggregate(item, 2, &mut found));
        }
        _ => {}
    }
    if let Some(origin) = found
        && error.context.starts_with(";\n")
    {
        error.place = origin.context.clone().map(Box::new);
        error.context = format!("; line {} pos {}{}", origin.line, origin.position, error.context);
    }
    error
}

/// The first call of an aggregate function with `depth - 1` others around it.
fn first_aggregate(expr: &Expr, depth: usize, found: &mut Option<std::sync::Arc<crate::expr::Origin>>) {
    if found.is_some() {
        return;
    }
    let (inner, origin) = match expr {
        Expr::At { child, origin } => (&**child, Some(origin)),
        other => (other, None),
    };
    let aggregate =
        matches!(inner, Expr::UnresolvedFunction(call) if call.over.is_none() && registry::is_aggregate(&call.name));
    if aggregate && depth == 1 {
        *found = origin.filter(|origin| origin.line > 0).cloned();
        return;
    }
    for child in inner.children() {
        first_aggregate(child, if aggregate { depth - 1 } else { depth }, found);
    }
}
