//! What the files of a checkpoint are, in words.

use tidemark_protocol::messages::FileEntry;

/// A file of a checkpoint folder, with what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFile {
    pub path: String,
    /// Relative to the checkpoint folder.
    pub name: String,
    pub meaning: String,
    pub len: u64,
}

/// The folder as a path of the session's file system.
pub fn folder(checkpoint: &str) -> &str {
    let path = checkpoint.strip_prefix("file://").or_else(|| checkpoint.strip_prefix("file:")).unwrap_or(checkpoint);
    path.trim_end_matches('/')
}

/// The files under a checkpoint folder, newest numbers first within a folder; checksums are left out.
pub fn files(all: &[FileEntry], checkpoint: &str) -> Vec<CheckpointFile> {
    let prefix = format!("{}/", folder(checkpoint));
    let mut files: Vec<CheckpointFile> = all
        .iter()
        .filter(|entry| !entry.is_dir)
        .filter_map(|entry| {
            let name = entry.path.strip_prefix(&prefix)?;
            let is_checksum = name.ends_with(".crc");
            (!is_checksum).then(|| CheckpointFile {
                path: entry.path.clone(),
                name: name.to_owned(),
                meaning: meaning(name),
                len: entry.len,
            })
        })
        .collect();
    files.sort_by_cached_key(|file| order(&file.name));
    files
}

/// Metadata, offsets, commits, sources, state; then by folder, newest first.
fn order(name: &str) -> (usize, String, std::cmp::Reverse<u64>, String) {
    let kinds = ["metadata", "offsets", "commits", "sources", "state"];
    let first = name.split('/').next().unwrap_or_default();
    let kind = kinds.iter().position(|kind| *kind == first).unwrap_or(kinds.len());
    let (parent, file) = name.rsplit_once('/').unwrap_or(("", name));
    let number = file.split('.').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    (kind, parent.to_owned(), std::cmp::Reverse(number), file.to_owned())
}

fn meaning(name: &str) -> String {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        ["metadata"] => "The query's id: it stays the same over restarts".to_owned(),
        ["offsets", batch] => format!("Plan of batch {batch}: what it reads, its watermark and settings"),
        ["commits", batch] => format!("Batch {batch} is done; the watermark after it"),
        ["sources", source, log] => format!("Source {source}: files that entry {log} took"),
        ["state", operator, "_metadata", ..] => format!("Operator {operator}: its name and its stores"),
        ["state", operator, partition, "_metadata", ..] => {
            format!("Operator {operator}, partition {partition}: schema of its keys and values")
        }
        ["state", operator, partition, .., file] => {
            let version = file.split('.').next().unwrap_or(file);
            let kind = if file.ends_with(".snapshot") { "all state at" } else { "changes of" };
            format!("Operator {operator}, partition {partition}: {kind} version {version}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_by_kind_and_newest_first() {
        let names =
            ["state/0/1/2.delta", "commits/0", "offsets/0", "offsets/10", "offsets/9", ".metadata.crc", "metadata"];
        let entry = |name: &&str| FileEntry { path: format!("/w/cp/{name}"), is_dir: false, len: 0, modified_ms: 0 };
        let all: Vec<FileEntry> = names.iter().map(entry).collect();
        let files = files(&all, "file:/w/cp");
        let shown: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(shown, ["metadata", "offsets/10", "offsets/9", "offsets/0", "commits/0", "state/0/1/2.delta"]);
        assert_eq!(files[5].meaning, "Operator 0, partition 1: changes of version 2");
    }
}
