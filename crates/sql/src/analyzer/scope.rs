//! Name resolution over the columns of plans (Catalyst's AttributeSeq.resolve).

use std::sync::Arc;

use super::names::{quote_parts, same_name};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, LambdaVariable};
use crate::plan::PlanRef;

/// What names can stand for at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) columns: Vec<Arc<Attribute>>,
    /// Variables of the lambdas around, innermost last.
    pub(crate) lambdas: Vec<LambdaVariable>,
    /// Earlier items of the same select list (lateral column aliases).
    pub(crate) aliases: Vec<(String, Expr)>,
    /// Columns of the generators among them.
    pub(crate) generated: Vec<Arc<Attribute>>,
}

impl Scope {
    /// The columns of all these plans.
    pub(crate) fn of(plans: &[PlanRef]) -> Self {
        Self { columns: plans.iter().flat_map(|plan| plan.output()).collect(), ..Self::default() }
    }

    pub(crate) fn over(columns: Vec<Arc<Attribute>>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The column with this id, with its present nullability and metadata.
    pub(crate) fn by_id(&self, id: ExprId) -> Option<&Arc<Attribute>> {
        self.columns.iter().find(|column| column.id == id)
    }
}

/// A name as found: the column, and the parts left over as fields in it.
pub(crate) struct Found {
    pub(crate) attribute: Arc<Attribute>,
    pub(crate) fields: Vec<String>,
}

/// Finds a column by name parts; qualified matches win over plain ones. More than one is AMBIGUOUS_REFERENCE.
pub(crate) fn find_column(columns: &[Arc<Attribute>], parts: &[String], case_sensitive: bool) -> Result<Option<Found>> {
    let mut candidates: Vec<&Arc<Attribute>> = Vec::new();
    let mut used = 1;
    for qualifiers in (1..parts.len().min(4)).rev() {
        candidates = columns
            .iter()
            .filter(|column| {
                column.qualifier.len() >= qualifiers
                    && column.qualifier[column.qualifier.len() - qualifiers..]
                        .iter()
                        .zip(parts)
                        .all(|(a, b)| same_name(a, b, case_sensitive))
                    && same_name(&column.name, &parts[qualifiers], case_sensitive)
            })
            .collect();
        if !candidates.is_empty() {
            used = qualifiers + 1;
            break;
        }
    }
    if candidates.is_empty() {
        let Some(first) = parts.first() else { return Ok(None) };
        candidates = columns.iter().filter(|column| same_name(&column.name, first, case_sensitive)).collect();
    }
    let mut distinct: Vec<&Arc<Attribute>> = Vec::new();
    for candidate in candidates {
        if !distinct.iter().any(|known| known.id == candidate.id && known.qualifier == candidate.qualifier) {
            distinct.push(candidate);
        }
    }
    if distinct.len() > 1 && distinct.iter().any(|column| !column.metadata.hidden) {
        distinct.retain(|column| !column.metadata.hidden);
    }
    match distinct.as_slice() {
        [] => Ok(None),
        [attribute] => Ok(Some(Found { attribute: (*attribute).clone(), fields: parts[used..].to_vec() })),
        several => {
            let mut names: Vec<String> = several
                .iter()
                .map(|column| {
                    let parts: Vec<&str> = column.qualifier.iter().map(String::as_str).chain([&*column.name]).collect();
                    quote_parts(&parts)
                })
                .collect();
            names.sort();
            Err(SparkError::analysis(
                "AMBIGUOUS_REFERENCE",
                &[("name", &quote_parts(parts)), ("referenceNames", &format!("[{}]", names.join(", ")))],
            ))
        }
    }
}
