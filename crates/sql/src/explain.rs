//! Plans as text: the tree of explain() and of error contexts.

mod adaptive;
mod details;
mod formatted;
mod physical;

use crate::error::Result;
use crate::exec::{ExecContext, ExecRef, PlannerExtension};
use crate::expr::{Attribute, Expr, SortOrder};
use crate::plan::{
    JoinCondition, JoinKind, LocalRelation, LogicalPlan, PlanRef, SetOperation, Spread, StreamingRelation,
};

/// The tree of a plan, a node a line, as TreeNode.treeString prints it.
pub fn tree_string(plan: &LogicalPlan) -> String {
    tree_by(plan, &|_| None)
}

/// [`tree_string`]; `line` may say what stands for a node.
pub(crate) fn tree_by(plan: &LogicalPlan, line: &dyn Fn(&LogicalPlan) -> Option<String>) -> String {
    let mut out = String::new();
    write_node(plan, &mut Vec::new(), line, &mut out);
    out
}

/// The tree of a plan below a line of its own; `line` may say what stands for a node.
pub fn tree_below(header: &str, plan: &LogicalPlan, line: &dyn Fn(&LogicalPlan) -> Option<String>) -> String {
    let mut out = format!("{header}\n");
    write_node(plan, &mut vec![true], line, &mut out);
    out
}

fn write_node(
    plan: &LogicalPlan,
    last: &mut Vec<bool>,
    line: &dyn Fn(&LogicalPlan) -> Option<String>,
    out: &mut String,
) {
    match plan {
        LogicalPlan::Hint { name, child, .. } if name == crate::analyzer::PLACED => {
            return write_node(child, last, line, out);
        }
        // A batch's data stands for its source.
        LogicalPlan::StreamingBatch { data, .. } => match &**data {
            LogicalPlan::LocalRelation(relation) => {
                indent(last, out);
                out.push_str(&format!("~{}\n", local_relation(relation)));
                return;
            }
            other => {
                let Some(text) = line(plan) else { return write_node(other, last, line, out) };
                indent(last, out);
                out.push_str(&format!("{text}\n"));
                last.push(true);
                write_node(other, last, line, out);
                last.pop();
                return;
            }
        },
        // A limit is two nodes in Spark.
        LogicalPlan::Limit { limit, .. } => {
            indent(last, out);
            let mark = match mark(plan) {
                "" => stream_mark(plan),
                unresolved => unresolved,
            };
            out.push_str(&format!("{mark}GlobalLimit {}\n", limit.plan_string()));
            last.push(true);
            write_line(plan, &format!("{mark}LocalLimit {}", limit.plan_string()), last, line, out);
            last.pop();
            return;
        }
        _ => {}
    }
    write_line(plan, &line(plan).unwrap_or_else(|| marked_line(plan)), last, line, out);
}

fn write_line(
    plan: &LogicalPlan,
    text: &str,
    last: &mut Vec<bool>,
    line: &dyn Fn(&LogicalPlan) -> Option<String>,
    out: &mut String,
) {
    indent(last, out);
    out.push_str(text);
    out.push('\n');
    let children = plan.child_plans();
    let count = children.len();
    for (i, child) in children.iter().enumerate() {
        last.push(i + 1 == count);
        write_node(child, last, line, out);
        last.pop();
    }
}

/// LogicalPlan.statePrefix of a resolved node.
fn stream_mark(plan: &LogicalPlan) -> &'static str {
    if plan.is_streaming() { "~" } else { "" }
}

/// A node's line in a logical tree, with its mark.
pub(crate) fn marked_line(plan: &LogicalPlan) -> String {
    match plan {
        LogicalPlan::StreamingRelation(relation) => relation_line(relation),
        // Views print a text of their own.
        LogicalPlan::View { .. } => node_line(plan),
        _ => {
            let line = node_line(plan);
            if line.starts_with('\'') { line } else { format!("{}{line}", stream_mark(plan)) }
        }
    }
}

