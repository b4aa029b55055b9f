//! md5, sha1, sha2, hmac and base 32.

use std::borrow::Cow;

use arrow::array::ArrayRef;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{Build, FunctionEntry, Nulls, Ret};
use crate::functions::typed::{Bytes, Columns, Int, Text, column_call, one, three, two};
use crate::types::DataType;
use crate::value::Value;

const BIN: &[In] = &[In::Bin];
const S: Ret = Ret::Is(T::Str);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::columns("md5", 1, 1, BIN, S, Nulls::Strict, |c| {
        one::<Bytes, Text>(c, &|data| Ok(Some(hex(&Md5::digest(data)))))
    }),
    FunctionEntry::columns("sha", 1, 1, BIN, S, Nulls::Strict, sha1),
    FunctionEntry::columns("sha1", 1, 1, BIN, S, Nulls::Strict, sha1),
    FunctionEntry::columns("sha2", 2, 2, &[In::Bin, In::Int], S, Nulls::StrictNullable, |c| {
        two::<Bytes, Int, Text>(c, &|data, bits| {
            Ok(Some(match bits {
                224 => hex(&Sha224::digest(data)),
                0 | 256 => hex(&Sha256::digest(data)),
                384 => hex(&Sha384::digest(data)),
                512 => hex(&Sha512::digest(data)),
                _ => return Ok(None),
            }))
        })
    }),
    FunctionEntry::custom("hmac", 2, 3, keyed),
    FunctionEntry::columns("to_base32", 1, 1, BIN, S, Nulls::Strict, |c| {
        one::<Bytes, Text>(c, &|data| Ok(Some(Cow::Owned(base32(data)))))
    }),
    FunctionEntry::columns("from_base32", 1, 1, &[In::Str], Ret::Is(T::Bin), Nulls::Strict, |c| {
        one::<Text, Bytes>(c, &|text| match unbase32(text) {
            Some(data) => Ok(Some(Cow::Owned(data))),
            None => Err(SparkError::new(
                ErrorClass::IllegalArgument,
                "CONVERSION_INVALID_INPUT",
                &[
                    ("str", &format!("'{text}'")),
                    ("fmt", "'BASE32'"),
                    ("targetType", "\"BINARY\""),
                    ("suggestion", "`try_from_base32`"),
                ],
            )),
        })
    }),
];

fn sha1(c: &Columns<'_>) -> Result<ArrayRef> {
    one::<Bytes, Text>(c, &|data| Ok(Some(hex(&Sha1::digest(data)))))
}

fn hex(digest: &[u8]) -> Cow<'static, str> {
    Cow::Owned(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn code<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Option<Cow<'static, [u8]>> {
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    mac.update(message);
    Some(Cow::Owned(mac.finalize().into_bytes().to_vec()))
}

/// hmac(key, message[, algorithm]).
fn keyed(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    if args.len() == 2 {
        args.push(Expr::literal(Value::from("SHA-256"), DataType::String));
    }
    let args = b.inputs(args, &[In::Bin, In::Bin, In::Str])?;
    let nullable = args.iter().any(Expr::nullable);
    Ok(column_call("hmac", args, DataType::Binary, nullable, true, b.ansi(), |c| {
        three::<Bytes, Bytes, Text, Bytes>(c, &|key, message, algorithm| {
            let made = match algorithm.to_uppercase().replace('-', "").as_str() {
                "MD5" => code::<Hmac<Md5>>(key, message),
                "SHA1" => code::<Hmac<Sha1>>(key, message),
                "SHA224" => code::<Hmac<Sha224>>(key, message),
                "SHA256" => code::<Hmac<Sha256>>(key, message),
                "SHA384" => code::<Hmac<Sha384>>(key, message),
                "SHA512" => code::<Hmac<Sha512>>(key, message),
                _ => return Err(SparkError::not_yet(&format!("hmac with the algorithm {algorithm}"))),
            };
            Ok(made)
        })
    }))
}

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// RFC 4648 with padding.
fn base32(data: &[u8]) -> String {
    let mut out = String::new();
    for chunk in data.chunks(5) {
        let n = chunk.iter().fold(0u64, |n, byte| (n << 8) | u64::from(*byte)) << (8 * (5 - chunk.len()));
        let used = (chunk.len() * 8).div_ceil(5);
        for i in 0..8 {
            out.push(if i < used { char::from(ALPHABET[(n >> (35 - 5 * i)) as usize & 31]) } else { '=' });
        }
    }
    out
}

fn unbase32(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut n, mut bits) = (Vec::new(), 0u64, 0);
    for c in text.trim_end_matches('=').bytes() {
        let digit = ALPHABET.iter().position(|a| *a == c.to_ascii_uppercase())? as u64;
        n = (n << 5) | digit;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push((n >> bits) as u8);
            n &= (1 << bits) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_32_goes_there_and_back() {
        assert_eq!(base32(b"hello"), "NBSWY3DP");
        for text in ["", "a", "ab", "abc", "abcd", "abcdef"] {
            assert_eq!(unbase32(&base32(text.as_bytes())).unwrap(), text.as_bytes());
        }
    }
}
