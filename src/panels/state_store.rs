//! The state store: keys and values per operator and partition.

use crate::format::plural;
use crate::page::use_page;
use crate::state::Action;
use tidemark_protocol::Command;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Rows on one page.
const PAGE: usize = 200;

#[component]
pub fn StatePanel() -> Html {
    let page = use_page();
    let app = &page.app;
    let operator = use_state(|| 0usize);
    let partition = use_state(|| None::<usize>);
    let offset = use_state(|| 0usize);
    let view = app.shown_query();
    {
        let page = page.clone();
        let deps = (
            view.map(|view| (view.info.id.clone(), view.batches.len(), view.started_in)),
            *operator,
            *partition,
            *offset,
            app.is_active(),
        );
        use_effect_with(deps, move |(view, operator, partition, offset, _)| {
            if let Some((query, _, _)) = view.clone() {
                let has = page.app.shown_query().is_some_and(|view| view.info.operators.len() > *operator);
                if has && page.app.is_active() {
                    let (operator, partition, offset) = (*operator, *partition, *offset);
                    page.act(Action::Ask(Command::ReadState { query, operator, partition, offset, limit: PAGE }));
                }
            }
        });
    }
    let Some(view) = view else {
        return html! { <p class="empty">{ "A query with an aggregation, a deduplication or a join keeps state; its keys and values stand here." }</p> };
    };
    let Some(info) = view.info.operators.get(*operator) else {
        return html! { <p class="empty">{ "This query keeps no state: each batch stands on its own." }</p> };
    };
    let pick = |set: UseStateHandle<usize>, offset: UseStateHandle<usize>| {
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            offset.set(0);
            set.set(usize::try_from(index).unwrap_or(0));
        })
    };
    let pick_partition = {
        let (partition, offset) = (partition.clone(), offset.clone());
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            offset.set(0);
            partition.set(usize::try_from(index).unwrap_or(0).checked_sub(1));
        })
    };
    let shown = app.state_view.as_ref().filter(|shown| shown.query == view.info.id && shown.operator == *operator);
    let turn = |by: isize| {
        let offset = offset.clone();
        Callback::from(move |_: MouseEvent| offset.set(offset.saturating_add_signed(by)))
    };
    html! {
        <div class="stack">
            <div class="caption controls">
                <label>{ "Operator " }
                    <select onchange={pick(operator.clone(), offset.clone())}>
                        { for view.info.operators.iter().enumerate().map(|(at, info)| html! {
                            <option selected={at == *operator}>{ format!("{at} · {}", info.name) }</option>
                        }) }
                    </select>
                </label>
                <label>{ "Partition " }
                    <select onchange={pick_partition}>
                        <option selected={partition.is_none()}>{ "all" }</option>
                        { for (0..info.partitions).map(|at| html! {
                            <option selected={*partition == Some(at)}>{ at }</option>
                        }) }
                    </select>
                </label>
                if let Some(shown) = shown {
                    <span class="soft">{ plural(shown.total as i64, "row", "rows") }</span>
                    if shown.total > PAGE {
                        <button type="button" class="link" disabled={*offset == 0} onclick={turn(-(PAGE as isize))}>{ "Previous" }</button>
                        <button type="button" class="link" disabled={*offset + PAGE >= shown.total} onclick={turn(PAGE as isize)}>{ "Next" }</button>
                    }
                }
            </div>
            if let Some(shown) = shown.filter(|shown| !shown.table.rows.is_empty()) {
                { table(&shown.table) }
            } else if !app.is_active() {
                <p class="empty">{ "The state is loaded when the query runs. The checkpoint tab shows its files." }</p>
            } else {
                <p class="empty">{ "Nothing is held: no row has come, or all of it was evicted." }</p>
            }
        </div>
    }
}

fn table(table: &tidemark_protocol::messages::StateTable) -> Html {
    let cell = |class: &'static str| {
        move |value: &Option<String>| {
            let class = classes!(class, value.is_none().then_some("null"));
            html! { <td {class}>{ value.as_deref().unwrap_or("NULL") }</td> }
        }
    };
    html! {
        <div class="table-scroll" tabindex="0" role="region" aria-label="State rows">
            <table class="grid">
                <thead>
                    <tr>
                        <th scope="col" class="num">{ "Part." }</th>
                        { for table.key.iter().map(|column| html! { <th scope="col" class="key" title={column.data_type.clone()}>{ &column.name }</th> }) }
                        { for table.value.iter().map(|column| html! { <th scope="col" title={column.data_type.clone()}>{ &column.name }</th> }) }
                        <th scope="col">{ "Evicted when the watermark reaches" }</th>
                    </tr>
                </thead>
                <tbody>
                    { for table.rows.iter().map(|row| html! {
                        <tr>
                            <td class="num soft">{ row.partition }</td>
                            { for row.key.iter().map(cell("key")) }
                            { for row.value.iter().map(cell("")) }
                            <td class="soft">{ row.expiry.as_deref().unwrap_or("never") }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
