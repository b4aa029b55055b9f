//! The Fate tab: the story of one row, the rows behind a row of output or state, the tray of dropped rows, and the
//! watermarks of every operator.

use crate::fate::{self, Line, Link, Sign, counted, headline, lines, operator, place, window};
use crate::format::{self, count, date_time, plural, span, time};
use crate::page::{Page, use_page};
use crate::state::{Action, FatesAction, Tab};
use crate::strip::{Explanation, Model, Spot, explain_event};
use std::rc::Rc;
use tidemark_protocol::messages::{Behind, DroppedEvent, EventRef, Pick, QueryInfo, Story, Told};
use yew::prelude::*;

/// Rows of the tray that are drawn.
const SHOWN: usize = 300;

#[component]
pub fn FatePanel() -> Html {
    let page = use_page();
    let view = page.app.shown_query();
    {
        let page = page.clone();
        let newest = view.and_then(|view| view.last().map(|batch| Rc::as_ptr(batch) as usize));
        let deps = (view.map(|view| view.info.id.clone()), newest);
        use_effect_with(deps, move |_| {
            if page.app.is_ready() {
                page.act(Action::Fates(FatesAction::Refresh));
                page.act(Action::Fates(FatesAction::ReadTray));
            }
        });
    }
    let Some(view) = view else {
        return html! {
            <p class="empty">{ "Each event has a fate: the batch that read it, the operators it met, the row it became. " }<b>{ "Step" }</b>{ " runs the first batch; then select an event on the strip." }</p>
        };
    };
    html! {
        <div class="split fates">
            <div class="stack fate-story">{ told(&page, &view.info) }</div>
            <div class="stack fate-side">
                { tray(&page) }
                { operators(&page) }
                { following(&page) }
            </div>
        </div>
    }
}

fn told(page: &Page, info: &QueryInfo) -> Html {
    let fates = &page.app.fates;
    if fates.pick.is_none() {
        return html! {
            <p class="empty">{ "Select an event on the strip (click, or Enter), a row of the output, a row of the state or a dropped row: its way through the query stands here." }</p>
        };
    }
    match fates.told.as_deref() {
        None => html! { <p class="empty" role="status">{ asking(fates.recalling) }</p> },
        Some(Told::Unknown { reason }) => html! {
            <>
                { head(page, None, String::new()) }
                if let Some(known) = reported(page) {
                    <p class="fate-row"><b>{ known.title }</b><span>{ known.body }</span></p>
                    if let Some(row) = known.row { <p class="fate-row"><code>{ row }</code></p> }
                }
                <p class="empty">{ reason.clone() }</p>
            </>
        },
        Some(Told::Event(story)) => html! {
            <>
                { head(page, Some(headline(story.outcome)), place(&story.event.place)) }
                { event_row(story) }
                <ol class="fate-steps" aria-label="What happened to this row">
                    { for lines(story, info).into_iter().map(|line| step(page, line)) }
                </ol>
            </>
        },
        Some(Told::Behind(behind)) => behind_rows(page, behind, info),
    }
}

/// While an answer is on its way. `recalling`: commands done again, of how many.
pub fn asking(recalling: Option<(usize, usize)>) -> String {
    match recalling {
        Some((done, total)) => {
            format!("Going through the session again for what the page does not remember: {done} of {total} steps …")
        }
        None => "Asking the engine …".to_owned(),
    }
}

/// What the batch's report says of the selected event.
fn reported(page: &Page) -> Option<Explanation> {
    let Some(Pick::Event { batch, arrival }) = page.app.fates.pick else { return None };
    let view = page.app.shown_query()?;
    let lane = view.batches.iter().position(|report| report.batch == batch)?;
    let event = view.batches.get(lane)?.events.iter().position(|event| event.arrival == arrival)?;
    explain_event(&Model::new(&view.batches, view.info.watermark_delay_ms), Spot { lane, event })
}

fn head(page: &Page, outcome: Option<(Sign, &'static str)>, title: String) -> Html {
    let back = !page.app.fates.trail.is_empty();
    html! {
        <p class="caption fate-head">
            if let Some((sign, words)) = outcome {
                <b class={classes!("fate-outcome", sign.class())}><i class="fate-sign" aria-hidden="true"></i>{ words }</b>
            }
            <span class="soft">{ title }</span>
            <span class="grow"></span>
            if back {
                <button type="button" class="link" onclick={page.on(Action::Fates(FatesAction::Back))}>{ "Back" }</button>
            }
            <button type="button" class="link" onclick={page.on(Action::Fates(FatesAction::Clear))}>{ "Close" }</button>
        </p>
    }
}

fn event_row(story: &Story) -> Html {
    let at = story.event.event_time_us.map(|us| format!("Event time {}", date_time(us)));
    html! {
        <p class="fate-row">
            <code>{ &story.event.row }</code>
            if let Some(at) = at { <span class="soft">{ at }</span> }
        </p>
    }
}

fn step(page: &Page, line: Line) -> Html {
    let Line { sign, batch, depth, title, details, link } = line;
    let link = link.map(|link| match link {
        Link::Batch(batch) => html! {
            <button type="button" class="link" onclick={page.on(Action::SelectBatch(batch))}>{ format!("Show batch {batch}") }</button>
        },
        Link::Output { batch, .. } => {
            let page = page.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                page.act(Action::SelectBatch(batch));
                page.act(Action::SelectTab(Tab::Output));
            });
            html! { <button type="button" class="link" {onclick}>{ "Show the output" }</button> }
        }
        Link::State { .. } => html! {
            <button type="button" class="link" onclick={page.on(Action::SelectTab(Tab::StateStore))}>{ "Show the state" }</button>
        },
    });
    html! {
        <li class={classes!("fate-step", sign.class())} data-depth={depth.min(3).to_string()} data-batch={batch.to_string()}>
            <i class="fate-sign" aria-hidden="true"></i>
            <p><b>{ title }</b>{ " " }{ link.unwrap_or_default() }</p>
            { for details.into_iter().map(|detail| html! { <p class="soft">{ detail }</p> }) }
        </li>
    }
}

