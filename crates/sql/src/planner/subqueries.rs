//! Scalar subqueries: run once when the plan is made, their value a literal (PlanSubqueries, ScalarSubquery.updateResult).

use super::Planner;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::row_count;
use crate::expr::Expr;
use crate::plan::LogicalPlan;
use crate::value::{Value, value_at};

impl Planner<'_> {
    /// The expressions with their subqueries run.
    pub(super) fn scalar_subqueries(&self, list: Vec<Expr>) -> Result<Vec<Expr>> {
        if !list.iter().any(Expr::has_subquery) {
            return Ok(list);
        }
        list.into_iter()
            .map(|e| {
                e.try_transform_up(&mut |x| match x {
                    Expr::ScalarSubquery(plan) => self.scalar(&plan),
                    Expr::Exists { plan, negated } => {
                        let rows = self.rows(&plan)?;
                        Ok(Expr::bool((rows.iter().map(|p| row_count(p)).sum::<usize>() > 0) != negated))
                    }
                    other => Ok(other),
                })
            })
            .collect()
    }

    fn rows(&self, plan: &std::sync::Arc<LogicalPlan>) -> Result<Vec<crate::exec::Partition>> {
        let optimized = crate::optimizer::optimize(self.ctx, plan)?;
        self.plan(&optimized)?.execute(self.ctx)
    }

    fn scalar(&self, plan: &std::sync::Arc<LogicalPlan>) -> Result<Expr> {
        let data_type = Expr::ScalarSubquery(plan.clone()).data_type();
        let mut found: Option<Value> = None;
        for batch in self.rows(plan)?.into_iter().flatten() {
            for row in 0..batch.num_rows() {
                if found.is_some() {
                    return Err(SparkError::new(
                        ErrorClass::Java("org.apache.spark.SparkException"),
                        "SCALAR_SUBQUERY_TOO_MANY_ROWS",
                        &[],
                    ));
                }
                let column = batch.column(0);
                found = Some(if column.is_null(row) { Value::Null } else { value_at(column, row, &data_type) });
            }
        }
        Ok(Expr::literal(found.unwrap_or(Value::Null), data_type))
    }
}
