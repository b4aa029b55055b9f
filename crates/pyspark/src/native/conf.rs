//! `_tidemark_conf`: configuration of the session, and its functions.

pub(crate) use _tidemark_conf::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_conf {
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
    use tidemark_sql::expr::PythonUdf;

    use crate::errors::IntoPython;
    use crate::native::expr::data_type;
    use crate::state::current;

    #[pyfunction]
    fn get(key: String, vm: &VirtualMachine) -> PyResult<Option<String>> {
        let value = current(vm)?.sql.conf.borrow().get_required(&key);
        value.py(vm)
    }

    /// The value or Spark's own default, else `default`.
    #[pyfunction]
    fn get_or(key: String, default: Option<String>, vm: &VirtualMachine) -> PyResult<Option<String>> {
        Ok(current(vm)?.sql.conf.borrow().get(&key).or(default))
    }

    #[pyfunction]
    fn set(key: String, value: String, vm: &VirtualMachine) -> PyResult<()> {
        let result = current(vm)?.sql.conf.borrow_mut().set(&key, &value);
        result.py(vm)
    }

    /// SparkSession.builder.config: static keys may be set too.
    #[pyfunction]
    fn set_initial(key: String, value: String, vm: &VirtualMachine) -> PyResult<()> {
        let result = current(vm)?.sql.conf.borrow_mut().set_initial(&key, &value);
        result.py(vm)
    }

    #[pyfunction]
    fn unset(key: String, vm: &VirtualMachine) -> PyResult<()> {
        let result = current(vm)?.sql.conf.borrow_mut().unset(&key);
        result.py(vm)
    }

    #[pyfunction]
    fn is_static(key: String, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(current(vm)?.sql.conf.borrow().is_static(&key))
    }

    #[pyfunction]
    fn is_modifiable(key: String, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(current(vm)?.sql.conf.borrow().is_modifiable(&key))
    }

    #[pyfunction]
    fn all(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let conf = state.sql.conf.borrow();
        let pairs = conf
            .all_set()
            .map(|(key, value)| vm.ctx.new_tuple(vec![key.to_pyobject(vm), value.to_pyobject(vm)]).into())
            .collect();
        Ok(vm.ctx.new_list(pairs).into())
    }

    /// N of local[N].
    #[pyfunction]
    fn set_parallelism(n: usize, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.sql.parallelism.set(n.max(1));
        Ok(())
    }

    #[pyfunction]
    fn parallelism(vm: &VirtualMachine) -> PyResult<usize> {
        Ok(current(vm)?.sql.parallelism.get())
    }

    /// newSession: the number of another configuration with its own temp views and functions.
    #[pyfunction]
    fn new_session(vm: &VirtualMachine) -> PyResult<usize> {
        Ok(current(vm)?.sql.new_session())
    }

    /// Calls are those of this session from here on.
    #[pyfunction]
    fn enter_session(number: usize, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.sql.enter(number);
        Ok(())
    }

    /// spark.udf.register.
    #[pyfunction]
    fn register(
        name: String,
        function: PyObjectRef,
        json: String,
        deterministic: bool,
        kind: String,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let data_type = data_type(&json, vm)?;
        let state = current(vm)?;
        let udf = PythonUdf {
            handle: state.keep(function),
            name: name.clone(),
            args: Vec::new(),
            arg_names: Vec::new(),
            data_type,
            deterministic,
            kind: crate::native::expr::udf_kind(&kind),
        };
        state.sql.catalog.borrow_mut().register_function(&name, udf);
        Ok(())
    }

    /// spark.udtf.register: `function` analyses the calls.
    #[pyfunction]
    fn register_table(name: String, function: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let handle = state.keep(function);
        state.sql.catalog.borrow_mut().register_table_function(&name, handle);
        Ok(())
    }

    /// spark.dataSource.register: `class` makes what is read and written.
    #[pyfunction]
    fn register_source(name: String, class: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        let handle = state.keep(class);
        tidemark_sql::python_source::register(&state.sql, &name, handle).py(vm)
    }
}
