//! Rows in hand as plans.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{LocalRelation, LogicalPlan};

/// The Arrow schema of attributes.
pub(crate) fn arrow_schema(output: &[Arc<Attribute>]) -> SchemaRef {
    let fields: Vec<Field> = output.iter().map(|a| Field::new(&*a.name, a.data_type.to_arrow(), a.nullable)).collect();
    Arc::new(Schema::new(fields))
}

pub(crate) fn record_batch(output: &[Arc<Attribute>], columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(arrow_schema(output), columns)?)
}

pub(crate) fn local_relation(output: &[Arc<Attribute>], partitions: Vec<Vec<RecordBatch>>) -> LogicalPlan {
    LogicalPlan::LocalRelation(LocalRelation {
        output: output.to_vec(),
        partitions: Arc::new(partitions),
        from_rdd: false,
    })
}
