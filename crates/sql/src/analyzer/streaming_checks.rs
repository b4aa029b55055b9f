//! What a stream does not allow (UnsupportedOperationChecker).

use super::join_watermark::{bounded_by_watermark, watermark_in_keys};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Expr, WindowKind};
use crate::plan::{GroupStateNode, Join, JoinKind, LogicalPlan, PlanRef, SetOperation, StreamingRelation};
use crate::session::SqlSession;

/// Output mode of a streaming query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    Append,
    Update,
    Complete,
}

impl OutputMode {
    /// As error texts print it.
    fn shown(self) -> &'static str {
        match self {
            OutputMode::Append => "Append",
            OutputMode::Update => "Update",
            OutputMode::Complete => "Complete",
        }
    }
}

fn refuse(message: &str, plan: &LogicalPlan) -> SparkError {
    // A source by itself is printed by its name.
    let text = match plan {
        LogicalPlan::StreamingRelation(relation) => crate::explain::source_text(relation),
        // The lower of a limit's two nodes is met first.
        LogicalPlan::Limit { .. } => {
            let tree = crate::explain::tree_string(plan);
            tree.lines().skip(1).map(|line| format!("{}\n", line.get(3..).unwrap_or_default())).collect()
        }
        other => crate::explain::tree_string(other),
    };
    SparkError::analysis("_LEGACY_ERROR_TEMP_3102", &[("msg", message)]).with_context(format!(";\n{text}"))
}

fn refuse_mode(mode: OutputMode, operation: &str, plan: &LogicalPlan) -> SparkError {
    let _ = plan;
    SparkError::analysis(
        "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
        &[("outputMode", &mode.shown().to_lowercase()), ("operation", operation)],
    )
}

/// Nodes bottom-up, children first (TreeNode.foreachUp).
fn each_up(plan: &PlanRef, f: &mut dyn FnMut(&PlanRef) -> Result<()>) -> Result<()> {
    for child in plan.child_plans() {
        each_up(&child, f)?;
    }
    f(plan)
}

/// Checks of a plan that is to run as a batch (show, collect, write).
pub fn check_batch(plan: &PlanRef) -> Result<()> {
    each_up(plan, &mut |node| {
        if node.is_streaming() {
            return Err(refuse(
                "Queries with streaming sources must be executed with writeStream.start(), or from a streaming table or flow definition within a Spark Declarative Pipeline.",
                node,
            ));
        }
        if matches!(&**node, LogicalPlan::Deduplicate { within_watermark: true, .. }) {
            return Err(refuse("dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets", node));
        }
        Ok(())
    })
}

fn is_streaming_aggregate(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Aggregate { .. } | LogicalPlan::Distinct { .. }) && plan.is_streaming()
}

/// Streaming aggregations, parents first; DISTINCT counts as one over all columns.
fn aggregates(plan: &LogicalPlan) -> Vec<Vec<Expr>> {
    let mut found = Vec::new();
    if is_streaming_aggregate(plan) {
        match plan {
            LogicalPlan::Aggregate { grouping, .. } => found.push(grouping.clone()),
            LogicalPlan::Distinct { child } => found.push(child.output().into_iter().map(Expr::Attribute).collect()),
            _ => {}
        }
    }
    for child in plan.child_plans() {
        found.extend(aggregates(&child));
    }
    found
}

fn has_event_time(expr: &Expr) -> bool {
    expr.any(&|inner| matches!(inner, Expr::Attribute(attribute) if attribute.metadata.watermark_delay_ms.is_some()))
}

fn has_watermark(plan: &LogicalPlan) -> bool {
    plan.output().iter().any(|column| column.metadata.watermark_delay_ms.is_some())
}

fn group_state(plan: &LogicalPlan) -> Option<GroupStateNode> {
    match plan {
        LogicalPlan::Extension(node) if plan.is_streaming() => node.group_state(),
        _ => None,
    }
}

