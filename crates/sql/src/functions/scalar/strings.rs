//! Functions of text: case, length, parts, padding, search.

use super::super::coercion::In;
use super::super::registry::DataType2 as T;
use super::super::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use super::super::row::{RowContext, row_call};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::cast_to;
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR2: &[In] = &[In::Str, In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);
const B: Ret = Ret::Is(T::Bool);
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::row("upper", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, |s| s.to_uppercase())),
    FunctionEntry::row("ucase", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, |s| s.to_uppercase())),
    FunctionEntry::row("lower", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, |s| s.to_lowercase())),
    FunctionEntry::row("lcase", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, |s| s.to_lowercase())),
    FunctionEntry::row("initcap", 1, 1, STR, S, Nulls::Strict, |_, v| text1(v, initcap)),
    FunctionEntry::row("length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::row("len", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::row("char_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::row("character_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::row("octet_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, |_, v| {
        Ok(Value::Integer(bytes(&v[0]).len() as i32))
    }),
    FunctionEntry::row("bit_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, |_, v| {
        Ok(Value::Integer(bytes(&v[0]).len() as i32 * 8))
    }),
    FunctionEntry::custom("concat", 0, MANY, concat),
    FunctionEntry::custom("||", 2, 2, concat),
    FunctionEntry::custom("concat_ws", 1, MANY, concat_ws),
    FunctionEntry::custom("trim", 1, 2, trim),
    FunctionEntry::custom("btrim", 1, 2, trim),
    FunctionEntry::custom("ltrim", 1, 2, trim),
    FunctionEntry::custom("rtrim", 1, 2, trim),
    FunctionEntry::custom("lpad", 2, 3, pad),
    FunctionEntry::custom("rpad", 2, 3, pad),
    FunctionEntry::custom("substring", 2, 3, substring_call),
    FunctionEntry::custom("substr", 2, 3, substring_call),
    FunctionEntry::row("left", 2, 2, &[STR_OR_BIN, In::Int], Ret::Same(0), Nulls::Strict, |c, v| {
        substring(c, &[v[0].clone(), Value::Integer(1), v[1].clone()])
    }),
    FunctionEntry::row("right", 2, 2, &[In::Str, In::Int], S, Nulls::Strict, |c, v| match v[1] {
        Value::Integer(n) if n <= 0 => Ok(Value::from("")),
        Value::Integer(n) => substring(c, &[v[0].clone(), Value::Integer(-n), Value::Integer(n)]),
        _ => Ok(Value::Null),
    }),
    FunctionEntry::row("instr", 2, 4, &[In::Str, In::Str, In::Int, In::Int], I, Nulls::Strict, instr),
    FunctionEntry::custom("locate", 2, 3, locate),
    FunctionEntry::custom("position", 2, 3, locate),
    FunctionEntry::row("substring_index", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::Strict, substring_index),
    FunctionEntry::row("split_part", 3, 3, &[In::Str, In::Str, In::Int], S, Nulls::Strict, split_part),
    FunctionEntry::custom("overlay", 3, 4, overlay),
    FunctionEntry::row("repeat", 2, 2, &[In::Str, In::Int], S, Nulls::Strict, |_, v| {
        Ok(Value::from(s(&v[0]).repeat(usize::try_from(v[1].as_i64().unwrap_or(0)).unwrap_or(0))))
    }),
    FunctionEntry::row("space", 1, 1, &[In::Int], S, Nulls::Strict, |_, v| {
        Ok(Value::from(" ".repeat(usize::try_from(v[0].as_i64().unwrap_or(0)).unwrap_or(0))))
    }),
    FunctionEntry::row(
        "reverse",
        1,
        1,
        &[In::Either(&[In::Str, In::Bin, In::Arr])],
        Ret::Same(0),
        Nulls::Strict,
        |_, v| {
            Ok(match &v[0] {
                Value::Array(items) => Value::array(items.iter().rev().cloned().collect()),
                Value::Binary(bytes) => Value::binary(bytes.iter().rev().copied().collect::<Vec<u8>>()),
                v => Value::from(s(v).chars().rev().collect::<String>()),
            })
        },
    ),
    FunctionEntry::custom("replace", 2, 3, replace),
    FunctionEntry::row("translate", 3, 3, &[In::Str, In::Str, In::Str], S, Nulls::Strict, translate),
    FunctionEntry::row("ascii", 1, 1, STR, I, Nulls::Strict, |_, v| {
        Ok(Value::Integer(s(&v[0]).chars().next().map_or(0, |c| c as i32)))
    }),
    FunctionEntry::row("chr", 1, 1, &[In::Long], S, Nulls::Strict, chr),
    FunctionEntry::row("char", 1, 1, &[In::Long], S, Nulls::Strict, chr),
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
    FunctionEntry::custom("elt", 2, MANY, elt),
    FunctionEntry::custom("mask", 1, 5, mask),
    FunctionEntry::row("quote", 1, 1, STR, S, Nulls::Strict, |_, v| {
        text1(v, |s| format!("'{}'", s.replace('\\', "\\\\").replace('\'', "\\'")))
    }),
    FunctionEntry::row("luhn_check", 1, 1, STR, B, Nulls::Strict, |_, v| Ok(Value::Boolean(luhn(s(&v[0]))))),
    FunctionEntry::row("is_valid_utf8", 1, 1, &[STR_OR_BIN], B, Nulls::Strict, |_, v| {
        Ok(Value::Boolean(std::str::from_utf8(bytes(&v[0])).is_ok()))
    }),
    FunctionEntry::row("make_valid_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::Strict, |_, v| {
        Ok(Value::from(String::from_utf8_lossy(bytes(&v[0])).into_owned()))
    }),
    FunctionEntry::row("validate_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::Strict, |_, v| {
        match std::str::from_utf8(bytes(&v[0])) {
            Ok(text) => Ok(Value::from(text)),
            Err(_) => Err(SparkError::new(
                crate::error::ErrorClass::IllegalArgument,
                "INVALID_UTF8_STRING",
                &[("str", &bytes(&v[0]).iter().map(|b| format!("\\x{b:02X}")).collect::<String>())],
            )),
        }
    }),
    FunctionEntry::row("try_validate_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |_, v| {
        Ok(std::str::from_utf8(bytes(&v[0])).map_or(Value::Null, Value::from))
    }),
];

