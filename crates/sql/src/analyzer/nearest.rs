//! Nearest-by joins: the sides told apart, the ranking resolved and checked (CheckAnalysis).

use std::sync::Arc;

use super::dedup::apart;
use super::{Analyzer, Scope, checks};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, quoted_sql};
use crate::plan::{LogicalPlan, NearestByJoin, PlanRef};

impl Analyzer<'_> {
    pub(super) fn nearest_by_join(&mut self, join: &NearestByJoin) -> Result<PlanRef> {
        let right = apart(self.session, &join.left, &join.right);
        let ranking = self.expr(join.ranking.clone(), &Scope::of(&[join.left.clone(), right.clone()]))?;
        let join = NearestByJoin { left: join.left.clone(), right, how: join.how, ranking };
        let plan = LogicalPlan::Extension(Arc::new(join.clone()));
        checks::inputs_present(self, &plan)?;
        if !self.conf.bool("spark.sql.crossJoin.enabled") {
            return Err(self.failed(SparkError::analysis("NEAREST_BY_JOIN.CROSS_JOIN_NOT_ENABLED", &[]), plan));
        }
        match refusal(&join, &plan) {
            Some(error) => Err(self.failed(error, plan)),
            None => Ok(Arc::new(plan)),
        }
    }
}

fn refusal(join: &NearestByJoin, plan: &LogicalPlan) -> Option<SparkError> {
    let ranking = &join.ranking;
    if plan.is_streaming() {
        return Some(SparkError::analysis("NEAREST_BY_JOIN.STREAMING_NOT_SUPPORTED", &[]));
    }
    if !ranking.data_type().is_orderable() {
        return Some(SparkError::analysis(
            "NEAREST_BY_JOIN.NON_ORDERABLE_RANKING_EXPRESSION",
            &[("expression", &quoted_sql(ranking)), ("type", &ranking.data_type().quoted_sql())],
        ));
    }
    ranking.any(&|e| matches!(e, Expr::Aggregate(_) | Expr::Window(_) | Expr::Generator(_))).then(|| {
        SparkError::analysis(
            "UNSUPPORTED_EXPR_FOR_OPERATOR",
            &[("operator", "NearestByJoin"), ("invalidExprSqls", &quoted_sql(ranking))],
        )
    })
}
