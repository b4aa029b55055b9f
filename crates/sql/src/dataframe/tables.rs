//! Tables of files: CREATE TABLE, INSERT, insertInto, SHOW PARTITIONS, DESCRIBE.

use super::writing::{full_name, warehouse_folder};
use crate::analyzer::analyze;
use crate::analyzer::streaming_checks::check_batch;
use crate::catalog::SavedTable;
use crate::datasource::relation::format_named;
use crate::datasource::resolve_path;
use crate::datasource::save::{SaveMode, save};
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::parser::TableDefinition;
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::StructType;

/// CREATE TABLE ... USING a file format, with columns or from a query.
pub(super) fn create(session: &SqlSession, table: TableDefinition) -> Result<()> {
    let Some(name) = table.name.last().cloned() else { return Err(SparkError::internal("a table has a name")) };
    if session.catalog.borrow().saved(&name).is_some() {
        if table.if_not_exists {
            return Ok(());
        }
        return Err(SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &full_name(&name))]));
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = table.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    format_named(&format)?;
    let query = table.query.as_ref().map(|query| analyze(session, query)).transpose()?;
    if let Some(query) = &query {
        check_batch(query)?;
    }
    let given = table.schema.clone().or_else(|| query.as_ref().map(|query| query.schema())).unwrap_or_default();
    // Partition columns stand last.
    let conf = session.conf.borrow().clone();
    let is_partition = |name: &str| table.partition_by.iter().any(|p| conf.same_name(p, name));
    let (last, first): (Vec<_>, Vec<_>) = given.as_nullable().fields.into_iter().partition(|f| is_partition(&f.name));
    let folder = match &table.location {
        Some(location) => resolve_path(&session.cwd, location),
        None => warehouse_folder(session, &name),
    };
    let filled = session.fs.list(&folder).is_ok_and(|entries| !entries.is_empty());
    if table.location.is_none() && filled {
        return Err(SparkError::analysis(
            "LOCATION_ALREADY_EXISTS",
            &[("identifier", &full_name(&name)), ("location", &format!("'file:{folder}'"))],
        ));
    }
    let now_ms = session.clock.now_us().div_euclid(1000);
    session.fs.create_dir_all(&folder, now_ms).map_err(|error| SparkError::internal(error.to_string()))?;
    if let Some(query) = &query {
        save(session, query, &format, &table.options, &table.partition_by, SaveMode::Append, &folder)?;
    }
    let saved = SavedTable {
        name,
        format: format.to_lowercase(),
        options: table.options,
        folder,
        schema: StructType::new(first.into_iter().chain(last).collect()),
        partition_by: table.partition_by,
    };
    session.catalog.borrow_mut().save_table(saved);
    Ok(())
}

/// INSERT and insertInto: by position, or by the column list; what is left out is null.
pub fn insert_into(
    session: &SqlSession,
    plan: &PlanRef,
    table: &[String],
    columns: &[String],
    overwrite: bool,
) -> Result<()> {
    check_batch(plan)?;
    let name = table.last().cloned().unwrap_or_default();
    let Some(saved) = session.catalog.borrow().saved(&name).cloned() else {
        let relation = LogicalPlan::UnresolvedRelation { parts: table.to_vec(), streaming: false, at: None };
        analyze(session, &std::sync::Arc::new(relation))?;
        return Err(SparkError::analysis("UNSUPPORTED_INSERT.RDD_BASED", &[]));
    };
    let conf = session.conf.borrow().clone();
    let fields = &saved.schema.fields;
    let targets: Vec<usize> = if columns.is_empty() {
        (0..fields.len()).collect()
    } else {
        columns.iter().filter_map(|c| fields.iter().position(|f| conf.same_name(&f.name, c))).collect()
    };
    let given = plan.output();
    if given.len() != targets.len() {
        let list = |names: Vec<String>| names.join(", ");
        let condition = if given.len() < targets.len() { "NOT_ENOUGH_DATA_COLUMNS" } else { "TOO_MANY_DATA_COLUMNS" };
        return Err(SparkError::analysis(
            &format!("INSERT_COLUMN_ARITY_MISMATCH.{condition}"),
            &[
                ("tableName", &full_name(&saved.name)),
                ("tableColumns", &list(targets.iter().map(|i| format!("`{}`", fields[*i].name)).collect())),
                ("dataColumns", &list(given.iter().map(|a| format!("`{}`", a.name)).collect())),
            ],
        ));
    }
    let list = fields
        .iter()
        .enumerate()
        .map(|(i, field)| {
            let child = match targets.iter().position(|target| *target == i) {
                Some(at) => Expr::Attribute(given[at].clone()),
                None => Expr::literal(crate::value::Value::Null, crate::types::DataType::Null),
            };
            let to = field.data_type.clone();
            Expr::Cast { child: Box::new(child), to, mode: EvalMode::Ansi, implicit: true, site: Default::default() }
                .alias(&field.name)
        })
        .collect();
    let rows = super::select(session, plan, list)?;
    let mode = if overwrite { SaveMode::Overwrite } else { SaveMode::Append };
    save(session, &rows, &saved.format, &saved.options, &saved.partition_by, mode, &saved.folder)
}

/// Partitions by their folders; none where a streaming query wrote them, which does not tell the catalog.
pub(super) fn partitions(session: &SqlSession, table: &[String]) -> Result<Vec<String>> {
    let name = table.last().cloned().unwrap_or_default();
    let Some(saved) = session.catalog.borrow().saved(&name).cloned() else {
        return Err(SparkError::analysis(
            "TABLE_OR_VIEW_NOT_FOUND",
            &[("relationName", &crate::analyzer::quote_parts(table)), ("searchPath", crate::catalog::SEARCH_PATH)],
        ));
    };
    if saved.partition_by.is_empty() {
        let condition = "INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY";
        return Err(SparkError::analysis(condition, &[("name", &full_name(&saved.name))]));
    }
    if session.fs.exists(&format!("{}/_spark_metadata", saved.folder)) {
        return Ok(Vec::new());
    }
    let mut found = vec![String::new()];
    for _ in &saved.partition_by {
        let mut next = Vec::new();
        for folder in &found {
            let entries = session.fs.list(&format!("{}/{folder}", saved.folder)).unwrap_or_default();
            for entry in entries.iter().filter(|e| e.metadata.is_dir && e.name.contains('=')) {
                next.push(if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) });
            }
        }
        next.sort();
        found = next;
    }
    Ok(found)
}

/// Lines of DESCRIBE below the columns: those that the table is partitioned by.
pub(super) fn partition_lines(session: &SqlSession, table: &[String]) -> Vec<(String, String, Option<&'static str>)> {
    let name = table.last().cloned().unwrap_or_default();
    let catalog = session.catalog.borrow();
    let Some(saved) = catalog.saved(&name).filter(|_| catalog.temp_view(&name).is_none()) else { return Vec::new() };
    if saved.partition_by.is_empty() {
        return Vec::new();
    }
    let line = |a: &str, b: &str, c: &'static str| (a.to_owned(), b.to_owned(), Some(c));
    let mut lines = vec![line("# Partition Information", "", ""), line("# col_name", "data_type", "comment")];
    for column in &saved.partition_by {
        let found = saved.schema.fields.iter().find(|f| f.name.eq_ignore_ascii_case(column));
        let data_type = found.map(|f| f.data_type.simple_string()).unwrap_or_default();
        lines.push((column.clone(), data_type, None));
    }
    lines
}
