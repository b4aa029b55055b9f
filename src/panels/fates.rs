//! The fate of one row: what happened to it, step by step, and what is still needed.

use crate::page::use_page;
use tidemark_protocol::messages::Told;
use yew::prelude::*;

#[component]
pub fn FatePanel() -> Html {
    let page = use_page();
    let fates = &page.app.fates;
    if fates.pick.is_none() {
        return html! {
            <p class="empty">{ "Select an event on the strip, a row of the output or a row of the state: its way through the query stands here." }</p>
        };
    }
    match fates.told.as_deref() {
        None => html! { <p class="empty">{ "Asking the engine …" }</p> },
        Some(Told::Unknown { reason }) => html! { <p class="empty">{ reason.clone() }</p> },
        Some(_) => html! {},
    }
}
