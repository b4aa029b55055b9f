//! The physical plan as explain() prints it before it runs: with the operators that stand there without doing anything here
//! (sorts of a sort-merge join, broadcasts), the adaptive root, and the numbers of generated stages.

use super::adaptive;
use super::details::{columns, details, field};
use crate::exec::aggregate::AggregateExec;
use crate::exec::filter::FilterExec;
use crate::exec::join::{JoinExec, Side, Strategy};
use crate::exec::layout::{ascending, is_sorted_by};
use crate::exec::project::ProjectExec;
use crate::exec::window::WindowExec;
use crate::exec::{ExecContext, ExecRef};
use crate::expr::{Expr, ExprId, SortOrder};
use crate::optimizer::split_conjuncts;
use crate::plan::JoinKind;
use crate::planner::text;
use crate::types::DataType;

/// Operators that whole-stage code generation takes in.
const GENERATED: [&str; 17] = [
    "Scan ExistingRDD",
    "Range",
    "Project",
    "Filter",
    "Generate",
    "HashAggregate",
    "Sort",
    "SortMergeJoin",
    "ShuffledHashJoin",
    "BroadcastHashJoin",
    "BroadcastNestedLoopJoin",
    "Union",
    "Scan OneRowRelation",
    "LocalLimit",
    "GlobalLimit",
    "Expand",
    "Sample",
];

/// An operator as the tree shows it.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) name: String,
    /// The line of a simple tree.
    pub(super) text: String,
    /// The lines below the operator's name in explain("formatted").
    pub(super) details: Vec<String>,
    /// The columns that come out, as text.
    output: Vec<String>,
    /// What stands after the name in the tree of explain("formatted").
    kind: String,
    /// The generated stage that the operator is in.
    pub(super) stage: Option<usize>,
    /// What a join that sorts becomes where one of its sides turns out to be small.
    pub(super) broadcast: Option<Box<Broadcast>>,
    pub(super) children: Vec<Line>,
}

/// The join of a broadcast side.
#[derive(Clone)]
pub(super) struct Broadcast {
    pub(super) text: String,
    /// Position of the side that is built.
    pub(super) built: usize,
    pub(super) mode: String,
}

impl Line {
    /// An operator above another that gives the same columns.
    pub(super) fn over(name: &str, text: String, child: Line) -> Self {
        Self {
            name: name.to_owned(),
            text,
            details: Vec::new(),
            output: child.output.clone(),
            kind: String::new(),
            stage: None,
            broadcast: None,
            children: vec![child],
        }
    }

    /// Whether whole-stage code generation takes the operator in. Rows at hand make no stage of their own.
    fn is_generated(&self, inside: bool) -> bool {
        // Functions that change their buffers in place make no code.
        let imperative = self.name == "HashAggregate" && self.text.contains("approx_count_distinct(");
        (GENERATED.contains(&self.name.as_str()) && !imperative) || (inside && self.name == "LocalTableScan")
    }

    /// Whether the stages below end at the operator.
    fn cuts_stages(&self) -> bool {
        matches!(self.name.as_str(), "SortMergeJoin" | "ShuffledHashJoin")
    }

    /// CollapseCodegenStages: a stage is numbered after those below it.
    pub(super) fn number_stages(&mut self, stages: &mut usize) {
        if !self.is_generated(false) {
            return self.children.iter_mut().for_each(|child| child.number_stages(stages));
        }
        self.number_below(stages);
        *stages += 1;
        self.take_stage(*stages);
    }

    fn number_below(&mut self, stages: &mut usize) {
        let cuts = self.cuts_stages();
        for child in &mut self.children {
            if !cuts && child.is_generated(true) { child.number_below(stages) } else { child.number_stages(stages) }
        }
    }

