//! Pipe operators: `|> WHERE ...` and its like.

use std::sync::Arc;

use super::Parser;
use super::errors::Place;
use super::expressions::call;
use crate::analyzer::{PIPE, STAR_EXCEPT, STAR_SET};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::plan::{LogicalPlan, PlanRef, SetOperation};

/// The feature that a condition of |> AGGREGATE is about.
const UNSUPPORTED: &str = "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE";
const WINDOWS: &str = "window functions; please update the query to move the window functions to a subsequent |> SELECT \
                       operator instead";

/// A step whose expressions the analyzer looks at before it resolves them.
fn checked(step: &str, plan: LogicalPlan) -> PlanRef {
    Arc::new(LogicalPlan::Hint { name: format!("{PIPE}{step}"), parameters: Vec::new(), child: Arc::new(plan) })
}

/// What a step of ORDER BY, SORT BY, LIMIT or OFFSET has at its top.
fn result_clause(plan: &LogicalPlan) -> Option<(&'static str, &PlanRef)> {
    match plan {
        LogicalPlan::Sort { child, global, .. } => Some((if *global { "ORDER BY" } else { "SORT BY" }, child)),
        LogicalPlan::Limit { child, .. } => Some(("LIMIT", child)),
        LogicalPlan::Offset { child, .. } => Some(("OFFSET", child)),
        _ => None,
    }
}

impl Parser<'_> {
    /// One step after `|>`; `start` is the place of the whole query.
    pub(super) fn pipe(&mut self, plan: PlanRef, start: Place) -> Result<PlanRef> {
        if self.word("where") {
            let condition = self.expression()?;
            return Ok(Arc::new(LogicalPlan::Filter { condition, child: plan }));
        }
        if self.word("select") {
            let distinct = self.word("distinct");
            let list = self.separated(&mut Self::named_expression)?;
            let plan: PlanRef = Arc::new(LogicalPlan::Project { list, child: plan });
            return Ok(if distinct { Arc::new(LogicalPlan::Distinct { child: plan }) } else { plan });
        }
        if self.word("extend") {
            let mut list = vec![Expr::UnresolvedStar(Vec::new())];
            list.extend(self.separated(&mut Self::named_expression)?);
            return Ok(checked("EXTEND", LogicalPlan::Project { list, child: plan }));
        }
        if self.word("drop") {
            let mut args = vec![Expr::UnresolvedStar(Vec::new())];
            args.extend(self.separated(&mut |parser| Ok(Expr::UnresolvedAttribute(parser.name_parts()?)))?);
            return Ok(Arc::new(LogicalPlan::Project { list: vec![call(STAR_EXCEPT, args)], child: plan }));
        }
        if self.word("set") {
            let mut args = vec![Expr::UnresolvedStar(Vec::new())];
            let assignments = self.separated(&mut |parser| {
                let place = parser.peek().place;
                let name = parser.name_parts()?;
                parser.expect_symbol("=")?;
                let value = parser.expression()?;
                match name.as_slice() {
                    [name] => Ok(value.alias(name)),
                    _ => {
                        let message = "SQL pipe syntax |> SET operator with multi-part assignment key (only single-part \
                                       keys are allowed)";
                        Err(parser.not_allowed(message, place))
                    }
                }
            })?;
            args.extend(assignments);
            return Ok(checked("SET", LogicalPlan::Project { list: vec![call(STAR_SET, args)], child: plan }));
        }
        if self.word("as") {
            let name = self.identifier()?;
            return Ok(Arc::new(LogicalPlan::SubqueryAlias { name, child: plan }));
        }
        if self.is_word("pivot") && self.peek_at(1).text == "(" {
            return self.pivot(plan);
        }
        if self.is_word("unpivot") {
            return self.unpivot(plan);
        }
        if self.is_word("tablesample") {
            return self.sampled(plan);
        }
        let place = self.peek().place;
        if self.is_word("window") {
            let condition = "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS";
            return Err(self.parse_error(condition, &[("clauses", "the WINDOW clause")], place));
        }
        if self.word("aggregate") {
            return self.pipe_aggregate(plan, start);
        }
        if self.is_word("union") || self.is_word("except") || self.is_word("intersect") || self.is_word("minus") {
            let word = self.next().text.to_lowercase();
            let all = self.word("all");
            if !all {
                self.word("distinct");
            }
            let right = self.query_primary()?;
            return Ok(match word.as_str() {
                "union" => {
                    let plan: PlanRef = Arc::new(LogicalPlan::Union {
                        children: vec![plan, right],
                        by_name: false,
                        allow_missing: false,
                    });
                    if all { plan } else { Arc::new(LogicalPlan::Distinct { child: plan }) }
                }
                "intersect" => {
                    Arc::new(LogicalPlan::SetOperation { kind: SetOperation::Intersect, all, left: plan, right })
                }
                _ => Arc::new(LogicalPlan::SetOperation { kind: SetOperation::Except, all, left: plan, right }),
            });
        }
        if self.is_word("order") || self.is_word("limit") || self.is_word("sort") || self.is_word("offset") {
            let organised = self.organised(plan.clone())?;
            let mut clauses = Vec::new();
            let mut step = &organised;
            while !Arc::ptr_eq(step, &plan)
                && let Some((clause, below)) = result_clause(step)
            {
                clauses.push(clause);
                step = below;
            }
            // LIMIT and OFFSET go together.
            if let [second, .., first] = clauses.as_slice()
                && (*second, *first) != ("LIMIT", "OFFSET")
            {
                let condition = "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS";
                return Err(self.parse_error(condition, &[("clause1", *first), ("clause2", *second)], place));
            }
            return Ok(organised);
        }
        if let Some(joined) = self.join_after(plan)? {
            return Ok(joined);
        }
        Err(self.unexpected())
    }

    /// After |> AGGREGATE.
    fn pipe_aggregate(&mut self, plan: PlanRef, start: Place) -> Result<PlanRef> {
        let ends = self.ends_item(0) || self.is_word("group") && self.word_at(1, "by");
        let mut list = if ends { Vec::new() } else { self.separated(&mut Self::named_expression)? };
        let mut grouping = Vec::new();
        if self.words(&["group", "by"]) {
            if self.is_word("all") && self.ends_item(1) {
                self.next();
                return Err(self.parse_error(UNSUPPORTED, &[("case", "GROUP BY ALL")], start));
            }
            if self.is_word("grouping") && self.word_at(1, "sets") {
                self.group_by()?;
                return Err(self.parse_error(UNSUPPORTED, &[("case", "GROUPING SETS")], start));
            }
            grouping = self.separated(&mut Self::named_expression)?;
        } else if list.is_empty() {
            let message = "The AGGREGATE clause requires a list of aggregate expressions or a list of grouping \
                           expressions, or both";
            return Err(self.not_allowed(message, start));
        }
        let windowed = |expr: &Expr| matches!(expr, Expr::UnresolvedFunction(call) if call.over.is_some());
        if list.iter().any(|expr| expr.any(&windowed)) {
            return Err(self.parse_error(UNSUPPORTED, &[("case", WINDOWS)], start));
        }
        let mut all = grouping.clone();
        all.append(&mut list);
        Ok(checked("AGGREGATE", LogicalPlan::Aggregate { grouping, list: all, child: plan }))
    }

    /// Operation not allowed.
    fn not_allowed(&self, message: &str, place: Place) -> SparkError {
        let context = self.context(place);
        let error = SparkError::new(ErrorClass::Parse, "_LEGACY_ERROR_TEMP_0035", &[("message", message)]);
        error.with_context(context.summary()).with_place(&context)
    }
}
