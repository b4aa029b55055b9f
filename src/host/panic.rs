//! A panic ends the worker: what can still be said about it goes to the page.

use std::panic::{self, PanicHookInfo};

use js_sys::Reflect;
use tidemark_protocol::{Event, SPARK_VERSION};
use wasm_bindgen::JsValue;

use super::post;

pub(super) fn install() {
    panic::set_hook(Box::new(|info| post(&Event::Panicked { report: report(info) })));
}

/// Version, message with its place, the browser, and the call stack.
fn report(info: &PanicHookInfo<'_>) -> String {
    let text = |target: &JsValue, key: &str| {
        Reflect::get(target, &key.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
    };
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or(JsValue::UNDEFINED);
    format!(
        "Tidemark {} (Spark {SPARK_VERSION})\n{info}\n{}\n{}",
        env!("CARGO_PKG_VERSION"),
        text(&navigator, "userAgent"),
        text(&js_sys::Error::new("").into(), "stack"),
    )
}