/// Checks of a plan that starts as a streaming query.
pub fn check_streaming(plan: &PlanRef, mode: OutputMode, session: &SqlSession) -> Result<()> {
    if !plan.is_streaming() {
        return Err(refuse("Queries without streaming sources cannot be executed with writeStream.start()", plan));
    }
    let mut state_nodes = 0;
    plan.any(&|_| false);
    each_up(plan, &mut |node| {
        if matches!(group_state(node), Some(GroupStateNode::ApplyInPandasWithState { .. })) {
            state_nodes += 1;
        }
        Ok(())
    })?;
    if state_nodes > 1 {
        return Err(refuse(
            "Multiple applyInPandasWithStates are not supported on a streaming DataFrames/Datasets",
            plan,
        ));
    }
    let aggregations = aggregates(plan);
    match (mode, aggregations.first()) {
        (OutputMode::Append, Some(keys)) => {
            let marked =
                keys.iter().any(|key| matches!(key, Expr::Attribute(a) if a.metadata.watermark_delay_ms.is_some()));
            if !marked {
                return Err(refuse_mode(mode, "streaming aggregations without watermark", plan));
            }
        }
        (OutputMode::Update, Some(keys)) => {
            let session_window = keys
                .iter()
                .any(|key| matches!(key, Expr::Attribute(a) if a.metadata.window == Some(WindowKind::Session)));
            if session_window {
                return Err(refuse_mode(mode, "session window streaming aggregations", plan));
            }
        }
        (OutputMode::Complete, None) => return Err(refuse_mode(mode, "no streaming aggregations", plan)),
        _ => {}
    }
    let has_aggregation = !aggregations.is_empty();
    each_up(plan, &mut |node| {
        check_node(node, mode, has_aggregation, plan)?;
        check_expressions(node)
    })?;
    check_chained(plan, mode, session)
}

fn check_expressions(node: &PlanRef) -> Result<()> {
    let mut found = false;
    node.for_each_expression(&mut |expr| {
        found |= expr.any(&|inner| matches!(inner, Expr::Call(call) if &*call.name == "monotonically_increasing_id"));
    });
    if found {
        return Err(refuse(
            "Expression(s): monotonically_increasing_id() is not supported with streaming DataFrames/Datasets",
            node,
        ));
    }
    Ok(())
}

fn check_node(node: &PlanRef, mode: OutputMode, has_aggregation: bool, whole: &PlanRef) -> Result<()> {
    match &**node {
        LogicalPlan::Aggregate { list, child, .. } => {
            let distinct =
                list.iter().any(|item| item.any(&|expr| matches!(expr, Expr::Aggregate(call) if call.distinct)));
            if distinct && child.is_streaming() {
                return Err(refuse(
                    "Distinct aggregations are not supported on streaming DataFrames/Datasets. Consider using approx_count_distinct() instead.",
                    node,
                ));
            }
        }
        LogicalPlan::Extension(_) => check_group_state(node, mode, has_aggregation, whole)?,
        LogicalPlan::Join(join) => check_join(join, mode, node)?,
        LogicalPlan::Deduplicate { within_watermark: true, child, .. }
            if node.is_streaming() && !has_watermark(child) =>
        {
            return Err(refuse(
                "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark",
                whole,
            ));
        }
        LogicalPlan::Union { children, .. } => {
            let streams = children.iter().filter(|child| child.is_streaming()).count();
            if streams != 0 && streams != children.len() {
                return Err(refuse("Union between streaming and batch DataFrames/Datasets is not supported", node));
            }
        }
        LogicalPlan::SetOperation { kind: SetOperation::Except, right, .. } if right.is_streaming() => {
            return Err(refuse("Except on a streaming DataFrame/Dataset on the right is not supported", node));
        }
        LogicalPlan::SetOperation { kind: SetOperation::Intersect, .. } if node.is_streaming() => {
            return Err(refuse("Intersect of streaming DataFrames/Datasets is not supported", node));
        }
        LogicalPlan::Limit { child, .. } if child.is_streaming() && mode == OutputMode::Update => {
            return Err(refuse(
                "Limits are not supported on streaming DataFrames/Datasets in Update output mode",
                node,
            ));
        }
        LogicalPlan::Offset { .. } => {
            return Err(refuse("Offset is not supported on streaming DataFrames/Datasets", node));
        }
        LogicalPlan::Sort { .. } => {
            let complete = !node.is_streaming() || (!aggregates(node).is_empty() && mode == OutputMode::Complete);
            if !complete {
                return Err(refuse(
                    "Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated DataFrame/Dataset in Complete output mode",
                    node,
                ));
            }
        }
        LogicalPlan::Sample { child, .. } if child.is_streaming() => {
            return Err(refuse("Sampling is not supported on streaming DataFrames/Datasets", node));
        }
        LogicalPlan::Window { list, child, .. } if child.is_streaming() => return Err(window_refused(list)),
        _ => {}
    }
    Ok(())
}

/// NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING with the functions, columns and specifications of the node.
fn window_refused(list: &[Expr]) -> SparkError {
    let (mut functions, mut columns, mut specs) = (Vec::new(), Vec::new(), Vec::new());
    for item in list {
        item.visit(&mut |expr| {
            if let Expr::Window(call) = expr {
                functions.push(window_function_text(call).to_uppercase());
                columns.push(format!("`{}`", item.to_attribute().name));
                let text = expr.pretty_sql();
                let start = text.find("OVER (").map_or(0, |at| at + "OVER ".len());
                specs.push(text[start..].to_uppercase());
            }
        });
    }
    SparkError::analysis(
        "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
        &[
            ("windowFunc", &functions.join(", ")),
            ("columnName", &columns.join(", ")),
            ("windowSpec", &specs.join(", ")),
        ],
    )
}

/// The function with ids; ranks show the sort keys that Catalyst hands them, lag its offset below zero.
fn window_function_text(call: &crate::expr::WindowCall) -> String {
    let Expr::Call(function) = &call.function else { return call.function.plan_string() };
    match &*function.name.to_lowercase() {
        "rank" | "dense_rank" | "percent_rank" => {
            let keys: Vec<String> = call.spec.order_by.iter().map(|order| order.child.plan_string()).collect();
            format!("{}({})", function.name, keys.join(", "))
        }
        "lag" | "lead" => {
            let mut args: Vec<String> = function.args.iter().map(Expr::plan_string).collect();
            if &*function.name == "lag"
                && let Some(offset) = args.get_mut(1)
            {
                *offset = format!("-{offset}");
            }
            format!("{}({})", function.name, args.join(", "))
        }
        _ => call.function.plan_string(),
    }
}

fn check_group_state(node: &PlanRef, mode: OutputMode, has_aggregation: bool, whole: &PlanRef) -> Result<()> {
    let Some(GroupStateNode::ApplyInPandasWithState { update, event_time_timeout }) = group_state(node) else {
        return Ok(());
    };
    let own = if update { OutputMode::Update } else { OutputMode::Append };
    if !has_aggregation {
        if own != mode {
            let (own, mode) = (own.shown().to_lowercase(), mode.shown());
            return Err(refuse(
                &format!(
                    "applyInPandasWithState in {own} mode is not supported with {mode} output mode on a streaming DataFrame/Dataset"
                ),
                node,
            ));
        }
    } else if update {
        return Err(refuse(
            "applyInPandasWithState in update mode is not supported with aggregation on a streaming DataFrame/Dataset",
            node,
        ));
    } else if !aggregates(node).is_empty() {
        return Err(refuse(
            "applyInPandasWithState in append mode is not supported after aggregation on a streaming DataFrame/Dataset",
            node,
        ));
    }
    if event_time_timeout && !node.child_plans().iter().any(|child| has_watermark(child)) {
        return Err(refuse(
            "Watermark must be specified in the query using '[Dataset/DataFrame].withWatermark()' for using event-time timeout in a applyInPandasWithState. Event-time timeout not supported without watermark.",
            whole,
        ));
    }
    Ok(())
}

