//! The physical plan as explain() prints it before it runs: with the operators that stand there without doing anything here
//! (sorts of a sort-merge join, broadcasts), the adaptive root, and the numbers of generated stages.

use super::details::{columns, details, field};
use crate::exec::aggregate::AggregateExec;
use crate::exec::join::{JoinExec, Side, Strategy};
use crate::exec::window::WindowExec;
use crate::exec::{ExecContext, ExecRef};
use crate::expr::{Expr, SortOrder};
use crate::planner::text;
use crate::types::DataType;

/// Operators that whole-stage code generation takes in.
const GENERATED: [&str; 11] = [
    "Scan ExistingRDD",
    "Range",
    "Project",
    "Filter",
    "Generate",
    "HashAggregate",
    "Sort",
    "SortMergeJoin",
    "BroadcastHashJoin",
    "Union",
    "Scan OneRowRelation",
];

/// An operator as the tree shows it.
pub(super) struct Line {
    pub(super) name: String,
    /// The line of a simple tree.
    text: String,
    /// The lines below the operator's name in explain("formatted").
    pub(super) details: Vec<String>,
    /// The columns that come out, as text.
    output: Vec<String>,
    /// What stands after the name in the tree of explain("formatted").
    kind: String,
    pub(super) children: Vec<Line>,
}

impl Line {
    /// Whether whole-stage code generation takes the operator in.
    pub(super) fn is_generated(&self) -> bool {
        GENERATED.contains(&self.name.as_str())
    }

    /// The operator in the tree of explain("formatted").
    pub(super) fn shown(&self) -> String {
        if self.kind.is_empty() { self.short_name() } else { format!("{} {}", self.short_name(), self.kind) }
    }

    /// A scan of files is named by its format.
    pub(super) fn short_name(&self) -> String {
        match self.name.strip_prefix("FileScan ") {
            // The name of a table would follow.
            Some(format) => format!("Scan {format} "),
            None => self.name.clone(),
        }
    }
}

/// The operators, with the adaptive root where there is one.
pub(super) fn lines(node: &ExecRef, ctx: &ExecContext<'_>) -> Line {
    let mut line = line(node, ctx);
    number_exchanges(&mut line, &mut 0);
    if !ctx.adaptive || !has_exchange(&line) {
        return line;
    }
    let name = "AdaptiveSparkPlan".to_owned();
    let output = line.output.clone();
    let details = vec![field("Output", &output), "Arguments: isFinalPlan=false".to_owned()];
    let text = format!("{name} isFinalPlan=false");
    Line { text, name, details, output, kind: String::new(), children: vec![line] }
}

/// The tree with a line for each operator.
pub(super) fn tree(node: &ExecRef, ctx: &ExecContext<'_>) -> String {
    let line = lines(node, ctx);
    let mut out = String::new();
    if line.name == "AdaptiveSparkPlan" {
        write(&line, &mut Vec::new(), None, &mut 0, &mut out);
    } else {
        write(&line, &mut Vec::new(), Some(0), &mut 0, &mut out);
    }
    out
}

/// Exchanges are numbered from the root down.
fn number_exchanges(line: &mut Line, exchanges: &mut usize) {
    if line.name.ends_with("Exchange") {
        *exchanges += 1;
        let id = format!(", [plan_id={exchanges}]");
        line.text.push_str(&id);
        if let Some(arguments) = line.details.last_mut() {
            arguments.push_str(&id);
        }
    }
    line.children.iter_mut().for_each(|child| number_exchanges(child, exchanges));
}

fn has_exchange(line: &Line) -> bool {
    line.name.ends_with("Exchange") || line.children.iter().any(has_exchange)
}

fn line(node: &ExecRef, ctx: &ExecContext<'_>) -> Line {
    let name = node.name();
    let mut arguments = node.arguments();
    if name.ends_with("Aggregate")
        && let Some(at) = arguments.rfind(", output=[")
    {
        arguments.truncate(at);
        arguments.push(')');
    }
    if name == "TakeOrderedAndProject"
        && let Some(at) = arguments.rfind("output=[")
    {
        arguments = format!("{}{}", &arguments[..at], arguments[at..].replace(", ", ","));
    }
    if name == "Range" {
        arguments = arguments.replace("splits=None", &format!("splits={}", ctx.default_parallelism));
    }
    let joined = arguments.starts_with("(keys=") || arguments.starts_with("(limit=") || name.starts_with("Scan ");
    let gap = if arguments.is_empty() || joined { "" } else { " " };
    let mut children: Vec<Line> = node.children().into_iter().map(|child| line(child, ctx)).collect();
    if let Some(join) = node.as_any().downcast_ref::<JoinExec>() {
        children = join_children(join, children);
    } else if let Some(window) = node.as_any().downcast_ref::<WindowExec>() {
        let mut order = ascending(&window.partition_by);
        order.extend(window.order_by.iter().cloned());
        children = children.into_iter().map(|child| sorted(&order, child)).collect();
    }
    if let Some(aggregate) = node.as_any().downcast_ref::<AggregateExec>()
        && name == "SortAggregate"
    {
        let order = ascending(&aggregate.grouping.iter().cloned().map(Expr::Attribute).collect::<Vec<_>>());
        children = children.into_iter().map(|child| sorted(&order, child)).collect();
    }
    let inputs: Vec<Vec<String>> = children.iter().map(|child| child.output.clone()).collect();
    let details = details(node, &arguments, &inputs);
    let output = columns(node.output());
    Line { text: format!("{name}{gap}{arguments}"), name, details, output, kind: kind(node), children }
}

