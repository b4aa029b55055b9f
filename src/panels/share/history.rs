//! Former runs: when, what text, how they ended; a text can come back.

use crate::format;
use crate::page::use_page;
use crate::share::diff::{self, Change};
use crate::state::Action;
use crate::state::scripts::ScriptsAction;
use crate::ui::Dialog;
use tidemark_protocol::messages::RunOutcome;
use yew::prelude::*;

/// Lines around a change that are shown.
const AROUND: usize = 2;

fn outcome(outcome: &RunOutcome) -> (&'static str, String) {
    match outcome {
        RunOutcome::Running => ("busy", "running".to_owned()),
        RunOutcome::Waiting { call } => ("good", format!("waits in {call}")),
        RunOutcome::Finished => ("idle", "finished".to_owned()),
        RunOutcome::Failed { message } => ("bad", format!("failed: {message}")),
        RunOutcome::CutOff => ("warn", "cut off".to_owned()),
    }
}

#[component]
pub(super) fn History() -> Html {
    let page = use_page();
    let open = use_state(|| None::<u64>);
    let runs = &page.app.scripts.runs;
    let now = &page.app.script;
    let entry = |run: &tidemark_protocol::messages::PastRun| {
        let changes = diff::lines(&run.text, now);
        let (added, removed) = diff::count(&changes);
        let same = added + removed == 0;
        let since =
            if same { "the text in the editor".to_owned() } else { format!("since then +{added} −{removed} lines") };
        let (tone, word) = outcome(&run.outcome);
        let number = run.number;
        let is_open = *open == Some(number);
        let toggle = {
            let open = open.clone();
            Callback::from(move |_: MouseEvent| open.set(if is_open { None } else { Some(number) }))
        };
        html! {
            <li key={number} class="run">
                <div class="run-head">
                    <b>{ format!("Run {number}") }</b>
                    <span class="mono">{ &run.script }</span>
                    <span class="soft" title="The session's clock when it began">{ format::date_time(run.clock_ms.saturating_mul(1000)) }</span>
                </div>
                <p class="run-outcome"><span class={classes!("dot", tone)} aria-hidden="true"></span>{ word }</p>
                <div class="form-end">
                    <span class="hint">{ since }</span>
                    if !same {
                        <button type="button" class="link" aria-expanded={is_open.to_string()} onclick={toggle}>
                            { if is_open { "Hide changes" } else { "Show changes" } }
                        </button>
                        <button type="button" class="link" aria-label={format!("Restore the text of run {number}")}
                            onclick={page.on::<MouseEvent>(Action::Scripts(ScriptsAction::Restore(number)))}>{ "Restore this text" }</button>
                    }
                </div>
                if is_open && !same { { shown(&changes) } }
            </li>
        }
    };
    html! {
        <Dialog title="Runs so far" class="wide" onclose={page.on(Action::Scripts(ScriptsAction::Show(None)))}>
            if runs.is_empty() {
                <p class="hint">{ "Nothing has run yet. Each Run, Restart, or first Step is kept here with its text and how it ended." }</p>
            } else {
                <ol class="runs">{ for runs.iter().rev().map(entry) }</ol>
            }
        </Dialog>
    }
}

/// The changed lines with some around them; what lies between is left out.
fn shown(changes: &[(Change, &str)]) -> Html {
    let near = |at: usize| {
        let from = at.saturating_sub(AROUND);
        changes.iter().skip(from).take(at + AROUND + 1 - from).any(|(change, _)| *change != Change::Same)
    };
    let mut gap = false;
    let mut rows = Vec::new();
    for (at, (change, line)) in changes.iter().enumerate() {
        if !near(at) {
            if !std::mem::replace(&mut gap, true) {
                rows.push(html! { <span class="gap">{ "⋯\n" }</span> });
            }
            continue;
        }
        gap = false;
        let (class, sign) = match change {
            Change::Same => ("same", "  "),
            Change::Removed => ("removed", "− "),
            Change::Added => ("added", "+ "),
        };
        rows.push(html! { <span {class}>{ format!("{sign}{line}\n") }</span> });
    }
    html! { <pre class="diff" tabindex="0" aria-label="− lines of that run, + lines of the editor">{ for rows }</pre> }
}
