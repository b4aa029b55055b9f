//! A workspace in IndexedDB: one database a workspace, every commit of the workbench one transaction.
//!
//! Database `tidemark/NAME`. `files`: by path; a file up to [`CHUNK_BYTES`] has its content in its entry, a larger one in
//! `chunks` by `[path, number]`. `records`: by key, what the workbench remembers beside its files.

mod catalog;
mod error;
mod lock;
mod persist;
mod schema;

pub use catalog::{delete_workspace, workspaces};
pub use error::StoreError;
pub use lock::{Lock, lock};
pub use persist::ask_to_persist;
pub use schema::{SCHEMA_VERSION, database_name};

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use idb::{Database, KeyRange, ObjectStore, TransactionMode, TransactionResult};
use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
use tidemark_protocol::workbench::{Commit, Record, Stored};
use tidemark_vfs::Change;
use wasm_bindgen::JsValue;
use web_sys::IdbTransaction;

use schema::{CHUNKS, FILES, RECORDS};

/// Size of the pieces of large files, bytes.
pub const CHUNK_BYTES: usize = 1 << 20;

/// An entry of the `files` store.
#[derive(Debug, Serialize, Deserialize)]
struct FileEntry {
    dir: bool,
    /// Milliseconds since the epoch.
    modified: f64,
    #[serde(default, with = "serde_bytes", skip_serializing_if = "Option::is_none")]
    content: Option<Vec<u8>>,
}

/// The open store of one workspace.
pub struct Store {
    database: Database,
    /// Hashes of the stored chunks of large files: an append rewrites only what it changed.
    chunks: BTreeMap<String, Vec<u64>>,
}

impl Store {
    /// Opens the workspace's database, makes it or brings it to the present schema.
    pub async fn open(workspace: &str) -> Result<Self, StoreError> {
        Ok(Self { database: schema::open(workspace).await?, chunks: BTreeMap::new() })
    }

    /// What is stored; None when nothing was ever committed.
    pub async fn load(&mut self) -> Result<Option<Stored>, StoreError> {
        let transaction = self.database.transaction(&[FILES, CHUNKS, RECORDS], TransactionMode::ReadOnly)?;
        let record_store = transaction.object_store(RECORDS)?;
        let record_keys = record_store.get_all_keys(None, None)?.await?;
        let record_values = record_store.get_all(None, None)?.await?;
        let file_store = transaction.object_store(FILES)?;
        let paths = file_store.get_all_keys(None, None)?.await?;
        let entries = file_store.get_all(None, None)?.await?;
        let chunk_store = transaction.object_store(CHUNKS)?;
        let mut files = Vec::new();
        for (path, entry) in paths.iter().zip(entries) {
            let Some(path) = path.as_string() else { continue };
            let entry: FileEntry = serde_wasm_bindgen::from_value(entry)?;
            let modified_ms = entry.modified as i64;
            if entry.dir {
                files.push(Change::Dir { path, modified_ms });
                continue;
            }
            let content = match entry.content {
                Some(content) => content,
                None => self.load_chunks(&chunk_store, &path).await?,
            };
            files.push(Change::File { path, content: Arc::new(content), modified_ms });
        }
        let text = |value: &JsValue| value.as_string().unwrap_or_default();
        let records: Vec<_> =
            record_keys.iter().zip(&record_values).map(|(key, value)| (text(key), text(value))).collect();
        Ok((!records.is_empty() || !files.is_empty()).then_some(Stored { files, records }))
    }

    async fn load_chunks(&mut self, store: &ObjectStore, path: &str) -> Result<Vec<u8>, StoreError> {
        let (mut content, mut hashes) = (Vec::new(), Vec::new());
        for chunk in store.get_all(Some(chunk_range(path, 0)?.into()), None)?.await? {
            let bytes = Uint8Array::new(&chunk).to_vec();
            hashes.push(hash(&bytes));
            content.extend_from_slice(&bytes);
        }
        self.chunks.insert(path.to_owned(), hashes);
        Ok(content)
    }

