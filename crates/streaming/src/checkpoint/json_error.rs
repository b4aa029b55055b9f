//! JSON of log files; what is broken in it is said as Jackson says it.

use serde_json::Value;
use tidemark_sql::error::{ErrorClass, Result, SparkError};

/// Parses one JSON document.
pub(crate) fn parse_json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|_| broken(text))
}

/// How Jackson names what it read, since it says no more of it.
const SOURCE: &str = "Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)";

fn broken(text: &str) -> SparkError {
    let message = Scanner { chars: text.chars().collect(), at: 0 }.complaint();
    let column = text.chars().count() + 1;
    SparkError::plain(
        ErrorClass::Java("com.fasterxml.jackson.core.JsonParseException"),
        format!("{message}\n at [{SOURCE}; line: 1, column: {column}]"),
    )
}

/// Walks a text as far as it is JSON.
struct Scanner {
    chars: Vec<char>,
    at: usize,
}

impl Scanner {
    fn complaint(mut self) -> String {
        self.value().err().unwrap_or_else(|| "Unexpected content after the end of the document".to_owned())
    }

    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn unexpected(c: char, expected: &str) -> String {
        format!("Unexpected character ('{c}' (code {})): was expecting {expected}", c as u32)
    }

    fn value(&mut self) -> Result<(), String> {
        match self.peek() {
            None => Err("No content to map due to end-of-input".to_owned()),
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => self.string(),
            Some(c) if c == '-' || c.is_ascii_digit() => {
                while self.chars.get(self.at).is_some_and(|c| matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9')) {
                    self.at += 1;
                }
                Ok(())
            }
            Some(c) if c.is_alphabetic() => {
                let start = self.at;
                while self.chars.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    self.at += 1;
                }
                let token: String = self.chars[start..self.at].iter().collect();
                if matches!(token.as_str(), "true" | "false" | "null") {
                    return Ok(());
                }
                Err(format!(
                    "Unrecognized token '{token}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
                ))
            }
            Some(c) => Err(Self::unexpected(
                c,
                "a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            )),
        }
    }

    /// The end of the text within what began at `start`.
    fn unclosed(kind: &str, start: usize) -> String {
        let column = start + 1;
        format!(
            "Unexpected end-of-input: expected close marker for {kind} (start marker at [{SOURCE}; line: 1, column: {column}])"
        )
    }

    fn object(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some('}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            match self.peek() {
                None => return Err(Self::unclosed("Object", start)),
                Some('"') => self.string()?,
                Some(c) => return Err(Self::unexpected(c, "double-quote to start field name")),
            }
            match self.peek() {
                None => return Err("Unexpected end-of-input within/between Object entries".to_owned()),
                Some(':') => self.at += 1,
                Some(c) => return Err(Self::unexpected(c, "a colon to separate field name and value")),
            }
            self.value()?;
            match self.peek() {
                None => return Err(Self::unclosed("Object", start)),
                Some(',') => self.at += 1,
                Some('}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(c) => return Err(Self::unexpected(c, "comma to separate Object entries")),
            }
        }
    }

    fn array(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some(']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value()?;
            match self.peek() {
                None => return Err(Self::unclosed("Array", start)),
                Some(',') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(c) => return Err(Self::unexpected(c, "comma to separate Array entries")),
            }
        }
    }

    fn string(&mut self) -> Result<(), String> {
        self.at += 1;
        while let Some(c) = self.chars.get(self.at) {
            self.at += if *c == '\\' { 2 } else { 1 };
            if *c == '"' {
                return Ok(());
            }
        }
        Err("Unexpected end-of-input in VALUE_STRING".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_jacksons() {
        let first = |text: &str| parse_json(text).map_err(|e| e.to_string().lines().next().unwrap_or("").to_owned());
        assert_eq!(
            first("{broken"),
            Err("Unexpected character ('b' (code 98)): was expecting double-quote to start field name".into())
        );
        assert_eq!(
            first("nonsense"),
            Err("Unrecognized token 'nonsense': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')".into())
        );
        assert_eq!(first("{\"path\""), Err("Unexpected end-of-input within/between Object entries".into()));
        assert!(first("{\"a\": [1, 2]}").is_ok());
    }
}
