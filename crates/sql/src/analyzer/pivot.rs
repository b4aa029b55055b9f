//! pivot: an aggregation whose aggregates look at one pivot value each.

use super::Analyzer;
use super::names::{named, trim_all_aliases};
use super::project::has_plain_aggregate;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, quoted_sql};
use crate::plan::PlanRef;
use crate::types::DataType;
use crate::value::Value;

impl Analyzer<'_> {
    /// One output column for each pair of pivot value and aggregate (ResolvePivot). The value's condition goes into the
    /// aggregate as `if(value <=> column, argument, null)`.
    pub(super) fn pivot(
        &mut self,
        grouping: Vec<Expr>,
        column: Expr,
        values: Vec<Expr>,
        aggregates: Vec<Expr>,
        child: &PlanRef,
    ) -> Result<PlanRef> {
        let scope = self.scope(child);
        let column = trim_all_aliases(self.expr(column, &scope)?);
        let mut resolved = Vec::new();
        for aggregate in aggregates {
            if aggregate.any(&|expr| matches!(expr, Expr::UnresolvedStar(_))) {
                return Err(SparkError::analysis(
                    "INVALID_USAGE_OF_STAR_OR_REGEX",
                    &[("elem", "'*'"), ("prettyName", "Pivot")],
                ));
            }
            let aggregate = self.expr(aggregate, &scope)?;
            if !has_plain_aggregate(&aggregate) {
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1006", &[("sql", &aggregate.pretty_sql())]));
            }
            resolved.push(aggregate);
        }
        // PIVOT of SQL has no GROUP BY (the parser's lone star): what neither the column nor an aggregate uses is grouped by.
        let used = |attribute: &crate::expr::Attribute| {
            let uses = |expr: &Expr| expr.any(&|e| matches!(e, Expr::Attribute(found) if found.id == attribute.id));
            uses(&column) || resolved.iter().any(uses)
        };
        let grouping = match grouping.as_slice() {
            [Expr::UnresolvedStar(parts)] if parts.is_empty() => {
                child.output().into_iter().filter(|attribute| !used(attribute)).map(Expr::Attribute).collect()
            }
            _ => grouping,
        };
        let keys = grouping.into_iter().map(|key| Ok(named(self.expr(key, &scope)?))).collect::<Result<Vec<Expr>>>()?;
        let single = resolved.len() == 1;
        // Values that PivotFirst can hold are computed once for all pivot values, and then told apart.
        let twice = resolved.iter().all(|aggregate| held(&aggregate.data_type()));
        let (mut list, below) = if twice {
            let by_value: Vec<Expr> = keys.iter().cloned().chain([named(column.clone())]).collect();
            let grouping = by_value.iter().cloned().map(trim_all_aliases).collect();
            let first = by_value.into_iter().chain(resolved.iter().cloned().map(named)).collect();
            let below = self.finish_aggregate(grouping, first, child)?;
            (below.output()[..keys.len()].iter().cloned().map(Expr::Attribute).collect(), below)
        } else {
            (keys.clone(), child.clone())
        };
        let computed: Vec<Expr> = match twice {
            true => below.output()[keys.len()..].iter().cloned().map(Expr::Attribute).collect(),
            false => Vec::new(),
        };
        for value in values {
            let value = self.expr(value, &scope)?;
            let name = match &value {
                Expr::Alias(alias) => alias.name_text(),
                other => self.pivot_name(other)?,
            };
            let value = trim_all_aliases(value);
            if !value.foldable() {
                return Err(SparkError::analysis("NON_LITERAL_PIVOT_VALUES", &[("expression", &quoted_sql(&value))]));
            }
            for (index, aggregate) in resolved.iter().enumerate() {
                let alias = match aggregate {
                    Expr::Alias(alias) => alias.name_text(),
                    other => super::names::trim_inner_aliases(other.clone()).pretty_sql(),
                };
                let name = if single { name.clone() } else { format!("{name}_{alias}") };
                let narrowed = match computed.split_first() {
                    Some((column, results)) => {
                        let first = self.call("first", vec![results[index].clone()])?;
                        self.only_for(first, column, &value)?
                    }
                    None => self.only_for(trim_all_aliases(aggregate.clone()), &column, &value)?,
                };
                list.push(narrowed.alias(&name));
            }
        }
        let grouping = match twice {
            true => list[..keys.len()].to_vec(),
            false => keys.into_iter().map(trim_all_aliases).collect(),
        };
        self.finish_aggregate(grouping, list, &below)
    }

    fn only_for(&self, expr: Expr, column: &Expr, value: &Expr) -> Result<Expr> {
        expr.try_map_children(&mut |child| self.only_for(child, column, value)).and_then(|expr| match expr {
            Expr::Aggregate(mut call) => {
                // The value is cast to the column's type.
                let value = super::coercion::constant(self, &self.implicit_cast(value.clone(), &column.data_type()))?;
                let same = self.call("<=>", vec![column.clone(), Expr::literal(value, column.data_type())])?;
                // first() and last() must not see the other values' nulls, so their rows are left out.
                let filter = match call.filter.take() {
                    None => same,
                    Some(filter) => self.call("and", vec![filter, same])?,
                };
                call.filter = Some(filter);
                // A column of its own: the copies for the other values are other aggregates.
                call.id = crate::expr::ExprId::fresh();
                Ok(Expr::Aggregate(call))
            }
            other => Ok(other),
        })
    }

    /// A pivot value as column name: the value cast to a string.
    fn pivot_name(&self, value: &Expr) -> Result<String> {
        let constant = super::coercion::constant(self, value)?;
        Ok(match constant {
            Value::Null => "null".to_owned(),
            Value::String(text) => text.to_string(),
            other => {
                let cast = Expr::Cast {
                    child: Box::new(Expr::literal(other, value.data_type())),
                    to: DataType::String,
                    mode: crate::expr::EvalMode::Legacy,
                    implicit: true,
                    site: Default::default(),
                };
                match super::coercion::constant(self, &cast)? {
                    Value::String(text) => text.to_string(),
                    _ => "null".to_owned(),
                }
            }
        })
    }
}

/// PivotFirst.supportsDataType.
fn held(data_type: &DataType) -> bool {
    *data_type == DataType::Boolean || data_type.is_numeric()
}

impl crate::expr::Alias {
    fn name_text(&self) -> String {
        self.names.first().cloned().unwrap_or_default()
    }
}
