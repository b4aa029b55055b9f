//! A workspace has come by a link or a file: what it holds, and where it is to go.

use super::dialog::contents;
use super::{button, closing};
use crate::page::use_page;
use crate::share::paths;
use crate::state::share::{ShareAction, ShareDialog};
use crate::ui::Dialog;
use std::rc::Rc;
use tidemark_protocol::messages::Parcel;
use yew::prelude::*;

/// Names that are listed.
const SHOWN: usize = 8;

#[derive(Properties, PartialEq)]
pub(super) struct OfferProps {
    pub(super) parcel: Rc<Parcel>,
}

#[component]
pub(super) fn Offer(props: &OfferProps) -> Html {
    let page = use_page();
    let parcel = &props.parcel;
    let inputs = paths::inputs(parcel);
    let names: Vec<&str> =
        inputs.iter().filter(|file| !paths::is_topic(&file.path)).map(|file| paths::shown(&file.path)).collect();
    let more = names.len().saturating_sub(SHOWN);
    html! {
        <Dialog title="Open this workspace?" onclose={closing(&page, ShareDialog::Offer)}>
            <p>{ format!("It holds {}.", contents(parcel)) }</p>
            <ul class="names">
                { for parcel.scripts.iter().take(SHOWN).map(|script| html! { <li class="mono">{ &script.name }</li> }) }
                { for names.iter().take(SHOWN).map(|name| html! { <li class="mono">{ *name }</li> }) }
                if more > 0 { <li>{ format!("and {more} more") }</li> }
            </ul>
            <p class="hint">{ "Nothing of it runs before you press Run or Step. As a workspace of its own it leaves this one as it is." }</p>
            <div class="form-end">
                { button(&page, "primary", "Open as a new workspace", ShareAction::Beside) }
                { button(&page, "bad", "Replace this one", ShareAction::Replace) }
                { button(&page, "", "Keep what is here", ShareAction::Show(None)) }
            </div>
        </Dialog>
    }
}
