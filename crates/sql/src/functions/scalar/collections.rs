//! Arrays, and access to arrays and maps.

use std::collections::HashSet;

use super::dedup_entries;
use super::structs::field_name;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::{self, In, cast_to, unexpected_input};
use crate::functions::describe;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, MANY, Nulls, Ret};
use crate::functions::row::{RowContext, RowEval, row_call};
use crate::types::{DataType, StructField};
use crate::value::{HashKey, Value, compare_nulls_first};

const ARR: &[In] = &[In::Arr];

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("array", 0, MANY, array),
    FunctionEntry::custom("[]", 2, 2, item),
    FunctionEntry::custom("element_at", 2, 2, element_at),
    FunctionEntry::custom("try_element_at", 2, 2, element_at),
    FunctionEntry::custom("get", 2, 2, get),
    FunctionEntry::custom("size", 1, 1, size),
    FunctionEntry::custom("cardinality", 1, 1, size),
    FunctionEntry::row("array_size", 1, 1, ARR, Ret::Is(T::Int), Nulls::Strict, |_, v| {
        Ok(Value::Integer(items(&v[0]).len() as i32))
    }),
    FunctionEntry::custom("array_contains", 2, 2, search),
    FunctionEntry::custom("array_position", 2, 2, search),
    FunctionEntry::custom("array_remove", 2, 2, search),
    FunctionEntry::custom("array_append", 2, 2, search),
    FunctionEntry::custom("array_prepend", 2, 2, search),
    FunctionEntry::row("array_distinct", 1, 1, ARR, Ret::Same(0), Nulls::Strict, |_, v| Ok(distinct(items(&v[0])))),
    FunctionEntry::custom("array_max", 1, 1, extreme),
    FunctionEntry::custom("array_min", 1, 1, extreme),
    FunctionEntry::custom("sort_array", 1, 2, sort_array),
    FunctionEntry::custom("array_sort", 1, 2, array_sort),
    FunctionEntry::custom("array_join", 2, 3, join),
    FunctionEntry::custom("array_repeat", 2, 2, |b, a| {
        let t = a[0].data_type();
        let null = a[0].nullable();
        let args = b.inputs(a, &[In::Any, In::Int])?;
        let nullable = args[1].nullable();
        Ok(row_call("array_repeat", args, DataType::array(t, null), nullable, false, b.ansi(), |_, v| {
            let Some(n) = v[1].as_i64() else { return Ok(Value::Null) };
            Ok(Value::array(vec![v[0].clone(); usize::try_from(n).unwrap_or(0)]))
        }))
    }),
    FunctionEntry::custom("array_union", 2, 2, two_arrays),
    FunctionEntry::custom("array_intersect", 2, 2, two_arrays),
    FunctionEntry::custom("array_except", 2, 2, two_arrays),
    FunctionEntry::custom("arrays_overlap", 2, 2, two_arrays),
    FunctionEntry::row("array_compact", 1, 1, ARR, Ret::Of(compacted), Nulls::Strict, |_, v| {
        Ok(Value::array(items(&v[0]).iter().filter(|v| !v.is_null()).cloned().collect()))
    }),
    FunctionEntry::custom("flatten", 1, 1, flatten),
    FunctionEntry::row("slice", 3, 3, &[In::Arr, In::Int, In::Int], Ret::Same(0), Nulls::Strict, slice),
    FunctionEntry::custom("arrays_zip", 0, MANY, arrays_zip),
    FunctionEntry::custom("array_insert", 3, 3, insert),
    FunctionEntry::custom("sequence", 2, 3, super::sequence::sequence),
];

pub(super) fn items(v: &Value) -> &[Value] {
    v.as_slice().unwrap_or(&[])
}

fn element_type(args: &[Expr]) -> DataType {
    match args.first().map(Expr::data_type) {
        Some(DataType::Array { element, .. }) => (*element).clone(),
        _ => DataType::Null,
    }
}

fn compacted(args: &[Expr]) -> DataType {
    DataType::array(element_type(args), false)
}

/// INVALID_ARRAY_INDEX.
pub(super) fn invalid_index(index: i64, size: i64) -> SparkError {
    SparkError::new(
        ErrorClass::ArrayIndexOutOfBounds,
        "INVALID_ARRAY_INDEX",
        &[
            ("indexValue", &index.to_string()),
            ("arraySize", &size.to_string()),
            ("ansiConfig", "\"spark.sql.ansi.enabled\""),
        ],
    )
}

