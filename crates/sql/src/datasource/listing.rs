//! Listing input paths: globs, hidden files, folders below folders (InMemoryFileIndex, DataSource.checkAndGlobPath).

use regex::Regex;
use tidemark_vfs::{FileSystem, file_name, join, parent};

use super::options::{Options, flag};
use super::{FileStatus, qualified, resolve_path};
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::cast::parse::parse_timestamp;
use crate::functions::datetime::zone::Zone;

/// What the options say about which files count.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// recursiveFileLookup: all files below, and no partition columns.
    pub recursive: bool,
    /// pathGlobFilter, against the file name.
    pub name_filter: Option<String>,
    /// modifiedBefore, modifiedAfter: µs since the epoch, to be compared with a file's time in `zone`.
    pub modified_before: Option<i64>,
    pub modified_after: Option<i64>,
    /// The option timeZone, or the session's zone.
    pub zone: Option<Zone>,
}

impl ListOptions {
    pub fn of(options: &Options, conf: &SqlConf) -> Result<Self> {
        if let Some(pattern) = options.get("pathglobfilter")
            && glob_regex(pattern).is_none()
        {
            return Err(SparkError::plain(
                ErrorClass::Java("java.io.IOException"),
                format!(
                    "Illegal file pattern: error parsing regexp: Unclosed character class at pos {}: `{pattern}`",
                    pattern.len()
                ),
            ));
        }
        let mut made = Self {
            recursive: flag(options, "recursivefilelookup", false)?,
            name_filter: options.get("pathglobfilter").cloned(),
            ..Self::default()
        };
        for (strategy, bound) in
            [("modifiedbefore", &mut made.modified_before), ("modifiedafter", &mut made.modified_after)]
        {
            let Some(text) = options.get(strategy) else { continue };
            let zone = match options.get("timezone") {
                Some(name) => Zone::of(name)?,
                None => conf.time_zone().clone(),
            };
            let Some(micros) = parse_timestamp(text, &zone) else {
                let shown = [("strategy", strategy), ("timeString", text.as_str())];
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1294", &shown));
            };
            *bound = Some(micros);
            made.zone = Some(zone);
        }
        Ok(made)
    }

    /// A file's time as ModifiedDateFilter sees it: read as one of UTC, put into the zone.
    fn local(&self, file: &FileStatus) -> i64 {
        let micros = file.modified_ms.saturating_mul(1000);
        self.zone.as_ref().map_or(micros, |zone| zone.to_local(micros))
    }

    fn accepts(&self, file: &FileStatus) -> bool {
        self.name_filter.as_ref().is_none_or(|g| glob_regex(g).is_some_and(|r| r.is_match(file_name(&file.path))))
            && self.modified_before.is_none_or(|t| self.local(file) < t)
            && self.modified_after.is_none_or(|t| self.local(file) > t)
    }
}

/// The files below some roots.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Roots after globbing, absolute.
    pub roots: Vec<String>,
    /// All leaf files below the roots, folder by folder, by name.
    pub files: Vec<FileStatus>,
}

/// InMemoryFileIndex.shouldFilterOut: names that are not data.
pub fn is_hidden(name: &str) -> bool {
    (name.starts_with('_') && !name.contains('=')) || name.starts_with('.') || name.ends_with("._COPYING_")
}

fn is_glob(path: &str) -> bool {
    path.contains(['{', '}', '[', ']', '*', '?', '\\'])
}

