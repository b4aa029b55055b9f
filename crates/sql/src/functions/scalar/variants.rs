//! Functions of VARIANT: parse_json, variant_get, schema_of_variant, to_variant_object.

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::cast::CastContext;
use crate::functions::coercion::{In, unexpected_input};
use crate::functions::describe;
use crate::functions::json::constant;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::row::{RowContext, row_call};
use crate::functions::variant;
use crate::types::{DataType, parse_data_type};
use crate::value::Value;

const VARIANT: &[In] = &[In::Variant];
const V: Ret = Ret::Is(T::Variant);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::row("parse_json", 1, 1, &[In::Str], V, Nulls::StrictNullable, |_, v| {
        let text = v[0].as_str().unwrap_or("");
        variant::parse(text).ok_or_else(|| {
            SparkError::new(
                ErrorClass::Java("org.apache.spark.SparkException"),
                "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                &[("badRecord", text), ("failFastMode", "FAILFAST")],
            )
        })
    }),
    FunctionEntry::row("try_parse_json", 1, 1, &[In::Str], V, Nulls::StrictNullable, |_, v| {
        Ok(variant::parse(v[0].as_str().unwrap_or("")).unwrap_or(Value::Null))
    }),
    FunctionEntry::row("is_variant_null", 1, 1, VARIANT, Ret::Is(T::Bool), Nulls::Never, |_, v| {
        Ok(Value::Boolean(parts(&v[0]).is_some_and(|(value, metadata)| variant::is_null(value, metadata))))
    }),
    FunctionEntry::row("is_valid_variant", 1, 1, VARIANT, Ret::Is(T::Bool), Nulls::StrictNullable, |_, v| {
        Ok(Value::Boolean(parts(&v[0]).is_some_and(|(value, metadata)| variant::is_valid(value, metadata))))
    }),
    FunctionEntry::row("schema_of_variant", 1, 1, VARIANT, Ret::Is(T::Str), Nulls::StrictNullable, |_, v| {
        let schema = parts(&v[0]).and_then(|(value, metadata)| variant::schema_of(value, metadata));
        Ok(schema.map_or(Value::Null, |schema| Value::from(variant::schema_text(&schema))))
    }),
    FunctionEntry::custom("variant_get", 2, 3, get),
    FunctionEntry::custom("try_variant_get", 2, 3, get),
    FunctionEntry::custom("to_variant_object", 1, 1, to_object),
];

/// The two parts of a variant.
pub(in crate::functions) fn parts(v: &Value) -> Option<(&[u8], &[u8])> {
    match v {
        Value::Variant { value, metadata } => Some((value, metadata)),
        _ => None,
    }
}

fn get(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let to = match args.get(2) {
        None => DataType::Variant,
        Some(arg) => match constant(b, arg)? {
            Some(Value::String(text)) => parse_data_type(&text)?,
            _ => {
                let sql = describe::call_text(b.name, &args[..2]);
                return Err(unexpected_input(&sql, 2, "\"STRING\"", arg));
            }
        },
    };
    let args = b.inputs(args.into_iter().take(2).collect(), &[In::Variant, In::Str])?;
    fn found(c: &RowContext<'_>, v: &[Value], mode: EvalMode, name: &str) -> Result<Value> {
        let text = v[1].as_str().unwrap_or("");
        let steps = c.cached(text, |text| {
            variant::path(text).ok_or_else(|| {
                SparkError::runtime(
                    "INVALID_VARIANT_GET_PATH",
                    &[("path", text), ("functionName", &format!("`{name}`"))],
                )
            })
        })?;
        match parts(&v[0]) {
            Some((value, metadata)) => variant::get(
                value,
                metadata,
                &steps,
                c.result,
                CastContext { mode, zone: c.zone(), now_us: c.eval.now_us },
            ),
            None => Ok(Value::Null),
        }
    }
    Ok(if b.name == "variant_get" {
        row_call(b.name, args, to, true, true, b.ansi(), |c, v| found(c, v, EvalMode::Ansi, "variant_get"))
    } else {
        row_call(b.name, args, to, true, true, b.ansi(), |c, v| found(c, v, EvalMode::Try, "try_variant_get"))
    })
}

fn to_object(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let t = args[0].data_type();
    if !matches!(t, DataType::Array { .. } | DataType::Map { .. } | DataType::Struct(_)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("srcType", &t.quoted_sql()),
                ("targetType", "\"VARIANT\""),
            ],
        ));
    }
    let nullable = args[0].nullable();
    Ok(row_call("to_variant_object", args, DataType::Variant, nullable, true, b.ansi(), |c, v| {
        variant::from_value(&v[0], c.types.first().unwrap_or(&DataType::Null))
    }))
}
