//! One open file: read, edit, save.

use super::code::Code;
use crate::page::use_page;
use crate::state::{Action, Content};
use crate::tree;
use crate::ui::{Glyph, Tool};
use std::rc::Rc;
use tidemark_protocol::Command;
use yew::prelude::*;

/// Files above this size are not opened in the editor (bytes).
const EDITABLE: usize = 2 * 1024 * 1024;

#[derive(Properties, PartialEq)]
pub struct FileProps {
    pub path: String,
}

#[component]
pub fn FileView(props: &FileProps) -> Html {
    let page = use_page();
    let content = page.app.open.as_ref().filter(|content| content.path == props.path);
    let shown = tree::relative(&tree::root(&page.app.files), &props.path).to_owned();
    html! {
        <div class="stack">
            <p class="caption">
                <b class="mono">{ shown }</b>
                <Tool glyph={Glyph::Download} name="Download" onclick={page.on(Action::Download(props.path.clone()))} />
            </p>
            if let Some(content) = content {
                <Opened content={content.clone()} />
            } else {
                <p class="empty">{ "Reading …" }</p>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct OpenedProps {
    content: Content,
}

#[component]
fn Opened(props: &OpenedProps) -> Html {
    let page = use_page();
    let content = &props.content;
    let edited = use_state(|| None::<Rc<str>>);
    if let Some(text) = &content.text {
        return html! { <pre class="console" tabindex="0" aria-label="File content, readable form">{ &**text }</pre> };
    }
    if content.bytes.len() > EDITABLE {
        return html! { <p class="empty">{ "Too large to edit here (over 2 MB); download it to read it." }</p> };
    }
    let Ok(text) = std::str::from_utf8(&content.bytes) else {
        return html! { <p class="empty">{ "Not text; download it to read it." }</p> };
    };
    let onchange = {
        let edited = edited.clone();
        Callback::from(move |text: Rc<str>| edited.set(Some(text)))
    };
    let save = {
        let (page, path, edited) = (page.clone(), content.path.clone(), edited.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(text) = &*edited {
                page.act(Action::Ask(Command::WriteFile { path: path.clone(), content: text.as_bytes().to_vec() }));
                page.act(Action::Say("Saved.".to_owned()));
            }
            edited.set(None);
        })
    };
    html! {
        <>
            <div class="code-host">
                <Code text={Rc::<str>::from(text)} document={content.path.clone()} language="plain"
                    label={format!("Content of {}", content.path)} {onchange} />
            </div>
            if edited.is_some() {
                <div class="form-end">
                    <button type="button" class="button primary" onclick={save}>{ "Save" }</button>
                    <span class="hint">{ "A source that has read this file does not read it again." }</span>
                </div>
            }
        </>
    }
}
