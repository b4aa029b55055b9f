//! The line of time under the session: back and forward batch by batch, and which run the panels show.

use crate::keys::Key;
use crate::page::use_page;
use crate::state::replay::moment_name;
use crate::state::{Action, Gate, ReplayAction};
use crate::ui::{Glyph, Tool};
use tidemark_protocol::messages::{MomentKind, Second};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[component]
pub fn Scrubber() -> Html {
    let page = use_page();
    let replay = &page.main.replay;
    let node = use_node_ref();
    let newest = replay.newest();
    let shown = replay.shown();
    {
        // Not in the markup: a value there would come back under the finger whenever the page is drawn again.
        let node = node.clone();
        use_effect_with((replay.first, newest, shown, replay.progress.is_some()), move |(_, newest, shown, _)| {
            if let (Some(input), Some(newest)) = (node.cast::<HtmlInputElement>(), newest) {
                input.set_value(&shown.unwrap_or(newest + 1).to_string());
            }
        });
    }
    let Some(newest) = newest else { return html! {} };
    // The place after the newest moment is now.
    let place = shown.unwrap_or(newest + 1);
    let onchange = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            let value = event.target_dyn_into::<HtmlInputElement>().map_or(0.0, |input| input.value_as_number());
            let number = value as usize;
            let action = if number > newest { ReplayAction::Now } else { ReplayAction::Goto(number) };
            page.act(Action::Replay(action));
        })
    };
    let name = shown.and_then(|number| replay.moment(number)).map(moment_name);
    let batches = replay.moments.iter().filter(|moment| matches!(moment.kind, MomentKind::Batch { .. })).count();
    let words = match (&name, &replay.kind) {
        (Some(name), _) => format!("after {name}"),
        (None, Some(_)) if replay.looking => "the second run".to_owned(),
        _ => format!("now, after {batches} {}", if batches == 1 { "batch" } else { "batches" }),
    };
    let free = if replay.second.is_none() || replay.past {
        Gate::Open
    } else {
        Gate::Closed("A second run stands beside the workspace: discard it, or make it the workspace")
    };
    let back = if place > replay.first { free } else { Gate::Closed("There is nothing before this") };
    let forward = if shown.is_some() { Gate::Open } else { Gate::Closed("This is now") };
    let on = |action: ReplayAction| page.on::<MouseEvent>(Action::Replay(action));
    let past = shown.is_some();
    html! {
        <section class={classes!("scrubber", past.then_some("past"))} aria-label="Time travel">
            <Tool glyph={Glyph::Earlier} name="Back one batch" key_of={Key::Earlier} gate={back}
                onclick={page.on(Action::Replay(ReplayAction::Back))} />
            <input type="range" ref={node} class="scrub" min={replay.first.to_string()} max={(newest + 1).to_string()} step="1"
                aria-label="Moment" aria-valuetext={words.clone()} disabled={!free.is_open()}
                {onchange} />
            <Tool glyph={Glyph::Later} name="Forward one batch" key_of={Key::Later} gate={forward}
                onclick={page.on(Action::Replay(ReplayAction::Forward))} />
            <p class="scrub-words" data-moment={shown.map_or_else(|| "now".to_owned(), |number| number.to_string())}>
                if past { <b class="tag">{ "past" }</b> }
                { words }
                if replay.lost && place == replay.first { <small>{ " · earlier ones are not remembered" }</small> }
            </p>
            if let Some((done, total)) = replay.progress {
                <progress max={total.max(1).to_string()} value={done.to_string()} aria-label="Replay"></progress>
                <button type="button" class="link" onclick={on(ReplayAction::Stop)}>{ "Stop" }</button>
            } else if past {
                <button type="button" class="button" onclick={on(ReplayAction::Now)}>{ "Back to now" }</button>
                <button type="button" class="button" onclick={on(ReplayAction::Branch)}>{ "Branch from here" }</button>
            } else if replay.second.is_some() {
                { sides(&page) }
            } else {
                <button type="button" class="link" onclick={on(ReplayAction::Open)}>{ "What if …" }</button>
            }
        </section>
    }
}

/// The switch between the workspace and the run beside it.
fn sides(page: &crate::page::Page) -> Html {
    let replay = &page.main.replay;
    let second = match replay.kind {
        Some(Second::WhatIf { .. }) => "What-if run",
        Some(Second::Recut { .. }) => "Other batches",
        _ => "Branch",
    };
    let side = |name: &'static str, is_second: bool| {
        let pressed = replay.looking == is_second;
        html! {
            <button type="button" class="side" aria-pressed={if pressed { "true" } else { "false" }}
                onclick={page.on::<MouseEvent>(Action::Replay(ReplayAction::Look(is_second)))}>{ name }</button>
        }
    };
    html! {
        <>
            <span class="sides" role="group" aria-label="Run that is shown">
                { side("Workspace", false) }
                { side(second, true) }
            </span>
            <button type="button" class="button" onclick={page.on::<MouseEvent>(Action::Replay(ReplayAction::Adopt))}>{ "Make it the workspace" }</button>
            <button type="button" class="button" onclick={page.on::<MouseEvent>(Action::Replay(ReplayAction::Discard))}>{ "Discard" }</button>
        </>
    }
}
