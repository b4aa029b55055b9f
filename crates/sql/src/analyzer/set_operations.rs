//! UNION, INTERSECT, EXCEPT: numbers and types of columns, unionByName.

use std::sync::Arc;

use super::Analyzer;
use super::coercion::{same_type, wider_type};
use super::dedup::{apart, fresh_ids};
use super::names::column_in;
use super::windows::ordinal_word;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr};
use crate::plan::{LogicalPlan, PlanRef, SetOperation};
use crate::types::DataType;
use crate::value::Value;

/// Rows with maps cannot be compared: no set operation, DISTINCT or dropDuplicates over them.
pub(super) fn refuse_maps(columns: &[Arc<Attribute>]) -> Result<()> {
    match columns.iter().find(|column| !super::checks::can_order(&column.data_type)) {
        Some(column) => Err(SparkError::analysis(
            "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
            &[("colName", &super::quoted(&column.name)), ("dataType", &column.data_type.quoted_sql())],
        )),
        None => Ok(()),
    }
}

/// An error about the sides of a set operation, which is not resolved then.
fn mismatched(error: SparkError, node: &LogicalPlan) -> SparkError {
    if !error.context.is_empty() {
        return error;
    }
    let tree = crate::explain::tree_string(node);
    let mark = if tree.starts_with('\'') { "" } else { "'" };
    error.with_context(format!(";\n{mark}{tree}"))
}

