//! "May I restart with this edit?": the answer as a dialog.

use crate::page::{Page, use_page};
use crate::state::replay::verdict_words;
use crate::state::{Action, ReplayAction};
use crate::ui::Dialog;
use tidemark_protocol::messages::{QueryVerdict, Verdict};
use yew::prelude::*;

#[component]
pub fn VerdictDialog() -> Html {
    let page = use_page();
    let replay = &page.main.replay;
    if !replay.judging && replay.verdict.is_none() {
        return html! {};
    }
    html! {
        <Dialog title="May I restart with this script?" onclose={page.on(Action::Replay(ReplayAction::CloseVerdict))}>
            if let Some(verdict) = &replay.verdict { { answer(&page, verdict) } } else {
                <p>{ "Trying it on a copy of the workspace …" }</p>
            }
        </Dialog>
    }
}

fn answer(page: &Page, verdict: &Verdict) -> Html {
    let yes = matches!(verdict, Verdict::Queries(queries) if queries.iter().all(|query| query.error.is_none()));
    let restart = {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| {
            page.act(Action::Replay(ReplayAction::CloseVerdict));
            page.act(Action::Restart);
        })
    };
    html! {
        <div class="verdict" data-verdict={if yes { "yes" } else { "no" }}>
            <p><b>{ verdict_words(verdict) }</b></p>
            { match verdict {
                Verdict::Fails { message, line } => html! {
                    <>
                        if let Some(line) = line { <p>{ format!("At line {line}:") }</p> }
                        <pre tabindex="0">{ message.clone() }</pre>
                    </>
                },
                Verdict::NoQuery => html! {},
                Verdict::Queries(queries) => html! { <ul>{ for queries.iter().map(query) }</ul> },
            } }
            <p class="hint">{ "Tried on a copy: your files and checkpoints are as they were." }</p>
            if yes {
                <div class="form-end"><button type="button" class="button primary" onclick={restart}>{ "Restart" }</button></div>
            }
        </div>
    }
}

fn query(verdict: &QueryVerdict) -> Html {
    let goes_on = match (verdict.next_batch, verdict.again) {
        (0, false) => "starts at batch 0: its checkpoint is new".to_owned(),
        (batch, true) => format!("runs batch {batch} again, on the same offsets"),
        (batch, false) => format!("continues at batch {batch}"),
    };
    html! {
        <li>
            <code>{ &verdict.query }</code>{ " " }
            if let Some(error) = &verdict.error {
                { format!("is refused at {}", verdict.checkpoint) }
                <pre tabindex="0">{ error.clone() }</pre>
            } else {
                { goes_on }
            }
        </li>
    }
}
