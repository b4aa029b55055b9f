//! What leaves the page and what comes to it; the workspace's scripts and their history.

mod about;
mod checkpoint;
mod dialog;
mod embed;
mod history;
mod offer;
mod scripts;
mod version;
mod workspaces;

use crate::page::{Page, use_page};
use crate::state::Action;
use crate::state::scripts::ScriptsDialog;
use crate::state::share::{ShareAction, ShareDialog};
use yew::prelude::*;

pub use about::SparkBadge;
pub use embed::Embedded;
pub use scripts::ScriptBar;
pub use version::NewVersion;

/// The open dialog of this part, if one is.
#[component]
pub fn ShareDialogs() -> Html {
    let page = use_page();
    let share = &page.app.share;
    match share.dialog {
        Some(ShareDialog::About) => return html! { <about::About /> },
        Some(ShareDialog::Share) => return html! { <dialog::Share /> },
        Some(ShareDialog::Offer) => {
            if let Some(parcel) = share.offer.clone() {
                return html! { <offer::Offer {parcel} /> };
            }
        }
        Some(ShareDialog::Checkpoint) => {
            if let Some(found) = share.found.clone() {
                return html! { <checkpoint::Bring {found} /> };
            }
        }
        None => {}
    }
    match page.app.scripts.dialog {
        Some(ScriptsDialog::History) => html! { <history::History /> },
        Some(ScriptsDialog::New) => html! { <scripts::NewScript /> },
        Some(ScriptsDialog::Rename) => html! { <scripts::RenameScript /> },
        Some(ScriptsDialog::Delete) => html! { <scripts::DeleteScript /> },
        None => html! {},
    }
}

/// Closes the dialog that is drawn, not one that has taken its place.
fn closing(page: &Page, dialog: ShareDialog) -> Callback<()> {
    let page = page.clone();
    Callback::from(move |()| {
        if page.desk.app().share.dialog == Some(dialog) {
            page.act(Action::Share(ShareAction::Show(None)));
        }
    })
}

/// A button of a dialog that sends an action.
fn button(page: &Page, class: &'static str, text: &'static str, action: impl Into<Action>) -> Html {
    html! { <button type="button" class={classes!("button", class)} onclick={page.on::<MouseEvent>(action.into())}>{ text }</button> }
}
