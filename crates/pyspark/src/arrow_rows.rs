//! Rows of Arrow batches as Python rows, and columns for functions of the script.

use arrow::array::{Array, ArrayRef};
use arrow::record_batch::RecordBatch;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use std::sync::Arc;
use tidemark_sql::exec::batch::make_batch;
use tidemark_sql::expr::Attribute;
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::{array_from_values, value_at};

use crate::convert::{self, ToPython};

/// All rows of `batches` as `Row` objects, in order.
pub(crate) fn rows(batches: &[RecordBatch], schema: &StructType, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let python = ToPython::new(vm)?;
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        for row in 0..batch.num_rows() {
            let mut values = Vec::with_capacity(schema.fields.len());
            for (column, field) in batch.columns().iter().zip(&schema.fields) {
                let value = value_at(column, row, &field.data_type);
                // EvaluatePython.toJava makes a HashMap of every map.
                let value = tidemark_sql::value::through_java(&value);
                values.push(python.object(&value, &field.data_type)?);
            }
            rows.push(python.row(schema, values)?);
        }
    }
    Ok(rows)
}

/// A table as a list of its columns, each a list of values; the number of rows goes with it.
pub(crate) fn table(batch: &RecordBatch, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    let python = ToPython::new(vm)?;
    let mut columns = Vec::with_capacity(batch.num_columns());
    for column in batch.columns() {
        let data_type = DataType::from_arrow(column.data_type()).map_err(|e| vm.new_runtime_error(e.message))?;
        let values: PyResult<Vec<PyObjectRef>> =
            (0..batch.num_rows()).map(|row| python.object(&value_at(column, row, &data_type), &data_type)).collect();
        columns.push(vm.ctx.new_list(values?).into());
    }
    let columns: PyObjectRef = vm.ctx.new_list(columns).into();
    Ok(vm.ctx.new_tuple(vec![batch.num_rows().to_pyobject(vm), columns]).into())
}

/// Tables that a function gave: a list of lists of columns.
pub(crate) fn tables(
    given: &PyObjectRef,
    output: &[Arc<Attribute>],
    vm: &VirtualMachine,
) -> PyResult<tidemark_sql::Result<Vec<RecordBatch>>> {
    let mut batches = Vec::new();
    for columns in given.try_to_value::<Vec<Vec<Vec<PyObjectRef>>>>(vm)? {
        let rows = columns.first().map_or(0, Vec::len);
        let mut arrays = Vec::with_capacity(output.len());
        for (values, attribute) in columns.iter().zip(output) {
            match column(values, &attribute.data_type, vm)? {
                Ok(array) => arrays.push(array),
                Err(error) => return Ok(Err(error)),
            }
        }
        match make_batch(output, arrays, rows) {
            Ok(batch) => batches.push(batch),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(batches))
}

/// The arguments of one call of a function on rows.
pub(crate) struct Arguments<'a> {
    columns: Vec<(&'a ArrayRef, DataType)>,
    python: ToPython<'a>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(columns: &'a [ArrayRef], vm: &'a VirtualMachine) -> tidemark_sql::Result<PyResult<Self>> {
        let mut typed = Vec::with_capacity(columns.len());
        for column in columns {
            typed.push((column, DataType::from_arrow(column.data_type())?));
        }
        Ok(ToPython::new(vm).map(|python| Self { columns: typed, python }))
    }

    pub(crate) fn row(&self, row: usize) -> PyResult<Vec<PyObjectRef>> {
        self.columns
            .iter()
            .map(|(column, data_type)| self.python.object(&value_at(column, row, data_type), data_type))
            .collect()
    }
}

/// What a function gave for each row, as a column.
pub(crate) fn column(
    results: &[PyObjectRef],
    data_type: &DataType,
    vm: &VirtualMachine,
) -> PyResult<tidemark_sql::Result<ArrayRef>> {
    let values: PyResult<Vec<_>> = results.iter().map(|result| convert::to_value(result, data_type, vm)).collect();
    Ok(array_from_values(data_type, &values?))
}