/// A source in a logical plan: StreamingRelation, or StreamingRelationV2 with its Java objects.
fn relation_line(relation: &StreamingRelation) -> String {
    const SOURCES: &str = "org.apache.spark.sql.execution.streaming.sources.";
    let columns = columns(&relation.output);
    let (provider, table) = match relation.format.as_str() {
        "rate" => (format!("{SOURCES}RateStreamProvider"), format!("{SOURCES}RateStreamTable")),
        "rate-micro-batch" => {
            (format!("{SOURCES}RatePerMicroBatchProvider"), format!("{SOURCES}RatePerMicroBatchTable"))
        }
        "socket" => (format!("{SOURCES}TextSocketSourceProvider"), format!("{SOURCES}TextSocketTable")),
        "kafka" => {
            let provider = "org.apache.spark.sql.kafka010.KafkaSourceProvider".to_owned();
            let table = format!("{provider}$KafkaTable");
            (provider, table)
        }
        _ if relation.python.is_some() => {
            const PYTHON: &str = "org.apache.spark.sql.execution.datasources.v2.python.Python";
            (format!("{PYTHON}DataSourceV2"), format!("{PYTHON}Table"))
        }
        _ => return format!("StreamingRelation {}, {columns}, name=<Unassigned>", source_text(relation)),
    };
    let options: Vec<String> = relation.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let (name, options) = (source_text(relation), options.join(", "));
    format!(
        "~StreamingRelationV2 {provider}@3f1c8a52, {name}, {table}@5b7d0e94, [{options}], {columns}, name=<Unassigned>"
    )
}

fn local_relation(relation: &LocalRelation) -> String {
    let empty = relation.partitions.iter().flatten().all(|batch| batch.num_rows() == 0);
    format!("LocalRelation {}{}", if empty { "<empty>, " } else { "" }, columns(&relation.output))
}

/// The tree of a node that was not analysed: of its children the first are, the one after them is given as text.
pub fn with_parent(parent: &LogicalPlan, failed: usize, analysed: &[PlanRef], tree: &str) -> String {
    let line = node_line(parent);
    let mark = if line.starts_with('\'') { "" } else { "'" };
    let children = parent.child_plans();
    let text = |(i, child): (usize, &PlanRef)| {
        if i == failed { tree.to_owned() } else { tree_string(analysed.get(i).unwrap_or(child)) }
    };
    let texts: Vec<String> = children.iter().enumerate().map(text).collect();
    tree_over(&format!("{mark}{line}"), &texts)
}

/// A node's line above the trees of its children.
pub fn tree_over(line: &str, children: &[String]) -> String {
    let mut out = format!("{line}\n");
    for (i, text) in children.iter().enumerate() {
        let (first, rest) = if i + 1 == children.len() { ("+- ", "   ") } else { (":- ", ":  ") };
        for (n, line) in text.lines().enumerate() {
            out.push_str(if n == 0 { first } else { rest });
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn list(exprs: &[Expr]) -> String {
    format!("[{}]", exprs.iter().map(Expr::plan_string).collect::<Vec<_>>().join(", "))
}

/// An expression that is an argument of its own: a bare column shows its type (AttributeReference.simpleString).
pub(crate) fn lone(expr: &Expr) -> String {
    match expr {
        Expr::Attribute(attribute) => format!("{}: {}", expr.plan_string(), attribute.data_type.simple_string()),
        other => other.plan_string(),
    }
}

fn columns(attributes: &[std::sync::Arc<Attribute>]) -> String {
    let names: Vec<String> =
        attributes.iter().map(|attribute| Expr::Attribute(attribute.clone()).plan_string()).collect();
    format!("[{}]", names.join(", "))
}

fn orders(order: &[SortOrder]) -> String {
    let texts: Vec<String> = order.iter().map(|order| Expr::SortOrder(Box::new(order.clone())).plan_string()).collect();
    format!("[{}]", texts.join(", "))
}

/// A quote before the node's name marks what is not resolved.
fn mark(plan: &LogicalPlan) -> &'static str {
    let mut resolved = true;
    plan.for_each_expression(&mut |expr| resolved &= expr.is_resolved());
    let unresolved = !resolved || matches!(plan, LogicalPlan::UnresolvedRelation { .. });
    if unresolved || plan.child_plans().iter().any(|child| !mark(child).is_empty()) { "'" } else { "" }
}

/// A join's kind as messages name it ("LeftOuter").
pub fn join_kind_name(kind: JoinKind) -> &'static str {
    join_name(kind)
}

pub(crate) fn join_name(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "Inner",
        JoinKind::Cross => "Cross",
        JoinKind::LeftOuter => "LeftOuter",
        JoinKind::LeftSingle => "LeftSingle",
        JoinKind::RightOuter => "RightOuter",
        JoinKind::FullOuter => "FullOuter",
        JoinKind::LeftSemi => "LeftSemi",
        JoinKind::LeftAnti => "LeftAnti",
    }
}

