//! Errors of the file system, with the kinds that Python and Spark tell apart.

use std::fmt;

pub type FsResult<T> = Result<T, FsError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FsErrorKind {
    NotFound,
    AlreadyExists,
    NotADirectory,
    IsADirectory,
    NotEmpty,
    PermissionDenied,
    /// The storage has no room.
    Full,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsError {
    pub kind: FsErrorKind,
    pub path: String,
    pub detail: String,
}

impl FsError {
    pub fn new(kind: FsErrorKind, path: impl Into<String>) -> Self {
        Self { kind, path: path.into(), detail: String::new() }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FsErrorKind::NotFound => "No such file or directory",
            FsErrorKind::AlreadyExists => "File exists",
            FsErrorKind::NotADirectory => "Not a directory",
            FsErrorKind::IsADirectory => "Is a directory",
            FsErrorKind::NotEmpty => "Directory not empty",
            FsErrorKind::PermissionDenied => "Permission denied",
            FsErrorKind::Full => "No space left on device",
            FsErrorKind::Other => "Input/output error",
        };
        write!(f, "{what}: '{}'", self.path)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for FsError {}
