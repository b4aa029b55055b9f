//! The strategies of pandas operators: mapInPandas, applyInPandas, cogroups, aggregates of pandas functions.

use std::sync::Arc;

use super::{Planner, text};
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::ExecRef;
use crate::exec::python_tables::{
    AggregateTablesExec, CoGroupSide, CoGroupTablesExec, GroupTablesExec, MapTablesExec, TableColumns,
};
use crate::expr::{Attribute, Expr, PythonUdf, UdfKind};
use crate::plan::{ExtensionNode, PythonOperation, PythonOperator};

/// The operator of the script's functions in a plan's extension node.
pub fn python_operator(node: &Arc<dyn ExtensionNode>) -> Option<&PythonOperator> {
    node.as_any().downcast_ref()
}

fn is_pandas_aggregate(e: &Expr) -> bool {
    e.any(&|x| matches!(x, Expr::PythonUdf(u) if u.kind == UdfKind::PandasAggregate))
}

/// Whether a list of an aggregation calls pandas aggregates.
pub fn has_pandas_aggregate(list: &[Expr]) -> bool {
    list.iter().any(is_pandas_aggregate)
}

/// Plans transformWithState of a frame that is no stream; the streaming crate brings it with its state stores.
pub trait BatchProcessors {
    fn plan(&self, node: &PythonOperator, planner: &Planner<'_>) -> Result<ExecRef>;
}

impl Planner<'_> {
    pub(super) fn plan_python_operator(&self, node: &PythonOperator) -> Result<ExecRef> {
        let child = |at: usize| match node.children.get(at) {
            Some(child) => self.plan_child(child),
            None => Err(SparkError::internal("an operator of Python without a child")),
        };
        let list = |lists: &[Vec<Expr>], at: usize| lists.get(at).cloned().unwrap_or_default();
        let (handle, call, output) = (node.handle, node.call.clone(), node.output.clone());
        match &node.operation {
            PythonOperation::Map => Ok(Arc::new(MapTablesExec { handle, call, output, child: child(0)? })),
            PythonOperation::Groups => {
                let child = self.clustered(&list(&node.keys, 0), child(0)?)?;
                let keys = TableColumns::new(&list(&node.keys, 0), child.output())?;
                let values = TableColumns::new(&list(&node.values, 0), child.output())?;
                Ok(Arc::new(GroupTablesExec { handle, call, keys, values, output, child }))
            }
            PythonOperation::CoGroups => {
                let side = |at: usize| -> Result<CoGroupSide> {
                    // Both sides lie in the same number of partitions.
                    let child = self.stateful_clustered(&list(&node.keys, at), child(at)?)?;
                    let keys = TableColumns::new(&list(&node.keys, at), child.output())?;
                    let values = TableColumns::new(&list(&node.values, at), child.output())?;
                    Ok(CoGroupSide { keys, values, child })
                };
                Ok(Arc::new(CoGroupTablesExec { handle, call, sides: [side(0)?, side(1)?], output }))
            }
            PythonOperation::GroupState { .. } => {
                Err(SparkError::new(ErrorClass::UnsupportedOperation, "_LEGACY_ERROR_TEMP_3176", &[]))
            }
            PythonOperation::Processor { .. } => {
                let processors = self.ctx.session.batch_processors.borrow().clone();
                match processors {
                    Some(processors) => processors.plan(node, self),
                    None => Err(SparkError::internal("transformWithState without a state store")),
                }
            }
        }
    }

    /// AggregateInPandasExec for an aggregation whose functions are pandas aggregates.
    pub(super) fn plan_pandas_aggregate(&self, grouping: &[Expr], list: &[Expr], child: ExecRef) -> Result<ExecRef> {
        let mut found: Vec<PythonUdf> = Vec::new();
        let mut mixed = false;
        for item in list {
            item.visit(&mut |e| match e {
                Expr::PythonUdf(u) if u.kind == UdfKind::PandasAggregate => {
                    if !found.contains(u) {
                        found.push((**u).clone());
                    }
                }
                Expr::Aggregate(_) => mixed = true,
                _ => {}
            });
        }
        if mixed {
            let names: Vec<String> = found.iter().map(|u| format!("`{}`", u.name)).collect();
            let parameters = [("functionList", &*names.join(", "))];
            return Err(SparkError::analysis("INVALID_PANDAS_UDF_PLACEMENT", &parameters));
        }
        // Keys and arguments become columns below.
        let (grouping, child) = self.extract_python(grouping.to_vec(), child)?;
        let named = |e: &Expr| match e {
            Expr::Attribute(_) | Expr::Alias(_) => e.clone(),
            other => other.clone().alias(&text::expression(other)),
        };
        let keys: Vec<Expr> = grouping.iter().map(named).collect();
        let key_columns: Vec<Arc<Attribute>> = keys.iter().map(Expr::to_attribute).collect();
        let mut columns: Vec<Expr> = child.output().iter().cloned().map(Expr::Attribute).collect();
        columns.extend(keys.iter().filter(|k| !matches!(k, Expr::Attribute(_))).cloned());
        let child = self.project(columns, child)?;
        let key_list: Vec<Expr> = key_columns.iter().cloned().map(Expr::Attribute).collect();
        let child = self.clustered(&key_list, child)?;
        let keys = TableColumns::new(&key_list, child.output())?;
        let mut functions = Vec::new();
        let mut results = Vec::new();
        for function in found {
            let arguments: Vec<Expr> = function.args.iter().map(named).collect();
            let call = Expr::PythonUdf(Box::new(function.clone()));
            results.push(call.clone().alias(&text::expression(&call)).to_attribute());
            functions.push((function, TableColumns::new(&arguments, child.output())?));
        }
        let output: Vec<Arc<Attribute>> = key_columns.iter().chain(&results).cloned().collect();
        let list = list.iter().map(|e| replaced(e.clone(), &grouping, &key_columns, &functions, &results)).collect();
        let made: ExecRef = Arc::new(AggregateTablesExec { keys, functions, output, child });
        self.project(list, made)
    }
}

/// A result with keys and calls replaced by the columns that they are.
fn replaced(
    e: Expr,
    grouping: &[Expr],
    keys: &[Arc<Attribute>],
    functions: &[(PythonUdf, TableColumns)],
    results: &[Arc<Attribute>],
) -> Expr {
    if let Expr::PythonUdf(u) = &e
        && let Some(at) = functions.iter().position(|(f, _)| f == &**u)
    {
        return Expr::Attribute(results[at].clone());
    }
    let canonical = e.canonical();
    if !matches!(e, Expr::Alias(_))
        && let Some(at) = grouping.iter().position(|g| g.unaliased().canonical() == canonical)
    {
        return Expr::Attribute(keys[at].clone());
    }
    e.map_children(&mut |c| replaced(c, grouping, keys, functions, results))
}
