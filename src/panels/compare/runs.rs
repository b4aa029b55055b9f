//! The workspace and the run beside it: numbers over batches, and the rows of one batch with what differs marked.

use crate::format::{count, span};
use crate::page::{Page, use_page};
use crate::state::{App, Life, QueryView};
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, Changes, ScriptState, Second, TriggerChange};
use yew::prelude::*;

/// Rows of a batch that are compared.
const ROWS: usize = 200;

/// What a batch has in one run: dropped rows, state rows, output rows.
fn numbers(batch: Option<&Rc<BatchReport>>) -> [Option<i64>; 4] {
    match batch {
        Some(batch) => [
            Some(batch.input_rows),
            Some(batch.dropped_rows),
            Some(batch.state_rows),
            i64::try_from(batch.output.total).ok(),
        ],
        None => [None; 4],
    }
}

/// Rows of the two outputs, those in both first met in order; true where the other run has the row too.
fn marked(rows: &[Vec<Option<String>>], other: &[Vec<Option<String>>]) -> Vec<(bool, Vec<Option<String>>)> {
    let mut left: Vec<&Vec<Option<String>>> = other.iter().collect();
    rows.iter()
        .take(ROWS)
        .map(|row| match left.iter().position(|candidate| *candidate == row) {
            Some(at) => {
                left.remove(at);
                (true, row.clone())
            }
            None => (false, row.clone()),
        })
        .collect()
}

/// What a second run has that the first has not.
pub(super) fn kind_words(kind: Option<&Second>) -> String {
    match kind {
        Some(Second::WhatIf { changes }) => format!("what if: {}", changes_words(changes)),
        Some(Second::Recut { sizes, .. }) => format!("in {} batches", sizes.len()),
        _ => "branch".to_owned(),
    }
}