/// One node's line (simpleString).
pub fn node_line(plan: &LogicalPlan) -> String {
    use LogicalPlan as P;
    let line = match plan {
        P::UnresolvedRelation { parts, streaming, .. } => {
            format!("UnresolvedRelation [{}], [], {streaming}", parts.join(", "))
        }
        P::LocalRelation(relation) if relation.from_rdd => format!("LogicalRDD {}, false", columns(&relation.output)),
        P::LocalRelation(relation) => local_relation(relation),
        P::Range { start, end, step, partitions, .. } => {
            let slices = partitions.map_or_else(String::new, |n| format!("Some({n})"));
            let suffix = if partitions.is_some() { format!(", splits={slices}") } else { String::new() };
            format!("Range ({start}, {end}, step={step}{suffix})")
        }
        P::OneRow => "OneRowRelation".to_owned(),
        P::FileRelation(relation) => {
            let names: Vec<String> =
                relation.output.iter().map(|attribute| Expr::Attribute(attribute.clone()).plan_string()).collect();
            format!("Relation [{}] {}", names.join(","), relation.format)
        }
        P::MemoryTable { output, .. } => format!("MemoryPlan MemorySink, {}", columns(output)),
        P::StreamingRelation(relation) => {
            format!("StreamingRelation {}, {}", source_text(relation), columns(&relation.output))
        }
        P::StreamingBatch { output, .. } => format!("StreamingExecutionRelation {}", columns(output)),
        P::Project { list: exprs, .. } => format!("Project {}", list(exprs)),
        P::Filter { condition, .. } => format!("Filter {}", lone(condition)),
        P::Aggregate { grouping, list: exprs, .. } if grouping.is_empty() => format!("Aggregate {}", list(exprs)),
        P::Aggregate { grouping, list: exprs, .. } => format!("Aggregate {}, {}", list(grouping), list(exprs)),
        P::GroupingSets { by, list: exprs, .. } => format!("Aggregate [groupingsets({})], {}", list(by), list(exprs)),
        P::Pivot { grouping, column, values, aggregates, .. } => {
            format!("Pivot {}, {}, {}, {}", list(grouping), column.plan_string(), list(values), list(aggregates))
        }
        P::Sort { order, global, .. } => format!("Sort {}, {global}", orders(order)),
        P::Limit { limit, .. } => format!("GlobalLimit {}", limit.plan_string()),
        P::Offset { offset, .. } => format!("Offset {}", offset.plan_string()),
        P::Tail { limit, .. } => format!("Tail {}", limit.plan_string()),
        P::Distinct { .. } => "Distinct".to_owned(),
        P::Deduplicate { columns: keys, within_watermark: false, .. } => format!("Deduplicate {}", list(keys)),
        P::Deduplicate { columns: keys, .. } => format!("DeduplicateWithinWatermark {}", list(keys)),
        P::SubqueryAlias { name, .. } => format!("SubqueryAlias {name}"),
        P::View { name, child } => {
            let name: Vec<String> = name.iter().map(|part| format!("`{part}`")).collect();
            format!("View ({}, {})", name.join("."), columns(&child.output()))
        }
        P::EventTimeWatermark { column, delay, .. } => format!(
            "EventTimeWatermark {}, {}, {}",
            node_id(column),
            typed(column),
            crate::value::text::calendar_interval_to_string(delay.months, delay.days, delay.micros)
        ),
        P::Expand { projections, output, .. } => {
            let rows: Vec<String> = projections.iter().map(|row| list(row)).collect();
            format!("Expand [{}], {}", rows.join(", "), columns(output))
        }
        P::Generate { generator, outer, qualifier, output, .. } => format!(
            "Generate {}, {outer}, {}{}",
            generator.plan_string(),
            qualifier.as_ref().map_or(String::new(), |name| format!("{name}, ")),
            columns(output)
        ),
        P::Window { list: exprs, partition_by, order_by, .. } => {
            format!("Window {}, {}, {}", list(exprs), list(partition_by), orders(order_by))
        }
        P::Repartition { partitions, by, spread, .. } if !by.is_empty() => {
            let count = partitions.map_or(String::new(), |n| format!(", {n}"));
            let by = match (spread, by.as_slice()) {
                (Spread::Id, [id]) => format!("[{}]", crate::planner::text::direct_id(&id.plan_string())),
                _ => list(by),
            };
            format!("RepartitionByExpression {by}{count}")
        }
        P::Repartition { partitions, shuffle, .. } => {
            format!("Repartition {}, {shuffle}", partitions.map_or(String::new(), |n| n.to_string()))
        }
        P::Sample { lower, fraction, seed, with_replacement, .. } => {
            format!("Sample {lower:?}, {fraction:?}, {with_replacement}, {seed}, Bernoulli")
        }
        P::CollectMetrics { name, metrics, .. } => format!("CollectMetrics {name}, {}", list(metrics)),
        P::Hint { name, .. } => format!("ResolvedHint (strategy={name})"),
        P::Extension(node) => node.name(),
        P::Join(join) => match &join.condition {
            JoinCondition::None => format!("Join {}", join_name(join.kind)),
            JoinCondition::On(on) => format!("Join {}, {}", join_name(join.kind), lone(on)),
            JoinCondition::Using(names) => {
                format!("Join UsingJoin({},Buffer({}))", join_name(join.kind), names.join(", "))
            }
            JoinCondition::Natural => format!("Join NaturalJoin({})", join_name(join.kind)),
        },
        P::Union { by_name, allow_missing, .. } => format!("Union {by_name}, {allow_missing}"),
        P::SetOperation { kind: SetOperation::Intersect, all, .. } => {
            format!("Intersect {}", if *all { "All true" } else { "false" })
        }
        P::SetOperation { kind: SetOperation::Except, all, .. } => {
            format!("Except {}", if *all { "All true" } else { "false" })
        }
        P::With { ctes, .. } => {
            let names: Vec<&str> = ctes.iter().map(|(name, _)| name.as_str()).collect();
            format!("CTE [{}]", names.join(", "))
        }
    };
    format!("{}{line}", mark(plan))
}

