//! `_tidemark_catalog`: what spark.catalog tells about tables, views and functions, and which plans are cached.

pub(crate) use _tidemark_catalog::module_def;

#[rustpython_vm::pymodule]
mod _tidemark_catalog {
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::{PyObjectRef, PyRef, PyResult, VirtualMachine};
    use tidemark_sql::catalog::TableEntry;
    use tidemark_sql::dataframe::{self, FunctionScope};

    use crate::errors::IntoPython;
    use crate::native::frame::PyPlan;
    use crate::state::current;

    fn texts(list: &[String], vm: &VirtualMachine) -> PyObjectRef {
        vm.ctx.new_list(list.iter().map(|text| text.to_pyobject(vm)).collect()).into()
    }

    /// (name, namespace, type, is temporary).
    fn entry(entry: &TableEntry, vm: &VirtualMachine) -> PyObjectRef {
        let row = vec![
            entry.name.as_str().to_pyobject(vm),
            texts(&entry.namespace, vm),
            entry.table_type.to_pyobject(vm),
            entry.temporary.to_pyobject(vm),
        ];
        vm.ctx.new_tuple(row).into()
    }

    /// The parts of a name.
    #[pyfunction]
    fn parts(name: String, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let parts = tidemark_sql::parser::parse_table_name(&current(vm)?.sql, &name).py(vm)?;
        Ok(texts(&parts, vm))
    }

    /// (name, comment, folder) of a database, or None.
    #[pyfunction]
    fn database(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let found = current(vm)?.sql.catalog.borrow().database(&parts);
        Ok(found.map_or_else(|| vm.ctx.none(), |found| shown(&found, vm)))
    }

    #[pyfunction]
    fn databases(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let all = current(vm)?.sql.catalog.borrow().databases();
        Ok(vm.ctx.new_list(all.iter().map(|found| shown(found, vm)).collect()).into())
    }

    fn shown(database: &tidemark_sql::catalog::Database, vm: &VirtualMachine) -> PyObjectRef {
        let row = vec![
            database.name.as_str().to_pyobject(vm),
            database.comment.as_str().to_pyobject(vm),
            database.folder.as_str().to_pyobject(vm),
        ];
        vm.ctx.new_tuple(row).into()
    }

    #[pyfunction]
    fn current_database(vm: &VirtualMachine) -> PyResult<String> {
        Ok(current(vm)?.sql.catalog.borrow().current_database().to_owned())
    }

    #[pyfunction]
    fn use_database(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<()> {
        let result = current(vm)?.sql.catalog.borrow_mut().use_database(&parts);
        result.py(vm)
    }

    #[pyfunction]
    fn create_database(parts: Vec<String>, if_not_exists: bool, vm: &VirtualMachine) -> PyResult<()> {
        let result = current(vm)?.sql.catalog.borrow_mut().create_database(&parts, "", if_not_exists);
        result.py(vm)
    }

    /// SCHEMA_NOT_FOUND.
    #[pyfunction]
    fn no_database(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<()> {
        Err(tidemark_sql::catalog::no_database(&parts)).py(vm)
    }

    #[pyfunction]
    fn tables(
        database: Option<Vec<String>>,
        pattern: Option<String>,
        views: bool,
        vm: &VirtualMachine,
    ) -> PyResult<PyObjectRef> {
        let sql = &current(vm)?.sql;
        let entries = dataframe::list_tables(sql, database.as_deref(), pattern.as_deref(), views).py(vm)?;
        Ok(vm.ctx.new_list(entries.iter().map(|found| entry(found, vm)).collect()).into())
    }

    /// The error for a table or view that is not there.
    #[pyfunction]
    fn no_table(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<()> {
        Err(dataframe::no_table(&current(vm)?.sql, &parts)).py(vm)
    }

    /// The table or view of a name, or None.
    #[pyfunction]
    fn table(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let found = dataframe::find_table(&current(vm)?.sql, &parts);
        Ok(found.map_or_else(|| vm.ctx.none(), |found| entry(&found, vm)))
    }

    /// (name, comment or None, type, nullable, is a partition column) of each column.
    #[pyfunction]
    fn columns(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let columns = dataframe::table_columns(&current(vm)?.sql, &parts).py(vm)?;
        let row = |column: dataframe::ColumnEntry| {
            let comment = column.comment.map_or_else(|| vm.ctx.none(), |comment| comment.to_pyobject(vm));
            let row = vec![
                column.name.to_pyobject(vm),
                comment,
                column.data_type.to_pyobject(vm),
                column.nullable.to_pyobject(vm),
                column.partition.to_pyobject(vm),
            ];
            vm.ctx.new_tuple(row).into()
        };
        Ok(vm.ctx.new_list(columns.into_iter().map(row).collect()).into())
    }

    /// Names of functions: "system" ones, those of the "user", or all.
    #[pyfunction]
    fn functions(scope: String, pattern: Option<String>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let scope = match scope.as_str() {
            "system" => FunctionScope::System,
            "user" => FunctionScope::User,
            _ => FunctionScope::All,
        };
        Ok(texts(&dataframe::list_functions(&current(vm)?.sql, scope, pattern.as_deref()), vm))
    }

    /// "user", "system" or None.
    #[pyfunction]
    fn function(parts: Vec<String>, vm: &VirtualMachine) -> PyResult<Option<&'static str>> {
        let found = dataframe::find_function(&current(vm)?.sql, &parts);
        Ok(found.map(|scope| if scope == FunctionScope::User { "user" } else { "system" }))
    }

    #[pyfunction]
    fn cache(plan: PyRef<PyPlan>, level: String, vm: &VirtualMachine) -> PyResult<()> {
        dataframe::cache(&current(vm)?.sql, &plan.plan, &level).py(vm)
    }

    #[pyfunction]
    fn uncache(plan: PyRef<PyPlan>, vm: &VirtualMachine) -> PyResult<()> {
        dataframe::uncache(&current(vm)?.sql, &plan.plan);
        Ok(())
    }

    /// The storage level that a plan is cached with, or None.
    #[pyfunction]
    fn storage_level(plan: PyRef<PyPlan>, vm: &VirtualMachine) -> PyResult<Option<String>> {
        Ok(dataframe::storage_level(&current(vm)?.sql, &plan.plan))
    }

    #[pyfunction]
    fn clear_cache(vm: &VirtualMachine) -> PyResult<()> {
        dataframe::clear_cache(&current(vm)?.sql);
        Ok(())
    }

    #[pyfunction]
    fn drop_view(name: String, global: bool, vm: &VirtualMachine) -> PyResult<bool> {
        let state = current(vm)?;
        let mut catalog = state.sql.catalog.borrow_mut();
        Ok(if global { catalog.drop_global_temp_view(&name) } else { catalog.drop_temp_view(&name) })
    }
}
