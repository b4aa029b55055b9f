//! The list of batches: what came in, what went out, what was dropped, what the state holds.

use crate::browser::before_next_frame;
use crate::format::{self, count, watermark};
use crate::page::use_page;
use crate::state::{Action, Life, QueryView, point_name};
use crate::ui::ByPointer;
use crate::zone::Times;
use std::rc::Rc;
use tidemark_protocol::messages::{BatchKind, BatchReport, CrashPoint, OperatorReport};
use web_sys::HtmlElement;
use yew::prelude::*;

/// Rows drawn at most; older batches stay reachable through the strip and the arrow keys.
const SHOWN: usize = 400;

#[component]
pub fn BatchesPanel() -> Html {
    let page = use_page();
    let app = &page.app;
    let view = app.shown_query();
    let count = view.map_or(0, |view| view.batches.len());
    let selected = app.shown_batch().map(|batch| batch.batch);
    let end = use_node_ref();
    {
        let end = end.clone();
        let torn = view.and_then(|view| view.torn);
        // The scrubber, which comes with the first moments, takes room from the list.
        let crowded = !page.main.replay.moments.is_empty();
        use_effect_with((count, torn, crowded, app.batch.is_none()), move |(.., follows)| {
            if let Some(element) = end.cast::<HtmlElement>().filter(|_| *follows) {
                before_next_frame(move || element.set_scroll_top(element.scroll_height()));
            }
        });
    }
    let onkeydown = {
        let page = page.clone();
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowUp" => -1,
                "ArrowDown" => 1,
                _ => return,
            };
            event.prevent_default();
            let Some(view) = page.app.shown_query() else { return };
            let here = view.batches.iter().position(|batch| Some(batch.batch) == selected).unwrap_or(0);
            if let Some(next) = here.checked_add_signed(step).and_then(|at| view.batches.get(at)) {
                page.act(Action::SelectBatch(next.batch));
            }
        })
    };
    let onselect = {
        let desk = page.desk.clone();
        use_memo((), move |()| Callback::from(move |batch: i64| desk.dispatch(Action::SelectBatch(batch))))
    };
    html! {
        <section class="pane batches" id="pane-batches" aria-label="Batches">
            <header class="pane-head">
                <h2>{ "Batches" }</h2>
                <span class="note">{ view.map(note).unwrap_or_default() }</span>
            </header>
            <div class="pane-body table-scroll" ref={end} tabindex="0" {onkeydown}
                role="region" aria-label="Batches, arrow keys select">
                if let Some(view) = view.filter(|view| !view.batches.is_empty() || view.torn.is_some()) {
                    <table class="grid rows">
                        <thead>
                            <tr>
                                <th scope="col" class="num">{ "#" }</th>
                                <th scope="col">{ "Kind" }</th>
                                <th scope="col" class="num">{ "In" }</th>
                                <th scope="col" class="num">{ "Out" }</th>
                                <th scope="col" class="num" title="Rows dropped by the watermark, as Spark counts them: after partial aggregation">
                                    { "Dropped" }
                                </th>
                                <th scope="col" class="num">{ "State" }<span class="wide">{ " rows" }</span></th>
                                <th scope="col" class="time" title="The watermark that evicted in this batch">{ "Watermark" }</th>
                            </tr>
                        </thead>
                        <tbody>
                            { rows(view, selected, &onselect, (app.assist.times, app.assist.session_zone.clone())) }
                            { torn(view) }
                        </tbody>
                    </table>
                } else {
                    <p class="empty">
                        if view.is_some() {
                            { "The query has started and no batch has run. " }<b>{ "Step" }</b>{ " runs its first trigger." }
                        } else {
                            { "No batch yet. " }<b>{ "Step" }</b>{ " runs the script and its first trigger." }
                        }
                    </p>
                }
            </div>
            if let Some(batch) = app.shown_batch().filter(|batch| !batch.operators.is_empty()) {
                <div class="operators" tabindex="0" role="region" aria-label={format!("Stateful operators in batch {}", batch.batch)}>
                    <ul>{ for batch.operators.iter().map(operator) }</ul>
                </div>
            }
        </section>
    }
}

/// A stateful operator in the selected batch: its two watermarks, its state, and what it dropped, by both counts.
fn operator(report: &OperatorReport) -> Html {
    let time = |what: &str, ms: Option<i64>| match ms {
        None | Some(0) => format!("nothing {what} yet"),
        Some(ms) => format!("{what} at or before {}", format::time(ms.saturating_mul(1000))),
    };
    let dropped = match report.input_rows_dropped {
        Some(input) if input != report.rows_dropped => {
            format!(
                "{} dropped, which stand for {}",
                count(report.rows_dropped),
                format::plural(input, "input row", "input rows")
            )
        }
        _ => format!("{} dropped", count(report.rows_dropped)),
    };
    html! {
        <li>
            <b>{ format!("{} {}", report.id, report.name) }</b>
            <span>{ time("late", report.late_watermark_ms) }</span>
            <span>{ time("finished", report.eviction_watermark_ms) }</span>
            <span>{ format!("{}, {} updated, {} removed", format::plural(report.rows_total, "row", "rows"), count(report.rows_updated), count(report.rows_removed)) }</span>
            <span class={(report.rows_dropped > 0).then_some("dropped")}>{ dropped }</span>
        </li>
    }
}

