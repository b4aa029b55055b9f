//! The picked node in words: Spark's line, its columns, its state.

use super::graph::figures;
use crate::format;
use crate::page::use_page;
use crate::state::{Action, InspectAction};
use std::rc::Rc;
use tidemark_protocol::messages::{PlanColumn, PlanReport};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NodeProps {
    pub plan: Rc<PlanReport>,
    pub picked: usize,
}

fn column(column: &PlanColumn) -> Html {
    html! {
        <li>
            <code>{ &column.name }</code>
            <span class="soft">{ &column.data_type }</span>
            if let Some(delay) = column.delay_ms {
                <span class="tag">{ format!("event time, delay {}", format::span(delay.saturating_mul(1000))) }</span>
            }
        </li>
    }
}

#[component]
pub fn NodeView(props: &NodeProps) -> Html {
    let page = use_page();
    let Some(node) = props.plan.nodes.get(props.picked) else { return html! {} };
    let batch = page.app.shown_batch();
    let figures = figures(node, batch.map(|batch| &**batch));
    html! {
        <section class="plan-about" aria-live="polite" aria-label="Picked node">
            <h3>{ &node.name }
                if let Some(operator) = node.operator {
                    <button type="button" class="link" onclick={page.on(Action::Inspect(InspectAction::OpenOperator(operator)))}>
                        { "Show its state" }
                    </button>
                }
            </h3>
            if let Some(hint) = &node.hint { <p class="plan-hint">{ hint }</p> }
            if let (Some((state, watermarks)), Some(batch)) = (figures, batch) {
                <p>{ format!("Batch {}: state of {state}; {watermarks}.", batch.batch) }</p>
            }
            { for node.rules.iter().map(|rule| html! { <p>{ rule }</p> }) }
            if !node.streaming { <p>{ "Static: read anew for every batch, and no watermark comes from it." }</p> }
            <pre class="plan-line" tabindex="0" aria-label="Spark's line of the node">{ &node.text }</pre>
            if !node.output.is_empty() {
                <ul class="plan-columns" aria-label="Columns">{ for node.output.iter().map(column) }</ul>
            }
        </section>
    }
}
