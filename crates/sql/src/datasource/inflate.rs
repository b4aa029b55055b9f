//! Inputs that are compressed whole, by the end of their name: `.gz` (RFC 1952) and `.deflate` (RFC 1950), read as Hadoop's
//! codecs do.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};

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
        Some(Packing::Deflate) => inflate(content).map(Cow::Owned).map_err(Fault::error),
        Some(Packing::Other(codec)) => Err(SparkError::not_yet(&format!("Reading {codec} files"))),
    }
}

/// What is wrong with a packed file; the exception that Hadoop's decompressor has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NotGzip,
    Header,
    Ended,
    Data,
}

impl Fault {
    fn error(self) -> SparkError {
        let (class, text) = match self {
            Self::NotGzip => ("java.io.IOException", "not a gzip file"),
            Self::Header => ("java.io.IOException", "incorrect header check"),
            Self::Ended => ("java.io.EOFException", "Unexpected end of input stream"),
            Self::Data => ("java.io.IOException", "incorrect data check"),
        };
        let mut error = SparkError::plain(ErrorClass::Java(class), text);
        error.java_class = Some(class.to_owned());
        error
    }
}

/// All members of a gzip file, one after the other.
fn gunzip(content: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    if content.is_empty() {
        return Ok(out);
    }
    if !content.starts_with(&[0x1f, 0x8b]) {
        return Err(Fault::NotGzip);
    }
    match MultiGzDecoder::new(content).read_to_end(&mut out) {
        Ok(_) => Ok(out),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(Fault::Ended),
        Err(_) => Err(Fault::Data),
    }
}

/// A zlib stream. Not by `ZlibDecoder`, to which a stream that is cut ends like a whole one.
fn inflate(content: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut stream = Decompress::new(true);
    let mut out = Vec::new();
    loop {
        out.reserve(content.len().max(1024));
        let read = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        let rest = content.get(read..).unwrap_or_default();
        match stream.decompress_vec(rest, &mut out, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(_) if out.len() < out.capacity() => return Err(Fault::Ended),
            Ok(_) => {}
            Err(_) if read == 0 && out.is_empty() => return Err(Fault::Header),
            Err(_) => return Err(Fault::Data),
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
        assert_eq!(gunzip(b"a,b,c\n"), Err(Fault::NotGzip));
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

    #[test]
    fn damage_is_noticed_and_a_cut_zlib_stream_too() {
        let mut damaged = HELLO;
        damaged[22] ^= 1;
        assert_eq!(gunzip(&damaged), Err(Fault::Data));
        let packed = [0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27];
        assert_eq!(inflate(&packed).unwrap(), b"abc");
        assert_eq!(inflate(&packed[..4]), Err(Fault::Ended));
        assert_eq!(inflate(b"a,b,c\n"), Err(Fault::Header));
    }
}
