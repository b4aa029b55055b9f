//! variant_insert, variant_set, variant_array_append, variant_delete, variant_strip_nulls.

use super::variants::parts;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::functions::variant::{self, Change, Refusal};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("variant_insert", 3, 3, changed),
    FunctionEntry::custom("try_variant_insert", 3, 3, changed),
    FunctionEntry::custom("variant_set", 3, 4, changed),
    FunctionEntry::custom("try_variant_set", 3, 4, changed),
    FunctionEntry::custom("variant_array_append", 3, 3, changed),
    FunctionEntry::custom("try_variant_array_append", 3, 3, changed),
    FunctionEntry::row(
        "variant_delete",
        2,
        MANY,
        &[In::Variant, In::Str],
        Ret::Is(T::Variant),
        Nulls::Always,
        |_, v| {
            let Some((value, metadata)) = parts(&v[0]) else { return Ok(Value::Null) };
            let mut paths = Vec::new();
            // A path that is null takes nothing away.
            for text in v[1..].iter().filter_map(Value::as_str) {
                paths.push(variant::path(text).ok_or_else(|| bad_path(text, "variant_delete"))?);
            }
            variant::without(value, metadata, &paths)
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
    fn run(c: &RowContext<'_>, v: &[Value], change: &Change, lenient: bool, name: &str) -> Result<Value> {
        let Some((value, metadata)) = parts(&v[0]) else { return Ok(Value::Null) };
        let text = v[1].as_str().unwrap_or("");
        let steps = variant::path(text).ok_or_else(|| bad_path(text, name))?;
        let t = c.types.get(2).cloned().unwrap_or(DataType::Null);
        match variant::changed(value, metadata, &steps, change, (&v[2], &t))? {
            Ok(done) => Ok(done),
            Err(_) if lenient => Ok(Value::Null),
            Err(Refusal::Duplicate) => Err(SparkError::runtime("VARIANT_DUPLICATE_KEY", &[("key", text)])),
            Err(Refusal::Mismatch) => {
                Err(SparkError::runtime("INVALID_VARIANT_CAST", &[("value", text), ("dataType", "\"VARIANT\"")]))
            }
        }
    }
    let eval: RowEval = match b.name {
        "variant_insert" => |c, v| run(c, v, &Change::Insert, false, "variant_insert"),
        "try_variant_insert" => |c, v| run(c, v, &Change::Insert, true, "try_variant_insert"),
        "variant_set" => |c, v| run(c, v, &Change::Set { create: creates(v) }, false, "variant_set"),
        "try_variant_set" => |c, v| run(c, v, &Change::Set { create: creates(v) }, true, "try_variant_set"),
        "variant_array_append" => |c, v| run(c, v, &Change::Append, false, "variant_array_append"),
        _ => |c, v| run(c, v, &Change::Append, true, "try_variant_array_append"),
    };
    Ok(row_call(b.name, args, DataType::Variant, true, true, b.ansi(), eval))
}

fn creates(v: &[Value]) -> bool {
    v.get(3).and_then(Value::as_bool).unwrap_or(true)
}

fn strip_nulls(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Variant, In::Bool])?;
    Ok(row_call("variant_strip_nulls", args, DataType::Variant, true, true, b.ansi(), |_, v| match parts(&v[0]) {
        Some((value, metadata)) => variant::stripped(value, metadata, v[1].as_bool().unwrap_or(true)),
        None => Ok(Value::Null),
    }))
}
