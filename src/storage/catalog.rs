//! The workspaces that this browser holds.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::{StoreError, database_name};

async fn called(on: &JsValue, name: &str) -> Option<JsValue> {
    let function: Function = Reflect::get(on, &name.into()).ok()?.dyn_into().ok()?;
    let promise: Promise = function.call0(on).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()
}

fn member(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

/// Their names, in order. None: the browser does not tell.
pub async fn workspaces() -> Option<Vec<String>> {
    let factory = member(&js_sys::global(), "indexedDB")?;
    let found: Array = called(&factory, "databases").await?.dyn_into().ok()?;
    let prefix = database_name("");
    let names =
        found.iter().filter_map(|one| Some(member(&one, "name")?.as_string()?.strip_prefix(&prefix)?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Some(names)
}

/// Whether a tab has the workspace open.
async fn is_open(workspace: &str) -> bool {
    let held = async {
        let locks = member(&member(&js_sys::global(), "navigator")?, "locks")?;
        let state = called(&locks, "query").await?;
        member(&state, "held")?.dyn_into::<Array>().ok()
    };
    let name = database_name(workspace);
    held.await.is_some_and(|held| {
        held.iter().any(|lock| member(&lock, "name").and_then(|name| name.as_string()).as_deref() == Some(&*name))
    })
}

/// Deletes a workspace. False: a tab has it open.
pub async fn delete_workspace(workspace: &str) -> Result<bool, StoreError> {
    if is_open(workspace).await {
        return Ok(false);
    }
    idb::Factory::new()?.delete(&database_name(workspace))?.await?;
    Ok(true)
}
