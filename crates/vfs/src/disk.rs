//! The disk, for the command line: paths are real ones, modification times are set to the session's clock.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{DirEntry, FileSystem, FsError, FsErrorKind, FsResult, Metadata};

/// Real files. Not available in the browser, where every call fails with the platform's "unsupported".
#[derive(Debug, Default)]
pub struct DiskFs;

fn error(path: &str, cause: &std::io::Error) -> FsError {
    use std::io::ErrorKind as E;
    let kind = match cause.kind() {
        E::NotFound => FsErrorKind::NotFound,
        E::AlreadyExists => FsErrorKind::AlreadyExists,
        E::NotADirectory => FsErrorKind::NotADirectory,
        E::IsADirectory => FsErrorKind::IsADirectory,
        E::DirectoryNotEmpty => FsErrorKind::NotEmpty,
        E::PermissionDenied => FsErrorKind::PermissionDenied,
        E::StorageFull => FsErrorKind::Full,
        _ => FsErrorKind::Other,
    };
    let mut error = FsError::new(kind, path);
    if kind == FsErrorKind::Other {
        error.detail = cause.to_string();
    }
    error
}

fn time(ms: i64) -> SystemTime {
    match u64::try_from(ms) {
        Ok(ms) => UNIX_EPOCH + Duration::from_millis(ms),
        Err(_) => UNIX_EPOCH - Duration::from_millis(ms.unsigned_abs()),
    }
}

fn metadata(found: &fs::Metadata) -> Metadata {
    let modified_ms = match found.modified().unwrap_or(UNIX_EPOCH).duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Metadata { is_dir: found.is_dir(), len: if found.is_dir() { 0 } else { found.len() }, modified_ms }
}

impl DiskFs {
    fn open(options: &mut fs::OpenOptions, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()> {
        let run = || {
            let mut file = options.open(path)?;
            file.write_all(content)?;
            file.set_modified(time(modified_ms))
        };
        run().map_err(|e| error(path, &e))
    }
}

impl FileSystem for DiskFs {
    fn read(&self, path: &str) -> FsResult<Arc<Vec<u8>>> {
        fs::read(path).map(Arc::new).map_err(|e| error(path, &e))
    }

    fn read_range(&self, path: &str, offset: u64, len: usize) -> FsResult<Vec<u8>> {
        let run = || {
            let mut file = fs::File::open(path)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(len as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        run().map_err(|e| error(path, &e))
    }

    fn write(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()> {
        Self::open(fs::OpenOptions::new().write(true).create(true).truncate(true), path, content, modified_ms)
    }

    fn append(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()> {
        Self::open(fs::OpenOptions::new().append(true).create(true), path, content, modified_ms)
    }

    fn create_dir(&self, path: &str, _modified_ms: i64) -> FsResult<()> {
        fs::create_dir(path).map_err(|e| error(path, &e))
    }

    fn create_dir_all(&self, path: &str, _modified_ms: i64) -> FsResult<()> {
        fs::create_dir_all(path).map_err(|e| error(path, &e))
    }

    fn list(&self, path: &str) -> FsResult<Vec<DirEntry>> {
        let run = || {
            let mut entries = Vec::new();
            for entry in fs::read_dir(path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                // A file that vanished between the two calls is simply not there.
                if let Ok(found) = fs::metadata(entry.path()) {
                    entries.push(DirEntry { name, metadata: metadata(&found) });
                }
            }
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(entries)
        };
        run().map_err(|e| error(path, &e))
    }

    fn metadata(&self, path: &str) -> FsResult<Metadata> {
        fs::metadata(path).map(|found| metadata(&found)).map_err(|e| error(path, &e))
    }

    fn rename(&self, from: &str, to: &str) -> FsResult<()> {
        fs::rename(from, to).map_err(|e| error(from, &e))
    }

    fn remove_file(&self, path: &str) -> FsResult<()> {
        fs::remove_file(path).map_err(|e| error(path, &e))
    }

    fn remove_dir(&self, path: &str) -> FsResult<()> {
        fs::remove_dir(path).map_err(|e| error(path, &e))
    }

    fn remove_dir_all(&self, path: &str) -> FsResult<()> {
        fs::remove_dir_all(path).map_err(|e| error(path, &e))
    }

    fn set_modified(&self, path: &str, modified_ms: i64) -> FsResult<()> {
        let run = || fs::File::open(path)?.set_modified(time(modified_ms));
        run().map_err(|e| error(path, &e))
    }
}
