//! DataFrames from rows in hand: createDataFrame and spark.range.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::catalog::attributes;
use crate::error::Result;
use crate::expr::{Attribute, ExprId, Metadata};
use crate::plan::{LocalRelation, LogicalPlan, PlanRef};
use crate::session::SqlSession;
use crate::types::{DataType, StructType};
use crate::value::{Value, array_from_values};

/// Rows as one batch.
pub(crate) fn batch(schema: &StructType, rows: &[Vec<Value>]) -> Result<RecordBatch> {
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (i, field) in schema.fields.iter().enumerate() {
        let values: Vec<Value> = rows.iter().map(|row| row.get(i).cloned().unwrap_or(Value::Null)).collect();
        columns.push(array_from_values(&field.data_type, &values)?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    // Nullability is the plan's affair: the arrays' own schema allows nulls everywhere.
    let fields: Vec<arrow::datatypes::Field> = schema
        .fields
        .iter()
        .zip(&columns)
        .map(|(field, column)| arrow::datatypes::Field::new(&field.name, column.data_type().clone(), true))
        .collect();
    Ok(RecordBatch::try_new_with_options(Arc::new(arrow::datatypes::Schema::new(fields)), columns, &options)?)
}

/// createDataFrame: rows with values already checked against the schema, cut over partitions as
/// ParallelCollectionRDD does.
pub fn local(
    session: &SqlSession,
    schema: &StructType,
    rows: Vec<Vec<Value>>,
    partitions: Option<usize>,
) -> Result<PlanRef> {
    if let Some(field) = schema.fields.iter().find(|field| has_length(&field.data_type)) {
        let message = format!(
            "Logical plan should not have output of char/varchar type when spark.sql.preserveCharVarcharTypeInfo is \
             false: LogicalRDD [{}#0], false\n",
            field.name
        );
        let class = crate::error::ErrorClass::Java("org.apache.spark.SparkException");
        return Err(crate::error::SparkError::new(class, "INTERNAL_ERROR", &[("message", &message)]));
    }
    let count = partitions.unwrap_or_else(|| session.parallelism.get()).max(1);
    let total = rows.len();
    let mut cut = Vec::new();
    for i in 0..count {
        let (start, end) = (i * total / count, (i + 1) * total / count);
        let slice = &rows[start..end];
        cut.push(if slice.is_empty() { Vec::new() } else { vec![batch(schema, slice)?] });
    }
    Ok(Arc::new(LogicalPlan::LocalRelation(LocalRelation {
        output: attributes(schema),
        partitions: Arc::new(cut),
        from_rdd: true,
    })))
}

/// CHAR or VARCHAR somewhere in it: the rows of a frame know strings only (CheckAnalysis).
fn has_length(data_type: &DataType) -> bool {
    match data_type {
        DataType::Char(_) | DataType::Varchar(_) => true,
        DataType::Array { element, .. } => has_length(element),
        DataType::Map { key, value, .. } => has_length(key) || has_length(value),
        DataType::Struct(schema) => schema.fields.iter().any(|field| has_length(&field.data_type)),
        _ => false,
    }
}

/// spark.range.
pub fn range(start: i64, end: i64, step: i64, partitions: Option<usize>) -> Result<PlanRef> {
    if step == 0 {
        return Err(crate::error::SparkError::plain(
            crate::error::ErrorClass::IllegalArgument,
            "requirement failed: step (0) cannot be 0",
        ));
    }
    let id = Arc::new(Attribute {
        id: ExprId::fresh(),
        name: "id".into(),
        data_type: DataType::Long,
        nullable: false,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    });
    Ok(Arc::new(LogicalPlan::Range { start, end, step, partitions, output: vec![id] }))
}
