//! Functions of maps.

use super::collections::{checked_map, items};
use super::strings::s;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret, wrong_count};
use crate::functions::row::row_call;
use crate::types::{DataType, StructField};
use crate::value::{Value, compare_nulls_first};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("map", 0, MANY, map),
    FunctionEntry::custom("map_from_arrays", 2, 2, from_arrays),
    FunctionEntry::custom("map_from_entries", 1, 1, from_entries),
    FunctionEntry::row("map_keys", 1, 1, &[In::Map], Ret::Of(key_array), Nulls::Strict, |_, v| {
        Ok(Value::array(v[0].as_entries().unwrap_or(&[]).iter().map(|e| e.0.clone()).collect()))
    }),
    FunctionEntry::row("map_values", 1, 1, &[In::Map], Ret::Of(value_array), Nulls::Strict, |_, v| {
        Ok(Value::array(v[0].as_entries().unwrap_or(&[]).iter().map(|e| e.1.clone()).collect()))
    }),
    FunctionEntry::row("map_entries", 1, 1, &[In::Map], Ret::Of(entry_array), Nulls::Strict, |_, v| {
        let entries = v[0].as_entries().unwrap_or(&[]);
        Ok(Value::array(entries.iter().map(|(k, v)| Value::structure(vec![k.clone(), v.clone()])).collect()))
    }),
    FunctionEntry::custom("map_concat", 0, MANY, concat),
    FunctionEntry::custom("map_contains_key", 2, 2, contains_key),
    FunctionEntry::custom("str_to_map", 1, 3, str_to_map),
];

fn parts(args: &[Expr]) -> (DataType, DataType, bool) {
    match args.first().map(Expr::data_type) {
        Some(DataType::Map { key, value, value_contains_null }) => {
            ((*key).clone(), (*value).clone(), value_contains_null)
        }
        _ => (DataType::Null, DataType::Null, true),
    }
}

fn key_array(args: &[Expr]) -> DataType {
    DataType::array(parts(args).0, false)
}

fn value_array(args: &[Expr]) -> DataType {
    let (_, v, null) = parts(args);
    DataType::array(v, null)
}

fn entry_array(args: &[Expr]) -> DataType {
    let (k, v, null) = parts(args);
    DataType::array(
        DataType::structure(vec![StructField::new("key", k, false), StructField::new("value", v, null)]),
        false,
    )
}

fn has_map(t: &DataType) -> bool {
    match t {
        DataType::Map { .. } => true,
        DataType::Array { element, .. } => has_map(element),
        DataType::Struct(s) => s.fields.iter().any(|f| has_map(&f.data_type)),
        _ => false,
    }
}

fn check_key(sql: &str, key: &DataType) -> Result<()> {
    if has_map(key) || *key == DataType::Variant {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE",
            &[("sqlExpr", &format!("\"{sql}\"")), ("keyType", &key.quoted_sql())],
        ));
    }
    Ok(())
}

fn map(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if !args.len().is_multiple_of(2) {
        return Err(wrong_count(b.written, "2n (n > 0)", args.len()));
    }
    let ansi = b.ansi();
    let sql = describe::call_text("map", &args);
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for (i, a) in args.into_iter().enumerate() {
        if i % 2 == 0 { keys.push(a) } else { values.push(a) }
    }
    let common = |list: Vec<Expr>, condition: &str| {
        coercion::coerce_all(list, ansi, coercion::wider_common).map_err(|list| {
            let types: Vec<DataType> = list.iter().map(Expr::data_type).collect();
            SparkError::analysis(
                condition,
                &[
                    ("sqlExpr", &format!("\"{sql}\"")),
                    ("functionName", "`map`"),
                    ("dataType", &describe::type_list(&types, "[", ", ", "]")),
                ],
            )
        })
    };
    let (keys, _) = common(keys, "DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES")?;
    let (values, _) = common(values, "DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES")?;
    let key = if keys.is_empty() { DataType::Null } else { super::conditional::merged_type(&keys) };
    check_key(&sql, &key)?;
    let value = if values.is_empty() { DataType::Null } else { super::conditional::merged_type(&values) };
    let null = values.iter().any(Expr::nullable);
    let args: Vec<Expr> = keys.into_iter().zip(values).flat_map(|(k, v)| [k, v]).collect();
    let t = DataType::map(key, value, null);
    Ok(row_call("map", args, t, false, false, ansi, |c, v| {
        checked_map(c, v.chunks(2).map(|p| (p[0].clone(), p[1].clone())).collect())
    }))
}

