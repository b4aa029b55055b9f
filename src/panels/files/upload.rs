//! Files from the desktop: whole up to 50 MB, in slices up to the limit.

use crate::browser::read;
use crate::event_form;
use crate::format::bytes;
use crate::page::Page;
use crate::state::{Action, App, FILE_LIMIT, SLICE, WHOLE_FILE};
use crate::tree;
use tidemark_protocol::Command;
use wasm_bindgen::JsValue;
use web_sys::{File, FileList};

/// Where new files go: the source's folder, else the first folder with JSON in it, else the root.
pub fn folder(app: &App) -> String {
    let source = app.shown_query().and_then(|view| view.info.sources.iter().find_map(event_form::folder));
    let with_json = || {
        let file = app.files.iter().find(|entry| !entry.is_dir && entry.path.ends_with(".json"))?;
        file.path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
    };
    source.or_else(with_json).unwrap_or_else(|| tree::root(&app.files))
}

/// Sends each file, or says why not.
pub fn take(page: &Page, files: &FileList, folder: &str) {
    for index in 0..files.length() {
        let Some(file) = files.get(index) else { continue };
        let size = file.size() as u64;
        let path = format!("{folder}/{}", file.name());
        if size > FILE_LIMIT {
            let (size, limit) = (bytes(size), FILE_LIMIT / (1024 * 1024));
            page.act(Action::Tell(format!("{} has {size}; a file may have up to {limit} MB.", file.name())));
            continue;
        }
        let page = page.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let sent = if size <= WHOLE_FILE {
                whole(&page, &file, path).await
            } else {
                sliced(&page, &file, size, path).await
            };
            if sent.is_err() {
                page.act(Action::Tell(format!("{} cannot be read.", file.name())));
            }
        });
    }
}

async fn whole(page: &Page, file: &File, path: String) -> Result<(), JsValue> {
    let content = read(file).await?;
    page.act(Action::Ask(Command::WriteFile { path, content }));
    Ok(())
}

/// The name a file has while its slices arrive: a source does not see names with an underscore.
async fn sliced(page: &Page, file: &File, size: u64, path: String) -> Result<(), JsValue> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let partial = format!("{folder}/_{name}.part");
    page.act(Action::Ask(Command::WriteFile { path: partial.clone(), content: Vec::new() }));
    let mut from = 0;
    while from < size {
        let to = (from + SLICE as u64).min(size);
        let content = read(&file.slice_with_f64_and_f64(from as f64, to as f64)?).await?;
        page.act(Action::Ask(Command::AppendFile { path: partial.clone(), content }));
        page.act(Action::Say(format!("{name}: {} of {}", bytes(to), bytes(size))));
        from = to;
    }
    page.act(Action::Ask(Command::Rename { from: partial, to: path.clone() }));
    Ok(())
}