/// A text argument; empty for other values.
pub(super) fn s(v: &Value) -> &str {
    v.as_str().unwrap_or("")
}

pub(super) fn bytes(v: &Value) -> &[u8] {
    match v {
        Value::String(s) => s.as_bytes(),
        Value::Binary(b) => b,
        _ => &[],
    }
}

pub(super) fn text1(v: &[Value], f: impl Fn(&str) -> String) -> Result<Value> {
    Ok(Value::from(f(s(&v[0]))))
}

fn int(v: &Value) -> i64 {
    v.as_i64().unwrap_or(0)
}

/// UTF8String.toTitleCase after lower: the first letter of each word parted by blanks.
fn initcap(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let mut start = true;
    for c in s.chars() {
        if start {
            out.extend(c.to_uppercase())
        } else {
            out.extend(c.to_lowercase())
        }
        start = c == ' ';
    }
    out
}

fn length(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    Ok(Value::Integer(match &v[0] {
        Value::Binary(b) => b.len() as i32,
        v => s(v).chars().count() as i32,
    }))
}

/// Text, binary or arrays, joined.
fn concat(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if args.is_empty() {
        return Ok(Expr::literal(Value::from(""), DataType::String));
    }
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    if types.iter().any(|t| matches!(t, DataType::Array { .. })) {
        let Some(t) = super::super::coercion::wider_common(&types, ansi) else {
            return Err(super::conditional::differing(
                &super::super::describe::call_text("concat", &args),
                "concat",
                &super::super::describe::type_list(&types, "(", " or ", ")"),
            ));
        };
        let args: Vec<Expr> =
            args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
        let nullable = args.iter().any(Expr::nullable);
        let t = super::conditional::merged_type(&args);
        return Ok(row_call("concat", args, t, nullable, true, ansi, |_, v| {
            Ok(Value::array(v.iter().flat_map(|a| a.as_slice().unwrap_or(&[]).iter().cloned()).collect()))
        }));
    }
    let binary = types.iter().all(|t| *t == DataType::Binary);
    let t = if binary { DataType::Binary } else { DataType::String };
    for (i, a) in args.iter().enumerate() {
        let at = a.data_type();
        let fits = at.is_string()
            || at.is_atomic() && at != DataType::Variant
            || at == DataType::Null
            || at == DataType::CalendarInterval;
        if !fits {
            let sql = super::super::describe::call_text("concat", &args);
            let required = In::Either(&[In::Str, In::Bin, In::Arr]).describe();
            return Err(super::super::coercion::unexpected_input(&sql, i, &required, a));
        }
    }
    let args: Vec<Expr> = args.into_iter().map(|a| cast_to(a, &t, ansi)).collect();
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("concat", args, t, nullable, true, ansi, |c, v| {
        if *c.result == DataType::Binary {
            return Ok(Value::binary(v.iter().flat_map(|b| bytes(b).iter().copied()).collect::<Vec<u8>>()));
        }
        Ok(Value::from(v.iter().map(s).collect::<String>()))
    }))
}

