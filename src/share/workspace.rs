//! A workspace as a zip: `tidemark.json` (versions, clock, times of the files, batches), `scripts/`, `files/`.

use super::archive::{self, ArchiveError};
use super::paths;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tidemark_protocol::SPARK_VERSION;
use tidemark_protocol::messages::{NamedScript, Parcel, ParcelFile};

/// Of the zip's form.
const VERSION: u32 = 1;
const MANIFEST: &str = "tidemark.json";
const SCRIPTS: &str = "scripts/";
const FILES: &str = "files/";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceError {
    Archive(ArchiveError),
    /// A zip of something else.
    NoWorkspace,
    OtherVersion(u32),
    Broken(String),
}

impl std::fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WorkspaceError::Archive(error) => error.fmt(f),
            WorkspaceError::NoWorkspace => {
                write!(
                    f,
                    "This zip holds no workspace: {MANIFEST} is missing. A checkpoint is brought in below, under “Checkpoint”."
                )
            }
            WorkspaceError::OtherVersion(version) => {
                write!(f, "The file is of version {version}; this page reads version {VERSION}.")
            }
            WorkspaceError::Broken(what) => write!(f, "The file is broken: {what}."),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    tidemark: u32,
    #[serde(default)]
    spark: String,
    #[serde(default)]
    current: String,
    #[serde(default)]
    clock_ms: i64,
    /// Milliseconds since the epoch, by path.
    #[serde(default)]
    modified_ms: BTreeMap<String, i64>,
    #[serde(default)]
    folders: Vec<String>,
    /// Batches, queries, console and past runs, as the store has them.
    #[serde(default)]
    records: Vec<(String, String)>,
}

pub fn pack(parcel: &Parcel) -> Result<Vec<u8>, ArchiveError> {
    let manifest = Manifest {
        tidemark: VERSION,
        spark: SPARK_VERSION.to_owned(),
        current: parcel.current.clone(),
        clock_ms: parcel.clock_ms,
        modified_ms: parcel.files.iter().map(|file| (file.path.clone(), file.modified_ms)).collect(),
        folders: parcel.folders.clone(),
        records: parcel.records.clone(),
    };
    let manifest = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    let scripts = parcel.scripts.iter().map(|script| (format!("{SCRIPTS}{}", script.name), script.text.as_bytes()));
    let files = parcel
        .files
        .iter()
        .map(|file| (format!("{FILES}{}", file.path.trim_start_matches('/')), file.content.as_slice()));
    archive::pack(std::iter::once((MANIFEST.to_owned(), manifest.as_slice())).chain(scripts).chain(files))
}

pub fn unpack(bytes: &[u8]) -> Result<Parcel, WorkspaceError> {
    let entries = archive::unpack(bytes).map_err(WorkspaceError::Archive)?;
    let manifest = entries.iter().find(|(name, _)| name == MANIFEST).ok_or(WorkspaceError::NoWorkspace)?;
    let broken = |what: &str| WorkspaceError::Broken(what.to_owned());
    // The version first: another one may have another form.
    let version: serde_json::Value =
        serde_json::from_slice(&manifest.1).map_err(|_| broken("tidemark.json is no JSON"))?;
    match version.get("tidemark").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) => return Err(WorkspaceError::OtherVersion(u32::try_from(version).unwrap_or(u32::MAX))),
        None => return Err(broken("tidemark.json has no version")),
    }
    let manifest: Manifest =
        serde_json::from_value(version).map_err(|_| broken("tidemark.json is not as it should be"))?;
    let mut parcel = Parcel {
        current: manifest.current,
        clock_ms: manifest.clock_ms,
        records: manifest.records,
        ..Parcel::default()
    };
    for folder in &manifest.folders {
        parcel.folders.push(paths::checked(folder).ok_or_else(|| broken("a folder's path is no path"))?);
    }
    for (name, content) in entries {
        if let Some(script) = name.strip_prefix(SCRIPTS) {
            let text = String::from_utf8(content).map_err(|_| broken("a script is no text"))?;
            parcel.scripts.push(NamedScript { name: script.to_owned(), text });
        } else if let Some(path) = name.strip_prefix(FILES) {
            let path = format!("/{path}");
            let modified_ms = manifest.modified_ms.get(&path).copied().unwrap_or(0);
            parcel.files.push(ParcelFile { path, modified_ms, content });
        }
    }
    if parcel.scripts.is_empty() {
        return Err(broken("it has no script"));
    }
    Ok(parcel)
}

#[cfg(test)]
mod tests {
    use super::super::paths::tests::file;
    use super::*;

    fn parcel() -> Parcel {
        Parcel {
            scripts: vec![NamedScript { name: "a.py".to_owned(), text: "print(1)".to_owned() }],
            current: "a.py".to_owned(),
            clock_ms: 5,
            files: vec![file("/tmp/x", "1", 3), file("/workspace/cp/offsets/0", "v1", 4)],
            folders: vec!["/workspace/in".to_owned()],
            records: vec![("clock".to_owned(), "5".to_owned())],
        }
    }

    #[test]
    fn a_workspace_makes_the_round_trip() {
        assert_eq!(unpack(&pack(&parcel()).unwrap()), Ok(parcel()));
    }

    #[test]
    fn what_is_no_workspace_says_why() {
        let zip = |entries: &[(&str, &str)]| {
            archive::pack(entries.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes()))).unwrap()
        };
        assert_eq!(unpack(&zip(&[("a", "")])), Err(WorkspaceError::NoWorkspace));
        assert_eq!(unpack(&zip(&[(MANIFEST, r#"{"tidemark":2}"#)])), Err(WorkspaceError::OtherVersion(2)));
        for manifest in ["", "[]", r#"{"tidemark":1}"#, r#"{"tidemark":1,"folders":["../x"]}"#] {
            assert!(matches!(unpack(&zip(&[(MANIFEST, manifest)])), Err(WorkspaceError::Broken(_))), "{manifest}");
        }
        assert_eq!(unpack(b"PK"), Err(WorkspaceError::Archive(ArchiveError::NoZip)));
    }
}
