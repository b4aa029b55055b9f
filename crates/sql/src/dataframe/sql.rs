//! SQL text.

use std::sync::Arc;

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;

/// Column.__init__ from SQL text (F.expr).
pub fn parse_expression(session: &SqlSession, text: &str) -> Result<Expr> {
    let _ = (session, text);
    Err(SparkError::not_yet("SQL text"))
}

/// spark.sql(text, args): named or positional parameters are literals. Commands (CREATE VIEW, SET, SHOW ...) run at once.
pub fn sql(session: &SqlSession, text: &str, named: Vec<(String, Expr)>, positional: Vec<Expr>) -> Result<PlanRef> {
    let _ = (session, text, named, positional);
    Err(SparkError::not_yet("SQL text"))
}

/// spark.table and spark.readStream.table.
pub fn table(session: &SqlSession, name: &str, streaming: bool) -> Result<PlanRef> {
    let parts = super::parse_attribute_name(name)?;
    crate::analyzer::analyze(session, &Arc::new(LogicalPlan::UnresolvedRelation { parts, streaming }))
}
