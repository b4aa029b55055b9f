//! VALUES: rows of constants (ResolveInlineTables).

use std::sync::Arc;

use super::coercion::constant;
use super::names::trim_all_aliases;
use super::{Analyzer, Scope};
use crate::catalog::attributes;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Expr, Origin, quoted_sql};
use crate::functions::coercion::wider_without_string;
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

impl Analyzer<'_> {
    /// Rows as struct() calls, one each.
    pub(super) fn inline_table(&mut self, rows: &[Expr]) -> Result<PlanRef> {
        let (place, rows) = match rows.split_last() {
            Some((Expr::At { origin, .. }, rows)) => (Some(origin.clone()), rows),
            _ => (None, rows),
        };
        let mut resolved: Vec<Vec<Expr>> = Vec::new();
        for row in rows {
            let Expr::UnresolvedFunction(row) = row else { return Err(SparkError::internal("a row of VALUES")) };
            let mut cells = Vec::new();
            for cell in &row.args {
                let cell = trim_all_aliases(self.expr(cell.clone(), &Scope::default())?);
                self.refuse_cell(&cell)?;
                if !cell.foldable() && !matches!(cell, Expr::Call(_)) {
                    return Err(refused_table(
                        place.as_deref(),
                        "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                        &[("expr", &quoted_sql(&cell))],
                    ));
                }
                cells.push(cell);
            }
            resolved.push(cells);
        }
        let width = resolved.first().map_or(0, Vec::len);
        for (i, row) in resolved.iter().enumerate() {
            if row.len() != width {
                return Err(refused_table(
                    place.as_deref(),
                    "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                    &[
                        ("expectedNumCols", &width.to_string()),
                        ("actualNumCols", &row.len().to_string()),
                        ("rowIndex", &i.to_string()),
                    ],
                ));
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
                // A text beside another type is none: constants are not parsed here.
                common = wider_without_string(&common, &data_type, self.conf.ansi()).ok_or_else(|| {
                    refused_table(
                        place.as_deref(),
                        "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                        &[("colName", &super::quoted(&name))],
                    )
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

/// Spark evaluates a table of constants while it parses: its errors are the parser's and show the table.
fn refused_table(place: Option<&Origin>, condition: &str, parameters: &[(&str, &str)]) -> SparkError {
    let error = SparkError::new(ErrorClass::Parse, condition, parameters);
    match place.and_then(|origin| origin.context.as_ref()) {
        Some(context) => error.with_context(context.summary()).with_place(context),
        None => error,
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
