//! Inputs that are compressed whole, by the end of their name: `.gz` (RFC 1952) and `.deflate` (RFC 1950), read as Hadoop's
//! codecs do. DEFLATE is RFC 1951.

use std::borrow::Cow;

use crate::error::{ErrorClass, Result, SparkError};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    Deflate,
    /// A codec of Hadoop's that is not there yet.
    Other(&'static str),
}

/// CompressionCodecFactory.getCodec
pub fn packing(path: &str) -> Option<Packing> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension {
        "gz" => Packing::Gzip,
        "deflate" => Packing::Deflate,
        "bz2" => Packing::Other("bzip2"),
        "snappy" => Packing::Other("snappy"),
        "lz4" => Packing::Other("lz4"),
        "zst" => Packing::Other("zstd"),
        _ => return None,
    })
}

/// The plain content of a file.
pub fn unpacked<'a>(path: &str, content: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    match packing(path) {
        None => Ok(Cow::Borrowed(content)),
        Some(Packing::Gzip) => gunzip(content).map(Cow::Owned).map_err(Fault::error),
        Some(Packing::Deflate) => {
            let body = content.get(2..).ok_or(Fault::Ended).map_err(Fault::error)?;
            let mut out = Vec::new();
            inflate(&mut Bits::new(body), &mut out).map_err(Fault::error)?;
            Ok(Cow::Owned(out))
        }
        Some(Packing::Other(codec)) => Err(SparkError::not_yet(&format!("Reading {codec} files"))),
    }
}

/// What is wrong with a packed file; the exception that Hadoop's decompressor has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Header,
    Ended,
    Block,
    Distance,
}

impl Fault {
    fn error(self) -> SparkError {
        let (class, text) = match self {
            Self::Header => ("java.io.IOException", "incorrect header check"),
            Self::Ended => ("java.io.EOFException", "Unexpected end of input stream"),
            Self::Block => ("java.io.IOException", "invalid stored block lengths"),
            Self::Distance => ("java.io.IOException", "invalid distance too far back"),
        };
        let mut error = SparkError::plain(ErrorClass::Java(class), text);
        error.java_class = Some(class.to_owned());
        error
    }
}

/// All members of a gzip file, one after the other.
fn gunzip(mut content: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    while !content.is_empty() {
        let used = member(content, &mut out)?;
        content = content.get(used..).unwrap_or_default();
    }
    Ok(out)
}

