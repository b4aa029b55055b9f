//! Functions of arrays, maps and comparisons against what they mean, said value by value.

use arrow::array::ArrayRef;

use super::draws::{Draws, same};
use super::every::{context, session};
use crate::expr::Expr;
use crate::functions::eval::evaluate_columns;
use crate::functions::registry::resolve_call;
use crate::types::{DataType, StructField};
use crate::value::{HashKey, Value, compare, compare_nulls_first, value_at};

const ROWS: usize = 48;

fn items(v: &Value) -> &[Value] {
    v.as_slice().unwrap_or(&[])
}

fn entries(v: &Value) -> &[(Value, Value)] {
    v.as_entries().unwrap_or(&[])
}

fn alike(a: &Value, b: &Value) -> bool {
    HashKey(a.clone()) == HashKey(b.clone())
}

fn distinct(all: &[Value]) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for v in all {
        if !kept.iter().any(|k| alike(k, v)) {
            kept.push(one_zero(v));
        }
    }
    Value::array(kept)
}

/// With zeros of one sign.
fn one_zero(v: &Value) -> Value {
    match v {
        Value::Double(x) if *x == 0.0 => Value::Double(0.0),
        Value::Float(x) if *x == 0.0 => Value::Float(0.0),
        Value::Array(items) => Value::array(items.iter().map(one_zero).collect()),
        Value::Struct(items) => Value::structure(items.iter().map(one_zero).collect()),
        Value::Map(entries) => Value::map(entries.iter().map(|(k, v)| (one_zero(k), one_zero(v))).collect()),
        other => other.clone(),
    }
}

fn has(list: &[Value], v: &Value) -> bool {
    list.iter().any(|x| alike(x, v))
}

fn kept(list: &[Value], wanted: impl Fn(&Value) -> bool) -> Value {
    Value::array(list.iter().filter(|v| wanted(v)).cloned().collect())
}

fn best(list: &[Value], wanted: std::cmp::Ordering) -> Value {
    let present = list.iter().filter(|v| !v.is_null());
    present.reduce(|a, b| if compare(b, a) == wanted { b } else { a }).cloned().unwrap_or(Value::Null)
}

/// What a function of non-null arguments gives.
fn strict(name: &str, v: &[Value]) -> Value {
    let list = items(&v[0]);
    match name {
        "size" | "array_size" => Value::Integer(list.len() as i32),
        "array_contains" => match list.iter().any(|x| !x.is_null() && alike(x, &v[1])) {
            true => Value::Boolean(true),
            false if list.iter().any(Value::is_null) => Value::Null,
            false => Value::Boolean(false),
        },
        "array_position" => {
            let at = list.iter().position(|x| alike(x, &v[1]));
            Value::Long(at.map_or(0, |at| at as i64 + 1))
        }
        "array_remove" => kept(list, |x| !alike(x, &v[1])),
        "array_distinct" => distinct(list),
        "array_compact" => kept(list, |x| !x.is_null()),
        "array_max" => best(list, std::cmp::Ordering::Greater),
        "array_min" => best(list, std::cmp::Ordering::Less),
        "array_union" => distinct(&[list, items(&v[1])].concat()),
        "array_intersect" => distinct(items(&kept(list, |x| has(items(&v[1]), x)))),
        "array_except" => distinct(items(&kept(list, |x| !has(items(&v[1]), x)))),
        "arrays_overlap" => {
            let other = items(&v[1]);
            if list.iter().any(|x| !x.is_null() && has(other, x)) {
                return Value::Boolean(true);
            }
            let unknown = !list.is_empty() && !other.is_empty() && list.iter().chain(other).any(Value::is_null);
            if unknown { Value::Null } else { Value::Boolean(false) }
        }
        "concat" => Value::array([list, items(&v[1])].concat()),
        "reverse" => Value::array(list.iter().rev().cloned().collect()),
        "array_sort" | "sort_array" => {
            let mut sorted = list.to_vec();
            sorted.sort_by(compare_nulls_first);
            if name == "array_sort" {
                sorted.sort_by_key(Value::is_null);
            }
            Value::array(sorted)
        }
        "flatten" => match list.iter().any(Value::is_null) {
            true => Value::Null,
            false => Value::array(list.iter().flat_map(|x| items(x).iter().cloned()).collect()),
        },
        "map_keys" => Value::array(entries(&v[0]).iter().map(|e| e.0.clone()).collect()),
        "map_values" => Value::array(entries(&v[0]).iter().map(|e| e.1.clone()).collect()),
        "map_contains_key" => Value::Boolean(entries(&v[0]).iter().any(|e| alike(&e.0, &v[1]))),
        "element_at" => entries(&v[0]).iter().find(|e| alike(&e.0, &v[1])).map_or(Value::Null, |e| e.1.clone()),
        "=" => Value::Boolean(alike(&v[0], &v[1])),
        "<" => Value::Boolean(compare(&v[0], &v[1]).is_lt()),
        ">=" => Value::Boolean(compare(&v[0], &v[1]).is_ge()),
        other => panic!("{other} has no meaning here"),
    }
}

