//! `_tidemark_frame`: DataFrame methods, readers, writers, SQL and configuration; each is one call of the engine.

pub(crate) use _tidemark_frame::{PyPlan, module_def};

use indexmap::IndexMap;
use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::{PyResult, VirtualMachine};

/// A dict of option names and texts.
pub(super) fn options(dict: &PyDictRef, vm: &VirtualMachine) -> PyResult<IndexMap<String, String>> {
    let mut options = IndexMap::new();
    for (key, value) in dict {
        options.insert(key.try_into_value::<String>(vm)?, value.try_into_value::<String>(vm)?);
    }
    Ok(options)
}

#[rustpython_vm::pymodule]
mod _tidemark_frame {
    use rustpython_vm::builtins::{PyDictRef, PyTuple};
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
    use tidemark_sql::dataframe::{self, Grouping, ReadSpec, Subquery, TableInput, TableOptions, WriteSpec};
    use tidemark_sql::expr::Expr;
    use tidemark_sql::plan::{JoinCondition, JoinKind, LogicalPlan, NearestBy, PlanRef, SetOperation, Spread};
    use tidemark_sql::types::{DataType, StructType};
    use tidemark_sql::value::unpickled;

    use super::options;
    use crate::arrow_rows;
    use crate::convert;
    use crate::errors::IntoPython;
    use crate::native::expr::{PyExpr, data_type};
    use crate::state::current;

