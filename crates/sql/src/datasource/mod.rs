//! File formats, listings, readers and writers.

/// A file as listed when a plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// Absolute path.
    pub path: String,
    /// Bytes.
    pub len: u64,
    pub modified_ms: i64,
}