fn check_join(join: &Join, mode: OutputMode, node: &LogicalPlan) -> Result<()> {
    let (left, right) = (join.left.is_streaming(), join.right.is_streaming());
    let name = crate::explain::join_name(join.kind);
    if left && right && mode != OutputMode::Append && join.kind != JoinKind::LeftAnti {
        // Inner and semi joins never take rows back, so update mode is as good as append.
        let final_rows = matches!(join.kind, JoinKind::Inner | JoinKind::Cross | JoinKind::LeftSemi);
        if !(final_rows && mode == OutputMode::Update) {
            let modes = if final_rows { "Append and Update output modes" } else { "Append output mode" };
            return Err(refuse(
                &format!(
                    "{name} join between two streaming DataFrames/Datasets is not supported in {} output mode, only in {modes}",
                    mode.shown()
                ),
                node,
            ));
        }
    }
    match join.kind {
        JoinKind::Inner | JoinKind::Cross => Ok(()),
        JoinKind::FullOuter if left && !right => Err(refuse(
            "FullOuter joins with streaming DataFrames/Datasets on the left and a static DataFrame/Dataset on the right is not supported",
            node,
        )),
        JoinKind::FullOuter if !left && right => Err(refuse(
            "FullOuter joins with streaming DataFrames/Datasets on the right and a static DataFrame/Dataset on the left is not supported",
            node,
        )),
        JoinKind::LeftAnti if right => {
            Err(refuse("LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported", node))
        }
        JoinKind::LeftOuter | JoinKind::LeftSemi if !left && right => Err(refuse(
            &format!(
                "{name} join with a streaming DataFrame/Dataset on the right and a static DataFrame/Dataset on the left is not supported"
            ),
            node,
        )),
        JoinKind::RightOuter if left && !right => Err(refuse(
            "RightOuter join with a streaming DataFrame/Dataset on the left and a static DataFrame/DataSet on the right not supported",
            node,
        )),
        _ if left && right => {
            let bounded = match join.kind {
                JoinKind::LeftOuter | JoinKind::LeftSemi => bounded_by_watermark(join, true),
                JoinKind::RightOuter => bounded_by_watermark(join, false),
                _ => bounded_by_watermark(join, true) || bounded_by_watermark(join, false),
            };
            if bounded || watermark_in_keys(join) {
                return Ok(());
            }
            Err(refuse(
                &format!(
                    "Stream-stream {name} join between two streaming DataFrame/Datasets is not supported without a watermark in the join keys, or a watermark on the nullable side and an appropriate range condition"
                ),
                node,
            ))
        }
        _ => Ok(()),
    }
}

fn is_stateful(plan: &LogicalPlan) -> bool {
    if !plan.is_streaming() {
        return false;
    }
    match plan {
        LogicalPlan::Aggregate { .. } | LogicalPlan::Distinct { .. } => true,
        LogicalPlan::Join(join) => join.left.is_streaming() && join.right.is_streaming(),
        LogicalPlan::Deduplicate { within_watermark: true, .. } => true,
        LogicalPlan::Deduplicate { columns, .. } => columns.iter().any(has_event_time),
        LogicalPlan::Extension(node) => node.group_state().is_some(),
        _ => false,
    }
}

fn must_be_last(plan: &LogicalPlan, mode: OutputMode) -> bool {
    match plan {
        LogicalPlan::Aggregate { .. } | LogicalPlan::Distinct { .. } => {
            plan.is_streaming() && mode != OutputMode::Append
        }
        LogicalPlan::Extension(node) => {
            plan.is_streaming()
                && matches!(
                    node.group_state(),
                    Some(GroupStateNode::ApplyInPandasWithState { event_time_timeout: true, .. })
                )
        }
        _ => false,
    }
}

/// Stateful operators after one that may emit rows older than the watermark.
fn check_chained(plan: &PlanRef, mode: OutputMode, session: &SqlSession) -> Result<()> {
    if !session.conf.borrow().bool("spark.sql.streaming.statefulOperator.checkCorrectness.enabled") {
        return Ok(());
    }
    let found = plan.any(&|node| {
        is_stateful(node) && node.child_plans().iter().any(|child| child.any(&|below| must_be_last(below, mode)))
    });
    if !found {
        return Ok(());
    }
    Err(refuse(
        "Detected pattern of possible 'correctness' issue due to global watermark. The query contains stateful operation which can emit rows older than the current watermark plus allowed late record delay, which are \"late rows\" in downstream stateful operations and these rows can be discarded. Please refer the programming guide doc for more details. If you understand the possible risk of correctness issue and still need to run the query, you can disable this check by setting the config `spark.sql.streaming.statefulOperator.checkCorrectness.enabled` to false.",
        plan,
    ))
}

