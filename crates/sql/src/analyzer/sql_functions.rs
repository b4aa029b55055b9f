//! Calls of SQL functions (ResolveSQLFunctions): their arguments become columns of a projection below the node that calls,
//! their bodies are read over these.

use std::sync::Arc;

use super::aggregate::lift;
use super::names::trim_all_aliases;
use super::{Analyzer, Scope};
use crate::catalog::{FunctionReturn, SqlFunction};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, UnresolvedFunction};
use crate::functions::{sql_function_body, sql_function_call, sql_function_of};
use crate::parser::{self, Parameters, Statement};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::types::DataType;

/// Functions that call each other so deep never end.
const DEEPEST: usize = 64;

/// Whether a SQL function is called anywhere in an expression.
fn calls(expr: &Expr) -> bool {
    expr.any(&|inner| sql_function_of(inner).is_some())
}

fn any_call(list: &[Expr]) -> bool {
    list.iter().any(calls)
}

fn columns_of(plan: &PlanRef) -> Vec<Expr> {
    plan.output().into_iter().map(Expr::Attribute).collect()
}

/// A plan with more columns.
fn with_columns(plan: PlanRef, more: Vec<Expr>) -> PlanRef {
    let mut list = columns_of(&plan);
    list.extend(more);
    Arc::new(LogicalPlan::Project { list, child: plan })
}

/// A plan cut to these columns.
fn only(columns: Vec<Expr>, child: PlanRef) -> PlanRef {
    Arc::new(LogicalPlan::Project { list: columns, child })
}

/// Where the part of a query that cannot call SQL functions is named.
fn node_name(node: &LogicalPlan) -> String {
    match node {
        LogicalPlan::Limit { .. } => "GlobalLimit".to_owned(),
        LogicalPlan::Generate { .. } => "Generate".to_owned(),
        LogicalPlan::Window { .. } => "Window".to_owned(),
        other => {
            let tree = crate::explain::tree_string(other);
            tree.trim_start_matches('\'').chars().take_while(char::is_ascii_alphanumeric).collect()
        }
    }
}

