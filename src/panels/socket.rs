//! Ports for the socket source: open one, type lines into it.

use crate::format;
use crate::page::use_page;
use crate::state::Action;
use tidemark_protocol::Command;
use tidemark_protocol::messages::SocketCommand;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// The port of the socket source's examples.
const USUAL: u16 = 9999;

fn value(event: &InputEvent) -> String {
    event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value())
}

#[component]
pub fn SocketPanel() -> Html {
    let page = use_page();
    let ports = page.app.ports.clone();
    let port = use_state(|| USUAL.to_string());
    let onport = {
        let port = port.clone();
        Callback::from(move |event: InputEvent| port.set(value(&event)))
    };
    let onsubmit = {
        let (page, port) = (page.clone(), port.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Ok(port) = port.trim().parse() {
                page.act(Action::Ask(Command::Socket(SocketCommand::Listen { port })));
            }
        })
    };
    html! {
        <div class="stack event">
            <p class="caption"><span>{ "What " }<b class="mono">{ "nc -lk 9999" }</b>{ " is beside Spark" }</span></p>
            <form class="event-form" {onsubmit}>
                <label class="field">
                    <span>{ "Port" }</span>
                    <input class="input mono" type="number" min="1" max="65535" value={(*port).clone()} oninput={onport} />
                </label>
                <div class="form-end"><button type="submit" class="button">{ "Open the port" }</button></div>
            </form>
            if ports.is_empty() {
                <p class="hint">{ "No port is open: the socket source is refused the connection." }</p>
            }
            { for ports.iter().map(|open| html! {
                <Lines key={open.port} port={open.port} waiting={open.waiting} sent={open.sent} />
            }) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct LinesProps {
    port: u16,
    waiting: usize,
    sent: u64,
}

#[component]
fn Lines(props: &LinesProps) -> Html {
    let page = use_page();
    let port = props.port;
    let text = use_state(String::new);
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_dyn_into::<HtmlTextAreaElement>().map_or_else(String::new, |area| area.value()));
        })
    };
    let onsubmit = {
        let (page, text) = (page.clone(), text.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let line = format!("{}\n", *text);
            page.act(Action::Ask(Command::Socket(SocketCommand::Send { port, text: line })));
            text.set(String::new());
        })
    };
    let (waiting, sent) = (i64::try_from(props.waiting).unwrap_or(0), i64::try_from(props.sent).unwrap_or(0));
    html! {
        <form class="event-form" {onsubmit}>
            <label class="field">
                <span>{ format!("Line to {port}") }</span>
                <textarea class="input mono" rows="2" value={(*text).clone()} {oninput} spellcheck="false"
                    placeholder="One line, or several at once" />
            </label>
            <div class="form-end">
                <button type="submit" class="button primary">{ "Send" }</button>
                <button type="button" class="button"
                    onclick={page.on(Action::Ask(Command::Socket(SocketCommand::Close { port })))}>{ "Close" }</button>
                <span class="hint">{ format!("{} sent, {} not read yet", format::plural(sent, "line", "lines"), format::count(waiting)) }</span>
            </div>
        </form>
    }
}
