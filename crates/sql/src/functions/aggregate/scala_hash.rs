//! The order of Scala's mutable HashSet and HashMap (2.13): buckets by the low bits of the improved hash, within a bucket by hash.

use std::collections::HashSet;

use crate::functions::hash::murmur3_bytes;
use crate::types::DataType;
use crate::value::text::{decimal_to_f64, pow10};
use crate::value::unsafe_row::{encode_array, encode_row};
use crate::value::{HashKey, Value};

/// Buckets of a new table.
pub(super) const SMALLEST: usize = 16;

/// Whether a table of so many buckets grows before it takes another item.
pub(super) fn grows(items: usize, table: usize) -> bool {
    items + 1 >= table * 3 / 4
}

/// Items in the order of a table, given their hashes and the order of their coming.
pub(super) fn table_order<T>(items: &mut [T], table: usize, hash: impl Fn(&T) -> i32) {
    let mask = (table - 1) as u32;
    items.sort_by_key(|item| {
        let hash = hash(item);
        ((hash as u32) & mask, hash)
    });
}

/// A set of values.
#[derive(Clone, Debug)]
pub(super) struct ScalaSet {
    table: usize,
    /// Elements with their hashes, in order of insertion.
    items: Vec<(i32, Value)>,
    index: HashSet<HashKey>,
}

impl Default for ScalaSet {
    fn default() -> Self {
        Self { table: SMALLEST, items: Vec::new(), index: HashSet::new() }
    }
}

impl ScalaSet {
    pub(super) fn add(&mut self, v: Value, t: &DataType) {
        if grows(self.items.len(), self.table) {
            self.table *= 2;
        }
        let hash = hash_code(&v, t);
        self.put(hash, v);
    }

    fn put(&mut self, hash: i32, v: Value) {
        if self.index.insert(HashKey(v.clone())) {
            self.items.push((hash, v));
        }
    }

    pub(super) fn add_all(&mut self, other: &ScalaSet) {
        let target = ((((other.items.len() + 1) as f64) / 0.75) as usize).max(4).next_power_of_two();
        self.table = self.table.max(target);
        for (hash, v) in other.sorted() {
            self.put(hash, v);
        }
    }

    fn sorted(&self) -> Vec<(i32, Value)> {
        let mut items = self.items.clone();
        table_order(&mut items, self.table, |(hash, _)| *hash);
        items
    }

    pub(super) fn in_order(&self) -> Vec<Value> {
        self.sorted().into_iter().map(|(_, v)| v).collect()
    }
}

/// The hash by which Scala's tables place the object that Spark holds for a value: its `##`, improved.
pub(super) fn hash_code(v: &Value, t: &DataType) -> i32 {
    let hash = scala_hash(v, t);
    hash ^ ((hash as u32) >> 16) as i32
}

fn long(n: i64) -> i32 {
    i32::try_from(n).unwrap_or((n ^ ((n as u64) >> 32) as i64) as i32)
}

fn double(x: f64) -> i32 {
    let whole = x as i32;
    if f64::from(whole) == x {
        return whole;
    }
    let wide = x as i64;
    if wide as f64 == x {
        return long(wide);
    }
    let bits = if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() };
    (bits ^ (bits >> 32)) as i32
}

fn scala_hash(v: &Value, t: &DataType) -> i32 {
    match (v, t) {
        (Value::Null, _) => 0,
        (Value::Boolean(b), _) => {
            if *b {
                1231
            } else {
                1237
            }
        }
        (Value::Float(x), _) => double(f64::from(*x)),
        (Value::Double(x), _) => double(*x),
        (Value::String(s), _) => murmur3_bytes(s.as_bytes(), SEED),
        (Value::Decimal(n, _, scale), _) => decimal(*n, *scale),
        // Binary is held as an array of bytes.
        (Value::Binary(bytes), _) => {
            let items: Vec<Value> = bytes.iter().map(|b| Value::Byte(*b as i8)).collect();
            murmur3_bytes(&encode_array(&items, &DataType::Byte), SEED)
        }
        (Value::Array(items), DataType::Array { element, .. }) => murmur3_bytes(&encode_array(items, element), SEED),
        (Value::Struct(fields), DataType::Struct(s)) => {
            let types: Vec<DataType> = s.fields.iter().map(|f| f.data_type.clone()).collect();
            murmur3_bytes(&encode_row(fields, &types), SEED)
        }
        (other, _) => match other.as_i64() {
            Some(n) => long(n),
            None => murmur3_bytes(format!("{other:?}").as_bytes(), SEED),
        },
    }
}

const SEED: i32 = 42;

/// scala.math.BigDecimal.hashCode.
fn decimal(n: i128, scale: i8) -> i32 {
    let unit = pow10(u32::from(scale.unsigned_abs())).unwrap_or(1);
    if scale <= 0 || n % unit == 0 {
        let whole = if scale <= 0 { n.saturating_mul(unit) } else { n / unit };
        return i64::try_from(whole).map_or_else(|_| big_integer(whole), long);
    }
    let near = decimal_to_f64(n, scale);
    let exact = crate::functions::cast::parse_decimal(&crate::value::text::double_to_string(near));
    let same = exact.is_some_and(|(m, at)| {
        let (a, b) = (stripped(n, i32::from(scale)), stripped(m, at));
        a == b
    });
    if same {
        return double(near);
    }
    let (unscaled, at) = stripped(n, i32::from(scale));
    mix_last(big_integer(unscaled), at)
}

/// Without zeros at the end.
fn stripped(mut n: i128, mut scale: i32) -> (i128, i32) {
    while n != 0 && n % 10 == 0 {
        n /= 10;
        scale -= 1;
    }
    (n, scale)
}

/// java.math.BigInteger.hashCode: 31 times the words, the highest first.
fn big_integer(n: i128) -> i32 {
    let mut hash = 0i32;
    for i in (0..4).rev() {
        let word = (n.unsigned_abs() >> (32 * i)) as u32;
        hash = hash.wrapping_mul(31).wrapping_add(word as i32);
    }
    if n < 0 { hash.wrapping_neg() } else { hash }
}

/// scala.util.hashing.MurmurHash3.mixLast.
fn mix_last(hash: i32, data: i32) -> i32 {
    let k = (data as u32).wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    (hash as u32 ^ k) as i32
}
