//! The stateful physical operators and what plans them.
//!
//! One operator, one file. A micro-batch makes a [`StatefulBatch`] (what the batch may know, and where its operators
//! report), plans with a [`StatefulPlanner`], calls [`StatefulPlanner::prepare`] once on the finished plan and executes it.
//! State is committed inside the execution, partition by partition, as Spark's tasks do. Afterwards [`StatefulBatch`] holds
//! the metrics, the event-time statistics and the answer to whether another batch is needed.

mod aggregate;
mod batch;
mod columns;
mod deduplicate;
mod event_time;
mod frames;
mod group_state;
mod join;
pub(crate) mod judge;
mod lifetime;
mod limit;
pub(crate) mod nodes;
mod page;
pub(crate) mod planner;
mod progress;
mod python;
mod relation;
mod session;
mod stateful;
#[cfg(test)]
mod tests;
pub(crate) mod transform;
pub(crate) mod watermark;

pub use batch::{
    DroppedRow, EventTimeNode, EventTimeStats, OperatorInfo, OutputMode, StatefulBatch, StatefulQuery, StreamingConf,
    WindowState,
};
pub(crate) use frames::FrameProcessors;
pub use nodes::operator_infos;
pub(crate) use nodes::{StateWriter, writers};
pub(crate) use page::state_page;
pub use planner::StatefulPlanner;
pub use progress::OperatorMetrics;
pub use watermark::{EvictionWatermark, LateWatermark, WatermarkPropagator};
