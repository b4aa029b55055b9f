//! Watermarks per stateful operator: Spark's WatermarkPropagator.

use std::collections::BTreeMap;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::exec::ExecRef;

use super::nodes::StatefulNode;

/// Milliseconds; a row whose event time is at or before it is late. The previous batch's watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LateWatermark(pub i64);

/// Milliseconds; state whose event time is at or before it is emitted or removed. This batch's watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvictionWatermark(pub i64);

impl LateWatermark {
    /// The boundary in the unit of event times.
    pub fn micros(self) -> i64 {
        self.0.saturating_mul(1000)
    }
}

impl EvictionWatermark {
    /// The boundary in the unit of event times.
    pub fn micros(self) -> i64 {
        self.0.saturating_mul(1000)
    }
}

/// Gives every stateful operator its input watermark. Lives as long as the query run.
#[derive(Debug)]
pub enum WatermarkPropagator {
    /// spark.sql.streaming.statefulOperator.allowMultiple = true: watermarks travel along the plan
    /// (PropagateWatermarkSimulator). By batch: the origin watermark, and the input watermark by operator.
    Simulate(BTreeMap<i64, Propagated>),
    /// Compatibility mode: one watermark for all, late rows judged by the batch's own (UseSingleWatermarkPropagator).
    Single(BTreeMap<i64, i64>),
    /// Before the query starts (NoOpWatermarkPropagator).
    None,
}

/// Watermarks of one batch, ms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Propagated {
    origin: i64,
    inputs: BTreeMap<usize, Option<i64>>,
}

impl WatermarkPropagator {
    pub fn new(allow_multiple: bool) -> Self {
        if allow_multiple { Self::Simulate(BTreeMap::new()) } else { Self::Single(BTreeMap::new()) }
    }

    /// Works out the input watermarks of `batch` from the query's watermark `origin` (ms). Done once a batch.
    pub fn propagate(&mut self, batch: i64, plan: &ExecRef, origin: i64) -> Result<()> {
        if batch < 0 {
            return Ok(());
        }
        match self {
            Self::None => {}
            Self::Single(watermarks) => {
                watermarks.entry(batch).or_insert(origin);
            }
            Self::Simulate(batches) => {
                if batches.contains_key(&batch) {
                    return Ok(());
                }
                let mut propagated = Propagated { origin, inputs: BTreeMap::new() };
                if origin != 0 {
                    simulate(plan, origin, &mut propagated.inputs)?;
                }
                batches.insert(batch, propagated);
            }
        }
        Ok(())
    }

    fn input(&self, batch: i64, operator: usize) -> i64 {
        match self {
            Self::None => i64::MIN,
            _ if batch < 0 => 0,
            Self::Single(watermarks) => watermarks.get(&batch).copied().unwrap_or(0),
            Self::Simulate(batches) => {
                batches.get(&batch).and_then(|p| p.inputs.get(&operator).copied().flatten()).unwrap_or(0).max(0)
            }
        }
    }

    pub fn late(&self, batch: i64, operator: usize) -> LateWatermark {
        match self {
            Self::Single(_) | Self::None => LateWatermark(self.input(batch, operator)),
            Self::Simulate(_) => LateWatermark(self.input(batch - 1, operator)),
        }
    }

    pub fn eviction(&self, batch: i64, operator: usize) -> EvictionWatermark {
        EvictionWatermark(self.input(batch, operator))
    }

    /// Forgets batches up to `batch`, which will not run again.
    pub fn purge(&mut self, batch: i64) {
        match self {
            Self::None => {}
            Self::Single(watermarks) => watermarks.retain(|id, _| *id > batch),
            Self::Simulate(batches) => batches.retain(|id, _| *id > batch),
        }
    }
}

/// How far the input watermark of each operator of a plan is behind the query's, ms; those that no watermark reaches are
/// left out.
pub(crate) fn behind(plan: &ExecRef, watermark_ms: i64) -> BTreeMap<usize, i64> {
    let mut inputs = BTreeMap::new();
    // Nested withWatermark nodes, the only failure, have failed the batch before.
    let _ = simulate(plan, watermark_ms, &mut inputs);
    inputs.into_iter().filter_map(|(operator, input)| Some((operator, watermark_ms - input?))).collect()
}

/// Post-order walk; the result is the output watermark of `plan`, None where no watermark is defined below.
fn simulate(plan: &ExecRef, origin: i64, inputs: &mut BTreeMap<usize, Option<i64>>) -> Result<Option<i64>> {
    let mut input: Option<i64> = None;
    for child in plan.children() {
        if let Some(watermark) = simulate(child, origin, inputs)? {
            input = Some(input.map_or(watermark, |other| other.min(watermark)));
        }
    }
    match StatefulNode::of(plan) {
        Some(StatefulNode::Watermark) => {
            if input.is_some() {
                return Err(SparkError::new(
                    ErrorClass::Analysis,
                    "_LEGACY_ERROR_TEMP_3076",
                    &[("config", "spark.sql.streaming.statefulOperator.allowMultiple")],
                ));
            }
            Ok(Some(origin))
        }
        Some(StatefulNode::Writer(writer)) => {
            inputs.insert(writer.operator_id(), input);
            Ok(input.and_then(|watermark| writer.output_watermark(watermark)))
        }
        None => Ok(input),
    }
}
