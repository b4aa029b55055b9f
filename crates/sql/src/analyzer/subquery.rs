//! Subqueries: analysed with the enclosing query's columns in sight; IN and EXISTS become semi and anti joins, correlated
//! scalar subqueries left joins (RewritePredicateSubquery, RewriteCorrelatedScalarSubquery).

use std::sync::Arc;

use super::names::{named, trim_all_aliases};
use super::{Analyzer, Scope, fresh_ids};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Origin};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::types::DataType;

impl Analyzer<'_> {
    /// The frame of a subquery with ids of its own where the enclosing queries have the same.
    pub(super) fn unsealed(&self, plan: &PlanRef) -> PlanRef {
        let ids = plan.output_ids();
        let overlaps = self.outer.iter().flatten().any(|column| ids.contains(&column.id));
        if overlaps { fresh_ids(plan) } else { plan.clone() }
    }

    pub(crate) fn inner_plan(&mut self, plan: &PlanRef, scope: &Scope) -> Result<PlanRef> {
        let before = self.origin.take();
        self.outer.push(scope.columns.clone());
        let having = self.having.take();
        let analysed = self.plan(plan);
        self.having = having;
        self.outer.pop();
        let plan = fresh_ids(&analysed?);
        self.origin = before;
        if plan.is_streaming() {
            // The place is that of the statement, not of the subquery.
            self.origin = Some(Arc::new(Origin { line: 1, position: 0, text: None, context: None }));
            let error = SparkError::analysis("INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY", &[]);
            return Err(self.at_node(error, &plan));
        }
        Ok(plan)
    }

    pub(super) fn scalar_subquery(&mut self, plan: &PlanRef, scope: &Scope) -> Result<Expr> {
        let plan = self.inner_plan(plan, scope)?;
        let columns = plan.output().len();
        if columns != 1 {
            return Err(SparkError::analysis(
                "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
                &[("number", &columns.to_string())],
            ));
        }
        Ok(Expr::ScalarSubquery(plan))
    }

    pub(super) fn exists_subquery(&mut self, plan: &PlanRef, negated: bool, scope: &Scope) -> Result<Expr> {
        let plan = self.inner_plan(plan, scope)?;
        Ok(Expr::Exists { plan, negated })
    }

    pub(super) fn in_subquery(&mut self, child: Expr, plan: &PlanRef, negated: bool, scope: &Scope) -> Result<Expr> {
        let plan = self.inner_plan(plan, scope)?;
        let columns = plan.output();
        let values = in_values(&child);
        if columns.len() != values.len() {
            let left: Vec<String> = values.iter().map(|value| format!("\"{}\"", value.pretty_sql())).collect();
            let right: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
                &[
                    ("sqlExpr", &format!("\"({} IN (listquery()))\"", child.pretty_sql())),
                    ("leftLength", &values.len().to_string()),
                    ("rightLength", &columns.len().to_string()),
                    ("leftColumns", &left.join(", ")),
                    ("rightColumns", &right.join(", ")),
                ],
            ));
        }
        Ok(Expr::InSubquery { child: Box::new(trim_all_aliases(child)), plan, negated })
    }

    /// A filter whose subqueries are joined in.
    pub(super) fn rewrite_subqueries(&mut self, condition: Expr, child: &PlanRef) -> Result<PlanRef> {
        if !condition.has_subquery() {
            return Ok(Arc::new(LogicalPlan::Filter { condition, child: child.clone() }));
        }
        let mut plan = child.clone();
        let mut rest = Vec::new();
        for part in conjuncts(condition) {
            match negation(part) {
                Expr::Exists { plan: query, negated } => {
                    let kind = if negated { JoinKind::LeftAnti } else { JoinKind::LeftSemi };
                    plan = self.semi_join(plan, &query, None, kind)?;
                }
                Expr::InSubquery { child: value, plan: query, negated } => {
                    let kind = if negated { JoinKind::LeftAnti } else { JoinKind::LeftSemi };
                    plan = self.semi_join(plan, &query, Some(*value), kind)?;
                }
                other => rest.push(other),
            }
        }
        let mut rest = rest;
        for part in &mut rest {
            let (next, replaced) = self.join_scalars(part.clone(), plan)?;
            plan = next;
            *part = replaced;
            if part.any(&|expr| matches!(expr, Expr::Exists { .. } | Expr::InSubquery { .. })) {
                let (next, replaced) = self.join_existence(part.clone(), plan)?;
                plan = next;
                *part = replaced;
            }
        }
        let Some(condition) = rest.into_iter().reduce(|a, b| self.call("and", vec![a, b]).unwrap_or(Expr::bool(true)))
        else {
            return Ok(plan);
        };
        Ok(super::sort::narrow(Arc::new(LogicalPlan::Filter { condition, child: plan }), &child.output()))
    }

    /// IN and EXISTS below OR, NOT and the like: a left join with the distinct keys and a test for a match.
    pub(super) fn join_existence(&mut self, expr: Expr, plan: PlanRef) -> Result<(PlanRef, Expr)> {
        let mut plan = plan;
        let replaced = expr.try_map_children(&mut |child| {
            let (next, child) = self.join_existence(child, plan.clone())?;
            plan = next;
            Ok::<Expr, SparkError>(child)
        })?;
        let (query, value, negated) = match replaced {
            Expr::Exists { plan: query, negated } => (query, None, negated),
            Expr::InSubquery { child, plan: query, negated } => (query, Some(*child), negated),
            other => return Ok((plan, other)),
        };
        let (inner, mut conditions) = self.decorrelate(&query, &plan)?;
        if let Some(value) = value {
            for (left, right) in in_values(&value).into_iter().zip(query.output()) {
                conditions.push(self.equal(left, Expr::Attribute(right))?);
            }
        }
        let mark = Expr::bool(true).alias("exists");
        let column = Expr::Attribute(Arc::new(Attribute { nullable: true, ..(*mark.to_attribute()).clone() }));
        let keys: Vec<Expr> = inner.output().into_iter().map(Expr::Attribute).collect();
        let distinct = Arc::new(LogicalPlan::Aggregate { grouping: keys.clone(), list: keys.clone(), child: inner });
        let mut list = keys;
        list.push(mark);
        let marked = Arc::new(LogicalPlan::Project { list, child: distinct });
        let condition = self.all_of(conditions)?;
        let joined = LogicalPlan::Join(Join { left: plan, right: marked, kind: JoinKind::LeftOuter, condition });
        let test = if negated { "isnull" } else { "isnotnull" };
        Ok((Arc::new(joined), self.call(test, vec![column])?))
    }

    pub(super) fn all_of(&self, conditions: Vec<Expr>) -> Result<JoinCondition> {
        let mut all: Option<Expr> = None;
        for condition in conditions {
            all = Some(match all {
                None => condition,
                Some(so_far) => self.call("and", vec![so_far, condition])?,
            });
        }
        Ok(all.map_or(JoinCondition::None, JoinCondition::On))
    }

    fn equal(&self, left: Expr, right: Expr) -> Result<Expr> {
        self.call("=", vec![left, right])
    }

    fn semi_join(&mut self, left: PlanRef, query: &PlanRef, value: Option<Expr>, kind: JoinKind) -> Result<PlanRef> {
        let (right, mut conditions) = self.decorrelate(query, &left)?;
        if let Some(value) = value {
            let columns = query.output();
            for (ours, theirs) in in_values(&value).into_iter().zip(columns) {
                let may_be_null = ours.nullable() || theirs.nullable;
                let equal = self.equal(ours, Expr::Attribute(theirs))?;
                // NOT IN: a null on either side keeps the row out (null-aware anti join).
                conditions.push(if kind == JoinKind::LeftAnti && may_be_null {
                    let unknown = self.call("isnull", vec![equal.clone()])?;
                    self.call("or", vec![equal, unknown])?
                } else {
                    equal
                });
            }
        }
        let condition = self.all_of(conditions)?;
        Ok(Arc::new(LogicalPlan::Join(Join { left, right, kind, condition })))
    }

    /// Correlated scalar subqueries of an expression as left joins; the others stay.
    pub(super) fn join_scalars(&mut self, expr: Expr, plan: PlanRef) -> Result<(PlanRef, Expr)> {
        let mut plan = plan;
        let replaced = expr.try_map_children(&mut |child| {
            let (next, child) = self.join_scalars(child, plan.clone())?;
            plan = next;
            Ok::<Expr, SparkError>(child)
        })?;
        let Expr::ScalarSubquery(query) = &replaced else { return Ok((plan, replaced)) };
        if outer_references(query).is_empty() {
            return Ok((plan, replaced));
        }
        let count_like = matches!(&**query, LogicalPlan::Aggregate { list, grouping, .. }
            if grouping.is_empty() && list.iter().any(|item| item.any(&|expr| matches!(expr, Expr::Aggregate(call) if !call.nullable))));
        let value = query.output().first().cloned();
        let Some(value) = value else { return Err(SparkError::internal("a scalar subquery has a column")) };
        let (right, conditions) = self.decorrelate(query, &plan)?;
        let condition = self.all_of(conditions)?;
        let kind = if at_most_one_row(query) { JoinKind::LeftOuter } else { JoinKind::LeftSingle };
        let joined = Arc::new(LogicalPlan::Join(Join { left: plan, right, kind, condition }));
        let mut column = Expr::Attribute(Arc::new(Attribute { nullable: true, ..(*value).clone() }));
        if count_like && value.data_type == DataType::Long {
            // COUNT over no rows is 0, not null (the "count bug").
            let zero = Expr::literal(crate::value::Value::Long(0), DataType::Long);
            column = self.call("coalesce", vec![column, zero])?;
        }
        Ok((joined, column))
    }

    /// A join whose right side reads columns of the left one.
    pub(super) fn lateral_join(&mut self, join: &Join, left: PlanRef) -> Result<PlanRef> {
        let LogicalPlan::Hint { child: query, .. } = &*join.right else {
            return Err(SparkError::internal("a lateral join's right side is marked"));
        };
        let right = self.inner_plan(query, &Scope::of(std::slice::from_ref(&left)))?;
        self.lateral_over(join, left, right)
    }

    /// A lateral join whose right side is analysed.
    pub(super) fn lateral_over(&mut self, join: &Join, left: PlanRef, right: PlanRef) -> Result<PlanRef> {
        if join.condition == JoinCondition::None
            && let Some(plan) = generated_over(&left, &right)
        {
            return Ok(plan);
        }
        let output = right.output();
        let single = is_single_row(&right);
        let (inner, mut conditions) = self.decorrelate(&right, &left)?;
        if let JoinCondition::On(on) = &join.condition {
            let scope = Scope::over(left.output().into_iter().chain(output.iter().cloned()).collect());
            conditions.push(trim_all_aliases(self.expr(on.clone(), &scope)?));
        }
        // An aggregation without keys gives a row for every left row, also without matches.
        let kind = if single && join.kind == JoinKind::Inner { JoinKind::LeftOuter } else { join.kind };
        let condition = self.all_of(conditions)?;
        let mut list: Vec<Expr> = left.output().into_iter().map(Expr::Attribute).collect();
        let joined = Arc::new(LogicalPlan::Join(Join { left, right: inner, kind, condition }));
        for column in output {
            let value = Expr::Attribute(Arc::new(Attribute {
                nullable: column.nullable || kind == JoinKind::LeftOuter,
                ..(*column).clone()
            }));
            if single && !column.nullable && column.data_type == DataType::Long {
                let zero = Expr::literal(crate::value::Value::Long(0), DataType::Long);
                let mut filled = self.call("coalesce", vec![value, zero])?.alias(&column.name);
                if let Expr::Alias(alias) = &mut filled {
                    alias.qualifier = column.qualifier.clone();
                }
                list.push(filled);
            } else {
                list.push(value);
            }
        }
        Ok(Arc::new(LogicalPlan::Project { list, child: joined }))
    }

    /// Takes the conditions that read the enclosing query out of a subquery; aggregations get their keys.
    fn decorrelate(&mut self, plan: &PlanRef, left: &PlanRef) -> Result<(PlanRef, Vec<Expr>)> {
        let mut conditions = Vec::new();
        let outer = outer_references(plan);
        if outer.is_empty() {
            return Ok((plan.clone(), conditions));
        }
        if !super::domain::is_plain(plan, &outer) {
            return self.over_domain(plan, &outer, left);
        }
        let plan = self.pull_up(plan, &outer, &mut conditions)?;
        if !outer_references(&plan).is_empty() {
            return Err(SparkError::not_yet("A correlated subquery of this form"));
        }
        Ok((plan, conditions))
    }

    pub(super) fn pull_up(&mut self, plan: &PlanRef, outer: &[ExprId], conditions: &mut Vec<Expr>) -> Result<PlanRef> {
        let reads_outer = |expr: &Expr| expr.references().iter().any(|id| outer.contains(id));
        match &**plan {
            LogicalPlan::Filter { condition, child } => {
                let child = self.pull_up(child, outer, conditions)?;
                let (pulled, kept): (Vec<Expr>, Vec<Expr>) =
                    conjuncts(condition.clone()).into_iter().partition(|part| reads_outer(part));
                conditions.extend(pulled);
                match self.all_of(kept)? {
                    JoinCondition::On(condition) => Ok(Arc::new(LogicalPlan::Filter { condition, child })),
                    _ => Ok(child),
                }
            }
            LogicalPlan::Project { list, child } => {
                let child = self.pull_up(child, outer, conditions)?;
                let mut list = list.clone();
                for column in needed(conditions, &child, &list, outer) {
                    list.push(Expr::Attribute(column));
                }
                Ok(Arc::new(LogicalPlan::Project { list, child }))
            }
            LogicalPlan::Aggregate { grouping, list, child } => {
                let child = self.pull_up(child, outer, conditions)?;
                let (mut grouping, mut list) = (grouping.clone(), list.clone());
                for column in needed(conditions, &child, &list, outer) {
                    grouping.push(Expr::Attribute(column.clone()));
                    list.push(named(Expr::Attribute(column)));
                }
                Ok(Arc::new(LogicalPlan::Aggregate { grouping, list, child }))
            }
            LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => {
                self.pull_up(child, outer, conditions)
            }
            LogicalPlan::Sort { child, .. } => self.pull_up(child, outer, conditions),
            LogicalPlan::Distinct { child } => {
                let child = self.pull_up(child, outer, conditions)?;
                Ok(Arc::new(LogicalPlan::Distinct { child }))
            }
            LogicalPlan::Limit { .. } | LogicalPlan::Offset { .. } => self.pull_up_limit(plan, outer, conditions),
            _ => Ok(plan.clone()),
        }
    }
}

