//! What is said about the thing under the pointer or the cursor.

use crate::format;
use crate::page::use_page;
use crate::state::{Action, FatesAction};
use crate::strip::{Explanation, Hit, Model, Partners, Spot, explain_event, explain_lane, explain_window, pick};
use crate::zone::Times;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct WordsProps {
    pub model: Rc<Model>,
    pub told: Hit,
    /// Times are written in this zone.
    pub zone: (Times, Rc<str>),
}

impl PartialEq for WordsProps {
    fn eq(&self, other: &WordsProps) -> bool {
        Rc::ptr_eq(&self.model, &other.model) && self.told == other.told && self.zone == other.zone
    }
}

#[component]
pub fn Words(props: &WordsProps) -> Html {
    let page = use_page();
    let model = &props.model;
    let picked = match props.told {
        Hit::Event(spot) => pick(model, spot),
        _ => None,
    };
    let told = match props.told {
        Hit::Event(spot) => explain_event(model, spot).map(|told| with_partners(model, spot, told)),
        Hit::Window(index) => explain_window(model, index),
        Hit::Lane(index) => explain_lane(model, index),
        Hit::Nothing => None,
    };
    let told = told.unwrap_or_else(|| summary(model));
    html! {
        <div class="words" id="timeline-words" aria-live="polite">
            <p id="timeline-told"><b>{ told.title }</b><span>{ told.body }</span></p>
            if let Some(row) = told.row {
                <p class="row">
                    <code>{ row }</code><span class="soft">{ told.origin.unwrap_or_default() }</span>
                    if let Some(pick) = picked {
                        <button type="button" class="link" onclick={page.on(Action::Fates(FatesAction::Select(pick)))}>{ "Its fate" }</button>
                    }
                </p>
            }
        </div>
    }
}

/// In a join: which rows of the other source are partners.
fn with_partners(model: &Model, spot: Spot, mut told: Explanation) -> Explanation {
    if let Some(partners) = Partners::of(model, spot) {
        told.body = format!("{} {}", told.body, partners.words(model));
    }
    told
}

/// How the watermark stands, and what would move it on.
fn summary(model: &Model) -> Explanation {
    let title = match model.next_evict_us {
        Some(us) => format!("Watermark {}", format::time(us)),
        None if model.lanes.is_empty() => String::new(),
        None => "No watermark yet".to_owned(),
    };
    let open = model.open().min_by_key(|window| window.end_us);
    let next = open.and_then(|window| Some((window, model.closes_at(window.end_us)?)));
    let body = match next {
        Some((window, _)) if model.next_evict_us.is_some_and(|us| us >= window.end_us) => {
            format!("The next trigger closes the window that ends at {}.", format::time(window.end_us))
        }
        Some((window, at)) => format!(
            "The window that ends at {} closes after an event at or after {}.",
            format::time(window.end_us),
            format::time(at)
        ),
        None if model.lanes.is_empty() => {
            "Point at an event or a window, or go through the events with the arrow keys: what became of it stands here."
                .to_owned()
        }
        None => String::new(),
    };
    Explanation { title, body, row: None, origin: None }
}
