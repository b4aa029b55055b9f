//! CSV (UnivocityGenerator).

use super::times::Times;
use super::{Rows, line_separator};
use crate::conf::SqlConf;
use crate::datasource::charset::Charset;
use crate::datasource::options::{Options, flag};
use crate::error::Result;
use crate::functions::cast::{to_pretty, to_text};
use crate::types::DataType;
use crate::value::{Value, value_at};

struct Style<'a> {
    delimiter: &'a str,
    quote: char,
    escape: char,
    /// Stands before an escape character within quotes; None: nothing does.
    escape_escape: Option<char>,
    /// A first cell that begins with it is quoted.
    comment: Option<char>,
    quote_all: bool,
    escape_quotes: bool,
    null: &'a str,
    empty: &'a str,
    trim_start: bool,
    trim_end: bool,
    separator: &'a str,
}

impl<'a> Style<'a> {
    fn of(options: &'a Options) -> Result<Self> {
        let text = |key: &str, default: &'static str| options.get(key).map_or(default, String::as_str);
        let given = |key: &str| options.get(key).and_then(|t| t.chars().next());
        // An option of no character means the character of code 0.
        let first = |key: &str, default: char| {
            options.get(key).map_or(default, |t| t.chars().next().filter(|_| t != "\\u0000").unwrap_or('\0'))
        };
        let (quote, escape) = (first("quote", '"'), first("escape", '\\'));
        let delimiter = options.get("sep").or_else(|| options.get("delimiter")).map_or(",", String::as_str);
        Ok(Style {
            delimiter: if delimiter == "\\t" { "\t" } else { delimiter },
            quote,
            escape,
            escape_escape: given("chartoescapequoteescaping").or_else(|| (quote != escape).then_some(escape)),
            comment: given("comment"),
            quote_all: flag(options, "quoteall", false)?,
            escape_quotes: flag(options, "escapequotes", true)?,
            null: text("nullvalue", ""),
            empty: text("emptyvalue", "\"\""),
            trim_start: flag(options, "ignoreleadingwhitespace", true)?,
            trim_end: flag(options, "ignoretrailingwhitespace", true)?,
            separator: line_separator(options),
        })
    }
}

pub(super) fn encode(rows: &Rows<'_>) -> Result<Vec<u8>> {
    let style = Style::of(rows.options)?;
    let mut out = String::new();
    if rows.columns.is_empty() {
        // The writer makes no line of no cells.
        return Ok(Vec::new());
    }
    if flag(rows.options, "header", false)? {
        style.line(rows.columns.iter().map(|(_, field)| Some(field.name.clone())), &mut out);
    }
    for batch in rows.batches {
        for row in 0..batch.num_rows() {
            let cells = rows.columns.iter().map(|(column, field)| {
                let value = value_at(batch.column(*column).as_ref(), row, &field.data_type);
                (!value.is_null()).then(|| cell(rows.times, &value, &field.data_type))
            });
            style.line(cells, &mut out);
        }
    }
    Ok(Charset::of(rows.options, "CSVOptions")?.encode(&out))
}

/// One row as CSV text without a line's end (to_csv).
pub(crate) fn row_text(values: &[Value], types: &[DataType], options: &Options, conf: &SqlConf) -> Result<String> {
    let style = Style { separator: "", ..Style::of(options)? };
    let times = Times::new(options, conf)?;
    let mut out = String::new();
    let cells = values.iter().zip(types).map(|(v, t)| (!v.is_null()).then(|| cell(&times, v, t)));
    style.line(cells, &mut out);
    Ok(out)
}

fn cell(times: &Times, value: &Value, data_type: &DataType) -> String {
    match value {
        Value::Date(days) => times.date(*days),
        Value::Timestamp(us) => times.timestamp(*us),
        Value::TimestampNtz(us) => times.timestamp_ntz(*us),
        Value::Binary(_) => to_pretty(value, data_type, times.zone()),
        Value::Time(nanos) => crate::value::text::time_to_string(*nanos),
        // Nulls inside an array are empty as they are outside.
        Value::Array(items) => {
            let element = match data_type {
                DataType::Array { element, .. } => (**element).clone(),
                _ => DataType::Null,
            };
            let shown = |v: &Value| if v.is_null() { String::new() } else { cell(times, v, &element) };
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        other => to_text(other, data_type, times.zone()),
    }
}

impl Style<'_> {
    fn line(&self, cells: impl Iterator<Item = Option<String>>, out: &mut String) {
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                out.push_str(self.delimiter);
            }
            match cell {
                None => self.field(self.null, true, false, out),
                Some(text) if text.is_empty() => self.field(self.empty, true, false, out),
                Some(text) => {
                    let comment = i == 0 && self.comment.is_some_and(|c| text.starts_with(c));
                    self.field(&text, false, comment, out);
                }
            }
        }
        out.push_str(self.separator);
    }

    /// `literal`: the text for null or empty, which is never trimmed or quoted for what it holds. `quoted`: quoted anyway.
    fn field(&self, text: &str, literal: bool, quoted: bool, out: &mut String) {
        if literal && !self.quote_all {
            out.push_str(text);
            return;
        }
        // The text for an empty value may come with its quotes.
        let bare = if literal { text.trim_matches(self.quote) } else { text };
        let mut trimmed = bare;
        if self.trim_start {
            trimmed = trimmed.trim_start_matches(|c: char| c <= ' ');
        }
        if self.trim_end {
            trimmed = trimmed.trim_end_matches(|c: char| c <= ' ');
        }
        let needs = self.quote_all
            || quoted
            || trimmed.contains(self.delimiter)
            || trimmed.contains(['\n', '\r'])
            || trimmed.starts_with(self.quote)
            || (self.escape_quotes && trimmed.contains(self.quote));
        if !needs {
            out.push_str(trimmed);
            return;
        }
        out.push(self.quote);
        for c in trimmed.chars() {
            if c == self.quote {
                out.push(self.escape);
            } else if c == self.escape {
                out.extend(self.escape_escape);
            }
            // A line end within a value becomes that of the lines.
            if c == '\n' && !self.separator.is_empty() { out.push_str(self.separator) } else { out.push(c) }
        }
        out.push(self.quote);
    }
}
