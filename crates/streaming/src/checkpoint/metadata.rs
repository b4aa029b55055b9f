//! `metadata`: the query's id (Spark's StreamMetadata).

use serde_json::{Value, json};
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_vfs::SharedFs;

use super::metadata_log::{MetadataLog, fs_error};
use super::parse_json;

/// The id in `checkpoint`, or `fresh`'s, written there. A checkpoint with logs but without the file is refused.
pub(crate) fn query_id(fs: &SharedFs, checkpoint: &str, fresh: impl FnOnce() -> String, now_ms: i64) -> Result<String> {
    let path = format!("{checkpoint}/metadata");
    if fs.is_file(&path) {
        let bytes = fs.read(&path).map_err(|e| fs_error(&e))?;
        let metadata = parse_json(&String::from_utf8_lossy(&bytes))?;
        return metadata.get("id").and_then(Value::as_str).map(str::to_owned).ok_or_else(|| {
            let class = ErrorClass::Java("org.json4s.MappingException");
            let why = "Did not find value which can be converted into java.lang.String";
            SparkError::plain(class, format!("No usable value for id\n{why}")).with_cause(SparkError::plain(class, why))
        });
    }
    for log in ["offsets", "commits"] {
        if !MetadataLog::existing(fs.clone(), format!("{checkpoint}/{log}")).batch_ids().is_empty() {
            return Err(SparkError::runtime(
                "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
                &[("checkpointLocation", &format!("file:{checkpoint}"))],
            ));
        }
    }
    let id = fresh();
    fs.write(&path, json!({ "id": id }).to_string().as_bytes(), now_ms).map_err(|e| fs_error(&e))?;
    Ok(id)
}
