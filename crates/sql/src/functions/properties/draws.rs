//! Values and columns from a seed: the same in every run.

use arrow::array::{Array, ArrayRef, BooleanArray};

use crate::conf::SqlConf;
use crate::expr::Expr;
use crate::functions::EvalContext;
use crate::functions::eval::evaluate_constant;
use crate::functions::registry::resolve_call;
use crate::types::DataType;
use crate::value::{Value, array_from_values};

/// Texts that some function or other finds a meaning in.
const TEXTS: &[&str] = &[
    "",
    "a",
    "ab",
    "é",
    "Zz",
    " b ",
    "a,b,,c",
    "😀x",
    "12",
    "-7.50",
    "1e3",
    "0x1F",
    "true",
    "NaN",
    "abc def. Ghi?",
    "2024-02-29",
    "2021-11-07 01:30:00",
    "1969-12-31T23:59:59.999999Z",
    "12:30:15.25",
    "{\"a\":1,\"b\":[1,null]}",
    "[1,2,\"x\"]",
    "a=1,b=2",
    "http://u:p@h.org:80/p/q?k=v&l=%20#f",
    "YWJj",
    "616263",
    "interval 1 day 2 hours",
    "-1 month",
    "A%_",
];

/// Texts that stand as constants: patterns, units, zones, paths, schemas, encodings.
const CONSTANTS: &[&str] = &[
    "a",
    "(a)(b)?",
    "[a-z]+",
    "%a_",
    ",",
    "$.a",
    "$.b[*]",
    "a INT, b STRING",
    "{\"a\":1}",
    "yyyy-MM-dd",
    "yyyy-MM-dd HH:mm:ss",
    "HH:mm:ss",
    "day",
    "MONTH",
    "hour",
    "UTC",
    "America/Los_Angeles",
    "utf-8",
    "hex",
    "base64",
    "S999.99",
    "999",
    "%s",
    "HOST",
    "QUERY",
    "int",
    "",
];

