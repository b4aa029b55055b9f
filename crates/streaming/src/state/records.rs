//! The records of delta and snapshot files: key size, key, value size, value, big-endian; -1 for a removed key's value;
//! -1 in the place of a key size ends the file.

use std::borrow::Cow;
use std::sync::OnceLock;

use tidemark_sql::error::{ErrorClass, SparkError};

use super::block_stream::{Damage, compress, decompress};

/// One change (or, in a snapshot, one row).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    Put(&'a [u8], &'a [u8]),
    Remove(&'a [u8]),
}

/// What is wrong with a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordError {
    /// Ends within a record or before the end mark (java.io.EOFException).
    Ended,
    /// The compressed stream does not hold what it says (java.io.IOException).
    Corrupted,
    KeySize(i32),
    ValueSize(i32),
}

impl RecordError {
    /// The Java exception under CANNOT_LOAD_STATE_STORE.UNCATEGORIZED.
    pub(super) fn cause(&self) -> SparkError {
        let (class, text) = match self {
            Self::Ended => ("java.io.EOFException", "Stream ended prematurely"),
            _ => ("java.io.IOException", "Stream is corrupted"),
        };
        let mut error = SparkError::plain(ErrorClass::Java(class), text);
        error.java_class = Some(class.to_owned());
        error
    }
}

/// Collects records and makes the file of them.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordWriter {
    plain: Vec<u8>,
}

impl RecordWriter {
    fn bytes(&mut self, bytes: &[u8]) {
        self.plain.extend_from_slice(&(bytes.len() as i32).to_be_bytes());
        self.plain.extend_from_slice(bytes);
    }

    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) {
        self.bytes(key);
        self.bytes(value);
    }

    pub(super) fn remove(&mut self, key: &[u8]) {
        self.bytes(key);
        self.plain.extend_from_slice(&(-1i32).to_be_bytes());
    }

    /// The content of the file. Most stores of a small batch have no changes, and then it is always the same.
    pub(super) fn finish(&self) -> Cow<'static, [u8]> {
        static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();
        if self.plain.is_empty() {
            return Cow::Borrowed(EMPTY.get_or_init(|| compress(&(-1i32).to_be_bytes())));
        }
        let mut plain = Vec::with_capacity(self.plain.len() + 4);
        plain.extend_from_slice(&self.plain);
        plain.extend_from_slice(&(-1i32).to_be_bytes());
        Cow::Owned(compress(&plain))
    }
}

/// Calls `visit` with every record of a file; `snapshot`: removals are refused.
pub(super) fn read(file: &[u8], snapshot: bool, visit: &mut dyn FnMut(Record<'_>)) -> Result<(), RecordError> {
    let (plain, damage) = decompress(file);
    read_records(&plain, snapshot, visit).map_err(|error| match (error, damage) {
        (RecordError::Ended, Some(Damage::Corrupted)) => RecordError::Corrupted,
        (error, _) => error,
    })
}

fn read_records(plain: &[u8], snapshot: bool, visit: &mut dyn FnMut(Record<'_>)) -> Result<(), RecordError> {
    let mut rest = plain;
    loop {
        let key_size = size(&mut rest)?;
        if key_size == -1 {
            return Ok(());
        }
        let key = take(&mut rest, key_size).ok_or(RecordError::KeySize(key_size))??;
        let value_size = size(&mut rest)?;
        match take(&mut rest, value_size) {
            Some(value) => {
                let value = value?;
                // Before Spark 2.3 a value could carry four bytes too many.
                visit(Record::Put(key, &value[..value.len() / 8 * 8]));
            }
            None if snapshot => return Err(RecordError::ValueSize(value_size)),
            None => visit(Record::Remove(key)),
        }
    }
}

fn size(rest: &mut &[u8]) -> Result<i32, RecordError> {
    let (head, tail) = rest.split_first_chunk::<4>().ok_or(RecordError::Ended)?;
    *rest = tail;
    Ok(i32::from_be_bytes(*head))
}

/// None for a negative size.
fn take<'a>(rest: &mut &'a [u8], size: i32) -> Option<Result<&'a [u8], RecordError>> {
    let size = usize::try_from(size).ok()?;
    let Some((head, tail)) = rest.split_at_checked(size) else { return Some(Err(RecordError::Ended)) };
    *rest = tail;
    Some(Ok(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let mut writer = RecordWriter::default();
        writer.put(b"key", b"8 bytes.");
        writer.remove(b"gone");
        writer.put(b"", b"");
        let mut seen = Vec::new();
        read(&writer.finish(), false, &mut |record| seen.push(format!("{record:?}"))).unwrap();
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[1], format!("{:?}", Record::Remove(b"gone")));
        assert_eq!(read(&writer.finish(), true, &mut |_| {}), Err(RecordError::ValueSize(-1)));
    }

    /// `state/0/0/1.delta` of a count by (window, string) in Spark 4.3.0.
    #[test]
    fn reads_what_spark_wrote() {
        let file = SPARK_DELTA;
        let mut rows = Vec::new();
        read(file, false, &mut |record| {
            if let Record::Put(key, value) = record {
                rows.push((key.to_vec(), value.to_vec()));
            }
        })
        .unwrap();
        assert_eq!(rows.len(), 2);
        // A null key, then "b"; each counted once.
        assert_eq!(super::super::unsafe_row::bytes_at(&rows[0].0, 2, 1), None);
        assert_eq!(super::super::unsafe_row::bytes_at(&rows[1].0, 2, 1), Some(&b"b"[..]));
        assert_eq!(super::super::unsafe_row::long_at(&rows[1].1, 2, 0), Some(1));
    }

    const SPARK_DELTA: &[u8] = &[
        0x4c, 0x5a, 0x34, 0x42, 0x6c, 0x6f, 0x63, 0x6b, 0x25, 0x5f, 0x00, 0x00, 0x00, 0xb4, 0x00, 0x00, 0x00, 0xbd,
        0xd5, 0x5b, 0x08, 0x62, 0x00, 0x00, 0x00, 0x30, 0x02, 0x00, 0x01, 0x00, 0x13, 0x18, 0x04, 0x00, 0x0d, 0x02,
        0x00, 0xb1, 0x28, 0x5f, 0xa6, 0x07, 0x4c, 0x06, 0x00, 0x00, 0xcb, 0x40, 0xb8, 0x08, 0x00, 0x34, 0x00, 0x00,
        0x18, 0x34, 0x00, 0x10, 0x01, 0x0e, 0x00, 0x0a, 0x02, 0x00, 0x14, 0x38, 0x0f, 0x00, 0x04, 0x50, 0x00, 0x00,
        0x24, 0x00, 0x14, 0x30, 0x15, 0x00, 0x00, 0x02, 0x00, 0x0b, 0x50, 0x00, 0x10, 0x62, 0x14, 0x00, 0x02, 0x02,
        0x00, 0x12, 0x20, 0x07, 0x00, 0x02, 0x34, 0x00, 0x00, 0x02, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x48, 0x00, 0x03,
        0x24, 0x00, 0x50, 0x00, 0xff, 0xff, 0xff, 0xff, 0x4c, 0x5a, 0x34, 0x42, 0x6c, 0x6f, 0x63, 0x6b, 0x15, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ];
}
