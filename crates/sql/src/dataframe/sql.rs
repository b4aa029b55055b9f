//! SQL text: queries, and the commands that run at once.

use std::sync::Arc;

use crate::analyzer::{Analyzer, Scope, analyze, coercion, local_rows, quote_parts, quoted};
use crate::catalog::GLOBAL_TEMP;
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr, Site};
use crate::parser::{self, Command, Parameters, Statement};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

/// Column.__init__ from SQL text (F.expr).
pub fn parse_expression(session: &SqlSession, text: &str) -> Result<Expr> {
    parser::parse_expression(session, text)
}

/// spark.sql(text, args): named or positional parameters are literals. Commands (CREATE VIEW, SET, SHOW ...) run at once.
pub fn sql(session: &SqlSession, text: &str, named: Vec<(String, Expr)>, positional: Vec<Expr>) -> Result<PlanRef> {
    let parameters = Parameters { named, positional };
    match parser::parse_statement(session, text, &parameters)? {
        Statement::Query(plan) => analyze(session, &plan),
        Statement::Command(command) => run(session, command),
    }
}

/// spark.table and spark.readStream.table.
pub fn table(session: &SqlSession, name: &str, streaming: bool) -> Result<PlanRef> {
    let parts = parser::parse_table_name(session, name)?;
    analyze(session, &Arc::new(LogicalPlan::UnresolvedRelation { parts, streaming, at: None }))
}

fn text_field(name: &str) -> StructField {
    StructField::new(name, DataType::String, false)
}

fn text(value: &str) -> Value {
    Value::from(value)
}

fn no_rows() -> Result<PlanRef> {
    local_rows(&StructType::default(), &[])
}