pub(super) struct Draws {
    state: u64,
    /// Numbers stay near 0, days and moments within a week: for functions whose results grow with them.
    small: bool,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed, small: false }
    }

    pub(super) fn small(seed: u64) -> Self {
        Self { state: seed, small: true }
    }

    /// splitmix64.
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A value of a type: small ones and extremes more often than others.
    pub(super) fn value(&mut self, t: &DataType) -> Value {
        let raw = self.next() as i64;
        let near = raw % 7;
        let whole = match self.next() % 6 {
            _ if self.small => near,
            0 => i64::MAX,
            1 => i64::MIN,
            2 => raw,
            _ => near,
        };
        let real = match self.next() % 8 {
            _ if self.small => near as f64,
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -0.0,
            3 => f64::from_bits(raw as u64),
            4 => raw as f64 / 1e6,
            _ => near as f64 / 2.0,
        };
        let hours = 3_600_000_000;
        match t {
            DataType::Boolean => Value::Boolean(raw & 1 == 1),
            DataType::Byte => Value::Byte(whole as i8),
            DataType::Short => Value::Short(whole as i16),
            DataType::Integer => Value::Integer(whole as i32),
            DataType::Long => Value::Long(whole),
            DataType::Float => Value::Float(real as f32),
            DataType::Double => Value::Double(real),
            DataType::Date if self.small => Value::Date(19_000 + near as i32),
            DataType::Date => Value::Date((raw % 3_000_000) as i32),
            DataType::Timestamp if self.small => Value::Timestamp(1_636_243_200_000_000 + near * hours),
            DataType::Timestamp => Value::Timestamp(raw % 100_000_000_000_000_000),
            DataType::TimestampNtz if self.small => Value::TimestampNtz(1_636_243_200_000_000 + near * hours),
            DataType::TimestampNtz => Value::TimestampNtz(raw % 100_000_000_000_000_000),
            DataType::Decimal { precision, scale } => {
                let most = 10_i128.pow(u32::from(*precision)) - 1;
                let unscaled = match whole {
                    i64::MAX => most,
                    i64::MIN => -most,
                    n => i128::from(n) % (most + 1),
                };
                Value::Decimal(unscaled, *precision, *scale)
            }
            DataType::Null => Value::Null,
            DataType::Variant => variant(self.pick(TEXTS)),
            DataType::DayTimeInterval { .. } if self.small => Value::DayTimeInterval(near * hours),
            DataType::DayTimeInterval { .. } => Value::DayTimeInterval(raw % 1_000_000_000_000_000),
            DataType::YearMonthInterval { .. } if self.small => Value::YearMonthInterval(near as i32),
            DataType::YearMonthInterval { .. } => Value::YearMonthInterval((raw % 100_000) as i32),
            DataType::CalendarInterval => {
                let micros = if self.small { 0 } else { raw % 1_000_000_000 };
                Value::CalendarInterval { months: near as i32, days: (raw % 10) as i32, micros }
            }
            DataType::Time(_) => Value::Time(raw.rem_euclid(86_400_000_000) * 1000),
            DataType::Struct(s) => Value::structure(
                s.fields
                    .iter()
                    .map(|f| if f.nullable { self.nullable(&f.data_type) } else { self.value(&f.data_type) })
                    .collect(),
            ),
            DataType::Array { element, contains_null } => Value::array(
                (0..raw.unsigned_abs() % 4)
                    .map(|_| if *contains_null { self.nullable(element) } else { self.value(element) })
                    .collect(),
            ),
            DataType::Map { key, value, .. } => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..raw.unsigned_abs() % 4 {
                    let key = self.value(key);
                    if entries.iter().all(|(known, _)| !same(known, &key)) {
                        entries.push((key, self.nullable(value)));
                    }
                }
                Value::map(entries)
            }
            DataType::Binary => {
                let text = *self.pick(TEXTS);
                let bytes = if raw & 1 == 1 { raw.to_le_bytes().to_vec() } else { text.as_bytes().to_vec() };
                Value::binary(bytes)
            }
            _ => Value::from(*self.pick(TEXTS)),
        }
    }

    /// A value that may stand as a constant argument.
    pub(super) fn constant(&mut self, t: &DataType) -> Value {
        match t {
            DataType::String => Value::from(*self.pick(CONSTANTS)),
            t => self.value(t),
        }
    }

    pub(super) fn nullable(&mut self, t: &DataType) -> Value {
        if self.next().is_multiple_of(5) { Value::Null } else { self.value(t) }
    }

    /// `values` as an array that begins within a longer one and holds other values below its nulls.
    pub(super) fn column(&mut self, t: &DataType, values: &[Value]) -> ArrayRef {
        const AHEAD: usize = 3;
        let full: Vec<Value> = (0..AHEAD)
            .map(|_| self.value(t))
            .chain(values.iter().map(|v| if v.is_null() { Value::Null } else { v.clone() }))
            .collect();
        let filled: Vec<Value> = full.iter().map(|v| if v.is_null() { self.value(t) } else { v.clone() }).collect();
        let plain = array_from_values(t, &full).unwrap();
        if *t == DataType::Null {
            return plain.slice(AHEAD, values.len());
        }
        let absent: BooleanArray = full.iter().map(|v| Some(v.is_null())).collect();
        let hiding = arrow::compute::nullif(&array_from_values(t, &filled).unwrap(), &absent).unwrap();
        hiding.slice(AHEAD, values.len())
    }
}

fn variant(text: &str) -> Value {
    let conf = SqlConf::default();
    let ctx = EvalContext { conf: &conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
    let parsed =
        resolve_call("try_parse_json", vec![Expr::literal(Value::from(text), DataType::String)], &conf).unwrap();
    match evaluate_constant(&parsed, &ctx).unwrap() {
        Value::Null => variant("7"),
        value => value,
    }
}

/// The same value to the last bit, all NaNs being one.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Array(a), Value::Array(b)) | (Value::Struct(a), Value::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        _ => a == b,
    }
}
