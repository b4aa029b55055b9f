//! Two runs side by side, and what makes a second one: other settings, other batches.

mod account;
mod cuts;
mod runs;
mod verdict;
mod what_if;

pub use verdict::VerdictDialog;

use crate::page::use_page;
use account::AccountCard;
use cuts::CutsForm;
use runs::Runs;
use what_if::WhatIfForm;
use yew::prelude::*;

#[component]
pub fn ComparePanel() -> Html {
    let page = use_page();
    let nothing = page.main.replay.newest().is_none();
    if nothing {
        return html! {
            <p class="empty">
                { "A second run with another watermark, output mode or trigger stands here beside the first. " }
                <b>{ "Step" }</b>{ " runs a first one." }
            </p>
        };
    }
    html! {
        <div class="compare">
            <AccountCard />
            <WhatIfForm />
            <CutsForm />
            <Runs />
        </div>
    }
}
