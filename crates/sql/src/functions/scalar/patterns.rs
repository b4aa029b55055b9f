//! LIKE and regular expressions (java.util.regex by fancy-regex).

use std::rc::Rc;

use fancy_regex::Regex;

use super::strings::s;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("like", 2, 3, like),
    FunctionEntry::custom("ilike", 2, 3, like),
    FunctionEntry::custom("likeall", 2, MANY, like_many),
    FunctionEntry::custom("likeany", 2, MANY, like_many),
    FunctionEntry::custom("notlikeall", 2, MANY, like_many),
    FunctionEntry::custom("notlikeany", 2, MANY, like_many),
    FunctionEntry::custom("rlike", 2, 2, rlike),
    FunctionEntry::custom("regexp", 2, 2, rlike),
    FunctionEntry::custom("regexp_like", 2, 2, rlike),
    FunctionEntry::custom("split", 2, 3, split),
    FunctionEntry::custom("regexp_extract", 2, 3, |b, a| extract(b, a, DataType::String, regexp_extract)),
    FunctionEntry::custom("regexp_extract_all", 2, 3, |b, a| {
        extract(b, a, DataType::array(DataType::String, true), regexp_extract_all)
    }),
    FunctionEntry::custom("regexp_replace", 3, 4, replace),
    FunctionEntry::row("regexp_count", 2, 2, STR, Ret::Is(T::Int), Nulls::Strict, |c, v| {
        // It is the size of what regexp_extract_all finds.
        let re = compiled(c, s(&v[1]), "regexp_extract_all")?;
        Ok(Value::Integer(re.find_iter(s(&v[0])).filter(|m| m.is_ok()).count() as i32))
    }),
    FunctionEntry::row("regexp_substr", 2, 2, STR, Ret::Is(T::Str), Nulls::StrictNullable, |c, v| {
        let re = compiled(c, s(&v[1]), "regexp_substr")?;
        Ok(match re.find(s(&v[0])) {
            Ok(Some(m)) if !m.as_str().is_empty() => Value::from(m.as_str()),
            _ => Value::Null,
        })
    }),
    FunctionEntry::custom("regexp_instr", 2, 3, instr),
    FunctionEntry::custom("sentences", 1, 3, sentences),
];

/// A Java pattern, compiled; `function` names the caller in INVALID_PARAMETER_VALUE.PATTERN.
fn compiled(c: &RowContext<'_>, pattern: &str, function: &str) -> Result<Rc<Regex>> {
    c.cached(pattern, |p| {
        Regex::new(&translated(p)).map_err(|_| {
            SparkError::runtime(
                "INVALID_PARAMETER_VALUE.PATTERN",
                &[
                    ("parameter", "`regexp`"),
                    ("functionName", &format!("`{function}`")),
                    ("value", &format!("'{}'", p.replace('\\', "\\\\").replace('\'', "\\'"))),
                ],
            )
        })
    })
}

/// A Java pattern, compiled, or Java's own error.
pub(in crate::functions) fn java_regex(pattern: &str) -> Result<Regex> {
    Regex::new(&translated(pattern)).map_err(|e| {
        SparkError::plain(
            ErrorClass::Java("java.util.regex.PatternSyntaxException"),
            format!("{e} near index 0\n{pattern}"),
        )
    })
}

