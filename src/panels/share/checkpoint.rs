//! A checkpoint has come: where it is to lie, and where the files that it has read lie here.

use super::closing;
use crate::event_form;
use crate::format::plural;
use crate::page::use_page;
use crate::share::checkpoint::Found;
use crate::share::paths;
use crate::state::Action;
use crate::state::share::{ShareAction, ShareDialog};
use crate::ui::Dialog;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct BringProps {
    pub(super) found: Rc<Found>,
}

#[component]
pub(super) fn Bring(props: &BringProps) -> Html {
    let page = use_page();
    let found = &props.found;
    let folder = use_state(|| {
        let shown = page.app.shown_query().map(|view| view.info.checkpoint.trim_start_matches("file://"));
        let shown = shown.filter(|folder| paths::is_below(folder, paths::CWD)).map(paths::shown);
        shown.map_or_else(|| format!("data/{}", found.name.as_deref().unwrap_or("checkpoint")), str::to_owned)
    });
    let here = use_state(|| {
        let source = page.app.shown_query().and_then(|view| view.info.sources.iter().find_map(event_form::folder));
        source.map_or_else(String::new, |folder| paths::shown(&folder).to_owned())
    });
    let typed = |state: &UseStateHandle<String>| {
        let state = state.clone();
        Callback::from(move |event: InputEvent| {
            state.set(event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value()));
        })
    };
    let onsubmit = {
        let (page, folder, here) = (page.clone(), folder.clone(), here.clone());
        let moved = found.read_from.is_some();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let here = moved.then(|| (*here).clone());
            page.act(Action::Share(ShareAction::LayCheckpoint { folder: (*folder).clone(), here }));
        })
    };
    html! {
        <Dialog title="Bring in this checkpoint" onclose={closing(&page, ShareDialog::Checkpoint)}>
            if let Some(problem) = &page.app.share.problem { <p class="problem-line" role="alert">{ problem }</p> }
            <p>{ format!("It has {}. A folder of that name here is replaced.", plural(found.count() as i64, "file", "files")) }</p>
            <form class="stack-form" {onsubmit}>
                <label class="field">
                    <span>{ "Lay it in" }</span>
                    <input class="input mono" value={(*folder).clone()} oninput={typed(&folder)} />
                </label>
                if let Some(from) = &found.read_from {
                    <p class="hint">
                        { format!("Its sources have read files below {from}. Where do the same files lie here? Those that are not there \
                           by name are taken for new ones.") }
                    </p>
                    <label class="field">
                        <span>{ "Their files" }</span>
                        <input class="input mono" value={(*here).clone()} oninput={typed(&here)} placeholder="data/stream_in" />
                    </label>
                }
                <div class="form-end">
                    <button type="submit" class="button primary">{ "Bring it in" }</button>
                    <button type="button" class="button" onclick={page.on::<MouseEvent>(Action::Share(ShareAction::Show(None)))}>{ "Cancel" }</button>
                </div>
            </form>
        </Dialog>
    }
}