fn run(session: &SqlSession, command: Command) -> Result<PlanRef> {
    match command {
        Command::CreateView { name, columns, query, replace, global } => {
            let mut plan = analyze(session, &query)?;
            if !columns.is_empty() {
                plan = super::to_df(session, &plan, columns)?;
            }
            let parts: Vec<String> = name.iter().map(|part| crate::types::quote_if_needed(part)).collect();
            super::create_temp_view(session, &plan, &parts.join("."), replace, global)?;
            no_rows()
        }
        Command::DropView { name, if_exists } | Command::DropTable { name, if_exists } => {
            let mut catalog = session.catalog.borrow_mut();
            let dropped = match name.as_slice() {
                [view] => catalog.drop_temp_view(view),
                [database, view] if database.eq_ignore_ascii_case(GLOBAL_TEMP) => catalog.drop_global_temp_view(view),
                _ => false,
            };
            let saved = name.last().and_then(|name| if dropped { None } else { catalog.drop_saved(name) });
            if let Some(table) = &saved {
                session.fs.remove_dir_all(&table.folder).map_err(|error| {
                    SparkError::plain(crate::error::ErrorClass::Java("java.io.IOException"), error.to_string())
                })?;
            }
            if !dropped && saved.is_none() && !if_exists {
                let full = if name.len() == 1 {
                    format!("`spark_catalog`.`default`.{}", quoted(&name[0]))
                } else {
                    quote_parts(&name)
                };
                return Err(SparkError::analysis(
                    "TABLE_OR_VIEW_NOT_FOUND",
                    &[("relationName", &full), ("searchPath", "[`spark_catalog`.`default`]")],
                ));
            }
            std::mem::drop(catalog);
            no_rows()
        }
        Command::Set { key, value } => set(session, key, value),
        Command::Reset { key } => {
            let mut conf = session.conf.borrow_mut();
            match key {
                Some(key) => conf.unset(&key)?,
                None => {
                    let keys: Vec<String> = conf.all_set().map(|(key, _)| key.to_owned()).collect();
                    for key in keys {
                        // Static settings stay.
                        if conf.is_modifiable(&key) {
                            conf.unset(&key)?;
                        }
                    }
                }
            }
            std::mem::drop(conf);
            no_rows()
        }
        Command::ShowCatalogs => {
            local_rows(&StructType { fields: vec![text_field("catalog")] }, &[vec![text("spark_catalog")]])
        }
        Command::ShowFunctions { pattern } => {
            let pattern = pattern.map(|pattern| pattern.to_lowercase().replace('%', "*"));
            let rows: Vec<Vec<Value>> = crate::functions::registry::names()
                .into_iter()
                .filter(|name| pattern.as_ref().is_none_or(|pattern| matches(pattern, name)))
                .map(|name| vec![text(name)])
                .collect();
            local_rows(&StructType { fields: vec![text_field("function")] }, &rows)
        }
        Command::ShowTables { pattern, views } => {
            let pattern = pattern.map(|pattern| pattern.to_lowercase().replace('%', "*"));
            let rows: Vec<Vec<Value>> = session
                .catalog
                .borrow()
                .all_tables()
                .into_iter()
                .filter(|entry| !views || entry.temporary)
                .filter(|entry| pattern.as_ref().is_none_or(|pattern| matches(pattern, &entry.name.to_lowercase())))
                .map(|entry| {
                    let namespace = entry.namespace.join(".");
                    vec![text(&namespace), text(&entry.name.to_lowercase()), Value::Boolean(entry.temporary)]
                })
                .collect();
            let schema = StructType {
                fields: vec![
                    text_field("namespace"),
                    text_field(if views { "viewName" } else { "tableName" }),
                    StructField::new("isTemporary", DataType::Boolean, false),
                ],
            };
            local_rows(&schema, &rows)
        }
        Command::ShowDatabases => {
            local_rows(&StructType { fields: vec![text_field("namespace")] }, &[vec![text("default")]])
        }
        Command::ShowColumns { table } => {
            let plan = analyze(
                session,
                &Arc::new(LogicalPlan::UnresolvedRelation { parts: table, streaming: false, at: None }),
            )?;
            let rows: Vec<Vec<Value>> = plan.output().iter().map(|column| vec![text(&column.name)]).collect();
            local_rows(&StructType { fields: vec![text_field("col_name")] }, &rows)
        }
        Command::Describe { table } => {
            let lines = super::tables::partition_lines(session, &table);
            let relation = LogicalPlan::UnresolvedRelation { parts: table, streaming: false, at: None };
            describe(&analyze(session, &Arc::new(relation))?, lines)
        }
        Command::DescribeQuery { query } => describe(&analyze(session, &query)?, Vec::new()),
        Command::Explain { mode, query } => {
            let plan = analyze(session, &query)?;
            let explained = super::explain(session, &plan, &mode)?;
            local_rows(&StructType { fields: vec![text_field("plan")] }, &[vec![text(&explained)]])
        }
        Command::Use { name } => {
            let known = name
                .last()
                .is_some_and(|name| name.eq_ignore_ascii_case("default") || name.eq_ignore_ascii_case("spark_catalog"));
            if !known {
                return Err(SparkError::analysis(
                    "SCHEMA_NOT_FOUND",
                    &[("schemaName", &format!("`spark_catalog`.{}", quote_parts(&name)))],
                ));
            }
            no_rows()
        }
        Command::DeclareVariable { name, data_type, default, replace } => {
            if !replace && session.catalog.borrow().variable(&name).is_some() {
                return Err(SparkError::analysis(
                    "VARIABLE_ALREADY_EXISTS",
                    &[("variableName", &format!("`system`.`session`.{}", quoted(&name)))],
                ));
            }
            let value = variable_value(session, default, data_type)?;
            session.catalog.borrow_mut().set_variable(&name, value);
            no_rows()
        }
        Command::SetVariable { name, value } => {
            let known = session.catalog.borrow().variable(&name).map(Expr::data_type);
            let Some(data_type) = known else {
                return Err(SparkError::analysis(
                    "UNRESOLVED_VARIABLE",
                    &[("variableName", &quoted(&name)), ("searchPath", "`system`.`session`")],
                ));
            };
            let value = variable_value(session, Some(value), Some(data_type))?;
            session.catalog.borrow_mut().set_variable(&name, value);
            no_rows()
        }
        Command::DropVariable { name, if_exists } => {
            if !session.catalog.borrow_mut().drop_variable(&name) && !if_exists {
                return Err(SparkError::analysis(
                    "VARIABLE_NOT_FOUND",
                    &[("variableName", &format!("`system`.`session`.{}", quoted(&name)))],
                ));
            }
            no_rows()
        }
        Command::CacheTable => no_rows(),
        Command::CreateTable(table) => {
            super::tables::create(session, *table)?;
            no_rows()
        }
        Command::Insert { table, columns, overwrite, query } => {
            let plan = analyze(session, &query)?;
            super::insert_into(session, &plan, &table, &columns, overwrite)?;
            no_rows()
        }
        Command::ShowPartitions { table } => {
            let found = super::tables::partitions(session, &table)?;
            let rows: Vec<Vec<Value>> = found.iter().map(|partition| vec![text(partition)]).collect();
            local_rows(&StructType { fields: vec![text_field("partition")] }, &rows)
        }
    }
}

