//! The code editor (www/editor, CodeMirror) as the app binds it.

use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;
use yew::Callback;

#[wasm_bindgen]
extern "C" {
    /// One editor in the page.
    #[derive(Clone)]
    pub type Editor;

    #[wasm_bindgen(js_namespace = tidemarkEditor, js_name = create, catch)]
    fn create_editor(host: &HtmlElement, options: &JsValue) -> Result<Editor, JsValue>;
    #[wasm_bindgen(method, js_name = setText)]
    pub fn set_text(this: &Editor, text: &str);
    /// Marks a line (1-based); `kind` is "error" or "parked".
    #[wasm_bindgen(method)]
    pub fn mark(this: &Editor, line: u32, kind: &str, title: &str);
    #[wasm_bindgen(method, js_name = clearMark)]
    pub fn clear_mark(this: &Editor);
    /// Underlines: `[from, to, message, ...]`, offsets in UTF-16 units.
    #[wasm_bindgen(method, js_name = setProblems)]
    pub fn set_problems(this: &Editor, flat: &js_sys::Array);
    /// Columns to complete: `[name, type, ...]`.
    #[wasm_bindgen(method, js_name = setColumns)]
    pub fn set_columns(this: &Editor, flat: &js_sys::Array);
    #[wasm_bindgen(method, js_name = goTo)]
    pub fn go_to(this: &Editor, line: u32);
    #[wasm_bindgen(method)]
    pub fn focus(this: &Editor);
    #[wasm_bindgen(method)]
    pub fn destroy(this: &Editor);
}

/// An editor with the closures that it calls.
pub struct Mounted {
    pub editor: Editor,
    _on_change: Closure<dyn FnMut(String)>,
    _on_blur: Closure<dyn FnMut()>,
    _on_say: Closure<dyn FnMut(String)>,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.editor.destroy();
    }
}

/// Makes an editor inside `host`. `language` is "python" or "plain". `on_say` gets what only a screen reader is told.
pub fn mount(
    host: &HtmlElement,
    text: &str,
    language: &str,
    label: &str,
    on_change: Callback<Rc<str>>,
    on_blur: Callback<()>,
    on_say: Callback<String>,
) -> Result<Mounted, String> {
    let on_change = Closure::<dyn FnMut(String)>::new(move |text: String| on_change.emit(Rc::from(text)));
    let on_blur = Closure::<dyn FnMut()>::new(move || on_blur.emit(()));
    let on_say = Closure::<dyn FnMut(String)>::new(move |text: String| on_say.emit(text));
    let options = js_sys::Object::new();
    let entries: [(&str, JsValue); 6] = [
        ("text", text.into()),
        ("language", language.into()),
        ("label", label.into()),
        ("onChange", on_change.as_ref().clone()),
        ("onBlur", on_blur.as_ref().clone()),
        ("onSay", on_say.as_ref().clone()),
    ];
    for (name, value) in entries {
        js_sys::Reflect::set(&options, &name.into(), &value).map_err(|_| format!("cannot set {name}"))?;
    }
    let editor = create_editor(host, &options).map_err(|_| "The editor's script could not be loaded.".to_owned())?;
    Ok(Mounted { editor, _on_change: on_change, _on_blur: on_blur, _on_say: on_say })
}
