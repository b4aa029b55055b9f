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
    let bytes = text.as_bytes();
    let found = find(bytes, span, steps, true)?;
    Some(match found {
        Found::One(span) if span.kind == Kind::Null => return None,
        Found::One(span) => bare(bytes, span, DEFAULT),
        Found::Many(list) => {
            let mut out = String::from("[");
            for (i, span) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                rewrite(bytes, *span, DEFAULT, &mut out);
            }
            out.push(']');
            out
        }
    })
}

enum Found {
    One(Span),
    Many(Vec<Span>),
}

fn find(bytes: &[u8], span: Span, steps: &[Step], top: bool) -> Option<Found> {
    let Some((step, rest)) = steps.split_first() else {
        return (span.kind != Kind::Null || top).then_some(Found::One(span));
    };
    match (step, span.kind) {
        (Step::Name(name), Kind::Object) => {
            // The first member of the name that leads on wins.
            members(bytes, span, DEFAULT)
                .into_iter()
                .filter(|(n, v)| n == name && v.kind != Kind::Null)
                .find_map(|(_, v)| find(bytes, v, rest, false))
        }
        (Step::Index(i), Kind::Array) => find(bytes, *items(bytes, span, DEFAULT).get(*i)?, rest, false),
        (Step::Elements, Kind::Array) => {
            let list = items(bytes, span, DEFAULT);
            let mut all = Vec::new();
            for item in list {
                match find(bytes, item, rest, false) {
                    Some(Found::One(span)) => all.push(span),
                    Some(Found::Many(more)) => all.extend(more),
                    // A bare wildcard keeps nulls in their places.
                    None if rest.is_empty() && item.kind == Kind::Null => all.push(item),
                    None => {}
                }
            }
            match all.len() {
                0 => None,
                1 => Some(Found::One(all[0])),
                _ => Some(Found::Many(all)),
            }
        }
        _ => None,
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
        assert_eq!(at("$['a.b']").as_deref(), Some("5"));
        assert_eq!(at("$.sp ace").as_deref(), Some("6"));
        for none in ["$.nil", "$.missing", "$.items.sku", "$.", "id", "$..sku", "$[0]", "$.geo.at[-1]"] {
            assert_eq!(at(none), None, "{none}");
        }
    }
}
