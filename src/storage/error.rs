//! What can go wrong with storage, as states that the page shows.

use std::fmt;

use tidemark_protocol::messages::StorageState;
use web_sys::DomException;

/// Why nothing could be stored or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// No room: the browser's quota is used up.
    Full(String),
    /// IndexedDB is blocked, missing, or refused the work.
    Unavailable(String),
}

impl StoreError {
    /// A transaction that was aborted, with the reason it gives.
    pub(super) fn aborted(reason: Option<DomException>) -> Self {
        match reason {
            Some(reason) => Self::from_dom(&reason),
            None => Self::Unavailable("the transaction was aborted".to_owned()),
        }
    }

    fn from_dom(error: &DomException) -> Self {
        let text = format!("{}: {}", error.name(), error.message());
        if error.name() == "QuotaExceededError" { Self::Full(text) } else { Self::Unavailable(text) }
    }

    pub fn state(&self) -> StorageState {
        match self {
            Self::Full(message) => StorageState::Full { message: message.clone() },
            Self::Unavailable(message) => StorageState::Unavailable { message: message.clone() },
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Full(text) | Self::Unavailable(text)) = self;
        f.write_str(text)
    }
}

impl From<idb::Error> for StoreError {
    fn from(error: idb::Error) -> Self {
        match &error {
            idb::Error::DomException(dom) => Self::from_dom(dom),
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl From<serde_wasm_bindgen::Error> for StoreError {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        Self::Unavailable(format!("an entry cannot be read: {error}"))
    }
}