/// What Java writes otherwise: ASCII classes, possessive quantifiers are the same, `\h`, `\R`, `\Z`.
pub(super) fn translated(p: &str) -> String {
    let mut out = String::with_capacity(p.len() + 8);
    let mut chars = p.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str(if in_class { "a-zA-Z0-9_" } else { "[a-zA-Z0-9_]" }),
                Some('W') => out.push_str("[^a-zA-Z0-9_]"),
                Some('s') => out.push_str(if in_class { " \\t\\n\\x0B\\f\\r" } else { "[ \\t\\n\\x0B\\f\\r]" }),
                Some('S') => out.push_str("[^ \\t\\n\\x0B\\f\\r]"),
                Some('h') => out.push_str(if in_class { " \\t\\u{A0}" } else { "[ \\t\\u{A0}]" }),
                Some('R') => out.push_str("(?:\\r\\n|[\\n\\x0B\\f\\r\\u{85}\\u{2028}\\u{2029}])"),
                Some('Z') => out.push_str("(?=\\n?\\z)"),
                Some('Q') => {
                    let mut quoted = String::new();
                    while let Some(q) = chars.next() {
                        if q == '\\' && chars.peek() == Some(&'E') {
                            chars.next();
                            break;
                        }
                        quoted.push(q);
                    }
                    out.push_str(&regex::escape(&quoted));
                }
                Some('u') => {
                    let hex: String = chars.by_ref().take(4).collect();
                    out.push_str(&format!("\\u{{{hex}}}"));
                }
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            '[' => {
                // A bare bracket inside a class is Java's union; outside it opens one.
                if !in_class && chars.peek() == Some(&'^') {
                    chars.next();
                    out.push_str("[^");
                    in_class = true;
                    continue;
                }
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '$' if !in_class => out.push_str("(?=\\n?\\z)"),
            c => out.push(c),
        }
    }
    out
}

fn bool_call(b: &Build<'_>, name: &str, args: Vec<Expr>, eval: RowEval) -> Expr {
    let nullable = args.iter().any(Expr::nullable);
    row_call(name, args, DataType::Boolean, nullable, true, b.ansi(), eval)
}

fn matches(c: &RowContext<'_>, v: &[Value], function: &str) -> Result<Value> {
    let re = compiled(c, s(&v[1]), function)?;
    Ok(Value::Boolean(re.is_match(s(&v[0])).unwrap_or(false)))
}

fn rlike(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    // What is folded names the function as it was called; compiled code compiles a constant pattern itself, in Java's words.
    let eval: RowEval = match b.name {
        _ if !args.iter().all(Expr::foldable) => |c, v| {
            let re = c.cached(s(&v[1]), java_regex)?;
            Ok(Value::Boolean(re.is_match(s(&v[0])).unwrap_or(false)))
        },
        "regexp_like" => |c, v| matches(c, v, "regexp_like"),
        "regexp" => |c, v| matches(c, v, "regexp"),
        _ => |c, v| matches(c, v, "rlike"),
    };
    Ok(bool_call(b, b.name, args, eval))
}

/// One step of a LIKE pattern.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::functions) enum Step {
    One,
    Any,
    Is(char),
}

/// StringUtils.escapeLikeRegex, read as steps.
fn like_steps(pattern: &str, escape: char) -> Result<Vec<Step>> {
    let shown = format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut steps = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == escape {
            match chars.next() {
                Some(n) if n == '_' || n == '%' || n == escape => steps.push(Step::Is(n)),
                Some(n) => {
                    return Err(SparkError::analysis(
                        "INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                        &[("format", &shown), ("char", &format!("'{n}'"))],
                    ));
                }
                None => return Err(SparkError::analysis("INVALID_FORMAT.ESC_AT_THE_END", &[("format", &shown)])),
            }
        } else {
            steps.push(match c {
                '_' => Step::One,
                '%' => Step::Any,
                c => Step::Is(c),
            });
        }
    }
    Ok(steps)
}

/// A LIKE pattern; the usual ones need no search step by step.
pub(in crate::functions) enum Like {
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    Steps(Vec<Step>),
}

impl Like {
    /// Err: Spark's refusal of the pattern.
    pub(in crate::functions) fn new(pattern: &str, escape: char) -> Result<Like> {
        let steps = like_steps(pattern, escape)?;
        let inner = steps.strip_prefix(&[Step::Any]).unwrap_or(&steps);
        let inner = inner.strip_suffix(&[Step::Any]).unwrap_or(inner);
        let plain: Option<String> = inner
            .iter()
            .map(|step| match step {
                Step::Is(c) => Some(*c),
                _ => None,
            })
            .collect();
        let (open, closed) = (steps.first() == Some(&Step::Any), steps.last() == Some(&Step::Any));
        Ok(match plain {
            None => Like::Steps(steps),
            Some(text) => match (open, closed) {
                (false, false) => Like::Equals(text),
                (false, true) => Like::StartsWith(text),
                (true, false) => Like::EndsWith(text),
                (true, true) => Like::Contains(text),
            },
        })
    }

