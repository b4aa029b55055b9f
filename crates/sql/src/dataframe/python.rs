//! mapInPandas, applyInPandas, cogroups and the functions with state: the plans of operators that run the script's functions.

use std::sync::Arc;

use super::node;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Metadata};
use crate::plan::{GroupTimeout, LogicalPlan, PlanRef, PythonOperation, PythonOperator, TimeMode};
use crate::session::SqlSession;
use crate::types::StructType;

/// A function of the script and what it gives.
#[derive(Clone, Debug)]
pub struct PythonFunction {
    /// Handle that the Python side gave out.
    pub handle: u64,
    pub name: String,
    pub output: StructType,
}

/// mapInPandas, mapInArrow.
pub fn map_tables(plan: &PlanRef, function: &PythonFunction) -> PlanRef {
    let values = columns(plan);
    let (children, keys, values) = (vec![plan.clone()], vec![Vec::new()], vec![values]);
    operator(function, PythonOperation::Map, attributes(&function.output), children, keys, values)
}

/// groupBy(keys).applyInPandas: the keys may be any expressions.
pub fn apply_in_groups(
    session: &SqlSession,
    plan: &PlanRef,
    keys: Vec<Expr>,
    function: &PythonFunction,
) -> Result<PlanRef> {
    let values = columns(plan);
    let (child, keys) = keyed(session, plan, keys)?;
    let output = attributes(&function.output);
    Ok(operator(function, PythonOperation::Groups, output, vec![child], vec![keys], vec![values]))
}

/// groupBy(keys).cogroup(other.groupBy(keys)).applyInPandas.
pub fn co_groups(
    session: &SqlSession,
    left: (&PlanRef, Vec<Expr>),
    right: (&PlanRef, Vec<Expr>),
    function: &PythonFunction,
) -> Result<PlanRef> {
    let values = vec![columns(left.0), columns(right.0)];
    let (left, left_keys) = keyed(session, left.0, left.1)?;
    let (right, right_keys) = keyed(session, right.0, right.1)?;
    let (children, keys) = (vec![left, right], vec![left_keys, right_keys]);
    Ok(operator(function, PythonOperation::CoGroups, attributes(&function.output), children, keys, values))
}

/// groupBy(keys).applyInPandasWithState; `mode` and `timeout` as the user gave them.
pub fn apply_in_pandas_with_state(
    session: &SqlSession,
    plan: &PlanRef,
    keys: Vec<Expr>,
    function: &PythonFunction,
    state: StructType,
    mode: &str,
    timeout: &str,
) -> Result<PlanRef> {
    let update = match &*output_mode(mode)? {
        "Append" => false,
        "Update" => true,
        _ => {
            let message = "The output mode of function should be append or update";
            return Err(SparkError::plain(ErrorClass::IllegalArgument, message));
        }
    };
    let timeout = match timeout {
        "ProcessingTimeTimeout" => GroupTimeout::ProcessingTime,
        "EventTimeTimeout" => GroupTimeout::EventTime,
        _ => GroupTimeout::None,
    };
    let keys = named_keys(session, plan, keys)?;
    let operation = PythonOperation::GroupState { state: Arc::new(state), update, timeout };
    let values = columns(plan);
    let output = attributes(&function.output);
    Ok(operator(function, operation, output, vec![plan.clone()], vec![keys], vec![values]))
}

/// The arguments of transformWithState and transformWithStateInPandas, modes as the user gave them.
#[derive(Clone, Debug)]
pub struct ProcessorSpec {
    pub pandas: bool,
    pub mode: String,
    pub time_mode: String,
    /// Plan and keys of the initial state.
    pub initial: Option<(PlanRef, Vec<Expr>)>,
    /// The output column that carries the event time on; empty for none.
    pub event_time: String,
}

/// groupBy(keys).transformWithState and transformWithStateInPandas.
pub fn transform_with_state(
    session: &SqlSession,
    plan: &PlanRef,
    keys: Vec<Expr>,
    function: &PythonFunction,
    spec: ProcessorSpec,
) -> Result<PlanRef> {
    let ProcessorSpec { pandas, mode, time_mode, initial, event_time } = spec;
    let mode = output_mode(&mode)?;
    let time_mode = match &*time_mode.to_lowercase() {
        "none" => TimeMode::None,
        "processingtime" => TimeMode::ProcessingTime,
        "eventtime" => TimeMode::EventTime,
        _ => {
            let parameters = [("timeMode", &*time_mode)];
            return Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "STATEFUL_PROCESSOR_UNKNOWN_TIME_MODE",
                &parameters,
            ));
        }
    };
    let mut children = vec![plan.clone()];
    let mut all_keys = vec![named_keys(session, plan, keys)?];
    let mut values = vec![columns(plan)];
    if let Some((plan, keys)) = initial {
        all_keys.push(named_keys(session, &plan, keys)?);
        values.push(columns(&plan));
        children.push(plan);
    }
    let mut output = attributes(&function.output);
    if !event_time.is_empty() {
        mark_event_time(session, plan, &mut output, &event_time)?;
    }
    let operation = PythonOperation::Processor { pandas, time_mode, mode };
    Ok(operator(function, operation, output, children, all_keys, values))
}