    /// Writes a commit in one transaction: all of it is durable when this returns `Ok`, nothing of it otherwise.
    pub async fn commit(&mut self, commit: &Commit) -> Result<(), StoreError> {
        // What the transaction changes in `self` counts only once it is done.
        let mut chunks = if commit.clear { BTreeMap::new() } else { self.chunks.clone() };
        let transaction = self.database.transaction(&[FILES, CHUNKS, RECORDS], TransactionMode::ReadWrite)?;
        let raw = IdbTransaction::from(transaction);
        let transaction = idb::Transaction::from(raw.clone());
        let written = (|| {
            let file_store = transaction.object_store(FILES)?;
            let chunk_store = transaction.object_store(CHUNKS)?;
            let record_store = transaction.object_store(RECORDS)?;
            if commit.clear {
                for store in [&file_store, &chunk_store, &record_store] {
                    store.clear()?;
                }
            }
            for change in &commit.files {
                put_file(&file_store, &chunk_store, &mut chunks, change)?;
            }
            for record in &commit.records {
                match record {
                    Record::Put { key, value } => drop(record_store.put(&value.into(), Some(&key.into()))?),
                    Record::Delete { key } => drop(record_store.delete(JsValue::from(key))?),
                }
            }
            Ok::<(), StoreError>(())
        })();
        if let Err(error) = written {
            // The transaction may be over already, which is as good.
            let _ = raw.abort();
            return Err(error);
        }
        let result = transaction.commit()?.await;
        match result {
            Ok(TransactionResult::Committed) => {
                self.chunks = chunks;
                Ok(())
            }
            Ok(TransactionResult::Aborted) => Err(StoreError::aborted(raw.error())),
            Err(error) => Err(error.into()),
        }
    }

    /// Closes the connection; the store must not be used any more.
    pub fn close(self) {
        self.database.close();
    }
}

fn put_file(
    files: &ObjectStore,
    chunk_store: &ObjectStore,
    chunks: &mut BTreeMap<String, Vec<u64>>,
    change: &Change,
) -> Result<(), StoreError> {
    let (path, entry) = match change {
        Change::Removed { path } => {
            files.delete(JsValue::from(path))?;
            if chunks.remove(path).is_some() {
                chunk_store.delete(chunk_range(path, 0)?)?;
            }
            return Ok(());
        }
        Change::Dir { path, modified_ms } => {
            (path, FileEntry { dir: true, modified: *modified_ms as f64, content: None })
        }
        Change::File { path, content, modified_ms } if content.len() <= CHUNK_BYTES => {
            let content = Some(content.to_vec());
            (path, FileEntry { dir: false, modified: *modified_ms as f64, content })
        }
        Change::File { path, modified_ms, .. } => {
            (path, FileEntry { dir: false, modified: *modified_ms as f64, content: None })
        }
    };
    match change {
        Change::File { path, content, .. } if content.len() > CHUNK_BYTES => {
            put_chunks(chunk_store, chunks.entry(path.clone()).or_default(), path, content)?;
        }
        _ if chunks.remove(path).is_some() => drop(chunk_store.delete(chunk_range(path, 0)?)?),
        _ => {}
    }
    files.put(&serde_wasm_bindgen::to_value(&entry)?, Some(&path.into()))?;
    Ok(())
}

fn put_chunks(store: &ObjectStore, stored: &mut Vec<u64>, path: &str, content: &[u8]) -> Result<(), StoreError> {
    let count = content.len().div_ceil(CHUNK_BYTES);
    if stored.len() > count {
        store.delete(chunk_range(path, count)?)?;
        stored.truncate(count);
    }
    for (number, bytes) in content.chunks(CHUNK_BYTES).enumerate() {
        let new = hash(bytes);
        if stored.get(number) == Some(&new) {
            continue;
        }
        store.put(&Uint8Array::from(bytes).into(), Some(&chunk_key(path, number)))?;
        match stored.get_mut(number) {
            Some(old) => *old = new,
            None => stored.push(new),
        }
    }
    Ok(())
}

fn chunk_key(path: &str, number: usize) -> JsValue {
    Array::of2(&path.into(), &(number as f64).into()).into()
}

/// All chunks of a path from a number on.
fn chunk_range(path: &str, from: usize) -> Result<KeyRange, StoreError> {
    let end = Array::of2(&path.into(), &f64::INFINITY.into());
    Ok(KeyRange::bound(&chunk_key(path, from), &end, None, None)?)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
