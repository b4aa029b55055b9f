//! Properties of kernels and casts over random columns with nulls.

mod aggregates;
mod casts;
mod draws;
mod every;
mod reference;
mod shapes;

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use self::draws::Draws;
use super::EvalContext;
use super::eval::{evaluate, evaluate_constant};
use super::registry::resolve_call;
use crate::conf::SqlConf;
use crate::expr::Expr;
use crate::types::DataType;
use crate::value::{HashKey, Value, array_from_values, value_at};

fn lenient() -> SqlConf {
    let mut conf = SqlConf::default();
    conf.set("spark.sql.ansi.enabled", "false").unwrap();
    conf
}

fn same(a: &Value, b: &Value) -> bool {
    (a.is_null() && b.is_null()) || HashKey(a.clone()) == HashKey(b.clone())
}

/// Whole columns give what the rows give one at a time, as constants.
fn columns_are_rows(name: &str, types: &[DataType]) {
    compared(name, types, &[], 64);
}

/// The same with constants for the last arguments.
fn columns_and_constants_are_rows(name: &str, types: &[DataType], constants: &[Value]) {
    compared(name, types, constants, 64);
}

/// Compares `rows` random rows; the last arguments are `constants`.
fn compared(name: &str, types: &[DataType], constants: &[Value], rows: usize) {
    let conf = lenient();
    let ctx = EvalContext { conf: &conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
    let mut draws = Draws::new(0x5eed ^ name.len() as u64);
    let first_constant = types.len() - constants.len();
    let columns: Vec<Vec<Value>> = types
        .iter()
        .enumerate()
        .map(|(i, t)| match i.checked_sub(first_constant) {
            Some(at) => vec![constants[at].clone(); rows],
            None => (0..rows).map(|_| draws.nullable(t)).collect(),
        })
        .collect();
    let arrays: Vec<ArrayRef> =
        columns.iter().zip(types).map(|(values, t)| array_from_values(t, values).unwrap()).collect();
    let fields: Vec<arrow::datatypes::Field> = arrays
        .iter()
        .enumerate()
        .map(|(i, a)| arrow::datatypes::Field::new(format!("c{i}"), a.data_type().clone(), true))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch =
        RecordBatch::try_new_with_options(Arc::new(arrow::datatypes::Schema::new(fields)), arrays, &options).unwrap();
    let bound = types
        .iter()
        .enumerate()
        .map(|(ordinal, t)| match ordinal.checked_sub(first_constant) {
            Some(at) => Expr::literal(constants[at].clone(), t.clone()),
            None => Expr::Bound { ordinal, data_type: t.clone(), nullable: true },
        })
        .collect();
    let whole = resolve_call(name, bound, &conf).unwrap();
    let result = evaluate(&whole, &batch, &ctx);
    for row in 0..rows {
        let args = columns.iter().zip(types).map(|(c, t)| Expr::literal(c[row].clone(), t.clone())).collect();
        let one = resolve_call(name, args, &conf).unwrap();
        let alone = evaluate_constant(&one, &ctx);
        let (result, expected) = match (&result, alone) {
            (Ok(result), Ok(expected)) => (result, expected),
            // The column fails where its first failing row does.
            (Err(whole), Err(alone)) => {
                assert_eq!(whole.condition, alone.condition, "{name}: {whole}, alone {alone}");
                return;
            }
            (Err(_), Ok(_)) if row + 1 < rows => continue,
            (whole, alone) => panic!("{name}{types:?}: {:?}, alone {alone:?}", whole.as_ref().err()),
        };
        let got = value_at(result, row, &whole.data_type());
        let shown: Vec<&Value> = columns.iter().map(|c| &c[row]).collect();
        assert!(same(&got, &expected), "{name}{shown:?}: {got:?}, alone {expected:?}");
    }
}

/// The forms over whole columns against those of single values, where they want constants.
#[test]
fn column_forms_with_constants_are_those_over_rows() {
    let (text, int, day, moment) = (DataType::String, DataType::Integer, DataType::Date, DataType::Timestamp);
    let two = |a: &DataType, b: &DataType| [a.clone(), b.clone()];
    for n in [-3, 0, 2, i32::MAX] {
        let three = [text.clone(), int.clone(), int.clone()];
        columns_and_constants_are_rows("substring", &three, &[Value::Integer(n), Value::Integer(2)]);
    }
    for name in ["date_add", "date_sub"] {
        columns_and_constants_are_rows(name, &two(&day, &int), &[Value::Integer(40)]);
    }
    columns_and_constants_are_rows("datediff", &two(&day, &day), &[Value::Date(20_000)]);
    columns_and_constants_are_rows("date_format", &two(&moment, &text), &[Value::from("yyyy-MM-dd'T'HH:mm:ss.SSS")]);
    columns_and_constants_are_rows("unix_timestamp", &two(&moment, &text), &[Value::from("yyyy")]);
    for name in ["startswith", "endswith", "contains"] {
        columns_and_constants_are_rows(name, &two(&text, &text), &[Value::from("a")]);
    }
    for n in [0, 1, 9] {
        let list = DataType::array(DataType::Integer, true);
        columns_and_constants_are_rows("[]", &two(&list, &int), &[Value::Integer(n)]);
        columns_and_constants_are_rows("get", &two(&list, &int), &[Value::Integer(n)]);
        columns_and_constants_are_rows("element_at", &two(&list, &int), &[Value::Integer(n + 1)]);
    }
    for unit in ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "x"] {
        let conf = lenient();
        let ctx = EvalContext { conf: &conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
        let mut draws = Draws::new(11);
        let values: Vec<Value> = (0..64).map(|_| draws.nullable(&moment)).collect();
        let array = array_from_values(&moment, &values).unwrap();
        let unit = Expr::literal(Value::from(unit), text.clone());
        let column = Expr::Bound { ordinal: 0, data_type: moment.clone(), nullable: true };
        let whole = resolve_call("date_trunc", vec![unit.clone(), column], &conf).unwrap();
        let got = super::eval::evaluate_columns(&whole, vec![array], 64, &ctx).unwrap();
        for (row, value) in values.iter().enumerate() {
            let one =
                resolve_call("date_trunc", vec![unit.clone(), Expr::literal(value.clone(), moment.clone())], &conf);
            let expected = evaluate_constant(&one.unwrap(), &ctx).unwrap();
            assert!(same(&value_at(&got, row, &moment), &expected), "date_trunc({unit:?}, {value:?})");
        }
    }
}

#[test]
fn operators_over_columns_are_those_over_rows() {
    let numbers =
        [DataType::Byte, DataType::Short, DataType::Integer, DataType::Long, DataType::Float, DataType::Double];
    for t in &numbers {
        for name in ["+", "-", "*", "/", "%", "pmod", "=", "<=>", "<", "<=", ">", ">="] {
            columns_are_rows(name, &[t.clone(), t.clone()]);
        }
    }
    let decimal = DataType::decimal(12, 3);
    for name in ["+", "-", "*", "/", "%", "=", "<"] {
        columns_are_rows(name, &[decimal.clone(), decimal.clone()]);
    }
}

#[test]
fn comparisons_and_logic_over_columns_are_those_over_rows() {
    for t in [DataType::String, DataType::Binary, DataType::Date, DataType::Timestamp, DataType::Boolean] {
        for name in ["=", "<=>", "<", "<=", ">", ">=", "in"] {
            columns_are_rows(name, &[t.clone(), t.clone()]);
        }
        columns_are_rows("isnull", std::slice::from_ref(&t));
        columns_are_rows("coalesce", &[t.clone(), t.clone()]);
    }
    columns_are_rows("and", &[DataType::Boolean, DataType::Boolean]);
    columns_are_rows("or", &[DataType::Boolean, DataType::Boolean]);
    columns_are_rows("not", &[DataType::Boolean]);
}

#[test]
fn functions_over_columns_are_those_over_rows() {
    let text = DataType::String;
    for name in ["upper", "length", "reverse", "trim", "md5", "initcap"] {
        columns_are_rows(name, std::slice::from_ref(&text));
    }
    columns_are_rows("concat", &[text.clone(), text.clone()]);
    columns_are_rows("substring", &[text.clone(), DataType::Integer, DataType::Integer]);
    columns_are_rows("year", &[DataType::Date]);
    columns_are_rows("date_add", &[DataType::Date, DataType::Byte]);
    columns_are_rows("hash", &[DataType::Long, text]);
}
