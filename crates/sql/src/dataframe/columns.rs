//! Methods that choose, add, rename and drop columns, and those that keep the columns as they are.

use std::sync::Arc;

use super::{node, parse_attribute_name};
use crate::analyzer::{Analyzer, column_in, interval, quoted};
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Attribute, Expr, SortOrder};
use crate::plan::{LogicalPlan, PlanRef, Spread};
use crate::session::SqlSession;
use crate::types::DataType;
use crate::value::Value;

/// Dataset.select; single strings are [`Expr::UnresolvedAttribute`] or stars.
pub fn select(session: &SqlSession, plan: &PlanRef, exprs: Vec<Expr>) -> Result<PlanRef> {
    node(session, LogicalPlan::Project { list: exprs, child: plan.clone() })
}

pub fn filter(session: &SqlSession, plan: &PlanRef, condition: Expr) -> Result<PlanRef> {
    node(session, LogicalPlan::Filter { condition, child: plan.clone() })
}

/// Replaces columns of these names in place and appends the others.
pub fn with_columns(session: &SqlSession, plan: &PlanRef, names: Vec<String>, exprs: Vec<Expr>) -> Result<PlanRef> {
    let conf = session.conf.borrow().clone();
    for (i, name) in names.iter().enumerate() {
        if names[..i].iter().any(|known| conf.same_name(known, name)) {
            let shown = if conf.case_sensitive() { name.clone() } else { name.to_lowercase() };
            return Err(SparkError::analysis("COLUMN_ALREADY_EXISTS", &[("columnName", &quoted(&shown))]));
        }
    }
    let output = plan.output();
    let mut list = Vec::new();
    for column in &output {
        match names.iter().position(|name| conf.same_name(name, &column.name)) {
            Some(i) => list.push(exprs[i].clone().alias(&names[i])),
            None => list.push(Expr::Attribute(column.clone())),
        }
    }
    for (name, expr) in names.iter().zip(&exprs) {
        if column_in(&output, name, conf.case_sensitive()).is_none() {
            list.push(expr.clone().alias(name));
        }
    }
    let made = select(session, plan, list)?;
    session.parsed.note_with_columns(&made, &names, &exprs, plan);
    Ok(made)
}

/// Names that do not exist are ignored; pairs apply one after the other.
pub fn with_columns_renamed(session: &SqlSession, plan: &PlanRef, pairs: Vec<(String, String)>) -> Result<PlanRef> {
    let conf = session.conf.borrow().clone();
    let output = plan.output();
    let mut list: Vec<Expr> = output.iter().cloned().map(Expr::Attribute).collect();
    let (old, new): (Vec<&str>, Vec<&str>) = pairs.iter().map(|(old, new)| (&**old, &**new)).unzip();
    let line = format!("'Project [unresolvedstarwithcolumnsrenames({}, {})]", old.join(", "), new.join(", "));
    for (old, new) in pairs {
        list = list
            .into_iter()
            .map(|item| {
                let column = item.to_attribute();
                if !conf.same_name(&column.name, &old) {
                    return item;
                }
                match item {
                    Expr::Alias(alias) => alias.child.alias(&new),
                    other => other.alias(&new),
                }
            })
            .collect();
    }
    let made = select(session, plan, list)?;
    session.parsed.note_line(&made, line, plan);
    Ok(made)
}

/// Sets a column's metadata (a JSON object).
pub fn with_metadata(session: &SqlSession, plan: &PlanRef, column: &str, metadata_json: &str) -> Result<PlanRef> {
    let mut expr = self::column(session, plan, column)?.alias(column);
    if let Expr::Alias(alias) = &mut expr {
        let user = (metadata_json.trim() != "{}").then(|| Arc::from(metadata_json));
        alias.metadata = Some(crate::expr::Metadata { user, ..crate::expr::Metadata::default() });
    }
    with_columns(session, plan, vec![column.to_owned()], vec![expr])
}

/// df.drop("a"): every column of such a name; names that do not exist are ignored.
pub fn drop_names(session: &SqlSession, plan: &PlanRef, names: &[String]) -> Result<PlanRef> {
    let conf = session.conf.borrow().clone();
    let dropped = |name: &str| names.iter().any(|dropped| conf.same_name(dropped, name));
    keep(session, plan, &|column| !dropped(&column.name))
}

