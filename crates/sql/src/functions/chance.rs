//! The JVM's sources of random numbers: the same numbers from the same seed.

use super::hash::murmur3_bytes;

/// java.util.Random: a linear congruential generator of 48 bits.
pub(crate) struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    pub(crate) fn new(seed: i64) -> Self {
        Self((seed as u64 ^ MULTIPLIER) & MASK)
    }

    fn next(&mut self, bits: u32) -> u64 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        self.0 >> (48 - bits)
    }

    /// nextInt(Integer.MAX_VALUE).
    pub(crate) fn below_max(&mut self) -> i32 {
        loop {
            let bits = self.next(31) as i32;
            if bits != i32::MAX {
                return bits;
            }
        }
    }

    /// nextLong().
    pub(crate) fn long(&mut self) -> i64 {
        let high = i64::from(self.next(32) as i32) << 32;
        high.wrapping_add(i64::from(self.next(32) as i32))
    }

    /// nextDouble(): from 0 up to, but without, 1.
    pub(crate) fn double(&mut self) -> f64 {
        ((self.next(26) << 27) + self.next(27)) as f64 / (1u64 << 53) as f64
    }
}

/// org.apache.spark.util.random.XORShiftRandom, with java.util.Random's ways to numbers.
#[derive(Clone, Debug)]
pub(crate) struct XorShiftRandom {
    state: i64,
    /// The second of two normal numbers.
    spare: Option<f64>,
}

impl XorShiftRandom {
    /// The seed is scrambled by Scala's MurmurHash3 of its bytes, twice (XORShiftRandom.hashSeed).
    pub(crate) fn new(seed: i64) -> Self {
        let bytes = seed.to_be_bytes();
        let low = murmur3_bytes(&bytes, 0x3c07_4a61);
        let high = murmur3_bytes(&bytes, low);
        Self { state: (i64::from(high) << 32) | i64::from(low as u32), spare: None }
    }

    /// The next so many bits.
    pub(crate) fn next(&mut self, bits: u32) -> i32 {
        let mut n = self.state ^ (self.state << 21);
        n ^= ((n as u64) >> 35) as i64;
        n ^= n << 4;
        self.state = n;
        (n & ((1i64 << bits) - 1)) as i32
    }

    /// nextInt(bound).
    pub(crate) fn below(&mut self, bound: i32) -> i32 {
        let mut r = self.next(31);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(r)) >> 31) as i32;
        }
        loop {
            let value = r % bound;
            if r.checked_sub(value).and_then(|x| x.checked_add(bound - 1)).is_some() {
                return value;
            }
            r = self.next(31);
        }
    }

    /// nextDouble().
    pub(crate) fn double(&mut self) -> f64 {
        ((i64::from(self.next(26)) << 27) + i64::from(self.next(27))) as f64 / (1i64 << 53) as f64
    }

    /// nextGaussian().
    pub(crate) fn gaussian(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (a, b) = (2.0 * self.double() - 1.0, 2.0 * self.double() - 1.0);
            let s = a * a + b * b;
            if s < 1.0 && s != 0.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                self.spare = Some(b * factor);
                return a * factor;
            }
        }
    }
}

/// The Mersenne twister of Apache Commons Math, seeded with a long.
pub(crate) struct Twister {
    state: [u32; 624],
    at: usize,
}

impl Twister {
    pub(crate) fn new(seed: i64) -> Self {
        let key = [((seed as u64) >> 32) as u32, seed as u32];
        let mut state = [0u32; 624];
        state[0] = 19_650_218;
        for i in 1..624 {
            let before = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        let (mut i, mut j) = (1, 0);
        for _ in 0..624 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_664_525);
            state[i] = (state[i] ^ mixed).wrapping_add(key[j]).wrapping_add(j as u32);
            i += 1;
            j = (j + 1) % key.len();
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        for _ in 0..623 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u32);
            i += 1;
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Self { state, at: 624 }
    }

    fn next(&mut self, bits: u32) -> u32 {
        if self.at == 624 {
            for k in 0..624 {
                let y = (self.state[k] & 0x8000_0000) | (self.state[(k + 1) % 624] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[k] = self.state[(k + 397) % 624] ^ (y >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^= y >> 18;
        y >> (32 - bits)
    }

    pub(crate) fn long(&mut self) -> u64 {
        let high = u64::from(self.next(32));
        (high << 32) | u64::from(self.next(32))
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        if n.is_power_of_two() {
            return ((u64::from(n) * u64::from(self.next(31))) >> 31) as u32;
        }
        loop {
            let bits = self.next(31);
            let value = bits % n;
            if (bits - value).wrapping_add(n - 1) < 0x8000_0000 {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_spark() {
        assert_eq!(XorShiftRandom::new(3).double(), 0.257_381_435_059_622_85);
        assert_eq!(XorShiftRandom::new(3).gaussian(), -1.185_493_078_173_435_2);
        let mut twister = Twister::new(0);
        assert_eq!((twister.long() & 0xffff_ffff_ffff_0fff) | 0x4000, 0x2695_67e9_5d09_4af5);
    }
}
