//! `_tidemark_system`: output, the session's clock, arguments and environment.

pub(crate) use _tidemark_system::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_system {
    use rustpython_vm::builtins::{PyCode, PyDictRef};
    use rustpython_vm::function::FuncArgs;
    use rustpython_vm::{PyObjectRef, PyRef, PyResult, VirtualMachine};

    use tidemark_sql::error::{ErrorClass, SparkError};
    use tidemark_sql::functions::datetime::zone::Zone;

    use crate::errors::to_python;
    use crate::state::{Output, current};

    #[pyfunction]
    fn write(stderr: bool, text: String, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        // The standard output of Spark's Python workers is the terminal's error stream.
        let to = if stderr || state.on_worker.get() { Output::Stderr } else { Output::Stdout };
        state.print(to, &text);
        Ok(())
    }

    /// The code of a module of the library, which its stand-in runs in its place.
    #[pyfunction]
    fn library(name: String, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
        crate::library::code(&name, vm)
    }

    /// µs since the epoch on the session's clock.
    #[pyfunction]
    fn now_us(vm: &VirtualMachine) -> PyResult<i64> {
        Ok(current(vm)?.now_us())
    }

    /// time.sleep: due triggers run, then the clock stands `ms` later.
    #[pyfunction]
    fn sleep(ms: i64, vm: &VirtualMachine) -> PyResult<()> {
        let state = current(vm)?;
        state.check_interrupt(vm)?;
        state.streaming.sleep(ms);
        state.check_interrupt(vm)
    }

    /// Seconds that a zone is east of Greenwich at a time in µs, its own wall clock's if `local`; None: no such zone.
    #[pyfunction]
    fn zone_offset(name: String, micros: i64, local: bool) -> Option<i64> {
        let zone = Zone::parse(&name)?;
        let instant = if local { zone.to_utc(micros) } else { micros };
        Some(zone.offset_at(instant))
    }

    #[pyfunction]
    fn seed(vm: &VirtualMachine) -> PyResult<u64> {
        Ok(current(vm)?.seed)
    }

    #[pyfunction]
    fn argv(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let items = current(vm)?.argv.iter().map(|item| vm.ctx.new_str(item.as_str()).into()).collect();
        Ok(vm.ctx.new_list(items).into())
    }

    #[pyfunction]
    fn environment(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let environment = vm.ctx.new_dict();
        for (name, value) in &current(vm)?.environment {
            environment.set_item(name.as_str(), vm.ctx.new_str(value.as_str()).into(), vm)?;
        }
        Ok(environment.into())
    }

    #[pyfunction]
    fn interactive(vm: &VirtualMachine) -> PyResult<bool> {
        Ok(current(vm)?.interactive)
    }

    /// Raises one of Spark's conditions from its name and parameters, for what our package checks in the engine's place.
    #[pyfunction]
    fn fail(family: String, condition: String, parameters: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let class = match family.as_str() {
            "IllegalArgumentException" => ErrorClass::IllegalArgument,
            "SparkRuntimeException" => ErrorClass::Runtime,
            "UnsupportedOperationException" => ErrorClass::UnsupportedOperation,
            _ => ErrorClass::Analysis,
        };
        let mut given = Vec::new();
        for (name, value) in &parameters {
            given.push((name.try_into_value::<String>(vm)?, value.try_into_value::<String>(vm)?));
        }
        let given: Vec<(&str, &str)> = given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Err(to_python(&SparkError::new(class, &condition, &given), vm))
    }

    /// Called at every backward jump of the script's code; takes whatever the monitor passes.
    #[pyfunction]
    fn poll(_args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.check_interrupt(vm)
    }
}
