//! The story of a row in words: what happened, with the comparison spelled out, and what is still needed.

use crate::format::{date_time, plural, span, time};
use tidemark_protocol::messages::{
    DroppedEvent, Entry, Fact, Made, Need, OperatorReport, Outcome, Place, QueryInfo, Step, Story,
};

/// Which sign stands before a step; each has a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Went,
    Dropped,
    Waits,
    Out,
    Unknown,
}

impl Sign {
    pub fn class(self) -> &'static str {
        match self {
            Sign::Went => "went",
            Sign::Dropped => "dropped",
            Sign::Waits => "waits",
            Sign::Out => "out",
            Sign::Unknown => "unknown",
        }
    }
}

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Batch(i64),
    Output { batch: i64, row: u64 },
    State { operator: usize },
}

/// One step as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub sign: Sign,
    pub batch: i64,
    pub depth: u8,
    pub title: String,
    pub details: Vec<String>,
    pub link: Option<Link>,
}

/// How it stands with a row, in a few words.
pub fn headline(outcome: Outcome) -> (Sign, &'static str) {
    match outcome {
        Outcome::Out => (Sign::Out, "Came out"),
        Outcome::Waiting => (Sign::Waits, "Waits in the state"),
        Outcome::Held => (Sign::Waits, "Held in the state"),
        Outcome::Dropped => (Sign::Dropped, "Dropped as late"),
        Outcome::PartlyDropped => (Sign::Dropped, "Late for one, kept for another"),
        Outcome::Filtered => (Sign::Dropped, "Filtered out"),
        Outcome::Duplicate => (Sign::Dropped, "Dropped as a duplicate"),
        Outcome::Gone => (Sign::Dropped, "Gone without a row"),
        Outcome::Unknown => (Sign::Unknown, "Not followed to the end"),
    }
}

pub fn lines(story: &Story, info: &QueryInfo) -> Vec<Line> {
    story.steps.iter().map(|step| line(step, info)).collect()
}

/// "late.json, row 2".
pub fn place(place: &Place) -> String {
    match place {
        // A report of an earlier load knows the file only.
        Place::File { name, row: 0 } => name.clone(),
        Place::File { name, row } => format!("{name}, row {row}"),
        Place::Kafka { topic, partition, offset } => format!("topic {topic}, partition {partition}, offset {offset}"),
        Place::Row { row } => format!("row {row} of the batch"),
    }
}

/// What people call an operator that Spark's reports name.
pub fn operator(name: &str) -> &str {
    match name {
        "stateStoreSave" => "the aggregation",
        "dedupe" => "dropDuplicates",
        "dedupeWithinWatermark" => "dropDuplicatesWithinWatermark",
        "symmetricHashJoin" => "the stream-stream join",
        "globalLimit" => "the limit",
        other if other.starts_with("sessionWindow") => "the session aggregation",
        other if other.starts_with("transformWithState") => "transformWithState",
        other => other,
    }
}

/// "10:00:00 – 10:01:00".
pub fn window((start_us, end_us): (i64, i64)) -> String {
    format!("{} – {}", time(start_us), time(end_us))
}

fn key(entry: &Entry) -> String {
    let columns = entry.key.iter().filter(|(name, _)| entry.window.is_none() || !name.contains("window"));
    let shown: Vec<String> =
        columns.map(|(name, value)| format!("{name} = {}", value.as_deref().unwrap_or("null"))).collect();
    match (entry.window, shown.is_empty()) {
        (Some(bounds), true) => format!("Window {}", window(bounds)),
        (Some(bounds), false) => format!("Window {}, {}", window(bounds), shown.join(", ")),
        (None, true) => "Without a key: all rows are one group".to_owned(),
        (None, false) => format!("Key {}", shown.join(", ")),
    }
}

/// "in source 0 (json in/)".
fn sources(need: &Need, info: &QueryInfo) -> String {
    let name = |at: &usize| match info.sources.get(*at) {
        Some(source) => match &source.folder {
            Some(folder) => format!("source {at} ({} folder {})", source.format, short(folder)),
            None => format!("source {at} ({})", source.format),
        },
        None => format!("source {at}"),
    };
    let names: Vec<String> = need.sources.iter().map(name).collect();
    names.join(" or ")
}

fn short(folder: &str) -> &str {
    folder.strip_prefix("/workspace/").unwrap_or(folder)
}

fn at_ms(ms: i64) -> String {
    if ms == 0 { "not set yet".to_owned() } else { time(ms.saturating_mul(1000)) }
}

