//! VARIANT values: Spark's binary encoding.

use super::cast::CastContext;
use super::datetime::zone::Zone;
use crate::error::{Result, SparkError};
use crate::types::DataType;
use crate::value::Value;

/// The JSON text of a variant.
pub fn to_json(_value: &[u8], _metadata: &[u8], _zone: &Zone) -> Result<String> {
    Err(SparkError::not_yet("VARIANT as text"))
}

/// A variant as another type.
pub fn cast(_value: &[u8], _metadata: &[u8], _to: &DataType, _ctx: CastContext<'_>) -> Result<Value> {
    Err(SparkError::not_yet("A cast from VARIANT"))
}

/// A value as a variant.
pub fn from_value(_value: &Value, _from: &DataType) -> Result<Value> {
    Err(SparkError::not_yet("A cast to VARIANT"))
}
