//! Scans: local rows, and files with the projections and filters above them (FileSourceStrategy's ScanOperation).

use std::sync::Arc;

use super::Planner;
use crate::error::{Result, SparkError};
use crate::exec::ExecRef;
use crate::exec::leaf::LocalScanExec;
use crate::expr::{Attribute, ExprId};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};

impl Planner<'_> {
    fn local_scan(&self, relation: &LocalRelation, output: Vec<Arc<Attribute>>, source: Option<ExprId>) -> ExecRef {
        Arc::new(LocalScanExec {
            ordinals: (0..output.len()).collect(),
            output,
            partitions: Arc::clone(&relation.partitions),
            from_rdd: relation.from_rdd,
            source,
        })
    }

    pub(super) fn plan_scan(&self, plan: &PlanRef) -> Result<ExecRef> {
        match &**plan {
            LogicalPlan::LocalRelation(relation) => Ok(self.local_scan(relation, relation.output.clone(), None)),
            LogicalPlan::StreamingBatch { source, data, output } => match &**data {
                LogicalPlan::LocalRelation(relation) => Ok(self.local_scan(relation, output.clone(), Some(*source))),
                _ => Err(SparkError::not_yet("Execution of this source's batches")),
            },
            _ => Err(SparkError::not_yet("Execution of file scans")),
        }
    }

    /// Projections and filters directly over a file scan become part of it; None: not such a plan.
    pub(super) fn plan_scan_operation(&self, _plan: &PlanRef) -> Result<Option<ExecRef>> {
        Ok(None)
    }
}
