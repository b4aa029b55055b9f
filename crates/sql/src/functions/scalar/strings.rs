//! Texts: case, length, characters, joining, cutting.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, ListArray, StringArray, StringBuilder};

use super::super::coercion::In;
use super::super::registry::DataType2 as T;
use super::super::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::cast_to;
use crate::functions::typed::{Bool, Bytes, Columns, Int, Long, Text, column_call, each, one, three, two};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];
const STR_OR_BIN: In = In::Either(&[In::Str, In::Bin]);
const S: Ret = Ret::Is(T::Str);
const B: Ret = Ret::Is(T::Bool);
const I: Ret = Ret::Is(T::Int);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("upper", 1, 1, STR, S, Nulls::Strict, upper),
    FunctionEntry::columns("ucase", 1, 1, STR, S, Nulls::Strict, upper),
    FunctionEntry::columns("lower", 1, 1, STR, S, Nulls::Strict, lower),
    FunctionEntry::columns("lcase", 1, 1, STR, S, Nulls::Strict, lower),
    FunctionEntry::columns("initcap", 1, 1, STR, S, Nulls::Strict, |c| {
        one::<Text, Text>(c, &|s| Ok(Some(Cow::Owned(initcap(s)))))
    }),
    FunctionEntry::columns("length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::columns("len", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::columns("char_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::columns("character_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, length),
    FunctionEntry::columns("octet_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, |c| {
        one::<Bytes, Int>(c, &|b| Ok(Some(b.len() as i32)))
    }),
    FunctionEntry::columns("bit_length", 1, 1, &[STR_OR_BIN], I, Nulls::Strict, |c| {
        one::<Bytes, Int>(c, &|b| Ok(Some(b.len() as i32 * 8)))
    }),
    FunctionEntry::custom("concat", 0, MANY, concat),
    FunctionEntry::custom("||", 2, 2, concat),
    FunctionEntry::custom("concat_ws", 1, MANY, concat_ws),
    FunctionEntry::custom("substring", 2, 3, substring),
    FunctionEntry::custom("substr", 2, 3, substring),
    FunctionEntry::columns("left", 2, 2, &[STR_OR_BIN, In::Int], Ret::Same(0), Nulls::Strict, |c| {
        if c.types[0] == DataType::Binary {
            return two::<Bytes, Int, Bytes>(c, &|b, n| Ok(Some(Cow::Borrowed(cut_bytes(b, 1, n.into())))));
        }
        two::<Text, Int, Text>(c, &|s, n| Ok(Some(Cow::Borrowed(cut(s, 1, n.into())))))
    }),
    FunctionEntry::columns("right", 2, 2, &[In::Str, In::Int], S, Nulls::StrictNullable, |c| {
        two::<Text, Int, Text>(c, &|s, n| {
            Ok(Some(Cow::Borrowed(if n <= 0 { "" } else { cut(s, -i64::from(n), n.into()) })))
        })
    }),
    FunctionEntry::columns("ascii", 1, 1, STR, I, Nulls::Strict, |c| {
        one::<Text, Int>(c, &|s| Ok(Some(s.chars().next().map_or(0, |c| c as i32))))
    }),
    FunctionEntry::columns("chr", 1, 1, &[In::Long], S, Nulls::Strict, chr),
    FunctionEntry::columns("char", 1, 1, &[In::Long], S, Nulls::Strict, chr),
    FunctionEntry::columns("is_valid_utf8", 1, 1, &[STR_OR_BIN], B, Nulls::StrictNullable, |c| {
        one::<Bytes, Bool>(c, &|b| Ok(Some(std::str::from_utf8(b).is_ok())))
    }),
    FunctionEntry::columns("make_valid_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |c| {
        one::<Bytes, Text>(c, &|b| Ok(Some(String::from_utf8_lossy(b))))
    }),
    FunctionEntry::columns("validate_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |c| {
        one::<Bytes, Text>(c, &|b| match std::str::from_utf8(b) {
            Ok(text) => Ok(Some(Cow::Borrowed(text))),
            Err(_) => Err(SparkError::new(
                crate::error::ErrorClass::IllegalArgument,
                "INVALID_UTF8_STRING",
                &[("str", &b.iter().map(|b| format!("\\x{b:02X}")).collect::<String>())],
            )),
        })
    }),
    FunctionEntry::columns("try_validate_utf8", 1, 1, &[STR_OR_BIN], S, Nulls::StrictNullable, |c| {
        one::<Bytes, Text>(c, &|b| Ok(std::str::from_utf8(b).ok().map(Cow::Borrowed)))
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

fn length(c: &Columns<'_>) -> Result<ArrayRef> {
    if c.types[0] == DataType::Binary {
        return one::<Bytes, Int>(c, &|b| Ok(Some(b.len() as i32)));
    }
    one::<Text, Int>(c, &|s| Ok(Some(s.chars().count() as i32)))
}

/// Text, binary or arrays, joined.
fn concat(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if args.is_empty() {
        return Ok(column_call("concat", args, DataType::String, false, true, ansi, |c| {
            each::<Text>(c, &|_| Ok(Some(Cow::Borrowed(""))))
        }));
    }
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    if types.iter().all(|t| matches!(t, DataType::Array { .. })) {
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
    let fit = |arg: Expr| match In::Str.implicit(&arg.data_type(), ansi) {
        Some(_) if !binary => cast_to(arg, &DataType::String, ansi),
        _ => arg,
    };
    let args: Vec<Expr> = args.into_iter().map(fit).collect();
    let sql = super::super::describe::call_text("concat", &args);
    let taken = In::Either(&[In::Str, In::Bin, In::Arr]);
    if let Some(i) = args.iter().position(|arg| !taken.accepts(&arg.data_type())) {
        return Err(super::super::coercion::unexpected_input(&sql, i, &taken.describe(), &args[i]));
    }
    same_type("concat", &sql, &args)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("concat", args, t, nullable, true, ansi, if binary { joined_bytes } else { joined }))
}

/// TypeUtils.checkForSameTypeInputExpr.
pub(super) fn same_type(function: &str, sql: &str, args: &[Expr]) -> Result<()> {
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    if types.windows(2).all(|pair| pair[0].same_type(&pair[1])) {
        return Ok(());
    }
    Err(super::conditional::differing(sql, function, &super::super::describe::type_list(&types, "(", " or ", ")")))
}

/// Texts one after another.
fn joined(c: &Columns<'_>) -> Result<ArrayRef> {
    let texts = (0..c.args.len()).map(|i| c.open::<Text>(i)).collect::<Result<Vec<_>>>()?;
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        if texts.iter().any(|text| text.get(row).is_none()) {
            out.append_null();
            continue;
        }
        for text in texts.iter().filter_map(|text| text.get(row)) {
            // Writing into a builder in memory cannot fail.
            let _ = out.write_str(text);
        }
        out.append_value("");
    }
    Ok(Arc::new(out.finish()))
}

fn joined_bytes(c: &Columns<'_>) -> Result<ArrayRef> {
    let parts = (0..c.args.len()).map(|i| c.open::<Bytes>(i)).collect::<Result<Vec<_>>>()?;
    let mut out = BinaryBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        out.append_option(parts.iter().map(|part| part.get(row)).collect::<Option<Vec<_>>>().map(|all| all.concat()));
    }
    Ok(Arc::new(out.finish()))
}