/// One member; the number of bytes that it takes.
fn member(content: &[u8], out: &mut Vec<u8>) -> Result<usize, Fault> {
    let head =
        content.get(..10).ok_or(if content.starts_with(&[0x1f, 0x8b]) { Fault::Ended } else { Fault::Header })?;
    if head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 {
        return Err(Fault::Header);
    }
    let flags = head[3];
    let mut at = 10;
    if flags & 4 != 0 {
        let len = content.get(at..at + 2).ok_or(Fault::Ended)?;
        at += 2 + usize::from(u16::from_le_bytes([len[0], len[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = content.get(at..).ok_or(Fault::Ended)?;
            at += rest.iter().position(|b| *b == 0).ok_or(Fault::Ended)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    let mut bits = Bits::new(content.get(at..).ok_or(Fault::Ended)?);
    inflate(&mut bits, out)?;
    // The check sum and the length follow on a whole byte.
    Ok(at + bits.at + 8)
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, held: 0, count: 0 }
    }

    fn take(&mut self, wanted: u32) -> Result<u32, Fault> {
        while self.count < wanted {
            let byte = *self.bytes.get(self.at).ok_or(Fault::Ended)?;
            self.held |= u32::from(byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let value = self.held & ((1 << wanted) - 1);
        self.held >>= wanted;
        self.count -= wanted;
        Ok(value)
    }
}

/// A canonical Huffman code: how many symbols have each length, and the symbols by code.
struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    fn of(lengths: &[u8]) -> Self {
        let mut counts = [0u16; 16];
        for len in lengths {
            counts[usize::from(*len & 15)] += 1;
        }
        counts[0] = 0;
        let mut symbols = Vec::with_capacity(lengths.len());
        for wanted in 1..16u8 {
            symbols.extend((0u16..).zip(lengths).filter(|(_, len)| **len == wanted).map(|(symbol, _)| symbol));
        }
        Self { counts, symbols }
    }

    fn read(&self, bits: &mut Bits<'_>) -> Result<u16, Fault> {
        let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
        for len in 1..16 {
            code |= bits.take(1)? as i32;
            let count = i32::from(self.counts[len]);
            if code - first < count {
                let at = usize::try_from(index + code - first).map_err(|_| Fault::Block)?;
                return self.symbols.get(at).copied().ok_or(Fault::Block);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(Fault::Block)
    }
}

/// Base and extra bits of the lengths 257 .. 285, and of the distances.
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
const DISTANCES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];
/// Order of the code lengths' own code lengths.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

fn inflate(bits: &mut Bits<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let start = out.len();
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(bits, out)?,
            1 => {
                let mut lengths = [8u8; 288];
                lengths[144..256].fill(9);
                lengths[256..280].fill(7);
                compressed(bits, out, start, &Code::of(&lengths), &Code::of(&[5; 30]))?;
            }
            2 => {
                let (literals, distances) = codes(bits)?;
                compressed(bits, out, start, &literals, &distances)?;
            }
            _ => return Err(Fault::Block),
        }
        if last {
            return Ok(());
        }
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    // What is held of the byte at hand is skipped.
    (bits.held, bits.count) = (0, 0);
    let head = bits.bytes.get(bits.at..bits.at + 4).ok_or(Fault::Ended)?;
    let len = u16::from_le_bytes([head[0], head[1]]);
    if len != !u16::from_le_bytes([head[2], head[3]]) {
        return Err(Fault::Block);
    }
    let from = bits.at + 4;
    let to = from + usize::from(len);
    out.extend_from_slice(bits.bytes.get(from..to).ok_or(Fault::Ended)?);
    bits.at = to;
    Ok(())
}

/// The codes of a block that brings its own.
fn codes(bits: &mut Bits<'_>) -> Result<(Code, Code), Fault> {
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    let given = bits.take(4)? as usize + 4;
    let mut own = [0u8; 19];
    for at in ORDER.iter().take(given) {
        own[*at] = bits.take(3)? as u8;
    }
    let own = Code::of(&own);
    let mut lengths: Vec<u8> = Vec::with_capacity(literals + distances);
    while lengths.len() < literals + distances {
        let (value, times) = match own.read(bits)? {
            symbol @ 0..16 => (symbol as u8, 1),
            16 => (*lengths.last().ok_or(Fault::Block)?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            _ => (0, bits.take(7)? + 11),
        };
        lengths.extend(std::iter::repeat_n(value, times as usize));
    }
    lengths.truncate(literals + distances);
    Ok((Code::of(&lengths[..literals]), Code::of(&lengths[literals..])))
}

fn compressed(
    bits: &mut Bits<'_>,
    out: &mut Vec<u8>,
    start: usize,
    literals: &Code,
    distances: &Code,
) -> Result<(), Fault> {
    loop {
        let symbol = literals.read(bits)?;
        match symbol {
            0..256 => out.push(symbol as u8),
            256 => return Ok(()),
            _ => {
                let (base, extra) = *LENGTHS.get(usize::from(symbol) - 257).ok_or(Fault::Block)?;
                let len = usize::from(base) + bits.take(u32::from(extra))? as usize;
                let symbol = distances.read(bits)?;
                let (base, extra) = *DISTANCES.get(usize::from(symbol)).ok_or(Fault::Block)?;
                let distance = usize::from(base) + bits.take(u32::from(extra))? as usize;
                if distance > out.len() - start {
                    return Err(Fault::Distance);
                }
                let from = out.len() - distance;
                for at in from..from + len {
                    out.push(out[at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "hello hello hello hello\n" as gzip -9 packs it (one block with the fixed codes).
    const HELLO: [u8; 29] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
        0x27, 0xb9, 0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn reads_members_one_after_the_other() {
        let twice = [HELLO, HELLO].concat();
        assert_eq!(gunzip(&twice).unwrap(), b"hello hello hello hello\nhello hello hello hello\n");
    }

    #[test]
    fn a_cut_file_and_another_file_are_refused() {
        assert_eq!(gunzip(&HELLO[..20]), Err(Fault::Ended));
        assert_eq!(gunzip(b"a,b,c\n"), Err(Fault::Header));
    }

    #[test]
    fn blocks_with_codes_of_their_own() {
        let packed: &[u8] = &[
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0x90, 0xc1, 0x91, 0x04, 0x21, 0x0c, 0x03,
            0x53, 0xe9, 0x10, 0x0c, 0x18, 0xf0, 0xe4, 0x9f, 0xd8, 0xf5, 0x12, 0xc5, 0x3d, 0x5c, 0x35, 0x9f, 0x31, 0xb2,
            0x25, 0x75, 0x04, 0x31, 0x88, 0x24, 0x3e, 0xc6, 0x61, 0x6e, 0xd6, 0x21, 0x3f, 0x4e, 0x52, 0x83, 0x31, 0x58,
            0x93, 0xbd, 0xa9, 0x60, 0x14, 0x79, 0xb9, 0xc5, 0x74, 0x72, 0x89, 0x4d, 0xaa, 0x51, 0xff, 0x51, 0x49, 0x4e,
            0xc2, 0xf9, 0x62, 0xa8, 0x99, 0xa4, 0xfa, 0xe0, 0x0e, 0x72, 0x33, 0x07, 0x55, 0x9c, 0x62, 0x07, 0x2b, 0x99,
            0x3a, 0x16, 0xa5, 0xec, 0xe3, 0x2e, 0x8e, 0x5e, 0xf7, 0x7d, 0xef, 0xd7, 0xa1, 0x4f, 0x0a, 0xe6, 0x13, 0xbb,
            0xe2, 0xa2, 0xeb, 0xf3, 0x9d, 0xf2, 0xa0, 0x67, 0x3d, 0xae, 0x85, 0x46, 0xda, 0x69, 0xaa, 0xb5, 0x01, 0x7e,
            0x31, 0x5e, 0x24, 0x83, 0x19, 0xcf, 0x90, 0xf7, 0x05, 0x36, 0xb6, 0xe1, 0xad, 0x60, 0x11, 0xeb, 0x58, 0xca,
            0x6a, 0x16, 0x5c, 0xaf, 0xac, 0x95, 0x2d, 0xfe, 0xab, 0x2f, 0x84, 0x46, 0xd1, 0x28, 0x1a, 0x45, 0xa3, 0x68,
            0x14, 0x8d, 0xa2, 0x51, 0x34, 0x8a, 0x46, 0xd1, 0x28, 0xfe, 0x2b, 0x8a, 0x3f, 0x5b, 0x5c, 0x57, 0x99, 0xb8,
            0x0b, 0x00, 0x00,
        ];
        let plain = gunzip(packed).unwrap();
        assert_eq!(plain.len(), 3000);
        assert!(plain.chunks(3).zip(0u32..).all(|(chunk, n)| chunk == format!("{:02} ", n * n % 89).as_bytes()));
    }
}
