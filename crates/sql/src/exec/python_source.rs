//! BatchScanExec over a data source of the script's: a call for the rows of each partition.

use std::any::Any;
use std::sync::Arc;

use super::python_tables::host;
use super::{ExecContext, ExecNode, ExecRef, Partition};
use crate::error::Result;
use crate::expr::{Attribute, UdfHost};
use crate::plan::PythonScan;
use crate::planner::text;
use crate::python_source::{Loaded, failed, json};

#[derive(Debug)]
pub struct PythonScanExec {
    pub scan: PythonScan,
}

/// Has the reader of a batch made, once; the number of partitions.
fn planned(script: &dyn UdfHost, loaded: &Loaded) -> Result<usize> {
    loaded.ensure_created(script)?;
    let schema = json(&loaded.schema);
    script.ask(loaded.object, "initialize", &[&schema]).map_err(failed("initialize", "reader"))?;
    let count = script.ask(loaded.object, "partitions", &[]).map_err(failed("generate", "read partitions"))?;
    Ok(count.and_then(|text| text.parse().ok()).unwrap_or(0))
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
        let count = planned(&*script, loaded)?;
        (0..count).map(|i| script.read(loaded.object, "read", &[&i.to_string()], output)).collect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
