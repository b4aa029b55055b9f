//! The input of a query with the borders between its batches, which can be moved.

use crate::page::{Page, use_page};
use crate::state::replay::Cuts;
use crate::state::{Action, ReplayAction};
use yew::prelude::*;

/// Units drawn at most.
const SHOWN: usize = 300;

#[component]
pub(super) fn CutsForm() -> Html {
    let page = use_page();
    let dragged = use_state(|| None::<usize>);
    let Some(cuts) = page.main.replay.cuts.clone() else {
        return html! {
            <p class="caption">
                <button type="button" class="link" onclick={page.on::<MouseEvent>(Action::Replay(ReplayAction::ReadCuts))}>
                    { "Cut the input into other batches …" }
                </button>
            </p>
        };
    };
    let release = {
        let dragged = dragged.clone();
        Callback::from(move |_: PointerEvent| dragged.set(None))
    };
    let mut rows: Vec<Html> = Vec::new();
    let mut border = 0;
    for (at, unit) in cuts.units.iter().enumerate().take(SHOWN) {
        if cuts.border(border) == Some(at) {
            rows.push(separator(&page, &cuts, border, &dragged));
            border += 1;
        }
        let onpointerenter = {
            let (page, cuts, dragged) = (page.clone(), cuts.clone(), dragged.clone());
            Callback::from(move |_: PointerEvent| {
                let Some(number) = *dragged else { return };
                // Past the border's own place the unit goes to the other side.
                let place = if cuts.border(number).is_some_and(|border| border <= at) { at + 1 } else { at };
                set(&page, cuts.moved(number, place));
            })
        };
        let split = {
            let (page, cuts) = (page.clone(), cuts.clone());
            Callback::from(move |_: MouseEvent| set(&page, Some(cuts.split(at))))
        };
        let is_first = at == 0 || border.checked_sub(1).and_then(|before| cuts.border(before)) == Some(at);
        rows.push(html! {
            <li class="unit" {onpointerenter}>
                <code>{ &unit.label }</code>
                if !is_first {
                    <button type="button" class="link" onclick={split}
                        aria-label={format!("New batch from event {}", at + 1)}>{ "new batch from here" }</button>
                }
            </li>
        });
    }
    let rest = cuts.units.len().saturating_sub(SHOWN);
    let busy = page.main.is_busy() || page.main.replay.looking;
    html! {
        <section class="cuts" aria-label="Other batches">
            <h3>{ "Other batches" }</h3>
            <p class="hint">{ "Drag a border, or focus it and press ↑ ↓; Delete joins two batches. One trigger reads each." }</p>
            <ol onpointerup={release.clone()} onpointerleave={release}>{ rows.into_iter().collect::<Html>() }</ol>
            if rest > 0 { <p class="hint">{ format!("… and {rest} more, all in the last batch") }</p> }
            <button type="button" class="button primary" disabled={busy}
                onclick={page.on::<MouseEvent>(Action::Replay(ReplayAction::RunCuts))}>
                { format!("Run {} batches beside", cuts.sizes().len()) }
            </button>
        </section>
    }
}

fn set(page: &Page, cuts: Option<Cuts>) {
    if let Some(cuts) = cuts {
        page.act(Action::Replay(ReplayAction::SetCuts(cuts)));
    }
}

fn separator(page: &Page, cuts: &Cuts, number: usize, dragged: &UseStateHandle<Option<usize>>) -> Html {
    let place = cuts.border(number).unwrap_or(0);
    let move_to = |by: isize| {
        let (page, cuts) = (page.clone(), cuts.clone());
        Callback::from(move |_: MouseEvent| set(&page, cuts.moved(number, place.saturating_add_signed(by))))
    };
    let onkeydown = {
        let (page, cuts) = (page.clone(), cuts.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowUp" => cuts.moved(number, place.saturating_sub(1)),
                "ArrowDown" => cuts.moved(number, place + 1),
                "Delete" => Some(cuts.joined(number)),
                _ => return,
            };
            event.prevent_default();
            set(&page, next);
        })
    };
    let onpointerdown = {
        let dragged = dragged.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            dragged.set(Some(number));
        })
    };
    let name = format!("Border between batches {number} and {}", number + 1);
    html! {
        <li class={classes!("border", (**dragged == Some(number)).then_some("dragged"))}>
            <div role="separator" tabindex="0" aria-orientation="horizontal" aria-label={name}
                aria-valuemin="1" aria-valuemax={cuts.units.len().saturating_sub(1).to_string()} aria-valuenow={place.to_string()}
                {onkeydown} {onpointerdown}>
                <span>{ format!("batch {}", number + 1) }</span>
            </div>
            <button type="button" class="link" aria-label={format!("Batch {} starts one earlier", number + 1)}
                onclick={move_to(-1)}>{ "↑" }</button>
            <button type="button" class="link" aria-label={format!("Batch {} starts one later", number + 1)}
                onclick={move_to(1)}>{ "↓" }</button>
        </li>
    }
}
