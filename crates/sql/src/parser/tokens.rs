//! SQL text to tokens with their places.

use super::errors::{Place, at, syntax_error};
use crate::error::Result;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A bare word; keywords are told apart where they matter.
    Word,
    /// `name` in backticks.
    Quoted,
    /// Contents after escapes.
    Text(String),
    Number,
    Symbol,
    /// A /*+ hint */.
    Hint,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// As written; without backticks for quoted names.
    pub(super) text: String,
    pub(super) place: Place,
    /// Bytes in the SQL text.
    pub(super) start: usize,
    pub(super) end: usize,
}

const SYMBOLS: [&str; 34] = [
    "<=>", ">>>", "->", "=>", "::", "||", "|>", "<=", ">=", "<>", "!=", "==", "<<", ">>", "+", "-", "*", "/", "%", "=",
    "<", ">", "(", ")", "[", "]", ",", ".", ";", "&", "|", "^", "~", "?",
];

pub(super) fn tokenize(sql: &str) -> Result<Vec<Token>> {
    let bytes = sql.as_bytes();
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        let place = at(sql, start);
        let c = bytes[i];
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let rest = &sql[i..];
        if rest.starts_with("--") {
            i += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(hint) = rest.strip_prefix("/*+") {
            let length = hint.find("*/").unwrap_or(hint.len());
            i += 3 + length + 2;
            let text = hint[..length].trim().to_owned();
            tokens.push(Token { kind: Kind::Hint, text, place, start, end: i.min(bytes.len()) });
            continue;
        }
        if rest.starts_with("/*") {
            i += rest.find("*/").map_or(rest.len(), |at| at + 2);
            continue;
        }
        let (kind, text, end) = if c == b'\'' || c == b'"' {
            let (value, end) = string(sql, i, false)?;
            (Kind::Text(value), sql[i..end].to_owned(), end)
        } else if matches!(c, b'r' | b'R') && matches!(bytes.get(i + 1), Some(b'\'' | b'"')) {
            let (value, end) = string(sql, i + 1, true)?;
            (Kind::Text(value), sql[i..end].to_owned(), end)
        } else if c == b'`' {
            let mut name = String::new();
            let mut end = None;
            let mut chars = sql[i + 1..].char_indices().peekable();
            while let Some((offset, c)) = chars.next() {
                if c == '`' {
                    if matches!(chars.peek(), Some((_, '`'))) {
                        chars.next();
                        name.push('`');
                        continue;
                    }
                    end = Some(i + 1 + offset + 1);
                    break;
                }
                name.push(c);
            }
            let Some(end) = end else { return Err(syntax_error(sql, place, "'`'", "")) };
            (Kind::Quoted, name, end)
        } else if c.is_ascii_digit() || (c == b'.' && bytes.get(i + 1).is_some_and(u8::is_ascii_digit)) {
            number(sql, i)
        } else if c.is_ascii_alphabetic() || c == b'_' || c >= 0x80 || c == b'$' || c == b'{' {
            let end = rest
                .char_indices()
                .find(|(_, c)| !(c.is_alphanumeric() || *c == '_' || *c == '$'))
                .map_or(sql.len(), |(offset, _)| i + offset);
            if end == i {
                let shown = format!("'{}'", &rest[..1]);
                return Err(syntax_error(sql, place, &shown, ""));
            }
            (Kind::Word, sql[i..end].to_owned(), end)
        } else if c == b':' && !rest.starts_with("::") {
            (Kind::Symbol, ":".to_owned(), i + 1)
        } else if c == b'!' && !rest.starts_with("!=") {
            (Kind::Symbol, "!".to_owned(), i + 1)
        } else {
            match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Kind::Symbol, (*symbol).to_owned(), i + symbol.len()),
                None => {
                    let shown: String = rest.chars().take(1).collect();
                    return Err(syntax_error(sql, place, &format!("'{shown}'"), ""));
                }
            }
        };
        tokens.push(Token { kind, text, place, start, end });
        i = end;
    }
    let place = at(sql, sql.len());
    // The end's place is that of the last token, as Spark's "end of input" shows it.
    tokens.push(Token { kind: Kind::End, text: String::new(), place, start: sql.len(), end: sql.len() });
    Ok(tokens)
}

