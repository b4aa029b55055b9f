//! The form of a what-if run.

use crate::format;
use crate::page::use_page;
use crate::state::{Action, ReplayAction};
use tidemark_protocol::messages::{Changes, TriggerChange};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Watermark delays of the slider, ms.
const DELAYS: [i64; 14] = [
    0, 1_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 21_600_000,
    86_400_000,
];
const MODES: [&str; 3] = ["append", "update", "complete"];
const TRIGGERS: [(TriggerChange, &str); 6] = [
    (TriggerChange::Default, "as soon as possible"),
    (TriggerChange::EveryMs(1_000), "every second"),
    (TriggerChange::EveryMs(10_000), "every 10 seconds"),
    (TriggerChange::EveryMs(60_000), "every minute"),
    (TriggerChange::Once, "once"),
    (TriggerChange::AvailableNow, "available now"),
];
const FILES: [(u32, &str); 5] = [(0, "no limit"), (1, "1"), (2, "2"), (5, "5"), (10, "10")];

/// "10 s", or what the script says.
fn delay_words(delay_ms: Option<i64>, script: Option<i64>) -> String {
    match (delay_ms, script) {
        (Some(ms), _) => format::span(ms.saturating_mul(1000)),
        (None, Some(ms)) => format!("{} (the script's)", format::span(ms.saturating_mul(1000))),
        (None, None) => "no watermark in the script".to_owned(),
    }
}

/// The place on the slider of a delay.
fn place(delay_ms: i64) -> usize {
    DELAYS.iter().rposition(|step| *step <= delay_ms).unwrap_or(0)
}

#[component]
pub(super) fn WhatIfForm() -> Html {
    let page = use_page();
    let changes = page.main.replay.changes.clone();
    let script = page.main.shown_query().and_then(|view| view.info.watermark_delay_ms);
    let set = {
        let page = page.clone();
        move |changes: Changes| page.act(Action::Replay(ReplayAction::SetChanges(changes)))
    };
    let on_delay = {
        let (set, changes) = (set.clone(), changes.clone());
        Callback::from(move |event: InputEvent| {
            let value = event.target_dyn_into::<HtmlInputElement>().map_or(0.0, |input| input.value_as_number());
            let watermark_delay_ms = DELAYS.get(value as usize).copied();
            set(Changes { watermark_delay_ms, ..changes.clone() });
        })
    };
    // The first choice of each list leaves what the script says.
    let pick = |apply: fn(Changes, Option<usize>) -> Changes| {
        let (set, changes) = (set.clone(), changes.clone());
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            set(apply(changes.clone(), usize::try_from(index).unwrap_or(0).checked_sub(1)));
        })
    };
    let on_mode = pick(|changes, at| Changes {
        output_mode: at.and_then(|at| MODES.get(at)).map(|mode| (*mode).to_owned()),
        ..changes
    });
    let on_trigger =
        pick(|changes, at| Changes { trigger: at.and_then(|at| TRIGGERS.get(at)).map(|trigger| trigger.0), ..changes });
    let on_files =
        pick(|changes, at| Changes { max_files: at.and_then(|at| FILES.get(at)).map(|files| files.0), ..changes });
    let as_script = {
        let (set, changes) = (set.clone(), changes.clone());
        Callback::from(move |_: MouseEvent| set(Changes { watermark_delay_ms: None, ..changes.clone() }))
    };
    let run = {
        let page = page.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            page.act(Action::Replay(ReplayAction::RunWhatIf));
        })
    };
    let nothing = changes == Changes::default();
    let busy = page.main.is_busy() || page.main.replay.looking;
    let delay = delay_words(changes.watermark_delay_ms, script);
    html! {
        <form class="what-if" aria-label="What if" onsubmit={run}>
            <h3>{ "What if" }</h3>
            <div class="what-delay">
                <label>
                    <span>{ "Watermark delay" }</span>
                    <input type="range" min="0" max={(DELAYS.len() - 1).to_string()} step="1" oninput={on_delay}
                        value={place(changes.watermark_delay_ms.or(script).unwrap_or(0)).to_string()} aria-valuetext={delay.clone()} />
                </label>
                <output>{ delay }</output>
                if changes.watermark_delay_ms.is_some() {
                    <button type="button" class="link" onclick={as_script}>{ "as the script" }</button>
                }
            </div>
            { choice("Output mode", &MODES, MODES.iter().position(|mode| changes.output_mode.as_deref() == Some(*mode)), on_mode) }
            { choice("Trigger", &TRIGGERS.map(|trigger| trigger.1),
                TRIGGERS.iter().position(|trigger| changes.trigger == Some(trigger.0)), on_trigger) }
            { choice("Files a trigger", &FILES.map(|files| files.1),
                FILES.iter().position(|files| changes.max_files == Some(files.0)), on_files) }
            <button class="button primary" disabled={nothing || busy}
                title={nothing.then_some("Change something first")}>{ "Run it beside" }</button>
        </form>
    }
}

fn choice(name: &'static str, names: &[&'static str], chosen: Option<usize>, onchange: Callback<Event>) -> Html {
    html! {
        <label>
            <span>{ name }</span>
            <select {onchange} aria-label={name}>
                <option selected={chosen.is_none()}>{ "as the script" }</option>
                { for names.iter().enumerate().map(|(at, name)| html! {
                    <option selected={chosen == Some(at)}>{ *name }</option>
                }) }
            </select>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slider_stands_where_the_delay_is() {
        assert_eq!(DELAYS[place(120_000)], 120_000);
        assert_eq!(DELAYS[place(125_000)], 120_000);
        assert_eq!(delay_words(Some(10_000), Some(120_000)), "10 s");
        assert_eq!(delay_words(None, Some(120_000)), "2 min (the script's)");
    }
}
