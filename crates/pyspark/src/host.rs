//! The script's functions as the engine calls them: udfs, foreachBatch, foreach, listeners.

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use rustpython_vm::builtins::{PyFloat, PyTuple, PyTupleRef};
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::{Attribute, PythonUdf, UdfHost};
use tidemark_sql::plan::PlanRef;
use tidemark_sql::python::{GroupStateIn, GroupStateOut, ProcessorCall, StateServer, TableArgument, TableFunction};
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::Value;
use tidemark_streaming::api::ScriptHost;

use crate::arrow_rows::{self, Arguments};
use crate::convert;
use crate::errors::{Callback, from_python};
use crate::native::frame::PyPlan;
use crate::state::{Output, State};
use crate::table_functions;

/// Given to the engine as both hosts.
pub(crate) struct Host(pub(crate) Rc<State>);

fn gone() -> SparkError {
    SparkError::internal("the script's interpreter has ended")
}

impl Host {
    /// Runs `work` on the interpreter; an exception becomes the engine's error.
    pub(crate) fn enter<R>(
        &self,
        callback: Callback,
        work: impl FnOnce(&VirtualMachine) -> PyResult<Result<R>>,
    ) -> Result<R> {
        let before = self.0.on_worker.replace(matches!(callback, Callback::Worker));
        let result = self.0.enter(|vm| match work(vm) {
            Ok(result) => result,
            Err(exception) => Err(from_python(exception, callback, vm)),
        });
        self.0.on_worker.set(before);
        result.unwrap_or_else(|| Err(gone()))
    }

    pub(crate) fn function(&self, handle: u64) -> Result<PyObjectRef> {
        self.0.kept(handle).ok_or_else(gone)
    }
}

/// A Python number as i64; floats are cut off, as JSON's numbers are in a long.
pub(crate) fn integer(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<i64> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        #[allow(clippy::cast_possible_truncation, reason = "cut off as Spark does")]
        return Ok(float.to_f64() as i64);
    }
    object.try_int(vm)?.try_to_primitive(vm)
}

fn call(function: &PyObjectRef, names: &[Option<String>], values: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    if names.iter().all(Option::is_none) {
        return function.call(values, vm);
    }
    let mut positional = Vec::new();
    let mut named = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        match names.get(index).cloned().flatten() {
            Some(name) => named.push((name, value)),
            None => positional.push(value),
        }
    }
    let named: KwArgs = named.into_iter().collect();
    function.call_with_args(FuncArgs::new(positional, named), vm)
}

impl UdfHost for Host {
    fn call_scalar(&self, udf: &PythonUdf, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let function = self.function(udf.handle)?;
        self.enter(Callback::Worker, |vm| {
            let arguments = match Arguments::new(args, vm) {
                Ok(arguments) => arguments?,
                Err(error) => return Ok(Err(error)),
            };
            let mut results = Vec::with_capacity(rows);
            for row in 0..rows {
                self.0.check_interrupt(vm)?;
                results.push(call(&function, &udf.arg_names, arguments.row(row)?, vm)?);
            }
            arrow_rows::column(&results, &udf.data_type, vm)
        })
    }

    fn call_tables(&self, handle: u64, tables: &[RecordBatch], output: &[Arc<Attribute>]) -> Result<Vec<RecordBatch>> {
        self.tables_of(handle, output, |vm| Ok(vec![list_of_tables(tables, vm)?]))
    }

    fn call_group(
        &self,
        handle: u64,
        rows: &RecordBatch,
        state: &GroupStateIn,
        state_type: &DataType,
        output: &[Arc<Attribute>],
    ) -> Result<(Vec<RecordBatch>, GroupStateOut)> {
        let function = self.function(handle)?;
        self.enter(Callback::Worker, |vm| {
            self.0.check_interrupt(vm)?;
            let before = convert::ToPython::new(vm)?.object(&state.state, state_type)?;
            let arguments: Vec<PyObjectRef> = vec![
                arrow_rows::table(rows, vm)?,
                before,
                state.batch_ms.to_pyobject(vm),
                state.watermark_ms.to_pyobject(vm),
                state.timeout.to_pyobject(vm),
                state.timed_out.to_pyobject(vm),
                state.watermark_present.to_pyobject(vm),
                state.timeout_ms.to_pyobject(vm),
            ];
            let given: PyTupleRef = function.call(arguments, vm)?.try_into_value(vm)?;
            let [tables, after, exists, updated, removed, timeout] = given.as_slice() else {
                return Err(vm.new_runtime_error("a state function's wrapper gives six values"));
            };
            let exists = exists.clone().try_to_bool(vm)?;
            if exists
                && let (DataType::Struct(fields), Some(values)) = (state_type, after.downcast_ref::<PyTuple>())
                && fields.fields.len() != values.len()
            {
                return Ok(Err(SparkError::new(
                    ErrorClass::IllegalArgument,
                    "STRUCT_ARRAY_LENGTH_MISMATCH",
                    &[("expected", &fields.fields.len().to_string()), ("actual", &values.len().to_string())],
                )));
            }
            let changed = GroupStateOut {
                state: if exists { convert::to_value(after, state_type, vm)? } else { Value::Null },
                exists,
                updated: updated.clone().try_to_bool(vm)?,
                removed: removed.clone().try_to_bool(vm)?,
                timeout_ms: integer(timeout, vm)?,
            };
            Ok(arrow_rows::tables(tables, output, vm)?.map(|tables| (tables, changed)))
        })
    }

