//! What stands below an operator's name in explain("formatted"): what it reads and gives, and its arguments.

use std::sync::Arc;

use crate::exec::aggregate::{AggregateExec, AggregateFunctionCall, result_attribute};
use crate::exec::join::JoinExec;
use crate::exec::project::ProjectExec;
use crate::exec::scan::FileScanExec;
use crate::exec::{ExecNode, ExecRef};
use crate::expr::{AggregateCall, Attribute, Expr};
use crate::plan::JoinKind;
use crate::planner::text;

/// `Input [2]: [a#1, b#2]` (QueryPlan.generateFieldString).
pub(super) fn field(name: &str, values: &[String]) -> String {
    match values.len() {
        0 => format!("{name}: []"),
        n => format!("{name} [{n}]: [{}]", values.join(", ")),
    }
}

pub(super) fn columns(output: &[Arc<Attribute>]) -> Vec<String> {
    output.iter().map(|column| text::attribute(column)).collect()
}

fn expressions(list: &[Expr]) -> Vec<String> {
    list.iter().map(text::expression).collect()
}

/// The lines of an operator whose children give these columns.
pub(super) fn details(node: &ExecRef, arguments: &str, inputs: &[Vec<String>]) -> Vec<String> {
    if let Some(aggregate) = node.as_any().downcast_ref::<AggregateExec>() {
        return of_aggregate(aggregate, inputs);
    }
    if let Some(join) = node.as_any().downcast_ref::<JoinExec>() {
        return of_join(join);
    }
    if let Some(project) = node.as_any().downcast_ref::<ProjectExec>() {
        let input = inputs.first().map_or(&[][..], Vec::as_slice);
        return vec![field("Output", &expressions(&project.list)), field("Input", input)];
    }
    if let Some(scan) = node.as_any().downcast_ref::<FileScanExec>() {
        return scan.details(&field("Output", &columns(node.output())));
    }
    let output = field("Output", &columns(node.output()));
    let name = node.name();
    match (name.as_str(), inputs) {
        ("Filter", [input]) => vec![field("Input", input), format!("Condition : {arguments}")],
        ("Range", _) => {
            let inner = arguments.trim_start_matches('(').trim_end_matches(')');
            let inner = match inner.split_once("splits=") {
                Some((first, splits)) if !splits.starts_with("Some") => format!("{first}splits=Some({splits})"),
                _ => inner.to_owned(),
            };
            vec![output, format!("Arguments: Range ({inner})")]
        }
        ("Scan OneRowRelation", _) => vec![output],
        (_, []) => with_arguments(vec![output], arguments),
        ("Union", _) => Vec::new(),
        ("TakeOrderedAndProject", [input]) => {
            let inner = arguments.trim_start_matches('(').trim_end_matches(')');
            let plain = inner.replace("limit=", "").replace("orderBy=", "");
            let (first, _) = plain.split_once("output=").unwrap_or((&plain, ""));
            let given = columns(node.output()).join(", ");
            with_arguments(vec![field("Input", input)], &format!("{first}[{given}]"))
        }
        (_, [input]) => with_arguments(vec![field("Input", input)], arguments),
        (_, [left, right]) => with_arguments(vec![field("Left output", left), field("Right output", right)], arguments),
        _ => with_arguments(Vec::new(), arguments),
    }
}

fn with_arguments(mut lines: Vec<String>, arguments: &str) -> Vec<String> {
    if !arguments.is_empty() {
        lines.push(format!("Arguments: {arguments}"));
    }
    lines
}

fn of_join(join: &JoinExec) -> Vec<String> {
    let mut lines = Vec::new();
    if !join.keys.left.is_empty() || !join.keys.right.is_empty() {
        lines.push(field("Left keys", &expressions(&join.keys.left)));
        lines.push(field("Right keys", &expressions(&join.keys.right)));
    }
    let kind = if ExecNode::name(join) == "CartesianProduct" { JoinKind::Inner } else { join.kind };
    lines.push(format!("Join type: {}", super::join_name(kind)));
    let condition = join.condition.as_ref().map_or_else(|| "None".to_owned(), text::expression);
    lines.push(format!("Join condition: {condition}"));
    lines
}

fn of_aggregate(aggregate: &AggregateExec, inputs: &[Vec<String>]) -> Vec<String> {
    let shown = |name: &str, count: usize, text: &str| match count {
        0 => format!("{name}: []"),
        n => format!("{name} [{n}]: {text}"),
    };
    let grouping = aggregate.grouping.len();
    let buffers = || columns(aggregate.output.get(grouping..).unwrap_or_default());
    let result = |function: &AggregateFunctionCall| {
        // The column of a distinct function is named as without it.
        let call = AggregateCall { distinct: false, ..function.call.clone() };
        Arc::new(result_attribute(&call))
    };
    let finished: Vec<Arc<Attribute>> = aggregate.functions.iter().map(result).collect();
    let (attributes, results) = match &aggregate.results {
        None if aggregate.functions.iter().any(|function| function.call.distinct) => {
            (columns(&finished), columns(&aggregate.output))
        }
        None => (buffers(), columns(&aggregate.output)),
        Some(results) => {
            let known: Vec<Arc<Attribute>> = aggregate.grouping.iter().chain(&finished).cloned().collect();
            let named = results.iter().zip(&aggregate.output).map(|(expr, column)| {
                let expr = unbound(expr.unaliased().clone(), &known);
                match &expr {
                    Expr::Attribute(attribute) if attribute.id == column.id => text::attribute(attribute),
                    _ => text::expression(&expr.alias_with(&column.name, column.id)),
                }
            });
            (columns(&finished), named.collect())
        }
    };
    vec![
        field("Input", inputs.first().map_or(&[], Vec::as_slice)),
        shown("Keys", grouping, &aggregate.shown_keys),
        shown("Functions", aggregate.functions.len(), &aggregate.shown_functions),
        field("Aggregate Attributes", &attributes),
        field("Results", &results),
    ]
}

/// The expression over the columns that its numbers stand for.
fn unbound(expr: Expr, columns: &[Arc<Attribute>]) -> Expr {
    expr.transform_up(&mut |expr| match expr {
        Expr::Bound { ordinal, .. } if ordinal < columns.len() => Expr::Attribute(columns[ordinal].clone()),
        other => other,
    })
}
