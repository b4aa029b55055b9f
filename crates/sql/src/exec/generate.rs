//! GenerateExec: a generator's rows beside the row that they came from.

use std::any::Any;
use std::sync::Arc;

use arrow::array::UInt32Array;

use super::batch::{concat_partition, cut, make_batch, take_rows};
use super::bind::{bind_all, eval_all};
use super::{ExecContext, ExecNode, ExecRef, Partition, Partitioning};
use crate::error::Result;
use crate::expr::{Attribute, Expr, GeneratorCall};
use crate::planner::text;

#[derive(Debug)]
pub struct GenerateExec {
    pub generator: GeneratorCall,
    bound: Vec<Expr>,
    pub outer: bool,
    /// The child's columns that come along (requiredChildOutput).
    pub kept: Vec<Arc<Attribute>>,
    pub generated: Vec<Arc<Attribute>>,
    output: Vec<Arc<Attribute>>,
    pub child: ExecRef,
}

impl GenerateExec {
    pub fn new(
        generator: GeneratorCall,
        outer: bool,
        kept: Vec<Arc<Attribute>>,
        generated: Vec<Arc<Attribute>>,
        child: ExecRef,
    ) -> Result<Self> {
        let bound = bind_all(&generator.args, child.output())?;
        let output = kept.iter().chain(&generated).cloned().collect();
        Ok(Self { generator, bound, outer, kept, generated, output, child })
    }
}

impl ExecNode for GenerateExec {
    fn name(&self) -> String {
        "Generate".into()
    }
    fn arguments(&self) -> String {
        let call = text::expression(&Expr::Generator(Box::new(self.generator.clone())));
        let kept = if self.kept.is_empty() { String::new() } else { format!("{}, ", text::attributes(&self.kept)) };
        format!("{call}, {kept}{}, {}", self.outer, text::attributes(&self.generated))
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        vec![&self.child]
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let place = |kept: &Arc<Attribute>| self.child.output().iter().position(|a| a.id == kept.id);
        let places: Vec<usize> = self.kept.iter().filter_map(place).collect();
        let mut all = Vec::new();
        for (index, partition) in self.child.execute(ctx)?.into_iter().enumerate() {
            let mut out = Vec::new();
            let mut base = 0;
            let partition = match self.generator.function.whole_partitions() && partition.len() > 1 {
                true => vec![concat_partition(self.child.output(), &partition)?],
                false => partition,
            };
            for batch in partition {
                let eval = ctx.eval(index, base);
                base += batch.num_rows() as i64;
                let args = eval_all(&self.bound, &batch, &eval)?;
                let (rows, columns) = self.generator.function.generate(&args, batch.num_rows(), self.outer, &eval)?;
                let count = rows.len();
                let taken = take_rows(&batch.project(&places)?, &UInt32Array::from(rows))?;
                let mut joined = taken.columns().to_vec();
                joined.extend(columns);
                out.extend(cut(&make_batch(&self.output, joined, count)?));
            }
            all.push(out);
        }
        Ok(all)
    }
    fn partitioning(&self) -> Partitioning {
        let kept = |column| self.kept.iter().any(|a| a.id == column).then_some(column);
        self.child.partitioning().renamed(&kept)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