/// A join's type, and the side that it builds, in the tree of explain("formatted").
fn kind(node: &ExecRef) -> String {
    let Some(join) = node.as_any().downcast_ref::<JoinExec>() else { return String::new() };
    let name = super::join_name(join.kind);
    match join.strategy {
        Strategy::Broadcast { build } | Strategy::ShuffledHash { build } | Strategy::NestedLoop { build } => {
            format!("{name} {}", if build == Side::Left { "BuildLeft" } else { "BuildRight" })
        }
        Strategy::SortMerge { .. } => name.to_owned(),
        // A cross join is planned as an inner one.
        Strategy::Cartesian => "Inner".to_owned(),
    }
}

fn ascending(keys: &[Expr]) -> Vec<SortOrder> {
    keys.iter().map(|key| SortOrder { child: key.clone(), ascending: true, nulls_first: true }).collect()
}

fn sorted(order: &[SortOrder], child: Line) -> Line {
    if order.is_empty() || child.name == "Sort" {
        return child;
    }
    above("Sort", format!("{}, false, 0", text::orders(order)), child)
}

/// An operator that gives what its child gives.
fn above(name: &str, arguments: String, child: Line) -> Line {
    let output = child.output.clone();
    Line {
        name: name.to_owned(),
        text: format!("{name} {arguments}"),
        details: vec![field("Input", &output), format!("Arguments: {arguments}")],
        output,
        kind: String::new(),
        children: vec![child],
    }
}

fn join_children(join: &JoinExec, children: Vec<Line>) -> Vec<Line> {
    let keys = [&join.keys.left, &join.keys.right];
    let inputs = [&join.left, &join.right];
    let sides = children.into_iter();
    match join.strategy {
        Strategy::SortMerge { .. } => {
            sides.enumerate().map(|(i, child)| sorted(&ascending(keys[i.min(1)]), child)).collect()
        }
        Strategy::Broadcast { build } | Strategy::NestedLoop { build } => {
            let built = usize::from(build == Side::Right);
            let mode = match join.strategy {
                Strategy::NestedLoop { .. } => "IdentityBroadcastMode".to_owned(),
                _ => {
                    let list: Vec<String> = keys[built].iter().map(|key| bound_key(key, inputs[built])).collect();
                    format!("HashedRelationBroadcastMode(List({}),false)", list.join(", "))
                }
            };
            sides
                .enumerate()
                .map(|(i, child)| {
                    if i != built {
                        return child;
                    }
                    above("BroadcastExchange", mode.clone(), child)
                })
                .collect()
        }
        _ => sides.collect(),
    }
}

/// `input[0, bigint, false]`; one small whole number is widened to a LONG (HashJoin.rewriteKeyExpr).
fn bound_key(key: &Expr, input: &ExecRef) -> String {
    let Expr::Attribute(attribute) = key else { return text::expression(key) };
    let ordinal = input.output().iter().position(|column| column.id == attribute.id).unwrap_or(0);
    let bound = format!("input[{ordinal}, {}, {}]", attribute.data_type.simple_string(), attribute.nullable);
    match attribute.data_type {
        DataType::Byte | DataType::Short | DataType::Integer => format!("cast({bound} as bigint)"),
        _ => bound,
    }
}

/// `stage`: the generated stage that the parent is in, 0 for none; without it nothing is numbered.
fn write(line: &Line, last: &mut Vec<bool>, stage: Option<usize>, stages: &mut usize, out: &mut String) {
    super::indent(last, out);
    let generated = line.is_generated();
    let stage = stage.map(|parent| match (generated, parent) {
        (false, _) => 0,
        (true, 0) => {
            *stages += 1;
            *stages
        }
        (true, parent) => parent,
    });
    if let Some(number) = stage.filter(|number| *number > 0) {
        out.push_str(&format!("*({number}) "));
    }
    out.push_str(&line.text);
    out.push('\n');
    let count = line.children.len();
    for (i, child) in line.children.iter().enumerate() {
        last.push(i + 1 == count);
        write(child, last, stage, stages, out);
        last.pop();
    }
}
