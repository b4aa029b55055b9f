//! Regular expressions (java.util.regex by fancy-regex).

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, ListBuilder, StringBuilder};
use fancy_regex::Regex;

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Bool, ColumnEval, Columns, Int, Memo, Text, Texts, column_call, four, three, two};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("rlike", 2, 2, |b, a| rlike(b, a, |c| found(c, &|p| compiled(p, "rlike")))),
    FunctionEntry::custom("regexp", 2, 2, |b, a| rlike(b, a, |c| found(c, &|p| compiled(p, "regexp")))),
    FunctionEntry::custom("regexp_like", 2, 2, |b, a| rlike(b, a, |c| found(c, &|p| compiled(p, "regexp_like")))),
    FunctionEntry::custom("split", 2, 3, split),
    FunctionEntry::custom("regexp_extract", 2, 3, |b, a| extract(b, a, DataType::String, regexp_extract)),
    FunctionEntry::custom("regexp_extract_all", 2, 3, |b, a| {
        extract(b, a, DataType::array(DataType::String, true), regexp_extract_all)
    }),
    FunctionEntry::custom("regexp_replace", 3, 4, replace),
    FunctionEntry::columns("regexp_count", 2, 2, STR, Ret::Is(T::Int), Nulls::Strict, |c| {
        let patterns = Memo::default();
        two::<Text, Text, Int>(c, &|text, pattern| {
            // It is the size of what regexp_extract_all finds.
            let re = patterns.get(pattern, |p| compiled(p, "regexp_extract_all"))?;
            Ok(Some(re.find_iter(text).filter(|m| m.is_ok()).count() as i32))
        })
    }),
    FunctionEntry::columns("regexp_substr", 2, 2, STR, Ret::Is(T::Str), Nulls::StrictNullable, |c| {
        let patterns = Memo::default();
        two::<Text, Text, Text>(c, &|text, pattern| {
            let re = patterns.get(pattern, |p| compiled(p, "regexp_substr"))?;
            Ok(match re.find(text) {
                Ok(Some(m)) if !m.as_str().is_empty() => Some(Cow::Borrowed(m.as_str())),
                _ => None,
            })
        })
    }),
    FunctionEntry::custom("regexp_instr", 2, 3, instr),
    FunctionEntry::custom("sentences", 1, 3, sentences),
];