fn array(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let Some(t) = coercion::wider_common(&types, ansi) else {
        return Err(super::conditional::differing(
            &describe::call_text("array", &args),
            "array",
            &describe::type_list(&types, "(", " or ", ")"),
        ));
    };
    let args: Vec<Expr> =
        args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
    let element = if args.is_empty() { DataType::Null } else { super::conditional::merged_type(&args) };
    let contains_null = args.iter().any(Expr::nullable);
    let t = DataType::array(element, contains_null);
    Ok(row_call("array", args, t, false, false, ansi, |_, v| Ok(Value::array(v.to_vec()))))
}

/// `container[key]`: GetArrayItem or GetMapValue.
fn item(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    match args[0].data_type() {
        DataType::Array { element, .. } => {
            let index = args[1].data_type();
            if !index.is_integral() {
                let to = In::Integral.implicit(&index, ansi);
                match to {
                    Some(to) => args[1] = cast_to(args[1].clone(), &to, ansi),
                    None => {
                        let sql = describe::call_text("[]", &args);
                        return Err(unexpected_input(&sql, 1, "\"INTEGRAL\"", &args[1]));
                    }
                }
            }
            let nullable = place_nullable(b, &args, ansi, 0);
            Ok(row_call("[]", args, (*element).clone(), nullable, true, ansi, |c, v| {
                let list = items(&v[0]);
                let index = v[1].as_i64().unwrap_or(-1);
                match usize::try_from(index).ok().and_then(|i| list.get(i)) {
                    Some(found) => Ok(found.clone()),
                    None if c.ansi => Err(invalid_index(index, list.len() as i64)),
                    None => Ok(Value::Null),
                }
            }))
        }
        DataType::Map { key, value, .. } => {
            args[1] = map_key(b, &args, &key)?;
            Ok(row_call("[]", args, (*value).clone(), true, true, ansi, |_, v| Ok(find(&v[0], &v[1]))))
        }
        DataType::Variant => Err(SparkError::not_yet("Extraction from VARIANT")),
        other => Err(SparkError::analysis(
            "INVALID_EXTRACT_BASE_FIELD_TYPE",
            &[("base", &describe::quoted(&args[0])), ("other", &other.quoted_sql())],
        )),
    }
}

/// GetArrayItemUtil.computeNullabilityFromArray: whether the element at a place, counted from `first`, may be null.
fn place_nullable(b: &Build<'_>, args: &[Expr], fails: bool, first: i64) -> bool {
    let contains_null = matches!(args[0].data_type(), DataType::Array { contains_null: true, .. });
    let place = if args[1].nullable() { None } else { crate::functions::json::constant(b, &args[1]).ok().flatten() };
    let Some(place) = place.and_then(|v| v.as_i64()) else { return !fails || contains_null };
    let (made, field) = match args[0].unaliased() {
        fields @ Expr::GetArrayStructFields { child, .. } => {
            // An array without null elements: what may be null is the field.
            let nullable = matches!(fields.data_type(), DataType::Array { contains_null: true, .. });
            (child.unaliased(), nullable)
        }
        other => (other, false),
    };
    let Expr::Call(call) = made else { return true };
    if &*call.name != "array" {
        return true;
    }
    let at = if first == 1 && place < 0 { call.args.len() as i64 + place } else { place - first };
    match usize::try_from(at).ok().and_then(|at| call.args.get(at)) {
        Some(item) => item.nullable() || field,
        None => !fails,
    }
}

fn map_key(b: &Build<'_>, args: &[Expr], key: &DataType) -> Result<Expr> {
    let given = args[1].data_type();
    if given.same_type(key) {
        return Ok(args[1].clone());
    }
    match coercion::wider_type(&given, key, b.ansi()) {
        Some(t) if t.same_type(key) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ if coercion::can_ansi_store(&given, key) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        // A text becomes a key of any plain type.
        _ if given.is_string() && key.is_atomic() => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ => {
            let sql = describe::call_text(b.name, args);
            Err(unexpected_input(&sql, 1, &key.quoted_sql(), &args[1]))
        }
    }
}

