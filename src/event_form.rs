//! A form for one event, made from the schema of a source.

use crate::format;
use serde_json::{Map, Number, Value};
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, Column, QueryInfo, SourceInfo};

/// How far a new event is ahead of the newest one, µs.
const AHEAD: i64 = 10_000_000;
/// How far a late event is behind the late-row watermark, µs: more than nothing, and easy to see on the strip.
const BEHIND: i64 = 15_000_000;

/// One field: what is typed becomes JSON by the type of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub column: Column,
    pub text: String,
}

/// Where new events go: the folder of a file source, as a path of the session's file system.
pub fn folder(source: &SourceInfo) -> Option<String> {
    let folder = source.folder.as_deref()?;
    let path = folder.strip_prefix("file://").or_else(|| folder.strip_prefix("file:")).unwrap_or(folder);
    Some(path.trim_end_matches('/').to_owned())
}

/// Times that make sense for the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// After all that came, µs.
    pub on_time_us: i64,
    /// So far behind the late-row watermark that every window it falls into has ended by then, µs; None while nothing would be late.
    pub late_us: Option<i64>,
    /// Just enough to close the open window that ends first, µs.
    pub closing_us: Option<i64>,
}

impl Times {
    pub fn of(info: &QueryInfo, batches: &[Rc<BatchReport>], clock_ms: i64) -> Times {
        let newest = batches.iter().flat_map(|batch| batch.events.iter().filter_map(|event| event.event_time_us)).max();
        let model = crate::strip::Model::new(batches, info.watermark_delay_ms);
        let open = model.windows.iter().filter(|window| window.closed_in.is_none()).map(|window| window.end_us).min();
        Times {
            on_time_us: newest.map_or(clock_ms.saturating_mul(1000), |us| us + AHEAD),
            late_us: surely_late(&model),
            closing_us: open.and_then(|end| model.closes_at(end)),
        }
    }
}

/// A time whose every window ends before the late-row watermark of the next batch, µs.
fn surely_late(model: &crate::strip::Model) -> Option<i64> {
    let longest = model.windows.iter().map(|window| window.end_us.saturating_sub(window.start_us)).max().unwrap_or(0);
    Some(model.next_late_us?.saturating_sub(longest).saturating_sub(BEHIND))
}

/// The form's fields, filled from the newest event where there is one.
pub fn fields(schema: &[Column], batches: &[Rc<BatchReport>], time_column: Option<&str>, time_us: i64) -> Vec<Field> {
    let newest = batches.iter().rev().find_map(|batch| batch.events.last());
    let row = newest.and_then(|event| serde_json::from_str::<Map<String, Value>>(&event.row).ok()).unwrap_or_default();
    let is_time = |column: &Column| match time_column {
        Some(name) => column.name == name,
        None => column.data_type.starts_with("timestamp"),
    };
    let text = |column: &Column| {
        if is_time(column) {
            return format::iso(time_us);
        }
        match row.get(&column.name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => example(&column.data_type, time_us),
            Some(value) => value.to_string(),
        }
    };
    schema.iter().map(|column| Field { text: text(column), column: column.clone() }).collect()
}

fn example(data_type: &str, time_us: i64) -> String {
    match data_type {
        "string" => "a".to_owned(),
        "boolean" => "true".to_owned(),
        "date" => format::date(time_us),
        other if other.starts_with("timestamp") => format::iso(time_us),
        other if other.starts_with("array") => "[]".to_owned(),
        other if other.starts_with("struct") || other.starts_with("map") => "{}".to_owned(),
        "float" | "double" => "1.0".to_owned(),
        _ => "1".to_owned(),
    }
}

fn is_text(data_type: &str) -> bool {
    data_type == "string" || data_type == "date" || data_type == "binary" || data_type.starts_with("timestamp")
}

/// One JSON line. An empty field is left out: the reader makes it null. What is no JSON where JSON is due is sent as
/// text, so that one can see what the reader makes of it.
pub fn line(fields: &[Field]) -> String {
    let mut row = Map::new();
    for field in fields {
        if field.text.is_empty() {
            continue;
        }
        let value = if is_text(&field.column.data_type) {
            Value::String(field.text.clone())
        } else {
            number(&field.text)
                .or_else(|| serde_json::from_str(&field.text).ok())
                .unwrap_or_else(|| Value::String(field.text.clone()))
        };
        row.insert(field.column.name.clone(), value);
    }
    Value::Object(row).to_string()
}

fn number(text: &str) -> Option<Value> {
    text.trim().parse::<Number>().ok().map(Value::Number)
}

/// Lines that are not JSON objects, 1-based: the reader takes them as malformed, which may be wanted.
pub fn malformed(text: &str) -> Vec<usize> {
    let bad = |(at, line): (usize, &str)| {
        let line = line.trim();
        (!line.is_empty() && serde_json::from_str::<Map<String, Value>>(line).is_err()).then_some(at + 1)
    };
    text.lines().enumerate().filter_map(bad).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, data_type: &str) -> Column {
        Column { name: name.to_owned(), data_type: data_type.to_owned() }
    }

    #[test]
    fn a_form_becomes_a_json_line() {
        let schema = [
            column("event_time", "timestamp"),
            column("user", "string"),
            column("amount", "double"),
            column("tags", "array<string>"),
            column("note", "string"),
        ];
        let mut fields = fields(&schema, &[], Some("event_time"), 1_771_063_265_000_000);
        fields[4].text = String::new();
        let expected = r#"{"event_time":"2026-02-14T10:01:05","user":"a","amount":1.0,"tags":[]}"#;
        assert_eq!(line(&fields), expected);
        fields[2].text = "many".to_owned();
        assert!(line(&fields).contains(r#""amount":"many""#));
    }

    #[test]
    fn a_late_event_falls_into_no_window_that_is_open() {
        let minute = 60_000_000;
        let window = crate::strip::Window {
            start_us: 7 * minute,
            end_us: 9 * minute,
            groups: 1,
            closed_in: None,
            merged_in: None,
            row: 0,
        };
        let mut model =
            crate::strip::Model { windows: vec![window], next_evict_us: Some(9 * minute), ..Default::default() };
        assert_eq!(surely_late(&model), None, "the next batch still takes what the watermark has passed");
        model.next_late_us = Some(9 * minute);
        assert_eq!(surely_late(&model), Some(7 * minute - BEHIND));
    }

    #[test]
    fn lines_that_are_no_objects_are_named() {
        assert_eq!(malformed("{\"a\":1}\n\nnot json\n[1]\n"), [3, 4]);
    }

    #[test]
    fn a_source_folder_is_a_path() {
        let source = |folder: &str| SourceInfo {
            description: String::new(),
            folder: Some(folder.to_owned()),
            format: "json".to_owned(),
            schema: Vec::new(),
        };
        for written in ["file:/w/in", "file:///w/in/", "/w/in"] {
            assert_eq!(folder(&source(written)).as_deref(), Some("/w/in"));
        }
    }
}
