//! A new folder, or a new file with what is typed or pasted into it.

use super::upload;
use crate::event_form;
use crate::page::use_page;
use crate::state::Action;
use crate::tree;
use tidemark_protocol::Command;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    File,
    Folder,
}

#[derive(Properties, PartialEq)]
pub struct NewProps {
    pub kind: Wanted,
    pub onclose: Callback<()>,
}

#[component]
pub fn NewForm(props: &NewProps) -> Html {
    let page = use_page();
    let app = &page.app;
    let root = tree::root(&app.files);
    let folder = upload::folder(app);
    let suggested = match props.kind {
        Wanted::File => tree::unused(&app.files, &folder, "events", "json"),
        Wanted::Folder => format!("{root}/data/new_folder"),
    };
    let path = use_state(|| tree::relative(&root, &suggested).to_owned());
    let text = use_state(String::new);
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.kind, move |_| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                let _ = input.focus();
                input.select();
            }
        });
    }
    let target = tree::absolute(&root, &path);
    let taken = app.files.iter().any(|entry| entry.path == target);
    let onsubmit = {
        let (page, close, kind, target, text) =
            (page.clone(), props.onclose.clone(), props.kind, target.clone(), text.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let path = target.clone();
            page.act(Action::Ask(match kind {
                Wanted::Folder => Command::MakeDir { path },
                Wanted::File => {
                    let ends = text.is_empty() || text.ends_with('\n');
                    let content = if ends { text.as_bytes().to_vec() } else { format!("{}\n", *text).into_bytes() };
                    Command::WriteFile { path, content }
                }
            }));
            close.emit(());
        })
    };
    let onpath = {
        let path = path.clone();
        Callback::from(move |event: InputEvent| {
            path.set(event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value()));
        })
    };
    let ontext = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_dyn_into::<HtmlTextAreaElement>().map_or_else(String::new, |input| input.value()));
        })
    };
    let onkeydown = {
        let close = props.onclose.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                close.emit(());
            }
        })
    };
    let cancel = props.onclose.reform(|_: MouseEvent| ());
    let is_json = target.ends_with(".json") || target.ends_with(".jsonl");
    let bad = if is_json { event_form::malformed(&text) } else { Vec::new() };
    html! {
        <form class="card" {onsubmit} {onkeydown}>
            <label class="field">
                <span>{ if props.kind == Wanted::File { "File" } else { "Folder" } }</span>
                <input ref={node} class="input mono" value={(*path).clone()} oninput={onpath} required=true />
            </label>
            if props.kind == Wanted::File {
                <label class="field">
                    <span>{ "Content" }</span>
                    <textarea class="input mono" rows="4" spellcheck="false" value={(*text).clone()} oninput={ontext}
                        placeholder="One JSON object a line" />
                </label>
                if let Some(first) = bad.first() {
                    <p class="hint warn">{ format!("Line {first} is no JSON object: the reader takes it as malformed.") }</p>
                }
            }
            if taken { <p class="hint warn">{ "There is one already; it is replaced." }</p> }
            <div class="form-end">
                <button type="submit" class="button primary">{ "Create" }</button>
                <button type="button" class="button" onclick={cancel}>{ "Cancel" }</button>
            </div>
        </form>
    }
}
