//! Spark's UnsafeRow: the bytes of state keys and values, and of the buffers of object aggregates.
//!
//! A row is a bit set of nulls (a word for every 64 fields), one word a field, and a variable part in words. Numbers lie in
//! their word, little-endian and zero-padded; everything else lies in the variable part and its word holds
//! `offset << 32 | size`, the offset counted from the start of the row. Structs nest as rows, arrays as UnsafeArrayData
//! (count, null bits, elements of their own width, variable part), maps as size of the keys, keys, values.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

pub use decode::decode_rows;
pub use encode::{RowArena, encode_rows};

use crate::types::DataType;

/// Bytes of the null bit set for `fields` fields or elements.
pub fn bit_set_width(fields: usize) -> usize {
    fields.div_ceil(64) * 8
}

/// The next multiple of a word.
fn round_to_word(bytes: usize) -> usize {
    bytes.div_ceil(8) * 8
}

/// Bytes that an element of this type takes in the fixed part of an UnsafeArrayData.
fn element_width(data_type: &DataType) -> usize {
    match data_type {
        DataType::Boolean | DataType::Byte => 1,
        DataType::Short => 2,
        DataType::Integer | DataType::Float | DataType::Date | DataType::YearMonthInterval { .. } => 4,
        _ => 8,
    }
}

/// Decimals of at most 18 digits are kept as a long (Decimal.MAX_LONG_DIGITS).
fn is_small_decimal(precision: u8) -> bool {
    precision <= 18
}

/// UnsafeRow.hashCode: Murmur3 (x86, 32 bits) over the words of the row, seed 42.
pub fn hash_code(row: &[u8]) -> u32 {
    let mut hash = 42u32;
    for word in row.chunks_exact(4) {
        let k = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let k = k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = (hash ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= row.len() as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// Whether field `ordinal` of a row is null.
pub fn is_null(row: &[u8], ordinal: usize) -> bool {
    row.get(ordinal / 8).is_none_or(|byte| byte & (1 << (ordinal % 8)) != 0)
}

/// The word of field `ordinal` of a row with `fields` fields, as a signed number; None for null.
pub fn long_at(row: &[u8], fields: usize, ordinal: usize) -> Option<i64> {
    if is_null(row, ordinal) {
        return None;
    }
    word(row, bit_set_width(fields) + 8 * ordinal).map(|word| word as i64)
}

/// The bytes of the variable-length field `ordinal`; None for null.
pub fn bytes_at(row: &[u8], fields: usize, ordinal: usize) -> Option<&[u8]> {
    let word = long_at(row, fields, ordinal)? as u64;
    let offset = (word >> 32) as usize;
    row.get(offset..offset + (word & 0xffff_ffff) as usize)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word: [u8; 8] = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(word))
}

/// Whether a field of this type has its bytes in the variable part.
fn is_variable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Decimal { precision, .. } => !is_small_decimal(*precision),
        DataType::String
        | DataType::Char(_)
        | DataType::Varchar(_)
        | DataType::Binary
        | DataType::CalendarInterval
        | DataType::Array { .. }
        | DataType::Map { .. }
        | DataType::Struct(_)
        | DataType::Variant => true,
        _ => false,
    }
}

/// The row of the first `count` fields of `row`; None for a row shorter than its fields say.
pub fn prefix(types: &[DataType], count: usize, row: &[u8]) -> Option<Vec<u8>> {
    let old_header = bit_set_width(types.len()) + 8 * types.len();
    let header = bit_set_width(count) + 8 * count;
    let mut out = vec![0; header];
    let mut end = old_header;
    for (ordinal, data_type) in types.iter().take(count).enumerate() {
        let null = is_null(row, ordinal);
        if null {
            out[ordinal / 8] |= 1 << (ordinal % 8);
        }
        let mut word = word(row, bit_set_width(types.len()) + 8 * ordinal)?;
        if is_variable(data_type) && word != 0 {
            let (offset, size) = ((word >> 32) as usize, (word & 0xffff_ffff) as usize);
            let kept = if matches!(data_type, DataType::Decimal { .. }) { 16 } else { round_to_word(size) };
            end = end.max(offset + kept);
            word = ((offset + header).checked_sub(old_header)? as u64) << 32 | size as u64;
        }
        let at = bit_set_width(count) + 8 * ordinal;
        out[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(row.get(old_header..end)?);
    Some(out)
}

/// The row of `types` with a long field after the others.
pub fn append_long(types: &[DataType], row: &[u8], value: i64) -> Option<Vec<u8>> {
    let (old, new) = (types.len(), types.len() + 1);
    let (old_header, header) = (bit_set_width(old) + 8 * old, bit_set_width(new) + 8 * new);
    let mut out = Vec::with_capacity(row.len() + header - old_header);
    out.extend_from_slice(row.get(..bit_set_width(old))?);
    out.resize(bit_set_width(new), 0);
    for (ordinal, data_type) in types.iter().enumerate() {
        let mut word = word(row, bit_set_width(old) + 8 * ordinal)?;
        if is_variable(data_type) && word != 0 {
            word += ((header - old_header) as u64) << 32;
        }
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&value.to_le_bytes());
    out.extend_from_slice(row.get(old_header..)?);
    Some(out)
}

/// Overwrites the word of a field that is not null.
pub fn set_long(row: &mut [u8], fields: usize, ordinal: usize, value: i64) {
    let at = bit_set_width(fields) + 8 * ordinal;
    if let Some(word) = row.get_mut(at..at + 8) {
        word.copy_from_slice(&value.to_le_bytes());
    }
}