fn line(step: &Step, info: &QueryInfo) -> Line {
    let batch = step.batch;
    let mut made =
        Line { sign: Sign::Went, batch, depth: step.depth, title: String::new(), details: Vec::new(), link: None };
    let mut say = |sign: Sign, title: String, details: Vec<String>| {
        (made.sign, made.title, made.details) = (sign, title, details);
    };
    match &step.fact {
        Fact::Read { place: at, source } => {
            let from = info.sources.get(*source).map_or_else(String::new, |found| format!(" · {}", found.description));
            say(Sign::Went, format!("Read by batch {batch}"), vec![format!("{} · source {source}{from}", place(at))]);
            made.link = Some(Link::Batch(batch));
        }
        Fact::Filter { condition, kept: true } => {
            say(Sign::Went, "Passed the filter".to_owned(), vec![condition.clone()]);
        }
        Fact::Filter { condition, kept: false } => say(
            Sign::Dropped,
            "Removed by the filter".to_owned(),
            vec![format!("Did not hold: {condition}"), "A filter's rows do not count as dropped.".to_owned()],
        ),
        Fact::Joined { rows: 0 } => {
            say(Sign::Dropped, "Nothing was left of it: no row to join, or nothing to expand".to_owned(), Vec::new());
        }
        Fact::Joined { rows } => {
            let rows = plural(*rows as i64, "row", "rows");
            say(Sign::Went, format!("Joined with rows that are no stream: {rows} of it"), Vec::new());
        }
        Fact::Met { entry, side, time_us, late_watermark_ms } => {
            let side = side.as_ref().map(|side| format!(", {side} side")).unwrap_or_default();
            let mut details = vec![format!("{} · partition {}", key(entry), entry.partition)];
            details.extend(on_time(entry, *time_us, *late_watermark_ms));
            let name = operator(&entry.name);
            say(Sign::Went, format!("Came to {name} (operator {}{side})", entry.operator), details);
            made.link = Some(Link::State { operator: entry.operator });
        }
        Fact::Late { boundary_us, watermark_us, window } => {
            let what = if *window { "Its window's end" } else { "Its event time" };
            let (late, note) = match watermark_us.saturating_sub(*boundary_us) {
                0 => ("Dropped: exactly at the watermark".to_owned(), " A time equal to the watermark is late."),
                by => (format!("Dropped: late by {}", span(by)), ""),
            };
            say(
                Sign::Dropped,
                late,
                vec![
                    format!("{} <= {}", time(*boundary_us), time(*watermark_us)),
                    format!(
                        "{what} had been passed by the late-row watermark: the one of the batch before batch {batch}.{note}"
                    ),
                ],
            );
        }
        Fact::Stored => say(Sign::Went, "Kept in the state".to_owned(), Vec::new()),
        Fact::Merged { window: bounds } => {
            say(Sign::Went, format!("Its session reaches over {} now", window(*bounds)), Vec::new());
        }
        Fact::Duplicate => say(
            Sign::Dropped,
            "A duplicate: a row with this key had come before".to_owned(),
            vec!["Spark counts it under numDroppedDuplicateRows, not as dropped by the watermark.".to_owned()],
        ),
        Fact::First => say(Sign::Went, "The first row with this key: it goes on".to_owned(), Vec::new()),
        Fact::Matched { partner } => {
            say(Sign::Went, format!("Found a partner in batch {batch}"), partner.iter().cloned().collect());
        }
        Fact::NullRow => {
            say(Sign::Went, format!("Came out with nulls in batch {batch}: no partner can come any more"), Vec::new());
        }
        Fact::NotKept => say(Sign::Went, "Not kept for later rows: it needs no further partner".to_owned(), Vec::new()),
        Fact::Called { rows } => {
            let gave = rows.map(|rows| format!("It gave {}.", plural(rows as i64, "row", "rows")));
            say(
                Sign::Went,
                "Given to the script's function with the other rows of its key".to_owned(),
                gave.into_iter().collect(),
            );
        }
        Fact::TimedOut { rows } => {
            let gave = rows.map(|rows| format!("It gave {}.", plural(rows as i64, "row", "rows")));
            say(Sign::Went, "The function was called for the key's timeout".to_owned(), gave.into_iter().collect());
        }
        Fact::OverLimit { limit } => {
            say(Sign::Dropped, format!("Left out: the limit of {limit} was reached before it"), Vec::new());
        }
        Fact::Emitted { watermark_ms: Some(ms) } => say(
            Sign::Went,
            "Finished: what the state had of it came out".to_owned(),
            vec![format!("In batch {batch}, whose eviction watermark is {}.", at_ms(*ms))],
        ),
        Fact::Emitted { watermark_ms: None } => {
            say(Sign::Went, format!("Its group came out as it stood in batch {batch}"), Vec::new());
        }
        Fact::Out { row: Some(row) } => {
            say(Sign::Out, format!("Row {} of the output of batch {batch}", row + 1), Vec::new());
            made.link = Some(Link::Output { batch, row: *row });
        }
        Fact::Out { row: None } => say(
            Sign::Out,
            format!("In the output of batch {batch}"),
            vec!["Which row it is cannot be told from others like it.".to_owned()],
        ),
        Fact::Removed { watermark_ms } => {
            let at = watermark_ms.map(|ms| format!("The eviction watermark had reached {}.", at_ms(ms)));
            say(Sign::Went, "Left the state; nothing comes out for that".to_owned(), at.into_iter().collect());
        }
        Fact::ByScript => say(
            Sign::Waits,
            "Its key is in the hands of the script's function".to_owned(),
            vec!["What the function keeps of it, and when it goes, is its own.".to_owned()],
        ),
        Fact::Waiting { .. } => {
            let (title, details) = waiting(&step.fact, info);
            say(Sign::Waits, title, details);
        }
        Fact::Unknown { reason } => {
            say(Sign::Unknown, "Not followed any further".to_owned(), vec![reason.clone()]);
        }
    }
    made
}

