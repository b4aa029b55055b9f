//! Paths of a workspace: which are paths, and which files are inputs rather than what Spark wrote.

use std::collections::BTreeSet;
use tidemark_protocol::messages::{Parcel, ParcelFile};

/// The folder that scripts run in.
pub const CWD: &str = tidemark_protocol::workbench::CWD;
/// Bytes that a path may have.
const LENGTH_LIMIT: usize = 1024;

/// An absolute path of plain names, from one that may be relative to the folder of scripts. None: no path, or one that leads out.
pub fn checked(path: &str) -> Option<String> {
    let absolute = if path.starts_with('/') { path.to_owned() } else { format!("{CWD}/{path}") };
    let plain = |name: &str| !name.is_empty() && name != "." && name != ".." && !name.chars().any(char::is_control);
    let names = absolute.strip_prefix('/')?;
    (absolute.len() <= LENGTH_LIMIT && !absolute.contains('\\') && names.split('/').all(plain)).then_some(absolute)
}

/// As a script names it: relative below its folder.
pub fn shown(path: &str) -> &str {
    path.strip_prefix(CWD).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

pub fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Folders with the logs of a streaming query.
pub fn checkpoints(parcel: &Parcel) -> BTreeSet<String> {
    let paths: BTreeSet<&str> = parcel.files.iter().map(|file| file.path.as_str()).collect();
    let with_offsets = paths.iter().filter_map(|path| {
        let (folder, name) = path.split_once("/offsets/")?;
        (!name.contains('/') && paths.contains(format!("{folder}/metadata").as_str())).then(|| folder.to_owned())
    });
    with_offsets.collect()
}

/// The files that were brought, in the order of their arrival: neither checkpoints nor what sinks and tables hold.
pub fn inputs(parcel: &Parcel) -> Vec<&ParcelFile> {
    let mut written = checkpoints(parcel);
    let sinks = parcel.files.iter().filter_map(|file| Some(file.path.split_once("/_spark_metadata/")?.0.to_owned()));
    written.extend(sinks);
    written.insert(format!("{CWD}/spark-warehouse"));
    let is_written = |file: &ParcelFile| {
        written.iter().any(|folder| is_below(&file.path, folder)) || file.path.starts_with("/tmp/temporary-")
    };
    let mut files: Vec<&ParcelFile> = parcel.files.iter().filter(|file| !is_written(file)).collect();
    files.sort_by(|a, b| (a.modified_ms, &a.path).cmp(&(b.modified_ms, &b.path)));
    files
}

/// Topics of the simulated broker are files, too.
pub fn is_topic(path: &str) -> bool {
    is_below(path, &format!("{CWD}/.tidemark"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn file(path: &str, content: &str, modified_ms: i64) -> ParcelFile {
        ParcelFile { path: path.to_owned(), content: content.into(), modified_ms }
    }

    #[test]
    fn paths_that_lead_out_are_none() {
        assert_eq!(checked("data/a.json").as_deref(), Some("/workspace/data/a.json"));
        assert_eq!(checked("/other/a").as_deref(), Some("/other/a"));
        for bad in ["", "/", "../a", "/a/../b", "a//b", "a/", "./a", "a\\b", "a\nb", &"x".repeat(2000)] {
            assert_eq!(checked(bad), None, "{bad:?}");
        }
        assert_eq!(shown("/workspace/data/a"), "data/a");
        assert_eq!(shown("/workspaces/a"), "/workspaces/a");
    }

    #[test]
    fn inputs_are_what_was_brought_in_its_order() {
        let files = [
            ("/workspace/in/b.json", 1),
            ("/workspace/in/a.json", 2),
            ("/workspace/cp/metadata", 3),
            ("/workspace/cp/offsets/0", 3),
            ("/workspace/cp/state/0/0/1.delta", 3),
            ("/workspace/out/_spark_metadata/0", 3),
            ("/workspace/out/part-0.json", 3),
            ("/workspace/spark-warehouse/t/part-0.parquet", 3),
            ("/workspace/offsets/readme", 4),
        ];
        let parcel =
            Parcel { files: files.iter().map(|(path, at)| file(path, "", *at)).collect(), ..Parcel::default() };
        let shown: Vec<&str> = inputs(&parcel).into_iter().map(|file| shown(&file.path)).collect();
        assert_eq!(shown, ["in/b.json", "in/a.json", "offsets/readme"]);
        assert_eq!(checkpoints(&parcel).into_iter().collect::<Vec<_>>(), ["/workspace/cp"]);
    }
}
