//! The state inspector: keys and values of an operator after the selected batch, and what the batch did to them.

pub mod controls;
pub mod rows;
pub mod size;

use self::controls::Controls;
use self::rows::Rows;
use self::size::Size;
use crate::page::{Page, use_page};
use crate::panels::fates::asking;
use crate::state::{Action, QueryView};
use std::rc::Rc;
use tidemark_protocol::messages::{Command, InspectCommand, StateReport, StateRequest};
use yew::prelude::*;

/// Rows on one page.
const PAGE: usize = 200;

/// What the person has picked beside operator and batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    pub store: Option<String>,
    pub partition: Option<usize>,
    pub changes_only: bool,
    pub filter: String,
    pub offset: usize,
}

/// The request that the picks come to; None while there is nothing to ask.
fn request(page: &Page, view: &QueryView, pick: &Pick) -> Option<StateRequest> {
    let operator = page.app.inspect.operator;
    view.info.operators.get(operator)?;
    let batch = page.app.shown_batch()?.batch;
    Some(StateRequest {
        query: view.info.id.clone(),
        operator,
        store: pick.store.clone(),
        partition: pick.partition,
        batch: Some(batch),
        changes_only: pick.changes_only,
        filter: pick.filter.clone(),
        offset: pick.offset,
        limit: PAGE,
    })
}

/// `recalling`: the session is over and is built again, so many steps of so many.
fn reading(recalling: Option<(usize, usize)>) -> String {
    recalling.map_or_else(|| "Reading the state …".to_owned(), |_| asking(recalling))
}

#[component]
pub fn StatePanel() -> Html {
    let page = use_page();
    let pick = use_state(Pick::default);
    let view = page.app.shown_query();
    let wanted = view.and_then(|view| request(&page, view, &pick));
    {
        let page = page.clone();
        // The same batch again after a restart is another state.
        let run = view.map(|view| (view.started_in, view.batches.len(), view.replayed.len(), view.life.clone()));
        use_effect_with((wanted.clone(), run, page.app.is_ready()), move |(wanted, _, ready)| {
            if let Some(request) = wanted.clone().filter(|_| *ready) {
                page.act(Action::Ask(Command::Inspect(InspectCommand::State(request))));
            }
        });
    }
    let onpick = {
        let pick = pick.clone();
        Callback::from(move |next: Pick| pick.set(next))
    };
    let Some(view) = view else {
        return html! { <p class="empty">{ "A query with an aggregation, a deduplication or a join keeps state; its keys and values stand here." }</p> };
    };
    let operator = page.app.inspect.operator;
    if view.info.operators.get(operator).is_none() {
        let text = if view.batches.is_empty() {
            "Keys and values of the query's state stand here once a batch has run."
        } else {
            "This query keeps no state: each batch stands on its own."
        };
        return html! { <p class="empty">{ text }</p> };
    }
    if view.batches.is_empty() {
        return html! { <p class="empty">{ "Keys and values of the query's state stand here once a batch has run." }</p> };
    }
    let fits = |request: &StateRequest| request.query == view.info.id && request.operator == operator;
    let report: Option<&Rc<StateReport>> =
        page.app.inspect.state.as_ref().and_then(|state| state.as_ref().ok()).filter(|report| fits(&report.request));
    let refused = page.app.inspect.state.as_ref().and_then(|state| state.as_ref().err()).filter(|no| fits(&no.0));
    html! {
        <div class="inspector" data-batch={report.filter(|report| Some(&report.request) == wanted.as_ref()).map(|report| report.batch.to_string())}>
            <Controls pick={(*pick).clone()} {onpick} report={report.cloned()} />
            <div class="inspector-body">
                <div class="inspector-rows">
                    if let Some(refused) = refused {
                        <p class="empty">{ refused.1.clone() }</p>
                    } else if let Some(report) = report {
                        <Rows report={report.clone()} />
                    } else {
                        <p class="empty" role="status">{ reading(page.app.fates.recalling) }</p>
                    }
                </div>
                <Size operator={operator} />
            </div>
        </div>
    }
}
