//! Spark's Murmur3Hash (exchange, `hash`) and XxHash64 over columns of every type.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes as at;

use crate::types::DataType;

fn mix_k1(k: u32) -> u32 {
    k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

fn mix_h1(h: u32, k: u32) -> u32 {
    (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

fn fmix(mut h: u32, len: u32) -> u32 {
    h ^= len;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Murmur3_x86_32.hashInt.
pub fn murmur3_int(value: i32, seed: i32) -> i32 {
    fmix(mix_h1(seed as u32, mix_k1(value as u32)), 4) as i32
}

/// Murmur3_x86_32.hashLong.
pub fn murmur3_long(value: i64, seed: i32) -> i32 {
    let h = mix_h1(seed as u32, mix_k1(value as u32));
    fmix(mix_h1(h, mix_k1((value >> 32) as u32)), 8) as i32
}

/// Murmur3_x86_32.hashUnsafeBytes: whole words, then each byte left, sign-extended.
pub fn murmur3_bytes(bytes: &[u8], seed: i32) -> i32 {
    let mut h = seed as u32;
    let words = bytes.chunks_exact(4);
    let tail = words.remainder();
    for w in words {
        h = mix_h1(h, mix_k1(u32::from_le_bytes([w[0], w[1], w[2], w[3]])));
    }
    for b in tail {
        h = mix_h1(h, mix_k1(*b as i8 as i32 as u32));
    }
    fmix(h, bytes.len() as u32) as i32
}

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

fn xx_fmix(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(P2);
    h ^= h >> 29;
    h = h.wrapping_mul(P3);
    h ^ (h >> 32)
}

fn xx_word(h: u64, word: u64) -> u64 {
    (h ^ word.wrapping_mul(P2).rotate_left(31).wrapping_mul(P1)).rotate_left(27).wrapping_mul(P1).wrapping_add(P4)
}

fn xx_half(h: u64, half: u32) -> u64 {
    (h ^ u64::from(half).wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3)
}

/// XXH64.hashInt.
pub fn xxhash64_int(value: i32, seed: i64) -> i64 {
    xx_fmix(xx_half((seed as u64).wrapping_add(P5).wrapping_add(4), value as u32)) as i64
}

/// XXH64.hashLong.
pub fn xxhash64_long(value: i64, seed: i64) -> i64 {
    xx_fmix(xx_word((seed as u64).wrapping_add(P5).wrapping_add(8), value as u64)) as i64
}

/// XXH64.hashUnsafeBytes.
pub fn xxhash64_bytes(bytes: &[u8], seed: i64) -> i64 {
    let seed = seed as u64;
    let word = |b: &[u8]| u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
    let mut rest = bytes;
    let mut h = if bytes.len() >= 32 {
        let mut lanes = [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)];
        while rest.len() >= 32 {
            for (i, lane) in lanes.iter_mut().enumerate() {
                *lane = lane.wrapping_add(word(&rest[i * 8..]).wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
            }
            rest = &rest[32..];
        }
        let mut h = lanes[0]
            .rotate_left(1)
            .wrapping_add(lanes[1].rotate_left(7))
            .wrapping_add(lanes[2].rotate_left(12))
            .wrapping_add(lanes[3].rotate_left(18));
        for lane in lanes {
            h ^= lane.wrapping_mul(P2).rotate_left(31).wrapping_mul(P1);
            h = h.wrapping_mul(P1).wrapping_add(P4);
        }
        h
    } else {
        seed.wrapping_add(P5)
    };
    h = h.wrapping_add(bytes.len() as u64);
    while rest.len() >= 8 {
        h = xx_word(h, word(rest));
        rest = &rest[8..];
    }
    if rest.len() >= 4 {
        h = xx_half(h, u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]));
        rest = &rest[4..];
    }
    for b in rest {
        h = (h ^ u64::from(*b).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    xx_fmix(h) as i64
}

/// BigInteger.toByteArray: the shortest two's complement, big-endian.
pub fn big_integer_bytes(n: i128) -> Vec<u8> {
    let bytes = n.to_be_bytes();
    let fill = if n < 0 { 0xff } else { 0 };
    let mut start = 0;
    while start < 15 && bytes[start] == fill && (bytes[start + 1] & 0x80) == (fill & 0x80) {
        start += 1;
    }
    bytes[start..].to_vec()
}

/// floatToIntBits with -0.0 as 0.0, as HashExpression has it.
fn float_bits(x: f32) -> i32 {
    if x == 0.0 {
        0
    } else if x.is_nan() {
        0x7fc0_0000
    } else {
        x.to_bits() as i32
    }
}

fn double_bits(x: f64) -> i64 {
    if x == 0.0 {
        0
    } else if x.is_nan() {
        0x7ff8_0000_0000_0000
    } else {
        x.to_bits() as i64
    }
}

/// The three primitives of a Spark hash; everything else is built from them (InterpretedHashFunction).
trait Hasher {
    type Seed: Copy;
    fn int(value: i32, seed: Self::Seed) -> Self::Seed;
    fn long(value: i64, seed: Self::Seed) -> Self::Seed;
    fn bytes(value: &[u8], seed: Self::Seed) -> Self::Seed;
}

struct Murmur;
impl Hasher for Murmur {
    type Seed = i32;
    fn int(value: i32, seed: i32) -> i32 {
        murmur3_int(value, seed)
    }
    fn long(value: i64, seed: i32) -> i32 {
        murmur3_long(value, seed)
    }
    fn bytes(value: &[u8], seed: i32) -> i32 {
        murmur3_bytes(value, seed)
    }
}

struct Xx;
impl Hasher for Xx {
    type Seed = i64;
    fn int(value: i32, seed: i64) -> i64 {
        xxhash64_int(value, seed)
    }
    fn long(value: i64, seed: i64) -> i64 {
        xxhash64_long(value, seed)
    }
    fn bytes(value: &[u8], seed: i64) -> i64 {
        xxhash64_bytes(value, seed)
    }
}

fn hash_column<H: Hasher>(array: &dyn Array, data_type: &DataType, hashes: &mut [H::Seed]) {
    macro_rules! each {
        ($typed:expr, $v:ident => $hash:expr) => {
            if let Some(typed) = $typed {
                if typed.null_count() == 0 {
                    for (i, h) in hashes.iter_mut().enumerate() {
                        let $v = typed.value(i);
                        *h = $hash(*h);
                    }
                } else {
                    for (i, h) in hashes.iter_mut().enumerate() {
                        if typed.is_valid(i) {
                            let $v = typed.value(i);
                            *h = $hash(*h);
                        }
                    }
                }
                return;
            }
        };
    }
    match data_type {
        DataType::Null => return,
        DataType::Boolean => each!(array.as_boolean_opt(), v => |h| H::int(i32::from(v), h)),
        DataType::Byte => each!(array.as_primitive_opt::<at::Int8Type>(), v => |h| H::int(i32::from(v), h)),
        DataType::Short => each!(array.as_primitive_opt::<at::Int16Type>(), v => |h| H::int(i32::from(v), h)),
        DataType::Integer => each!(array.as_primitive_opt::<at::Int32Type>(), v => |h| H::int(v, h)),
        DataType::Date => each!(array.as_primitive_opt::<at::Date32Type>(), v => |h| H::int(v, h)),
        DataType::Long => each!(array.as_primitive_opt::<at::Int64Type>(), v => |h| H::long(v, h)),
        DataType::Timestamp | DataType::TimestampNtz => {
            each!(array.as_primitive_opt::<at::TimestampMicrosecondType>(), v => |h| H::long(v, h));
        }
        DataType::Time(_) => each!(array.as_primitive_opt::<at::Time64NanosecondType>(), v => |h| H::long(v, h)),
        DataType::Float => each!(array.as_primitive_opt::<at::Float32Type>(), v => |h| H::int(float_bits(v), h)),
        DataType::Double => each!(array.as_primitive_opt::<at::Float64Type>(), v => |h| H::long(double_bits(v), h)),
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            each!(array.as_string_opt::<i32>(), v => |h| H::bytes(v.as_bytes(), h));
        }
        DataType::Binary => each!(array.as_binary_opt::<i32>(), v => |h| H::bytes(v, h)),
        DataType::Struct(s) => {
            if let Some(typed) = array.as_struct_opt()
                && typed.null_count() == 0
            {
                for (f, column) in s.fields.iter().zip(typed.columns()) {
                    hash_column::<H>(column, &f.data_type, hashes);
                }
                return;
            }
        }
        _ => {}
    }
    for (i, h) in hashes.iter_mut().enumerate() {
        *h = hash_cell::<H>(array, data_type, i, *h);
    }
}

/// The hash of one cell on top of `seed`; null leaves it.
fn hash_cell<H: Hasher>(array: &dyn Array, data_type: &DataType, row: usize, seed: H::Seed) -> H::Seed {
    if array.is_null(row) {
        return seed;
    }
    macro_rules! cell {
        ($t:ty) => {
            array.as_primitive::<$t>().value(row)
        };
    }
    match data_type {
        DataType::Null => seed,
        DataType::Boolean => H::int(i32::from(array.as_boolean().value(row)), seed),
        DataType::Byte => H::int(i32::from(cell!(at::Int8Type)), seed),
        DataType::Short => H::int(i32::from(cell!(at::Int16Type)), seed),
        DataType::Integer => H::int(cell!(at::Int32Type), seed),
        DataType::Date => H::int(cell!(at::Date32Type), seed),
        DataType::YearMonthInterval { .. } => H::int(cell!(at::IntervalYearMonthType), seed),
        DataType::Long => H::long(cell!(at::Int64Type), seed),
        DataType::Timestamp | DataType::TimestampNtz => H::long(cell!(at::TimestampMicrosecondType), seed),
        DataType::Time(_) => H::long(cell!(at::Time64NanosecondType), seed),
        DataType::DayTimeInterval { .. } => H::long(cell!(at::DurationMicrosecondType), seed),
        DataType::Float => H::int(float_bits(cell!(at::Float32Type)), seed),
        DataType::Double => H::long(double_bits(cell!(at::Float64Type)), seed),
        DataType::Decimal { precision, .. } => {
            let n = cell!(at::Decimal128Type);
            if *precision <= 18 { H::long(n as i64, seed) } else { H::bytes(&big_integer_bytes(n), seed) }
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            H::bytes(array.as_string::<i32>().value(row).as_bytes(), seed)
        }
        DataType::Binary => H::bytes(array.as_binary::<i32>().value(row), seed),
        DataType::CalendarInterval => {
            let i = cell!(at::IntervalMonthDayNanoType);
            H::int(i.months, H::int(i.days, H::long(i.nanoseconds / 1000, seed)))
        }
        DataType::Array { element, .. } => {
            let list = array.as_list::<i32>();
            let ends = &list.value_offsets()[row..row + 2];
            (ends[0]..ends[1]).fold(seed, |h, at| hash_cell::<H>(list.values(), element, at as usize, h))
        }
        DataType::Map { key, value, .. } => {
            let map = array.as_map();
            let ends = &map.value_offsets()[row..row + 2];
            (ends[0] as usize..ends[1] as usize)
                .fold(seed, |h, at| hash_cell::<H>(map.values(), value, at, hash_cell::<H>(map.keys(), key, at, h)))
        }
        DataType::Struct(s) => {
            let fields = s.fields.iter().zip(array.as_struct().columns());
            fields.fold(seed, |h, (f, c)| hash_cell::<H>(c, &f.data_type, row, h))
        }
        DataType::Variant => {
            let parts = array.as_struct();
            let part = |i: usize| parts.column(i).as_binary::<i32>().value(row);
            H::bytes(part(1), H::bytes(part(0), seed))
        }
    }
}

/// Murmur3Hash(columns, seed) per row: what HashPartitioning takes the remainder of (seed 42).
pub fn murmur3_hash_columns(columns: &[ArrayRef], types: &[DataType], seed: i32) -> Vec<i32> {
    let mut hashes = vec![seed; columns.first().map_or(0, |c| c.len())];
    for (c, t) in columns.iter().zip(types) {
        hash_column::<Murmur>(c, t, &mut hashes);
    }
    hashes
}

/// XxHash64(columns, seed) per row.
pub fn xxhash64_columns(columns: &[ArrayRef], types: &[DataType], seed: i64) -> Vec<i64> {
    let mut hashes = vec![seed; columns.first().map_or(0, |c| c.len())];
    for (c, t) in columns.iter().zip(types) {
        hash_column::<Xx>(c, t, &mut hashes);
    }
    hashes
}

/// Pmod(hash, partitions).
pub fn partition_of(hash: i32, partitions: usize) -> usize {
    i64::from(hash).rem_euclid(partitions.max(1) as i64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Value, array_from_values};

    #[test]
    fn known_hashes() {
        // SELECT hash('Spark', array(123), 2), xxhash64('Spark', array(123), 2) of Spark's own documentation.
        let values = [Value::from("Spark"), Value::array(vec![Value::Integer(123)]), Value::Integer(2)];
        let types = [DataType::String, DataType::array(DataType::Integer, true), DataType::Integer];
        let columns: Vec<ArrayRef> =
            values.iter().zip(&types).map(|(v, t)| array_from_values(t, std::slice::from_ref(v)).unwrap()).collect();
        assert_eq!(murmur3_hash_columns(&columns, &types, 42), [-1_321_691_492]);
        assert_eq!(xxhash64_columns(&columns, &types, 42), [5_602_566_077_635_097_486]);
        assert_eq!(big_integer_bytes(-1), [0xff]);
        assert_eq!(big_integer_bytes(128), [0, 0x80]);
    }
}
