//! The script with what went wrong in it.

use super::code::{Code, Mark};
use super::share::ScriptBar;
use crate::page::{Page, use_page};
use crate::state::{Action, App, Engine, Life};
use std::rc::Rc;
use tidemark_protocol::messages::ScriptState;
use yew::prelude::*;

fn mark(app: &App) -> Option<Mark> {
    match app.script_state.as_ref()? {
        ScriptState::Parked { line, call } => {
            Some(Mark { line: *line, kind: "parked", title: format!("The script waits here in {call}") })
        }
        ScriptState::Failed { line: Some(line), traceback } => {
            let last = traceback.trim_end().lines().last().unwrap_or_default().to_owned();
            Some(Mark { line: *line, kind: "error", title: last })
        }
        _ => None,
    }
}

#[component]
pub fn ScriptPanel() -> Html {
    let page = use_page();
    let app = &page.app;
    let onchange = {
        let page = page.clone();
        Callback::from(move |text: Rc<str>| page.act(Action::Edited(text)))
    };
    let onmount = {
        let desk = page.desk.clone();
        Callback::from(move |editor| desk.set_editor(editor))
    };
    let onsay = {
        let page = page.clone();
        Callback::from(move |text: String| page.act(Action::Say(text)))
    };
    let edited = app.ran.as_ref().is_some_and(|ran| *ran != app.script);
    html! {
        <section class="pane script" id="pane-script" aria-label="Script">
            <header class="pane-head">
                <h2>{ "Script" }</h2>
                <ScriptBar />
                <span class="note">
                    { if edited { "edited since it ran; Run or Restart takes the new text" } else { "PySpark" } }
                </span>
            </header>
            <div class="pane-body code-host">
                <Code text={app.script.clone()} language="python" label="Python script" mark={mark(app)}
                    problems={app.assist.problems.clone()} checked={app.assist.checked} columns={app.known_columns()}
                    {onchange} {onmount} {onsay} />
            </div>
            { problem(&page) }
        </section>
    }
}

/// The card for what went wrong last, if anything did.
fn problem(page: &Page) -> Html {
    let app = &page.app;
    if let Engine::Panicked(report) = &app.engine {
        return html! {
            <Problem title="The engine has stopped with an internal error"
                hint="This is a fault of the playground, not of your script. What was committed is safe."
                text={report.clone()} engine=true />
        };
    }
    if let Engine::Failed(message) = &app.engine {
        return html! {
            <Problem title="The engine is not there" hint="It could not be loaded, or it died."
                text={message.clone()} engine=true />
        };
    }
    if let Some(ScriptState::Failed { traceback, line }) = &app.script_state {
        let title = match line {
            Some(line) => format!("The script failed at line {line}"),
            None => "The script failed".to_owned(),
        };
        return html! { <Problem {title} text={traceback.clone()} line={*line} /> };
    }
    match app.shown_query().map(|query| (query.label(), &query.life)) {
        Some((name, Life::Failed(error))) => {
            html! { <Problem title={format!("Query {name} failed")} text={error.clone()} /> }
        }
        _ => html! {},
    }
}

#[derive(Properties, PartialEq)]
struct ProblemProps {
    title: AttrValue,
    #[prop_or_default]
    hint: Option<AttrValue>,
    text: AttrValue,
    #[prop_or_default]
    line: Option<u32>,
    /// The engine is gone: offer to start it again.
    #[prop_or_default]
    engine: bool,
}

#[component]
fn Problem(props: &ProblemProps) -> Html {
    let page = use_page();
    let text = props.text.clone();
    let copy = Callback::from(move |_: MouseEvent| crate::browser::copy(text.to_string()));
    html! {
        <div class="problem" role="alert">
            <header>
                <h3>{ props.title.clone() }</h3>
                if let Some(line) = props.line {
                    <button type="button" class="link" onclick={
                        let desk = page.desk.clone();
                        Callback::from(move |_: MouseEvent| desk.with_editor(|editor| editor.go_to(line)))
                    }>{ format!("Go to line {line}") }</button>
                }
                <button type="button" class="link" onclick={copy}>
                    { if props.engine { "Copy report" } else { "Copy" } }
                </button>
                if props.engine {
                    <button type="button" class="button" onclick={page.on(Action::Interrupt)}>{ "Restart engine" }</button>
                }
            </header>
            if let Some(hint) = &props.hint { <p>{ hint.clone() }</p> }
            <pre tabindex="0">{ props.text.clone() }</pre>
        </div>
    }
}