/// The key of element_at: of the map's type, or of one that the map's type holds.
fn same_key(b: &Build<'_>, args: &[Expr], key: &DataType) -> Result<Expr> {
    let given = args[1].data_type();
    let wide = |t: &DataType| t.same_type(key) || coercion::can_ansi_store(&given, key);
    match coercion::tightest_common(&given, key, b.ansi()) {
        Some(t) if wide(&t) => Ok(cast_to(args[1].clone(), key, b.ansi())),
        _ => Err(SparkError::analysis(
            "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
                ("functionName", &format!("`{}`", b.name)),
                ("dataType", "\"MAP\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &given.quoted_sql()),
            ],
        )),
    }
}

fn find(map: &Value, key: &Value) -> Value {
    map.as_entries()
        .unwrap_or(&[])
        .iter()
        .find(|(k, _)| compare_nulls_first(k, key).is_eq())
        .map_or(Value::Null, |(_, v)| v.clone())
}

fn element_at(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi() && b.name == "element_at";
    match args[0].data_type() {
        DataType::Array { element, .. } => {
            // Whole numbers of other widths are cast, texts are not.
            let place = args[1].data_type();
            if place.is_string() || matches!(place, DataType::Long | DataType::Null) {
                return Err(unexpected_input(&describe::call_text(b.name, &args), 1, "\"INT\"", &args[1]));
            }
            args = b.inputs(args, &[In::Arr, In::Int])?;
            let nullable = place_nullable(b, &args, ansi, 1);
            Ok(row_call(b.name, args, (*element).clone(), nullable, true, ansi, |c, v| {
                let list = items(&v[0]);
                let index = v[1].as_i64().unwrap_or(0);
                if index == 0 {
                    return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[]));
                }
                let at = if index > 0 { index - 1 } else { list.len() as i64 + index };
                match usize::try_from(at).ok().and_then(|i| list.get(i)) {
                    Some(found) => Ok(found.clone()),
                    None if c.ansi => Err(SparkError::new(
                        ErrorClass::ArrayIndexOutOfBounds,
                        "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                        &[
                            ("indexValue", &index.to_string()),
                            ("arraySize", &list.len().to_string()),
                            ("ansiConfig", "\"spark.sql.ansi.enabled\""),
                        ],
                    )),
                    None => Ok(Value::Null),
                }
            }))
        }
        DataType::Map { key, value, .. } => {
            args[1] = same_key(b, &args, &key)?;
            Ok(row_call(b.name, args, (*value).clone(), true, true, ansi, |_, v| Ok(find(&v[0], &v[1]))))
        }
        _ => {
            let sql = describe::call_text(b.name, &args);
            Err(unexpected_input(&sql, 0, "(\"ARRAY\" or \"MAP\")", &args[0]))
        }
    }
}

fn get(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Arr, In::Int])?;
    let t = element_type(&args);
    let nullable = place_nullable(b, &args, false, 0);
    Ok(row_call("get", args, t, nullable, true, b.ansi(), |_, v| {
        let at = v[1].as_i64().and_then(|i| usize::try_from(i).ok());
        Ok(at.and_then(|i| items(&v[0]).get(i)).cloned().unwrap_or(Value::Null))
    }))
}

fn size(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Either(&[In::Arr, In::Map])])?;
    // size(NULL) is -1 with ANSI off (legacy.sizeOfNull).
    let legacy = !b.ansi();
    let nullable = !legacy && args[0].nullable();
    Ok(row_call(b.name, args, DataType::Integer, nullable, false, b.ansi(), |c, v| {
        Ok(match &v[0] {
            Value::Null if c.ansi => Value::Null,
            Value::Null => Value::Integer(-1),
            Value::Map(m) => Value::Integer(m.len() as i32),
            v => Value::Integer(items(v).len() as i32),
        })
    }))
}

