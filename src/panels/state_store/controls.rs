//! Which operator, store, partition and batch is shown, and the filter.

use super::{PAGE, Pick};
use crate::format::plural;
use crate::page::use_page;
use crate::state::{Action, InspectAction};
use std::rc::Rc;
use tidemark_protocol::messages::StateReport;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    pub pick: Pick,
    pub onpick: Callback<Pick>,
    pub report: Option<Rc<StateReport>>,
}

/// Index of the option that was chosen.
fn chosen(event: &Event) -> usize {
    let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
    usize::try_from(index).unwrap_or(0)
}

#[component]
pub fn Controls(props: &ControlsProps) -> Html {
    let page = use_page();
    let (pick, onpick) = (&props.pick, &props.onpick);
    let Some(view) = page.app.shown_query() else { return html! {} };
    let operator = page.app.inspect.operator;
    let partitions = view.info.operators.get(operator).map_or(0, |info| info.partitions);
    let change = |change: fn(&mut Pick, usize)| {
        let (pick, onpick) = (pick.clone(), onpick.clone());
        Callback::from(move |event: Event| {
            let mut next = Pick { offset: 0, ..pick.clone() };
            change(&mut next, chosen(&event));
            onpick.emit(next);
        })
    };
    let on_operator = {
        let (page, onpick) = (page.clone(), onpick.clone());
        Callback::from(move |event: Event| {
            onpick.emit(Pick::default());
            page.act(Action::Inspect(InspectAction::PickOperator(chosen(&event))));
        })
    };
    let stores = props.report.as_ref().map(|report| report.stores.clone()).unwrap_or_default();
    let on_store = {
        let (pick, onpick, stores) = (pick.clone(), onpick.clone(), stores.clone());
        Callback::from(move |event: Event| {
            let store = chosen(&event).checked_sub(1).and_then(|at| stores.get(at).cloned());
            onpick.emit(Pick { store, offset: 0, ..pick.clone() });
        })
    };
    let on_changes = {
        let (pick, onpick) = (pick.clone(), onpick.clone());
        Callback::from(move |event: Event| {
            let changes_only = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
            onpick.emit(Pick { changes_only, offset: 0, ..pick.clone() });
        })
    };
    let on_filter = {
        let (pick, onpick) = (pick.clone(), onpick.clone());
        Callback::from(move |event: InputEvent| {
            let filter = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
            onpick.emit(Pick { filter, offset: 0, ..pick.clone() });
        })
    };
    let here = page.app.shown_batch().map(|batch| batch.batch);
    let at = view.batches.iter().position(|batch| Some(batch.batch) == here).unwrap_or(0);
    let step = |by: isize, name: &'static str, text: &'static str| {
        let to = at.checked_add_signed(by).and_then(|at| view.batches.get(at)).map(|batch| batch.batch);
        let onclick = to.map(|batch| page.on(Action::SelectBatch(batch)));
        html! {
            <button type="button" class="link step" aria-label={name} title={name} disabled={to.is_none()} {onclick}>{ text }</button>
        }
    };
    let turn = |by: isize| {
        let (pick, onpick) = (pick.clone(), onpick.clone());
        Callback::from(move |_: MouseEvent| {
            onpick.emit(Pick { offset: pick.offset.saturating_add_signed(by), ..pick.clone() });
        })
    };
    let total = props.report.as_ref().map_or(0, |report| report.total);
    html! {
        <div class="caption controls">
            if view.info.operators.len() > 1 {
                <label>{ "Operator " }
                    <select onchange={on_operator}>
                        { for view.info.operators.iter().enumerate().map(|(at, info)| html! {
                            <option selected={at == operator}>{ format!("{at} · {}", info.name) }</option>
                        }) }
                    </select>
                </label>
            } else if let Some(info) = view.info.operators.first() {
                <b>{ &info.name }</b>
            }
            <span class="version">
                { step(-1, "State after the batch before", "‹") }
                <span>{ here.map_or_else(String::new, |batch| format!("after batch {batch}")) }</span>
                { step(1, "State after the next batch", "›") }
            </span>
            if stores.len() > 1 {
                <label>{ "Store " }
                    <select onchange={on_store}>
                        <option selected={pick.store.is_none()}>{ "rows of both sides" }</option>
                        { for stores.iter().map(|store| html! {
                            <option selected={pick.store.as_ref() == Some(store)}>{ store }</option>
                        }) }
                    </select>
                </label>
            }
            if partitions > 1 {
                <label>{ "Partition " }
                    <select onchange={change(|pick, at| pick.partition = at.checked_sub(1))}>
                        <option selected={pick.partition.is_none()}>{ "all" }</option>
                        { for (0..partitions).map(|at| html! {
                            <option selected={pick.partition == Some(at)}>{ at }</option>
                        }) }
                    </select>
                </label>
            }
            <label class="check"><input type="checkbox" checked={pick.changes_only} onchange={on_changes} />{ "changes only" }</label>
            <input class="input filter" type="search" placeholder="Filter" aria-label="Filter rows of state"
                value={pick.filter.clone()} oninput={on_filter} />
            if total > PAGE {
                <span class="soft">{ format!("{}–{} of {}", pick.offset + 1, (pick.offset + PAGE).min(total), plural(total as i64, "row", "rows")) }</span>
                <button type="button" class="link" disabled={pick.offset == 0} onclick={turn(-(PAGE as isize))}>{ "Previous" }</button>
                <button type="button" class="link" disabled={pick.offset + PAGE >= total} onclick={turn(PAGE as isize)}>{ "Next" }</button>
            }
        </div>
    }
}
