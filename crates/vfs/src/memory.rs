//! The tree in memory: folders and files behind `Arc`, so a snapshot costs one clone, with a journal of changed paths.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{DirEntry, FileSystem, FsError, FsErrorKind, FsResult, Metadata, normalize};

#[derive(Clone, Debug)]
enum Node {
    File { content: Arc<Vec<u8>>, modified_ms: i64 },
    Dir { entries: Arc<BTreeMap<String, Node>>, modified_ms: i64 },
}

impl Node {
    fn empty_dir(modified_ms: i64) -> Self {
        Node::Dir { entries: Arc::default(), modified_ms }
    }

    fn metadata(&self) -> Metadata {
        match self {
            Node::File { content, modified_ms } => {
                Metadata { is_dir: false, len: content.len() as u64, modified_ms: *modified_ms }
            }
            Node::Dir { modified_ms, .. } => Metadata { is_dir: true, len: 0, modified_ms: *modified_ms },
        }
    }
}

/// A whole tree at one moment; cheap to clone and to keep.
#[derive(Clone, Debug)]
pub struct Snapshot(Node);

/// One path that changed since the journal was last taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file has this content now.
    File {
        path: String,
        content: Arc<Vec<u8>>,
        modified_ms: i64,
    },
    Dir {
        path: String,
        modified_ms: i64,
    },
    /// Nothing is at the path any more (nor below it).
    Removed {
        path: String,
    },
}

#[derive(Debug)]
struct Tree {
    root: Node,
    changed: BTreeSet<String>,
}

/// The in-memory file system of a session.
#[derive(Debug)]
pub struct MemoryFs {
    tree: Mutex<Tree>,
}

impl Default for MemoryFs {
    fn default() -> Self {
        Self { tree: Mutex::new(Tree { root: Node::empty_dir(0), changed: BTreeSet::new() }) }
    }
}

impl MemoryFs {
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.lock().root.clone())
    }

    /// Goes back to a snapshot; the journal holds every path that differs.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut tree = self.lock();
        let old = std::mem::replace(&mut tree.root, snapshot.0.clone());
        let mut paths = BTreeSet::new();
        differences(&old, &snapshot.0, "", &mut paths);
        tree.changed.extend(paths);
    }

    /// What changed since the last call, one entry a path, parents before children.
    pub fn take_journal(&self) -> Vec<Change> {
        let mut tree = self.lock();
        let changed = std::mem::take(&mut tree.changed);
        changed
            .into_iter()
            .map(|path| match tree.find(&path) {
                Ok(Node::File { content, modified_ms }) => {
                    Change::File { content: content.clone(), modified_ms: *modified_ms, path }
                }
                Ok(Node::Dir { modified_ms, .. }) => Change::Dir { modified_ms: *modified_ms, path },
                Err(_) => Change::Removed { path },
            })
            .collect()
    }

    /// Every path below the root with its metadata, parents before children.
    pub fn walk(&self) -> Vec<(String, Metadata)> {
        fn visit(node: &Node, path: &str, out: &mut Vec<(String, Metadata)>) {
            if let Node::Dir { entries, .. } = node {
                for (name, child) in entries.iter() {
                    let path = format!("{path}/{name}");
                    out.push((path.clone(), child.metadata()));
                    visit(child, &path, out);
                }
            }
        }
        let mut out = Vec::new();
        visit(&self.lock().root, "", &mut out);
        out
    }
}

/// Paths at which two trees differ.
fn differences(old: &Node, new: &Node, path: &str, out: &mut BTreeSet<String>) {
    match (old, new) {
        (Node::Dir { entries: a, modified_ms: x }, Node::Dir { entries: b, modified_ms: y }) => {
            if x != y && !path.is_empty() {
                out.insert(path.to_owned());
            }
            if Arc::ptr_eq(a, b) {
                return;
            }
            for (name, node) in a.iter() {
                match b.get(name) {
                    Some(other) => differences(node, other, &format!("{path}/{name}"), out),
                    None => paths_of(node, &format!("{path}/{name}"), out),
                }
            }
            for (name, node) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
                paths_of(node, &format!("{path}/{name}"), out);
            }
        }
        (Node::File { content: a, modified_ms: x }, Node::File { content: b, modified_ms: y }) => {
            if x != y || !Arc::ptr_eq(a, b) {
                out.insert(path.to_owned());
            }
        }
        (old, new) => {
            paths_of(old, path, out);
            paths_of(new, path, out);
        }
    }
}