impl Analyzer<'_> {
    pub(super) fn union(&mut self, children: Vec<PlanRef>, by_name: bool, allow_missing: bool) -> Result<PlanRef> {
        let mut children = children;
        if by_name {
            children = self.arranged_by_name(children, allow_missing)?;
        }
        let node = LogicalPlan::Union { children: children.clone(), by_name: false, allow_missing: false };
        let widened = self.widened("UNION", children).map_err(|error| mismatched(error, &node))?;
        // Every child but the first keeps ids of its own.
        let mut seen = std::collections::BTreeSet::new();
        let mut distinct = Vec::new();
        for child in widened {
            let ids = child.output_ids();
            let child = if ids.iter().any(|id| seen.contains(id)) { fresh_ids(&child) } else { child };
            seen.extend(child.output_ids());
            distinct.push(child);
        }
        Ok(Arc::new(LogicalPlan::Union { children: flattened(distinct), by_name: false, allow_missing: false }))
    }

    pub(super) fn set_operation(
        &mut self,
        kind: SetOperation,
        all: bool,
        left: &PlanRef,
        right: &PlanRef,
    ) -> Result<PlanRef> {
        let name = match (kind, all) {
            (SetOperation::Intersect, false) => "INTERSECT",
            (SetOperation::Intersect, true) => "INTERSECT ALL",
            (SetOperation::Except, false) => "EXCEPT",
            (SetOperation::Except, true) => "EXCEPT ALL",
        };
        let right = apart(self.session, left, right);
        let node = LogicalPlan::SetOperation { kind, all, left: left.clone(), right: right.clone() };
        let sides = self.widened(name, vec![left.clone(), right]);
        let mut sides = sides.map_err(|error| mismatched(error, &node))?.into_iter();
        let (Some(left), Some(right)) = (sides.next(), sides.next()) else {
            return Err(SparkError::internal("a set operation has two sides"));
        };
        for side in [&left, &right] {
            refuse_maps(&side.output()).map_err(|error| self.at_node(error, &node))?;
        }
        Ok(Arc::new(LogicalPlan::SetOperation { kind, all, left, right }))
    }

    /// The same columns of the same types on all sides, with casts where needed (WidenSetOperationTypes).
    fn widened(&mut self, operator: &str, children: Vec<PlanRef>) -> Result<Vec<PlanRef>> {
        let outputs: Vec<Vec<Arc<Attribute>>> = children.iter().map(|child| child.output()).collect();
        let Some(first) = outputs.first() else { return Ok(children) };
        for (i, output) in outputs.iter().enumerate().skip(1) {
            if output.len() != first.len() {
                return Err(SparkError::analysis(
                    "NUM_COLUMNS_MISMATCH",
                    &[
                        ("operator", operator),
                        ("firstNumColumns", &first.len().to_string()),
                        ("invalidOrdinalNum", ordinal_word(i + 1)),
                        ("invalidNumColumns", &output.len().to_string()),
                    ],
                ));
            }
        }
        let mut common: Vec<DataType> = first.iter().map(|column| column.data_type.clone()).collect();
        for (i, output) in outputs.iter().enumerate().skip(1) {
            for (j, column) in output.iter().enumerate() {
                let wider = wider_type(&common[j], &column.data_type, self.conf.ansi());
                match wider {
                    Some(wider) => common[j] = wider,
                    None => {
                        return Err(SparkError::analysis(
                            "INCOMPATIBLE_COLUMN_TYPE",
                            &[
                                ("operator", operator),
                                ("columnOrdinalNumber", ordinal_word(j + 1)),
                                ("tableOrdinalNumber", ordinal_word(i + 1)),
                                ("dataType1", &column.data_type.quoted_sql()),
                                ("dataType2", &first[j].data_type.quoted_sql()),
                                ("hint", ""),
                            ],
                        ));
                    }
                }
            }
        }
        Ok(children
            .into_iter()
            .zip(outputs)
            .map(|(child, output)| {
                if output.iter().zip(&common).all(|(column, wanted)| same_type(&column.data_type, wanted)) {
                    return child;
                }
                let list = output
                    .into_iter()
                    .zip(&common)
                    .map(|(column, wanted)| {
                        if same_type(&column.data_type, wanted) {
                            return Expr::Attribute(column);
                        }
                        let name = column.name.to_string();
                        self.implicit_cast(Expr::Attribute(column), wanted).alias(&name)
                    })
                    .collect();
                Arc::new(LogicalPlan::Project { list, child })
            })
            .collect())
    }

    /// Columns of the later children in the order of the first (ResolveUnion).
    fn arranged_by_name(&mut self, children: Vec<PlanRef>, allow_missing: bool) -> Result<Vec<PlanRef>> {
        let mut children = children.into_iter();
        let Some(mut result) = children.next() else { return Ok(Vec::new()) };
        let mut arranged = Vec::new();
        let case_sensitive = self.conf.case_sensitive();
        for right in children {
            let (ours, theirs) = (result.output(), right.output());
            for side in [&ours, &theirs] {
                if let Some(name) = repeated_name(side, case_sensitive) {
                    return Err(SparkError::analysis(
                        "COLUMN_ALREADY_EXISTS",
                        &[("columnName", &super::quoted(&name))],
                    ));
                }
            }
            let mut list = Vec::new();
            for column in &ours {
                match column_in(&theirs, &column.name, case_sensitive) {
                    Some(found) => list.push(Expr::Attribute(found.clone())),
                    None if allow_missing => {
                        list.push(Expr::literal(Value::Null, column.data_type.clone()).alias(&column.name));
                    }
                    None => {
                        let names: Vec<String> = theirs.iter().map(|column| column.name.to_string()).collect();
                        return Err(SparkError::analysis(
                            "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
                            &[("colName", &column.name), ("fieldNames", &names.join(", "))],
                        ));
                    }
                }
            }
            let extra: Vec<&Arc<Attribute>> =
                theirs.iter().filter(|column| column_in(&ours, &column.name, case_sensitive).is_none()).collect();
            if !extra.is_empty() {
                if !allow_missing {
                    // Without allowMissingColumns the counts decide.
                    list.extend(extra.iter().map(|column| Expr::Attribute((*column).clone())));
                } else {
                    let mut left: Vec<Expr> = ours.iter().cloned().map(Expr::Attribute).collect();
                    for column in extra {
                        left.push(Expr::literal(Value::Null, column.data_type.clone()).alias(&column.name));
                        list.push(Expr::Attribute(column.clone()));
                    }
                    result = Arc::new(LogicalPlan::Project { list: left, child: result });
                }
            }
            let unchanged = list.len() == theirs.len()
                && list.iter().zip(&theirs).all(|(a, b)| matches!(a, Expr::Attribute(a) if a.id == b.id));
            arranged.push(if unchanged { right } else { Arc::new(LogicalPlan::Project { list, child: right }) });
        }
        let mut out = vec![result];
        out.extend(arranged);
        Ok(out)
    }
}

fn repeated_name(columns: &[Arc<Attribute>], case_sensitive: bool) -> Option<String> {
    columns.iter().enumerate().find_map(|(i, column)| {
        column_in(&columns[..i], &column.name, case_sensitive).map(|_| column.name.to_lowercase())
    })
}

/// Unions directly inside a union become one (CombineUnions as Dataset.union does it).
fn flattened(children: Vec<PlanRef>) -> Vec<PlanRef> {
    let mut flat = Vec::new();
    for (i, child) in children.into_iter().enumerate() {
        match &*child {
            LogicalPlan::Union { children: inner, .. } if i == 0 => flat.extend(inner.iter().cloned()),
            _ => flat.push(child),
        }
    }
    flat
}
