//! What exchanges have written, where a plan runs more than once.

use std::cell::RefCell;
use std::collections::HashMap;

use super::exchange::{Distribution, ExchangeExec};
use super::{ExecRef, Partition};
use crate::error::Result;

/// The shuffle files of one plan's executions: Spark keeps them, so that what lies below an exchange runs once
/// (ShuffleMapStage).
#[derive(Default)]
pub struct ShuffleFiles {
    /// By exchange: what each map task wrote for each target, or the partitions as they are read.
    maps: RefCell<HashMap<*const ExchangeExec, Vec<Vec<Partition>>>>,
    read: RefCell<HashMap<*const ExchangeExec, Vec<Partition>>>,
}

impl ShuffleFiles {
    /// Forgets everything.
    pub fn clear(&self) {
        self.maps.borrow_mut().clear();
        self.read.borrow_mut().clear();
    }

    pub(super) fn maps(
        &self,
        exchange: &ExchangeExec,
        write: impl FnOnce() -> Result<Vec<Vec<Partition>>>,
    ) -> Result<Vec<Vec<Partition>>> {
        kept(&self.maps, exchange, write)
    }

    pub(super) fn partitions(
        &self,
        exchange: &ExchangeExec,
        write: impl FnOnce() -> Result<Vec<Partition>>,
    ) -> Result<Vec<Partition>> {
        kept(&self.read, exchange, write)
    }
}

fn kept<T: Clone>(
    files: &RefCell<HashMap<*const ExchangeExec, T>>,
    exchange: &ExchangeExec,
    write: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let key = std::ptr::from_ref(exchange);
    if let Some(files) = files.borrow().get(&key) {
        return Ok(files.clone());
    }
    let written = write()?;
    files.borrow_mut().insert(key, written.clone());
    Ok(written)
}

/// What runs once more before the plan does, inner ones first: the inputs of exchanges by ranges, whose bounds are found by
/// sampling (RangePartitioner).
pub fn sampled(plan: &ExecRef) -> Vec<ExecRef> {
    let mut inputs: Vec<ExecRef> = plan.children().into_iter().flat_map(sampled).collect();
    if let Some(exchange) = plan.as_any().downcast_ref::<ExchangeExec>()
        && matches!(exchange.distribution, Distribution::Range { partitions, .. } if partitions > 1)
    {
        inputs.push(exchange.child.clone());
    }
    inputs
}
