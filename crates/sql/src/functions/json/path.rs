//! get_json_object: JSON paths (JsonPathParser, GetJsonObjectEvaluator).

use super::{DEFAULT, bare, items, members, rewrite, root};
use crate::datasource::json_scan::{Kind, Span};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Name(String),
    Index(usize),
    /// `[*]`.
    Elements,
    /// `.*` and `['*']`.
    Members,
}

/// Steps of a path; None when it is no path.
pub(super) fn parse(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("['") {
            let end = after.find('\'')?;
            let name = &after[..end];
            // `\?` is not a name.
            if name.is_empty() || name.contains('?') {
                return None;
            }
            steps.push(if name == "*" { Step::Members } else { Step::Name(name.to_owned()) });
            rest = after[end + 1..].strip_prefix(']')?;
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(']')?;
            let inner = &after[..end];
            steps.push(if inner == "*" { Step::Elements } else { Step::Index(inner.parse().ok()?) });
            rest = &after[end + 1..];
        } else {
            let after = rest.strip_prefix('.')?;
            if let Some(left) = after.strip_prefix('*') {
                steps.push(Step::Members);
                rest = left;
                continue;
            }
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            steps.push(Step::Name(after[..end].to_owned()));
            rest = &after[end..];
        }
    }
    Some(steps)
}

/// What the path finds, as text.
pub(super) fn get(text: &str, steps: &[Step]) -> Option<String> {
    let span = root(text, DEFAULT)?;
    let mut out = Writer::default();
    evaluate(text.as_bytes(), span, steps, Style::Raw, &mut out).then_some(out.text)
}

/// How what a path finds is written (WriteStyle).
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// A text stands by itself, without quotes.
    Raw,
    Quoted,
    /// Arrays give their elements to the array around them.
    Flatten,
}

/// JSON values one after the other, as Jackson's generator separates them.
#[derive(Default)]
struct Writer {
    text: String,
    /// For each open array whether it is still empty.
    open: Vec<bool>,
}

impl Writer {
    fn separate(&mut self) {
        match self.open.last_mut() {
            Some(empty) if *empty => *empty = false,
            Some(_) => self.text.push(','),
            None if self.text.is_empty() => {}
            None => self.text.push(' '),
        }
    }

    fn array(&mut self, write: impl FnOnce(&mut Self) -> bool) -> bool {
        self.separate();
        self.text.push('[');
        self.open.push(true);
        let found = write(self);
        self.open.pop();
        self.text.push(']');
        found
    }
}

/// GetJsonObjectEvaluator.evaluatePath: writes what is found; false: nothing is.
fn evaluate(bytes: &[u8], span: Span, steps: &[Step], style: Style, out: &mut Writer) -> bool {
    let each = |steps: &[Step], style: Style, out: &mut Writer| {
        let found = items(bytes, span, DEFAULT).into_iter().map(|item| evaluate(bytes, item, steps, style, out));
        found.filter(|found| *found).count()
    };
    match (steps, span.kind) {
        ([], Kind::Text { .. }) if style == Style::Raw => {
            out.text.push_str(&bare(bytes, span, DEFAULT));
            true
        }
        ([], Kind::Array) if style == Style::Flatten => each(&[], style, out) > 0,
        ([], _) => {
            out.separate();
            rewrite(bytes, span, DEFAULT, &mut out.text);
            true
        }
        // The first member of the name that leads on wins.
        ([Step::Name(name), rest @ ..], Kind::Object) => members(bytes, span, DEFAULT)
            .into_iter()
            .filter(|(n, v)| n == name && v.kind != Kind::Null)
            .any(|(_, v)| evaluate(bytes, v, rest, style, out)),
        // Two wildcards in a row do not keep the structure.
        ([Step::Elements, Step::Elements, rest @ ..], Kind::Array) => {
            out.array(|out| each(rest, Style::Flatten, out) > 0)
        }
        ([Step::Elements, rest @ ..], Kind::Array) if style == Style::Quoted => {
            out.array(|out| each(rest, style, out) > 0)
        }
        ([Step::Elements, rest @ ..], Kind::Array) => {
            let next = if style == Style::Raw { Style::Quoted } else { style };
            let mut own = Writer::default();
            let mut found = 0;
            own.array(|own| {
                found = each(rest, next, own);
                true
            });
            if found > 0 {
                out.separate();
                // One match comes without the array around it.
                out.text.push_str(if found > 1 { &own.text } else { &own.text[1..own.text.len() - 1] });
            }
            found > 0
        }
        ([Step::Index(i), rest @ ..], Kind::Array) => {
            let style = if rest.first() == Some(&Step::Elements) { Style::Quoted } else { style };
            let item = items(bytes, span, DEFAULT).get(*i).copied();
            item.is_some_and(|item| evaluate(bytes, item, rest, style, out))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let text =
            r#"{"id":7,"x":1.50,"geo":{"at":[10,20]},"items":[{"sku":"a"},{"sku":"b"}],"nil":null,"a.b":5,"sp ace":6}"#;
        let at = |path: &str| parse(path).and_then(|steps| get(text, &steps));
        assert_eq!(at("$.id").as_deref(), Some("7"));
        assert_eq!(at("$.x").as_deref(), Some("1.5"));
        assert_eq!(at("$.geo.at[1]").as_deref(), Some("20"));
        assert_eq!(at("$.geo.at[*]").as_deref(), Some("[10,20]"));
        assert_eq!(at("$.items[*].sku").as_deref(), Some(r#"["a","b"]"#));
        assert_eq!(get(r#"["x"]"#, &[Step::Elements]).as_deref(), Some(r#""x""#));
        assert_eq!(get("[[1],[2,[3]]]", &[Step::Elements, Step::Elements]).as_deref(), Some("[1,2,3]"));
        assert_eq!(get("[[[1],[2]]]", &[Step::Index(0), Step::Elements]).as_deref(), Some("[[1],[2]]"));
        assert_eq!(at("$['a.b']").as_deref(), Some("5"));
        assert_eq!(at("$.sp ace").as_deref(), Some("6"));
        for none in ["$.nil", "$.missing", "$.items.sku", "$.", "id", "$..sku", "$[0]", "$.geo.at[-1]"] {
            assert_eq!(at(none), None, "{none}");
        }
    }
}
