//! The output of the selected batch as a table.

use crate::format::plural;
use crate::page::use_page;
use crate::state::{Action, AssistAction, FatesAction};
use crate::ui::{Glyph, Icon, VirtualTable};
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{BatchKind, Pick, ResultFormat};
use yew::prelude::*;

#[component]
pub fn OutputPanel() -> Html {
    let page = use_page();
    let Some(batch) = page.app.shown_batch().cloned() else {
        return html! {
            <p class="empty">{ "The rows that a batch hands to its sink stand here. " }<b>{ "Step" }</b>{ " runs one." }</p>
        };
    };
    let row = {
        let (batch, app) = (batch.clone(), page.app.clone());
        Callback::from(move |index: usize| {
            if let Some(row) = batch.output.rows.get(index) {
                return Some(Rc::new(row.clone()));
            }
            let rows = &app.rows;
            let fits = rows.query == batch.query && rows.batch == batch.batch;
            if fits { rows.by_index.get(&index).cloned() } else { None }
        })
    };
    let need = {
        let (page, query, number) = (page.clone(), batch.query.clone(), batch.batch);
        Callback::from(move |(offset, limit): (usize, usize)| {
            let query = query.clone();
            page.act(Action::Ask(Command::ReadBatch { query, batch: number, offset, limit }));
        })
    };
    let pick = {
        let (page, number) = (page.clone(), batch.batch);
        Callback::from(move |row: usize| {
            page.act(Action::Fates(FatesAction::Select(Pick::Output { batch: number, row })));
            crate::browser::focus("#tab-fate");
        })
    };
    let why = match (&batch.kind, batch.output.total) {
        (BatchKind::NoData { reason }, 0) => format!("No rows. The batch ran without data because {reason}."),
        (_, 0) if batch.dropped_rows > 0 => {
            "No rows came out: late rows were dropped, and no open window was closed.".to_owned()
        }
        (_, 0) if batch.watermark_ms.is_some() => {
            "No rows came out. In append mode a window comes out once the watermark has passed its end; the strip says which event closes it."
                .to_owned()
        }
        (_, 0) => "No rows came out.".to_owned(),
        _ => String::new(),
    };
    html! {
        <div class="stack">
            <div class="caption result">
                <span class="caption-text">
                    <b>{ format!("Batch {}", batch.batch) }</b>
                    { format!(" · {}", plural(batch.output.total as i64, "row", "rows")) }
                    if let BatchKind::NoData { reason } = &batch.kind { { format!(" · no-data batch: {reason}") } }
                </span>
                if batch.output.total > 0 {
                    <span class="downloads" role="group" aria-label="Download these rows">
                        <Icon glyph={Glyph::Download} />
                        { for [(ResultFormat::Json, "JSON"), (ResultFormat::Csv, "CSV")].map(|(format, name)| html! {
                            <button type="button" class="link" aria-label={format!("Download these rows as {name}")}
                                onclick={page.on(Action::Assist(AssistAction::Export(format)))}>{ name }</button>
                        }) }
                    </span>
                }
            </div>
            if batch.output.columns.is_empty() || batch.output.total == 0 {
                <p class="empty">{ why }</p>
            } else {
                <VirtualTable label={format!("Output of batch {}", batch.batch)} columns={batch.output.columns.clone()}
                    total={batch.output.total} {row} {need} {pick} pick_hint="The events behind this row (click or Enter)"
                    version={(page.app.rows.by_index.len(), batch.batch)} />
            }
        </div>
    }
}
