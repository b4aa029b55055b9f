//! Casts of single values, and of variants, which have a type each.

use arrow::array::{Array, ArrayRef};

use super::{CastContext, cast_array};
use crate::error::Result;
use crate::functions::variant;
use crate::types::DataType;
use crate::value::{Value, ValueBuilder, repeat_value, value_at};

/// Casts one value, as a column of one row.
pub fn cast_value(value: &Value, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<Value> {
    if value.is_null() || from == to {
        return Ok(value.clone());
    }
    let array = cast_array(&repeat_value(from, value, 1)?, from, to, ctx)?;
    Ok(value_at(&array, 0, to))
}

/// Casts from variants and to them.
pub(super) fn variants(array: &ArrayRef, from: &DataType, to: &DataType, ctx: CastContext<'_>) -> Result<ArrayRef> {
    let mut out = ValueBuilder::new(to, array.len());
    for row in 0..array.len() {
        let cast = match value_at(array, row, from) {
            Value::Null => Value::Null,
            Value::Variant { value, metadata } => variant::cast(&value, &metadata, to, ctx)?,
            value => variant::from_value(&value, from)?,
        };
        out.append(&cast)?;
    }
    out.finish()
}
