//! Tables of files: CREATE TABLE, INSERT, insertInto, SHOW PARTITIONS, DESCRIBE.

use indexmap::IndexMap;

use super::ReadSpec;
use super::listing::saved as saved_of;
use super::writing::table_folder;
use crate::analyzer::analyze;
use crate::analyzer::streaming_checks::check_batch;
use crate::catalog::{SavedTable, SavedView, full_name};
use crate::datasource::relation::format_named;
use crate::datasource::save::{SaveMode, save};
use crate::error::{Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::parser::{TableDefinition, parse_table_name};
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::{DataType, StructType};

/// CREATE TABLE ... USING a file format, with columns or from a query.
pub(super) fn create(session: &SqlSession, table: TableDefinition) -> Result<()> {
    let name = session.catalog.borrow().table_name(&table.name)?;
    if session.catalog.borrow().saved(&name).is_some() {
        if table.if_not_exists {
            return Ok(());
        }
        return Err(SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &full_name(&name))]));
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = table.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    if session.catalog.borrow().python_source(&format).is_some() {
        return Err(SparkError::not_yet("A table of a data source in Python"));
    }
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
    let folder = table_folder(session, &name, table.location.as_deref());
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
        managed: table.location.is_none(),
        remarks: table.remarks,
    };
    session.catalog.borrow_mut().save_table(saved);
    Ok(())
}

/// spark.catalog.createTable: without a schema the files at the path tell it.
pub fn create_table(
    session: &SqlSession,
    name: &str,
    format: Option<String>,
    schema: Option<StructType>,
    options: IndexMap<String, String>,
) -> Result<PlanRef> {
    let parts = parse_table_name(session, name)?;
    let path = options.iter().find(|(key, _)| key.eq_ignore_ascii_case("path")).map(|(_, path)| path.clone());
    let mut options = options;
    options.retain(|key, _| !key.eq_ignore_ascii_case("path"));
    let schema = match (schema, &path) {
        (None, Some(path)) => {
            let spec = ReadSpec {
                format: format.clone(),
                options: options.clone(),
                paths: vec![path.clone()],
                ..ReadSpec::default()
            };
            Some(super::read(session, spec)?.schema())
        }
        (schema, _) => schema,
    };
    let table = TableDefinition { name: parts.clone(), schema, format, options, location: path, ..Default::default() };
    create(session, table)?;
    super::sql::relation(session, &parts, false)
}

/// DataFrame.writeTo(name).create(): a table of the frame's rows. Partition columns are columns by name.
pub fn create_table_as(
    session: &SqlSession,
    plan: &PlanRef,
    name: &str,
    format: Option<String>,
    options: IndexMap<String, String>,
    partition_by: &[Expr],
) -> Result<()> {
    check_batch(plan)?;
    let column = |expr: &Expr| match expr {
        Expr::UnresolvedAttribute(parts) => Ok(parts.join(".")),
        Expr::Attribute(attribute) => Ok(attribute.name.to_string()),
        other => Err(SparkError::not_yet(&format!("A table partitioned by {}", other.pretty_sql()))),
    };
    let partition_by = partition_by.iter().map(column).collect::<Result<_>>()?;
    let name = parse_table_name(session, name)?;
    create(
        session,
        TableDefinition { name, format, options, partition_by, query: Some(plan.clone()), ..Default::default() },
    )
}

/// CREATE VIEW: the query is checked now and analysed again whenever the view is read.
pub(super) fn save_view(session: &SqlSession, view: SavedView, replace: bool, quiet: bool) -> Result<()> {
    let catalog = session.catalog.borrow();
    let taken = catalog.saved(&view.name).is_some() || (catalog.saved_view(&view.name).is_some() && !replace);
    drop(catalog);
    if taken {
        let error =
            || SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &full_name(&view.name))]);
        return if quiet { Ok(()) } else { Err(error()) };
    }
    let plan = analyze(session, &view.query)?.output();
    let output = plan.len();
    if !view.columns.is_empty() && view.columns.len() != output {
        let many = if output > view.columns.len() { "TOO_MANY" } else { "NOT_ENOUGH" };
        let given: Vec<String> = view.columns.iter().map(|column| crate::analyzer::quoted(column)).collect();
        let found: Vec<String> = plan.iter().map(|column| crate::analyzer::quoted(&column.name)).collect();
        return Err(SparkError::analysis(
            &format!("CREATE_VIEW_COLUMN_ARITY_MISMATCH.{many}_DATA_COLUMNS"),
            &[
                ("viewName", &full_name(&view.name)),
                ("viewColumns", &given.join(", ")),
                ("dataColumns", &found.join(", ")),
            ],
        ));
    }
    if let Some(place) = unnamed(&view.query) {
        let name = plan.get(place).map_or("", |column| &*column.name);
        return Err(SparkError::analysis(
            "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS",
            &[("name", &full_name(&view.name)), ("attr", &format!("\"{name}\""))],
        ));
    }
    let temporary = temporary_relation(session, &view.query);
    if let Some(name) = temporary {
        return Err(SparkError::analysis(
            "INVALID_TEMP_OBJ_REFERENCE",
            &[
                ("obj", "VIEW"),
                ("objName", &full_name(&view.name)),
                ("tempObj", "VIEW"),
                ("tempObjName", &crate::analyzer::quote_parts(&name)),
            ],
        ));
    }
    if let Some(path) = path_to(session, &view.query, &view.name) {
        let path: Vec<String> = [&view.name].into_iter().chain(&path).map(|name| full_name(name)).collect();
        return Err(SparkError::analysis(
            "RECURSIVE_VIEW",
            &[("viewIdent", &full_name(&view.name)), ("newPath", &path.join(" -> "))],
        ));
    }
    session.catalog.borrow_mut().save_view(view);
    Ok(())
}

