//! UNPIVOT and DataFrame.unpivot: one row per value column (ResolveUnpivot).

use std::sync::Arc;

use super::Analyzer;
use super::coercion::{same_type, wider_type};
use super::names::named;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Metadata};
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

impl Analyzer<'_> {
    /// Arguments: name column, value column, whether nulls stay, number of id expressions (-1: all columns that are no
    /// values), the ids, the values. No values: all columns that are no ids.
    pub(super) fn unpivot(&mut self, args: &[Expr], child: &PlanRef) -> Result<PlanRef> {
        let text = |expr: &Expr| match expr {
            Expr::Literal { value: Value::String(text), .. } => text.to_string(),
            other => other.pretty_sql(),
        };
        let [name_column, value_column, nulls, count, rest @ ..] = args else {
            return Err(SparkError::internal("UNPIVOT without its parts"));
        };
        let keeps_nulls = nulls.is_literal_bool(true);
        let count = match count {
            Expr::Literal { value, .. } => value.as_i64().unwrap_or(-1),
            _ => -1,
        };
        let scope = self.scope(child);
        let mut resolved = Vec::new();
        let mut labels = Vec::new();
        let mut width = 1;
        let value_names: Vec<String> = match value_column {
            Expr::UnresolvedFunction(call) => call.args.iter().map(text).collect(),
            other => vec![text(other)],
        };
        for expr in rest {
            let Some(group) = unpivot_group(expr) else {
                resolved.push(named(self.expr(expr.clone(), &scope)?));
                continue;
            };
            width = value_names.len();
            if group.len() != width {
                return Err(SparkError::analysis("UNPIVOT_VALUE_SIZE_MISMATCH", &[("names", &width.to_string())]));
            }
            let first = resolved.len();
            for column in group {
                resolved.push(named(self.expr(column.clone(), &scope)?));
            }
            labels.push(match expr {
                Expr::Alias(alias) => alias.names.join("."),
                _ => resolved[first..].iter().map(|c| c.to_attribute().name.to_string()).collect::<Vec<_>>().join("_"),
            });
        }
        let (mut ids, mut values) = match usize::try_from(count) {
            Ok(count) => {
                let values = resolved.split_off(count.min(resolved.len()));
                (resolved, values)
            }
            Err(_) => (Vec::new(), resolved),
        };
        let output = child.output();
        let uses = |list: &[Expr], column: &Attribute| list.iter().any(|expr| expr.references().contains(&column.id));
        if count < 0 {
            ids = output.iter().filter(|column| !uses(&values, column)).cloned().map(Expr::Attribute).collect();
        }
        if values.is_empty() {
            values = output.iter().filter(|column| !uses(&ids, column)).cloned().map(Expr::Attribute).collect();
        }
        if values.is_empty() {
            return Err(SparkError::analysis("UNPIVOT_REQUIRES_VALUE_COLUMNS", &[]));
        }
        // The types of each value column, and whether it may be null.
        let mut common = vec![(DataType::Null, false); width];
        for (at, value) in values.iter().enumerate() {
            let (data_type, nullable) = &mut common[at % width];
            *nullable |= value.nullable();
            *data_type = match wider_type(data_type, &value.data_type(), false) {
                Some(wider) if !crosses_text(data_type, &value.data_type()) => wider,
                _ => {
                    let own: Vec<Expr> = values.iter().skip(at % width).step_by(width).cloned().collect();
                    return Err(unpivot_types(&own));
                }
            };
        }
        let column = |name: String, data_type: DataType, nullable: bool| {
            Arc::new(Attribute {
                id: ExprId::fresh(),
                name: name.into(),
                data_type,
                nullable,
                qualifier: Vec::new(),
                metadata: Metadata::default(),
            })
        };
        let name_out = column(text(name_column), DataType::String, false);
        let value_out: Vec<Arc<Attribute>> = value_names
            .into_iter()
            .zip(&common)
            .map(|(name, (data_type, nullable))| column(name, data_type.clone(), *nullable))
            .collect();
        let mut projections = Vec::new();
        for (at, group) in values.chunks(width).enumerate() {
            let label = match labels.get(at) {
                Some(label) => label.clone(),
                None => group.iter().map(|value| value.to_attribute().name.to_string()).collect(),
            };
            let mut row: Vec<Expr> = ids.iter().map(|id| id.unaliased().clone()).collect();
            row.push(Expr::literal(Value::from(label.as_str()), DataType::String));
            for (value, (wanted, _)) in group.iter().zip(&common) {
                let bare = value.unaliased().clone();
                row.push(if same_type(&bare.data_type(), wanted) { bare } else { self.implicit_cast(bare, wanted) });
            }
            projections.push(row);
        }
        let mut out: Vec<Arc<Attribute>> = ids
            .iter()
            .map(|id| {
                let column = id.to_attribute();
                Arc::new(Attribute { id: ExprId::fresh(), qualifier: Vec::new(), ..(*column).clone() })
            })
            .collect();
        out.push(name_out);
        out.extend(value_out.iter().cloned());
        let expand = Arc::new(LogicalPlan::Expand { projections, output: out, child: child.clone() });
        if keeps_nulls {
            return Ok(expand);
        }
        // A row goes when all its values are null.
        let mut condition: Option<Expr> = None;
        for value in value_out {
            let present = self.call("isnotnull", vec![Expr::Attribute(value)])?;
            condition = Some(match condition {
                Some(others) => self.call("or", vec![others, present])?,
                None => present,
            });
        }
        let condition = condition.unwrap_or_else(|| Expr::bool(true));
        Ok(Arc::new(LogicalPlan::Filter { condition, child: expand }))
    }
}

/// The columns of a group, with or without a name of its own.
fn unpivot_group(expr: &Expr) -> Option<&[Expr]> {
    match expr.unaliased() {
        Expr::UnresolvedFunction(call) if call.name == super::UNPIVOT_GROUP => Some(&call.args),
        _ => None,
    }
}

/// UNPIVOT widens numbers, it makes no text of them.
fn crosses_text(left: &DataType, right: &DataType) -> bool {
    let text = |t: &DataType| matches!(t, DataType::String | DataType::Char(_) | DataType::Varchar(_));
    *left != DataType::Null && *right != DataType::Null && text(left) != text(right)
}

fn unpivot_types(values: &[Expr]) -> SparkError {
    let mut types: Vec<(String, Vec<String>)> = Vec::new();
    for value in values {
        let data_type = value.data_type().quoted_sql();
        let name = super::quoted(&value.to_attribute().name);
        match types.iter_mut().find(|(known, _)| *known == data_type) {
            Some((_, names)) => names.push(name),
            None => types.push((data_type, vec![name])),
        }
    }
    types.sort();
    let shown: Vec<String> =
        types.into_iter().map(|(data_type, names)| format!("{data_type} ({})", names.join(", "))).collect();
    SparkError::analysis("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", &[("types", &shown.join(", "))])
}
