//! The session's Kafka broker by hand: topics, one message, made-up ones, retention, and what lies in a topic.

pub mod offsets;

use self::offsets::{Keeping, Offsets};
use super::made_up::Recipe;
use crate::format;
use crate::page::{Page, use_page};
use crate::state::Action;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{KafkaCommand, KafkaMessage, KafkaRecord, MadeUp, TopicInfo};
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Records that are shown of a topic.
const SHOWN: usize = 20;

fn ask(page: &Page, command: KafkaCommand) {
    page.act(Action::Ask(Command::Kafka(command)));
}

/// A text field's state and what keeps it.
fn typed(state: &UseStateHandle<String>) -> Callback<InputEvent> {
    let state = state.clone();
    Callback::from(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value());
        let area = event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value());
        state.set(input.or(area).unwrap_or_default());
    })
}

/// `a: 1, b: 2` as pairs.
fn headers(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once([':', '=']));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

#[component]
pub fn KafkaPanel() -> Html {
    let page = use_page();
    let topics = page.app.topics.clone();
    let chosen = use_state(String::new);
    let topic = topics.iter().find(|topic| topic.name == **chosen).or_else(|| topics.first()).cloned();
    let onchange = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let name = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
            chosen.set(name.unwrap_or_default());
        })
    };
    let adding = use_state(|| false);
    let toggle = {
        let adding = adding.clone();
        Callback::from(move |_: MouseEvent| adding.set(!*adding))
    };
    let oncreated = {
        let (chosen, adding) = (chosen.clone(), adding.clone());
        Callback::from(move |name: String| {
            chosen.set(name);
            adding.set(false);
        })
    };
    html! {
        <div class="stack event">
            <p class="caption"><span>{ "Any " }<b class="mono">{ "kafka.bootstrap.servers" }</b>{ " leads to this broker" }</span></p>
            if let Some(topic) = topic {
                <div class="event-form">
                    <div class="topic-row">
                        <label class="field">
                            <span>{ "Topic" }</span>
                            <select class="input" {onchange}>
                                { for topics.iter().map(|other| html! {
                                    <option value={other.name.clone()} selected={other.name == topic.name}>{ &other.name }</option>
                                }) }
                            </select>
                        </label>
                        <button type="button" class="button" aria-expanded={if *adding { "true" } else { "false" }}
                            onclick={toggle}>{ "New topic" }</button>
                    </div>
                </div>
                if *adding { <NewTopic {oncreated} /> }
                <div class="event-form"><Offsets topic={topic.clone()} /></div>
                <Produce topic={topic.clone()} />
                <MadeUpMessages topic={topic.name.clone()} />
                <Records topic={topic.name.clone()} />
                <div class="event-form"><Keeping topic={topic.clone()} /></div>
            } else {
                <p class="hint">{ "No topics yet. Make the one that the script subscribes to." }</p>
                <NewTopic {oncreated} />
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct NewTopicProps {
    oncreated: Callback<String>,
}

#[component]
fn NewTopic(props: &NewTopicProps) -> Html {
    let page = use_page();
    let name = use_state(|| "orders".to_owned());
    let partitions = use_state(|| "1".to_owned());
    let onsubmit = {
        let (page, name, partitions, created) =
            (page.clone(), name.clone(), partitions.clone(), props.oncreated.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let partitions = partitions.trim().parse().unwrap_or(0);
            ask(&page, KafkaCommand::CreateTopic { name: name.trim().to_owned(), partitions });
            created.emit(name.trim().to_owned());
        })
    };
    html! {
        <form class="event-form" {onsubmit}>
            <label class="field">
                <span>{ "Name" }</span>
                <input class="input mono" value={(*name).clone()} oninput={typed(&name)} required=true spellcheck="false" />
            </label>
            <label class="field">
                <span>{ "Partitions" }</span>
                <input class="input mono" type="number" min="1" max="1000" value={(*partitions).clone()} oninput={typed(&partitions)} />
            </label>
            <div class="form-end"><button type="submit" class="button">{ "Create topic" }</button></div>
        </form>
    }
}

#[derive(Properties, PartialEq)]
struct TopicProps {
    topic: TopicInfo,
}

#[component]
fn Produce(props: &TopicProps) -> Html {
    let page = use_page();
    let (key, value, partition, header) =
        (use_state(String::new), use_state(String::new), use_state(String::new), use_state(String::new));
    let onsubmit = {
        let (page, topic) = (page.clone(), props.topic.name.clone());
        let (key, value, partition, header) = (key.clone(), value.clone(), partition.clone(), header.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let message = KafkaMessage {
                key: (!key.is_empty()).then(|| (*key).clone()),
                value: Some((*value).clone()),
                partition: partition.trim().parse().ok(),
                headers: headers(&header),
                timestamp_ms: None,
            };
            page.act(Action::Say(format!("Sent to {topic}. The next trigger reads it.")));
            ask(&page, KafkaCommand::Produce { topic: topic.clone(), message });
            value.set(String::new());
        })
    };
    html! {
        <form class="event-form" {onsubmit}>
            <div class="fields">
                <label class="field">
                    <span>{ "Key" }</span>
                    <input class="input mono" value={(*key).clone()} oninput={typed(&key)} placeholder="null" spellcheck="false" />
                </label>
                <label class="field">
                    <span>{ "Partition" }</span>
                    <input class="input mono" value={(*partition).clone()} oninput={typed(&partition)} inputmode="numeric"
                        placeholder="by the key, or in turn" />
                </label>
            </div>
            <label class="field">
                <span>{ "Value" }</span>
                <textarea class="input mono" rows="3" value={(*value).clone()} oninput={typed(&value)} spellcheck="false" />
            </label>
            <label class="field">
                <span>{ "Headers" }</span>
                <input class="input mono" value={(*header).clone()} oninput={typed(&header)} placeholder="source: web, trace: 1" spellcheck="false" />
            </label>
            <div class="form-end">
                <button type="submit" class="button primary">{ "Send" }</button>
            </div>
        </form>
    }
}

