//! Places of texts in texts, parts between delimiters, likeness of texts.

use super::strings::{bytes, int, s, text1};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, row_call};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR2: &[In] = &[In::Str, In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);
const B: Ret = Ret::Is(T::Bool);
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("instr", 2, 4, instr_call),
    FunctionEntry::custom("locate", 2, 3, locate),
    FunctionEntry::custom("position", 2, 3, locate),
    FunctionEntry::row("substring_index", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::Strict, substring_index),
    FunctionEntry::row("split_part", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::StrictNullable, split_part),
    FunctionEntry::row("startswith", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |_, v| {
        Ok(Value::Boolean(bytes(&v[0]).starts_with(bytes(&v[1]))))
    }),
    FunctionEntry::row("endswith", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |_, v| {
        Ok(Value::Boolean(bytes(&v[0]).ends_with(bytes(&v[1]))))
    }),
    FunctionEntry::row("contains", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |_, v| {
        let (h, n) = (bytes(&v[0]), bytes(&v[1]));
        Ok(Value::Boolean(n.is_empty() || h.windows(n.len()).any(|w| w == n)))
    }),
    FunctionEntry::row("find_in_set", 2, 2, STR2, I, Nulls::Strict, |_, v| {
        let (word, set) = (s(&v[0]), s(&v[1]));
        if word.contains(',') {
            return Ok(Value::Integer(0));
        }
        Ok(Value::Integer(set.split(',').position(|p| p == word).map_or(0, |i| i as i32 + 1)))
    }),
    FunctionEntry::row("levenshtein", 2, 3, &[In::Str, In::Str, In::Int], I, Nulls::Strict, levenshtein),
    FunctionEntry::row("soundex", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, soundex)),
    FunctionEntry::row("luhn_check", 1, 1, STR, B, Nulls::StrictNullable, |_, v| Ok(Value::Boolean(luhn(s(&v[0]))))),
];

/// One-based position of `needle` at or after character `from`; 0 when absent.
fn find(text: &str, needle: &str, from: usize) -> i32 {
    let start: usize = text.chars().take(from).map(char::len_utf8).sum();
    match text.get(start..).and_then(|rest| rest.find(needle)) {
        Some(at) => text[..start + at].chars().count() as i32 + 1,
        None => 0,
    }
}

/// With a start, the occurrence is there too.
fn instr_call(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("instr", args, DataType::Integer, nullable, true, b.ansi(), instr))
}

/// instr(text, part[, start[, occurrence]]): from a place before the first (below 0 from the end backwards).
fn instr(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (text, part) = (s(&v[0]), s(&v[1]));
    let (start, occurrence) = (v.get(2).map_or(1, int), v.get(3).map_or(1, int));
    if start == 0 || occurrence < 1 {
        return Ok(Value::Integer(0));
    }
    if start == 1 && occurrence == 1 {
        return Ok(Value::Integer(find(text, part, 0)));
    }
    let (text, part): (Vec<char>, Vec<char>) = (text.chars().collect(), part.chars().collect());
    let at = |i: usize| text.get(i..i + part.len()).is_some_and(|piece| piece == &part[..]);
    let wanted = usize::try_from(occurrence - 1).unwrap_or(usize::MAX);
    let found = if start > 0 {
        let from = usize::try_from(start - 1).unwrap_or(usize::MAX);
        (from..text.len()).filter(|i| at(*i)).nth(wanted)
    } else {
        let end = (text.len() as i64 + start).max(-1) + 1;
        (0..usize::try_from(end).unwrap_or(0)).rev().filter(|i| at(*i)).nth(wanted)
    };
    Ok(Value::Integer(found.map_or(0, |i| i as i32 + 1)))
}

fn locate(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args[0].nullable() || args[1].nullable();
    Ok(row_call(b.name, args, DataType::Integer, nullable, false, b.ansi(), |_, v| {
        // A null start is 0, null texts are null.
        if v[2].is_null() {
            return Ok(Value::Integer(0));
        }
        match (v[0].as_str(), v[1].as_str()) {
            (Some(needle), Some(text)) => {
                let from = int(&v[2]);
                Ok(Value::Integer(if from < 1 { 0 } else { find(text, needle, from as usize - 1) }))
            }
            _ => Ok(Value::Null),
        }
    }))
}

fn substring_index(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (text, delimiter, count) = (s(&v[0]), s(&v[1]), int(&v[2]));
    if delimiter.is_empty() || count == 0 {
        return Ok(Value::from(""));
    }
    Ok(Value::from(if count > 0 {
        let mut at = 0;
        let mut end = None;
        for _ in 0..count {
            match text[at..].find(delimiter) {
                Some(i) => {
                    end = Some(at + i);
                    at += i + delimiter.len();
                }
                None => {
                    end = None;
                    break;
                }
            }
        }
        end.map_or(text, |e| &text[..e])
    } else {
        let mut end = text.len();
        let mut start = None;
        for _ in 0..count.unsigned_abs() {
            match text[..end].rfind(delimiter) {
                Some(i) => {
                    start = Some(i + delimiter.len());
                    end = i;
                }
                None => {
                    start = None;
                    break;
                }
            }
        }
        start.map_or(text, |at| &text[at..])
    }))
}

fn split_part(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let (text, delimiter, part) = (s(&v[0]), s(&v[1]), int(&v[2]));
    if part == 0 {
        return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[]));
    }
    let parts: Vec<&str> = if delimiter.is_empty() { vec![text] } else { text.split(delimiter).collect() };
    let index = if part > 0 { part - 1 } else { parts.len() as i64 + part };
    let found = usize::try_from(index).ok().and_then(|i| parts.get(i));
    Ok(Value::from(found.copied().unwrap_or("")))
}

fn levenshtein(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let a: Vec<char> = s(&v[0]).chars().collect();
    let b: Vec<char> = s(&v[1]).chars().collect();
    let mut row: Vec<i32> = (0..=b.len() as i32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as i32 + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + i32::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    let distance = row[b.len()];
    Ok(Value::Integer(match v.get(2).map(int) {
        Some(limit) if i64::from(distance) > limit => -1,
        _ => distance,
    }))
}

fn soundex(text: &str) -> String {
    const CODES: &[u8; 26] = b"01230127022455012623017202";
    let b = text.as_bytes();
    match b.first() {
        Some(c) if c.is_ascii_alphabetic() => {}
        _ => return text.to_owned(),
    }
    let code = |c: u8| CODES[(c.to_ascii_uppercase() - b'A') as usize];
    let mut out = vec![b[0].to_ascii_uppercase()];
    let mut last = code(b[0]);
    for c in &b[1..] {
        if !c.is_ascii_alphabetic() {
            last = b'0';
            continue;
        }
        let k = code(*c);
        // H and W (7) do not part equal codes.
        if k == b'7' {
            continue;
        }
        if k != b'0' && k != last {
            out.push(k);
            if out.len() == 4 {
                break;
            }
        }
        last = k;
    }
    while out.len() < 4 {
        out.push(b'0');
    }
    String::from_utf8(out).unwrap_or_default()
}

fn luhn(text: &str) -> bool {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let sum: u32 = text
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let d = u32::from(b - b'0') * if i % 2 == 1 { 2 } else { 1 };
            if d > 9 { d - 9 } else { d }
        })
        .sum();
    sum.is_multiple_of(10)
}
