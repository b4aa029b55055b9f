//! WITH RECURSIVE: the anchor's rows, then the step over the rows of the round before, until a round gives none.
//!
//! Spark runs the rounds when the query runs; here they run when it is analysed, which a script cannot tell apart.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use super::coercion::same_type;
use super::{Analyzer, COLUMN_ALIASES};
use crate::error::{Result, SparkError};
use crate::exec::batch::make_batch;
use crate::expr::{Attribute, Expr, ExprId};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};

/// spark.sql.cteRecursionLevelLimit.
const LEVELS: usize = 100;

fn relation(columns: &[Arc<Attribute>], batches: &[RecordBatch]) -> PlanRef {
    let output =
        columns.iter().map(|column| Arc::new(Attribute { id: ExprId::fresh(), ..(**column).clone() })).collect();
    Arc::new(LogicalPlan::LocalRelation(LocalRelation {
        output,
        partitions: Arc::new(vec![batches.to_vec()]),
        from_rdd: false,
    }))
}

impl Analyzer<'_> {
    pub(super) fn recursive_cte(&mut self, name: &str, query: &PlanRef) -> Result<PlanRef> {
        let (names, body) = match &**query {
            LogicalPlan::Project { list, child } => match list.as_slice() {
                [Expr::UnresolvedFunction(call)] if call.name == COLUMN_ALIASES => (list.clone(), child.clone()),
                _ => (Vec::new(), query.clone()),
            },
            _ => (Vec::new(), query.clone()),
        };
        let body = match &*body {
            LogicalPlan::Hint { name, child, .. } if name == super::PLACED => child.clone(),
            _ => body,
        };
        let (anchor, step) = match &*body {
            LogicalPlan::Union { children, .. } => match children.as_slice() {
                [anchor, step] => (anchor.clone(), step.clone()),
                _ => return self.plan(query),
            },
            // Without UNION ALL there is nothing to repeat.
            _ => return self.plan(query),
        };
        let mut start = self.plan(&anchor)?;
        if !names.is_empty() {
            start = self.node(LogicalPlan::Project { list: names, child: start })?;
        }
        // Later rounds may bring nulls: the columns allow them from the start.
        let columns: Vec<Arc<Attribute>> =
            start.output().iter().map(|column| Arc::new(Attribute { nullable: true, ..(**column).clone() })).collect();
        let mut current = crate::dataframe::collect(self.session, &start)?;
        let mut all = current.clone();
        let mut level = 0;
        while current.iter().any(|batch| batch.num_rows() > 0) {
            level += 1;
            if level > LEVELS {
                return Err(SparkError::analysis(
                    "RECURSION_LEVEL_LIMIT_EXCEEDED",
                    &[("levelLimit", &LEVELS.to_string())],
                ));
            }
            self.ctes.push((name.to_owned(), relation(&columns, &current)));
            let next = self.plan(&step);
            self.ctes.pop();
            let next = self.as_columns(next?, &columns)?;
            current = crate::dataframe::collect(self.session, &next)?
                .iter()
                .map(|batch| make_batch(&columns, batch.columns().to_vec(), batch.num_rows()))
                .collect::<Result<_>>()?;
            all.extend(current.iter().cloned());
        }
        Ok(relation(&columns, &all))
    }

    /// The step's rows in the anchor's types.
    fn as_columns(&mut self, plan: PlanRef, columns: &[Arc<Attribute>]) -> Result<PlanRef> {
        let output = plan.output();
        if output.len() != columns.len() {
            return Err(SparkError::analysis(
                "NUM_COLUMNS_MISMATCH",
                &[
                    ("operator", "UNION"),
                    ("firstNumColumns", &columns.len().to_string()),
                    ("invalidOrdinalNum", "second"),
                    ("invalidNumColumns", &output.len().to_string()),
                ],
            ));
        }
        let list = output
            .into_iter()
            .zip(columns)
            .map(|(column, wanted)| {
                let column = Expr::Attribute(column);
                if same_type(&column.data_type(), &wanted.data_type) {
                    column
                } else {
                    self.implicit_cast(column, &wanted.data_type).alias(&wanted.name)
                }
            })
            .collect();
        self.finish_project(list, &plan)
    }
}