    fn take_stage(&mut self, stage: usize) {
        self.stage = Some(stage);
        if self.cuts_stages() {
            return;
        }
        self.children.iter_mut().filter(|child| child.is_generated(true)).for_each(|child| child.take_stage(stage));
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
pub(super) fn lines(node: &ExecRef, ctx: &ExecContext<'_>, verbose: bool) -> Line {
    let mut line = line(node, verbose);
    number_exchanges(&mut line, &mut 0);
    if !ctx.adaptive || !is_adaptive(&line) {
        line.number_stages(&mut 0);
        return line;
    }
    let name = "AdaptiveSparkPlan".to_owned();
    let output = line.output.clone();
    let details = vec![field("Output", &output), "Arguments: isFinalPlan=false".to_owned()];
    let text = format!("{name} isFinalPlan=false");
    Line { details, output, ..Line::over(&name, text, line) }
}

/// The tree of a plan that has run: where execution is adaptive, as it became and as it was at first.
pub(super) fn executed(node: &ExecRef, ctx: &ExecContext<'_>, verbose: bool) -> String {
    let mut lines = lines(node, ctx, verbose);
    let mut out = String::new();
    let adaptive = lines.name == "AdaptiveSparkPlan";
    match lines.children.pop() {
        Some(initial) if adaptive => {
            out.push_str("AdaptiveSparkPlan isFinalPlan=true\n");
            for (title, plan) in [("Final", adaptive::finished(initial.clone())), ("Initial", initial)] {
                out.push_str(&format!("+- == {title} Plan ==\n"));
                let mut tree = String::new();
                write(&plan, &mut Vec::new(), &mut tree);
                tree.lines().for_each(|line| out.push_str(&format!("   {line}\n")));
            }
        }
        last => {
            lines.children.extend(last);
            write(&lines, &mut Vec::new(), &mut out);
        }
    }
    out
}

/// The tree with a line for each operator.
pub(super) fn tree(node: &ExecRef, ctx: &ExecContext<'_>, verbose: bool) -> String {
    let mut out = String::new();
    write(&lines(node, ctx, verbose), &mut Vec::new(), &mut out);
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

/// Whether adaptive execution takes the plan: an exchange is in it, or an operator that may need one
/// (InsertAdaptiveSparkPlan.shouldApplyAQE).
fn is_adaptive(line: &Line) -> bool {
    line.name.ends_with("Exchange")
        || line.name.ends_with("Aggregate")
        || line.name == "Window"
        || line.name == "Sort" && line.text.ends_with(", true, 0")
        || line.children.iter().any(is_adaptive)
}

fn line(node: &ExecRef, verbose: bool) -> Line {
    if let (false, [child]) = (node.is_shown(), node.children().as_slice()) {
        return line(child, verbose);
    }
    let name = node.name();
    let mut arguments = node.arguments();
    if !verbose
        && name.ends_with("Aggregate")
        && let Some(at) = arguments.rfind(", output=[")
    {
        arguments.truncate(at);
        arguments.push(')');
    }
    if name == "SortAggregate" {
        arguments = arguments.replacen("(keys=", "(key=", 1);
    }
    if name == "TakeOrderedAndProject"
        && let Some(at) = arguments.rfind("output=[")
    {
        arguments = format!("{}{}", &arguments[..at], arguments[at..].replace(", ", ","));
    }
    let joined = arguments.starts_with("(key")
        || arguments.starts_with("(limit=")
        || name.starts_with("Scan ")
        || name.starts_with("BatchScan ");
    let gap = if arguments.is_empty() || joined { "" } else { " " };
    let mut children: Vec<Line> = node.children().into_iter().map(|child| line(child, verbose)).collect();
    let wanted = wanted_order(node, &name);
    if let Some(first) = children.first_mut() {
        sort(&wanted, node.children()[0], first);
    }
    if let Some(join) = node.as_any().downcast_ref::<JoinExec>() {
        children = join_children(join, children);
    }
    let inputs: Vec<Vec<String>> = children.iter().map(|child| child.output.clone()).collect();
    let details = details(node, &arguments, &inputs);
    let output = columns(node.output());
    let project = node.as_any().downcast_ref::<ProjectExec>();
    let evaluated = project.is_none_or(|project| project.list.iter().all(Expr::deterministic));
    if evaluated && let Some(rows) = at_hand(&name, &children, &output) {
        return rows;
    }
    Line {
        text: format!("{name}{gap}{arguments}"),
        name,
        details,
        output,
        kind: kind(node),
        stage: None,
        broadcast: broadcast(node),
        children,
    }
}

/// Rows at hand stay so below projections, filters and limits (ConvertToLocalRelation).
fn at_hand(name: &str, children: &[Line], output: &[String]) -> Option<Line> {
    let ([child], "Project" | "Filter" | "LocalLimit") = (children, name) else { return None };
    if child.name != "LocalTableScan" {
        return None;
    }
    let columns = format!("[{}]", output.join(", "));
    let empty = if child.text.contains("<empty>") { "<empty>, " } else { "" };
    let text = format!("LocalTableScan {empty}{columns}");
    let details = vec![field("Output", output), format!("Arguments: {empty}{columns}")];
    Some(Line { text, output: output.to_vec(), details, ..child.clone() })
}

/// What adaptive execution makes of a join that sorts when the side that it may build is small.
fn broadcast(node: &ExecRef) -> Option<Box<Broadcast>> {
    let join = node.as_any().downcast_ref::<JoinExec>()?;
    let Strategy::SortMerge { adaptive: true } = join.strategy else { return None };
    let built = match join.kind {
        JoinKind::FullOuter => return None,
        JoinKind::RightOuter => 0,
        _ => 1,
    };
    let condition = join.condition.as_ref().map_or_else(String::new, |c| format!(", {}", text::expression(c)));
    let text = format!(
        "BroadcastHashJoin {}, {}, {}, {}{condition}, false, false",
        text::expressions(&join.keys.left),
        text::expressions(&join.keys.right),
        super::join_name(join.kind),
        ["BuildLeft", "BuildRight"][built]
    );
    Some(Box::new(Broadcast { text, built, mode: hashed_mode(join, built) }))
}

fn hashed_mode(join: &JoinExec, built: usize) -> String {
    let (keys, input) = ([&join.keys.left, &join.keys.right][built], [&join.left, &join.right][built]);
    let list: Vec<String> = keys.iter().map(|key| bound_key(key, input)).collect();
    format!("HashedRelationBroadcastMode(List({}),false)", list.join(", "))
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

/// The order in which an operator that sorts its (first) input by itself here has it sorted in Spark.
fn wanted_order(node: &ExecRef, name: &str) -> Vec<SortOrder> {
    if let Some(window) = node.as_any().downcast_ref::<WindowExec>() {
        return window.wanted_order();
    }
    match node.as_any().downcast_ref::<AggregateExec>() {
        Some(aggregate) if name == "SortAggregate" => aggregate.key_order(),
        _ => node.input_order(),
    }
}

/// Puts the Sort that `order` asks for over a child that is not sorted so.
fn sort(order: &[SortOrder], node: &ExecRef, child: &mut Line) {
    let shown = text::orders(order);
    let sorted = child.text.starts_with(&format!("Sort {shown}, ")) || is_sorted_by(&node.ordering(), order);
    if !order.is_empty() && !sorted {
        *child = above("Sort", format!("{shown}, false, 0"), child.clone());
    }
}

/// An operator that gives what its child gives.
fn above(name: &str, arguments: String, child: Line) -> Line {
    let details = vec![field("Input", &child.output), format!("Arguments: {arguments}")];
    Line { details, ..Line::over(name, format!("{name} {arguments}"), child) }
}

fn join_children(join: &JoinExec, children: Vec<Line>) -> Vec<Line> {
    let keys = [&join.keys.left, &join.keys.right];
    let sides = children.into_iter();
    match join.strategy {
        Strategy::SortMerge { .. } => {
            let inputs = [&join.left, &join.right];
            let sides = sides.zip(inputs).zip(keys).map(|((mut child, node), keys)| {
                sort(&ascending(keys), node, &mut child);
                child
            });
            sides.collect()
        }
        Strategy::Broadcast { build } | Strategy::NestedLoop { build } => {
            let built = usize::from(build == Side::Right);
            let mode = match join.strategy {
                Strategy::NestedLoop { .. } => "IdentityBroadcastMode".to_owned(),
                _ => hashed_mode(join, built),
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

/// Whether a filter below takes the rows in which the column is null (FilterExec.output).
fn filtered(node: &ExecRef, id: ExprId) -> bool {
    let here = node.as_any().downcast_ref::<FilterExec>().is_some_and(|filter| {
        split_conjuncts(&filter.condition).iter().any(|term| {
            matches!(term, Expr::Call(call) if &*call.name == "isnotnull"
                && matches!(call.args.as_slice(), [Expr::Attribute(a)] if a.id == id))
        })
    });
    here || node.children().into_iter().any(|child| child.output().iter().any(|a| a.id == id) && filtered(child, id))
}

/// `input[0, bigint, false]`; one small whole number is widened to a LONG (HashJoin.rewriteKeyExpr).
fn bound_key(key: &Expr, input: &ExecRef) -> String {
    let Expr::Attribute(attribute) = key else { return text::expression(key) };
    let ordinal = input.output().iter().position(|column| column.id == attribute.id).unwrap_or(0);
    let nullable = attribute.nullable && !filtered(input, attribute.id);
    let bound = format!("input[{ordinal}, {}, {nullable}]", attribute.data_type.simple_string());
    match attribute.data_type {
        DataType::Byte | DataType::Short | DataType::Integer => format!("cast({bound} as bigint)"),
        _ => bound,
    }
}

fn write(line: &Line, last: &mut Vec<bool>, out: &mut String) {
    super::indent(last, out);
    if let Some(number) = line.stage {
        out.push_str(&format!("*({number}) "));
    }
    out.push_str(&line.text);
    out.push('\n');
    let count = line.children.len();
    for (i, child) in line.children.iter().enumerate() {
        last.push(i + 1 == count);
        write(child, last, out);
        last.pop();
    }
}
