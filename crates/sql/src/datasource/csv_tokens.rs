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
    /// Most fields of a record.
    pub max_columns: usize,
    /// Most characters of a field; None: any number.
    pub max_chars: Option<usize>,
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
            let mut error = SparkError::plain(ErrorClass::IllegalArgument, "Delimiter cannot be empty");
            error.java_class = Some("java.lang.IllegalArgumentException".to_owned());
            return Err(error);
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
            max_chars: text(options, "maxcharspercolumn").and_then(|n| n.parse().ok()),
        })
    }

    /// The records of a text whose quoted fields may hold line ends (multiLine), each with its own text.
    pub fn records<'a>(&'a self, content: &'a str) -> Records<'a> {
        Records { format: self, rest: content }
    }

    /// Whether a line is skipped: blank or a comment (CSVExprUtils.filterCommentAndEmpty).
    pub fn skips(&self, record: &str) -> bool {
        let trimmed = record.trim();
        trimmed.is_empty() || self.comment.is_some_and(|c| record.starts_with(c))
    }

    /// The fields of one record; None is a null.
    pub fn fields(&self, record: &str) -> Vec<Option<String>> {
        let mut out = Vec::new();
        let mut rest = record;
        loop {
            let (field, used) = self.field(rest, false);
            out.push(field);
            match rest[used..].strip_prefix(self.separator.as_str()) {
                Some(after) => rest = after,
                None => return out,
            }
        }
    }

    /// One field and how many bytes of `text` come before the separator, the line end (`multi`) or the text's end after it.
    fn field(&self, text: &str, multi: bool) -> (Option<String>, usize) {
        let bare = if self.trim_start { text.trim_start_matches([' ', '\t']) } else { text };
        if let Some(quote) = self.quote
            && bare.starts_with(quote)
        {
            let (value, used) = self.quoted(bare, quote, multi);
            return (value, text.len() - bare.len() + used);
        }
        let used = self.stop(text, multi);
        let mut value = &text[..used];
        if self.trim_start {
            value = value.trim_start_matches(|c: char| c <= ' ');
        }
        if self.trim_end {
            value = value.trim_end_matches(|c: char| c <= ' ');
        }
        // An empty unquoted field is the null value.
        ((!value.is_empty() && value != self.null).then(|| value.to_owned()), used)
    }

    /// Bytes before the next separator or, with `multi`, line end.
    fn stop(&self, text: &str, multi: bool) -> usize {
        let at = text.find(&self.separator).unwrap_or(text.len());
        if multi { text[..at].find(['\n', '\r']).unwrap_or(at) } else { at }
    }

    /// A quoted field (CsvParser.parseQuotedValue with STOP_AT_DELIMITER): `text` begins with the quote.
    fn quoted(&self, text: &str, quote: char, multi: bool) -> (Option<String>, usize) {
        let mut value = String::new();
        let mut previous = '\0';
        let body = quote.len_utf8();
        let escape = if self.escape == quote { '\0' } else { self.escape };
        for (at, c) in text[body..].char_indices() {
            let at = body + at;
            let ends = text[at..].starts_with(self.separator.as_str()) || (multi && matches!(c, '\n' | '\r'));
            if previous == quote && (ends || c <= ' ') {
                // What is blank between the closing quote and the separator is passed over.
                let blank = text[at..].chars().take_while(|c| *c <= ' ' && !(multi && matches!(c, '\n' | '\r')));
                let blank = if ends { 0 } else { blank.map(char::len_utf8).sum() };
                let after = &text[at + blank..];
                let closed = after.is_empty()
                    || after.starts_with(self.separator.as_str())
                    || (multi && after.starts_with(['\n', '\r']));
                if closed {
                    return (self.unquoted(value), at + blank);
                }
                return self.unescaped(&value, text, at, quote, multi);
            }
            if c == escape && c != '\0' {
                match previous {
                    p if p == escape => {
                        value.push(escape);
                        previous = '\0';
                        continue;
                    }
                    p if p == quote => value.push(quote),
                    _ => {}
                }
            } else if c == quote {
                if previous == escape && escape != '\0' {
                    value.push(quote);
                    previous = '\0';
                    continue;
                }
                if previous == quote {
                    value.push(quote);
                    if self.escape == quote {
                        previous = '\0';
                        continue;
                    }
                }
            } else {
                if previous == quote {
                    return self.unescaped(&value, text, at, quote, multi);
                }
                if previous == escape && escape != '\0' {
                    value.push(escape);
                }
                value.push(c);
            }
            previous = c;
        }
        if previous == quote {
            return (self.unquoted(value), text.len());
        }
        // Never closed: everything to the end.
        let value = if value.is_empty() { quote.to_string() } else { value };
        (Some(value), text.len())
    }

    /// A quoted field in which a quote stands unescaped before `at`: with its quotes, and as it is written from there to
    /// the separator.
    fn unescaped(&self, value: &str, text: &str, at: usize, quote: char, multi: bool) -> (Option<String>, usize) {
        let used = at + self.stop(&text[at..], multi);
        let mut rest = &text[at..used];
        if self.trim_end {
            rest = rest.trim_end_matches(|c: char| c <= ' ');
        }
        (Some(format!("{quote}{value}{quote}{rest}")), used)
    }

    /// The value of a closed quoted field.
    fn unquoted(&self, value: String) -> Option<String> {
        let value = if value.is_empty() { self.empty.clone() } else { value };
        (value != self.null).then_some(value)
    }
}

/// See [`CsvFormat::records`].
pub struct Records<'a> {
    format: &'a CsvFormat,
    rest: &'a str,
}

/// A record of a text: its fields, and itself without its line end.
pub struct Record<'a> {
    pub fields: Vec<Option<String>>,
    pub text: &'a str,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        // Empty lines and comments are no records.
        loop {
            self.rest = self.rest.trim_start_matches(['\n', '\r']);
            if !self.format.comment.is_some_and(|c| self.rest.starts_with(c)) {
                break;
            }
            let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
        }
        if self.rest.is_empty() {
            return None;
        }
        let whole = self.rest;
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let (field, used) = self.format.field(&whole[at..], true);
            fields.push(field);
            at += used;
            if !whole[at..].starts_with(self.format.separator.as_str()) {
                break;
            }
            at += self.format.separator.len();
        }
        self.rest = &whole[at..];
        Some(Record { fields, text: &whole[..at] })
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
        // A separator inside the quotes before the unescaped one belongs to the field.
        assert_eq!(shown("\"a,b\"c,d"), ["\"a,b\"c", "d"]);
        assert_eq!(shown("\"a\" ,b"), ["a", "b"]);
        // The text of an empty value is that of null unless the options say otherwise.
        assert_eq!(csv.fields("e,\"\""), [Some("e".to_owned()), None]);
    }

    #[test]
    fn records_of_several_lines() {
        let csv = CsvFormat::of(&Options::new()).unwrap();
        let text = "1,\"a\nb\"\r\n\n4,\"un\n5,e\n\"6\",,x\n7,y";
        let texts: Vec<&str> = csv.records(text).map(|r| r.text).collect();
        assert_eq!(texts, ["1,\"a\nb\"", "4,\"un\n5,e\n\"6\",,x", "7,y"]);
        let fields: Vec<usize> = csv.records(text).map(|r| r.fields.len()).collect();
        assert_eq!(fields, [2, 4, 2]);
    }
}
