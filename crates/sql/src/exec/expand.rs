//! ExpandExec: every row once per projection, a row's copies together.

use std::any::Any;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::interleave;

use super::batch::{cut, make_batch};
use super::bind::{bind_all, eval_all};
use super::{ExecContext, ExecNode, ExecRef, Partition};
use crate::error::Result;
use crate::expr::{Attribute, Expr};
use crate::planner::text;

#[derive(Debug)]
pub struct ExpandExec {
    pub projections: Vec<Vec<Expr>>,
    bound: Vec<Vec<Expr>>,
    pub output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl ExpandExec {
    pub fn new(projections: Vec<Vec<Expr>>, output: Vec<Arc<Attribute>>, child: ExecRef) -> Result<Self> {
        let bound = projections.iter().map(|p| bind_all(p, child.output())).collect::<Result<_>>()?;
        Ok(Self { projections, bound, output, child })
    }
}

impl ExecNode for ExpandExec {
    fn name(&self) -> String {
        "Expand".into()
    }
    fn arguments(&self) -> String {
        let lists: Vec<String> = self.projections.iter().map(|p| text::expressions(p)).collect();
        format!("[{}], {}", lists.join(", "), text::attributes(&self.output))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let copies = self.bound.len();
        let mut all = Vec::new();
        for (index, partition) in self.child.execute(ctx)?.into_iter().enumerate() {
            let mut out = Vec::new();
            let mut base = 0;
            for batch in partition {
                let rows = batch.num_rows();
                let eval = ctx.eval(index, base);
                base += rows as i64;
                let sets = self.bound.iter().map(|p| eval_all(p, &batch, &eval)).collect::<Result<Vec<_>>>()?;
                let order: Vec<(usize, usize)> =
                    (0..rows).flat_map(|row| (0..copies).map(move |copy| (copy, row))).collect();
                let columns: Vec<ArrayRef> = (0..self.output.len())
                    .map(|c| {
                        // Copies of one column may differ in type by nulls only: an untyped null takes the column's type.
                        let target = self.output[c].data_type.to_arrow();
                        let pieces: Vec<ArrayRef> = sets
                            .iter()
                            .map(|s| {
                                if *s[c].data_type() == target {
                                    Ok(Arc::clone(&s[c]))
                                } else {
                                    Ok(arrow::compute::cast(&s[c], &target)?)
                                }
                            })
                            .collect::<Result<_>>()?;
                        let refs: Vec<&dyn arrow::array::Array> = pieces.iter().map(|p| &**p).collect();
                        Ok(interleave(&refs, &order)?)
                    })
                    .collect::<Result<_>>()?;
                out.extend(cut(&make_batch(&self.output, columns, rows * copies)?));
            }
            all.push(out);
        }
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
