//! The files below a path (InMemoryFileIndex over a path that may hold a glob pattern).

use tidemark_sql::error::Result;
use tidemark_vfs::{FileSystem, SharedFs, file_name, join};

/// A file found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: String,
    pub(super) len: u64,
    pub(super) modified_ms: i64,
}

/// Whether a path holds a pattern (SparkHadoopUtil.isGlobPath).
pub(super) fn is_glob(path: &str) -> bool {
    path.contains(['{', '}', '[', ']', '*', '?', '\\'])
}

/// Names that Spark takes for no data: hidden ones, but not `_metadata` files and `_key=value` folders.
fn ignored(name: &str) -> bool {
    let exempt = name.starts_with("_common_metadata") || name.starts_with("_metadata");
    let hidden = (name.starts_with('_') && !name.contains('=')) || name.starts_with('.');
    (hidden && !exempt) || name.ends_with("._COPYING_")
}

/// Lists the files of `path` (absolute); folders below it count when they are `key=value` folders or with `recursive`.
pub(super) fn list(fs: &SharedFs, path: &str, recursive: bool, name_filter: Option<&str>) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for root in expand(fs.as_ref(), path) {
        let Ok(metadata) = fs.metadata(&root) else { continue };
        if metadata.is_dir {
            walk(fs.as_ref(), &root, recursive, &mut found);
        } else {
            found.push(Found { path: root, len: metadata.len, modified_ms: metadata.modified_ms });
        }
    }
    if let Some(pattern) = name_filter {
        found.retain(|file| matches(pattern, file_name(&file.path)));
    }
    Ok(found)
}

fn walk(fs: &dyn FileSystem, folder: &str, recursive: bool, found: &mut Vec<Found>) {
    let Ok(entries) = fs.list(folder) else { return };
    for entry in entries {
        if ignored(&entry.name) {
            continue;
        }
        let path = join(folder, &entry.name);
        if !entry.metadata.is_dir {
            found.push(Found { path, len: entry.metadata.len, modified_ms: entry.metadata.modified_ms });
        } else if recursive || entry.name.contains('=') {
            walk(fs, &path, recursive, found);
        }
    }
}

/// The paths that a pattern stands for; itself without one.
fn expand(fs: &dyn FileSystem, path: &str) -> Vec<String> {
    if !is_glob(path) {
        return vec![path.to_owned()];
    }
    let mut bases = vec![String::from("/")];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for base in bases {
            if is_glob(part) {
                let names = fs.list(&base).unwrap_or_default();
                next.extend(names.iter().filter(|e| matches(part, &e.name)).map(|e| join(&base, &e.name)));
            } else {
                let candidate = join(&base, part);
                if fs.exists(&candidate) {
                    next.push(candidate);
                }
            }
        }
        bases = next;
    }
    bases
}

/// Hadoop's GlobPattern over one name: `*`, `?`, `[abc]`, `[^a-c]`, `{one,two}`, `\x`.
fn matches(pattern: &str, name: &str) -> bool {
    alternatives(pattern).iter().any(|p| match_one(&p.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>()))
}

/// Writes out the first `{a,b}` and goes on with what comes of it.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut start = open + 1;
    for (at, c) in pattern.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(&pattern[start..at]);
                    let rest = &pattern[at + 1..];
                    let whole = parts.iter().map(|part| format!("{}{part}{rest}", &pattern[..open]));
                    return whole.flat_map(|p| alternatives(&p)).collect();
                }
            }
            _ => {}
        }
    }
    vec![pattern.to_owned()]
}

fn match_one(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => (0..=name.len()).any(|skip| match_one(rest, &name[skip..])),
        ['?', rest @ ..] => !name.is_empty() && match_one(rest, &name[1..]),
        ['\\', c, rest @ ..] => name.first() == Some(c) && match_one(rest, &name[1..]),
        ['[', rest @ ..] => {
            let (Some(close), Some(c)) = (rest.iter().position(|c| *c == ']'), name.first()) else { return false };
            let (negated, set) = match &rest[..close] {
                ['^' | '!', set @ ..] => (true, set),
                set => (false, set),
            };
            let mut inside = set.contains(c);
            for range in set.windows(3) {
                inside |= range[1] == '-' && (range[0]..=range[2]).contains(c);
            }
            inside != negated && match_one(&rest[close + 1..], &name[1..])
        }
        [c, rest @ ..] => name.first() == Some(c) && match_one(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidemark_vfs::MemoryFs;

    use super::*;

    #[test]
    fn patterns_choose_names() {
        assert!(matches("*.json", "a.json"));
        assert!(!matches("*.json", "a.jso"));
        assert!(matches("{a,b}?.txt", "b1.txt"));
        assert!(matches("[^x-z]*", "abc"));
        assert!(!matches("[^x-z]*", "yes"));
    }

    #[test]
    fn plain_subfolders_are_left_out_and_key_value_ones_are_not() {
        let fs: SharedFs = Arc::new(MemoryFs::new());
        for path in ["/in/a.txt", "/in/sub/b.txt", "/in/k=1/c.txt", "/in/_hidden", "/in/.dot", "/other/d.txt"] {
            fs.create_dir_all(tidemark_vfs::parent(path).unwrap(), 0).unwrap();
            fs.write(path, b"x", 1).unwrap();
        }
        let names = |path: &str, recursive: bool| -> Vec<String> {
            list(&fs, path, recursive, None).unwrap().into_iter().map(|f| f.path).collect()
        };
        assert_eq!(names("/in", false), ["/in/a.txt", "/in/k=1/c.txt"]);
        assert_eq!(names("/in", true), ["/in/a.txt", "/in/k=1/c.txt", "/in/sub/b.txt"]);
        assert_eq!(names("/{in,other}/*.txt", false), ["/in/a.txt", "/other/d.txt"]);
        assert!(names("/nowhere", false).is_empty());
    }
}
