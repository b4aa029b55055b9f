//! The browser's services that the page uses beside the DOM that Yew draws.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlAnchorElement, HtmlElement, SvgElement, Url, Window};

/// The workspace that is opened when the address names none (`?workspace=NAME`).
pub const WORKSPACE: &str = "default";
const THEME_KEY: &str = "tidemark.theme";

pub fn window() -> Option<Window> {
    web_sys::window()
}

/// Milliseconds since the epoch: the one reading of the real clock, given to the engine once.
pub fn now_ms() -> i64 {
    js_sys::Date::now() as i64
}

pub fn workspace() -> String {
    let search = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    let named = search.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix("workspace="));
    named.filter(|name| !name.is_empty()).unwrap_or(WORKSPACE).to_owned()
}

/// The part of the address after `#`.
pub fn fragment() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Shows a place in the address, so that it can be passed on and gone back from.
pub fn set_fragment(text: &str) {
    if let Some(window) = window().filter(|_| fragment() != text) {
        let _ = window.location().set_hash(text);
    }
}

fn local_storage() -> Option<web_sys::Storage> {
    window().and_then(|window| window.local_storage().ok().flatten())
}

/// What was kept under a name.
pub fn kept(name: &str) -> Option<String> {
    local_storage()?.get_item(name).ok().flatten()
}

/// Keeps a text under a name, where the browser lets us.
pub fn keep(name: &str, text: &str) {
    if let Some(storage) = local_storage() {
        let _ = storage.set_item(name, text);
    }
}

/// Forgets what was kept under a name.
pub fn forget(name: &str) {
    if let Some(storage) = local_storage() {
        let _ = storage.remove_item(name);
    }
}

/// Hands bytes to the person as a file.
pub fn download(path: &str, content: &[u8]) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let give = || -> Result<(), JsValue> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(content));
        let blob = Blob::new_with_u8_array_sequence(&parts)?;
        let url = Url::create_object_url_with_blob(&blob)?;
        let document = window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
        let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
        link.set_href(&url);
        link.set_download(name);
        link.click();
        Url::revoke_object_url(&url)
    };
    // A browser that forbids downloads says so itself.
    let _ = give();
}

pub fn copy(text: String) {
    copy_then(&text, |_| ());
}

/// Copies, and says whether the browser let it happen.
pub fn copy_then(text: &str, then: impl FnOnce(bool) + 'static) {
    let Some(window) = window() else { return then(false) };
    // Only pages of a secure origin have a clipboard.
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into());
    if clipboard.is_ok_and(|clipboard| clipboard.is_undefined()) {
        return then(false);
    }
    let promise = window.navigator().clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        then(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

/// The content of a file from outside.
pub async fn read(blob: &Blob) -> Result<Vec<u8>, JsValue> {
    let buffer = wasm_bindgen_futures::JsFuture::from(blob.array_buffer()).await?;
    Ok(js_sys::Uint8Array::new(buffer.unchecked_ref()).to_vec())
}

/// The path of a file inside the folder that was chosen; its name where it was chosen alone.
pub fn path_in_folder(file: &web_sys::File) -> String {
    let path = js_sys::Reflect::get(file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
    path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
}

/// The page's address without query and fragment.
pub fn address() -> String {
    let location = window().map(|window| window.location());
    let part = |read: fn(&web_sys::Location) -> Result<String, JsValue>| {
        location.as_ref().and_then(|location| read(location).ok()).unwrap_or_default()
    };
    let path = part(web_sys::Location::pathname);
    format!("{}{}", part(web_sys::Location::origin), path.trim_end_matches("index.html"))
}

/// True where the page stands inside another one (`?embed`).
pub fn is_embedded() -> bool {
    let search = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    search.trim_start_matches('?').split('&').any(|pair| pair == "embed" || pair.starts_with("embed="))
}

/// Shows another address without loading it.
fn show_address(address: &str, new_entry: bool) {
    let Some(history) = window().and_then(|window| window.history().ok()) else { return };
    let _ = if new_entry {
        history.push_state_with_url(&JsValue::NULL, "", Some(address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(address))
    };
}

/// Takes the fragment out of the address.
pub fn forget_fragment() {
    let search = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    show_address(&format!("{}{search}", address()), false);
}

/// The address of a workspace.
pub fn workspace_address(name: &str) -> String {
    if name == WORKSPACE { address() } else { format!("{}?workspace={name}", address()) }
}

/// Loads the page at another address.
pub fn go(address: &str) {
    if let Some(window) = window() {
        let _ = window.location().assign(address);
    }
}

/// Names another workspace in the address.
pub fn name_workspace(name: &str) {
    show_address(&format!("{}?workspace={name}", address()), true);
}

/// Moves the focus to the first element of a selector.
pub fn focus(selector: &str) {
    let found =
        window().and_then(|window| window.document()).and_then(|document| document.query_selector(selector).ok());
    let Some(element) = found.flatten() else { return };
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    } else if let Some(element) = element.dyn_ref::<SvgElement>() {
        let _ = element.focus();
    }
}

/// The colours of the page: as the system has them, or as chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    pub fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn stored() -> Theme {
        match kept(THEME_KEY).as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        }
    }

    /// Shows it and remembers it, where the browser lets us.
    pub fn apply(self) {
        let Some(window) = window() else { return };
        if let Some(root) = window.document().and_then(|document| document.document_element()) {
            let system_is_dark = || {
                let query = window.match_media("(prefers-color-scheme: dark)").ok().flatten();
                query.is_some_and(|query| query.matches())
            };
            let dark = self == Theme::Dark || self == Theme::System && system_is_dark();
            let _ = root.set_attribute("data-theme", if dark { "dark" } else { "light" });
        }
        keep(THEME_KEY, self.name());
    }
}

/// Calls `act` before the next frame is drawn; at once in a page that is hidden, which draws none.
pub fn before_next_frame(act: impl FnOnce() + 'static) {
    let Some(window) = window() else { return };
    let hidden = window.document().is_none_or(|document| document.hidden());
    let act = Closure::once_into_js(act);
    let asked = !hidden && window.request_animation_frame(act.unchecked_ref()).is_ok();
    if !asked {
        let _ = act.unchecked_ref::<js_sys::Function>().call0(&JsValue::NULL);
    }
}

/// Size of the root's text, px: 16, unless the person's browser says otherwise. Everything that holds text goes with it.
pub fn root_px() -> f64 {
    let size = window().and_then(|window| {
        let root = window.document()?.document_element()?;
        window.get_computed_style(&root).ok().flatten()?.get_property_value("font-size").ok()
    });
    let px = size.and_then(|size| size.trim_end_matches("px").parse().ok());
    px.unwrap_or(16.0)
}

/// The value of a CSS custom property of the root element.
pub fn css_colour(name: &str) -> String {
    let style = window().and_then(|window| {
        let root = window.document()?.document_element()?;
        window.get_computed_style(&root).ok().flatten()
    });
    style
        .and_then(|style| style.get_property_value(name).ok())
        .map_or_else(String::new, |value| value.trim().to_owned())
}
