//! What each partition of a topic holds, has lost, and how far the query has read; retention by hand.

use super::{ask, typed};
use crate::format::{self, plural};
use crate::page::use_page;
use crate::state::App;
use serde_json::Value;
use std::collections::BTreeMap;
use tidemark_protocol::messages::{Before, KafkaCommand, PartitionInfo, TopicInfo};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// How far the shown query has read each partition: the end offsets of its last batch.
pub fn positions(app: &App) -> BTreeMap<(String, usize), i64> {
    let progress = app.shown_query().and_then(|view| view.last()).map(|batch| batch.progress_json.as_str());
    let progress: Value = progress.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let mut found = BTreeMap::new();
    let sources = progress.get("sources").and_then(Value::as_array).into_iter().flatten();
    for topics in sources.filter_map(|source| source.get("endOffset")?.as_object()) {
        for (topic, partitions) in topics {
            for (partition, offset) in partitions.as_object().into_iter().flatten() {
                if let (Ok(partition), Some(offset)) = (partition.parse(), offset.as_i64()) {
                    found.insert((topic.clone(), partition), offset);
                }
            }
        }
    }
    found
}

/// A range of offsets, both ends included: "offset 3", "offsets 3 to 7".
fn range(from: i64, to: i64) -> String {
    if to - from == 1 { format!("offset {from}") } else { format!("offsets {from} to {}", to - 1) }
}

/// A partition in words.
pub fn words(partition: PartitionInfo, read: Option<i64>) -> Vec<String> {
    let PartitionInfo { earliest, latest } = partition;
    let mut words = Vec::new();
    words.push(if latest > earliest {
        format!("{} ({})", plural(latest - earliest, "record", "records"), range(earliest, latest))
    } else {
        "no records".to_owned()
    });
    if earliest > 0 {
        words.push(format!("{} deleted", range(0, earliest)));
    }
    match read {
        Some(read) if read < earliest => {
            words.push(format!("lost: {} went before the query read them", range(read, earliest)));
        }
        Some(read) if read < latest => words.push(format!("{} not read yet", range(read, latest))),
        Some(_) if latest > 0 => words.push("all read".to_owned()),
        _ => {}
    }
    words
}

#[derive(Properties, PartialEq)]
pub struct OffsetsProps {
    pub topic: TopicInfo,
}

#[component]
pub fn Offsets(props: &OffsetsProps) -> Html {
    let page = use_page();
    let topic = &props.topic;
    let read = positions(&page.app);
    html! {
        <ul class="partitions" aria-label={format!("Partitions of {}", topic.name)}>
            { for topic.partitions.iter().enumerate().map(|(number, partition)| {
                let read = read.get(&(topic.name.clone(), number)).copied();
                html! { <Partition key={number} {number} partition={*partition} {read} /> }
            }) }
        </ul>
    }
}

/// What becomes of a topic: retention, more partitions, its end.
#[component]
pub fn Keeping(props: &OffsetsProps) -> Html {
    let page = use_page();
    let topic = &props.topic;
    let total = i32::try_from(topic.partitions.len()).unwrap_or(0) + 1;
    let press = |command: KafkaCommand| {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| ask(&page, command.clone()))
    };
    html! {
        <>
            <Retention topic={topic.clone()} />
            <div class="presets" role="group" aria-label="Topic">
                <button type="button" class="button" onclick={press(KafkaCommand::AddPartitions { name: topic.name.clone(), total })}>
                    { "Add a partition" }</button>
                <button type="button" class="button" onclick={press(KafkaCommand::DeleteTopic { name: topic.name.clone() })}>
                    { "Delete topic" }</button>
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct PartitionProps {
    number: usize,
    partition: PartitionInfo,
    read: Option<i64>,
}

#[component]
fn Partition(props: &PartitionProps) -> Html {
    let PartitionInfo { earliest, latest } = props.partition;
    let read = props.read.unwrap_or(earliest);
    let words = words(props.partition, props.read);
    let lost = props.read.is_some_and(|read| read < earliest);
    let part = |class: &'static str, length: i64| {
        html! { if length > 0 { <i {class} ~style={format!("flex-grow:{length}")}></i> } }
    };
    html! {
        <li class={classes!("partition", lost.then_some("lost"))}>
            <b class="mono">{ props.number }</b>
            <span class="offsets-bar" aria-hidden="true">
                { part("gone", read.min(earliest)) }
                { part("lost", earliest - read) }
                { part("read", read.min(latest) - earliest) }
                { part("waiting", latest - read.max(earliest)) }
            </span>
            <span class="partition-words">{ words.join(" · ") }</span>
        </li>
    }
}

