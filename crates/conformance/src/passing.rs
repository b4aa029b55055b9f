//! passing/FOLDER.txt: the cases that pass, one name a line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{fs, io};

use crate::cases_root;

/// The lists of all folders.
#[derive(Debug, Default)]
pub struct Passing {
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Passing {
    fn path(folder: &str) -> PathBuf {
        PathBuf::from(cases_root()).join("passing").join(format!("{folder}.txt"))
    }

    /// Reads the lists of these folders; one that is missing is empty.
    pub fn load(folders: &[String]) -> io::Result<Self> {
        let mut names = BTreeMap::new();
        for folder in folders {
            let text = match fs::read_to_string(Self::path(folder)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                other => other?,
            };
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            names.insert(folder.clone(), lines.map(str::to_owned).collect());
        }
        Ok(Self { names })
    }

    pub fn contains(&self, folder: &str, name: &str) -> bool {
        self.names.get(folder).is_some_and(|names| names.contains(name))
    }

    /// How many cases of a folder are listed.
    pub fn len(&self, folder: &str) -> usize {
        self.names.get(folder).map_or(0, BTreeSet::len)
    }

    /// Notes how a case went now.
    pub fn set(&mut self, folder: &str, name: &str, passes: bool) {
        let names = self.names.entry(folder.to_owned()).or_default();
        if passes {
            names.insert(name.to_owned());
        } else {
            names.remove(name);
        }
    }

    /// Writes every list back.
    pub fn save(&self) -> io::Result<()> {
        for (folder, names) in &self.names {
            let path = Self::path(folder);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let text: String = names.iter().map(|name| format!("{name}\n")).collect();
            fs::write(path, text)?;
        }
        Ok(())
    }
}
