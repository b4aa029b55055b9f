//! Texts trimmed, padded, overlaid, repeated, replaced, masked.

use std::borrow::Cow;

use arrow::array::ArrayRef;

use super::strings::{cut, cut_bytes, same_type};
use crate::error::Result;
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::typed::{
    Bytes, ColumnEval, Columns, Int, Maybe, Text, all, column_call, each, four, one, three, two,
};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("trim", 1, 2, |b, a| trim(b, a, |c| trimmed(c, true, true, true))),
    FunctionEntry::custom("btrim", 1, 2, |b, a| trim(b, a, |c| trimmed(c, false, true, true))),
    FunctionEntry::custom("ltrim", 1, 2, |b, a| trim(b, a, |c| trimmed(c, true, true, false))),
    FunctionEntry::custom("rtrim", 1, 2, |b, a| trim(b, a, |c| trimmed(c, true, false, true))),
    FunctionEntry::custom("lpad", 2, 3, |b, a| pad(b, a, |c| padded(c, true))),
    FunctionEntry::custom("rpad", 2, 3, |b, a| pad(b, a, |c| padded(c, false))),
    FunctionEntry::custom("overlay", 3, 4, overlay),
    FunctionEntry::columns("repeat", 2, 2, &[In::Str, In::Int], S, Nulls::Strict, |c| {
        two::<Text, Int, Text>(c, &|s, n| Ok(Some(Cow::Owned(s.repeat(usize::try_from(n).unwrap_or(0))))))
    }),
    FunctionEntry::columns("space", 1, 1, &[In::Int], S, Nulls::Strict, |c| {
        one::<Int, Text>(c, &|n| Ok(Some(Cow::Owned(" ".repeat(usize::try_from(n).unwrap_or(0))))))
    }),
    FunctionEntry::custom("reverse", 1, 1, reverse),
    FunctionEntry::custom("replace", 2, 3, replace),
    FunctionEntry::columns("translate", 3, 3, &[In::Str, In::Str, In::Str], S, Nulls::Strict, |c| {
        three::<Text, Text, Text, Text>(c, &|s, from, to| Ok(Some(Cow::Owned(translated(s, from, to)))))
    }),
    FunctionEntry::custom("elt", 2, MANY, elt),
    FunctionEntry::custom("mask", 1, 5, mask),
    FunctionEntry::columns("quote", 1, 1, STR, S, Nulls::StrictNullable, |c| {
        one::<Text, Text>(c, &|s| Ok(Some(Cow::Owned(format!("'{}'", s.replace('\'', "\\'"))))))
    }),
];

/// trim(text[, characters]); the two-argument SQL forms arrive with the text first. The function form ltrim(chars, text) has the
/// characters first, as Spark's constructor has.
fn trim(b: &mut Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call(b.name, args, DataType::String, nullable, true, b.ansi(), eval))
}

/// Without the characters of a set at its start, its end; `set_first`: of two arguments the set is the first.
fn trimmed(c: &Columns<'_>, set_first: bool, start: bool, end: bool) -> Result<ArrayRef> {
    fn cut<'a>(text: &'a str, set: &str, start: bool, end: bool) -> Cow<'a, str> {
        let text = if start { text.trim_start_matches(|c| set.contains(c)) } else { text };
        Cow::Borrowed(if end { text.trim_end_matches(|c| set.contains(c)) } else { text })
    }
    match (c.args.len(), set_first) {
        (1, _) => one::<Text, Text>(c, &|text| {
            let text = if start { text.trim_start_matches(' ') } else { text };
            Ok(Some(Cow::Borrowed(if end { text.trim_end_matches(' ') } else { text })))
        }),
        (_, true) => two::<Text, Text, Text>(c, &|set, text| Ok(Some(cut(text, set, start, end)))),
        (_, false) => two::<Text, Text, Text>(c, &|text, set| Ok(Some(cut(text, set, start, end)))),
    }
}

