//! The checkpoint folder: what each file is, and what is in it.

use crate::checkpoint::{self, CheckpointFile};
use crate::format::bytes;
use crate::page::use_page;
use crate::state::Action;
use yew::prelude::*;

#[component]
pub fn CheckpointPanel() -> Html {
    let page = use_page();
    let app = &page.app;
    let Some(view) = app.shown_query() else {
        return html! { <p class="empty">{ "Offsets, commits and state of a query stand here once it has started." }</p> };
    };
    let files = checkpoint::files(&app.files, &view.info.checkpoint);
    let folder = checkpoint::folder(&view.info.checkpoint).to_owned();
    if files.is_empty() {
        return html! {
            <p class="empty">{ format!("{folder} is empty. Without option(\"checkpointLocation\", …) Spark keeps a checkpoint only for as long as the query runs.") }</p>
        };
    }
    let shown = app.explained.as_ref().filter(|content| app.explain_path.as_deref() == Some(content.path.as_str()));
    let entry = |file: &CheckpointFile| {
        let is_shown = app.explain_path.as_deref() == Some(file.path.as_str());
        html! {
            <li key={file.path.clone()}>
                <button type="button" class={classes!("file-row", is_shown.then_some("selected"))}
                    aria-pressed={if is_shown { "true" } else { "false" }}
                    onclick={page.on(Action::ExplainFile(file.path.clone()))}>
                    <span class="mono">{ &file.name }</span>
                    <span class="meaning">{ &file.meaning }</span>
                    <span class="soft">{ bytes(file.len) }</span>
                </button>
            </li>
        }
    };
    html! {
        <div class="split checkpoint">
            <ul class="file-list" aria-label={format!("Checkpoint {folder}")}>{ for files.iter().map(entry) }</ul>
            <div class="stack">
                if let Some(content) = shown {
                    <p class="caption"><b class="mono">{ content.path.clone() }</b></p>
                    <pre class="console" tabindex="0" aria-label="File content">
                        { match &content.text {
                            Some(text) => text.to_string(),
                            None => String::from_utf8_lossy(&content.bytes).into_owned(),
                        } }
                    </pre>
                } else {
                    <p class="empty">{ "Choose a file to read it; state files are decoded." }</p>
                }
            </div>
        </div>
    }
}
