//! Session variables, and EXECUTE IMMEDIATE, which takes its parameters from them and gives its row to them.

use std::sync::Arc;

use super::sql::{no_rows, statement};
use crate::analyzer::{analyze, quoted};
use crate::catalog::{Variable, variable_name};
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::parser::{NamePlace, Parameters, Statement, parse_statement};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::DataType;
use crate::value::{Value, value_at};

/// DECLARE VARIABLE.
pub(super) fn declare(
    session: &SqlSession,
    names: &[NamePlace],
    data_type: Option<DataType>,
    default: Option<Expr>,
    replace: bool,
) -> Result<()> {
    let default = default.unwrap_or(Expr::literal(Value::Null, DataType::Null));
    let value = computed(session, default.clone(), data_type)?;
    for name in names {
        let known = own_name(name)?;
        if !replace && session.catalog.borrow().variable(known).is_some() {
            return Err(SparkError::analysis("VARIABLE_ALREADY_EXISTS", &[("variableName", &full(known))]));
        }
        let variable = Variable { value: value.clone(), default: default.clone() };
        session.catalog.borrow_mut().set_variable(known, variable);
    }
    Ok(())
}

/// SET VARIABLE name = value, ...: all values are computed before the first is set.
pub(super) fn assign(session: &SqlSession, assignments: Vec<(NamePlace, Option<Expr>)>) -> Result<()> {
    let mut values = Vec::new();
    for (name, value) in assignments {
        let variable = known(session, &name)?;
        let value = computed(session, value.unwrap_or(variable.default), Some(variable.value.data_type()))?;
        values.push((name, value));
    }
    values.into_iter().try_for_each(|(name, value)| put(session, &name, value))
}

/// SET VARIABLE (name, ...) = (query): its only row, or nulls where it has none.
pub(super) fn assign_row(session: &SqlSession, names: &[NamePlace], query: &PlanRef) -> Result<()> {
    let types = names
        .iter()
        .map(|name| known(session, name).map(|variable| variable.value.data_type()))
        .collect::<Result<Vec<_>>>()?;
    let columns = query.output();
    if columns.len() != names.len() {
        return Err(SparkError::analysis(
            "ASSIGNMENT_ARITY_MISMATCH",
            &[("numTarget", &names.len().to_string()), ("numExpr", &columns.len().to_string())],
        ));
    }
    let list = columns.into_iter().zip(&types).map(|(column, to)| cast(Expr::Attribute(column), to).alias("value"));
    let plan = analyze(session, &Arc::new(LogicalPlan::Project { list: list.collect(), child: query.clone() }))?;
    let rows = first_rows(session, &plan)?;
    let row = match rows.as_slice() {
        [] => types.iter().map(|_| Value::Null).collect(),
        [row] => row.clone(),
        _ => {
            let class = crate::error::ErrorClass::Spark;
            return Err(SparkError::new(class, "ROW_SUBQUERY_TOO_MANY_ROWS", &[]));
        }
    };
    for ((name, value), data_type) in names.iter().zip(row).zip(types) {
        put(session, name, Expr::literal(value, data_type))?;
    }
    Ok(())
}

/// DROP TEMPORARY VARIABLE.
pub(super) fn remove(session: &SqlSession, name: &NamePlace, if_exists: bool) -> Result<()> {
    let own = own_name(name)?;
    if !session.catalog.borrow_mut().drop_variable(own) && !if_exists {
        return Err(SparkError::analysis("VARIABLE_NOT_FOUND", &[("variableName", &full(own))]));
    }
    Ok(())
}