fn from_arrays(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Arr])?;
    let (DataType::Array { element: k, .. }, DataType::Array { element: v, contains_null }) =
        (args[0].data_type(), args[1].data_type())
    else {
        return Err(SparkError::internal("map_from_arrays takes arrays"));
    };
    check_key(&describe::call_text("map_from_arrays", &args), &k)?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::map((*k).clone(), (*v).clone(), contains_null);
    Ok(row_call("map_from_arrays", args, t, nullable, true, b.ansi(), |c, v| {
        let (keys, values) = (items(&v[0]), items(&v[1]));
        if keys.len() != values.len() {
            return Err(SparkError::runtime("_LEGACY_ERROR_TEMP_2128", &[]));
        }
        checked_map(c, keys.iter().cloned().zip(values.iter().cloned()).collect())
    }))
}

fn from_entries(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let refused = |args: &[Expr]| {
        let sql = describe::call_text("map_from_entries", args);
        unexpected_input(&sql, 0, "\"ARRAY\" of pair \"STRUCT\"", &args[0])
    };
    let DataType::Array { element, contains_null } = args[0].data_type() else { return Err(refused(&args)) };
    let DataType::Struct(pair) = &*element else { return Err(refused(&args)) };
    let [k, v] = &pair.fields[..] else { return Err(refused(&args)) };
    let t = DataType::map(k.data_type.clone(), v.data_type.clone(), v.nullable);
    let nullable = args[0].nullable() || contains_null;
    Ok(row_call("map_from_entries", args, t, nullable, true, b.ansi(), |c, v| {
        let mut entries = Vec::new();
        for pair in items(&v[0]) {
            match pair.as_slice() {
                Some([k, v]) => entries.push((k.clone(), v.clone())),
                _ => return Ok(Value::Null),
            }
        }
        checked_map(c, entries)
    }))
}

fn concat(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    for a in &args {
        if !matches!(a.data_type(), DataType::Map { .. }) {
            let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("map_concat", &args))),
                    ("functionName", "`map_concat`"),
                    ("dataType", &describe::type_list(&types, "[", ", ", "]")),
                ],
            ));
        }
    }
    let (args, t) = match coercion::coerce_all(args, ansi, coercion::wider_common) {
        Ok((args, t)) => (args, t),
        Err(args) => {
            let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("map_concat", &args))),
                    ("functionName", "`map_concat`"),
                    ("dataType", &describe::type_list(&types, "[", ", ", "]")),
                ],
            ));
        }
    };
    let t = if args.is_empty() { DataType::map(DataType::String, DataType::String, false) } else { t };
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("map_concat", args, t, nullable, true, ansi, |c, v| {
        checked_map(c, v.iter().flat_map(|m| m.as_entries().unwrap_or(&[]).iter().cloned()).collect())
    }))
}

fn contains_key(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let DataType::Map { key, .. } = args[0].data_type() else {
        let sql = describe::call_text("map_contains_key", &args);
        return Err(unexpected_input(&sql, 0, "\"MAP\"", &args[0]));
    };
    if args[1].data_type() == DataType::Null {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NULL_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("map_contains_key", &args))),
                ("functionName", "`map_contains_key`"),
            ],
        ));
    }
    match coercion::wider_without_string(&key, &args[1].data_type(), b.ansi()) {
        Some(t) if t.same_type(&key) => args[1] = cast_to(args[1].clone(), &key, b.ansi()),
        _ => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("map_contains_key", &args))),
                    ("functionName", "`map_contains_key`"),
                    ("dataType", "\"MAP\""),
                    ("leftType", &args[0].data_type().quoted_sql()),
                    ("rightType", &args[1].data_type().quoted_sql()),
                ],
            ));
        }
    }
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("map_contains_key", args, DataType::Boolean, nullable, true, b.ansi(), |_, v| {
        let entries = v[0].as_entries().unwrap_or(&[]);
        Ok(Value::Boolean(entries.iter().any(|(k, _)| compare_nulls_first(k, &v[1]).is_eq())))
    }))
}

fn str_to_map(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let defaults = [",", ":"];
    while args.len() < 3 {
        args.push(Expr::literal(Value::from(defaults[args.len() - 1]), DataType::String));
    }
    let args = b.inputs(args, &[In::Str])?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::map(DataType::String, DataType::String, true);
    Ok(row_call("str_to_map", args, t, nullable, true, b.ansi(), |c, v| {
        let cut = |text: &str, by: &str, limit: usize| -> Vec<String> {
            // The delimiters are regular expressions; plain ones are the rule.
            match regex::Regex::new(by) {
                Ok(re) => re.splitn(text, limit).map(str::to_owned).collect(),
                Err(_) => text.splitn(limit, by).map(str::to_owned).collect(),
            }
        };
        let entries = cut(s(&v[0]), s(&v[1]), usize::MAX)
            .into_iter()
            .map(|pair| {
                let parts = cut(&pair, s(&v[2]), 2);
                let key = Value::from(parts.first().map_or("", String::as_str));
                (key, parts.get(1).map_or(Value::Null, |v| Value::from(v.as_str())))
            })
            .collect();
        checked_map(c, entries)
    }))
}
