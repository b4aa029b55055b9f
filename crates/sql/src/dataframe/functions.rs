//! CREATE FUNCTION, DROP FUNCTION and DESCRIBE FUNCTION of SQL functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::analyzer::{Analyzer, Scope, query_of, quoted};
use crate::catalog::{FunctionParameter, FunctionReturn, SqlFunction, split};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr};
use crate::functions::datetime::pattern::Pattern;
use crate::functions::datetime::zone::Zone;
use crate::parser::{FunctionDefinition, parse_expression};
use crate::plan::LogicalPlan;
use crate::session::SqlSession;
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

/// Settings (by prefix) that do not go with a function's body.
const NOT_KEPT: [&str; 6] = [
    "spark.sql.view.maxNestedViewDepth",
    "spark.sql.optimizer.",
    "spark.sql.codegen.",
    "spark.sql.execution.",
    "spark.sql.shuffle.",
    "spark.sql.adaptive.",
];

/// CREATE FUNCTION.
pub(super) fn create(session: &SqlSession, definition: FunctionDefinition) -> Result<()> {
    let FunctionDefinition { name, temporary, replace, if_not_exists, parameters, .. } = &definition;
    // Names in the catalog are in lower case, those of the session as they are written.
    let own = name.last().cloned().unwrap_or_default();
    let own = if *temporary { own } else { own.to_lowercase() };
    check_parameters(&own, parameters)?;
    let key = if *temporary { own.to_lowercase() } else { session.catalog.borrow().table_name(name)?.to_lowercase() };
    let (database, _) = split(&key);
    let shown = if *temporary { own.clone() } else { format!("spark_catalog.{database}.{own}") };
    let catalog = session.catalog.borrow();
    let known = if *temporary { catalog.has_sql_function(&key) } else { catalog.has_saved_function(&key) };
    drop(catalog);
    if known && *if_not_exists {
        return Ok(());
    }
    if known && !replace {
        let routine = if *temporary { quoted(&own) } else { format!("{}.{}", quoted(database), quoted(&own)) };
        let kinds = [("newRoutineType", "routine"), ("existingRoutineType", "routine")];
        return Err(SparkError::analysis("ROUTINE_ALREADY_EXISTS", &[("routineName", &*routine), kinds[0], kinds[1]]));
    }
    let function = analysed(session, shown, definition.clone()).map_err(|error| recursive(error, &own))?;
    let mut catalog = session.catalog.borrow_mut();
    if *temporary {
        catalog.set_sql_function(&key, function)
    } else {
        catalog.save_function(&key, function)
    }
    Ok(())
}

/// A body does not see the function that it is of.
fn recursive(error: SparkError, own: &str) -> SparkError {
    let unknown = error.condition.as_deref() == Some("UNRESOLVED_ROUTINE");
    if unknown && error.parameters.get("routineName").is_some_and(|name| name.eq_ignore_ascii_case(&quoted(own))) {
        return not_found(&format!("`default`.{}", quoted(own)));
    }
    error
}

fn not_found(routine: &str) -> SparkError {
    SparkError::analysis("ROUTINE_NOT_FOUND", &[("routineName", routine)])
}

fn check_parameters(own: &str, parameters: &[FunctionParameter]) -> Result<()> {
    if let Some(text) = parameters.iter().find_map(|parameter| parameter.not_null.as_deref()) {
        let condition = "USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS";
        return Err(SparkError::analysis(condition, &[("input", text)]));
    }
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = parameters
        .iter()
        .filter(|parameter| !seen.insert(parameter.name.to_lowercase()))
        .map(|parameter| quoted(&parameter.name.to_lowercase()))
        .collect();
    if !twice.is_empty() {
        let parameters = [("routineName", own), ("names", &*twice.join(", "))];
        return Err(SparkError::analysis("DUPLICATE_ROUTINE_PARAMETER_NAMES", &parameters));
    }
    for pair in parameters.windows(2) {
        if pair[0].default.is_some() && pair[1].default.is_none() {
            return Err(SparkError::analysis(
                "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
                &[("functionName", own), ("parameterName", &pair[0].name), ("nextParameterName", &pair[1].name)],
            ));
        }
    }
    Ok(())
}

/// Settings that the body is read with whenever it is called.
fn settings(session: &SqlSession) -> BTreeMap<String, String> {
    let conf = session.conf.borrow();
    let kept = |key: &str| key.starts_with("spark.sql.") && !NOT_KEPT.iter().any(|prefix| key.starts_with(prefix));
    let set = conf.all_set().filter(|(key, _)| kept(key)).map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut settings: BTreeMap<String, String> = set.collect();
    settings.insert("spark.sql.artifact.isolation.enabled".to_owned(), "false".to_owned());
    settings.insert("spark.sql.ansi.enabled".to_owned(), conf.ansi().to_string());
    settings.insert("spark.sql.session.timeZone".to_owned(), conf.time_zone_id().to_owned());
    settings
}

