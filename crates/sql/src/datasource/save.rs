//! df.write...save(): the save modes, the job's part files, `_SUCCESS` (InsertIntoHadoopFsRelationCommand).

use super::options::Options;
use super::relation::{check_duplicates, format_named};
use super::write::FileWriter;
use super::{qualified, resolve_path};
use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::hash::xxhash64_bytes;
use crate::plan::PlanRef;
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};

/// What to do with what is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveMode {
    Error,
    Append,
    Overwrite,
    Ignore,
}

/// Runs the plan and writes its rows below `path`.
pub fn save(
    session: &SqlSession,
    plan: &PlanRef,
    format: &str,
    options: &Options,
    partition_by: &[String],
    mode: SaveMode,
    path: &str,
) -> Result<()> {
    let conf = session.conf.borrow().clone();
    let fs = &session.fs;
    let folder = resolve_path(&session.cwd, path);
    let schema = plan.schema();
    if partition_by.is_empty() && has_empty(&schema) {
        let format = format_named(format)?.shown();
        return Err(SparkError::analysis("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", &[("format", format)]));
    }
    for (i, name) in partition_by.iter().enumerate() {
        if partition_by[..i].iter().any(|other| conf.same_name(other, name)) {
            let shown = if conf.case_sensitive() { name.clone() } else { name.to_lowercase() };
            return Err(SparkError::analysis("COLUMN_ALREADY_EXISTS", &[("columnName", &format!("`{shown}`"))]));
        }
        if !schema.fields.iter().any(|f| conf.same_name(&f.name, name)) {
            return Err(SparkError::analysis(
                "_LEGACY_ERROR_TEMP_1155",
                &[("col", name), ("schemaCatalog", &DataType::Struct(schema.clone().into()).catalog_string())],
            ));
        }
    }
    if !partition_by.is_empty() && partition_by.len() == schema.fields.len() {
        return Err(SparkError::analysis("ALL_PARTITION_COLUMNS_NOT_ALLOWED", &[]));
    }
    let writer = FileWriter::new(format, options, &schema, partition_by, &conf)?;
    check_duplicates(&schema, &conf)?;
    let exists = fs.exists(&folder);
    match mode {
        SaveMode::Error if exists => {
            return Err(SparkError::analysis("PATH_ALREADY_EXISTS", &[("outputPath", &qualified(&folder))]));
        }
        SaveMode::Ignore if exists => return Ok(()),
        SaveMode::Overwrite if exists && reads(plan, &folder) => {
            return Err(SparkError::analysis("UNSUPPORTED_OVERWRITE.PATH", &[("path", &qualified(&folder))]));
        }
        _ => {}
    }
    let partitions = crate::planner::execute(session, plan)?;
    let io = |e: tidemark_vfs::FsError| SparkError::plain(ErrorClass::Java("java.io.IOException"), e.to_string());
    if mode == SaveMode::Overwrite && exists {
        fs.remove_dir_all(&folder).map_err(io)?;
    }
    let now_ms = session.clock.now_us().div_euclid(1000);
    fs.create_dir_all(&folder, now_ms).map_err(io)?;
    let uuid = job_uuid(session, &folder);
    let separator = if partition_by.is_empty() { "-" } else { "." };
    let name = |task: usize, number: usize, extension: &str| {
        format!("part-{task:05}-{uuid}{separator}c{number:03}{extension}")
    };
    writer.write(&**fs, &folder, &partitions, &name, now_ms)?;
    fs.write(&tidemark_vfs::join(&folder, "_SUCCESS"), b"", now_ms).map_err(io)
}

/// Whether a schema or a struct within it has no columns (DataSource.hasEmptySchema).
fn has_empty(schema: &StructType) -> bool {
    let nested = |field: &StructField| matches!(&field.data_type, DataType::Struct(inner) if has_empty(inner));
    schema.fields.is_empty() || schema.fields.iter().any(nested)
}

/// Whether the plan reads the folder that is to be replaced.
fn reads(plan: &PlanRef, folder: &str) -> bool {
    plan.any(&|node| match node {
        crate::plan::LogicalPlan::FileRelation(r) => r.root_paths.iter().any(|p| p == folder),
        _ => false,
    })
}

/// A name for a write job, another for every job: made from the session's time and from what is in the folder.
fn job_uuid(session: &SqlSession, folder: &str) -> String {
    let names: String =
        session.fs.list(folder).map(|l| l.iter().map(|e| e.name.as_str()).collect()).unwrap_or_default();
    let a = xxhash64_bytes(names.as_bytes(), session.clock.now_us()) as u64;
    let b = xxhash64_bytes(folder.as_bytes(), a as i64) as u64;
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        0x8000 | ((b >> 48) & 0x3fff),
        b & 0xffff_ffff_ffff
    )
}
