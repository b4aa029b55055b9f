//! The framing of net.jpountz's LZ4BlockOutputStream, which Spark's lz4 codec writes.
//!
//! A block: `LZ4Block`, a token (0x10 stored or 0x20 LZ4, plus the block size's level), compressed and plain length and the
//! checksum of the plain bytes (xxHash32, seed 0x9747b28c, 28 bits), all little-endian; then the bytes. An empty block ends.

use twox_hash::XxHash32;

const MAGIC: &[u8] = b"LZ4Block";
const STORED: u8 = 0x10;
const LZ4: u8 = 0x20;
/// log2 of [`BLOCK`] less 10.
const LEVEL: u8 = 5;
/// spark.io.compression.lz4.blockSize
const BLOCK: usize = 32 * 1024;
const HEADER: usize = MAGIC.len() + 13;
const SEED: u32 = 0x9747_b28c;

fn checksum(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(SEED, bytes) & 0x0fff_ffff
}

pub(super) fn compress(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain.len() / 2 + 2 * HEADER);
    for block in plain.chunks(BLOCK) {
        let compressed = lz4_flex::block::compress(block);
        let (method, bytes) = if compressed.len() < block.len() { (LZ4, &compressed[..]) } else { (STORED, block) };
        header(&mut out, method, bytes.len(), block.len(), checksum(block));
        out.extend_from_slice(bytes);
    }
    header(&mut out, STORED, 0, 0, 0);
    out
}

fn header(out: &mut Vec<u8>, method: u8, compressed: usize, plain: usize, checksum: u32) {
    out.extend_from_slice(MAGIC);
    out.push(method | LEVEL);
    for number in [compressed as u32, plain as u32, checksum] {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Why a stream could not be read, as the Java exception says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// java.io.EOFException: Stream ended prematurely
    Ended,
    /// java.io.IOException: Stream is corrupted
    Corrupted,
}

/// The plain bytes up to the end, or up to damage. The reader decides whether it needs what lies behind: Spark reads block
/// by block and does not look at a damaged one that comes after the end mark of the records.
pub(super) fn decompress(bytes: &[u8]) -> (Vec<u8>, Option<Damage>) {
    let mut plain = Vec::new();
    let damage = read_blocks(bytes, &mut plain).err();
    (plain, damage)
}

fn read_blocks(mut bytes: &[u8], plain: &mut Vec<u8>) -> Result<(), Damage> {
    loop {
        let Some((head, rest)) = bytes.split_at_checked(HEADER) else { return Err(Damage::Ended) };
        let (magic, head) = head.split_at(MAGIC.len());
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
        let (method, level) = (head[0] & 0xf0, u32::from(head[0] & 0x0f) + 10);
        let (size, plain_size, sum) = (number(1), number(5), number(9) as u32);
        if magic != MAGIC
            || !matches!(method, STORED | LZ4)
            || plain_size > 1 << level
            || (size == 0) != (plain_size == 0)
            || (method == STORED && size != plain_size)
        {
            return Err(Damage::Corrupted);
        }
        if plain_size == 0 {
            return if sum == 0 { Ok(()) } else { Err(Damage::Corrupted) };
        }
        let Some((block, rest)) = rest.split_at_checked(size) else { return Err(Damage::Ended) };
        let block = match method {
            STORED => block.to_vec(),
            _ => lz4_flex::block::decompress(block, plain_size).map_err(|_| Damage::Corrupted)?,
        };
        if block.len() != plain_size || checksum(&block) != sum {
            return Err(Damage::Corrupted);
        }
        plain.extend_from_slice(&block);
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_over_block_borders() {
        for len in [0, 1, 100, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
            let plain: Vec<u8> = (0..len).map(|i| (i * i % 251) as u8).collect();
            assert_eq!(decompress(&compress(&plain)), (plain, None));
        }
    }

    #[test]
    fn the_end_mark_is_javas() {
        assert_eq!(compress(b""), b"LZ4Block\x15\0\0\0\0\0\0\0\0\0\0\0\0");
    }

    #[test]
    fn damage_is_seen() {
        let mut bytes = compress(&[7; 1000]);
        assert_eq!(decompress(&bytes[..bytes.len() - 1]), (vec![7; 1000], Some(Damage::Ended)));
        assert_eq!(decompress(&bytes[..30]), (vec![], Some(Damage::Ended)));
        bytes[17] ^= 1;
        assert_eq!(decompress(&bytes), (vec![], Some(Damage::Corrupted)));
        assert_eq!(decompress(b"hello world this is no state").1, Some(Damage::Corrupted));
    }
}
