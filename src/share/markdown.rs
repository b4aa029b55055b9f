//! A workspace as Markdown: script, events, what the batches gave, and a link.

use super::paths;
use crate::format::{self, bytes};
use std::fmt::Write;
use std::rc::Rc;
use tidemark_protocol::SPARK_VERSION;
use tidemark_protocol::messages::{BatchKind, BatchReport, Parcel};

/// Lines of a file, and rows of a batch, that are written out.
const LINES: usize = 40;

pub fn text(parcel: &Parcel, query: Option<(&str, &[Rc<BatchReport>])>, link: Option<&str>) -> String {
    let mut out = String::new();
    if let Some(script) = parcel.script() {
        let _ =
            writeln!(out, "**{}** (PySpark, Spark {SPARK_VERSION})\n\n{}", script.name, fenced("python", &script.text));
    }
    for file in paths::inputs(parcel).into_iter().filter(|file| !paths::is_topic(&file.path)) {
        let name = paths::shown(&file.path);
        match std::str::from_utf8(&file.content) {
            Ok(text) => {
                let lines: Vec<&str> = text.lines().take(LINES).collect();
                let more = text.lines().count() - lines.len();
                let more = if more > 0 { format!(" (and {more} more lines)") } else { String::new() };
                let _ = writeln!(out, "`{name}`{more}\n\n{}", fenced("", &lines.join("\n")));
            }
            Err(_) => {
                let _ = writeln!(out, "`{name}`: {} of binary data\n", bytes(file.content.len() as u64));
            }
        }
    }
    if let Some((name, batches)) = query {
        let _ = writeln!(out, "**Batches of {name}**\n");
        for batch in batches {
            out.push_str(&heading(batch));
            out.push_str(&table(batch));
        }
    }
    if let Some(link) = link {
        let _ = writeln!(out, "[Open in Tidemark]({link})");
    }
    out
}

fn heading(batch: &BatchReport) -> String {
    let kind = match &batch.kind {
        BatchKind::Data => String::new(),
        BatchKind::NoData { .. } => " (without data)".to_owned(),
    };
    let dropped =
        if batch.dropped_rows > 0 { format!(", {} dropped as late", batch.dropped_rows) } else { String::new() };
    let input = format::plural(batch.input_rows, "row", "rows");
    format!("Batch {}{kind}: {input} in, {} out{dropped}\n\n", batch.batch, batch.output.total)
}

fn table(batch: &BatchReport) -> String {
    if batch.output.rows.is_empty() {
        return String::new();
    }
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = row(batch.output.columns.iter().map(|column| cell(Some(&column.name))).collect());
    out.push_str(&row(batch.output.columns.iter().map(|_| "--".to_owned()).collect()));
    for cells in batch.output.rows.iter().take(LINES) {
        out.push_str(&row(cells.iter().map(|text| cell(text.as_deref())).collect()));
    }
    let more = batch.output.total.saturating_sub(LINES.min(batch.output.rows.len()));
    if more > 0 {
        let _ = writeln!(out, "\nand {more} more rows");
    }
    out.push('\n');
    out
}

/// HTML in data stays text.
fn cell(text: Option<&str>) -> String {
    let Some(text) = text else { return "NULL".to_owned() };
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(letter);
            }
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            letter => out.push(letter),
        }
    }
    out
}

/// A block with a fence that is longer than any in it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::super::submit::tests::parcel;
    use super::*;

    #[test]
    fn code_events_and_link_are_there_and_data_stays_text() {
        let text = text(&parcel("print('```')\n"), None, Some("https://example.org/#w1=x"));
        assert!(text.contains("````python\nprint('```')\n````"), "{text}");
        assert!(text.contains("`data/in/2.json`\n\n```\n{}\n```"), "{text}");
        assert!(text.ends_with("[Open in Tidemark](https://example.org/#w1=x)\n"), "{text}");
        assert_eq!(cell(Some("<b>a|b</b>\nc")), "&lt;b>a\\|b&lt;/b> c");
    }
}
