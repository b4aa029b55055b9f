//! Charts over batches and the progress of the selected one.

use super::chart::{Chart, Point, Unit};
use crate::page::use_page;
use std::rc::Rc;
use tidemark_protocol::messages::BatchReport;
use yew::prelude::*;

fn points(batches: &[Rc<BatchReport>], mut value: impl FnMut(&BatchReport) -> Option<f64>) -> Vec<Point> {
    batches.iter().map(|batch| (batch.batch, value(batch))).collect()
}

/// Newest event time so far minus the watermark, ms: how far the watermark is behind the data.
fn lags(batches: &[Rc<BatchReport>]) -> Vec<Point> {
    let mut newest = None;
    points(batches, |batch| {
        newest = newest.max(batch.max_event_time_ms);
        let watermark = batch.watermark_ms.filter(|ms| *ms != 0)?;
        newest.map(|newest: i64| newest.saturating_sub(watermark).max(0) as f64)
    })
}

#[component]
pub fn ProgressPanel() -> Html {
    let page = use_page();
    let batches = page.app.shown_query().map(|view| view.batches.as_slice()).unwrap_or_default();
    let Some(batch) = page.app.shown_batch() else {
        return html! { <p class="empty">{ "Charts over the batches and Spark's progress JSON stand here once a batch has run." }</p> };
    };
    let selected = Some(batch.batch);
    let json = batch.progress_json.clone();
    let copy = {
        let json = json.clone();
        Callback::from(move |_: MouseEvent| crate::browser::copy(json.clone()))
    };
    html! {
        <div class="split">
            <div class="charts" role="region" aria-label="Curves over the batches" tabindex="0">
                <Chart title="Input rows" bars=true unit={Unit::Rows} {selected}
                    points={points(batches, |batch| Some(batch.input_rows as f64))} />
                <Chart title="Dropped rows" bars=true class="drop" unit={Unit::Rows} {selected}
                    points={points(batches, |batch| Some(batch.dropped_rows as f64))} />
                <Chart title="State rows" bars=false unit={Unit::Rows} {selected}
                    points={points(batches, |batch| Some(batch.state_rows as f64))} />
                <Chart title="State memory" bars=false unit={Unit::Bytes} {selected}
                    points={points(batches, |batch| Some(batch.state_bytes as f64))} />
                <Chart title="Watermark lag" bars=false unit={Unit::Milliseconds} {selected}
                    points={lags(batches)} />
            </div>
            <div class="stack json">
                <p class="caption">
                    <b>{ format!("Progress of batch {}", batch.batch) }</b>
                    <button type="button" class="link" onclick={copy}>{ "Copy" }</button>
                </p>
                <pre class="console" tabindex="0" aria-label="Progress JSON">{ json }</pre>
            </div>
        </div>
    }
}
