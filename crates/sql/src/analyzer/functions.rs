//! Function calls: stars in arguments, lambdas, the functions that the analyzer itself expands, and the registry.

use std::sync::Arc;

use super::Analyzer;
use super::expressions::resolve_spec;
use super::names;
use super::scope::Scope;
use crate::error::{Result, SparkError};
use crate::expr::{Call, Expr, ExprId, LambdaVariable, PythonUdf, UnresolvedFunction, WindowSpec};
use crate::functions::registry::{self, Invocation};
use crate::types::DataType;
use crate::value::Value;

/// Kernel of functions that stand for something the analyzer puts in their place; evaluating one is a broken invariant.
#[derive(Debug)]
pub(super) struct Placeholder;

impl crate::functions::Kernel for Placeholder {
    fn evaluate(
        &self,
        _args: &[arrow::array::ArrayRef],
        _rows: usize,
        _ctx: &crate::functions::EvalContext<'_>,
    ) -> Result<arrow::array::ArrayRef> {
        Err(SparkError::internal("a grouping function was left in an analysed plan"))
    }
}

/// Names under which the functions resolved here can be called.
pub(super) const GROUPING: [&str; 2] = ["grouping", "grouping_id"];

impl Analyzer<'_> {
    /// A registry function over resolved arguments.
    pub(super) fn call(&self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        let call = Invocation {
            name: name.to_owned(),
            args,
            arg_names: Vec::new(),
            distinct: false,
            filter: None,
            ignore_nulls: false,
            within_group: Vec::new(),
        };
        registry::resolve(call, &self.conf)
    }

    pub(super) fn function(&mut self, mut call: UnresolvedFunction, scope: &Scope) -> Result<Expr> {
        match call.over.take() {
            None => self.plain_function(call, scope),
            Some(spec) => {
                let function = self.plain_function(call, scope)?;
                self.window_expression(function, spec, scope)
            }
        }
    }

    /// A call without its OVER clause.
    pub(super) fn plain_function(&mut self, call: UnresolvedFunction, scope: &Scope) -> Result<Expr> {
        let lower = call.name.to_lowercase();
        if lower == super::OUTER {
            return self.outer_column(call.args, scope);
        }
        if matches!(lower.as_str(), "current_database" | "current_schema") && call.args.is_empty() {
            return Ok(crate::functions::current_schema(self.session.catalog.borrow().current_database()));
        }
        if lower == "count"
            && !call.distinct
            && let [star] = call.args.as_slice()
            && matches!(strip_origin(star), Expr::UnresolvedStar(parts) if parts.is_empty())
        {
            let one = Expr::literal(Value::Integer(1), DataType::Integer);
            return self.plain_function(UnresolvedFunction { args: vec![one], ..call }, scope);
        }
        if lower == "count"
            && let [star] = call.args.as_slice()
            && let Expr::UnresolvedStar(parts) = strip_origin(star)
            && !parts.is_empty()
            && !scope.columns.iter().any(|column| self.conf.same_name(&column.name, &parts[0]))
        {
            let name = super::quote_parts(parts);
            let condition = "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT";
            return Err(SparkError::analysis(condition, &[("tableName", &name)]));
        }
        // HAVING and ORDER BY over an aggregation: arguments of aggregate functions are columns below it.
        if let Some(below) = self.having.clone() {
            let below_scope = Scope::over(below);
            self.having = None;
            let attempt = self.resolve_call(call.clone(), &lower, &below_scope);
            self.having = Some(below_scope.columns);
            if let Ok(found @ Expr::Aggregate(_)) = attempt {
                return Ok(found);
            }
        }
        self.resolve_call(call, &lower, scope)
    }

    /// `Column.outer`: looked up in the enclosing queries only, innermost first.
    fn outer_column(&mut self, mut args: Vec<Expr>, scope: &Scope) -> Result<Expr> {
        let inner = args.pop().ok_or_else(|| SparkError::internal("a column of the enclosing query"))?;
        let Expr::UnresolvedAttribute(parts) = strip_origin(&inner) else { return self.expr(inner, scope) };
        for columns in self.outer.clone().iter().rev() {
            if let Some(found) = self.try_column(columns, parts)? {
                return Ok(found);
            }
        }
        let known = self.outer.last().cloned().unwrap_or_default();
        Err(names::unresolved_column(parts, &known))
    }

    fn resolve_call(&mut self, mut call: UnresolvedFunction, lower: &str, scope: &Scope) -> Result<Expr> {
        let mut args = Vec::new();
        let mut lambdas = Vec::new();
        for arg in std::mem::take(&mut call.args) {
            match strip_origin(&arg) {
                Expr::UnresolvedStar(_) | Expr::UnresolvedRegex(_) => {
                    for column in self.expand_star(strip_origin(&arg), &scope.columns, lower)? {
                        args.push(column);
                    }
                }
                Expr::UnresolvedLambda { .. } => {
                    let origin = match &arg {
                        Expr::At { origin, .. } => Some(origin.clone()),
                        _ => None,
                    };
                    lambdas.push((args.len(), origin));
                    args.push(strip_origin(&arg).clone());
                }
                _ => args.push(self.expr(arg, scope)?),
            }
        }
        self.constant_lambdas(lower, &mut args);
        for (position, origin) in lambdas {
            let Expr::UnresolvedLambda { params, body } = args[position].clone() else { continue };
            let types = lambda_parameters(lower, &args, position, params.len());
            if types.is_none() && HIGHER_ORDER.contains(&lower) {
                return Err(self.lambda_refused(lower, &args, position, origin));
            }
            let Some(types) = types else {
                // The expression's class is named as its function, as far as one can tell.
                let mut letters = lower.chars();
                let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
                let class = format!("org.apache.spark.sql.catalyst.expressions.{first}{}", letters.as_str());
                return Err(self.at_place(SparkError::analysis(
                    "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
                    &[("class", &class)],
                )));
            };
            let variables: Vec<LambdaVariable> = params
                .iter()
                .zip(types)
                .map(|(name, (data_type, nullable))| LambdaVariable {
                    id: ExprId::fresh(),
                    name: name.clone(),
                    data_type,
                    nullable,
                })
                .collect();
            let mut inner = scope.clone();
            inner.lambdas.extend(variables.iter().cloned());
            // An alias around the whole shows.
            let aliased = matches!(strip_origin(&body), Expr::Alias(_));
            let body = match self.expr(*body, &inner)? {
                Expr::Alias(mut alias) if aliased => {
                    alias.child = names::trim_argument(alias.child);
                    Expr::Alias(alias)
                }
                body => names::trim_argument(body),
            };
            args[position] = Expr::Lambda { params: variables, body: Box::new(body) };
        }
        // struct() names its fields by the aliases of its arguments, and shows those that the user gave.
        let args: Vec<Expr> = if matches!(lower, "struct" | "$row") {
            args.into_iter().map(names::trim_argument_of_struct).collect()
        } else if matches!(lower, "window" | "session_window" | "window_time") {
            args
        } else {
            args.into_iter().map(names::trim_argument).collect()
        };
        match lower {
            "window" if !args.is_empty() => return self.time_window(&args),
            "session_window" if args.len() == 2 => return self.session_window(args),
            "window_time" if args.len() == 1 => return super::time_windows::window_time(&args[0]),
            _ if has_generator(&args) => return Err(nested_generator(call.name, args)),
            name if GROUPING.contains(&name) => return Ok(grouping_placeholder(name, args)),
            _ => {}
        }
        let udf = self.session.catalog.borrow().function(lower).cloned();
        if let Some(udf) = udf {
            return Ok(Expr::PythonUdf(Box::new(PythonUdf { args, arg_names: call.arg_names, ..udf })));
        }
        if let Some(function) = self.sql_function(&call.name) {
            return self.sql_call(function, UnresolvedFunction { args: Vec::new(), ..call }, args, scope);
        }
        if self.session.catalog.borrow().table_function(lower).is_some() {
            let name = format!("`{}`", call.name);
            return Err(self.at_place(SparkError::analysis("NOT_A_SCALAR_FUNCTION", &[("functionName", &name)])));
        }
        let filter = call.filter.map(|filter| self.expr(filter, scope).map(names::trim_all_aliases)).transpose()?;
        let mut within_group = Vec::new();
        for order in call.within_group {
            if let Expr::SortOrder(order) = self.expr(Expr::SortOrder(Box::new(order)), scope)? {
                within_group.push(*order);
            }
        }
        let nested = args.iter().any(|arg| arg.any(&|inner| matches!(inner, Expr::Window(_))));
        let (name, count) = (call.name.clone(), args.len());
        let resolved = registry::resolve(
            Invocation {
                name: call.name,
                args,
                arg_names: call.arg_names,
                distinct: call.distinct,
                filter,
                ignore_nulls: call.ignore_nulls,
                within_group,
            },
            &self.conf,
        )
        .map_err(|error| match error.condition.as_deref() {
            Some("UNSUPPORTED_TIME_TYPE" | "WRONG_NUM_ARGS.WITH_SUGGESTION") => error,
            Some(condition)
                if condition.starts_with("DATATYPE_MISMATCH") || condition.starts_with("INVALID_FORMAT.") =>
            {
                error
            }
            // Counts that only the expression itself finds wrong have no place.
            Some(condition)
                if condition.starts_with("WRONG_NUM_ARGS")
                    && (registry::takes(&name, count) || COUNTED_LATE.contains(&lower)) =>
            {
                error
            }
            _ => self.at_place(error),
        })?;
        if nested && matches!(resolved, Expr::Aggregate(_)) {
            return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1031", &[]));
        }
        Ok(resolved)
    }

    /// What stands where a lambda should is its body: it gives the same for every element.
    fn constant_lambdas(&self, name: &str, args: &mut [Expr]) {
        let wanted: &[(usize, usize)] = match name {
            "transform" | "filter" | "exists" | "forall" => &[(1, 1)],
            "array_sort" | "transform_keys" | "transform_values" | "map_filter" => &[(1, 2)],
            "zip_with" => &[(2, 2)],
            "map_zip_with" => &[(2, 3)],
            "aggregate" | "reduce" => &[(2, 2), (3, 1)],
            _ => return,
        };
        for (position, count) in wanted {
            let Some(body) = args.get(*position).filter(|arg| !matches!(arg, Expr::UnresolvedLambda { .. })) else {
                continue;
            };
            let body = names::trim_all_aliases(body.clone());
            let Some(types) = lambda_parameters(name, args, *position, *count) else { continue };
            let variable = |(i, (data_type, nullable)): (usize, (DataType, bool))| LambdaVariable {
                id: ExprId::fresh(),
                name: format!("col{i}"),
                data_type,
                nullable,
            };
            let params = types.into_iter().enumerate().map(variable).collect();
            args[*position] = Expr::Lambda { params, body: Box::new(body) };
        }
    }

    /// A lambda that its function cannot bind: an argument before it is no array or map, or it has too many parameters.
    fn lambda_refused(
        &mut self,
        name: &str,
        args: &[Expr],
        position: usize,
        origin: Option<Arc<crate::expr::Origin>>,
    ) -> SparkError {
        let maps = name.starts_with("map_") || matches!(name, "transform_keys" | "transform_values");
        let wanted = |data_type: &DataType| match data_type {
            DataType::Map { .. } => maps,
            DataType::Array { .. } => !maps,
            _ => false,
        };
        let inputs = if matches!(name, "zip_with" | "map_zip_with") { 2 } else { 1 };
        for (i, arg) in args.iter().enumerate().take(inputs) {
            if !wanted(&arg.data_type()) {
                let call = crate::functions::describe::unresolved(name, args);
                let required = if maps { "\"MAP\"" } else { "\"ARRAY\"" };
                return crate::functions::coercion::unexpected_input(&call.pretty_sql(), i, required, arg);
            }
        }
        let Some(Expr::UnresolvedLambda { params, .. }) = args.get(position) else {
            return SparkError::internal("a lambda without parameters");
        };
        let takes = match (name, position) {
            ("aggregate" | "reduce", 3) | ("exists" | "any_match" | "forall" | "all_match", _) => 1,
            ("map_zip_with", _) => 3,
            ("transform" | "filter", _) => 1,
            _ => 2,
        };
        let (expected, actual) = (params.len().to_string(), takes.to_string());
        let error = SparkError::analysis(
            "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
            &[("expectedNumArgs", &expected), ("actualNumArgs", &actual)],
        );
        // The place is the lambda's.
        let own = self.origin.clone();
        self.origin = origin.or(own.clone());
        let error = self.at_place(error);
        self.origin = own;
        error
    }

    /// `function OVER (spec)` with the frame that Spark puts in.
    pub(super) fn window_expression(&mut self, function: Expr, spec: WindowSpec, scope: &Scope) -> Result<Expr> {
        let spec = resolve_spec(self, spec, scope)?;
        super::windows::window_expression(self, function, spec)
    }
}