/// The node's own path and all below it.
fn paths_of(node: &Node, path: &str, out: &mut BTreeSet<String>) {
    out.insert(path.to_owned());
    if let Node::Dir { entries, .. } = node {
        for (name, child) in entries.iter() {
            paths_of(child, &format!("{path}/{name}"), out);
        }
    }
}

impl Tree {
    fn find(&self, path: &str) -> FsResult<&Node> {
        let mut node = &self.root;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            match node {
                Node::Dir { entries, .. } => {
                    node = entries.get(part).ok_or_else(|| FsError::new(FsErrorKind::NotFound, path))?;
                }
                Node::File { .. } => return Err(FsError::new(FsErrorKind::NotADirectory, path)),
            }
        }
        Ok(node)
    }

    /// The entries of the folder that `path` is in, to change them, and the last part of the path.
    fn parent_entries<'a, 'p>(&'a mut self, path: &'p str) -> FsResult<(&'a mut BTreeMap<String, Node>, &'p str)> {
        let (folder, name) = path.rsplit_once('/').ok_or_else(|| FsError::new(FsErrorKind::Other, path))?;
        if name.is_empty() {
            return Err(FsError::new(FsErrorKind::PermissionDenied, path));
        }
        let mut node = &mut self.root;
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            match node {
                Node::Dir { entries, .. } => {
                    node = Arc::make_mut(entries)
                        .get_mut(part)
                        .ok_or_else(|| FsError::new(FsErrorKind::NotFound, path))?;
                }
                Node::File { .. } => return Err(FsError::new(FsErrorKind::NotADirectory, path)),
            }
        }
        match node {
            Node::Dir { entries, .. } => Ok((Arc::make_mut(entries), name)),
            Node::File { .. } => Err(FsError::new(FsErrorKind::NotADirectory, path)),
        }
    }

    fn remove(&mut self, path: &str, allowed: impl Fn(&Node) -> Result<(), FsErrorKind>) -> FsResult<()> {
        allowed(self.find(path)?).map_err(|kind| FsError::new(kind, path))?;
        let (entries, name) = self.parent_entries(path)?;
        // Every path that goes is noted: the folder may be made anew before the journal is taken.
        if let Some(gone) = entries.remove(name) {
            paths_of(&gone, path, &mut self.changed);
        }
        Ok(())
    }
}

impl FileSystem for MemoryFs {
    fn read(&self, path: &str) -> FsResult<Arc<Vec<u8>>> {
        match self.lock().find(&normalize(path))? {
            Node::File { content, .. } => Ok(content.clone()),
            Node::Dir { .. } => Err(FsError::new(FsErrorKind::IsADirectory, path)),
        }
    }

    fn read_range(&self, path: &str, offset: u64, len: usize) -> FsResult<Vec<u8>> {
        let content = self.read(path)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        let end = start.saturating_add(len).min(content.len());
        Ok(content[start..end].to_vec())
    }

