//! The switch for the zone in which the page shows times.

use crate::page::use_page;
use crate::state::{Action, AssistAction};
use crate::zone::Times;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[component]
pub fn TimesSwitch() -> Html {
    let page = use_page();
    let assist = &page.app.assist;
    let onchange = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(-1, |select| select.selected_index());
            if let Some(times) = usize::try_from(index).ok().and_then(|index| Times::ALL.get(index)) {
                page.act(Action::Assist(AssistAction::Times(*times)));
            }
        })
    };
    let name = |times: Times| match times {
        Times::Session => format!("session ({})", assist.session_zone),
        Times::Utc => "UTC".to_owned(),
        Times::Local => "local".to_owned(),
    };
    html! {
        <div class="fact" title="Strip, batches and clock; the cells of tables are Spark's, in the session's zone">
            <dt><label for="times-select">{ "Times" }</label></dt>
            <dd>
                <select id="times-select" class="speed" {onchange}>
                    { for Times::ALL.iter().map(|times| html! {
                        <option selected={*times == assist.times}>{ name(*times) }</option>
                    }) }
                </select>
            </dd>
        </div>
    }
}
