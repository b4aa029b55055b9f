//! ORDER BY: ordinals, columns that the select list dropped, aggregates; also the resolution that HAVING shares with it.

use std::sync::Arc;

use super::Analyzer;
use super::functions::strip_origin;
use super::names::{self, trim_all_aliases};
use super::scope::Scope;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, SortOrder};
use crate::plan::{LogicalPlan, PlanRef};
use crate::value::Value;

impl Analyzer<'_> {
    pub(super) fn sort(&mut self, order: Vec<SortOrder>, global: bool, child: &PlanRef) -> Result<PlanRef> {
        let output = child.output();
        let mut expanded = Vec::new();
        for item in order {
            match strip_origin(&item.child) {
                Expr::Literal { value: Value::Integer(position), .. } if self.conf.bool("spark.sql.orderByOrdinal") => {
                    let size = output.len();
                    let column = usize::try_from(*position).ok().filter(|p| (1..=size).contains(p));
                    let Some(column) = column else {
                        if let Expr::At { origin, .. } = &item.child {
                            self.origin = Some(origin.clone());
                        }
                        let error = SparkError::analysis(
                            "ORDER_BY_POS_OUT_OF_RANGE",
                            &[("index", &position.to_string()), ("size", &size.to_string())],
                        );
                        return Err(self.at_place(error));
                    };
                    expanded.push(SortOrder { child: Expr::Attribute(output[column - 1].clone()), ..item });
                }
                Expr::UnresolvedAttribute(parts)
                    if parts.len() == 1
                        && parts[0].eq_ignore_ascii_case("all")
                        && matches!(item.child, Expr::At { .. })
                        && names::column_in(&output, "all", false).is_none() =>
                {
                    for column in &output {
                        expanded.push(SortOrder { child: Expr::Attribute(column.clone()), ..item.clone() });
                    }
                }
                _ => expanded.push(item),
            }
        }
        let children: Vec<Expr> = expanded.iter().map(|item| item.child.clone()).collect();
        let written = children.clone();
        let (resolved, below) = self.resolve_over(children, child)?;
        let (resolved, below) = self.extract_time_windows(resolved, &below)?;
        let order: Vec<SortOrder> = expanded
            .into_iter()
            .zip(resolved)
            .map(|(item, child)| SortOrder { child: trim_all_aliases(child), ..item })
            .collect();
        for item in &order {
            super::checks::orderable(item)?;
        }
        if order.iter().any(|item| item.child.any(&|expr| matches!(expr, Expr::Generator(_)))) {
            let shown: Vec<String> =
                order.iter().map(|item| Expr::SortOrder(Box::new(item.clone())).plan_string()).collect();
            let plan = format!("Sort [{}], {global}", shown.join(", "));
            return Err(SparkError::analysis("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", &[("plan", &plan)]));
        }
        if order.iter().any(|item| item.child.any(&|expr| matches!(expr, Expr::Window(_)))) {
            return self.sort_by_windows(order, global, &below, &output);
        }
        let sorted = Arc::new(LogicalPlan::Sort { order, global, child: below });
        if let Err(error) = super::checks::inputs_present(self, &sorted) {
            return Err(self.not_grouped(&written, child).unwrap_or(error));
        }
        Ok(narrow(sorted, &output))
    }

    /// A column that an aggregation did away with is none for ORDER BY above it.
    fn not_grouped(&mut self, written: &[Expr], child: &PlanRef) -> Option<SparkError> {
        if !matches!(**child, LogicalPlan::Aggregate { .. }) {
            return None;
        }
        let output = child.output();
        for item in written {
            if let Expr::UnresolvedAttribute(parts) = strip_origin(item)
                && matches!(self.try_column(&output, parts), Ok(None))
            {
                if let Expr::At { origin, .. } = item {
                    self.origin = Some(origin.clone());
                }
                return Some(names::unresolved_column(parts, &output));
            }
        }
        None
    }

    fn sort_by_windows(
        &mut self,
        order: Vec<SortOrder>,
        global: bool,
        child: &PlanRef,
        output: &[Arc<Attribute>],
    ) -> Result<PlanRef> {
        let mut list: Vec<Expr> = child.output().into_iter().map(Expr::Attribute).collect();
        let mut keys = Vec::new();
        for item in order {
            let key = item.child.clone().alias("_w_order");
            keys.push(SortOrder { child: Expr::Attribute(key.to_attribute()), ..item });
            list.push(key);
        }
        let below = super::windows::extract_windows(self, list, child)?;
        let sorted = Arc::new(LogicalPlan::Sort { order: keys, global, child: below });
        Ok(narrow(sorted, output))
    }

    /// Resolves expressions over a plan, reaching through it for columns that it dropped (ResolveReferences of sort and
    /// filter) and for aggregates (ResolveAggregateFunctions). Gives the expressions and the plan that they fit.
    pub(super) fn resolve_over(&mut self, exprs: Vec<Expr>, child: &PlanRef) -> Result<(Vec<Expr>, PlanRef)> {
        let scope = self.scope(child);
        let plain = exprs.iter().cloned().map(|expr| self.expr(expr, &scope)).collect::<Result<Vec<_>>>();
        let ids = child.output_ids();
        let complete = match &plain {
            Ok(list) => list.iter().all(|expr| {
                !super::project::has_plain_aggregate(expr)
                    && !super::checks::has_grouping_function(expr)
                    && expr.references().iter().all(|id| ids.contains(id))
            }),
            Err(error) if is_unresolved(error) => false,
            Err(_) => return plain.map(|list| (list, child.clone())),
        };
        if complete {
            return plain.map(|list| (list, child.clone()));
        }
        let place = self.origin.clone();
        match self.reach(&exprs, child)? {
            Some(found) => Ok(found),
            None => {
                self.origin = place;
                plain.map(|list| (list, child.clone()))
            }
        }
    }

    /// [`Self::resolve_over`] below the node; None when what is missing is not there either.
    fn reach(&mut self, exprs: &[Expr], child: &PlanRef) -> Result<Option<(Vec<Expr>, PlanRef)>> {
        match &**child {
            LogicalPlan::Aggregate { grouping, list, child: input } => {
                self.reach_aggregate(exprs, grouping, list, input)
            }
            LogicalPlan::Filter { condition, child: inner } => {
                let Some((found, below)) = self.reach(exprs, inner)? else { return Ok(None) };
                let filter = LogicalPlan::Filter { condition: condition.clone(), child: below };
                Ok(Some((found, Arc::new(filter))))
            }
            LogicalPlan::Sort { order, global, child: inner } => {
                let Some((found, below)) = self.reach(exprs, inner)? else { return Ok(None) };
                let sort = LogicalPlan::Sort { order: order.clone(), global: *global, child: below };
                Ok(Some((found, Arc::new(sort))))
            }
            LogicalPlan::Project { list, child: input } => {
                // Names are those of the list first, then those below it.
                let scope = self.scope(child);
                let below_ids = input.output_ids();
                let mut out = Vec::new();
                let mut input = input.clone();
                for expr in exprs {
                    let first = self.expr(expr.clone(), &scope);
                    let mine = child.output_ids();
                    match first {
                        Ok(expr)
                            if !super::project::has_plain_aggregate(&expr)
                                && expr.references().iter().all(|id| mine.contains(id) || below_ids.contains(id)) =>
                        {
                            out.push(expr);
                        }
                        Err(error) if !is_unresolved(&error) => return Err(error),
                        _ => {
                            let mut both = scope.clone();
                            let own: Vec<Arc<Attribute>> = both.columns.clone();
                            both.columns.extend(input.output().into_iter().filter(|column| {
                                names::column_in(&own, &column.name, self.conf.case_sensitive()).is_none()
                            }));
                            let attempt = self.expr(expr.clone(), &both);
                            match attempt {
                                Ok(expr) if !super::project::has_plain_aggregate(&expr) => out.push(expr),
                                _ => {
                                    let reached = self.reach(std::slice::from_ref(expr), &input)?;
                                    let Some((found, below)) = reached else { return Ok(None) };
                                    out.extend(found);
                                    input = below;
                                }
                            }
                        }
                    }
                }
                let known = child.output_ids();
                let available = input.output();
                let mut list = list.clone();
                for expr in &out {
                    for id in expr.references() {
                        if known.contains(&id) || list.iter().any(|item| item.to_attribute_id() == Some(id)) {
                            continue;
                        }
                        match available.iter().find(|column| column.id == id) {
                            Some(column) => list.push(Expr::Attribute(column.clone())),
                            None => return Ok(None),
                        }
                    }
                }
                Ok(Some((out, Arc::new(LogicalPlan::Project { list, child: input }))))
            }
            _ => Ok(None),
        }
    }

    /// Expressions over an aggregation: aggregates and grouping expressions that the list lacks are added to it.
    fn reach_aggregate(
        &mut self,
        exprs: &[Expr],
        grouping: &[Expr],
        list: &[Expr],
        input: &PlanRef,
    ) -> Result<Option<(Vec<Expr>, PlanRef)>> {
        let output: Vec<Arc<Attribute>> = list.iter().map(Expr::to_attribute).collect();
        let mut scope = Scope::over(output.clone());
        let below = input.output();
        scope.columns.extend(
            below
                .iter()
                .filter(|column| names::column_in(&output, &column.name, self.conf.case_sensitive()).is_none())
                .cloned(),
        );
        let mut list = list.to_vec();
        let mut out = Vec::new();
        for expr in exprs {
            let before = self.having.replace(below.clone());
            let resolved = self.expr(expr.clone(), &scope);
            self.having = before;
            let resolved = match resolved {
                Ok(resolved) => trim_all_aliases(resolved),
                Err(error) if is_unresolved(&error) => return Ok(None),
                Err(error) => return Err(error),
            };
            let replaced = over_aggregate(resolved, grouping, &output, &mut list);
            out.push(replaced);
        }
        let plan = LogicalPlan::Aggregate { grouping: grouping.to_vec(), list, child: input.clone() };
        super::checks::aggregate(self, &plan)?;
        Ok(Some((out, Arc::new(plan))))
    }
}