/// LATERAL explode(left.column): the generator runs over the left side itself, also after LEFT JOIN, where rows without any
/// go (RewriteLateralSubquery keeps no trace of the kind). None when the right side is more than that.
fn generated_over(left: &PlanRef, right: &PlanRef) -> Option<PlanRef> {
    match &**right {
        LogicalPlan::SubqueryAlias { child, .. } => generated_over(left, child),
        LogicalPlan::Project { list, child } => {
            let below = generated_over(left, child)?;
            let mut all: Vec<Expr> = left.output().into_iter().map(Expr::Attribute).collect();
            all.extend(list.iter().cloned());
            Some(Arc::new(LogicalPlan::Project { list: all, child: below }))
        }
        LogicalPlan::Generate { generator, qualifier, output, child, outer: own }
            if matches!(**child, LogicalPlan::OneRow) =>
        {
            Some(Arc::new(LogicalPlan::Generate {
                generator: generator.clone(),
                outer: *own,
                qualifier: qualifier.clone(),
                output: output.clone(),
                child: left.clone(),
            }))
        }
        _ => None,
    }
}

/// Whether the query can give one row at most, by its form.
fn at_most_one_row(plan: &PlanRef) -> bool {
    match &**plan {
        LogicalPlan::Limit { limit: Expr::Literal { value, .. }, .. } => value.as_i64().is_some_and(|n| n <= 1),
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::Project { child, .. } => at_most_one_row(child),
        LogicalPlan::Filter { child, .. } | LogicalPlan::Sort { child, .. } => at_most_one_row(child),
        LogicalPlan::OneRow => true,
        _ => is_single_row(plan),
    }
}

