//! Sampling with replacement: how often each row is taken (PoissonSampler over commons-math's PoissonDistribution).

/// Words of the generator's state.
const R: usize = 624;
const M1: usize = 70;
const M2: usize = 179;
const M3: usize = 449;

/// org.apache.commons.math3.random.Well19937c.
struct Well19937c {
    v: [u32; R],
    index: usize,
}

impl Well19937c {
    fn new(seed: i64) -> Self {
        let mut v = [0_u32; R];
        let halves = [(seed as u64 >> 32) as u32, seed as u32];
        v[..2].copy_from_slice(&halves);
        for i in 2..R {
            // Java keeps the word as a signed int and shifts it as a long.
            let word = i64::from(v[i - 2] as i32);
            v[i] = 1_812_433_253_i64.wrapping_mul(word ^ (word >> 30)).wrapping_add(i as i64) as u32;
        }
        Self { v, index: 0 }
    }

    fn next(&mut self, bits: u32) -> u32 {
        let at = |offset: usize| (self.index + offset) % R;
        let (before, before_that) = (at(R - 1), at(R - 2));
        let (v0, m1, m2, m3) = (self.v[self.index], self.v[at(M1)], self.v[at(M2)], self.v[at(M3)]);
        let z0 = (0x8000_0000 & self.v[before]) ^ (0x7fff_ffff & self.v[before_that]);
        let z1 = (v0 ^ (v0 << 25)) ^ (m1 ^ (m1 >> 27));
        let z2 = (m2 >> 9) ^ (m3 ^ (m3 >> 1));
        let z3 = z1 ^ z2;
        let mut z4 = z0 ^ (z1 ^ (z1 << 9)) ^ (z2 ^ (z2 << 21)) ^ (z3 ^ (z3 >> 21));
        self.v[self.index] = z3;
        self.v[before] = z4;
        self.v[before_that] &= 0x8000_0000;
        self.index = before;
        z4 ^= (z4 << 7) & 0xe46e_1700;
        z4 ^= (z4 << 15) & 0x9b86_8000;
        z4 >> (32 - bits)
    }

    fn next_double(&mut self) -> f64 {
        let high = u64::from(self.next(26)) << 26;
        let low = u64::from(self.next(26));
        (high | low) as f64 * (1.0 / (1_u64 << 52) as f64)
    }
}

/// Draws how often a row is taken, for one partition.
pub(super) struct Poisson {
    mean: f64,
    random: Well19937c,
}

impl Poisson {
    pub(super) fn new(mean: f64, seed: i64) -> Self {
        Self { mean, random: Well19937c::new(seed) }
    }

    /// PoissonDistribution.nextPoisson for means below 40: products of uniform numbers until they fall below e^-mean.
    pub(super) fn sample(&mut self) -> u32 {
        let limit = (-self.mean).exp();
        let mut product = 1.0;
        let mut count = 0;
        while f64::from(count) < 1000.0 * self.mean {
            product *= self.random.next_double();
            if product < limit {
                break;
            }
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::Poisson;

    /// spark.range(5).coalesce(1).sample(True, 1.5, 42) draws with this partition's seed.
    #[test]
    fn the_mean_is_kept() {
        let mut poisson = Poisson::new(1.5, 42);
        let total: u32 = (0..10_000).map(|_| poisson.sample()).sum();
        assert!((14_500..15_500).contains(&total), "{total}");
    }
}
