//! The strip under the toolbar: which query, how it runs, what time it is, where things are kept.

use super::times::TimesSwitch;
use crate::format;
use crate::page::use_page;
use crate::state::{Action, App, Engine, Life, point_name};
use tidemark_protocol::messages::{ScriptState, StorageState};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// A tone of the small state words.
type Tone = &'static str;

fn script_state(app: &App) -> (Tone, String) {
    match &app.script_state {
        _ if app.is_busy() && app.slow => ("busy", "running for a while".to_owned()),
        None if app.is_busy() => ("busy", "running".to_owned()),
        None if app.ran.is_none() => ("idle", "not run yet".to_owned()),
        None => ("idle", "not running".to_owned()),
        Some(ScriptState::Running) => ("busy", "running".to_owned()),
        Some(ScriptState::Parked { line, .. }) => ("good", format!("waits at line {line}")),
        Some(ScriptState::Finished) => ("idle", "finished".to_owned()),
        Some(ScriptState::Failed { line: Some(line), .. }) => ("bad", format!("failed at line {line}")),
        Some(ScriptState::Failed { line: None, .. }) => ("bad", "failed".to_owned()),
    }
}

fn storage(state: Option<&StorageState>) -> (Tone, &'static str, String) {
    match state {
        None => ("idle", "opening", "The workspace is being opened".to_owned()),
        Some(StorageState::Persistent) => ("good", "saved", "Files and checkpoints are kept in IndexedDB".to_owned()),
        Some(StorageState::Memory) => ("idle", "not kept", "This page keeps nothing".to_owned()),
        Some(StorageState::OpenElsewhere) => {
            ("warn", "open in another tab", "This tab works in memory; nothing of it is kept".to_owned())
        }
        Some(StorageState::Unavailable { message }) => {
            ("warn", "not saved", format!("This browser keeps nothing: {message}"))
        }
        Some(StorageState::Full { message }) => {
            ("bad", "storage full", format!("The last changes are not saved: {message}"))
        }
    }
}

fn engine(app: &App) -> (Tone, String) {
    match &app.engine {
        Engine::Starting => ("busy", "engine starting".to_owned()),
        Engine::Ready { .. } => ("good", "ready".to_owned()),
        Engine::Failed(_) => ("bad", "engine not loaded".to_owned()),
        Engine::Panicked(_) => ("bad", "engine stopped".to_owned()),
    }
}

fn life(app: &App) -> (Tone, String) {
    let Some(query) = app.shown_query() else { return ("idle", "no query".to_owned()) };
    match (&query.life, &query.torn) {
        (Life::Active, _) if app.continuous => ("busy", "running".to_owned()),
        (Life::Active, _) => ("good", "active".to_owned()),
        (Life::Stopped, _) => ("idle", "stopped".to_owned()),
        (Life::Failed(_), _) => ("bad", "failed".to_owned()),
        (Life::Gone, Some((batch, point))) => ("bad", format!("crashed in batch {batch} {}", point_name(*point))),
        (Life::Gone, None) => ("warn", "not running; restart continues".to_owned()),
    }
}

#[derive(Properties, PartialEq)]
struct FactProps {
    label: AttrValue,
    value: AttrValue,
    #[prop_or_default]
    tone: Option<Tone>,
    #[prop_or_default]
    tip: Option<AttrValue>,
}

#[component]
fn Fact(props: &FactProps) -> Html {
    html! {
        <div class="fact" title={props.tip.clone()}>
            <dt>{ props.label.clone() }</dt>
            <dd class={classes!(props.tone)}>
                if props.tone.is_some() { <i class="dot"></i> }
                { props.value.clone() }
            </dd>
        </div>
    }
}

#[component]
pub fn SessionStrip() -> Html {
    let page = use_page();
    let app = &page.app;
    let (script_tone, script) = script_state(app);
    let (storage_tone, kept, kept_tip) = storage(app.storage.as_ref());
    let (engine_tone, engine) = engine(app);
    let (life_tone, life) = life(app);
    let onchange = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(-1, |select| select.selected_index());
            if let Ok(index) = usize::try_from(index) {
                page.act(Action::SelectQuery(index));
            }
        })
    };
    let query = app.shown_query();
    let clock = app.clock_ms.map(|ms| format::date_time(ms.saturating_mul(1000)));
    let due = app.next_due_ms.map(|ms| format!("Next trigger due at {}", format::time(ms.saturating_mul(1000))));
    html! {
        <section class="session" aria-label="Session">
            <dl class="facts">
                if app.queries.len() > 1 {
                    <div class="fact">
                        <dt><label for="query-select">{ "Query" }</label></dt>
                        <dd>
                            <select id="query-select" {onchange}>
                                { for app.queries.iter().enumerate().map(|(at, view)| html! {
                                    <option selected={at == app.query}>{ view.label().to_owned() }</option>
                                }) }
                            </select>
                        </dd>
                    </div>
                } else if let Some(view) = query {
                    <Fact label="Query" value={view.label().to_owned()} tip={format!("id {}", view.info.id)} />
                }
                <Fact label="State" value={life} tone={life_tone} />
                if let Some(view) = query {
                    <Fact label="Mode" value={view.info.output_mode.to_lowercase()} tip={format!("to {}", view.info.sink)} />
                    <Fact label="Trigger" value={view.info.trigger.clone()} tip={due} />
                }
                <Fact label="Script" value={script} tone={script_tone} />
                if let Some(clock) = clock {
                    <Fact label="Clock" value={clock} tip="Virtual time: only triggers and sleeps move it" />
                }
                <TimesSwitch />
                <Fact label="Workspace" value={kept} tone={storage_tone} tip={kept_tip} />
                <Fact label="Engine" value={engine} tone={engine_tone} />
            </dl>
        </section>
    }
}
