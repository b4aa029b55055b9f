//! The file sink's log `_spark_metadata`: a folder that has one holds exactly the files that the log names
//! (MetadataLogFileIndex).

use tidemark_vfs::{FileSystem, join};

use super::FileStatus;
use crate::error::{ErrorClass, Result, SparkError};

/// Name of the log's folder.
pub const FOLDER: &str = "_spark_metadata";

/// Whether reading this single root goes by its log.
pub fn has_log(fs: &dyn FileSystem, roots: &[String]) -> bool {
    matches!(roots, [one] if fs.is_dir(one) && fs.is_dir(&join(one, FOLDER)))
}

/// The files that were added and not deleted, as of the last batch in the log.
pub fn read(fs: &dyn FileSystem, root: &str) -> Result<Vec<FileStatus>> {
    let folder = join(root, FOLDER);
    let names = fs.list(&folder).map_err(|e| SparkError::plain(ErrorClass::Spark, e.to_string()))?;
    let number = |name: &str| name.strip_suffix(".compact").unwrap_or(name).parse::<i64>().ok();
    let mut batches: Vec<(i64, bool, String)> = names
        .iter()
        .filter(|e| !e.metadata.is_dir)
        .filter_map(|e| Some((number(&e.name)?, e.name.ends_with(".compact"), join(&folder, &e.name))))
        .collect();
    batches.sort();
    let start = batches.iter().rposition(|(_, compact, _)| *compact).unwrap_or(0);
    let mut files: Vec<FileStatus> = Vec::new();
    for (_, _, path) in &batches[start.min(batches.len())..] {
        let content = fs.read(path).map_err(|e| SparkError::plain(ErrorClass::Spark, e.to_string()))?;
        let text = String::from_utf8_lossy(&content);
        for line in text.lines().skip(1).filter(|l| !l.trim().is_empty()) {
            let entry: serde_json::Value = serde_json::from_str(line).map_err(|e| {
                SparkError::plain(ErrorClass::Java("com.fasterxml.jackson.core.JsonParseException"), e.to_string())
            })?;
            let uri = entry["path"].as_str().unwrap_or_default();
            let path = super::partitions::unescape(super::resolve_path("/", uri).as_str());
            if entry["action"].as_str() == Some("delete") {
                files.retain(|f| f.path != path);
                continue;
            }
            files.push(FileStatus {
                path,
                len: entry["size"].as_u64().unwrap_or(0),
                modified_ms: entry["modificationTime"].as_i64().unwrap_or(0),
            });
        }
    }
    Ok(files)
}
