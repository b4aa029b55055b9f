//! Casts of single values, and of variants, which have a type each.

use arrow::array::{Array, ArrayRef};

use super::{CastContext, cast_array};
use crate::error::Result;
use crate::functions::Operand;
use crate::functions::variant::{self, Variants};
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
    if *from != DataType::Variant {
        return variant::column(array.len(), &|row| Ok(variant::of_cell(array, row, from)));
    }
    let cells = Operand::Column(array.clone());
    let variants = Variants::of(&cells)?;
    let mut out = ValueBuilder::new(to, array.len());
    for row in 0..array.len() {
        match variants.row(row) {
            Some((value, metadata)) => out.append(&variant::cast(value, metadata, to, ctx)?)?,
            None => out.append_null(),
        }
    }
    out.finish()
}
