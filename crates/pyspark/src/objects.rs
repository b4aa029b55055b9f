//! Objects of the script that the engine asks by the names of their methods: its data sources.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::python_source::ScriptObjects;
use tidemark_sql::types::StructType;
use tidemark_sql::value::value_at;

use crate::arrow_rows;
use crate::convert::ToPython;
use crate::errors::Callback;
use crate::host::Host;

impl Host {
    /// Calls a method as Spark's Python processes would run it.
    fn ask_object<R>(
        &self,
        object: u64,
        method: &'static str,
        texts: &[&str],
        rest: impl FnOnce(&VirtualMachine) -> PyResult<Vec<PyObjectRef>>,
        take: impl FnOnce(PyObjectRef, &VirtualMachine) -> PyResult<Result<R>>,
    ) -> Result<R> {
        let object = self.function(object)?;
        self.enter(Callback::Worker, |vm| {
            self.0.check_interrupt(vm)?;
            let mut arguments: Vec<PyObjectRef> = texts.iter().map(|text| text.to_pyobject(vm)).collect();
            arguments.extend(rest(vm)?);
            take(object.get_attr(method, vm)?.call(arguments, vm)?, vm)
        })
    }
}

/// Rows as the script's writers get them.
fn rows(batches: &[RecordBatch], vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let python = ToPython::new(vm)?;
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        let schema = StructType::from_arrow(&batch.schema()).map_err(|e| vm.new_runtime_error(e.message))?;
        for row in 0..batch.num_rows() {
            let fields = batch.columns().iter().zip(&schema.fields);
            let values: PyResult<Vec<PyObjectRef>> = fields
                .map(|(column, field)| python.object(&value_at(column, row, &field.data_type), &field.data_type))
                .collect();
            rows.push(python.row(&schema, values?)?);
        }
    }
    Ok(rows)
}

fn null_at_index() -> SparkError {
    SparkError::plain(ErrorClass::Java("java.lang.IllegalStateException"), "Value at index is null")
}

impl ScriptObjects for Host {
    fn make(&self, object: u64, method: &'static str, texts: &[&str]) -> Result<u64> {
        self.ask_object(object, method, texts, |_| Ok(Vec::new()), |made, _| Ok(Ok(self.0.keep(made))))
    }

    fn ask(&self, object: u64, method: &'static str, texts: &[&str]) -> Result<Option<String>> {
        let answer = |text: PyObjectRef, vm: &VirtualMachine| text.try_into_value(vm).map(Ok);
        self.ask_object(object, method, texts, |_| Ok(Vec::new()), answer)
    }

    fn read(
        &self,
        object: u64,
        method: &'static str,
        texts: &[&str],
        output: &[Arc<Attribute>],
    ) -> Result<Vec<RecordBatch>> {
        let tables = |given: PyObjectRef, vm: &VirtualMachine| {
            let made = arrow_rows::tables(&given, output, vm)?;
            // A null where the schema has none is met by the JVM as it reads the columns.
            let strict = output.iter().any(|column| !column.nullable);
            Ok(made.map_err(|error| if strict { null_at_index() } else { error }))
        };
        self.ask_object(object, method, texts, |_| Ok(Vec::new()), tables)
    }

    fn write(&self, object: u64, method: &'static str, texts: &[&str], batches: &[RecordBatch]) -> Result<()> {
        let rows = |vm: &VirtualMachine| Ok(vec![vm.ctx.new_list(rows(batches, vm)?).into()]);
        self.ask_object(object, method, texts, rows, |_, _| Ok(Ok(())))
    }
}
