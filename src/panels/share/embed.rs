//! The page inside another one: script, steps, tables, and a way to the whole page.

use super::SparkBadge;
use crate::keys::Key;
use crate::page::use_page;
use crate::panels::batches::BatchesPanel;
use crate::panels::notices::Notices;
use crate::panels::output::OutputPanel;
use crate::panels::script::ScriptPanel;
use crate::state::Action;
use crate::ui::{Glyph, Tool};
use yew::prelude::*;

#[component]
pub fn Embedded() -> Html {
    let page = use_page();
    let app = &page.app;
    let gates = app.gates();
    let share = &app.share;
    let fragment = share.fragment.trim_start_matches('#');
    let href = if fragment.is_empty() { share.address.clone() } else { format!("{}#{fragment}", share.address) };
    html! {
        <>
            <header class="bar embed-bar">
                <div class="toolbar" role="toolbar" aria-label="Session controls">
                    if app.is_busy() && app.slow {
                        <Tool glyph={Glyph::Interrupt} name="Interrupt" text=true class="bad" gate={gates.interrupt}
                            onclick={page.on(Action::Interrupt)} />
                    } else {
                        <Tool glyph={Glyph::Run} name="Run" text=true class="outline" key_of={Key::Run} gate={gates.run}
                            hint="Run the script from its first line" onclick={page.on(Action::Run)} />
                    }
                    <Tool glyph={Glyph::Step} name="Step" text=true class="primary" key_of={Key::Step} gate={gates.step}
                        hint="Run one trigger" onclick={page.on(Action::Step)} />
                    <Tool glyph={Glyph::Stop} name="Stop" key_of={Key::Stop} gate={gates.stop}
                        hint="Stop the queries" onclick={page.on(Action::Stop)} />
                </div>
                <div class="bar-end">
                    <SparkBadge />
                    <a class="button" {href} target="_blank" rel="noopener">{ "Open in Tidemark" }</a>
                </div>
            </header>
            <main class="embed-panes">
                <ScriptPanel />
                <div class="embed-tables">
                    <BatchesPanel />
                    <section class="pane detail" id="pane-detail" aria-label="Output">
                        <header class="pane-head"><h2>{ "Output" }</h2></header>
                        <div class="pane-body"><OutputPanel /></div>
                    </section>
                </div>
            </main>
            <Notices />
        </>
    }
}
