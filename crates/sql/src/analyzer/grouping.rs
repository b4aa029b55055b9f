//! ROLLUP, CUBE and GROUPING SETS: an Expand below the aggregation (ResolveGroupingAnalytics).

use std::sync::Arc;

use super::Analyzer;
use super::functions::GROUPING;
use super::names::trim_inner_aliases;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Metadata};
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

/// Name of the column that tells which set a row belongs to.
pub(super) const GROUPING_ID: &str = "spark_grouping_id";

impl Analyzer<'_> {
    pub(super) fn grouping_sets(
        &mut self,
        by: Vec<Expr>,
        sets: Vec<Vec<usize>>,
        list: Vec<Expr>,
        child: &PlanRef,
    ) -> Result<PlanRef> {
        let list = self.select_list(list, child)?;
        let by = self.grouping_expressions(by, &list, child)?;
        let split = by.len();
        let mut all = by;
        all.extend(list);
        let (mut all, child) = self.extract_time_windows(all, child)?;
        let list = all.split_off(split);
        // The keys become columns of their own, null in the sets that leave them out.
        let mut columns: Vec<Arc<Attribute>> = Vec::new();
        let mut keys = Vec::new();
        for key in &all {
            let position = keys.iter().position(|known: &Expr| known.semantic_eq(key));
            if position.is_none() {
                keys.push(key.clone());
            }
        }
        let position_of = |key: &Expr| keys.iter().position(|known| known.semantic_eq(key)).unwrap_or(0);
        let sets: Vec<Vec<usize>> =
            sets.into_iter().map(|set| set.into_iter().filter_map(|i| all.get(i)).map(position_of).collect()).collect();
        for (i, key) in keys.iter().enumerate() {
            let left_out = sets.iter().any(|set| !set.contains(&i));
            columns.push(Arc::new(Attribute {
                id: ExprId::fresh(),
                name: key.unaliased().name_or_sql().into(),
                data_type: key.data_type(),
                nullable: key.nullable() || left_out,
                qualifier: Vec::new(),
                metadata: key.metadata(),
            }));
        }
        let id_type = DataType::Long;
        let id_column = Arc::new(Attribute {
            id: ExprId::fresh(),
            name: GROUPING_ID.into(),
            data_type: id_type.clone(),
            nullable: false,
            qualifier: Vec::new(),
            metadata: Metadata::default(),
        });
        let input: Vec<Expr> = child.output().into_iter().map(Expr::Attribute).collect();
        // Equal sets are told apart by their position.
        let repeated = sets.iter().enumerate().any(|(i, set)| sets[..i].contains(set));
        let position_column = Arc::new(Attribute {
            id: ExprId::fresh(),
            name: "_gen_grouping_pos".into(),
            data_type: DataType::Integer,
            nullable: false,
            qualifier: Vec::new(),
            metadata: Metadata::default(),
        });
        let projections = sets
            .iter()
            .enumerate()
            .map(|(position, set)| {
                let mut row = input.clone();
                let mut id = 0_i64;
                for (i, key) in keys.iter().enumerate() {
                    id <<= 1;
                    if set.contains(&i) {
                        row.push(key.clone());
                    } else {
                        id |= 1;
                        row.push(Expr::literal(Value::Null, key.data_type()));
                    }
                }
                row.push(Expr::literal(Value::Long(id), id_type.clone()));
                if repeated {
                    let position = i32::try_from(position).unwrap_or(i32::MAX);
                    row.push(Expr::literal(Value::Integer(position), DataType::Integer));
                }
                row
            })
            .collect();
        let mut output = child.output();
        output.extend(columns.iter().cloned());
        output.push(id_column.clone());
        let mut grouping: Vec<Expr> = columns.iter().cloned().map(Expr::Attribute).collect();
        grouping.push(Expr::Attribute(id_column.clone()));
        if repeated {
            output.push(position_column.clone());
            grouping.push(Expr::Attribute(position_column));
        }
        let expand = Arc::new(LogicalPlan::Expand { projections, output, child });
        let list = list
            .into_iter()
            .map(|item| {
                let name = item.to_attribute();
                let replaced = substitute(item, &keys, &columns, &id_column)?;
                // A bare key stays a column of the name that the list gave it.
                Ok(match replaced {
                    Expr::Attribute(column) if column.name != name.name => {
                        let mut named = Expr::Attribute(column).alias(&name.name);
                        if let Expr::Alias(alias) = &mut named {
                            alias.id = ExprId::fresh();
                        }
                        named
                    }
                    other => trim_inner_aliases(other),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        self.finish_aggregate(grouping, list, &expand)
    }
}

impl Expr {
    fn name_or_sql(&self) -> String {
        match self {
            Expr::Attribute(attribute) => attribute.name.to_string(),
            other => other.pretty_sql(),
        }
    }
}

/// Keys outside of aggregates become the Expand's columns; grouping() and grouping_id() read the set's number.
fn substitute(expr: Expr, keys: &[Expr], columns: &[Arc<Attribute>], id: &Arc<Attribute>) -> Result<Expr> {
    if let Some(position) = keys.iter().position(|key| key.semantic_eq(&expr))
        && !matches!(expr, Expr::Alias(_))
    {
        return Ok(Expr::Attribute(columns[position].clone()));
    }
    match expr {
        Expr::Aggregate(_) => Ok(expr),
        Expr::Call(call) if GROUPING.contains(&&*call.name) => grouping_function(&call.name, &call.args, keys, id),
        other => other.try_map_children(&mut |child| substitute(child, keys, columns, id)),
    }
}

fn grouping_function(name: &str, args: &[Expr], keys: &[Expr], id: &Arc<Attribute>) -> Result<Expr> {
    let id = Expr::Attribute(id.clone());
    if name == "grouping_id" {
        let all = args.is_empty()
            || (args.len() == keys.len() && args.iter().zip(keys).all(|(arg, key)| arg.semantic_eq(key)));
        if all {
            return Ok(id);
        }
        let shown: Vec<String> = args.iter().map(Expr::pretty_sql).collect();
        let keys: Vec<String> = keys.iter().map(Expr::pretty_sql).collect();
        return Err(SparkError::analysis(
            "GROUPING_ID_COLUMN_MISMATCH",
            &[("groupingIdColumn", &shown.join(",")), ("groupByColumns", &keys.join(","))],
        ));
    }
    let position = args.first().and_then(|arg| keys.iter().position(|key| key.semantic_eq(arg)));
    let Some(position) = position else {
        let keys: Vec<String> = keys.iter().map(Expr::plan_string).collect();
        return Err(SparkError::analysis(
            "GROUPING_COLUMN_MISMATCH",
            &[
                ("grouping", &args.first().map(Expr::plan_string).unwrap_or_default()),
                ("groupingColumns", &keys.join(",")),
            ],
        ));
    };
    let bit = keys.len() - 1 - position;
    Ok(super::window_kernels::bit_of(id, bit))
}
