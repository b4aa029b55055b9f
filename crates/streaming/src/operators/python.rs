//! Planning of the operators that run functions of the script with state.

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::exec::python_tables::TableColumns;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{GroupTimeout, PythonOperation, PythonOperator, TimeMode};
use tidemark_sql::planner::Planner;
use tidemark_sql::types::StructType;

use super::batch::StatefulBatch;
use super::columns::Columns;
use super::group_state::{self, APPLY_IN_PANDAS_WITH_STATE, GroupStateExec};
use super::stateful::Stateful;
use super::transform::{self, TransformInput, TransformWithStateExec};

/// The plan of an operator with state; None for one without.
pub(super) fn plan_python(
    batch: &Rc<StatefulBatch>,
    node: &PythonOperator,
    planner: &Planner<'_>,
) -> Option<Result<ExecRef>> {
    match &node.operation {
        PythonOperation::GroupState { state, update, timeout } => {
            Some(group_state(batch, node, state, *update, *timeout, planner))
        }
        PythonOperation::Processor { pandas, time_mode, mode } => {
            Some(processor(batch, node, *pandas, *time_mode, mode, planner))
        }
        _ => None,
    }
}

/// A child laid out by its keys, with its keys and values.
fn input(node: &PythonOperator, at: usize, planner: &Planner<'_>) -> Result<TransformInput> {
    let missing = || SparkError::internal("a state operator without a child");
    let plan = node.children.get(at).ok_or_else(missing)?;
    let keys = node.keys.get(at).ok_or_else(missing)?;
    let values = node.values.get(at).ok_or_else(missing)?;
    let child = planner.stateful_clustered(keys, planner.plan_child(plan)?)?;
    let values = TableColumns::new(values, child.output())?;
    Ok(TransformInput { keys: TableColumns::new(keys, child.output())?, values, child })
}

fn group_state(
    batch: &Rc<StatefulBatch>,
    node: &PythonOperator,
    state: &Arc<StructType>,
    update: bool,
    timeout: GroupTimeout,
    planner: &Planner<'_>,
) -> Result<ExecRef> {
    let operator = batch.next_operator_id();
    let TransformInput { keys, values, child } = input(node, 0, planner)?;
    let key = Columns::of(child.output(), &keys.attributes)?;
    let schema = group_state::schema(&keys.attributes, state, timeout);
    let stateful = Stateful::new(batch, operator, APPLY_IN_PANDAS_WITH_STATE, schema, child.output(), &[])?;
    Ok(Arc::new(GroupStateExec {
        stateful,
        handle: node.handle,
        call: node.call.clone(),
        timeout,
        update,
        keys,
        key,
        values,
        state: state.clone(),
        output: widened(&node.output),
        child,
    }))
}

/// WidenStatefulOpNullability: columns out of state can be null.
fn widened(output: &[Arc<Attribute>]) -> Vec<Arc<Attribute>> {
    output.iter().map(|a| Arc::new(Attribute { nullable: true, ..(**a).clone() })).collect()
}

fn processor(
    batch: &Rc<StatefulBatch>,
    node: &PythonOperator,
    pandas: bool,
    time_mode: TimeMode,
    mode: &str,
    planner: &Planner<'_>,
) -> Result<ExecRef> {
    let operator = batch.next_operator_id();
    if !batch.query.conf.is_rocks_db() {
        return Err(SparkError::new(
            ErrorClass::UnsupportedOperation,
            "UNSUPPORTED_FEATURE.STORE_BACKEND_NOT_SUPPORTED_FOR_TWS",
            &[("stateStoreProvider", &batch.query.conf.provider_class)],
        ));
    }
    let rows = input(node, 0, planner)?;
    // The initial state counts in the first batch of all only.
    let initial = if node.children.len() > 1 && batch.batch_id == 0 { Some(input(node, 1, planner)?) } else { None };
    let schema = transform::schema(&rows.keys.attributes);
    let name = if pandas { transform::IN_PANDAS } else { transform::IN_PYSPARK };
    let stateful = Stateful::new(batch, operator, name, schema, rows.child.output(), &transform::METRICS)?;
    Ok(Arc::new(TransformWithStateExec {
        stateful,
        handle: node.handle,
        call: node.call.clone(),
        time_mode,
        mode: mode.to_owned(),
        rows,
        initial,
        output: widened(&node.output),
        variables: transform::Variables::default(),
    }))
}
