//! The files as a tree of rows.

use std::collections::BTreeSet;
use tidemark_protocol::messages::FileEntry;

/// One visible row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub path: String,
    pub name: String,
    pub depth: usize,
    pub is_dir: bool,
    pub is_open: bool,
    pub len: u64,
}

/// Folders whose state differs from how they begin: checkpoints and metadata begin closed, all others open.
pub type Toggled = BTreeSet<String>;

/// The folder that holds everything: paths are shown relative to it.
pub fn root(files: &[FileEntry]) -> String {
    let mut common: Option<Vec<&str>> = None;
    for entry in files {
        let mut parts: Vec<&str> = entry.path.split('/').collect();
        if !entry.is_dir {
            parts.pop();
        }
        common = Some(match common {
            None => parts,
            Some(common) => common.into_iter().zip(parts).take_while(|(a, b)| a == b).map(|(a, _)| a).collect(),
        });
    }
    let common = common.unwrap_or_default();
    // A single folder deep inside is no root: keep to the first level.
    match common.get(1) {
        Some(first) if !first.is_empty() => format!("/{first}"),
        _ => String::new(),
    }
}

/// "data/in/a.json" of "/workspace/data/in/a.json".
pub fn relative<'a>(root: &str, path: &'a str) -> &'a str {
    path.strip_prefix(root).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// An absolute path from what a person types.
pub fn absolute(root: &str, typed: &str) -> String {
    let typed = typed.trim();
    if typed.starts_with('/') { typed.to_owned() } else { format!("{root}/{typed}") }
}

fn begins_closed(entry: &FileEntry, files: &[FileEntry]) -> bool {
    let name = entry.path.rsplit('/').next().unwrap_or_default();
    name.starts_with(['_', '.']) || files.iter().any(|other| other.path == format!("{}/offsets", entry.path))
}

/// The rows that can be seen, folders before files, by name.
pub fn rows(files: &[FileEntry], toggled: &Toggled) -> Vec<Row> {
    let root = root(files);
    let mut rows = Vec::new();
    add(files, &root, 0, toggled, &mut rows);
    rows
}

fn add(files: &[FileEntry], folder: &str, depth: usize, toggled: &Toggled, rows: &mut Vec<Row>) {
    let mut inside: Vec<(&FileEntry, &str)> = files
        .iter()
        .filter_map(|entry| {
            let name = entry.path.strip_prefix(folder)?.strip_prefix('/')?;
            (!name.is_empty() && !name.contains('/')).then_some((entry, name))
        })
        .collect();
    inside.sort_by(|(a, a_name), (b, b_name)| (!a.is_dir, natural(a_name)).cmp(&(!b.is_dir, natural(b_name))));
    for (entry, name) in inside {
        let is_open = entry.is_dir && (begins_closed(entry, files) == toggled.contains(&entry.path));
        rows.push(Row {
            path: entry.path.clone(),
            name: name.to_owned(),
            depth,
            is_dir: entry.is_dir,
            is_open,
            len: entry.len,
        });
        if is_open {
            add(files, &entry.path, depth + 1, toggled, rows);
        }
    }
}

/// Numbers in names count as numbers: "9" stands before "10".
fn natural(name: &str) -> (Option<u64>, &str) {
    let digits = name.len() - name.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    (name.get(..digits).and_then(|digits| digits.parse().ok()), name)
}

/// A path in `folder` that no file has: "events-1.json", "events-2.json" ...
pub fn unused(files: &[FileEntry], folder: &str, stem: &str, extension: &str) -> String {
    let mut number = 1;
    loop {
        let path = format!("{folder}/{stem}-{number}.{extension}");
        if !files.iter().any(|entry| entry.path == path) {
            return path;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(paths: &[&str]) -> Vec<FileEntry> {
        let entry = |path: &&str| FileEntry {
            path: path.trim_end_matches('/').to_owned(),
            is_dir: path.ends_with('/'),
            len: 1,
            modified_ms: 0,
        };
        paths.iter().map(entry).collect()
    }

    #[test]
    fn checkpoints_begin_closed_and_numbers_sort_as_numbers() {
        let files =
            entries(&["/w/", "/w/cp/", "/w/cp/offsets/", "/w/cp/offsets/0", "/w/in/", "/w/in/10.json", "/w/in/9.json"]);
        let shown = |toggled: &[&str]| -> Vec<String> {
            let toggled = toggled.iter().map(|path| (*path).to_owned()).collect();
            rows(&files, &toggled).into_iter().map(|row| format!("{}{}", " ".repeat(row.depth), row.name)).collect()
        };
        assert_eq!(shown(&[]), ["cp", "in", " 9.json", " 10.json"]);
        assert_eq!(shown(&["/w/cp", "/w/in"]), ["cp", " offsets", "  0", "in"]);
    }

    #[test]
    fn paths_are_relative_to_the_root() {
        let files = entries(&["/w/in/", "/w/in/events-1.json"]);
        assert_eq!(root(&files), "/w");
        assert_eq!(relative("/w", "/w/in/a"), "in/a");
        assert_eq!(absolute("/w", " in/b "), "/w/in/b");
        assert_eq!(unused(&files, "/w/in", "events", "json"), "/w/in/events-2.json");
        assert_eq!(root(&[]), "");
    }
}