/// Whether a generator stands among arguments.
fn has_generator(args: &[Expr]) -> bool {
    args.iter().any(|arg| matches!(arg, Expr::Generator(_)))
}

/// UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS; the parameter "plan" is how plans print the expression.
fn nested_generator(name: String, args: Vec<Expr>) -> SparkError {
    let call = crate::functions::describe::unresolved(&name, &args);
    SparkError::analysis(
        "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
        &[("expression", &crate::expr::quoted_sql(&call)), ("plan", call.plan_string().trim_start_matches('\''))],
    )
}

/// The expression without its place in the text.
pub(super) fn strip_origin(expr: &Expr) -> &Expr {
    match expr {
        Expr::At { child, .. } => strip_origin(child),
        other => other,
    }
}

fn grouping_placeholder(name: &str, args: Vec<Expr>) -> Expr {
    let data_type = if name == "grouping" { DataType::Byte } else { DataType::Long };
    Expr::Call(Box::new(Call {
        name: name.into(),
        args,
        data_type,
        nullable: false,
        deterministic: true,
        kernel: Arc::new(Placeholder),
        seed: None,
        site: crate::expr::Site::default(),
    }))
}

fn element_of(expr: &Expr) -> Option<(DataType, bool)> {
    match expr.data_type() {
        DataType::Array { element, contains_null } => Some(((*element).clone(), contains_null)),
        _ => None,
    }
}

