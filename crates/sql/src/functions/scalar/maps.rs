//! Functions of maps.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringBuilder, StructArray, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::compute::take;
use arrow::datatypes::{self as at, Field, Fields};

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::nested::{Lists, Needle, built_maps, interleaved, pick_rows};
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret, wrong_count};
use crate::functions::typed::{Columns, column_call};
use crate::types::{DataType, StructField};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("map", 0, MANY, map),
    FunctionEntry::custom("map_from_arrays", 2, 2, from_arrays),
    FunctionEntry::custom("map_from_entries", 1, 1, from_entries),
    FunctionEntry::columns("map_keys", 1, 1, &[In::Map], Ret::Of(key_array), Nulls::Strict, |c| {
        let maps = c.lists(0)?;
        c.sliced(&maps, maps.keys()?)
    }),
    FunctionEntry::columns("map_values", 1, 1, &[In::Map], Ret::Of(value_array), Nulls::Strict, |c| {
        let maps = c.lists(0)?;
        c.sliced(&maps, maps.values)
    }),
    FunctionEntry::columns("map_entries", 1, 1, &[In::Map], Ret::Of(entry_array), Nulls::Strict, |c| {
        let maps = c.lists(0)?;
        let fields = Fields::from(vec![
            Field::new("key", maps.keys()?.data_type().clone(), true),
            Field::new("value", maps.values.data_type().clone(), true),
        ]);
        let entries: ArrayRef =
            Arc::new(StructArray::try_new(fields, vec![maps.keys()?.clone(), maps.values.clone()], None)?);
        c.sliced(&maps, &entries)
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
    DataType::array(parts(args).0, true)
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
    Ok(column_call("map", args, t, false, false, ansi, |c| {
        // Keys and values of all rows, row by row.
        let side = |first: usize| {
            let sources: Vec<&dyn Array> = c.args.iter().skip(first).step_by(2).map(|a| a.array().as_ref()).collect();
            let mut picked = Vec::with_capacity(sources.len() * c.rows);
            for row in 0..c.rows {
                picked.extend(c.args.iter().skip(first).step_by(2).map(|a| a.index(row)).enumerate());
            }
            let t = sources.first().map_or(at::DataType::Null, |s| s.data_type().clone());
            interleaved(&sources, &picked, &t)
        };
        let width = c.args.len() / 2;
        let offsets = (0..=c.rows).map(|row| (row * width) as i32).collect();
        built_maps(c.result, side(0)?, side(1)?, offsets, None, c.ctx.conf)
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
    Ok(column_call("map_from_arrays", args, t, nullable, true, b.ansi(), |c| {
        let (keys, values) = (c.lists(0)?, c.lists(1)?);
        let nulls = c.present();
        let mut places = (Vec::new(), Vec::new());
        let mut offsets = vec![0];
        let mut mismatch = None;
        for row in 0..c.rows {
            if nulls.as_ref().is_none_or(|n| n.is_valid(row)) {
                if keys.range(row).len() != values.range(row).len() {
                    mismatch = Some(SparkError::runtime("_LEGACY_ERROR_TEMP_2128", &[]));
                    break;
                }
                places.0.extend(keys.range(row).map(|at| at as u32));
                places.1.extend(values.range(row).map(|at| at as u32));
            }
            offsets.push(places.0.len() as i32);
        }
        let keys = take(keys.values, &UInt32Array::from(places.0), None)?;
        let values = take(values.values, &UInt32Array::from(places.1), None)?;
        // What is wrong with an earlier row comes first.
        let nulls = nulls.map(|n| n.slice(0, offsets.len() - 1));
        let made = built_maps(c.result, keys, values, offsets, nulls, c.ctx.conf)?;
        mismatch.map_or(Ok(made), Err)
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
    Ok(column_call("map_from_entries", args, t, nullable, true, b.ansi(), |c| {
        let lists = c.lists(0)?;
        let Some(pairs) = lists.values.as_struct_opt() else { return Err(SparkError::internal("pairs are structs")) };
        // An entry that is null makes the whole null.
        let there: Vec<bool> =
            (0..c.rows).map(|row| !lists.is_null(row) && lists.range(row).all(|at| pairs.is_valid(at))).collect();
        let nulls = NullBuffer::from(there);
        let (places, offsets) = pick_rows(c.rows, Some(&nulls), &mut |row, out| {
            out.extend(lists.range(row).map(|at| at as u32));
            Ok(())
        })?;
        let places = UInt32Array::from(places);
        let (keys, values) = (take(pairs.column(0), &places, None)?, take(pairs.column(1), &places, None)?);
        built_maps(c.result, keys, values, offsets, Some(nulls), c.ctx.conf)
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
    Ok(column_call("map_concat", args, t, nullable, true, ansi, |c| {
        let DataType::Map { key, value, .. } = c.result else { return Err(SparkError::internal("map type")) };
        let all = (0..c.args.len()).map(|i| c.lists(i)).collect::<Result<Vec<Lists<'_>>>>()?;
        let nulls = c.present();
        let mut picked = Vec::new();
        let mut offsets = vec![0];
        for row in 0..c.rows {
            if nulls.as_ref().is_none_or(|n| n.is_valid(row)) {
                for (i, maps) in all.iter().enumerate() {
                    picked.extend(maps.range(row).map(|at| (i, at)));
                }
            }
            offsets.push(picked.len() as i32);
        }
        let keys = all.iter().map(|m| Ok(m.keys()?.as_ref())).collect::<Result<Vec<&dyn Array>>>()?;
        let values: Vec<&dyn Array> = all.iter().map(|m| m.values.as_ref()).collect();
        let keys = interleaved(&keys, &picked, &key.to_arrow())?;
        let values = interleaved(&values, &picked, &value.to_arrow())?;
        built_maps(c.result, keys, values, offsets, nulls, c.ctx.conf)
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
    Ok(column_call("map_contains_key", args, DataType::Boolean, nullable, true, b.ansi(), |c| {
        let DataType::Map { key, .. } = &c.types[0] else { return Err(SparkError::internal("map type")) };
        let maps = c.lists(0)?;
        let needle = Needle::of(maps.keys()?, &c.args[1], key)?;
        let there = c.present();
        let holds = |row: usize| maps.range(row).any(|at| needle.equals(row, at) == Some(true));
        let found: BooleanArray =
            (0..c.rows).map(|row| there.as_ref().is_none_or(|n| n.is_valid(row)).then(|| holds(row))).collect();
        Ok(Arc::new(found))
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
    Ok(column_call("str_to_map", args, t, nullable, true, b.ansi(), texts_to_maps))
}

/// A delimiter: a regular expression, or where it is none the text itself.
fn cut<'t>(text: &'t str, by: &(String, Option<regex::Regex>), limit: usize) -> Vec<&'t str> {
    match &by.1 {
        Some(pattern) => pattern.splitn(text, limit).collect(),
        None => text.splitn(limit, by.0.as_str()).collect(),
    }
}

fn texts_to_maps(c: &Columns<'_>) -> Result<ArrayRef> {
    let nulls = c.present();
    let text = |i: usize, row: usize| c.args[i].array().as_string::<i32>().value(c.args[i].index(row));
    let mut delimiters: [Option<(String, Option<regex::Regex>)>; 2] = [None, None];
    let (mut keys, mut values) = (StringBuilder::new(), StringBuilder::new());
    let mut offsets = vec![0];
    let mut count = 0;
    for row in 0..c.rows {
        if nulls.as_ref().is_none_or(|n| n.is_valid(row)) {
            // Delimiters seldom differ between rows.
            for (i, known) in delimiters.iter_mut().enumerate() {
                let by = text(i + 1, row);
                if known.as_ref().is_none_or(|k| k.0 != by) {
                    *known = Some((by.to_owned(), regex::Regex::new(by).ok()));
                }
            }
            let [Some(pairs), Some(sides)] = &delimiters else { return Err(SparkError::internal("two delimiters")) };
            for pair in cut(text(0, row), pairs, usize::MAX) {
                let sides = cut(pair, sides, 2);
                keys.append_value(sides.first().copied().unwrap_or(""));
                values.append_option(sides.get(1));
                count += 1;
            }
        }
        offsets.push(count);
    }
    built_maps(c.result, Arc::new(keys.finish()), Arc::new(values.finish()), offsets, nulls, c.ctx.conf)
}
