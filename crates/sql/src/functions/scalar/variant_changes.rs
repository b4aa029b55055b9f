//! variant_insert, variant_set, variant_array_append, variant_delete, variant_strip_nulls.

use arrow::array::{Array, ArrayRef, AsArray};

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::typed::{ColumnEval, Columns, column_call};
use crate::functions::variant::{self, Change, Refusal, Variants};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("variant_insert", 3, 3, changed),
    FunctionEntry::custom("try_variant_insert", 3, 3, changed),
    FunctionEntry::custom("variant_set", 3, 4, changed),
    FunctionEntry::custom("try_variant_set", 3, 4, changed),
    FunctionEntry::custom("variant_array_append", 3, 3, changed),
    FunctionEntry::custom("try_variant_array_append", 3, 3, changed),
    FunctionEntry::columns(
        "variant_delete",
        2,
        MANY,
        &[In::Variant, In::Str],
        Ret::Is(T::Variant),
        Nulls::Always,
        |c| {
            let variants = Variants::of(c.operand(0)?)?;
            variant::column(c.rows, &|row| {
                let Some((value, metadata)) = variants.row(row) else { return Ok(None) };
                // A path that is null takes nothing away.
                let texts = (1..c.args.len()).filter_map(|i| text(c, i, row));
                let paths = texts.map(|text| variant::path(text).ok_or_else(|| bad_path(text, "variant_delete")));
                variant::without(value, metadata, &paths.collect::<Result<Vec<_>>>()?).map(Some)
            })
        },
    ),
    FunctionEntry::custom("variant_strip_nulls", 1, 2, strip_nulls),
];

fn bad_path(text: &str, name: &str) -> SparkError {
    SparkError::runtime("INVALID_VARIANT_GET_PATH", &[("path", text), ("functionName", &format!("`{name}`"))])
}

fn changed(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 3 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Variant, In::Str, In::Any, In::Bool])?;
    fn run(c: &Columns<'_>, change: fn(bool) -> Change, lenient: bool, name: &str) -> Result<ArrayRef> {
        let (variants, new) = (Variants::of(c.operand(0)?)?, c.operand(2)?);
        let there = c.present();
        variant::column(c.rows, &|row| {
            if there.as_ref().is_some_and(|n| n.is_null(row)) {
                return Ok(None);
            }
            let (Some((value, metadata)), Some(text)) = (variants.row(row), text(c, 1, row)) else { return Ok(None) };
            let steps = variant::path(text).ok_or_else(|| bad_path(text, name))?;
            let change = change(flag(c, 3, row));
            let new = (new.array() as &dyn Array, new.index(row), &c.types[2]);
            match variant::changed(value, metadata, &steps, &change, new)? {
                Ok(done) => Ok(Some(done)),
                Err(_) if lenient => Ok(None),
                Err(Refusal::Duplicate) => Err(SparkError::runtime("VARIANT_DUPLICATE_KEY", &[("key", text)])),
                Err(Refusal::Mismatch) => {
                    Err(SparkError::runtime("INVALID_VARIANT_CAST", &[("value", text), ("dataType", "\"VARIANT\"")]))
                }
            }
        })
    }
    let eval: ColumnEval = match b.name {
        "variant_insert" => |c| run(c, |_| Change::Insert, false, "variant_insert"),
        "try_variant_insert" => |c| run(c, |_| Change::Insert, true, "try_variant_insert"),
        "variant_set" => |c| run(c, |create| Change::Set { create }, false, "variant_set"),
        "try_variant_set" => |c| run(c, |create| Change::Set { create }, true, "try_variant_set"),
        "variant_array_append" => |c| run(c, |_| Change::Append, false, "variant_array_append"),
        _ => |c| run(c, |_| Change::Append, true, "try_variant_array_append"),
    };
    Ok(column_call(b.name, args, DataType::Variant, true, true, b.ansi(), eval))
}

/// The text of argument `i`; None for null.
fn text<'a>(c: &'a Columns<'_>, i: usize, row: usize) -> Option<&'a str> {
    let operand = c.args.get(i)?;
    let (texts, at) = (operand.array().as_string_opt::<i32>()?, operand.index(row));
    texts.is_valid(at).then(|| texts.value(at))
}

/// The truth of argument `i`; true for what is not there.
fn flag(c: &Columns<'_>, i: usize, row: usize) -> bool {
    let known = c.args.get(i).and_then(|a| Some((a.array().as_boolean_opt()?, a.index(row))));
    known.is_none_or(|(flags, at)| flags.is_null(at) || flags.value(at))
}

fn strip_nulls(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Variant, In::Bool])?;
    Ok(column_call("variant_strip_nulls", args, DataType::Variant, true, true, b.ansi(), |c| {
        let variants = Variants::of(c.operand(0)?)?;
        let there = c.present();
        variant::column(c.rows, &|row| match variants.row(row) {
            Some((value, metadata)) if there.as_ref().is_none_or(|n| n.is_valid(row)) => {
                variant::stripped(value, metadata, flag(c, 1, row)).map(Some)
            }
            _ => Ok(None),
        })
    }))
}
