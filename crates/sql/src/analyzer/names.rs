//! Names: quoting, the alias that an unnamed expression gets, and the suggestions of UNRESOLVED_COLUMN.

use std::sync::Arc;

use crate::error::SparkError;
use crate::expr::{Attribute, Expr};

/// `name` in backticks (toSQLId of one part).
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// `a`.`b` (toSQLId).
pub(crate) fn quote_parts<S: AsRef<str>>(parts: &[S]) -> String {
    parts.iter().map(|part| quoted(part.as_ref())).collect::<Vec<_>>().join(".")
}

/// A named expression as it is, anything else with the alias that Spark gives it (ResolveAliases).
pub(crate) fn named(expr: Expr) -> Expr {
    match expr {
        // A generator's columns have names of their own.
        Expr::Attribute(_) | Expr::Alias(_) | Expr::Generator(_) => expr,
        Expr::Cast { ref child, .. } => match &**child {
            Expr::Attribute(attribute) => {
                let name = attribute.name.to_string();
                expr.alias(&name)
            }
            Expr::Alias(alias) if alias.names.len() == 1 => {
                let name = alias.names[0].clone();
                trim_inner_aliases(expr).alias(&name)
            }
            _ => pretty_alias(expr),
        },
        _ => pretty_alias(expr),
    }
}

fn pretty_alias(expr: Expr) -> Expr {
    if let Some(name) = crate::functions::variable_of(&expr) {
        let name = name.to_owned();
        return expr.alias(&name);
    }
    let name = with_window_columns(expr.clone()).pretty_sql();
    trim_inner_aliases(expr).alias(&name)
}

/// The expression as it reads once window() and its like are columns: `window.start`.
fn with_window_columns(expr: Expr) -> Expr {
    match super::time_windows::column_name(&expr) {
        Some(name) => Expr::UnresolvedAttribute(vec![name.to_owned()]),
        None => expr.map_children(&mut with_window_columns),
    }
}

/// Takes away aliases below the top of a select item (CleanupAliases).
pub(crate) fn trim_inner_aliases(expr: Expr) -> Expr {
    expr.map_children(&mut trim_all_aliases)
}

/// An argument of a function without its alias; aliases inside struct() stay until the column has its name.
pub(crate) fn trim_argument(expr: Expr) -> Expr {
    match expr {
        Expr::Alias(alias) => trim_argument(alias.child),
        Expr::Lambda { .. } => expr,
        Expr::Call(call) if &*call.name == "struct" => Expr::Call(call),
        other => other.map_children(&mut trim_argument),
    }
}

/// An argument of struct(): an alias that a nested field has of itself is not shown, others are.
pub(crate) fn trim_argument_of_struct(expr: Expr) -> Expr {
    match expr {
        Expr::Alias(alias) => match &alias.child {
            Expr::GetField { name, .. } | Expr::GetArrayStructFields { name, .. }
                if alias.names.as_slice() == std::slice::from_ref(name) =>
            {
                trim_argument(alias.child)
            }
            _ => Expr::Alias(alias).map_children(&mut trim_argument),
        },
        other => trim_argument(other),
    }
}

/// Takes away all aliases (trimAliases).
pub(crate) fn trim_all_aliases(expr: Expr) -> Expr {
    match expr {
        Expr::Alias(alias) => trim_all_aliases(alias.child),
        other => other.map_children(&mut trim_all_aliases),
    }
}

/// Whether an attribute of this name is among them, with or without regard to case.
pub(crate) fn column_in<'a>(
    attributes: &'a [Arc<Attribute>],
    name: &str,
    case_sensitive: bool,
) -> Option<&'a Arc<Attribute>> {
    attributes.iter().find(|attribute| same_name(&attribute.name, name, case_sensitive))
}

pub(crate) fn same_name(left: &str, right: &str, case_sensitive: bool) -> bool {
    if case_sensitive { left == right } else { left == right || left.to_lowercase() == right.to_lowercase() }
}

/// Levenshtein distance over characters.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

/// Candidates with their qualifiers, nearest first (StringUtils.orderSuggestedIdentifiersBySimilarity): equal qualifiers are
/// stripped, the distance is that of the quoted text, ties keep the order of the input set, which is by name and id.
pub(crate) fn suggestions(parts: &[String], columns: &[Arc<Attribute>]) -> Vec<String> {
    let mut sorted: Vec<&Arc<Attribute>> = columns.iter().filter(|column| !column.metadata.hidden).collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
    sorted.dedup_by_key(|column| column.id);
    let candidates: Vec<Vec<String>> = sorted
        .iter()
        .map(|column| column.qualifier.iter().cloned().chain([column.name.to_string()]).collect())
        .collect();
    let same_prefix = |keep: usize| {
        let prefix = |candidate: &Vec<String>| candidate[..candidate.len().saturating_sub(keep)].to_vec();
        candidates.windows(2).all(|pair| prefix(&pair[0]) == prefix(&pair[1]))
    };
    let keep = if parts.len() == 1 && same_prefix(1) {
        1
    } else if parts.len() <= 2 && same_prefix(2) {
        2
    } else {
        usize::MAX
    };
    let base = parts.iter().map(|part| crate::types::quote_if_needed(part)).collect::<Vec<_>>().join(".");
    let mut texts: Vec<String> =
        candidates.iter().map(|candidate| quote_parts(&candidate[candidate.len().saturating_sub(keep)..])).collect();
    texts.sort_by_key(|text| distance(text, &base));
    texts
}

/// UNRESOLVED_COLUMN with the suggestions that Spark gives.
pub(crate) fn unresolved_column(parts: &[String], columns: &[Arc<Attribute>]) -> SparkError {
    let name = quote_parts(parts);
    let proposals = suggestions(parts, columns);
    if proposals.is_empty() {
        return SparkError::analysis("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", &[("objectName", &name)]);
    }
    let proposal = proposals.into_iter().take(5).collect::<Vec<_>>().join(", ");
    SparkError::analysis("UNRESOLVED_COLUMN.WITH_SUGGESTION", &[("objectName", &name), ("proposal", &proposal)])
}
