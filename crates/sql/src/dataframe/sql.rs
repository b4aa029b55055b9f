//! SQL text: queries, and the commands that run at once.

use std::sync::Arc;

use super::{functions, listing, show_table, variables};
use crate::analyzer::{analyze, local_rows, quoted};
use crate::catalog::{GLOBAL_TEMP, SavedView, full_name, no_database};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::parser::{self, Command, NamePlace, Parameters, Statement};
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
    statement(session, parser::parse_statement(session, text, &parameters)?)
}

pub(super) fn statement(session: &SqlSession, statement: Statement) -> Result<PlanRef> {
    match statement {
        Statement::Query(plan) => {
            let analysed = analyze(session, &plan)?;
            session.parsed.note_text(&analysed, plan);
            Ok(analysed)
        }
        Statement::Command(command) => run(session, command),
    }
}

/// spark.table and spark.readStream.table.
pub fn table(session: &SqlSession, name: &str, streaming: bool) -> Result<PlanRef> {
    relation(session, &parser::parse_table_name(session, name)?, streaming)
}

/// The plan of a table or view.
pub(super) fn relation(session: &SqlSession, parts: &[String], streaming: bool) -> Result<PlanRef> {
    analyze(session, &Arc::new(LogicalPlan::UnresolvedRelation { parts: parts.to_vec(), streaming, at: None }))
}

fn text_field(name: &str) -> StructField {
    StructField::new(name, DataType::String, false)
}

fn text(value: &str) -> Value {
    Value::from(value)
}

