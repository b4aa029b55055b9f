//! Share and save: a link, text to copy, files to save, files to open.

use super::workspaces::Workspaces;
use super::{button, closing};
use crate::browser;
use crate::format::{bytes, plural};
use crate::page::{Page, use_page};
use crate::share::{archive, link, paths};
use crate::state::Action;
use crate::state::share::{ShareAction, ShareDialog};
use crate::ui::Dialog;
use std::rc::Rc;
use tidemark_protocol::messages::Parcel;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// What a link of it holds, in words.
pub(super) fn contents(parcel: &Parcel) -> String {
    let inputs = paths::inputs(parcel);
    let (topics, files): (Vec<_>, Vec<_>) = inputs.into_iter().partition(|file| paths::is_topic(&file.path));
    let size: u64 = files.iter().map(|file| file.content.len() as u64).sum();
    let topics = topics.iter().filter(|file| file.path.ends_with("/topic.json")).count() as i64;
    let scripts = match (&parcel.scripts[..], parcel.script()) {
        ([_], Some(script)) => {
            format!("{} ({})", script.name, plural(script.text.lines().count() as i64, "line", "lines"))
        }
        (scripts, _) => plural(scripts.len() as i64, "script", "scripts"),
    };
    let files = format!("{} ({})", plural(files.len() as i64, "input file", "input files"), bytes(size));
    let topics = if topics > 0 { format!(", {}", plural(topics, "topic", "topics")) } else { String::new() };
    format!("{scripts}, {files}{topics}")
}

#[component]
pub(super) fn Share() -> Html {
    let page = use_page();
    let share = &page.app.share;
    html! {
        <Dialog title="Share and save" class="share" onclose={closing(&page, ShareDialog::Share)}>
            if let Some(problem) = &share.problem { <p class="problem-line" role="alert">{ problem }</p> }
            <p class="sr" role="status" aria-live="polite">{ &page.app.announcement }</p>
            if let Some(parcel) = &share.parcel {
                <Parts parcel={parcel.clone()} />
            } else if share.problem.is_none() {
                <p class="hint">{ if page.app.is_busy() { "The workspace is packed when the script or trigger is done." } else { "Packing the workspace…" } }</p>
            }
            <Incoming />
            <Workspaces />
        </Dialog>
    }
}

#[derive(Properties, PartialEq)]
struct PartsProps {
    parcel: Rc<Parcel>,
}

#[component]
fn Parts(props: &PartsProps) -> Html {
    let page = use_page();
    let share = &page.app.share;
    let copied = page.app.announcement.ends_with(" copied");
    html! {
        <>
            <section aria-labelledby="share-link">
                <h3 id="share-link">{ "Link" }</h3>
                if let Some(address) = share.link_address() {
                    <div class="share-line">
                        <input class="input mono" readonly=true value={address.clone()} aria-label="Link to this workspace" />
                        { button(&page, "primary", "Copy link", ShareAction::CopyLink) }
                    </div>
                    <p class="hint">
                        { format!("{}; {} of {} letters. Checkpoints and batches stay here. Nothing is uploaded: the link holds it all.",
                            contents(&props.parcel), address.len() - share.address.len(), link::LIMIT) }
                    </p>
                } else if let Some(Err(size)) = share.link {
                    <p class="hint warn">
                        { format!("Too large for a link: {}, and {} fit. Save the workspace as a file and send that.",
                            bytes(size as u64), bytes(link::LIMIT as u64)) }
                    </p>
                }
                <div class="form-end">
                    { button(&page, "", "Copy as Markdown", ShareAction::CopyMarkdown) }
                    if share.link_address().is_some() {
                        { button(&page, "", "Copy HTML to embed", ShareAction::CopyEmbed) }
                    }
                    if copied { <span class="done">{ &page.app.announcement }</span> }
                </div>
            </section>
            <section aria-labelledby="share-save">
                <h3 id="share-save">{ "Save" }</h3>
                <div class="form-end">{ button(&page, "", "Save workspace (.zip)", ShareAction::SaveWorkspace) }</div>
                <p class="hint">{ "All of it: scripts, files, checkpoints, batches, history. Open it again below, here or elsewhere." }</p>
            </section>
            <section aria-labelledby="share-spark">
                <h3 id="share-spark">{ "Take it to real Spark" }</h3>
                <div class="form-end">
                    { button(&page, "", "Script for spark-submit", ShareAction::SaveSubmit) }
                    { button(&page, "", "pytest of these batches", ShareAction::SavePytest) }
                </div>
                <p class="hint">{ "The script brings its input files along. The test feeds Spark the same batches and expects the rows seen here." }</p>
                <SaveCheckpoint />
            </section>
        </>
    }
}

