//! Scans of the script's data sources (DataSourceV2Strategy): filters above the scan, and a projection above them always,
//! for rows of Python come in another form than Spark's.

use std::sync::Arc;

use super::Planner;
use crate::error::Result;
use crate::exec::ExecRef;
use crate::exec::project::ProjectExec;
use crate::exec::python_source::PythonScanExec;
use crate::expr::Expr;
use crate::optimizer::{join_conjuncts, split_conjuncts};
use crate::plan::{ExtensionNode, LogicalPlan, PlanRef, PythonScan};

/// The scan of a source of the script's in a plan's extension node.
pub(super) fn python_scan(node: &Arc<dyn ExtensionNode>) -> Option<&PythonScan> {
    node.as_any().downcast_ref()
}

impl Planner<'_> {
    /// A projection and filters directly over a scan; None: not such a plan.
    pub(super) fn plan_python_scan(&self, plan: &PlanRef) -> Result<Option<ExecRef>> {
        let (list, below) = match &**plan {
            LogicalPlan::Project { list, child } => (Some(list.clone()), child),
            _ => (None, plan),
        };
        let mut filters = Vec::new();
        let mut at = below;
        while let LogicalPlan::Filter { condition, child } = &**at {
            filters.extend(split_conjuncts(condition));
            at = child;
        }
        let LogicalPlan::Extension(node) = &**at else { return Ok(None) };
        let Some(scan) = python_scan(node) else { return Ok(None) };
        let list = list.unwrap_or_else(|| scan.output.iter().cloned().map(Expr::Attribute).collect());
        let scan: ExecRef = Arc::new(PythonScanExec { scan: scan.clone() });
        let filtered = match join_conjuncts(filters) {
            Some(condition) => self.filter(condition, scan)?,
            None => scan,
        };
        let list = self.scalar_subqueries(list)?;
        let (list, child) = self.extract_python(list, filtered)?;
        Ok(Some(Arc::new(ProjectExec::new(list, child)?)))
    }
}
