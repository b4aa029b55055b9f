//! CSV text to fields, as the univocity parser with Spark's settings splits it.

use super::options::{Options, flag, text};
use crate::error::{ErrorClass, Result, SparkError};

/// CSVOptions that concern tokens.
#[derive(Clone, Debug)]
pub struct CsvFormat {
    pub separator: String,
    pub quote: Option<char>,
    pub escape: char,
    pub comment: Option<char>,
    pub header: bool,
    pub trim_start: bool,
    pub trim_end: bool,
    pub null: String,
    /// What an empty quoted field reads as.
    pub empty: String,
    pub multi_line: bool,
    pub max_columns: usize,
}

/// A single character option; `\t` and kin may be written with a backslash, `\u0000` means none.
fn character(options: &Options, key: &str, default: char) -> Result<Option<char>> {
    let Some(given) = text(options, key) else { return Ok(Some(default)) };
    match given {
        "" | "\\u0000" | "\u{0}" => Ok(None),
        "\\t" => Ok(Some('\t')),
        given if given.chars().count() == 1 => Ok(given.chars().next()),
        _ => Err(SparkError::plain(ErrorClass::Runtime, format!("{key} cannot be more than one character"))),
    }
}

impl CsvFormat {
    pub fn of(options: &Options) -> Result<Self> {
        let separator = text(options, "sep").or_else(|| text(options, "delimiter")).unwrap_or(",");
        let separator = match separator {
            "\\t" => "\t",
            other => other,
        };
        if separator.is_empty() {
            return Err(SparkError::new(ErrorClass::IllegalArgument, "INVALID_DELIMITER_VALUE.EMPTY_STRING", &[]));
        }
        Ok(Self {
            separator: separator.to_owned(),
            quote: character(options, "quote", '"')?,
            escape: character(options, "escape", '\\')?.unwrap_or('\u{0}'),
            comment: character(options, "comment", '\u{0}')?.filter(|c| *c != '\u{0}'),
            header: flag(options, "header", false)?,
            trim_start: flag(options, "ignoreleadingwhitespace", false)?,
            trim_end: flag(options, "ignoretrailingwhitespace", false)?,
            null: text(options, "nullvalue").unwrap_or("").to_owned(),
            empty: text(options, "emptyvalue").unwrap_or("").to_owned(),
            multi_line: flag(options, "multiline", false)?,
            max_columns: text(options, "maxcolumns").and_then(|n| n.parse().ok()).unwrap_or(20_480),
        })
    }

    /// The records of a text with their own texts; without multiLine one line is one record.
    pub fn records<'a>(&self, content: &'a str) -> Vec<&'a str> {
        let mut out = Vec::new();
        let mut start = 0;
        let mut quoted = false;
        let mut escaped = false;
        let mut chars = content.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if escaped {
                escaped = false;
                continue;
            }
            if quoted && c == self.escape && Some(c) != self.quote {
                escaped = true;
            } else if Some(c) == self.quote {
                quoted = !quoted;
            } else if !quoted && (c == '\n' || c == '\r') {
                out.push(&content[start..at]);
                if c == '\r' && chars.peek().is_some_and(|(_, n)| *n == '\n') {
                    chars.next();
                }
                start = chars.peek().map_or(content.len(), |(i, _)| *i);
            }
        }
        if start < content.len() {
            out.push(&content[start..]);
        }
        out
    }

    /// Whether a record is skipped: blank or a comment.
    pub fn skips(&self, record: &str) -> bool {
        let trimmed = record.trim();
        trimmed.is_empty() || self.comment.is_some_and(|c| record.starts_with(c))
    }

    /// The fields of one record; None is a null.
    pub fn fields(&self, record: &str) -> Vec<Option<String>> {
        let mut out = Vec::new();
        let mut rest = record;
        loop {
            let (field, next) = self.field(rest);
            out.push(field);
            match next {
                Some(after) if out.len() < self.max_columns => rest = after,
                _ => return out,
            }
        }
    }

    /// One field and what follows its separator.
    fn field<'a>(&self, text: &'a str) -> (Option<String>, Option<&'a str>) {
        let bare = if self.trim_start { text.trim_start_matches([' ', '\t']) } else { text };
        if let Some(quote) = self.quote
            && bare.starts_with(quote)
            && let Some(found) = self.quoted(bare, quote)
        {
            return found;
        }
        let (raw, next) = match text.find(&self.separator) {
            Some(at) => (&text[..at], Some(&text[at + self.separator.len()..])),
            None => (text, None),
        };
        let mut value = raw;
        if self.trim_start {
            value = value.trim_start_matches(|c: char| c <= ' ');
        }
        if self.trim_end {
            value = value.trim_end_matches(|c: char| c <= ' ');
        }
        (self.value(value), next)
    }

    fn value(&self, value: &str) -> Option<String> {
        // An empty unquoted field is the null value.
        if value.is_empty() || value == self.null { None } else { Some(value.to_owned()) }
    }

    /// A quoted field. None: a quote stands within it, so it is taken as it is written.
    fn quoted<'a>(&self, text: &'a str, quote: char) -> Option<(Option<String>, Option<&'a str>)> {
        let mut value = String::new();
        let body = &text[quote.len_utf8()..];
        let mut chars = body.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c == self.escape && self.escape != quote {
                match chars.peek() {
                    Some((_, next)) if *next == quote || *next == self.escape => {
                        value.push(*next);
                        chars.next();
                    }
                    _ => value.push(c),
                }
                continue;
            }
            if c == quote {
                if self.escape == quote && chars.peek().is_some_and(|(_, n)| *n == quote) {
                    value.push(quote);
                    chars.next();
                    continue;
                }
                let after = &body[at + c.len_utf8()..];
                let spaced = after.trim_start_matches([' ', '\t']);
                let value = if value.is_empty() { self.empty.clone() } else { value };
                let value = (value != self.null).then_some(value);
                if spaced.is_empty() {
                    return Some((value, None));
                }
                if let Some(next) = spaced.strip_prefix(self.separator.as_str()) {
                    return Some((value, Some(next)));
                }
                return None;
            }
            value.push(c);
        }
        // Never closed: everything to the end.
        Some((Some(value), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_as_spark_splits_them() {
        let csv = CsvFormat::of(&Options::new()).unwrap();
        let shown = |line: &str| -> Vec<String> {
            csv.fields(line).into_iter().map(|f| f.unwrap_or_else(|| "-".into())).collect()
        };
        assert_eq!(shown("1,pen,2.50"), ["1", "pen", "2.50"]);
        assert_eq!(shown("2,\"a, b\",3"), ["2", "a, b", "3"]);
        assert_eq!(shown("3,,"), ["3", "-", "-"]);
        // A doubled quote is no escape: the field stays as it is written.
        assert_eq!(shown("6,\"say \"\"hi\"\"\",x"), ["6", "\"say \"\"hi\"\"\"", "x"]);
        assert_eq!(shown("8,\"open,1"), ["8", "open,1"]);
        assert_eq!(shown("q,\"a\\\"b\""), ["q", "a\"b"]);
        // The text of an empty value is that of null unless the options say otherwise.
        assert_eq!(csv.fields("e,\"\""), [Some("e".to_owned()), None]);
    }
}