    /// Handle of an analysed plan; `DataFrame` in Python holds one.
    #[pyattr]
    #[pyclass(module = "_tidemark_frame", name = "Plan")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct PyPlan {
        pub(crate) plan: PlanRef,
    }

    #[pyclass]
    impl PyPlan {}

    type Plan = PyRef<PyPlan>;
    type Column = PyRef<PyExpr>;

    fn exprs(columns: &[Column]) -> Vec<Expr> {
        columns.iter().map(|column| column.expr.clone()).collect()
    }

    fn wrap(result: tidemark_sql::Result<PlanRef>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        result.py(vm).map(|plan| PyPlan { plan })
    }

    fn expr(result: tidemark_sql::Result<Expr>, vm: &VirtualMachine) -> PyResult<PyExpr> {
        result.py(vm).map(|expr| PyExpr { expr })
    }

    fn structure(json: &str, vm: &VirtualMachine) -> PyResult<StructType> {
        match data_type(json, vm)? {
            DataType::Struct(schema) => Ok((*schema).clone()),
            other => Ok(StructType::new(vec![tidemark_sql::types::StructField::new("value", other, true)])),
        }
    }

    #[pyfunction]
    fn select(plan: Plan, columns: Vec<Column>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::select(&current(vm)?.sql, &plan.plan, exprs(&columns)), vm)
    }

    #[pyfunction]
    fn filter(plan: Plan, condition: Column, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::filter(&current(vm)?.sql, &plan.plan, condition.expr.clone()), vm)
    }

    #[pyfunction]
    fn with_columns(plan: Plan, names: Vec<String>, columns: Vec<Column>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::with_columns(&current(vm)?.sql, &plan.plan, names, exprs(&columns)), vm)
    }

    #[pyfunction]
    fn with_columns_renamed(plan: Plan, from: Vec<String>, to: Vec<String>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let pairs = from.into_iter().zip(to).collect();
        wrap(dataframe::with_columns_renamed(&current(vm)?.sql, &plan.plan, pairs), vm)
    }

    #[pyfunction]
    fn with_metadata(plan: Plan, column: String, json: String, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::with_metadata(&current(vm)?.sql, &plan.plan, &column, &json), vm)
    }

    #[pyfunction]
    fn drop(plan: Plan, columns: Vec<Column>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::drop(&current(vm)?.sql, &plan.plan, exprs(&columns)), vm)
    }

    #[pyfunction]
    fn drop_names(plan: Plan, names: Vec<String>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::drop_names(&current(vm)?.sql, &plan.plan, &names), vm)
    }

    #[pyfunction]
    fn to_df(plan: Plan, names: Vec<String>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::to_df(&current(vm)?.sql, &plan.plan, names), vm)
    }

    /// `kind`: "by", "rollup", "cube", or "sets" with the positions of each set.
    #[pyfunction]
    fn aggregate(
        plan: Plan,
        kind: String,
        grouping: Vec<Column>,
        sets: Vec<Vec<usize>>,
        aggregates: Vec<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let by = exprs(&grouping);
        let grouping = match kind.as_str() {
            "rollup" => Grouping::Rollup(by),
            "cube" => Grouping::Cube(by),
            "sets" => Grouping::Sets(by, sets),
            _ => Grouping::By(by),
        };
        wrap(dataframe::aggregate(&current(vm)?.sql, &plan.plan, grouping, exprs(&aggregates)), vm)
    }

    /// Number of partitions of a plan's rows.
    #[pyfunction]
    fn partition_count(plan: Plan, vm: &VirtualMachine) -> PyResult<usize> {
        tidemark_sql::catalog::partition_count(&current(vm)?.sql, &plan.plan).py(vm)
    }

    /// persist() and unpersist() of the frame of a foreachBatch function.
    #[pyfunction]
    fn persist(plan: Plan, persisted: bool, vm: &VirtualMachine) -> PyResult<()> {
        if let LogicalPlan::MemoryTable { name, .. } = &*plan.plan {
            current(vm)?.sql.catalog.borrow_mut().persist_deferred(name, persisted);
        }
        Ok(())
    }

    #[pyfunction]
    fn pivot(
        plan: Plan,
        grouping: Vec<Column>,
        column: Column,
        values: Option<Vec<Column>>,
        aggregates: Vec<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let values = values.map(|values| exprs(&values));
        let state = current(vm)?;
        let result =
            dataframe::pivot(&state.sql, &plan.plan, exprs(&grouping), column.expr.clone(), values, exprs(&aggregates));
        wrap(result, vm)
    }

    #[pyfunction]
    fn unpivot(
        plan: Plan,
        ids: Vec<Column>,
        values: Option<Vec<Column>>,
        variable: String,
        value: String,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let values = values.map(|values| exprs(&values));
        let state = current(vm)?;
        wrap(dataframe::unpivot(&state.sql, &plan.plan, exprs(&ids), values, &variable, &value), vm)
    }

    /// `using` and `on` exclude each other; `kind` is checked on the Python side.
    #[pyfunction]
    fn join(
        left: Plan,
        right: Plan,
        kind: String,
        using: Option<Vec<String>>,
        on: Option<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let kind = match kind.as_str() {
            "cross" => JoinKind::Cross,
            "leftouter" => JoinKind::LeftOuter,
            "rightouter" => JoinKind::RightOuter,
            "fullouter" => JoinKind::FullOuter,
            "leftsemi" => JoinKind::LeftSemi,
            "leftanti" => JoinKind::LeftAnti,
            _ => JoinKind::Inner,
        };
        let condition = match (using, on) {
            (Some(names), _) => JoinCondition::Using(names),
            (None, Some(on)) => JoinCondition::On(on.expr.clone()),
            (None, None) => JoinCondition::None,
        };
        wrap(dataframe::join(&current(vm)?.sql, &left.plan, &right.plan, kind, condition), vm)
    }

    #[pyfunction]
    fn union(left: Plan, right: Plan, by_name: bool, allow_missing: bool, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::union(&current(vm)?.sql, &left.plan, &right.plan, by_name, allow_missing), vm)
    }

    #[pyfunction]
    fn set_operation(left: Plan, right: Plan, except: bool, all: bool, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let kind = if except { SetOperation::Except } else { SetOperation::Intersect };
        wrap(dataframe::set_operation(&current(vm)?.sql, &left.plan, &right.plan, kind, all), vm)
    }

    #[pyfunction]
    fn distinct(plan: Plan, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::distinct(&current(vm)?.sql, &plan.plan), vm)
    }

    #[pyfunction]
    fn drop_duplicates(
        plan: Plan,
        columns: Option<Vec<String>>,
        within_watermark: bool,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        wrap(dataframe::drop_duplicates(&current(vm)?.sql, &plan.plan, columns, within_watermark), vm)
    }

    #[pyfunction]
    fn sort(plan: Plan, order: Vec<Column>, global: bool, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::sort(&current(vm)?.sql, &plan.plan, exprs(&order), global), vm)
    }

    #[pyfunction]
    fn limit(plan: Plan, n: i32, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::limit(&current(vm)?.sql, &plan.plan, n), vm)
    }

    #[pyfunction]
    fn offset(plan: Plan, n: i32, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::offset(&current(vm)?.sql, &plan.plan, n), vm)
    }

    #[pyfunction]
    fn with_watermark(plan: Plan, column: String, delay: String, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::with_watermark(&current(vm)?.sql, &plan.plan, &column, &delay), vm)
    }

    #[pyfunction]
    fn alias(plan: Plan, name: String, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::alias(&current(vm)?.sql, &plan.plan, &name), vm)
    }

    #[pyfunction]
    fn hint(plan: Plan, name: String, parameters: Vec<Column>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::hint(&current(vm)?.sql, &plan.plan, &name, exprs(&parameters)), vm)
    }

    #[pyfunction]
    fn repartition(
        plan: Plan,
        partitions: Option<usize>,
        shuffle: bool,
        range: bool,
        by: Vec<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let spread = if range { Spread::Range } else { Spread::Hash };
        wrap(dataframe::repartition(&current(vm)?.sql, &plan.plan, partitions, shuffle, spread, exprs(&by)), vm)
    }

    #[pyfunction]
    fn repartition_by_id(plan: Plan, partitions: usize, id: Column, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let by = vec![id.expr.clone()];
        wrap(dataframe::repartition(&current(vm)?.sql, &plan.plan, Some(partitions), true, Spread::Id, by), vm)
    }

    /// `kind`, `mode` and `direction` as the script gave them.
    #[pyfunction]
    fn nearest_by_join(
        left: Plan,
        right: Plan,
        ranking: Column,
        results: i32,
        mode: String,
        direction: String,
        kind: String,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let how = NearestBy::parse(&kind, &mode, &direction, i64::from(results)).py(vm)?;
        let ranking = ranking.expr.clone();
        wrap(dataframe::nearest_by_join(&current(vm)?.sql, &left.plan, &right.plan, ranking, how), vm)
    }

    #[pyfunction]
    fn zip(left: Plan, right: Plan, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::zip(&left.plan, &right.plan), vm)
    }

    #[pyfunction]
    fn sample(plan: Plan, with_replacement: bool, fraction: f64, seed: i64, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::sample(&current(vm)?.sql, &plan.plan, with_replacement, fraction, seed), vm)
    }

    #[pyfunction]
    fn random_split(plan: Plan, weights: Vec<f64>, seed: i64, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let parts = dataframe::random_split(&current(vm)?.sql, &plan.plan, &weights, seed).py(vm)?;
        Ok(vm.ctx.new_list(parts.into_iter().map(|plan| PyPlan { plan }.into_ref(&vm.ctx).into()).collect()).into())
    }

    /// The frame as an expression: "scalar", "exists", or "in" with the values that are looked for.
    #[pyfunction]
    fn subquery(plan: Plan, kind: String, child: Option<Column>) -> PyExpr {
        let kind = match (kind.as_str(), child) {
            ("in", Some(child)) => Subquery::In(child.expr.clone()),
            ("exists", _) => Subquery::Exists,
            _ => Subquery::Scalar,
        };
        PyExpr { expr: dataframe::subquery(&plan.plan, kind) }
    }

    /// `kind`: "inner", "leftouter" or "cross".
    #[pyfunction]
    fn lateral_join(
        left: Plan,
        right: Plan,
        kind: String,
        on: Option<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let kind = if kind == "leftouter" { JoinKind::LeftOuter } else { JoinKind::Inner };
        let on = on.map(|on| on.expr.clone());
        wrap(dataframe::lateral_join(&current(vm)?.sql, &left.plan, &right.plan, kind, on), vm)
    }

    /// A call of a table function of the script; an argument is a column, or a tuple of a table, its partitioning columns,
    /// whether it is one partition, and its order.
    #[pyfunction]
    fn table_function(
        function: PyObjectRef,
        name: String,
        arguments: Vec<PyObjectRef>,
        names: Vec<Option<String>>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let mut inputs = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let Ok(parts) = argument.clone().downcast::<PyTuple>() else {
                inputs.push(TableInput::Column(argument.try_into_value::<Column>(vm)?.expr.clone()));
                continue;
            };
            let [table, partition_by, single, order_by] = parts.as_slice() else {
                return Err(vm.new_runtime_error("a table argument has four parts"));
            };
            let order_by = exprs(&order_by.clone().try_into_value::<Vec<Column>>(vm)?);
            let options = TableOptions {
                partition_by: exprs(&partition_by.clone().try_into_value::<Vec<Column>>(vm)?),
                single_partition: single.clone().try_to_bool(vm)?,
                order_by: order_by.into_iter().map(dataframe::ascending).collect(),
            };
            inputs.push(TableInput::Table(table.clone().try_into_value::<Plan>(vm)?.plan.clone(), options));
        }
        let state = current(vm)?;
        let handle = state.keep(function);
        wrap(dataframe::table_function(&state.sql, handle, &name, inputs, names), vm)
    }

    #[pyfunction]
    fn one_row() -> PyPlan {
        PyPlan { plan: dataframe::one_row() }
    }

    #[pyfunction]
    fn same_semantics(left: Plan, right: Plan) -> bool {
        dataframe::same_semantics(&left.plan, &right.plan)
    }

    #[pyfunction]
    fn semantic_hash(plan: Plan) -> i32 {
        dataframe::semantic_hash(&plan.plan)
    }

    #[pyfunction]
    fn is_local(plan: Plan) -> bool {
        dataframe::is_local(&plan.plan)
    }

    #[pyfunction]
    fn input_files(plan: Plan, vm: &VirtualMachine) -> PyObjectRef {
        let files = dataframe::input_files(&plan.plan).into_iter().map(|file| file.to_pyobject(vm)).collect();
        vm.ctx.new_list(files).into()
    }

    #[pyfunction]
    fn observe(plan: Plan, name: String, metrics: Vec<Column>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::observe(&current(vm)?.sql, &plan.plan, &name, exprs(&metrics)), vm)
    }

    #[pyfunction]
    fn column(plan: Plan, name: String, vm: &VirtualMachine) -> PyResult<PyExpr> {
        expr(dataframe::column(&current(vm)?.sql, &plan.plan, &name), vm)
    }

    #[pyfunction]
    fn sql(
        text: String,
        names: Vec<String>,
        named: Vec<Column>,
        positional: Vec<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let named = names.into_iter().zip(exprs(&named)).collect();
        wrap(dataframe::sql(&current(vm)?.sql, &text, named, exprs(&positional)), vm)
    }

    #[pyfunction]
    fn table(name: String, streaming: bool, vm: &VirtualMachine) -> PyResult<PyPlan> {
        wrap(dataframe::table(&current(vm)?.sql, &name, streaming), vm)
    }

    /// createDataFrame: rows are sequences, dicts or objects, already checked against the schema.
    #[pyfunction]
    fn local(json: String, rows: Vec<PyObjectRef>, partitions: Option<usize>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let schema = structure(&json, vm)?;
        let row_type = DataType::Struct(schema.clone().into());
        let mut values = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = convert::to_value(row, &row_type, vm)?;
            // Dictionaries become Java's HashMaps on their way.
            match unpickled(&row) {
                tidemark_sql::value::Value::Struct(row) => values.push(row.to_vec()),
                _ => return Err(vm.new_type_error("a row must be a tuple, list, dict or Row")),
            }
        }
        wrap(dataframe::local(&current(vm)?.sql, &schema, values, partitions), vm)
    }

    #[pyfunction]
    fn range(start: i64, end: i64, step: i64, partitions: Option<usize>, vm: &VirtualMachine) -> PyResult<PyPlan> {
        let slices = partitions.unwrap_or(current(vm)?.sql.parallelism.get().max(1));
        wrap(dataframe::range(start, end, step, Some(slices)), vm)
    }

    /// A reader at load(): `streaming` chooses readStream.
    #[pyfunction]
    fn read(
        streaming: bool,
        format: Option<String>,
        schema: Option<String>,
        options_dict: PyDictRef,
        paths: Vec<String>,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let schema = schema.map(|json| structure(&json, vm)).transpose()?;
        let spec = ReadSpec { format, schema, options: options(&options_dict, vm)?, paths };
        let state = current(vm)?;
        let result =
            if streaming { dataframe::read_stream(&state.sql, spec) } else { dataframe::read(&state.sql, spec) };
        wrap(result, vm)
    }

    #[pyfunction]
    fn write(
        plan: Plan,
        format: Option<String>,
        mode: Option<String>,
        options_dict: PyDictRef,
        partition_by: Vec<String>,
        path: Option<String>,
        table: Option<String>,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let options = options(&options_dict, vm)?;
        let spec = WriteSpec { format, mode, options, partition_by, path, table };
        dataframe::write(&current(vm)?.sql, &plan.plan, spec).py(vm)
    }

    /// spark.catalog.createTable: an empty table, or one over files that are there.
    #[pyfunction]
    fn create_table(
        name: String,
        format: Option<String>,
        schema: Option<String>,
        options_dict: PyDictRef,
        vm: &VirtualMachine,
    ) -> PyResult<PyPlan> {
        let schema = schema.map(|json| structure(&json, vm)).transpose()?;
        let options = options(&options_dict, vm)?;
        wrap(dataframe::create_table(&current(vm)?.sql, &name, format, schema, options), vm)
    }

    /// writeTo(name).create().
    #[pyfunction]
    fn create_table_as(
        plan: Plan,
        name: String,
        format: Option<String>,
        options_dict: PyDictRef,
        partition_by: Vec<Column>,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let options = options(&options_dict, vm)?;
        dataframe::create_table_as(&current(vm)?.sql, &plan.plan, &name, format, options, &exprs(&partition_by)).py(vm)
    }

    #[pyfunction]
    fn insert_into(plan: Plan, table: String, overwrite: bool, vm: &VirtualMachine) -> PyResult<()> {
        let sql = &current(vm)?.sql;
        let parts = tidemark_sql::parser::parse_table_name(sql, &table).py(vm)?;
        dataframe::insert_into(sql, &plan.plan, &parts, &[], overwrite).py(vm)
    }

    #[pyfunction]
    fn create_temp_view(plan: Plan, name: String, replace: bool, global: bool, vm: &VirtualMachine) -> PyResult<()> {
        dataframe::create_temp_view(&current(vm)?.sql, &plan.plan, &name, replace, global).py(vm)
    }

    #[pyfunction]
    fn collect(plan: Plan, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let schema = dataframe::schema(&state.sql, &plan.plan).py(vm)?;
        let batches = dataframe::collect(&state.sql, &plan.plan).py(vm)?;
        Ok(vm.ctx.new_list(arrow_rows::rows(&batches, &schema, vm)?).into())
    }

    #[pyfunction]
    fn take(plan: Plan, n: i32, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let state = current(vm)?;
        let schema = dataframe::schema(&state.sql, &plan.plan).py(vm)?;
        let batches = dataframe::take(&state.sql, &plan.plan, n).py(vm)?;
        Ok(vm.ctx.new_list(arrow_rows::rows(&batches, &schema, vm)?).into())
    }

    #[pyfunction]
    fn count(plan: Plan, vm: &VirtualMachine) -> PyResult<i64> {
        dataframe::count(&current(vm)?.sql, &plan.plan).py(vm)
    }

    #[pyfunction]
    fn show(plan: Plan, n: i32, truncate: i32, vertical: bool, vm: &VirtualMachine) -> PyResult<String> {
        dataframe::show_string(&current(vm)?.sql, &plan.plan, n, truncate, vertical).py(vm)
    }

    /// Names in the order of a java.util.HashMap that was made of a map with them.
    #[pyfunction]
    fn java_map_order(names: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let names = names.iter().map(|name| Ok(name.str(vm)?.to_string())).collect::<PyResult<Vec<String>>>()?;
        let ordered = tidemark_sql::value::java_map_of(&names);
        Ok(vm.ctx.new_list(ordered.iter().map(|name| name.to_pyobject(vm)).collect()).into())
    }

    /// Raises what running a stream as a batch raises.
    #[pyfunction]
    fn check_batch(plan: Plan, vm: &VirtualMachine) -> PyResult<()> {
        tidemark_sql::analyzer::streaming_checks::check_batch(&plan.plan).py(vm)
    }

    #[pyfunction]
    fn explain(plan: Plan, mode: String, parsed: bool, vm: &VirtualMachine) -> PyResult<String> {
        let session = &current(vm)?.sql;
        // QueryExecution.explainString looks at the parsed plan, in which a name is not known to be a stream.
        if plan.plan.is_streaming() && mode != "codegen" && !parsed {
            return tidemark_streaming::explain::stream(session, &plan.plan, &mode).py(vm);
        }
        dataframe::explain(session, &plan.plan, &mode).py(vm)
    }

    /// Spark's JSON of the schema.
    #[pyfunction]
    fn schema(plan: Plan, vm: &VirtualMachine) -> PyResult<String> {
        Ok(dataframe::schema(&current(vm)?.sql, &plan.plan).py(vm)?.json())
    }

    #[pyfunction]
    fn is_streaming(plan: Plan, vm: &VirtualMachine) -> PyResult<bool> {
        dataframe::is_streaming(&current(vm)?.sql, &plan.plan).py(vm)
    }
}