fn is_single_row(plan: &PlanRef) -> bool {
    match &**plan {
        LogicalPlan::Aggregate { grouping, .. } => grouping.is_empty(),
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::Project { child, .. } => is_single_row(child),
        _ => false,
    }
}

/// Columns of the plan that the pulled conditions read and the list lacks.
fn needed(conditions: &[Expr], child: &PlanRef, list: &[Expr], outer: &[ExprId]) -> Vec<Arc<Attribute>> {
    let available = child.output();
    let mut found: Vec<Arc<Attribute>> = Vec::new();
    for condition in conditions {
        for id in condition.references() {
            let known = outer.contains(&id)
                || list.iter().any(|item| item.to_attribute_id() == Some(id))
                || found.iter().any(|column| column.id == id);
            if !known && let Some(column) = available.iter().find(|column| column.id == id) {
                found.push(column.clone());
            }
        }
    }
    found
}

/// Ids that a plan reads and does not make.
pub(super) fn outer_references(plan: &PlanRef) -> Vec<ExprId> {
    let mut found = Vec::new();
    fn walk(plan: &PlanRef, found: &mut Vec<ExprId>) {
        let children = plan.child_plans();
        let input: Vec<ExprId> = children.iter().flat_map(|child| child.output_ids()).collect();
        plan.for_each_expression(&mut |expr| {
            for id in expr.references() {
                if !input.contains(&id) && !found.contains(&id) {
                    found.push(id);
                }
            }
        });
        for child in &children {
            walk(child, found);
        }
    }
    walk(plan, &mut found);
    found
}

