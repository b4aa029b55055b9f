//! SampleExec: Bernoulli and Poisson sampling with Spark's random numbers.

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
use crate::functions::chance::{JavaRandom, XorShiftRandom};

/// A sequence of seeds as java.util.Random(seed).nextLong gives them (PartitionwiseSampledRDD).
fn partition_seeds(seed: i64, partitions: usize) -> Vec<i64> {
    let mut random = JavaRandom::new(seed);
    (0..partitions).map(|_| random.long()).collect()
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
                    let drawn = random.double();
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
