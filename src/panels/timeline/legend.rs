//! What the marks of the strip mean.

use yew::prelude::*;

#[component]
pub fn Legend() -> Html {
    html! {
        <ul class="legend" aria-label="Legend">
            <li><i class="key-event"></i>{ "event" }</li>
            <li><i class="key-dropped"></i>{ "dropped" }</li>
            <li><i class="key-filtered"></i>{ "filtered" }</li>
            <li title="Judges late rows: the watermark of the batch before"><i class="key-late"></i>{ "late-row watermark" }</li>
            <li title="Closes windows and evicts state in this batch"><i class="key-evict"></i>{ "eviction watermark" }</li>
            <li><i class="key-max"></i>{ "newest event" }</li>
        </ul>
    }
}