/// The function with its body checked, and with the type that it gives.
fn analysed(session: &SqlSession, name: String, definition: FunctionDefinition) -> Result<SqlFunction> {
    let FunctionDefinition { parameters, returns, comment, deterministic, reads, body, is_query, .. } = definition;
    let mut function = SqlFunction {
        name,
        parameters,
        returns: returns.clone().unwrap_or(FunctionReturn::Value(DataType::Null)),
        body,
        is_query,
        comment,
        deterministic: true,
        reads: reads.unwrap_or(false),
        settings: settings(session),
        created: session.clock.now_us(),
    };
    let own = function.own_name().to_owned();
    let inputs: Vec<Expr> = function
        .parameters
        .iter()
        .map(|parameter| {
            let mut input = Expr::literal(Value::Null, parameter.data_type.clone()).alias(&parameter.name);
            if let Expr::Alias(alias) = &mut input {
                alias.qualifier = vec![own.clone()];
            }
            input
        })
        .collect();
    let columns: Vec<Arc<Attribute>> = inputs.iter().map(Expr::to_attribute).collect();
    let scope = Scope::over(columns);
    let mut analyzer = Analyzer::new(session);
    if let FunctionReturn::Table(wanted) = &function.returns {
        if !function.is_query {
            let condition = "USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY";
            return Err(SparkError::analysis(condition, &[("name", &own)]));
        }
        let plan = analyzer.inner_plan(&query_of(session, &function.body)?, &scope)?;
        let output = plan.output();
        let fields = match wanted {
            Some(wanted) if wanted.fields.len() != output.len() => {
                return Err(SparkError::analysis(
                    "USER_DEFINED_FUNCTIONS.RETURN_COLUMN_COUNT_MISMATCH",
                    &[
                        ("outputSize", &output.len().to_string()),
                        ("returnParamSize", &wanted.fields.len().to_string()),
                        ("name", &own),
                    ],
                ));
            }
            Some(wanted) => wanted.fields.clone(),
            None => output.iter().map(|c| StructField::new(c.name.to_string(), c.data_type.clone(), true)).collect(),
        };
        function.returns = FunctionReturn::Table(Some(StructType { fields }));
        function.deterministic = deterministic.unwrap_or(true);
        return Ok(function);
    }
    let written = if function.is_query {
        Expr::ScalarSubquery(query_of(session, &function.body)?)
    } else {
        parse_expression(session, &function.body)?
    };
    if let Ok(found) = analyzer.expr(written.clone(), &scope) {
        if found.any(&|inner| matches!(inner, Expr::Generator(_))) {
            let parameters = [("expression", &*crate::expr::quoted_sql(&found))];
            return Err(SparkError::analysis("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", &parameters));
        }
        if found.any(&|inner| matches!(inner, Expr::Aggregate(_) | Expr::Window(_))) {
            let condition = "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS";
            return Err(SparkError::analysis(condition, &[("queryText", &function.body)]));
        }
        function.deterministic = deterministic.unwrap_or_else(|| found.deterministic());
        if returns.is_none() {
            function.returns = FunctionReturn::Value(found.data_type());
        }
    }
    let cast = |child: Expr| match &returns {
        Some(FunctionReturn::Value(to)) => {
            let mode = crate::functions::coercion::eval_mode(session.conf.borrow().ansi());
            let site = crate::expr::Site::default();
            Expr::Cast { child: Box::new(child), to: to.clone(), mode, implicit: true, site }
        }
        _ => child,
    };
    let value = match written {
        Expr::At { child, origin } => {
            let child = Expr::At { child, origin: origin.clone() };
            Expr::At { child: Box::new(cast(child)), origin }
        }
        written => cast(written),
    };
    let below = Arc::new(LogicalPlan::Project { list: inputs, child: Arc::new(LogicalPlan::OneRow) });
    let plan = Arc::new(LogicalPlan::Project { list: vec![value.alias(&own)], child: below });
    Analyzer::new(session).plan(&plan).map_err(|error| below_function(error, &own))?;
    Ok(function)
}

/// The tree that an error shows stands below SQLFunctionNode.
fn below_function(mut error: SparkError, own: &str) -> SparkError {
    if let Some((place, tree)) = error.context.split_once(";\n") {
        let mark = if tree.starts_with('\'') { "'" } else { "" };
        let tree = tree.trim_end_matches('\n').replace('\n', "\n   ");
        error.context = format!("{place};\n{mark}SQLFunctionNode {own}\n+- {tree}\n");
    }
    error
}