/// array_contains, array_position, array_remove, array_append, array_prepend: an array and an element.
fn search(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if b.name == "array_contains" && args.iter().any(|a| a.data_type() == DataType::Null) {
        return Err(null_type(b, &args));
    }
    let DataType::Array { element, contains_null } = args[0].data_type() else {
        let sql = describe::call_text(b.name, &args);
        return Err(unexpected_input(&sql, 0, "\"ARRAY\"", &args[0]));
    };
    let given = args[1].data_type();
    // array_contains takes decimals of another scale too (findWiderTypeWithoutStringPromotion).
    let find = if b.name == "array_contains" { coercion::wider_without_string } else { coercion::tightest_common };
    let Some(t) = find(&element, &given, ansi) else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, &args))),
                ("functionName", &format!("`{}`", b.name)),
                ("dataType", "\"ARRAY\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &given.quoted_sql()),
            ],
        ));
    };
    if !element.same_type(&t) {
        args[0] = cast_to(args[0].clone(), &DataType::array(t.clone(), contains_null), ansi);
    }
    if !given.same_type(&t) {
        args[1] = cast_to(args[1].clone(), &t, ansi);
    }
    let any = args.iter().any(Expr::nullable);
    let list = args[0].data_type();
    let grown = DataType::array(t, contains_null || args[1].nullable());
    let (result, nullable, strict, eval): (DataType, bool, bool, RowEval) = match b.name {
        "array_contains" => (DataType::Boolean, any || contains_null, true, |_, v| {
            let mut unknown = false;
            for x in items(&v[0]) {
                if x.is_null() {
                    unknown = true;
                } else if compare_nulls_first(x, &v[1]).is_eq() {
                    return Ok(Value::Boolean(true));
                }
            }
            Ok(if unknown { Value::Null } else { Value::Boolean(false) })
        }),
        "array_position" => (DataType::Long, any, true, |_, v| {
            let at = items(&v[0]).iter().position(|x| !x.is_null() && compare_nulls_first(x, &v[1]).is_eq());
            Ok(Value::Long(at.map_or(0, |i| i as i64 + 1)))
        }),
        "array_remove" => (list, any, true, |_, v| {
            let kept = items(&v[0]).iter().filter(|x| x.is_null() || !compare_nulls_first(x, &v[1]).is_eq());
            Ok(Value::array(kept.cloned().collect()))
        }),
        "array_append" => (grown, args[0].nullable(), false, |_, v| {
            if v[0].is_null() {
                return Ok(Value::Null);
            }
            Ok(Value::array(items(&v[0]).iter().cloned().chain([v[1].clone()]).collect()))
        }),
        _ => (grown, args[0].nullable(), false, |_, v| {
            if v[0].is_null() {
                return Ok(Value::Null);
            }
            Ok(Value::array(std::iter::once(v[1].clone()).chain(items(&v[0]).iter().cloned()).collect()))
        }),
    };
    Ok(row_call(b.name, args, result, nullable, strict, ansi, eval))
}

/// DATATYPE_MISMATCH.NULL_TYPE: an argument that is nothing but null.
fn null_type(b: &Build<'_>, args: &[Expr]) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.NULL_TYPE",
        &[
            ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
            ("functionName", &format!("`{}`", b.name)),
        ],
    )
}

/// DATATYPE_MISMATCH.INVALID_ORDERING_TYPE unless values of the type, as `shown`, have an order.
fn require_order(b: &Build<'_>, args: &[Expr], shown: &DataType) -> Result<()> {
    if element_type(args).is_orderable() {
        return Ok(());
    }
    Err(SparkError::analysis(
        "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        &[
            ("sqlExpr", &format!("\"{}\"", describe::call_text(b.name, args))),
            ("functionName", &format!("`{}`", b.name)),
            ("dataType", &shown.quoted_sql()),
        ],
    ))
}

/// array_max, array_min.
fn extreme(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, ARR)?;
    let t = element_type(&args);
    require_order(b, &args, &t)?;
    let eval: RowEval = if b.name == "array_max" {
        |_, v| Ok(best(&v[0], std::cmp::Ordering::Greater))
    } else {
        |_, v| Ok(best(&v[0], std::cmp::Ordering::Less))
    };
    Ok(row_call(b.name, args, t, true, true, b.ansi(), eval))
}

fn best(list: &Value, wanted: std::cmp::Ordering) -> Value {
    let present = items(list).iter().filter(|v| !v.is_null());
    present.reduce(|a, b| if compare_nulls_first(b, a) == wanted { b } else { a }).cloned().unwrap_or(Value::Null)
}

fn distinct(list: &[Value]) -> Value {
    let mut seen = HashSet::new();
    Value::array(list.iter().filter(|v| seen.insert(HashKey((*v).clone()))).cloned().collect())
}

fn sort_array(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 1 {
        args.push(Expr::bool(true));
    }
    let args = b.inputs(args, &[In::Arr, In::Bool])?;
    let t = args[0].data_type();
    require_order(b, &args, &t)?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("sort_array", args, t, nullable, true, b.ansi(), |_, v| {
        let mut list = items(&v[0]).to_vec();
        list.sort_by(compare_nulls_first);
        if v[1] == Value::Boolean(false) {
            list.sort_by(|a, b| compare_nulls_first(b, a));
        }
        Ok(Value::array(list))
    }))
}

