//! Scans of the script's data sources (DataSourceV2Strategy): filters above the scan, and a projection above them always,
//! for rows of Python come in another form than Spark's.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Planner;
use super::python_filters::described;
use crate::error::Result;
use crate::exec::ExecRef;
use crate::exec::project::ProjectExec;
use crate::exec::python_source::PythonScanExec;
use crate::exec::python_tables::host;
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
        self.push_filters(scan, &mut filters)?;
        let scan: ExecRef = Arc::new(PythonScanExec { scan: scan.clone() });
        let filtered = match join_conjuncts(filters) {
            Some(condition) => self.filter(condition, scan)?,
            None => scan,
        };
        let list = self.scalar_subqueries(list)?;
        let (list, child) = self.extract_python(list, filtered)?;
        Ok(Some(Arc::new(ProjectExec::new(list, child)?)))
    }

    /// Takes away the filters that the source takes over, where that is switched on.
    fn push_filters(&self, scan: &PythonScan, filters: &mut Vec<Expr>) -> Result<()> {
        if !self.ctx.conf.bool("spark.sql.python.filterPushdown.enabled") {
            return Ok(());
        }
        let able = |filter: &Expr| if filter.deterministic() { described(filter) } else { None };
        let (asked, told): (Vec<usize>, Vec<Json>) =
            filters.iter().enumerate().filter_map(|(i, filter)| Some((i, able(filter)?))).unzip();
        if told.is_empty() {
            return Ok(());
        }
        let script = host(self.ctx)?;
        let taken = scan.loaded.push(&*script, &Json::Array(told).to_string())?;
        let mut number = 0;
        filters.retain(|_| {
            let kept = asked.iter().position(|i| *i == number).is_none_or(|place| !taken.contains(&place));
            number += 1;
            kept
        });
        Ok(())
    }
}
