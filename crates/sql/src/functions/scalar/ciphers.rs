//! aes_encrypt, aes_decrypt, try_aes_decrypt (ExpressionImplUtils.aesInternal): AES in ECB, CBC and GCM mode.
//!
//! An initialisation vector that is not given is made from key and text: Spark's is random, and the engine draws nothing.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use sha2::{Digest, Sha256};

use super::strings::{bytes, s};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::row_call;
use crate::types::DataType;
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("aes_encrypt", 2, 6, encrypting),
    FunctionEntry::custom("aes_decrypt", 2, 5, decrypting),
    FunctionEntry::custom("try_aes_decrypt", 2, 5, decrypting),
];

const BLOCK: usize = 16;
const TAG: usize = 16;

type Block = [u8; BLOCK];

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
    Ok(row_call("aes_encrypt", args, DataType::Binary, true, true, b.ansi(), |_, v| {
        let (text, key, iv, aad) = (bytes(&v[0]), bytes(&v[1]), bytes(&v[4]), bytes(&v[5]));
        encrypt(text, key, s(&v[2]), s(&v[3]), iv, aad).map(Value::binary)
    }))
}

fn decrypting(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(with_defaults(args, 5), &INPUTS[..5])?;
    if b.name == "try_aes_decrypt" {
        return Ok(row_call(b.name, args, DataType::Binary, true, true, b.ansi(), |_, v| {
            let plain = decrypt(bytes(&v[0]), bytes(&v[1]), s(&v[2]), s(&v[3]), bytes(&v[4]));
            Ok(plain.map_or(Value::Null, Value::binary))
        }));
    }
    Ok(row_call(b.name, args, DataType::Binary, true, true, b.ansi(), |_, v| {
        decrypt(bytes(&v[0]), bytes(&v[1]), s(&v[2]), s(&v[3]), bytes(&v[4])).map(Value::binary)
    }))
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

/// AES with a key of one of its three lengths.
enum Cipher {
    Aes128(Box<Aes128>),
    Aes192(Box<Aes192>),
    Aes256(Box<Aes256>),
}

impl Cipher {
    fn new(key: &[u8]) -> Result<Cipher> {
        let made = match key.len() {
            16 => Aes128::new_from_slice(key).ok().map(|c| Cipher::Aes128(Box::new(c))),
            24 => Aes192::new_from_slice(key).ok().map(|c| Cipher::Aes192(Box::new(c))),
            32 => Aes256::new_from_slice(key).ok().map(|c| Cipher::Aes256(Box::new(c))),
            _ => None,
        };
        made.ok_or_else(|| {
            SparkError::runtime(
                "INVALID_PARAMETER_VALUE.AES_KEY_LENGTH",
                &[("parameter", "`key`"), ("functionName", NAMES), ("actualLength", &key.len().to_string())],
            )
        })
    }

    fn encrypt(&self, block: Block) -> Block {
        let mut block = Array::from(block);
        match self {
            Cipher::Aes128(c) => c.encrypt_block(&mut block),
            Cipher::Aes192(c) => c.encrypt_block(&mut block),
            Cipher::Aes256(c) => c.encrypt_block(&mut block),
        }
        block.into()
    }

    fn decrypt(&self, block: Block) -> Block {
        let mut block = Array::from(block);
        match self {
            Cipher::Aes128(c) => c.decrypt_block(&mut block),
            Cipher::Aes192(c) => c.decrypt_block(&mut block),
            Cipher::Aes256(c) => c.decrypt_block(&mut block),
        }
        block.into()
    }
}

fn broken(detail: &str) -> SparkError {
    SparkError::runtime(
        "INVALID_PARAMETER_VALUE.AES_CRYPTO_ERROR",
        &[("parameter", "`expr`, `key`"), ("functionName", NAMES), ("detailMessage", detail)],
    )
}

fn encrypt(text: &[u8], key: &[u8], mode: &str, padding: &str, iv: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let cipher = Cipher::new(key)?;
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
    let mut out = iv.clone();
    match kind {
        Mode::Gcm => {
            let gcm = Gcm::new(&cipher, &iv);
            let hidden = gcm.applied(text);
            let tag = gcm.tag(aad, &hidden);
            out.extend(hidden);
            out.extend(tag);
        }
        Mode::Ecb | Mode::Cbc => {
            let fill = BLOCK - text.len() % BLOCK;
            let mut padded = text.to_vec();
            padded.extend(std::iter::repeat_n(fill as u8, fill));
            let mut before: Block = block_of(&iv);
            for chunk in padded.chunks(BLOCK) {
                let block = if kind == Mode::Cbc { xor(block_of(chunk), before) } else { block_of(chunk) };
                before = cipher.encrypt(block);
                out.extend(before);
            }
        }
    }
    Ok(out)
}

fn decrypt(hidden: &[u8], key: &[u8], mode: &str, padding: &str, aad: &[u8]) -> Result<Vec<u8>> {
    let cipher = Cipher::new(key)?;
    let kind = Mode::of(mode, padding)?;
    let Some((iv, hidden)) = hidden.split_at_checked(kind.iv_length()) else {
        return Err(broken(match kind {
            Mode::Gcm => "Invalid buffer arguments",
            _ => "IV buffer too short for given offset/length combination",
        }));
    };
    if kind == Mode::Gcm {
        let Some(length) = hidden.len().checked_sub(TAG) else {
            // What Java's cipher throws is no GeneralSecurityException.
            return Err(SparkError::plain(
                ErrorClass::Java("java.security.ProviderException"),
                "javax.crypto.ShortBufferException: Output buffer invalid",
            ));
        };
        let (hidden, tag) = hidden.split_at(length);
        let gcm = Gcm::new(&cipher, iv);
        if gcm.tag(aad, hidden) != *tag {
            return Err(broken("Tag mismatch!"));
        }
        return Ok(gcm.applied(hidden));
    }
    if !hidden.len().is_multiple_of(BLOCK) {
        return Err(broken("Input length must be multiple of 16 when decrypting with padded cipher"));
    }
    let mut out = Vec::with_capacity(hidden.len());
    let mut before: Block = block_of(iv);
    for chunk in hidden.chunks(BLOCK) {
        let block = cipher.decrypt(block_of(chunk));
        out.extend(if kind == Mode::Cbc { xor(block, before) } else { block });
        before = block_of(chunk);
    }
    let fill = out.last().map_or(0, |last| usize::from(*last));
    if out.is_empty() {
        return Ok(out);
    }
    let valid = (1..=BLOCK).contains(&fill) && out[out.len() - fill..].iter().all(|byte| usize::from(*byte) == fill);
    if !valid {
        return Err(broken(
            "Given final block not properly padded. Such issues can arise if a bad key is used during decryption.",
        ));
    }
    out.truncate(out.len() - fill);
    Ok(out)
}

/// An initialisation vector for a text that has none.
fn made_up(key: &[u8], text: &[u8], length: usize) -> Vec<u8> {
    let digest = Sha256::new().chain_update(key).chain_update(text).finalize();
    digest[..length].to_vec()
}

/// The first bytes as a block, zeros after them.
fn block_of(bytes: &[u8]) -> Block {
    let mut block = [0; BLOCK];
    let length = bytes.len().min(BLOCK);
    block[..length].copy_from_slice(&bytes[..length]);
    block
}

fn xor(a: Block, b: Block) -> Block {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// Galois/counter mode (NIST SP 800-38D) with a vector of 12 bytes and a tag of 16.
struct Gcm<'a> {
    cipher: &'a Cipher,
    /// The vector with the counter at 0.
    start: u128,
    hash_key: u128,
}

impl<'a> Gcm<'a> {
    fn new(cipher: &'a Cipher, iv: &[u8]) -> Self {
        Self {
            cipher,
            start: u128::from_be_bytes(block_of(iv)),
            hash_key: u128::from_be_bytes(cipher.encrypt([0; BLOCK])),
        }
    }

    fn key_block(&self, counter: u32) -> Block {
        self.cipher.encrypt((self.start | u128::from(counter)).to_be_bytes())
    }

    /// The text xored with the key stream: there and back.
    fn applied(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for (counter, chunk) in (2_u32..).zip(text.chunks(BLOCK)) {
            let key = self.key_block(counter);
            out.extend(chunk.iter().zip(key).map(|(byte, key)| byte ^ key));
        }
        out
    }

    fn tag(&self, aad: &[u8], hidden: &[u8]) -> Block {
        let lengths = ((aad.len() as u128 * 8) << 64) | (hidden.len() as u128 * 8);
        let blocks = aad.chunks(BLOCK).chain(hidden.chunks(BLOCK)).map(|chunk| u128::from_be_bytes(block_of(chunk)));
        let hash = blocks.chain([lengths]).fold(0, |hash, block| times(hash ^ block, self.hash_key));
        xor(hash.to_be_bytes(), self.key_block(1))
    }
}

/// Product in GF(2^128), the first bit being the highest.
fn times(a: u128, mut b: u128) -> u128 {
    const POLYNOMIAL: u128 = 0xe1 << 120;
    let mut product = 0;
    for bit in (0..128).rev() {
        if (a >> bit) & 1 == 1 {
            product ^= b;
        }
        b = if b & 1 == 1 { (b >> 1) ^ POLYNOMIAL } else { b >> 1 };
    }
    product
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
