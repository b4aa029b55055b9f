//! Fields of structs, elements of arrays, values of maps (Catalyst's ExtractValue).

use super::Analyzer;
use super::names::{quoted, same_name};
use crate::error::{Result, SparkError};
use crate::expr::{Expr, quoted_sql};
use crate::types::{DataType, StructType};
use crate::value::Value;

/// Position of a field by name; FIELD_NOT_FOUND or AMBIGUOUS_REFERENCE_TO_FIELDS otherwise.
fn field_ordinal(fields: &StructType, name: &str, case_sensitive: bool) -> Result<usize> {
    let matches: Vec<usize> = fields
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| same_name(&field.name, name, case_sensitive))
        .map(|(ordinal, _)| ordinal)
        .collect();
    match matches.as_slice() {
        [ordinal] => Ok(*ordinal),
        [] => {
            let names: Vec<String> = fields.fields.iter().map(|field| quoted(&field.name)).collect();
            Err(SparkError::analysis("FIELD_NOT_FOUND", &[("fieldName", &quoted(name)), ("fields", &names.join(", "))]))
        }
        several => Err(SparkError::analysis(
            "AMBIGUOUS_REFERENCE_TO_FIELDS",
            &[("field", &quoted(name)), ("count", &several.len().to_string())],
        )),
    }
}

impl Analyzer<'_> {
    /// `child.name`.
    pub(super) fn extract_field(&self, child: Expr, name: &str) -> Result<Expr> {
        let literal = Expr::literal(Value::from(name), DataType::String);
        self.extract(child, literal)
    }

    /// `child[extraction]`, both resolved.
    pub(super) fn extract(&self, child: Expr, extraction: Expr) -> Result<Expr> {
        let case_sensitive = self.conf.case_sensitive();
        let field_name = match &extraction {
            Expr::Literal { value: Value::String(name), .. } => Some(name.to_string()),
            _ => None,
        };
        match (child.data_type(), field_name) {
            (DataType::Struct(fields), Some(name)) => {
                let ordinal = field_ordinal(&fields, &name, case_sensitive)?;
                // The struct's own spelling shows in names, the user's in the column's name.
                Ok(Expr::GetField { child: Box::new(child), ordinal, name })
            }
            (DataType::Array { element, .. }, Some(name)) if matches!(&*element, DataType::Struct(_)) => {
                let DataType::Struct(fields) = &*element else { return Err(SparkError::internal("struct expected")) };
                let ordinal = field_ordinal(fields, &name, case_sensitive)?;
                let name = fields.fields[ordinal].name.clone();
                Ok(Expr::GetArrayStructFields { child: Box::new(child), ordinal, name })
            }
            (DataType::Array { .. } | DataType::Map { .. }, _) => self.call("[]", vec![child, extraction]),
            (DataType::Struct(_), None) => {
                Err(SparkError::analysis("INVALID_EXTRACT_FIELD", &[("extraction", &quoted_sql(&extraction))]))
            }
            (other, _) => Err(SparkError::analysis(
                "INVALID_EXTRACT_BASE_FIELD_TYPE",
                &[("base", &quoted_sql(&child)), ("other", &other.quoted_sql())],
            )),
        }
    }
}