/// Purchases as JSON (event_time, user, action, amount), keyed by user, from a recipe.
#[component]
fn MadeUpMessages(props: &RecordsProps) -> Html {
    let page = use_page();
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let onmade = {
        let (page, topic) = (page.clone(), props.topic.clone());
        Callback::from(move |(made, _): (MadeUp, u32)| {
            page.act(Action::Say(format!("{} made-up messages sent to {topic}.", made.count)));
            ask(&page, KafkaCommand::Generate { topic: topic.clone(), made });
        })
    };
    html! {
        <>
            <p class="caption">
                <button type="button" class="link" aria-expanded={if *open { "true" } else { "false" }} onclick={toggle}>
                    { if *open { "▾ Made-up messages" } else { "▸ Made-up messages" } }
                </button>
                <span class="hint">{ "purchases as JSON, keyed by user" }</span>
            </p>
            if *open {
                <Recipe start_ms={page.app.clock_ms.unwrap_or(0)} verb="Send" {onmade} />
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct RecordsProps {
    topic: String,
}

#[component]
fn Records(props: &RecordsProps) -> Html {
    let page = use_page();
    let topic = props.topic.clone();
    let read = Command::Kafka(KafkaCommand::Read { topic: topic.clone(), limit: SHOWN });
    let shown = page.app.records.clone();
    let text = |text: &Option<String>| match text {
        Some(text) => html! { <td>{ text }</td> },
        None => html! { <td class="null">{ "null" }</td> },
    };
    let row = |record: &KafkaRecord| {
        let header =
            |(name, value): &(String, Option<String>)| format!("{name}: {}", value.as_deref().unwrap_or("null"));
        let headers: Vec<String> = record.headers.iter().map(header).collect();
        html! {
            <tr key={format!("{}-{}", record.partition, record.offset)}>
                <td class="num">{ record.partition }</td>
                <td class="num">{ record.offset }</td>
                <td>{ format::date_time(record.timestamp_ms.saturating_mul(1000)) }</td>
                { text(&record.key) }
                { text(&record.value) }
                <td>{ headers.join(", ") }</td>
            </tr>
        }
    };
    html! {
        <div class="stack-part">
            <p class="caption">
                <button type="button" class="button" onclick={page.on(Action::Ask(read))}>{ "Show newest records" }</button>
            </p>
            if shown.0 == topic {
                if shown.1.is_empty() {
                    <p class="hint">{ "No records: send one above." }</p>
                } else {
                    <div class="table-scroll records" tabindex="0" role="region" aria-label={format!("Newest records of {topic}")}>
                        <table class="grid">
                            <thead><tr>
                                { for ["Partition", "Offset", "Timestamp", "Key", "Value", "Headers"].iter().map(|name| html! {
                                    <th scope="col">{ *name }</th>
                                }) }
                            </tr></thead>
                            <tbody class="mono">{ for shown.1.iter().map(row) }</tbody>
                        </table>
                    </div>
                }
            }
        </div>
    }
}
