//! The script's functions as the engine calls them: udfs, foreachBatch, foreach, listeners.

use std::rc::Rc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine};
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::expr::{PythonUdf, UdfHost};
use tidemark_sql::plan::PlanRef;
use tidemark_sql::types::StructType;
use tidemark_streaming::api::ScriptHost;

use crate::arrow_rows::{self, Arguments};
use crate::errors::{Callback, from_python};
use crate::native::frame::PyPlan;
use crate::state::{Output, State};

/// Given to the engine as both hosts.
pub(crate) struct Host(pub(crate) Rc<State>);

fn gone() -> SparkError {
    SparkError::internal("the script's interpreter has ended")
}

impl Host {
    /// Runs `work` on the interpreter; an exception becomes the engine's error.
    fn enter<R>(&self, callback: Callback, work: impl FnOnce(&VirtualMachine) -> PyResult<Result<R>>) -> Result<R> {
        let result = self.0.enter(|vm| match work(vm) {
            Ok(result) => result,
            Err(exception) => Err(from_python(exception, callback, vm)),
        });
        result.unwrap_or_else(|| Err(gone()))
    }

    fn function(&self, handle: u64) -> Result<PyObjectRef> {
        self.0.kept(handle).ok_or_else(gone)
    }
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
