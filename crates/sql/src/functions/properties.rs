//! Properties of kernels and casts over random columns with nulls.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::EvalContext;
use super::cast::{CastContext, cast_value};
use super::datetime::zone::Zone;
use super::eval::{evaluate, evaluate_constant};
use super::registry::resolve_call;
use crate::conf::SqlConf;
use crate::expr::{EvalMode, Expr};
use crate::types::DataType;
use crate::value::{HashKey, Value, array_from_values, value_at};

/// Numbers from a seed (splitmix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value of a type: small ones and extremes more often than others.
    fn value(&mut self, t: &DataType) -> Value {
        let raw = self.next() as i64;
        let small = raw % 7;
        let whole = match self.next() % 4 {
            0 => small,
            1 => i64::MAX,
            2 => i64::MIN,
            _ => raw,
        };
        let real = match self.next() % 6 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -0.0,
            3 => small as f64,
            4 => f64::from_bits(raw as u64),
            _ => raw as f64 / 1e6,
        };
        match t {
            DataType::Boolean => Value::Boolean(raw & 1 == 1),
            DataType::Byte => Value::Byte(whole as i8),
            DataType::Short => Value::Short(whole as i16),
            DataType::Integer => Value::Integer(whole as i32),
            DataType::Long => Value::Long(whole),
            DataType::Float => Value::Float(real as f32),
            DataType::Double => Value::Double(real),
            DataType::Date => Value::Date((raw % 3_000_000) as i32),
            DataType::Timestamp => Value::Timestamp(raw % 100_000_000_000_000_000),
            DataType::TimestampNtz => Value::TimestampNtz(raw % 100_000_000_000_000_000),
            DataType::Decimal { precision, scale } => Value::Decimal(i128::from(raw % 100_000_000), *precision, *scale),
            DataType::Binary => Value::binary(raw.to_le_bytes()[..(raw.unsigned_abs() % 8) as usize].to_vec()),
            _ => Value::from(["", "a", "ab", "é", "Zz", " b "][(raw.unsigned_abs() % 6) as usize]),
        }
    }

    fn nullable(&mut self, t: &DataType) -> Value {
        if self.next().is_multiple_of(5) { Value::Null } else { self.value(t) }
    }
}

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
    let conf = lenient();
    let ctx = EvalContext { conf: &conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
    let mut draws = Draws(0x5eed ^ name.len() as u64);
    let rows = 64;
    let columns: Vec<Vec<Value>> = types.iter().map(|t| (0..rows).map(|_| draws.nullable(t)).collect()).collect();
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
        .map(|(ordinal, t)| Expr::Bound { ordinal, data_type: t.clone(), nullable: true })
        .collect();
    let whole = resolve_call(name, bound, &conf).unwrap();
    let result = evaluate(&whole, &batch, &ctx).unwrap();
    for row in 0..rows {
        let args = columns.iter().zip(types).map(|(c, t)| Expr::literal(c[row].clone(), t.clone())).collect();
        let one = resolve_call(name, args, &conf).unwrap();
        let expected = evaluate_constant(&one, &ctx).unwrap();
        let got = value_at(&result, row, &whole.data_type());
        let shown: Vec<&Value> = columns.iter().map(|c| &c[row]).collect();
        assert!(same(&got, &expected), "{name}{shown:?}: {got:?}, alone {expected:?}");
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

/// CAST(CAST(x AS STRING) AS T) is x.
#[test]
fn casts_to_text_and_back_keep_the_value() {
    let zone = Zone::UTC;
    let types = [
        DataType::Boolean,
        DataType::Byte,
        DataType::Short,
        DataType::Integer,
        DataType::Long,
        DataType::Double,
        DataType::Float,
        DataType::Date,
        DataType::Timestamp,
        DataType::TimestampNtz,
        DataType::decimal(12, 3),
    ];
    let ctx = CastContext { mode: EvalMode::Ansi, zone: &zone };
    for t in &types {
        let mut draws = Draws(7);
        for _ in 0..500 {
            let value = draws.value(t);
            let text = cast_value(&value, t, &DataType::String, ctx).unwrap();
            let back = cast_value(&text, &DataType::String, t, ctx).unwrap();
            assert!(same(&value, &back), "{t:?}: {value:?}, as text {text:?}, back {back:?}");
        }
    }
}