fn note(view: &QueryView) -> String {
    match (&view.idle, &view.life) {
        (Some(reason), Life::Active) => format!("Last trigger ran no batch: {reason}"),
        _ => String::new(),
    }
}

/// The newest batches. A gap in their numbers is a batch whose commit a crash came right after.
fn rows(view: &QueryView, selected: Option<i64>, onselect: &Callback<i64>, zone: (Times, Rc<str>)) -> Html {
    let shown = view.batches.get(view.batches.len().saturating_sub(SHOWN)..).unwrap_or_default();
    let mut expected = shown.first().map_or(0, |batch| batch.batch);
    let mut rows = Vec::new();
    for batch in shown {
        if expected < batch.batch {
            rows.push(html! {
                <tr class="unheard" key={expected}>
                    <td class="num">{ expected }</td>
                    <td colspan="6">{ "committed right before a crash: done, not run again, never reported" }</td>
                </tr>
            });
        }
        expected = batch.batch + 1;
        rows.push(html! {
            <BatchRow key={batch.batch} batch={ByPointer(batch.clone())} selected={Some(batch.batch) == selected}
                replayed={view.replayed.contains(&batch.batch)} onselect={onselect.clone()} zone={zone.clone()} />
        });
    }
    rows.into_iter().collect()
}

fn torn(view: &QueryView) -> Html {
    let Some((batch, point)) = view.torn else { return html! {} };
    html! {
        <tr class="torn">
            <td class="num">{ batch }</td>
            <td colspan="6">{ format!("crashed {}; {}", point_name(point), after_restart(point)) }</td>
        </tr>
    }
}

fn after_restart(point: Option<CrashPoint>) -> &'static str {
    match point {
        Some(CrashPoint::CommitWritten) => "a restart goes on with the next one",
        _ => "a restart runs it again, on the same offsets",
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    batch: ByPointer<BatchReport>,
    selected: bool,
    replayed: bool,
    onselect: Callback<i64>,
    /// Its times are written in this zone.
    zone: (Times, Rc<str>),
}

/// Of its properties alone, so that a new batch does not draw the old ones again.
#[component]
fn BatchRow(props: &RowProps) -> Html {
    let batch = &props.batch.0;
    let (kind, reason) = match &batch.kind {
        BatchKind::Data => ("data", None),
        BatchKind::NoData { reason } => ("no data", Some(reason.clone())),
    };
    let number = batch.batch;
    let onclick = props.onselect.reform(move |_: MouseEvent| number);
    let late_input: Option<i64> = batch.operators.iter().map(|operator| operator.input_rows_dropped).sum();
    let dropped_tip = late_input.filter(|_| batch.dropped_rows > 0).map(|rows| {
        let rows = crate::format::plural(rows, "row", "rows");
        format!("Spark counts {}; it stands for {rows} of the operators' input", batch.dropped_rows)
    });
    html! {
        <tr class={classes!(props.selected.then_some("selected"), reason.is_some().then_some("no-data"))}
            aria-current={props.selected.then_some("true")} {onclick}>
            <td class="num"><button type="button" class="row-button">{ batch.batch }</button></td>
            <td>
                { kind }
                if let Some(reason) = reason { <span class="reason" title={reason.clone()}>{ reason }</span> }
                if props.replayed { <span class="tag">{ "replayed" }</span> }
            </td>
            <td class="num">{ count(batch.input_rows) }</td>
            <td class="num">
                if let Some(rows) = batch.output_rows { { count(rows) } } else {
                    <span class="soft" title="This sink does not report rows; Spark's JSON says -1">{ "unknown" }</span>
                }
            </td>
            <td class={classes!("num", (batch.dropped_rows > 0).then_some("dropped"))} title={dropped_tip}>
                { count(batch.dropped_rows) }
            </td>
            <td class="num">{ count(batch.state_rows) }</td>
            { watermark_cell(batch.watermark_ms) }
        </tr>
    }
}

/// The day stands apart: a narrow screen leaves it to the tooltip.
fn watermark_cell(ms: Option<i64>) -> Html {
    let shown = watermark(ms);
    let parts = shown.split_once(' ').filter(|_| ms.is_some_and(|ms| ms != 0));
    match parts {
        Some((day, time)) => html! {
            <td class="time" title={shown.clone()}><span class="day">{ format!("{day} ") }</span>{ time.to_owned() }</td>
        },
        None => html! { <td class="time">{ shown }</td> },
    }
}
