//! Table functions of the script (Python UDTFs) as generators: one object of the class for each partition of rows.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::concat;
use arrow::datatypes::Int32Type;

use super::EvalContext;
use super::generator::GeneratorFunction;
use crate::error::{Result, SparkError};
use crate::exec::batch::make_batch;
use crate::expr::{Attribute, ExprId, Metadata};
use crate::types::{DataType, StructField, StructType};

/// What the script's side is called with; see [`crate::expr::UdfHost::table_function`].
#[derive(Debug)]
pub(crate) struct PythonTable {
    /// Of the function that gets the arguments of a partition.
    pub(crate) handle: u64,
    pub(crate) schema: StructType,
    pub(crate) deterministic: bool,
}

fn column(name: &str, data_type: &DataType, nullable: bool) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId(0),
        name: name.into(),
        data_type: data_type.clone(),
        nullable,
        qualifier: Vec::new(),
        metadata: Metadata::default(),
    })
}

impl GeneratorFunction for PythonTable {
    fn deterministic(&self) -> bool {
        self.deterministic
    }

    fn whole_partitions(&self) -> bool {
        true
    }

    fn generate(
        &self,
        args: &[ArrayRef],
        rows: usize,
        _: bool,
        ctx: &EvalContext<'_>,
    ) -> Result<(Vec<u32>, Vec<ArrayRef>)> {
        let host = ctx.udfs.ok_or_else(|| SparkError::internal("no Python to call table functions of"))?;
        let inputs = args
            .iter()
            .enumerate()
            .map(|(i, a)| Ok(column(&format!("_{i}"), &DataType::from_arrow(a.data_type())?, true)))
            .collect::<Result<Vec<_>>>()?;
        let fields = self.schema.fields.iter().map(|f: &StructField| column(&f.name, &f.data_type, f.nullable));
        // The script says of each row which input row it is for.
        let output: Vec<Arc<Attribute>> =
            std::iter::once(column("_row", &DataType::Integer, false)).chain(fields).collect();
        let made = host.call_tables(self.handle, &[make_batch(&inputs, args.to_vec(), rows)?], &output)?;
        let mut columns = Vec::with_capacity(output.len());
        for (i, attribute) in output.iter().enumerate() {
            let parts: Vec<&dyn Array> = made.iter().map(|batch| batch.column(i).as_ref()).collect();
            columns.push(match parts.as_slice() {
                [] => arrow::array::new_empty_array(&attribute.data_type.to_arrow()),
                parts => concat(parts)?,
            });
        }
        let parents = columns.remove(0);
        let parents: Vec<u32> = parents.as_primitive::<Int32Type>().values().iter().map(|row| *row as u32).collect();
        Ok((parents, columns))
    }
}
