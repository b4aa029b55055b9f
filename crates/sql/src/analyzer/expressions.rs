//! Expressions: names, stars, casts, CASE, functions, lambdas, subqueries.

use std::sync::Arc;

use super::lateral;
use super::names::unresolved_column;
use super::scope::{Scope, find_column};
use super::{Analyzer, names};
use crate::catalog::variable_name;
use crate::error::{Result, SparkError};
use crate::expr::{Alias, EvalMode, Expr, FrameBound, PythonUdf, SortOrder, WindowCall, WindowSpec};

/// Functions that may be written without parentheses (LiteralFunctionResolution).
const BARE_FUNCTIONS: [&str; 7] =
    ["current_date", "current_timestamp", "localtimestamp", "current_user", "user", "session_user", "current_time"];

impl Analyzer<'_> {
    /// Resolves an expression in a scope. Aggregates, window functions and generators are let through: where they may
    /// stand is the affair of the node.
    pub(crate) fn expr(&mut self, expr: Expr, scope: &Scope) -> Result<Expr> {
        let resolved = self.resolved(expr, scope)?;
        Ok(self.with_site(resolved))
    }

    fn resolved(&mut self, expr: Expr, scope: &Scope) -> Result<Expr> {
        match expr {
            Expr::At { child, origin } => {
                let before = self.origin.replace(origin);
                // After an error the place stays as it was when the error came up.
                let resolved = self.expr(*child, scope)?;
                self.origin = before;
                Ok(resolved)
            }
            Expr::UnresolvedAttribute(parts) => self.name(&parts, scope),
            Expr::UnresolvedStar(_) | Expr::UnresolvedRegex(_) => Err(self.at_place(SparkError::analysis(
                "INVALID_USAGE_OF_STAR_OR_REGEX",
                &[("elem", "'*'"), ("prettyName", "expression")],
            ))),
            Expr::UnresolvedFunction(call) => self.function(*call, scope),
            Expr::UnresolvedExtract { child, extraction } => {
                let child = self.expr(*child, scope)?;
                let extraction = self.expr(*extraction, scope)?;
                self.extract(child, extraction)
            }
            Expr::UnresolvedAlias(child) => self.expr(*child, scope),
            Expr::Attribute(attribute) => Ok(Expr::Attribute(scope.by_id(attribute.id).cloned().unwrap_or(attribute))),
            Expr::Alias(alias) => {
                let Alias { child, id, names, qualifier, metadata } = *alias;
                let child = self.expr(child, scope)?;
                if names.len() > 1 && !matches!(child, Expr::Generator(_)) {
                    return Err(SparkError::analysis(
                        "MULTI_ALIAS_WITHOUT_GENERATOR",
                        &[("expr", &crate::expr::quoted_sql(&child)), ("names", &names.join(", "))],
                    ));
                }
                // `a.b AS x` over a nested field: the inner alias gives way, its metadata stays.
                let (child, metadata) = match child {
                    Expr::Alias(inner) => (inner.child, metadata.or(inner.metadata)),
                    other => (other, metadata),
                };
                Ok(Expr::Alias(Box::new(Alias { child, id, names, qualifier, metadata })))
            }
            Expr::Cast { child, to, mode, implicit, .. } => {
                let child = self.expr(*child, scope)?;
                self.cast(child, to, mode, implicit)
            }
            Expr::CaseWhen { branches, otherwise } => {
                let mut resolved = Vec::new();
                for (condition, value) in branches {
                    resolved.push((self.expr(condition, scope)?, self.expr(value, scope)?));
                }
                let otherwise = otherwise.map(|value| self.expr(*value, scope)).transpose()?;
                self.case_when(resolved, otherwise)
            }
            Expr::SortOrder(order) => {
                let child = self.expr(order.child, scope)?;
                Ok(Expr::SortOrder(Box::new(SortOrder { child: names::trim_all_aliases(child), ..*order })))
            }
            Expr::Window(call) => {
                let WindowCall { function, spec } = *call;
                let function = match function {
                    Expr::UnresolvedFunction(mut inner) => {
                        inner.over = None;
                        self.plain_function(*inner, scope)?
                    }
                    other => self.expr(other, scope)?,
                };
                self.window_expression(function, spec, scope)
            }
            Expr::PythonUdf(udf) => {
                let args = udf.args.iter().cloned().map(|arg| self.expr(arg, scope)).collect::<Result<Vec<_>>>()?;
                let args = args.into_iter().map(names::trim_all_aliases).collect();
                Ok(Expr::PythonUdf(Box::new(PythonUdf { args, ..*udf })))
            }
            Expr::ScalarSubquery(plan) => self.scalar_subquery(&plan, scope),
            Expr::Exists { plan, negated } => self.exists_subquery(&plan, negated, scope),
            Expr::InSubquery { child, plan, negated } => {
                let child = self.expr(*child, scope)?;
                self.in_subquery(child, &plan, negated, scope)
            }
            other => other.try_map_children(&mut |child| self.expr(child, scope)),
        }
    }

    /// A name: lambda variable, column, function without parentheses, column of an enclosing query.
    fn name(&mut self, parts: &[String], scope: &Scope) -> Result<Expr> {
        let case_sensitive = self.conf.case_sensitive();
        if let Some(first) = parts.first()
            && let Some(variable) =
                scope.lambdas.iter().rev().find(|variable| names::same_name(&variable.name, first, case_sensitive))
        {
            let variable = Expr::LambdaVariable(variable.clone());
            return parts[1..].iter().try_fold(variable, |expr, field| self.extract_field(expr, field));
        }
        if let Some(found) = self.try_column(&scope.columns, parts)? {
            return Ok(found);
        }
        if let Some(found) = self.try_column(&scope.generated, parts)? {
            return Ok(found);
        }
        if let [name] = parts {
            if let Some(function) = BARE_FUNCTIONS.iter().find(|function| function.eq_ignore_ascii_case(name)) {
                return self.call(function, Vec::new());
            }
            if let Some(alias) = lateral::alias_of(scope, name, case_sensitive)? {
                return Ok(self.lateral_reference(parts, alias));
            }
        } else if let Some(first) = parts.first()
            && let Some(alias) = lateral::alias_of(scope, first, case_sensitive)?
        {
            return self.lateral_field(parts, alias);
        }
        for columns in self.outer.clone().iter().rev() {
            if let Some(found) = self.try_column(columns, parts)? {
                return Ok(found);
            }
        }
        if let Some(name) = variable_name(parts)
            && let Some(variable) = self.session.catalog.borrow().variable(name)
        {
            return Ok(crate::functions::variable_reference(name, variable.value.clone()));
        }
        Err(unresolved_column(parts, &scope.columns))
    }

    /// A column by name with the fields after it; None when there is none.
    pub(crate) fn try_column(&self, columns: &[Arc<crate::expr::Attribute>], parts: &[String]) -> Result<Option<Expr>> {
        let Some(found) = find_column(columns, parts, self.conf.case_sensitive()).map_err(|e| self.at_place(e))? else {
            return Ok(None);
        };
        let name = parts.get(parts.len() - found.fields.len() - 1).cloned().unwrap_or_default();
        let mut attribute = found.attribute;
        // The user's spelling becomes the column's name (withName in AttributeSeq.resolve).
        if *attribute.name != *name {
            attribute = Arc::new(crate::expr::Attribute { name: name.as_str().into(), ..(*attribute).clone() });
        }
        let Some(last) = found.fields.last().cloned() else { return Ok(Some(Expr::Attribute(attribute))) };
        let field = found
            .fields
            .iter()
            .try_fold(Expr::Attribute(attribute), |expr, field| self.extract_field(expr, field))
            .map_err(|error| self.at_place(error))?;
        Ok(Some(field.alias(&last)))
    }

    fn cast(&mut self, child: Expr, to: crate::types::DataType, mode: EvalMode, implicit: bool) -> Result<Expr> {
        let mode = match mode {
            EvalMode::Try => EvalMode::Try,
            _ if self.conf.ansi() => EvalMode::Ansi,
            _ => EvalMode::Legacy,
        };
        let site = self.site();
        let cast = Expr::Cast { child: Box::new(child), to, mode, implicit, site };
        self.check_cast(&cast)?;
        Ok(cast)
    }
}

/// A window specification with everything in it resolved.
pub(super) fn resolve_spec(analyzer: &mut Analyzer<'_>, spec: WindowSpec, scope: &Scope) -> Result<WindowSpec> {
    let partition_by = spec
        .partition_by
        .into_iter()
        .map(|expr| Ok(names::trim_all_aliases(analyzer.expr(expr, scope)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut order_by = Vec::new();
    for order in spec.order_by {
        let resolved = analyzer.expr(Expr::SortOrder(Box::new(order)), scope)?;
        if let Expr::SortOrder(order) = resolved {
            order_by.push(*order);
        }
    }
    let mut frame = spec.frame;
    if let Some(frame) = &mut frame {
        for bound in [&mut frame.start, &mut frame.end] {
            if let FrameBound::Offset(offset) = bound {
                **offset = analyzer.expr((**offset).clone(), scope)?;
            }
        }
    }
    Ok(WindowSpec { partition_by, order_by, frame })
}