fn event_link(page: &Page, event: &EventRef) -> Html {
    let pick = Pick::Event { batch: event.batch, arrival: event.arrival };
    let at = event.event_time_us.map_or_else(|| "no event time".to_owned(), time);
    html! {
        <li>
            <button type="button" class="fate-event" onclick={page.on(Action::Fates(FatesAction::Mark(pick)))}>
                <b>{ at }</b><code>{ &event.row }</code><span class="soft">{ format!("{} · batch {}", place(&event.place), event.batch) }</span>
            </button>
        </li>
    }
}

fn behind_rows(page: &Page, behind: &Behind, info: &QueryInfo) -> Html {
    let title = match page.app.fates.pick {
        Some(Pick::Output { batch, row }) => format!("Row {} of the output of batch {batch}", row + 1),
        _ => "A row of the state".to_owned(),
    };
    let waits = behind.waiting.as_ref().map(|fact| fate::waiting(fact, info));
    let number = behind.events.len() as i64 + behind.more as i64;
    let here = match page.app.fates.pick {
        Some(Pick::Output { batch, .. }) => behind.events.iter().filter(|event| event.batch == batch).count(),
        _ => 0,
    };
    let by_script = behind.entry.as_ref().is_some_and(|entry| fate::is_by_script(&entry.name));
    html! {
        <>
            { head(page, None, title) }
            if let Some(entry) = &behind.entry {
                <p class="fate-row">
                    { format!("From operator {} ({}), partition {}", entry.operator, operator(&entry.name), entry.partition) }
                    if let Some(bounds) = entry.window { { format!(", window {}", window(bounds)) } }
                    { for entry.key.iter().filter(|(name, _)| entry.window.is_none() || !name.contains("window")).map(|(name, value)| {
                        format!(", {name} = {}", value.as_deref().unwrap_or("null"))
                    }) }
                </p>
            }
            if let Some((title, details)) = waits {
                <ol class="fate-steps">
                    { step(page, Line { sign: Sign::Waits, batch: 0, depth: 0, title, details, link: None }) }
                </ol>
            }
            if by_script {
                <p class="hint fate-none">{ "The script's function put it out for this key. These events of the key had been given to it; what it used of them is its own." }</p>
            }
            <h3 class="fate-count">
                { format!("{} {}", if by_script { "Of a key with" } else { "Made of" }, plural(number, "event", "events")) }
                if here > 0 && (here as i64) < number { { format!(", {here} of them from this batch") } }
            </h3>
            <ul class="fate-events">
                { for behind.events.iter().map(|event| event_link(page, event)) }
            </ul>
            if behind.more > 0 { <p class="hint fate-none">{ format!("and {} older ones", count(behind.more as i64)) }</p> }
        </>
    }
}