    fn call_processor(
        &self,
        handle: u64,
        server: Rc<dyn StateServer>,
        call: &ProcessorCall,
        output: &[Arc<Attribute>],
    ) -> Result<Vec<RecordBatch>> {
        self.0.push_server(server);
        let result = self.tables_of(handle, output, |vm| {
            let ProcessorCall::Partition(groups) = call else { return Ok(vec![vm.ctx.none()]) };
            let table = |rows: &Option<RecordBatch>| match rows {
                Some(rows) => arrow_rows::table(rows, vm),
                None => Ok(vm.ctx.none()),
            };
            let groups: PyResult<Vec<PyObjectRef>> = groups
                .iter()
                .map(|group| Ok(vm.ctx.new_tuple(vec![table(&group.rows)?, table(&group.initial)?]).into()))
                .collect();
            Ok(vec![vm.ctx.new_list(groups?).into()])
        });
        self.0.pop_server();
        result
    }

    fn table_function(&self, handle: u64, arguments: &[TableArgument]) -> Result<TableFunction> {
        let function = self.function(handle)?;
        self.enter(Callback::Worker, |vm| Ok(Ok(table_functions::analysed(&self.0, &function, arguments, vm)?)))
            .map_err(table_functions::failed)
    }
}

impl Host {
    /// What a function of tables gives for one argument, as batches.
    fn tables_of(
        &self,
        handle: u64,
        output: &[Arc<Attribute>],
        argument: impl FnOnce(&VirtualMachine) -> PyResult<Vec<PyObjectRef>>,
    ) -> Result<Vec<RecordBatch>> {
        let function = self.function(handle)?;
        self.enter(Callback::Worker, |vm| {
            self.0.check_interrupt(vm)?;
            let given = function.call(argument(vm)?, vm)?;
            arrow_rows::tables(&given, output, vm)
        })
    }
}

fn list_of_tables(tables: &[RecordBatch], vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    let tables: PyResult<Vec<PyObjectRef>> = tables.iter().map(|table| arrow_rows::table(table, vm)).collect();
    Ok(vm.ctx.new_list(tables?).into())
}

impl ScriptHost for Host {
    fn print(&self, text: &str) {
        self.0.print(Output::Stdout, text);
    }

    fn foreach_batch(&self, handle: u64, batch: PlanRef, batch_id: i64) -> Result<()> {
        let function = self.function(handle)?;
        self.enter(Callback::Driver, |vm| {
            let plan: PyObjectRef = PyPlan { plan: batch }.into_pyobject(vm);
            function.call((plan, batch_id.to_pyobject(vm)), vm)?;
            Ok(Ok(()))
        })
    }

    fn foreach(&self, handle: u64, partition: usize, epoch: i64, rows: &[RecordBatch]) -> Result<()> {
        let function = self.function(handle)?;
        self.enter(Callback::Worker, |vm| {
            let rows: PyObjectRef = match rows.first() {
                Some(first) => {
                    let schema = match StructType::from_arrow(&first.schema()) {
                        Ok(schema) => schema,
                        Err(error) => return Ok(Err(error)),
                    };
                    vm.ctx.new_list(arrow_rows::rows(rows, &schema, vm)?).into()
                }
                None => vm.ctx.new_list(Vec::new()).into(),
            };
            function.call((partition.to_pyobject(vm), epoch.to_pyobject(vm), rows), vm)?;
            Ok(Ok(()))
        })
    }

    fn interrupted(&self) -> bool {
        self.0.interrupt_pending()
    }

    fn listener_event(&self, kind: &str, json: &str) {
        for listener in self.0.listeners() {
            // A listener's exception is printed, as py4j's callback server does, and goes no further.
            let outcome = self.enter(Callback::Driver, |vm| {
                let module = vm.import("pyspark.sql.streaming.listener", 0)?;
                let module = module.get_attr("sql", vm)?.get_attr("streaming", vm)?.get_attr("listener", vm)?;
                module.get_attr("_dispatch", vm)?.call((listener, kind.to_pyobject(vm), json.to_pyobject(vm)), vm)?;
                Ok(Ok(()))
            });
            if let Err(error) = outcome {
                self.0.print(Output::Stderr, &format!("{}\n", error.message));
            }
        }
    }
}