fn concat_ws(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Str, In::Either(&[In::ArrOf(&In::Str), In::Str])])?;
    let nullable = args[0].nullable();
    Ok(row_call("concat_ws", args, DataType::String, nullable, false, b.ansi(), |_, v| {
        let Some(separator) = v[0].as_str() else { return Ok(Value::Null) };
        let mut parts: Vec<&str> = Vec::new();
        for item in &v[1..] {
            match item {
                Value::Array(items) => parts.extend(items.iter().filter_map(Value::as_str)),
                Value::String(text) => parts.push(text),
                _ => {}
            }
        }
        Ok(Value::from(parts.join(separator)))
    }))
}

/// trim(text[, characters]); the two-argument SQL forms arrive with the text first. The function form ltrim(chars, text) has the
/// characters first, as Spark's constructor has.
fn trim(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    let nullable = args.iter().any(Expr::nullable);
    // btrim(text, characters) and trim(text, characters) of the parser; ltrim/rtrim(characters, text) as functions.
    let eval: super::super::row::RowEval = match b.name {
        "ltrim" => |_, v| {
            let (text, set) = sides(v, true);
            Ok(Value::from(text.trim_start_matches(|c| set.contains(c))))
        },
        "rtrim" => |_, v| {
            let (text, set) = sides(v, true);
            Ok(Value::from(text.trim_end_matches(|c| set.contains(c))))
        },
        "btrim" => |_, v| {
            let (text, set) = sides(v, false);
            Ok(Value::from(text.trim_matches(|c| set.contains(c))))
        },
        _ => |_, v| {
            let (text, set) = sides(v, true);
            Ok(Value::from(text.trim_matches(|c| set.contains(c))))
        },
    };
    Ok(row_call(b.name, args, DataType::String, nullable, true, b.ansi(), eval))
}

/// Text and the set of characters to trim.
fn sides(v: &[Value], set_first: bool) -> (&str, &str) {
    match v {
        [set, text] if set_first => (s(text), s(set)),
        [text, set] => (s(text), s(set)),
        [text] => (s(text), " "),
        _ => ("", " "),
    }
}

fn pad(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mut args = args;
    let binary = args[0].data_type() == DataType::Binary;
    if args.len() == 2 {
        args.push(if binary {
            Expr::literal(Value::binary(vec![0u8]), DataType::Binary)
        } else {
            Expr::literal(Value::from(" "), DataType::String)
        });
    }
    let inputs: &[In] = if binary { &[In::Bin, In::Int, In::Bin] } else { &[In::Str, In::Int, In::Str] };
    let args = b.inputs(args, inputs)?;
    let nullable = args.iter().any(Expr::nullable);
    let t = args[0].data_type();
    let eval: super::super::row::RowEval =
        if b.name == "lpad" { |_, v| padded(v, true) } else { |_, v| padded(v, false) };
    Ok(row_call(b.name, args, t, nullable, true, b.ansi(), eval))
}

fn padded(v: &[Value], left: bool) -> Result<Value> {
    let wanted = usize::try_from(int(&v[1])).unwrap_or(0);
    fn fill<E: Copy>(text: Vec<E>, pad: &[E], wanted: usize, left: bool) -> Vec<E> {
        if text.len() >= wanted || pad.is_empty() {
            return text.into_iter().take(wanted).collect();
        }
        let filler: Vec<E> = pad.iter().copied().cycle().take(wanted - text.len()).collect();
        if left { filler.into_iter().chain(text).collect() } else { text.into_iter().chain(filler).collect() }
    }
    Ok(match (&v[0], &v[2]) {
        (Value::Binary(t), Value::Binary(p)) => Value::binary(fill(t.to_vec(), p, wanted, left)),
        (t, p) => {
            let pad: Vec<char> = s(p).chars().collect();
            Value::from(fill(s(t).chars().collect(), &pad, wanted, left).into_iter().collect::<String>())
        }
    })
}

/// UTF8String.substringSQL: one-based, negative from the end.
pub(in crate::functions) fn range(len: usize, pos: i64, count: i64) -> (usize, usize) {
    let n = len as i64;
    let start = if pos > 0 {
        pos - 1
    } else if pos < 0 {
        n + pos
    } else {
        0
    };
    let end = start.saturating_add(count).min(n);
    let from = start.clamp(0, n);
    (from as usize, end.max(from) as usize)
}