/// Further checks of a query with a real-time trigger (checkAdditionalRealTimeModeConstraints).
pub fn check_real_time(plan: &PlanRef, mode: OutputMode) -> Result<()> {
    if mode != OutputMode::Update {
        let condition = "STREAMING_REAL_TIME_MODE.OUTPUT_MODE_NOT_SUPPORTED";
        return Err(SparkError::analysis(condition, &[("outputMode", mode.shown())]));
    }
    let keeps_state = |node: &LogicalPlan| {
        let stateful = match node {
            LogicalPlan::Aggregate { .. } | LogicalPlan::Deduplicate { within_watermark: false, .. } => true,
            LogicalPlan::Extension(node) => matches!(node.group_state(), Some(GroupStateNode::TransformWithState)),
            _ => false,
        };
        stateful && node.is_streaming()
    };
    let before_union = plan.any(&|node| {
        matches!(node, LogicalPlan::Union { .. }) && node.child_plans().iter().any(|child| child.any(&keeps_state))
    });
    if before_union {
        let condition = "STREAMING_REAL_TIME_MODE.STATEFUL_OPERATORS_BEFORE_UNION_NOT_SUPPORTED";
        return Err(SparkError::analysis(condition, &[]));
    }
    Ok(())
}

const RATE_MICRO_BATCH: &str = "rate-micro-batch";

/// Sources of Spark's second interface (StreamingRelationV2).
fn second_interface(format: &str) -> bool {
    ["rate", RATE_MICRO_BATCH, "kafka", "socket"].iter().any(|name| format.eq_ignore_ascii_case(name))
}

/// Further checks of a query with a continuous trigger (checkForContinuous).
pub fn check_continuous(plan: &PlanRef, mode: OutputMode, session: &SqlSession) -> Result<()> {
    check_streaming(plan, mode, session)?;
    each_up(plan, &mut |node| {
        let name = match &**node {
            LogicalPlan::Project { .. }
            | LogicalPlan::Filter { .. }
            | LogicalPlan::SubqueryAlias { .. }
            | LogicalPlan::View { .. } => None,
            LogicalPlan::StreamingRelation(relation)
                if second_interface(&relation.format) || relation.python.is_some() =>
            {
                None
            }
            LogicalPlan::Limit { .. } => Some("LocalLimit".to_owned()),
            LogicalPlan::Deduplicate { within_watermark: true, .. } => Some("DeduplicateWithinWatermark".to_owned()),
            LogicalPlan::LocalRelation(relation) if relation.from_rdd => Some("LogicalRDD".to_owned()),
            other => crate::explain::node_line(other).split([' ', '(']).next().map(str::to_owned),
        };
        if let Some(name) = name {
            return Err(refuse(&format!("Continuous processing does not support {name} operations."), node));
        }
        let mut current = false;
        node.for_each_expression(&mut |expr| {
            current |= expr.any(&|inner| {
                matches!(inner, Expr::Call(call)
                    if matches!(&*call.name, "current_timestamp" | "now" | "current_date" | "curdate" | "localtimestamp"))
            });
        });
        if current {
            return Err(refuse("Continuous processing does not support current time operations.", node));
        }
        Ok(())
    })?;
    each_up(plan, &mut |node| match &**node {
        // ContinuousExecution: a source of the second interface that only knows micro-batches.
        LogicalPlan::StreamingRelation(relation) if relation.format.eq_ignore_ascii_case(RATE_MICRO_BATCH) => {
            Err(SparkError::new(
                ErrorClass::UnsupportedOperation,
                "_LEGACY_ERROR_TEMP_2253",
                &[("sourceName", RATE_MICRO_BATCH)],
            ))
        }
        LogicalPlan::StreamingRelation(StreamingRelation { python: Some(loaded), .. }) => {
            let name = loaded.name.as_str();
            Err(SparkError::new(ErrorClass::UnsupportedOperation, "_LEGACY_ERROR_TEMP_2253", &[("sourceName", name)]))
        }
        _ => Ok(()),
    })
}
