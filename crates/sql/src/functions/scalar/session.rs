//! What a session says of itself: users, the search path, the file of a row; bitmap positions; similarity of texts.

use std::borrow::Cow;

use arrow::array::ArrayRef;

use crate::error::Result;
use crate::expr::Expr;
use crate::functions::coercion::{In, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Bytes, Columns, Double, Long, Text, column_call, each, one, two};
use crate::types::DataType;
use crate::value::Value;

/// The name of the session's user.
const USER: &str = "tidemark";

const S: Ret = Ret::Is(T::Str);
const L: Ret = Ret::Is(T::Long);

/// Name of the calls that stand for session variables.
pub(crate) const VARIABLE_REFERENCE: &str = "variablereference";

/// Bits of a bitmap.
const BITS: i64 = 32_768;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("current_user", 0, 0, &[], S, Nulls::Never, user),
    FunctionEntry::columns("session_user", 0, 0, &[], S, Nulls::Never, user),
    FunctionEntry::columns("user", 0, 0, &[], S, Nulls::Never, user),
    FunctionEntry::columns("current_path", 0, 0, &[], S, Nulls::Never, |c| {
        text(c, "system.builtin,system.session,spark_catalog.default")
    }),
    FunctionEntry::columns("input_file_block_start", 0, 0, &[], L, Nulls::Never, block),
    FunctionEntry::columns("input_file_block_length", 0, 0, &[], L, Nulls::Never, block),
    FunctionEntry::columns("collation", 1, 1, &[In::Str], S, Nulls::Never, |c| text(c, "SYSTEM.BUILTIN.UTF8_BINARY")),
    FunctionEntry::columns("bitmap_bucket_number", 1, 1, &[In::Long], L, Nulls::Strict, |c| {
        one::<Long, Long>(c, &|n| Ok(Some(if n > 0 { 1 + (n - 1) / BITS } else { n / BITS })))
    }),
    FunctionEntry::columns("bitmap_bit_position", 1, 1, &[In::Long], L, Nulls::Strict, |c| {
        one::<Long, Long>(c, &|n| Ok(Some(if n > 0 { (n - 1) % BITS } else { n.wrapping_neg() % BITS })))
    }),
    FunctionEntry::custom("bitmap_count", 1, 1, bitmap_count),
    FunctionEntry::columns(
        "jaro_winkler_similarity",
        2,
        2,
        &[In::Str, In::Str],
        Ret::Is(T::Double),
        Nulls::Strict,
        |c| two::<Text, Text, Double>(c, &|a, b| Ok(Some(jaro_winkler(a, b)))),
    ),
];

fn bitmap_count(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    only_bytes(b.name, &args)?;
    let nullable = args[0].nullable();
    Ok(column_call(b.name, args, DataType::Long, nullable, true, b.ansi(), |c| {
        one::<Bytes, Long>(c, &|bytes| Ok(Some(bytes.iter().map(|byte| i64::from(byte.count_ones())).sum())))
    }))
}

/// Bitmaps are bytes and nothing is cast to them, not even NULL.
pub(in crate::functions) fn only_bytes(function: &str, args: &[Expr]) -> Result<()> {
    match args {
        [bitmap] if bitmap.data_type() != DataType::Binary => {
            let sql = describe::call_text(function, args);
            Err(unexpected_input(&sql, 0, &In::Bin.describe(), bitmap))
        }
        _ => Ok(()),
    }
}

/// The same text for every row.
pub(super) fn text(c: &Columns<'_>, text: &str) -> Result<ArrayRef> {
    each::<Text>(c, &|_| Ok(Some(Cow::Borrowed(text))))
}

fn user(c: &Columns<'_>) -> Result<ArrayRef> {
    text(c, USER)
}

/// No row is of a block of a file.
fn block(c: &Columns<'_>) -> Result<ArrayRef> {
    each::<Long>(c, &|_| Ok(Some(-1)))
}

/// A session variable in an expression (VariableReference): what it holds, under its name.
pub(crate) fn variable_reference(name: &str, value: Expr) -> Expr {
    let (data_type, nullable) = (value.data_type(), value.nullable());
    let args = vec![Expr::literal(Value::from(name.to_lowercase().as_str()), DataType::String), value];
    column_call(VARIABLE_REFERENCE, args, data_type, nullable, false, false, |c| c.args[1].to_array(c.rows))
}

/// The variable that an expression is.
pub(crate) fn variable_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Call(call) if &*call.name == VARIABLE_REFERENCE => match call.args.first() {
            Some(Expr::Literal { value: Value::String(name), .. }) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// current_schema() where a database is in use.
pub(crate) fn current_schema(database: &str) -> Expr {
    let database = Expr::literal(Value::from(database), DataType::String);
    column_call("current_schema", vec![database], DataType::String, false, false, false, |c| c.args[0].to_array(c.rows))
}

/// Jaro's similarity, raised by up to four equal characters at the start.
fn jaro_winkler(left: &str, right: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if a == b {
        return 1.0;
    }
    let window = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut mine = Vec::new();
    for (i, c) in a.iter().enumerate() {
        let range = i.saturating_sub(window)..(i + window + 1).min(b.len());
        if let Some(j) = range.into_iter().find(|j| !taken[*j] && b[*j] == *c) {
            taken[j] = true;
            mine.push(*c);
        }
    }
    if mine.is_empty() {
        return 0.0;
    }
    let theirs = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(c, _)| *c);
    let swapped = mine.iter().zip(theirs).filter(|(x, y)| **x != *y).count() as f64 / 2.0;
    let m = mine.len() as f64;
    let jaro = (m / a.len() as f64 + m / b.len() as f64 + (m - swapped) / m) / 3.0;
    let prefix = a.iter().zip(&b).take(4).take_while(|(x, y)| x == y).count() as f64;
    jaro + 0.1 * prefix * (1.0 - jaro)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_of_martha() {
        assert!((jaro_winkler("martha", "marhta") - 0.961_111_111_111_111_1).abs() < 1e-12);
        assert_eq!(jaro_winkler("", ""), 1.0);
        assert_eq!(jaro_winkler("a", "b"), 0.0);
    }
}
