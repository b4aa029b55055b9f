//! Web Locks: one tab a workspace.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// How long to wait for the lock, ms: a worker that was just terminated gives its own back only after a moment.
const PATIENCE_MS: f64 = 1000.0;

/// Whether this tab has the workspace for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Until the tab (or its worker) goes away.
    Held,
    Elsewhere,
    /// The browser has no Web Locks here: nothing keeps two tabs apart.
    Unsupported,
}

/// Asks for the workspace's lock.
pub async fn lock(workspace: &str) -> Lock {
    let Some(answer) = request(&format!("tidemark/{workspace}")) else { return Lock::Unsupported };
    match JsFuture::from(answer).await {
        Ok(_) => Lock::Held,
        Err(error) => match get(&error, "name").and_then(|name| name.as_string()).as_deref() {
            Some("TimeoutError" | "AbortError") => Lock::Elsewhere,
            _ => Lock::Unsupported,
        },
    }
}

fn get(target: &JsValue, key: &str) -> Option<JsValue> {
    Reflect::get(target, &key.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

/// A promise that settles when the lock is held or the patience is over. `navigator.locks` is looked up by name:
/// web-sys has it as unstable only.
fn request(name: &str) -> Option<Promise> {
    let global: JsValue = js_sys::global().into();
    let locks = get(&get(&global, "navigator")?, "locks")?;
    let request: Function = get(&locks, "request")?.dyn_into().ok()?;
    let signals = get(&global, "AbortSignal")?;
    let timeout: Function = get(&signals, "timeout")?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"signal".into(), &timeout.call1(&signals, &PATIENCE_MS.into()).ok()?).ok()?;
    let mut asked = None;
    let answer = Promise::new(&mut |resolve, reject| {
        // The lock is held while the promise that the callback returns is pending: for ever.
        let callback = Closure::once_into_js(move |_lock: JsValue| -> JsValue {
            let _ = resolve.call0(&JsValue::NULL);
            Promise::new(&mut |_, _| {}).into()
        });
        asked = request.call3(&locks, &name.into(), &options, &callback).ok().and_then(|promise| {
            let on_error: Function = get(&promise, "catch")?.dyn_into().ok()?;
            on_error.call1(&promise, &reject).ok()
        });
    });
    asked.map(|_| answer)
}