/// The comparison of a row that is not late.
fn on_time(entry: &Entry, time_us: Option<i64>, watermark_ms: Option<i64>) -> Option<String> {
    let ms = watermark_ms?;
    let Some(us) = time_us else { return Some("No event time: never late".to_owned()) };
    if ms == 0 {
        return Some("No watermark yet: nothing is late".to_owned());
    }
    let watermark_us = ms.saturating_mul(1000);
    let what = if entry.window.is_some() { "window's end" } else { "event time" };
    (us > watermark_us).then(|| format!("On time: {what} {} > late-row watermark {}", time(us), time(watermark_us)))
}

/// What a row of state waits for: a title, and what is needed.
pub fn waiting(fact: &Fact, info: &QueryInfo) -> (String, Vec<String>) {
    if *fact == Fact::ByScript {
        return ("The script's function decides when it goes".to_owned(), Vec::new());
    }
    let Fact::Waiting { due_ms, by_clock, watermark_ms, behind_ms, emits, needs, any, next_trigger } = fact else {
        return (String::new(), Vec::new());
    };
    let what = if *emits { "Comes out" } else { "Leaves the state" };
    let Some(due) = due_ms else {
        let title = if *emits {
            "Stays in the state: no watermark will ever finish it"
        } else {
            "Stays in the state for ever: nothing removes it"
        };
        return (title.to_owned(), Vec::new());
    };
    if *by_clock {
        return (format!("Its timeout comes when the session's clock has passed {}", at_ms(*due)), Vec::new());
    }
    if *next_trigger {
        let details = vec![format!("The watermark is {}.", at_ms(*watermark_ms))];
        return (format!("{what} in the next trigger: the watermark has reached {}", at_ms(*due)), details);
    }
    let mut details = vec![format!("Now it is {}.", at_ms(*watermark_ms))];
    if *behind_ms != 0 {
        let by = span(behind_ms.saturating_mul(1000));
        details.push(format!("This operator's watermark is {by} behind the query's: its rows can match that long."));
    }
    let needed = |need: &Need| {
        let delay = span(need.delay_ms.saturating_mul(1000));
        format!("an event at or after {} in {} (delay {delay})", time(need.at_us), sources(need, info))
    };
    let list: Vec<String> = needs.iter().map(needed).collect();
    if !list.is_empty() {
        details.push(format!("Needs {}.", list.join(if *any { ", or " } else { ", and " })));
        details.push("That batch moves the watermark; the batch after it finishes the row.".to_owned());
    }
    (format!("{what} once the watermark reaches {}", at_ms(*due)), details)
}

/// A row of the tray that an operator made: "window 10:00:00 – 10:01:00 of the aggregation, 3 events".
pub fn made(made: &Made) -> String {
    let of = operator(&made.entry.name);
    let events = match made.events {
        0 => String::new(),
        events => format!(", {}", plural(events as i64, "event", "events")),
    };
    format!("{} of {of}{events}", key(&made.entry))
}

/// Whether a function of the script makes the operator's rows.
pub fn is_by_script(operator: &str) -> bool {
    operator == "applyInPandasWithState" || operator.starts_with("transformWithState")
}

