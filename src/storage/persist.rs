//! Asks the browser not to clear the storage when the disk is short.

use wasm_bindgen_futures::JsFuture;

/// True when the storage is persistent now. Works on the page only: workers cannot ask.
pub async fn ask_to_persist() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let storage = window.navigator().storage();
    match storage.persist() {
        Ok(promise) => JsFuture::from(promise).await.is_ok_and(|granted| granted.is_truthy()),
        Err(_) => false,
    }
}