/// df.drop(col): the columns that the expressions resolve to; what resolves to none is ignored.
pub fn drop(session: &SqlSession, plan: &PlanRef, columns: Vec<Expr>) -> Result<PlanRef> {
    let shown: Vec<String> = columns.iter().map(Expr::plan_string).collect();
    let mut dropped = Vec::new();
    for column in columns {
        match column {
            Expr::UnresolvedAttribute(parts) => {
                if let Some(Expr::Attribute(found)) = Analyzer::new(session).try_column(&plan.output(), &parts)? {
                    dropped.push(found.id);
                }
            }
            Expr::Attribute(attribute) => dropped.push(attribute.id),
            _ => {}
        }
    }
    let made = keep(session, plan, &|column| !dropped.contains(&column.id))?;
    if !Arc::ptr_eq(&made, plan) {
        session.parsed.note_line(&made, format!("'DataFrameDropColumns [{}]", shown.join(", ")), plan);
    }
    Ok(made)
}

fn keep(session: &SqlSession, plan: &PlanRef, wanted: &dyn Fn(&Attribute) -> bool) -> Result<PlanRef> {
    let output = plan.output();
    let kept: Vec<Expr> = output.iter().filter(|column| wanted(column)).cloned().map(Expr::Attribute).collect();
    if kept.len() == output.len() {
        return Ok(plan.clone());
    }
    select(session, plan, kept)
}

pub fn to_df(session: &SqlSession, plan: &PlanRef, names: Vec<String>) -> Result<PlanRef> {
    let output = plan.output();
    if output.len() != names.len() {
        return Err(SparkError::analysis(
            "ASSIGNMENT_ARITY_MISMATCH",
            &[("numTarget", &output.len().to_string()), ("numExpr", &names.len().to_string())],
        ));
    }
    let line = format!("'UnresolvedSubqueryColumnAliases [{}]", names.join(", "));
    let list = output.into_iter().zip(names).map(|(column, name)| Expr::Attribute(column).alias(&name)).collect();
    let made = select(session, plan, list)?;
    session.parsed.note_line(&made, line, plan);
    Ok(made)
}

/// A DISTINCT over all columns.
pub fn distinct(session: &SqlSession, plan: &PlanRef) -> Result<PlanRef> {
    drop_duplicates(session, plan, None, false)
}