/// The first column of a query that the query gives no name.
fn unnamed(query: &PlanRef) -> Option<usize> {
    let list = match &**query {
        LogicalPlan::Project { list, .. } | LogicalPlan::Aggregate { list, .. } => list,
        LogicalPlan::Sort { child, .. }
        | LogicalPlan::Limit { child, .. }
        | LogicalPlan::Filter { child, .. }
        | LogicalPlan::Distinct { child }
        | LogicalPlan::Hint { child, .. }
        | LogicalPlan::With { child, .. } => return unnamed(child),
        _ => return None,
    };
    fn is_named(expr: &Expr) -> bool {
        match expr {
            Expr::At { child, .. } | Expr::UnresolvedAlias(child) => is_named(child),
            Expr::Alias(_) | Expr::UnresolvedAttribute(_) | Expr::Attribute(_) | Expr::UnresolvedExtract { .. } => true,
            Expr::UnresolvedStar(_) | Expr::UnresolvedRegex(_) | Expr::Literal { .. } => true,
            Expr::UnresolvedFunction(call) => call.name.starts_with('$'),
            _ => false,
        }
    }
    list.iter().position(|item| !is_named(item))
}

/// The saved views through which a query reads the view of this name, which ends the path.
fn path_to(session: &SqlSession, query: &PlanRef, name: &str) -> Option<Vec<String>> {
    if let LogicalPlan::UnresolvedRelation { parts, .. } = &**query {
        let catalog = session.catalog.borrow();
        let view = catalog.table_name(parts).ok().and_then(|name| catalog.saved_view(&name).cloned())?;
        drop(catalog);
        if view.name.eq_ignore_ascii_case(name) {
            return Some(vec![view.name]);
        }
        let mut path = path_to(session, &view.query, name)?;
        path.insert(0, view.name);
        return Some(path);
    }
    parts_of(query).iter().find_map(|child| path_to(session, child, name))
}

/// The children of a plan and the subqueries in its expressions.
fn parts_of(plan: &PlanRef) -> Vec<PlanRef> {
    let mut found = plan.child_plans();
    plan.for_each_expression(&mut |expr| {
        expr.visit(&mut |inner| match inner {
            Expr::ScalarSubquery(plan) | Expr::Exists { plan, .. } | Expr::InSubquery { plan, .. } => {
                found.push(plan.clone());
            }
            _ => {}
        });
    });
    found
}

/// The first temp view that a query reads.
fn temporary_relation(session: &SqlSession, plan: &PlanRef) -> Option<Vec<String>> {
    if let LogicalPlan::UnresolvedRelation { parts, .. } = &**plan
        && super::find_table(session, parts).is_some_and(|entry| entry.temporary)
    {
        return Some(parts.clone());
    }
    parts_of(plan).iter().find_map(|child| temporary_relation(session, child))
}

/// TRUNCATE TABLE: the rows go, the table stays.
pub(super) fn truncate(session: &SqlSession, table: &[String]) -> Result<()> {
    let entry = super::find_table(session, table);
    let saved = saved_of(session, table);
    let (Some(entry), Some(saved)) = (entry, saved) else {
        super::sql::relation(session, table, false)?;
        return Err(not_a_table(table, "TRUNCATE TABLE"));
    };
    if entry.temporary {
        return Err(not_a_table(table, "TRUNCATE TABLE"));
    }
    if !saved.managed {
        return Err(SparkError::analysis("CANNOT_TRUNCATE_EXTERNAL_TABLE", &[("tableName", &full_name(&saved.name))]));
    }
    let failed = |error: tidemark_vfs::FsError| SparkError::internal(error.to_string());
    let now_ms = session.clock.now_us().div_euclid(1000);
    session.fs.remove_dir_all(&saved.folder).map_err(failed)?;
    session.fs.create_dir_all(&saved.folder, now_ms).map_err(failed)
}

