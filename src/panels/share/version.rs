//! Says that a new version of the page is there. It never takes over by itself: a session may be running.

use crate::page::use_page;
use crate::state::Action;
use crate::state::share::ShareAction;
use yew::prelude::*;

#[component]
pub fn NewVersion() -> Html {
    let page = use_page();
    if !page.app.share.new_version {
        return html! {};
    }
    let cost = if page.app.is_active() {
        "Files and batches stay; the running query goes on with Restart."
    } else {
        "Files and batches stay."
    };
    html! {
        <div class="new-version" role="region" aria-label="New version">
            <p><b>{ "A new version of Tidemark is there." }</b>{ " " }{ cost }</p>
            <button type="button" class="button" onclick={page.on(Action::Share(ShareAction::Update))}>{ "Reload" }</button>
            <button type="button" class="link" onclick={page.on(Action::Share(ShareAction::Later))}>{ "Later" }</button>
        </div>
    }
}