pub(super) fn no_rows() -> Result<PlanRef> {
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
        Command::SaveView { name, view, replace, if_not_exists } => {
            let view = SavedView { name: session.catalog.borrow().table_name(&name)?, ..view };
            super::tables::save_view(session, view, replace, if_not_exists)?;
            no_rows()
        }
        Command::DropView { name, if_exists } => {
            drop_relation(session, &name, if_exists, true)?;
            no_rows()
        }
        Command::DropTable { name, if_exists } => {
            drop_relation(session, &name, if_exists, false)?;
            no_rows()
        }
        Command::CreateDatabase { name, comment, if_not_exists } => {
            session.catalog.borrow_mut().create_database(&name, &comment, if_not_exists)?;
            no_rows()
        }
        Command::DropDatabase { name, if_exists, cascade } => {
            let tables = session.catalog.borrow_mut().drop_database(&name, if_exists, cascade)?;
            for table in tables {
                delete_table(session, &table)?;
            }
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
        Command::ShowFunctions { scope, pattern } => {
            let names = listing::functions(session, scope, pattern.as_deref());
            let rows: Vec<Vec<Value>> = names.iter().map(|name| vec![text(name)]).collect();
            local_rows(&StructType { fields: vec![text_field("function")] }, &rows)
        }
        Command::ShowTables { database, pattern, views } => {
            let rows: Vec<Vec<Value>> = listing::tables(session, database.as_deref(), pattern.as_deref(), views)?
                .into_iter()
                .map(|entry| vec![text(&entry.namespace.join(".")), text(&entry.name), Value::Boolean(entry.temporary)])
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
        Command::ShowDatabases { pattern } => {
            let shown = |name: &str| pattern.as_ref().is_none_or(|pattern| listing::matches_pattern(pattern, name));
            let databases = session.catalog.borrow().databases();
            let rows: Vec<Vec<Value>> =
                databases.iter().filter(|found| shown(&found.name)).map(|found| vec![text(&found.name)]).collect();
            local_rows(&StructType { fields: vec![text_field("namespace")] }, &rows)
        }
        Command::ShowColumns { table } => {
            let plan = placed(session, relation(session, &table.parts, false), &table, true)?;
            let rows: Vec<Vec<Value>> = plan.output().iter().map(|column| vec![text(&column.name)]).collect();
            local_rows(&StructType { fields: vec![text_field("col_name")] }, &rows)
        }
        Command::Describe { table, column, extended } => {
            let plan = placed(session, relation(session, &table.parts, false), &table, false)?;
            match column {
                Some(column) => describe_column(&plan, &column, extended),
                None => describe(&plan, super::tables::partition_lines(session, &table.parts)),
            }
        }
        Command::DescribeQuery { query } => describe(&analyze(session, &query)?, Vec::new()),
        Command::CreateFunction(definition) => {
            functions::create(session, *definition)?;
            no_rows()
        }
        Command::DropFunction { name, temporary, if_exists } => {
            functions::remove(session, &name, temporary, if_exists)?;
            no_rows()
        }
        Command::DescribeFunction { name, extended } => {
            let lines = match functions::describe(session, &name.parts, extended) {
                Some(lines) => lines,
                None => {
                    let described = placed(session, listing::describe_function(session, &name.parts), &name, false);
                    described.map_err(|error| functions::below_describe(session, error, &name.parts, extended))?
                }
            };
            let rows: Vec<Vec<Value>> = lines.iter().map(|line| vec![text(line)]).collect();
            local_rows(&StructType { fields: vec![text_field("function_desc")] }, &rows)
        }
        Command::DescribeDatabase { name } => {
            let found = session.catalog.borrow().database(&name);
            let Some(database) = found else { return Err(no_database(&name)) };
            let location = format!("file:{}", super::writing::database_folder(session, &database.name));
            let lines = [
                ("Catalog Name", "spark_catalog"),
                ("Namespace Name", database.name.as_str()),
                ("Comment", database.comment.as_str()),
                ("Location", &location),
                ("Owner", ""),
            ];
            let rows: Vec<Vec<Value>> = lines.iter().map(|(name, value)| vec![text(name), text(value)]).collect();
            local_rows(&StructType { fields: vec![text_field("info_name"), text_field("info_value")] }, &rows)
        }
        Command::Explain { mode, query } => {
            let plan = analyze(session, &query)?;
            let explained = match super::explain(session, &plan, &mode) {
                // ExplainCommand does not know how streams are planned.
                Err(error) if plan.is_streaming() => format!("Error occurred during query planning: \n{error}"),
                explained => explained?,
            };
            local_rows(&StructType { fields: vec![text_field("plan")] }, &[vec![text(&explained)]])
        }
        Command::Use { name } => {
            session.catalog.borrow_mut().use_database(&name)?;
            no_rows()
        }
        Command::DeclareVariables { names, data_type, default, replace } => {
            variables::declare(session, &names, data_type, default, replace)?;
            no_rows()
        }
        Command::SetVariables { assignments } => {
            variables::assign(session, assignments)?;
            no_rows()
        }
        Command::SetVariablesFrom { names, query } => {
            let query = analyze(session, &query)?;
            variables::assign_row(session, &names, &query)?;
            no_rows()
        }
        Command::DropVariable { name, if_exists } => {
            variables::remove(session, &name, if_exists)?;
            no_rows()
        }
        Command::ExecuteImmediate { text, into, using } => variables::execute(session, text, &into, using),
        Command::CacheTable { name, query } => {
            let plan = match query {
                Some(query) => {
                    let plan = analyze(session, &query)?;
                    let parts: Vec<String> = name.iter().map(|part| crate::types::quote_if_needed(part)).collect();
                    super::create_temp_view(session, &plan, &parts.join("."), false, false)?;
                    plan
                }
                None => relation(session, &name, false)?,
            };
            super::cache(session, &plan, super::caching::DESERIALIZED)?;
            no_rows()
        }
        Command::UncacheTable { name, if_exists } => {
            match relation(session, &name, false) {
                Ok(plan) => super::uncache(session, &plan),
                Err(_) if if_exists => {}
                Err(error) => return Err(error),
            }
            no_rows()
        }
        Command::ClearCache => {
            super::clear_cache(session);
            no_rows()
        }
        // Files are listed anew whenever a table is read, and nothing is kept of their sizes.
        Command::Refresh { table } => {
            if let Some(table) = table {
                relation(session, &table, false)?;
            }
            no_rows()
        }
        Command::CreateTable(table) => {
            super::tables::create(session, *table)?;
            no_rows()
        }
        Command::Insert { table, columns, partition, overwrite, query } => {
            let plan = analyze(session, &query)?;
            let (plan, columns) = super::tables::with_partition(session, plan, &table, columns, partition)?;
            super::insert_into(session, &plan, &table, &columns, overwrite)?;
            no_rows()
        }
        Command::Truncate { table } => {
            super::tables::truncate(session, &table)?;
            no_rows()
        }
        Command::Alter { table, view, change } => {
            let changed = super::alter::alter(session, &table.parts, view, change);
            // What the catalog itself refuses has no place.
            let placed_too = |error: &SparkError| {
                error.condition.as_deref().is_some_and(|condition| {
                    ["TABLE_OR_VIEW_NOT_FOUND", "EXPECT_VIEW"].iter().any(|start| condition.starts_with(start))
                })
            };
            match changed {
                Err(error) if placed_too(&error) && error.context.is_empty() => {
                    placed(session, Err(error), &table, true)
                }
                other => other,
            }?;
            no_rows()
        }
        Command::CommentOnDatabase { name, comment } => {
            super::alter::comment_on_database(session, &name, &comment)?;
            no_rows()
        }
        Command::ShowCurrentNamespace => {
            let database = session.catalog.borrow().current_database().to_owned();
            let schema = StructType { fields: vec![text_field("catalog"), text_field("namespace")] };
            local_rows(&schema, &[vec![text("spark_catalog"), text(&database)]])
        }
        Command::ShowCreateTable { table } => {
            let shown = placed(session, show_table::create_statement(session, &table.parts), &table, true)?;
            local_rows(&StructType { fields: vec![text_field("createtab_stmt")] }, &[vec![text(&shown)]])
        }
        Command::ShowProperties { table, key } => {
            let found = placed(session, show_table::properties(session, &table.parts, key.as_deref()), &table, true)?;
            let rows: Vec<Vec<Value>> = found.iter().map(|(key, value)| vec![text(key), text(value)]).collect();
            local_rows(&StructType { fields: vec![text_field("key"), text_field("value")] }, &rows)
        }
        Command::AnalyzeTable { table } => {
            placed(session, show_table::known(session, &table.parts, "ANALYZE TABLE"), &table, true)?;
            no_rows()
        }
        Command::ShowPartitions { table } => {
            let found = placed(session, super::tables::partitions(session, &table.parts), &table, true)?;
            let rows: Vec<Vec<Value>> = found.iter().map(|partition| vec![text(partition)]).collect();
            local_rows(&StructType { fields: vec![text_field("partition")] }, &rows)
        }
    }
}

/// DROP TABLE and DROP VIEW.
fn drop_relation(session: &SqlSession, name: &[String], if_exists: bool, view_only: bool) -> Result<()> {
    let mut catalog = session.catalog.borrow_mut();
    let dropped = match name {
        [view] => catalog.drop_temp_view(view),
        [database, view] if database.eq_ignore_ascii_case(GLOBAL_TEMP) => catalog.drop_global_temp_view(view),
        _ => false,
    };
    if let Some(error) = crate::catalog::nested_namespace(name) {
        return Err(error);
    }
    let key = catalog.table_name(name);
    if dropped || key.as_ref().is_ok_and(|key| catalog.drop_saved_view(key)) {
        return Ok(());
    }
    std::mem::drop(catalog);
    let key = key.unwrap_or_else(|_| name.join("."));
    let known = session.catalog.borrow().saved(&key).cloned();
    match known {
        Some(table) if view_only => {
            let (database, name) = crate::catalog::split(&table.name);
            let entry = listing::table(session, &[database.to_owned(), name.to_owned()]);
            Err(SparkError::analysis(
                "WRONG_COMMAND_FOR_OBJECT_TYPE",
                &[
                    ("operation", "DROP VIEW"),
                    ("requiredType", "VIEW or METRIC_VIEW"),
                    ("objectName", &format!("spark_catalog.{database}.{name}")),
                    ("foundType", entry.map_or("MANAGED", |entry| entry.table_type)),
                    ("alternative", "DROP TABLE"),
                ],
            ))
        }
        Some(_) => delete_table(session, &key),
        None if if_exists => Ok(()),
        None => {
            let path = format!("[`spark_catalog`.{}]", quoted(crate::catalog::split(&key).0));
            Err(SparkError::analysis(
                "TABLE_OR_VIEW_NOT_FOUND",
                &[("relationName", &full_name(&key)), ("searchPath", &path)],
            ))
        }
    }
}

/// A table goes, with its files where they are its own.
fn delete_table(session: &SqlSession, name: &str) -> Result<()> {
    let dropped = session.catalog.borrow_mut().drop_saved(name);
    let Some(table) = dropped.filter(|table| table.managed) else { return Ok(()) };
    let failed = |error: tidemark_vfs::FsError| {
        SparkError::plain(crate::error::ErrorClass::Java("java.io.IOException"), error.to_string())
    };
    session.fs.remove_dir_all(&table.folder).map_err(failed)
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

/// An error about a name with its place in the text. Commands for tables only look in fewer places.
fn placed<T>(session: &SqlSession, result: Result<T>, name: &NamePlace, tables: bool) -> Result<T> {
    result.map_err(|mut error| {
        if tables && error.condition.as_deref() == Some("TABLE_OR_VIEW_NOT_FOUND") {
            let path = session.catalog.borrow().table_path();
            let name = error.parameters.get("relationName").cloned().unwrap_or_default();
            error = SparkError::analysis("TABLE_OR_VIEW_NOT_FOUND", &[("relationName", &name), ("searchPath", &path)]);
        }
        let expected = error.condition.as_deref().is_some_and(|condition| condition.starts_with("EXPECT_"));
        let tree = if expected { "" } else { ";\n" };
        let error = error.with_context(format!("; line {} pos {}{tree}", name.at.line, name.at.position));
        match &name.at.context {
            Some(context) => error.with_place(context),
            None => error,
        }
    })
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
    let columns = listing::described(&plan.schema().fields);
    let rows: Vec<Vec<Value>> = columns
        .into_iter()
        .chain(below.into_iter().map(|(a, b, c)| (a, b, c.map(str::to_owned))))
        .map(|(a, b, c)| vec![text(&a), text(&b), c.map_or(Value::Null, |c| text(&c))])
        .collect();
    local_rows(&schema, &rows)
}

/// DESCRIBE of one column, whose name is shown as it is written.
fn describe_column(plan: &PlanRef, column: &[String], extended: bool) -> Result<PlanRef> {
    let schema = plan.schema();
    let [name] = column else {
        return Err(SparkError::not_yet("DESCRIBE of a nested column"));
    };
    let Some(field) = schema.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)) else {
        return Err(SparkError::analysis(
            "COLUMN_NOT_FOUND",
            &[("colName", &quoted(name)), ("caseSensitiveConfig", "\"spark.sql.caseSensitive\"")],
        ));
    };
    let comment = listing::comment(&field.metadata).unwrap_or_else(|| "NULL".to_owned());
    let data_type = field.data_type.simple_string();
    let mut lines = vec![("col_name", name.as_str()), ("data_type", &data_type), ("comment", &comment)];
    if extended {
        // No statistics are gathered.
        let none = ["min", "max", "num_nulls", "distinct_count", "avg_col_len", "max_col_len", "histogram"];
        lines.extend(none.map(|name| (name, "NULL")));
    }
    let rows: Vec<Vec<Value>> = lines.iter().map(|(name, value)| vec![text(name), text(value)]).collect();
    local_rows(&StructType { fields: vec![text_field("info_name"), text_field("info_value")] }, &rows)
}
