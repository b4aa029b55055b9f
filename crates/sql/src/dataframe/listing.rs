//! What the session's catalog tells about its tables, views and functions (SHOW, DESCRIBE, spark.catalog).

use crate::analyzer::quote_parts;
use crate::catalog::{GLOBAL_TEMP, SavedTable, TableEntry, nested_namespace, no_database};
use crate::error::{Result, SparkError};
use crate::session::SqlSession;
use crate::types::DataType;

/// Operators that stand among the functions in SHOW FUNCTIONS (FunctionsCommand.virtualOperators).
const VIRTUAL_OPERATORS: [&str; 5] = ["!=", "<>", "between", "case", "||"];

/// Tables of a database, by name, then the temp views; None: the current database. Views only: without the tables.
pub fn tables(
    session: &SqlSession,
    database: Option<&[String]>,
    pattern: Option<&str>,
    views_only: bool,
) -> Result<Vec<TableEntry>> {
    let catalog = session.catalog.borrow();
    let in_database = |parts: &[String]| {
        let Some(database) = catalog.database(parts) else { return Err(no_database(parts)) };
        let mut saved = if views_only { Vec::new() } else { catalog.saved_tables() };
        saved.extend(catalog.saved_views());
        saved.retain(|entry| entry.namespace.first() == Some(&database.name));
        saved.sort_by_key(|entry| entry.name.to_lowercase());
        Ok(saved)
    };
    let mut entries = match database {
        Some([name]) if name.eq_ignore_ascii_case(GLOBAL_TEMP) => catalog.global_views(),
        Some(parts) => in_database(parts)?,
        None => in_database(&[catalog.current_database().to_owned()])?,
    };
    entries.extend(catalog.temp_views());
    drop(catalog);
    for entry in &mut entries {
        entry.name = entry.name.to_lowercase();
    }
    entries.retain(|entry| pattern.is_none_or(|pattern| matches_pattern(pattern, &entry.name)));
    Ok(entries)
}

/// The saved table of a name.
pub(super) fn saved(session: &SqlSession, parts: &[String]) -> Option<SavedTable> {
    let catalog = session.catalog.borrow();
    catalog.table_name(parts).ok().and_then(|name| catalog.saved(&name).cloned())
}

/// The table or view of a name as it is written; None when there is none.
pub fn table(session: &SqlSession, parts: &[String]) -> Option<TableEntry> {
    let (name, database) = parts.split_last()?;
    let catalog = session.catalog.borrow();
    let temporary = match database {
        [] => catalog.temp_view(name).is_some(),
        [database] if database.eq_ignore_ascii_case(GLOBAL_TEMP) => catalog.global_temp_view(name).is_some(),
        _ => false,
    };
    if temporary {
        let namespace = database.to_vec();
        return Some(TableEntry { name: name.clone(), namespace, temporary: true, table_type: "TEMPORARY" });
    }
    let key = catalog.table_name(parts).ok()?;
    let table_type = match (catalog.saved(&key), catalog.saved_view(&key)) {
        (Some(table), _) => table.table_type(),
        (None, Some(_)) => "VIEW",
        (None, None) => return None,
    };
    let namespace = vec![crate::catalog::split(&key).0.to_owned()];
    Some(TableEntry { name: name.clone(), namespace, temporary: false, table_type })
}

/// What spark.catalog says of a name that leads nowhere.
pub fn no_table(session: &SqlSession, parts: &[String]) -> SparkError {
    nested_namespace(parts).unwrap_or_else(|| {
        let path = session.catalog.borrow().table_path();
        let parameters = [("relationName", &*quote_parts(parts)), ("searchPath", &path)];
        SparkError::analysis("TABLE_OR_VIEW_NOT_FOUND", &parameters)
    })
}

/// A column as spark.catalog.listColumns lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnEntry {
    pub name: String,
    pub comment: Option<String>,
    /// simpleString of the type.
    pub data_type: String,
    pub nullable: bool,
    pub partition: bool,
}

/// The columns of a table or view.
pub fn columns(session: &SqlSession, parts: &[String]) -> Result<Vec<ColumnEntry>> {
    if table(session, parts).is_none() {
        return Err(no_table(session, parts));
    }
    let plan = super::sql::relation(session, parts, false)?;
    let temporary = table(session, parts).is_some_and(|entry| entry.temporary);
    let partition_by =
        if temporary { Vec::new() } else { saved(session, parts).map(|t| t.partition_by).unwrap_or_default() };
    let schema = plan.schema();
    let column = |field: &crate::types::StructField| ColumnEntry {
        name: field.name.clone(),
        comment: comment(&field.metadata),
        data_type: field.data_type.simple_string(),
        nullable: field.nullable,
        partition: partition_by.iter().any(|column| column.eq_ignore_ascii_case(&field.name)),
    };
    Ok(schema.fields.iter().map(column).collect())
}

