//! Keys and values of the column families, in the byte order that Spark's RocksDB encoders give.
//!
//! A key here: one byte (0 internal, 1 the user's), the length of the family's name (two bytes, big-endian), the name, and
//! then what RocksDBStateEncoder writes: a row (no prefix scan), length of the first row, first row, second row (prefix
//! scan), or an order-preserving number and a row (range scan).

use tidemark_sql::error::Result;
use tidemark_sql::types::DataType;
use tidemark_sql::value::{Value, array_from_values, value_at};

use crate::state::unsafe_row::{decode_rows, encode_rows};

/// Start of the keys of internal families, whose names start with `$`.
pub(super) const INTERNAL: &[u8] = &[0];

/// What all keys of a family start with.
pub(super) fn family(name: &str) -> Vec<u8> {
    let mut key = vec![u8::from(!name.starts_with('$'))];
    key.extend_from_slice(&(name.len() as u16).to_be_bytes());
    key.extend_from_slice(name.as_bytes());
    key
}

/// The UnsafeRow of these values.
pub(super) fn row(types: &[DataType], values: &[Value]) -> Result<Vec<u8>> {
    let columns = types.iter().zip(values).map(|(t, value)| array_from_values(t, std::slice::from_ref(value)));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(encode_rows(types, &columns, 1)?.row(0).to_vec())
}

pub(super) fn values(types: &[DataType], row: &[u8]) -> Result<Vec<Value>> {
    let columns = decode_rows(types, &[row])?;
    Ok(columns.iter().zip(types).map(|(column, t)| value_at(column, 0, t)).collect())
}

/// A row after a row that prefix scans go by.
pub(super) fn prefixed(family: &str, prefix: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut key = self::family(family);
    key.extend_from_slice(&(prefix.len() as u32).to_le_bytes());
    key.extend_from_slice(prefix);
    key.extend_from_slice(rest);
    key
}

/// The two rows of a key of [`prefixed`] without its family.
pub(super) fn split_prefix(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = key.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*len) as usize)
}

/// A row after a number that orders the keys.
pub(super) fn ranged(family: &str, number: i64, rest: &[u8]) -> Vec<u8> {
    let mut key = self::family(family);
    key.extend_from_slice(&ordered(number));
    key.extend_from_slice(rest);
    key
}

/// Eight bytes that compare as the numbers do.
fn ordered(number: i64) -> [u8; 8] {
    ((number as u64) ^ (1 << 63)).to_be_bytes()
}

/// Number and rest of a key of [`ranged`].
pub(super) fn split_range<'a>(family: &str, key: &'a [u8]) -> Option<(i64, &'a [u8])> {
    let rest = key.get(self::family(family).len()..)?;
    let (number, rest) = rest.split_first_chunk::<8>()?;
    Some(((u64::from_be_bytes(*number) ^ (1 << 63)) as i64, rest))
}

/// A list as one value: each row with its length before it (RocksDB's merged values), in words as all values of a store.
pub(super) fn push_item(list: &mut Vec<u8>, item: &[u8]) {
    list.extend_from_slice(&(item.len() as u64).to_le_bytes());
    list.extend_from_slice(item);
}

pub(super) fn items(mut list: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some((len, rest)) = list.split_first_chunk::<8>() {
        let Some((item, rest)) = rest.split_at_checked(u64::from_le_bytes(*len) as usize) else { break };
        found.push(item);
        list = rest;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [i64::MIN, -5, -1, 0, 1, 255, 256, i64::MAX];
        assert!(numbers.windows(2).all(|pair| ranged("$t", pair[0], b"x") < ranged("$t", pair[1], b"")));
        assert_eq!(split_range("$t", &ranged("$t", -7, b"rest")), Some((-7, &b"rest"[..])));
    }

    #[test]
    fn lists_split_where_they_were_joined() {
        let mut list = Vec::new();
        push_item(&mut list, b"one");
        push_item(&mut list, b"");
        assert_eq!(items(&list), vec![&b"one"[..], &b""[..]]);
    }
}
