//! The database's layout and how an older one is brought to it.

use std::cell::Cell;
use std::rc::Rc;

use idb::{Database, DatabaseEvent, Factory, ObjectStoreParams};

use super::StoreError;

/// 1: `files` with whole contents, and `records`. 2: `chunks` for the pieces of large files; whole contents stay readable.
pub const SCHEMA_VERSION: u32 = 2;

pub(super) const FILES: &str = "files";
pub(super) const CHUNKS: &str = "chunks";
pub(super) const RECORDS: &str = "records";

/// The database of a workspace.
pub fn database_name(workspace: &str) -> String {
    format!("tidemark/{workspace}")
}

/// The stores that a version brought.
fn added_in(version: u32) -> &'static [&'static str] {
    match version {
        1 => &[FILES, RECORDS],
        2 => &[CHUNKS],
        _ => &[],
    }
}

pub(super) async fn open(workspace: &str) -> Result<Database, StoreError> {
    let mut request = Factory::new()?.open(&database_name(workspace), Some(SCHEMA_VERSION))?;
    let failed = Rc::new(Cell::new(None));
    let failure = failed.clone();
    request.on_upgrade_needed(move |event| {
        let upgrade = || {
            let (database, old) = (event.database()?, event.old_version()?);
            for version in old + 1..=SCHEMA_VERSION {
                for store in added_in(version) {
                    database.create_object_store(store, ObjectStoreParams::new())?;
                }
            }
            Ok(())
        };
        failure.set(upgrade().err());
    });
    let opened = request.await;
    if let Some(error) = failed.take() {
        let error: idb::Error = error;
        return Err(error.into());
    }
    let mut database = opened?;
    // A newer version of the page in another tab must not wait for this one.
    database.on_version_change(|event| {
        if let Ok(database) = event.database() {
            database.close();
        }
    });
    Ok(database)
}
