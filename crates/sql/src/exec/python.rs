//! BatchEvalPythonExec: the script's functions over whole batches, results as columns after the child's.

use std::any::Any;
use std::sync::Arc;

use arrow::array::ArrayRef;

use super::batch::{concat_partition, cut_to, make_batch};
use super::bind::{bind_all, eval_all};
use super::python_tables::TABLE_ROWS;
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Metadata, PythonUdf, UdfHost, UdfKind};
use crate::planner::text;
use crate::types::DataType;

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

    fn is_pandas(&self) -> bool {
        self.udfs.iter().any(|udf| udf.kind == UdfKind::Pandas)
    }

    /// PythonEvalType of functions whose values go through Arrow.
    fn eval_type(&self) -> Option<u8> {
        let of = |kind| self.udfs.iter().any(|udf| udf.kind == kind);
        if of(UdfKind::Pandas) {
            Some(200)
        } else if of(UdfKind::Arrow) {
            Some(101)
        } else {
            None
        }
    }

    /// ArrowEvalPythonExec: the columns go over as one table.
    fn call_pandas(&self, host: &dyn UdfHost, udf: &PythonUdf, args: Vec<ArrayRef>, rows: usize) -> Result<ArrayRef> {
        let column = |data_type: &DataType| {
            Arc::new(Attribute {
                id: ExprId(0),
                name: "_0".into(),
                data_type: data_type.clone(),
                nullable: true,
                qualifier: Vec::new(),
                metadata: Metadata::default(),
            })
        };
        let names: Vec<_> = udf.args.iter().map(|arg| column(&arg.data_type())).collect();
        let made = host.call_tables(udf.handle, &[make_batch(&names, args, rows)?], &[column(&udf.data_type)])?;
        match made.as_slice() {
            [one] if one.num_rows() == rows => Ok(Arc::clone(one.column(0))),
            _ => Err(SparkError::internal("a pandas function gave another number of rows")),
        }
    }
}

impl ExecNode for PythonExec {
    fn name(&self) -> String {
        if self.eval_type().is_some() { "ArrowEvalPython".into() } else { "BatchEvalPython".into() }
    }
    fn arguments(&self) -> String {
        let calls = self.udfs.iter().zip(&self.results).map(|(udf, result)| {
            let call = Expr::PythonUdf(Box::new(udf.clone()));
            text::attribute(&Attribute { name: text::expression(&call).into(), ..(**result).clone() })
        });
        let eval_type = self.eval_type().map_or_else(String::new, |number| format!(", {number}"));
        let calls: Vec<String> = calls.collect();
        format!("[{}], {}{eval_type}", calls.join(", "), text::attributes(&self.results))
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
            // A pandas function gets as many rows at once as Arrow's batches have.
            let partition = match self.is_pandas() {
                true => cut_to(&concat_partition(self.child.output(), &partition)?, TABLE_ROWS),
                false => partition,
            };
            for batch in partition {
                let eval = ctx.eval(index, base);
                base += batch.num_rows() as i64;
                let mut columns = batch.columns().to_vec();
                for (udf, args) in self.udfs.iter().zip(&self.bound) {
                    let args = eval_all(args, &batch, &eval)?;
                    columns.push(match udf.kind {
                        UdfKind::Pandas => self.call_pandas(&*host, udf, args, batch.num_rows())?,
                        _ => host.call_scalar(udf, &args, batch.num_rows())?,
                    });
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
