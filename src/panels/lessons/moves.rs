//! What a lesson has a person do: buttons to press in the toolbar, and files, messages and changes that one click brings.

use super::{on, text};
use crate::keys::{self, Key};
use crate::page::{Page, use_page};
use crate::state::{App, LessonsAction};
use crate::ui::{Glyph, Icon};
use tidemark_lessons::{Edit, Move, Part, Press};
use tidemark_protocol::messages::CrashPoint;
use tidemark_protocol::workbench::CWD;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PartsProps {
    pub parts: &'static [Part],
    /// The lesson is what the workspace was laid from.
    pub laid: bool,
}

#[component]
pub fn Parts(props: &PartsProps) -> Html {
    let page = use_page();
    let one = |part: &Part| match part {
        Part::Text(block) => text::block(block),
        Part::Move(Move::Press(press)) => pressed(*press),
        Part::Move(other) => card(&page, other, props.laid),
    };
    props.parts.iter().map(one).collect()
}

fn pressed(press: Press) -> Html {
    let (name, key, more) = match press {
        Press::Run => ("Run", Some(Key::Run), String::new()),
        Press::Step(1) => ("Step", Some(Key::Step), String::new()),
        Press::Step(times) => ("Step", Some(Key::Step), format!(" {times} times")),
        Press::Stop => ("Stop", Some(Key::Stop), String::new()),
        Press::Restart => ("Restart", Some(Key::Restart), String::new()),
        Press::Load => ("Load again", None, " above".to_owned()),
        Press::Crash(point) => {
            let item = match point {
                None => "Now",
                Some(CrashPoint::OffsetsWritten) => "Offsets written",
                Some(CrashPoint::SinkDone) => "Sink done",
                Some(CrashPoint::CommitWritten) => "Commit written",
            };
            ("Crash", Some(Key::Crash), format!(", then “{item}”"))
        }
    };
    html! {
        <p class="press">
            <span>{ "Press " }<b>{ name }</b>{ more }</span>
            if let Some(key) = key { <kbd>{ keys::shown(key) }</kbd> }
        </p>
    }
}

fn card(page: &Page, one: &Move, laid: bool) -> Html {
    let (head, body, verb) = match one {
        Move::File(file) => {
            let head = html! { <code>{ &file.path }</code> };
            (head, lines(&String::from_utf8_lossy(&file.content)), "Add this file")
        }
        Move::Message(sent) => {
            let key = sent.message.key.as_ref().map(|key| format!(", key {key}")).unwrap_or_default();
            let head = html! { <span>{ "topic " }<code>{ &sent.topic }</code>{ key }</span> };
            (head, lines(sent.message.value.as_deref().unwrap_or_default()), "Send this message")
        }
        Move::Edit(edit) => (html! { <span>{ "In the script" }</span> }, change(edit), "Make this change"),
        Move::Script(script) => (html! { <span>{ "The script" }</span> }, lines(script), "Put it into the editor"),
        Move::Press(_) => return html! {},
    };
    let done = is_done(&page.app, one);
    let tip = (!laid).then_some("Load the lesson first");
    html! {
        <figure class="move">
            <figcaption>
                { head }
                if done { <span class="mark yes"><Icon glyph={Glyph::Check} />{ "done" }</span> }
                <button type="button" class="link" disabled={!laid} title={tip} onclick={on(page, LessonsAction::Do(one.clone()))}>
                    { verb }
                </button>
            </figcaption>
            <pre tabindex="0">{ body }</pre>
        </figure>
    }
}

fn lines(text: &str) -> Html {
    html! { { text.trim_end() } }
}

fn change(edit: &Edit) -> Html {
    let side = |sign: &'static str, text: &str| -> Html {
        let text: String = text.lines().map(|line| format!("{sign} {line}\n")).collect();
        if sign == "-" {
            html! { <del>{ text }</del> }
        } else {
            html! { <ins>{ text }</ins> }
        }
    };
    html! { <>{ side("-", &edit.from) }{ side("+", &edit.to) }</> }
}

/// Whether the workspace has it already. A message may be sent as often as one likes.
fn is_done(app: &App, one: &Move) -> bool {
    match one {
        Move::File(file) => {
            let path = format!("{CWD}/{}", file.path);
            app.files.iter().any(|entry| entry.path == path && entry.len == file.content.len() as u64)
        }
        Move::Edit(edit) => app.script.contains(&edit.to) && !app.script.contains(&edit.from),
        Move::Script(script) => **script == *app.script,
        Move::Message(_) | Move::Press(_) => false,
    }
}