#[component]
fn SaveCheckpoint() -> Html {
    let page = use_page();
    let there = use_state(|| paths::CWD.to_owned());
    let chosen = use_state(|| 0usize);
    let checkpoints = page.app.checkpoints();
    let Some((folder, _)) = checkpoints.get(*chosen).or(checkpoints.first()).cloned() else {
        return html! { <p class="hint">{ "A query with a checkpoint can be taken along once it has run." }</p> };
    };
    let onfolder = {
        let there = there.clone();
        Callback::from(move |event: InputEvent| {
            there.set(event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value()));
        })
    };
    let onchoose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(-1, |select| select.selected_index());
            chosen.set(usize::try_from(index).unwrap_or(0));
        })
    };
    let action = ShareAction::SaveCheckpoint { folder: folder.clone(), there: (*there).clone() };
    html! {
        <>
            <label class="field">
                <span>{ "Checkpoint" }</span>
                <select onchange={onchoose}>
                    { for checkpoints.iter().enumerate().map(|(at, (path, query))| {
                        let query = query.as_ref().map_or_else(String::new, |query| format!(" of {query}"));
                        html! { <option selected={at == *chosen}>{ format!("{}{query}", paths::shown(path)) }</option> }
                    }) }
                </select>
            </label>
            <label class="field">
                <span>{ "Folder there" }</span>
                <input class="input mono" value={(*there).clone()} oninput={onfolder} />
            </label>
            <div class="form-end">{ button(&page, "", "Save checkpoint (.zip)", action) }</div>
            <p class="hint">
                { "The folder that the script will run in there. Sources remember files by their whole paths; they are rewritten to it. Lay the input files in the same places, and the query goes on." }
            </p>
        </>
    }
}

/// What can be opened.
#[component]
fn Incoming() -> Html {
    let page = use_page();
    let (workspace, zip, folder) = (use_node_ref(), use_node_ref(), use_node_ref());
    let pick = |node: &NodeRef| {
        let node = node.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    html! {
        <section aria-labelledby="share-open">
            <h3 id="share-open">{ "Open" }</h3>
            <div class="form-end">
                <button type="button" class="button" onclick={pick(&workspace)}>{ "Workspace file…" }</button>
                <button type="button" class="button" onclick={pick(&zip)}>{ "Checkpoint (.zip)…" }</button>
                <button type="button" class="button" onclick={pick(&folder)}>{ "Checkpoint folder…" }</button>
            </div>
            <p class="hint">{ "A workspace asks before it replaces this one. A checkpoint of Spark’s own can be brought in and gone on with." }</p>
            <input type="file" hidden=true accept=".zip" ref={workspace.clone()} aria-label="Workspace file to open"
                onchange={one_file(&page, workspace, ShareAction::OpenFile)} />
            <input type="file" hidden=true accept=".zip" ref={zip.clone()} aria-label="Checkpoint zip to bring in"
                onchange={one_file(&page, zip, ShareAction::OpenCheckpoint)} />
            <input type="file" hidden=true multiple=true webkitdirectory=true ref={folder.clone()} aria-label="Checkpoint folder to bring in"
                onchange={all_files(&page, folder)} />
        </section>
    }
}

fn one_file(page: &Page, input: NodeRef, action: fn(Rc<[u8]>) -> ShareAction) -> Callback<Event> {
    let page = page.clone();
    Callback::from(move |_: Event| {
        let Some(input) = input.cast::<HtmlInputElement>() else { return };
        let file = input.files().and_then(|files| files.get(0));
        let page = page.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(file) = file {
                let size = file.size() as u64;
                if size > archive::UNPACKED_LIMIT {
                    let limit = archive::UNPACKED_LIMIT >> 20;
                    page.act(Action::Tell(format!(
                        "{} is too large: {}, and up to {limit} MB are read.",
                        file.name(),
                        bytes(size)
                    )));
                } else {
                    match browser::read(&file).await {
                        Ok(content) => page.act(Action::Share(action(Rc::from(content)))),
                        Err(_) => page.act(Action::Tell(format!("{} cannot be read.", file.name()))),
                    }
                }
            }
            // The same file may be chosen again.
            input.set_value("");
        });
    })
}

fn all_files(page: &Page, input: NodeRef) -> Callback<Event> {
    let page = page.clone();
    Callback::from(move |_: Event| {
        let Some(input) = input.cast::<HtmlInputElement>() else { return };
        let Some(files) = input.files() else { return };
        let page = page.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let mut entries = Vec::new();
            let mut room = archive::UNPACKED_LIMIT;
            for file in (0..files.length()).filter_map(|index| files.get(index)) {
                let name = browser::path_in_folder(&file);
                let Some(left) = room.checked_sub(file.size() as u64) else {
                    let limit = archive::UNPACKED_LIMIT >> 20;
                    return page.act(Action::Tell(format!("The folder is too large: up to {limit} MB are read.")));
                };
                room = left;
                match browser::read(&file).await {
                    Ok(content) => entries.push((name, content)),
                    Err(_) => return page.act(Action::Tell(format!("{name} cannot be read."))),
                }
            }
            input.set_value("");
            page.act(Action::Share(ShareAction::OpenCheckpointFolder(entries)));
        });
    })
}
