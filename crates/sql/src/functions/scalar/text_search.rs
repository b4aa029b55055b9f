//! Places of texts in texts, parts between delimiters, likeness of texts.

use std::borrow::Cow;

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Bool, Bytes, Int, Maybe, Text, column_call, four, one, three, two};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR2: &[In] = &[In::Str, In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);
const B: Ret = Ret::Is(T::Bool);
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("instr", 2, 4, instr),
    FunctionEntry::custom("locate", 2, 3, locate),
    FunctionEntry::custom("position", 2, 3, locate),
    FunctionEntry::columns("substring_index", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::Strict, |c| {
        three::<Text, Text, Int, Text>(c, &|s, delimiter, count| {
            Ok(Some(Cow::Borrowed(substring_index(s, delimiter, count))))
        })
    }),
    FunctionEntry::columns("split_part", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::StrictNullable, |c| {
        three::<Text, Text, Int, Text>(c, &|s, delimiter, part| {
            split_part(s, delimiter, part).map(|found| Some(Cow::Borrowed(found)))
        })
    }),
    FunctionEntry::columns("startswith", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |c| {
        two::<Bytes, Bytes, Bool>(c, &|text, part| Ok(Some(text.starts_with(part))))
    }),
    FunctionEntry::columns("endswith", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |c| {
        two::<Bytes, Bytes, Bool>(c, &|text, part| Ok(Some(text.ends_with(part))))
    }),
    FunctionEntry::columns("contains", 2, 2, &[STR_OR_BIN, STR_OR_BIN], B, Nulls::Strict, |c| {
        if !c.types.contains(&DataType::Binary) {
            return two::<Text, Text, Bool>(c, &|text, part| Ok(Some(text.contains(part))));
        }
        two::<Bytes, Bytes, Bool>(c, &|h, n| Ok(Some(n.is_empty() || h.windows(n.len()).any(|w| w == n))))
    }),
    FunctionEntry::columns("find_in_set", 2, 2, STR2, I, Nulls::Strict, |c| {
        two::<Text, Text, Int>(c, &|word, set| {
            if word.contains(',') {
                return Ok(Some(0));
            }
            Ok(Some(set.split(',').position(|p| p == word).map_or(0, |i| i as i32 + 1)))
        })
    }),
    FunctionEntry::columns("levenshtein", 2, 3, &[In::Str, In::Str, In::Int], I, Nulls::Strict, |c| {
        if c.args.len() == 2 {
            return two::<Text, Text, Int>(c, &|a, b| Ok(Some(levenshtein(a, b))));
        }
        three::<Text, Text, Int, Int>(c, &|a, b, limit| {
            let distance = levenshtein(a, b);
            Ok(Some(if distance > limit { -1 } else { distance }))
        })
    }),
    FunctionEntry::columns("soundex", 1, 1, STR, S, Nulls::Strict, |c| {
        one::<Text, Text>(c, &|s| Ok(Some(Cow::Owned(soundex(s)))))
    }),
    FunctionEntry::columns("luhn_check", 1, 1, STR, B, Nulls::StrictNullable, |c| {
        one::<Text, Bool>(c, &|s| Ok(Some(luhn(s))))
    }),
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
fn instr(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("instr", args, DataType::Integer, nullable, true, b.ansi(), |c| {
        if c.args.len() == 2 {
            return two::<Text, Text, Int>(c, &|text, part| Ok(Some(find(text, part, 0))));
        }
        four::<Text, Text, Int, Int, Int>(c, &|text, part, start, occurrence| {
            Ok(Some(place(text, part, start.into(), occurrence)))
        })
    }))
}

/// Place of an occurrence of `part`, from `start` on (below 0 from the end backwards); 0 when there is none.
fn place(text: &str, part: &str, start: i64, occurrence: i32) -> i32 {
    if start == 0 || occurrence < 1 {
        return 0;
    }
    if start == 1 && occurrence == 1 {
        return find(text, part, 0);
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
    found.map_or(0, |i| i as i32 + 1)
}

fn locate(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(1), DataType::Integer));
    }
    let args = b.inputs(args, &[In::Str, In::Str, In::Int])?;
    let nullable = args[0].nullable() || args[1].nullable();
    Ok(column_call(b.name, args, DataType::Integer, nullable, false, b.ansi(), |c| {
        three::<Maybe<Text>, Maybe<Text>, Maybe<Int>, Int>(c, &|needle, text, from| {
            // A null start is 0, null texts are null.
            Ok(match (from, needle, text) {
                (None, ..) => Some(0),
                (Some(from), Some(needle), Some(text)) => Some(
                    usize::try_from(from)
                        .ok()
                        .and_then(|from| from.checked_sub(1))
                        .map_or(0, |from| find(text, needle, from)),
                ),
                _ => None,
            })
        })
    }))
}

fn substring_index<'a>(text: &'a str, delimiter: &str, count: i32) -> &'a str {
    if delimiter.is_empty() || count == 0 {
        return "";
    }
    if count > 0 {
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
    }
}

fn split_part<'a>(text: &'a str, delimiter: &str, part: i32) -> Result<&'a str> {
    let pieces = || if delimiter.is_empty() { None } else { Some(text.split(delimiter)) };
    let index = match part {
        0 => return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[])),
        1.. => i64::from(part) - 1,
        _ => pieces().map_or(1, Iterator::count) as i64 + i64::from(part),
    };
    let Ok(index) = usize::try_from(index) else { return Ok("") };
    let found = match pieces() {
        Some(mut pieces) => pieces.nth(index),
        None => (index == 0).then_some(text),
    };
    Ok(found.unwrap_or(""))
}

fn levenshtein(a: &str, b: &str) -> i32 {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
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
    row[b.len()]
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
