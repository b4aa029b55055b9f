//! Files that were read (Spark's SeenFilesMap).

use std::collections::BTreeMap;

use tidemark_vfs::file_name;

/// Forgets files that are older than the newest by more than the maximum age.
#[derive(Debug)]
pub(super) struct SeenFiles {
    max_age_ms: i64,
    name_only: bool,
    files: BTreeMap<String, i64>,
    latest_ms: i64,
    last_purge_ms: i64,
}

impl SeenFiles {
    pub(super) fn new(max_age_ms: i64, name_only: bool) -> Self {
        Self { max_age_ms, name_only, files: BTreeMap::new(), latest_ms: 0, last_purge_ms: 0 }
    }

    fn key<'a>(&self, path: &'a str) -> &'a str {
        if self.name_only { file_name(path) } else { path }
    }

    pub(super) fn add(&mut self, path: &str, modified_ms: i64) {
        self.files.insert(self.key(path).to_owned(), modified_ms);
        self.latest_ms = self.latest_ms.max(modified_ms);
    }

    /// Compares with the time of the last purge, so that no file is missed that is too old but still remembered.
    pub(super) fn is_new(&self, path: &str, modified_ms: i64) -> bool {
        modified_ms >= self.last_purge_ms && !self.files.contains_key(self.key(path))
    }

    pub(super) fn purge(&mut self) {
        self.last_purge_ms = self.latest_ms.saturating_sub(self.max_age_ms);
        self.files.retain(|_, modified| *modified >= self.last_purge_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_files_are_neither_new_nor_remembered() {
        let mut seen = SeenFiles::new(600, false);
        seen.add("/in/a", 10_000);
        assert!(seen.is_new("/in/ancient", 1), "until the first purge every file is new");
        seen.purge();
        assert!(!seen.is_new("/in/old", 9_399));
        assert!(seen.is_new("/in/just", 9_400));
        assert!(!seen.is_new("/in/a", 10_000));
        let mut names = SeenFiles::new(600, true);
        names.add("/in/x/one.txt", 5);
        assert!(!names.is_new("/in/y/one.txt", 6));
    }
}