fn array_sort(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        return super::higher_order::higher_order(b, args);
    }
    let args = b.inputs(args, ARR)?;
    let t = args[0].data_type();
    let nullable = args[0].nullable();
    Ok(row_call("array_sort", args, t, nullable, true, b.ansi(), |_, v| {
        let mut list = items(&v[0]).to_vec();
        // Nulls last.
        list.sort_by(|a, b| a.is_null().cmp(&b.is_null()).then_with(|| compare_nulls_first(a, b)));
        Ok(Value::array(list))
    }))
}

fn join(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::ArrOf(&In::Str), In::Str, In::Str])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(row_call("array_join", args, DataType::String, nullable, true, b.ansi(), |_, v| {
        let replacement = v.get(2).and_then(Value::as_str);
        let parts: Vec<&str> = items(&v[0]).iter().filter_map(|x| x.as_str().or(replacement)).collect();
        Ok(Value::from(parts.join(v[1].as_str().unwrap_or(""))))
    }))
}

fn two_arrays(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let arrays = types.iter().all(|t| matches!(t, DataType::Array { .. }));
    let common = if arrays { coercion::tightest_common(&types[0], &types[1], ansi) } else { None };
    let Some(t) = common else {
        let sql = describe::call_text(b.name, &args);
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("functionName", &format!("`{}`", b.name)),
                ("arrayType", "\"ARRAY\""),
                ("leftType", &types[0].quoted_sql()),
                ("rightType", &types[1].quoted_sql()),
            ],
        ));
    };
    let args: Vec<Expr> =
        args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
    let any = args.iter().any(Expr::nullable);
    let has_null = |e: &Expr| matches!(e.data_type(), DataType::Array { contains_null: true, .. });
    let (l, r) = (has_null(&args[0]), has_null(&args[1]));
    let element = element_type(&args);
    let with = |null: bool| DataType::array(element.clone(), null);
    let (result, nullable, eval): (DataType, bool, RowEval) = match b.name {
        "array_union" => (with(l || r), any, |_, v| {
            let all: Vec<Value> = items(&v[0]).iter().chain(items(&v[1])).cloned().collect();
            Ok(distinct(&all))
        }),
        "array_intersect" => (with(l && r), any, |_, v| {
            let other: HashSet<HashKey> = items(&v[1]).iter().cloned().map(HashKey).collect();
            let kept: Vec<Value> =
                items(&v[0]).iter().filter(|x| other.contains(&HashKey((*x).clone()))).cloned().collect();
            Ok(distinct(&kept))
        }),
        "array_except" => (with(l), any, |_, v| {
            let other: HashSet<HashKey> = items(&v[1]).iter().cloned().map(HashKey).collect();
            let kept: Vec<Value> =
                items(&v[0]).iter().filter(|x| !other.contains(&HashKey((*x).clone()))).cloned().collect();
            Ok(distinct(&kept))
        }),
        _ => (DataType::Boolean, any || l || r, |_, v| {
            let (a, b) = (items(&v[0]), items(&v[1]));
            let other: HashSet<HashKey> = b.iter().filter(|x| !x.is_null()).cloned().map(HashKey).collect();
            if a.iter().any(|x| !x.is_null() && other.contains(&HashKey(x.clone()))) {
                return Ok(Value::Boolean(true));
            }
            let unknown = !a.is_empty() && !b.is_empty() && a.iter().chain(b).any(Value::is_null);
            Ok(if unknown { Value::Null } else { Value::Boolean(false) })
        }),
    };
    Ok(row_call(b.name, args, result, nullable, true, ansi, eval))
}

fn flatten(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let (inner, has_null) = match args[0].data_type() {
        DataType::Array { element, contains_null } => match &*element {
            DataType::Array { .. } => ((*element).clone(), contains_null),
            _ => {
                let sql = describe::call_text("flatten", &args);
                return Err(unexpected_input(&sql, 0, "\"ARRAY\" of \"ARRAY\"", &args[0]));
            }
        },
        _ => {
            let sql = describe::call_text("flatten", &args);
            return Err(unexpected_input(&sql, 0, "\"ARRAY\" of \"ARRAY\"", &args[0]));
        }
    };
    let nullable = args[0].nullable() || has_null;
    Ok(row_call("flatten", args, inner, nullable, true, b.ansi(), |_, v| {
        let mut out = Vec::new();
        for list in items(&v[0]) {
            if list.is_null() {
                return Ok(Value::Null);
            }
            out.extend(items(list).iter().cloned());
        }
        Ok(Value::array(out))
    }))
}