impl Analyzer<'_> {
    /// The SQL function of a name that may have several parts; functions of Spark's own come first.
    pub(super) fn sql_function(&self, name: &str) -> Option<Arc<SqlFunction>> {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        if parts.len() == 1 && crate::functions::registry::lookup(name).is_some() {
            return None;
        }
        self.session.catalog.borrow().sql_function(&parts)
    }

    /// A call of a SQL function in an expression, whose body is put in once the node around it is resolved.
    pub(super) fn sql_call(
        &mut self,
        function: Arc<SqlFunction>,
        call: UnresolvedFunction,
        args: Vec<Expr>,
        scope: &Scope,
    ) -> Result<Expr> {
        let FunctionReturn::Value(data_type) = function.returns.clone() else {
            let name = super::quoted(&call.name);
            return Err(self.at_place(SparkError::analysis("NOT_A_SCALAR_FUNCTION", &[("functionName", &name)])));
        };
        let unsupported = [
            (call.distinct, "DISTINCT"),
            (call.filter.is_some(), "FILTER CLAUSE"),
            (call.ignore_nulls, "IGNORE NULLS"),
        ];
        if let Some((_, syntax)) = unsupported.into_iter().find(|(found, _)| *found) {
            let parameters = [("prettyName", &*super::quoted(&function.name)), ("syntax", syntax)];
            return Err(
                self.at_place(SparkError::analysis("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", &parameters))
            );
        }
        if !scope.lambdas.is_empty() {
            let parameters = [("funcName", function.name.as_str())];
            return Err(
                self.at_place(SparkError::analysis("UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_SQL_UDF", &parameters))
            );
        }
        let args = self.bound_arguments(&function, args, &call.arg_names).map_err(|error| self.at_place(error))?;
        self.calls_sql_functions = true;
        Ok(sql_function_call(function, args, data_type))
    }

    /// An argument for every parameter.
    fn bound_arguments(&self, function: &SqlFunction, args: Vec<Expr>, names: &[Option<String>]) -> Result<Vec<Expr>> {
        let parts: Vec<String> = function.name.split('.').map(str::to_owned).collect();
        let routine = super::quote_parts(&parts);
        let parameters = &function.parameters;
        let needed = parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        let counted = args.len();
        let wrong = || crate::functions::registry::wrong_count_of(&routine, &parameters.len().to_string(), counted);
        if counted > parameters.len() || counted < needed {
            return Err(wrong());
        }
        let mut bound: Vec<Option<Expr>> = vec![None; parameters.len()];
        let mut named: Option<&str> = None;
        for (place, arg) in args.into_iter().enumerate() {
            let Some(name) = names.get(place).and_then(Option::as_deref) else {
                if let Some(before) = named {
                    let parameters = [("routineName", &*routine), ("parameterName", &*super::quoted(before))];
                    return Err(SparkError::analysis("UNEXPECTED_POSITIONAL_ARGUMENT", &parameters));
                }
                bound[place] = Some(arg);
                continue;
            };
            let Some(at) = parameters.iter().position(|parameter| self.conf.same_name(&parameter.name, name)) else {
                let known: Vec<String> = parameters.iter().map(|parameter| super::quoted(&parameter.name)).collect();
                let parameters = [
                    ("routineName", &*routine),
                    ("argumentName", &*super::quoted(name)),
                    ("proposal", &*known.join(" ")),
                ];
                return Err(SparkError::analysis("UNRECOGNIZED_PARAMETER_NAME", &parameters));
            };
            if bound[at].is_some() {
                let twice = names.iter().filter(|other| other.as_deref() == Some(name)).count() > 1;
                let kind = if twice { "DOUBLE_NAMED_ARGUMENT_REFERENCE" } else { "BOTH_POSITIONAL_AND_NAMED" };
                let shown = super::quoted(&parameters[at].name);
                return Err(SparkError::analysis(
                    &format!("DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{kind}"),
                    &[("routineName", &routine), ("parameterName", &shown)],
                ));
            }
            bound[at] = Some(arg);
            named = Some(&parameters[at].name);
        }
        let given = bound.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut out = Vec::with_capacity(parameters.len());
        for (at, arg) in bound.into_iter().enumerate() {
            match (arg, &parameters[at].default) {
                (Some(arg), _) => out.push(arg),
                // Defaults at the end show only in the plan.
                (None, Some(_)) if at >= given => {}
                (None, Some(default)) => out.push(self.default_argument(default)?),
                (None, None) => {
                    let parameters = [
                        ("routineName", &*routine),
                        ("parameterName", &*super::quoted(&parameters[at].name)),
                        ("index", &*at.to_string()),
                    ];
                    return Err(SparkError::analysis("REQUIRED_PARAMETER_NOT_FOUND", &parameters));
                }
            }
        }
        Ok(out)
    }

    /// The value after DEFAULT, which reads no column.
    fn default_argument(&self, text: &str) -> Result<Expr> {
        let parsed = parser::parse_expression(self.session, text)?;
        Analyzer::new(self.session).expr(parsed, &Scope::default()).map(trim_all_aliases)
    }

    /// The parameters as columns: arguments, and defaults for those that have none, cast to their types.
    fn inputs(&self, function: &SqlFunction, args: Vec<Expr>) -> Result<Vec<Expr>> {
        let ansi = function.settings.get("spark.sql.ansi.enabled").is_none_or(|set| set == "true");
        let cast = |child: Expr, to: &DataType| {
            let mode = crate::functions::coercion::eval_mode(ansi);
            let cast = Expr::Cast { child: Box::new(child), to: to.clone(), mode, implicit: true, site: self.site() };
            self.check_cast(&cast).map(|()| cast)
        };
        let mut args = args.into_iter();
        let mut out = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            let value = match (args.next(), &parameter.default) {
                (Some(arg), _) => arg,
                (None, Some(default)) => cast(self.default_argument(default)?, &parameter.data_type)?,
                (None, None) => return Err(SparkError::internal("an argument is missing")),
            };
            out.push(cast(value, &parameter.data_type)?.alias(&parameter.name));
        }
        Ok(out)
    }

    /// An analyzer for a body, which sees nothing of the query around the call.
    fn for_body(&self, function: &SqlFunction) -> Result<Analyzer<'_>> {
        if self.depth >= DEEPEST {
            return Err(SparkError::not_yet("SQL functions that call each other without end"));
        }
        let mut inner = Analyzer::new(self.session);
        for (key, value) in &function.settings {
            inner.conf.set_initial(key, value)?;
        }
        inner.zone = Arc::new((inner.conf.time_zone_id().to_owned(), inner.conf.time_zone().clone()));
        inner.depth = self.depth + 1;
        Ok(inner)
    }

    /// The body of a scalar function over its parameters.
    pub(crate) fn sql_body(&mut self, function: &SqlFunction, inputs: &[Expr]) -> Result<Expr> {
        let mut inner = self.for_body(function)?;
        let body = if function.is_query {
            Expr::ScalarSubquery(query_of(self.session, &function.body)?)
        } else {
            parser::parse_expression(self.session, &function.body)?
        };
        let body = trim_all_aliases(inner.expr(body, &Scope::over(parameters(function, inputs)))?);
        let called = inner.calls_sql_functions;
        self.calls_sql_functions |= called;
        match &function.returns {
            FunctionReturn::Value(to) if body.data_type() != *to => {
                let mode = crate::functions::coercion::eval_mode(self.conf.ansi());
                let cast =
                    Expr::Cast { child: Box::new(body), to: to.clone(), mode, implicit: true, site: self.site() };
                self.check_cast(&cast)?;
                Ok(cast)
            }
            _ => Ok(body),
        }
    }

    /// Puts bodies in the place of the calls whose arguments call nothing; their arguments go to `inputs`.
    fn expanded(&mut self, expr: Expr, inputs: &mut Vec<Expr>) -> Result<Expr> {
        let Some(function) = sql_function_of(&expr).cloned() else {
            return expr.try_map_children(&mut |child| self.expanded(child, inputs));
        };
        let Expr::Call(call) = expr else { return Err(SparkError::internal("a SQL function is called")) };
        if any_call(&call.args) {
            return Expr::Call(call).try_map_children(&mut |child| self.expanded(child, inputs));
        }
        let around = std::mem::replace(&mut self.origin, call.site.origin.clone());
        let own = self.inputs(&function, call.args)?;
        let body = self.sql_body(&function, &own)?;
        self.origin = around;
        let columns = own.iter().map(|input| Expr::Attribute(input.to_attribute())).collect();
        inputs.extend(own);
        Ok(sql_function_body(&function.name, body, columns))
    }

    /// A list without calls, over a child that has their arguments.
    fn list_without_calls(&mut self, mut list: Vec<Expr>, mut child: PlanRef) -> Result<(Vec<Expr>, PlanRef)> {
        while any_call(&list) {
            let mut inputs = Vec::new();
            list = list.into_iter().map(|item| self.expanded(item, &mut inputs)).collect::<Result<_>>()?;
            child = with_columns(child, inputs);
        }
        Ok((list, child))
    }

    /// A resolved plan without calls of SQL functions.
    pub(super) fn without_sql_functions(&mut self, plan: PlanRef) -> Result<PlanRef> {
        let called = |node: &LogicalPlan| {
            let mut found = false;
            node.for_each_expression(&mut |expr| found |= calls(expr));
            found
        };
        if !plan.any(&called) {
            return Ok(plan);
        }
        let here = called(&plan);
        let node = Arc::unwrap_or_clone(plan).try_map_children(&mut |child| self.without_sql_functions(child))?;
        match node {
            LogicalPlan::Project { list, child } if here => {
                let (list, child) = self.list_without_calls(list, child)?;
                let (list, child) = self.join_list_scalars(list, child)?;
                Ok(Arc::new(LogicalPlan::Project { list, child }))
            }
            LogicalPlan::Filter { condition, child } if here => {
                let columns = columns_of(&child);
                let (mut list, below) = self.list_without_calls(vec![condition], child)?;
                let condition = list.pop().unwrap_or_else(|| Expr::bool(true));
                Ok(only(columns, self.rewrite_subqueries(condition, &below)?))
            }
            LogicalPlan::Aggregate { grouping, list, child } if here => self.aggregate_calls(grouping, list, child),
            LogicalPlan::Join(join) if here => self.join_calls(join),
            LogicalPlan::Window { .. } if here && !calls_as_window(&node) => self.window_calls(node),
            node if here => {
                let mut refused = None;
                node.for_each_expression(&mut |expr| {
                    expr.visit(&mut |inner| {
                        if let (Some(function), Expr::Call(call)) = (sql_function_of(inner), inner) {
                            refused.get_or_insert_with(|| (function.name.clone(), call.site.origin.clone()));
                        }
                    });
                });
                let (name, origin) = refused.unwrap_or_default();
                self.origin = origin;
                Err(self.refused_in(&name, &node_name(&node)))
            }
            node => Ok(Arc::new(node)),
        }
    }

    /// UNSUPPORTED_SQL_UDF_USAGE.
    fn refused_in(&self, function: &str, node: &str) -> SparkError {
        let parts: Vec<String> = function.split('.').map(str::to_owned).collect();
        let parameters = [("functionName", &*super::quote_parts(&parts)), ("nodeName", node)];
        self.at_place(SparkError::analysis("UNSUPPORTED_SQL_UDF_USAGE", &parameters))
    }

    /// LIMIT and its like take no SQL function.
    pub(super) fn refuse_sql_function(&mut self, expr: &Expr, node: &str) -> Result<()> {
        let mut found = None;
        expr.visit(&mut |inner| {
            if let (Some(function), Expr::Call(call)) = (sql_function_of(inner), inner) {
                found.get_or_insert_with(|| (function.name.clone(), call.site.origin.clone()));
            }
        });
        let Some((name, origin)) = found else { return Ok(()) };
        self.origin = origin;
        Err(self.refused_in(&name, node))
    }

    /// Window functions over calls: the arguments become columns below.
    fn window_calls(&mut self, mut node: LogicalPlan) -> Result<PlanRef> {
        let columns = node.output().into_iter().map(Expr::Attribute).collect();
        let mut called = true;
        while called {
            let mut inputs = Vec::new();
            node = node.try_map_expressions(&mut |expr| self.expanded(expr, &mut inputs))?;
            node = node.map_children(&mut |child| with_columns(child, std::mem::take(&mut inputs)));
            called = false;
            node.for_each_expression(&mut |expr| called |= calls(expr));
        }
        Ok(only(columns, Arc::new(node)))
    }

    /// Nothing stands for a SQL function in a table of constants.
    pub(super) fn refuse_cell(&mut self, cell: &Expr) -> Result<()> {
        if !calls(cell) {
            return Ok(());
        }
        if let Expr::Call(call) = cell {
            self.origin = call.site.origin.clone();
        }
        let condition = "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE";
        let error = SparkError::analysis(condition, &[("expr", &crate::expr::quoted_sql(cell))]);
        Err(self.at_place(error))
    }

    /// An aggregation: keys that call become columns below it, calls in aggregates get their arguments there, all others are
    /// made of the aggregation's columns above it.
    fn aggregate_calls(&mut self, grouping: Vec<Expr>, list: Vec<Expr>, child: PlanRef) -> Result<PlanRef> {
        let (mut grouping, mut list, mut child) = (grouping, list, child);
        if any_call(&grouping) {
            let mut keys: Vec<(Expr, Expr)> = Vec::new();
            for key in grouping.iter().filter(|key| calls(key)) {
                let name = match sql_function_of(key) {
                    Some(function) => function.own_name().to_owned(),
                    None => key.pretty_sql(),
                };
                keys.push((key.clone(), key.clone().alias(&name)));
            }
            let as_columns = |expr: Expr| {
                expr.transform_down(&mut |inner| {
                    // An alias keeps its name.
                    let known =
                        keys.iter().find(|(key, _)| !matches!(inner, Expr::Alias(_)) && key.semantic_eq(&inner));
                    known.map_or(inner, |(_, column)| Expr::Attribute(column.to_attribute()))
                })
            };
            grouping = grouping.into_iter().map(as_columns).collect();
            list = list.into_iter().map(as_columns).collect();
            let mut columns = columns_of(&child);
            columns.extend(keys.iter().map(|(_, column)| column.clone()));
            let (columns, below) = self.list_without_calls(columns, child)?;
            child = Arc::new(LogicalPlan::Project { list: columns, child: below });
        }
        let mut inner = Vec::new();
        let outer: Vec<Expr> = list.into_iter().map(|item| lift(item, &grouping, &mut inner)).collect();
        let (inner, child) = self.list_without_calls(inner, child)?;
        let aggregate = Arc::new(LogicalPlan::Aggregate { grouping, list: inner, child });
        let (list, child) = self.list_without_calls(outer, aggregate)?;
        let (list, child) = self.join_list_scalars(list, child)?;
        Ok(Arc::new(LogicalPlan::Project { list, child }))
    }

    /// A join whose condition calls: the arguments become columns of the side that they read.
    fn join_calls(&mut self, join: Join) -> Result<PlanRef> {
        let Join { mut left, mut right, kind, condition } = join;
        let JoinCondition::On(mut on) = condition else {
            return Ok(Arc::new(LogicalPlan::Join(Join { left, right, kind, condition })));
        };
        let narrow = matches!(kind, JoinKind::LeftSemi | JoinKind::LeftAnti);
        let mut columns = columns_of(&left);
        if !narrow {
            columns.extend(columns_of(&right));
        }
        while calls(&on) {
            let mut inputs = Vec::new();
            let call = on.clone();
            on = self.expanded(on, &mut inputs)?;
            let ids = right.output_ids();
            let (of_right, of_left): (Vec<Expr>, Vec<Expr>) =
                inputs.into_iter().partition(|input| input.references().iter().any(|id| ids.contains(id)));
            let left_ids = left.output_ids();
            if of_right.iter().any(|input| input.references().iter().any(|id| left_ids.contains(id))) {
                self.refuse_sql_function(&call, "Join")?;
            }
            left = with_columns(left, of_left);
            right = with_columns(right, of_right);
        }
        let condition = JoinCondition::On(on);
        Ok(only(columns, Arc::new(LogicalPlan::Join(Join { left, right, kind, condition }))))
    }

    /// A call of a SQL function in FROM, over the plan whose columns its arguments may read.
    pub(super) fn sql_table(
        &mut self,
        function: &SqlFunction,
        call: UnresolvedFunction,
        qualifier: Option<String>,
        names: &[String],
        child: &PlanRef,
    ) -> Result<PlanRef> {
        let FunctionReturn::Table(Some(returns)) = &function.returns else {
            let name = super::quoted(&call.name);
            return Err(self.at_place(SparkError::analysis("NOT_A_TABLE_FUNCTION", &[("functionName", &name)])));
        };
        if !names.is_empty() && names.len() != returns.fields.len() {
            return Err(SparkError::analysis(
                "NUM_TABLE_VALUE_ALIASES_MISMATCH",
                &[
                    ("funcName", &super::quoted(&call.name)),
                    ("aliasesNum", &names.len().to_string()),
                    ("outColsNum", &returns.fields.len().to_string()),
                ],
            ));
        }
        let scope = self.scope(child);
        let args =
            call.args.into_iter().map(|arg| self.expr(arg, &scope).map(trim_all_aliases)).collect::<Result<_>>()?;
        let args = self.bound_arguments(function, args, &call.arg_names)?;
        let inputs = self.inputs(function, args)?;
        let left = with_columns(child.clone(), inputs.clone());
        let query = query_of(self.session, &function.body)?;
        let mut inner = self.for_body(function)?;
        let right = inner.inner_plan(&query, &Scope::over(parameters(function, &inputs)))?;
        let columns = right.output();
        let join =
            Join { left: left.clone(), right: right.clone(), kind: JoinKind::Inner, condition: JoinCondition::None };
        let joined = self.lateral_over(&join, left, right)?;
        let name = qualifier.unwrap_or_else(|| function.own_name().to_owned());
        let mut list = columns_of(child);
        for (place, (column, field)) in columns.into_iter().zip(&returns.fields).enumerate() {
            let mode = crate::functions::coercion::eval_mode(self.conf.ansi());
            let (to, site) = (field.data_type.clone(), self.site());
            let cast = Expr::Cast { child: Box::new(Expr::Attribute(column)), to, mode, implicit: true, site };
            self.check_cast(&cast)?;
            let mut column = cast.alias(names.get(place).unwrap_or(&field.name));
            if let Expr::Alias(alias) = &mut column {
                alias.qualifier = vec![name.clone()];
            }
            list.push(column);
        }
        self.without_sql_functions(Arc::new(LogicalPlan::Project { list, child: joined }))
    }
}

/// Whether a SQL function stands where a window function should.
fn calls_as_window(node: &LogicalPlan) -> bool {
    let mut found = false;
    node.for_each_expression(&mut |expr| {
        found |= expr.any(&|inner| matches!(inner, Expr::Window(call) if sql_function_of(&call.function).is_some()));
    });
    found
}

/// The parameters' columns under the function's name.
fn parameters(function: &SqlFunction, inputs: &[Expr]) -> Vec<Arc<Attribute>> {
    let qualifier = vec![function.own_name().to_owned()];
    inputs
        .iter()
        .map(|input| Arc::new(Attribute { qualifier: qualifier.clone(), ..(*input.to_attribute()).clone() }))
        .collect()
}

/// A body that is a query.
pub(crate) fn query_of(session: &crate::session::SqlSession, text: &str) -> Result<PlanRef> {
    match parser::parse_statement(session, text, &Parameters::default())? {
        Statement::Query(plan) => Ok(plan),
        Statement::Command(_) => Err(SparkError::internal("the body of a function is a query")),
    }
}
