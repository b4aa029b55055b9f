//! The tabs of the lower right: output, console, progress, state, plan, checkpoint.

use super::checkpoint::CheckpointPanel;
use super::compare::ComparePanel;
use super::console::ConsolePanel;
use super::fates::FatePanel;
use super::output::OutputPanel;
use super::plan::PlanPanel;
use super::progress::ProgressPanel;
use super::state_store::StatePanel;
use crate::page::use_page;
use crate::state::{Action, Tab};
use crate::ui::{Glyph, Tool, tabs};
use yew::prelude::*;

#[component]
pub fn DetailPanel() -> Html {
    let page = use_page();
    let tab = page.app.tab;
    let onkeydown = {
        let page = page.clone();
        Callback::from(move |event: KeyboardEvent| {
            let here = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
            let to = tabs::arrow(&event, here, Tab::ALL.len()).and_then(|to| Tab::ALL.get(to));
            if let Some(next) = to {
                page.act(Action::SelectTab(*next));
                crate::browser::focus(&format!("#tab-{}", next.id()));
            }
        })
    };
    html! {
        <section class="pane detail" id="pane-detail" aria-label="Details">
            <header class="pane-head">
                <h2 class="unseen">{ "Details" }</h2>
                <div class="tabs" role="tablist" aria-label="Details" {onkeydown}>
                    { for Tab::ALL.iter().map(|other| html! {
                        <button type="button" role="tab" id={format!("tab-{}", other.id())}
                            aria-selected={if *other == tab { "true" } else { "false" }}
                            aria-controls="tab-panel" tabindex={if *other == tab { "0" } else { "-1" }}
                            onclick={page.on(Action::SelectTab(*other))}>{ other.label() }</button>
                    }) }
                </div>
                <Tool glyph={Glyph::Fit} name="Enlarge the details" class="enlarge" pressed={page.main.enlarged}
                    hint="Gives them the room of strip and batches, and back" onclick={page.on(Action::Enlarge)} />
            </header>
            <div class="pane-body" id="tab-panel" role="tabpanel" aria-labelledby={format!("tab-{}", tab.id())}>
                { match tab {
                    Tab::Output => html! { <OutputPanel /> },
                    Tab::Console => html! { <ConsolePanel /> },
                    Tab::Progress => html! { <ProgressPanel /> },
                    Tab::StateStore => html! { <StatePanel /> },
                    Tab::Plan => html! { <PlanPanel /> },
                    Tab::Checkpoint => html! { <CheckpointPanel /> },
                    Tab::Fate => html! { <FatePanel /> },
                    Tab::Compare => html! { <ComparePanel /> },
                } }
            </div>
        </section>
    }
}
