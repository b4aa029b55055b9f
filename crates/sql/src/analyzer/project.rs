//! Select lists: stars, aliases, and what Catalyst turns them into (global aggregation, Generate, Window). Filters too.

use std::sync::Arc;

use super::functions::strip_origin;
use super::names::{named, quoted, trim_inner_aliases};
use super::scope::Scope;
use super::{Analyzer, checks};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, UdfKind, quoted_sql};
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::DataType;

/// Marker of the parser for `* EXCEPT (a, b)`: the star first, then the columns.
pub(crate) const STAR_EXCEPT: &str = "$star_except";
/// Marker of the parser for `|> SET a = x`: the star first, then the new values under the columns' names.
pub(crate) const STAR_SET: &str = "$star_set";

/// A generator in a filter: UNSUPPORTED_GENERATOR.OUTSIDE_SELECT.
fn outside_select(error: SparkError) -> SparkError {
    match (error.condition.as_deref(), error.parameters.get("plan")) {
        (Some("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"), Some(condition)) => {
            SparkError::analysis("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", &[("plan", &format!("'Filter {condition}"))])
        }
        _ => error,
    }
}

impl Analyzer<'_> {
    pub(super) fn project(&mut self, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
        if let [Expr::UnresolvedFunction(call)] = list.as_slice() {
            match call.name.as_str() {
                super::COLUMN_ALIASES => return self.column_aliases(&call.args, child),
                super::INLINE_TABLE => return self.inline_table(&call.args),
                super::UNPIVOT => return self.unpivot(&call.args, child),
                _ => {}
            }
        }
        let list = self.select_list(list, child)?;
        if list.iter().any(has_plain_aggregate) {
            return self.finish_aggregate(Vec::new(), list, child);
        }
        self.finish_project(list, child)
    }

    /// `t(a, b)`: the child's columns under other names.
    fn column_aliases(&mut self, names: &[Expr], child: &PlanRef) -> Result<PlanRef> {
        let output = child.output();
        if output.len() != names.len() {
            return Err(SparkError::analysis(
                "ASSIGNMENT_ARITY_MISMATCH",
                &[("numTarget", &names.len().to_string()), ("numExpr", &output.len().to_string())],
            ));
        }
        let list = output
            .into_iter()
            .zip(names)
            .map(|(column, name)| {
                let name = match name {
                    Expr::Literal { value: crate::value::Value::String(name), .. } => name.to_string(),
                    other => other.pretty_sql(),
                };
                Expr::Attribute(column).alias(&name)
            })
            .collect();
        self.finish_project(list, child)
    }

    /// A resolved list over its child: generators and windows are taken out, the rest is a Project.
    pub(super) fn finish_project(&mut self, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
        let (list, child) = self.extract_time_windows(list, child)?;
        if let Err(error) = super::windows::check_no_bare_windows(&list) {
            return Err(self.failed(error, LogicalPlan::Project { list, child }));
        }
        checks::no_grouping_functions(&list)?;
        let list: Vec<Expr> = list.into_iter().map(trim_inner_aliases).collect();
        if list.iter().any(|expr| expr.any(&|inner| matches!(inner, Expr::Generator(_)))) {
            return self.extract_generators(list, &child);
        }
        if list.iter().any(|expr| expr.any(&|inner| matches!(inner, Expr::Window(_)))) {
            return super::windows::extract_windows(self, list, &child);
        }
        let (list, child) = self.join_list_scalars(list, child)?;
        let plan = LogicalPlan::Project { list, child };
        checks::inputs_present(self, &plan)?;
        Ok(Arc::new(plan))
    }

    /// Correlated subqueries of a list become joins below it.
    pub(super) fn join_list_scalars(&mut self, list: Vec<Expr>, child: PlanRef) -> Result<(Vec<Expr>, PlanRef)> {
        if !list.iter().any(Expr::has_subquery) {
            return Ok((list, child));
        }
        let mut child = child;
        let mut out = Vec::new();
        for item in list {
            let (next, item) = self.join_scalars(item, child)?;
            let (next, item) = self.join_existence(item, next)?;
            child = next;
            out.push(item);
        }
        Ok((out, child))
    }

    /// Resolves the items of a select list: stars expanded, every item named.
    pub(super) fn select_list(&mut self, list: Vec<Expr>, child: &PlanRef) -> Result<Vec<Expr>> {
        let mut scope = self.scope(child);
        let mut out = Vec::new();
        let around = std::mem::take(&mut self.laterals);
        for item in list {
            let bare = strip_origin(&item).clone();
            match &bare {
                Expr::UnresolvedStar(_) | Expr::UnresolvedRegex(_) => {
                    out.extend(self.expand_star(&bare, &scope.columns, "select")?);
                }
                Expr::UnresolvedFunction(call) if call.name == STAR_EXCEPT => {
                    out.extend(self.star_except(&call.args, &scope)?);
                }
                Expr::UnresolvedFunction(call) if call.name == STAR_SET => {
                    out.extend(self.star_set(&call.args, &scope)?);
                }
                _ => {
                    let expr = named(self.expr(item, &scope)?);
                    let expr = self.without_laterals(expr)?;
                    self.enter_alias(&mut scope, &expr, matches!(bare, Expr::Alias(_)))?;
                    out.push(expr);
                }
            }
        }
        self.laterals = around;
        Ok(out)
    }

    /// The columns that a star or a regular expression stands for.
    pub(super) fn expand_star(&self, star: &Expr, columns: &[Arc<Attribute>], place: &str) -> Result<Vec<Expr>> {
        let visible = columns.iter().filter(|column| !column.metadata.hidden);
        match star {
            Expr::UnresolvedStar(target) if target.is_empty() => {
                Ok(visible.map(|column| Expr::Attribute(column.clone())).collect())
            }
            Expr::UnresolvedStar(target) => {
                // Columns that a USING join merged come first.
                let merged = columns.iter().filter(|column| column.metadata.hidden && !column.is_file_metadata());
                let qualified: Vec<Expr> = merged
                    .chain(visible)
                    .filter(|column| self.is_of(column, target))
                    .map(|column| Expr::Attribute(column.clone()))
                    .collect();
                if !qualified.is_empty() {
                    return Ok(qualified);
                }
                self.expand_struct(target, columns)
            }
            Expr::UnresolvedRegex(pattern) => {
                // df.colRegex takes the pattern in backticks, as a quoted name.
                let pattern = pattern.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(pattern);
                let flags = if self.conf.case_sensitive() { "" } else { "(?i)" };
                let regex = fancy_regex::Regex::new(&format!("{flags}^(?:{pattern})$"))
                    .map_err(|error| SparkError::plain(crate::error::ErrorClass::IllegalArgument, error.to_string()))?;
                Ok(visible
                    .filter(|column| regex.is_match(&*column.name).unwrap_or(false))
                    .map(|column| Expr::Attribute(column.clone()))
                    .collect())
            }
            _ => Err(SparkError::internal(format!("no star in {place}"))),
        }
    }

    /// Whether a column is one of `target.*`.
    pub(super) fn is_of(&self, column: &Attribute, target: &[String]) -> bool {
        let qualifier = &column.qualifier;
        qualifier.len() >= target.len()
            && qualifier[qualifier.len() - target.len()..].iter().zip(target).all(|(a, b)| self.conf.same_name(a, b))
    }

    /// `s.*` of a struct column.
    fn expand_struct(&self, target: &[String], columns: &[Arc<Attribute>]) -> Result<Vec<Expr>> {
        let found = self.try_column(columns, target)?.map(|expr| expr.unaliased().clone());
        let Some(base) = found else {
            let mut names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
            names.sort();
            names.dedup();
            return Err(self.at_place(SparkError::analysis(
                "CANNOT_RESOLVE_STAR_EXPAND",
                &[("targetString", &super::quote_parts(target)), ("columns", &names.join(", "))],
            )));
        };
        let DataType::Struct(fields) = base.data_type() else {
            return Err(SparkError::analysis(
                "_LEGACY_ERROR_TEMP_1050",
                &[("attributes", &format!("List({})", target.join(", ")))],
            ));
        };
        Ok(fields
            .fields
            .iter()
            .enumerate()
            .map(|(ordinal, field)| {
                Expr::GetField { child: Box::new(base.clone()), ordinal, name: field.name.clone() }.alias(&field.name)
            })
            .collect())
    }

    fn star_except(&mut self, args: &[Expr], scope: &Scope) -> Result<Vec<Expr>> {
        let Some((star, excepted)) = args.split_first() else { return Ok(Vec::new()) };
        let columns = self.expand_star(strip_origin(star), &scope.columns, "select")?;
        let mut dropped = Vec::new();
        for name in excepted {
            if let Expr::Attribute(attribute) = self.expr(name.clone(), scope)? {
                dropped.push(attribute.id);
            }
        }
        Ok(columns
            .into_iter()
            .filter(|column| !matches!(column, Expr::Attribute(attribute) if dropped.contains(&attribute.id)))
            .collect())
    }

    fn star_set(&mut self, args: &[Expr], scope: &Scope) -> Result<Vec<Expr>> {
        let Some((star, values)) = args.split_first() else { return Ok(Vec::new()) };
        let mut columns = self.expand_star(strip_origin(star), &scope.columns, "select")?;
        for value in values {
            let value = named(self.expr(value.clone(), scope)?);
            let name = value.to_attribute().name.clone();
            let Some(column) =
                columns.iter_mut().find(|column| self.conf.same_name(&column.to_attribute().name, &name))
            else {
                return Err(super::names::unresolved_column(&[name.to_string()], &scope.columns));
            };
            *column = value;
        }
        Ok(columns)
    }

    pub(super) fn filter(&mut self, condition: Expr, child: &PlanRef) -> Result<PlanRef> {
        let (mut conditions, below) = self.resolve_over(vec![condition], child).map_err(outside_select)?;
        let condition = super::names::trim_all_aliases(conditions.pop().unwrap_or_else(|| Expr::bool(true)));
        if let Some(aggregate) = checks::qualified(&condition).children_with_aggregates() {
            let error = checks::invalid_where(&condition, &aggregate);
            self.origin = None;
            return Err(self.failed(error, LogicalPlan::Filter { condition, child: below }));
        }
        if condition.any(&|expr| matches!(expr, Expr::Window(_))) {
            return Err(SparkError::analysis("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", &[("clauseName", "WHERE")]));
        }
        let complete = below.output().len() == child.output().len();
        let (mut list, below) = self.extract_time_windows(vec![condition], &below)?;
        // What window() adds stays, as the rule TimeWindowing leaves it; columns that only the condition needed do not.
        let wanted = if complete { below.output() } else { child.output() };
        let condition = list.pop().unwrap_or_else(|| Expr::bool(true));
        match condition.data_type() {
            DataType::Boolean => {}
            other => {
                let error = SparkError::analysis(
                    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                    &[
                        ("sqlExpr", &quoted_sql(&condition)),
                        ("filter", &quoted_sql(&condition)),
                        ("type", &other.quoted_sql()),
                    ],
                );
                self.origin = None;
                return Err(self.failed(error, LogicalPlan::Filter { condition, child: below }));
            }
        }
        let filtered = self.rewrite_subqueries(condition, &below)?;
        checks::inputs_present(self, &filtered)?;
        if filtered.output().len() == wanted.len() {
            return Ok(filtered);
        }
        let list = wanted.into_iter().map(Expr::Attribute).collect();
        Ok(Arc::new(LogicalPlan::Project { list, child: filtered }))
    }
}

/// An aggregate function that is not the function of a window.
pub(super) fn has_plain_aggregate(expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate(_) => true,
        Expr::PythonUdf(udf) if udf.kind == UdfKind::PandasAggregate => true,
        Expr::Window(call) => {
            // The window's own function is no aggregation, what is inside it can be.
            call.function.children().into_iter().any(has_plain_aggregate)
                || call.spec.partition_by.iter().any(has_plain_aggregate)
                || call.spec.order_by.iter().any(|order| has_plain_aggregate(&order.child))
        }
        other => other.children().into_iter().any(has_plain_aggregate),
    }
}

impl Expr {
    /// The aggregates in it, as error texts list them; None when there are none.
    fn children_with_aggregates(&self) -> Option<String> {
        let mut found = Vec::new();
        self.visit(&mut |expr| {
            if let Expr::Aggregate(_) = expr {
                found.push(expr.pretty_sql());
            }
        });
        (!found.is_empty()).then(|| found.join(", "))
    }
}
