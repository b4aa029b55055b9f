//! What the marks of the strip mean.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LegendProps {
    /// Some events were filtered out.
    pub filtered: bool,
    /// Several sources: a lane has a part for each, and a picked row shows its partners.
    pub several: bool,
}

#[component]
pub fn Legend(props: &LegendProps) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <>
            <button type="button" class="link legend-toggle" aria-expanded={if *open { "true" } else { "false" }}
                aria-controls="timeline-legend" onclick={toggle}>{ "Legend" }</button>
            <ul class={classes!("legend", open.then_some("open"))} id="timeline-legend" aria-label="Legend">
                <li><i class="key-event"></i>{ "event" }</li>
                <li><i class="key-dropped"></i>{ "dropped" }</li>
                if props.filtered { <li><i class="key-filtered"></i>{ "filtered" }</li> }
                <li title="The late-row watermark judges late rows: it is that of the batch before"><i class="key-late"></i>{ "late-row" }</li>
                <li title="The eviction watermark closes windows and evicts state in this batch"><i class="key-evict"></i>{ "eviction watermark" }</li>
                <li title="The watermark is compared with the end of a window; reaching it is enough"><i class="key-end"></i>{ "window end" }</li>
                <li><i class="key-max"></i>{ "newest event" }</li>
                <li title="The watermark of the next batch stands this much before the newest event"><i class="key-span"></i>{ "delay" }</li>
                if props.several {
                    <li title="Event times of the rows that can match the picked one"><i class="key-range"></i>{ "can match" }</li>
                }
            </ul>
        </>
    }
}
