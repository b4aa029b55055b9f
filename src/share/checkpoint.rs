//! Checkpoints that go to real Spark and come from it.
//!
//! A checkpoint holds no path but those of files that a source has read (`sources/N/M`, FileStreamSourceLog). They are
//! absolute: a checkpoint that moves needs them rewritten, or the source takes every file for new.

use super::archive::{self, ArchiveError, Entry};
use super::paths::{self, CWD};
use tidemark_protocol::messages::{Parcel, ParcelFile};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    Archive(ArchiveError),
    /// No folder with `metadata` and `offsets`.
    NoCheckpoint,
    /// First line of an offset log that this page does not know.
    OtherVersion(String),
}

impl std::fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckpointError::Archive(error) => error.fmt(f),
            CheckpointError::NoCheckpoint => {
                write!(
                    f,
                    "There is no checkpoint in it: a folder with a file “metadata” and a folder “offsets” was looked for."
                )
            }
            CheckpointError::OtherVersion(line) => {
                write!(
                    f,
                    "The checkpoint is of another version: its offset log begins with {line:?}, and v1 and v2 are read."
                )
            }
        }
    }
}

/// A path as a source's log has it.
fn uri(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'%' | b' ' | b'"' | b'#' | b'?' | 0x80.. => uri.push_str(&format!("%{byte:02X}")),
            byte => uri.push(char::from(byte)),
        }
    }
    uri
}

/// The path of such a text, without its scheme.
pub(super) fn path_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").or_else(|| uri.strip_prefix("file:")).unwrap_or(uri);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_source_log(path: &str) -> bool {
    let mut names = path.rsplit('/');
    let (Some(_), Some(number), Some(folder)) = (names.next(), names.next(), names.next()) else { return false };
    folder == "sources" && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A source's log with the paths below one folder moved to another.
fn moved(content: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(content).ok()?;
    let (from, to) = (uri(from), uri(to));
    let short = from.replacen("file://", "file:", 1);
    let text = text.replace(&format!("\"path\":\"{from}/"), &format!("\"path\":\"{to}/"));
    Some(text.replace(&format!("\"path\":\"{short}/"), &format!("\"path\":\"{to}/")).into_bytes())
}

/// A checkpoint folder as a zip; paths below the folder of scripts are moved to `there`, the folder that the script will
/// run in.
pub fn pack(parcel: &Parcel, folder: &str, there: &str) -> Result<Vec<u8>, ArchiveError> {
    let name = folder.rsplit('/').next().unwrap_or("checkpoint");
    let there = there.trim_end_matches('/');
    let files: Vec<(String, Vec<u8>)> = parcel
        .files
        .iter()
        .filter_map(|file| {
            let inside = file.path.strip_prefix(folder)?.strip_prefix('/')?;
            let content = is_source_log(&file.path).then(|| moved(&file.content, CWD, there)).flatten();
            Some((format!("{name}/{inside}"), content.unwrap_or_else(|| file.content.clone())))
        })
        .collect();
    archive::pack(files.iter().map(|(name, content)| (name.clone(), content.as_slice())))
}

/// A checkpoint that was found in what came.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The folder's name, if it has one.
    pub name: Option<String>,
    /// Paths are relative to the checkpoint.
    files: Vec<Entry>,
    /// The folder of the files that its sources have read, unless that is the folder of scripts.
    pub read_from: Option<String>,
}

/// The checkpoint in the files of a zip or folder. `.crc` files are left out: Spark does without them.
pub fn find(entries: Vec<Entry>) -> Result<Found, CheckpointError> {
    let root = entries
        .iter()
        .filter_map(|(name, _)| {
            let root = name.strip_suffix("metadata")?;
            let with_offsets = entries
                .iter()
                .any(|(other, _)| other.strip_prefix(root).and_then(|rest| rest.strip_prefix("offsets/")).is_some());
            ((root.is_empty() || root.ends_with('/')) && with_offsets).then(|| root.to_owned())
        })
        .min_by_key(String::len)
        .ok_or(CheckpointError::NoCheckpoint)?;
    let files: Vec<Entry> = entries
        .into_iter()
        .filter(|(name, _)| !name.ends_with(".crc"))
        .filter_map(|(name, content)| Some((name.strip_prefix(&root)?.to_owned(), content)))
        .collect();
    for (name, content) in &files {
        if name.strip_prefix("offsets/").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            let first = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
            if first != b"v1" && first != b"v2" {
                let line = String::from_utf8_lossy(first).chars().take(20).collect();
                return Err(CheckpointError::OtherVersion(line));
            }
        }
    }
    let name = root.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
    Ok(Found { name, read_from: read_from(&files), files })
}

pub fn unzip(bytes: &[u8]) -> Result<Found, CheckpointError> {
    find(archive::unpack(bytes).map_err(CheckpointError::Archive)?)
}