/// One sentence where Spark's count and the rows that it stands for differ.
pub fn counted(operator: &OperatorReport) -> Option<String> {
    let rows = operator.input_rows_dropped?;
    (rows != operator.rows_dropped).then(|| {
        format!(
            "Spark counts {} after partial aggregation: late rows of one key and partition are one there. {} of the input {} dropped.",
            operator.rows_dropped,
            plural(rows, "row", "rows"),
            if rows == 1 { "was" } else { "were" }
        )
    })
}

/// The tray as JSON lines.
pub fn json_lines(rows: &[DroppedEvent]) -> String {
    let line = |dropped: &DroppedEvent| {
        let row: serde_json::Value =
            serde_json::from_str(&dropped.event.row).unwrap_or_else(|_| dropped.event.row.clone().into());
        let bounds =
            dropped.window.map(|(start, end)| serde_json::json!({ "start": date_time(start), "end": date_time(end) }));
        let of = dropped.made.as_ref().map(|made| {
            let key: serde_json::Map<String, serde_json::Value> =
                made.entry.key.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
            serde_json::json!({ "operator": made.entry.operator, "key": key, "events": made.events })
        });
        let made = serde_json::json!({
            "batch": dropped.batch,
            "read_in_batch": dropped.event.batch,
            "made_by": of,
            "arrival": dropped.event.arrival,
            "place": place(&dropped.event.place),
            "event_time": dropped.event.event_time_us.map(date_time),
            "operator": dropped.operator,
            "operator_name": dropped.operator_name,
            "window": bounds,
            "boundary": date_time(dropped.boundary_us),
            "late_row_watermark": date_time(dropped.watermark_us),
            "late_by_ms": dropped.watermark_us.saturating_sub(dropped.boundary_us).div_euclid(1000),
            "row": row,
        });
        format!("{made}\n")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemark_protocol::messages::{EventRef, SourceInfo};

    const TEN: i64 = 1_771_063_200_000_000;

    fn info() -> QueryInfo {
        let source = SourceInfo {
            description: "FileStreamSource[file:/workspace/in]".to_owned(),
            folder: Some("/workspace/in".to_owned()),
            format: "json".to_owned(),
            schema: Vec::new(),
        };
        QueryInfo {
            id: "q".to_owned(),
            run_id: "r".to_owned(),
            name: None,
            output_mode: "append".to_owned(),
            trigger: String::new(),
            sink: String::new(),
            checkpoint: String::new(),
            sources: vec![source],
            output: Vec::new(),
            operators: Vec::new(),
            watermark_delay_ms: None,
            event_time_column: None,
        }
    }

    #[test]
    fn lateness_is_spelled_out() {
        let late = |watermark_us| {
            let fact = Fact::Late { boundary_us: TEN + 58_000_000, watermark_us, window: false };
            line(&Step { batch: 3, depth: 0, fact }, &info())
        };
        let two = late(TEN + 60_000_000);
        assert_eq!((two.sign, two.title.as_str()), (Sign::Dropped, "Dropped: late by 2 s"));
        assert_eq!(two.details[0], "10:00:58 <= 10:01:00");
        assert_eq!(late(TEN + 58_000_000).title, "Dropped: exactly at the watermark");
    }

    #[test]
    fn what_is_needed_names_time_and_source() {
        let need = Need { at_us: TEN + 780_000_000, sources: vec![0], column: "at".to_owned(), delay_ms: 600_000 };
        let fact = Fact::Waiting {
            due_ms: Some(TEN / 1000 + 180_000),
            by_clock: false,
            watermark_ms: 0,
            behind_ms: 0,
            emits: true,
            needs: vec![need],
            any: false,
            next_trigger: false,
        };
        let (title, details) = waiting(&fact, &info());
        assert_eq!(title, "Comes out once the watermark reaches 10:03:00");
        assert_eq!(details[0], "Now it is not set yet.");
        assert_eq!(details[1], "Needs an event at or after 10:13:00 in source 0 (json folder in) (delay 10 min).");
    }

    #[test]
    fn the_tray_is_exported_line_by_line() {
        let event = EventRef {
            batch: 2,
            arrival: 7,
            event_time_us: Some(TEN),
            place: Place::File { name: "a \"b\".json".to_owned(), row: 1 },
            row: "{\"user\":\"<b>\"}".to_owned(),
        };
        let row = DroppedEvent {
            batch: 4,
            made: None,
            event,
            operator: 0,
            operator_name: "dedupe".to_owned(),
            window: None,
            boundary_us: TEN,
            watermark_us: TEN + 1_500_000,
        };
        let text = json_lines(&[row.clone(), row]);
        assert_eq!(text.lines().count(), 2);
        let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!((first["late_by_ms"].as_i64(), first["row"]["user"].as_str()), (Some(1500), Some("<b>")));
    }
}
