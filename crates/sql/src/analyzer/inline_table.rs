//! VALUES: rows of constants (ResolveInlineTables).

use std::sync::Arc;

use super::coercion::{constant, wider_type};
use super::names::trim_all_aliases;
use super::{Analyzer, Scope};
use crate::catalog::attributes;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, quoted_sql};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

impl Analyzer<'_> {
    /// Rows as struct() calls, one each.
    pub(super) fn inline_table(&mut self, rows: &[Expr]) -> Result<PlanRef> {
        let mut resolved: Vec<Vec<Expr>> = Vec::new();
        for row in rows {
            let Expr::UnresolvedFunction(row) = row else { return Err(SparkError::internal("a row of VALUES")) };
            let mut cells = Vec::new();
            for cell in &row.args {
                let cell = trim_all_aliases(self.expr(cell.clone(), &Scope::default())?);
                if !cell.foldable() && !matches!(cell, Expr::Call(_)) {
                    let error = SparkError::analysis(
                        "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                        &[("expr", &quoted_sql(&cell))],
                    );
                    return Err(self.at_place(error));
                }
                cells.push(cell);
            }
            resolved.push(cells);
        }
        let width = resolved.first().map_or(0, Vec::len);
        for (i, row) in resolved.iter().enumerate() {
            if row.len() != width {
                let error = SparkError::analysis(
                    "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                    &[
                        ("expectedNumCols", &width.to_string()),
                        ("actualNumCols", &row.len().to_string()),
                        ("rowIndex", &i.to_string()),
                    ],
                );
                return Err(self.at_place(error));
            }
        }
        let mut fields = Vec::new();
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for column in 0..width {
            let name = format!("col{}", column + 1);
            let mut common = DataType::Null;
            let mut nullable = false;
            for row in &resolved {
                nullable |= row[column].nullable();
                let data_type = row[column].data_type();
                common = wider_type(&common, &data_type, self.conf.ansi()).ok_or_else(|| {
                    self.at_place(SparkError::analysis(
                        "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                        &[("colName", &super::quoted(&name))],
                    ))
                })?;
            }
            let mut values = Vec::new();
            for row in &resolved {
                let cell = self.implicit_cast(row[column].clone(), &common);
                values.push(constant(self, &cell)?);
            }
            fields.push(StructField::new(name, common, nullable));
            columns.push(values);
        }
        let schema = StructType { fields };
        let rows: Vec<Vec<Value>> =
            (0..resolved.len()).map(|i| columns.iter().map(|column| column[i].clone()).collect()).collect();
        local_rows(&schema, &rows)
    }
}

/// Rows of constants as one partition.
pub(crate) fn local_rows(schema: &StructType, rows: &[Vec<Value>]) -> Result<PlanRef> {
    let partition = if rows.is_empty() { Vec::new() } else { vec![crate::dataframe::batch(schema, rows)?] };
    Ok(Arc::new(LogicalPlan::LocalRelation(LocalRelation {
        output: attributes(schema),
        partitions: Arc::new(vec![partition]),
        from_rdd: false,
    })))
}
