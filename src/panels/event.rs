//! "Add event": a form made from the source's schema, or raw JSON lines; each press writes a new file into the
//! source's folder, which is how events reach a file source.

use super::files_target;
use super::made_up::Recipe;
use crate::event_form::{self, Field, Times};
use crate::format;
use crate::page::use_page;
use crate::state::{Action, QueryView};
use crate::tree;
use std::rc::Rc;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{Generate, MadeUp, SourceInfo};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[component]
pub fn AddEvent() -> Html {
    let page = use_page();
    let mode = use_state(|| Mode::Form);
    let source = page.app.shown_query().and_then(|view| {
        let source = view.info.sources.iter().find(|source| source.folder.is_some())?;
        Some((view.clone(), source.clone()))
    });
    let choose = |other: Mode| {
        let mode = mode.clone();
        Callback::from(move |_: MouseEvent| mode.set(other))
    };
    let is_json = source.as_ref().is_some_and(|(_, source)| source.format == "json");
    let folder = source.as_ref().and_then(|(_, source)| event_form::folder(source));
    let folder = folder.unwrap_or_else(|| files_target(&page.app));
    html! {
        <div class="stack event">
            <p class="caption">
                <span>{ "A new file in " }<b class="mono">{ folder.clone() }</b></span>
            </p>
            if is_json {
                <div class="presets modes" role="group" aria-label="How to add">
                    { for MODES.iter().map(|(other, name)| html! {
                        <button type="button" class="button" aria-pressed={if *other == *mode { "true" } else { "false" }}
                            onclick={choose(*other)}>{ *name }</button>
                    }) }
                </div>
            }
            if let Some((view, source)) = source.filter(|_| is_json && *mode == Mode::Form) {
                <EventFields {view} {source} {folder} />
            } else if is_json && *mode == Mode::MadeUp {
                <MadeUpFiles {folder} />
            } else {
                if page.app.shown_query().is_none() {
                    <p class="hint">{ "Once the script has run, this is a form with the fields of its source." }</p>
                }
                <RawLines {folder} />
            }
        </div>
    }
}

/// How events are added.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Form,
    Raw,
    MadeUp,
}

const MODES: [(Mode, &str); 3] =
    [(Mode::Form, "One event"), (Mode::Raw, "Raw JSON"), (Mode::MadeUp, "Generate events")];

/// Files of made-up events, by the schema of the source.
#[component]
fn MadeUpFiles(props: &RawProps) -> Html {
    let page = use_page();
    let Some(view) = page.app.shown_query() else { return html! {} };
    let times = Times::of(&view.info, &view.batches, page.app.clock_ms.unwrap_or(0));
    let source = view.info.sources.iter().find(|source| source.folder.is_some());
    let columns = source.map(|source| source.schema.clone()).unwrap_or_default();
    let event_time =
        view.info.event_time_column.clone().filter(|name| columns.iter().any(|column| column.name == *name));
    let onmade = {
        let (page, folder) = (page.clone(), props.folder.clone());
        Callback::from(move |(made, files): (MadeUp, u32)| {
            page.act(Action::Say(format!("Made-up events written to {folder}. The next triggers read them.")));
            let (folder, columns, event_time) = (folder.clone(), columns.clone(), event_time.clone());
            page.act(Action::Ask(Command::Generate(Generate { folder, columns, event_time, made, files })));
        })
    };
    html! { <Recipe start_ms={times.on_time_us.div_euclid(1000)} verb="Write" files=true {onmade} /> }
}

#[derive(Properties)]
struct FieldsProps {
    view: QueryView,
    source: SourceInfo,
    folder: String,
}

/// Batches are compared by the pointer of the newest one: they can be large.
impl PartialEq for FieldsProps {
    fn eq(&self, other: &FieldsProps) -> bool {
        let same_batches = self.view.batches.len() == other.view.batches.len()
            && match (self.view.last(), other.view.last()) {
                (Some(one), Some(two)) => Rc::ptr_eq(one, two),
                _ => true,
            };
        same_batches && self.source == other.source && self.folder == other.folder
    }
}

