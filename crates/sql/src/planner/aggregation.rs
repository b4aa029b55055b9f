//! The Aggregation strategy: partial stage, exchange by the grouping columns, final stage.

use super::Planner;
use crate::error::Result;
use crate::exec::ExecRef;
use crate::exec::aggregate::plan_aggregate_pieces;
use crate::expr::Expr;
use crate::plan::PlanRef;

impl Planner<'_> {
    pub(super) fn plan_aggregate(&self, grouping: &[Expr], list: &[Expr], child: &PlanRef) -> Result<ExecRef> {
        let child = self.plan_child(child)?;
        let pieces = plan_aggregate_pieces(grouping, list)?;
        let partial = pieces.partial(child)?;
        let keys: Vec<Expr> = pieces.grouping_attributes.iter().cloned().map(Expr::Attribute).collect();
        pieces.finish(self.clustered(&keys, partial)?)
    }
}