    pub(in crate::functions) fn matches(&self, text: &str) -> bool {
        match self {
            Like::Equals(whole) => text == whole,
            Like::StartsWith(part) => text.starts_with(part.as_str()),
            Like::EndsWith(part) => text.ends_with(part.as_str()),
            Like::Contains(part) => text.contains(part.as_str()),
            Like::Steps(steps) => like_matches(text, steps),
        }
    }
}

fn like_matches(text: &str, steps: &[Step]) -> bool {
    // Greedy with one place to come back to.
    let (mut t, mut p) = (text.chars(), 0);
    let mut back = None;
    loop {
        let before = t.clone();
        let Some(c) = t.next() else { break };
        match steps.get(p) {
            Some(Step::Any) => {
                p += 1;
                back = Some((p, before.clone()));
                t = before;
            }
            Some(Step::One) => p += 1,
            Some(Step::Is(wanted)) if *wanted == c => p += 1,
            _ => match &mut back {
                Some((after, from)) => {
                    p = *after;
                    from.next();
                    t = from.clone();
                }
                None => return false,
            },
        }
    }
    steps[p..].iter().all(|s| *s == Step::Any)
}

fn like_value(c: &RowContext<'_>, text: &str, pattern: &str, escape: char, fold: bool) -> Result<bool> {
    let make = |pattern: &str| Like::new(pattern, escape);
    // The escape is the same for nearly all rows; another one has its own key.
    let key = if escape == '\\' { std::borrow::Cow::Borrowed(pattern) } else { format!("{escape}\0{pattern}").into() };
    let like = c.cached(&key, |_| if fold { make(&pattern.to_lowercase()) } else { make(pattern) })?;
    Ok(if fold { like.matches(&text.to_lowercase()) } else { like.matches(text) })
}

