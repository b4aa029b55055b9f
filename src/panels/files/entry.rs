//! One row of the tree, with what can be done to it.

use crate::format::bytes;
use crate::page::use_page;
use crate::state::Action;
use crate::tree::{self, Row};
use crate::ui::{Glyph, Icon, Tool};
use tidemark_protocol::Command;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What a row is in the middle of.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Plain,
    Renaming,
    /// Asked to delete a folder with all in it, or a file.
    Deleting,
}

#[derive(Properties, PartialEq)]
pub struct EntryProps {
    pub row: Row,
    pub ontoggle: Callback<String>,
}

#[component]
pub fn EntryRow(props: &EntryProps) -> Html {
    let page = use_page();
    let row = &props.row;
    let mode = use_state(|| Mode::Plain);
    let open = {
        let (page, row, toggle) = (page.clone(), row.clone(), props.ontoggle.clone());
        Callback::from(move |_: MouseEvent| {
            if row.is_dir { toggle.emit(row.path.clone()) } else { page.act(Action::OpenFile(row.path.clone())) }
        })
    };
    let switch = |to: Mode| {
        let mode = mode.clone();
        Callback::from(move |()| mode.set(to))
    };
    let glyph = match (row.is_dir, row.is_open) {
        (true, true) => Glyph::FolderOpen,
        (true, false) => Glyph::Folder,
        (false, _) => Glyph::File,
    };
    let style = format!("--depth:{}", row.depth);
    let remove = {
        let (page, path) = (page.clone(), row.path.clone());
        Callback::from(move |_: MouseEvent| page.act(Action::Ask(Command::Remove { path: path.clone() })))
    };
    let keep = switch(Mode::Plain).reform(|_: MouseEvent| ());
    match *mode {
        Mode::Renaming => {
            html! { <li ~style={style.clone()}><Rename row={row.clone()} onclose={switch(Mode::Plain)} /></li> }
        }
        Mode::Deleting => html! {
            <li class="confirm" ~style={style.clone()}>
                <span>{ format!("Delete {}{}?", row.name, if row.is_dir { " and all in it" } else { "" }) }</span>
                <button type="button" class="button bad" onclick={remove}>{ "Delete" }</button>
                <button type="button" class="button" onclick={keep}>{ "Keep" }</button>
            </li>
        },
        Mode::Plain => html! {
            <li ~style={style.clone()}>
                <button type="button" class="entry" onclick={open}
                    aria-expanded={row.is_dir.then_some(if row.is_open { "true" } else { "false" })}>
                    <Icon {glyph} /><span class="name">{ &row.name }</span>
                    if !row.is_dir { <span class="soft">{ bytes(row.len) }</span> }
                </button>
                <span class="entry-tools">
                    if !row.is_dir {
                        <Tool glyph={Glyph::Download} name={format!("Download {}", row.name)}
                            onclick={page.on(Action::Download(row.path.clone()))} />
                    }
                    <Tool glyph={Glyph::Rename} name={format!("Rename {}", row.name)} onclick={switch(Mode::Renaming)} />
                    <Tool glyph={Glyph::Delete} name={format!("Delete {}", row.name)} onclick={switch(Mode::Deleting)} />
                </span>
            </li>
        },
    }
}

#[derive(Properties, PartialEq)]
struct RenameProps {
    row: Row,
    onclose: Callback<()>,
}

#[component]
fn Rename(props: &RenameProps) -> Html {
    let page = use_page();
    let node = use_node_ref();
    let root = tree::root(&page.app.files);
    {
        // Set once: a value in the markup would come back over what is typed whenever the page is drawn again.
        let (node, path) = (node.clone(), tree::relative(&root, &props.row.path).to_owned());
        use_effect_with((), move |()| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&path);
                let _ = input.focus();
                input.select();
            }
        });
    }
    let onsubmit = {
        let (page, node, close, from, root) =
            (page.clone(), node.clone(), props.onclose.clone(), props.row.path.clone(), root.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let typed = node.cast::<HtmlInputElement>().map_or_else(String::new, |input| input.value());
            let to = tree::absolute(&root, &typed);
            if !typed.trim().is_empty() && to != from {
                page.act(Action::Ask(Command::Rename { from: from.clone(), to }));
            }
            close.emit(());
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
    html! {
        <form class="inline-form" {onsubmit}>
            <input ref={node} class="input mono" aria-label={format!("New path of {}", props.row.name)} {onkeydown} />
            <button type="submit" class="button">{ "Rename" }</button>
        </form>
    }
}