/// Which records a person deletes.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    All,
    Offset,
    Age,
}

const RULES: [(Rule, &str); 3] =
    [(Rule::All, "all records"), (Rule::Offset, "before an offset"), (Rule::Age, "older than, s")];

#[component]
fn Retention(props: &OffsetsProps) -> Html {
    let page = use_page();
    let rule = use_state(|| Rule::All);
    let value = use_state(|| "60".to_owned());
    let partition = use_state(|| None::<i32>);
    let onrule = {
        let rule = rule.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(-1, |select| select.selected_index());
            if let Some((chosen, _)) = usize::try_from(index).ok().and_then(|index| RULES.get(index)) {
                rule.set(*chosen);
            }
        })
    };
    let onpartition = {
        let partition = partition.clone();
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            partition.set((index > 0).then_some(index - 1));
        })
    };
    let onsubmit = {
        let (page, topic, rule, value, partition) =
            (page.clone(), props.topic.name.clone(), *rule, value.clone(), *partition);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let number = value.trim().parse::<f64>().unwrap_or(0.0);
            let now = page.app.clock_ms.unwrap_or(0);
            let before = match rule {
                Rule::All => Before::All,
                Rule::Offset => Before::Offset(number as i64),
                Rule::Age => Before::Time(now - (number * 1000.0) as i64),
            };
            ask(&page, KafkaCommand::DeleteRecords { topic: topic.clone(), partition, before });
        })
    };
    let now = page.app.clock_ms.map(|ms| format::time(ms.saturating_mul(1000))).unwrap_or_default();
    html! {
        <form class="retention" aria-label="Retention" {onsubmit}>
            <span class="hint">{ "Retention: delete" }</span>
            <select aria-label="Which records" onchange={onrule}>
                { for RULES.iter().map(|(other, name)| html! { <option selected={*other == *rule}>{ *name }</option> }) }
            </select>
            if *rule != Rule::All {
                <input class="input mono" type="number" min="0" step="any" value={(*value).clone()} oninput={typed(&value)}
                    aria-label={if *rule == Rule::Age { "Age in seconds" } else { "Offset" }}
                    title={(*rule == Rule::Age).then(|| format!("Against the session's clock, {now}"))} />
            }
            <select aria-label="Of which partition" onchange={onpartition}>
                <option selected={partition.is_none()}>{ "of all partitions" }</option>
                { for (0..props.topic.partitions.len()).map(|number| html! {
                    <option selected={*partition == i32::try_from(number).ok()}>{ format!("of partition {number}") }</option>
                }) }
            </select>
            <button type="submit" class="button" title="Offsets go on; failOnDataLoss decides what a query does about what it has missed">
                { "Delete records" }</button>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_says_what_is_there_what_is_lost_and_what_waits() {
        let partition = |earliest, latest| PartitionInfo { earliest, latest };
        assert_eq!(words(partition(0, 0), None), ["no records"]);
        assert_eq!(words(partition(0, 3), Some(1)), ["3 records (offsets 0 to 2)", "offsets 1 to 2 not read yet"]);
        assert_eq!(words(partition(2, 3), Some(3)), ["1 record (offset 2)", "offsets 0 to 1 deleted", "all read"]);
        let lost = words(partition(4, 6), Some(1));
        assert_eq!(lost[2], "lost: offsets 1 to 3 went before the query read them");
    }
}