fn tray(page: &Page) -> Html {
    let fates = &page.app.fates;
    let rows = &fates.tray;
    let export = page.on(Action::Fates(FatesAction::ExportTray));
    let row = |dropped: &DroppedEvent| {
        let pick = Pick::Event { batch: dropped.event.batch, arrival: dropped.event.arrival };
        let selected = fates.pick.as_ref() == Some(&pick);
        let (name, title) = match &dropped.made {
            Some(made) => (fate::made(made), format!("A row that operator {} made", made.entry.operator)),
            None => (place(&dropped.event.place), dropped.event.row.clone()),
        };
        // Its events are not known: there is nothing to open.
        let known = dropped.made.as_ref().is_none_or(|made| made.events > 0);
        let by = dropped.watermark_us.saturating_sub(dropped.boundary_us);
        html! {
            <tr class={classes!(selected.then_some("selected"))}>
                <td class="num">{ dropped.batch }</td>
                <td>
                    if known {
                        <button type="button" class="row-button" {title}
                            onclick={page.on(Action::Fates(FatesAction::Mark(pick)))}>{ name }</button>
                    } else {
                        <span {title}>{ name }</span>
                    }
                </td>
                <td>{ format!("{} <= {}", time(dropped.boundary_us), time(dropped.watermark_us)) }</td>
                <td class="num">{ span(by) }</td>
                <td>{ format!("{} · {}", dropped.operator, operator(&dropped.operator_name)) }</td>
            </tr>
        }
    };
    html! {
        <section class="fate-tray" aria-label="Dropped rows">
            <p class="caption">
                <span>
                    <b>{ "Dropped rows" }</b>
                    { format!(" · {}", count(rows.len() as i64)) }
                    if fates.lost > 0 { { format!(", {} earlier ones not kept", count(fates.lost as i64)) } }
                </span>
                if !rows.is_empty() {
                    <button type="button" class="link" onclick={export}>{ "Export as JSON lines" }</button>
                }
            </p>
            if rows.is_empty() {
                <p class="hint fate-none">{ "None. A row is dropped when its window's end or event time is at or before the late-row watermark." }</p>
            } else {
                <div class="table-scroll" tabindex="0" role="region" aria-label="Dropped rows, newest first">
                    <table class="grid">
                        <thead>
                            <tr>
                                <th scope="col" class="num">{ "Batch" }</th>
                                <th scope="col">{ "Row" }</th>
                                <th scope="col">{ "Boundary <= watermark" }</th>
                                <th scope="col" class="num">{ "Late by" }</th>
                                <th scope="col">{ "Operator" }</th>
                            </tr>
                        </thead>
                        <tbody>{ for rows.iter().rev().take(SHOWN).map(row) }</tbody>
                    </table>
                </div>
            }
        </section>
    }
}

/// Rows of a batch above which only the first are followed.
const LARGE: i64 = 10_000;

/// The switch, and what it means for the batch at hand.
fn following(page: &Page) -> Html {
    let on = page.app.fates.follow;
    let toggle = page.on::<Event>(Action::Fates(FatesAction::Follow(!on)));
    let large = page.app.shown_batch().filter(|batch| batch.input_rows > LARGE);
    html! {
        <section class="fate-following" aria-label="Following rows">
            <label class="check"><input type="checkbox" checked={on} onchange={toggle} />{ "Follow the rows of each batch" }</label>
            if !on {
                <p class="hint">{ "Off: the batches from now on cost nothing more. The strip shows no events for them; to tell the fate of a row the session is gone through again." }</p>
            } else if let Some(batch) = large {
                <p class="hint">{ format!("Batch {} read {} rows: of so many only the first 2,000 are followed.", batch.batch, count(batch.input_rows)) }</p>
            } else {
                <p class="hint">{ "Each batch is looked at a second time for it. Turn it off where batches are large and time counts." }</p>
            }
        </section>
    }
}

fn operators(page: &Page) -> Html {
    let Some(batch) = page.app.shown_batch() else { return html! {} };
    if batch.operators.is_empty() {
        return html! {};
    }
    html! {
        <section class="fate-operators" aria-label="Operators">
            <p class="caption"><b>{ format!("Operators in batch {}", batch.batch) }</b></p>
            <div class="table-scroll" tabindex="0" role="region" aria-label="Watermarks and counts by operator">
                <table class="grid">
                    <thead>
                        <tr>
                            <th scope="col">{ "Operator" }</th>
                            <th scope="col" title="Rows at or before it are late: the watermark of the batch before">{ "Late-row watermark" }</th>
                            <th scope="col" title="State at or before it is finished: this batch's watermark">{ "Eviction watermark" }</th>
                            <th scope="col" class="num">{ "State" }</th>
                            <th scope="col" class="num">{ "Updated" }</th>
                            <th scope="col" class="num">{ "Removed" }</th>
                            <th scope="col" class="num" title="numRowsDroppedByWatermark">{ "Dropped" }</th>
                            <th scope="col" class="num" title="Rows of the operator's input that these stand for">{ "Input rows" }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for batch.operators.iter().map(|report| html! {
                            <tr>
                                <td title={report.name.clone()}>{ format!("{} · {}", report.id, operator(&report.name)) }</td>
                                <td title={format::watermark(report.late_watermark_ms)}>{ short(report.late_watermark_ms) }</td>
                                <td title={format::watermark(report.eviction_watermark_ms)}>{ short(report.eviction_watermark_ms) }</td>
                                <td class="num">{ count(report.rows_total) }</td>
                                <td class="num">{ count(report.rows_updated) }</td>
                                <td class="num">{ count(report.rows_removed) }</td>
                                <td class="num">{ count(report.rows_dropped) }</td>
                                <td class="num">{ report.input_rows_dropped.map_or_else(|| "not followed".to_owned(), count) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
            { for batch.operators.iter().filter_map(counted).map(|sentence| html! { <p class="hint fate-none">{ sentence }</p> }) }
        </section>
    }
}

/// The time of a watermark; the day is in the tooltip.
fn short(ms: Option<i64>) -> String {
    match ms {
        Some(ms) if ms != 0 => time(ms.saturating_mul(1000)),
        other => format::watermark(other),
    }
}