/// EventTimeWatermark.nodeId: Spark draws one, here it follows from the column.
pub fn node_id(column: &Expr) -> String {
    let id = column.references().first().map_or(0, |id| id.0);
    format!("4c1f7b2e-93d0-4a58-8e61-{id:012x}")
}

/// `ts#1: timestamp`.
fn typed(column: &Expr) -> String {
    let Expr::Attribute(attribute) = column else { return column.plan_string() };
    format!("{}#{}: {}", attribute.name, attribute.id.0, attribute.data_type.simple_string())
}

/// How a streaming source names itself in a plan.
pub fn source_text(relation: &StreamingRelation) -> String {
    match relation.format.as_str() {
        "json" | "csv" | "text" | "parquet" | "orc" => {
            format!("FileSource[{}]", relation.path.clone().unwrap_or_default())
        }
        other => other.to_owned(),
    }
}

/// The optimized plan's tree with the size that planning takes for every node (explain("cost")).
fn costs(ctx: &ExecContext<'_>, plan: &PlanRef) -> Result<String> {
    let optimized = crate::optimizer::optimize(ctx, plan)?;
    let mut sizes = Vec::new();
    fn walk(plan: &LogicalPlan, sizes: &mut Vec<String>) {
        sizes.push(crate::planner::size_in_bytes(plan).map_or_else(|| "8.0 EiB".to_owned(), size_text));
        plan.child_plans().iter().for_each(|child| walk(child, sizes));
    }
    walk(&optimized, &mut sizes);
    let tree = optimized_tree(&optimized);
    let lines = tree.lines().zip(sizes).map(|(line, size)| format!("{line}, Statistics(sizeInBytes={size})\n"));
    Ok(lines.collect())
}