/// EXECUTE IMMEDIATE.
pub(super) fn execute(
    session: &SqlSession,
    text: Expr,
    into: &[NamePlace],
    using: Vec<(Option<String>, Expr)>,
) -> Result<PlanRef> {
    let name = text.pretty_sql();
    let text = computed(session, text, None)?;
    let sql = match &text {
        Expr::Literal { value: Value::String(sql), .. } => sql.to_string(),
        Expr::Literal { value: Value::Null, data_type: DataType::String } => {
            let condition = "NULL_QUERY_STRING_EXECUTE_IMMEDIATE";
            return Err(SparkError::analysis(condition, &[("varName", &format!("`{name}`"))]));
        }
        other => {
            return Err(SparkError::analysis(
                "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE",
                &[("exprType", &other.data_type().quoted_sql())],
            ));
        }
    };
    let mut parameters = Parameters::default();
    for (name, value) in using {
        let value = computed(session, value, None)?;
        parameters.positional.push(value.clone());
        parameters.named.extend(name.map(|name| (name, value)));
    }
    let parsed = parse_statement(session, &sql, &parameters)?;
    if into.is_empty() {
        return statement(session, parsed);
    }
    if !matches!(parsed, Statement::Query(_)) {
        let parameters = [("sqlString", &*sql.to_uppercase())];
        return Err(SparkError::analysis("INVALID_STATEMENT_FOR_EXECUTE_INTO", &parameters));
    }
    let query = statement(session, parsed)?;
    assign_row(session, into, &query)?;
    no_rows()
}

fn full(name: &str) -> String {
    format!("`system`.`session`.{}", quoted(name))
}

/// The part of a name that variables are kept under.
fn own_name(name: &NamePlace) -> Result<&str> {
    variable_name(&name.parts).ok_or_else(|| unresolved(name, "[`system`.`session`]"))
}

fn unresolved(name: &NamePlace, search_path: &str) -> SparkError {
    let shown = crate::analyzer::quote_parts(&name.parts);
    let parameters = [("variableName", &*shown), ("searchPath", search_path)];
    let place = format!("; line {} pos {}", name.at.line, name.at.position);
    let error = SparkError::analysis("UNRESOLVED_VARIABLE", &parameters).with_context(place);
    match &name.at.context {
        Some(context) => error.with_place(context),
        None => error,
    }
}

fn known(session: &SqlSession, name: &NamePlace) -> Result<Variable> {
    let catalog = session.catalog.borrow();
    let found = variable_name(&name.parts).and_then(|own| catalog.variable(own));
    found.cloned().ok_or_else(|| unresolved(name, &catalog.search_path()))
}

fn put(session: &SqlSession, name: &NamePlace, value: Expr) -> Result<()> {
    let variable = known(session, name)?;
    session.catalog.borrow_mut().set_variable(own_name(name)?, Variable { value, ..variable });
    Ok(())
}

fn cast(value: Expr, to: &DataType) -> Expr {
    Expr::Cast { child: Box::new(value), to: to.clone(), mode: EvalMode::Ansi, implicit: true, site: Site::default() }
}

/// The value of an expression without columns, of a type.
fn computed(session: &SqlSession, value: Expr, to: Option<DataType>) -> Result<Expr> {
    let value = match &to {
        Some(to) => cast(value, to),
        None => value,
    };
    let list = vec![value.alias("value")];
    let plan = analyze(session, &Arc::new(LogicalPlan::Project { list, child: Arc::new(LogicalPlan::OneRow) }))?;
    let data_type = plan.output().first().map_or(DataType::Null, |column| column.data_type.clone());
    let value = first_rows(session, &plan)?.into_iter().flatten().next().unwrap_or(Value::Null);
    Ok(Expr::literal(value, data_type))
}

/// Two rows at most: more than one is an error.
fn first_rows(session: &SqlSession, plan: &PlanRef) -> Result<Vec<Vec<Value>>> {
    let columns = plan.output();
    let mut rows = Vec::new();
    for batch in super::take(session, plan, 2)? {
        for row in 0..batch.num_rows() {
            let values = columns.iter().enumerate();
            rows.push(values.map(|(at, column)| value_at(&**batch.column(at), row, &column.data_type)).collect());
        }
    }
    Ok(rows)
}