/// Digits, fraction, exponent, and the letters that fix a type.
fn number(sql: &str, start: usize) -> (Kind, String, usize) {
    let bytes = sql.as_bytes();
    let mut i = start;
    let digits = |i: &mut usize| {
        while bytes.get(*i).is_some_and(u8::is_ascii_digit) {
            *i += 1;
        }
    };
    digits(&mut i);
    if bytes.get(i) == Some(&b'.') && bytes.get(i + 1) != Some(&b'.') {
        i += 1;
        digits(&mut i);
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        let mut j = i + 1;
        if matches!(bytes.get(j), Some(b'+' | b'-')) {
            j += 1;
        }
        if bytes.get(j).is_some_and(u8::is_ascii_digit) {
            digits(&mut j);
            i = j;
        }
    }
    let letters_end = sql[i..]
        .char_indices()
        .find(|(_, c)| !(c.is_alphanumeric() || *c == '_'))
        .map_or(sql.len(), |(offset, _)| i + offset);
    let letters = sql[i..letters_end].to_uppercase();
    if matches!(letters.as_str(), "L" | "S" | "Y" | "F" | "D" | "BD") {
        i = letters_end;
    } else if !letters.is_empty() && sql[start..i].bytes().all(|byte| byte.is_ascii_digit()) {
        // A name may begin with digits.
        return (Kind::Word, sql[start..letters_end].to_owned(), letters_end);
    }
    // Whole numbers with an exponent have no type of a whole number: such a word is a name.
    let whole = !sql[start..i].contains('.') && matches!(letters.as_str(), "L" | "S" | "Y");
    if whole && sql[start..i].contains(['e', 'E']) {
        return (Kind::Word, sql[start..i].to_owned(), i);
    }
    (Kind::Number, sql[start..i].to_owned(), i)
}

/// The value of the next two octal digits.
fn octal(mut rest: impl Iterator<Item = char>) -> Option<u8> {
    let (a, b) = (rest.next()?.to_digit(8)?, rest.next()?.to_digit(8)?);
    u8::try_from(a * 8 + b).ok()
}

/// A string literal from its quote on: the value and where it ends (unescapeSQLString).
fn string(sql: &str, start: usize, raw: bool) -> Result<(String, usize)> {
    let quote = sql[start..].chars().next().unwrap_or('\'');
    let mut out = String::new();
    let mut chars = sql[start + 1..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        if c == quote {
            if matches!(chars.peek(), Some((_, next)) if *next == quote) && !raw {
                chars.next();
                out.push(quote);
                continue;
            }
            return Ok((out, start + 1 + offset + c.len_utf8()));
        }
        if c != '\\' || raw {
            out.push(c);
            continue;
        }
        let Some((_, escaped)) = chars.next() else { break };
        match escaped {
            // \ooo: a character by its number, in octal, below 0x80.
            '0' | '1' if octal(chars.clone().map(|(_, c)| c)).is_some() => {
                let rest = octal(chars.clone().map(|(_, c)| c)).unwrap_or(0);
                let first = if escaped == '1' { 64 } else { 0 };
                out.push(char::from(first + rest));
                chars.next();
                chars.next();
            }
            '0' => out.push('\0'),
            'b' => out.push('\u{8}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'Z' => out.push('\u{1A}'),
            // LIKE keeps the escape of its wildcards.
            '%' => out.push_str("\\%"),
            '_' => out.push_str("\\_"),
            'u' => {
                let hex: String = chars.clone().take(4).map(|(_, c)| c).collect();
                match u32::from_str_radix(&hex, 16).ok().filter(|_| hex.len() == 4).and_then(char::from_u32) {
                    Some(decoded) => {
                        out.push(decoded);
                        for _ in 0..4 {
                            chars.next();
                        }
                    }
                    None => out.push('u'),
                }
            }
            other => out.push(other),
        }
    }
    Err(syntax_error(sql, at(sql, start), &format!("'{quote}'"), ""))
}