/// The parts of a conjunction.
pub(super) fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::Call(call) if &*call.name == "and" && call.args.len() == 2 => {
            call.args.into_iter().flat_map(conjuncts).collect()
        }
        other => vec![other],
    }
}

/// NOT over a subquery test becomes the test's own negation.
fn negation(expr: Expr) -> Expr {
    match expr {
        Expr::Call(call) if matches!(&*call.name, "not" | "!") && call.args.len() == 1 => match &call.args[0] {
            Expr::Exists { plan, negated } => Expr::Exists { plan: plan.clone(), negated: !negated },
            Expr::InSubquery { child, plan, negated } => {
                Expr::InSubquery { child: child.clone(), plan: plan.clone(), negated: !negated }
            }
            _ => Expr::Call(call),
        },
        other => other,
    }
}

/// The values of `(a, b) IN (...)`.
fn in_values(child: &Expr) -> Vec<Expr> {
    match child.unaliased() {
        Expr::Call(call) if matches!(&*call.name, "struct") => {
            call.args.iter().map(|arg| arg.unaliased().clone()).collect()
        }
        Expr::Call(call) if matches!(&*call.name, "named_struct") => {
            call.args.iter().skip(1).step_by(2).map(|arg| arg.unaliased().clone()).collect()
        }
        other => vec![other.clone()],
    }
}