/// None: all columns.
pub fn drop_duplicates(
    session: &SqlSession,
    plan: &PlanRef,
    columns: Option<Vec<String>>,
    within_watermark: bool,
) -> Result<PlanRef> {
    let conf = session.conf.borrow().clone();
    let output = plan.output();
    let mut keys = Vec::new();
    match columns {
        None => keys.extend(output.into_iter().map(Expr::Attribute)),
        Some(names) => {
            for name in names {
                let found: Vec<_> = output.iter().filter(|column| conf.same_name(&column.name, &name)).collect();
                if found.is_empty() {
                    let fields: Vec<&str> = output.iter().map(|column| &*column.name).collect();
                    return Err(SparkError::analysis(
                        "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
                        &[("colName", &name), ("fieldNames", &fields.join(", "))],
                    ));
                }
                for column in found {
                    let key = Expr::Attribute(column.clone());
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
        }
    }
    node(session, LogicalPlan::Deduplicate { columns: keys, within_watermark, child: plan.clone() })
}

/// Anything that is not a sort order sorts ascending, nulls first.
/// An order as it is, any other expression ascending.
pub fn ascending(expr: Expr) -> SortOrder {
    match expr {
        Expr::SortOrder(order) => *order,
        other => SortOrder { child: other, ascending: true, nulls_first: true },
    }
}

pub fn sort(session: &SqlSession, plan: &PlanRef, order: Vec<Expr>, global: bool) -> Result<PlanRef> {
    let order = order.into_iter().map(ascending).collect();
    node(session, LogicalPlan::Sort { order, global, child: plan.clone() })
}

pub fn limit(session: &SqlSession, plan: &PlanRef, n: i32) -> Result<PlanRef> {
    let limit = Expr::literal(Value::Integer(n), DataType::Integer);
    node(session, LogicalPlan::Limit { limit, child: plan.clone() })
}

pub fn offset(session: &SqlSession, plan: &PlanRef, n: i32) -> Result<PlanRef> {
    let offset = Expr::literal(Value::Integer(n), DataType::Integer);
    node(session, LogicalPlan::Offset { offset, child: plan.clone() })
}

/// `delay` as the user wrote it ("2 minutes").
pub fn with_watermark(session: &SqlSession, plan: &PlanRef, column: &str, delay: &str) -> Result<PlanRef> {
    let other = session.watermark_delay.borrow().clone();
    let delay = other.as_deref().unwrap_or(delay);
    let parsed = interval::parse_or_error(delay)?;
    if interval::is_negative(&parsed) {
        return Err(crate::certain::negative_delay(delay));
    }
    let column = Expr::UnresolvedAttribute(parse_attribute_name(column)?);
    node(session, LogicalPlan::EventTimeWatermark { column, delay: parsed, child: plan.clone() })
}

/// df.alias.
pub fn alias(session: &SqlSession, plan: &PlanRef, name: &str) -> Result<PlanRef> {
    node(session, LogicalPlan::SubqueryAlias { name: name.to_owned(), child: plan.clone() })
}

/// Unknown hints are ignored, as Spark does with a warning.
pub fn hint(session: &SqlSession, plan: &PlanRef, name: &str, parameters: Vec<Expr>) -> Result<PlanRef> {
    node(session, LogicalPlan::Hint { name: name.to_lowercase(), parameters, child: plan.clone() })
}

pub fn repartition(
    session: &SqlSession,
    plan: &PlanRef,
    partitions: Option<usize>,
    shuffle: bool,
    spread: Spread,
    by: Vec<Expr>,
) -> Result<PlanRef> {
    node(session, LogicalPlan::Repartition { partitions, shuffle, by, spread, child: plan.clone() })
}

pub fn sample(
    session: &SqlSession,
    plan: &PlanRef,
    with_replacement: bool,
    fraction: f64,
    seed: i64,
) -> Result<PlanRef> {
    let child = plan.clone();
    node(session, LogicalPlan::Sample { lower: 0.0, fraction, seed, with_replacement, child })
}

/// Dataset.randomSplit: parts by weight. Every partition is sorted first, so that the parts do not depend on how it came
/// about; each part samples the same numbers.
pub fn random_split(session: &SqlSession, plan: &PlanRef, weights: &[f64], seed: i64) -> Result<Vec<PlanRef>> {
    let shown: Vec<String> = weights.iter().map(|weight| crate::value::text::double_to_string(*weight)).collect();
    let refused = |what: &str| {
        let text = format!("requirement failed: {what} must be positive, but got [{}]", shown.join(","));
        Err(SparkError::plain(ErrorClass::IllegalArgument, text))
    };
    let total: f64 = weights.iter().sum();
    if weights.iter().any(|weight| *weight < 0.0) {
        let text = format!("requirement failed: Weights must be nonnegative, but got [{}]", shown.join(","));
        return Err(SparkError::plain(ErrorClass::IllegalArgument, text));
    }
    if total <= 0.0 {
        return refused("Sum of weights");
    }
    let order: Vec<Expr> =
        plan.output().into_iter().filter(|column| column.data_type.is_orderable()).map(Expr::Attribute).collect();
    let sorted = if order.is_empty() { plan.clone() } else { sort(session, plan, order, false)? };
    let mut lower = 0.0;
    weights
        .iter()
        .map(|weight| {
            let upper = lower + weight / total;
            let sample =
                LogicalPlan::Sample { lower, fraction: upper, seed, with_replacement: false, child: sorted.clone() };
            lower = upper;
            node(session, sample)
        })
        .collect()
}

pub fn observe(session: &SqlSession, plan: &PlanRef, name: &str, metrics: Vec<Expr>) -> Result<PlanRef> {
    node(session, LogicalPlan::CollectMetrics { name: name.to_owned(), metrics, child: plan.clone() })
}

/// df.x, df["x"], F.col on a frame: a resolved attribute (or nested field), or a star.
pub fn column(session: &SqlSession, plan: &PlanRef, name: &str) -> Result<Expr> {
    if name == "*" {
        return Ok(Expr::UnresolvedStar(Vec::new()));
    }
    let parts = parse_attribute_name(name)?;
    if let Some((last, rest)) = parts.split_last()
        && last == "*"
    {
        return Ok(Expr::UnresolvedStar(rest.to_vec()));
    }
    let output = plan.output();
    match Analyzer::new(session).try_column(&output, &parts)? {
        Some(found) => Ok(super::lineage::of_frame(session, plan, found)),
        None => Err(missing(&parts, &output)),
    }
}

/// A column that the frame does not have: all that it has are proposed, in order.
pub(super) fn missing(parts: &[String], output: &[Arc<Attribute>]) -> SparkError {
    let fields: Vec<String> = output.iter().map(|column| quoted(&column.name)).collect();
    let name = crate::analyzer::quote_parts(parts);
    SparkError::analysis(
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        &[("objectName", &name), ("proposal", &fields.join(", "))],
    )
}

/// The string that a Column shows in Python: Column<'...'>.
pub fn column_text(session: &SqlSession, expr: &Expr) -> Result<String> {
    let _ = session;
    Ok(crate::expr::column_node_text(expr))
}