/// A Java pattern, compiled; `function` names the caller in INVALID_PARAMETER_VALUE.PATTERN.
fn compiled(pattern: &str, function: &str) -> Result<Regex> {
    Regex::new(&translated(pattern)).map_err(|_| {
        SparkError::runtime(
            "INVALID_PARAMETER_VALUE.PATTERN",
            &[
                ("parameter", "`regexp`"),
                ("functionName", &format!("`{function}`")),
                ("value", &format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"))),
            ],
        )
    })
}

/// A Java pattern, compiled, or Java's own error.
fn java_regex(pattern: &str) -> Result<Regex> {
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

pub(super) fn bool_call(b: &Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Expr {
    let nullable = args.iter().any(Expr::nullable);
    column_call(b.name, args, DataType::Boolean, nullable, true, b.ansi(), eval)
}

/// Whether a pattern is found in each text.
fn found(c: &Columns<'_>, compile: &dyn Fn(&str) -> Result<Regex>) -> Result<ArrayRef> {
    let patterns = Memo::default();
    two::<Text, Text, Bool>(c, &|text, pattern| {
        Ok(Some(patterns.get(pattern, compile)?.is_match(text).unwrap_or(false)))
    })
}

/// What is folded names the function as it was called; compiled code compiles a constant pattern itself, in Java's words.
fn rlike(b: &mut Build<'_>, args: Vec<Expr>, folded: ColumnEval) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    let eval = if args.iter().all(Expr::foldable) { folded } else { |c: &Columns<'_>| found(c, &java_regex) };
    Ok(bool_call(b, args, eval))
}

fn split(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(-1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::array(DataType::String, false);
    Ok(column_call("split", args, t, nullable, true, b.ansi(), |c| {
        let patterns = Memo::default();
        three::<Text, Text, Int, Texts>(c, &|text, pattern, limit| {
            let most = usize::try_from(limit).ok().filter(|n| *n > 0).unwrap_or(usize::MAX);
            if text.is_empty() {
                Ok(Some(vec![""]))
            } else if pattern.is_empty() {
                Ok(Some(characters(text, most)))
            } else if !pattern.contains(|ch: char| ".$|()[{^?*+\\".contains(ch)) {
                Ok(Some(text.splitn(most, pattern).collect()))
            } else {
                Ok(Some(between(text, &*patterns.get(pattern, java_regex)?, most)))
            }
        })
    }))
}

/// UTF8String.split on nothing: one piece a character, the rest in the last of `most`.
fn characters(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(ch) = rest.chars().next() {
        if pieces.len() + 1 == most {
            pieces.push(rest);
            break;
        }
        let (piece, after) = rest.split_at(ch.len_utf8());
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Up to `most` pieces between the places where a pattern is found.
fn between<'a>(text: &'a str, re: &Regex, most: usize) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for m in re.find_iter(text).flatten() {
        if pieces.len() + 1 >= most {
            break;
        }
        // An empty match at the start gives no empty first piece.
        if m.end() == 0 {
            continue;
        }
        pieces.push(&text[at..m.start()]);
        at = m.end();
    }
    pieces.push(&text[at..]);
    pieces
}

fn extract(b: &mut Build<'_>, mut args: Vec<Expr>, t: DataType, eval: ColumnEval) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call(b.name, args, t, nullable, true, b.ansi(), eval))
}

fn check_group(re: &Regex, index: i32, function: &str) -> Result<usize> {
    let groups = re.captures_len() as i32 - 1;
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

fn regexp_extract(c: &Columns<'_>) -> Result<ArrayRef> {
    let patterns = Memo::default();
    three::<Text, Text, Int, Text>(c, &|text, pattern, index| {
        let re = patterns.get(pattern, |p| compiled(p, "regexp_extract"))?;
        let Ok(Some(found)) = re.captures(text) else { return Ok(Some(Cow::Borrowed(""))) };
        let group = check_group(&re, index, "regexp_extract")?;
        Ok(Some(Cow::Borrowed(found.get(group).map_or("", |m| m.as_str()))))
    })
}

fn regexp_extract_all(c: &Columns<'_>) -> Result<ArrayRef> {
    let patterns = Memo::default();
    three::<Text, Text, Int, Texts>(c, &|text, pattern, index| {
        let re = patterns.get(pattern, |p| compiled(p, "regexp_extract_all"))?;
        let found = re.captures_iter(text).flatten().map(|found| {
            let group = check_group(&re, index, "regexp_extract_all")?;
            Ok(found.get(group).map_or("", |m| m.as_str()))
        });
        found.collect::<Result<Vec<_>>>().map(Some)
    })
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
    Ok(column_call("regexp_replace", args, DataType::String, nullable, true, b.ansi(), |c| {
        let patterns = Memo::default();
        four::<Text, Text, Text, Int, Text>(c, &|text, pattern, with, from| {
            let re = patterns.get(pattern, |p| compiled(p, "regexp_replace"))?;
            let skip = usize::try_from(i64::from(from) - 1).unwrap_or(0);
            let start: usize = text.chars().take(skip).map(char::len_utf8).sum();
            if skip > 0 && start >= text.len() {
                return Ok(Some(Cow::Borrowed(text)));
            }
            let mut out = text[..start].to_owned();
            let mut at = start;
            for found in re.captures_from_pos_iter(text, start) {
                let Some(whole) = found.get(0) else { break };
                out.push_str(&text[at..whole.start()]);
                if !expand(with, &found, &re, &mut out) {
                    let position = from.to_string();
                    return Err(SparkError::runtime(
                        "INVALID_REGEXP_REPLACE",
                        &[("source", text), ("pattern", pattern), ("replacement", with), ("position", &position)],
                    ));
                }
                at = whole.end();
            }
            out.push_str(&text[at..]);
            Ok(Some(Cow::Owned(out)))
        })
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
    Ok(column_call("regexp_instr", args, DataType::Integer, nullable, true, b.ansi(), |c| {
        let patterns = Memo::default();
        // A null index makes the row null; which group it is does not matter.
        three::<Text, Text, Int, Int>(c, &|text, pattern, _| {
            let re = patterns.get(pattern, |p| compiled(p, "regexp_instr"))?;
            Ok(Some(match re.find(text) {
                Ok(Some(m)) => text[..m.start()].chars().count() as i32 + 1,
                _ => 0,
            }))
        })
    }))
}

fn sentences(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    while args.len() < 3 {
        args.push(Expr::literal(Value::from(""), DataType::String));
    }
    let args = b.inputs(args, STR)?;
    let t = DataType::array(DataType::array(DataType::String, false), false);
    Ok(column_call("sentences", args, t, true, false, b.ansi(), words))
}

/// The words of the sentences of each text.
fn words(c: &Columns<'_>) -> Result<ArrayRef> {
    let texts = c.open::<Text>(0)?;
    let field = |t: DataType| arrow::datatypes::Field::new("element", t.to_arrow(), true);
    let sentence = ListBuilder::new(StringBuilder::new()).with_field(field(DataType::String));
    let mut out = ListBuilder::new(sentence).with_field(field(DataType::array(DataType::String, false)));
    for row in 0..c.rows {
        let Some(text) = texts.get(row) else {
            out.append_null();
            continue;
        };
        for sentence in text.split_inclusive(['.', '!', '?']) {
            let words = sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty());
            let mut words = words.peekable();
            if words.peek().is_some() {
                words.for_each(|word| out.values().values().append_value(word));
                out.values().append(true);
            }
        }
        out.append(true);
    }
    Ok(Arc::new(out.finish()))
}