/// Without a length to the end: Integer.MAX_VALUE.
fn substring_call(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(i32::MAX), DataType::Integer));
    }
    let args = b.inputs(args, &[STR_OR_BIN, In::Int, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = args[0].data_type();
    Ok(row_call(b.name, args, t, nullable, true, b.ansi(), substring))
}

fn substring(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let count = v.get(2).map_or(i64::from(i32::MAX), int);
    Ok(match &v[0] {
        Value::Binary(b) => {
            let (from, to) = range(b.len(), int(&v[1]), count);
            Value::binary(&b[from..to])
        }
        text => {
            let text = s(text);
            if text.is_ascii() {
                let (from, to) = range(text.len(), int(&v[1]), count);
                Value::from(&text[from..to])
            } else {
                let (from, to) = range(text.chars().count(), int(&v[1]), count);
                Value::from(text.chars().skip(from).take(to - from).collect::<String>())
            }
        }
    })
}

/// One-based position of `needle` at or after character `from`; 0 when absent.
fn find(text: &str, needle: &str, from: usize) -> i32 {
    let start: usize = text.chars().take(from).map(char::len_utf8).sum();
    match text.get(start..).and_then(|rest| rest.find(needle)) {
        Some(at) => text[..start + at].chars().count() as i32 + 1,
        None => 0,
    }
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

fn overlay(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::literal(Value::Integer(-1), DataType::Integer));
    }
    let args = b.inputs(args, &[STR_OR_BIN, STR_OR_BIN, In::Int, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = args[0].data_type();
    Ok(row_call("overlay", args, t, nullable, true, b.ansi(), |c, v| {
        let binary = matches!(v[0], Value::Binary(_));
        let size = |v: &Value| if binary { bytes(v).len() as i64 } else { s(v).chars().count() as i64 };
        let pos = int(&v[2]);
        let len = if int(&v[3]) >= 0 { int(&v[3]) } else { size(&v[1]) };
        let part = |from: i64, count: i64| {
            let args = [v[0].clone(), Value::Integer(from as i32), Value::Integer(count as i32)];
            substring(c, &args)
        };
        let (head, tail) = (part(1, pos - 1)?, part(pos + len, i64::from(i32::MAX))?);
        Ok(if binary {
            Value::binary([bytes(&head), bytes(&v[1]), bytes(&tail)].concat())
        } else {
            Value::from(format!("{}{}{}", s(&head), s(&v[1]), s(&tail)))
        })
    }))
}

fn replace(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::from(""), DataType::String));
    }
    let args = b.inputs(args, STR)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("replace", args, DataType::String, nullable, true, b.ansi(), |_, v| {
        let search = s(&v[1]);
        if search.is_empty() {
            return Ok(v[0].clone());
        }
        Ok(Value::from(s(&v[0]).replace(search, s(&v[2]))))
    }))
}

fn translate(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let from: Vec<char> = s(&v[1]).chars().collect();
    let to: Vec<char> = s(&v[2]).chars().collect();
    Ok(Value::from(
        s(&v[0])
            .chars()
            .filter_map(|c| match from.iter().position(|f| *f == c) {
                Some(i) => to.get(i).copied(),
                None => Some(c),
            })
            .collect::<String>(),
    ))
}

fn chr(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let n = int(&v[0]);
    if n < 0 {
        return Ok(Value::from(""));
    }
    Ok(Value::from(char::from((n & 0xff) as u8).to_string()))
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

fn elt(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Int, STR_OR_BIN])?;
    let t = args.get(1).map_or(DataType::String, Expr::data_type);
    Ok(row_call("elt", args, t, true, false, b.ansi(), |c, v| {
        let Some(n) = v[0].as_i64() else { return Ok(Value::Null) };
        match usize::try_from(n).ok().filter(|n| *n >= 1).and_then(|n| v.get(n)) {
            Some(found) => Ok(found.clone()),
            None if c.ansi => Err(super::collections::invalid_index(n, v.len() as i64 - 1)),
            None => Ok(Value::Null),
        }
    }))
}

fn mask(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let defaults = ["X", "x", "n"];
    while args.len() < 5 {
        args.push(match defaults.get(args.len() - 1) {
            Some(d) => Expr::literal(Value::from(*d), DataType::String),
            None => Expr::literal(Value::Null, DataType::String),
        });
    }
    let args = b.inputs(args, STR)?;
    let nullable = args[0].nullable();
    Ok(row_call("mask", args, DataType::String, nullable, false, b.ansi(), |_, v| {
        let Some(text) = v[0].as_str() else { return Ok(Value::Null) };
        let with = |i: usize, c: char| v[i].as_str().and_then(|s| s.chars().next()).unwrap_or(c);
        Ok(Value::from(
            text.chars()
                .map(|c| match c {
                    'A'..='Z' => with(1, c),
                    'a'..='z' => with(2, c),
                    '0'..='9' => with(3, c),
                    c => with(4, c),
                })
                .collect::<String>(),
        ))
    }))
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
