//! The service worker's side of the page (www/offline): kept for use without a network, and told of new versions.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = tidemarkOffline, js_name = start, catch)]
    fn start_worker(on_kept: &JsValue, on_new: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(js_namespace = tidemarkOffline, js_name = update, catch)]
    fn take_update() -> Result<(), JsValue>;
}

/// Has the browser keep the page. Called when the engine is there, so that its loading comes first.
pub fn start(on_kept: impl FnMut() + 'static, on_new: impl FnMut() + 'static) {
    // Both closures live as long as the page.
    let kept = Closure::<dyn FnMut()>::new(on_kept).into_js_value();
    let new = Closure::<dyn FnMut()>::new(on_new).into_js_value();
    // Without the script the page works as before, with a network only.
    let _ = start_worker(&kept, &new);
}

/// Loads the version that waits.
pub fn update() {
    let _ = take_update();
}
