//! Correlated subqueries in which more than equalities of plain columns reads the enclosing query: they run over the distinct
//! values of the columns that they read, their domain, and the result is joined on these (DecorrelateInnerQuery, DomainJoin).

use std::sync::Arc;

use super::Analyzer;
use super::outer_limit::inner_key;
use super::subquery::{conjuncts, outer_references};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, SortOrder};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};

/// What the operators above a condition ask of it if it is to be taken out of the subquery.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    /// `inner = outer`: rows are counted for each value of the inner side.
    Key,
    /// The same with a column as the inner side: rows are gathered by it.
    Column,
}

/// Whether all that reads the enclosing query can be taken out as conditions of a join.
pub(super) fn is_plain(plan: &PlanRef, outer: &[ExprId]) -> bool {
    plain(plan, outer, Asked::Nothing)
}

fn plain(plan: &PlanRef, outer: &[ExprId], asked: Asked) -> bool {
    let reads = |expr: &Expr| expr.references().iter().any(|id| outer.contains(id));
    match &**plan {
        LogicalPlan::Filter { condition, child } => {
            let fits = |part: &Expr| match (asked, inner_key(part, outer)) {
                _ if !reads(part) => true,
                (Asked::Nothing, _) | (Asked::Key, Some(_)) | (Asked::Column, Some(Expr::Attribute(_))) => true,
                _ => false,
            };
            conjuncts(condition.clone()).iter().all(fits) && plain(child, outer, asked)
        }
        LogicalPlan::Project { list, child } => !list.iter().any(reads) && plain(child, outer, asked),
        LogicalPlan::Aggregate { grouping, list, child } => {
            !grouping.iter().chain(list).any(reads) && plain(child, outer, Asked::Column)
        }
        LogicalPlan::Sort { order, child, .. } => {
            !order.iter().any(|order| reads(&order.child)) && plain(child, outer, asked)
        }
        LogicalPlan::Limit { child, .. } | LogicalPlan::Offset { child, .. } | LogicalPlan::Distinct { child } => {
            let asked = if asked == Asked::Nothing { Asked::Key } else { asked };
            plain(child, outer, asked)
        }
        LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => plain(child, outer, asked),
        _ => outer_references(plan).is_empty(),
    }
}

/// The columns of the enclosing query that a subquery reads, and where they come from.
struct Domain<'a> {
    columns: &'a [Arc<Attribute>],
    left: &'a PlanRef,
}

impl Domain<'_> {
    /// The distinct values, as columns of their own.
    fn values(&self) -> (PlanRef, Vec<Arc<Attribute>>) {
        let grouping: Vec<Expr> = self.columns.iter().cloned().map(Expr::Attribute).collect();
        let list: Vec<Expr> =
            grouping.iter().zip(self.columns).map(|(value, column)| value.clone().alias(&column.name)).collect();
        let columns = list.iter().map(Expr::to_attribute).collect();
        (Arc::new(LogicalPlan::Aggregate { grouping, list, child: self.left.clone() }), columns)
    }

    /// An expression that reads the domain in place of the enclosing query.
    fn read(&self, expr: Expr, own: &[Arc<Attribute>]) -> Expr {
        expr.transform_up(&mut |inner| match &inner {
            Expr::Attribute(read) => match self.columns.iter().position(|column| column.id == read.id) {
                Some(at) => Expr::Attribute(own[at].clone()),
                None => inner,
            },
            _ => inner,
        })
    }

    fn read_all(&self, list: &[Expr], own: &[Arc<Attribute>]) -> Vec<Expr> {
        list.iter().map(|expr| self.read(expr.clone(), own)).collect()
    }

    fn read_order(&self, order: &[SortOrder], own: &[Arc<Attribute>]) -> Vec<SortOrder> {
        order.iter().map(|order| SortOrder { child: self.read(order.child.clone(), own), ..order.clone() }).collect()
    }
}

fn refused() -> SparkError {
    SparkError::not_yet("A correlated subquery of this form")
}

fn columns_of(own: &[Arc<Attribute>]) -> impl Iterator<Item = Expr> + '_ {
    own.iter().cloned().map(Expr::Attribute)
}

