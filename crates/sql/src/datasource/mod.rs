//! File formats, listings, readers and writers.
//!
//! A read goes: [`relation`] lists files and settles the schema when a plan is made; [`splits::partitions`] cuts the files
//! into tasks when it runs; a reader of the format turns each piece into batches.

pub mod binary_file;
pub mod charset;
pub mod checks;
pub mod csv_read;
pub mod csv_tokens;
pub mod infer_csv;
pub mod infer_json;
pub mod inflate;
pub mod json_columns;
pub mod json_read;
pub mod json_scan;
pub mod listing;
pub mod metadata_log;
pub mod options;
pub mod parquet_read;
pub mod partitions;
pub mod read;
pub mod relation;
pub mod save;
pub mod splits;
pub mod text;
mod times;
pub mod uri;
pub mod write;

pub use listing::{ListOptions, list_files};
pub use relation::{Format, relation, relation_of_files};

/// A file as listed when a plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// Absolute path.
    pub path: String,
    /// Bytes.
    pub len: u64,
    pub modified_ms: i64,
}

/// A path as Hadoop prints it: `file:/data/in`.
pub fn qualified(path: &str) -> String {
    format!("file:{path}")
}

/// A path as error texts and `input_file_name` print it: `file:///data/in`.
pub fn uri(path: &str) -> String {
    format!("file://{}", listing::encode_path(path))
}

/// The path within the file system that a user's path means: schemes taken off, relative ones seen from `cwd`.
pub fn resolve_path(cwd: &str, path: &str) -> String {
    let plain = path.strip_prefix("file://").or_else(|| path.strip_prefix("file:")).unwrap_or(path);
    tidemark_vfs::join(cwd, plain)
}