fn changes_words(changes: &Changes) -> String {
    let trigger = changes.trigger.map(|trigger| match trigger {
        TriggerChange::Default => "trigger as soon as possible".to_owned(),
        TriggerChange::EveryMs(ms) => format!("trigger every {}", span(ms.saturating_mul(1000))),
        TriggerChange::Once => "trigger once".to_owned(),
        TriggerChange::AvailableNow => "trigger available now".to_owned(),
    });
    let files = changes.max_files.map(|files| match files {
        0 => "no limit of files".to_owned(),
        files => format!("{files} files a trigger"),
    });
    let parts = [
        changes.watermark_delay_ms.map(|ms| format!("delay {}", span(ms.saturating_mul(1000)))),
        changes.output_mode.clone(),
        trigger,
        files,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Spark's refusal in a run, if it came to one.
fn refusal(app: &App) -> Option<String> {
    let failed = app.queries.iter().find_map(|query| match &query.life {
        Life::Failed(error) => Some(error.clone()),
        _ => None,
    });
    failed.or_else(|| match &app.script_state {
        Some(ScriptState::Failed { traceback, .. }) => Some(last_lines(traceback)),
        _ => None,
    })
}

/// A traceback from the exception on.
fn last_lines(traceback: &str) -> String {
    let start = traceback
        .lines()
        .position(|line| !line.starts_with(' ') && !line.starts_with("Traceback") && !line.is_empty())
        .unwrap_or(0);
    traceback.lines().skip(start).collect::<Vec<_>>().join("\n")
}

#[component]
pub(super) fn Runs() -> Html {
    let page = use_page();
    let chosen = use_state(|| None::<i64>);
    let Some(second) = page.main.replay.beside().cloned() else { return html! {} };
    let first = page.main.shown_query();
    let other = first
        .and_then(|view| second.queries.iter().find(|other| other.info.id == view.info.id))
        .or_else(|| second.queries.get(page.main.query))
        .or_else(|| second.queries.first());
    let words = kind_words(page.main.replay.kind.as_ref());
    html! {
        <section class="runs" aria-label="Two runs">
            <h3>{ "Side by side" }</h3>
            if let Some(text) = refusal(&second) {
                <div class="refusal" role="alert"><b>{ format!("The second run ({words}) was refused by Spark") }</b><pre tabindex="0">{ text }</pre></div>
            }
            { table(&page, first, other, &words, &chosen) }
            { rows(&page, first, other, *chosen) }
        </section>
    }
}

fn table(
    page: &Page,
    first: Option<&QueryView>,
    other: Option<&QueryView>,
    words: &str,
    chosen: &UseStateHandle<Option<i64>>,
) -> Html {
    let mut batches: Vec<i64> =
        [first, other].into_iter().flatten().flat_map(|view| view.batches.iter().map(|batch| batch.batch)).collect();
    batches.sort_unstable();
    batches.dedup();
    let selected = chosen.or_else(|| page.main.shown_batch().map(|batch| batch.batch));
    let names = ["In", "Dropped", "State", "Out"];
    let total = |view: Option<&QueryView>| {
        view.map_or(0, |view| view.batches.iter().map(|batch| batch.dropped_rows).sum::<i64>())
    };
    let line = |number: &i64| {
        let number = *number;
        let left = numbers(first.and_then(|view| view.batch(number)));
        let right = numbers(other.and_then(|view| view.batch(number)));
        let pick = {
            let chosen = chosen.clone();
            Callback::from(move |_: MouseEvent| chosen.set(Some(number)))
        };
        html! {
            <tr class={classes!((selected == Some(number)).then_some("selected"))} onclick={pick.clone()}>
                <th scope="row"><button type="button" class="row-button" onclick={pick}>{ number }</button></th>
                { for left.iter().zip(&right).map(|(left, right)| html! {
                    <>
                        <td class="num">{ left.map_or_else(|| "–".to_owned(), count) }</td>
                        <td class={classes!("num", (left != right).then_some("differs"))}>
                            if left != right { <span class="mark" title="differs">{ "≠ " }</span> }
                            { right.map_or_else(|| "–".to_owned(), count) }
                        </td>
                    </>
                }) }
            </tr>
        }
    };
    html! {
        <>
            <p class="caption">
                { format!("Workspace: {} dropped · Second run ({words}): {} dropped", count(total(first)), count(total(other))) }
            </p>
            <div class="table-scroll" tabindex="0" role="region" aria-label="Batches of both runs">
                <table class="grid both">
                    <thead>
                        <tr>
                            <th scope="col" rowspan="2">{ "#" }</th>
                            { for names.iter().map(|name| html! { <th scope="colgroup" colspan="2">{ *name }</th> }) }
                        </tr>
                        <tr>
                            { for names.iter().map(|name| html! {
                                <>
                                    <th scope="col" class="num" aria-label={format!("{name}, workspace")}>{ "1st" }</th>
                                    <th scope="col" class="num" aria-label={format!("{name}, second run")}>{ "2nd" }</th>
                                </>
                            }) }
                        </tr>
                    </thead>
                    <tbody>{ for batches.iter().map(line) }</tbody>
                </table>
            </div>
        </>
    }
}

fn rows(page: &Page, first: Option<&QueryView>, other: Option<&QueryView>, chosen: Option<i64>) -> Html {
    let Some(number) = chosen.or_else(|| page.main.shown_batch().map(|batch| batch.batch)) else { return html! {} };
    let left = first.and_then(|view| view.batch(number));
    let right = other.and_then(|view| view.batch(number));
    let of = |batch: Option<&Rc<BatchReport>>| batch.map(|batch| batch.output.rows.clone()).unwrap_or_default();
    let (left_rows, right_rows) = (of(left), of(right));
    let side = |name: &'static str,
                sign: &'static str,
                batch: Option<&Rc<BatchReport>>,
                rows: Vec<(bool, Vec<Option<String>>)>| {
        html! {
            <div class="side-rows">
                <h4>{ name }</h4>
                if let Some(batch) = batch {
                    if rows.is_empty() { <p class="hint">{ "no rows" }</p> } else {
                        <div class="table-scroll" tabindex="0" role="region" aria-label={format!("Output of batch {number}, {name}")}>
                            <table class="grid">
                                <thead><tr><th scope="col"><span class="unseen">{ "only here" }</span></th>
                                    { for batch.output.columns.iter().map(|column| html! { <th scope="col">{ &column.name }</th> }) }
                                </tr></thead>
                                <tbody>
                                    { for rows.iter().map(|(both, row)| html! {
                                        <tr class={classes!((!both).then_some("only"))}>
                                            <td class="mark">{ if *both { "" } else { sign } }</td>
                                            { for row.iter().map(|cell| html! {
                                                <td class={classes!(cell.is_none().then_some("null"))}>{ cell.as_deref().unwrap_or("NULL") }</td>
                                            }) }
                                        </tr>
                                    }) }
                                </tbody>
                            </table>
                        </div>
                    }
                } else {
                    <p class="hint">{ "This run has no such batch." }</p>
                }
            </div>
        }
    };
    html! {
        <div class="side-by-side" data-batch={number.to_string()}>
            { side("Workspace", "−", left, marked(&left_rows, &right_rows)) }
            { side("Second run", "+", right, marked(&right_rows, &left_rows)) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_run_alone_are_marked() {
        let row = |text: &str| vec![Some(text.to_owned())];
        let left = [row("a"), row("a"), row("b")];
        let right = [row("b"), row("a"), row("c")];
        let signs = |rows: &[(bool, Vec<Option<String>>)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
        assert_eq!(signs(&marked(&left, &right)), [true, false, true]);
        assert_eq!(signs(&marked(&right, &left)), [true, true, false]);
    }

    #[test]
    fn a_refusal_is_shown_from_sparks_words_on() {
        let traceback =
            "Traceback (most recent call last):\n  File \"script.py\", line 3\nAnalysisException: [X] no\nmore";
        assert_eq!(last_lines(traceback), "AnalysisException: [X] no\nmore");
    }

    #[test]
    fn changes_read_as_words() {
        let changes =
            Changes { watermark_delay_ms: Some(10_000), output_mode: Some("update".to_owned()), ..Changes::default() };
        assert_eq!(changes_words(&changes), "delay 10 s, update");
    }
}
