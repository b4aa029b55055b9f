//! Texts trimmed, padded, overlaid, repeated, replaced, masked.

use super::strings::{bytes, int, s, substring, text1};
use crate::error::Result;
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::functions::typed::column_call;
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("trim", 1, 2, trim),
    FunctionEntry::custom("btrim", 1, 2, trim),
    FunctionEntry::custom("ltrim", 1, 2, trim),
    FunctionEntry::custom("rtrim", 1, 2, trim),
    FunctionEntry::custom("lpad", 2, 3, pad),
    FunctionEntry::custom("rpad", 2, 3, pad),
    FunctionEntry::custom("overlay", 3, 4, overlay),
    FunctionEntry::row("repeat", 2, 2, &[In::Str, In::Int], S, Nulls::Strict, |_, v| {
        Ok(Value::from(s(&v[0]).repeat(usize::try_from(v[1].as_i64().unwrap_or(0)).unwrap_or(0))))
    }),
    FunctionEntry::row("space", 1, 1, &[In::Int], S, Nulls::Strict, |_, v| {
        Ok(Value::from(" ".repeat(usize::try_from(v[0].as_i64().unwrap_or(0)).unwrap_or(0))))
    }),
    FunctionEntry::custom("reverse", 1, 1, reverse),
    FunctionEntry::custom("replace", 2, 3, replace),
    FunctionEntry::row("translate", 3, 3, &[In::Str, In::Str, In::Str], S, Nulls::Strict, translate),
    FunctionEntry::custom("elt", 2, MANY, elt),
    FunctionEntry::custom("mask", 1, 5, mask),
    FunctionEntry::row("quote", 1, 1, STR, S, Nulls::StrictNullable, |_, v| {
        text1(v, |s| format!("'{}'", s.replace('\'', "\\'")))
    }),
];

fn reverse(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Either(&[In::Str, In::Bin, In::Arr])])?;
    let (t, nullable) = (args[0].data_type(), args[0].nullable());
    if matches!(t, DataType::Array { .. }) {
        return Ok(column_call("reverse", args, t, nullable, true, b.ansi(), super::reverse_arrays));
    }
    Ok(row_call("reverse", args, t, nullable, true, b.ansi(), |_, v| {
        Ok(match &v[0] {
            Value::Binary(bytes) => Value::binary(bytes.iter().rev().copied().collect::<Vec<u8>>()),
            v => Value::from(s(v).chars().rev().collect::<String>()),
        })
    }))
}

/// trim(text[, characters]); the two-argument SQL forms arrive with the text first. The function form ltrim(chars, text) has the
/// characters first, as Spark's constructor has.
fn trim(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    let nullable = args.iter().any(Expr::nullable);
    // btrim(text, characters) and trim(text, characters) of the parser; ltrim/rtrim(characters, text) as functions.
    let eval: RowEval = match b.name {
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
    let eval: RowEval = if b.name == "lpad" { |_, v| padded(v, true) } else { |_, v| padded(v, false) };
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
    Ok(row_call("mask", args, DataType::String, true, false, b.ansi(), |_, v| {
        let Some(text) = v[0].as_str() else { return Ok(Value::Null) };
        let with = |i: usize, c: char| v[i].as_str().and_then(|s| s.chars().next()).unwrap_or(c);
        Ok(Value::from(
            text.chars()
                .map(|c| match c {
                    c if c.is_uppercase() => with(1, c),
                    c if c.is_lowercase() => with(2, c),
                    c if c.is_ascii_digit() => with(3, c),
                    c => with(4, c),
                })
                .collect::<String>(),
        ))
    }))
}