fn slice(_: &RowContext<'_>, v: &[Value]) -> Result<Value> {
    let list = items(&v[0]);
    let (start, length) = (v[1].as_i64().unwrap_or(0), v[2].as_i64().unwrap_or(0));
    let refuse = |condition: &str, name: &str, value: i64| {
        SparkError::runtime(
            condition,
            &[("parameter", &format!("`{name}`")), ("functionName", "`slice`"), (name, &value.to_string())],
        )
    };
    if start == 0 {
        return Err(refuse("INVALID_PARAMETER_VALUE.START", "start", start));
    }
    if length < 0 {
        return Err(refuse("INVALID_PARAMETER_VALUE.LENGTH", "length", length));
    }
    let from = if start > 0 { start - 1 } else { list.len() as i64 + start };
    if from < 0 || from >= list.len() as i64 {
        return Ok(Value::array(Vec::new()));
    }
    let from = from as usize;
    let to = (from as i64).saturating_add(length).min(list.len() as i64) as usize;
    Ok(Value::array(list[from..to].to_vec()))
}

fn arrays_zip(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let fields: Vec<StructField> = args
        .iter()
        .enumerate()
        .map(|(i, a)| StructField::new(field_name(a, i), element_type(std::slice::from_ref(a)), true))
        .collect();
    let args = b.inputs(args, ARR)?;
    let nullable = args.iter().any(Expr::nullable);
    let t = DataType::array(DataType::structure(fields), false);
    Ok(row_call("arrays_zip", args, t, nullable, true, b.ansi(), |_, v| {
        let longest = v.iter().map(|a| items(a).len()).max().unwrap_or(0);
        let rows = (0..longest)
            .map(|i| Value::structure(v.iter().map(|a| items(a).get(i).cloned().unwrap_or(Value::Null)).collect()))
            .collect();
        Ok(Value::array(rows))
    }))
}

fn insert(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let DataType::Array { element, .. } = args[0].data_type() else {
        let sql = describe::call_text("array_insert", &args);
        return Err(unexpected_input(&sql, 0, "\"ARRAY\"", &args[0]));
    };
    let Some(t) = coercion::tightest_common(&element, &args[2].data_type(), ansi) else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("array_insert", &args))),
                ("functionName", "`array_insert`"),
                ("dataType", "\"ARRAY\""),
                ("leftType", &args[0].data_type().quoted_sql()),
                ("rightType", &args[2].data_type().quoted_sql()),
            ],
        ));
    };
    args[0] = cast_to(args[0].clone(), &DataType::array(t.clone(), true), ansi);
    args[2] = cast_to(args[2].clone(), &t, ansi);
    let args = b.inputs(args, &[In::Arr, In::Int, In::Any])?;
    let t = DataType::array(element_type(&args), true);
    let nullable = args[0].nullable() || args[1].nullable();
    Ok(row_call("array_insert", args, t, nullable, false, ansi, |_, v| {
        if v[0].is_null() || v[1].is_null() {
            return Ok(Value::Null);
        }
        let mut list = items(&v[0]).to_vec();
        let pos = v[1].as_i64().unwrap_or(0);
        if pos == 0 {
            return Err(SparkError::runtime("INVALID_INDEX_OF_ZERO", &[]));
        }
        let n = list.len() as i64;
        if pos > 0 {
            let at = (pos - 1) as usize;
            if at > list.len() {
                list.resize(at, Value::Null);
            }
            list.insert(at, v[2].clone());
        } else {
            let at = n + pos + 1;
            if at >= 0 {
                list.insert(at as usize, v[2].clone());
            } else {
                let mut grown = vec![v[2].clone()];
                grown.extend(std::iter::repeat_n(Value::Null, at.unsigned_abs() as usize));
                grown.append(&mut list);
                list = grown;
            }
        }
        Ok(Value::array(list))
    }))
}

/// map entries of a value, checked for doubled keys.
pub(super) fn checked_map(c: &RowContext<'_>, entries: Vec<(Value, Value)>) -> Result<Value> {
    Ok(Value::map(dedup_entries(entries, c.conf())?))
}
