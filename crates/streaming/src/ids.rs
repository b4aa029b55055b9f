//! UUIDs without randomness: the same session gives the same ids.

use std::cell::Cell;

/// Gives out version 4 UUIDs (queries, runs, files of a sink).
pub trait IdSource {
    fn uuid(&self) -> String;
}

/// SplitMix64 over a seed.
pub struct SeededIds {
    state: Cell<u64>,
}

impl SeededIds {
    pub fn new(seed: u64) -> Self {
        Self { state: Cell::new(seed) }
    }

    fn next(&self) -> u64 {
        let state = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state.set(state);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl IdSource for SeededIds {
    fn uuid(&self) -> String {
        let high = (self.next() & !0xf000) | 0x4000;
        let low = (self.next() & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_version_4_and_repeatable() {
        let (a, b) = (SeededIds::new(7), SeededIds::new(7));
        for _ in 0..50 {
            let id = a.uuid();
            assert_eq!(id, b.uuid());
            assert_eq!(id.len(), 36);
            assert_eq!(&id[14..15], "4");
            assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
        }
        assert_ne!(a.uuid(), a.uuid());
    }
}
