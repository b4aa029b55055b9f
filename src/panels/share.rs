//! What leaves the page and what comes to it.

mod about;
mod version;

use crate::page::use_page;
use crate::state::share::ShareDialog;
use yew::prelude::*;

pub use about::SparkBadge;
pub use version::NewVersion;

/// The open dialog of this part, if one is.
#[component]
pub fn ShareDialogs() -> Html {
    match use_page().app.share.dialog {
        Some(ShareDialog::About) => html! { <about::About /> },
        None => html! {},
    }
}
