//! aes_encrypt, aes_decrypt, try_aes_decrypt (ExpressionImplUtils.aesInternal): AES in ECB, CBC and GCM mode.
//!
//! An initialisation vector that is not given is made from key and text: Spark's is random, and the engine draws nothing.

use std::borrow::Cow;

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{AesGcm, Nonce};
use sha2::{Digest, Sha256};

use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{Bytes, ColumnEval, all, column_call};
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("aes_encrypt", 2, 6, encrypting),
    FunctionEntry::custom("aes_decrypt", 2, 5, decrypting),
    FunctionEntry::custom("try_aes_decrypt", 2, 5, decrypting),
];

const BLOCK: usize = 16;
const TAG: usize = 16;

/// Mode and padding as texts.
fn with_defaults(mut args: Vec<Expr>, all: usize) -> Vec<Expr> {
    let text = |text: &str| Expr::literal(Value::from(text), DataType::String);
    while args.len() < all {
        args.push(match args.len() {
            2 => text("GCM"),
            3 => text("DEFAULT"),
            _ => text(""),
        });
    }
    args
}

const INPUTS: [In; 6] = [In::Bin, In::Bin, In::Str, In::Str, In::Bin, In::Bin];

fn encrypting(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(with_defaults(args, 6), &INPUTS)?;
    Ok(column_call("aes_encrypt", args, DataType::Binary, true, true, b.ansi(), |c| {
        all::<Bytes, Bytes>(c, &|v| {
            let [text, key, mode, padding, iv, aad] = v else { return Ok(None) };
            encrypt(text, key, name(mode), name(padding), iv, aad).map(|hidden| Some(Cow::Owned(hidden)))
        })
    }))
}

fn decrypting(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    fn plain(v: &[&[u8]]) -> Result<Vec<u8>> {
        let [hidden, key, mode, padding, aad] = v else { return Ok(Vec::new()) };
        decrypt(hidden, key, name(mode), name(padding), aad)
    }
    let args = b.inputs(with_defaults(args, 5), &INPUTS[..5])?;
    let eval: ColumnEval = if b.name == "try_aes_decrypt" {
        |c| all::<Bytes, Bytes>(c, &|v| Ok(plain(v).ok().map(Cow::Owned)))
    } else {
        |c| all::<Bytes, Bytes>(c, &|v| plain(v).map(|text| Some(Cow::Owned(text))))
    };
    Ok(column_call(b.name, args, DataType::Binary, true, true, b.ansi(), eval))
}

/// A mode or a padding, which is read as bytes as the other arguments are.
fn name(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or("")
}

/// What both functions are called in error texts.
const NAMES: &str = "`aes_encrypt`/`aes_decrypt`";

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Ecb,
    Cbc,
    Gcm,
}

impl Mode {
    /// CipherMode.fromString.
    fn of(mode: &str, padding: &str) -> Result<Mode> {
        let is = |text: &str, name: &str| text.eq_ignore_ascii_case(name);
        let (none, pkcs, default) = (is(padding, "NONE"), is(padding, "PKCS"), is(padding, "DEFAULT"));
        if is(mode, "ECB") && (pkcs || default) {
            Ok(Mode::Ecb)
        } else if is(mode, "CBC") && (pkcs || default) {
            Ok(Mode::Cbc)
        } else if is(mode, "GCM") && (none || default) {
            Ok(Mode::Gcm)
        } else {
            Err(SparkError::runtime(
                "UNSUPPORTED_FEATURE.AES_MODE",
                &[("mode", mode), ("padding", padding), ("functionName", NAMES)],
            ))
        }
    }

    fn iv_length(self) -> usize {
        match self {
            Mode::Ecb => 0,
            Mode::Cbc => 16,
            Mode::Gcm => 12,
        }
    }
}

/// Evaluates `$made` with `$aes` as AES of the key's length.
macro_rules! with_aes {
    ($key:expr, $aes:ident => $made:expr) => {
        match $key.len() {
            16 => {
                type $aes = Aes128;
                $made
            }
            24 => {
                type $aes = Aes192;
                $made
            }
            _ => {
                type $aes = Aes256;
                $made
            }
        }
    };
}

fn check_key(key: &[u8]) -> Result<()> {
    if matches!(key.len(), 16 | 24 | 32) {
        return Ok(());
    }
    Err(SparkError::runtime(
        "INVALID_PARAMETER_VALUE.AES_KEY_LENGTH",
        &[("parameter", "`key`"), ("functionName", NAMES), ("actualLength", &key.len().to_string())],
    ))
}

/// Lengths are checked before a cipher is made.
fn unexpected<E: std::fmt::Display>(error: E) -> SparkError {
    SparkError::internal(format!("AES: {error}"))
}

fn broken(detail: &str) -> SparkError {
    SparkError::runtime(
        "INVALID_PARAMETER_VALUE.AES_CRYPTO_ERROR",
        &[("parameter", "`expr`, `key`"), ("functionName", NAMES), ("detailMessage", detail)],
    )
}