impl Analyzer<'_> {
    /// The subquery over its domain, and the conditions that join it to the enclosing query's rows.
    pub(super) fn over_domain(
        &mut self,
        plan: &PlanRef,
        outer: &[ExprId],
        left: &PlanRef,
    ) -> Result<(PlanRef, Vec<Expr>)> {
        let input = left.output();
        let columns: Vec<Arc<Attribute>> =
            outer.iter().filter_map(|id| input.iter().find(|column| column.id == *id)).cloned().collect();
        if columns.len() != outer.len() || left.is_streaming() {
            return Err(refused());
        }
        let (plan, own) = self.in_domain(plan, &Domain { columns: &columns, left })?;
        let mut conditions = Vec::new();
        for (ours, theirs) in columns_of(&columns).zip(columns_of(&own)) {
            conditions.push(self.call("<=>", vec![ours, theirs])?);
        }
        Ok((plan, conditions))
    }

    /// The plan for every value of the domain, whose columns it gives out too.
    fn in_domain(&mut self, plan: &PlanRef, domain: &Domain<'_>) -> Result<(PlanRef, Vec<Arc<Attribute>>)> {
        if outer_references(plan).is_empty() {
            let (values, own) = domain.values();
            if matches!(**plan, LogicalPlan::OneRow) {
                return Ok((values, own));
            }
            let condition = JoinCondition::None;
            let join = Join { left: values, right: plan.clone(), kind: JoinKind::Inner, condition };
            return Ok((Arc::new(LogicalPlan::Join(join)), own));
        }
        let (node, own) = match &**plan {
            LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => {
                return self.in_domain(child, domain);
            }
            LogicalPlan::Filter { condition, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                (LogicalPlan::Filter { condition: domain.read(condition.clone(), &own), child }, own)
            }
            LogicalPlan::Project { list, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                let list = domain.read_all(list, &own).into_iter().chain(columns_of(&own)).collect();
                (LogicalPlan::Project { list, child }, own)
            }
            LogicalPlan::Aggregate { grouping, list, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                let grouping = domain.read_all(grouping, &own).into_iter().chain(columns_of(&own)).collect();
                let list = domain.read_all(list, &own).into_iter().chain(columns_of(&own)).collect();
                (LogicalPlan::Aggregate { grouping, list, child }, own)
            }
            LogicalPlan::Window { list, partition_by, order_by, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                let partition_by = domain.read_all(partition_by, &own).into_iter().chain(columns_of(&own)).collect();
                let order_by = domain.read_order(order_by, &own);
                (LogicalPlan::Window { list: domain.read_all(list, &own), partition_by, order_by, child }, own)
            }
            LogicalPlan::Generate { generator, outer, qualifier, output, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                let generator = domain.read(generator.clone(), &own);
                let (qualifier, output) = (qualifier.clone(), output.clone());
                (LogicalPlan::Generate { generator, outer: *outer, qualifier, output, child }, own)
            }
            LogicalPlan::Sort { order, global, child } => {
                let (child, own) = self.in_domain(child, domain)?;
                (LogicalPlan::Sort { order: domain.read_order(order, &own), global: *global, child }, own)
            }
            LogicalPlan::Distinct { child } => {
                let (child, own) = self.in_domain(child, domain)?;
                (LogicalPlan::Distinct { child }, own)
            }
            LogicalPlan::Limit { .. } | LogicalPlan::Offset { .. } => return self.limit_in_domain(plan, domain),
            LogicalPlan::Union { children, by_name, allow_missing } => {
                let mut parts = Vec::new();
                let mut first = Vec::new();
                for child in children {
                    let (part, own) = self.in_domain(child, domain)?;
                    let list = columns_of(&child.output()).chain(columns_of(&own)).collect();
                    parts.push(Arc::new(LogicalPlan::Project { list, child: part }));
                    if first.is_empty() {
                        first = own;
                    }
                }
                (LogicalPlan::Union { children: parts, by_name: *by_name, allow_missing: *allow_missing }, first)
            }
            LogicalPlan::Join(join) => return self.join_in_domain(join, domain),
            _ => return Err(refused()),
        };
        Ok((Arc::new(node), own))
    }

    fn join_in_domain(&mut self, join: &Join, domain: &Domain<'_>) -> Result<(PlanRef, Vec<Arc<Attribute>>)> {
        if matches!(join.kind, JoinKind::RightOuter | JoinKind::FullOuter) {
            return Err(refused());
        }
        let (left, own) = self.in_domain(&join.left, domain)?;
        let mut all = match &join.condition {
            JoinCondition::On(on) => vec![domain.read(on.clone(), &own)],
            _ => Vec::new(),
        };
        let mut right = join.right.clone();
        if !outer_references(&right).is_empty() {
            let (part, theirs) = self.in_domain(&right, domain)?;
            for (ours, theirs) in columns_of(&own).zip(columns_of(&theirs)) {
                all.push(self.call("<=>", vec![ours, theirs])?);
            }
            right = part;
        }
        let condition = self.all_of(all)?;
        let node = LogicalPlan::Join(Join { left, right, kind: join.kind, condition });
        Ok((Arc::new(node), own))
    }

    /// The first rows for every value of the domain.
    fn limit_in_domain(&mut self, plan: &PlanRef, domain: &Domain<'_>) -> Result<(PlanRef, Vec<Arc<Attribute>>)> {
        let (limit, offset, child) = super::outer_limit::bounds(plan);
        let (order, below) = super::outer_limit::ordered(&child);
        let (below, own) = self.in_domain(&below, domain)?;
        let order = domain.read_order(&order, &own);
        let plan = self.numbered(below, columns_of(&own).collect(), order, limit, offset)?;
        Ok((plan, own))
    }
}