fn meaning(name: &str, v: &[Value]) -> Value {
    match name {
        "greatest" => best(v, std::cmp::Ordering::Greater),
        "least" => best(v, std::cmp::Ordering::Less),
        "<=>" => Value::Boolean(alike(&v[0], &v[1])),
        "in" if v[0].is_null() => Value::Null,
        "in" => match v[1..].iter().any(|x| !x.is_null() && alike(x, &v[0])) {
            true => Value::Boolean(true),
            false if v.iter().any(Value::is_null) => Value::Null,
            false => Value::Boolean(false),
        },
        "array" => Value::array(v.to_vec()),
        // Without ANSI.
        "size" if v[0].is_null() => Value::Integer(-1),
        "array_append" | "array_prepend" if v[0].is_null() => Value::Null,
        "array_append" => Value::array([items(&v[0]), &v[1..]].concat()),
        "array_prepend" => Value::array([&v[1..], items(&v[0])].concat()),
        _ if v.iter().any(Value::is_null) => Value::Null,
        _ => strict(name, v),
    }
}

/// Columns, and the last argument as a constant too, against the meaning.
fn checked(name: &str, types: &[DataType], draws: &mut Draws) {
    let conf = session(false, "UTC");
    let ctx = context(&conf);
    let columns: Vec<Vec<Value>> = types.iter().map(|t| (0..ROWS).map(|_| draws.nullable(t)).collect()).collect();
    for constant in [None, Some(types.len() - 1), Some(0)] {
        let argument = |(ordinal, t): (usize, &DataType)| match constant {
            Some(at) if at == ordinal => Expr::literal(columns[ordinal][0].clone(), t.clone()),
            _ => Expr::Bound { ordinal, data_type: t.clone(), nullable: true },
        };
        let call = resolve_call(name, types.iter().enumerate().map(argument).collect(), &conf).unwrap();
        let arrays: Vec<ArrayRef> = types.iter().zip(&columns).map(|(t, c)| draws.column(t, c)).collect();
        let got = evaluate_columns(&call, arrays, ROWS, &ctx).unwrap();
        for row in 0..ROWS {
            let at = |ordinal: usize| if constant == Some(ordinal) { 0 } else { row };
            let values: Vec<Value> = columns.iter().enumerate().map(|(i, c)| c[at(i)].clone()).collect();
            let (found, expected) = (value_at(&got, row, &call.data_type()), meaning(name, &values));
            assert!(same(&found, &expected), "{name}{values:?}: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn functions_of_arrays_are_what_they_mean() {
    let row = DataType::structure(vec![
        StructField::new("a", DataType::Double, true),
        StructField::new("b", DataType::String, true),
    ]);
    let elements = [
        DataType::Boolean,
        DataType::Integer,
        DataType::Float,
        DataType::Double,
        DataType::decimal(12, 3),
        DataType::String,
        DataType::Binary,
        DataType::Date,
        DataType::Timestamp,
        row,
        DataType::array(DataType::Double, true),
    ];
    for (seed, element) in elements.iter().enumerate() {
        // Small numbers meet again more often.
        for mut draws in [Draws::small(seed as u64), Draws::new(seed as u64)] {
            let list = DataType::array(element.clone(), true);
            let one = std::slice::from_ref(&list);
            for name in ["size", "array_size", "array_distinct", "array_compact", "array_max", "array_min"] {
                checked(name, one, &mut draws);
            }
            for name in ["reverse", "array_sort", "sort_array"] {
                checked(name, one, &mut draws);
            }
            for name in ["array_contains", "array_position", "array_remove", "array_append", "array_prepend"] {
                checked(name, &[list.clone(), element.clone()], &mut draws);
            }
            for name in ["array_union", "array_intersect", "array_except", "arrays_overlap", "concat"] {
                checked(name, &[list.clone(), list.clone()], &mut draws);
            }
            for t in [element, &list] {
                for name in ["=", "<=>", "<", ">="] {
                    checked(name, &[t.clone(), t.clone()], &mut draws);
                }
                for name in ["greatest", "least", "in", "array"] {
                    checked(name, &[t.clone(), t.clone(), t.clone()], &mut draws);
                }
                // More than are compared one by one.
                checked("in", &vec![t.clone(); 20], &mut draws);
            }
            checked("flatten", &[DataType::array(list, true)], &mut draws);
        }
    }
}

#[test]
fn functions_of_maps_are_what_they_mean() {
    for (seed, key) in [DataType::Integer, DataType::String, DataType::Double].iter().enumerate() {
        for mut draws in [Draws::small(seed as u64), Draws::new(seed as u64)] {
            let map = DataType::map(key.clone(), DataType::String, true);
            for name in ["map_keys", "map_values"] {
                checked(name, std::slice::from_ref(&map), &mut draws);
            }
            for name in ["map_contains_key", "element_at"] {
                checked(name, &[map.clone(), key.clone()], &mut draws);
            }
        }
    }
}
