//! Order and equality of values as Spark has them: NaN equals NaN and is greater than every number, -0.0 equals 0.0,
//! strings and binaries by unsigned bytes, structs and arrays element by element with nulls first.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Value;

pub(crate) fn compare_f64(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
    }
}

/// Compares two values of one type; nulls are equal and first.
pub fn compare_nulls_first(a: &Value, b: &Value) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => compare(a, b),
    }
}

/// Compares two non-null values of one type.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => compare_f64(f64::from(*a), f64::from(*b)),
        (Value::Double(a), Value::Double(b)) => compare_f64(*a, *b),
        (Value::Decimal(a, _, s), Value::Decimal(b, _, t)) if s == t => a.cmp(b),
        (Value::Decimal(a, _, s), Value::Decimal(b, _, t)) => compare_decimals(*a, *s, *b, *t),
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) | (Value::Struct(a), Value::Struct(b)) => {
            for (x, y) in a.iter().zip(b.iter()) {
                let c = compare_nulls_first(x, y);
                if c != Ordering::Equal {
                    return c;
                }
            }
            a.len().cmp(&b.len())
        }
        (Value::Map(a), Value::Map(b)) => {
            for ((k, v), (l, w)) in a.iter().zip(b.iter()) {
                let c = compare_nulls_first(k, l).then_with(|| compare_nulls_first(v, w));
                if c != Ordering::Equal {
                    return c;
                }
            }
            a.len().cmp(&b.len())
        }
        (
            Value::CalendarInterval { months: a, days: b, micros: c },
            Value::CalendarInterval { months: d, days: e, micros: f },
        ) => (a, b, c).cmp(&(d, e, f)),
        (Value::Variant { value: a, metadata: m }, Value::Variant { value: b, metadata: n }) => {
            a.cmp(b).then_with(|| m.cmp(n))
        }
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => compare_f64(a, b),
                _ => Ordering::Equal,
            },
        },
    }
}

fn compare_decimals(a: i128, s: i8, b: i128, t: i8) -> Ordering {
    let scale = s.max(t);
    match (super::text::rescale(a, s, scale), super::text::rescale(b, t, scale)) {
        (Some(a), Some(b)) => a.cmp(&b),
        // One does not fit at the common scale: the wide one is the greater in magnitude.
        (None, _) => a.cmp(&0),
        (_, None) => 0.cmp(&b),
    }
}

/// A value as a key of hash maps and sets: equal where Spark's grouping finds equality.
#[derive(Clone, Debug)]
pub struct HashKey(pub Value);

impl PartialEq for HashKey {
    fn eq(&self, other: &Self) -> bool {
        compare_nulls_first(&self.0, &other.0) == Ordering::Equal
    }
}

impl Eq for HashKey {}

impl Hash for HashKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(&self.0, state);
    }
}

fn hash_value<H: Hasher>(v: &Value, state: &mut H) {
    match v {
        Value::Null => 0u8.hash(state),
        Value::Boolean(b) => b.hash(state),
        Value::Float(x) => canonical(f64::from(*x)).hash(state),
        Value::Double(x) => canonical(*x).hash(state),
        Value::Decimal(x, _, _) => x.hash(state),
        Value::String(s) => s.hash(state),
        Value::Binary(b) => b.hash(state),
        Value::Array(items) | Value::Struct(items) => {
            items.len().hash(state);
            items.iter().for_each(|i| hash_value(i, state));
        }
        Value::Map(items) => {
            items.len().hash(state);
            for (k, v) in items.iter() {
                hash_value(k, state);
                hash_value(v, state);
            }
        }
        Value::CalendarInterval { months, days, micros } => (months, days, micros).hash(state),
        Value::Variant { value, .. } => value.hash(state),
        other => other.as_i64().hash(state),
    }
}

/// Bits with one NaN and one zero.
fn canonical(x: f64) -> u64 {
    if x.is_nan() {
        f64::NAN.to_bits()
    } else if x == 0.0 {
        0
    } else {
        x.to_bits()
    }
}
