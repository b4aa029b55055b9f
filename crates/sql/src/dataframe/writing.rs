//! DataFrameWriter: files and tables.

use super::WriteSpec;
use crate::analyzer::streaming_checks::check_batch;
use crate::catalog::{SavedTable, full_name, split};
use crate::conf::LENIENT_PATHS;
use crate::connector;
use crate::datasource::relation::format_named;
use crate::datasource::resolve_path;
use crate::datasource::save::{SaveMode, save};
use crate::error::{ErrorClass, Result, SparkError};
use crate::parser::parse_table_name;
use crate::plan::PlanRef;
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
    let has_option = spec.options.keys().any(|key| key.eq_ignore_ascii_case("path"));
    if spec.path.is_some() && has_option && !session.conf.borrow().lenient_paths() {
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
    format_named(&format)?;
    let mode = save_mode(spec.mode.as_deref())?;
    if let Some(table) = &spec.table {
        return save_as_table(session, plan, &spec, &format, mode, table);
    }
    let path = spec.path.clone().or_else(|| {
        spec.options.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case("path")).map(|(_, value)| value.clone())
    });
    let Some(path) = path else {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2047", &[]));
    };
    save(session, plan, &format, &spec.options, &spec.partition_by, mode, &path)
}

/// Where a managed table has its files, absolute.
pub(super) fn warehouse_folder(session: &SqlSession, name: &str) -> String {
    let root = session.conf.borrow().get("spark.sql.warehouse.dir").unwrap_or_else(|| WAREHOUSE.to_owned());
    let root = resolve_path(&session.cwd, &root);
    let (database, table) = split(name);
    let parts = [database.to_owned()];
    let folder = session.catalog.borrow().database(&parts).map(|database| database.folder).unwrap_or_default();
    match folder.as_str() {
        "" => format!("{root}/{}", table.to_lowercase()),
        folder => format!("{root}/{folder}/{}", table.to_lowercase()),
    }
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
    let name = &session.catalog.borrow().table_name(&parts)?;
    let known = session.catalog.borrow().saved(name).is_some();
    if known && mode == SaveMode::Error {
        return Err(SparkError::analysis("TABLE_OR_VIEW_ALREADY_EXISTS", &[("relationName", &full_name(name))]));
    }
    if known && mode == SaveMode::Ignore {
        return Ok(());
    }
    let folder = match &spec.path {
        Some(path) => resolve_path(&session.cwd, path),
        None => warehouse_folder(session, name),
    };
    let mode = if known && mode == SaveMode::Append { SaveMode::Append } else { SaveMode::Overwrite };
    save(session, plan, format, &spec.options, &spec.partition_by, mode, &folder)?;
    if !known || mode == SaveMode::Overwrite {
        let saved = SavedTable {
            name: name.clone(),
            format: format.to_lowercase(),
            options: spec.options.clone(),
            folder,
            schema: plan.schema(),
            partition_by: spec.partition_by.clone(),
        };
        session.catalog.borrow_mut().save_table(saved);
    }
    Ok(())
}