fn not_a_table(name: &[String], operation: &str) -> SparkError {
    SparkError::analysis(
        "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
        &[("viewName", &crate::analyzer::quote_parts(name)), ("operation", operation)],
    )
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
    let Some(saved) = saved_of(session, table) else {
        let relation = LogicalPlan::UnresolvedRelation { parts: table.to_vec(), streaming: false, at: None };
        analyze(session, &std::sync::Arc::new(relation))?;
        return Err(SparkError::analysis("UNSUPPORTED_INSERT.RDD_BASED", &[]));
    };
    let conf = session.conf.borrow().clone();
    let fields = &saved.schema.fields;
    let mut targets: Vec<usize> = Vec::new();
    for column in columns {
        let Some(at) = fields.iter().position(|field| conf.same_name(&field.name, column)) else {
            let known: Vec<String> = fields.iter().map(|field| crate::analyzer::quoted(&field.name)).collect();
            let parameters = [("objectName", crate::analyzer::quoted(column)), ("proposal", known.join(", "))];
            let parameters = parameters.each_ref().map(|(key, value)| (*key, value.as_str()));
            let error = SparkError::analysis("UNRESOLVED_COLUMN.WITH_SUGGESTION", &parameters);
            return Err(error.with_context("; line 1 pos 0"));
        };
        if targets.contains(&at) {
            let name = crate::analyzer::quoted(column);
            return Err(SparkError::analysis("COLUMN_ALREADY_EXISTS", &[("columnName", &name)]));
        }
        targets.push(at);
    }
    if columns.is_empty() {
        targets.extend(0..fields.len());
    }
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
    for (at, column) in targets.iter().zip(&given) {
        if conf.ansi() && !can_store(&column.data_type, &fields[*at].data_type) {
            return Err(SparkError::analysis(
                "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
                &[
                    ("tableName", &full_name(&saved.name)),
                    ("colName", &crate::analyzer::quoted(&fields[*at].name)),
                    ("srcType", &column.data_type.quoted_sql()),
                    ("targetType", &fields[*at].data_type.quoted_sql()),
                ],
            ));
        }
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

/// Whether ANSI's rules let a value of one type be stored in a column of another (Cast.canANSIStoreAssign).
fn can_store(from: &DataType, to: &DataType) -> bool {
    let nested = |t: &DataType| {
        matches!(t, DataType::Array { .. } | DataType::Map { .. } | DataType::Struct(_) | DataType::Variant)
    };
    match (from, to) {
        (DataType::Null, _) => true,
        (DataType::Array { element: a, .. }, DataType::Array { element: b, .. }) => can_store(a, b),
        (DataType::Map { key: a, value: b, .. }, DataType::Map { key: c, value: d, .. }) => {
            can_store(a, c) && can_store(b, d)
        }
        (DataType::Struct(a), DataType::Struct(b)) => {
            a.fields.len() == b.fields.len()
                && a.fields.iter().zip(&b.fields).all(|(a, b)| can_store(&a.data_type, &b.data_type))
        }
        (DataType::YearMonthInterval { .. }, DataType::YearMonthInterval { .. })
        | (DataType::DayTimeInterval { .. }, DataType::DayTimeInterval { .. }) => true,
        (from, to) if from == to => true,
        (from, to) => {
            (from.is_numeric() && to.is_numeric())
                || (from.is_datetime() && to.is_datetime())
                || (to.is_string() && !nested(from))
        }
    }
}

/// The rows of an INSERT with the values of its PARTITION clause after them, and the columns that they go to.
pub(super) fn with_partition(
    session: &SqlSession,
    plan: PlanRef,
    table: &[String],
    columns: Vec<String>,
    partition: Vec<(String, Option<Expr>)>,
) -> Result<(PlanRef, Vec<String>)> {
    let given: Vec<(String, Expr)> =
        partition.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect();
    if given.is_empty() {
        return Ok((plan, columns));
    }
    let fields = saved_of(session, table).map(|saved| saved.schema.fields).unwrap_or_default();
    let fixed = |column: &str| given.iter().any(|(name, _)| name.eq_ignore_ascii_case(column));
    let mut columns = columns;
    if columns.is_empty() {
        columns = fields.into_iter().map(|field| field.name).filter(|name| !fixed(name)).collect();
    }
    columns.extend(given.iter().map(|(name, _)| name.clone()));
    let mut list: Vec<Expr> = plan.output().into_iter().map(Expr::Attribute).collect();
    list.extend(given.into_iter().map(|(name, value)| value.alias(&name)));
    Ok((super::select(session, &plan, list)?, columns))
}

/// Partitions by their folders; none where a streaming query wrote them, which does not tell the catalog.
pub(super) fn partitions(session: &SqlSession, table: &[String]) -> Result<Vec<String>> {
    if super::find_table(session, table).is_some_and(|entry| entry.temporary || entry.table_type == "VIEW") {
        return Err(not_a_table(table, "SHOW PARTITIONS"));
    }
    let Some(saved) = saved_of(session, table) else {
        return Err(SparkError::analysis(
            "TABLE_OR_VIEW_NOT_FOUND",
            &[
                ("relationName", &crate::analyzer::quote_parts(table)),
                ("searchPath", &session.catalog.borrow().search_path()),
            ],
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
    let temporary = super::find_table(session, table).is_none_or(|entry| entry.temporary);
    let Some(saved) = saved_of(session, table).filter(|_| !temporary) else { return Vec::new() };
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