fn entries_of(expr: &Expr) -> Option<((DataType, bool), (DataType, bool))> {
    match expr.data_type() {
        DataType::Map { key, value, value_contains_null } => {
            Some((((*key).clone(), false), ((*value).clone(), value_contains_null)))
        }
        _ => None,
    }
}

/// Functions that take lambdas.
/// Functions whose expressions count their arguments themselves (checkInputDataTypes).
const COUNTED_LATE: [&str; 9] =
    ["greatest", "least", "coalesce", "hash", "xxhash64", "concat_ws", "elt", "json_tuple", "parse_url"];

const HIGHER_ORDER: [&str; 14] = [
    "transform",
    "filter",
    "exists",
    "any_match",
    "forall",
    "all_match",
    "aggregate",
    "reduce",
    "zip_with",
    "map_filter",
    "transform_keys",
    "transform_values",
    "map_zip_with",
    "array_sort",
];

/// Types of the parameters of the lambda at `position` (HigherOrderFunction.bind); None when the function takes none.
fn lambda_parameters(name: &str, args: &[Expr], position: usize, count: usize) -> Option<Vec<(DataType, bool)>> {
    let first = args.first()?;
    let mut types = match name {
        "transform" | "filter" => {
            vec![element_of(first)?, (DataType::Integer, false)]
        }
        "exists" | "any_match" | "forall" | "all_match" => vec![element_of(first)?],
        "aggregate" | "reduce" => {
            // Nothing in what is gathered can be held to be there.
            let gathered = (args.get(1)?.data_type().as_nullable(), true);
            if position == 2 { vec![gathered, element_of(first)?] } else { vec![gathered] }
        }
        "zip_with" => {
            let (left, right) = (element_of(first)?, element_of(args.get(1)?)?);
            vec![(left.0, true), (right.0, true)]
        }
        "map_filter" | "transform_keys" | "transform_values" => {
            let (key, value) = entries_of(first)?;
            vec![key, value]
        }
        "map_zip_with" => {
            let (key, left) = entries_of(first)?;
            let (_, right) = entries_of(args.get(1)?)?;
            vec![key, (left.0, true), (right.0, true)]
        }
        "array_sort" => {
            let element = element_of(first)?;
            vec![element.clone(), element]
        }
        _ => return None,
    };
    // Only the position in the array may be left out.
    let fits = if matches!(name, "transform" | "filter") { types.len() >= count } else { types.len() == count };
    types.truncate(count.max(1));
    fits.then_some(types)
}