    fn write(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()> {
        let path = normalize(path);
        let mut tree = self.lock();
        let (entries, name) = tree.parent_entries(&path)?;
        if matches!(entries.get(name), Some(Node::Dir { .. })) {
            return Err(FsError::new(FsErrorKind::IsADirectory, path));
        }
        entries.insert(name.to_owned(), Node::File { content: Arc::new(content.to_vec()), modified_ms });
        tree.changed.insert(path);
        Ok(())
    }

    fn append(&self, path: &str, content: &[u8], modified_ms: i64) -> FsResult<()> {
        let path = normalize(path);
        let mut tree = self.lock();
        let (entries, name) = tree.parent_entries(&path)?;
        match entries.entry(name.to_owned()).or_insert_with(|| Node::File { content: Arc::default(), modified_ms }) {
            Node::File { content: old, modified_ms: time } => {
                Arc::make_mut(old).extend_from_slice(content);
                *time = modified_ms;
            }
            Node::Dir { .. } => return Err(FsError::new(FsErrorKind::IsADirectory, path)),
        }
        tree.changed.insert(path);
        Ok(())
    }

    fn create_dir(&self, path: &str, modified_ms: i64) -> FsResult<()> {
        let path = normalize(path);
        if path == "/" {
            return Err(FsError::new(FsErrorKind::AlreadyExists, path));
        }
        let mut tree = self.lock();
        let (entries, name) = tree.parent_entries(&path)?;
        if entries.contains_key(name) {
            return Err(FsError::new(FsErrorKind::AlreadyExists, path));
        }
        entries.insert(name.to_owned(), Node::empty_dir(modified_ms));
        tree.changed.insert(path);
        Ok(())
    }

    fn create_dir_all(&self, path: &str, modified_ms: i64) -> FsResult<()> {
        let path = normalize(path);
        let mut at = 0;
        while at < path.len() && path != "/" {
            at = path[at + 1..].find('/').map_or(path.len(), |next| at + 1 + next);
            match self.create_dir(&path[..at], modified_ms) {
                Err(error) if error.kind == FsErrorKind::AlreadyExists && self.is_dir(&path[..at]) => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn list(&self, path: &str) -> FsResult<Vec<DirEntry>> {
        match self.lock().find(&normalize(path))? {
            Node::Dir { entries, .. } => Ok(entries
                .iter()
                .map(|(name, node)| DirEntry { name: name.clone(), metadata: node.metadata() })
                .collect()),
            Node::File { .. } => Err(FsError::new(FsErrorKind::NotADirectory, path)),
        }
    }

    fn metadata(&self, path: &str) -> FsResult<Metadata> {
        Ok(self.lock().find(&normalize(path))?.metadata())
    }

    fn rename(&self, from: &str, to: &str) -> FsResult<()> {
        let (from, to) = (normalize(from), normalize(to));
        if from == to {
            return self.metadata(&from).map(drop);
        }
        if to.starts_with(&format!("{from}/")) {
            return Err(FsError::new(FsErrorKind::Other, to));
        }
        let mut tree = self.lock();
        let node = tree.find(&from)?.clone();
        match (&node, tree.find(&to)) {
            (Node::File { .. }, Ok(Node::Dir { .. })) => return Err(FsError::new(FsErrorKind::IsADirectory, to)),
            (Node::Dir { .. }, Ok(Node::File { .. })) => return Err(FsError::new(FsErrorKind::NotADirectory, to)),
            (Node::Dir { .. }, Ok(Node::Dir { entries, .. })) if !entries.is_empty() => {
                return Err(FsError::new(FsErrorKind::NotEmpty, to));
            }
            _ => {}
        }
        let (entries, name) = tree.parent_entries(&to)?;
        entries.insert(name.to_owned(), node.clone());
        let (entries, name) = tree.parent_entries(&from)?;
        entries.remove(name);
        paths_of(&node, &from, &mut tree.changed);
        paths_of(&node, &to, &mut tree.changed);
        Ok(())
    }

    fn remove_file(&self, path: &str) -> FsResult<()> {
        self.lock().remove(&normalize(path), |node| match node {
            Node::File { .. } => Ok(()),
            Node::Dir { .. } => Err(FsErrorKind::IsADirectory),
        })
    }

    fn remove_dir(&self, path: &str) -> FsResult<()> {
        self.lock().remove(&normalize(path), |node| match node {
            Node::Dir { entries, .. } if entries.is_empty() => Ok(()),
            Node::Dir { .. } => Err(FsErrorKind::NotEmpty),
            Node::File { .. } => Err(FsErrorKind::NotADirectory),
        })
    }

    fn remove_dir_all(&self, path: &str) -> FsResult<()> {
        self.lock().remove(&normalize(path), |node| match node {
            Node::Dir { .. } => Ok(()),
            Node::File { .. } => Err(FsErrorKind::NotADirectory),
        })
    }

    fn set_modified(&self, path: &str, modified: i64) -> FsResult<()> {
        let path = normalize(path);
        let mut tree = self.lock();
        let (entries, name) = tree.parent_entries(&path)?;
        match entries.get_mut(name) {
            Some(Node::File { modified_ms, .. } | Node::Dir { modified_ms, .. }) => *modified_ms = modified,
            None => return Err(FsError::new(FsErrorKind::NotFound, path)),
        }
        tree.changed.insert(path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_tells_what_is_there_now() {
        let fs = MemoryFs::new();
        fs.create_dir_all("/a/b", 1).unwrap();
        fs.write("/a/b/x", b"one", 2).unwrap();
        fs.write("/a/b/x", b"two", 3).unwrap();
        fs.write("/a/y", b"gone", 3).unwrap();
        fs.remove_file("/a/y").unwrap();
        let journal = fs.take_journal();
        assert_eq!(
            journal,
            vec![
                Change::Dir { path: "/a".into(), modified_ms: 1 },
                Change::Dir { path: "/a/b".into(), modified_ms: 1 },
                Change::File { path: "/a/b/x".into(), content: Arc::new(b"two".to_vec()), modified_ms: 3 },
                Change::Removed { path: "/a/y".into() },
            ]
        );
        assert!(fs.take_journal().is_empty());
    }

    #[test]
    fn a_folder_made_anew_does_not_hide_what_went_with_the_old_one() {
        let fs = MemoryFs::new();
        fs.create_dir_all("/a/b", 0).unwrap();
        fs.write("/a/b/old", b"1", 0).unwrap();
        fs.take_journal();
        fs.remove_dir_all("/a").unwrap();
        fs.create_dir_all("/a/b", 1).unwrap();
        assert!(fs.take_journal().contains(&Change::Removed { path: "/a/b/old".into() }));
        fs.write("/a/b/new", b"2", 1).unwrap();
        fs.take_journal();
        fs.rename("/a/b", "/c").unwrap();
        fs.create_dir("/a/b", 2).unwrap();
        assert!(fs.take_journal().contains(&Change::Removed { path: "/a/b/new".into() }));
    }

    #[test]
    fn a_snapshot_is_not_touched_by_later_writes() {
        let fs = MemoryFs::new();
        fs.write("/x", b"before", 1).unwrap();
        let snapshot = fs.snapshot();
        fs.append("/x", b" after", 2).unwrap();
        fs.create_dir_all("/d/e", 2).unwrap();
        fs.take_journal();
        fs.restore(&snapshot);
        assert_eq!(*fs.read("/x").unwrap(), b"before");
        assert!(!fs.exists("/d"));
        let paths: Vec<_> = fs.take_journal().into_iter().map(|c| format!("{c:?}")).collect();
        assert_eq!(paths.len(), 3, "{paths:?}");
    }

    #[test]
    fn rename_follows_rename_2() {
        let fs = MemoryFs::new();
        fs.create_dir_all("/a/b", 0).unwrap();
        fs.write("/a/b/f", b"1", 0).unwrap();
        fs.write("/g", b"2", 0).unwrap();
        assert_eq!(fs.rename("/g", "/a").unwrap_err().kind, FsErrorKind::IsADirectory);
        fs.rename("/a/b", "/c").unwrap();
        assert_eq!(*fs.read("/c/f").unwrap(), b"1");
        fs.rename("/c/f", "/g").unwrap();
        assert_eq!(*fs.read("/g").unwrap(), b"1");
        assert_eq!(fs.rename("/c", "/c/d").unwrap_err().kind, FsErrorKind::Other);
    }
}
