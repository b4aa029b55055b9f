//! BatchScanExec over a data source of the script's: a call for the rows of each partition.

use std::any::Any;
use std::sync::Arc;

use super::python_tables::host;
use super::{ExecContext, ExecNode, ExecRef, Partition};
use crate::error::Result;
use crate::expr::Attribute;
use crate::plan::PythonScan;
use crate::planner::text;

#[derive(Debug)]
pub struct PythonScanExec {
    pub scan: PythonScan,
}

impl ExecNode for PythonScanExec {
    fn name(&self) -> String {
        format!("BatchScan {}", self.scan.loaded.name)
    }
    fn arguments(&self) -> String {
        format!("{} (Python) RuntimeFilters: []", text::attributes(&self.scan.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.scan.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let script = host(ctx)?;
        let PythonScan { loaded, output } = &self.scan;
        let count = loaded.plan(&*script)?;
        (0..count).map(|i| script.read(loaded.object, "read", &[&i.to_string()], output)).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
