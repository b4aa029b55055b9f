//! JSON text in expressions: from_json, to_json, get_json_object and kin.

mod columns;
mod generate;
mod infer;
mod parse;
mod path;
mod resolve;

pub(crate) use self::infer::{Kinds, TypeOfText, infer};
pub(crate) use self::resolve::writer;
pub(super) use self::resolve::{FUNCTIONS, base64, constant, mime_base64, options, sample, schema_argument, unbase64};

use std::borrow::Cow;

use crate::datasource::json_scan::{Kind, Lenience, Malformed, Scanner, Span, unquote};
use crate::value::text::double_to_string;

/// What JSON functions accept without options (SharedFactory.jsonFactory: single quotes too).
const DEFAULT: Lenience = Lenience {
    single_quotes: true,
    non_numeric: true,
    unquoted_names: false,
    control_chars: false,
    leading_zeros: false,
    backslash_any: false,
    comments: false,
};

/// The root value of a text; what follows it is not looked at.
fn root(text: &str, lenience: Lenience) -> Option<Span> {
    let mut scanner = Scanner::new(text.as_bytes(), lenience);
    scanner.space();
    scanner.value().ok()
}

/// Members of the object at `span`, in order.
fn members<'a>(bytes: &'a [u8], span: Span, lenience: Lenience) -> Vec<(Cow<'a, str>, Span)> {
    let mut out = Vec::new();
    let mut scanner = Scanner::new(bytes, lenience);
    scanner.at = span.start;
    let done = scanner.members(&mut |name, value| {
        out.push((unquote(bytes, name)?, value));
        Ok(())
    });
    if done.is_err() {
        out.clear();
    }
    out
}

/// Items of the array at `span`.
fn items(bytes: &[u8], span: Span, lenience: Lenience) -> Vec<Span> {
    let mut out = Vec::new();
    let mut scanner = Scanner::new(bytes, lenience);
    scanner.at = span.start;
    let done: Result<(), Malformed> = scanner.items(&mut |item| {
        out.push(item);
        Ok(())
    });
    if done.is_err() {
        out.clear();
    }
    out
}

fn raw(bytes: &[u8], span: Span) -> &str {
    std::str::from_utf8(&bytes[span.start..span.end]).unwrap_or("")
}

/// Text as a JSON string (Jackson's escapes).
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The value written again without blanks, numbers as Java prints them (copyCurrentStructure).
fn rewrite(bytes: &[u8], span: Span, lenience: Lenience, out: &mut String) {
    match span.kind {
        Kind::Object => {
            out.push('{');
            for (i, (name, value)) in members(bytes, span, lenience).into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quote(&name, out);
                out.push(':');
                rewrite(bytes, value, lenience, out);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (i, value) in items(bytes, span, lenience).into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                rewrite(bytes, value, lenience, out);
            }
            out.push(']');
        }
        Kind::Text { .. } => quote(&unquote(bytes, span).unwrap_or_default(), out),
        Kind::Float => match raw(bytes, span).parse::<f64>() {
            Ok(x) => out.push_str(&double_to_string(x)),
            Err(_) => out.push_str(raw(bytes, span)),
        },
        Kind::True => out.push_str("true"),
        Kind::False => out.push_str("false"),
        Kind::Null => out.push_str("null"),
        Kind::Integer | Kind::NonNumeric => out.push_str(raw(bytes, span)),
    }
}

/// A value as text: strings bare, the rest written again.
fn bare(bytes: &[u8], span: Span, lenience: Lenience) -> String {
    if let Kind::Text { .. } = span.kind {
        return unquote(bytes, span).unwrap_or_default().into_owned();
    }
    let mut out = String::new();
    rewrite(bytes, span, lenience, &mut out);
    out
}

/// json_tuple: the named members of an object as text; the last of several wins.
pub(super) fn tuple(text: Option<&str>, names: &[Option<&str>]) -> Vec<Option<String>> {
    let mut out = vec![None; names.len()];
    let Some(text) = text else { return out };
    let Some(span) = root(text, DEFAULT).filter(|s| s.kind == Kind::Object) else { return out };
    let bytes = text.as_bytes();
    for (name, value) in members(bytes, span, DEFAULT) {
        for (i, wanted) in names.iter().enumerate() {
            if *wanted == Some(&*name) {
                out[i] = (value.kind != Kind::Null).then(|| bare(bytes, value, DEFAULT));
            }
        }
    }
    out
}
