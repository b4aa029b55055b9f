//! Functions of VARIANT: parse_json, variant_get, schema_of_variant, to_variant_object.

use arrow::array::{Array, ArrayRef, AsArray};

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{EvalMode, Expr};
use crate::functions::cast::CastContext;
use crate::functions::coercion::{In, unexpected_input};
use crate::functions::describe;
use crate::functions::json::constant;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Bool, ColumnEval, Columns, Memo, Text, column_call, each};
use crate::functions::variant::{self, Encoded, Variants};
use crate::types::{DataType, parse_data_type};
use crate::value::{Value, ValueBuilder};

const VARIANT: &[In] = &[In::Variant];
const V: Ret = Ret::Is(T::Variant);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("parse_json", 1, 1, &[In::Str], V, Nulls::StrictNullable, |c| {
        parsed(c, &|text| {
            Err(SparkError::new(
                ErrorClass::Java("org.apache.spark.SparkException"),
                "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                &[("badRecord", text), ("failFastMode", "FAILFAST")],
            ))
        })
    }),
    FunctionEntry::columns("try_parse_json", 1, 1, &[In::Str], V, Nulls::StrictNullable, |c| parsed(c, &|_| Ok(None))),
    FunctionEntry::columns("is_variant_null", 1, 1, VARIANT, Ret::Is(T::Bool), Nulls::Never, |c| {
        let variants = Variants::of(c.operand(0)?)?;
        each::<Bool>(c, &|row| Ok(Some(variants.row(row).is_some_and(|(v, m)| variant::is_null(v, m)))))
    }),
    FunctionEntry::columns("is_valid_variant", 1, 1, VARIANT, Ret::Is(T::Bool), Nulls::StrictNullable, |c| {
        let variants = Variants::of(c.operand(0)?)?;
        each::<Bool>(c, &|row| Ok(variants.row(row).map(|(v, m)| variant::is_valid(v, m))))
    }),
    FunctionEntry::columns("schema_of_variant", 1, 1, VARIANT, Ret::Is(T::Str), Nulls::StrictNullable, |c| {
        let variants = Variants::of(c.operand(0)?)?;
        each::<Text>(c, &|row| {
            let schema = variants.row(row).and_then(|(v, m)| variant::schema_of(v, m));
            Ok(schema.map(|schema| variant::schema_text(&schema).into()))
        })
    }),
    FunctionEntry::custom("variant_get", 2, 3, get),
    FunctionEntry::custom("try_variant_get", 2, 3, get),
    FunctionEntry::custom("to_variant_object", 1, 1, to_object),
];

fn parsed(c: &Columns<'_>, malformed: &dyn Fn(&str) -> Result<Option<Encoded>>) -> Result<ArrayRef> {
    let texts = c.operand(0)?;
    let column = texts.array().as_string_opt::<i32>();
    variant::column(c.rows, &|row| {
        let text = column.filter(|t| t.is_valid(texts.index(row))).map(|t| t.value(texts.index(row)));
        text.map_or(Ok(None), |text| variant::parse(text).map_or_else(|| malformed(text), |made| Ok(Some(made))))
    })
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
    fn found(c: &Columns<'_>, mode: EvalMode, name: &str) -> Result<ArrayRef> {
        let (variants, paths) = (Variants::of(c.operand(0)?)?, c.operand(1)?);
        let texts = paths.array().as_string_opt::<i32>();
        let known = Memo::default();
        let ctx = CastContext { mode, zone: c.zone(), now_us: c.ctx.now_us };
        let mut out = ValueBuilder::new(c.result, c.rows);
        for row in 0..c.rows {
            let at = paths.index(row);
            let path = texts.filter(|t| t.is_valid(at)).map(|t| t.value(at));
            let (Some((value, metadata)), Some(path)) = (variants.row(row), path) else {
                out.append_null();
                continue;
            };
            let steps = known.get(path, |path| {
                variant::path(path).ok_or_else(|| {
                    SparkError::runtime(
                        "INVALID_VARIANT_GET_PATH",
                        &[("path", path), ("functionName", &format!("`{name}`"))],
                    )
                })
            })?;
            // What a variant holds has a type of its own, cell by cell.
            out.append(&variant::get(value, metadata, &steps, c.result, ctx)?)?;
        }
        out.finish()
    }
    let eval: ColumnEval = if b.name == "variant_get" {
        |c| found(c, EvalMode::Ansi, "variant_get")
    } else {
        |c| found(c, EvalMode::Try, "try_variant_get")
    };
    Ok(column_call(b.name, args, to, true, true, b.ansi(), eval))
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
    Ok(column_call("to_variant_object", args, DataType::Variant, nullable, true, b.ansi(), |c| {
        let from = c.types.first().unwrap_or(&DataType::Null);
        let values = c.operand(0)?;
        variant::column(c.rows, &|row| Ok(variant::of_cell(values.array(), values.index(row), from)))
    }))
}