/// UpdateEventTimeWatermarkColumn: the named output column takes over the watermark of the input.
fn mark_event_time(session: &SqlSession, plan: &PlanRef, output: &mut [Arc<Attribute>], name: &str) -> Result<()> {
    let Some(delay) = plan.output().iter().find_map(|a| a.metadata.watermark_delay_ms) else {
        return Err(SparkError::analysis("CANNOT_ASSIGN_EVENT_TIME_COLUMN_WITHOUT_WATERMARK", &[]));
    };
    let conf = session.conf.borrow();
    let Some(column) = output.iter_mut().find(|a| conf.same_name(&a.name, name)) else {
        let parts = super::parse_attribute_name(name)?;
        return Err(crate::analyzer::unresolved_column(&parts, output));
    };
    let metadata = Metadata { watermark_delay_ms: Some(delay), ..column.metadata.clone() };
    *column = Arc::new(Attribute { metadata, ..(**column).clone() });
    Ok(())
}

/// InternalOutputModes: Spark's name of a mode.
fn output_mode(given: &str) -> Result<String> {
    match &*given.to_lowercase() {
        "append" => Ok("Append".into()),
        "complete" => Ok("Complete".into()),
        "update" => Ok("Update".into()),
        _ => {
            let parameters = [("outputMode", given)];
            Err(SparkError::new(ErrorClass::IllegalArgument, "STREAMING_OUTPUT_MODE.INVALID", &parameters))
        }
    }
}

fn columns(plan: &PlanRef) -> Vec<Expr> {
    plan.output().into_iter().map(Expr::Attribute).collect()
}

fn attributes(schema: &StructType) -> Vec<Arc<Attribute>> {
    let attribute = |field: &crate::types::StructField| {
        Arc::new(Attribute {
            id: ExprId::fresh(),
            name: field.name.as_str().into(),
            data_type: field.data_type.clone(),
            nullable: field.nullable,
            qualifier: Vec::new(),
            metadata: Metadata::default(),
        })
    };
    schema.fields.iter().map(attribute).collect()
}

/// The plan with the keys as columns (those that are not columns already), and these.
fn keyed(session: &SqlSession, plan: &PlanRef, keys: Vec<Expr>) -> Result<(PlanRef, Vec<Expr>)> {
    if keys.is_empty() {
        return Ok((plan.clone(), keys));
    }
    let count = keys.len();
    let project = super::select(session, plan, keys.into_iter().chain(columns(plan)).collect())?;
    let all = project.output();
    let (keys, rest) = all.split_at(count.min(all.len()));
    let known = plan.output_ids();
    let keys: Vec<Expr> = keys.iter().cloned().map(Expr::Attribute).collect();
    let plain = rest.len() == known.len() && keys.iter().all(|key| key.expr_id().is_some_and(|id| known.contains(&id)));
    Ok((if plain { plan.clone() } else { project }, keys))
}

/// Keys of the operators with state: columns by name. Spark 4.3.0 leaves other expressions unresolved and finds no column of
/// their text.
fn named_keys(session: &SqlSession, plan: &PlanRef, keys: Vec<Expr>) -> Result<Vec<Expr>> {
    let list = keys
        .into_iter()
        .map(|key| match key {
            Expr::UnresolvedAttribute(_) | Expr::Attribute(_) => key,
            other => Expr::UnresolvedAttribute(vec![other.plan_string()]),
        })
        .collect();
    let project = node(session, LogicalPlan::Project { list, child: plan.clone() })?;
    Ok(project.output().into_iter().map(Expr::Attribute).collect())
}

fn operator(
    function: &PythonFunction,
    operation: PythonOperation,
    output: Vec<Arc<Attribute>>,
    children: Vec<PlanRef>,
    keys: Vec<Vec<Expr>>,
    values: Vec<Vec<Expr>>,
) -> PlanRef {
    let arguments: Vec<String> = values.iter().flatten().map(Expr::plan_string).collect();
    let call = format!("{}({})#{}", function.name, arguments.join(", "), ExprId::fresh().0);
    Arc::new(LogicalPlan::Extension(Arc::new(PythonOperator {
        operation,
        handle: function.handle,
        call,
        output,
        children,
        keys,
        values,
    })))
}