fn concat_ws(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Str, In::Either(&[In::ArrOf(&In::Str), In::Str])])?;
    let nullable = args[0].nullable();
    Ok(column_call("concat_ws", args, DataType::String, nullable, false, b.ansi(), separated))
}

/// What concat_ws puts together: texts, or those of arrays.
enum Pieces<'a> {
    Text(&'a StringArray),
    Texts(&'a ListArray, &'a StringArray),
    /// Nulls only.
    None,
}

/// Texts with another between them; nulls are left out.
fn separated(c: &Columns<'_>) -> Result<ArrayRef> {
    let separator = c.open::<Text>(0)?;
    let pieces: Vec<(Pieces<'_>, bool)> = c.args[1..]
        .iter()
        .map(|arg| {
            let array = arg.array();
            let list = array.as_list_opt::<i32>().and_then(|list| Some((list, list.values().as_string_opt::<i32>()?)));
            let pieces = match (array.as_string_opt::<i32>(), list) {
                (Some(texts), _) => Pieces::Text(texts),
                (_, Some((lists, texts))) => Pieces::Texts(lists, texts),
                _ => Pieces::None,
            };
            (pieces, arg.is_scalar())
        })
        .collect();
    let mut out = StringBuilder::with_capacity(c.rows, c.rows * 16);
    for row in 0..c.rows {
        let Some(separator) = separator.get(row) else {
            out.append_null();
            continue;
        };
        let mut first = true;
        let mut add = |texts: &StringArray, at: usize| {
            if texts.is_valid(at) {
                // Writing into a builder in memory cannot fail.
                if !std::mem::take(&mut first) {
                    let _ = out.write_str(separator);
                }
                let _ = out.write_str(texts.value(at));
            }
        };
        for (pieces, scalar) in &pieces {
            let at = if *scalar { 0 } else { row };
            match pieces {
                Pieces::Text(texts) => add(texts, at),
                Pieces::Texts(lists, texts) if lists.is_valid(at) => {
                    let offsets = lists.value_offsets();
                    (offsets[at] as usize..offsets[at + 1] as usize).for_each(|at| add(texts, at));
                }
                _ => {}
            }
        }
        out.append_value("");
    }
    Ok(Arc::new(out.finish()))
}

/// UTF8String.substringSQL: one-based, negative from the end.
fn range(len: usize, pos: i64, count: i64) -> (usize, usize) {
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
fn substring(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::Integer(i32::MAX), DataType::Integer));
    }
    let args = b.inputs(args, &[STR_OR_BIN, In::Int, In::Int])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = args[0].data_type();
    Ok(column_call(b.name, args, t, nullable, true, b.ansi(), |c| {
        if c.types[0] == DataType::Binary {
            return three::<Bytes, Int, Int, Bytes>(c, &|b, pos, count| {
                Ok(Some(Cow::Borrowed(cut_bytes(b, pos.into(), count.into()))))
            });
        }
        three::<Text, Int, Int, Text>(c, &|s, pos, count| Ok(Some(Cow::Borrowed(cut(s, pos.into(), count.into())))))
    }))
}

/// `count` characters from place `pos` on.
pub(super) fn cut(text: &str, pos: i64, count: i64) -> &str {
    if text.is_ascii() {
        let (from, to) = range(text.len(), pos, count);
        return &text[from..to];
    }
    let (from, to) = range(text.chars().count(), pos, count);
    let byte = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    &text[byte(from)..byte(to)]
}

pub(super) fn cut_bytes(bytes: &[u8], pos: i64, count: i64) -> &[u8] {
    let (from, to) = range(bytes.len(), pos, count);
    &bytes[from..to]
}

fn chr(c: &Columns<'_>) -> Result<ArrayRef> {
    one::<Long, Text>(c, &|n| {
        Ok(Some(if n < 0 { Cow::Borrowed("") } else { Cow::Owned(char::from((n & 0xff) as u8).to_string()) }))
    })
}