fn pad(b: &mut Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Result<Expr> {
    let mut args = args;
    // Bytes beside a text to fill up with are read as a text.
    let bytes = |at: usize| args.get(at).is_none_or(|arg| arg.data_type() == DataType::Binary);
    let binary = bytes(0) && bytes(2);
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
    Ok(column_call(b.name, args, t, nullable, true, b.ansi(), eval))
}

/// As many characters or bytes as wanted: cut, or filled up at one side.
fn padded(c: &Columns<'_>, left: bool) -> Result<ArrayRef> {
    if c.types[0] == DataType::Binary {
        return three::<Bytes, Int, Bytes, Bytes>(c, &|bytes, wanted, pad| {
            let wanted = usize::try_from(wanted).unwrap_or(0);
            if bytes.len() >= wanted || pad.is_empty() {
                return Ok(Some(Cow::Borrowed(&bytes[..wanted.min(bytes.len())])));
            }
            let filler: Vec<u8> = pad.iter().copied().cycle().take(wanted - bytes.len()).collect();
            Ok(Some(Cow::Owned(if left { [&filler, bytes].concat() } else { [bytes, &filler].concat() })))
        });
    }
    three::<Text, Int, Text, Text>(c, &|text, wanted, pad| {
        let wanted = usize::try_from(wanted).unwrap_or(0);
        let length = text.chars().count();
        if length >= wanted || pad.is_empty() {
            return Ok(Some(Cow::Borrowed(cut(text, 1, wanted as i64))));
        }
        let filler = pad.chars().cycle().take(wanted - length);
        let filled: String =
            if left { filler.chain(text.chars()).collect() } else { text.chars().chain(filler).collect() };
        Ok(Some(Cow::Owned(filled)))
    })
}

fn overlay(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::literal(Value::Integer(-1), DataType::Integer));
    }
    let args = b.inputs(args, &[STR_OR_BIN, STR_OR_BIN, In::Int, In::Int])?;
    same_type("overlay", &crate::functions::describe::call_text("overlay", &args), &args[..2])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = args[0].data_type();
    // Where the part before ends (its length) and the part after begins; places count from 1 and wrap as Java's do.
    fn places(pos: i32, len: i32, size: usize) -> (i64, i64) {
        let len = if len >= 0 { len } else { size as i32 };
        (pos.wrapping_sub(1).into(), pos.wrapping_add(len).into())
    }
    Ok(column_call("overlay", args, t, nullable, true, b.ansi(), |c| {
        let all = i64::from(i32::MAX);
        if c.types[0] == DataType::Binary {
            return four::<Bytes, Bytes, Int, Int, Bytes>(c, &|bytes, with, pos, len| {
                let (head, tail) = places(pos, len, with.len());
                Ok(Some(Cow::Owned([cut_bytes(bytes, 1, head), with, cut_bytes(bytes, tail, all)].concat())))
            });
        }
        four::<Text, Text, Int, Int, Text>(c, &|text, with, pos, len| {
            let (head, tail) = places(pos, len, with.chars().count());
            Ok(Some(Cow::Owned([cut(text, 1, head), with, cut(text, tail, all)].concat())))
        })
    }))
}

fn reverse(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Either(&[In::Str, In::Bin, In::Arr])])?;
    let (t, nullable) = (args[0].data_type(), args[0].nullable());
    if matches!(t, DataType::Array { .. }) {
        return Ok(column_call("reverse", args, t, nullable, true, b.ansi(), super::reverse_arrays));
    }
    Ok(column_call("reverse", args, t, nullable, true, b.ansi(), |c| {
        if c.types[0] == DataType::Binary {
            return one::<Bytes, Bytes>(c, &|b| Ok(Some(Cow::Owned(b.iter().rev().copied().collect()))));
        }
        one::<Text, Text>(c, &|s| Ok(Some(Cow::Owned(s.chars().rev().collect()))))
    }))
}

fn replace(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::from(""), DataType::String));
    }
    let args = b.inputs(args, STR)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("replace", args, DataType::String, nullable, true, b.ansi(), |c| {
        three::<Text, Text, Text, Text>(c, &|text, search, with| {
            Ok(Some(if search.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(text.replace(search, with)) }))
        })
    }))
}

/// Characters of `from` as those of `to` at the same place; those without one are dropped.
fn translated(text: &str, from: &str, to: &str) -> String {
    text.chars()
        .filter_map(|c| match from.chars().position(|f| f == c) {
            Some(i) => to.chars().nth(i),
            None => Some(c),
        })
        .collect()
}

fn elt(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Int, STR_OR_BIN])?;
    let t = args.get(1).map_or(DataType::String, Expr::data_type);
    Ok(column_call("elt", args, t, true, false, b.ansi(), |c| {
        let n = c.open::<Int>(0)?;
        let texts = (1..c.args.len()).map(|i| c.open::<Bytes>(i)).collect::<Result<Vec<_>>>()?;
        each::<Bytes>(c, &|row| {
            let Some(n) = n.get(row) else { return Ok(None) };
            match usize::try_from(n).ok().and_then(|n| texts.get(n.checked_sub(1)?)) {
                Some(found) => Ok(found.get(row).map(Cow::Borrowed)),
                None if c.ansi => Err(super::collections::invalid_index(n.into(), texts.len() as i64)),
                None => Ok(None),
            }
        })
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
    Ok(column_call("mask", args, DataType::String, true, false, b.ansi(), |c| {
        all::<Maybe<Text>, Text>(c, &|v| {
            let Some(text) = v[0] else { return Ok(None) };
            let with = |i: usize, c: char| v[i].and_then(|s| s.chars().next()).unwrap_or(c);
            let masked = text.chars().map(|c| match c {
                c if c.is_uppercase() => with(1, c),
                c if c.is_lowercase() => with(2, c),
                c if c.is_ascii_digit() => with(3, c),
                c => with(4, c),
            });
            Ok(Some(Cow::Owned(masked.collect())))
        })
    }))
}
