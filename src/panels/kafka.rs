//! The session's Kafka broker by hand: topics, one message, made-up ones, and what lies in a topic.

use crate::format;
use crate::page::{Page, use_page};
use crate::state::Action;
use tidemark_protocol::Command;
use tidemark_protocol::messages::{KafkaCommand, KafkaMessage, KafkaRecord, TopicInfo};
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Made-up messages of one press.
const GENERATED: u32 = 10;
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
    let oncreated = {
        let chosen = chosen.clone();
        Callback::from(move |name: String| chosen.set(name))
    };
    html! {
        <div class="stack event">
            <p class="caption"><span>{ "Any " }<b class="mono">{ "kafka.bootstrap.servers" }</b>{ " leads to this broker" }</span></p>
            <NewTopic {oncreated} />
            if let Some(topic) = topic {
                <div class="event-form">
                    <label class="field">
                        <span>{ "Topic" }</span>
                        <select class="input" {onchange}>
                            { for topics.iter().map(|other| html! {
                                <option value={other.name.clone()} selected={other.name == topic.name}>{ &other.name }</option>
                            }) }
                        </select>
                    </label>
                    <Offsets topic={topic.clone()} />
                </div>
                <Produce topic={topic.clone()} />
                <Records topic={topic.name.clone()} />
            } else {
                <p class="hint">{ "No topics yet. Make the one that the script subscribes to." }</p>
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
                <span>{ "New topic" }</span>
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

/// What each partition holds, and what can be done to the topic as a whole.
#[component]
fn Offsets(props: &TopicProps) -> Html {
    let page = use_page();
    let topic = &props.topic;
    let total = i32::try_from(topic.partitions.len()).unwrap_or(0) + 1;
    let press = |command: KafkaCommand| page.on(Action::Ask(Command::Kafka(command)));
    html! {
        <>
            <ul class="hint mono records" aria-label={format!("Partitions of {}", topic.name)}>
                { for topic.partitions.iter().enumerate().map(|(number, partition)| html! {
                    <li key={number}>{ format!("{number}: offsets {} to {}", partition.earliest, partition.latest) }</li>
                }) }
            </ul>
            <div class="presets" role="group" aria-label="Topic">
                <button type="button" class="button" onclick={press(KafkaCommand::AddPartitions { name: topic.name.clone(), total })}>
                    { "Add a partition" }</button>
                <button type="button" class="button" title="As a retention would: offsets go on, failOnDataLoss decides"
                    onclick={press(KafkaCommand::DeleteRecords { topic: topic.name.clone() })}>{ "Delete records" }</button>
                <button type="button" class="button" onclick={press(KafkaCommand::DeleteTopic { name: topic.name.clone() })}>
                    { "Delete topic" }</button>
            </div>
        </>
    }
}

#[component]
fn Produce(props: &TopicProps) -> Html {
    let page = use_page();
    let (key, value, partition, header) =
        (use_state(String::new), use_state(String::new), use_state(String::new), use_state(String::new));
    let seed = use_state(|| 1u64);
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
    let generate = {
        let (page, topic, seed) = (page.clone(), props.topic.name.clone(), seed.clone());
        Callback::from(move |_: MouseEvent| {
            page.act(Action::Say(format!("{GENERATED} made-up messages sent to {topic}.")));
            ask(&page, KafkaCommand::Generate { topic: topic.clone(), seed: *seed, count: GENERATED });
            seed.set(*seed + 1);
        })
    };
    html! {
        <form class="event-form" {onsubmit}>
            <label class="field">
                <span>{ "Key" }</span>
                <input class="input mono" value={(*key).clone()} oninput={typed(&key)} placeholder="null" spellcheck="false" />
            </label>
            <label class="field">
                <span>{ "Value" }</span>
                <textarea class="input mono" rows="3" value={(*value).clone()} oninput={typed(&value)} spellcheck="false" />
            </label>
            <label class="field">
                <span>{ "Partition" }</span>
                <input class="input mono" value={(*partition).clone()} oninput={typed(&partition)} inputmode="numeric"
                    placeholder="by the key, or in turn" />
            </label>
            <label class="field">
                <span>{ "Headers" }</span>
                <input class="input mono" value={(*header).clone()} oninput={typed(&header)} placeholder="source: web, trace: 1" spellcheck="false" />
            </label>
            <div class="form-end">
                <button type="submit" class="button primary">{ "Send" }</button>
                <button type="button" class="button" onclick={generate}
                    title="Purchases as JSON (event_time, user, action, amount), keyed by user; one in ten is minutes late">
                    { format!("Send {GENERATED} made-up") }</button>
            </div>
        </form>
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
    let row = |record: &KafkaRecord| {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "null".to_owned());
        let headers: Vec<String> =
            record.headers.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect();
        html! {
            <li key={format!("{}-{}", record.partition, record.offset)} title={headers.join(", ")}>
                { format!("{}-{} {} {} {}", record.partition, record.offset,
                    format::time(record.timestamp_ms.saturating_mul(1000)), text(&record.key), text(&record.value)) }
            </li>
        }
    };
    html! {
        <div class="event-form">
            <div class="form-end">
                <button type="button" class="button" onclick={page.on(Action::Ask(read))}>{ "Show newest records" }</button>
            </div>
            if shown.0 == topic {
                if shown.1.is_empty() {
                    <p class="hint">{ "No records." }</p>
                } else {
                    <ul class="hint mono records" aria-label={format!("Newest records of {topic}")}>{ for shown.1.iter().map(row) }</ul>
                }
            }
        </div>
    }
}
