//! A workspace as one value: how it leaves a session and comes to another.

use serde::{Deserialize, Serialize};

/// A script with its name ("script.py").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedScript {
    pub name: String,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParcelFile {
    /// Absolute.
    pub path: String,
    /// Milliseconds since the epoch; 0: the time of laying, in the order of the files.
    pub modified_ms: i64,
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
}

/// A workspace, or the part of it that travels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parcel {
    /// At least one.
    pub scripts: Vec<NamedScript>,
    /// Name of the script that is shown.
    pub current: String,
    /// Of the session, ms; 0: the time of laying.
    pub clock_ms: i64,
    pub files: Vec<ParcelFile>,
    /// Folders with nothing in them, absolute.
    pub folders: Vec<String>,
    /// Batches, queries and console as a store's records; nothing where only inputs travel.
    pub records: Vec<(String, String)>,
}

impl Parcel {
    /// The script that is shown.
    pub fn script(&self) -> Option<&NamedScript> {
        self.scripts.iter().find(|script| script.name == self.current).or_else(|| self.scripts.first())
    }

    /// Bytes in its files.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.content.len() as u64).sum()
    }
}

/// What the page asks of a workspace as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShareCommand {
    /// Answered by [`ShareEvent::Packed`].
    Pack,
    /// Takes the workspace's place. Refused, with the workspace as it was, when it does not fit or a path is no path.
    Lay(Parcel),
    /// Adds files (a checkpoint from elsewhere); a folder of the list goes first, with all in it.
    Put { replace: Option<String>, files: Vec<ParcelFile> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShareEvent {
    Packed(Parcel),
    /// Another workspace lies in place of the old one; [`crate::Event::Ready`] follows.
    Laid,
    /// Files were added by [`ShareCommand::Put`].
    Put {
        files: usize,
    },
}
