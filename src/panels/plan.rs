//! The plan of the query: a graph with the event time traced through it, the picked node in words, and Spark's text.

pub mod graph;
pub mod node;

use self::graph::GraphView;
use self::node::NodeView;
use crate::page::{Page, use_page};
use crate::panels::fates::asking;
use crate::state::Action;
use tidemark_protocol::messages::{Command, InspectCommand};
use yew::prelude::*;

/// Keeps the plan of the shown query at hand. `every_batch`: its text names the batch, so it is asked for again after each, and
/// that of a session that is over is looked up.
#[hook]
pub fn use_plan(page: &Page, every_batch: bool) {
    let deps = page.app.shown_query().map(|view| {
        let batches = if every_batch { view.batches.len() } else { view.batches.len().min(1) };
        (view.info.id.clone(), view.started_in, view.info.operators.len(), batches)
    });
    let page = page.clone();
    use_effect_with((deps, page.app.is_ready()), move |(deps, ready)| {
        if let Some((query, ..)) = deps.clone().filter(|_| *ready) {
            page.act(Action::Ask(Command::Inspect(InspectCommand::Plan { query, recall: every_batch })));
        }
    });
}

#[component]
pub fn PlanPanel() -> Html {
    let page = use_page();
    use_plan(&page, true);
    if page.app.shown_query().is_none() {
        return html! {
            <p class="empty">{ "The query's plan stands here as a graph, with the event time traced through it. " }<b>{ "Run" }</b>{ " the script to see it." }</p>
        };
    }
    let Some(plan) = page.app.shown_plan().cloned() else {
        if page.app.fates.recalling.is_some() {
            return html! { <p class="empty" role="status">{ asking(page.app.fates.recalling) }</p> };
        }
        return html! { <p class="empty">{ "This query's session is gone, and what was done in it is not remembered. Run the script to see its plan again." }</p> };
    };
    let copy = {
        let text = plan.explain.clone();
        Callback::from(move |_: MouseEvent| crate::browser::copy(text.clone()))
    };
    let picked = page.app.inspect.node.min(plan.nodes.len().saturating_sub(1));
    html! {
        <div class="plan">
            <GraphView plan={plan.clone()} {picked} />
            <div class="plan-side">
                <NodeView plan={plan.clone()} {picked} />
                <section class="plan-text" aria-label="Plan as text">
                    <p class="caption">
                        <b>{ "explain(True)" }</b>
                        if !plan.explain.is_empty() { <button type="button" class="link" onclick={copy}>{ "Copy" }</button> }
                    </p>
                    if plan.explain.is_empty() {
                        <p class="hint">{ "Spark's text of the plan stands here once a batch has run." }</p>
                    } else {
                        <pre class="console" tabindex="0" aria-label="explain(True)">{ plan.explain.clone() }</pre>
                    }
                </section>
            </div>
        </div>
    }
}
