//! Components in a real browser (Chromium, headless).
#![cfg(target_arch = "wasm32")]
// clippy.toml allows these in tests, but knows only `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::rc::Rc;
use tidemark::ui::VirtualTable;
use tidemark_protocol::messages::{BatchKind, BatchReport, BatchTable, Column, Command, Event};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::Element;
use yew::prelude::*;

wasm_bindgen_test_configure!(run_in_browser);

fn host() -> Element {
    let document = web_sys::window().unwrap().document().unwrap();
    let host = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&host).unwrap();
    host
}

#[component]
fn MillionRows() -> Html {
    let columns = vec![Column { name: "n".to_owned(), data_type: "bigint".to_owned() }];
    let row = Callback::from(|index: usize| Some(Rc::new(vec![Some(index.to_string())])));
    html! {
        <div style="height:250px;display:flex;flex-direction:column">
            <VirtualTable label="numbers" {columns} total={1_000_000} {row} version={(0, 0)} />
        </div>
    }
}

#[wasm_bindgen_test]
async fn a_table_of_a_million_rows_draws_only_what_is_seen() {
    let host = host();
    yew::Renderer::<MillionRows>::with_root(host.clone()).render();
    gloo_timers::future::TimeoutFuture::new(0).await;
    let rows = host.query_selector_all("tbody tr:not(.spacer)").unwrap().length();
    assert!((10..100).contains(&rows), "{rows}");
    assert_eq!(host.query_selector("tbody td").unwrap().unwrap().text_content().as_deref(), Some("0"));
}

#[wasm_bindgen_test]
fn messages_cross_as_plain_values() {
    let command = Command::WriteFile { path: "/w/a".to_owned(), content: vec![0, 255] };
    let value = tidemark::wire::encode(&command).unwrap();
    assert_eq!(tidemark::wire::decode::<Command>(value).unwrap(), command);
    let report = BatchReport {
        query: "q".to_owned(),
        batch: 7,
        kind: BatchKind::NoData { reason: "r".to_owned() },
        clock_ms: 1_772_442_000_000,
        input_rows: 0,
        output_rows: None,
        output: BatchTable { columns: Vec::new(), rows: vec![vec![None, Some("x".to_owned())]], total: 1 },
        watermark_ms: Some(i64::MIN),
        late_watermark_ms: None,
        next_watermark_ms: Some(0),
        max_event_time_ms: Some(i64::MAX),
        dropped_rows: 0,
        state_rows: 0,
        state_bytes: 0,
        progress_json: String::new(),
        events: Vec::new(),
        windows: Vec::new(),
        operators: Vec::new(),
    };
    let event = Event::Batch(Box::new(report));
    let value = tidemark::wire::encode(&event).unwrap();
    assert_eq!(tidemark::wire::decode::<Event>(value).unwrap(), event);
}
