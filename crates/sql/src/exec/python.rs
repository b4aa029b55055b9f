//! BatchEvalPythonExec: the script's functions over whole batches, results as columns after the child's.

use std::any::Any;
use std::sync::Arc;

use super::batch::make_batch;
use super::bind::{bind_all, eval_all};
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, PythonUdf};
use crate::planner::text;

#[derive(Debug)]
pub struct PythonExec {
    pub udfs: Vec<PythonUdf>,
    bound: Vec<Vec<Expr>>,
    pub results: Vec<Arc<Attribute>>,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl PythonExec {
    pub fn new(udfs: Vec<PythonUdf>, results: Vec<Arc<Attribute>>, child: ExecRef) -> Result<Self> {
        let bound = udfs.iter().map(|u| bind_all(&u.args, child.output())).collect::<Result<_>>()?;
        let output = child.output().iter().chain(&results).cloned().collect();
        Ok(Self { udfs, bound, results, output, child })
    }
}

impl ExecNode for PythonExec {
    fn name(&self) -> String {
        "BatchEvalPython".into()
    }
    fn arguments(&self) -> String {
        let list: Vec<Expr> = self.udfs.iter().cloned().map(|u| Expr::PythonUdf(Box::new(u))).collect();
        format!("{}, {}", text::expressions(&list), text::attributes(&self.results))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let Some(host) = ctx.udfs.clone() else {
            return Err(SparkError::internal("no Python to call functions of"));
        };
        let mut all = Vec::new();
        for (index, partition) in self.child.execute(ctx)?.into_iter().enumerate() {
            let mut out = Vec::new();
            let mut base = 0;
            for batch in partition {
                let eval = ctx.eval(index, base);
                base += batch.num_rows() as i64;
                let mut columns = batch.columns().to_vec();
                for (udf, args) in self.udfs.iter().zip(&self.bound) {
                    let args = eval_all(args, &batch, &eval)?;
                    columns.push(host.call_scalar(udf, &args, batch.num_rows())?);
                }
                out.push(make_batch(&self.output, columns, batch.num_rows())?);
            }
            all.push(out);
        }
        Ok(all)
    }
    fn partitioning(&self) -> Partitioning {
        self.child.partitioning()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
