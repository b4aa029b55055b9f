//! The physical plan as explain() prints it before it runs: with the operators that stand there without doing anything here
//! (sorts of a sort-merge join, broadcasts), the adaptive root, and the numbers of generated stages.

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

struct Line {
    name: String,
    text: String,
    children: Vec<Line>,
}

/// The tree with a line for each operator.
pub(super) fn tree(node: &ExecRef, ctx: &ExecContext<'_>) -> String {
    let mut line = line(node, ctx);
    let mut out = String::new();
    if ctx.adaptive && has_exchange(&line) {
        let root = "AdaptiveSparkPlan".to_owned();
        line = Line { text: format!("{root} isFinalPlan=false"), name: root, children: vec![line] };
        write(&line, &mut Vec::new(), None, &mut Numbers::default(), &mut out);
    } else {
        write(&line, &mut Vec::new(), Some(0), &mut Numbers::default(), &mut out);
    }
    out
}

#[derive(Default)]
struct Numbers {
    exchanges: usize,
    stages: usize,
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
    Line { text: format!("{name}{gap}{arguments}"), name, children }
}

fn ascending(keys: &[Expr]) -> Vec<SortOrder> {
    keys.iter().map(|key| SortOrder { child: key.clone(), ascending: true, nulls_first: true }).collect()
}

fn sorted(order: &[SortOrder], child: Line) -> Line {
    if order.is_empty() || child.name == "Sort" {
        return child;
    }
    Line { name: "Sort".to_owned(), text: format!("Sort {}, false, 0", text::orders(order)), children: vec![child] }
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
                    let name = "BroadcastExchange".to_owned();
                    Line { text: format!("{name} {mode}"), name, children: vec![child] }
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
fn write(line: &Line, last: &mut Vec<bool>, stage: Option<usize>, numbers: &mut Numbers, out: &mut String) {
    super::indent(last, out);
    let generated = GENERATED.contains(&line.name.as_str());
    let stage = stage.map(|parent| match (generated, parent) {
        (false, _) => 0,
        (true, 0) => {
            numbers.stages += 1;
            numbers.stages
        }
        (true, parent) => parent,
    });
    if let Some(number) = stage.filter(|number| *number > 0) {
        out.push_str(&format!("*({number}) "));
    }
    out.push_str(&line.text);
    if line.name.ends_with("Exchange") {
        numbers.exchanges += 1;
        out.push_str(&format!(", [plan_id={}]", numbers.exchanges));
    }
    out.push('\n');
    let count = line.children.len();
    for (i, child) in line.children.iter().enumerate() {
        last.push(i + 1 == count);
        write(child, last, stage, numbers, out);
        last.pop();
    }
}
