//! Texts: case, length, characters, joining, cutting.

use std::borrow::Cow;

use arrow::array::ArrayRef;

use super::super::coercion::In;
use super::super::registry::DataType2 as T;
use super::super::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use super::super::row::{RowContext, row_call};
use super::super::typed::column_call;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::cast_to;
use crate::functions::typed::{Columns, Int, Text, one};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);
const B: Ret = Ret::Is(T::Bool);
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] =
    &[
        FunctionEntry::columns("upper", 1, 1, STR, S, Nulls::Strict, upper),
        FunctionEntry::columns("ucase", 1, 1, STR, S, Nulls::Strict, upper),
        FunctionEntry::columns("lower", 1, 1, STR, S, Nulls::Strict, lower),
        FunctionEntry::columns("lcase", 1, 1, STR, S, Nulls::Strict, lower),
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
        FunctionEntry::custom("substring", 2, 3, substring_call),
        FunctionEntry::custom("substr", 2, 3, substring_call),
        FunctionEntry::row("left", 2, 2, &[STR_OR_BIN, In::Int], Ret::Same(0), Nulls::Strict, |c, v| {
            substring(c, &[v[0].clone(), Value::Integer(1), v[1].clone()])
        }),
        FunctionEntry::row("right", 2, 2, &[In::Str, In::Int], S, Nulls::StrictNullable, |c, v| match v[1] {
            Value::Integer(n) if n <= 0 => Ok(Value::from("")),
            Value::Integer(n) => substring(c, &[v[0].clone(), Value::Integer(-n), Value::Integer(n)]),
            _ => Ok(Value::Null),
        }),
        FunctionEntry::columns("ascii", 1, 1, STR, I, Nulls::Strict, |c| {
            one::<Text, Int>(c, &|s| Ok(Some(s.chars().next().map_or(0, |c| c as i32))))
        }),
        FunctionEntry::row("chr", 1, 1, &[In::Long], S, Nulls::Strict, chr),
        FunctionEntry::row("char", 1, 1, &[In::Long], S, Nulls::Strict, chr),
        FunctionEntry::row("is_valid_utf8", 1, 1, &[STR_OR_BIN], B, Nulls::StrictNullable, |_, v| {
            Ok(Value::Boolean(std::str::from_utf8(bytes(&v[0])).is_ok()))
        }),
        FunctionEntry::row("make_valid_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |_, v| {
            Ok(Value::from(String::from_utf8_lossy(bytes(&v[0])).into_owned()))
        }),
        FunctionEntry::row("validate_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |_, v| {
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

fn upper(c: &Columns<'_>) -> Result<ArrayRef> {
    one::<Text, Text>(c, &|s| Ok(Some(cased(s, str::make_ascii_uppercase, str::to_uppercase))))
}

fn lower(c: &Columns<'_>) -> Result<ArrayRef> {
    one::<Text, Text>(c, &|s| Ok(Some(cased(s, str::make_ascii_lowercase, str::to_lowercase))))
}

/// Another case of a text; most are ASCII, which need no tables.
fn cased(s: &str, ascii: fn(&mut str), any: fn(&str) -> String) -> Cow<'static, str> {
    if !s.is_ascii() {
        return Cow::Owned(any(s));
    }
    let mut out = s.to_owned();
    ascii(&mut out);
    Cow::Owned(out)
}

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

pub(super) fn int(v: &Value) -> i64 {
    v.as_i64().unwrap_or(0)
}

/// UTF8String.toTitleCase after lower: the first letter of each word parted by blanks.
fn initcap(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let mut start = true;
    for c in s.chars() {
        if start {
            // A title-case letter: of several letters ("ß") the first only is large.
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            out.extend(upper.flat_map(char::to_lowercase));
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
        return Ok(row_call("concat", args, DataType::String, false, true, ansi, |_, _| Ok(Value::from(""))));
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
        return Ok(column_call("concat", args, t, nullable, true, ansi, super::concat_arrays));
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

pub(super) fn substring(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
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

fn chr(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let n = int(&v[0]);
    if n < 0 {
        return Ok(Value::from(""));
    }
    Ok(Value::from(char::from((n & 0xff) as u8).to_string()))
}