/// The comment in a field's metadata.
pub(super) fn comment(metadata: &str) -> Option<String> {
    let parsed: serde_json::Value = serde_json::from_str(metadata).ok()?;
    parsed.get("comment")?.as_str().map(str::to_owned)
}

/// Which functions SHOW FUNCTIONS lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionScope {
    All,
    System,
    User,
}

/// Names of functions, sorted.
pub fn functions(session: &SqlSession, scope: FunctionScope, pattern: Option<&str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if scope != FunctionScope::User {
        names.extend(
            crate::functions::registry::names().into_iter().filter(|name| !name.starts_with('$')).map(str::to_owned),
        );
        names.extend(VIRTUAL_OPERATORS.map(str::to_owned));
    }
    if scope != FunctionScope::System {
        names.extend(session.catalog.borrow().function_names());
    }
    names.sort();
    names.dedup();
    names.retain(|name| pattern.is_none_or(|pattern| matches_pattern(pattern, name)));
    names
}

/// What a function's name stands for: one of the script's, or one of Spark's.
pub fn function(session: &SqlSession, parts: &[String]) -> Option<FunctionScope> {
    let [name] = parts else { return None };
    if session.catalog.borrow().function(name).is_some() {
        return Some(FunctionScope::User);
    }
    let generator = ["range", "explode", "window", "session_window", "window_time"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    (generator || crate::functions::registry::lookup(name).is_some()).then_some(FunctionScope::System)
}

/// DESCRIBE FUNCTION: lines of text. The documentation of Spark's own functions is not here, and says so.
pub(super) fn describe_function(session: &SqlSession, parts: &[String]) -> Result<Vec<String>> {
    let name = parts.join(".");
    let operator = match name.to_lowercase().as_str() {
        "<>" | "!=" => Some(format!("expr1 {name} expr2 - Returns true if `expr1` is not equal to `expr2`.")),
        "case" => Some(
            "CASE expr1 WHEN expr2 THEN expr3 [WHEN expr4 THEN expr5]* [ELSE expr6] END - When `expr1` = `expr2`, \
             returns `expr3`; when `expr1` = `expr4`, return `expr5`; else return `expr6`."
                .to_owned(),
        ),
        "||" => Some("expr1 || expr2 - Returns the concatenation of `expr1` and `expr2`.".to_owned()),
        _ => None,
    };
    if let Some(usage) = operator {
        return Ok(vec![format!("Function: {name}"), format!("Usage: {usage}")]);
    }
    match function(session, parts) {
        Some(FunctionScope::User) => Ok(vec![
            format!("Function: spark_catalog.session.{}", name.to_lowercase()),
            "Class: org.apache.spark.sql.classic.UDFRegistration".to_owned(),
            "Usage: N/A.".to_owned(),
        ]),
        Some(_) => {
            Err(SparkError::not_yet("DESCRIBE FUNCTION of Spark's own functions, whose documentation is not here,"))
        }
        None => Err(no_function(session, parts)),
    }
}

/// UNRESOLVED_ROUTINE.
pub(super) fn no_function(session: &SqlSession, parts: &[String]) -> SparkError {
    let path = session.catalog.borrow().search_path();
    SparkError::analysis("UNRESOLVED_ROUTINE", &[("routineName", &quote_parts(parts)), ("searchPath", &path)])
}

/// A name by a pattern of SHOW, without regard to case: `*` and `%` any text, `|` alternatives.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let pattern = pattern.to_lowercase().replace('%', "*");
    pattern.split('|').any(|pattern| {
        let parts: Vec<&str> = pattern.trim().split('*').collect();
        let Some((last, first)) = parts.split_last() else { return false };
        let mut rest = name.as_str();
        for (i, part) in first.iter().enumerate() {
            let found = if i == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
            match found {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        if first.is_empty() { rest == *last } else { rest.ends_with(last) }
    })
}

/// Lines of DESCRIBE TABLE for the columns: name, type, comment.
pub(super) fn described(fields: &[crate::types::StructField]) -> Vec<(String, String, Option<String>)> {
    let line = |field: &crate::types::StructField| {
        (field.name.clone(), DataType::simple_string(&field.data_type), comment(&field.metadata))
    };
    fields.iter().map(line).collect()
}