fn like(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    if let Some(Expr::Literal { value: Value::String(escape), .. }) = args.get(2)
        && escape.chars().count() != 1
    {
        return Err(SparkError::analysis(
            "INVALID_ESCAPE_CHAR",
            &[("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text(b.name, &args)))],
        ));
    }
    fn escape(v: &[Value]) -> char {
        v.get(2).and_then(Value::as_str).and_then(|e| e.chars().next()).unwrap_or('\\')
    }
    let eval: RowEval = if b.name == "like" {
        |c, v| Ok(Value::Boolean(like_value(c, s(&v[0]), s(&v[1]), escape(v), false)?))
    } else {
        |c, v| Ok(Value::Boolean(like_value(c, s(&v[0]), s(&v[1]), escape(v), true)?))
    };
    Ok(bool_call(b, b.name, args, eval))
}

/// likeall(text, patterns...) and its kin: shown with the text alone.
fn like_many(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    fn over(c: &RowContext<'_>, v: &[Value], all: bool, negated: bool) -> Result<Value> {
        let Some(text) = v[0].as_str() else { return Ok(Value::Null) };
        let mut unknown = false;
        for p in &v[1..] {
            match p.as_str() {
                None => unknown = true,
                Some(p) => {
                    let hit = like_value(c, text, p, '\\', false)? != negated;
                    if hit != all {
                        return Ok(Value::Boolean(hit));
                    }
                }
            }
        }
        Ok(if unknown { Value::Null } else { Value::Boolean(all) })
    }
    let eval: RowEval = match b.name {
        "likeall" => |c, v| over(c, v, true, false),
        "likeany" => |c, v| over(c, v, false, false),
        "notlikeall" => |c, v| over(c, v, true, true),
        _ => |c, v| over(c, v, false, true),
    };
    Ok(row_call(b.name, args, DataType::Boolean, true, false, b.ansi(), eval))
}

fn split(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(-1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::array(DataType::String, false);
    Ok(row_call("split", args, t, nullable, true, b.ansi(), |c, v| {
        let (text, pattern, limit) = (s(&v[0]), s(&v[1]), v[2].as_i64().unwrap_or(-1));
        if text.is_empty() {
            return Ok(Value::array(vec![Value::from("")]));
        }
        let most = usize::try_from(limit).ok().filter(|n| *n > 0).unwrap_or(usize::MAX);
        if pattern.is_empty() {
            // UTF8String.split on nothing: one piece a character.
            let mut parts: Vec<Value> = Vec::new();
            let mut rest = text;
            while let Some(ch) = rest.chars().next() {
                if parts.len() + 1 == most {
                    parts.push(Value::from(rest));
                    return Ok(Value::array(parts));
                }
                parts.push(Value::from(&rest[..ch.len_utf8()]));
                rest = &rest[ch.len_utf8()..];
            }
            return Ok(Value::array(parts));
        }
        let literal = !pattern.contains(|ch: char| ".$|()[{^?*+\\".contains(ch));
        if literal {
            return Ok(Value::array(text.splitn(most, pattern).map(Value::from).collect()));
        }
        let re = c.cached(pattern, java_regex)?;
        let mut parts = Vec::new();
        let mut at = 0;
        for m in re.find_iter(text).flatten() {
            if parts.len() + 1 >= most {
                break;
            }
            // An empty match at the start gives no empty first piece.
            if m.end() == 0 {
                continue;
            }
            parts.push(Value::from(&text[at..m.start()]));
            at = m.end();
        }
        parts.push(Value::from(&text[at..]));
        Ok(Value::array(parts))
    }))
}

fn extract(b: &mut Build<'_>, mut args: Vec<Expr>, t: DataType, eval: RowEval) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call(b.name, args, t, nullable, true, b.ansi(), eval))
}

fn check_group(re: &Regex, index: i64, function: &str) -> Result<usize> {
    let groups = re.captures_len() as i64 - 1;
    if index < 0 || index > groups {
        return Err(SparkError::runtime(
            "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
            &[
                ("parameter", "`idx`"),
                ("functionName", &format!("`{function}`")),
                ("groupCount", &groups.to_string()),
                ("groupIndex", &index.to_string()),
            ],
        ));
    }
    Ok(index as usize)
}

fn regexp_extract(c: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let re = compiled(c, s(&v[1]), "regexp_extract")?;
    match re.captures(s(&v[0])) {
        Ok(Some(found)) => {
            let group = check_group(&re, v[2].as_i64().unwrap_or(0), "regexp_extract")?;
            Ok(Value::from(found.get(group).map_or("", |m| m.as_str())))
        }
        _ => Ok(Value::from("")),
    }
}

fn regexp_extract_all(c: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let re = compiled(c, s(&v[1]), "regexp_extract_all")?;
    let mut out = Vec::new();
    for found in re.captures_iter(s(&v[0])).flatten() {
        let group = check_group(&re, v[2].as_i64().unwrap_or(0), "regexp_extract_all")?;
        out.push(Value::from(found.get(group).map_or("", |m| m.as_str())));
    }
    Ok(Value::array(out))
}

fn replace(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Str, In::Int])?;
    if let Expr::Literal { value: Value::Integer(from), .. } = args[3].unaliased()
        && *from <= 0
    {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text("regexp_replace", &args))),
                ("exprName", "position"),
                ("valueRange", "(0, 2147483647]"),
                ("currentValue", &from.to_string()),
            ],
        ));
    }
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("regexp_replace", args, DataType::String, nullable, true, b.ansi(), |c, v| {
        let (text, pattern, with, from) = (s(&v[0]), s(&v[1]), s(&v[2]), v[3].as_i64().unwrap_or(1));
        let re = compiled(c, pattern, "regexp_replace")?;
        let skip = usize::try_from(from - 1).unwrap_or(0);
        let start: usize = text.chars().take(skip).map(char::len_utf8).sum();
        if skip > 0 && start >= text.len() {
            return Ok(v[0].clone());
        }
        let mut out = text[..start].to_owned();
        let mut at = start;
        for found in re.captures_from_pos_iter(text, start) {
            let Some(whole) = found.get(0) else { break };
            out.push_str(&text[at..whole.start()]);
            if !expand(with, &found, &re, &mut out) {
                return Err(SparkError::runtime(
                    "INVALID_REGEXP_REPLACE",
                    &[("source", text), ("pattern", pattern), ("replacement", with), ("position", &from.to_string())],
                ));
            }
            at = whole.end();
        }
        out.push_str(&text[at..]);
        Ok(Value::from(out))
    }))
}

