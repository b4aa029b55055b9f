//! Rows and bytes of an operator's state over the batches.

use crate::page::use_page;
use crate::panels::chart::{Chart, Point, Unit};
use crate::state::operator_bytes;
use crate::ui::by_pointers;
use tidemark_protocol::messages::BatchReport;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SizeProps {
    pub operator: usize,
}

/// Rows and bytes after a batch.
fn size(batch: &BatchReport, operator: usize, alone: bool) -> (f64, f64) {
    if alone {
        return (batch.state_rows as f64, batch.state_bytes as f64);
    }
    let rows = batch.operators.iter().find(|report| report.id == operator).map_or(0, |report| report.rows_total);
    (rows as f64, operator_bytes(batch, operator).unwrap_or(0) as f64)
}

#[component]
pub fn Size(props: &SizeProps) -> Html {
    let page = use_page();
    let view = page.app.shown_query();
    let batches = view.map(|view| view.batches.as_slice()).unwrap_or_default();
    let alone = view.is_some_and(|view| view.info.operators.len() == 1);
    let sizes = use_memo((by_pointers(batches), props.operator, alone), |(_, operator, alone)| {
        batches.iter().map(|batch| (batch.batch, size(batch, *operator, *alone))).collect::<Vec<_>>()
    });
    let selected = page.app.shown_batch().map(|batch| batch.batch);
    let points = |value: fn((f64, f64)) -> f64| -> Vec<Point> {
        sizes.iter().map(|(batch, size)| (*batch, Some(value(*size)))).collect()
    };
    html! {
        <aside class="state-size" tabindex="0" aria-label="Size of the state">
            <Chart title="Rows" bars=false unit={Unit::Rows} {selected} points={points(|size| size.0)} />
            <Chart title="Memory" bars=false unit={Unit::Bytes} {selected} points={points(|size| size.1)} />
            <p class="hint">{ "Memory is Spark's memoryUsedBytes: all versions that are loaded, not this one alone." }</p>
        </aside>
    }
}
