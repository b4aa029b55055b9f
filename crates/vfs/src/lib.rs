//! A file system as a value.
//!
//! The engine, the scripts and the page see one tree of files through [`FileSystem`]. This crate has the
//! in-memory tree with cheap snapshots and a journal of changed paths, and the disk behind the command line.
//! It knows no browser: whoever persists a session takes the journal and writes it where it likes.
//! It reads no clock either: modification times come in as arguments (milliseconds since the epoch).

mod disk;
mod error;
mod memory;
mod path;

pub use disk::DiskFs;
pub use error::{FsError, FsErrorKind, FsResult};
pub use memory::{Change, MemoryFs, Snapshot};
pub use path::{file_name, join, normalize, parent};

use std::sync::Arc;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Metadata {
    pub is_dir: bool,
    /// Bytes; 0 for a folder.
    pub len: u64,
    /// Milliseconds since the epoch.
    pub modified_ms: i64,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DirEntry {
    /// The last component of the path.
    pub name: String,
    pub metadata: Metadata,
}

/// A tree of files. Paths are absolute, `/`-separated and normalised by the callee ([`normalize`]).
///
/// All methods take `&self`: implementations keep their own interior mutability, so that a script's open
/// files, the engine and the journal can share one tree. Every error names the path.
pub trait FileSystem {
    /// The whole content of a file. Errors: not found, is a folder.
    fn read(&self, path: &str) -> FsResult<Arc<Vec<u8>>>;
    /// `len` bytes from `offset`, fewer at the end of the file.
    fn read_range(&self, path: &str, offset: u64, len: usize) -> FsResult<Vec<u8>>;
    /// Creates or replaces a file; its folder must exist.
    fn write(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()>;
    /// Creates the file or appends to it; its folder must exist.
    fn append(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()>;
    /// Creates one folder; its parent must exist and the path must be free.
    fn create_dir(&self, path: &str, modified_ms: i64) -> FsResult<()>;
    /// Creates a folder and its parents; an existing folder is fine.
    fn create_dir_all(&self, path: &str, modified_ms: i64) -> FsResult<()>;
    /// Entries sorted by name. Errors: not found, not a folder.
    fn list(&self, path: &str) -> FsResult<Vec<DirEntry>>;
    fn metadata(&self, path: &str) -> FsResult<Metadata>;
    /// Moves a file or folder, replacing a file at the target as `rename(2)` does.
    fn rename(&self, from: &str, to: &str) -> FsResult<()>;
    fn remove_file(&self, path: &str) -> FsResult<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, path: &str) -> FsResult<()>;
    fn remove_dir_all(&self, path: &str) -> FsResult<()>;
    fn set_modified(&self, path: &str, modified_ms: i64) -> FsResult<()>;

    fn exists(&self, path: &str) -> bool {
        self.metadata(path).is_ok()
    }
    fn is_dir(&self, path: &str) -> bool {
        self.metadata(path).is_ok_and(|m| m.is_dir)
    }
    fn is_file(&self, path: &str) -> bool {
        self.metadata(path).is_ok_and(|m| !m.is_dir)
    }
}

/// The tree of one session, shared by everything that runs in it.
pub type SharedFs = Arc<dyn FileSystem + Send + Sync>;
