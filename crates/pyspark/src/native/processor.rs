//! `_tidemark_processor`: what a stateful processor's handle and its state variables ask of the operator at work; and the
//! frames of operators that call functions of tables.

pub(crate) use _tidemark_processor::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_processor {
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::{PyObjectRef, PyRef, PyResult, VirtualMachine};
    use tidemark_sql::dataframe::{self, ProcessorSpec, PythonFunction};
    use tidemark_sql::expr::Expr;
    use tidemark_sql::plan::PlanRef;
    use tidemark_sql::python::{StateAnswer, StateRequest};
    use tidemark_sql::types::{DataType, StructType};
    use tidemark_sql::value::Value;

    use crate::convert::{self, ToPython};
    use crate::errors::IntoPython;
    use crate::native::expr::{PyExpr, data_type};
    use crate::native::frame::PyPlan;
    use crate::state::current;

    type Plan = PyRef<PyPlan>;
    type Column = PyRef<PyExpr>;

    fn structure(json: Option<String>, vm: &VirtualMachine) -> PyResult<Option<StructType>> {
        let Some(json) = json else { return Ok(None) };
        match data_type(&json, vm)? {
            DataType::Struct(schema) => Ok(Some((*schema).clone())),
            _ => Err(vm.new_type_error("a state schema is a struct")),
        }
    }

    /// Gives (0, answer) or (1, message of the error).
    #[pyfunction]
    fn request(
        operation: String,
        name: String,
        key: PyObjectRef,
        values: Vec<PyObjectRef>,
        number: Option<i64>,
        schemas: Vec<Option<String>>,
        vm: &VirtualMachine,
    ) -> PyResult<PyObjectRef> {
        let Some(server) = current(vm)?.server() else {
            return Err(vm.new_runtime_error("the handle is used outside of its query"));
        };
        let mut schemas = schemas.into_iter();
        let mut schema = || structure(schemas.next().flatten(), vm);
        let mut request = StateRequest {
            operation,
            name,
            number,
            key_schema: schema()?,
            schema: schema()?,
            ..StateRequest::default()
        };
        let grouping = server.key_type();
        let types = match &*request.operation {
            "set_key" => Some((Some(grouping.clone()), DataType::Null)),
            _ => server.types(&request.name),
        };
        let types = types.unwrap_or((None, DataType::Null));
        if let Some(key_type) = &types.0 {
            request.key = convert::to_value(&key, key_type, vm)?;
        }
        for value in &values {
            request.values.push(convert::to_value(value, &types.1, vm)?);
        }
        let python = ToPython::new(vm)?;
        let row = |value: &Value| python.object(value, &types.1);
        let key_type = types.0.clone().unwrap_or(DataType::Null);
        let tuple = |items: Vec<PyObjectRef>| -> PyObjectRef { vm.ctx.new_tuple(items).into() };
        let list = |items: PyResult<Vec<PyObjectRef>>| -> PyResult<PyObjectRef> { Ok(vm.ctx.new_list(items?).into()) };
        let answer = match server.request(request) {
            Err(error) => return Ok(tuple(vec![1.to_pyobject(vm), error.to_string().to_pyobject(vm)])),
            Ok(answer) => answer,
        };
        let answer = match answer {
            StateAnswer::Done => vm.ctx.none(),
            StateAnswer::Flag(flag) => flag.to_pyobject(vm),
            StateAnswer::Number(number) => number.to_pyobject(vm),
            StateAnswer::Row(value) => row(&value)?,
            StateAnswer::Rows(values) => list(values.iter().map(row).collect())?,
            StateAnswer::Pairs(pairs) => {
                let pair = |(key, value): &(Value, Value)| Ok(tuple(vec![python.object(key, &key_type)?, row(value)?]));
                list(pairs.iter().map(pair).collect())?
            }
            StateAnswer::Timers(timers) => {
                let timer = |(key, expiry): &(Value, i64)| {
                    Ok(tuple(vec![python.object(key, &grouping)?, expiry.to_pyobject(vm)]))
                };
                list(timers.iter().map(timer).collect())?
            }
            StateAnswer::Numbers(numbers) => list(numbers.iter().map(|n| Ok(n.to_pyobject(vm))).collect())?,
        };
        Ok(tuple(vec![0.to_pyobject(vm), answer]))
    }

    fn parts(object: &PyObjectRef, count: usize, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let parts: Vec<PyObjectRef> = object.try_to_value(vm)?;
        if parts.len() == count { Ok(parts) } else { Err(vm.new_type_error("a tuple of another length")) }
    }

    /// (function, its name, JSON of what it gives)
    fn function(call: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PythonFunction> {
        let parts = parts(call, 3, vm)?;
        let output = structure(Some(parts[2].try_to_value(vm)?), vm)?.unwrap_or_else(|| StructType::new(Vec::new()));
        let name = parts[1].try_to_value(vm)?;
        Ok(PythonFunction { handle: current(vm)?.keep(parts[0].clone()), name, output })
    }

    /// (plan, grouping columns)
    fn grouped(side: &PyObjectRef, vm: &VirtualMachine) -> PyResult<(PlanRef, Vec<Expr>)> {
        let parts = parts(side, 2, vm)?;
        let plan: Plan = parts[0].clone().try_into_value(vm)?;
        let keys: Vec<Column> = parts[1].try_to_value(vm)?;
        Ok((plan.plan.clone(), keys.iter().map(|column| column.expr.clone()).collect()))
    }

    #[pyfunction]
    fn map_tables(plan: Plan, call: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyPlan> {
        Ok(PyPlan { plan: dataframe::map_tables(&plan.plan, &function(&call, vm)?) })
    }

    #[pyfunction]
    fn apply_in_groups(side: PyObjectRef, call: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let (plan, keys) = grouped(&side, vm)?;
        let function = function(&call, vm)?;
        Ok(PyPlan { plan: dataframe::apply_in_groups(&current(vm)?.sql, &plan, keys, &function).py(vm)? })
    }

    #[pyfunction]
    fn co_groups(left: PyObjectRef, right: PyObjectRef, call: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let (left, left_keys) = grouped(&left, vm)?;
        let (right, right_keys) = grouped(&right, vm)?;
        let function = function(&call, vm)?;
        let made = dataframe::co_groups(&current(vm)?.sql, (&left, left_keys), (&right, right_keys), &function);
        Ok(PyPlan { plan: made.py(vm)? })
    }

    #[pyfunction]
    fn apply_with_state(
        side: PyObjectRef,
        call: PyObjectRef,
        state: String,
        mode: String,
        timeout: String,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let (plan, keys) = grouped(&side, vm)?;
        let function = function(&call, vm)?;
        let state = structure(Some(state), vm)?.unwrap_or_else(|| StructType::new(Vec::new()));
        let sql = current(vm)?.sql.clone();
        let made = dataframe::apply_in_pandas_with_state(&sql, &plan, keys, &function, state, &mode, &timeout);
        Ok(PyPlan { plan: made.py(vm)? })
    }

    #[pyfunction]
    fn transform_with_state(
        side: PyObjectRef,
        call: PyObjectRef,
        pandas: bool,
        mode: String,
        time_mode: String,
        initial: Option<PyObjectRef>,
        event_time: String,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let (plan, keys) = grouped(&side, vm)?;
        let spec = ProcessorSpec {
            pandas,
            mode,
            time_mode,
            initial: initial.map(|side| grouped(&side, vm)).transpose()?,
            event_time,
        };
        let function = function(&call, vm)?;
        let made = dataframe::transform_with_state(&current(vm)?.sql, &plan, keys, &function, spec);
        Ok(PyPlan { plan: made.py(vm)? })
    }
}
