//! Queries: WITH, set operations, SELECT and its clauses, ORDER BY, LIMIT, pipes.

use std::sync::Arc;

use super::Parser;
use super::errors::Place;
use super::expressions::{call, strip};
use super::tokens::Kind;
use crate::analyzer::{COLUMN_ALIASES, PLACED, STAR_EXCEPT};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder};
use crate::plan::{LogicalPlan, PlanRef, SetOperation, Spread};
use crate::types::DataType;
use crate::value::Value;

/// GROUP BY of any form.
pub(super) enum GroupBy {
    Plain(Vec<Expr>),
    Sets { by: Vec<Expr>, sets: Vec<Vec<usize>> },
}

/// The column that carries a QUALIFY condition.
pub(crate) const QUALIFY: &str = "$qualify";

impl Parser<'_> {
    /// A query with everything that may stand around its terms.
    pub(super) fn query(&mut self) -> Result<PlanRef> {
        let mut ctes: Vec<(String, PlanRef)> = Vec::new();
        let place = self.peek().place;
        if self.word("with") {
            let mark = if self.word("recursive") { crate::analyzer::RECURSIVE } else { "" };
            ctes = self.separated(&mut |parser| {
                let name = parser.identifier()?;
                let columns = parser.column_names()?;
                let level = if parser.words(&["max", "recursion", "level"]) { Some(parser.level()?) } else { None };
                parser.word("as");
                parser.expect_symbol("(")?;
                let plan = parser.query()?;
                parser.expect_symbol(")")?;
                let mark = match level {
                    Some(level) if !mark.is_empty() => format!("{mark}{level}:"),
                    _ if !mark.is_empty() => format!("{mark}:"),
                    _ => String::new(),
                };
                Ok((format!("{mark}{name}"), renamed(plan, columns)))
            })?;
        }
        let term = self.set_operations()?;
        let mut plan = self.organised(term)?;
        while self.symbol("|>") {
            plan = self.pipe(plan, place)?;
        }
        let name = |at: usize| crate::analyzer::recursive_name(&ctes[at].0).map_or(&*ctes[at].0, |(name, _)| name);
        let mut twice: Vec<String> = (0..ctes.len())
            .filter(|at| (0..*at).any(|before| name(before) == name(*at)))
            .map(|at| crate::analyzer::quoted(name(at)))
            .collect();
        twice.dedup();
        if !twice.is_empty() {
            return Err(self.parse_error("DUPLICATED_CTE_NAMES", &[("duplicateNames", &twice.join(", "))], place));
        }
        if ctes.is_empty() { Ok(plan) } else { Ok(Arc::new(LogicalPlan::With { ctes, child: plan })) }
    }

    /// The number after MAX RECURSION LEVEL.
    fn level(&mut self) -> Result<u32> {
        match self.peek().text.parse() {
            Ok(level) if self.peek().kind == Kind::Number => {
                self.next();
                Ok(level)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// DISTRIBUTE BY (false), CLUSTER BY, which sorts every partition too (true).
    fn distribution(&mut self) -> Option<bool> {
        let sorted = self.words(&["cluster", "by"]);
        (sorted || self.words(&["distribute", "by"])).then_some(sorted)
    }

    /// ORDER BY, SORT BY, LIMIT, OFFSET.
    pub(super) fn organised(&mut self, mut plan: PlanRef) -> Result<PlanRef> {
        loop {
            if self.words(&["order", "by"]) {
                let order = self.sort_items()?;
                plan = Arc::new(LogicalPlan::Sort { order, global: true, child: plan });
            } else if self.words(&["sort", "by"]) {
                let order = self.sort_items()?;
                plan = Arc::new(LogicalPlan::Sort { order, global: false, child: plan });
            } else if let Some(sorted) = self.distribution() {
                let by = self.separated(&mut Self::expression)?;
                let ascending = |child| SortOrder { child, ascending: true, nulls_first: true };
                let order = by.iter().cloned().map(ascending).collect();
                plan = Arc::new(LogicalPlan::Repartition {
                    partitions: None,
                    shuffle: true,
                    by,
                    spread: Spread::Hash,
                    child: plan,
                });
                if sorted {
                    plan = Arc::new(LogicalPlan::Sort { order, global: false, child: plan });
                }
            } else if self.word("limit") {
                if self.word("all") {
                    continue;
                }
                let limit = self.limit_number()?;
                if self.word("offset") {
                    let offset = self.limit_number()?;
                    plan = Arc::new(LogicalPlan::Offset { offset, child: plan });
                }
                plan = Arc::new(LogicalPlan::Limit { limit, child: plan });
            } else if self.word("offset") {
                let offset = self.limit_number()?;
                plan = Arc::new(LogicalPlan::Offset { offset, child: plan });
            } else {
                return Ok(plan);
            }
        }
    }

    fn limit_number(&mut self) -> Result<Expr> {
        let place = self.peek().place;
        let expr = self.expression()?;
        Ok(self.placed(strip(&expr).clone(), place))
    }

    pub(super) fn sort_items(&mut self) -> Result<Vec<SortOrder>> {
        let items = self.separated(&mut Self::sort_item)?;
        items.into_iter().map(|item| Ok(SortOrder { child: self.with_windows(item.child)?, ..item })).collect()
    }

    /// UNION and EXCEPT from left to right, INTERSECT before them.
    fn set_operations(&mut self) -> Result<PlanRef> {
        let place = self.peek().place;
        let mut left = self.intersections()?;
        loop {
            let union = self.is_word("union");
            if !(union || self.is_word("except") || self.is_word("minus")) {
                return Ok(left);
            }
            self.next();
            let all = self.word("all");
            if !all {
                self.word("distinct");
            }
            let right = self.intersections()?;
            left = if union {
                let plan = LogicalPlan::Union { children: vec![left, right], by_name: false, allow_missing: false };
                let plan = self.placed_plan(plan, place);
                if all { plan } else { self.placed_plan(LogicalPlan::Distinct { child: plan }, place) }
            } else {
                let plan = LogicalPlan::SetOperation { kind: SetOperation::Except, all, left, right };
                self.placed_plan(plan, place)
            };
        }
    }

    /// A set operation or a SELECT with its place for error texts.
    pub(super) fn placed_plan(&self, plan: LogicalPlan, place: Place) -> PlanRef {
        let at = self.placed(Expr::bool(true), place);
        Arc::new(LogicalPlan::Hint { name: PLACED.to_owned(), parameters: vec![at], child: Arc::new(plan) })
    }

    fn intersections(&mut self) -> Result<PlanRef> {
        let place = self.peek().place;
        let mut left = self.query_primary()?;
        while self.word("intersect") {
            let all = self.word("all");
            if !all {
                self.word("distinct");
            }
            let right = self.query_primary()?;
            let plan = LogicalPlan::SetOperation { kind: SetOperation::Intersect, all, left, right };
            left = self.placed_plan(plan, place);
        }
        Ok(left)
    }

    pub(super) fn query_primary(&mut self) -> Result<PlanRef> {
        if self.symbol("(") {
            let plan = self.query()?;
            self.expect_symbol(")")?;
            return Ok(plan);
        }
        if self.is_word("select") {
            return self.select_clauses(None);
        }
        if self.word("from") {
            let from = self.relations()?;
            if self.is_word("select") {
                return self.select_clauses(Some(from));
            }
            return Ok(from);
        }
        if self.is_word("values") {
            return self.inline_table();
        }
        if self.word("table") {
            let place = self.peek().place;
            let parts = self.name_parts()?;
            let at = Some(self.origin(place));
            return Ok(Arc::new(LogicalPlan::UnresolvedRelation { parts, streaming: false, at }));
        }
        Err(self.unexpected())
    }

    fn select_clauses(&mut self, given: Option<PlanRef>) -> Result<PlanRef> {
        let place = self.peek().place;
        self.expect_word("select")?;
        let mut hints = Vec::new();
        while self.peek().kind == Kind::Hint {
            hints.push(self.next().text);
        }
        let distinct = !self.ends_name(1) && self.word("distinct");
        if !distinct && !self.ends_name(1) {
            self.word("all");
        }
        let list = self.separated(&mut |parser| {
            if parser.is_word("from")
                && !parser.word_at(1, "from")
                && parser.tokens.get(parser.at.wrapping_sub(1)).is_some_and(|t| t.text == ",")
            {
                let place = parser.peek().place;
                let error = SparkError::analysis("TRAILING_COMMA_IN_SELECT", &[]);
                return Err(error.with_context(format!("; line {} pos {};", place.line, place.position)));
            }
            parser.named_expression()
        })?;
        let mut plan = match given {
            Some(plan) => plan,
            None if self.word("from") => self.relations()?,
            None => Arc::new(LogicalPlan::OneRow),
        };
        while self.is_word("lateral") && self.word_at(1, "view") {
            plan = self.lateral_view(plan)?;
        }
        if self.word("where") {
            let condition = self.expression()?;
            plan = Arc::new(LogicalPlan::Filter { condition, child: plan });
        }
        let group_by = if self.words(&["group", "by"]) { Some(self.group_by()?) } else { None };
        let having = if self.word("having") { Some(self.expression()?) } else { None };
        let outer_windows = std::mem::take(&mut self.windows);
        if self.word("window") {
            let named = self.separated(&mut |parser| {
                let name = parser.identifier()?;
                parser.expect_word("as")?;
                parser.expect_symbol("(")?;
                Ok((name, parser.window_spec()?))
            })?;
            self.windows = named;
        }
        let qualify = if self.word("qualify") { Some(self.expression()?) } else { None };
        let mut list = list.into_iter().map(|item| self.with_windows(item)).collect::<Result<Vec<_>>>()?;
        let qualify = qualify.map(|condition| self.with_windows(condition)).transpose()?;
        let has_windows = !self.windows.is_empty();
        if !has_windows {
            self.windows = outer_windows;
        }
        if let Some(condition) = &qualify {
            let windowed = |expr: &Expr| matches!(expr, Expr::UnresolvedFunction(call) if call.over.is_some());
            if !list.iter().chain([condition]).any(|expr| expr.any(&windowed)) {
                return Err(SparkError::analysis("QUALIFY_REQUIRES_WINDOW_FUNCTION", &[]));
            }
            // Over an aggregation it sees the columns of the list only.
            if group_by.is_none() && having.is_none() {
                list.push(condition.clone().alias(QUALIFY));
            }
        }
        let aggregated = group_by.is_some() || having.is_some();
        plan = match group_by {
            Some(GroupBy::Plain(grouping)) => Arc::new(LogicalPlan::Aggregate { grouping, list, child: plan }),
            Some(GroupBy::Sets { by, sets }) => Arc::new(LogicalPlan::GroupingSets { by, sets, list, child: plan }),
            None if having.is_some() => Arc::new(LogicalPlan::Aggregate { grouping: Vec::new(), list, child: plan }),
            None => Arc::new(LogicalPlan::Project { list, child: plan }),
        };
        if let Some(condition) = having {
            plan = Arc::new(LogicalPlan::Filter { condition, child: plan });
        }
        if let Some(condition) = qualify {
            if aggregated {
                let list = vec![Expr::UnresolvedStar(Vec::new()), condition.alias(QUALIFY)];
                plan = Arc::new(LogicalPlan::Project { list, child: plan });
            }
            let marker = Expr::UnresolvedAttribute(vec![QUALIFY.to_owned()]);
            plan = Arc::new(LogicalPlan::Filter { condition: marker.clone(), child: plan });
            let rest = call(STAR_EXCEPT, vec![Expr::UnresolvedStar(Vec::new()), marker]);
            plan = Arc::new(LogicalPlan::Project { list: vec![rest], child: plan });
        }
        plan = self.placed_plan((*plan).clone(), place);
        if distinct {
            plan = Arc::new(LogicalPlan::Distinct { child: plan });
        }
        for hint in hints {
            plan = Arc::new(LogicalPlan::Hint { name: hint.to_lowercase(), parameters: Vec::new(), child: plan });
        }
        Ok(plan)
    }

    /// GROUP BY: plain expressions, ROLLUP, CUBE, GROUPING SETS and their old forms with WITH.
    pub(super) fn group_by(&mut self) -> Result<GroupBy> {
        let mut by: Vec<Expr> = Vec::new();
        // Each element gives alternatives; the sets are their products.
        let mut alternatives: Vec<Vec<Vec<usize>>> = Vec::new();
        let mut plain = true;
        loop {
            if self.words(&["grouping", "sets"]) {
                plain = false;
                self.expect_symbol("(")?;
                let sets = self.separated(&mut Self::grouping_set)?;
                self.expect_symbol(")")?;
                alternatives.push(sets.into_iter().map(|set| positions(&mut by, set)).collect());
            } else if (self.is_word("rollup") || self.is_word("cube")) && self.peek_at(1).text == "(" {
                plain = false;
                let rollup = self.is_word("rollup");
                self.next();
                self.expect_symbol("(")?;
                let elements = self.separated(&mut Self::grouping_set)?;
                self.expect_symbol(")")?;
                let elements: Vec<Vec<usize>> = elements.into_iter().map(|set| positions(&mut by, set)).collect();
                alternatives.push(expanded(&elements, rollup));
            } else {
                let item = self.group_item()?;
                let set = positions(&mut by, vec![item]);
                alternatives.push(vec![set]);
            }
            if !self.symbol(",") {
                break;
            }
        }
        if plain {
            let single: Vec<Vec<usize>> = (0..by.len()).map(|i| vec![i]).collect();
            if self.words(&["with", "rollup"]) {
                return Ok(GroupBy::Sets { sets: expanded(&single, true), by });
            }
            if self.words(&["with", "cube"]) {
                return Ok(GroupBy::Sets { sets: expanded(&single, false), by });
            }
            if self.words(&["grouping", "sets"]) {
                self.expect_symbol("(")?;
                let sets = self.separated(&mut Self::grouping_set)?;
                self.expect_symbol(")")?;
                let sets = sets.into_iter().map(|set| positions(&mut by, set)).collect();
                return Ok(GroupBy::Sets { by, sets });
            }
            return Ok(GroupBy::Plain(by));
        }
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for choices in alternatives {
            sets = sets
                .into_iter()
                .flat_map(|set| {
                    choices
                        .iter()
                        .map(move |choice| {
                            let mut joined = set.clone();
                            joined.extend(choice.iter().filter(|i| !set.contains(i)));
                            joined
                        })
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        Ok(GroupBy::Sets { by, sets })
    }

    fn group_item(&mut self) -> Result<Expr> {
        let place = self.peek().place;
        let expr = self.expression()?;
        Ok(match expr {
            literal @ Expr::Literal { .. } => self.placed(literal, place),
            other => other,
        })
    }

    /// `(a, b)`, `()` or `a`.
    fn grouping_set(&mut self) -> Result<Vec<Expr>> {
        if !self.is_symbol("(") {
            return Ok(vec![self.group_item()?]);
        }
        self.next();
        if self.symbol(")") {
            return Ok(Vec::new());
        }
        let items = self.separated(&mut Self::group_item)?;
        self.expect_symbol(")")?;
        Ok(items)
    }
}

/// Positions of the expressions in the list of all keys, which grows as needed.
fn positions(by: &mut Vec<Expr>, set: Vec<Expr>) -> Vec<usize> {
    set.into_iter()
        .map(|item| {
            let known = by.iter().position(|known| strip(known) == strip(&item));
            known.unwrap_or_else(|| {
                by.push(item);
                by.len() - 1
            })
        })
        .collect()
}

/// The sets of ROLLUP or CUBE over elements that may be several columns each.
fn expanded(elements: &[Vec<usize>], rollup: bool) -> Vec<Vec<usize>> {
    let sets: Vec<Vec<usize>> = if rollup {
        (0..=elements.len()).rev().map(|n| (0..n).collect()).collect()
    } else {
        crate::dataframe::cube_sets(elements.len())
    };
    sets.into_iter().map(|set| set.into_iter().flat_map(|i| elements[i].iter().copied()).collect()).collect()
}

/// A query with its columns renamed: `name(a, b)`.
pub(super) fn renamed(plan: PlanRef, columns: Vec<String>) -> PlanRef {
    if columns.is_empty() {
        return plan;
    }
    let args = columns.into_iter().map(|name| Expr::literal(Value::from(name.as_str()), DataType::String)).collect();
    Arc::new(LogicalPlan::Project { list: vec![call(COLUMN_ALIASES, args)], child: plan })
}
