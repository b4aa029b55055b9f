//! Table functions of the script: their analysis as the engine asks for it.

use rustpython_vm::builtins::PyTupleRef;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use tidemark_sql::error::{ErrorClass, SparkError};
use tidemark_sql::python::{TableArgument, TableFunction};
use tidemark_sql::types::DataType;

use crate::convert::ToPython;
use crate::native::expr::data_type;
use crate::state::State;

/// Calls a function's `_analysed` (pyspark/sql/udtf.py) and keeps what is to be called with the rows.
pub(crate) fn analysed(
    state: &State,
    function: &PyObjectRef,
    arguments: &[TableArgument],
    vm: &VirtualMachine,
) -> PyResult<TableFunction> {
    let python = ToPython::new(vm)?;
    let mut list = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let value = match &argument.constant {
            Some(value) => python.object(value, &argument.data_type)?,
            None => vm.ctx.none(),
        };
        let name = argument.name.as_ref().map_or_else(|| vm.ctx.none(), |name| name.to_pyobject(vm));
        let parts: Vec<PyObjectRef> = vec![
            name,
            argument.data_type.json().to_pyobject(vm),
            argument.constant.is_some().to_pyobject(vm),
            value,
            argument.is_table.to_pyobject(vm),
        ];
        list.push(vm.ctx.new_tuple(parts).into());
    }
    let given: PyTupleRef = function.call((vm.ctx.new_list(list),), vm)?.try_into_value(vm)?;
    let [evaluator, schema, deterministic, single, partition_by, order_by] = given.as_slice() else {
        return Err(vm.new_runtime_error("the analysis of a table function gives six values"));
    };
    let schema = match data_type(&schema.try_to_value::<String>(vm)?, vm)? {
        DataType::Struct(schema) => (*schema).clone(),
        _ => return Err(vm.new_runtime_error("a table function gives rows")),
    };
    let mut orders = Vec::new();
    for order in order_by.clone().try_into_value::<Vec<PyTupleRef>>(vm)? {
        if let [text, ascending, nulls_first] = order.as_slice() {
            orders.push((
                text.try_to_value::<String>(vm)?,
                ascending.clone().try_to_bool(vm)?,
                nulls_first.clone().try_to_bool(vm)?,
            ));
        }
    }
    Ok(TableFunction {
        handle: state.keep(evaluator.clone()),
        schema,
        deterministic: deterministic.clone().try_to_bool(vm)?,
        single_partition: single.clone().try_to_bool(vm)?,
        partition_by: partition_by.try_to_value(vm)?,
        order_by: orders,
    })
}

/// TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON: an exception of the analysis as the engine reports it.
pub(crate) fn failed(error: SparkError) -> SparkError {
    match (error.class, error.parameters.get("traceback")) {
        (ErrorClass::Python, Some(trace)) => {
            // What the analysis itself finds wrong comes without its stack.
            let own = trace.rsplit_once("PySparkValueError: ").map_or(trace.as_str(), |(_, text)| text);
            SparkError::analysis("TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON", &[("msg", own.trim_end())])
        }
        _ => error,
    }
}
