//! DataFrameWriter: files and tables.

use super::WriteSpec;
use crate::analyzer::streaming_checks::check_batch;
use crate::catalog::{SavedTable, full_name, nested_namespace, split};
use crate::conf::LENIENT_PATHS;
use crate::connector;
use crate::datasource::relation::format_named;
use crate::datasource::resolve_path;
use crate::datasource::save::{SaveMode, save};
use crate::error::{ErrorClass, Result, SparkError};
use crate::parser::parse_table_name;
use crate::plan::PlanRef;
use crate::python_source::Writing;
use crate::session::SqlSession;

/// Folder of saved tables, below the session's folder unless spark.sql.warehouse.dir says otherwise.
const WAREHOUSE: &str = "spark-warehouse";

fn save_mode(mode: Option<&str>) -> Result<SaveMode> {
    Ok(match mode.map(str::to_lowercase).as_deref() {
        None | Some("error" | "errorifexists" | "default") => SaveMode::Error,
        Some("append") => SaveMode::Append,
        Some("overwrite") => SaveMode::Overwrite,
        Some("ignore") => SaveMode::Ignore,
        Some(_) => {
            let mode = format!("\"{}\"", mode.unwrap_or_default());
            return Err(SparkError::analysis("INVALID_SAVE_MODE", &[("mode", &mode)]));
        }
    })
}

/// df.write...save(), saveAsTable().
pub fn write(session: &SqlSession, plan: &PlanRef, spec: WriteSpec) -> Result<()> {
    check_batch(plan)?;
    if spec.path.is_some() && path_option(&spec).is_some() && !session.conf.borrow().lenient_paths() {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1307", &[("config", LENIENT_PATHS)]));
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = spec.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    if format.eq_ignore_ascii_case("noop") {
        crate::planner::execute(session, plan)?;
        return Ok(());
    }
    if let (None, Some(kafka)) = (&spec.table, connector::kafka(session, &format)) {
        return kafka.write(session, plan, &spec);
    }
    let python = session.catalog.borrow().python_source(&format);
    if let Some(class) = python {
        return write_python(session, plan, &spec, class, &format);
    }
    format_named(&format)?;
    let mode = save_mode(spec.mode.as_deref())?;
    if let Some(table) = &spec.table {
        return save_as_table(session, plan, &spec, &format, mode, table);
    }
    let Some(path) = spec.path.as_deref().or_else(|| path_option(&spec)) else {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2047", &[]));
    };
    save(session, plan, &format, &spec.options, &spec.partition_by, mode, path)
}

/// save() to a data source of the script's, which takes any columns.
fn write_python(session: &SqlSession, plan: &PlanRef, spec: &WriteSpec, class: u64, format: &str) -> Result<()> {
    if spec.table.is_some() {
        return Err(SparkError::not_yet("A table of a data source in Python"));
    }
    let refused = match save_mode(spec.mode.as_deref())? {
        SaveMode::Error => "ErrorIfExists",
        SaveMode::Ignore => "Ignore",
        mode => {
            if !spec.partition_by.is_empty() {
                let columns: Vec<String> = spec.partition_by.iter().map(|by| format!("identity({by})")).collect();
                let message = format!(
                    "requirement failed: The provided partitioning or clustering columns do not match the existing \
                     table's.\n - provided: {}\n - table: ",
                    columns.join(", ")
                );
                return Err(SparkError::plain(ErrorClass::IllegalArgument, message));
            }
            let mut options = spec.options.clone();
            options.extend(spec.path.iter().map(|path| ("path".to_owned(), path.clone())));
            let overwrite = mode == SaveMode::Overwrite;
            let writing = Writing::new(session, class, format, &options, &plan.schema(), overwrite)?;
            return writing.write(&crate::planner::execute(session, plan)?, None);
        }
    };
    let refused = format!("\"{refused}\"");
    Err(SparkError::analysis("UNSUPPORTED_DATA_SOURCE_SAVE_MODE", &[("source", format), ("createMode", &refused)]))
}

/// The folder of a database, absolute.
pub(super) fn database_folder(session: &SqlSession, name: &str) -> String {
    let root = session.conf.borrow().get("spark.sql.warehouse.dir").unwrap_or_else(|| WAREHOUSE.to_owned());
    let root = resolve_path(&session.cwd, &root);
    let folder = session.catalog.borrow().database(&[name.to_owned()]).map(|database| database.folder);
    match folder.filter(|folder| !folder.is_empty()) {
        Some(folder) => format!("{root}/{folder}"),
        None => root,
    }
}

/// Where a table has its files, absolute: at the place given, seen from the folder of its database (SessionCatalog's
/// makeQualifiedTablePath), or where the catalog puts them. `name`: as [`crate::catalog::Catalog::table_name`] gives it.
pub fn table_folder(session: &SqlSession, name: &str, place: Option<&str>) -> String {
    let (database, table) = split(name);
    let database = database_folder(session, database);
    match place {
        Some(place) => resolve_path(&database, place),
        None => format!("{database}/{}", table.to_lowercase()),
    }
}

/// The option path, however it is written; the last one counts.
fn path_option(spec: &WriteSpec) -> Option<&str> {
    let mut paths = spec.options.iter().rev().filter(|(key, _)| key.eq_ignore_ascii_case("path"));
    paths.next().map(|(_, path)| path.as_str())
}

fn save_as_table(
    session: &SqlSession,
    plan: &PlanRef,
    spec: &WriteSpec,
    format: &str,
    mode: SaveMode,
    table: &str,
) -> Result<()> {
    let parts = parse_table_name(session, table)?;
    if nested_namespace(&parts).is_some() {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1310", &[("quote", &parts.join("."))]));
    }
    let name = &session.catalog.borrow().table_name(&parts)?;
    let known = session.catalog.borrow().saved(name).is_some();
    if known && mode == SaveMode::Error {
        return Err(SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &full_name(name))]));
    }
    if known && mode == SaveMode::Ignore {
        return Ok(());
    }
    let place = spec.path.as_deref().or_else(|| path_option(spec));
    let folder = table_folder(session, name, place);
    let mode = if known && mode == SaveMode::Append { SaveMode::Append } else { SaveMode::Overwrite };
    save(session, plan, format, &spec.options, &spec.partition_by, mode, &folder)?;
    if !known || mode == SaveMode::Overwrite {
        let saved = SavedTable {
            name: name.clone(),
            format: format.to_lowercase(),
            options: spec.options.clone().into_iter().filter(|(key, _)| !key.eq_ignore_ascii_case("path")).collect(),
            folder,
            schema: plan.schema(),
            partition_by: spec.partition_by.clone(),
            managed: place.is_none(),
            remarks: Default::default(),
        };
        session.catalog.borrow_mut().save_table(saved);
    }
    Ok(())
}