/// The tree of a DESCRIBE FUNCTION whose function is not found.
pub(super) fn below_describe(
    session: &SqlSession,
    mut error: SparkError,
    parts: &[String],
    extended: bool,
) -> SparkError {
    if error.condition.as_deref() == Some("UNRESOLVED_ROUTINE") && error.context.ends_with(";\n") {
        let catalog = session.catalog.borrow();
        let mut full = vec!["spark_catalog".to_owned()];
        if parts.len() == 1 {
            full.push(catalog.current_database().to_owned());
        }
        full.extend(parts.iter().filter(|part| *part != "spark_catalog").cloned());
        error.context.push_str(&format!(
            "'DescribeFunction {extended}\n+- 'UnresolvedFunctionName [{}], DESCRIBE FUNCTION, ArraySeq({})\n",
            parts.join(", "),
            full.join(", ")
        ));
    }
    error
}

/// DROP [TEMPORARY] FUNCTION.
pub(super) fn remove(session: &SqlSession, name: &[String], temporary: bool, if_exists: bool) -> Result<()> {
    let own = name.last().map(String::as_str).unwrap_or_default();
    let builtin = name.len() == 1 && crate::functions::registry::lookup(own).is_some();
    let mut catalog = session.catalog.borrow_mut();
    if temporary {
        let dropped = catalog.drop_session_function(own);
        return match dropped || if_exists {
            true => Ok(()),
            false if builtin => Err(forbidden(own)),
            false => Err(not_found(&quoted(&own.to_lowercase()))),
        };
    }
    if builtin {
        return Err(forbidden(own));
    }
    let key = catalog.table_name(name)?.to_lowercase();
    if catalog.drop_saved_function(&key) || if_exists {
        return Ok(());
    }
    let (database, own) = split(&key);
    Err(not_found(&format!("{}.{}", quoted(database), quoted(own))))
}

fn forbidden(name: &str) -> SparkError {
    SparkError::analysis(
        "FORBIDDEN_OPERATION",
        &[("statement", "DROP"), ("objectType", "FUNCTION"), ("objectName", &quoted(name))],
    )
}

/// DESCRIBE FUNCTION of a SQL function; None: there is none of that name.
pub(super) fn describe(session: &SqlSession, parts: &[String], extended: bool) -> Option<Vec<String>> {
    let builtin = matches!(parts, [name] if crate::functions::registry::lookup(name).is_some());
    let function = session.catalog.borrow().sql_function(parts).filter(|_| !builtin)?;
    let mut rows: Vec<(&str, Vec<String>)> = vec![("Function:", vec![function.name.clone()])];
    rows.push(("Type:", vec![if function.is_table() { "TABLE" } else { "SCALAR" }.to_owned()]));
    let parameter = |parameter: &FunctionParameter| {
        let mut text = format!("{} {}", parameter.name, parameter.data_type.sql());
        if let Some(default) = parameter.default.as_ref().filter(|_| extended) {
            text.push_str(&format!(" DEFAULT {default}"));
        }
        if let Some(comment) = parameter.comment.as_ref().filter(|_| extended) {
            text.push_str(&format!(" '{comment}'"));
        }
        text
    };
    let inputs: Vec<String> = function.parameters.iter().map(parameter).collect();
    rows.push(("Input:", if inputs.is_empty() { vec!["()".to_owned()] } else { inputs }));
    rows.push((
        "Returns:",
        match &function.returns {
            FunctionReturn::Value(data_type) => vec![data_type.sql()],
            FunctionReturn::Table(columns) => {
                let fields = columns.iter().flat_map(|columns| &columns.fields);
                fields.map(|field| format!("{} {}", field.name, field.data_type.sql())).collect()
            }
        },
    ));
    if extended {
        rows.extend(function.comment.clone().map(|comment| ("Comment:", vec![comment])));
        rows.push(("Deterministic:", vec![function.deterministic.to_string()]));
        rows.push(("Data Access:", vec![if function.reads { "READS SQL DATA" } else { "CONTAINS SQL" }.to_owned()]));
        rows.push(("Configs:", function.settings.iter().map(|(key, value)| format!("{key}={value}")).collect()));
        let pattern = Pattern::new("EEE MMM dd HH:mm:ss 'UTC' yyyy", false);
        let created = pattern.map(|pattern| pattern.format(function.created, &Zone::UTC));
        rows.push(("Create Time:", created.into_iter().collect()));
        rows.push(("Body:", vec![function.body.clone()]));
    }
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (label, values) in rows {
        for (at, value) in values.into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            lines.push(format!("{label:width$} {value}"));
        }
    }
    Some(lines)
}