/// Utils.bytesToString.
fn size_text(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * unit) >= 2048 {
        unit += 1;
    }
    format!("{:.1} {}", bytes as f64 / (1_u128 << (10 * unit)) as f64, UNITS[unit])
}

/// The tree of an optimized plan: casts of literals are literals.
pub fn optimized_tree(plan: &LogicalPlan) -> String {
    as_optimized(&tree_string(plan))
}

/// Texts of an optimized plan, made from those of an analysed one.
pub fn as_optimized(tree: &str) -> String {
    tree.replace("< cast(0 as bigint))", "< 0)")
}

/// The text of explain() in a mode: "simple", "extended", "cost", "formatted". `extension` plans what is not the planner's.
pub fn text(
    ctx: &ExecContext<'_>,
    extension: Option<&dyn PlannerExtension>,
    plan: &PlanRef,
    mode: &str,
) -> Result<String> {
    if extension.is_none() && plan.is_streaming() {
        crate::analyzer::streaming_checks::check_batch(plan)?;
    }
    let node = crate::planner::shown(ctx, extension, plan)?;
    if mode == "formatted" {
        return Ok(formatted::text(&physical::lines(&node, ctx, false)));
    }
    let tree = physical_tree(&node, ctx, mode != "simple");
    match mode {
        "cost" => Ok(format!("== Optimized Logical Plan ==\n{}\n== Physical Plan ==\n{tree}\n", costs(ctx, plan)?)),
        "extended" => {
            let columns: Vec<String> = plan
                .output()
                .iter()
                .map(|column| format!("{}: {}", column.name, column.data_type.simple_string()))
                .collect();
            let analysed = tree_string(plan);
            let parsed = ctx.session.parsed.tree(plan);
            let optimized = optimized_tree(&*crate::optimizer::optimize(ctx, plan)?);
            Ok(format!(
                "== Parsed Logical Plan ==\n{parsed}\n== Analyzed Logical Plan ==\n{}\n{analysed}\n\
                 == Optimized Logical Plan ==\n{optimized}\n== Physical Plan ==\n{tree}",
                columns.join(", ")
            ))
        }
        _ => Ok(format!("== Physical Plan ==\n{tree}\n")),
    }
}

/// What stands before a node's line: the branches above it.
fn indent(last: &[bool], out: &mut String) {
    if let Some((is_last, above)) = last.split_last() {
        for done in above {
            out.push_str(if *done { "   " } else { ":  " });
        }
        out.push_str(if *is_last { "+- " } else { ":- " });
    }
}

/// The tree of operators that ran, a line each; `verbose`: as explain("extended") shows them.
pub fn executed_tree(node: &ExecRef, ctx: &ExecContext<'_>, verbose: bool) -> String {
    physical::executed(node, ctx, verbose)
}

/// The same of operators that are to run.
fn physical_tree(node: &ExecRef, ctx: &ExecContext<'_>, verbose: bool) -> String {
    physical::tree(node, ctx, verbose)
}
