//! `_tidemark_stream`: starting and driving streaming queries.

pub(crate) use _tidemark_stream::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_stream {
    use std::fmt;
    use std::rc::Rc;

    use rustpython_vm::builtins::{PyDictRef, PyTupleRef};
    use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
    use tidemark_streaming::Trigger;
    use tidemark_streaming::api::{QueryApi, TriggerSpec, Wait, WriterSpec};

    use crate::errors::{IntoPython, to_python};
    use crate::native::frame::PyPlan;
    use crate::state::current;

    /// Handle of a started query.
    #[pyattr]
    #[pyclass(module = "_tidemark_stream", name = "Query")]
    #[derive(PyPayload)]
    pub(crate) struct PyQuery {
        query: Rc<dyn QueryApi>,
    }

    impl fmt::Debug for PyQuery {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "Query({})", self.query.id())
        }
    }

    #[pyclass]
    impl PyQuery {}

    type Query = PyRef<PyQuery>;

    fn trigger(kind: &str, interval: Option<String>) -> TriggerSpec {
        let interval = interval.unwrap_or_default();
        match kind {
            "processingTime" => TriggerSpec::ProcessingTime(interval),
            "once" => TriggerSpec::Once,
            "availableNow" => TriggerSpec::AvailableNow,
            "continuous" => TriggerSpec::Continuous(interval),
            "realTime" => TriggerSpec::RealTime(interval),
            _ => TriggerSpec::Default,
        }
    }

    /// DataStreamWriter.trigger: refuses an interval that is none.
    #[pyfunction]
    fn check_trigger(kind: String, interval: String, vm: &VirtualMachine) -> PyResult<()> {
        Trigger::parse(&trigger(&kind, Some(interval))).py(vm).map(drop)
    }

    fn text(settings: &PyDictRef, key: &str, vm: &VirtualMachine) -> PyResult<Option<String>> {
        match settings.get_item_opt(key, vm)? {
            Some(value) => value.try_into_value(vm),
            None => Ok(None),
        }
    }

    fn function(settings: &PyDictRef, key: &str, vm: &VirtualMachine) -> PyResult<Option<u64>> {
        match settings.get_item_opt(key, vm)? {
            Some(function) if !vm.is_none(&function) => Ok(Some(current(vm)?.keep(function))),
            _ => Ok(None),
        }
    }

    /// DataStreamWriter.start: `settings` has format, outputMode, options, queryName, trigger (kind, interval), path,
    /// partitionBy, clusterBy, foreachBatch, foreach, table; what is missing was not given.
    #[pyfunction]
    fn start(plan: PyRef<PyPlan>, settings: PyDictRef, vm: &VirtualMachine) -> PyResult<PyQuery> {
        let mut spec = WriterSpec {
            format: text(&settings, "format", vm)?,
            output_mode: text(&settings, "outputMode", vm)?,
            query_name: text(&settings, "queryName", vm)?,
            path: text(&settings, "path", vm)?,
            table: text(&settings, "table", vm)?,
            foreach_batch: function(&settings, "foreachBatch", vm)?,
            foreach: function(&settings, "foreach", vm)?,
            ..WriterSpec::default()
        };
        if let Some(options) = settings.get_item_opt("options", vm)? {
            spec.options = crate::native::frame::options(&options.try_into_value(vm)?, vm)?;
        }
        if let Some(columns) = settings.get_item_opt("partitionBy", vm)? {
            spec.partition_by = columns.try_into_value(vm)?;
            spec.partitioned = true;
        }
        if let Some(columns) = settings.get_item_opt("clusterBy", vm)? {
            spec.cluster_by = columns.try_into_value(vm)?;
        }
        if let Some(given) = settings.get_item_opt("trigger", vm)? {
            let given: PyTupleRef = given.try_into_value(vm)?;
            let (kind, interval) = given.extract_tuple::<(String, Option<String>)>(vm)?;
            spec.trigger = trigger(&kind, interval);
        }
        let state = current(vm)?;
        let query = state.streaming.start(plan.plan.clone(), spec).py(vm)?;
        state.add_query(Rc::clone(&query));
        Ok(PyQuery { query })
    }

    fn handles(queries: Vec<Rc<dyn QueryApi>>, vm: &VirtualMachine) -> PyObjectRef {
        let handles = queries.into_iter().map(|query| PyQuery { query }.into_pyobject(vm)).collect();
        vm.ctx.new_list(handles).into()
    }

    #[pyfunction]
    fn active(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        Ok(handles(current(vm)?.streaming.active(), vm))
    }

    /// All queries that this session's script started.
    #[pyfunction]
    fn started(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        Ok(handles(current(vm)?.queries(), vm))
    }

    #[pyfunction]
    fn get(id: String, vm: &VirtualMachine) -> PyResult<Option<PyQuery>> {
        Ok(current(vm)?.streaming.get(&id).map(|query| PyQuery { query }))
    }

    /// What a wait came to: "ended", "timedout" or "parked".
    fn outcome(wait: Wait) -> &'static str {
        match wait {
            Wait::Ended => "ended",
            Wait::TimedOut => "timedout",
            Wait::Parked => "parked",
        }
    }

    #[pyfunction]
    fn await_any(timeout_ms: Option<i64>, vm: &VirtualMachine) -> PyResult<&'static str> {
        let state = current(vm)?;
        let wait = state.streaming.await_any_termination(timeout_ms);
        state.check_interrupt(vm)?;
        wait.py(vm).map(outcome)
    }

    #[pyfunction]
    fn reset_terminated(vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.streaming.reset_terminated();
        Ok(())
    }

    #[pyfunction]
    fn await_termination(query: Query, timeout_ms: Option<i64>, vm: &VirtualMachine) -> PyResult<&'static str> {
        let wait = query.query.await_termination(timeout_ms);
        current(vm)?.check_interrupt(vm)?;
        wait.py(vm).map(outcome)
    }

    #[pyfunction]
    fn process_all_available(query: Query, vm: &VirtualMachine) -> PyResult<()> {
        let result = query.query.process_all_available();
        current(vm)?.check_interrupt(vm)?;
        result.py(vm)
    }

    #[pyfunction]
    fn stop(query: Query, vm: &VirtualMachine) -> PyResult<()> {
        query.query.stop().py(vm)
    }

    #[pyfunction]
    fn id(query: Query) -> String {
        query.query.id()
    }

    #[pyfunction]
    fn run_id(query: Query) -> String {
        query.query.run_id()
    }

    #[pyfunction]
    fn name(query: Query) -> Option<String> {
        query.query.name()
    }

    #[pyfunction]
    fn is_active(query: Query) -> bool {
        query.query.is_active()
    }

    #[pyfunction]
    fn last_progress(query: Query) -> Option<String> {
        query.query.last_progress()
    }

    #[pyfunction]
    fn recent_progress(query: Query, vm: &VirtualMachine) -> PyObjectRef {
        let texts = query.query.recent_progress().into_iter().map(|text| vm.ctx.new_str(text).into()).collect();
        vm.ctx.new_list(texts).into()
    }

    #[pyfunction]
    fn status(query: Query) -> String {
        query.query.status()
    }

    /// The exception object of a failed query, or None.
    #[pyfunction]
    fn exception(query: Query, vm: &VirtualMachine) -> PyObjectRef {
        query.query.exception().map_or_else(|| vm.ctx.none(), |error| to_python(&error, vm).into())
    }

    #[pyfunction]
    fn explain(query: Query, extended: bool) -> String {
        query.query.explain(extended)
    }

    /// Adds or removes a StreamingQueryListener.
    #[pyfunction]
    fn add_listener(listener: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.add_listener(listener);
        Ok(())
    }

    #[pyfunction]
    fn remove_listener(listener: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        current(vm)?.remove_listener(&listener);
        Ok(())
    }
}
