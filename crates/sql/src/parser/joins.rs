//! JOIN clauses.

use std::sync::Arc;

use super::Parser;
use super::errors::Place;
use super::tokens::Kind;
use crate::error::{ErrorClass, Result, SparkError};
use crate::plan::{
    Join, JoinCondition, JoinKind, LogicalPlan, NearestBy, NearestByJoin, NearestDirection, PlanRef, nearest_count,
    unsupported_kind,
};

impl Parser<'_> {
    /// Whether APPROX NEAREST or EXACT NEAREST stands here.
    pub(super) fn nearest_follows(&self) -> bool {
        (self.is_word("approx") || self.is_word("exact")) && self.word_at(1, "nearest")
    }

    /// `APPROX NEAREST 2 BY DISTANCE expression`, after the right side of a join.
    fn nearest_by(
        &mut self,
        left: PlanRef,
        right: PlanRef,
        (kind, written): (JoinKind, &str),
        place: Place,
    ) -> Result<PlanRef> {
        let approx = self.word("approx");
        if !approx {
            self.expect_word("exact")?;
        }
        self.expect_word("nearest")?;
        let digits = if self.is_word("by") { "1".to_owned() } else { self.digits()? };
        self.expect_word("by")?;
        let direction = if self.word("distance") {
            NearestDirection::Distance
        } else if self.word("similarity") {
            NearestDirection::Similarity
        } else {
            return Err(self.unexpected_with(": missing {'DISTANCE', 'SIMILARITY'}"));
        };
        let ranking = self.expression()?;
        let outer = match kind {
            JoinKind::Inner => false,
            JoinKind::LeftOuter => true,
            _ => return Err(self.as_parse_error(unsupported_kind(written), place)),
        };
        let results = nearest_count(&digits).map_err(|error| self.as_parse_error(error, place))?;
        let how = NearestBy { outer, approx, results, direction };
        let plan = LogicalPlan::Extension(Arc::new(NearestByJoin { left, right, how, ranking }));
        Ok(self.placed_plan(plan, place))
    }

    fn digits(&mut self) -> Result<String> {
        if self.peek().kind == Kind::Number { Ok(self.next().text) } else { Err(self.unexpected()) }
    }

    /// An error of what was read since `place`, as a ParseException.
    fn as_parse_error(&self, error: SparkError, place: Place) -> SparkError {
        let context = self.context(place);
        SparkError { class: ErrorClass::Parse, ..error }.with_context(context.summary()).with_place(&context)
    }

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
            if self.nearest_follows() {
                let condition = "UNSUPPORTED_FEATURE.LATERAL_JOIN_NEAREST_BY";
                self.nearest_by(joined.clone(), joined, (JoinKind::Inner, ""), place)?;
                return Err(self.parse_error(condition, &[], place));
            }
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
        let written = self.tokens[start..self.at].iter().map(|token| token.text.to_uppercase()).collect::<Vec<_>>();
        let right = self.relation_primary()?;
        if !natural && self.nearest_follows() {
            let written = written.split_last().map_or(String::new(), |(_, words)| words.join(" "));
            let join = self.nearest_by(left, right, (kind, &written), place)?;
            return Ok(Some(join));
        }
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
