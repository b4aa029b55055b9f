//! Messages that stay until dismissed, and the live region.

use crate::page::use_page;
use crate::state::Action;
use crate::ui::{Glyph, Tool};
use yew::prelude::*;

#[component]
pub fn Notices() -> Html {
    let page = use_page();
    html! {
        <>
            <div class="notices">
                { for page.app.notices.iter().map(|notice| html! {
                    <div class="notice" role="alert" key={notice.id}>
                        <p>{ &notice.text }</p>
                        <Tool glyph={Glyph::Close} name="Dismiss" onclick={page.on(Action::Dismiss(notice.id))} />
                    </div>
                }) }
            </div>
            <p class="status" role="status" aria-live="polite">{ &page.app.announcement }</p>
        </>
    }
}
