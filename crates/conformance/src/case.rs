//! Where the cases are: on disk for the host, in the binary for the browser.

/// One script and what Spark printed for it.
#[derive(Clone, Debug)]
pub struct Case {
    pub folder: String,
    pub name: String,
    pub script: String,
    pub expected: String,
}

impl Case {
    /// "tutorial/first_stream".
    pub fn id(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }
}

/// A case that was built in (the browser has no disk).
pub struct Embedded {
    pub folder: &'static str,
    pub name: &'static str,
    pub script: &'static str,
    pub expected: &'static str,
}

impl From<&Embedded> for Case {
    fn from(case: &Embedded) -> Self {
        Self {
            folder: case.folder.to_owned(),
            name: case.name.to_owned(),
            script: case.script.to_owned(),
            expected: case.expected.to_owned(),
        }
    }
}

/// The repository's tests/conformance.
pub fn cases_root() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance")
}

#[cfg(not(target_arch = "wasm32"))]
pub use disk::{all, folder_names, select};

#[cfg(not(target_arch = "wasm32"))]
mod disk {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::{fs, io};

    use super::{Case, cases_root};

    fn names(folder: &Path, extension: Option<&str>) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let fits = match extension {
                Some(extension) => path.extension().is_some_and(|found| found == extension),
                None => path.is_dir(),
            };
            if let (true, Some(stem)) = (fits, path.file_stem()) {
                names.push(stem.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// The folders below cases/, sorted.
    pub fn folder_names() -> io::Result<Vec<String>> {
        names(&Path::new(cases_root()).join("cases"), None)
    }

    /// Every case, by folder and name.
    pub fn all() -> io::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for folder in folder_names()? {
            let path = Path::new(cases_root()).join("cases").join(&folder);
            for name in names(&path, Some("py"))? {
                let script = fs::read_to_string(path.join(format!("{name}.py")))?;
                let expected = fs::read_to_string(path.join(format!("{name}.out")))?;
                cases.push(Case { folder: folder.clone(), name, script, expected });
            }
        }
        Ok(cases)
    }

    /// The cases that one of the words names: a folder, FOLDER/NAME, or a part of either. No words: all.
    pub fn select(words: &[String]) -> io::Result<Vec<Case>> {
        let folders: BTreeSet<String> = folder_names()?.into_iter().collect();
        let mut cases = all()?;
        cases.retain(|case| {
            words.is_empty()
                || words.iter().any(|word| {
                    let word = word.trim_end_matches('/').trim_end_matches(".py");
                    if folders.contains(word) { case.folder == word } else { case.id().contains(word) }
                })
        });
        Ok(cases)
    }
}
