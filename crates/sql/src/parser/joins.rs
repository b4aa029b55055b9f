//! JOIN clauses.

use std::sync::Arc;

use super::Parser;
use crate::error::Result;
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

impl Parser<'_> {
    /// The next join of a relation; None when there is none.
    pub(super) fn join_after(&mut self, left: PlanRef) -> Result<Option<PlanRef>> {
        let place = self.peek().place;
        let natural = self.is_word("natural");
        let start = self.at;
        if natural {
            self.next();
        }
        let kind = if self.words(&["inner", "join"]) || self.words(&["join"]) {
            JoinKind::Inner
        } else if self.words(&["cross", "join"]) {
            JoinKind::Cross
        } else if self.words(&["left", "outer", "join"]) || self.words(&["left", "join"]) {
            JoinKind::LeftOuter
        } else if self.words(&["right", "outer", "join"]) || self.words(&["right", "join"]) {
            JoinKind::RightOuter
        } else if self.words(&["full", "outer", "join"]) || self.words(&["full", "join"]) {
            JoinKind::FullOuter
        } else if self.words(&["left", "semi", "join"]) || self.words(&["semi", "join"]) {
            JoinKind::LeftSemi
        } else if self.words(&["left", "anti", "join"]) || self.words(&["anti", "join"]) {
            JoinKind::LeftAnti
        } else {
            self.at = start;
            return Ok(None);
        };
        if self.is_word("lateral") && kind == JoinKind::LeftOuter && self.peek_at(1).text != "(" {
            // With a condition it is a left join of what the function gives; without one the kind is lost, as in Spark.
            let start = self.at;
            let right = self.lateral(Arc::new(LogicalPlan::OneRow), JoinKind::Inner)?;
            if self.word("on") {
                let joined = super::relations::lateral_join(left, right, kind);
                let condition = JoinCondition::On(self.expression()?);
                return Ok(Some(match &*joined {
                    LogicalPlan::Join(join) => Arc::new(LogicalPlan::Join(Join { condition, ..join.clone() })),
                    _ => joined,
                }));
            }
            self.at = start;
        }
        if self.is_word("lateral") {
            let joined = self.lateral(left, kind)?;
            return Ok(Some(match (&*joined, self.word("on")) {
                (LogicalPlan::Join(join), true) => {
                    let on = self.expression()?;
                    Arc::new(LogicalPlan::Join(Join { condition: JoinCondition::On(on), ..join.clone() }))
                }
                (_, true) => {
                    let condition = self.expression()?;
                    Arc::new(LogicalPlan::Filter { condition, child: joined })
                }
                _ => joined,
            }));
        }
        let right = self.relation_primary()?;
        let condition = if natural {
            JoinCondition::Natural
        } else if self.word("on") {
            JoinCondition::On(self.expression()?)
        } else if self.word("using") {
            JoinCondition::Using(self.column_names()?)
        } else {
            JoinCondition::None
        };
        Ok(Some(self.placed_plan(LogicalPlan::Join(Join { left, right, kind, condition }), place)))
    }
}
