//! DataFrameWriter.

use super::WriteSpec;
use crate::analyzer::streaming_checks::check_batch;
use crate::datasource::relation::format_named;
use crate::datasource::save::{SaveMode, save};
use crate::error::{ErrorClass, Result, SparkError};
use crate::plan::PlanRef;
use crate::session::SqlSession;

/// df.write...save(), saveAsTable().
pub fn write(session: &SqlSession, plan: &PlanRef, spec: WriteSpec) -> Result<()> {
    check_batch(plan)?;
    if spec.table.is_some() {
        return Err(SparkError::not_yet("Writing tables"));
    }
    let default = session.conf.borrow().get("spark.sql.sources.default");
    let format = spec.format.clone().or(default).unwrap_or_else(|| "parquet".to_owned());
    if format.eq_ignore_ascii_case("noop") {
        crate::planner::execute(session, plan)?;
        return Ok(());
    }
    format_named(&format)?;
    let path = spec.path.clone().or_else(|| {
        spec.options.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case("path")).map(|(_, value)| value.clone())
    });
    let Some(path) = path else {
        return Err(SparkError::new(ErrorClass::IllegalArgument, "_LEGACY_ERROR_TEMP_2047", &[]));
    };
    let mode = match spec.mode.as_deref().map(str::to_lowercase).as_deref() {
        None | Some("error" | "errorifexists" | "default") => SaveMode::Error,
        Some("append") => SaveMode::Append,
        Some("overwrite") => SaveMode::Overwrite,
        Some("ignore") => SaveMode::Ignore,
        Some(_) => {
            let mode = spec.mode.unwrap_or_default();
            return Err(SparkError::analysis("INVALID_SAVE_MODE", &[("mode", &format!("\"{mode}\""))]));
        }
    };
    save(session, plan, &format, &spec.options, &spec.partition_by, mode, &path)
}