/// Captures from a position on, one after another.
trait CapturesFrom {
    fn captures_from_pos_iter<'t>(&self, text: &'t str, start: usize) -> Vec<fancy_regex::Captures<'t, str>>;
}

impl CapturesFrom for Regex {
    fn captures_from_pos_iter<'t>(&self, text: &'t str, start: usize) -> Vec<fancy_regex::Captures<'t, str>> {
        let mut out = Vec::new();
        let mut at = start;
        while at <= text.len() {
            let Ok(Some(found)) = self.captures_from_pos(text, at) else { break };
            let Some(whole) = found.get(0) else { break };
            at = if whole.end() > whole.start() {
                whole.end()
            } else {
                whole.end() + text[whole.end()..].chars().next().map_or(1, char::len_utf8)
            };
            out.push(found);
        }
        out
    }
}

/// Matcher.appendReplacement: `$1`, `${name}`, `\$`. False for a group that does not exist.
fn expand(with: &str, found: &fancy_regex::Captures<'_, str>, re: &Regex, out: &mut String) -> bool {
    let mut chars = with.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(n) => out.push(n),
                None => return false,
            },
            '$' => {
                if chars.peek() == Some(&'{') {
                    chars.next();
                    let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                    match found.name(&name) {
                        Some(m) => out.push_str(m.as_str()),
                        None => return false,
                    }
                    continue;
                }
                let Some(mut group) = chars.next().and_then(|d| d.to_digit(10)).map(|d| d as usize) else {
                    return false;
                };
                if group >= re.captures_len() {
                    return false;
                }
                // More digits belong to the group while it exists.
                while let Some(d) = chars.peek().and_then(|d| d.to_digit(10)) {
                    let next = group * 10 + d as usize;
                    if next >= re.captures_len() {
                        break;
                    }
                    group = next;
                    chars.next();
                }
                if let Some(m) = found.get(group) {
                    out.push_str(m.as_str());
                }
            }
            c => out.push(c),
        }
    }
    true
}

fn instr(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(0), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("regexp_instr", args, DataType::Integer, nullable, true, b.ansi(), |c, v| {
        let re = compiled(c, s(&v[1]), "regexp_instr")?;
        let text = s(&v[0]);
        Ok(Value::Integer(match re.find(text) {
            Ok(Some(m)) => text[..m.start()].chars().count() as i32 + 1,
            _ => 0,
        }))
    }))
}

fn sentences(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    while args.len() < 3 {
        args.push(Expr::literal(Value::from(""), DataType::String));
    }
    let args = b.inputs(args, STR)?;
    let t = DataType::array(DataType::array(DataType::String, false), false);
    Ok(row_call("sentences", args, t, true, false, b.ansi(), |_, v| {
        let Some(text) = v[0].as_str() else { return Ok(Value::Null) };
        let sentences = text
            .split_inclusive(['.', '!', '?'])
            .map(|sentence| {
                sentence
                    .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                    .filter(|w| !w.is_empty())
                    .map(Value::from)
                    .collect::<Vec<_>>()
            })
            .filter(|words| !words.is_empty())
            .map(Value::array)
            .collect();
        Ok(Value::array(sentences))
    }))
}
