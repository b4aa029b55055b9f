//! df.write...save(): the save modes, the job's part files, `_SUCCESS` (InsertIntoHadoopFsRelationCommand).

use super::options::Options;
use super::write::FileWriter;
use super::{qualified, resolve_path};
use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::hash::xxhash64_bytes;
use crate::plan::PlanRef;
use crate::session::SqlSession;

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
    for name in partition_by {
        if !schema.fields.iter().any(|f| conf.same_name(&f.name, name)) {
            let names: Vec<&str> = schema.fields.iter().map(|f| f.name.as_str()).collect();
            return Err(SparkError::analysis(
                "_LEGACY_ERROR_TEMP_1196",
                &[("columnType", "Partition"), ("columnName", name), ("validColumnNames", &names.join(", "))],
            ));
        }
    }
    if !partition_by.is_empty() && partition_by.len() == schema.fields.len() {
        return Err(SparkError::analysis("ALL_PARTITION_COLUMNS_NOT_ALLOWED", &[]));
    }
    let writer = FileWriter::new(format, options, &schema, partition_by, &conf)?;
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