#[component]
fn EventFields(props: &FieldsProps) -> Html {
    let page = use_page();
    let view = &props.view;
    let column = view.info.event_time_column.clone();
    let times = Times::of(&view.info, &view.batches, page.app.clock_ms.unwrap_or(0));
    let written = use_state(|| 0u32);
    let fields = {
        let (schema, batches, column) = (props.source.schema.clone(), view.batches.clone(), column.clone());
        use_state(move || event_form::fields(&schema, &batches, column.as_deref(), times.on_time_us))
    };
    {
        let fields = fields.clone();
        let (schema, batches, column) = (props.source.schema.clone(), view.batches.clone(), column.clone());
        let deps = (batches.last().map(|batch| batch.batch), *written, props.source.schema.clone());
        use_effect_with(deps, move |_| {
            fields.set(event_form::fields(&schema, &batches, column.as_deref(), times.on_time_us));
        });
    }
    let is_time = |field: &Field| Some(&field.column.name) == column.as_ref();
    let set_time = |us: i64| {
        let (fields, column) = (fields.clone(), column.clone());
        Callback::from(move |_: MouseEvent| {
            let mut next = (*fields).clone();
            for field in next.iter_mut().filter(|field| Some(&field.column.name) == column.as_ref()) {
                field.text = format::iso(us);
            }
            fields.set(next);
        })
    };
    let oninput = |at: usize| {
        let fields = fields.clone();
        Callback::from(move |event: InputEvent| {
            let text = event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value());
            let mut next = (*fields).clone();
            if let Some(field) = next.get_mut(at) {
                field.text = text;
            }
            fields.set(next);
        })
    };
    let onsubmit = {
        let (page, folder, fields, written) = (page.clone(), props.folder.clone(), fields.clone(), written.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let path = tree::unused(&page.app.files, &folder, "event", "json");
            let content = format!("{}\n", event_form::line(&fields)).into_bytes();
            page.act(Action::Say(format!("Written to {path}. The next trigger reads it.")));
            page.act(Action::Ask(Command::WriteFile { path, content }));
            written.set(*written + 1);
        })
    };
    html! {
        <form class="event-form" {onsubmit}>
            <div class="fields">
                { for fields.iter().enumerate().map(|(at, field)| html! {
                    <label class="field" key={field.column.name.clone()}>
                        <span>{ &field.column.name }<small>{ &field.column.data_type }</small></span>
                        <input class={classes!("input", "mono", is_time(field).then_some("time"))} spellcheck="false"
                            value={field.text.clone()} oninput={oninput(at)} placeholder="null" />
                    </label>
                }) }
            </div>
            if column.is_some() {
                <div class="presets" role="group" aria-label="Event time">
                    <span class="hint">{ "Event time" }</span>
                    <button type="button" class="button" onclick={set_time(times.on_time_us)}>{ "On time" }</button>
                    if let Some(us) = times.closing_us {
                        <button type="button" class="button" onclick={set_time(us)}
                            title="Moves the watermark to the end of the first open window">{ "Close a window" }</button>
                    }
                    if let Some(us) = times.late_us {
                        <button type="button" class="button" onclick={set_time(us)}
                            title="Behind the late-row watermark by more than a window: the next batch drops it">{ "Late" }</button>
                    }
                </div>
            }
            <div class="form-end">
                <button type="submit" class="button primary">{ "Add event" }</button>
                <span class="hint">{ match *written {
                    0 => "An empty field becomes null.".to_owned(),
                    count => format!("{} written; the next trigger reads them.", format::plural(i64::from(count), "file", "files")),
                } }</span>
            </div>
        </form>
    }
}

#[derive(Properties, PartialEq)]
struct RawProps {
    folder: String,
}

#[component]
fn RawLines(props: &RawProps) -> Html {
    let page = use_page();
    let text = use_state(String::new);
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_dyn_into::<HtmlTextAreaElement>().map_or_else(String::new, |area| area.value()));
        })
    };
    let onsubmit = {
        let (page, folder, text) = (page.clone(), props.folder.clone(), text.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if text.trim().is_empty() {
                return;
            }
            let path = tree::unused(&page.app.files, &folder, "event", "json");
            let content = format!("{}\n", text.trim_end()).into_bytes();
            page.act(Action::Say(format!("Written to {path}. The next trigger reads it.")));
            page.act(Action::Ask(Command::WriteFile { path, content }));
            text.set(String::new());
        })
    };
    let bad = event_form::malformed(&text);
    html! {
        <form class="event-form" {onsubmit}>
            <textarea class="input mono" rows="5" spellcheck="false" aria-label="JSON lines" value={(*text).clone()} {oninput}
                placeholder="One JSON object a line" />
            if let Some(first) = bad.first() {
                <p class="hint warn">{ format!("Line {first} is no JSON object: the reader takes it as malformed.") }</p>
            }
            <div class="form-end"><button type="submit" class="button primary">{ "Add lines" }</button></div>
        </form>
    }
}
