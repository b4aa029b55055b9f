//! The query's watermark over its batches (Spark's WatermarkTracker).

use crate::operators::EventTimeNode;

/// spark.sql.streaming.multipleWatermarkPolicy
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatermarkPolicy {
    Min,
    Max,
}

impl WatermarkPolicy {
    pub(crate) fn parse(text: &str) -> Self {
        if text.eq_ignore_ascii_case("max") { Self::Max } else { Self::Min }
    }
}

/// The highest watermark of each withWatermark of the plan, and the one that the policy makes of them.
#[derive(Clone, Debug)]
pub(crate) struct WatermarkTracker {
    policy: WatermarkPolicy,
    /// By position in the plan; None: no event time has passed yet. ms
    nodes: Vec<Option<i64>>,
    current_ms: i64,
}

impl WatermarkTracker {
    /// `nodes`: number of withWatermark nodes in the logical plan.
    pub(crate) fn new(policy: WatermarkPolicy, nodes: usize) -> Self {
        Self { policy, nodes: vec![None; nodes], current_ms: 0 }
    }

    /// Number of withWatermark nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The highest watermark of each withWatermark of the plan, ms; None: no event time has passed yet.
    pub(crate) fn marks(&self) -> &[Option<i64>] {
        &self.nodes
    }

    /// Whether the highest of them counts.
    pub(crate) fn takes_highest(&self) -> bool {
        self.policy == WatermarkPolicy::Max
    }

    pub(crate) fn set(&mut self, watermark_ms: i64) {
        self.current_ms = watermark_ms;
    }

    pub(crate) fn current_ms(&self) -> i64 {
        self.current_ms
    }

    /// Takes in what a batch saw. Only the global watermark survives a restart, and it never goes back.
    pub(crate) fn update(&mut self, seen: &[EventTimeNode]) {
        if seen.is_empty() {
            return;
        }
        if self.nodes.len() < seen.len() {
            self.nodes.resize(seen.len(), None);
        }
        for (node, seen) in self.nodes.iter_mut().zip(seen) {
            if seen.stats.count > 0 {
                let watermark = seen.stats.max - seen.delay_ms;
                *node = Some(node.map_or(watermark, |old| old.max(watermark)));
            }
        }
        let values = self.nodes.iter().map(|node| node.unwrap_or(0));
        let chosen = match self.policy {
            WatermarkPolicy::Min => values.min(),
            WatermarkPolicy::Max => values.max(),
        };
        self.current_ms = self.current_ms.max(chosen.unwrap_or(0));
    }
}
