//! Files in other encodings than UTF-8: their bytes as text, and text as their bytes (the option `encoding` of CSV and JSON).

use std::borrow::Cow;

use super::options::Options;
use crate::error::{ErrorClass, Result, SparkError};

/// An encoding that Java knows and that is read and written here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Latin1,
    Ascii,
    /// With a mark of the byte order, or big-endian.
    Utf16,
    Utf16Be,
    Utf16Le,
    Utf32,
}

impl Charset {
    /// The one that the options `encoding` or `charset` name; UTF-8 without them. `owner`: the class of options that refuses
    /// other names (CharsetProvider).
    pub fn of(options: &Options, owner: &str) -> Result<Self> {
        let Some(given) = options.get("encoding").or_else(|| options.get("charset")) else { return Ok(Self::Utf8) };
        Ok(match given.to_uppercase().as_str() {
            "UTF-8" => Self::Utf8,
            "ISO-8859-1" => Self::Latin1,
            "US-ASCII" => Self::Ascii,
            "UTF-16" => Self::Utf16,
            "UTF-16BE" => Self::Utf16Be,
            "UTF-16LE" => Self::Utf16Le,
            "UTF-32" => Self::Utf32,
            _ => {
                return Err(SparkError::new(
                    ErrorClass::IllegalArgument,
                    "INVALID_PARAMETER_VALUE.CHARSET",
                    &[
                        ("parameter", "`charset`"),
                        ("functionName", &format!("`{owner}`")),
                        ("charset", given),
                        ("charsets", "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8"),
                    ],
                ));
            }
        })
    }

    /// Bytes as text; what is no character becomes a replacement character.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let wide = |bytes: &[u8], big: bool| -> String {
            let units = bytes.chunks(2).map(|pair| match pair {
                [a, b] if big => u16::from_be_bytes([*a, *b]),
                [a, b] => u16::from_le_bytes([*a, *b]),
                // Half a unit at the end is no character.
                _ => 0xfffd,
            });
            char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
        };
        Cow::Owned(match self {
            Self::Utf8 => return String::from_utf8_lossy(bytes),
            Self::Latin1 => bytes.iter().map(|b| char::from(*b)).collect(),
            Self::Ascii => bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '\u{fffd}' }).collect(),
            Self::Utf16 => match bytes {
                [0xff, 0xfe, rest @ ..] => wide(rest, false),
                [0xfe, 0xff, rest @ ..] | rest => wide(rest, true),
            },
            Self::Utf16Be => wide(bytes, true),
            Self::Utf16Le => wide(bytes, false),
            Self::Utf32 => {
                let (body, big) = match bytes {
                    [0xff, 0xfe, 0, 0, rest @ ..] => (rest, false),
                    [0, 0, 0xfe, 0xff, rest @ ..] | rest => (rest, true),
                };
                let of = |c: &[u8]| match c {
                    [a, b, c, d] if big => u32::from_be_bytes([*a, *b, *c, *d]),
                    [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]),
                    _ => u32::MAX,
                };
                body.chunks(4).map(|c| char::from_u32(of(c)).unwrap_or('\u{fffd}')).collect()
            }
        })
    }

    /// Text as bytes; a character that the encoding has not becomes a question mark.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let narrow = |limit: u32| text.chars().map(|c| if (c as u32) < limit { c as u8 } else { b'?' }).collect();
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Latin1 => narrow(256),
            Self::Ascii => narrow(128),
            Self::Utf16 => [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf32 => text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for charset in [Charset::Utf8, Charset::Utf16, Charset::Utf16Be, Charset::Utf16Le, Charset::Utf32] {
            assert_eq!(charset.decode(&charset.encode("né€😀")), "né€😀", "{charset:?}");
        }
        assert_eq!(Charset::Latin1.encode("né€"), b"n\xe9?");
        assert_eq!(Charset::Ascii.decode(b"n\xe9"), "n\u{fffd}");
    }
}
