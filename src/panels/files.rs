//! The session's files: the tree, new folders and files, files from the desktop.

pub mod entry;
pub mod new;
pub mod upload;

pub use upload::folder as target;

use self::entry::EntryRow;
use self::new::{NewForm, Wanted};
use super::event::AddEvent;
use super::file::FileView;
use super::kafka::KafkaPanel;
use super::socket::SocketPanel;
use crate::keys::{self, Key};
use crate::page::use_page;
use crate::state::{Action, FilesTab};
use crate::tree::{self, Toggled};
use crate::ui::{Glyph, Tool, tabs};
use web_sys::{DragEvent, HtmlInputElement};
use yew::prelude::*;

const TABS: [(FilesTab, &str, &str); 4] = [
    (FilesTab::Tree, "Files", "tab-files"),
    (FilesTab::AddEvent, "Add event", "tab-add-event"),
    (FilesTab::Kafka, "Kafka", "tab-kafka"),
    (FilesTab::Socket, "Socket", "tab-socket"),
];

#[component]
pub fn FilesPanel() -> Html {
    let page = use_page();
    let app = &page.app;
    let tab = app.files_tab;
    let over = use_state(|| false);
    let tab_button = |(other, text, id): (FilesTab, &'static str, &'static str)| {
        let selected = other == tab;
        html! {
            <button type="button" {id} role="tab" title={(other == FilesTab::AddEvent).then(|| keys::shown(Key::AddEvent))}
                aria-selected={if selected { "true" } else { "false" }} aria-controls="files-panel"
                tabindex={if selected { "0" } else { "-1" }} onclick={page.on(Action::ShowFiles(other))}>{ text }</button>
        }
    };
    let onkeydown = {
        let page = page.clone();
        Callback::from(move |event: KeyboardEvent| {
            let here = TABS.iter().position(|(other, ..)| *other == tab).unwrap_or(0);
            if let Some((next, _, id)) = tabs::arrow(&event, here, TABS.len()).and_then(|to| TABS.get(to)) {
                page.act(Action::ShowFiles(*next));
                crate::browser::focus(&format!("#{id}"));
            }
        })
    };
    let ondragover = {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(true);
        })
    };
    let ondragleave = {
        let over = over.clone();
        Callback::from(move |_: DragEvent| over.set(false))
    };
    let ondrop = {
        let (page, over) = (page.clone(), over.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(false);
            if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
                upload::take(&page, &files, &upload::folder(&page.app));
            }
        })
    };
    html! {
        <section class={classes!("pane", "files", over.then_some("drop-target"))} id="pane-files" aria-label="Files"
            {ondragover} {ondragleave} {ondrop}>
            <header class="pane-head">
                <div class="tabs" role="tablist" aria-label="Files" {onkeydown}>
                    { for TABS.map(tab_button) }
                </div>
                if app.open_path.is_some() {
                    <Tool glyph={Glyph::Back} name="Back to the files" onclick={page.on(Action::CloseFile)} />
                }
            </header>
            <div class="pane-body" id="files-panel" role="tabpanel" aria-label="Files">
                if let Some(path) = app.open_path.clone() {
                    <FileView {path} />
                } else if tab == FilesTab::AddEvent {
                    <AddEvent />
                } else if tab == FilesTab::Kafka {
                    <KafkaPanel />
                } else if tab == FilesTab::Socket {
                    <SocketPanel />
                } else {
                    <Tree />
                }
            </div>
            if *over { <p class="drop-note">{ format!("Drop into {}", upload::folder(app)) }</p> }
        </section>
    }
}

#[component]
fn Tree() -> Html {
    let page = use_page();
    let app = &page.app;
    let toggled = use_state(Toggled::new);
    let wanted = use_state(|| None::<Wanted>);
    let input = use_node_ref();
    let rows = tree::rows(&app.files, &toggled);
    let ontoggle = {
        let toggled = toggled.clone();
        Callback::from(move |path: String| {
            let mut next = (*toggled).clone();
            if !next.remove(&path) {
                next.insert(path);
            }
            toggled.set(next);
        })
    };
    let want = |kind: Wanted| {
        let wanted = wanted.clone();
        Callback::from(move |()| wanted.set(Some(kind)))
    };
    let onclose = {
        let wanted = wanted.clone();
        Callback::from(move |()| wanted.set(None))
    };
    let pick = {
        let input = input.clone();
        Callback::from(move |()| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    let onchange = {
        let (page, input) = (page.clone(), input.clone());
        Callback::from(move |_: Event| {
            let Some(input) = input.cast::<HtmlInputElement>() else { return };
            if let Some(files) = input.files() {
                upload::take(&page, &files, &upload::folder(&page.app));
            }
            input.set_value("");
        })
    };
    html! {
        <div class="stack files-body">
            <div class="file-tools">
                <Tool glyph={Glyph::NewFile} name="New file" text=true onclick={want(Wanted::File)} />
                <Tool glyph={Glyph::NewFolder} name="New folder" text=true onclick={want(Wanted::Folder)} />
                <Tool glyph={Glyph::Upload} name="Upload" text=true
                    hint={format!("Copy files into {}; or drop them here", upload::folder(app))} onclick={pick} />
                <input type="file" multiple=true hidden=true ref={input} {onchange} aria-label="Files to upload" />
            </div>
            if let Some(kind) = *wanted { <NewForm {kind} {onclose} /> }
            if rows.is_empty() {
                <p class="empty">{ "No files. Make a folder for the source, then a file of JSON lines in it." }</p>
            } else {
                <ul class="tree" aria-label="Files of the session">
                    { for rows.into_iter().map(|row| { let key = row.path.clone(); html! { <EntryRow {key} {row} ontoggle={ontoggle.clone()} /> } }) }
                </ul>
            }
        </div>
    }
}
