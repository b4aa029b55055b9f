//! The files panel's commands on the session's tree.

use std::sync::Arc;

use tidemark_vfs::{Change, FileSystem, FsError, FsErrorKind, FsResult, MemoryFs, parent};

use crate::messages::{FileEntry, LaidFile};

/// Bytes that a workspace may hold in all its files.
pub const WORKSPACE_LIMIT_BYTES: u64 = 512 << 20;

/// The whole tree, parents before children.
pub(super) fn tree(fs: &MemoryFs) -> Vec<FileEntry> {
    fs.walk()
        .into_iter()
        .map(|(path, metadata)| FileEntry {
            path,
            is_dir: metadata.is_dir,
            len: metadata.len,
            modified_ms: metadata.modified_ms,
        })
        .collect()
}

/// The whole tree as changes to an empty one.
pub(super) fn all(fs: &MemoryFs) -> Vec<Change> {
    let change = |(path, metadata): (String, tidemark_vfs::Metadata)| {
        let modified_ms = metadata.modified_ms;
        if metadata.is_dir {
            return Some(Change::Dir { path, modified_ms });
        }
        let content = Arc::new(fs.read(&path).ok()?.to_vec());
        Some(Change::File { path, content, modified_ms })
    };
    let mut all: Vec<Change> = fs.walk().into_iter().filter_map(change).collect();
    all.sort_by(|left, right| super::path_of(left).cmp(super::path_of(right)));
    all
}

/// Refuses what would not fit.
fn room_for(fs: &MemoryFs, path: &str, more: usize, replaced: bool) -> FsResult<()> {
    let mut total: u64 = fs.walk().iter().map(|(_, metadata)| metadata.len).sum();
    if replaced {
        total -= fs.metadata(path).map_or(0, |metadata| metadata.len);
    }
    if total + more as u64 <= WORKSPACE_LIMIT_BYTES {
        return Ok(());
    }
    let mut error = FsError::new(FsErrorKind::Full, path);
    error.detail = format!("a workspace holds up to {} MB", WORKSPACE_LIMIT_BYTES >> 20);
    Err(error)
}

fn make_parents(fs: &MemoryFs, path: &str, now_ms: i64) -> FsResult<()> {
    match parent(path) {
        Some(folder) => fs.create_dir_all(folder, now_ms),
        None => Ok(()),
    }
}

pub(super) fn write(fs: &MemoryFs, path: &str, content: &[u8], now_ms: i64) -> FsResult<()> {
    room_for(fs, path, content.len(), true)?;
    make_parents(fs, path, now_ms)?;
    fs.write(path, content, now_ms)
}

pub(super) fn append(fs: &MemoryFs, path: &str, content: &[u8], now_ms: i64) -> FsResult<()> {
    room_for(fs, path, content.len(), false)?;
    make_parents(fs, path, now_ms)?;
    fs.append(path, content, now_ms)
}

/// A file, or a folder with all in it.
pub(super) fn remove(fs: &MemoryFs, path: &str) -> FsResult<()> {
    if fs.metadata(path)?.is_dir { fs.remove_dir_all(path) } else { fs.remove_file(path) }
}

/// A rename never replaces: that would lose a file at a slip of the hand.
pub(super) fn rename(fs: &MemoryFs, from: &str, to: &str, now_ms: i64) -> FsResult<()> {
    if from != to && fs.exists(to) {
        return Err(FsError::new(FsErrorKind::AlreadyExists, to));
    }
    make_parents(fs, to, now_ms)?;
    fs.rename(from, to)
}

/// Writes the files of a layout; each is a millisecond younger than the one before it, the last is there since `now_ms`.
pub(super) fn lay(fs: &MemoryFs, cwd: &str, laid: &[LaidFile], now_ms: i64) -> FsResult<()> {
    let count = i64::try_from(laid.len()).unwrap_or(0);
    for (file, age) in laid.iter().zip((0..count).rev()) {
        let path = if file.path.starts_with('/') { file.path.clone() } else { format!("{cwd}/{}", file.path) };
        write(fs, &path, &file.content, now_ms - age)?;
    }
    Ok(())
}

/// Empties the tree.
pub(super) fn clear(fs: &MemoryFs) -> FsResult<()> {
    for entry in fs.list("/")? {
        remove(fs, &format!("/{}", entry.name))?;
    }
    Ok(())
}
