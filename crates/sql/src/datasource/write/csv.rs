//! CSV (UnivocityGenerator).

use arrow::array::{Array, ArrayRef, AsArray, StringArray, StringBuilder, StructArray};
use arrow::datatypes::{Date32Type, TimestampMicrosecondType};

use super::times::Times;
use super::{Rows, line_separator};
use crate::conf::SqlConf;
use crate::datasource::charset::Charset;
use crate::datasource::options::{Options, flag};
use crate::error::{Result, SparkError};
use crate::expr::EvalMode;
use crate::functions::cast::{CastContext, cast_array, pretty};
use crate::types::DataType;

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
        style.line(rows.columns.iter().map(|(_, field)| Some(field.name.as_str())), &mut out);
    }
    for batch in rows.batches {
        let columns = rows.columns.iter().map(|(column, field)| {
            let column = batch.column(*column);
            texts(column, &field.data_type, rows.times)
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            style.line(cells(&columns, row), &mut out);
        }
    }
    Ok(Charset::of(rows.options, "CSVOptions")?.encode(&out))
}

/// Each struct of a column as CSV text without a line's end (to_csv); null where the struct is.
pub(crate) fn row_texts(
    structs: &StructArray,
    types: &[DataType],
    options: &Options,
    conf: &SqlConf,
) -> Result<StringArray> {
    let style = Style { separator: "", ..Style::of(options)? };
    let times = Times::new(options, conf)?;
    let columns = structs.columns().iter().zip(types).map(|(column, t)| texts(column, t, &times));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut out = StringBuilder::with_capacity(structs.len(), structs.len() * 32);
    let mut line = String::new();
    for row in 0..structs.len() {
        if structs.is_null(row) {
            out.append_null();
            continue;
        }
        line.clear();
        style.line(cells(&columns, row), &mut line);
        out.append_value(&line);
    }
    Ok(out.finish())
}

/// The cells of a row; None for null.
fn cells(columns: &[StringArray], row: usize) -> impl Iterator<Item = Option<&str>> {
    columns.iter().map(move |column| column.is_valid(row).then(|| column.value(row)))
}

/// The cells of a column as texts; null where they are.
fn texts(column: &ArrayRef, t: &DataType, times: &Times) -> Result<StringArray> {
    let wrong = || SparkError::internal(format!("{} is no column of {t:?}", column.data_type()));
    let made = match t {
        DataType::Date => {
            let days = column.as_primitive_opt::<Date32Type>().ok_or_else(wrong)?;
            return Ok(days.iter().map(|days| days.map(|days| times.date(days))).collect());
        }
        DataType::Timestamp => {
            let moments = column.as_primitive_opt::<TimestampMicrosecondType>().ok_or_else(wrong)?;
            return Ok(moments.iter().map(|us| us.map(|us| times.timestamp(us))).collect());
        }
        DataType::TimestampNtz => {
            let moments = column.as_primitive_opt::<TimestampMicrosecondType>().ok_or_else(wrong)?;
            return Ok(moments.iter().map(|us| us.map(|us| times.timestamp_ntz(us))).collect());
        }
        DataType::Array { element, .. } => {
            let list = column.as_list_opt::<i32>().ok_or_else(wrong)?;
            let elements = texts(list.values(), element, times)?;
            let shown = |row: usize| {
                let ends = &list.value_offsets()[row..row + 2];
                let mut out = String::from("[");
                for (i, at) in (ends[0] as usize..ends[1] as usize).enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    // Nulls inside an array are empty as they are outside, without the blank before.
                    if elements.is_valid(at) {
                        out.push_str(if i > 0 { " " } else { "" });
                        out.push_str(elements.value(at));
                    }
                }
                out.push(']');
                out
            };
            return Ok((0..list.len()).map(|row| list.is_valid(row).then(|| shown(row))).collect());
        }
        DataType::Binary => pretty(column, t, times.zone())?,
        _ => {
            let ctx = CastContext { mode: EvalMode::Legacy, zone: times.zone(), now_us: 0 };
            cast_array(column, t, &DataType::String, ctx)?
        }
    };
    made.as_string_opt::<i32>().cloned().ok_or_else(wrong)
}

impl Style<'_> {
    fn line<'t>(&self, cells: impl Iterator<Item = Option<&'t str>>, out: &mut String) {
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                out.push_str(self.delimiter);
            }
            match cell {
                None => self.field(self.null, true, false, out),
                Some(text) if text.is_empty() => self.field(self.empty, true, false, out),
                Some(text) => {
                    let comment = i == 0 && self.comment.is_some_and(|c| text.starts_with(c));
                    self.field(text, false, comment, out);
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
