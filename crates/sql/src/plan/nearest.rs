//! The nearest-by join: for each row of the left side the best rows of the right side by a ranking.

use std::sync::Arc;

use super::{ExtensionNode, JoinKind, PlanRef};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr};

/// Most rows that a left row may be joined to (NearestByJoin.MaxNumResults).
const MOST_RESULTS: i64 = 100_000;

/// Which values of the ranking are the best ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearestDirection {
    /// The smallest.
    Distance,
    /// The largest.
    Similarity,
}

/// How a nearest-by join is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestBy {
    /// LEFT OUTER, not INNER.
    pub outer: bool,
    pub approx: bool,
    /// Rows for each left row, at most.
    pub results: i32,
    pub direction: NearestDirection,
}

impl NearestBy {
    /// From the words of DataFrame.nearestByJoin, in any case.
    ///
    /// # Errors
    /// NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE, .UNSUPPORTED_MODE, .UNSUPPORTED_DIRECTION, .NUM_RESULTS_OUT_OF_RANGE.
    pub fn parse(kind: &str, mode: &str, direction: &str, results: i64) -> Result<Self> {
        let outer = match kind.to_lowercase().replace('_', "").as_str() {
            "inner" => false,
            "left" | "leftouter" => true,
            _ => return Err(unsupported_kind(kind)),
        };
        let unknown = |what: &str, name: &str, given: &str, supported: &str| {
            let condition = format!("NEAREST_BY_JOIN.UNSUPPORTED_{what}");
            Err(SparkError::analysis(&condition, &[(name, given), ("supported", supported)]))
        };
        let approx = match mode.to_lowercase().as_str() {
            "approx" => true,
            "exact" => false,
            _ => return unknown("MODE", "mode", mode, "'approx', 'exact'"),
        };
        let direction = match direction.to_lowercase().as_str() {
            "distance" => NearestDirection::Distance,
            "similarity" => NearestDirection::Similarity,
            _ => return unknown("DIRECTION", "direction", direction, "'distance', 'similarity'"),
        };
        let results = count(&results.to_string())?;
        Ok(Self { outer, approx, results, direction })
    }
}

/// NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE, with the kind of join as it was written.
pub(crate) fn unsupported_kind(kind: &str) -> SparkError {
    let condition = "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE";
    SparkError::analysis(condition, &[("joinType", kind), ("supported", "'INNER', 'LEFT OUTER'")])
}

/// The number of results, from its digits.
///
/// # Errors
/// NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE
pub(crate) fn count(digits: &str) -> Result<i32> {
    match digits.parse::<i64>() {
        Ok(results @ 1..=MOST_RESULTS) => Ok(i32::try_from(results).unwrap_or(i32::MAX)),
        _ => Err(SparkError::analysis(
            "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
            &[("numResults", digits), ("min", "1"), ("max", &MOST_RESULTS.to_string())],
        )),
    }
}

/// NearestByJoin of Catalyst; the optimizer writes it as an aggregation over a cross join.
#[derive(Clone, Debug)]
pub struct NearestByJoin {
    pub left: PlanRef,
    pub right: PlanRef,
    pub how: NearestBy,
    pub ranking: Expr,
}

impl NearestByJoin {
    /// The right side's columns, null where a left row has no partner.
    pub fn right_output(&self) -> Vec<Arc<Attribute>> {
        let nullable = |column: &Arc<Attribute>| Arc::new(Attribute { nullable: true, ..(**column).clone() });
        self.right.output().iter().map(nullable).collect()
    }

    pub fn kind(&self) -> JoinKind {
        if self.how.outer { JoinKind::LeftOuter } else { JoinKind::Inner }
    }
}

impl ExtensionNode for NearestByJoin {
    fn name(&self) -> String {
        let NearestBy { outer, approx, results, direction } = self.how;
        let kind = if outer { "LeftOuter" } else { "Inner" };
        let ranking = crate::explain::lone(&self.ranking);
        format!("NearestByJoin {kind}, {approx}, {results}, {ranking}, NearestBy{direction:?}")
    }

    fn children(&self) -> Vec<PlanRef> {
        vec![self.left.clone(), self.right.clone()]
    }

    fn output(&self) -> Vec<Arc<Attribute>> {
        self.left.output().into_iter().chain(self.right_output()).collect()
    }

    fn expressions(&self) -> Vec<Expr> {
        vec![self.ranking.clone()]
    }

    fn rebuild(&self, children: Vec<PlanRef>, expressions: Vec<Expr>) -> Arc<dyn ExtensionNode> {
        let mut rebuilt = self.clone();
        if let Ok([left, right]) = <[PlanRef; 2]>::try_from(children) {
            (rebuilt.left, rebuilt.right) = (left, right);
        }
        rebuilt.ranking = expressions.into_iter().next().unwrap_or(rebuilt.ranking);
        Arc::new(rebuilt)
    }

    /// All columns are the children's.
    fn with_output(&self, _output: Vec<Arc<Attribute>>) -> Arc<dyn ExtensionNode> {
        Arc::new(self.clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
