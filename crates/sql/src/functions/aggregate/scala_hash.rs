//! The order of Scala's mutable HashSet and HashMap (2.13): buckets by the low bits of the improved hash, within a bucket by hash.

use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes as at;

use crate::error::{Result, SparkError};
use crate::functions::hash::murmur3_bytes;
use crate::functions::integers::Numbers;
use crate::types::DataType;
use crate::unsafe_row::{bytes_at, encode_rows};
use crate::value::text::{decimal_to_f64, pow10};

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

/// A set of elements that are kept elsewhere, by number.
#[derive(Clone, Debug)]
pub(super) struct ScalaSet {
    table: usize,
    /// Hashes and numbers, in order of insertion.
    items: Vec<(i32, u32)>,
    /// Comparable forms.
    index: HashSet<Box<[u8]>>,
}

impl Default for ScalaSet {
    fn default() -> Self {
        Self { table: SMALLEST, items: Vec::new(), index: HashSet::new() }
    }
}

impl ScalaSet {
    /// Whether the element is new.
    pub(super) fn add(&mut self, hash: i32, number: u32, comparable: &[u8]) -> bool {
        if grows(self.items.len(), self.table) {
            self.table *= 2;
        }
        self.put(hash, number, comparable)
    }

    /// The same in a table that has room.
    pub(super) fn put(&mut self, hash: i32, number: u32, comparable: &[u8]) -> bool {
        let new = !self.index.contains(comparable);
        if new {
            self.index.insert(comparable.into());
            self.items.push((hash, number));
        }
        new
    }

    /// As before another set is added.
    pub(super) fn make_room_for(&mut self, other: &ScalaSet) {
        let target = ((((other.items.len() + 1) as f64) / 0.75) as usize).max(4).next_power_of_two();
        self.table = self.table.max(target);
    }

    /// Hashes and numbers in the set's order.
    pub(super) fn sorted(&self) -> Vec<(i32, u32)> {
        let mut items = self.items.clone();
        table_order(&mut items, self.table, |(hash, _)| *hash);
        items
    }
}

/// The hashes by which Scala's tables place the objects that Spark holds for values: their `##`, improved.
pub(super) fn hash_codes(array: &ArrayRef, t: &DataType) -> Result<Vec<i32>> {
    let mut hashes = scala_hashes(array, t)?;
    if let Some(nulls) = array.logical_nulls() {
        hashes.iter_mut().enumerate().filter(|(i, _)| nulls.is_null(*i)).for_each(|(_, hash)| *hash = 0);
    }
    Ok(hashes.into_iter().map(|hash| hash ^ ((hash as u32) >> 16) as i32).collect())
}

fn long(n: i64) -> i32 {
    i32::try_from(n).unwrap_or(fold_long(n))
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

fn scala_hashes(array: &ArrayRef, t: &DataType) -> Result<Vec<i32>> {
    let wrong = || SparkError::internal("a hash of a value of another type");
    let rows = 0..array.len();
    Ok(match t {
        DataType::Null => vec![0; array.len()],
        DataType::Boolean => {
            let flags = array.as_boolean_opt().ok_or_else(wrong)?;
            rows.map(|i| if flags.value(i) { 1231 } else { 1237 }).collect()
        }
        DataType::Float => {
            let numbers = array.as_primitive_opt::<at::Float32Type>().ok_or_else(wrong)?;
            numbers.values().iter().map(|x| double(f64::from(*x))).collect()
        }
        DataType::Double => {
            let numbers = array.as_primitive_opt::<at::Float64Type>().ok_or_else(wrong)?;
            numbers.values().iter().map(|x| double(*x)).collect()
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            let texts = array.as_string_opt::<i32>().ok_or_else(wrong)?;
            rows.map(|i| murmur3_bytes(texts.value(i).as_bytes(), SEED)).collect()
        }
        DataType::Decimal { scale, .. } => {
            let numbers = array.as_primitive_opt::<at::Decimal128Type>().ok_or_else(wrong)?;
            numbers.values().iter().map(|n| decimal(*n, *scale)).collect()
        }
        // Binary is held as an array of bytes.
        DataType::Binary => {
            let binaries = array.as_binary_opt::<i32>().ok_or_else(wrong)?;
            rows.map(|i| murmur3_bytes(&array_of_bytes(binaries.value(i)), SEED)).collect()
        }
        // java.util.Objects.hash of the three parts.
        DataType::CalendarInterval => {
            let intervals = array.as_primitive_opt::<at::IntervalMonthDayNanoType>().ok_or_else(wrong)?;
            let parts = |i: &at::IntervalMonthDayNano| [i.months, i.days, fold_long(i.nanoseconds / 1000)];
            let hash = |parts: [i32; 3]| parts.iter().fold(1i32, |h, part| h.wrapping_mul(31).wrapping_add(*part));
            intervals.values().iter().map(|i| hash(parts(i))).collect()
        }
        // The bytes that hold them.
        DataType::Array { .. } | DataType::Struct(_) | DataType::Map { .. } | DataType::Variant => {
            let rows = encode_rows(std::slice::from_ref(t), std::slice::from_ref(array), array.len())?;
            rows.iter().map(|row| murmur3_bytes(bytes_at(row, 1, 0).unwrap_or(&[]), SEED)).collect()
        }
        _ => {
            let numbers = Numbers::of(array)?;
            rows.map(|i| long(numbers.value(i) as i64)).collect()
        }
    })
}

/// UnsafeArrayData of bytes.
fn array_of_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = (bytes.len() as u64).to_le_bytes().to_vec();
    out.resize(8 + bytes.len().div_ceil(64) * 8, 0);
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

/// java.lang.Long.hashCode.
fn fold_long(n: i64) -> i32 {
    (n ^ ((n as u64) >> 32) as i64) as i32
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
