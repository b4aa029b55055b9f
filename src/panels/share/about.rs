//! The badge with the version of Spark that is followed, and what stands behind it.

use crate::page::use_page;
use crate::state::share::{ShareAction, ShareDialog};
use crate::state::{Action, Engine};
use crate::ui::Dialog;
use tidemark_protocol::SPARK_VERSION;
use yew::prelude::*;

#[component]
pub fn SparkBadge() -> Html {
    let page = use_page();
    html! {
        <button type="button" class="badge" aria-haspopup="dialog"
            aria-label={format!("Follows Apache Spark {SPARK_VERSION}: what that means")}
            data-tip={format!("Scripts print, fail and write checkpoints as in Apache Spark {SPARK_VERSION}")}
            onclick={page.on(Action::Share(ShareAction::Show(Some(ShareDialog::About))))}>
            { format!("Spark {SPARK_VERSION}") }
        </button>
    }
}

#[component]
pub(super) fn About() -> Html {
    let page = use_page();
    let app = &page.app;
    let version = match &app.engine {
        Engine::Ready { engine_version, .. } => engine_version.as_str(),
        _ => env!("CARGO_PKG_VERSION"),
    };
    let kept = if app.share.kept {
        "This browser has the whole page: it opens without a network, and can be installed as an app."
    } else {
        "The page is being fetched for use without a network; or this browser keeps nothing for it."
    };
    html! {
        <Dialog title={format!("Spark {SPARK_VERSION}")} onclose={page.on(Action::Share(ShareAction::Show(None)))}>
            <p>
                { format!("Scripts run as Apache Spark {SPARK_VERSION} would run them: the same rows, the same errors, the same \
                   checkpoint files, down to their bytes. Other versions differ in places.") }
            </p>
            <p>
                { "The engine is our own, in this tab. There is no Spark, no Java and no server: script and data stay in this browser." }
            </p>
            <p>{ "What is not there yet says so when a script asks for it." }</p>
            <dl class="about-facts">
                <div><dt>{ "Tidemark" }</dt><dd>{ version.to_owned() }</dd></div>
                <div><dt>{ "Without a network" }</dt><dd>{ kept }</dd></div>
            </dl>
        </Dialog>
    }
}
