//! SampleExec: Bernoulli and Poisson sampling with Spark's random numbers, and the numbers themselves.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{BooleanArray, UInt32Array};
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;

use super::batch::take_rows;
use super::poisson::Poisson;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::Attribute;
use crate::functions::hash::murmur3_bytes;

/// org.apache.spark.util.random.XORShiftRandom.
#[derive(Clone, Debug)]
pub struct XorShiftRandom {
    seed: i64,
}

impl XorShiftRandom {
    /// The seed is scrambled by Scala's MurmurHash3 of its bytes, twice (XORShiftRandom.hashSeed).
    pub fn new(init: i64) -> Self {
        let bytes = init.to_be_bytes();
        let low = murmur3_bytes(&bytes, 0x3c07_4a61);
        let high = murmur3_bytes(&bytes, low);
        Self { seed: (i64::from(high) << 32) | (i64::from(low) & 0xffff_ffff) }
    }

    fn next(&mut self, bits: u32) -> i32 {
        let mut seed = self.seed ^ (self.seed << 21);
        seed ^= ((seed as u64) >> 35) as i64;
        seed ^= seed << 4;
        self.seed = seed;
        (seed & ((1_i64 << bits) - 1)) as i32
    }

    /// java.util.Random.nextInt(bound).
    pub fn next_int(&mut self, bound: i32) -> i32 {
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

    /// java.util.Random.nextDouble.
    pub fn next_double(&mut self) -> f64 {
        let high = i64::from(self.next(26)) << 27;
        (high + i64::from(self.next(27))) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// java.util.Random.nextLong.
    pub fn next_long(&mut self) -> i64 {
        (i64::from(self.next(32)) << 32).wrapping_add(i64::from(self.next(32)))
    }
}

/// A sequence of seeds as java.util.Random(seed).nextLong gives them (PartitionwiseSampledRDD).
fn partition_seeds(seed: i64, partitions: usize) -> Vec<i64> {
    let mut state = (seed ^ 0x5_DEEC_E66D) & ((1 << 48) - 1);
    let mut next = || {
        state = (state.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB)) & ((1 << 48) - 1);
        (state >> 16) as i32
    };
    (0..partitions).map(|_| (i64::from(next()) << 32).wrapping_add(i64::from(next()))).collect()
}

#[derive(Debug)]
pub struct SampleExec {
    /// Rows whose number lies from `lower` to `fraction` are kept (randomSplit); 0 for sample().
    pub lower: f64,
    pub fraction: f64,
    pub seed: i64,
    pub with_replacement: bool,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl SampleExec {
    fn sampled(&self, partition: Partition, seed: i64) -> Result<Partition> {
        let mut random = XorShiftRandom::new(seed);
        let mut poisson = Poisson::new(self.fraction - self.lower, seed);
        let mut out: Partition = Vec::new();
        for batch in partition {
            let kept: RecordBatch = if self.with_replacement {
                let rows = u32::try_from(batch.num_rows()).unwrap_or(u32::MAX);
                let taken: Vec<u32> =
                    (0..rows).flat_map(|row| std::iter::repeat_n(row, poisson.sample() as usize)).collect();
                take_rows(&batch, &UInt32Array::from(taken))?
            } else {
                let mut inside = || {
                    let drawn = random.next_double();
                    drawn >= self.lower && drawn < self.fraction
                };
                let mask: BooleanArray = (0..batch.num_rows()).map(|_| Some(inside())).collect();
                filter_record_batch(&batch, &mask)?
            };
            if kept.num_rows() > 0 {
                out.push(kept);
            }
        }
        Ok(out)
    }
}

impl ExecNode for SampleExec {
    fn name(&self) -> String {
        "Sample".into()
    }
    fn arguments(&self) -> String {
        format!("{:?}, {:?}, {}, {}", self.lower, self.fraction, self.with_replacement, self.seed)
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let input = self.child.execute(ctx)?;
        // With replacement PartitionwiseSampledRDD gives the seeds, without it RDD.randomSampleWithRange.
        let seeds = match self.with_replacement {
            true => partition_seeds(self.seed, input.len()),
            false => (0_i64..).take(input.len()).map(|index| self.seed.wrapping_add(index)).collect(),
        };
        input.into_iter().zip(seeds).map(|(partition, seed)| self.sampled(partition, seed)).collect()
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