/// The regular expression of a Hadoop glob for one path component; None when it is malformed.
fn glob_regex(glob: &str) -> Option<Regex> {
    let mut out = String::from("^");
    let mut braces = 0;
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            '[' => {
                out.push('[');
                if chars.peek() == Some(&'^') || chars.peek() == Some(&'!') {
                    chars.next();
                    out.push('^');
                }
                for c in chars.by_ref() {
                    if c == '\\' || c == '[' {
                        out.push('\\');
                    }
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '\\' => {
                if let Some(next) = chars.next() {
                    out.push_str(&regex::escape(&next.to_string()));
                }
            }
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    out.push('$');
    Regex::new(&out).ok()
}

/// Paths that a glob pattern matches, sorted.
pub fn expand_glob(fs: &dyn FileSystem, pattern: &str) -> Vec<String> {
    let mut found = vec!["/".to_owned()];
    for part in split_components(pattern) {
        let mut next = Vec::new();
        for base in found {
            if is_glob(&part) {
                let Some(regex) = glob_regex(&part) else { continue };
                let Ok(entries) = fs.list(&base) else { continue };
                next.extend(entries.iter().filter(|e| regex.is_match(&e.name)).map(|e| join(&base, &e.name)));
            } else {
                let path = join(&base, &part);
                if fs.exists(&path) {
                    next.push(path);
                }
            }
        }
        found = next;
    }
    found.sort();
    found
}

/// Components of a path; a slash within braces does not split.
fn split_components(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut current = String::new();
    let mut depth = 0;
    for c in path.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '/' if depth == 0 => {
                if !current.is_empty() {
                    parts.push(std::mem::take(&mut current));
                }
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    if !current.is_empty() {
        parts.push(current);
    }
    parts
}

/// Lists the files of these paths as the user wrote them. PATH_NOT_FOUND for one that leads nowhere.
pub fn list_files(fs: &dyn FileSystem, cwd: &str, paths: &[String], options: &ListOptions) -> Result<Listing> {
    let mut listing = Listing::default();
    for path in paths {
        let absolute = resolve_path(cwd, path);
        if is_glob(path) {
            let matched = expand_glob(fs, &absolute);
            if matched.is_empty() {
                return Err(not_found(&qualified(&absolute)));
            }
            listing.roots.extend(matched.into_iter().filter(|root| !is_hidden(file_name(root))));
        } else if fs.exists(&absolute) {
            listing.roots.push(absolute);
        } else {
            return Err(not_found(&qualified(&absolute)));
        }
    }
    for root in &listing.roots {
        list_leaf_files(fs, root, &mut listing.files)?;
    }
    listing.files.retain(|f| options.accepts(f));
    Ok(listing)
}

fn not_found(path: &str) -> SparkError {
    SparkError::analysis("PATH_NOT_FOUND", &[("path", path)])
}

/// All files below a path, hidden ones left out; files of a folder before those of its folders' folders, by name.
pub fn list_leaf_files(fs: &dyn FileSystem, path: &str, out: &mut Vec<FileStatus>) -> Result<()> {
    let metadata = fs.metadata(path).map_err(|_| not_found(&qualified(path)))?;
    if !metadata.is_dir {
        out.push(FileStatus { path: path.to_owned(), len: metadata.len, modified_ms: metadata.modified_ms });
        return Ok(());
    }
    let entries = fs.list(path).map_err(|_| not_found(&qualified(path)))?;
    let (folders, files): (Vec<_>, Vec<_>) =
        entries.into_iter().filter(|e| !is_hidden(&e.name)).partition(|e| e.metadata.is_dir);
    out.extend(files.into_iter().map(|e| FileStatus {
        path: join(path, &e.name),
        len: e.metadata.len,
        modified_ms: e.metadata.modified_ms,
    }));
    for folder in folders {
        list_leaf_files(fs, &join(path, &folder.name), out)?;
    }
    Ok(())
}

/// The folder that a file is in.
pub fn folder_of(path: &str) -> &str {
    parent(path).unwrap_or("/")
}

/// Percent-encodes what a URI path may not hold.
pub fn encode_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(byte as char),
            b'/' | b'-' | b'_' | b'.' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';'
            | b'=' | b':' | b'@' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use tidemark_vfs::MemoryFs;

    use super::*;

    #[test]
    fn lists_leaf_files_without_hidden_ones() {
        let fs = MemoryFs::default();
        fs.create_dir_all("/in/sub/_temporary", 0).unwrap();
        for name in ["/in/b.json", "/in/a.json", "/in/.crc", "/in/_SUCCESS", "/in/sub/c.json", "/in/sub/_temporary/x"] {
            fs.write(name, b"x", 5).unwrap();
        }
        let paths = |patterns: &[&str]| -> Vec<String> {
            let list: Vec<String> = patterns.iter().map(|s| (*s).to_owned()).collect();
            let listing = list_files(&fs, "/", &list, &ListOptions::default()).unwrap();
            listing.files.into_iter().map(|f| f.path).collect()
        };
        assert_eq!(paths(&["in"]), ["/in/a.json", "/in/b.json", "/in/sub/c.json"]);
        assert_eq!(paths(&["in/[a-b].js*"]), ["/in/a.json", "/in/b.json"]);
        let missing = list_files(&fs, "/", &["nowhere".to_owned()], &ListOptions::default()).unwrap_err();
        assert_eq!(missing.to_string(), "[PATH_NOT_FOUND] Path does not exist: file:/nowhere. SQLSTATE: 42K03");
    }
}