/// The folder that all files of the sources' logs are below, if it is not here.
fn read_from(files: &[Entry]) -> Option<String> {
    let mut common: Option<Vec<String>> = None;
    for (_, content) in files.iter().filter(|(name, _)| is_source_log(name)) {
        for line in String::from_utf8_lossy(content).lines() {
            let path = serde_json::from_str::<serde_json::Value>(line).ok();
            let Some(path) = path.as_ref().and_then(|entry| entry.get("path")?.as_str()) else { continue };
            let path = path_of(path);
            let (folder, _) = path.rsplit_once('/')?;
            let names: Vec<String> = folder.split('/').map(str::to_owned).collect();
            common = Some(match common {
                None => names,
                Some(common) => common.into_iter().zip(names).take_while(|(a, b)| a == b).map(|(a, _)| a).collect(),
            });
        }
    }
    let folder = common?.join("/");
    (!folder.is_empty() && folder != CWD && !paths::is_below(&folder, CWD)).then_some(folder)
}

impl Found {
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Its files, to lie in `folder`; paths below `read_from` are moved to `here`, where the same files lie.
    pub fn lay(self, folder: &str, here: Option<&str>) -> Option<Vec<ParcelFile>> {
        let moving = self.read_from.as_deref().zip(here);
        let lay = |(name, content): Entry| {
            let path = paths::checked(&format!("{folder}/{name}"))?;
            let moved = moving.filter(|_| is_source_log(&name)).and_then(|(from, to)| moved(&content, from, to));
            Some(ParcelFile { path, modified_ms: 0, content: moved.unwrap_or(content) })
        };
        self.files.into_iter().map(lay).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::paths::tests::file;
    use super::*;

    const LOG: &str = "v1\n{\"path\":\"file:///workspace/data/in/a%20b.json\",\"timestamp\":1,\"batchId\":0}";

    fn parcel() -> Parcel {
        let files = [
            ("/workspace/cp/metadata", "{\"id\":\"x\"}"),
            ("/workspace/cp/offsets/0", "v1\n{}\n{\"logOffset\":0}"),
            ("/workspace/cp/sources/0/0", LOG),
            ("/workspace/cp/state/0/0/1.delta", "/workspace/ stays here"),
            ("/workspace/data/in/a b.json", "{}"),
        ];
        Parcel { files: files.iter().map(|(path, text)| file(path, text, 1)).collect(), ..Parcel::default() }
    }

    #[test]
    fn a_checkpoint_goes_to_another_folder_and_comes_back() {
        let zip = pack(&parcel(), "/workspace/cp", "/home/me/my job/").unwrap();
        let entries = archive::unpack(&zip).unwrap();
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["cp/metadata", "cp/offsets/0", "cp/sources/0/0", "cp/state/0/0/1.delta"]);
        let log = String::from_utf8(entries[2].1.clone()).unwrap();
        assert!(log.contains("\"path\":\"file:///home/me/my%20job/data/in/a%20b.json\""), "{log}");
        assert_eq!(entries[3].1, b"/workspace/ stays here");

        let found = unzip(&zip).unwrap();
        assert_eq!((found.name.as_deref(), found.count()), (Some("cp"), 4));
        assert_eq!(found.read_from.as_deref(), Some("/home/me/my job/data/in"));
    }

    #[test]
    fn paths_from_elsewhere_are_moved_here() {
        let log = LOG.replace("/workspace/data", "/home/me");
        let entry = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let entries = vec![
            entry("job/cp/metadata", "{}"),
            entry("job/cp/offsets/0", "v1"),
            entry("job/cp/offsets/.0.crc", "x"),
            entry("job/cp/sources/0/0", &log),
            entry("job/readme", "x"),
        ];
        let found = find(entries).unwrap();
        assert_eq!(found.read_from.as_deref(), Some("/home/me/in"));
        let laid = found.lay("/workspace/data/cp", Some("/workspace/data/in")).unwrap();
        let paths: Vec<&str> = laid.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            ["/workspace/data/cp/metadata", "/workspace/data/cp/offsets/0", "/workspace/data/cp/sources/0/0"]
        );
        assert_eq!(String::from_utf8(laid[2].content.clone()).unwrap(), LOG);
    }

    #[test]
    fn what_is_no_checkpoint_says_why() {
        let entry = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        assert_eq!(find(vec![entry("a/metadata", "")]), Err(CheckpointError::NoCheckpoint));
        let other = find(vec![entry("metadata", ""), entry("offsets/0", "v9\n")]);
        assert_eq!(other, Err(CheckpointError::OtherVersion("v9".to_owned())));
        assert_eq!(unzip(b"x"), Err(CheckpointError::Archive(ArchiveError::NoZip)));
    }
}
