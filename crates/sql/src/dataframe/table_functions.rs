//! Table functions of the script: their calls, and tables as arguments.

use std::sync::Arc;

use crate::error::Result;
use crate::expr::{Expr, SortOrder};
use crate::functions::describe::unresolved;
use crate::plan::{LogicalPlan, PlanRef, Spread};
use crate::session::SqlSession;

/// Before `HANDLE:NAME` in the name of a call that the DataFrame API makes.
pub(crate) const TABLE_FUNCTION: &str = "$table_function:";
/// Before the number of partitioning columns in the name of a table argument's column.
pub(crate) const TABLE_ARGUMENT: &str = "$table:";

/// How the rows of a table argument come to the objects of the function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableOptions {
    pub partition_by: Vec<Expr>,
    /// WITH SINGLE PARTITION.
    pub single_partition: bool,
    pub order_by: Vec<SortOrder>,
}

fn call(name: &str, args: &[Expr], arg_names: Vec<Option<String>>) -> Expr {
    let mut call = unresolved(name, args);
    if let Expr::UnresolvedFunction(call) = &mut call {
        call.arg_names = arg_names;
    }
    call
}

/// The rows of a table as one column of structs (FunctionTableSubqueryArgumentExpression): partitioned, sorted within each
/// partition, and with the partitioning columns at the end of each struct. Not analysed.
pub(crate) fn table_argument(table: PlanRef, options: TableOptions) -> PlanRef {
    let mut plan = table;
    let keys = options.partition_by.len();
    let key = |i: usize| Expr::UnresolvedAttribute(vec![format!("partition_by_{i}")]);
    if keys > 0 {
        let mut list = vec![Expr::UnresolvedStar(Vec::new())];
        list.extend(options.partition_by.into_iter().enumerate().map(|(i, e)| e.alias(&format!("partition_by_{i}"))));
        plan = Arc::new(LogicalPlan::Project { list, child: plan });
    }
    if keys > 0 || options.single_partition {
        plan = Arc::new(LogicalPlan::Repartition {
            partitions: options.single_partition.then_some(1),
            shuffle: true,
            by: (0..keys).map(key).collect(),
            spread: Spread::Hash,
            child: plan,
        });
    }
    if keys > 0 || !options.order_by.is_empty() {
        let ascending = |i| SortOrder { child: key(i), ascending: true, nulls_first: true };
        let order = (0..keys).map(ascending).chain(options.order_by).collect();
        plan = Arc::new(LogicalPlan::Sort { order, global: false, child: plan });
    }
    let row = unresolved("struct", &[Expr::UnresolvedStar(Vec::new())]);
    Arc::new(LogicalPlan::Project { list: vec![row.alias(&table_column(keys))], child: plan })
}

/// Name of the column that holds a table argument's rows.
pub(crate) fn table_column(keys: usize) -> String {
    format!("{TABLE_ARGUMENT}{keys}")
}

/// A call of a table function in FROM: over nothing, or over the rows of its table argument, which do not show beside its own.
pub(crate) fn in_from(generator: Expr, table: Option<PlanRef>, alias: Option<String>, columns: &[String]) -> PlanRef {
    let hidden = table.is_some();
    let qualifier = alias.or_else(|| hidden.then(|| "$table_function".to_owned()));
    let shown = qualifier.clone();
    let plan = Arc::new(LogicalPlan::Generate {
        generator,
        outer: false,
        qualifier,
        output: columns.iter().map(|name| crate::parser::name_only(name)).collect(),
        child: table.unwrap_or_else(|| Arc::new(LogicalPlan::OneRow)),
    });
    match shown {
        Some(name) if hidden => {
            Arc::new(LogicalPlan::Project { list: vec![Expr::UnresolvedStar(vec![name])], child: plan })
        }
        _ => plan,
    }
}

/// An argument of a call from the DataFrame API.
#[derive(Clone, Debug)]
pub enum TableInput {
    Column(Expr),
    Table(PlanRef, TableOptions),
}

/// `function(arguments)` as a frame; `handle` is that of the function's analysis.
pub fn table_function(
    session: &SqlSession,
    handle: u64,
    name: &str,
    arguments: Vec<TableInput>,
    arg_names: Vec<Option<String>>,
) -> Result<PlanRef> {
    let mut table = None;
    let mut args = Vec::with_capacity(arguments.len());
    let mut tables = 0;
    for argument in arguments {
        args.push(match argument {
            TableInput::Column(expr) => expr,
            TableInput::Table(plan, options) => {
                tables += 1;
                let column = table_column(options.partition_by.len());
                let sealed = Arc::new(LogicalPlan::View { name: Vec::new(), child: plan });
                table = Some(table_argument(sealed, options));
                Expr::UnresolvedAttribute(vec![column])
            }
        });
    }
    at_most_one(tables)?;
    let generator = call(&format!("{TABLE_FUNCTION}{handle}:{name}"), &args, arg_names);
    crate::analyzer::Analyzer::new(session).plan(&in_from(generator, table, None, &[]))
}

/// TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS.
pub(crate) fn at_most_one(tables: usize) -> Result<()> {
    if tables <= 1 {
        return Ok(());
    }
    Err(crate::error::SparkError::analysis(
        "TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS",
        &[("num", &tables.to_string())],
    ))
}
