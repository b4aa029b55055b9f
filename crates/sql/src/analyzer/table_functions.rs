//! Calls of the script's table functions (Python UDTFs) in FROM, in LATERAL and from the DataFrame API.

use std::sync::Arc;

use super::functions::strip_origin;
use super::generate::generator_columns;
use super::{Analyzer, coercion};
use crate::dataframe::{TABLE_ARGUMENT, TABLE_FUNCTION, TableOptions, table_argument};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, GeneratorCall, SortOrder, UnresolvedFunction};
use crate::functions::python_table::PythonTable;
use crate::plan::{LogicalPlan, PlanRef};
use crate::python::{TableArgument, TableFunction};
use crate::types::{DataType, StructType};
use crate::value::Value;

/// The number of partitioning columns at the end of a table argument's rows; None: no table argument.
fn partition_keys(arg: &Expr) -> Option<usize> {
    let Expr::Attribute(column) = arg else { return None };
    column.name.strip_prefix(TABLE_ARGUMENT)?.parse().ok()
}

/// Whether the call put a table argument's rows into one partition.
fn in_one_partition(plan: &PlanRef) -> bool {
    match &**plan {
        LogicalPlan::Project { child, .. } | LogicalPlan::Sort { global: false, child, .. } => in_one_partition(child),
        LogicalPlan::Repartition { partitions: Some(1), shuffle: true, .. } => true,
        _ => false,
    }
}

/// The type of a table argument's rows without its partitioning columns.
fn row_type(data_type: &DataType, keys: usize) -> DataType {
    match data_type {
        DataType::Struct(row) => {
            DataType::Struct(Arc::new(StructType::new(row.fields[..row.fields.len().saturating_sub(keys)].to_vec())))
        }
        other => other.clone(),
    }
}

impl Analyzer<'_> {
    /// The handle and the shown name of a table function of the script; None: the call is of another function.
    pub(super) fn script_table(&self, generator: &Expr) -> Option<(u64, UnresolvedFunction)> {
        let Expr::UnresolvedFunction(call) = strip_origin(generator) else { return None };
        if let Some(direct) = call.name.strip_prefix(TABLE_FUNCTION) {
            let (handle, name) = direct.split_once(':')?;
            return Some((handle.parse().ok()?, UnresolvedFunction { name: name.to_owned(), ..(**call).clone() }));
        }
        let handle = self.session.catalog.borrow().table_function(&call.name)?;
        Some((handle, (**call).clone()))
    }

    /// Generate over a table function of the script, whose own analysis says what it gives.
    pub(super) fn table_function(
        &mut self,
        (handle, call): (u64, UnresolvedFunction),
        qualifier: Option<String>,
        names: &[String],
        child: &PlanRef,
    ) -> Result<PlanRef> {
        let scope = self.scope(child);
        let mut args = call
            .args
            .into_iter()
            .map(|arg| Ok(super::names::trim_all_aliases(self.expr(arg, &scope)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut arguments = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let keys = partition_keys(arg);
            let constant = if arg.foldable() { Some(coercion::constant(self, arg)?) } else { None };
            arguments.push(TableArgument {
                name: call.arg_names.get(i).cloned().flatten(),
                data_type: row_type(&arg.data_type(), keys.unwrap_or(0)),
                constant,
                is_table: keys.is_some(),
            });
        }
        let host = self.session.udfs.borrow().clone();
        let host = host.ok_or_else(|| SparkError::internal("no Python to call table functions of"))?;
        let function = host.table_function(handle, &arguments)?;
        let mut child = child.clone();
        if let Some(at) = args.iter().position(|arg| partition_keys(arg).is_some()) {
            if function.single_partition || !function.partition_by.is_empty() || !function.order_by.is_empty() {
                if partition_keys(&args[at]).is_some_and(|keys| keys > 0) || in_one_partition(&child) {
                    return Err(SparkError::analysis(
                        "TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL",
                        &[
                            ("functionName", &call.name),
                            ("requestedMetadata", "specified its own required partitioning of the input table"),
                            (
                                "invalidFunctionCallProperty",
                                "specified the WITH SINGLE PARTITION or PARTITION BY clause; please remove these clauses \
                                 and retry the query again.",
                            ),
                        ],
                    ));
                }
                child = self.repartitioned(&function, &child)?;
                if let Some(column) = child.output().first() {
                    args[at] = Expr::Attribute(column.clone());
                }
            }
            let keys = partition_keys(&args[at]).unwrap_or(0);
            // The script's side is told how many columns at the end of the rows are not the table's.
            args.push(Expr::literal(Value::Integer(i32::try_from(keys).unwrap_or(0)), DataType::Integer));
        }
        if !names.is_empty() && names.len() != function.schema.fields.len() {
            return Err(SparkError::analysis(
                "NUM_TABLE_VALUE_ALIASES_MISMATCH",
                &[
                    ("funcName", &super::quoted(&call.name)),
                    ("aliasesNum", &names.len().to_string()),
                    ("outColsNum", &function.schema.fields.len().to_string()),
                ],
            ));
        }
        let output: Vec<(String, DataType, bool)> =
            function.schema.fields.iter().map(|f| (f.name.clone(), f.data_type.clone(), f.nullable)).collect();
        let TableFunction { handle, schema, deterministic, .. } = function;
        let generator = GeneratorCall {
            name: call.name.as_str().into(),
            args,
            // EvalPythonUDTFExec knows no outer rows: LEFT JOIN LATERAL drops a row that gives nothing.
            outer: false,
            output,
            function: Arc::new(PythonTable { handle, schema, deterministic }),
        };
        let output = generator_columns(&generator, names)?;
        Ok(Arc::new(LogicalPlan::Generate {
            generator: Expr::Generator(Box::new(generator)),
            outer: false,
            qualifier,
            output,
            child,
        }))
    }

    /// The table argument's plan with the partitions and the order that the function's analysis asks for.
    fn repartitioned(&mut self, function: &TableFunction, child: &PlanRef) -> Result<PlanRef> {
        let LogicalPlan::Project { child: table, .. } = &**child else {
            return Err(SparkError::internal("a table argument without its rows"));
        };
        let parse = |text: &String| crate::dataframe::parse_expression(self.session, text);
        let partition_by = function.partition_by.iter().map(parse).collect::<Result<Vec<_>>>()?;
        let order_by = function
            .order_by
            .iter()
            .map(|(text, ascending, nulls_first)| {
                Ok(SortOrder { child: parse(text)?, ascending: *ascending, nulls_first: *nulls_first })
            })
            .collect::<Result<Vec<_>>>()?;
        let options = TableOptions { partition_by, single_partition: function.single_partition, order_by };
        let sealed = Arc::new(LogicalPlan::View { name: Vec::new(), child: table.clone() });
        self.plan(&table_argument(sealed, options))
    }
}