fn variable_value(session: &SqlSession, value: Option<Expr>, data_type: Option<DataType>) -> Result<Expr> {
    let mut analyzer = Analyzer::new(session);
    let value = value.unwrap_or(Expr::literal(Value::Null, DataType::Null));
    let data_type = data_type.clone();
    let value = match data_type {
        Some(to) => {
            Expr::Cast { child: Box::new(value), to, mode: EvalMode::Ansi, implicit: true, site: Site::default() }
        }
        None => value,
    };
    let resolved = analyzer.expr(value, &Scope::default())?;
    let constant = coercion::constant(&analyzer, &resolved)?;
    Ok(Expr::literal(constant, resolved.data_type()))
}

fn set(session: &SqlSession, key: Option<String>, value: Option<String>) -> Result<PlanRef> {
    let schema = StructType { fields: vec![text_field("key"), text_field("value")] };
    let rows = match (key, value) {
        (Some(key), Some(value)) => {
            session.conf.borrow_mut().set(&key, &value)?;
            vec![vec![text(&key), text(&value)]]
        }
        (Some(key), None) => {
            let value = session.conf.borrow().get(&key).unwrap_or_else(|| "<undefined>".to_owned());
            vec![vec![text(&key), text(&value)]]
        }
        (None, _) => {
            let conf = session.conf.borrow();
            let mut all: Vec<(String, String)> =
                conf.all_set().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            all.sort();
            all.into_iter().map(|(key, value)| vec![text(&key), text(&value)]).collect()
        }
    };
    local_rows(&schema, &rows)
}

/// Columns of a plan, and the lines below them.
fn describe(plan: &PlanRef, below: Vec<(String, String, Option<&'static str>)>) -> Result<PlanRef> {
    let schema = StructType {
        fields: vec![
            text_field("col_name"),
            text_field("data_type"),
            StructField::new("comment", DataType::String, true),
        ],
    };
    let rows: Vec<Vec<Value>> = plan
        .output()
        .iter()
        .map(|column| vec![text(&column.name), text(&column.data_type.simple_string()), Value::Null])
        .chain(below.into_iter().map(|(a, b, c)| vec![text(&a), text(&b), c.map_or(Value::Null, text)]))
        .collect();
    local_rows(&schema, &rows)
}

/// A name by a pattern of SHOW: `*` any text, `|` alternatives.
fn matches(pattern: &str, name: &str) -> bool {
    pattern.split('|').any(|pattern| {
        let parts: Vec<&str> = pattern.trim().split('*').collect();
        let mut rest = name;
        for (i, part) in parts.iter().enumerate() {
            if i == 0 {
                match rest.strip_prefix(part) {
                    Some(after) => rest = after,
                    None => return false,
                }
            } else if i + 1 == parts.len() {
                return rest.ends_with(part);
            } else {
                match rest.find(part) {
                    Some(at) => rest = &rest[at + part.len()..],
                    None => return false,
                }
            }
        }
        rest.is_empty()
    })
}
