//! Schemas of variants: schema_of_variant and its aggregate.

use super::encoding::Node;
use crate::functions::coercion::wider_decimal;
use crate::types::{DataType, StructField};

/// The schema of one variant; objects are structs.
pub(super) fn of(node: &Node) -> DataType {
    match node {
        Node::Array(items) => {
            let element = items.iter().map(of).reduce(merged).unwrap_or(DataType::Null);
            DataType::array(element, true)
        }
        Node::Object(fields) => {
            let mut fields: Vec<StructField> =
                fields.iter().map(|(name, n)| StructField::new(name.clone(), of(n), true)).collect();
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            DataType::structure(fields)
        }
        // Zeros at the end of a fraction do not count.
        Node::Decimal(n, scale) => {
            let (mut n, mut scale) = (*n, *scale);
            while scale > 0 && n % 10 == 0 {
                (n, scale) = (n / 10, scale - 1);
            }
            let digits = crate::value::text::digits(n).max(u32::from(scale.unsigned_abs())).min(38);
            DataType::decimal(digits as u8, scale)
        }
        leaf => leaf.value().map_or(DataType::Null, |(_, t)| t),
    }
}

/// The schema that holds both (SchemaOfVariant.mergeSchema); VARIANT where there is no other.
pub(in crate::functions) fn merged(a: DataType, b: DataType) -> DataType {
    use DataType as T;
    match (a, b) {
        (a, b) if a == b => a,
        (T::Null, t) | (t, T::Null) => t,
        (T::Long, d @ T::Decimal { .. }) | (d @ T::Decimal { .. }, T::Long) => merged(T::decimal(20, 0), d),
        (T::Decimal { precision: p, scale: s }, T::Decimal { precision: q, scale: t }) => wider_decimal((p, s), (q, t)),
        (T::Long | T::Float | T::Double | T::Decimal { .. }, T::Double | T::Float)
        | (T::Double | T::Float, T::Long | T::Decimal { .. }) => T::Double,
        (T::Array { element: x, .. }, T::Array { element: y, .. }) => {
            T::array(merged((*x).clone(), (*y).clone()), true)
        }
        (T::Struct(x), T::Struct(y)) => {
            let mut fields = x.fields.clone();
            for field in &y.fields {
                match fields.iter_mut().find(|known| known.name == field.name) {
                    Some(known) => known.data_type = merged(known.data_type.clone(), field.data_type.clone()),
                    None => fields.push(field.clone()),
                }
            }
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            T::structure(fields)
        }
        _ => T::Variant,
    }
}

/// The schema as text: OBJECT<a: BIGINT>.
pub(in crate::functions) fn text(t: &DataType) -> String {
    match t {
        DataType::Array { element, .. } => format!("ARRAY<{}>", text(element)),
        DataType::Struct(schema) => {
            let fields: Vec<String> = schema
                .fields
                .iter()
                .map(|f| format!("{}: {}", crate::types::quote_if_needed(&f.name), text(&f.data_type)))
                .collect();
            format!("OBJECT<{}>", fields.join(", "))
        }
        other => other.sql(),
    }
}