fn encrypt(text: &[u8], key: &[u8], mode: &str, padding: &str, iv: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    check_key(key)?;
    let kind = Mode::of(mode, padding)?;
    if kind == Mode::Ecb && !iv.is_empty() {
        return Err(SparkError::runtime(
            "UNSUPPORTED_FEATURE.AES_MODE_IV",
            &[("mode", mode), ("functionName", "`aes_encrypt`")],
        ));
    }
    let iv = if iv.is_empty() { made_up(key, text, kind.iv_length()) } else { iv.to_vec() };
    if iv.len() != kind.iv_length() {
        return Err(SparkError::runtime(
            "INVALID_PARAMETER_VALUE.AES_IV_LENGTH",
            &[("mode", mode), ("parameter", "`iv`"), ("functionName", NAMES), ("actualLength", &iv.len().to_string())],
        ));
    }
    if !aad.is_empty() && kind != Mode::Gcm {
        return Err(SparkError::runtime(
            "UNSUPPORTED_FEATURE.AES_MODE_AAD",
            &[("mode", mode), ("functionName", "`aes_encrypt`")],
        ));
    }
    let hidden = match kind {
        Mode::Gcm => with_aes!(key, Aes => {
            let nonce = Nonce::try_from(&*iv).map_err(unexpected)?;
            let gcm = AesGcm::<Aes, U12>::new_from_slice(key).map_err(unexpected)?;
            gcm.encrypt(&nonce, Payload { msg: text, aad }).map_err(unexpected)?
        }),
        Mode::Cbc => with_aes!(key, Aes => {
            let cbc = cbc::Encryptor::<Aes>::new_from_slices(key, &iv).map_err(unexpected)?;
            cbc.encrypt_padded_vec::<Pkcs7>(text)
        }),
        Mode::Ecb => with_aes!(key, Aes => {
            let ecb = ecb::Encryptor::<Aes>::new_from_slice(key).map_err(unexpected)?;
            ecb.encrypt_padded_vec::<Pkcs7>(text)
        }),
    };
    Ok([iv, hidden].concat())
}

fn decrypt(hidden: &[u8], key: &[u8], mode: &str, padding: &str, aad: &[u8]) -> Result<Vec<u8>> {
    check_key(key)?;
    let kind = Mode::of(mode, padding)?;
    let Some((iv, hidden)) = hidden.split_at_checked(kind.iv_length()) else {
        return Err(broken(match kind {
            Mode::Gcm => "Invalid buffer arguments",
            _ => "IV buffer too short for given offset/length combination",
        }));
    };
    if kind == Mode::Gcm {
        if hidden.len() < TAG {
            // What Java's cipher throws is no GeneralSecurityException.
            return Err(SparkError::plain(
                ErrorClass::Java("java.security.ProviderException"),
                "javax.crypto.ShortBufferException: Output buffer invalid",
            ));
        }
        let nonce = Nonce::try_from(iv).map_err(unexpected)?;
        return with_aes!(key, Aes => {
            let gcm = AesGcm::<Aes, U12>::new_from_slice(key).map_err(unexpected)?;
            gcm.decrypt(&nonce, Payload { msg: hidden, aad }).map_err(|_| broken("Tag mismatch!"))
        });
    }
    if !hidden.len().is_multiple_of(BLOCK) {
        return Err(broken("Input length must be multiple of 16 when decrypting with padded cipher"));
    }
    if hidden.is_empty() {
        return Ok(Vec::new());
    }
    let plain = match kind {
        Mode::Cbc => with_aes!(key, Aes => {
            let cbc = cbc::Decryptor::<Aes>::new_from_slices(key, iv).map_err(unexpected)?;
            cbc.decrypt_padded_vec::<Pkcs7>(hidden)
        }),
        _ => with_aes!(key, Aes => {
            let ecb = ecb::Decryptor::<Aes>::new_from_slice(key).map_err(unexpected)?;
            ecb.decrypt_padded_vec::<Pkcs7>(hidden)
        }),
    };
    plain.map_err(|_| {
        broken("Given final block not properly padded. Such issues can arise if a bad key is used during decryption.")
    })
}

/// An initialisation vector for a text that has none.
fn made_up(key: &[u8], text: &[u8], length: usize) -> Vec<u8> {
    let digest = Sha256::new().chain_update(key).chain_update(text).finalize();
    digest[..length].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unhex(text: &str) -> Vec<u8> {
        (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
    }

    /// Test case 4 of the proposal of GCM (McGrew and Viega).
    #[test]
    fn gcm_gives_the_published_tag() {
        let key = unhex("feffe9928665731c6d6a8f9467308308");
        let text = unhex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        );
        let (iv, aad) = (unhex("cafebabefacedbaddecaf888"), unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
        let made = encrypt(&text, &key, "GCM", "DEFAULT", &iv, &aad).unwrap();
        assert_eq!(made[made.len() - TAG..], unhex("5bc94fbc3221a5db94fae95ae7121a47"));
        assert_eq!(decrypt(&made, &key, "GCM", "NONE", &aad).unwrap(), text);
    }

    #[test]
    fn every_mode_goes_there_and_back() {
        for key in [16, 24, 32].map(|length| vec![7; length]) {
            for (mode, padding) in [("ECB", "PKCS"), ("cbc", "DEFAULT"), ("GCM", "none")] {
                for length in [0, 1, 15, 16, 17, 33] {
                    let text: Vec<u8> = (0..length).collect();
                    let hidden = encrypt(&text, &key, mode, padding, &[], &[]).unwrap();
                    assert_eq!(decrypt(&hidden, &key, mode, padding, &[]).unwrap(), text);
                }
            }
        }
    }
}