/// Replaces aggregates and grouping expressions by the columns that an aggregation gives for them, adding what it lacks.
fn over_aggregate(expr: Expr, grouping: &[Expr], output: &[Arc<Attribute>], list: &mut Vec<Expr>) -> Expr {
    if let Expr::Attribute(attribute) = &expr
        && output.iter().any(|column| column.id == attribute.id)
    {
        return expr;
    }
    // grouping() and grouping_id() of HAVING and ORDER BY read the set's number, which the list must give.
    if let Expr::Call(call) = &expr
        && super::functions::GROUPING.contains(&&*call.name)
        && let Some(found) = grouping_of(call, grouping, list)
    {
        return found;
    }
    let wanted = matches!(expr, Expr::Aggregate(_)) || grouping.iter().any(|key| key.semantic_eq(&expr));
    if wanted {
        if let Some(known) = list.iter().find(|item| item.unaliased().semantic_eq(&expr)) {
            return Expr::Attribute(known.to_attribute());
        }
        let added = names::named(expr);
        let column = added.to_attribute();
        list.push(added);
        return Expr::Attribute(column);
    }
    expr.map_children(&mut |child| over_aggregate(child, grouping, output, list))
}

/// grouping(key) or grouping_id() over an aggregation of several sets; None when it is none or the key is unknown.
fn grouping_of(call: &crate::expr::Call, grouping: &[Expr], list: &mut Vec<Expr>) -> Option<Expr> {
    let id = grouping.iter().find_map(|key| match key {
        Expr::Attribute(column) if &*column.name == super::grouping::GROUPING_ID => Some(column.clone()),
        _ => None,
    })?;
    let keys: Vec<&Arc<Attribute>> = grouping
        .iter()
        .filter_map(|key| match key {
            Expr::Attribute(column) if column.id != id.id => Some(column),
            _ => None,
        })
        .collect();
    if !list.iter().any(|item| item.to_attribute_id() == Some(id.id)) {
        list.push(Expr::Attribute(id.clone()));
    }
    if &*call.name == "grouping_id" {
        return Some(Expr::Attribute(id));
    }
    let name = match call.args.first()? {
        Expr::Attribute(column) => column.name.clone(),
        _ => return None,
    };
    let position = keys.iter().position(|key| key.name.eq_ignore_ascii_case(&name))?;
    Some(super::window_kernels::bit_of(Expr::Attribute(id), keys.len() - 1 - position))
}

impl Expr {
    pub(super) fn to_attribute_id(&self) -> Option<crate::expr::ExprId> {
        match self {
            Expr::Attribute(attribute) => Some(attribute.id),
            Expr::Alias(alias) => Some(alias.id),
            _ => None,
        }
    }
}

fn is_unresolved(error: &SparkError) -> bool {
    error.condition.as_deref().is_some_and(|condition| condition.starts_with("UNRESOLVED_COLUMN"))
}

/// Only these columns of the plan.
pub(super) fn narrow(plan: PlanRef, output: &[Arc<Attribute>]) -> PlanRef {
    if plan.output().len() == output.len() {
        return plan;
    }
    let list = output.iter().cloned().map(Expr::Attribute).collect();
    Arc::new(LogicalPlan::Project { list, child: plan })
}
